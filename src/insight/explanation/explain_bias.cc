#include <algorithm>
#include <cmath>
#include <string>

#include "core/text/joined.h"
#include "insight/explanation/explain_pairs.h"
#include "insight/properties/formulas.h"
#include "insight/properties/kind_page.h"
#include "posenc/bias.h"
#include "posenc/error.h"

namespace posenc::explanation {
namespace {

// Made-up numbers for the parameters that a kind learns, kept in `memory`; an open length reaches to the largest
// position of queries or keys.
Parameters invented(const Spec& spec, const ExplainPairs& pairs, std::vector<std::vector<double>>& memory) {
  constexpr double kMost = 1e6;  // with more, the caller must give them
  const auto settled = [](std::int64_t length, const PositionView& positions) {
    if (length >= 0) return length;
    double last = 0.0;
    for (std::int64_t n = 0; n < positions.count; ++n) last = std::max(last, positions.real(0, n));
    return static_cast<std::int64_t>(last) + 1;
  };
  Parameters parameters;
  for (const ParameterInfo& info : parameters_of(spec)) {
    if (info.optional) continue;
    const bool table = info.shape.size() == 2;
    const std::int64_t rows = settled(info.shape[0], pairs.queries);
    const std::int64_t columns = table ? settled(info.shape[1], pairs.keys) : 1;
    if (static_cast<double>(rows) * static_cast<double>(columns) > kMost) return {};
    std::vector<double>& numbers = memory.emplace_back(small_numbers(rows * columns, memory.size() + 1));
    // Numbers per head may multiply a distance. They are positive, so that far keys get less.
    for (double& number : numbers) number = table ? number : std::fabs(number);
    parameters.push_back(
        {info.name, table ? make_view(numbers.data(), {rows, columns}) : make_view(numbers.data(), {rows})});
  }
  return parameters;
}

// Replaces a symbol by a formula.
properties::Formula replaced(const properties::Formula& formula, std::string_view symbol,
                             const properties::Formula& by) {
  if (formula.form == properties::Formula::Form::symbol && formula.name == symbol) return by;
  properties::Formula result = formula;
  for (properties::Formula& part : result.parts) part = replaced(part, symbol, by);
  return result;
}

class BiasExplainer {
 public:
  BiasExplainer(const Spec& spec, const ExplainPairs& pairs)
      : spec_(spec),
        pairs_(pairs),
        bias_(spec, pairs.parameters),
        rows_(static_cast<std::size_t>(pairs.queries.count)) {
    check_head(pairs, std::max<std::int64_t>(bias_.heads(), 1));
    if (bias_.has_factor()) {
      fail(ErrorKind::unsupported,
           "[explain_pairs] factor_a and factor_p multiply scores: leave them out to see the bias alone");
    }
    for (std::int64_t q = 0; q < pairs.queries.count; ++q) {
      std::vector<double>& row = rows_[static_cast<std::size_t>(q)];
      row.resize(static_cast<std::size_t>(pairs.keys.count));
      add_bias(bias_, {.head = pairs.head, .first_query = q, .queries = 1, .keys = pairs.keys.count}, pairs.queries,
               pairs.keys, make_view(row.data(), {1, pairs.keys.count}));
      for (std::size_t k = 0; pairs.causal && k < row.size(); ++k) {
        if (key(k) > query(q)) row[k] = -HUGE_VAL;
      }
    }
  }

  // `made_up`: the learned numbers were.
  Step formula(bool made_up) const {
    properties::KindFormula formula = used_formula();
    if (!formula.details.empty()) formula.note.clear();  // it says the same in words
    Step step{"formula", "The rule", {plain_text(formula)}, {}};
    for (const properties::Formula& line : formula.details) step.lines.push_back(plain_text(line));
    if (page_.rule != nullptr) {
      for (std::string& line : page_.rule(spec_, pair(0))) step.lines.push_back(std::move(line));
    }
    if (is_mask()) {
      step.lines.push_back("a mask: 0 for visible keys, -inf for hidden ones");
      return step;
    }
    step.lines.push_back("i is the position of the query, j that of the key");
    const bool before = bias_.schedule().added == Added::before_scale;
    step.lines.push_back(before ? "added before the scale: score = scale * (q.k + bias); the scores below are unscaled"
                                : "added after the scale: score = scale * q.k + bias");
    if (made_up) {
      step.lines.push_back(std::string(page_.numbers != nullptr ? "with these numbers, which" : "the learned numbers") +
                           " were not trained: they are " + kInvented);
    }
    if (page_.numbers != nullptr) {
      for (const std::string& text : page_.numbers(spec_, pair(0))) {
        for (std::string& line : wrapped_lines(text, "  ")) step.lines.push_back(std::move(line));
      }
    }
    return step;
  }

  Step derivation() const {
    Step step{"derivation", followed_title(pairs_), {}, rows_.back()};
    for (std::size_t k = 0; k < rows_.back().size(); ++k) {
      const std::string hidden = pairs_.causal && key(k) > last_query() ? "after the query: hidden" : "";
      const std::string how = !hidden.empty()           ? hidden
                              : page_.derive != nullptr ? page_.derive(spec_, pair(k))
                                                        : offset_text(last_query(), key(k));
      step.lines.push_back(key_label(pairs_, static_cast<std::int64_t>(k)) + how + " -> " +
                           five_decimals(rows_.back()[k]));
    }
    return step;
  }

  Step matrix() const {
    const std::string what = is_mask() ? "The mask" : "The bias of head " + std::to_string(pairs_.head);
    Step step{"bias", what + ": one row per query, one column per key", {}, {}};
    for (const std::vector<double>& row : rows_) {
      step.lines.push_back(numbers_text(row));
      step.values.insert(step.values.end(), row.begin(), row.end());
    }
    return step;
  }

  Step weights() const {
    std::vector<double> plain = pairs_.scores.empty() ? std::vector<double>(rows_.back().size(), 0.2) : pairs_.scores;
    std::vector<double> biased = plain;
    for (std::size_t k = 0; k < biased.size(); ++k) {
      biased[k] += rows_.back()[k];
      if (pairs_.causal && key(k) > last_query()) plain[k] = -HUGE_VAL;
    }
    const std::vector<double> before = softmax(plain);
    const std::vector<double> after = softmax(biased);
    const std::string what = is_mask() ? "mask" : "bias";
    return {"weights",
            "The softmax of the last query, without and with the " + what,
            {"scores            " + numbers_text(plain), "scores + " + what + "     " + numbers_text(biased),
             "weights without   " + numbers_text(before), "weights with " + what + " " + numbers_text(after)},
            after};
  }

  Step meaning() const {
    Step step{"meaning", is_mask() ? "What the mask does" : "What the bias does", {}, {}};
    const std::vector<double>& row = rows_.back();
    std::vector<std::size_t> best;
    const double largest = *std::max_element(row.begin(), row.end());
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (row[k] == largest) best.push_back(k);
    }
    if (largest == -HUGE_VAL) {
      step.lines = {"Every key is hidden, so the output is zero."};
    } else if (is_mask() && best.size() == row.size()) {
      step.lines = {"The last query sees every one of these keys: the mask changes nothing for it."};
    } else if (is_mask()) {
      step.lines = {"A key with -inf gets the weight 0; the scores divide all weight among the others."};
    } else if (best.size() == row.size()) {
      step.lines = {"All keys get the same bias, which changes no softmax weight."};
    } else if (best.size() == 1 && key(best[0]) == last_query() && every_query_favours_itself()) {
      step.lines = favours_itself(row, best[0]);
    } else {
      const std::string keys = text::joined(best, ", ", [&](std::size_t k) { return key(k); });
      step.lines = {"If all scores are equal, the largest bias gets the largest weight: the query at " +
                    text::number_text(last_query()) + " attends most to the key" + (best.size() > 1 ? "s" : "") +
                    " at " + keys + "."};
    }
    return step;
  }

  Step reproduce() const {
    const auto list = [](const PositionView& positions) { return to_text(positions); };
    std::string command = "posenc bias " + spec_text_of(spec_, pairs_) + " --queries=" + list(pairs_.queries) +
                          " --keys=" + list(pairs_.keys);
    if (!pairs_.parameter_text.empty()) command += " " + pairs_.parameter_text;
    if (pairs_.causal) command += " --causal";
    return {"reproduce", "The command for these numbers", {command}, {}};
  }

 private:
  // Whether the largest bias of every query is at distance 0: one row alone may be so by chance, as in a matrix.
  bool every_query_favours_itself() const {
    for (std::size_t q = 0; q < rows_.size(); ++q) {
      const auto largest = std::max_element(rows_[q].begin(), rows_[q].end());
      if (key(static_cast<std::size_t>(largest - rows_[q].begin())) != query(static_cast<std::int64_t>(q)))
        return false;
    }
    return true;
  }

  // Remarks on a bias that is largest at distance 0, which is element `own` of the row.
  static std::vector<std::string> favours_itself(const std::vector<double>& row, std::size_t own) {
    bool negative_elsewhere = row[own] > 0.0 && row.size() > 1;
    for (std::size_t k = 0; k < row.size(); ++k) negative_elsewhere = negative_elsewhere && (k == own || row[k] < 0.0);
    if (negative_elsewhere) {
      return {"Large at distance 0 and negative elsewhere: each token attends mostly to itself, so that its output is",
              "little more than its own value. That suits tasks that a token decides by itself (tagging, copying,",
              "identity). It hurts tasks that need context, such as agreement, coreference or a word with two",
              "meanings: the content score must first make up for the bias."};
    }
    return {"The bias is largest at distance 0: if all scores are equal, each token attends most to itself.",
            "That helps if neighbours matter (local syntax, speech, images), and in sequences longer than those of",
            "training. It hurts if the answer is far away: there the content score must make up for the bias."};
  }

  bool is_mask() const { return page_.explain != nullptr; }  // other biases depend on two positions
  bool has_parameter(std::string_view name) const { return pair(0).has(name); }

  double last_query() const { return query(followed_query(pairs_)); }
  double query(std::int64_t n) const { return pairs_.queries.real(0, n); }
  double key(std::size_t k) const { return pairs_.keys.real(0, static_cast<std::int64_t>(k)); }

  // Optional parameters change the formula: given slopes follow no rule, and distances may have exponents.
  properties::KindFormula used_formula() const {
    properties::KindFormula formula = properties::formula_of(spec_);
    if (has_parameter("slopes")) formula = {.lines = {formula.lines[0]}, .note = ", with the given slopes m_h"};
    if (has_parameter("exponent")) {
      formula.lines[0].parts[1] = replaced(formula.lines[0].parts[1], "d", properties::power("d", "exponent_h"));
    }
    return formula;
  }

  // The query that is followed, and a key.
  BiasPair pair(std::size_t k) const { return {last_query(), key(k), bias_, pairs_.head, pairs_.parameters}; }
  static std::string offset_text(double q, double k) {
    return "offset " + difference(k, q) + " = " + text::number_text(k - q);
  }

  const Spec& spec_;
  const properties::KindPage& page_ = properties::page_of(spec_);
  const ExplainPairs& pairs_;
  Bias bias_;
  std::vector<std::vector<double>> rows_;  // [queries][keys], -inf where hidden
};

}  // namespace

std::vector<Step> explain_bias(const Spec& spec, const ExplainPairs& given) {
  std::vector<std::vector<double>> memory;
  ExplainPairs pairs = given;
  if (given.parameters.empty()) pairs.parameters = invented(spec, given, memory);
  const BiasExplainer explain(spec, pairs);
  std::vector<Step> steps = {explain.formula(!memory.empty()),
                             explain.derivation(),
                             explain.matrix(),
                             explain.weights(),
                             explain.meaning(),
                             explain.reproduce()};
  if (!memory.empty()) steps.pop_back();  // no command makes these numbers
  return steps;
}

}  // namespace posenc::explanation
