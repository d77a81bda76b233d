// What layers check of the views they are given.
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
  std::string_view where;  // opens every message

  // Tokens that are read: [N, M] or [B, N, M] of f32 or f64, the channels contiguous.
  void tokens(const ConstView& view, std::string_view name) const;
  // Tokens that are written: shape and dtype of `like`.
  void token_output(const View& view, const ConstView& like, std::string_view name) const;
  // Tokens that are read: shape and dtype of x.
  void same_as_x(const ConstView& view, const ConstView& x, std::string_view name) const;
  // A weight that is read: of this shape, of any float type and strides.
  void weight(const ConstView& view, const base::Shape& shape, std::string_view name) const;
  // The same, or not there.
  void optional_weight(const ConstView& view, const base::Shape& shape, std::string_view name) const;
  // Heads, and heads of keys that divide them; returns the latter, as many as there are heads if it is 0.
  std::int64_t key_heads(std::int64_t heads, std::int64_t key_heads) const;
  // Where a gradient goes, or nothing: the shape of `like`, f32 or f64. Where there is no `like`, an error.
  void gradient(const View& view, const ConstView& like, std::string_view name) const;
  // It shares no memory with what is read beside it.
  void apart_from(const NamedView& written, const std::vector<NamedView>& read) const;
  // Gradients, by the names of what they are of: apart from each other, and from what is read but for those of x and
  // context, which are written last.
  void gradients_apart(const std::vector<NamedView>& written, const std::vector<NamedView>& read) const;
};

}  // namespace posenc::layers
