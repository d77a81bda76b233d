#include <algorithm>
#include <string>

#include "core/rotation/pope_call.h"
#include "core/rows/convert_row.h"
#include "core/spec/bound_parameters.h"
#include "posenc/pope.h"

namespace posenc {
namespace {

using rotation::PopeCall;
using rotation::PopeSide;

// Tokens are divided into at most this many parts, whatever the number of threads, and each part has its own sums. So
// the gradient of delta does not depend on the workers.
constexpr std::int64_t kMostParts = 16;
constexpr std::int64_t kGradientTokensAtOnce = 32;

struct Heads {
  ConstView x;         // [B, N, H, D]
  ConstView grad_out;  // [B, N, H, D + R]
  View grad_x;         // [B, N, H, D], or omitted
  bool angles;         // whether the gradient of delta is requested

  std::int64_t tokens() const noexcept { return x.shape[0] * x.shape[1]; }
};

// Computes the gradients of one head of one token: writes that of x to `grad`, and adds those of the angles to `sums`
// unless it is null.
template <class Real>
void head_backward(const rotation::PopeToken<Real>& token, const PopeCall& call, const Real* x, const Real* grad_out,
                   Real* grad, double* sums) {
  const Magnitude magnitude = call.angles.spec().magnitude;
  const std::int64_t channels = call.angles.rotary_dim();
  const Real* cos = token.cos();
  const Real* sin = token.sin();
  for (std::int64_t c = 0; c < channels; ++c) {
    const Real along = grad_out[token.first(c)], across = grad_out[token.second(c)];
    // Padding may contain NaN, so a channel with zero gradient must add nothing instead of 0 * NaN.
    if (along == Real(0) && across == Real(0)) {
      grad[c] = Real(0);
      continue;
    }
    grad[c] = (along * cos[c] + across * sin[c]) * rotation::magnitude_slope(magnitude, x[c]);
    if (sums == nullptr) continue;
    const Real turned = rotation::magnitude_of(magnitude, x[c]) * (across * cos[c] - along * sin[c]);
    sums[c] += call.sign() * static_cast<double>(turned);
  }
  std::copy(grad_out + 2 * channels, grad_out + call.angles.out_dim(), grad + channels);
}

// Processes tokens first to last - 1.
template <class Real>
void part_backward(const Heads& heads, const PopeCall& call, const rotation::PopeTurns<Real>& turns, std::int64_t first,
                   std::int64_t last, double* sums) {
  const std::int64_t width = call.angles.head_dim(), wide = call.angles.out_dim();
  rotation::PopeToken<Real> token(call, turns);
  std::vector<Real> x(static_cast<std::size_t>(width)), grad(x.size()), grad_out(static_cast<std::size_t>(wide));
  for (std::int64_t t = first; t < last; ++t) {
    const std::int64_t b = t / heads.x.shape[1], n = t % heads.x.shape[1];
    token.move_to(b, n);
    for (std::int64_t h = 0; h < heads.x.shape[2]; ++h) {
      token.choose_head(h);
      rows::convert_heads(rotation::one_head(heads.x, b, n, h), make_view(x.data(), {1, width}));
      rows::convert_heads(rotation::one_head(heads.grad_out, b, n, h), make_view(grad_out.data(), {1, wide}));
      head_backward(token, call, x.data(), grad_out.data(), grad.data(),
                    sums == nullptr ? nullptr : sums + h * call.angles.rotary_dim());
      if (heads.grad_x.data == nullptr) continue;
      rows::convert_heads(make_view(std::as_const(grad).data(), {1, width}), rotation::one_head(heads.grad_x, b, n, h));
    }
  }
}

template <class Real>
std::vector<double> all_backward(const Heads& heads, const PopeCall& call) {
  const rotation::PopeTurns<Real> turns(call, heads.x.shape[2]);
  const std::int64_t numbers = heads.angles ? heads.x.shape[2] * call.angles.rotary_dim() : 0;
  const std::int64_t tokens = heads.tokens();
  const std::int64_t most = (tokens + kGradientTokensAtOnce - 1) / kGradientTokensAtOnce;
  const std::int64_t parts = heads.angles ? std::min(kMostParts, most) : most;
  std::vector<double> sums(static_cast<std::size_t>(parts * numbers));
  run_parts(call.options.workers, parts, [&](std::int64_t part) {
    part_backward<Real>(heads, call, turns, tokens * part / parts, tokens * (part + 1) / parts,
                        heads.angles ? sums.data() + part * numbers : nullptr);
  });
  std::vector<double> total(static_cast<std::size_t>(numbers));
  for (std::size_t i = 0; i < sums.size(); ++i) total[i % total.size()] += sums[i];
  return total;
}

void check_delta_gradient(const PopeGradients& gradients, const PopeInputs& inputs, const PopeCall& call) {
  const View& delta = gradients.delta;
  const std::int64_t heads = rotation::grid_of_heads(inputs.x).heads;
  const base::NamedView written{"the gradient of delta", delta};
  base::check_view(delta,
                   {.dtypes = base::kReals,
                    .shape = {heads, call.angles.rotary_dim()},
                    .channels = base::Channels::any,
                    .use = base::Use::write},
                   call.where, written.name);
  for (const base::NamedView& other : {base::NamedView{"x", inputs.x},
                                       {"grad_out", inputs.grad_out},
                                       {"the gradient of x", gradients.x},
                                       {"delta", call.options.delta}}) {
    base::check_apart(written, other, call.where);
  }
}

bool is_wanted(const View& view) { return view.data != nullptr || view.rank != 0; }

void check(const PopeInputs& inputs, const PopeGradients& gradients, const PopeCall& call) {
  rotation::check_pope_input(inputs.x, call, "x");
  rotation::check_pope_like(inputs.grad_out, inputs.x, call.angles.out_dim(), "grad_out", call);
  if (is_wanted(gradients.x)) {
    rotation::check_pope_output(gradients.x, inputs.x, call.angles.head_dim(), "the gradient of x", call);
    base::check_apart({"the gradient of x", gradients.x}, {"grad_out", inputs.grad_out}, call.where);
  }
  if (is_wanted(gradients.delta)) check_delta_gradient(gradients, inputs, call);
}

void run(const PopeInputs& inputs, const PopeGradients& gradients, const PopeCall& call) {
  check(inputs, gradients, call);
  if (inputs.x.size() == 0) return;
  const Heads heads{base::with_axes(inputs.x, 4), base::with_axes(inputs.grad_out, 4),
                    is_wanted(gradients.x) ? base::with_axes(gradients.x, 4) : View{}, is_wanted(gradients.delta)};
  std::vector<double> sums =
      inputs.x.dtype == DType::f64 ? all_backward<double>(heads, call) : all_backward<float>(heads, call);
  if (!heads.angles) return;
  const std::vector<bool> frozen = rotation::pope_frozen(call, heads.x.shape[2]);
  for (std::size_t i = 0; i < frozen.size(); ++i) {
    if (frozen[i]) sums[i] = 0.0;
  }
  spec::add_to_gradient(sums, gradients.delta);
}

}  // namespace

void pope_queries_backward(const PopeInputs& inputs, const PositionView& positions, const PopeAngles& angles,
                           const PopeGradients& gradients, const PopeOptions& options) {
  run(inputs, gradients, {positions, angles, options, PopeSide::query, "pope_queries_backward"});
}
void pope_keys_backward(const PopeInputs& inputs, const PositionView& positions, const PopeAngles& angles,
                        const PopeGradients& gradients, const PopeOptions& options) {
  run(inputs, gradients, {positions, angles, options, PopeSide::key, "pope_keys_backward"});
}

}  // namespace posenc
