// Figures: an encoding made visible, as a drawing with the data behind it.
//
//     posenc::Figure figure = posenc::make_figure("heatmap", {posenc::Sinusoidal{.width = 128}}, {});
//     posenc::write_file("heatmap.svg", posenc::to_svg(figure.drawing, {}));
//     std::string numbers = posenc::to_csv(figure.data[0]);
//
// Every number in a drawing comes from a function of the library and stands in the data. A drawing says its formula,
// the convention that people get wrong, the type of its numbers, and the command that makes it again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "posenc/export.h"
#include "posenc/files/json.h"
#include "posenc/insight/drawing.h"
#include "posenc/insight/kind_facts.h"
#include "posenc/position.h"

namespace posenc {

// A column of numbers (NaN: nothing there) or of words.
struct DataColumn {
  std::string name;
  std::variant<std::vector<double>, std::vector<std::string>> values;
};
// Columns of equal length.
struct DataTable {
  std::string name;
  std::vector<DataColumn> columns;
};
// With a line of names; numbers in the fewest digits that read back the same, nothing for NaN; quoted as RFC 4180 says,
// lines end in \n.
POSENC_API std::string to_csv(const DataTable& table);
// {"name": ..., "columns": {name: [...], ...}}; NaN is null.
POSENC_API Json to_json(const DataTable& table);

// What may be chosen; what a figure has no use for is refused by its name. Empty: what the figure is best seen with.
struct FigureOptions {
  KeptPositions positions = {};             // a range of whole numbers or real ones, as the figure says
  std::vector<std::int64_t> channels = {};  // of waves
  std::optional<double> position = {};      // of clocks, shift, turn, ...
  std::optional<double> shift = {};
  std::optional<std::int64_t> train_length = {};
  std::optional<std::int64_t> head = {};  // of what has heads; none: all, or the first few
  std::uint64_t seed = 0;                 // of what is drawn at random
  ConstView content = {};                 // token embeddings [N, M]; none: drawn
  std::vector<std::string> tokens = {};   // words that stand beside rows and columns; none: numbers
  TextMetrics metrics = TextMetrics::proportional;
  double width = 0.0;  // of the page, in points; 0: as the figure likes
  double height = 0.0;
  std::string command = {};  // what the figure says it was made by; empty: posenc plot FIGURE SPEC
};

struct Figure {
  std::string name;
  std::string title;
  std::string finding;  // what there is to see, in a sentence: the alternative text
  std::string note;     // how numbers were sampled or averaged, if they were; may be empty
  std::string command;
  Drawing drawing;
  std::vector<DataTable> data;
};

struct FigureInfo {
  std::string_view name;      // "heatmap"
  std::string_view summary;   // what it shows
  std::string_view look_for;  // what to look for in it
  std::string_view options;   // which of FigureOptions it uses, by their names: "positions channels"
  bool needs_spec = true;     // false: it shows the same whatever the spec is
  bool in_terminal = false;   // whether a terminal can show it; else its data are printed there
};

// All figures, in the order in which they are documented.
POSENC_API const std::vector<FigureInfo>& figures();
// Whether a figure can show this kind; names that there are not are errors, with the nearest one.
POSENC_API bool figure_fits(std::string_view name, const Spec& spec);
// Throws where the figure does not fit the kind, saying which do.
POSENC_API Figure make_figure(std::string_view name, const Encoding& subject, const FigureOptions& options);

}  // namespace posenc
