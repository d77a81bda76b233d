// What layers check of the views they are given.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "posenc/view.h"

namespace posenc::layers {

struct NamedView {
  std::string_view name;
  ConstView view;
};

struct LayerChecks {
  std::string_view where;  // opens every message

  [[noreturn]] void refuse(const std::string& message) const;

  // Tokens that are read: [N, M] or [B, N, M] of f32 or f64, the channels contiguous.
  void tokens(const ConstView& view, std::string_view name) const;
  // Tokens that are written: shape and dtype of `like`.
  void token_output(const View& view, const ConstView& like, std::string_view name) const;
  // Tokens that are read: shape and dtype of x.
  void same_as_x(const ConstView& view, const ConstView& x, std::string_view name) const;
  // What is written is the same memory as what is read, or has none of it.
  void in_place_or_apart(const View& written, std::string_view name, const ConstView& read,
                         std::string_view other) const;
  // A weight that is read: of this shape, of any float type and strides.
  void weight(const ConstView& view, const std::vector<std::int64_t>& shape, std::string_view name) const;
  // The same, or not there.
  void optional_weight(const ConstView& view, const std::vector<std::int64_t>& shape, std::string_view name) const;
  // Where a gradient goes, or nothing: the shape of `like`, f32 or f64. Where there is no `like`, an error.
  void gradient(const View& view, const ConstView& like, std::string_view name) const;
  // No two of them share memory; those that are not there do not.
  void apart(const std::vector<NamedView>& views) const;
  // It shares none with what is read beside it.
  void apart_from(const NamedView& written, const std::vector<NamedView>& read) const;
  // Gradients, by the names of what they are of: apart from each other, and from what is read but for those of x and
  // context, which are written last.
  void gradients_apart(const std::vector<NamedView>& written, const std::vector<NamedView>& read) const;
};

}  // namespace posenc::layers
