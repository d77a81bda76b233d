#include "core/attention/mask_rows.h"

#include <algorithm>

#include "core/base/id_view.h"

namespace posenc::attention {
namespace {

// Rounds down, also for negative results.
std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

std::int64_t byte_at(const ConstView& view, std::int64_t s) { return view.as<std::uint8_t>()[s * view.strides[0]]; }

}  // namespace

MaskRows::MaskRows(const Mask& mask, const MaskGrid& grid)
    : mask_(mask), grid_(grid), offset_(first_beside(mask, grid)) {
  if (mask.documents.data == nullptr) return;
  const ConstView rows = base::with_axes(mask.documents, 2);
  runs_.resize(static_cast<std::size_t>(rows.shape[0] * grid.keys));
  for (std::int64_t b = 0; b < rows.shape[0]; ++b) {
    Run* run = runs_.data() + b * grid.keys;
    for (std::int64_t first = 0; first < grid.keys;) {
      std::int64_t last = first + 1;
      while (last < grid.keys && base::id_at(rows, b, last) == base::id_at(rows, b, first)) ++last;
      std::fill(run + first, run + last, Run{first, last});
      first = last;
    }
  }
}

KeyRange MaskRows::range(std::int64_t b, std::int64_t n) const noexcept {
  const std::int64_t beside = n + offset_;
  const std::int64_t start = mask_.starts.data != nullptr ? base::id_at(mask_.starts, b) : 0;
  std::int64_t low = std::max<std::int64_t>(start, 0);
  std::int64_t last = grid_.keys;
  if (mask_.ends.data != nullptr) last = std::min(last, base::id_at(mask_.ends, b));
  if (mask_.causal != Causal::none) last = std::min(last, beside + 1);
  if (mask_.right) last = std::min(last, beside + 1 + *mask_.right);
  if (!runs_.empty()) {
    if (beside < 0 || beside >= grid_.keys) return {low, low, low, low};
    const Run& run = runs_[static_cast<std::size_t>((mask_.documents.rank == 2 ? b * grid_.keys : 0) + beside)];
    low = std::max(low, run.first);
    last = std::min(last, run.last);
  }
  if (last <= low) return {low, low, low, low};
  const std::int64_t sinks = std::min(low + std::min(mask_.sink_keys, grid_.keys), last);
  std::int64_t window = low;
  if (mask_.left) window = std::max(window, beside - *mask_.left);
  if (mask_.chunk > 0) {
    const std::int64_t chunk = start + floor_divide(beside - start, mask_.chunk) * mask_.chunk;
    window = std::max(window, chunk);
    last = std::clamp(chunk + mask_.chunk, low, last);
  }
  window = std::min(window, last);
  if (sinks <= low) return {window, window, window, last};
  if (sinks >= window) return {low, window, window, std::max(sinks, last)};
  return {low, sinks, window, last};
}

bool MaskRows::is_padding(std::int64_t b, std::int64_t s) const noexcept {
  if (mask_.starts.data != nullptr && s < base::id_at(mask_.starts, b)) return true;
  if (mask_.ends.data != nullptr && s >= base::id_at(mask_.ends, b)) return true;
  if (mask_.keys.data == nullptr) return false;
  return byte_at(mask_.keys.rank == 2 ? mask_.keys[b] : mask_.keys, s) == 0;
}

bool MaskRows::shown(std::int64_t b, std::int64_t n, std::int64_t s) const noexcept {
  if (mask_.keys.data != nullptr && is_padding(b, s)) return false;
  if (mask_.pairs.data == nullptr) return true;
  return byte_at(mask_.pairs.rank == 3 ? mask_.pairs[b][n] : mask_.pairs[n], s) != 0;
}

}  // namespace posenc::attention
