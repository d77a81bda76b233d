// Figures: an encoding made visible, as a drawing with the data behind it.
//
//     posenc::Figure figure = posenc::make_figure("heatmap", {posenc::Sinusoidal{.width = 128}}, {});
//     posenc::write_file("heatmap.svg", posenc::to_svg(figure.drawing, {}));
//     std::string numbers = posenc::to_csv(figure.data[0]);
//
// Every number in a drawing comes from a function of the library and is in the data. A drawing prints its formula, the
// convention that people get wrong, the type of its numbers, and the command that reproduces it.
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

// A column of numbers (NaN: no number) or of words.
struct DataColumn {
  std::string name;
  std::variant<std::vector<double>, std::vector<std::string>> values;
};
// Columns of equal length.
struct DataTable {
  std::string name;
  std::vector<DataColumn> columns;
};
// CSV with a header line. Numbers have the fewest digits that read back the same, NaN is an empty field; quoting
// follows RFC 4180, lines end in \n.
POSENC_API std::string to_csv(const DataTable& table);
// {"name": ..., "columns": {name: [...], ...}}; NaN is null.
POSENC_API Json to_json(const DataTable& table);

// Each figure uses some of these, listed in its FigureInfo, and refuses the others by name. Empty: the figure's
// default.
struct FigureOptions {
  KeptPositions positions = {};             // integers or reals, as the figure needs
  std::vector<std::int64_t> channels = {};  // the waves to draw
  std::optional<double> position = {};      // of figures that show one position, such as clocks and shift
  std::optional<double> shift = {};         // from one position to another
  std::optional<std::int64_t> train_length = {};
  std::optional<std::int64_t> head = {};  // none: all heads, or the first few
  std::vector<double> bases = {};         // of the frequencies, to compare
  std::vector<double> exponents = {};     // factors of the exponent, to compare
  std::optional<double> input_std = {};   // of random token embeddings, 1e-9 to 1e9; none: 0.5
  std::uint64_t seed = 0;                 // of random contents, and of learned numbers that are not given
  ConstView content = {};                 // token embeddings [N, M]; rank 0: random ones
  std::vector<std::string> tokens = {};   // words beside rows and columns; empty: numbers
  bool caption = true;                    // write the finding below the picture
  TextMetrics metrics = TextMetrics::proportional;
  bool plain = false;        // in cells: the drawing is for TerminalStyle::ascii
  double width = 0.0;        // of the page, in points; 0: the figure's default. In cells a figure takes more lines than
  double height = 0.0;       // `height` if it cannot be read otherwise, and fewer if it needs fewer
  std::string command = {};  // the command that the figure names; empty: posenc plot FIGURE SPEC
};

struct Figure {
  std::string name;
  std::string title;
  std::string finding;  // what the figure shows, in a sentence: the alternative text
  std::string note;     // which numbers are left out or averaged; may be empty
  std::string command;
  Drawing drawing;
  std::vector<DataTable> data;
};

struct FigureInfo {
  std::string_view name;          // "heatmap"
  std::string_view summary;       // what it shows
  std::string_view look_for;      // what to look for, in a sentence
  std::string_view options;       // the names of the FigureOptions that it uses: "positions channels"
  std::string_view default_spec;  // a spec that shows it well; empty: the figure needs no spec
  bool shows_learned = true;      // false: learned numbers do not change it
};

// All figures, in the order of the documentation.
POSENC_API const std::vector<FigureInfo>& figures();
// Throws if there is no figure of this name, and suggests the nearest one.
POSENC_API const FigureInfo& figure_named(std::string_view name);
// The figures that can show a spec, in the order of the documentation.
POSENC_API std::vector<std::string_view> figures_of(const Spec& spec);
// Whether a figure can show this spec. Throws if there is no figure of this name.
POSENC_API bool figure_fits(std::string_view name, const Spec& spec);
// Throws if the figure cannot show this kind, and names the kinds that it can show; if it does not use some of the
// options; and if it would compute too many numbers. Takes no time: make_figure does it first.
POSENC_API void check_figure(std::string_view name, const Spec& spec, const FigureOptions& options);
// Learned numbers that the encoding needs and does not have are drawn at random; the title then says "untrained".
POSENC_API Figure make_figure(std::string_view name, const Encoding& subject, const FigureOptions& options);
// The same without an encoding. Throws if the figure needs one: FigureInfo::default_spec is not empty.
POSENC_API Figure make_figure(std::string_view name, const FigureOptions& options);

}  // namespace posenc
