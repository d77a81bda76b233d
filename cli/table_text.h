// The rows of a table as text, CSV, JSON, npy or safetensors, a block at a time.
#pragma once

#include <memory>
#include <string>

#include "cli/encoding.h"
#include "cli/output.h"
#include "posenc/position.h"
#include "posenc/table.h"
#include "posenc/view.h"

namespace posenc::cli {

// What is said before, between and after the rows. `rows` views are [R, M] of any float type.
class TableWriter {
 public:
  virtual ~TableWriter() = default;
  virtual void begin(Output& output) = 0;
  virtual void rows(Output& output, const PositionView& positions, const ConstView& rows) = 0;
  virtual void end(Output& output) = 0;
};

struct TableHead {
  const Encoding& encoding;
  PositionView positions;
  DType dtype = DType::f64;
  Rows rows = Rows::values;  // derivative: of a sinusoidal encoding only
  std::string figure = {};   // in JSON, the figure whose data this is

  std::int64_t width() const { return encoding.width(); }
};

// Writes all rows, a block at a time, with progress.
void write_table(const TableHead& head, const std::string& format, const OutputOptions& options);

// Whether the rows go out as they lie in memory.
bool is_binary(const std::string& format);

std::unique_ptr<TableWriter> make_table_writer(const std::string& format, const TableHead& head);

}  // namespace posenc::cli
