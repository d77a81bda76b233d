#include "insight/figure/figure_call.h"

#include <algorithm>
#include <cmath>

#include "core/spec/rotary_window.h"
#include "core/text/number_text.h"
#include "insight/properties/sample.h"
#include "posenc/error.h"

namespace posenc::figure {

bool has_one_axis(const Spec& spec) { return axes_of(spec) == 1; }

bool is_untrained(const FigureCall& call) {
  if (call.numbers == nullptr || !call.info.shows_learned) return false;
  return call.numbers->drawn() || call.numbers->made_by_init();
}

namespace {

std::vector<std::string> notes_of(const FigureCall& call, const FigureText& text) {
  std::vector<std::string> notes;
  if (call.options.caption) notes.push_back(text.finding);
  if (call.numbers != nullptr) {
    const KindFacts facts = kind_facts(call.numbers->spec());
    notes.push_back(facts.formula);
    notes.push_back((facts.order_of_terms.empty() ? "" : facts.order_of_terms + " ") + "Numbers in float64.");
  }
  notes.insert(notes.end(), text.more.begin(), text.more.end());
  if (!text.note.empty()) notes.push_back(text.note);
  if (is_untrained(call) && call.numbers->drawn()) notes.push_back(call.numbers->drawn_text());
  // In a terminal a dollar sign would look like a prompt.
  notes.push_back((in_cells(call) ? "made by " : "$ ") + call.options.command);
  return notes;
}

}  // namespace

FigurePage begin_figure(const FigureCall& call, const FigureText& text) {
  FigurePage page;
  Figure& figure = page.figure;
  figure.name = std::string(call.info.name);
  figure.title = text.title + (is_untrained(call) ? " (untrained)" : "");
  figure.finding = text.finding;
  figure.note = text.note;
  figure.command = call.options.command;
  drawing::PageOptions options{.title = figure.title,
                               .notes = notes_of(call, text),
                               .width = text.width,
                               .body_height = text.body_height,
                               .least_body = kCellHeight * static_cast<double>(text.least_lines),
                               .most_body = kCellHeight * static_cast<double>(text.most_lines)};
  if (call.options.width > 0.0) options.width = call.options.width;
  if (call.options.height > 0.0) options.height = call.options.height;
  figure.drawing.title = figure.title;
  figure.drawing.description = text.finding;
  figure.drawing.metrics = call.options.metrics;
  figure.drawing.plain = call.options.plain;
  page.body = drawing::lay_out_page(figure.drawing, options);
  return page;
}

PositionView figure_positions(const FigureCall& call, const PositionRule& rule) {
  PositionView positions = call.options.positions;
  if (positions.count == 0) {
    std::int64_t count = rule.count;
    const auto end = call.numbers != nullptr ? call.numbers->positions() : std::nullopt;
    if (end) count = std::max(std::min(count, *end), rule.least);
    positions = PositionView::range(0, count);
  }
  const std::string where = "[make_figure] " + std::string(call.info.name);
  check_positions(positions, where);
  if (positions.batch != 1 || positions.axes != 1) {
    fail(ErrorKind::usage, where + ": positions must have one axis and no batch");
  }
  if (positions.count < rule.least || positions.count > rule.most) {
    fail(ErrorKind::usage, where + ": positions must be " + std::to_string(rule.least) + " to " +
                               std::to_string(rule.most) + " but got " + std::to_string(positions.count));
  }
  if (positions.count <= rule.uneven) return positions;
  // The doubles of 0:1:0.1 are not evenly spaced to the last bit.
  for (std::int64_t n = 2; n < positions.count && positions.source != PositionView::Source::range; ++n) {
    const double step = positions.real(0, n) - positions.real(0, n - 1);
    if (std::fabs(step - step_of(positions)) <= 1e-6 * std::fabs(step_of(positions))) continue;
    fail(ErrorKind::usage, where + ": positions must be evenly spaced, like 0:100 or 0:1000:10");
  }
  return positions;
}

double first_of(const PositionView& positions) { return positions.real(0, 0); }
double step_of(const PositionView& positions) {
  return positions.count > 1 ? positions.real(0, 1) - positions.real(0, 0) : 1.0;
}

double rows_asked(const FigureSize& size, double usual) {
  return size.options.positions.count > 0 ? static_cast<double>(size.options.positions.count) : usual;
}

void check_amount(const FigureSize& size, double rows, const char* what) {
  constexpr double kMost = 67108864.0;  // 2^26, half a gigabyte
  if (rows * size.width <= kMost) return;
  fail(ErrorKind::usage, "[make_figure] " + std::string(size.info.name) + ": " + what + " would be " +
                             text::general_text(rows, 10) + " x " + text::general_text(size.width, 10) +
                             " numbers, and a figure holds at most 2^26 = 67108864");
}

std::string fewer_note(const FigureCall& call, const PositionView& positions, std::int64_t usual) {
  const auto end = call.numbers != nullptr ? call.numbers->positions() : std::nullopt;
  const bool fewer = positions.count < std::min(usual, end.value_or(usual));
  if (!in_cells(call) || call.options.positions.count > 0 || !fewer) return "";
  return "positions 0 to " + std::to_string(positions.count - 1) + ", as many as fit; --positions chooses others";
}

std::vector<double> sampled_positions(const PositionView& positions, std::int64_t most, std::string& note) {
  const std::int64_t every = (positions.count + most - 1) / most;
  std::vector<double> sampled;
  for (std::int64_t n = 0; n < positions.count; n += every) sampled.push_back(positions.real(0, n));
  if (every > 1) {
    note = std::to_string(sampled.size()) + " of " + std::to_string(positions.count) + " positions are shown, one in " +
           std::to_string(every) + ": a wave shorter than two such steps looks like a longer one";
  }
  return sampled;
}

std::vector<double> rows_at(const Encoding& numbers, const std::vector<double>& positions) {
  const auto count = static_cast<std::int64_t>(positions.size());
  std::vector<double> values(static_cast<std::size_t>(count * numbers.width()));
  const View out = make_view(values.data(), {count, numbers.width()});
  const bool whole = std::all_of(positions.begin(), positions.end(), [](double p) { return p == std::floor(p); });
  if (whole) {
    const std::vector<std::int64_t> ids(positions.begin(), positions.end());
    fill_rows(numbers.rows(), PositionView::of(ids.data(), count), out);
  } else {
    fill_rows(numbers.rows(), PositionView::of(positions.data(), count), out);
  }
  return values;
}

std::vector<double> row_at(const Encoding& numbers, double position) { return rows_at(numbers, {position}); }

std::vector<double> counted(std::int64_t count, double first, double step) {
  std::vector<double> numbers;
  for (std::int64_t n = 0; n < count; ++n) numbers.push_back(first + step * static_cast<double>(n));
  return numbers;
}

double norm(const std::vector<double>& row) { return std::sqrt(dot(row, row)); }

double cosine(const std::vector<double>& a, const std::vector<double>& b) {
  const double product = norm(a) * norm(b);
  return product > 0.0 ? dot(a, b) / product : 0.0;
}

std::vector<double> normal_numbers(std::int64_t rows, std::int64_t columns, double std, std::uint64_t seed,
                                   const std::vector<std::string>& words) {
  // Tokens must differ from the numbers of a learned table with the same seed.
  constexpr std::uint64_t kTokens = 0x746f6b656e73;
  std::vector<double> numbers = properties::normal_numbers(rows, columns, std, seed ^ kTokens);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::int64_t first = std::find(words.begin(), words.end(), words[i]) - words.begin();
    std::copy_n(numbers.data() + first * columns, columns, numbers.data() + static_cast<std::int64_t>(i) * columns);
  }
  return numbers;
}

DataTable heat_table(const std::string& name, const drawing::Heat& heat, const std::string& row_name,
                     const std::string& column_name, double first_row, double row_step) {
  return heat_table(name, heat, row_name, counted(heat.rows, first_row, row_step), column_name, counted(heat.columns));
}

DataTable heat_table(const std::string& name, const drawing::Heat& heat, const std::string& row_name,
                     const std::vector<double>& rows, const std::string& column_name,
                     const std::vector<double>& columns) {
  DataTable table{name, {{row_name, rows}}};
  for (std::int64_t c = 0; c < heat.columns; ++c) {
    std::vector<double> column;
    for (std::int64_t r = 0; r < heat.rows; ++r) {
      column.push_back(heat.values[static_cast<std::size_t>(r * heat.columns + c)]);
    }
    table.columns.push_back(
        {column_name + " " + text::number_text(columns[static_cast<std::size_t>(c)]), std::move(column)});
  }
  return table;
}

double largest_size(const drawing::Heat& heat) {
  double largest = 0.0;
  for (const double value : heat.values) {
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  }
  return largest > 0.0 ? largest : 1.0;
}

// Shortens long words, which would take room from the picture.
std::vector<drawing::Tick> word_ticks(const std::vector<std::string>& words) {
  constexpr double kSize = 11.0;
  constexpr double kRoom = 84.0;
  std::vector<drawing::Tick> ticks;
  for (std::size_t i = 0; i < words.size(); ++i) {
    ticks.push_back({static_cast<double>(i), drawing::shortened(words[i], kRoom, kSize, TextMetrics::proportional)});
  }
  return ticks;
}

std::vector<drawing::Tick> position_ticks(const std::vector<double>& positions) {
  std::vector<drawing::Tick> ticks;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    ticks.push_back({static_cast<double>(i), drawing::tick_text(positions[i])});
  }
  return ticks;
}

}  // namespace posenc::figure
