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
  std::int64_t batch = 0;  // 0: there is no such axis
  std::int64_t tokens = 0;
};

// Of an array with `batch_rank` axes if it has a batch in front.
TokenCount tokens_of(const Array& array, std::size_t batch_rank);

struct TokenPositions {
  std::string text;  // what the user wrote, or "0:N"
  Positions numbers;
  PositionView view;  // of `numbers`

  // Throws unless there are as many as tokens of `file`.
  void check_count(const std::string& file, TokenCount count) const;
};

// What a user wrote, its file read: it may stand for the positions of several arrays.
struct PositionText {
  explicit PositionText(const std::string& text);

  std::string text;
  Array file;
};

// An empty text counts from 0. A file has [N] or [B, N]; for an encoding of several `axes` [N, A] or [B, N, A].
TokenPositions token_positions(const PositionText& given, std::int64_t axes, TokenCount count);
inline TokenPositions load_token_positions(const std::string& text, std::int64_t axes, TokenCount count) {
  return token_positions(PositionText(text), axes, count);
}

}  // namespace posenc::cli
