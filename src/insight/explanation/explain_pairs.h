// The steps of worked examples for pairs of positions, and how their numbers are written.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "insight/explanation/explain_text.h"
#include "posenc/bias.h"
#include "posenc/insight/explain.h"

namespace posenc::explanation {

std::vector<Step> explain_bias(const Spec& spec, const ExplainPairs& pairs);
std::vector<Step> explain_term(const Spec& spec, const ExplainPairs& pairs);
std::vector<Step> explain_parts(const Spec& spec, const ExplainPairs& pairs);

// A query and a key of the bias being explained.
struct BiasPair {
  double query;
  double key;
  const Bias& bias;
  std::int64_t head;
  const Parameters& parameters;  // the given ones

  bool has(std::string_view name) const {
    return std::any_of(parameters.begin(), parameters.end(), [&](const Parameter& p) { return p.name == name; });
  }
};

// |query - key|, or max(query - key, 0).
inline double distance(DistanceRule rule, double query, double key) {
  return rule == DistanceRule::symmetric ? std::fabs(query - key) : std::fmax(query - key, 0.0);
}
inline std::string difference(double a, double b) { return text::number_text(a) + " - " + text::number_text(b); }

// The numbers of a parameter, in C order; none if it was not given.
std::vector<double> numbers_of(const BiasPair& pair, std::string_view name);
// "in_bias = [0.48, 0.31]", or "c = 0.48" for a single number.
std::string named_numbers(const std::string& name, std::span<const double> numbers);

// Numbers with two decimals, easy to follow by hand; another seed gives other numbers.
std::vector<double> small_numbers(std::int64_t count, std::uint64_t seed);
inline constexpr const char* kInvented = "made up, with two decimals, so that you can follow them by hand";

// The softmax of scores; a score of -inf gets the weight 0.
inline std::vector<double> softmax(const std::vector<double>& scores) {
  double largest = -HUGE_VAL, total = 0.0;
  for (const double score : scores) largest = std::fmax(largest, score);
  std::vector<double> weights;
  for (const double score : scores) {
    weights.push_back(largest == -HUGE_VAL ? 0.0 : std::exp(score - largest));
    total += weights.back();
  }
  for (double& weight : weights) weight = total == 0.0 ? 0.0 : weight / total;
  return weights;
}

// Numbers in a row, each padded to the widest of the table.
inline std::string numbers_text(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) {
    const std::string one = five_decimals(number);
    text += std::string(one.size() < 9 ? 9 - one.size() : 1, ' ') + one;
  }
  return text;
}

inline std::string position_text(const PositionView& positions, std::int64_t n) {
  return text::number_text(positions.real(0, n));
}

// "at 2   " or, if the keys are words, "her at 2   ": the same width for every key.
std::string key_label(const ExplainPairs& pairs, std::int64_t key);
// The word "key", padded to the width of the labels.
std::string key_header(const ExplainPairs& pairs);

// The query that is followed key by key: the last one, because it sees the most keys.
inline std::int64_t followed_query(const ExplainPairs& pairs) { return pairs.queries.count - 1; }
inline std::string followed_title(const ExplainPairs& pairs) {
  return "The query at " + position_text(pairs.queries, followed_query(pairs)) +
         (pairs.queries.count > 1 ? ", the last one, key by key" : ", key by key");
}

// Throws unless the head is one of `heads`.
void check_head(const ExplainPairs& pairs, std::int64_t heads);

}  // namespace posenc::explanation
