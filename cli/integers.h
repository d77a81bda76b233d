// Whole numbers in rows, from what a user types: 1,1,0/0,1,1 or @mask.npy.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "posenc/view.h"

namespace posenc::cli {

// As many numbers as a text of positions may have; what is printed is limited to the same.
inline constexpr std::int64_t kMaxIntegers = std::int64_t{1} << 27;

struct Integers {
  std::vector<std::int64_t> numbers;
  std::vector<std::int64_t> shape;  // [N] or [B, N]

  ConstView view() const;
  View view();  // for writing
  // [N] as [1, N]; [B, N] as it is.
  Integers as_rows() &&;
};

// Commas between the numbers of a row, slashes between rows: without a slash [N], else [B, N]. `option` opens messages.
// A file may have one or two axes and must hold integers.
Integers read_integers(const std::string& text, const std::string& option);
// The same, where there must be one row.
std::vector<std::int64_t> read_list(const std::string& text, const std::string& option);
// Lengths of a grid, 3x5 or 2x3x5, each at most `most`.
std::vector<std::int64_t> read_grid(const std::string& text, const std::string& option,
                                    std::int64_t most = kMaxIntegers);

std::vector<std::string_view> split(std::string_view text, char separator);
// Whether all of `text` is one whole number.
bool parse_integer(std::string_view text, std::int64_t& number);

// A seed or a step; neither signs nor numbers beyond 64 bits.
std::uint64_t whole_number(const std::string& text, const std::string& option);

// An array of zeros to fill; more than kMaxIntegers numbers is an error.
Integers make_integers(std::vector<std::int64_t> shape);

}  // namespace posenc::cli
