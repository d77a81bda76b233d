// Gives the rows that need several coordinates of a token: parts side by side, and Fourier features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/rows/pair_writer.h"
#include "core/rows/rotary_rows.h"
#include "core/rows/row_source.h"
#include "posenc/input_rows.h"

namespace posenc::rows {

// Positions must have passed check_rows. Not for several threads at once.
class AxesSource {
 public:
  // `rows` are ConcatRows or FourierRows of that width.
  AxesSource(const InputRows& rows, std::int64_t width);

  // Writes the row of token n of batch row b, [M], of any float type.
  void write(const PositionView& positions, std::int64_t b, std::int64_t n, const View& row);

 private:
  // A part that reads one coordinate, and its place in the row.
  struct Part {
    std::int64_t axis;
    std::int64_t first;
    std::int64_t kept;  // channels that the row has of it
    std::unique_ptr<RowSource> source;
  };
  // Angles are those of a rotation with the same frequencies.
  struct Features {
    RotaryRows angles;
    PairWriter writer;
    double multiplier;
  };

  void take_parts(const ConcatRows& rows);
  void take_features(const FourierSchedule& schedule);
  void write_part(Part& part, const PositionView& positions, std::int64_t b, std::int64_t n, const View& row);
  void write_features(const PositionView& positions, std::int64_t b, std::int64_t n, const View& row);

  std::int64_t width_;
  std::int64_t filled_ = 0;  // channels before the zeros
  std::vector<Part> parts_;
  std::optional<Features> features_;
  std::vector<double> scratch_;  // a whole part that is cut, in any dtype
  std::vector<double> sine_;
  std::vector<double> cosine_;
};

}  // namespace posenc::rows
