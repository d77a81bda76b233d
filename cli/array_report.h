// The report that a command prints about input that it made itself: shapes, the size of the numbers, and the first of
// them. The numbers themselves go to a file or are printed as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/output.h"
#include "cli/shared_options.h"
#include "posenc/files/json.h"
#include "posenc/view.h"

namespace posenc::cli {

class ArrayReport {
 public:
  // "output       [2, 10, 64]    mean  0.0123  std 1.0456  note"
  void array(std::string_view name, const ConstView& view, std::string_view note = "");
  // A line with a shape alone.
  void shape(std::string_view name, const std::string& shape, std::string_view note = "");
  // A line or a paragraph as it is.
  void text(std::string_view text);
  // The first rows and columns of a view of two axes; `row` is what a row is: token, query.
  void first_numbers(const std::string& title, std::string_view row, const ConstView& view);

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// A command's result. Its name is "values", unless the tensor of a safetensors file has another name.
struct Result {
  std::string format;
  std::string tensor = {};
  Json::Object head = {};  // everything that the numbers depend on
  std::string report = {};
};
// Whether a report would be seen: as text on standard output, or beside a file.
bool wants_report(const std::string& format, const OutputOptions& options);
// Starts to write the numbers in the format, or the report if both would go to standard output. finish() puts the file
// at its path.
Output start_result(const ConstView& view, const Result& result, const OutputOptions& options);
// After finish(): prints the report of numbers that went to a file.
void print_report(const Result& result, const OutputOptions& options);
// start_result, finish and print_report in one call.
void write_result(const ConstView& view, const Result& result, const OutputOptions& options);

}  // namespace posenc::cli
