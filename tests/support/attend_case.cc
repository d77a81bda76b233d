#include "support/attend_case.h"

#include <algorithm>
#include <cmath>

#include "posenc/random.h"

void AttendCase::fill(unsigned seed) {
  const auto numbers = [&](std::int64_t count, unsigned add) {
    std::vector<double> result = random_numbers(count, seed + add);
    for (double& value : result) value = rounded_to(dtype, value);
    return result;
  };
  q = numbers(batch * queries * heads * width, 0);
  k = numbers(batch * keys * key_heads * width, 1);
  v = numbers(batch * keys * key_heads * value_width, 2);
}

bool AttendCase::sees(std::int64_t b, std::int64_t n, std::int64_t s) const {
  const std::int64_t beside = n + offset();
  const std::int64_t start = starts.empty() ? 0 : starts[index(b)];
  if (s < start) return false;
  if (!ends.empty() && s >= ends[index(b)]) return false;
  if (mask.causal != posenc::Causal::none && s > beside) return false;
  if (mask.right && s > beside + *mask.right) return false;
  std::int64_t first_of_row = std::max<std::int64_t>(start, 0);
  if (!documents.empty()) {
    if (beside < 0 || beside >= keys) return false;
    for (std::int64_t t = std::min(s, beside); t <= std::max(s, beside); ++t) {
      if (documents[index(b * keys + t)] != documents[index(b * keys + beside)]) return false;
    }
    std::int64_t run = beside;
    while (run > 0 && documents[index(b * keys + run - 1)] == documents[index(b * keys + beside)]) --run;
    first_of_row = std::max(first_of_row, run);
  }
  const auto chunk_of = [&](std::int64_t t) {
    return static_cast<std::int64_t>(std::floor(static_cast<double>(t - start) / static_cast<double>(mask.chunk)));
  };
  const bool outside = (mask.left && s < beside - *mask.left) || (mask.chunk > 0 && chunk_of(s) != chunk_of(beside));
  if (outside && s >= first_of_row + mask.sink_keys) return false;
  if (!shown_keys.empty() && shown_keys[index(b * keys + s)] == 0) return false;
  return shown_pairs.empty() || shown_pairs[index((b * queries + n) * keys + s)] != 0;
}

std::unique_ptr<AttendCase::Call> AttendCase::call() const {
  auto result = std::make_unique<Call>();
  posenc::AttendOptions& options = result->options;
  if (rotary) {
    result->angles.emplace(std::get<posenc::Rotary>(*rotary));
    options.rotary = *result->angles;
  }
  if (bias) options.bias = &result->bias.emplace(*bias, parameters(bias_numbers));
  if (term) options.term = &result->term.emplace(*term, parameters(term_numbers));
  options.mask = mask;
  if (!starts.empty()) options.mask.starts = posenc::make_view(starts.data(), {batch});
  if (!ends.empty()) options.mask.ends = posenc::make_view(ends.data(), {batch});
  if (!documents.empty()) options.mask.documents = posenc::make_view(documents.data(), {batch, keys});
  if (!shown_keys.empty()) options.mask.keys = posenc::make_view(shown_keys.data(), {batch, keys});
  if (!shown_pairs.empty()) options.mask.pairs = posenc::make_view(shown_pairs.data(), {batch, queries, keys});
  const auto ids = [&](const std::vector<std::int64_t>& numbers, std::int64_t count) {
    posenc::PositionView view = posenc::PositionView::of(numbers.data(), count);
    view.batch = batch;
    view.batch_stride = count;
    return view;
  };
  if (!query_ids.empty()) options.query_positions = ids(query_ids, queries);
  if (!key_ids.empty()) options.key_positions = ids(key_ids, keys);
  options.softmax_scale = scale;
  options.softcap = softcap;
  if (!sinks.empty()) options.sinks = posenc::make_view(sinks.data(), {heads});
  options.dropout = dropout;
  return result;
}

AttendResult AttendCase::run(const posenc::Workers* workers, bool* whole) const {
  HeadBlock q_block(dtype, batch, queries, heads, width, layout), k_block(dtype, batch, keys, key_heads, width, layout),
      v_block(dtype, batch, keys, key_heads, value_width, layout),
      out(dtype, batch, queries, heads, value_width, layout);
  q_block.set_values(q);
  k_block.set_values(k);
  v_block.set_values(v);
  const posenc::DType extra = dtype == posenc::DType::f64 ? dtype : posenc::DType::f32;
  HeadBlock weights(extra, batch, heads, queries, keys, {.head_gap = layout.head_gap}),
      sums(extra, 1, batch, heads, queries, {.head_gap = layout.head_gap});
  const std::unique_ptr<Call> made = call();
  made->options.weights = weights.view();
  made->options.log_sum_exp = sums.view()[0];
  made->options.workers = workers;
  posenc::attend(q_block.view(), k_block.view(), v_block.view(), out.view(), made->options);
  if (whole != nullptr) *whole = out.gaps_are_whole() && weights.gaps_are_whole() && sums.gaps_are_whole();
  return {out.values(), weights.values(), sums.values()};
}

AttendResult AttendCase::expected() const {
  AttendResult result;
  for (std::int64_t b = 0; b < batch; ++b) {
    std::vector<double> out(index(queries * heads * value_width)), weights(index(heads * queries * keys)),
        sums(index(heads * queries));
    const std::vector<double> own_q = turned(q, b, queries, heads, true), own_k = turned(k, b, keys, key_heads, false);
    posenc::reference::attend(problem(b, own_q, own_k), own_q.data(), own_k.data(),
                              v.data() + b * keys * key_heads * value_width, out.data(), weights.data(), sums.data());
    result.out.insert(result.out.end(), out.begin(), out.end());
    result.weights.insert(result.weights.end(), weights.begin(), weights.end());
    result.log_sum_exp.insert(result.log_sum_exp.end(), sums.begin(), sums.end());
  }
  return result;
}

std::vector<double> AttendCase::turned(const std::vector<double>& x, std::int64_t b, std::int64_t tokens,
                                       std::int64_t x_heads, bool is_query) const {
  std::vector<double> result(x.begin() + b * tokens * x_heads * width, x.begin() + (b + 1) * tokens * x_heads * width);
  if (!rotary) return result;
  const auto& spec = std::get<posenc::Rotary>(*rotary);
  const std::vector<double> from = result;
  for (std::int64_t i = 0; i < tokens * x_heads; ++i) {
    const auto position = static_cast<double>(is_query ? query_position(b, i / x_heads) : key_position(b, i / x_heads));
    posenc::reference::rotate_head(spec, {&position, 1}, from.data() + i * width, result.data() + i * width);
  }
  if (is_query && spec.attention_factor_in == posenc::FactorIn::query) {
    for (double& value : result) value *= spec.attention_factor.value_or(1.0);
  }
  return result;
}

const std::vector<double>* AttendCase::numbers_of(const std::vector<Numbers>& list, const std::string& name) const {
  for (const Numbers& one : list) {
    if (one.name == name) return &one.values;
  }
  return nullptr;
}

posenc::reference::Attention AttendCase::problem(std::int64_t b, const std::vector<double>& own_q,
                                                 const std::vector<double>& own_k) const {
  posenc::reference::Attention result{queries, keys, heads, key_heads, width, value_width};
  result.softmax_scale = scale.value_or(1.0 / std::sqrt(static_cast<double>(width)));
  if (rotary && !scale) {
    const auto& spec = std::get<posenc::Rotary>(*rotary);
    if (spec.attention_factor_in == posenc::FactorIn::softmax)
      result.softmax_scale *= spec.attention_factor.value_or(1.0);
  }
  result.softcap = softcap;
  result.sinks = sinks;
  result.sees = [this, b](std::int64_t n, std::int64_t s) { return sees(b, n, s); };
  if (bias) result.bias = bias_of(b, result.softmax_scale);
  if (term) add_term(b, own_q, own_k, result);
  if (dropout.p > 0.0) {
    result.keep = [this, b](std::int64_t h, std::int64_t n, std::int64_t s) {
      const auto word = [](std::int64_t i) { return static_cast<std::uint32_t>(i); };
      const posenc::PhiloxCounter random = posenc::philox4x32(
          {word(s / 4), word(n + dropout.first_token), word((b + dropout.first_row) * heads + h),
           static_cast<std::uint32_t>(dropout.step)},
          {static_cast<std::uint32_t>(dropout.seed), static_cast<std::uint32_t>(dropout.seed >> 32)});
      const bool dropped = random[index(s % 4)] < static_cast<std::uint32_t>(dropout.p * 0x1p32);
      return dropped ? 0.0 : 1.0 / (1.0 - dropout.p);
    };
  }
  return result;
}

posenc::reference::Attention::OfPair AttendCase::bias_of(std::int64_t b, double score_scale) const {
  const posenc::Bias made(*bias, parameters(bias_numbers));
  std::vector<std::int64_t> i(index(queries)), j(index(keys));
  for (std::int64_t n = 0; n < queries; ++n) i[index(n)] = query_position(b, n);
  for (std::int64_t s = 0; s < keys; ++s) j[index(s)] = key_position(b, s);
  auto matrix = std::make_shared<std::vector<double>>(index(heads * queries * keys));
  posenc::fill_bias(made, posenc::PositionView::of(i.data(), queries), posenc::PositionView::of(j.data(), keys),
                    posenc::make_view(matrix->data(), {heads, queries, keys}));
  const double times = made.schedule().added == posenc::Added::before_scale ? score_scale : 1.0;
  return [this, matrix, times](std::int64_t h, std::int64_t n, std::int64_t s) {
    return times * (*matrix)[index((h * queries + n) * keys + s)];
  };
}

void AttendCase::add_term(std::int64_t b, const std::vector<double>& own_q, const std::vector<double>& own_k,
                          posenc::reference::Attention& result) const {
  const auto query = [this, own_q](std::int64_t h, std::int64_t n) { return own_q.data() + (n * heads + h) * width; };
  const auto key = [this, own_k](std::int64_t h, std::int64_t s) {
    return own_k.data() + (s * key_heads + h / (heads / key_heads)) * width;
  };
  if (const auto* xl = std::get_if<posenc::TransformerXl>(&*term)) {
    result.term = [this, b, xl, own_q, own_k](std::int64_t h, std::int64_t n, std::int64_t s) {
      const double* q_row = own_q.data() + (n * heads + h) * width;
      const double* k_row = own_k.data() + (s * key_heads + h / (heads / key_heads)) * width;
      const std::vector<double>& u = *numbers_of(term_numbers, "u");
      const std::vector<double>& v_bias = *numbers_of(term_numbers, "v");
      const std::vector<double>& weight = *numbers_of(term_numbers, "position_weight");
      std::int64_t distance = query_position(b, n) - key_position(b, s);
      if (xl->clamp_distance > 0) distance = std::clamp(distance, -xl->clamp_distance, xl->clamp_distance);
      std::vector<double> row(index(xl->width));
      posenc::reference::sinusoidal_row({.width = xl->width, .base = xl->base, .order = xl->order},
                                        static_cast<double>(distance), row.data());
      double sum = 0.0;
      for (std::int64_t c = 0; c < width; ++c) {
        double r = 0.0;
        for (std::int64_t m = 0; m < xl->width; ++m) {
          r += weight[index((h * width + c) * xl->width + m)] * row[index(m)];
        }
        sum += u[index(h * width + c)] * k_row[c] + (q_row[c] + v_bias[index(h * width + c)]) * r;
      }
      return sum;
    };
    return;
  }
  const auto& shaw = std::get<posenc::Shaw>(*term);
  const std::int64_t rows = shaw.left + shaw.right + 1;
  const auto vector = [this, b, shaw, rows](const char* name, std::int64_t channels, std::int64_t h, std::int64_t n,
                                            std::int64_t s) -> const double* {
    const std::vector<double>& numbers = *numbers_of(term_numbers, name);
    const std::int64_t forward = key_position(b, s) - query_position(b, n);
    const std::int64_t given = shaw.offset == posenc::Offset::key_minus_query ? forward : -forward;
    const std::int64_t clipped = std::clamp(given, -shaw.left, shaw.right);
    if (clipped != given && shaw.past == posenc::PastTable::zero) return nullptr;
    const bool per_head = static_cast<std::int64_t>(numbers.size()) == heads * rows * channels && heads > 1;
    return numbers.data() + ((per_head ? h * rows : 0) + clipped + shaw.left) * channels;
  };
  result.term = [this, shaw, vector, query, key](std::int64_t h, std::int64_t n, std::int64_t s) {
    const double* r = vector("keys", width, h, n, s);
    if (r == nullptr) return 0.0;
    double sum = 0.0;
    for (std::int64_t c = 0; c < width; ++c) {
      sum += (query(h, n)[c] + (shaw.term == posenc::ShawTerm::query_and_key ? key(h, s)[c] : 0.0)) * r[c];
    }
    return sum;
  };
  if (numbers_of(term_numbers, "values") == nullptr) return;
  result.value_term = [this, vector](std::int64_t h, std::int64_t n, std::int64_t s, std::int64_t c) {
    const double* r = vector("values", value_width, h, n, s);
    return r == nullptr ? 0.0 : r[c];
  };
}
