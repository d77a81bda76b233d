// The bias that an engine adds to a score.
#pragma once

#include <cstdint>
#include <vector>

#include "insight/diagnosis/engine.h"
#include "posenc/parameters.h"
#include "posenc/reference.h"

namespace posenc::diagnosis {

// Learned numbers of the spec, in C order.
struct LearnedNumbers {
  std::vector<std::string> names;
  std::vector<std::vector<std::int64_t>> shapes;
  std::vector<std::vector<double>> values;

  std::vector<reference::Numbers> views() const;
  const std::vector<double>* find(std::string_view name) const;
};
LearnedNumbers read_learned(const Parameters& parameters);

// The biases of one engine, which must outlive this object.
class EngineBias {
 public:
  EngineBias(const Engine& engine, const LearnedNumbers& learned, std::int64_t heads);

  // Whether a value is an entry of a learned table, in the row that `row` returns.
  bool by_table() const { return by_table_; }
  std::int64_t table_rows() const { return table_rows_; }
  std::int64_t table_row(double i, double j) const;
  // `table` is [rows][heads]; used if by_table.
  double at(std::int64_t head, double i, double j, const std::vector<double>* table) const;

 private:
  double alibi(std::int64_t head, double i, double j) const;

  const Engine* engine_;
  std::vector<reference::Numbers> views_;
  std::vector<double> slopes_;
  std::int64_t heads_;
  bool by_table_ = false;
  std::int64_t table_rows_ = 0;
  mutable std::vector<std::int32_t> rows_;  // of offsets from -reach on; -1: not computed yet
};

}  // namespace posenc::diagnosis
