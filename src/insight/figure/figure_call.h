// How figures are made: what a figure is asked for, the page that it begins with, and small helpers that they share.
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
  const Encoding* numbers = nullptr;  // none where the figure needs no spec and got none
  const FigureOptions& options;
};
struct FigureEntry {
  FigureInfo info;
  Figure (*make)(const FigureCall& call);
  // Whether it can be drawn of this spec, where its kind alone does not say; null: of all.
  bool (*suits)(const Spec& spec) = nullptr;
};
// Not of a rotary encoding with several axes, which has no single distance and no single hand per pair.
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

struct FigureText {
  std::string title;
  std::string finding;                 // a sentence that says what there is to see
  std::string note = {};               // how it was sampled, if it was
  std::vector<std::string> more = {};  // other lines below
  double body_height = 320.0;
  double width = 720.0;
};

// A figure whose page is laid out: title above, and below formula, convention, type, notes and command.
struct FigurePage {
  Figure figure;
  Box body;

  Drawing& drawing() { return figure.drawing; }
  // The figure, finished, with a table of its numbers.
  Figure with(DataTable table) {
    figure.data.push_back(std::move(table));
    return std::move(figure);
  }
};
FigurePage begin_figure(const FigureCall& call, const FigureText& text);

// The positions asked for, or 0 to `count` - 1 (fewer where a learned table ends). Throws unless they are evenly spaced
// on one axis, at least `least` and at most `most`.
struct PositionRule {
  std::int64_t count = 100;
  std::int64_t least = 1;
  std::int64_t most = std::int64_t{1} << 31;
};
PositionView figure_positions(const FigureCall& call, const PositionRule& rule);
// The first, and from one to the next.
double first_of(const PositionView& positions);
double step_of(const PositionView& positions);
// At most `most` of them, evenly spaced, the first among them; `note` says so where it is fewer than all.
std::vector<double> sampled_positions(const PositionView& positions, std::int64_t most, std::string& note);

// Rows of an encoding at the input, [positions][width].
std::vector<double> rows_at(const Encoding& numbers, const std::vector<double>& positions);
std::vector<double> row_at(const Encoding& numbers, double position);

std::vector<double> counted(std::int64_t count, double first = 0.0, double step = 1.0);
using properties::dot;
double norm(const std::vector<double>& row);
double cosine(const std::vector<double>& a, const std::vector<double>& b);
// Normal numbers, [rows][columns]; a row per word, where there are words: equal ones have equal rows.
std::vector<double> normal_numbers(std::int64_t rows, std::int64_t columns, double std, std::uint64_t seed,
                                   const std::vector<std::string>& words = {});

// Heats as tables: a column of row names, and one per column.
DataTable heat_table(const std::string& name, const drawing::Heat& heat, const std::string& row_name,
                     const std::string& column_name, double first_row = 0.0, double row_step = 1.0);
double largest_size(const drawing::Heat& heat);  // of finite values; 1 where all are 0

// Ticks that show words beside rows or columns; none without words.
std::vector<drawing::Tick> word_ticks(const std::vector<std::string>& words);

}  // namespace posenc::figure
