#include "core/rotation/pope_call.h"

#include <algorithm>
#include <numbers>
#include <string>

#include "core/base/float_types.h"
#include "core/base/refuse.h"
#include "core/rows/rotary_rows.h"

namespace posenc::rotation {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

double delta_at(const ConstView& delta, std::int64_t h, std::int64_t c) {
  double value = 0.0;
  base::load_row(make_view(delta[h][c].data, delta.dtype, {1}), &value);
  return value;
}

void check_delta(const PopeCall& call, std::int64_t heads) {
  const ConstView& delta = call.options.delta;
  const std::int64_t channels = call.angles.rotary_dim();
  if (delta.rank == 0 && delta.data == nullptr) return;
  base::check_view(delta, {.shape = {heads, channels}, .channels = base::Channels::any}, call.where, "delta");
  for (std::int64_t h = 0; h < heads; ++h) {
    for (std::int64_t c = 0; c < channels; ++c) {
      const double value = delta_at(delta, h, c);
      if (std::isfinite(value)) continue;
      base::refuse_input(call.where, "delta[", h, "][", c, "] must be finite but is ", value);
    }
  }
}

}  // namespace

void check_pope_input(const ConstView& x, const PopeCall& call, std::string_view name) {
  check_head_input(x, call.angles.head_dim(), call.where, name);
  const View none{};
  check_head_positions({x, none, name, name}, call.positions, call.angles.angles(), call.where);
  check_delta(call, grid_of_heads(x).heads);
}

void check_pope_like(const ConstView& view, const ConstView& x, std::int64_t channels, std::string_view name,
                     const PopeCall& call) {
  base::check_view(view, {.dtypes = base::itself_or_wider(x.dtype), .shape = base::shape_of(x).with_last(channels)},
                   call.where, name);
}

void check_pope_output(const View& view, const ConstView& x, std::int64_t channels, std::string_view name,
                       const PopeCall& call) {
  base::check_view(view,
                   {.dtypes = base::itself_or_wider(x.dtype),
                    .shape = base::shape_of(x).with_last(channels),
                    .use = base::Use::write},
                   call.where, name);
  base::check_apart({name, view}, {"x", x}, call.where);
  base::check_apart({name, view}, {"delta", call.options.delta}, call.where);
  base::check_apart({name, view}, call.positions, call.where);
}

template <class Real>
PopeTurns<Real>::PopeTurns(const PopeCall& call, std::int64_t heads) {
  const ConstView& delta = call.options.delta;
  if (delta.data == nullptr) return;
  const bool clamped = call.angles.spec().delta_clamp == DeltaClamp::forward;
  for (std::int64_t h = 0; h < heads; ++h) {
    for (std::int64_t c = 0; c < call.angles.rotary_dim(); ++c) {
      const double given = delta_at(delta, h, c);
      const double angle = clamped ? std::clamp(given, -kTurn, 0.0) : given;
      cos.push_back(static_cast<Real>(std::cos(angle)));
      sin.push_back(static_cast<Real>(call.sign() * std::sin(angle)));
    }
  }
}

std::vector<bool> pope_frozen(const PopeCall& call, std::int64_t heads) {
  const ConstView& delta = call.options.delta;
  if (delta.data == nullptr || call.angles.spec().delta_clamp == DeltaClamp::none) return {};
  std::vector<bool> frozen;
  for (std::int64_t h = 0; h < heads; ++h) {
    for (std::int64_t c = 0; c < call.angles.rotary_dim(); ++c) {
      const double angle = delta_at(delta, h, c);
      frozen.push_back(angle < -kTurn || angle > 0.0);
    }
  }
  return frozen;
}

template <class Real>
void PopeToken<Real>::move_to(std::int64_t b, std::int64_t n) {
  const std::int64_t row = call_.positions.batch == 1 ? 0 : b;
  call_.angles.angles().rows().at(call_.positions, row, n, cos_.data(), sin_.data());
}

template <class Real>
void PopeToken<Real>::choose_head(std::int64_t h) {
  if (turns_.empty()) return;
  const Real* turn_cos = turns_.cos.data() + h * channels_;
  const Real* turn_sin = turns_.sin.data() + h * channels_;
  for (std::size_t c = 0; c < size(); ++c) {
    head_cos_[c] = cos_[c] * turn_cos[c] - sin_[c] * turn_sin[c];
    head_sin_[c] = sin_[c] * turn_cos[c] + cos_[c] * turn_sin[c];
  }
}

template struct PopeTurns<float>;
template struct PopeTurns<double>;
template class PopeToken<float>;
template class PopeToken<double>;

}  // namespace posenc::rotation
