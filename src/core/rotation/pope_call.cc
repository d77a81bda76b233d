#include "core/rotation/pope_call.h"

#include <algorithm>
#include <numbers>
#include <string>

#include "core/base/float_types.h"
#include "core/base/memory_overlap.h"
#include "core/rows/rotary_rows.h"
#include "core/text/number_text.h"
#include "posenc/error.h"

namespace posenc::rotation {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

[[noreturn]] void refuse(const PopeCall& call, const std::string& message) {
  fail(ErrorKind::usage, "[" + std::string(call.where) + "] " + message);
}

double delta_at(const ConstView& delta, std::int64_t h, std::int64_t c) {
  double value = 0.0;
  base::load_row(make_view(delta[h][c].data, delta.dtype, {1}), &value);
  return value;
}

void check_delta(const PopeCall& call, std::int64_t heads) {
  const ConstView& delta = call.options.delta;
  const std::int64_t channels = call.angles.rotary_dim();
  if (delta.rank == 0 && delta.data == nullptr) return;
  if (delta.rank != 2 || delta.shape[0] != heads || delta.shape[1] != channels || !base::is_float(delta.dtype)) {
    refuse(call, "delta must be one float per head and channel, [" + std::to_string(heads) + ", " +
                     std::to_string(channels) + "], but is " + shape_text(delta) + " " +
                     std::string(to_text(delta.dtype)));
  }
  if (delta.size() > 0 && delta.data == nullptr) refuse(call, "delta must not be null");
  if (base::reaches_too_far(delta)) refuse(call, "delta must lie in memory but its strides lead out of it");
  for (std::int64_t h = 0; h < heads; ++h) {
    for (std::int64_t c = 0; c < channels; ++c) {
      const double value = delta_at(delta, h, c);
      if (std::isfinite(value)) continue;
      fail(ErrorKind::bad_input, "[" + std::string(call.where) + "] delta[" + std::to_string(h) + "][" +
                                     std::to_string(c) + "] must be finite but is " + text::number_text(value));
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
  const bool narrow = x.dtype == DType::f16 || x.dtype == DType::bf16;
  const auto last = static_cast<std::size_t>(x.rank) - 1;
  bool fits = view.rank == x.rank && (view.dtype == x.dtype || (narrow && view.dtype == DType::f32));
  for (std::size_t axis = 0; fits && axis < last; ++axis) fits = view.shape[axis] == x.shape[axis];
  if (!fits || view.shape[last] != channels) {
    ConstView wanted = x;
    wanted.shape[last] = channels;
    refuse(call, std::string(name) + " must be " + shape_text(wanted) + " " + std::string(to_text(x.dtype)) +
                     (narrow ? ", or f32," : "") + " but is " + shape_text(view) + " " +
                     std::string(to_text(view.dtype)));
  }
  if (base::reaches_too_far(view)) {
    refuse(call, std::string(name) + " must lie in memory but its strides lead out of it");
  }
  if (view.size() == 0) return;
  if (view.data == nullptr) refuse(call, std::string(name) + " must not be null but has shape " + shape_text(view));
  if (view.strides[last] == 1 || channels == 1) return;
  refuse(call, std::string(name) + " must have contiguous channels but the stride of its last axis is " +
                   std::to_string(view.strides[last]));
}

void check_pope_output(const View& view, const ConstView& x, std::int64_t channels, std::string_view name,
                       const PopeCall& call) {
  check_pope_like(view, x, channels, name, call);
  check_output(view, call.where, name);
  const auto apart = [&](bool shares, const char* from) {
    if (shares) refuse(call, std::string(name) + " must be apart from " + from + " but they share memory");
  };
  apart(base::share_memory(x, view), "x");
  apart(call.options.delta.data != nullptr && base::share_memory(call.options.delta, view), "delta");
  apart(base::share_memory(call.positions, view), "the positions");
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
