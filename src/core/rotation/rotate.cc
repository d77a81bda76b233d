#include "posenc/rotate.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/float_types.h"
#include "core/base/memory_overlap.h"
#include "core/base/refuse.h"
#include "core/rotation/rotate_checks.h"
#include "core/rotation/rotate_tokens.h"
#include "core/rotation/turn_channels.h"
#include "core/rows/rotary_rows.h"
#include "posenc/error.h"

namespace posenc {
namespace {

using kernels::Pairing;
using rotation::RowScratch;
using rotation::TurnedHeads;

enum class Direction { forward, inverse, backward };

// Finds the row of a token in the table, or computes it in the scratch memory.
struct SourceRows {
  using Own = const SourceRows&;  // constant while in use, so threads share it
  const PositionView& positions;
  const RotaryView& source;

  template <class Real>
  bool in_memory() const {
    return source.table() && source.table()->view().dtype == dtype_of<Real>() && positions.axes == 1;
  }

  // Finds the rows of tokens n, n + 1, ... of batch row b.
  template <class Real>
  void find(std::int64_t b, std::int64_t n, std::span<const Real*> rows) const {
    const ConstView& table = source.table()->view();
    const Real* data = table.as<Real>();
    if (positions.source == PositionView::Source::range) {
      data += (positions.start + n * positions.step - source.table()->start()) * table.strides[0];
      for (const Real*& row : rows) {
        row = data;
        data += positions.step * table.strides[0];
      }
      return;
    }
    for (const Real*& row : rows) row = data + index_of(b, n++, 0) * table.strides[0];
  }

  template <class Real>
  const Real* row(std::int64_t b, std::int64_t n, RowScratch<Real>& scratch) const {
    Real* cos = scratch.values;
    Real* sin = cos + source.schedule().pairs();
    if (source.table()) {
      gather(b, n, cos, sin);
    } else {
      source.angles().rows().at(positions, b, n, cos, sin);
    }
    return cos;
  }

  std::int64_t index_of(std::int64_t b, std::int64_t n, std::int64_t axis) const {
    const std::int64_t position =
        positions.integral() ? positions.integer(b, n, axis) : static_cast<std::int64_t>(positions.real(b, n, axis));
    return position - source.table()->start();
  }

  // Collects every pair from the row of its own axis, in the type of the arithmetic.
  template <class Real>
  void gather(std::int64_t b, std::int64_t n, Real* cos, Real* sin) const {
    const ConstView& table = source.table()->view();
    const std::int64_t pairs = source.schedule().pairs();
    for (const auto& run : source.angles().rows().own_axes().runs) {
      const ConstView row = table[index_of(b, n, run.axis)];
      for (std::int64_t i = run.first; i < run.first + run.count; ++i) {
        const bool wide = table.dtype == DType::f64;
        cos[i] = wide ? static_cast<Real>(row.as<double>()[i]) : static_cast<Real>(row.as<float>()[i]);
        sin[i] = wide ? static_cast<Real>(row.as<double>()[pairs + i]) : static_cast<Real>(row.as<float>()[pairs + i]);
      }
    }
  }
};

Pairing pairing_of(Layout layout, Direction direction) {
  if (layout != Layout::interleaved_to_half) return rotation::written_pairing(layout);
  return direction == Direction::forward ? Pairing::to_half : Pairing::to_interleaved;
}

// Rows of a table contain the factor once, and rotating back with them multiplies by it again. So the inverse divides
// by its square.
double window_factor(const RotarySchedule& schedule, Direction direction) {
  const double factor = schedule.table_factor();
  return direction == Direction::inverse ? 1.0 / (factor * factor) : 1.0;
}

struct Call {
  const PositionView& positions;
  const RotaryView& source;
  Direction direction;
  const Workers* workers;
  std::string_view where;
};

void check(const TurnedHeads& heads, const Call& call) {
  rotation::check_heads(heads.views, call.source.schedule().head_dim, call.where);
  rotation::check_head_positions(heads.views, call.positions, call.source, call.where);
  rotation::check_scale(heads.views, heads.scale, call.where);
  rotation::check_scale(heads.views, heads.window_scale, call.where);
  base::Refusal{call.where, ErrorKind::unsupported}.unless(
      call.direction != Direction::inverse || is_rotation(call.source.schedule().layout),
      "the layout is not a rotation, so it has no inverse");
}

rotation::TurnRule rule_of(const RotarySchedule& schedule, Direction direction) {
  const bool back = direction != Direction::forward;
  return {pairing_of(schedule.layout, direction), rotation::parts_of(schedule),
          (schedule.layout == Layout::half_negative) != back, schedule.precision == Precision::reference};
}

// The general form for layouts that are not rotations. Tables have no rows for them, so they use angles.
void run_channels(std::span<const TurnedHeads> views, const Call& call) {
  for (const TurnedHeads& heads : views) {
    rotation::turn_channels({heads.views, call.positions, call.source.angles().rows(),
                             call.direction == Direction::backward, heads.scale, call.workers});
  }
}

void run(std::span<const TurnedHeads> views, const Call& call) {
  const RotarySchedule& schedule = call.source.schedule();
  if (!is_rotation(schedule.layout)) return run_channels(views, call);
  const rotation::TurnRule rule = rule_of(schedule, call.direction);
  const SourceRows rows{call.positions, call.source};
  rotation::turn_tokens({views, rule, schedule, call.positions.batch != 1, call.workers}, rows);
}

// Whether a call is plain: a table that no other code can write to, one axis, no factor on the heads, one thread, and
// positions shared by the batch that are a range inside the table or contiguous integers.
[[gnu::always_inline]] inline bool is_plain(const Call& call) {
  const RotaryTable* table = call.source.table();
  if (!table || !table->owns_memory() || (call.workers && call.workers->count() > 1)) return false;
  const RotarySchedule& schedule = call.source.schedule();
  if (schedule.axes != 1 || (schedule.attention_factor != 1.0 && schedule.attention_factor_in != FactorIn::softmax)) {
    return false;
  }
  const PositionView& p = call.positions;
  if (p.batch != 1 || p.axes != 1 || p.count <= 0) return false;
  if (p.source != PositionView::Source::range) return p.integral() && p.data && p.token_stride == 1;
  return p.step == 1 && p.count <= table->count() && p.start >= table->start() &&
         p.start - table->start() <= table->count() - p.count;
}

// Whether the ids of a plain call are all in the table, and not in the memory that will be written.
bool are_plain_ids(const PositionView& ids, const RotaryTable& table, const void* x, std::int64_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(x);
  const auto first = reinterpret_cast<std::uintptr_t>(ids.data);
  const std::int64_t size = ids.source == PositionView::Source::i32 ? 4 : 8;
  const bool meet = first < begin + static_cast<std::uintptr_t>(bytes) &&
                    begin < first + static_cast<std::uintptr_t>(ids.count * size);
  return !meet && rotation::fits_table(ids, table.start(), table.count());
}

// Whether the heads of a plain call are contiguous and fit its positions and table. Then no check can fail, so all are
// skipped: for one token they would take as long as the rotation.
[[gnu::always_inline]] inline bool is_plain(const View& x, const Call& call) {
  if ((x.rank != 3 && x.rank != 4) || !x.data || !base::is_float(x.dtype)) return false;
  const std::size_t axis = x.rank == 4 ? 1 : 0;  // of the tokens
  if (axis == 1 && x.shape[0] != 1) return false;
  const RotaryTable& table = *call.source.table();
  std::int64_t token = 0, all = 0;  // elements
  return x.shape[axis] == call.positions.count && x.shape[axis + 1] > 0 &&
         x.shape[axis + 2] == call.source.schedule().head_dim && x.strides[axis + 2] == 1 &&
         x.strides[axis + 1] == x.shape[axis + 2] &&
         !__builtin_mul_overflow(x.shape[axis + 1], x.shape[axis + 2], &token) && x.strides[axis] == token &&
         !__builtin_mul_overflow(x.shape[axis], token, &all) && all <= INT64_MAX / 8 &&
         (x.dtype == DType::f64) == (table.view().dtype == DType::f64) &&
         (call.positions.source == PositionView::Source::range ||
          are_plain_ids(call.positions, table, x.data, all * size_of(x.dtype)));
}

template <class T>
void run_plain_of(const View& x, const Call& call) {
  using Real = rotation::Arithmetic<T>;
  const RotarySchedule& schedule = call.source.schedule();
  const rotation::TurnRule rule = rule_of(schedule, call.direction);
  const SourceRows source{call.positions, call.source};
  const Real* rows[rotation::kRowsAtOnce];
  T* data = x.as<T>() + schedule.first_channel;
  const std::int64_t tokens = call.positions.count;
  const auto rank = static_cast<std::size_t>(x.rank);
  const std::int64_t token = x.strides[rank - 3], heads = x.shape[rank - 2], head = x.shape[rank - 1];
  const bool near = tokens * token * static_cast<std::int64_t>(sizeof(T)) <= rotation::kCacheBytes;
  kernels::Heads<T, Real> work{.in = data,
                               .out = data,
                               .tokens = 0,
                               .in_token = token,
                               .out_token = token,
                               .heads = heads,
                               .in_head = head,
                               .out_head = head,
                               .rows = rows,
                               .pairs = schedule.pairs(),
                               .parts = 1,
                               .pairing = rule.pairing,
                               .negative = rule.negative,
                               .stepwise = rule.stepwise,
                               .near = near,
                               .scale = Real(1)};
  for (std::int64_t n = 0; n < tokens; n += work.tokens) {
    work.tokens = std::min(rotation::kRowsAtOnce, tokens - n);
    source.find(0, n, std::span(rows, static_cast<std::size_t>(work.tokens)));
    work.in = work.out = data + n * token;
    kernels::rotate_heads(work);
  }
}

[[gnu::always_inline]] inline void run_plain(const View& x, const Call& call) {
  base::with_float_type(x.dtype, [&](auto type) { run_plain_of<decltype(type)>(x, call); });
}

void run_one(const rotation::HeadViews& views, const RotateOptions& options, const Call& call) {
  const double factor = window_factor(call.source.schedule(), call.direction);
  const TurnedHeads heads{views, options.output_scale * factor, options.output_scale};
  check(heads, call);
  run({&heads, 1}, call);
}

void run_in_place(const View& x, const RotateOptions& options, const Call& call) {
  if (options.output_scale == 1.0 && is_plain(call) && is_plain(x, call)) return run_plain(x, call);
  const std::string_view name = call.direction == Direction::backward ? "gradient" : "x";
  run_one({x, x, name, name}, options, call);
}

void check_both(const std::array<TurnedHeads, 2>& both, const Call& call) {
  for (const TurnedHeads& heads : both) check(heads, call);
  const ConstView& query = both[0].views.in;
  const ConstView& key = both[1].views.in;
  const rotation::HeadGrid a = rotation::grid_of_heads(query);
  const rotation::HeadGrid b = rotation::grid_of_heads(key);
  if (query.dtype != key.dtype || a.batch != b.batch) {
    base::refuse(call.where, "key must have the batch, tokens and dtype of the query, ", shape_text(query), " ",
                 to_text(query.dtype), ", but is ", shape_text(key), " ", to_text(key.dtype));
  }
  const base::NamedView query_out{both[0].views.out_name, both[0].views.out};
  const base::NamedView key_out{both[1].views.out_name, both[1].views.out};
  base::check_apart(query_out, key_out, call.where);
  base::check_apart(query_out, {"key", key}, call.where);
  base::check_apart(key_out, {"query", query}, call.where);
}

void run_both(const ConstQueryKey& in, const QueryKey& out, const QueryKeyOptions& options, const Call& call) {
  const double query_scale = options.query_scale * call.source.schedule().query_factor();
  const rotation::HeadViews query{in.query, out.query, "query", "the output of the query"};
  const rotation::HeadViews key{in.key, out.key, "key", "the output of the key"};
  const std::array<TurnedHeads, 2> both = {TurnedHeads{query, query_scale, query_scale},
                                           TurnedHeads{key, options.key_scale, options.key_scale}};
  check_both(both, call);
  run(both, call);
}

void run_both_in_place(const QueryKey& x, const QueryKeyOptions& options, const Call& call) {
  if (options.query_scale == 1.0 && options.key_scale == 1.0 && is_plain(call) && is_plain(x.query, call) &&
      is_plain(x.key, call) && x.query.dtype == x.key.dtype && !base::share_memory(x.query, x.key)) {
    run_plain(x.query, call);
    return run_plain(x.key, call);
  }
  run_both({x.query, x.key}, x, options, call);
}

}  // namespace

void rotate(const View& x, const PositionView& positions, const RotaryView& source, const RotateOptions& options) {
  run_in_place(x, options, {positions, source, Direction::forward, options.workers, "rotate"});
}
void rotate(const ConstView& x, const PositionView& positions, const RotaryView& source, const View& out,
            const RotateOptions& options) {
  run_one({x, out}, options, {positions, source, Direction::forward, options.workers, "rotate"});
}

void rotate_inverse(const View& x, const PositionView& positions, const RotaryView& source,
                    const RotateOptions& options) {
  run_in_place(x, options, {positions, source, Direction::inverse, options.workers, "rotate_inverse"});
}
void rotate_inverse(const ConstView& x, const PositionView& positions, const RotaryView& source, const View& out,
                    const RotateOptions& options) {
  run_one({x, out}, options, {positions, source, Direction::inverse, options.workers, "rotate_inverse"});
}

void rotate_backward(const View& gradient, const PositionView& positions, const RotaryView& source,
                     const RotateOptions& options) {
  run_in_place(gradient, options, {positions, source, Direction::backward, options.workers, "rotate_backward"});
}
void rotate_backward(const ConstView& grad_out, const PositionView& positions, const RotaryView& source,
                     const View& grad_in, const RotateOptions& options) {
  run_one({grad_out, grad_in, "grad_out", "grad_in"}, options,
          {positions, source, Direction::backward, options.workers, "rotate_backward"});
}

void rotate_qk(const QueryKey& x, const PositionView& positions, const RotaryView& source,
               const QueryKeyOptions& options) {
  run_both_in_place(x, options, {positions, source, Direction::forward, options.workers, "rotate_qk"});
}
void rotate_qk(const ConstQueryKey& x, const PositionView& positions, const RotaryView& source, const QueryKey& out,
               const QueryKeyOptions& options) {
  run_both(x, out, options, {positions, source, Direction::forward, options.workers, "rotate_qk"});
}
void rotate_qk_backward(const QueryKey& gradient, const PositionView& positions, const RotaryView& source,
                        const QueryKeyOptions& options) {
  run_both_in_place(gradient, options, {positions, source, Direction::backward, options.workers, "rotate_qk_backward"});
}

}  // namespace posenc
