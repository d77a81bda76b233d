// The positions of the tokens of an array: counted, typed, or from a file with a row of them per batch row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "posenc/files/array.h"
#include "posenc/position.h"

namespace posenc::cli {

// Tokens of an array [N, ..] or [B, N, ..].
struct TokenCount {
  std::int64_t batch = 0;  // 0: without a batch axis
  std::int64_t tokens = 0;
};

// `batch_rank` is the number of axes of an array that has a batch axis.
TokenCount tokens_of(const Array& array, std::size_t batch_rank);

struct TokenPositions {
  std::string text;  // what the user typed, or "0:N"
  Positions numbers;
  PositionView view;  // of `numbers`

  // Throws unless their number is the number of tokens of `file`.
  void check_count(const std::string& file, TokenCount count) const;
};

// Positions as the user typed them, with their file read once, because several arrays may share them.
struct PositionText {
  explicit PositionText(const std::string& text);

  std::string text;
  Array file;
};

// Makes positions from the text. An empty text counts from 0. A file has [N] or [B, N], or [N, A] or [B, N, A] if the
// encoding has several `axes`.
TokenPositions token_positions(const PositionText& given, std::int64_t axes, TokenCount count);
inline TokenPositions load_token_positions(const std::string& text, std::int64_t axes, TokenCount count) {
  return token_positions(PositionText(text), axes, count);
}

}  // namespace posenc::cli
