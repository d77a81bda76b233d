// Numbers that published implementations of attention computed: golden/README.md says which.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "golden/case.h"
#include "posenc/attend.h"
#include "posenc/mask.h"

namespace golden_attend_test {
namespace {

using golden::Case;
using golden::Tensor;
using posenc::Causal;
using posenc::ConstView;
using posenc::make_view;
using posenc::View;

std::string path(const std::string& name) { return POSENC_TESTS "/golden/attend/" + name + ".json"; }

// [1, H, N, D] as [B, N, H, D].
ConstView heads_of(const Tensor& tensor) { return tensor.view().swap(1, 2); }

struct Backward {
  std::vector<double> q, k, v;
};

// out, dq, dk and dv of a case of torch's attention.
void check_attention(const Case& one, posenc::AttendOptions options, const posenc::Gradients& bias = {}) {
  const Tensor q(one.input("q")), k(one.input("k")), v(one.input("v")), grad_out(one.input("grad_out"));
  std::vector<double> out(q.values.size());
  const View out_view = make_view(out.data(), {1, q.shape[1], q.shape[2], v.shape[3]}).swap(1, 2);
  posenc::attend(heads_of(q), heads_of(k), heads_of(v), out_view, options);
  one.compare("out", out, 1e-12);
  Backward grad{std::vector<double>(q.values.size()), std::vector<double>(k.values.size()),
                std::vector<double>(v.values.size())};
  const auto view = [](std::vector<double>& numbers, const Tensor& like) {
    return make_view(numbers.data(), {1, like.shape[1], like.shape[2], like.shape[3]}).swap(1, 2);
  };
  posenc::attend_backward({heads_of(q), heads_of(k), heads_of(v), heads_of(grad_out)},
                          {.q = view(grad.q, q), .k = view(grad.k, k), .v = view(grad.v, v), .bias = bias}, options);
  one.compare("dq", grad.q, 1e-12);
  one.compare("dk", grad.k, 1e-12);
  one.compare("dv", grad.v, 1e-12);
}

TEST(GoldenAttend, CausalMasks) {
  check_attention(Case(path("f_attn_causal_5x12_bottomright")), {.mask = {.causal = Causal::end}});
  check_attention(Case(path("f_attn_causal_5x12_topleft")), {.mask = {.causal = Causal::start}});
  check_attention(Case(path("f_attn_gqa_causal")), {.mask = {.causal = Causal::end}});
  const Case sliding(path("f_attn_sliding_4"));
  check_attention(sliding, {.mask = {.causal = Causal::end, .left = sliding.integer("window") - 1}});
}

TEST(GoldenAttend, AlibiWithTheGradientOfItsSlopes) {
  for (const bool causal : {true, false}) {
    const Case one(path(causal ? "f_attn_alibi_causal" : "f_attn_alibi_symmetric"));
    const Tensor slopes(one.input("slopes"));
    const posenc::AlibiForm form = causal ? posenc::AlibiForm::causal : posenc::AlibiForm::symmetric;
    const posenc::Bias learned(posenc::Alibi{.heads = 4, .form = form}, {{"slopes", slopes.view()}});
    const posenc::Mask mask{.causal = causal ? Causal::end : Causal::none};
    std::vector<double> grad(4);
    check_attention(one, {.bias = &learned, .mask = mask}, {{"slopes", make_view(grad.data(), {4})}});
    one.compare("dslopes", grad, 1e-12);
    const posenc::Bias fixed(posenc::Alibi{.heads = 4, .form = form});
    check_attention(one, {.bias = &fixed, .mask = mask});
  }
}

TEST(GoldenAttend, T5WithTheGradientOfItsTable) {
  for (const bool causal : {true, false}) {
    const Case one(path(causal ? "f_attn_t5_causal" : "f_attn_t5_bidirectional"));
    const Tensor table(one.input("table"));
    const posenc::Bias bias(
        posenc::T5{.heads = 4,
                   .buckets = one.integer("num_buckets"),
                   .max_distance = one.integer("max_distance"),
                   .direction = causal ? posenc::T5Direction::causal : posenc::T5Direction::bidirectional},
        {{"table", table.view()}});
    std::vector<double> grad(table.values.size());
    check_attention(one, {.bias = &bias, .mask = {.causal = causal ? Causal::end : Causal::none}, .softmax_scale = 1.0},
                    {{"table", make_view(grad.data(), {table.shape[0], table.shape[1]})}});
    one.compare("dtable", grad, 1e-12);
  }
}

TEST(GoldenAttend, ARowThatSeesNothingIsZero) {
  const Case one(path("f_attn_fully_masked_row"));
  const Tensor q(one.input("q")), k(one.input("k")), v(one.input("v")), mask(one.input("mask"));
  const std::vector<std::uint8_t> pairs(mask.values.begin(), mask.values.end());
  std::vector<double> out(q.values.size());
  posenc::attend(heads_of(q), heads_of(k), heads_of(v), make_view(out.data(), {1, 4, 12, 8}).swap(1, 2),
                 {.mask = {.pairs = make_view(pairs.data(), {12, 12})}});
  one.compare("row3_head0", {out.begin() + 3 * 8, out.begin() + 4 * 8}, 0.0);
  one.compare("row4_head0", {out.begin() + 4 * 8, out.begin() + 5 * 8}, 1e-12);
}

TEST(GoldenAttend, MasksOfTransformers) {
  const Case sliding(path("g_sliding_masks"));
  const std::int64_t w = sliding.integer("window"), n = sliding.integer("n");
  const Case chunked(path("g_llama4_chunked_mask"));
  const Tensor padding(chunked.input("left_padding"));
  const std::vector<std::int64_t> starts(padding.values.begin(), padding.values.end());
  const auto seen = [](const posenc::Mask& mask, std::int64_t batch, std::int64_t tokens, auto&& also) {
    std::vector<double> result;
    for (std::int64_t b = 0; b < batch; ++b)
      for (std::int64_t i = 0; i < tokens; ++i)
        for (std::int64_t j = 0; j < tokens; ++j)
          result.push_back(also(b, i, j) || posenc::sees(mask, {batch, tokens, tokens}, b, i, j) ? 1.0 : 0.0);
    return result;
  };
  const auto no_more = [](std::int64_t, std::int64_t, std::int64_t) { return false; };
  sliding.compare("causal", seen({.causal = Causal::end, .left = w - 1}, 1, n, no_more), 0.0);
  sliding.compare("bidirectional", seen({.left = w, .right = w}, 1, n, no_more), 0.0);
  // Padding is masked elsewhere there: positions before the first token count as separate chunks.
  for (const std::int64_t chunk : {std::int64_t{3}, std::int64_t{4}}) {
    const auto padded = [&](std::int64_t b, std::int64_t i, std::int64_t j) {
      const std::int64_t start = starts[static_cast<std::size_t>(b)];
      const auto chunk_of = [&](std::int64_t t) { return (t - start - (t < start ? chunk - 1 : 0)) / chunk; };
      return j < start && j <= i && chunk_of(i) == chunk_of(j);
    };
    chunked.compare(
        "chunk" + std::to_string(chunk),
        seen({.causal = Causal::end, .chunk = chunk, .starts = make_view(starts.data(), {2})}, 2, 8, padded), 0.0);
  }
}

// The linear layer and the normalisation of the cases, in double.
std::vector<double> linear(const std::vector<double>& x, const Tensor& weight, const Tensor* bias = nullptr) {
  const auto in = static_cast<std::size_t>(weight.shape[1]), out = static_cast<std::size_t>(weight.shape[0]);
  std::vector<double> y(x.size() / in * out);
  for (std::size_t n = 0; n < x.size() / in; ++n) {
    for (std::size_t o = 0; o < out; ++o) {
      double sum = bias == nullptr ? 0.0 : bias->values[o];
      for (std::size_t i = 0; i < in; ++i) sum += x[n * in + i] * weight.values[o * in + i];
      y[n * out + o] = sum;
    }
  }
  return y;
}

std::vector<double> layer_norm(std::vector<double> x, const Tensor& weight, const Tensor& bias, double eps) {
  const std::size_t width = weight.values.size();
  for (std::size_t n = 0; n < x.size() / width; ++n) {
    double mean = 0.0, variance = 0.0;
    for (std::size_t c = 0; c < width; ++c) mean += x[n * width + c] / static_cast<double>(width);
    for (std::size_t c = 0; c < width; ++c) {
      variance += (x[n * width + c] - mean) * (x[n * width + c] - mean) / static_cast<double>(width);
    }
    for (std::size_t c = 0; c < width; ++c) {
      x[n * width + c] = (x[n * width + c] - mean) / std::sqrt(variance + eps) * weight.values[c] + bias.values[c];
    }
  }
  return x;
}

// q, k and v of tokens [N, heads * 4], and what attention makes of them.
struct Heads {
  std::int64_t heads;
  std::vector<double> q, k, v;
  std::vector<double> out = {}, weights = {};

  void attend(posenc::AttendOptions options) {
    const std::int64_t n = static_cast<std::int64_t>(q.size()) / (heads * 4);
    const std::int64_t s = static_cast<std::int64_t>(k.size()) / (heads * 4);
    out.resize(q.size());
    weights.resize(static_cast<std::size_t>(heads * n * s));
    options.weights = make_view(weights.data(), {heads, n, s});
    posenc::attend(make_view(q.data(), {n, heads, 4}), make_view(k.data(), {s, heads, 4}),
                   make_view(v.data(), {s, heads, 4}), make_view(out.data(), {n, heads, 4}), options);
  }
};

Heads project(const Case& one, const std::vector<double>& x, const std::string& q, const std::string& k,
              const std::string& v) {
  const auto layer = [&](const std::string& name) {
    const Tensor weight(one.input(name + ".weight")), bias(one.input(name + ".bias"));
    return linear(x, weight, &bias);
  };
  return {one.integer("num_heads"), layer(q), layer(k), layer(v)};
}

TEST(GoldenAttend, ShawOfTensor2Tensor) {
  const Case one(path("t2t_shaw_attention"));
  const Tensor q(one.input("q")), k(one.input("k")), v(one.input("v")), keys(one.input("relative_keys")),
      values(one.input("relative_values"));
  const std::int64_t reach = one.integer("max_relative_position");
  const posenc::ScoreTerm term(posenc::Shaw{.head_dim = 4, .left = reach, .right = reach},
                               {{"keys", keys.view()}, {"values", values.view()}});
  std::vector<double> out(q.values.size());
  posenc::attend(heads_of(q), heads_of(k), heads_of(v), make_view(out.data(), {1, 2, 6, 4}).swap(1, 2),
                 {.term = &term, .softmax_scale = 1.0});
  one.compare("out", out, 1e-12);

  const Case index(path("t2t_shaw_index"));
  const std::int64_t length = index.integer("length"), most = index.integer("max_relative_position");
  std::vector<double> rows;
  for (std::int64_t i = 0; i < length; ++i) {
    for (std::int64_t j = 0; j < length; ++j) {
      rows.push_back(static_cast<double>(posenc::shaw_row({.head_dim = 1, .left = most, .right = most}, i, j)));
    }
  }
  index.compare("index_qk", rows, 0.0);
}

TEST(GoldenAttend, ShawOfWav2Vec2Bert) {
  const Case one(path("c_wav2vec2bert_relative_key"));
  const Tensor x(one.input("hidden_states")), rows(one.input("distance_embedding.weight"));
  Heads heads = project(one, x.values, "linear_q", "linear_k", "linear_v");
  const posenc::ScoreTerm term(posenc::Shaw{.head_dim = 4, .left = one.integer("left"), .right = one.integer("right")},
                               {{"keys", rows.view()}});
  heads.attend({.term = &term});
  one.compare("attention_probs", heads.weights, 1e-12);
  const Tensor weight(one.input("linear_out.weight")), bias(one.input("linear_out.bias"));
  one.compare("out", linear(heads.out, weight, &bias), 1e-12);
}

TEST(GoldenAttend, ShawOfSpeechT5) {
  const Case one(path("c_speecht5_relative"));
  const Tensor rows(one.input("pe_k.weight"));
  const std::int64_t most = one.integer("max_length"), length = one.integer("length");
  const posenc::Shaw spec{.head_dim = 3, .left = most, .right = most - 1, .offset = posenc::Offset::query_minus_key};
  std::vector<double> got;
  for (std::int64_t i = 0; i < length; ++i) {
    for (std::int64_t j = 0; j < length; ++j) {
      const double* row = rows.values.data() + 3 * posenc::shaw_row(spec, i, j);
      got.insert(got.end(), row, row + 3);
    }
  }
  one.compare("pe_k_qkd", got, 0.0);
}

TEST(GoldenAttend, VectorsOfBert) {
  for (const bool both : {false, true}) {
    const Case one(path(both ? "old_bert_relative_key_query" : "old_bert_relative_key"));
    const Tensor x(one.input("hidden_states")), rows(one.input("distance_embedding.weight"));
    Heads heads = project(one, x.values, "query", "key", "value");
    const std::int64_t reach = one.integer("max_position_embeddings") - 1;
    const posenc::ScoreTerm term(posenc::Shaw{.head_dim = 4,
                                              .left = reach,
                                              .right = reach,
                                              .offset = posenc::Offset::query_minus_key,
                                              .past = posenc::PastTable::error,
                                              .term = both ? posenc::ShawTerm::query_and_key : posenc::ShawTerm::query},
                                 {{"keys", rows.view()}});
    heads.attend({.term = &term});
    one.compare("attention_probs", heads.weights, 1e-12);
    one.compare("context", heads.out, 1e-12);
  }
}

TEST(GoldenAttend, ShawInBlocksOfGraniteSpeech) {
  const Case one(path("c_granite_speech_shaw"));
  const Tensor x(one.input("hidden_states")), norm(one.input("pre_norm.weight")), norm_bias(one.input("pre_norm.bias")),
      to_q(one.input("to_q.weight")), to_kv(one.input("to_kv.weight")), to_out(one.input("to_out.weight")),
      out_bias(one.input("to_out.bias")), rows(one.input("rel_pos_emb.weight"));
  const std::vector<double> normed = layer_norm(x.values, norm, norm_bias, 1e-5);
  const std::vector<double> kv = linear(normed, to_kv);
  Heads heads{2, linear(normed, to_q), {}, {}};
  for (std::size_t n = 0; n < 6; ++n) {
    heads.k.insert(heads.k.end(), kv.begin() + static_cast<std::ptrdiff_t>(n * 16),
                   kv.begin() + static_cast<std::ptrdiff_t>(n * 16 + 8));
    heads.v.insert(heads.v.end(), kv.begin() + static_cast<std::ptrdiff_t>(n * 16 + 8),
                   kv.begin() + static_cast<std::ptrdiff_t>(n * 16 + 16));
  }
  const std::int64_t reach = one.integer("max_pos_emb");
  const posenc::ScoreTerm term(
      posenc::Shaw{.head_dim = 4, .left = reach, .right = reach, .offset = posenc::Offset::query_minus_key},
      {{"keys", rows.view()}});
  heads.attend({.term = &term, .mask = {.chunk = one.integer("context_size")}});
  one.compare("out", linear(heads.out, to_out, &out_bias), 1e-12);
}

// ((q + u).k + (q + v).W r) / sqrt(d) of the conformers: rows interleaved, nothing hidden.
void check_conformer(const std::string& name, const char* u_name, const char* v_name, const std::string& position,
                     const std::vector<std::string>& layers, double tolerance) {
  SCOPED_TRACE(name);
  const Case one(path(name));
  const Tensor x(one.input("hidden_states")), u(one.input(u_name)), v(one.input(v_name)),
      weight(one.input(position + ".weight"));
  Heads heads = project(one, x.values, layers[0], layers[1], layers[2]);
  const posenc::ScoreTerm term(
      posenc::TransformerXl{.heads = 2, .head_dim = 4, .width = 8, .order = posenc::Order::interleaved},
      {{"u", u.view()}, {"v", v.view()}, {"position_weight", weight.view()}});
  heads.attend({.term = &term});
  one.compare("attention_probs", heads.weights, tolerance);
  const Tensor out_weight(one.input(layers[3] + ".weight")), out_bias(one.input(layers[3] + ".bias"));
  one.compare("out", linear(heads.out, out_weight, &out_bias), tolerance);
}

TEST(GoldenAttend, TransformerXlOfTheConformers) {
  // Their tables of sines are float32.
  const std::vector<std::string> layers = {"linear_q", "linear_k", "linear_v", "linear_out"};
  check_conformer("c_wav2vec2conformer_relative", "pos_bias_u", "pos_bias_v", "linear_pos", layers, 2e-6);
  check_conformer("c_fastspeech2_relative", "pos_bias_u", "pos_bias_v", "linear_pos", layers, 2e-6);
  check_conformer("c_parakeet_relative", "bias_u", "bias_v", "relative_k_proj",
                  {"q_proj", "k_proj", "v_proj", "o_proj"}, 2e-6);
}

TEST(GoldenAttend, TransformerXlWithMemories) {
  const Case one(path("old_transfo_xl_attention"));
  const Tensor h(one.input("h_ibd")), mems(one.input("mems_ibd")), qkv(one.input("qkv_net.weight")),
      u(one.input("r_w_bias")), v(one.input("r_r_bias")), weight(one.input("r_net.weight")),
      out(one.input("o_net.weight"));
  std::vector<double> x = mems.values;
  x.insert(x.end(), h.values.begin(), h.values.end());
  const std::vector<double> all = linear(x, qkv);
  Heads heads{2, {}, {}, {}};
  for (std::size_t n = 0; n < 7; ++n) {
    const auto part = [&](std::size_t at, std::vector<double>& to) {
      to.insert(to.end(), all.begin() + static_cast<std::ptrdiff_t>(n * 24 + at),
                all.begin() + static_cast<std::ptrdiff_t>(n * 24 + at + 8));
    };
    if (n >= 3) part(0, heads.q);
    part(8, heads.k);
    part(16, heads.v);
  }
  const posenc::ScoreTerm term(posenc::TransformerXl{.heads = 2, .head_dim = 4, .width = 8},
                               {{"u", u.view()}, {"v", v.view()}, {"position_weight", weight.view()}});
  heads.attend({.term = &term, .mask = {.causal = Causal::end}});
  std::vector<double> by_head_last;  // [i][j][b][head]
  for (std::size_t i = 0; i < 4 * 7; ++i) {
    for (std::size_t head = 0; head < 2; ++head) by_head_last.push_back(heads.weights[head * 28 + i]);
  }
  one.compare("attention_probs_ijbn", by_head_last, 1e-6);
  std::vector<double> sum = linear(heads.out, out);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += h.values[i];
  const Tensor norm(one.input("layer_norm.weight")), bias(one.input("layer_norm.bias"));
  one.compare("out", layer_norm(sum, norm, bias, 1e-5), 1e-5);
}

TEST(GoldenAttend, TransformerXlOfXlnet) {
  const Case one(path("c_xlnet_attention"));
  const Tensor h(one.input("h_ibd")), mems(one.input("mems_ibd")), u(one.input("r_w_bias")), v(one.input("r_r_bias"));
  // Weights are [M, heads, D] there.
  const auto as_linear = [&](const char* name) {
    Tensor from(one.input(name));
    Tensor to = from;
    to.shape = {8, 8};
    for (std::size_t m = 0; m < 8; ++m) {
      for (std::size_t c = 0; c < 8; ++c) to.values[c * 8 + m] = from.values[m * 8 + c];
    }
    return to;
  };
  std::vector<double> x = mems.values;
  x.insert(x.end(), h.values.begin(), h.values.end());
  Heads heads{2, linear(h.values, as_linear("q")), linear(x, as_linear("k")), linear(x, as_linear("v"))};
  const Tensor weight = as_linear("r");
  const posenc::ScoreTerm term(posenc::TransformerXl{.heads = 2, .head_dim = 4, .width = 8},
                               {{"u", u.view()}, {"v", v.view()}, {"position_weight", weight.view()}});
  heads.attend({.term = &term});
  std::vector<double> by_head_last;
  for (std::size_t i = 0; i < 4 * 6; ++i) {
    for (std::size_t head = 0; head < 2; ++head) by_head_last.push_back(heads.weights[head * 24 + i]);
  }
  one.compare("attention_probs_ijbn", by_head_last, 2e-6);
  const Tensor o = as_linear("o");
  Tensor o_weight = o;  // out = sum over heads and channels of o[m][head][c]: the other way round
  for (std::size_t m = 0; m < 8; ++m) {
    for (std::size_t c = 0; c < 8; ++c) o_weight.values[m * 8 + c] = o.values[c * 8 + m];
  }
  std::vector<double> sum = linear(heads.out, o_weight);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += h.values[i];
  const Tensor norm(one.input("layer_norm.weight")), bias(one.input("layer_norm.bias"));
  one.compare("out", layer_norm(sum, norm, bias, 1e-12), 1e-5);
}

std::vector<double> shifted(const Tensor& scores, std::int64_t first_distance, std::int64_t keys) {
  std::vector<double> out(static_cast<std::size_t>(4 * keys));
  posenc::relative_shift(make_view(scores.values.data(), {4, static_cast<std::int64_t>(scores.values.size()) / 4}),
                         first_distance, make_view(out.data(), {4, keys}));
  return out;
}

TEST(GoldenAttend, RelativeShifts) {
  const Case one(path("c_relative_shift"));
  const Tensor seven(one.input("scores_q4_r7")), eight(one.input("scores_q4_r8"));
  one.compare("parakeet_first4", shifted(seven, 3, 4), 0.0);
  one.compare("fastspeech2", shifted(seven, 3, 4), 0.0);
  one.compare("xlnet_klen4", shifted(eight, 4, 4), 0.0);
  const Case music(path("t2t_music_transformer_skew"));
  music.compare("unmasked", shifted(Tensor(music.input("scores_unmasked_1147")), 3, 4), 0.0);

  // Numbers above the diagonal are undefined there, and 0 here.
  const auto compare_below = [](const std::vector<double>& got, const Tensor& wanted, std::int64_t keys) {
    for (std::int64_t i = 0; i < 4; ++i) {
      for (std::int64_t j = 0; j <= i + keys - 4; ++j) {
        EXPECT_EQ(got[static_cast<std::size_t>(i * keys + j)], wanted.values[static_cast<std::size_t>(i * keys + j)])
            << i << ", " << j;
      }
    }
  };
  compare_below(shifted(Tensor(music.input("scores_masked_1144")), 3, 4), Tensor(music.output("masked")), 4);
  const Case xl(path("old_transfo_xl_attention"));
  compare_below(shifted(Tensor(xl.input("rel_shift_input_ijbn")), 6, 7), Tensor(xl.output("rel_shift")), 7);
}

}  // namespace
}  // namespace golden_attend_test
