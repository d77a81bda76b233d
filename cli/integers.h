// Reads whole numbers in rows: 1,1,0/0,1,1 or @mask.npy.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "posenc/view.h"

namespace posenc::cli {

// The most numbers that can be read or printed; a text of positions has the same limit.
inline constexpr std::int64_t kMaxIntegers = std::int64_t{1} << 27;

struct Integers {
  std::vector<std::int64_t> numbers;
  std::vector<std::int64_t> shape;  // [N] or [B, N]

  ConstView view() const;
  View view();  // for writing
  // [N] becomes [1, N]; [B, N] stays.
  Integers as_rows() &&;
};

// Commas separate the numbers of a row, slashes the rows: [N] without a slash, else [B, N]. A file must hold integers
// on one or two axes. Messages begin with `option`.
Integers read_integers(const std::string& text, const std::string& option);
// The same for a single row.
std::vector<std::int64_t> read_list(const std::string& text, const std::string& option);
// The lengths of a grid, 3x5 or 2x3x5, each at most `most`.
std::vector<std::int64_t> read_grid(const std::string& text, const std::string& option,
                                    std::int64_t most = kMaxIntegers);

std::vector<std::string_view> split(std::string_view text, char separator);
// Whether all of `text` is one whole number.
bool parse_integer(std::string_view text, std::int64_t& number);

// Reads a seed or a step: no sign, at most 64 bits.
std::uint64_t whole_number(const std::string& text, const std::string& option);

// An array of zeros. More than kMaxIntegers numbers are an error.
Integers make_integers(std::vector<std::int64_t> shape);

}  // namespace posenc::cli
