// The rows of a table as text, CSV, JSON, npy or safetensors, a block at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/shared_options.h"
#include "posenc/files/json.h"
#include "posenc/files/safetensors.h"
#include "posenc/position.h"
#include "posenc/view.h"

namespace posenc::cli {

// One array of a table, a row per position: the rows of an encoding at the input; the cosines or the sines of a rotary
// encoding, or both.
struct TablePart {
  std::string name;  // its key in JSON, its tensor in safetensors
  std::int64_t width = 0;
  // The prefixes of the column names in text and CSV: {""} gives 0, 1, ..; {"cos", "sin"} gives cos0, .., sin0, ..
  std::vector<std::string> groups = {""};
  // Writes the rows of these positions, [R, width]. Called for slices of all positions, in their order.
  std::function<void(const PositionView& positions, const View& rows)> fill;
  std::vector<std::int64_t> channels = {};  // the numbers of the columns of each group; empty: 0, 1, ..

  std::string heading(std::int64_t column) const;
};

struct TableHead {
  PositionView positions;
  DType dtype = DType::f64;
  double largest = 1.0;               // no value is larger
  Json::Object members = {};          // JSON: written before the positions
  Metadata metadata = {};             // safetensors only
  std::vector<TablePart> parts = {};  // text, CSV and npy can hold one
};

// Throws if the table takes more than max_bytes; `text` is what the user wrote for its positions.
void check_size(const TableHead& head, const std::string& text, std::int64_t max_bytes);

// Writes all rows, a block at a time, with progress.
void write_table(const TableHead& head, const std::string& format, const OutputOptions& options);

}  // namespace posenc::cli
