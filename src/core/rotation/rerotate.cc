#include "posenc/rerotate.h"

#include <array>
#include <string>

#include "core/base/float_types.h"
#include "core/base/refuse.h"
#include "core/kernels/sin_cos_row.h"
#include "core/rotation/rotate_checks.h"
#include "core/rotation/rotate_tokens.h"
#include "core/rows/rotary_rows.h"
#include "posenc/error.h"

namespace posenc {
namespace {

using rotation::RowScratch;

bool is_negative(const RotarySchedule& schedule) { return schedule.layout == Layout::half_negative; }

// Computes the row that moves a token from one placement to the other. Consecutive tokens that move by the same
// distance share a row.
class MovedRows : public rotation::MadeRows {
 public:
  using Own = MovedRows;  // each thread has its own, because it remembers the last distance

  MovedRows(const Placement& from, const Placement& to)
      : from_(from),
        to_(to),
        factor_(to.angles.schedule().table_factor() / from.angles.schedule().table_factor()),
        by_distance_(&from.angles.rows() == &to.angles.rows() && from.angles.schedule().precision == Precision::exact &&
                     from.positions.integral() && to.positions.integral()) {}

  template <class Real>
  const Real* row(std::int64_t b, std::int64_t n, RowScratch<Real>& scratch) {
    if (!by_distance_ || moves_otherwise(b, n)) fill(b, n, scratch);
    return scratch.values;
  }

 private:
  static std::int64_t row_of(const PositionView& positions, std::int64_t b) { return positions.batch == 1 ? 0 : b; }

  // Returns whether the distance differs from that of the token before, and remembers it.
  bool moves_otherwise(std::int64_t b, std::int64_t n) {
    bool other = !known_;
    for (std::int64_t a = 0; a < from_.positions.axes; ++a) {
      const std::int64_t distance = to_.positions.integer(row_of(to_.positions, b), n, a) -
                                    from_.positions.integer(row_of(from_.positions, b), n, a);
      std::int64_t& kept = distances_[static_cast<std::size_t>(a)];
      other = other || kept != distance;
      kept = distance;
    }
    known_ = true;
    return other;
  }

  // Subtracts the old angle from the new one, each with the sign of its layout, as phases: their difference is exact.
  template <class Real>
  void fill(std::int64_t b, std::int64_t n, RowScratch<Real>& scratch) const {
    constexpr std::size_t kPairs = spec::kMaxHeadDim / 2;
    std::array<std::uint64_t, kPairs> before;
    std::array<std::uint64_t, kPairs> after;
    from_.angles.rows().phases(from_.positions, row_of(from_.positions, b), n, before.data());
    to_.angles.rows().phases(to_.positions, row_of(to_.positions, b), n, after.data());
    const std::int64_t pairs = from_.angles.schedule().pairs();
    for (std::size_t i = 0; i < static_cast<std::size_t>(pairs); ++i) {
      const std::uint64_t old_angle = is_negative(from_.angles.schedule()) ? 0 - before[i] : before[i];
      const std::uint64_t new_angle = is_negative(to_.angles.schedule()) ? 0 - after[i] : after[i];
      after[i] = new_angle - old_angle;
    }
    kernels::sin_cos_row(after.data(), pairs, factor_, scratch.values + pairs, scratch.values);
  }

  const Placement& from_;
  const Placement& to_;
  double factor_;
  bool by_distance_;
  bool known_ = false;
  std::array<std::int64_t, 8> distances_{};
};

void check_pairing(const RotarySchedule& from, const RotarySchedule& to) {
  if (!is_rotation(from.layout) || !is_rotation(to.layout)) {
    fail(ErrorKind::unsupported, "[rerotate] the layout is not a rotation, so it has no inverse");
  }
  const bool same = from.head_dim == to.head_dim && from.rotary_dim == to.rotary_dim &&
                    from.first_channel == to.first_channel && rotation::parts_of(from) == rotation::parts_of(to) &&
                    rotation::written_pairing(from.layout) == rotation::written_pairing(to.layout);
  if (same) return;
  base::refuse("rerotate",
               "both encodings must rotate the same pairs of channels, but their heads, windows or layouts differ");
}

// Whether two schedules have the same numbers, regardless of the specs and lengths they were made from.
bool is_same_encoding(const RotarySchedule& a, const RotarySchedule& b) {
  return a.inv_freq == b.inv_freq && a.table_factor() == b.table_factor() && is_negative(a) == is_negative(b) &&
         a.precision == b.precision;
}

bool is_same_range(const PositionView& a, const PositionView& b) {
  const bool ranges = a.source == PositionView::Source::range && b.source == PositionView::Source::range;
  if (ranges) return a.start == b.start && a.step == b.step;
  return a.source == b.source && a.data == b.data && a.token_stride == b.token_stride && a.batch == b.batch &&
         a.batch_stride == b.batch_stride && a.axis_stride == b.axis_stride;
}

// Whether nothing would move: keys are then left unchanged, instead of being rounded again.
bool is_same_place(const Placement& from, const Placement& to) {
  return is_same_encoding(from.angles.schedule(), to.angles.schedule()) && is_same_range(from.positions, to.positions);
}

void move(const rotation::HeadViews& views, const Placement& from, const Placement& to, const RotateOptions& options) {
  const RotarySchedule& schedule = from.angles.schedule();
  check_pairing(schedule, to.angles.schedule());
  rotation::check_heads(views, schedule.head_dim, "rerotate");
  rotation::check_head_positions(views, from.positions, from.angles, "rerotate");
  rotation::check_head_positions(views, to.positions, to.angles, "rerotate");
  rotation::check_scale(views, options.output_scale, "rerotate");
  if (is_same_place(from, to) && views.in.data == views.out.data && options.output_scale == 1.0) return;
  const rotation::TurnedHeads heads{views, options.output_scale, options.output_scale};
  const rotation::TurnRule rule{rotation::written_pairing(schedule.layout), rotation::parts_of(schedule), false, false};
  const bool by_batch = from.positions.batch != 1 || to.positions.batch != 1;
  rotation::turn_tokens({{&heads, 1}, rule, schedule, by_batch, options.workers}, MovedRows(from, to));
}

}  // namespace

void rerotate(const View& x, const Placement& from, const Placement& to, const RotateOptions& options) {
  move({x, x, "x", "x"}, from, to, options);
}

void rerotate(const ConstView& x, const Placement& from, const Placement& to, const View& out,
              const RotateOptions& options) {
  move({x, out}, from, to, options);
}

}  // namespace posenc
