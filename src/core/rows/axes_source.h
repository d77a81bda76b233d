// Produces rows that need several coordinates of a token: parts side by side, and Fourier features.
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

// Positions must have passed check_rows. Must not be used by several threads at once.
class AxesSource {
 public:
  // `rows` are ConcatRows or FourierRows with this width.
  AxesSource(const InputRows& rows, std::int64_t width);

  // Writes the row of token n of batch row b, [M], of any float dtype.
  void write(const PositionView& positions, std::int64_t b, std::int64_t n, const View& row);

 private:
  // A part that reads one coordinate, and its columns in the row.
  struct Part {
    std::int64_t axis;
    std::int64_t first;
    std::int64_t kept;  // channels of the part that are within the row
    std::unique_ptr<RowSource> source;
  };
  // Fourier features use the angles of a rotary schedule with the same frequencies.
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
  std::vector<double> scratch_;  // holds a whole part, of any dtype, before it is cut
  std::vector<double> sine_;
  std::vector<double> cosine_;
};

}  // namespace posenc::rows
