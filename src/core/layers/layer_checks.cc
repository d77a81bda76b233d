#include "core/layers/layer_checks.h"

#include <algorithm>

#include "core/base/float_types.h"
#include "core/base/memory_overlap.h"
#include "posenc/error.h"

namespace posenc::layers {
namespace {

std::string text_of(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (const std::int64_t length : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(length);
  return text + "]";
}

std::vector<std::int64_t> shape_of(const ConstView& view) {
  return {view.shape.begin(), view.shape.begin() + view.rank};
}

bool is_real(DType dtype) { return dtype == DType::f32 || dtype == DType::f64; }

}  // namespace

void LayerChecks::refuse(const std::string& message) const {
  fail(ErrorKind::usage, "[" + std::string(where) + "] " + message);
}

void LayerChecks::tokens(const ConstView& view, std::string_view name_view) const {
  const std::string name(name_view);
  if (view.rank != 2 && view.rank != 3) refuse(name + " must be [N, M] or [B, N, M] but is " + shape_text(view));
  const std::vector<std::int64_t> shape = shape_of(view);
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t length) { return length < 0; })) {
    refuse(name + " must have no negative length but is " + shape_text(view));
  }
  if (!is_real(view.dtype)) refuse(name + " must be f32 or f64 but is " + std::string(to_text(view.dtype)));
  if (view.size() == 0) return;
  if (view.data == nullptr) refuse(name + " must not be null but is " + shape_text(view));
  const auto last = static_cast<std::size_t>(view.rank - 1);
  if (view.shape[last] > 1 && view.strides[last] != 1) {
    refuse(name + " must have contiguous channels but the stride of its last axis is " +
           std::to_string(view.strides[last]));
  }
  if (base::reaches_too_far(view)) refuse(name + " must lie in memory but its strides lead beyond");
}

void LayerChecks::token_output(const View& view, const ConstView& like, std::string_view name) const {
  check_output(view, where, name);
  if (shape_of(view) == shape_of(like) && view.dtype == like.dtype) return;
  refuse(std::string(name) + " must be " + shape_text(like) + " " + std::string(to_text(like.dtype)) + " but is " +
         shape_text(view) + " " + std::string(to_text(view.dtype)));
}

void LayerChecks::same_as_x(const ConstView& view, const ConstView& x, std::string_view name) const {
  tokens(view, name);
  if (shape_of(view) == shape_of(x) && view.dtype == x.dtype) return;
  refuse(std::string(name) + " must be as x, " + shape_text(x) + " " + std::string(to_text(x.dtype)) + ", but is " +
         shape_text(view) + " " + std::string(to_text(view.dtype)));
}

void LayerChecks::in_place_or_apart(const View& written, std::string_view name, const ConstView& read,
                                    std::string_view other) const {
  if (base::same_memory(written, read) || !base::share_memory(written, read)) return;
  refuse(std::string(name) + " must not overlap " + std::string(other) + ", but where they are the same");
}

void LayerChecks::weight(const ConstView& view, const std::vector<std::int64_t>& shape,
                         std::string_view name_view) const {
  const std::string name(name_view);
  if (shape_of(view) != shape) refuse(name + " must be " + text_of(shape) + " but is " + shape_text(view));
  if (!base::is_float(view.dtype)) {
    refuse(name + " must be f32, f64, f16 or bf16 but is " + std::string(to_text(view.dtype)));
  }
  if (view.size() > 0 && view.data == nullptr) refuse(name + " must not be null but is " + shape_text(view));
  if (base::reaches_too_far(view)) refuse(name + " must lie in memory but its strides lead beyond");
}

void LayerChecks::optional_weight(const ConstView& view, const std::vector<std::int64_t>& shape,
                                  std::string_view name) const {
  if (view.rank > 0) weight(view, shape, name);
}

void LayerChecks::gradient(const View& view, const ConstView& like, std::string_view name_view) const {
  if (view.rank == 0) return;
  const std::string name = "the gradient of " + std::string(name_view);
  if (like.rank == 0) refuse(name + " must be left out where there is no " + std::string(name_view));
  check_output(view, where, name);
  if (shape_of(view) == shape_of(like) && is_real(view.dtype)) return;
  refuse(name + " must be " + shape_text(like) + " f32 or f64 but is " + shape_text(view) + " " +
         std::string(to_text(view.dtype)));
}

void LayerChecks::apart(const std::vector<NamedView>& views) const {
  for (std::size_t i = 0; i < views.size(); ++i) {
    apart_from(views[i], {views.begin() + static_cast<std::ptrdiff_t>(i) + 1, views.end()});
  }
}

void LayerChecks::apart_from(const NamedView& written, const std::vector<NamedView>& read) const {
  if (written.view.rank == 0) return;
  for (const NamedView& other : read) {
    if (other.view.rank == 0 || !base::share_memory(written.view, other.view)) continue;
    refuse(std::string(written.name) + " must not overlap " + std::string(other.name));
  }
}

void LayerChecks::gradients_apart(const std::vector<NamedView>& written, const std::vector<NamedView>& read) const {
  std::vector<std::string> names;
  for (const NamedView& view : written) names.push_back("the gradient of " + std::string(view.name));
  std::vector<NamedView> gradients;
  for (std::size_t i = 0; i < written.size(); ++i) gradients.push_back({names[i], written[i].view});
  apart(gradients);
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (written[i].name != "x" && written[i].name != "context") apart_from(gradients[i], read);
  }
}

}  // namespace posenc::layers
