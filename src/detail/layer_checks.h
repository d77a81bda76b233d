// What layers check of the views they are given.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "posenc/view.h"

namespace posenc::detail {

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
  // A weight that is read: of this shape, of any float type and strides.
  void weight(const ConstView& view, const std::vector<std::int64_t>& shape, std::string_view name) const;
  // The same, or not there.
  void optional_weight(const ConstView& view, const std::vector<std::int64_t>& shape, std::string_view name) const;
  // Where a gradient goes, or nothing: the shape of `like`, f32 or f64. Where there is no `like`, an error.
  void gradient(const View& view, const ConstView& like, std::string_view name) const;
  // No two of them share memory; those that are not there do not.
  void apart(const std::vector<NamedView>& views) const;
};

}  // namespace posenc::detail
