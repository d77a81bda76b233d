// The rows of a table as text, CSV, JSON or npy, a block at a time.
#pragma once

#include <memory>
#include <string>

#include "cli/output.h"
#include "posenc/position.h"
#include "posenc/schedule.h"
#include "posenc/spec.h"
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
  Spec spec;
  SinusoidalSchedule schedule;
  PositionView positions;
  DType dtype;
  bool derivative;
};

std::unique_ptr<TableWriter> make_table_writer(const std::string& format, const TableHead& head);

// The element at (row, column) as a double, exactly.
double number_at(const ConstView& rows, std::int64_t row, std::int64_t column);

}  // namespace posenc::cli
