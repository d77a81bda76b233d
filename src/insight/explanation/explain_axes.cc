// Worked examples of encodings at the input with several axes.
#include <string>

#include "insight/explanation/explain_kinds.h"
#include "insight/explanation/explain_text.h"
#include "insight/properties/formulas.h"
#include "insight/properties/lists.h"
#include "posenc/error.h"
#include "posenc/input_rows.h"
#include "posenc/schedule.h"

namespace posenc::explanation {
namespace {

constexpr std::size_t kLines = 12;  // shown of a long list

void refuse_options(std::string_view kind, const ExplainOptions& options) {
  if (!options.shift && !options.derivative) return;
  fail(ErrorKind::usage, "[explain] a shift and a derivative need an encoding with one axis, not " + std::string(kind));
}

std::vector<double> row_of(const InputRows& rows, std::span<const double> position) {
  std::vector<double> row(static_cast<std::size_t>(width_of(rows)));
  fill_rows(rows, properties::places_view(position.data(), 1, static_cast<std::int64_t>(position.size())),
            make_view(row.data(), {1, width_of(rows)}));
  return row;
}

Step row_step(const InputRows& rows, std::span<const double> position, const std::string& title) {
  Step step{"row", title, {}, row_of(rows, position)};
  const auto cell = [&](std::int64_t c) { return five_decimals(step.values[static_cast<std::size_t>(c)]); };
  step.lines = {"PE(" + place_text(position) + ") = " + row_text(static_cast<std::int64_t>(step.values.size()), cell)};
  return step;
}

std::string part_text(const Concat& spec, std::size_t i) {
  const Spec part = std::visit([](const auto& encoding) { return Spec(encoding); }, spec.parts[i].encoding);
  return "part " + std::to_string(i) + " encodes coordinate " + std::to_string(spec.parts[i].axis) + " with " +
         to_text(part);
}

Step rule(const Concat& spec, std::span<const double> position) {
  Step step{"formula",
            "The rule",
            {plain_text(properties::formula_of(spec)) + ": the rows of all parts, one after the other"},
            {}};
  for (std::size_t i = 0; i < spec.parts.size(); ++i) {
    const double coordinate = position[static_cast<std::size_t>(spec.parts[i].axis)];
    step.lines.push_back(part_text(spec, i) + ", here " + text::number_text(coordinate));
    step.values.push_back(coordinate);
  }
  if (spec.width != 0)
    step.lines.push_back("cut, or filled with zeros, to " + std::to_string(spec.width) + " channels");
  return step;
}

std::vector<Step> part_steps(const ConcatPart& part, double coordinate, const ConstView& table) {
  if (const auto* learned = std::get_if<Learned>(&part.encoding)) {
    return explain_learned(*learned, {&coordinate, 1}, {.table = table});
  }
  std::vector<Step> steps = explain_sinusoidal(std::get<Sinusoidal>(part.encoding), {&coordinate, 1}, {});
  steps.pop_back();  // the command that reproduces the part alone
  return steps;
}

// The step with the angles: f[0][j] p_0 + f[1][j] p_1 = angle.
Step angles(const FourierSchedule& schedule, std::span<const double> position) {
  Step step{"angles", "The angle of each pair is a sum over the coordinates", {}, {}};
  const auto pairs = static_cast<std::size_t>(schedule.pairs());
  for (std::size_t j = 0; j < pairs; ++j) {
    double angle = 0.0;
    std::string text;
    for (std::size_t a = 0; a < position.size(); ++a) {
      const double frequency = schedule.inv_freq[a * pairs + j];
      angle += position[a] * frequency;
      text += (a > 0 ? " + " : "") + text::number_text(position[a]) + " * " + text::number_text(frequency);
    }
    step.values.push_back(angle);
    if (j < kLines) step.lines.push_back("pair " + std::to_string(j) + ": " + text + " = " + five_decimals(angle));
  }
  if (pairs > kLines) step.lines.push_back("... " + std::to_string(pairs - kLines) + " more pairs");
  return step;
}

}  // namespace

std::vector<Step> explain_concat(const Concat& spec, std::span<const double> position, const ExplainOptions& options) {
  refuse_options("concat", options);
  std::vector<Step> steps = {rule(spec, position)};
  std::size_t next = 0;
  for (std::size_t i = 0; i < spec.parts.size(); ++i) {
    const bool learned = std::holds_alternative<Learned>(spec.parts[i].encoding);
    const ConstView table = learned && next < options.tables.size() ? options.tables[next] : ConstView{};
    next += learned ? 1 : 0;
    const double coordinate = position[static_cast<std::size_t>(spec.parts[i].axis)];
    for (Step& step : part_steps(spec.parts[i], coordinate, table)) {
      step.name = "part" + std::to_string(i) + "_" + step.name;
      step.title = "Part " + std::to_string(i) + ": " + step.title;
      steps.push_back(std::move(step));
    }
  }
  if (options.tables.size() != next) return steps;
  const ConcatSchedule schedule = make_concat_schedule(spec);
  steps.push_back(row_step(concat_rows(spec, schedule, options.tables), position, "All parts together"));
  steps.push_back(table_command(spec, position, options));
  return steps;
}

std::vector<Step> explain_fourier(const Fourier& spec, std::span<const double> position,
                                  const ExplainOptions& options) {
  refuse_options("fourier", options);
  const FourierSchedule schedule = make_fourier_schedule(spec);
  Step rule{"formula", "The rule", {plain_text(properties::formula_of(spec))}, {}};
  return {rule, angles(schedule, position), row_step(FourierRows{&schedule}, position, "The row"),
          table_command(spec, position, options)};
}

}  // namespace posenc::explanation
