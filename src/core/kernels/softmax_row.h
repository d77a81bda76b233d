// What a softmax does with a row of scores, and the soft limit that some models put on scores before it.
#pragma once

#include <cstdint>

namespace posenc::kernels {

// The largest; -inf of none. Where one is NaN, any of them or NaN.
float max_of(const float* scores, std::int64_t count) noexcept;
double max_of(const double* scores, std::int64_t count) noexcept;

// Writes exp(score - max), within 2 ulp, and returns their sum. No score is more than 46 above max. -inf gives exactly
// 0; `max` must be finite for that: where all scores are -inf, pass any finite number. NaN stays NaN.
float exp_row(float* scores, std::int64_t count, float max) noexcept;
double exp_row(double* scores, std::int64_t count, double max) noexcept;

// Writes cap * tanh(x / cap), within 4 ulp of it. NaN stays NaN, infinite ones become cap.
void tanh_row(float* x, std::int64_t count, float cap) noexcept;
void tanh_row(double* x, std::int64_t count, double cap) noexcept;
// The same for gradients: grad *= 1 - (capped / cap)^2, `capped` being what tanh_row wrote.
void tanh_backward_row(float* grad, const float* capped, std::int64_t count, float cap) noexcept;
void tanh_backward_row(double* grad, const double* capped, std::int64_t count, double cap) noexcept;

}  // namespace posenc::kernels
