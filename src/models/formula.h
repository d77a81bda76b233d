// Formulas of the table of model types: small expressions over the keys of a config.json, so that a model's rule is
// data that a reader can check.
//
//     head_dim ?? hidden_size // num_attention_heads
//     layer_type == 'sliding_attention' || i == L - 1
//
// Values are numbers, words, lists and null; null is a key that is missing or null in the file. Operators, loosest
// first: `c ? a : b`, `a ?? b` (b if a is null), `||`, `&&`, comparisons, `+ -`, `* / // %`, `^`, `- !`.
// `//` rounds the quotient down. An operation on null is null, and so is an undefined result (1 / 0, sqrt(-1)); null, 0
// and the empty word are false. `list[i]` is an element or null, `object[i].name` a member, `[a, b]` makes a
// list. Functions: sqrt, ln, int (towards zero), min, max, len, index(list, x), has(list, x), repeat(list, length).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "posenc/files/json.h"

namespace posenc::models {

struct FormulaNode;

class Formula {
 public:
  // The value of a name; null if there is none. The tree must outlive the evaluation.
  using Lookup = std::function<const Json*(const std::string& name)>;

  Formula() = default;
  // Throws if the text is not a formula; the table is part of posenc, so that is a mistake in the table.
  explicit Formula(std::string_view text);

  const std::string& text() const noexcept { return text_; }
  // The names in it, in order.
  std::vector<std::string> names() const;
  Json evaluate(const Lookup& lookup) const;

 private:
  std::string text_;
  std::shared_ptr<const FormulaNode> root_;
};

// Whether a condition holds: the value is not null, 0, false or empty.
bool is_true(const Json& value) noexcept;

}  // namespace posenc::models
