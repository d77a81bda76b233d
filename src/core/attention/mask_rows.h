// A mask prepared for one attention call: finds the keys that a query sees in constant time.
#pragma once

#include <cstdint>
#include <vector>

#include "posenc/mask.h"

namespace posenc::attention {

class MaskRows {
 public:
  // The mask must have passed check_mask, and its views must outlive this.
  MaskRows(const Mask& mask, const MaskGrid& grid);

  KeyRange range(std::int64_t b, std::int64_t n) const noexcept;
  // The key that query 0 is aligned with.
  std::int64_t offset() const noexcept { return offset_; }
  // Whether single keys may be hidden in addition to the ranges, and whether this key is shown.
  bool picks() const noexcept { return mask_.keys.data != nullptr || mask_.pairs.data != nullptr; }
  bool shown(std::int64_t b, std::int64_t n, std::int64_t s) const noexcept;
  // Whether there is padding, which no query of the batch row may see, and whether this key is padding.
  bool pads() const noexcept {
    return mask_.keys.data != nullptr || mask_.starts.data != nullptr || mask_.ends.data != nullptr;
  }
  bool is_padding(std::int64_t b, std::int64_t s) const noexcept;

 private:
  struct Run {
    std::int64_t first;
    std::int64_t last;
  };

  Mask mask_;
  MaskGrid grid_;
  std::int64_t offset_;
  std::vector<Run> runs_;  // of documents, [S] or [B, S]: the run that contains each key
};

}  // namespace posenc::attention
