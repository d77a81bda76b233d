#include <cmath>
#include <limits>
#include <vector>

#include "posenc/reference.h"

namespace posenc::reference {
namespace {

double score_of(const Attention& problem, const double* q, const double* k, std::int64_t h, std::int64_t n,
                std::int64_t s) {
  double score = 0.0;
  for (std::int64_t c = 0; c < problem.width; ++c) score += q[c] * k[c];
  if (problem.term) score += problem.term(h, n, s);
  score *= problem.softmax_scale;
  if (problem.softcap > 0.0) score = problem.softcap * std::tanh(score / problem.softcap);
  if (problem.factor) score *= problem.factor(h, n, s);
  if (problem.bias) score += problem.bias(h, n, s);
  return score;
}

}  // namespace

void attend(const Attention& problem, const double* q, const double* k, const double* v, double* out, double* weights,
            double* log_sum_exp) {
  constexpr double kHidden = -std::numeric_limits<double>::infinity();
  const std::int64_t group = problem.heads / problem.key_heads;
  std::vector<double> scores(static_cast<std::size_t>(problem.keys));
  for (std::int64_t h = 0; h < problem.heads; ++h) {
    for (std::int64_t n = 0; n < problem.queries; ++n) {
      const double sink = problem.sinks.empty() ? kHidden : problem.sinks[static_cast<std::size_t>(h)];
      double largest = sink;
      for (std::int64_t s = 0; s < problem.keys; ++s) {
        double& score = scores[static_cast<std::size_t>(s)];
        score = kHidden;
        if (problem.sees && !problem.sees(n, s)) continue;
        score = score_of(problem, q + (n * problem.heads + h) * problem.width,
                         k + (s * problem.key_heads + h / group) * problem.width, h, n, s);
        largest = std::fmax(largest, score);
      }
      double total = sink == kHidden ? 0.0 : std::exp(sink - largest);
      for (double& score : scores) {
        score = score == kHidden ? 0.0 : std::exp(score - largest);
        total += score;
      }
      if (log_sum_exp != nullptr) {
        log_sum_exp[h * problem.queries + n] = total == 0.0 ? kHidden : largest + std::log(total);
      }
      double* row = out + (n * problem.heads + h) * problem.value_width;
      for (std::int64_t c = 0; c < problem.value_width; ++c) row[c] = 0.0;
      for (std::int64_t s = 0; s < problem.keys; ++s) {
        const double weight = total == 0.0 ? 0.0 : scores[static_cast<std::size_t>(s)] / total;
        if (weights != nullptr) weights[(h * problem.queries + n) * problem.keys + s] = weight;
        const double kept = problem.keep ? weight * problem.keep(h, n, s) : weight;
        for (std::int64_t c = 0; c < problem.value_width; ++c) {
          double value = v[(s * problem.key_heads + h / group) * problem.value_width + c];
          if (problem.value_term) value += problem.value_term(h, n, s, c);
          if (kept != 0.0) row[c] += kept * value;
        }
      }
    }
  }
}

}  // namespace posenc::reference
