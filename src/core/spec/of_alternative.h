// Makes a function of one alternative of a variant a function of the variant.
#pragma once

#include <type_traits>
#include <variant>

namespace posenc::spec {

// OfAlternative<Spec, f>::call(spec, ...) is f(std::get<Kind>(spec), ...), where f takes a Kind& first.
template <class Variant, auto function>
struct OfAlternative;

template <class Variant, class Result, class Kind, class... Rest, Result (*function)(Kind&, Rest...)>
struct OfAlternative<Variant, function> {
  using Any = std::conditional_t<std::is_const_v<Kind>, const Variant, Variant>;
  static Result call(Any& any, Rest... rest) { return function(std::get<std::remove_const_t<Kind>>(any), rest...); }
};

}  // namespace posenc::spec
