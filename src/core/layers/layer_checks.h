// Checks of the views that callers pass to layers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/check_view.h"
#include "posenc/view.h"

namespace posenc::layers {

using base::NamedView;

struct LayerChecks {
  std::string_view where;  // begins every message

  // Checks tokens to read: [N, M] or [B, N, M] of f32 or f64, with contiguous channels.
  void tokens(const ConstView& view, std::string_view name) const;
  // Checks tokens to write: shape and dtype of `like`.
  void token_output(const View& view, const ConstView& like, std::string_view name) const;
  // Checks tokens to read: shape and dtype of x.
  void same_as_x(const ConstView& view, const ConstView& x, std::string_view name) const;
  // Checks a weight to read: this shape, any float dtype and strides.
  void weight(const ConstView& view, const base::Shape& shape, std::string_view name) const;
  // The same, but the weight may be omitted.
  void optional_weight(const ConstView& view, const base::Shape& shape, std::string_view name) const;
  // Checks that `key_heads` divides `heads`. Returns the number of key heads: a `key_heads` of 0 means `heads`.
  std::int64_t key_heads(std::int64_t heads, std::int64_t key_heads) const;
  // Checks a gradient to write, which may be omitted: shape of `like`, f32 or f64. An error if `like` is omitted.
  void gradient(const View& view, const ConstView& like, std::string_view name) const;
  // Checks that an output does not overlap the views that are read.
  void apart_from(const NamedView& written, const std::vector<NamedView>& read) const;
  // Checks that gradients do not overlap each other or the views that are read. Each has the name of its parameter or
  // input. The gradients of x and context may overlap views that are read, because they are written last.
  void gradients_apart(const std::vector<NamedView>& written, const std::vector<NamedView>& read) const;
};

}  // namespace posenc::layers
