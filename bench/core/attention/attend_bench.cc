// Attention on one thread. The limit is the time of its multiply-adds at the machine's peak, without pairs that a mask
// hides; for a single query, an in-place multiply over all keys and values. The peer is a plain loop that keeps every
// score of a query in one row.

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "bench/answers.h"
#include "bench/cases.h"
#include "bench/limits/fma.h"
#include "bench/limits/multiply.h"
#include "bench/memory.h"
#include "posenc/attend.h"
#include "posenc/random.h"
#include "posenc/reference.h"

namespace posenc::bench {
namespace {

struct AttendCase {
  std::string name;
  std::int64_t queries = 1024;
  std::int64_t keys = 1024;
  bool causal = true;
  bool alibi = false;
  bool t5 = false;
  bool backward = false;
  std::int64_t heads = 8;
  std::int64_t head_dim = 64;

  double pairs() const {
    const auto n = static_cast<double>(queries);
    const auto s = static_cast<double>(keys);
    return causal ? n * s - n * (n - 1.0) / 2.0 : n * s;
  }
  // Multiply-adds per channel: forward for the score and the output; backward for the score and the gradients of
  // weights, values, queries and keys. The forward pass inside attend_backward is not counted, because it could be
  // avoided.
  double flops() const { return 2.0 * (backward ? 5.0 : 2.0) * pairs() * static_cast<double>(heads * head_dim); }
};

struct Work {
  AttendCase one;
  AlignedMemory q, k, v, out, grad_q, grad_k, grad_v;
  Spec spec = NoPosition{};
  std::unique_ptr<Bias> bias;  // made from the spec
  std::vector<float> table;

  View heads(const AlignedMemory& memory, std::int64_t tokens) const {
    return make_view(memory.get(), DType::f32, {tokens, one.heads, one.head_dim});
  }
  AttendOptions options() const {
    return {.bias = bias.get(), .mask = {.causal = one.causal ? Causal::end : Causal::none}};
  }
  void run() const {
    if (one.backward) {
      attend_backward({heads(q, one.queries), heads(k, one.keys), heads(v, one.keys), heads(out, one.queries)},
                      {.q = heads(grad_q, one.queries), .k = heads(grad_k, one.keys), .v = heads(grad_v, one.keys)},
                      options());
      keep(grad_q.get());
      return;
    }
    attend(heads(q, one.queries), heads(k, one.keys), heads(v, one.keys), heads(out, one.queries), options());
    keep(out.get());
  }
};

std::shared_ptr<Work> make_work(const AttendCase& one) {
  auto work = std::make_shared<Work>();
  work->one = one;
  const auto make = [&](std::int64_t tokens, unsigned seed) {
    AlignedMemory memory = aligned_memory(tokens * one.heads * one.head_dim * 4);
    fill_random(make_view(memory.get(), DType::f32, {tokens, one.heads * one.head_dim}), {.std = 1.0, .seed = seed});
    return memory;
  };
  work->q = make(one.queries, 1);
  work->k = make(one.keys, 2);
  work->v = make(one.keys, 3);
  work->out = make(one.queries, 4);
  if (one.backward) {
    work->grad_q = make(one.queries, 5);
    work->grad_k = make(one.keys, 6);
    work->grad_v = make(one.keys, 7);
  }
  if (one.alibi) {
    work->spec = Alibi{.heads = one.heads};
    work->bias = std::make_unique<Bias>(work->spec);
  }
  if (one.t5) {
    work->table.resize(static_cast<std::size_t>(32 * one.heads));
    const View table = make_view(work->table.data(), {32, one.heads});
    fill_random(table, {.std = 1.0, .seed = 8});
    work->spec = T5{.heads = one.heads, .direction = T5Direction::causal};
    work->bias = std::make_unique<Bias>(work->spec, Parameters{{"table", table}});
  }
  return work;
}

// The gradient of a value is the sum of the outputs' gradients, each times the value's weight in that output.
std::string check_backward(const Work& work) {
  const AttendCase& one = work.one;
  const AlignedMemory weights = aligned_memory(one.heads * one.queries * one.keys * 4);
  const AlignedMemory out = aligned_memory(one.queries * one.heads * one.head_dim * 4);
  AttendOptions options = work.options();
  options.weights = make_view(weights.get(), DType::f32, {one.heads, one.queries, one.keys});
  attend(work.heads(work.q, one.queries), work.heads(work.k, one.keys), work.heads(work.v, one.keys),
         work.heads(out, one.queries), options);
  Answers answers(one.name);
  for (std::int64_t i = 0; i < 16; ++i) {
    const std::int64_t s = i * (one.keys - 1) / 15;
    const std::int64_t h = i % one.heads;
    for (std::int64_t c = 0; c < one.head_dim; ++c) {
      double wanted = 0.0;
      for (std::int64_t n = 0; n < one.queries; ++n) {
        wanted += value_at(options.weights[h][n], s) * value_at(work.heads(work.out, one.queries)[n][h], c);
      }
      const double got = value_at(work.heads(work.grad_v, one.keys)[s][h], c);
      answers.expect(got, wanted, 1e-4, " value ", s, " head ", h, " channel ", c);
    }
  }
  return answers.text("gradients of 16 values", "the sum of weights");
}

// Compares some queries of the first and the last head with the reference.
std::string check(const Work& work) {
  const AttendCase& one = work.one;
  work.run();
  if (one.backward) return check_backward(work);
  const auto numbers = [&](const AlignedMemory& memory, std::int64_t tokens, std::int64_t head) {
    std::vector<double> result;
    for (std::int64_t n = 0; n < tokens; ++n) {
      for (std::int64_t c = 0; c < one.head_dim; ++c) {
        result.push_back(value_at(work.heads(memory, tokens)[n][head], c));
      }
    }
    return result;
  };
  const std::vector<double> table(work.table.begin(), work.table.end());
  const std::vector<reference::Numbers> parameters = {{"table", {32, one.heads}, table}};
  Answers answers(one.name);
  for (const std::int64_t head : {std::int64_t{0}, one.heads - 1}) {
    const std::vector<double> q = numbers(work.q, one.queries, head), k = numbers(work.k, one.keys, head),
                              v = numbers(work.v, one.keys, head), out = numbers(work.out, one.queries, head);
    for (std::int64_t i = 0; i < 8; ++i) {
      const std::int64_t n = i * (one.queries - 1) / 7;
      const std::int64_t position = n + one.keys - one.queries;
      reference::Attention problem{.queries = 1, .keys = one.keys, .width = one.head_dim, .value_width = one.head_dim};
      problem.softmax_scale = 1.0 / std::sqrt(static_cast<double>(one.head_dim));
      problem.sees = [&](std::int64_t, std::int64_t s) { return !one.causal || s <= position; };
      problem.bias = [&](std::int64_t, std::int64_t, std::int64_t s) {
        return reference::bias(work.spec, parameters, head, static_cast<double>(position), static_cast<double>(s));
      };
      std::vector<double> wanted(static_cast<std::size_t>(one.head_dim));
      reference::attend(problem, q.data() + n * one.head_dim, k.data(), v.data(), wanted.data());
      for (std::int64_t c = 0; c < one.head_dim; ++c) {
        answers.expect(out[static_cast<std::size_t>(n * one.head_dim + c)], wanted[static_cast<std::size_t>(c)], 1e-5,
                       " query ", n, " head ", head, " channel ", c);
      }
    }
  }
  return answers.text("16 queries");
}

// A plain float32 loop, optimised by the compiler only: one query after the other, with its scores in one row.
void plain_loop(const Work& work) {
  const AttendCase& one = work.one;
  const std::int64_t d = one.head_dim, pitch = one.heads * d;
  const auto *q = static_cast<const float*>(work.q.get()), *k = static_cast<const float*>(work.k.get()),
             *v = static_cast<const float*>(work.v.get());
  auto* out = static_cast<float*>(work.out.get());
  std::vector<float> scores(static_cast<std::size_t>(one.keys));
  const float scale = 1.0f / std::sqrt(static_cast<float>(d));
  for (std::int64_t h = 0; h < one.heads; ++h) {
    for (std::int64_t n = 0; n < one.queries; ++n) {
      const std::int64_t last = one.causal ? n + one.keys - one.queries + 1 : one.keys;
      float most = -INFINITY, total = 0.0f;
      for (std::int64_t s = 0; s < last; ++s) {
        float sum = 0.0f;
        for (std::int64_t c = 0; c < d; ++c) sum += q[n * pitch + h * d + c] * k[s * pitch + h * d + c];
        scores[static_cast<std::size_t>(s)] = sum * scale;
        most = std::max(most, sum * scale);
      }
      float* row = out + n * pitch + h * d;
      std::fill(row, row + d, 0.0f);
      for (std::int64_t s = 0; s < last; ++s) {
        const float weight = std::exp(scores[static_cast<std::size_t>(s)] - most);
        total += weight;
        for (std::int64_t c = 0; c < d; ++c) row[c] += weight * v[s * pitch + h * d + c];
      }
      for (std::int64_t c = 0; c < d; ++c) row[c] /= total;
    }
  }
  keep(out);
}

Prepared prepare(const AttendCase& one) {
  const std::shared_ptr<Work> work = make_work(one);
  std::vector<Peer> peers;
  if (!one.alibi && !one.t5 && !one.backward && one.queries > 1) {
    peers.push_back({.name = "plain loop", .run = [work] { plain_loop(*work); }});
  }
  Prepared prepared{.check = [work] { return check(*work); },
                    .run = [work] { work->run(); },
                    .limit = [work] { fused_multiply_adds(work->one.flops()); },
                    .limit_name = "FMA",
                    .peers = peers,
                    .bytes = one.queries * one.heads * one.head_dim * 4,
                    .flops = static_cast<std::int64_t>(one.flops())};
  if (one.queries > 1) return prepared;
  // A single query reads every key and value once and computes very little.
  prepared.limit_name = "multiply";
  prepared.bytes = 2 * one.keys * one.heads * one.head_dim * 4;
  prepared.flops = 0;
  prepared.limit = [work] {
    multiply_in_place(work->k.get(), 1, work->one.keys * work->one.heads * work->one.head_dim * 4, 0, false);
    multiply_in_place(work->v.get(), 1, work->one.keys * work->one.heads * work->one.head_dim * 4, 0, false);
  };
  return prepared;
}

}  // namespace

std::vector<Case> attend_cases() {
  const std::vector<AttendCase> list = {
      {.name = "attend/causal/f32/1024"},
      {.name = "attend/alibi/f32/1024", .alibi = true},
      {.name = "attend/t5/f32/1024", .t5 = true},
      {.name = "attend/full/f32/1024", .causal = false},
      {.name = "attend/decode/f32/4096", .queries = 1, .keys = 4096},
      {.name = "attend/backward/f32/512", .queries = 512, .keys = 512, .backward = true},
  };
  std::vector<Case> cases;
  for (const AttendCase& one : list) cases.push_back({one.name, [one] { return prepare(one); }});
  return cases;
}

}  // namespace posenc::bench
