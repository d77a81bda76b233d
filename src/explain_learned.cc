#include "detail/explain_learned.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "detail/explain_sinusoidal.h"
#include "detail/number_text.h"
#include "posenc/error.h"
#include "posenc/input_rows.h"
#include "posenc/learned.h"
#include "posenc/position.h"
#include "posenc/schedule.h"

namespace posenc::detail {
namespace {

void refuse_options(const ExplainOptions& options) {
  if (!options.derivative && !options.shift) return;
  fail(ErrorKind::unsupported, "[explain] a learned table has no " +
                                   std::string(options.derivative ? "derivative by the position" : "shift matrix") +
                                   ": its rows follow no rule");
}

std::string past_end_text(const Learned& spec) {
  if (spec.past_end == PastEnd::clamp) return "positions past the last row read the last row (past_end=clamp)";
  if (spec.past_end == PastEnd::error) return "positions past the last row are an error (past_end=error)";
  return "a table of fewer than " + std::to_string(*spec.length) +
         " positions is stretched to them (past_end=interpolate)";
}

Step rule(const Learned& spec) {
  const std::string first = spec.first == 0 ? "" : " + " + std::to_string(spec.first);
  Step step{"rule", "The rule", {"PE(p) = row p" + first + " of a table of trained numbers"}, {}};
  if (spec.first > 0) {
    step.lines.push_back("position 0 is row " + std::to_string(spec.first) + ": the rows before it have other uses");
  }
  step.lines.push_back(past_end_text(spec));
  if (spec.normalize == Normalize::l2) step.lines.emplace_back("each row is divided by its length (normalize=l2)");
  if (spec.multiplier != 1.0) step.lines.push_back("and multiplied by " + number_text(spec.multiplier));
  return step;
}

std::string read_text(const RowRead& read) {
  if (read.share == 0.0) return "row " + std::to_string(read.row);
  return number_text(1.0 - read.share) + " x row " + std::to_string(read.row) + " + " + number_text(read.share) +
         " x row " + std::to_string(read.next);
}

Step row_step(const Learned& spec, std::int64_t rows, double position) {
  const RowRead read = row_read(spec, rows, position);
  Step step{"row", "The row", {}, {static_cast<double>(read.row), static_cast<double>(read.next), read.share}};
  const std::int64_t count = positions_of(spec, rows);
  if (spec.past_end == PastEnd::interpolate && *spec.length > count) {
    step.lines.push_back("place = (" + number_text(position) + " + 0.5) x " + std::to_string(count) + "/" +
                         std::to_string(*spec.length) + " - 0.5, between 0 and " + std::to_string(count - 1) +
                         (spec.first > 0 ? ", counted from row " + std::to_string(spec.first) : ""));
  }
  step.lines.push_back("position " + number_text(position) + " reads " + read_text(read) + " of " +
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
    text += (i > 0 ? ", " : "") + fixed_text(step.values[i], 5);
  }
  step.lines.push_back("PE(" + number_text(position) + ") = [" + text + (step.values.size() > kShown ? ", ..." : "") +
                       "]");
  return step;
}

std::vector<Step> learned_steps(const Learned& spec, double position, const ExplainOptions& options) {
  const bool has_table = options.table.data != nullptr;
  const std::int64_t rows = has_table ? options.table.shape[0] : spec.rows;
  if (rows == 0) {
    fail(ErrorKind::usage, "[explain] a learned encoding needs rows in its spec, or its table, to say what is read");
  }
  std::vector<Step> steps = {rule(spec), row_step(spec, rows, position)};
  if (has_table) steps.push_back(numbers(LearnedRows{spec, options.table}, position, "In numbers"));
  return steps;
}

Step reproduce(const Spec& spec, double position, const ExplainOptions& options) {
  const std::string text = options.spec_text.empty() ? to_text(spec) : options.spec_text;
  return {
      "reproduce",
      "The same numbers in full",
      {"posenc table " + text + " --positions " + number_text(position) + " " + options.table_text + " --format csv"},
      {}};
}

void check_position(double position) { check_positions(PositionView::of(&position, 1), "explain"); }

}  // namespace

std::vector<Step> explain_learned(const Learned& spec, double position, const ExplainOptions& options) {
  validate(spec);
  check_position(position);
  refuse_options(options);
  std::vector<Step> steps = learned_steps(spec, position, options);
  if (!options.table_text.empty()) steps.push_back(reproduce(spec, position, options));
  return steps;
}

std::vector<Step> explain_hybrid(const Hybrid& spec, double position, const ExplainOptions& options) {
  validate(spec);
  check_position(position);
  refuse_options(options);
  std::vector<Step> steps = explain_sinusoidal(spec.fixed, position, {});
  steps.pop_back();  // the command that reproduces the fixed part alone
  for (Step& step : steps) {
    step.name = "fixed_" + step.name;
    step.title = "Fixed part: " + step.title;
  }
  for (Step& step : learned_steps(spec.learned, position, options)) {
    step.name = "learned_" + step.name;
    step.title = "Learned part: " + step.title;
    steps.push_back(std::move(step));
  }
  if (options.table.data == nullptr) return steps;
  const SinusoidalSchedule schedule = make_schedule(spec.fixed);
  const HybridRows rows{StreamedRows{&schedule}, {spec.learned, options.table}};
  steps.push_back(numbers(rows, position, "The sum of both"));
  if (!options.table_text.empty()) steps.push_back(reproduce(spec, position, options));
  return steps;
}

}  // namespace posenc::detail
