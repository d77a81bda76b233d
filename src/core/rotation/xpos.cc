#include "posenc/xpos.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "core/base/float_types.h"
#include "core/base/refuse.h"
#include "core/rotation/rotate_checks.h"
#include "core/rotation/rotate_tokens.h"
#include "core/rows/rotary_rows.h"
#include "core/spec/query_kinds.h"
#include "core/text/number_text.h"

namespace posenc {
namespace {

using rotation::RowScratch;

// The direction of rotation, and the direction of the decay.
struct Side {
  bool back;
  double sign;  // of the exponent of zeta
  std::string_view where;
};

// Computes the row of a token: cosines and sines, each times the factor of its pair.
struct DecayedRows : rotation::MadeRows {
  using Own = const DecayedRows&;  // constant while in use, so threads share it
  const PositionView& positions;
  const XposAngles& angles;
  double sign;

  template <class Real>
  const Real* row(std::int64_t b, std::int64_t n, RowScratch<Real>& scratch) const {
    const XposSchedule& schedule = angles.schedule();
    const std::int64_t pairs = schedule.rotation.pairs();
    angles.angles().rows().at(positions, b, n, scratch.values, scratch.values + pairs);
    const double exponent = sign * (positions.real(b, n) - schedule.center) / schedule.scale_base;
    for (std::int64_t i = 0; i < pairs; ++i) {
      const auto factor = static_cast<Real>(std::pow(schedule.zeta[static_cast<std::size_t>(i)], exponent));
      scratch.values[i] *= factor;
      scratch.values[pairs + i] *= factor;
    }
    return scratch.values;
  }
};

struct Range {
  double least, most;
  const char* name;
};

Range range_of(DType dtype) {
  if (dtype == DType::f64) return {std::numeric_limits<double>::min(), std::numeric_limits<double>::max(), "f64"};
  if (dtype == DType::f16) return {0x1p-14, 65504.0, "f16"};
  return {static_cast<double>(std::numeric_limits<float>::min()),
          static_cast<double>(std::numeric_limits<float>::max()), dtype == DType::bf16 ? "bf16" : "f32"};
}

// Pair 0 has the most extreme factors: if they are in range, all are.
void check_factors(const PositionView& positions, const XposAngles& angles, DType dtype, std::string_view where) {
  const Range range = range_of(dtype);
  for (std::int64_t b = 0; b < positions.batch; ++b) {
    for (std::int64_t n = 0; n < positions.count; ++n) {
      const double position = positions.real(b, n);
      const double factor = angles.schedule().factor(0, position);
      // One side multiplies by the factor, the other by its inverse.
      if (factor >= range.least && factor <= range.most && factor >= 1.0 / range.most && factor <= 1.0 / range.least) {
        continue;
      }
      base::refuse_input(where, "position ", position, " is too far from center=", angles.schedule().center,
                         ": the factor of pair 0 would be ", text::general_text(factor, 3), ", outside ", range.name,
                         "; choose a center among the positions", (dtype == DType::f64 ? "" : ", or f64"));
    }
  }
}

void run(const rotation::HeadViews& views, const PositionView& positions, const XposAngles& angles,
         const XposOptions& options, const Side& side) {
  const RotarySchedule& schedule = angles.schedule().rotation;
  rotation::check_heads(views, schedule.head_dim, side.where);
  rotation::check_head_positions(views, positions, angles.angles(), side.where);
  rotation::check_scale(views, options.output_scale, side.where);
  check_factors(positions, angles, views.in.dtype, side.where);
  const bool moves = schedule.layout == Layout::interleaved_to_half;
  const kernels::Pairing pairing = !moves      ? rotation::written_pairing(schedule.layout)
                                   : side.back ? kernels::Pairing::to_interleaved
                                               : kernels::Pairing::to_half;
  const rotation::TurnRule rule{pairing, rotation::parts_of(schedule),
                                (schedule.layout == Layout::half_negative) != side.back, false};
  const rotation::TurnedHeads heads{views, options.output_scale, options.output_scale};
  const DecayedRows rows{{}, positions, angles, side.sign};
  rotation::turn_tokens({{&heads, 1}, rule, schedule, positions.batch != 1, options.workers}, rows);
}

std::int64_t checked_tokens(std::int64_t tokens, const char* where) {
  if (tokens >= 0 && tokens <= kMaxPosition) return tokens;
  base::refuse(where, "tokens must be from 0 to ", kMaxPosition, " but got ", tokens);
}

}  // namespace

double XposSchedule::factor(std::int64_t pair, double position) const {
  return std::pow(zeta[static_cast<std::size_t>(pair)], (position - center) / scale_base);
}

XposSchedule make_schedule(const Xpos& spec) {
  validate(spec);
  const Rotary rotary{.head_dim = spec.head_dim,
                      .base = spec.base,
                      .layout = spec.layout,
                      .rotary_dim = spec::turning_channels(spec),
                      .first_channel = spec.first_channel,
                      .inv_freq = spec.inv_freq};
  XposSchedule schedule{make_schedule(rotary), {}, spec.scale_base, spec.center};
  const auto width = static_cast<double>(schedule.rotation.rotary_dim);
  for (std::int64_t i = 0; i < schedule.rotation.pairs(); ++i) {
    schedule.zeta.push_back((static_cast<double>(2 * i) + spec.gamma * width) / ((1.0 + spec.gamma) * width));
  }
  return schedule;
}

std::int64_t torchscale_center(std::int64_t tokens, std::int64_t offset) {
  const char* where = "torchscale_center";
  return (checked_tokens(checked_tokens(tokens, where) + checked_tokens(offset, where), where) + 1) / 2;
}

std::int64_t lucidrains_center(std::int64_t tokens) { return checked_tokens(tokens, "lucidrains_center") / 2; }

XposAngles::XposAngles(const Xpos& spec) : XposAngles(make_schedule(spec)) {}
XposAngles::XposAngles(const XposSchedule& schedule) : schedule_(schedule), angles_(schedule.rotation) {
  const bool fits = static_cast<std::int64_t>(schedule.zeta.size()) == schedule.rotation.pairs() &&
                    schedule.rotation.axes == 1 && schedule.scale_base > 0.0 && std::isfinite(schedule.center);
  base::require(fits, "XposAngles",
                "the schedule must have one zeta per pair, one axis, a scale_base above 0 and a finite center");
}

void xpos_queries(const ConstView& x, const PositionView& positions, const XposAngles& angles, const View& out,
                  const XposOptions& options) {
  run({x, out}, positions, angles, options, {false, 1.0, "xpos_queries"});
}
void xpos_keys(const ConstView& x, const PositionView& positions, const XposAngles& angles, const View& out,
               const XposOptions& options) {
  run({x, out}, positions, angles, options, {false, -1.0, "xpos_keys"});
}
void xpos_queries_backward(const ConstView& grad_out, const PositionView& positions, const XposAngles& angles,
                           const View& grad_in, const XposOptions& options) {
  run({grad_out, grad_in, "grad_out", "grad_in"}, positions, angles, options, {true, 1.0, "xpos_queries_backward"});
}
void xpos_keys_backward(const ConstView& grad_out, const PositionView& positions, const XposAngles& angles,
                        const View& grad_in, const XposOptions& options) {
  run({grad_out, grad_in, "grad_out", "grad_in"}, positions, angles, options, {true, -1.0, "xpos_keys_backward"});
}

}  // namespace posenc
