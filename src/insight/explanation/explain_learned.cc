#include <algorithm>
#include <cstddef>
#include <string>

#include "insight/explanation/explain_kinds.h"
#include "insight/explanation/explain_pairs.h"
#include "insight/properties/formulas.h"
#include "posenc/error.h"
#include "posenc/input_rows.h"
#include "posenc/learned.h"
#include "posenc/position.h"
#include "posenc/schedule.h"

namespace posenc::explanation {
namespace {

void refuse_options(const ExplainOptions& options) {
  if (!options.derivative && !options.shift) return;
  fail(ErrorKind::unsupported, "[explain] a learned table has no " +
                                   std::string(options.derivative ? "derivative" : "shift matrix") +
                                   ": its rows follow no formula");
}

std::string past_end_text(const Learned& spec) {
  if (spec.past_end == PastEnd::clamp) return "positions past the last row read the last row (past_end=clamp)";
  if (spec.past_end == PastEnd::error) return "positions past the last row are an error (past_end=error)";
  return "a shorter table is stretched to " + std::to_string(*spec.length) + " positions (past_end=interpolate)";
}

Step rule(const Learned& spec, const ExplainOptions& options) {
  const std::string sort = options.table_text.starts_with("--init ") ? "untrained" : "learned";
  Step step{"rule",
            "The rule",
            {plain_text(properties::formula_of(spec).lines[0]) + ", one row of " + sort + " numbers"},
            {}};
  if (spec.first > 0) {
    step.lines.push_back("position 0 reads row " + std::to_string(spec.first) + ": the rows before it have other uses");
  }
  step.lines.push_back(past_end_text(spec));
  if (spec.normalize == Normalize::l2) step.lines.emplace_back("each row is divided by its norm (normalize=l2)");
  return step;
}

std::string read_text(const RowRead& read) {
  if (read.share == 0.0) return "row " + std::to_string(read.row);
  return text::number_text(1.0 - read.share) + " x row " + std::to_string(read.row) + " + " +
         text::number_text(read.share) + " x row " + std::to_string(read.next);
}

Step row_step(const Learned& spec, std::int64_t rows, double position) {
  const RowRead read = row_read(spec, rows, position);
  Step step{"row", "The row", {}, {static_cast<double>(read.row), static_cast<double>(read.next), read.share}};
  const std::int64_t count = positions_of(spec, rows);
  if (spec.past_end == PastEnd::interpolate && *spec.length > count) {
    step.lines.push_back("place in the table = (" + text::number_text(position) + " + 0.5) x " + std::to_string(count) +
                         "/" + std::to_string(*spec.length) + " - 0.5, between 0 and " + std::to_string(count - 1) +
                         (spec.first > 0 ? ", counted from row " + std::to_string(spec.first) : ""));
  }
  step.lines.push_back("position " + text::number_text(position) + " reads " + read_text(read) + " of " +
                       std::to_string(rows));
  return step;
}

Step numbers(const InputRows& rows, double position, const std::string& title) {
  Step step{"numbers", title, {}, std::vector<double>(static_cast<std::size_t>(width_of(rows)))};
  const View row = make_view(step.values.data(), {1, static_cast<std::int64_t>(step.values.size())});
  fill_rows(rows, PositionView::of(&position, 1), row);
  std::string text;
  constexpr std::size_t kShown = 12;
  for (std::size_t i = 0; i < std::min(step.values.size(), kShown); ++i) {
    text += (i > 0 ? ", " : "") + text::fixed_text(step.values[i], 5);
  }
  step.lines.push_back("PE(" + text::number_text(position) + ") = [" + text +
                       (step.values.size() > kShown ? ", ..." : "") + "]");
  return step;
}

Step lookup(const RowRead& read, std::int64_t rows) {
  constexpr std::int64_t kShown = 8;
  Step step{"lookup", "The lookup as a product", {}, {}};
  const std::string row = std::to_string(read.row);
  if (read.share != 0.0) {
    step.lines = {"a vector of weights times the table: " + text::number_text(1.0 - read.share) + " at row " + row +
                  ", " + text::number_text(read.share) + " at row " + std::to_string(read.next) + ", 0 elsewhere"};
  } else if (read.row < kShown) {
    std::string one_hot;
    for (std::int64_t r = 0; r <= read.row; ++r) one_hot += r == read.row ? "1" : "0, ";
    if (read.row + 2 == rows) one_hot += ", 0";
    if (read.row + 2 < rows) one_hot += ", 0, ...";
    step.lines = {"[" + one_hot + "] times the table = row " + row};
  } else {
    step.lines = {"a one-hot vector with 1 at index " + row + " times the table = row " + row};
  }
  step.lines.emplace_back("so the gradient of the loss is 0 in every row that was not read");
  return step;
}

// The row of the table, or made-up numbers.
std::vector<double> row_before(std::int64_t width, const RowRead& read, const ConstView& table) {
  if (table.data == nullptr) return small_numbers(width, 1);
  std::vector<double> row(static_cast<std::size_t>(width));
  const Learned plain = {.past_end = PastEnd::error};
  const double place = static_cast<double>(read.row);
  fill_rows(LearnedRows{plain, table}, PositionView::of(&place, 1), make_view(row.data(), {1, width}));
  return row;
}

// One step of gradient descent on the row that was read.
Step training(const Learned& spec, const RowRead& read, const ConstView& table) {
  constexpr double kRate = 0.1;
  const std::int64_t width = table.data != nullptr ? table.shape[1] : spec.width > 0 ? spec.width : 4;
  const std::vector<double> row = row_before(width, read, table);
  std::vector<double> gradient = small_numbers(width, 2);
  const bool padding = spec.padding_row && *spec.padding_row == read.row;
  if (padding) std::fill(gradient.begin(), gradient.end(), 0.0);
  Step step{"training", "One step of training on row " + std::to_string(read.row), {}, row};
  for (std::size_t c = 0; c < row.size(); ++c) step.values[c] -= kRate * gradient[c];
  const auto text = [&](const std::vector<double>& numbers) {
    return row_text(width, [&](std::int64_t c) { return five_decimals(numbers[static_cast<std::size_t>(c)]); });
  };
  step.lines = {"row before  = " + text(row) + (table.data == nullptr ? "   (made up)" : ""),
                "gradient    = " + text(gradient) + (padding ? "   padding_row: not trained" : "   (made up)"),
                "row after   = row - learning rate x gradient = " + text(step.values) + ", learning rate " +
                    text::number_text(kRate)};
  if (read.share != 0.0) step.lines.push_back("row " + std::to_string(read.next) + " gets its own gradient");
  step.lines.emplace_back("all other rows stay the same: positions that never occur in training are never trained");
  return step;
}

// The number of rows of the table. If it is not given, enough rows for the position.
std::int64_t rows_of(const Learned& spec, double position, const ConstView& table) {
  if (table.data != nullptr) return table.shape[0];
  if (spec.rows > 0) return spec.rows;
  if (spec.past_end == PastEnd::interpolate) {
    fail(ErrorKind::usage, "[explain] past_end=interpolate needs rows=... in the spec, or the table");
  }
  return spec.first + static_cast<std::int64_t>(std::max(position, 0.0)) + 1;
}

std::vector<Step> learned_steps(const Learned& spec, double position, const ExplainOptions& options) {
  const std::int64_t rows = rows_of(spec, position, options.table);
  const RowRead read = row_read(spec, rows, position);
  const bool known = options.table.data != nullptr || spec.rows > 0;
  std::vector<Step> steps = {rule(spec, options), row_step(spec, rows, position),
                             lookup(read, known ? rows : read.row + 3)};
  if (options.table.data == nullptr && spec.rows == 0) {
    steps[1].lines[0] =
        "position " + text::number_text(position) + " reads " + read_text(read) + ", if the table is that long";
  }
  if (options.table.data != nullptr) {
    steps.push_back(numbers(LearnedRows{spec, options.table}, position, "In numbers"));
  }
  steps.push_back(training(spec, read, options.table));
  return steps;
}

}  // namespace

std::vector<Step> explain_learned(const Learned& spec, std::span<const double> position,
                                  const ExplainOptions& options) {
  refuse_options(options);
  std::vector<Step> steps = learned_steps(spec, position[0], options);
  if (!options.table_text.empty()) steps.push_back(table_command(spec, position, options));
  return steps;
}

namespace {

// The sum of both parts: with the table, or with the made-up row that the learned part shows.
Step sum_of_parts(const Hybrid& spec, double position, const ConstView& table) {
  const SinusoidalSchedule schedule = make_schedule(spec.fixed);
  if (table.data != nullptr) {
    return numbers(HybridRows{StreamedRows{&schedule}, {spec.learned, table}}, position, "The sum of both parts");
  }
  Step step = numbers(StreamedRows{&schedule}, position, "The sum of both parts");
  const std::vector<double> made_up = row_before(spec.fixed.width, {}, table);
  for (std::size_t c = 0; c < made_up.size(); ++c) step.values[c] += spec.learned.multiplier * made_up[c];
  step.lines = {"PE(" + text::number_text(position) + ") = " +
                row_text(spec.fixed.width,
                         [&](std::int64_t c) { return five_decimals(step.values[static_cast<std::size_t>(c)]); }) +
                "   (with the row made up above)"};
  return step;
}

}  // namespace

std::vector<Step> explain_hybrid(const Hybrid& spec, std::span<const double> position, const ExplainOptions& options) {
  refuse_options(options);
  std::vector<Step> steps = explain_sinusoidal(spec.fixed, position, {});
  steps.pop_back();  // the command that reproduces the fixed part alone
  for (Step& step : steps) {
    step.name = "fixed_" + step.name;
    step.title = "Fixed part: " + step.title;
  }
  steps.insert(steps.begin(), Step{"rule",
                                   "The rule",
                                   {plain_text(properties::formula_of(spec).lines[0]) +
                                    ": a sinusoidal row S(p), which is fixed, plus a learned row"},
                                   {}});
  Learned learned = spec.learned;
  learned.width = spec.fixed.width;
  for (Step& step : learned_steps(learned, position[0], options)) {
    step.name = "learned_" + step.name;
    step.title = "Learned part: " + step.title;
    steps.push_back(std::move(step));
  }
  const bool as_it_is = spec.learned.normalize == Normalize::none && spec.learned.past_end != PastEnd::interpolate;
  if (options.table.data == nullptr && !as_it_is) return steps;
  steps.push_back(sum_of_parts(spec, position[0], options.table));
  if (!options.table_text.empty()) steps.push_back(table_command(spec, position, options));
  return steps;
}

}  // namespace posenc::explanation
