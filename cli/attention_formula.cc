#include "cli/attention_formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "posenc/insight/kind_facts.h"

namespace posenc::cli {
namespace {

bool is_mask(const Spec& spec) { return std::holds_alternative<Window>(spec) || std::holds_alternative<Chunked>(spec); }

bool has_vectors_for_values(const Encoding& encoding) {
  const Parameters& given = encoding.parameters();
  return encoding.place() == Place::term &&
         std::any_of(given.begin(), given.end(), [](const Parameter& p) { return p.name == "values"; });
}

// The scores, put together encoding by encoding.
class Scores {
 public:
  explicit Scores(std::int64_t channels) : scale_(fmt::format("sqrt({})", channels)) {}

  // Returns what the encoding means by its letters.
  std::string add(const Encoding& encoding) {
    const std::string rule = kind_facts(encoding.spec()).formula;
    switch (encoding.place()) {
      case Place::rotation:
        mark_ = "'";
        factor_ *= encoding.rotary() ? encoding.rotary()->softmax_factor() : 1.0;
        return (std::holds_alternative<Rotary>(encoding.spec()) ? "q' = R(p) q and k' = R(p) k at position p: "
                                                                : "q' and k' are q and k at their positions: ") +
               rule;
      case Place::query:
        query_factor_ = "f ";
        return rule;
      case Place::bias:
        return add_bias(encoding, rule);
      case Place::term:
        term_ = true;
        return rule + ", scale = 1/" + scale_;
      default:
        return "";
    }
  }

  std::string text() const {
    if (term_) return "score" + after_;
    std::string product = fmt::format("{}q{} k{}^T", query_factor_, mark_, mark_);
    if (factor_ != 1.0) product = fmt::format("{:.6g} {}", factor_, product);
    return (before_.empty() ? product : "(" + product + before_ + ")") + " / " + scale_ + after_;
  }

 private:
  std::string add_bias(const Encoding& encoding, const std::string& rule) {
    const bool first = encoding.bias()->schedule().added == Added::before_scale;
    (first ? before_ : after_) += " + B";
    return is_mask(encoding.spec()) ? "B is 0 for visible keys and -inf for hidden ones: " + rule
                                    : "B for the query at i and the key at j: " + rule;
  }

  std::string scale_;
  std::string mark_;          // of queries and keys that were rotated
  std::string query_factor_;  // "f "
  double factor_ = 1.0;       // that a scaling puts into the softmax
  std::string before_, after_;
  bool term_ = false;
};

}  // namespace

AttentionFormula attention_formula(const std::vector<Encoding>& encodings, std::int64_t channels, bool causal) {
  Scores scores(channels);
  AttentionFormula formula{.output = "weights v"};
  for (const Encoding& encoding : encodings) {
    if (std::string where = scores.add(encoding); !where.empty()) formula.where.push_back(std::move(where));
    if (has_vectors_for_values(encoding)) formula.output = "weights (v + s)";
  }
  formula.weights = "softmax(" + scores.text() + ")" + (causal ? ", causal" : "");
  return formula;
}

}  // namespace posenc::cli
