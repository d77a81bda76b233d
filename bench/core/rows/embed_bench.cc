// Positions added to embeddings [8, 2048, 1024] in place. The limit is an in-place sum of two arrays of that size; the
// peer is a plain loop over a table.

#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "bench/answers.h"
#include "bench/cases.h"
#include "bench/memory.h"
#include "posenc/embed.h"
#include "posenc/position_ids.h"
#include "posenc/random.h"
#include "posenc/reference.h"
#include "posenc/table.h"

namespace posenc::bench {
namespace {

constexpr std::int64_t kBatch = 8;
constexpr std::int64_t kTokens = 2048;
constexpr std::int64_t kWidth = 1024;
constexpr std::int64_t kSize = kBatch * kTokens * kWidth;

enum class From { table, stream, learned };

struct EmbedCase {
  std::string name;
  From from;
  DType dtype = DType::f32;
  double dropout = 0.0;
  bool ids = false;  // ids per row instead of a range: a left-padded batch
};

// The data of a case, shared by its functions.
struct EmbedWork {
  EmbedCase one;
  Sinusoidal spec{.width = kWidth};
  SinusoidalSchedule schedule;
  std::unique_ptr<Table> table;
  std::vector<std::byte> x;
  std::vector<std::byte> other;  // the second array of the limit
  std::vector<std::int64_t> ids;
  InputRows rows;
  EmbedOptions options;

  View view() { return make_view(static_cast<void*>(x.data()), one.dtype, {kBatch, kTokens, kWidth}); }
  PositionView positions() const {
    if (!one.ids) return PositionView::range(0, kTokens);
    return position_view(make_view(ids.data(), {kBatch, kTokens}));
  }
  void run() {
    add_positions(view(), positions(), rows, view(), options);
    keep(x.data());
  }
};

std::shared_ptr<EmbedWork> make_work(const EmbedCase& one) {
  auto work = std::make_shared<EmbedWork>();
  work->one = one;
  work->schedule = make_schedule(work->spec);
  work->table = std::make_unique<Table>(work->spec, PositionView::range(0, kTokens));
  work->x.resize(static_cast<std::size_t>(kSize * size_of(one.dtype)));
  work->other.resize(work->x.size());
  for (std::int64_t b = 0; b < kBatch; ++b) {
    const std::int64_t pads = b * 37;
    for (std::int64_t n = 0; n < kTokens; ++n) work->ids.push_back(n < pads ? 0 : n - pads);
  }
  work->rows = StreamedRows{&work->schedule};
  if (one.from == From::table) work->rows = work->table->rows_by_position();
  if (one.from == From::learned) work->rows = LearnedRows{{.past_end = PastEnd::error}, work->table->view()};
  work->options.dropout = {.p = one.dropout, .seed = 1, .step = 2};
  return work;
}

// Whether this element is dropped, by the definition in posenc/embed.h.
bool is_dropped(const EmbedWork& work, std::int64_t b, std::int64_t n, std::int64_t m) {
  const auto random = philox4x32(
      {static_cast<std::uint32_t>(m / 4), static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(b), 2}, {1, 0});
  return random[static_cast<std::size_t>(m % 4)] < work.one.dropout * 0x1p32;
}

// Adds to random embeddings and compares some rows with the reference.
std::string check(EmbedWork& work) {
  const View x = work.view();
  for (std::int64_t b = 0; b < kBatch; ++b) fill_random(x[b], {.std = 0.5, .seed = static_cast<std::uint64_t>(b)});
  const std::vector<std::byte> before = work.x;
  const ConstView old = make_view(static_cast<const void*>(before.data()), work.one.dtype, {kBatch, kTokens, kWidth});
  work.run();
  const double ulp = work.one.dtype == DType::f32 ? 0x1p-23 : 0x1p-7;  // of values to about 3
  std::vector<double> row(static_cast<std::size_t>(kWidth));
  Answers answers(work.one.name);
  for (std::int64_t i = 0; i < 64; ++i) {
    const std::int64_t b = i % kBatch, n = i * (kTokens - 1) / 63;
    reference::sinusoidal_row(work.spec, work.positions().real(work.one.ids ? b : 0, n), row.data());
    for (std::int64_t m = 0; m < kWidth; ++m) {
      double want = value_at(old[b][n], m) + row[static_cast<std::size_t>(m)];
      want = is_dropped(work, b, n, m) ? 0.0 : want / (1.0 - work.one.dropout);
      answers.expect(value_at(x[b][n], m), want, 4.0 * ulp, " element ", b, ", ", n, ", ", m);
    }
  }
  return answers.text("64 rows");
}

// The in-place sum of two arrays; 16-bit data as integers, because only the number of bytes matters.
template <class T>
void add_arrays(EmbedWork& work) {
  T* x = reinterpret_cast<T*>(work.x.data());
  const T* y = reinterpret_cast<const T*>(work.other.data());
  for (std::int64_t i = 0; i < kSize; ++i) x[i] = static_cast<T>(x[i] + y[i]);
  keep(work.x.data());
}

// The loop of a tutorial: x[b][n] += table[id].
void plain_loop(EmbedWork& work) {
  const PositionView positions = work.positions();
  for (std::int64_t b = 0; b < kBatch; ++b) {
    for (std::int64_t n = 0; n < kTokens; ++n) {
      const float* row = work.table->view()[positions.integer(work.one.ids ? b : 0, n)].as<float>();
      float* x = work.view()[b][n].as<float>();
      for (std::int64_t m = 0; m < kWidth; ++m) x[m] += row[m];
    }
  }
  keep(work.x.data());
}

Prepared prepare(const EmbedCase& one) {
  const std::shared_ptr<EmbedWork> work = make_work(one);
  std::vector<Peer> peers;
  if (one.dtype == DType::f32 && one.dropout == 0.0) {
    peers.push_back({.name = "plain loop", .run = [work] { plain_loop(*work); }});
  }
  return {.check = [work] { return check(*work); },
          .run = [work] { work->run(); },
          .limit =
              [work] {
                if (work->one.dtype == DType::f32) add_arrays<float>(*work);
                if (work->one.dtype == DType::bf16) add_arrays<std::uint16_t>(*work);
              },
          .limit_name = "add",
          .peers = peers,
          .bytes = static_cast<std::int64_t>(work->x.size())};
}

}  // namespace

std::vector<Case> embed_cases() {
  const std::vector<EmbedCase> list = {
      {.name = "embed/table/f32/8x2048x1024", .from = From::table},
      {.name = "embed/stream/f32/8x2048x1024", .from = From::stream},
      {.name = "embed/learned/f32/8x2048x1024", .from = From::learned},
      {.name = "embed/table-ids/f32/8x2048x1024", .from = From::table, .ids = true},
      {.name = "embed/stream-ids/f32/8x2048x1024", .from = From::stream, .ids = true},
      {.name = "embed/table-dropout/f32/8x2048x1024", .from = From::table, .dropout = 0.1},
      {.name = "embed/table/bf16/8x2048x1024", .from = From::table, .dtype = DType::bf16},
  };
  std::vector<Case> cases;
  for (const EmbedCase& one : list) cases.push_back({one.name, [one] { return prepare(one); }});
  return cases;
}

}  // namespace posenc::bench
