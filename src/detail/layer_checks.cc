#include "detail/layer_checks.h"

#include <algorithm>

#include "detail/float_types.h"
#include "detail/memory_overlap.h"
#include "posenc/error.h"

namespace posenc::detail {
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
  if (reaches_too_far(view)) refuse(name + " must lie in memory but its strides lead beyond");
}

void LayerChecks::token_output(const View& view, const ConstView& like, std::string_view name) const {
  check_output(view, where, name);
  if (shape_of(view) == shape_of(like) && view.dtype == like.dtype) return;
  refuse(std::string(name) + " must be " + shape_text(like) + " " + std::string(to_text(like.dtype)) + " but is " +
         shape_text(view) + " " + std::string(to_text(view.dtype)));
}

void LayerChecks::weight(const ConstView& view, const std::vector<std::int64_t>& shape,
                         std::string_view name_view) const {
  const std::string name(name_view);
  if (shape_of(view) != shape) refuse(name + " must be " + text_of(shape) + " but is " + shape_text(view));
  if (!is_float(view.dtype)) {
    refuse(name + " must be f32, f64, f16 or bf16 but is " + std::string(to_text(view.dtype)));
  }
  if (view.size() > 0 && view.data == nullptr) refuse(name + " must not be null but is " + shape_text(view));
  if (reaches_too_far(view)) refuse(name + " must lie in memory but its strides lead beyond");
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
    for (std::size_t j = i + 1; j < views.size(); ++j) {
      if (views[i].view.rank == 0 || views[j].view.rank == 0) continue;
      if (!share_memory(views[i].view, views[j].view)) continue;
      refuse(std::string(views[i].name) + " must not overlap " + std::string(views[j].name));
    }
  }
}

}  // namespace posenc::detail
