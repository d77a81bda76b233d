#include <fmt/format.h>

#include "cli/array_output.h"
#include "cli/channels.h"
#include "cli/commands/commands.h"
#include "cli/encoding.h"
#include "cli/input_table.h"
#include "cli/output.h"
#include "cli/query_table.h"
#include "cli/rotary_table.h"
#include "cli/shared_options.h"
#include "cli/table_text.h"
#include "posenc/error.h"
#include "posenc/files/load.h"

namespace posenc::cli {
namespace {

struct TableCommand {
  std::string spec;
  EncodingOptions encoding;
  std::string positions;
  std::string channels;  // empty: all
  std::string dtype;     // empty: f64 if numbers are written as text, else f32
  bool derivative = false;
  std::string tiling;  // rotary only: per_pair, halves, pairs or cos_sin; empty: per_pair, in npy cos_sin
  std::string only;    // rotary only: cos or sin; empty: both
  std::int64_t max_bytes = kMaxBytes;
  OutputOptions output;
};

void write_checked(const TableCommand& options, const std::string& format, TableHead head) {
  keep_channels(head, options.channels);
  check_size(head, options.positions, options.max_bytes);
  write_table(head, format, options.output);
}

void write_input_table(const TableCommand& options, const std::string& format, const Encoding& found) {
  const Spec& spec = found.spec();
  if (!options.tiling.empty() || !options.only.empty()) {
    fail(
        ErrorKind::usage,
        fmt::format("{} is for rotary encodings, whose tables of cosines and of sines are separate; '{}' has one table",
                    options.tiling.empty() ? "--only" : "--tiling", options.spec));
  }
  const Positions positions = load_positions(options.positions);
  check_axes(spec, positions.axes(), options.positions);
  const Encoding encoding = with_rows(found, options.encoding);
  say_untrained(encoding);
  const TableHead head = input_table(encoding, positions, choose_dtype(options.dtype, format),
                                     options.derivative ? Rows::derivative : Rows::values);
  write_checked(options, format, head);
}

// The table of xpos or temperature.
void write_query_table(const TableCommand& options, const std::string& format, const Encoding& found) {
  const Spec& spec = found.spec();
  if (options.derivative || !options.tiling.empty() || !options.only.empty()) {
    fail(ErrorKind::usage, fmt::format("{} does not take --derivative, --tiling or --only", kind_of(spec)));
  }
  refuse_table(spec, options.encoding);
  const Positions positions = load_positions(options.positions);
  check_axes(spec, positions.axes(), options.positions);
  const TableHead head = query_table(spec, positions, choose_dtype(options.dtype, format), format);
  write_checked(options, format, head);
}

void write_rotary_table(const TableCommand& options, const std::string& format, const Encoding& found) {
  const Spec& spec = found.spec();
  if (options.derivative) {
    fail(
        ErrorKind::unsupported,
        "--derivative works for sinusoidal encodings; the derivatives of cos and sin by the position are -inv_freq sin "
        "and inv_freq cos");
  }
  refuse_table(spec, options.encoding);
  const RotaryParts parts = choose_parts(options.tiling, options.only, format);
  const Positions positions = load_positions(options.positions);
  check_axes(spec, positions.axes(), options.positions);
  const TableHead head =
      rotary_table(with_learned(found, options.encoding), positions, choose_dtype(options.dtype, format), parts);
  write_checked(options, format, head);
}

int run(const TableCommand& options) {
  const Encoding found = find_with_remarks(options.spec, options.encoding);
  const std::string format = choose_format(options.output, {"text", "json", "csv", "npy", "safetensors"});
  const Spec& spec = found.spec();
  if (std::holds_alternative<Rotary>(spec) || std::holds_alternative<Pope>(spec)) {
    write_rotary_table(options, format, found);
  } else if (std::holds_alternative<Xpos>(spec) || std::holds_alternative<QueryTemperature>(spec)) {
    write_query_table(options, format, found);
  } else {
    write_input_table(options, format, found);
  }
  return 0;
}

void add_tiling(Command& command, TableCommand& options) {
  command
      .add(
          "--tiling", options.tiling,
          "rotary only: per_pair (a column per pair, the default), halves (c0 c1 .. c0 c1 ..), pairs (c0 c0 c1 c1 ..), "
          "or cos_sin (per pair, [cos | sin] in one array: the default of .npy files)")
      .one_of({"per_pair", "halves", "pairs", "cos_sin"});
  command.add("--only", options.only, "rotary only: write the cosines or the sines alone").one_of({"cos", "sin"});
}

}  // namespace

void add_table(Command& app) {
  const auto options = std::make_shared<TableCommand>();
  Command command = app.command("table", "Print the numbers of an encoding at positions",
                                "  posenc table sinusoidal:width=4 --positions 0:4\n"
                                "  posenc table sinusoidal:width=64 --positions 0:10 --channels 0:8\n"
                                "  posenc table sinusoidal:width=512 --positions 0:5000 -o table.npy\n"
                                "  posenc table sinusoidal:width=8,order=halves --positions 0,7,2.5 --format json\n"
                                "  posenc table learned:past_end=clamp --file wpe.npy --positions 0:4\n"
                                "  posenc table rotary:head_dim=128 --positions 0:4096 -o cos_sin.safetensors");
  command.add("SPEC", options->spec, kSpecHelp).required();
  command.add("--positions,-p", options->positions, kPositionsHelp).positions().required().formerly("--position");
  command
      .text("--channels,-c", options->channels,
            std::string(kChannelsHelp) + ": print these columns only; rotary: of the cosines and of the sines")
      .value("CHANNELS");
  add_dtype(command, options->dtype, "f64 in text, json and csv, else f32");
  command.flag("--derivative", options->derivative, "print the derivative by the position instead");
  add_spec_choice(command, options->encoding);
  add_tiling(command, *options);
  add_max_bytes(command, options->max_bytes);
  add_weights(command, options->encoding);
  add_output(command, options->output, "text, json, csv, npy, safetensors");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
