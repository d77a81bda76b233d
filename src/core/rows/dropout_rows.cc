#include "core/rows/dropout_rows.h"

#include <string>

#include "core/base/check_view.h"
#include "core/kernels/philox.h"

namespace posenc::rows {
namespace {

constexpr std::int64_t kCounterEnd = std::int64_t{1} << 32;

std::uint32_t low_word(std::uint64_t value) { return static_cast<std::uint32_t>(value & 0xffffffffu); }

}  // namespace

void check_dropout(const Dropout& dropout, std::int64_t rows, std::int64_t tokens, std::string_view where) {
  base::require(dropout.p >= 0.0 && dropout.p < 1.0, where, "dropout p must be at least 0 and below 1 but got ",
                dropout.p);
  base::require(dropout.step < static_cast<std::uint64_t>(kCounterEnd), where,
                "dropout step must be below 2^32 but got ", dropout.step);
  const auto check_count = [&](std::int64_t first, std::int64_t count, const char* name) {
    if (first >= 0 && first <= kCounterEnd - count) return;
    base::refuse(where, "dropout ", name, " must be 0 to ", kCounterEnd - count, " but got ", first);
  };
  check_count(dropout.first_row, rows, "first_row");
  check_count(dropout.first_token, tokens, "first_token");
}

DropoutRows::DropoutRows(const Dropout& dropout, std::int64_t width)
    : dropout_(dropout),
      width_(width),
      drops_(dropout.p > 0.0),
      threshold_(static_cast<std::uint32_t>(dropout.p * 0x1p32)),
      factor_(1.0 / (1.0 - dropout.p)) {
  if (drops_) random_.resize(static_cast<std::size_t>((width + 3) / 4 * 4));
}

void DropoutRows::make_random(std::int64_t b, std::int64_t n, std::int64_t first, std::int64_t count) {
  const std::uint32_t counter[4] = {static_cast<std::uint32_t>(first / 4),
                                    static_cast<std::uint32_t>(dropout_.first_token + n),
                                    static_cast<std::uint32_t>(dropout_.first_row + b), low_word(dropout_.step)};
  const std::uint32_t key[2] = {low_word(dropout_.seed), low_word(dropout_.seed >> 32)};
  kernels::philox_blocks(counter, key, (count + 3) / 4, random_.data());
}

}  // namespace posenc::rows
