#include "posenc/plot/plot.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "cli/arrays.h"
#include "cli/channels.h"
#include "cli/commands/commands.h"
#include "cli/complaints.h"
#include "cli/encoding.h"
#include "cli/figure_text.h"
#include "cli/integers.h"
#include "cli/output.h"
#include "cli/random_input.h"
#include "cli/shared_options.h"
#include "core/text/joined.h"
#include "core/text/number_text.h"
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
  std::string spec;  // empty: the default of the figure, which may be none
  EncodingOptions encoding;
  // Empty: the figure's default.
  std::string positions, channels, sentence, content, bases, exponents;
  std::optional<double> position, shift, input_std;
  std::optional<double> former_position;  // --position of the last release: what is now called --positions or --place
  std::optional<std::int64_t> trained, head;
  std::string theme = "auto";
  std::optional<double> width, height;  // in points
  std::optional<double> scale;          // pixels per point
  std::string style = "auto";
  std::string color = "auto";
  std::int64_t columns = 0;  // 0: the size of the terminal
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
  // A smaller terminal has no room for a picture and its numbers.
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

// An option of the command line, the FigureOptions field that it sets, and its value as a command repeats it.
struct Choice {
  const char* option;
  const char* word;
  std::string value;  // empty: not given
};

std::string number_text(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; }
std::string number_text(const std::optional<std::int64_t>& value) { return value ? fmt::format("{}", *value) : ""; }

bool takes(const FigureInfo& info, std::string_view word) {
  return fmt::format(" {} ", info.options).find(fmt::format(" {} ", word)) != std::string::npos;
}

// Whether a figure shows a single position, which it takes from --positions, as figures of many positions do. map needs
// both options.
bool shows_one_position(const FigureInfo& info) { return takes(info, "position") && !takes(info, "positions"); }

std::vector<Choice> choices_of(const FigureInfo& info, const PlotCommand& options) {
  return {{"--positions", "positions", options.positions},
          {"--channels", "channels", options.channels},
          {shows_one_position(info) ? "--positions" : "--place", "position", number_text(options.position)},
          {"--shift", "shift", number_text(options.shift)},
          {"--trained", "train_length", number_text(options.trained)},
          {"--head", "head", number_text(options.head)},
          {"--bases", "bases", options.bases},
          {"--exponents", "exponents", options.exponents},
          {"--input-std", "input_std", number_text(options.input_std)},
          {"--input", "content", options.content},
          {"--words", "tokens", options.sentence}};
}

[[noreturn]] void refuse_choice(const FigureInfo& info, const char* option) {
  const std::string taken = text::joined(options_of_figure(info), ", ");
  fail(ErrorKind::usage,
       fmt::format("the figure '{}' does not use {}{}", info.name, option, taken.empty() ? "" : "; it uses " + taken));
}

void settle_position(const FigureInfo& info, PlotCommand& options) {
  if (options.former_position && !takes(info, "position")) refuse_choice(info, "--position");
  const bool one = shows_one_position(info);
  const char* name = one ? "--positions" : "--place";
  if (options.former_position) {
    if (options.position || (one && !options.positions.empty())) {
      fail(ErrorKind::usage, fmt::format("--position is the former name of {}: give one of them", name));
    }
    fmt::print(stderr, "posenc: --position is now called {}; the old name goes away in the next release\n", name);
    options.position = options.former_position;
  } else if (one && !options.positions.empty()) {
    const Positions positions = load_positions(options.positions);
    if (positions.count() != 1 || positions.axes() != 1) {
      fail(ErrorKind::usage,
           fmt::format("the figure '{}' shows one position: --positions must be one number but got '{}'", info.name,
                       options.positions));
    }
    options.position = positions.view().real(0, 0, 0);
    options.positions.clear();
  }
}

void check_choices(const FigureInfo& info, const PlotCommand& options) {
  for (const Choice& choice : choices_of(info, options)) {
    if (!choice.value.empty() && !takes(info, choice.word)) refuse_choice(info, choice.option);
  }
}

// Refuses options of a format other than the one chosen.
void check_sizes(const PlotCommand& options, const std::string& format) {
  const bool picture = format == "svg" || format == "png" || format == "pdf";
  const auto refuse = [&](bool given, const char* what) {
    if (given) fail(ErrorKind::usage, fmt::format("{}, but the format is {}", what, format));
  };
  refuse(!picture && (options.width || options.height),
         "--picture-width and --picture-height are for svg, png and pdf");
  refuse(format != "png" && options.scale.has_value(), "--picture-scale is for png");
  refuse(format != "text" && (options.columns > 0 || options.lines > 0), "--columns and --lines are for text");
  refuse(format != "text" && options.style != "auto", "--style is for text");
  refuse(format != "text" && !picture && options.theme != "auto", "--theme is for pictures and text");
}

std::string figure_names() { return text::joined(figures(), ", ", &FigureInfo::name); }

// Whether a model's figure would show learned numbers that are only in its weights.
bool lacks_learned(const Encoding& encoding) {
  return encoding.model() != nullptr && encoding.place() != Place::rotation && with_drawn(encoding).drawn();
}

// A figure that shows the encoding as it was given, for an example.
std::string_view example_figure(const std::vector<std::string_view>& fitting, const PlotCommand& options,
                                const Encoding& encoding) {
  if (options.encoding.has_numbers() || !lacks_learned(encoding)) return fitting.front();
  const auto found =
      std::find_if(fitting.begin(), fitting.end(), [](auto name) { return !figure_named(name).shows_learned; });
  return found != fitting.end() ? *found : fitting.front();
}

// The figure that FIGURE names. A SPEC in its place gets the figures that can show it.
const FigureInfo& chosen_figure(const PlotCommand& options) {
  if (options.figure.empty()) {
    fail(ErrorKind::usage,
         fmt::format("FIGURE is missing; for example: posenc plot heatmap; the figures are {}; posenc "
                     "list figures says what each shows",
                     figure_names()));
  }
  if (find_figure(options.figure) == nullptr) {
    if (const std::optional<Encoding> encoding = encoding_named(options.figure, options.encoding)) {
      const std::vector<std::string_view> fitting = figures_of(encoding->spec());
      fail(ErrorKind::usage,
           fmt::format("'{}' is an encoding, not a figure; these figures show it: {}; for example: posenc plot {} {}",
                       options.figure, text::joined(fitting, ", "), example_figure(fitting, options, *encoding),
                       text::shell_word(options.figure)));
    }
  }
  return figure_named(options.figure);
}

// The arrays that options name.
struct LoadedFigure {
  Positions positions;
  std::optional<Array> content;
};

// The command that reproduces the figure; format and size of the output are the reader's choice.
std::string command_of(const FigureInfo& info, const PlotCommand& options, const std::optional<Encoding>& encoding) {
  std::string command = "posenc plot " + options.figure;
  if (encoding) command += " " + encoding->command_text();
  for (const Choice& choice : choices_of(info, options)) {
    if (!choice.value.empty()) command += fmt::format(" {} {}", choice.option, text::shell_word(choice.value));
  }
  const bool told = encoding && encoding->made_by_init();  // by the text of the encoding
  if (options.encoding.seed && !told) command += fmt::format(" --seed {}", *options.encoding.seed);
  return command;
}

// "100,1e6"
std::vector<double> read_reals(const std::string& list, const char* option) {
  std::vector<double> numbers;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    const std::optional<double> number = text::parse_number(word);
    if (!number || !std::isfinite(*number)) {
      fail(ErrorKind::usage, fmt::format("{} must be numbers separated by commas but got '{}'", option, list));
    }
    numbers.push_back(*number);
  }
  return numbers;
}

std::vector<std::int64_t> chosen_channels(const PlotCommand& options, const std::optional<Encoding>& encoding) {
  if (options.channels.empty()) return {};
  const bool rows = encoding && encoding->place() == Place::input;
  return parse_channels(options.channels, rows ? encoding->width() : kMostPositions);
}

FigureOptions figure_options(const PlotCommand& options, LoadedFigure& loaded) {
  FigureOptions chosen;
  if (!options.positions.empty()) {
    loaded.positions = load_positions(options.positions);
    chosen.positions = loaded.positions;
    if (loaded.positions.count() == 0) {
      fail(ErrorKind::usage, fmt::format("--positions '{}' has no positions", options.positions));
    }
    if (loaded.positions.count() > kMostPositions) {
      fail(ErrorKind::usage, fmt::format("--positions {} has {} positions, but a figure shows at most 1048576; choose "
                                         "fewer with a step, such as 0:2000000:10",
                                         options.positions, loaded.positions.count()));
    }
  }
  chosen.bases = read_reals(options.bases, "--bases");
  chosen.exponents = read_reals(options.exponents, "--exponents");
  if (!options.content.empty()) {
    loaded.content = load_rows(options.content, "token embeddings");
    chosen.content = loaded.content->view();
  }
  chosen.position = options.position;
  chosen.shift = options.shift;
  chosen.input_std = options.input_std;
  chosen.train_length = options.trained;
  chosen.head = options.head;
  chosen.seed = options.encoding.seed.value_or(0);
  std::istringstream words(options.sentence);
  for (std::string word; words >> word;) chosen.tokens.push_back(word);
  chosen.width = options.width.value_or(0.0);
  chosen.height = options.height.value_or(0.0);
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

void write_data(const PlotCommand& options, const std::string& format, const Figure& figure,
                const std::optional<Encoding>& encoding) {
  if (format == "csv") return write_text(options.output, figure_csv(figure));
  Json::Array data;
  for (const DataTable& table : figure.data) data.push_back(to_json(table));
  write_json(options.output, {{"figure", Json(figure.name)},
                              {"title", Json(figure.title)},
                              {"finding", Json(figure.finding)},
                              {"note", Json(figure.note)},
                              {"command", Json(figure.command)},
                              {"spec", encoding ? to_json(encoding->spec()) : Json()},
                              {"data", Json(std::move(data))}});
}

// The SPEC of the command, or the default of the figure, which is said on standard error.
std::string chosen_spec(PlotCommand& options, const FigureInfo& info) {
  if (!options.spec.empty()) return options.spec;
  std::string spec(info.default_spec);
  // A table in a file has its own size.
  if (options.encoding.has_table() && figure_fits(info.name, Learned{})) {
    spec = options.encoding.init.empty() ? "learned:past_end=error"
                                         : complete_spec("learned", {.example = ExampleSize::picture}).text;
  }
  if (!spec.empty()) fmt::print(stderr, "posenc: no SPEC was given: using {}\n", spec);
  return spec;
}

// The encoding that SPEC names, with its learned numbers; none for a figure that needs no SPEC and got none. Refuses
// what the figure cannot show before anything is computed.
std::optional<Encoding> load_subject(const FigureInfo& info, const PlotCommand& options, const FigureOptions& chosen) {
  EncodingOptions learned = learned_options(options.encoding, /*made_input=*/true);
  learned.missing = Missing::leave;  // a figure draws what is missing, and says so
  if (options.spec.empty()) {
    posenc::check_choices({}, {}, false, learned);
    if (!learned.has_numbers()) return std::nullopt;
    fail(
        ErrorKind::usage,
        fmt::format("the figure '{}' has no learned numbers: leave out --file, --init, --std, --parameter and --values",
                    info.name));
  }
  const Encoding found = find_encoding(options.spec, learned);
  // A kind that does not fit is refused before anything is said of its fields; of a model or a scaling the remarks say
  // which kind it has.
  const bool kind = kind_called(options.spec.substr(0, options.spec.find(':'))).has_value();
  if (!kind) say_found(found, learned);
  check_figure(info.name, found.spec(), chosen);
  if (kind) say_found(found, learned);
  const Encoding encoding = with_learned(found, learned);
  if (info.shows_learned) check_learned_of_model(encoding, options.spec, fmt::format("posenc plot {}", info.name));
  return encoding;
}

Figure figure_of(const PlotCommand& options, const std::optional<Encoding>& encoding, const FigureOptions& chosen) {
  try {
    return encoding ? make_figure(options.figure, *encoding, chosen) : make_figure(options.figure, chosen);
  } catch (const Error& error) {
    fail_naming(error, {{"content", options.content}, {"width", "--picture-width"}, {"height", "--picture-height"}});
  }
}

int run(PlotCommand options) {
  const std::string format = choose_format(options.output, {"text", "svg", "png", "pdf", "json", "csv"});
  check_sizes(options, format);
  if (const FigureInfo* figure = find_figure(options.figure)) options.figure = figure->name;
  const TerminalStyle style = format == "text" ? choose_style(options) : TerminalStyle::ascii;
  const FigureInfo& info = chosen_figure(options);
  settle_position(info, options);
  check_choices(info, options);
  if (options.encoding.std && options.encoding.init.empty() && takes(info, "input_std")) {
    fail(ErrorKind::usage, "--std needs --init; --input-std is the standard deviation of random embeddings");
  }
  if (options.input_std && !options.content.empty()) {
    fail(ErrorKind::usage, "--input-std is for random embeddings; --input reads them from a file");
  }
  options.spec = chosen_spec(options, info);
  LoadedFigure loaded;
  FigureOptions chosen = figure_options(options, loaded);
  const std::optional<Encoding> encoding = load_subject(info, options, chosen);
  chosen.channels = chosen_channels(options, encoding);
  chosen.command = command_of(info, options, encoding);
  if (format == "text") {
    const TerminalSize size = terminal_size();
    chosen.metrics = TextMetrics::cells;
    chosen.plain = style == TerminalStyle::ascii;
    chosen.width = kCellWidth * static_cast<double>(options.columns > 0 ? options.columns : size.columns);
    chosen.height = kCellHeight * static_cast<double>(options.lines > 0 ? options.lines : size.lines);
  }
  const Figure figure = figure_of(options, encoding, chosen);
  if (format == "text") {
    write_text(options.output, to_terminal(figure.drawing, {.style = style, .theme = theme_of(options, Theme::dark)}));
  } else if (format == "csv" || format == "json") {
    write_data(options, format, figure, encoding);
  } else {
    write_picture(options, format, figure);
  }
  return 0;
}

void add_choices(Command& command, PlotCommand& options) {
  command.text("--positions,-p", options.positions, std::string(kPositionsHelp) + " (default: depends on the figure)")
      .positions();
  command.text("--channels,-c", options.channels, std::string("waves only: channels to draw: ") + kChannelsHelp)
      .value("CHANNELS");
  command.add("--place", options.position, "map only: the place that others are compared with, counted row by row");
  command.add("--position", options.former_position, "").group("");
  command.add("--shift", options.shift, "shift and same_word only: distance to the second position");
  command.add("--trained", options.trained, "length that the model was trained on").formerly("--train");
  command.add("--head", options.head, "head to show (default: all, or the first few)");
  command.text("--bases", options.bases, "bases only: bases to compare, as 100,10000,1000000").value("LIST");
  command.text("--exponents", options.exponents, "bases only: factors of the exponents to compare, as 0.5,2")
      .value("LIST");
  command.text("--words", options.sentence, "attention and parts only: words, one per token").formerly("--sentence");
  command
      .add("--input-std", options.input_std,
           "mixing, angle, same_word and parts only: standard deviation of random embeddings (default: 0.5)")
      .between(1e-9, 1e9);
  command
      .text("--input,-i", options.content,
            "parts only: token embeddings [N, M], x.npy or m.safetensors:x (default: random)")
      .value("FILE")
      .formerly("--content");
}

void add_look(Command& command, PlotCommand& options) {
  command.add("--theme", options.theme, "light, dark or auto (svg: follows the reader's system; png and pdf: light)")
      .one_of({"auto", "light", "dark"})
      .show_default();
  command
      .add("--picture-width", options.width,
           "width of svg, png and pdf in points, 200 to 10000; some figures need more than 200")
      .between(200.0, 10000.0)
      .formerly("--width");
  command
      .add("--picture-height", options.height,
           "height of svg, png and pdf in points, 100 to 10000; most figures need more than 100")
      .between(100.0, 10000.0)
      .formerly("--height");
  command.add("--picture-scale", options.scale, "png only: pixels per point, 0.1 to 16 (default: 2)")
      .between(0.1, 16.0)
      .formerly("--scale");
  command.add("--style", options.style, "text only: auto, truecolor, color256 or ascii")
      .one_of({"auto", "truecolor", "color256", "ascii"})
      .show_default();
  add_color(command, options.color);
  command
      .add("--columns", options.columns, "text only: characters per line, 40 to 10000 (default: width of the terminal)")
      .within(40, 10000);
  command
      .add("--lines", options.lines,
           "text only: number of lines, 16 to 10000, more if the figure needs them (default: height of the terminal)")
      .within(16, 10000);
}

}  // namespace

std::vector<std::string> options_of_figure(const FigureInfo& info) {
  std::vector<std::string> names;
  for (const Choice& choice : choices_of(info, {})) {
    if (takes(info, choice.word)) names.emplace_back(choice.option);
  }
  return names;
}

void add_plot(Command& app) {
  const auto options = std::make_shared<PlotCommand>();
  Command command = app.command("plot", "Draw a figure in the terminal or as svg, png or pdf; or print its numbers",
                                "  posenc plot heatmap\n"
                                "  posenc plot waves sinusoidal:width=64 --channels 0,2,10 -o waves.svg\n"
                                "  posenc plot similarity sinusoidal:width=128 --positions 0,1,50\n"
                                "  posenc plot bias alibi:heads=8 --theme dark -o bias.png\n"
                                "  posenc plot wavelengths rotary:head_dim=128 --format csv");
  command.add("FIGURE", options->figure, figure_names()).usage("FIGURE");
  command.add("SPEC", options->spec, std::string(kSpecHelp) + " (default: depends on the figure)");
  add_spec_choice(command, options->encoding);
  options->encoding.example = ExampleSize::picture;
  add_choices(command, *options);
  add_look(command, *options);
  add_weights(command, options->encoding, "seed of random contents and of learned numbers (default: 0)")
      .formerly("--random-seed");
  add_parameters(command, options->encoding);
  add_output(command, options->output, "text, svg, png, pdf, json, csv");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
