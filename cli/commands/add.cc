#include <fmt/format.h>

#include <vector>

#include "cli/array_output.h"
#include "cli/array_report.h"
#include "cli/arrays.h"
#include "cli/commands/commands.h"
#include "cli/embedding_scale.h"
#include "cli/encoding.h"
#include "cli/output.h"
#include "cli/random_input.h"
#include "cli/shared_options.h"
#include "cli/sized_spec.h"
#include "cli/token_positions.h"
#include "posenc/embed.h"
#include "posenc/error.h"
#include "posenc/files/spec_json.h"
#include "posenc/workers.h"

namespace posenc::cli {
namespace {

struct AddCommand {
  std::string spec;
  EncodingOptions encoding;
  InputOptions input;     // the embeddings
  std::string positions;  // empty: 0 to N; @ids.npy may be [B, N]
  std::string join = "add";
  std::string scale = "1";  // a number, or sqrt
  std::optional<double> dropout = {};
  std::optional<std::uint64_t> dropout_seed, step, first_row, first_token;  // with dropout only; 0
  std::int64_t threads = 1;
  std::string tensor;  // empty: values
  OutputOptions output;
};

std::int64_t count_of(std::uint64_t value, const std::string& option) {
  if (value <= 0xffffffffu) return static_cast<std::int64_t>(value);
  fail(ErrorKind::usage, fmt::format("{} must be below 2^32 but got '{}'", option, value));
}

Dropout dropout_of(const AddCommand& options) {
  if (!options.dropout && (options.dropout_seed || options.step || options.first_row || options.first_token)) {
    fail(ErrorKind::usage,
         "--dropout-seed, --step, --first-row and --first-token need --dropout P, such as --dropout 0.1");
  }
  return {.p = options.dropout.value_or(0.0),
          .seed = options.dropout_seed.value_or(0),
          .step = options.step.value_or(0),
          .first_row = count_of(options.first_row.value_or(0), "--first-row"),
          .first_token = count_of(options.first_token.value_or(0), "--first-token")};
}

// Everything that the numbers depend on, except the contents of files.
Json::Object head_of(const Spec& spec, const AddCommand& options, const Input& input, const std::string& positions,
                     const EmbedOptions& embed) {
  const Dropout& dropout = embed.dropout;
  Json mask;
  mask.set("p", dropout.p)
      .set("seed", fmt::format("{}", dropout.seed))
      .set("step", static_cast<std::int64_t>(dropout.step));
  mask.set("first_row", dropout.first_row).set("first_token", dropout.first_token);
  Json::Object head = {
      {"spec", to_json(spec)}, {"positions", positions}, {"join", options.join}, {"scale", embed.scale}};
  head.emplace_back("dropout", options.dropout ? mask : Json(nullptr));
  if (!input.made.empty()) head.emplace_back("input", input.json);
  return head;
}

void check_width(const AddCommand& options, const Input& input, const Encoding& encoding) {
  const std::int64_t width = input.array.shape.back();
  if (options.join == "concat" || width == encoding.width()) return;
  fail(ErrorKind::bad_input,
       fmt::format("{}: expected embeddings of width {}, the width of '{}', but got {}", input.name, encoding.width(),
                   encoding.text(), shape_text(input.array.view())));
}

// The positions and their rows, as far as a report shows them.
struct ReportedRows {
  Array array;  // [N, P]; of a batch with ids of its own, those of the first row
  std::string positions;
};

ReportedRows rows_of(const Encoding& encoding, const TokenPositions& positions, DType dtype) {
  PositionView first = positions.view;
  first.batch = 1;
  ReportedRows rows{make_array(dtype, {first.count, encoding.width()}), positions.text};
  fill_rows(encoding.rows(), first, writable(rows.array));
  return rows;
}

std::string formula_of(const AddCommand& options, const EmbeddingScale& scale) {
  const std::string x = scale.times("embeddings");
  const std::string result = options.join == "concat" ? fmt::format("[{} | encoding]", x) : x + " + encoding";
  return options.dropout ? fmt::format("dropout({}, {:g})", result, *options.dropout) : result;
}

std::string words_text(const Input& input) {
  return input.words.empty() ? "" : fmt::format(" ({})", fmt::join(input.words, " "));
}

std::string report_of(const AddCommand& options, const Input& input, const Encoding& encoding, const ReportedRows& rows,
                      const ConstView& result, const EmbeddingScale& scale) {
  ArrayReport report;
  const ConstView x = input.array.view();
  report.array("embeddings", x, input.made);
  report.array("encoding", rows.array.view(), fmt::format("{} at positions {}", encoding.text(), rows.positions));
  report.array("output", result, formula_of(options, scale));
  const bool batch = result.rank == 3;
  const std::string first = batch ? "[0]" : "";
  report.first_numbers("embeddings" + first + words_text(input), "token", batch ? x[0] : x);
  report.first_numbers("encoding", "token", rows.array.view());
  report.first_numbers("output" + first, "token", batch ? result[0] : result);
  return report.text();
}

int run(const AddCommand& options) {
  check_place_of_kind(options.spec, {Place::input});
  const Encoding found = find_beside_input({spec_for_embeddings(options.spec, options.input.random)}, options.encoding,
                                           missing_embeddings(options.input))
                             .front();
  const std::string format = choose_array_format(options.output, options.tensor);
  const EncodingOptions learned = learned_options(options.encoding, options.input.made());
  const Encoding encoding = with_rows(found, learned);
  const Spec& spec = encoding.spec();
  Input input =
      load_embeddings(options.input, encoding.width(), options.join == "add", options.encoding.seed.value_or(0));
  say_untrained(encoding);
  const TokenCount count = tokens_of(input.array, 3);
  const TokenPositions positions = load_token_positions(options.positions, axes_of(spec), count);
  check_axes(spec, positions.view.axes, positions.text);
  positions.check_count(input.name, count);
  check_width(options, input, encoding);
  const Workers workers(static_cast<int>(options.threads));
  const EmbeddingScale scale = embedding_scale(options.scale, input.array.shape.back());
  const EmbedOptions embed{.scale = scale.factor, .dropout = dropout_of(options), .workers = &workers};
  const bool concat = options.join == "concat", reports = !input.made.empty() && wants_report(format, options.output);
  Array result;
  View out = writable(input.array);
  if (concat || reports) {  // else in place, because embeddings from a file may be large
    std::vector<std::int64_t> shape = input.array.shape;
    if (concat) shape.back() += encoding.width();
    result = make_array(input.array.dtype, shape);
    out = writable(result);
  }
  if (concat) {
    concat_positions(input.array.view(), positions.view, encoding.rows(), out, embed);
  } else {
    add_positions(input.array.view(), positions.view, encoding.rows(), out, embed);
  }
  Result written{format, options.tensor, head_of(spec, options, input, positions.text, embed)};
  if (reports) {
    const ReportedRows rows = rows_of(encoding, positions, input.array.dtype);
    written.report = report_of(options, input, encoding, rows, out, scale);
  }
  write_result(out, written, options.output);
  return 0;
}

}  // namespace

void add_add(Command& app) {
  const auto options = std::make_shared<AddCommand>();
  Command command = app.command(
      "add", "Add an encoding to embeddings",
      "  posenc add sinusoidal:width=64 --random 2x10x64\n"
      "  posenc add sinusoidal:width=128 --tokens 101,2054,2003 --vocabulary 10000 --scale sqrt --dropout 0.1\n"
      "  posenc add sinusoidal:width=8 --words \"the cat sat\"\n"
      "  posenc add sinusoidal:width=512 --input x.npy --scale sqrt -o sum.npy\n"
      "  posenc add learned:past_end=error --file wpe.npy --input x.npy --positions @ids.npy -o sum.npy\n"
      "  posenc add sinusoidal:width=64 --input x.npy --join concat -o out.safetensors");
  command.add("SPEC", options->spec, kSpecHelp).required();
  add_embedding_input(command, options->input);
  add_spec_choice(command, options->encoding);
  add_token_positions(command, options->positions);
  command.add("--join", options->join, "add the encoding, or concat: append it to the channels of the embeddings")
      .one_of({"add", "concat"})
      .show_default();
  add_embedding_scale(command, options->scale);
  command.add("--dropout", options->dropout,
              "set elements of the result to 0 with this probability, and scale the others up");
  command.add("--dropout-seed", options->dropout_seed, "with --dropout: seed of the mask (default: 0)");
  command.add("--step", options->step, "with --dropout: training step; each has another mask (default: 0)");
  command.add("--first-row", options->first_row,
              "with --dropout: index of the first row in a larger batch, for its part of the mask");
  command.add("--first-token", options->first_token,
              "with --dropout: index of the first token in a longer sequence, likewise");
  add_threads(command, options->threads);
  add_tensor(command, options->tensor);
  add_table_file(command, options->encoding);
  add_init(command, options->encoding, "seed of random embeddings and of --init (default: 0)");
  add_output(command, options->output, "text, json, npy, safetensors");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
