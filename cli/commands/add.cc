#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "cli/array_output.h"
#include "cli/arrays.h"
#include "cli/commands/commands.h"
#include "cli/encoding.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "cli/token_positions.h"
#include "posenc/embed.h"
#include "posenc/error.h"
#include "posenc/files/load.h"
#include "posenc/files/spec_json.h"
#include "posenc/workers.h"

namespace posenc::cli {
namespace {

struct AddCommand {
  std::string spec;
  EncodingOptions encoding;
  std::string input;      // the embeddings: file.npy or file.safetensors:tensor
  std::string positions;  // empty: 0 to N; @ids.npy may be [B, N]
  std::string join = "add";
  std::string scale = "1";  // a number, or sqrt
  std::optional<double> dropout = {};
  std::optional<std::uint64_t> dropout_seed, step, first_row, first_token;  // 0; only with dropout
  std::int64_t threads = 1;
  std::string tensor;  // empty: values
  OutputOptions output;
};

Array load_input(const std::string& file) {
  Array input = load_array(file);
  const std::size_t rank = input.shape.size();
  if ((rank == 2 || rank == 3) && is_float(input.dtype)) return input;
  fail(ErrorKind::bad_input,
       fmt::format("{}: expected embeddings, [N, M] or [B, N, M] of floats, but got {}", file, array_text(input)));
}

double scale_of(const std::string& text, std::int64_t width) {
  if (text == "sqrt") return std::sqrt(static_cast<double>(width));
  return finite_number(text, "--scale", "a number or 'sqrt'");
}

std::int64_t count_of(std::uint64_t value, const std::string& option) {
  if (value <= 0xffffffffu) return static_cast<std::int64_t>(value);
  fail(ErrorKind::usage, fmt::format("{} must be below 2^32 but got '{}'", option, value));
}

Dropout dropout_of(const AddCommand& options) {
  if (!options.dropout && (options.dropout_seed || options.step || options.first_row || options.first_token)) {
    fail(ErrorKind::usage, "--dropout-seed, --step, --first-row and --first-token need --dropout");
  }
  return {.p = options.dropout.value_or(0.0),
          .seed = options.dropout_seed.value_or(0),
          .step = options.step.value_or(0),
          .first_row = count_of(options.first_row.value_or(0), "--first-row"),
          .first_token = count_of(options.first_token.value_or(0), "--first-token")};
}

// Everything that the numbers depend on but the embeddings and a table's file.
Json::Object head_of(const Spec& spec, const AddCommand& options, const std::string& positions,
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
  return head;
}

int run(const AddCommand& options) {
  const Encoding found = find_with_remarks(options.spec, options.encoding);
  const std::string format = choose_array_format(options.output, options.tensor);
  const Encoding encoding = with_rows(found, options.encoding);
  const Spec& spec = encoding.spec();
  Array input = load_input(options.input);
  const TokenCount count = tokens_of(input, 3);
  const TokenPositions positions = load_token_positions(options.positions, axes_of(spec), count);
  check_axes(spec, positions.view.axes, positions.text);
  positions.check_count(options.input, count);
  const Workers workers(static_cast<int>(options.threads));
  const EmbedOptions embed{
      .scale = scale_of(options.scale, input.shape.back()), .dropout = dropout_of(options), .workers = &workers};
  View result = writable(input);
  Array wide;
  if (options.join == "concat") {
    std::vector<std::int64_t> shape = input.shape;
    shape.back() += encoding.width();
    wide = make_array(input.dtype, shape);
    result = writable(wide);
    concat_positions(input.view(), positions.view, encoding.rows(), result, embed);
  } else {
    add_positions(result, positions.view, encoding.rows(), result, embed);
  }
  start_result(result, format, options.tensor, head_of(spec, options, positions.text, embed), options.output).finish();
  return 0;
}

}  // namespace

void add_add(Command& app) {
  const auto options = std::make_shared<AddCommand>();
  Command command = app.command(
      "add", "An encoding into embeddings: [N, M] or [B, N, M] in, their sum out.",
      "  posenc add sinusoidal:width=512 --input x.npy --scale sqrt -o sum.npy\n"
      "  posenc add learned:past_end=error --file wpe.npy --input x.npy --positions @ids.npy -o sum.npy\n"
      "  posenc add sinusoidal:width=64 --input x.npy --join concat --dropout 0.1 --step 3 -o out.safetensors");
  command.add("SPEC", options->spec, kSpecHelp).required();
  add_spec_choice(command, options->encoding);
  add_input(command, options->input, "the embeddings: x.npy");
  add_token_positions(command, options->positions);
  command.add("--join", options->join, "add, or concat: positions behind the embeddings")
      .one_of({"add", "concat"})
      .show_default();
  command.add("--scale", options->scale, "multiplies the embeddings first: a number, or sqrt of their width")
      .show_default();
  command.add("--dropout", options->dropout, "the probability that an element of the result becomes 0");
  command.add("--dropout-seed", options->dropout_seed, "with --dropout and --step: which elements (default: 0)");
  command.add("--step", options->step, "with --dropout: another step, another mask (default: 0)");
  command.add("--first-row", options->first_row, "with --dropout: where this batch begins in a larger one ...");
  command.add("--first-token", options->first_token, "... and where its tokens do: its part of the same mask");
  add_threads(command, options->threads);
  add_tensor(command, options->tensor);
  add_weights(command, options->encoding);
  add_output(command, options->output, "text, json, npy, safetensors");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
