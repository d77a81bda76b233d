// The call of a figure, the page that it begins with, and helpers that figures share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "insight/drawing/chart.h"
#include "insight/properties/lists.h"
#include "posenc/insight/figure.h"
#include "posenc/models/encoding.h"

namespace posenc::figure {

struct FigureCall {
  const FigureInfo& info;
  const Encoding* numbers = nullptr;  // null if the figure needs no spec and got none
  const FigureOptions& options;
};
// What is known of the size of a figure before any number of it is computed.
struct FigureSize {
  const FigureInfo& info;
  const FigureOptions& options;
  double width = 0.0;  // of the rows of an encoding at the input
};
struct FigureEntry {
  FigureInfo info;
  Figure (*make)(const FigureCall& call);
  // Whether the figure can show this spec, if the page of its kind lists the figure. Null: it can show every such spec.
  bool (*suits)(const Spec& spec) = nullptr;
  bool of_any_kind = false;  // kinds need not list it
  // Throws if there would be too many numbers, before the first of them is computed; null: there never are.
  void (*check)(const FigureSize& size) = nullptr;
};
// The positions asked for, or `usual` of them.
double rows_asked(const FigureSize& size, double usual);
// Throws if so many rows of the encoding's width are more numbers than a figure can hold.
void check_amount(const FigureSize& size, double rows, const char* what);
// False for a rotary encoding with several axes: it has no single distance, and no single hand per pair.
bool has_one_axis(const Spec& spec);
// The figures of each file of this folder; figure.cc puts them in their order.
std::vector<FigureEntry> table_figures();
std::vector<FigureEntry> map_figures();
std::vector<FigureEntry> wave_figures();
std::vector<FigureEntry> distance_figures();
std::vector<FigureEntry> shift_figures();
std::vector<FigureEntry> mixing_figures();
std::vector<FigureEntry> rotary_figures();
std::vector<FigureEntry> layout_figures();
std::vector<FigureEntry> scaling_figures();
std::vector<FigureEntry> bias_figures();
std::vector<FigureEntry> attention_figures();
std::vector<FigureEntry> precision_figures();
std::vector<FigureEntry> published_figures();
std::vector<FigureEntry> base_figures();
std::vector<FigureEntry> pipeline_figures();

struct FigureText {
  std::string title;
  std::string finding;                 // what the figure shows, in a sentence
  std::string note = {};               // what is left out or averaged
  std::vector<std::string> more = {};  // more lines below the figure
  double body_height = 320.0;
  double width = 720.0;
  // In a terminal, the fewest and the most lines of the body, whatever the height of the screen.
  std::int64_t least_lines = 14, most_lines = 1000;
};

// A figure whose page is laid out: the title above, formula, convention, type, notes and command below.
struct FigurePage {
  Figure figure;
  Box body;

  // Draws one legend above all panels, and takes its room from the body.
  void add_legend(const std::vector<drawing::Stroke>& strokes) {
    const double gap = figure.drawing.metrics == TextMetrics::cells ? 0.0 : 8.0;
    const double height = drawing::draw_legend(figure.drawing, body, strokes) + gap;
    body.y += height;
    body.height -= height;
  }

  Drawing& drawing() { return figure.drawing; }
  // The figure, finished, with a table of its numbers.
  Figure with(DataTable table) {
    figure.data.push_back(std::move(table));
    return std::move(figure);
  }
};
// Whether the figure shows learned numbers that are random: missing ones, or a table made by --init.
bool is_untrained(const FigureCall& call);
// Adds "(untrained)" to the title if is_untrained().
FigurePage begin_figure(const FigureCall& call, const FigureText& text);

// The positions of the options, or 0 to `count` - 1 (fewer if a learned table ends before). Throws unless they have one
// axis, their number is from `least` to `most`, and they are evenly spaced or at most `uneven`.
struct PositionRule {
  std::int64_t count = 100;
  std::int64_t least = 1;
  std::int64_t most = std::int64_t{1} << 31;
  std::int64_t uneven = 2;
};
PositionView figure_positions(const FigureCall& call, const PositionRule& rule);
// The first position, and the step to the next.
double first_of(const PositionView& positions);
double step_of(const PositionView& positions);
// Which positions a terminal shows, if none were asked for and a picture would show more of them: `usual`, or all of a
// learned table. Else empty.
std::string fewer_note(const FigureCall& call, const PositionView& positions, std::int64_t usual);
// At most `most` of the positions, evenly spaced from the first on. If some are left out, `note` says so.
std::vector<double> sampled_positions(const PositionView& positions, std::int64_t most, std::string& note);

// Rows of an encoding at the input, [positions][width].
std::vector<double> rows_at(const Encoding& numbers, const std::vector<double>& positions);
std::vector<double> row_at(const Encoding& numbers, double position);

std::vector<double> counted(std::int64_t count, double first = 0.0, double step = 1.0);
using properties::dot;
double norm(const std::vector<double>& row);
double cosine(const std::vector<double>& a, const std::vector<double>& b);
// Normal numbers, [rows][columns]. With words, one row per word: equal words have equal rows.
std::vector<double> normal_numbers(std::int64_t rows, std::int64_t columns, double std, std::uint64_t seed,
                                   const std::vector<std::string>& words = {});

// A matrix as a table: a column with the names of rows, then one column per column of the matrix.
DataTable heat_table(const std::string& name, const drawing::Heat& heat, const std::string& row_name,
                     const std::string& column_name, double first_row = 0.0, double row_step = 1.0);
// The same with positions as the names of rows and columns.
DataTable heat_table(const std::string& name, const drawing::Heat& heat, const std::string& row_name,
                     const std::vector<double>& rows, const std::string& column_name,
                     const std::vector<double>& columns);
double largest_size(const drawing::Heat& heat);  // of finite values; 1 if all are 0

// Ticks with words beside rows or columns; none without words.
std::vector<drawing::Tick> word_ticks(const std::vector<std::string>& words);
// Ticks with the name of every row or column: for positions that are not evenly spaced.
std::vector<drawing::Tick> position_ticks(const std::vector<double>& positions);
inline bool in_cells(const FigureCall& call) { return call.options.metrics == TextMetrics::cells; }

}  // namespace posenc::figure
