#include "posenc/plot/plot.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "cli/commands/commands.h"
#include "cli/encoding.h"
#include "cli/figure_text.h"
#include "cli/integers.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "core/text/joined.h"
#include "core/text/shell.h"
#include "posenc/error.h"
#include "posenc/files/load.h"
#include "posenc/files/spec_json.h"
#include "posenc/insight/figure.h"
#include "posenc/insight/svg.h"
#include "posenc/insight/terminal.h"

namespace posenc::cli {
namespace {

struct PlotCommand {
  std::string figure;
  std::string spec;  // empty: none, where the figure needs none
  EncodingOptions encoding;
  std::string positions, channels, sentence, content;  // empty, as the next five: as the figure likes
  std::optional<double> position, shift;
  std::optional<std::int64_t> train, head;
  std::optional<std::uint64_t> random_seed;  // 0
  std::string theme = "auto";
  std::optional<double> width, height;  // in points
  std::optional<double> scale;          // pixels per point
  std::string style = "auto";
  std::string color = "auto";
  std::int64_t columns = 0;  // 0: what the terminal has
  std::int64_t lines = 0;
  OutputOptions output;
};

constexpr std::int64_t kMostPositions = std::int64_t{1} << 20;

struct TerminalSize {
  std::int64_t columns = 80;
  std::int64_t lines = 40;
};

TerminalSize terminal_size() {
  TerminalSize size;
  winsize window = {};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0) {
    size = {window.ws_col, std::max<std::int64_t>(window.ws_row - 1, 1)};  // the prompt takes a line
  } else if (const char* columns = std::getenv("COLUMNS"); columns != nullptr && std::atoi(columns) > 0) {
    size.columns = std::atoi(columns);
  }
  // Less leaves no room for a picture beside its numbers.
  return {std::max<std::int64_t>(size.columns, 40), std::max<std::int64_t>(size.lines, 16)};
}

TerminalStyle choose_style(const PlotCommand& options) {
  if (options.color == "never" && (options.style == "truecolor" || options.style == "color256")) {
    fail(ErrorKind::usage, fmt::format("--style {} has colours but --color is never", options.style));
  }
  if (options.style == "ascii") return TerminalStyle::ascii;
  if (options.style == "truecolor") return TerminalStyle::truecolor;
  if (options.style == "color256") return TerminalStyle::color256;
  if (!use_color(options.color, options.output)) return TerminalStyle::ascii;
  const char* colors = std::getenv("COLORTERM");
  const bool truecolor =
      colors != nullptr && (std::strcmp(colors, "truecolor") == 0 || std::strcmp(colors, "24bit") == 0);
  return truecolor ? TerminalStyle::truecolor : TerminalStyle::color256;
}

Theme theme_of(const PlotCommand& options, Theme automatic) {
  if (options.theme == "auto") return automatic;
  return options.theme == "dark" ? Theme::dark : Theme::light;
}

// An option of the command line, the word that a figure has for it, and how a command repeats it.
struct Choice {
  const char* option;
  const char* word;
  std::string value;  // empty: not given
};

std::string number_text(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; }
std::string number_text(const std::optional<std::int64_t>& value) { return value ? fmt::format("{}", *value) : ""; }

std::vector<Choice> choices_of(const PlotCommand& options) {
  return {{"--positions", "positions", options.positions},
          {"--channels", "channels", options.channels},
          {"--position", "position", number_text(options.position)},
          {"--shift", "shift", number_text(options.shift)},
          {"--train", "train_length", number_text(options.train)},
          {"--head", "head", number_text(options.head)},
          {"--content", "content", options.content},
          {"--sentence", "tokens", options.sentence}};
}

bool takes(const FigureInfo& info, std::string_view word) {
  return fmt::format(" {} ", info.options).find(fmt::format(" {} ", word)) != std::string::npos;
}

void check_choices(const FigureInfo& info, const PlotCommand& options) {
  std::string taken;
  for (const Choice& choice : choices_of(options)) {
    if (takes(info, choice.word)) taken += fmt::format("{}{}", taken.empty() ? "" : ", ", choice.option);
  }
  for (const Choice& choice : choices_of(options)) {
    if (choice.value.empty() || takes(info, choice.word)) continue;
    fail(ErrorKind::usage, fmt::format("the figure '{}' has no use for {}; {}", info.name, choice.option,
                                       taken.empty() ? "it takes none" : "it takes " + taken));
  }
}

// What one sort of output has and the others have not.
void check_sizes(const PlotCommand& options, const std::string& format) {
  const bool picture = format == "svg" || format == "png" || format == "pdf";
  const auto refuse = [&](bool given, const char* what) {
    if (given) fail(ErrorKind::usage, fmt::format("{}, and the format is {}", what, format));
  };
  refuse(!picture && (options.width || options.height), "--width and --height are for svg, png and pdf");
  refuse(format != "png" && options.scale.has_value(), "--scale is for png");
  refuse(format != "text" && (options.columns > 0 || options.lines > 0), "--columns and --lines are for text");
  refuse(format != "text" && options.style != "auto", "--style is for text");
  refuse(format != "text" && !picture && options.theme != "auto", "--theme is for pictures and text");
}

const FigureInfo* find_figure(const std::string& name) {
  for (const FigureInfo& info : figures()) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

// What the options only point to.
struct LoadedFigure {
  Positions positions;
  std::optional<Array> content;
};

// The command that makes the same figure again; the form and size of the output are the reader's choice.
std::string command_of(const PlotCommand& options, const Encoding& encoding) {
  std::string command = "posenc plot " + options.figure;
  if (!options.spec.empty()) command += " " + encoding.command_text();
  for (const Choice& choice : choices_of(options)) {
    if (!choice.value.empty()) command += fmt::format(" {} {}", choice.option, text::shell_word(choice.value));
  }
  if (options.random_seed) command += fmt::format(" --random-seed {}", *options.random_seed);
  return command;
}

FigureOptions figure_options(const PlotCommand& options, const Encoding& encoding, LoadedFigure& loaded) {
  FigureOptions chosen;
  if (!options.positions.empty()) {
    loaded.positions = load_positions(options.positions);
    chosen.positions = loaded.positions;
    if (loaded.positions.count() == 0) {
      fail(ErrorKind::usage, fmt::format("--positions '{}' holds no position", options.positions));
    }
    if (loaded.positions.count() > kMostPositions) {
      fail(ErrorKind::usage,
           fmt::format("a figure shows at most 2^20 positions but '{}' has {}: take every tenth or so",
                       options.positions, loaded.positions.count()));
    }
  }
  if (!options.channels.empty()) chosen.channels = read_list(options.channels, "--channels");
  if (!options.content.empty()) {
    loaded.content = load_array(options.content);
    chosen.content = loaded.content->view();
  }
  chosen.position = options.position;
  chosen.shift = options.shift;
  chosen.train_length = options.train;
  chosen.head = options.head;
  chosen.seed = options.random_seed.value_or(0);
  std::istringstream words(options.sentence);
  for (std::string word; words >> word;) chosen.tokens.push_back(word);
  chosen.width = options.width.value_or(0.0);
  chosen.height = options.height.value_or(0.0);
  chosen.command = command_of(options, encoding);
  return chosen;
}

void write_picture(const PlotCommand& options, const std::string& format, const Figure& figure) {
  const bool binary = format != "svg";
  Output output(options.output, binary);
  if (format == "svg") {
    output.write(to_svg(figure.drawing, {.theme = theme_of(options, Theme::automatic)}));
  } else {
    const PaintOptions paint = {.theme = theme_of(options, Theme::light), .scale = options.scale.value_or(2.0)};
    output.write(format == "png" ? to_png(figure.drawing, paint) : to_pdf(figure.drawing, paint));
  }
  output.finish();
}

void write_data(const PlotCommand& options, const std::string& format, const Figure& figure, const Encoding& encoding) {
  if (format == "csv") return write_text(options.output, figure_csv(figure));
  Json::Array data;
  for (const DataTable& table : figure.data) data.push_back(to_json(table));
  write_json(options.output, {{"figure", Json(figure.name)},
                              {"title", Json(figure.title)},
                              {"finding", Json(figure.finding)},
                              {"note", Json(figure.note)},
                              {"command", Json(figure.command)},
                              {"spec", options.spec.empty() ? Json() : to_json(encoding.spec())},
                              {"data", Json(std::move(data))}});
}

// A spec that the figure can show.
std::string fitting_spec(const std::string& figure) {
  for (const char* spec : {"sinusoidal:width=64", "rotary:head_dim=64", "alibi:heads=8", "t5:heads=8",
                           "rotary:head_dim=64,sections=16/16", "pope:head_dim=64"}) {
    if (figure_fits(figure, parse_spec(spec))) return spec;
  }
  return "SPEC";
}

int run(const PlotCommand& options) {
  EncodingOptions learned = options.encoding;
  learned.missing = Missing::leave;  // they are drawn
  if (options.spec.empty()) posenc::check_choices({}, {}, false, learned);
  const Encoding found = options.spec.empty() ? find_encoding("none") : find_with_remarks(options.spec, learned);
  const std::string format = choose_format(options.output, {"text", "svg", "png", "pdf", "json", "csv"});
  check_sizes(options, format);
  const TerminalStyle style = format == "text" ? choose_style(options) : TerminalStyle::ascii;
  const FigureInfo* info = find_figure(options.figure);
  if (info != nullptr) check_choices(*info, options);
  if (options.spec.empty() && (info == nullptr || info->needs_spec)) {
    figure_fits(options.figure, NoPosition{});  // names that there are not are refused there
    fail(ErrorKind::usage, fmt::format("SPEC is needed: the figure '{}' shows an encoding, as in posenc plot {} {}",
                                       options.figure, options.figure, fitting_spec(options.figure)));
  }
  LoadedFigure loaded;
  const Encoding encoding = with_learned(found, learned);
  FigureOptions chosen = figure_options(options, encoding, loaded);
  const bool in_cells = format == "text" && info != nullptr && info->in_terminal;
  if (in_cells) {
    const TerminalSize size = terminal_size();
    chosen.metrics = TextMetrics::cells;
    chosen.width = kCellWidth * static_cast<double>(options.columns > 0 ? options.columns : size.columns);
    chosen.height = kCellHeight * static_cast<double>(options.lines > 0 ? options.lines : size.lines);
  }
  const Figure figure = make_figure(options.figure, encoding, chosen);
  if (in_cells) {
    const TerminalOptions terminal = {.style = style, .theme = theme_of(options, Theme::dark)};
    write_text(options.output, to_terminal(figure.drawing, terminal));
  } else if (format == "text") {
    write_text(options.output, figure_text(figure));
    std::fprintf(stderr, "posenc: a terminal cannot show this figure: -o %s.svg, .png or .pdf gives the picture\n",
                 options.figure.c_str());
  } else if (format == "csv" || format == "json") {
    write_data(options, format, figure, encoding);
  } else {
    write_picture(options, format, figure);
  }
  return 0;
}

std::string figure_names() { return text::joined(figures(), ", ", &FigureInfo::name); }

void add_choices(Command& command, PlotCommand& options) {
  command.text("--positions,-p", options.positions, std::string(kPositionsHelp) + " (default: by the figure)");
  command.text("--channels", options.channels, "0,2,10: the channels that are drawn");
  command.add("--position", options.position, "of figures that show one position");
  command.add("--shift", options.shift, "how many positions further");
  command.add("--train", options.train, "the length that a model was trained on");
  command.add("--head", options.head, "of what has heads (default: all, or the first few)");
  command.text("--sentence", options.sentence, "words that stand beside rows and columns");
  command.text("--content", options.content, "token embeddings [N, M]: x.npy or m.safetensors:x (default: drawn)");
  command.add("--random-seed", options.random_seed,
              "of what the figure draws at random: contents, learned numbers that are not given (default: 0)");
}

void add_look(Command& command, PlotCommand& options) {
  command.add("--theme", options.theme, "light, dark or auto (svg: as the reader's system; png and pdf: light)")
      .one_of({"auto", "light", "dark"})
      .show_default();
  command.add("--width", options.width, "of svg, png and pdf, in points").between(100.0, 10000.0);
  command.add("--height", options.height, "the same").between(100.0, 10000.0);
  command.add("--scale", options.scale, "of png: pixels per point, 0.1 to 16 (default: 2)");
  command.add("--style", options.style, "of text: auto, truecolor, color256 or ascii")
      .one_of({"auto", "truecolor", "color256", "ascii"})
      .show_default();
  add_color(command, options.color);
  command.add("--columns", options.columns, "of text: characters across (default: what the terminal has)")
      .within(40, 10000);
  command.add("--lines", options.lines, "of text: lines (default: what the terminal has)").within(16, 10000);
}

}  // namespace

void add_plot(Command& app) {
  const auto options = std::make_shared<PlotCommand>();
  Command command = app.command("plot", "A figure: in the terminal, as svg, png or pdf, or its data.",
                                "  posenc plot heatmap sinusoidal:width=128\n"
                                "  posenc plot waves sinusoidal:width=64 --channels 0,2,10 -o waves.svg\n"
                                "  posenc plot bias alibi:heads=8 --theme dark -o bias.png\n"
                                "  posenc plot wavelengths rotary:head_dim=128 --format csv");
  command.add("FIGURE", options->figure, figure_names()).required();
  command.add("SPEC", options->spec, std::string(kSpecHelp) + "; some figures need none");
  add_spec_choice(command, options->encoding);
  add_choices(command, *options);
  add_look(command, *options);
  add_weights(command, options->encoding);
  add_parameters(command, options->encoding);
  add_output(command, options->output, "text, svg, png, pdf, json, csv");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
