#include "core/spec/bound_parameters.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/base/check_view.h"
#include "core/base/float_types.h"
#include "core/text/joined.h"
#include "core/text/nearest.h"

namespace posenc::spec {
namespace {

// Calls visit(element, index) for the elements of a view of at least one axis, in C order.
template <class AnyView, class Visit>
void for_each_element(const AnyView& view, const Visit& visit) {
  base::with_float_type(view.dtype, [&](auto type) {
    using T = decltype(type);
    const auto axis = [&](const auto& self, const AnyView& part, std::int64_t first) -> void {
      if (part.rank == 1) {
        for (std::int64_t i = 0; i < part.shape[0]; ++i) {
          visit(part.template as<T>()[i * part.strides[0]], first + i);
        }
        return;
      }
      const std::int64_t step = part.shape[0] == 0 ? 0 : part.size() / part.shape[0];
      for (std::int64_t i = 0; i < part.shape[0]; ++i) self(self, part[i], first + i * step);
    };
    axis(axis, view, 0);
  });
}

std::string index_text(const ConstView& view, std::int64_t index) {
  std::string text;
  for (auto axis = static_cast<std::size_t>(view.rank); axis-- > 0;) {
    text = std::to_string(index % view.shape[axis]) + (text.empty() ? "" : ", ") + text;
    index /= view.shape[axis];
  }
  return "[" + text + "]";
}

std::string wanted_text(const ParameterInfo& info, std::int64_t heads) {
  const std::string tail =
      text::joined(info.shape, ", ", [](std::int64_t length) { return length < 0 ? "any" : std::to_string(length); });
  if (!info.per_head) return "[" + tail + "]";
  return "[" + tail + "] or, per head, [" + (heads == 0 ? "heads" : std::to_string(heads)) + ", " + tail + "]";
}

bool fits(const ConstView& view, const ParameterInfo& info, std::int64_t heads) {
  const std::size_t axes = info.shape.size();
  const auto rank = static_cast<std::size_t>(view.rank);
  const std::size_t first = rank == axes + 1 && info.per_head ? 1 : 0;
  if (rank != axes + first) return false;
  if (first == 1 && (heads == 0 ? view.shape[0] < 1 : view.shape[0] != heads)) return false;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::int64_t length = view.shape[axis + first];
    if (info.shape[axis] < 0 ? length < 1 : length != info.shape[axis]) return false;
  }
  return true;
}

class Checker {
 public:
  Checker(std::string_view where, std::string_view what) : where_(where), what_(what) {}

  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    base::refuse(where_, parts...);
  }

  const ParameterInfo& known(std::string_view name, const std::vector<ParameterInfo>& infos,
                             std::string_view kind) const {
    for (const ParameterInfo& info : infos) {
      if (info.name == name) return info;
    }
    if (infos.empty()) refuse(kind, " learns nothing but got '", name, "'");
    refuse(kind, " has no parameter '", name, "'", text::hint(name, infos, &ParameterInfo::name), " (it has ",
           text::joined(infos, ", ", &ParameterInfo::name), ")");
  }

  void view(const ConstView& view, const std::string& name, const base::ViewRule& rule) const {
    base::check_view(view, rule, where_, what_ + name);
  }

  void shape(const ConstView& view, const ParameterInfo& info, std::int64_t heads) const {
    if (fits(view, info, heads)) return;
    refuse(what_, info.name, " must be ", wanted_text(info, heads), " but is ", shape_text(view));
  }

  void numbers(const ConstView& view, const std::string& name, bool minus_infinity) const {
    for_each_element(view, [&](const auto& element, std::int64_t index) {
      const double value = base::widen(element);
      if (std::isfinite(value) || (minus_infinity && value == -INFINITY)) return;
      base::refuse_input(where_, what_, name, index_text(view, index), " must be finite",
                         (minus_infinity ? " or -inf" : ""), " but is ", value);
    });
  }

 private:
  std::string_view where_;
  std::string what_;
};

}  // namespace

BoundParameters::BoundParameters(const Spec& spec, const Parameters& parameters, std::string_view where)
    : kind_(kind_of(spec)), infos_(parameters_of(spec)) {
  const Checker check(where, "");
  const std::int64_t heads = heads_of(spec);
  for (const Parameter& parameter : parameters) {
    const ParameterInfo& info = check.known(parameter.name, infos_, kind_);
    if (has(info.name)) check.refuse(info.name, " must be given once but came twice");
    check.view(parameter.value, info.name, {.channels = base::Channels::any});
    check.shape(parameter.value, info, heads);
    check.numbers(parameter.value, info.name, info.minus_infinity);
    Bound bound{info.name, parameter.value, {}, {}, parameter.value.rank > static_cast<int>(info.shape.size())};
    bound.shape.assign(parameter.value.shape.begin(), parameter.value.shape.begin() + parameter.value.rank);
    if (!info.by_reference) {
      bound.view.data = nullptr;  // the caller may free the memory before gradients are computed
      bound.numbers.resize(static_cast<std::size_t>(parameter.value.size()));
      for_each_element(parameter.value, [&](const auto& element, std::int64_t index) {
        bound.numbers[static_cast<std::size_t>(index)] = base::widen(element);
      });
    }
    bound_.push_back(std::move(bound));
  }
  for (const ParameterInfo& info : infos_) {
    if (has(info.name) || !is_needed(info)) continue;
    check.refuse(kind_, " needs the parameter ", info.name, ", ", wanted_text(info, heads));
  }
  for (const ParameterInfo& info : infos_) {
    if (info.together.empty() || has(info.name) == has(info.together)) continue;
    check.refuse(info.name, " and ", info.together, " must be given together");
  }
}

bool BoundParameters::is_needed(const ParameterInfo& info) const {
  if (info.optional || info.unless.empty() || !has(info.unless)) return !info.optional;
  return std::any_of(infos_.begin(), infos_.end(),
                     [&](const ParameterInfo& other) { return other.unless == info.unless && has(other.name); });
}

const BoundParameters::Bound* BoundParameters::find(std::string_view name) const noexcept {
  for (const Bound& bound : bound_) {
    if (bound.name == name) return &bound;
  }
  return nullptr;
}

std::span<const double> BoundParameters::numbers(std::string_view name) const noexcept {
  const Bound* bound = find(name);
  return bound ? std::span<const double>(bound->numbers) : std::span<const double>();
}

std::vector<std::int64_t> BoundParameters::shape(std::string_view name) const {
  const Bound* bound = find(name);
  return bound ? bound->shape : std::vector<std::int64_t>();
}

ConstView BoundParameters::view(std::string_view name) const noexcept {
  const Bound* bound = find(name);
  return bound ? bound->view : ConstView();
}

bool BoundParameters::per_head(std::string_view name) const noexcept {
  const Bound* bound = find(name);
  return bound != nullptr && bound->per_head;
}

void BoundParameters::check_gradients(const Gradients& gradients, std::string_view where) const {
  const Checker check(where, "the gradient of ");
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const View& value = gradients[i].value;
    const std::string& name = check.known(gradients[i].name, infos_, kind_).name;
    const Bound* bound = find(name);
    if (bound == nullptr) check.refuse("the gradient of ", name, " was asked for but the parameter was not given");
    check.view(value, name,
               {.dtypes = base::kReals,
                .shape = base::shape_of(bound->view),
                .channels = base::Channels::any,
                .use = base::Use::write,
                .reason = "as the parameter"});
    for (std::size_t other = 0; other < i; ++other) {
      if (gradients[other].name == gradients[i].name) {
        check.refuse("the gradient of ", name, " must be given once but came twice");
      }
      base::check_apart({"the gradient of " + name, value},
                        {"that of " + gradients[other].name, gradients[other].value}, where);
    }
    for (const Bound& read : bound_) {
      base::check_apart({"the gradient of " + name, value}, {"the parameter " + read.name, read.view}, where);
    }
  }
}

const Gradient* find_gradient(const Gradients& gradients, std::string_view name) noexcept {
  for (const Gradient& gradient : gradients) {
    if (gradient.name == name) return &gradient;
  }
  return nullptr;
}

void add_to_gradient(std::span<const double> numbers, const View& gradient) {
  for_each_element(gradient, [&](auto& element, std::int64_t index) {
    using T = std::remove_reference_t<decltype(element)>;
    element = base::narrow<T>(base::widen(element) + numbers[static_cast<std::size_t>(index)]);
  });
}

}  // namespace posenc::spec
