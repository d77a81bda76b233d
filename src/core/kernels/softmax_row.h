// The steps of a softmax over a row of scores, and the softcap that some models apply to scores first.
#pragma once

#include <cstdint>

namespace posenc::kernels {

// Returns the largest score; -inf for an empty row. If a score is NaN, the result is any of the scores or NaN.
float max_of(const float* scores, std::int64_t count) noexcept;
double max_of(const double* scores, std::int64_t count) noexcept;

// Replaces scores by exp(score - max), within 2 ulp, and returns their sum. No score may exceed max by more than 46.
// -inf gives exactly 0, but `max` must be finite: if all scores are -inf, pass any finite number. NaN stays NaN.
float exp_row(float* scores, std::int64_t count, float max) noexcept;
double exp_row(double* scores, std::int64_t count, double max) noexcept;

// Replaces x by cap * tanh(x / cap), within 4 ulp. NaN stays NaN; +-infinity becomes +-cap.
void tanh_row(float* x, std::int64_t count, float cap) noexcept;
void tanh_row(double* x, std::int64_t count, double cap) noexcept;
// The gradient: grad *= 1 - (capped / cap)^2, where `capped` is the output of tanh_row.
void tanh_backward_row(float* grad, const float* capped, std::int64_t count, float cap) noexcept;
void tanh_backward_row(double* grad, const double* capped, std::int64_t count, double cap) noexcept;

}  // namespace posenc::kernels
