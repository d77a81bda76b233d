// The grammar of plot.
#include "cli/grammar.h"
#include "posenc/insight/figure.h"

namespace posenc::cli {
namespace {

std::string figure_names() {
  std::string names;
  for (const FigureInfo& info : figures()) names += (names.empty() ? "" : ", ") + std::string(info.name);
  return names;
}

void add_choices(CLI::App& command, PlotOptions& options) {
  command.add_option("--positions,-p", options.positions, std::string(kPositionsHelp) + " (default: by the figure)")
      ->check(not_empty);
  command.add_option("--channels", options.channels, "0,2,10: the channels that are drawn")->check(not_empty);
  command.add_option("--position", options.position, "of figures that show one position");
  command.add_option("--shift", options.shift, "how many positions further");
  command.add_option("--train", options.train, "the length that a model was trained on");
  command.add_option("--head", options.head, "of what has heads (default: all, or the first few)");
  command.add_option("--sentence", options.sentence, "words that stand beside rows and columns")->check(not_empty);
  command
      .add_option("--content", options.content, "token embeddings [N, M]: x.npy or m.safetensors:x (default: drawn)")
      ->check(not_empty);
  command
      .add_option("--random-seed", options.random_seed,
                  "of what the figure draws at random: contents, learned numbers that are not given (default: 0)")
      ->check(not_empty);
}

void add_look(CLI::App& command, PlotOptions& options) {
  command.add_option("--theme", options.theme, "light, dark or auto (svg: as the reader's system; png and pdf: light)")
      ->check(CLI::IsMember({"auto", "light", "dark"}))
      ->capture_default_str();
  command.add_option("--width", options.width, "of svg, png and pdf, in points")->check(CLI::Range(100.0, 10000.0));
  command.add_option("--height", options.height, "the same")->check(CLI::Range(100.0, 10000.0));
  command.add_option("--scale", options.scale, "of png: pixels per point, 0.1 to 16 (default: 2)");
  command.add_option("--style", options.style, "of text: auto, truecolor, color256 or ascii")
      ->check(CLI::IsMember({"auto", "truecolor", "color256", "ascii"}))
      ->capture_default_str();
  add_color(command, options.color);
  command.add_option("--columns", options.columns, "of text: characters across (default: what the terminal has)")
      ->check(CLI::Range(40, 10000));
  command.add_option("--lines", options.lines, "of text: lines (default: what the terminal has)")
      ->check(CLI::Range(16, 10000));
}

}  // namespace

void add_plot(CLI::App& app, PlotOptions& options) {
  CLI::App* command = add_command(app, "plot", "A figure: in the terminal, as svg, png or pdf, or its data.",
                                  "  posenc plot heatmap sinusoidal:width=128\n"
                                  "  posenc plot waves sinusoidal:width=64 --channels 0,2,10 -o waves.svg\n"
                                  "  posenc plot bias alibi:heads=8 --theme dark -o bias.png\n"
                                  "  posenc plot wavelengths rotary:head_dim=128 --format csv");
  command->add_option("FIGURE", options.figure, figure_names())->required();
  command->add_option("SPEC", options.spec, std::string(kSpecHelp) + "; some figures need none");
  add_spec_choice(*command, options.spec);
  add_choices(*command, options);
  add_look(*command, options);
  add_weights(*command, options.weights);
  add_parameters(*command, options.parameters, options.values);
  add_output(*command, options.output, "text, svg, png, pdf, json, csv");
}

}  // namespace posenc::cli
