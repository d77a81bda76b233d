// What the engine knows about a kind: one row, which the kind's own source defines. Text, JSON, help, validation and
// parameters follow from it.
#pragma once

#include <string_view>
#include <vector>

#include "core/spec/fields.h"
#include "core/spec/of_alternative.h"
#include "posenc/parameters.h"
#include "posenc/spec.h"

namespace posenc::spec {

struct KindRow {
  std::vector<Field> (*fields)(Spec& spec) = nullptr;
  std::vector<Shorthand> (*shorthands)(Spec& spec) = nullptr;            // null: it has none
  void (*check)(const Spec& spec, std::string_view where) = nullptr;     // what no field can tell alone; null: nothing
  std::vector<ParameterInfo> (*parameters)(const Spec& spec) = nullptr;  // null: it learns nothing
  const biases::BiasRow* bias = nullptr;                                 // of biases and masks: core/biases/bias_term.h
};

const KindRow& row_of(const Spec& spec) noexcept;

// A function of one kind as a function of any spec, which must be of that kind: of_kind<rotary_fields>.
template <auto function>
inline constexpr auto of_kind = &OfAlternative<Spec, function>::call;

}  // namespace posenc::spec
