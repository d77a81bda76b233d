// Rotation of heads in place. The limit is an in-place multiply over the same bytes with the same workers; the peer is
// a plain loop over a table.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "bench/answers.h"
#include "bench/cases.h"
#include "bench/limits/multiply.h"
#include "bench/memory.h"
#include "posenc/random.h"
#include "posenc/reference.h"
#include "posenc/rerotate.h"
#include "posenc/rotate.h"

namespace posenc::bench {
namespace {

enum class Way { table, direct, move };

struct RotateCase {
  std::string name;
  std::int64_t tokens;
  Layout layout = Layout::half;
  DType dtype = DType::f32;
  Way way = Way::table;
  std::int64_t heads = 32;
  std::int64_t head_dim = 128;
  std::int64_t part = 1;  // 4: rotate the first quarter of every head
  int workers = 1;
  std::int64_t calls = 1;  // in one timed run

  std::int64_t rotary_dim() const { return head_dim / part; }
};

// The data of a case, shared by its functions.
struct RotateWork {
  RotateCase one;
  Rotary spec;
  std::unique_ptr<RotaryTable> table;
  std::vector<std::int64_t> ids;  // shuffled; for a direct case
  std::unique_ptr<Workers> workers;
  AlignedMemory x;

  std::int64_t row_bytes() const { return one.heads * one.head_dim * size_of(one.dtype); }
  std::int64_t bytes() const { return one.tokens * row_bytes(); }
  View view() const { return make_view(x.get(), one.dtype, {one.tokens, one.heads, one.head_dim}); }

  PositionView positions() const {
    if (one.way == Way::direct) return PositionView::of(ids.data(), one.tokens);
    return PositionView::range(one.calls > 1 ? 77 : 0, one.tokens);
  }

  void rotate_times(std::int64_t calls) const {
    const RotateOptions options{.workers = workers.get()};
    const View heads = view();
    const PositionView at = positions();
    for (std::int64_t i = 0; i < calls; ++i) {
      if (one.way == Way::table) rotate(heads, at, *table, options);
      if (one.way == Way::direct) rotate(heads, at, table->angles(), options);
      if (one.way == Way::move) {
        const Placement from{table->angles(), PositionView::range(1000, one.tokens)};
        rerotate(heads, from, {table->angles(), at}, options);
      }
    }
    keep(x.get());
  }

  // If the window is the whole head, heads are one contiguous run of bytes.
  void multiply() const {
    const bool whole = one.part == 1;
    const std::int64_t runs = whole ? one.tokens : one.tokens * one.heads;
    const std::int64_t stride = whole ? row_bytes() : one.head_dim * size_of(one.dtype);
    const std::int64_t touched = whole ? stride : one.rotary_dim() * size_of(one.dtype);
    const bool narrow = size_of(one.dtype) == 2;
    run_parts(workers.get(), one.workers, [&](std::int64_t part) {
      const std::int64_t begin = runs * part / one.workers;
      const std::int64_t end = runs * (part + 1) / one.workers;
      multiply_in_place(static_cast<char*>(x.get()) + begin * stride, end - begin, touched, stride, narrow);
    });
  }
};

std::shared_ptr<RotateWork> make_work(const RotateCase& one) {
  auto work = std::make_shared<RotateWork>();
  work->one = one;
  work->spec = {.head_dim = one.head_dim, .layout = one.layout, .rotary_dim = one.rotary_dim()};
  const DType dtype = one.dtype == DType::f64 ? DType::f64 : DType::f32;
  work->table = std::make_unique<RotaryTable>(work->spec, std::max<std::int64_t>(one.tokens, 128), dtype);
  std::uint64_t state = 1;
  for (std::int64_t n = 0; n < one.tokens; ++n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    work->ids.push_back(static_cast<std::int64_t>(state >> 44));
  }
  if (one.workers > 1) work->workers = std::make_unique<Workers>(one.workers);
  work->x = aligned_memory(work->bytes());
  return work;
}

// Half an ulp of a value up to about 4, plus the error of the arithmetic.
double tolerance(DType dtype) {
  if (dtype == DType::f64) return 1e-12;
  if (dtype == DType::f32) return 4e-6;
  return dtype == DType::f16 ? 4e-3 : 4e-2;
}

// Returns by how many positions token n is rotated: its position, less its old position 1000 + n for rerotate.
double turned_by(const RotateWork& work, std::int64_t n) {
  return work.positions().real(0, n) - (work.one.way == Way::move ? 1000.0 + static_cast<double>(n) : 0.0);
}

std::string check(const RotateWork& work) {
  const std::int64_t tokens = work.one.tokens;
  const std::int64_t width = work.one.head_dim;
  fill_random(make_view(work.x.get(), work.one.dtype, {tokens, work.one.heads * width}), {.std = 1.0, .seed = 1});
  std::vector<double> before(static_cast<std::size_t>(tokens * work.one.heads * width));
  for (std::size_t i = 0; i < before.size(); ++i) before[i] = value_at(work.view(), static_cast<std::int64_t>(i));
  work.rotate_times(1);
  Answers answers(work.one.name);
  for (std::int64_t i = 0; i < 64; ++i) {
    const std::int64_t n = i * (tokens - 1) / 63;
    const std::int64_t head = i % work.one.heads;
    std::vector<double> expected(static_cast<std::size_t>(width));
    const double position = turned_by(work, n);
    reference::rotate_head(work.spec, {&position, 1}, before.data() + (n * work.one.heads + head) * width,
                           expected.data());
    for (std::int64_t c = 0; c < width; ++c) {
      answers.expect(value_at(work.view()[n][head], c), expected[static_cast<std::size_t>(c)],
                     tolerance(work.one.dtype), " token ", n, " head ", head, " channel ", c);
    }
  }
  return answers.text("64 heads");
}

// A typical loop: half layout, float32, over a table.
void plain_loop(const RotateWork& work) {
  const std::int64_t n = work.one.head_dim / 2;
  for (std::int64_t call = 0; call < work.one.calls; ++call) {
    for (std::int64_t token = 0; token < work.one.tokens; ++token) {
      const float* cos = work.table->view()[token].as<float>();
      for (std::int64_t head = 0; head < work.one.heads; ++head) {
        float* x = work.view()[token][head].as<float>();
        for (std::int64_t i = 0; i < n; ++i) {
          const float a = x[i], b = x[n + i];
          x[i] = a * cos[i] - b * cos[n + i];
          x[n + i] = b * cos[i] + a * cos[n + i];
        }
      }
    }
  }
  keep(work.x.get());
}

Prepared prepare(const RotateCase& one) {
  const std::shared_ptr<RotateWork> work = make_work(one);
  std::vector<Peer> peers;
  if (one.way == Way::direct) {
    peers.push_back({.name = "the table path", .run = [work] {
                       rotate(work->view(), PositionView::range(0, work->one.tokens), *work->table);
                       keep(work->x.get());
                     }});
  } else if (one.layout == Layout::half && one.dtype == DType::f32 && one.part == 1 && one.workers == 1 &&
             one.way == Way::table) {
    peers.push_back({.name = "plain loop", .run = [work] { plain_loop(*work); }});
  }
  return {.check = [work] { return check(*work); },
          .run = [work] { work->rotate_times(work->one.calls); },
          .limit =
              [work] {
                for (std::int64_t i = 0; i < work->one.calls; ++i) work->multiply();
              },
          .limit_name = "multiply",
          .peers = peers,
          .bytes = work->bytes() / one.part,
          .calls = one.calls};
}

}  // namespace

std::vector<Case> rotate_cases() {
  const std::vector<RotateCase> list = {
      {.name = "rotate/half/f32/512", .tokens = 512},
      {.name = "rotate/half/f32/4096", .tokens = 4096},
      {.name = "rotate/interleaved/f32/512", .tokens = 512, .layout = Layout::interleaved},
      {.name = "rotate/interleaved/f32/4096", .tokens = 4096, .layout = Layout::interleaved},
      {.name = "rotate/half/f16/512", .tokens = 512, .dtype = DType::f16},
      {.name = "rotate/half/f16/4096", .tokens = 4096, .dtype = DType::f16},
      {.name = "rotate/half/bf16/512", .tokens = 512, .dtype = DType::bf16},
      {.name = "rotate/half/bf16/4096", .tokens = 4096, .dtype = DType::bf16},
      {.name = "rotate/half/f64/512", .tokens = 512, .dtype = DType::f64},
      {.name = "rotate/half/f64/2048", .tokens = 2048, .dtype = DType::f64},
      {.name = "rotate/half256/f32/4096", .tokens = 4096, .heads = 16, .head_dim = 256},
      {.name = "rotate/interleaved_to_half/f32/512", .tokens = 512, .layout = Layout::interleaved_to_half},
      {.name = "rotate/partial25/f32/512", .tokens = 512, .part = 4},
      {.name = "rotate/decode/f32", .tokens = 1, .heads = 8, .calls = 1000},
      {.name = "rotate/half/f32/512/workers2", .tokens = 512, .workers = 2},
      {.name = "rotate/direct/f32/512", .tokens = 512, .way = Way::direct},
      {.name = "rerotate/half/f32/512", .tokens = 512, .way = Way::move},
  };
  std::vector<Case> cases;
  for (const RotateCase& one : list) cases.push_back({one.name, [one] { return prepare(one); }});
  return cases;
}

}  // namespace posenc::bench
