#include "posenc/pope.h"

#include <algorithm>
#include <numbers>
#include <string>

#include "core/rotation/pope_call.h"
#include "core/rows/convert_row.h"
#include "core/spec/query_kinds.h"

namespace posenc {
namespace {

using rotation::PopeCall;
using rotation::PopeSide;

// Tokens per part: enough that the cost of handing out a part does not matter.
constexpr std::int64_t kTokensAtOnce = 32;

template <class Real>
void expand_head(const rotation::PopeToken<Real>& token, const PopeAngles& angles, const Real* x, Real* out) {
  const Magnitude magnitude = angles.spec().magnitude;
  const std::int64_t channels = angles.rotary_dim();
  const Real* cos = token.cos();
  const Real* sin = token.sin();
  for (std::int64_t c = 0; c < channels; ++c) {
    const Real length = rotation::magnitude_of(magnitude, x[c]);
    out[token.first(c)] = length * cos[c];
    out[token.second(c)] = length * sin[c];
  }
  std::copy(x + channels, x + angles.head_dim(), out + 2 * channels);
}

template <class Real>
void expand_tokens(const ConstView& x, const View& out, const PopeCall& call) {
  const rotation::PopeTurns<Real> turns(call, x.shape[2]);
  const std::int64_t tokens = x.shape[0] * x.shape[1];
  run_parts(call.options.workers, (tokens + kTokensAtOnce - 1) / kTokensAtOnce, [&](std::int64_t part) {
    rotation::PopeToken<Real> token(call, turns);
    std::vector<Real> from(static_cast<std::size_t>(call.angles.head_dim()));
    std::vector<Real> to(static_cast<std::size_t>(call.angles.out_dim()));
    const View from_row = make_view(from.data(), {1, call.angles.head_dim()});
    const ConstView to_row = make_view(to.data(), {1, call.angles.out_dim()});
    for (std::int64_t t = part * kTokensAtOnce; t < std::min(tokens, (part + 1) * kTokensAtOnce); ++t) {
      const std::int64_t b = t / x.shape[1], n = t % x.shape[1];
      token.move_to(b, n);
      for (std::int64_t h = 0; h < x.shape[2]; ++h) {
        token.choose_head(h);
        rows::convert_heads(rotation::one_head(x, b, n, h), from_row);
        expand_head(token, call.angles, from.data(), to.data());
        rows::convert_heads(to_row, rotation::one_head(out, b, n, h));
      }
    }
  });
}

void expand(const ConstView& x, const View& out, const PopeCall& call) {
  rotation::check_pope_input(x, call, "x");
  rotation::check_pope_output(out, x, call.angles.out_dim(), "out", call);
  if (x.size() == 0) return;
  const ConstView from = base::with_axes(x, 4);
  const View to = base::with_axes(out, 4);
  x.dtype == DType::f64 ? expand_tokens<double>(from, to, call) : expand_tokens<float>(from, to, call);
}

// Appends the frequencies of one section, and the axis of each.
void add_section(const Pope& spec, std::int64_t channels, std::int64_t axis, Rotary& rotary) {
  for (const double frequency : make_schedule(Rotary{.head_dim = 2 * channels, .base = spec.base}).inv_freq) {
    rotary.inv_freq.push_back(frequency);
  }
  if (spec.axes > 1) rotary.axis_of_pair.insert(rotary.axis_of_pair.end(), static_cast<std::size_t>(channels), axis);
}

Rotary rotary_of(const Pope& spec) {
  validate(spec);
  Rotary rotary{.head_dim = 2 * spec::turning_channels(spec), .axes = spec.axes};
  const std::vector<std::int64_t> sections =
      spec.sections.empty() ? std::vector<std::int64_t>{spec::turning_channels(spec)} : spec.sections;
  const bool per_axis = spec.axes > 1 && spec.sections.empty();  // inv_freq is [axes][channels]
  for (std::size_t axis = 0; !per_axis && axis < sections.size(); ++axis) {
    add_section(spec, sections[axis], static_cast<std::int64_t>(axis), rotary);
  }
  if (!spec.inv_freq.empty()) rotary.inv_freq = spec.inv_freq;
  return rotary;
}

void project_row(const View& row) {
  base::with_float_type(row.dtype, [&](auto type) {
    using T = decltype(type);
    for (std::int64_t i = 0; i < row.shape[0]; ++i) {
      T& value = row.as<T>()[i * row.strides[0]];
      value = base::narrow<T>(std::clamp(base::widen(value), -2.0 * std::numbers::pi, 0.0));
    }
  });
}

void project(const View& view) {
  if (view.rank == 1) return project_row(view);
  for (std::int64_t i = 0; i < view.shape[0]; ++i) project(view[i]);
}

}  // namespace

RotarySchedule make_schedule(const Pope& spec) { return make_schedule(rotary_of(spec)); }

PopeAngles::PopeAngles(const Pope& spec) : spec_(spec), angles_(make_schedule(spec)) {}

void pope_queries(const ConstView& x, const PositionView& positions, const PopeAngles& angles, const View& out,
                  const PopeOptions& options) {
  expand(x, out, {positions, angles, options, PopeSide::query, "pope_queries"});
}
void pope_keys(const ConstView& x, const PositionView& positions, const PopeAngles& angles, const View& out,
               const PopeOptions& options) {
  expand(x, out, {positions, angles, options, PopeSide::key, "pope_keys"});
}

void project_delta(const View& delta) {
  base::check_view(delta, {.channels = base::Channels::any}, "project_delta", "delta");
  project(delta);
}

}  // namespace posenc
