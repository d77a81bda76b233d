#include "insight/properties/attend_measure.h"

#include <algorithm>

#include "insight/properties/lists.h"
#include "insight/properties/sample.h"
#include "posenc/attend.h"

namespace posenc::properties {
namespace {

constexpr std::int64_t kTokens = 8;

// q, k and v of a few tokens, [N, H, D] each.
struct Tokens {
  std::int64_t heads, width;
  std::vector<double> q, k, v;

  Tokens(std::int64_t head_count, std::int64_t head_width, std::uint64_t seed) : heads(head_count), width(head_width) {
    for (std::vector<double>* part : {&q, &k, &v}) *part = normal_numbers(kTokens, heads * width, 1.0, seed++);
  }

  ConstView view(const std::vector<double>& part) const { return make_view(part.data(), {kTokens, heads, width}); }
};

std::vector<double> weights_at(const Tokens& tokens, const ScoreTerm& term, std::int64_t first) {
  std::vector<double> weights(static_cast<std::size_t>(tokens.heads * kTokens * kTokens));
  // Vectors on values may have another width than keys.
  const std::int64_t width = term.value_width() > 0 ? term.value_width() : tokens.width;
  std::vector<double> values(static_cast<std::size_t>(kTokens * tokens.heads * width), 0.0), out(values.size());
  AttendOptions options;
  options.term = &term;
  options.query_positions = options.key_positions = PositionView::range(first, kTokens);
  options.weights = make_view(weights.data(), {tokens.heads, kTokens, kTokens});
  const ConstView v = make_view(static_cast<const double*>(values.data()), {kTokens, tokens.heads, width});
  attend(tokens.view(tokens.q), tokens.view(tokens.k), v, make_view(out.data(), {kTokens, tokens.heads, width}),
         options);
  return weights;
}

}  // namespace

double moved_difference(const ScoreTerm& term, std::int64_t first, std::int64_t by, std::uint64_t seed) {
  const Tokens tokens(std::max<std::int64_t>(term.heads(), 1), term.head_dim(), seed);
  return largest_gap(weights_at(tokens, term, first), weights_at(tokens, term, first + by));
}

double permuted_difference(std::uint64_t seed) {
  constexpr std::int64_t kWidth = 16;
  constexpr std::int64_t order[kTokens] = {3, 6, 0, 7, 2, 5, 1, 4};
  const Tokens tokens(1, kWidth, seed);
  Tokens permuted = tokens;
  const auto copy = [&](const std::vector<double>& from, std::vector<double>& to) {
    for (std::int64_t n = 0; n < kTokens; ++n)
      std::copy_n(from.data() + order[n] * kWidth, kWidth, to.data() + n * kWidth);
  };
  copy(tokens.q, permuted.q);
  copy(tokens.k, permuted.k);
  copy(tokens.v, permuted.v);
  std::vector<double> out(tokens.v.size()), out_permuted(out.size()), expected(out.size());
  attend(tokens.view(tokens.q), tokens.view(tokens.k), tokens.view(tokens.v),
         make_view(out.data(), {kTokens, 1, kWidth}));
  attend(permuted.view(permuted.q), permuted.view(permuted.k), permuted.view(permuted.v),
         make_view(out_permuted.data(), {kTokens, 1, kWidth}));
  copy(out, expected);
  return largest_gap(out_permuted, expected);
}

}  // namespace posenc::properties
