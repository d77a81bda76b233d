// Tables of the sinusoidal encoding, width 512. The limit is memset of the same bytes in the same memory; the peer is a
// plain loop with std::sin and std::cos in double.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>

#include "bench/answers.h"
#include "bench/cases.h"
#include "bench/memory.h"
#include "posenc/error.h"
#include "posenc/half.h"
#include "posenc/reference.h"
#include "posenc/table.h"

namespace posenc::bench {
namespace {

constexpr std::int64_t kTableWidth = 512;
constexpr std::int64_t kCheckedRows = 64;
constexpr std::int64_t kPeerRows = 8192;   // the peer computes at most about this many rows
constexpr std::int64_t kStreamBlock = 64;  // rows

// The data of a case, shared by its functions.
struct TableWork {
  std::string name;
  Sinusoidal spec;
  SinusoidalSchedule schedule;
  Positions positions;
  AlignedMemory memory;
  View out;  // [N, M], or [kStreamBlock, M] for a stream

  std::size_t out_bytes() const { return static_cast<std::size_t>(out.size() * size_of(out.dtype)); }
};

struct TableCase {
  std::string name;
  Order order;
  DType dtype;
  std::function<Positions()> positions;
};

std::shared_ptr<TableWork> make_work(const TableCase& one, std::int64_t block_rows) {
  auto work = std::make_shared<TableWork>();
  work->name = one.name;
  work->spec.width = kTableWidth;
  work->spec.order = one.order;
  work->schedule = make_schedule(work->spec);
  work->positions = one.positions();
  const std::int64_t rows = block_rows > 0 ? block_rows : work->positions.count();
  const std::int64_t bytes = rows * kTableWidth * size_of(one.dtype);
  work->memory = aligned_memory(bytes);
  work->out = make_view(work->memory.get(), one.dtype, {rows, kTableWidth});
  return work;
}

// Half the distance between neighbouring numbers below 1, plus the error of the reference's angle.
double tolerance(DType dtype, double position) {
  const double angle_error = 1e-9 + std::abs(position) * 1e-15;
  if (dtype == DType::f32) return 0x1p-25 + angle_error;
  if (dtype == DType::f64) return angle_error;
  return (dtype == DType::f16 ? 0x1p-12 : 0x1p-9) + angle_error;
}

// Throws unless `row` agrees with the reference for token n.
void check_row(const TableWork& work, const View& row, std::int64_t n, Answers& answers) {
  const double position = work.positions.view().real(0, n);
  std::vector<double> expected(static_cast<std::size_t>(kTableWidth));
  reference::sinusoidal_row(work.spec, position, expected.data());
  for (std::int64_t column = 0; column < kTableWidth; ++column) {
    answers.expect(value_at(row, column), expected[static_cast<std::size_t>(column)], tolerance(row.dtype, position),
                   " row ", n, " column ", column);
  }
}

std::string checked_text(const Answers& answers) { return answers.text(std::to_string(kCheckedRows) + " rows"); }

// Checks rows written by `fill`, which writes every `step`-th row.
std::string check_table(const TableWork& work, const std::function<void()>& fill, std::int64_t step) {
  // Invalid contents, so that a row that is never written cannot pass.
  std::memset(work.memory.get(), 0xff, work.out_bytes());
  fill();
  const std::int64_t count = work.positions.count();
  Answers answers(work.name);
  for (std::int64_t i = 0; i < kCheckedRows; ++i) {
    const std::int64_t n = i * (count - 1) / (kCheckedRows - 1) / step * step;
    check_row(work, work.out[n], n, answers);
  }
  return checked_text(answers);
}

std::string check_stream(const TableWork& work) {
  RowStream stream(work.schedule, work.positions);
  const std::int64_t every = work.positions.count() / kCheckedRows;
  Answers answers(work.name);
  std::int64_t done = 0;
  while (const std::int64_t rows = stream.next(work.out)) {
    // A different row of the block each time, including the last one.
    const std::int64_t in_block = (done / every * 5 + rows - 1) % rows;
    if (done % every == 0) check_row(work, work.out[in_block], done + in_block, answers);
    done += rows;
  }
  if (done != work.positions.count()) {
    fail(ErrorKind::bad_input, "[bench] " + work.name + " must give " + std::to_string(work.positions.count()) +
                                   " rows but got " + std::to_string(done));
  }
  return checked_text(answers);
}

template <class T>
T from_double(double value) {
  if constexpr (std::is_same_v<T, f16>) return to_f16(value);
  if constexpr (std::is_same_v<T, bf16>) return to_bf16(value);
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(value);
}

// Writes every `step`-th row, cycling through the rows of `out`.
template <class T>
void libm_rows(const TableWork& work, std::int64_t step) {
  const SinusoidalSchedule& schedule = work.schedule;
  const PositionView positions = work.positions;
  for (std::int64_t n = 0; n < positions.count; n += step) {
    T* row = work.out.as<T>() + n % work.out.shape[0] * kTableWidth;
    const double position = positions.real(0, n);
    for (std::int64_t j = 0; j < schedule.sine.count; ++j) {
      const double angle = position * schedule.inv_freq[static_cast<std::size_t>(j)];
      row[schedule.sine.start + j * schedule.sine.stride] = from_double<T>(std::sin(angle));
      row[schedule.cosine.start + j * schedule.cosine.stride] = from_double<T>(std::cos(angle));
    }
  }
  keep(work.memory.get());
}

std::int64_t peer_step(const TableWork& work) { return std::max<std::int64_t>(1, work.positions.count() / kPeerRows); }

Peer libm_peer(const std::shared_ptr<TableWork>& work) {
  const std::int64_t count = work->positions.count();
  const std::int64_t step = peer_step(*work);
  const auto run = [work, step] {
    if (work->out.dtype == DType::f32) libm_rows<float>(*work, step);
    if (work->out.dtype == DType::f64) libm_rows<double>(*work, step);
    if (work->out.dtype == DType::f16) libm_rows<f16>(*work, step);
    if (work->out.dtype == DType::bf16) libm_rows<bf16>(*work, step);
  };
  if (step == 1) return {.name = "libm", .run = run};
  const std::int64_t rows = (count + step - 1) / step;
  return {.name = "libm",
          .run = run,
          .scale = static_cast<double>(count) / static_cast<double>(rows),
          .note = "timed on one row in " + std::to_string(step) + " and scaled up"};
}

Prepared prepare_table(const TableCase& one) {
  const std::shared_ptr<TableWork> work = make_work(one, 0);
  const Peer libm = libm_peer(work);
  const auto run = [work] { fill_table(work->schedule, work->positions, work->out); };
  return {.check =
              [work, libm, run] {
                check_table(*work, libm.run, peer_step(*work));  // the peer must be right too
                return check_table(*work, run, 1);
              },
          .run = run,
          .limit =
              [work] {
                std::memset(work->memory.get(), 0, work->out_bytes());
                keep(work->memory.get());
              },
          .limit_name = "memset",
          .peers = {libm},
          .bytes = static_cast<std::int64_t>(work->out_bytes())};
}

Prepared prepare_stream(const TableCase& one) {
  const std::shared_ptr<TableWork> work = make_work(one, kStreamBlock);
  const std::int64_t blocks = work->positions.count() / kStreamBlock;
  return {.check = [work] { return check_stream(*work); },
          .run =
              [work] {
                RowStream stream(work->schedule, work->positions);
                while (stream.next(work->out) > 0) keep(work->memory.get());
              },
          .limit =
              [work, blocks] {
                for (std::int64_t block = 0; block < blocks; ++block) {
                  std::memset(work->memory.get(), 0, work->out_bytes());
                  keep(work->memory.get());
                }
              },
          .limit_name = "memset",
          .peers = {libm_peer(work)},
          .bytes = static_cast<std::int64_t>(work->out_bytes()) * blocks};
}

std::function<Positions()> range(std::int64_t count) {
  return [count] { return Positions::range(0, count); };
}

// Shuffled ids below 2^20, the same in every run.
std::vector<std::int64_t> scattered(std::int64_t count) {
  std::vector<std::int64_t> ids;
  std::uint64_t state = 1;
  for (std::int64_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    ids.push_back(static_cast<std::int64_t>(state >> 44));
  }
  return ids;
}

Positions scattered_ids() { return Positions::integers(scattered(5000)); }

Positions scattered_reals() {
  std::vector<double> reals;
  for (const std::int64_t id : scattered(5000)) reals.push_back(static_cast<double>(id) / 64.0 + 0.1);
  return Positions::reals(std::move(reals));
}

}  // namespace

std::vector<Case> table_cases() {
  const std::vector<TableCase> tables = {
      {"table/f32/5000x512", Order::interleaved, DType::f32, range(5000)},
      {"table/f32/65536x512", Order::interleaved, DType::f32, range(65536)},
      {"table/halves/f32/5000x512", Order::halves, DType::f32, range(5000)},
      {"table/halves/f32/65536x512", Order::halves, DType::f32, range(65536)},
      {"table/f64/5000x512", Order::interleaved, DType::f64, range(5000)},
      {"table/f16/5000x512", Order::interleaved, DType::f16, range(5000)},
      {"table/bf16/5000x512", Order::interleaved, DType::bf16, range(5000)},
      {"table/ids/f32/5000x512", Order::interleaved, DType::f32, scattered_ids},
      {"table/real/f32/5000x512", Order::interleaved, DType::f32, scattered_reals},
  };
  std::vector<Case> cases;
  for (const TableCase& one : tables) cases.push_back({one.name, [one] { return prepare_table(one); }});
  const TableCase stream{"table/stream/f32/65536x512", Order::interleaved, DType::f32, range(65536)};
  cases.push_back({stream.name, [stream] { return prepare_stream(stream); }});
  return cases;
}

}  // namespace posenc::bench
