// The checks that layers make of the views they are given.
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
  // The same, or omitted.
  void optional_weight(const ConstView& view, const base::Shape& shape, std::string_view name) const;
  // Checks heads, and key heads that divide them. Returns the number of key heads, where 0 means `heads`.
  std::int64_t key_heads(std::int64_t heads, std::int64_t key_heads) const;
  // Checks a gradient to write, which may be omitted: shape of `like`, f32 or f64. An error if `like` is omitted.
  void gradient(const View& view, const ConstView& like, std::string_view name) const;
  // Checks that an output does not overlap what is read.
  void apart_from(const NamedView& written, const std::vector<NamedView>& read) const;
  // Checks gradients, named after what they are the gradients of. They must not overlap each other or what is read,
  // except those of x and context, which are written last.
  void gradients_apart(const std::vector<NamedView>& written, const std::vector<NamedView>& read) const;
};

}  // namespace posenc::layers
