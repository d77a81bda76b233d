// The row of a kind: everything that the engine knows about it. The kind's own source defines it, and text, JSON, help,
// validation and parameters follow from it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/spec/fields.h"
#include "core/spec/of_alternative.h"
#include "posenc/parameters.h"
#include "posenc/spec.h"

namespace posenc::spec {

// Words that people may use for a field of this kind, or miss in it, and the answer. "<head_dim={}>" in an answer is an
// example: a complete spec of this kind with that field. "{}" is the value that was given and "{-1}" one less; if an
// example does not accept it, `usual` is shown instead.
struct UnclearField {
  std::string_view words;  // separated by spaces
  std::string_view answer;
  std::string_view usual = "64";
};

// Words for a kind with some of its fields: "mrope" and the spec to write.
struct NamedForm {
  std::string_view words;  // separated by spaces
  std::string_view spec;
};

struct KindRow {
  std::vector<Field> (*fields)(Spec& spec) = nullptr;
  std::vector<Shorthand> (*shorthands)(Spec& spec) = nullptr;            // null: it has none
  void (*check)(const Spec& spec, std::string_view where) = nullptr;     // checks of several fields; null: none
  std::vector<ParameterInfo> (*parameters)(const Spec& spec) = nullptr;  // null: it learns nothing
  std::span<const std::string_view> words = {};  // aliases of the kind; one that several kinds have is ambiguous
  std::span<const UnclearField> unclear = {};    // words that are not accepted for a field, with what to write instead
  std::span<const NamedForm> forms = {};
  const biases::BiasRow* bias = nullptr;  // biases and masks only: core/biases/bias_term.h
};

const KindRow& row_of(const Spec& spec) noexcept;

// Makes a function of one kind a function of any spec; the spec must be of that kind: of_kind<rotary_fields>.
template <auto function>
inline constexpr auto of_kind = &OfAlternative<Spec, function>::call;

}  // namespace posenc::spec
