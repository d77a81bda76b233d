#include "posenc/layer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "cli/array_output.h"
#include "cli/array_report.h"
#include "cli/arrays.h"
#include "cli/attention_formula.h"
#include "cli/attention_map.h"
#include "cli/commands/commands.h"
#include "cli/complaints.h"
#include "cli/embedding_scale.h"
#include "cli/encoding.h"
#include "cli/layer_steps.h"
#include "cli/output.h"
#include "cli/random_input.h"
#include "cli/shared_options.h"
#include "cli/sized_spec.h"
#include "posenc/error.h"
#include "posenc/files/load_layer.h"
#include "posenc/files/spec_json.h"
#include "posenc/insight/svg.h"
#include "posenc/plot/plot.h"

namespace posenc::cli {
namespace {

constexpr std::int64_t kBatch = 2, kTokens = 20, kWidth = 64;
constexpr std::size_t kColumns = 100;
constexpr std::int64_t kMaxLayerBytes = 4'000'000'000;

struct LayerCommand {
  std::vector<std::string> specs;  // at most one at the input; empty: sinusoidal
  EncodingOptions encoding;
  InputOptions input;
  std::optional<std::int64_t> given_heads;
  std::string model;  // a safetensors file with the weights; empty: random ones
  std::string prefix;
  std::string given_residual;
  std::string scale = "1";
  std::optional<double> dropout;
  bool causal = false;
  std::int64_t max_bytes = kMaxLayerBytes;
  std::string map;  // a file for the averaged weights
  std::string tensor;
  OutputOptions output;

  std::int64_t heads() const { return given_heads.value_or(8); }
  bool bare() const { return given_residual == "bare"; }
};

struct Weights {
  MultiHeadArrays arrays;
  std::string text;  // where they come from
};

void check_heads(std::int64_t width, std::int64_t heads) {
  if (width % heads == 0) return;
  fail(ErrorKind::usage,
       fmt::format("--heads {} does not divide the width, {}: every head gets width / heads channels", heads, width));
}

// A kind without fields gets the sizes of the layer. Tables get other choices too, which are printed.
std::string completed(const std::string& text, const InputSizes& sizes) {
  const bool in_heads = sized_spec(text, {.head_dim = 1}).assumed.starts_with("head_dim=");
  if (in_heads) check_heads(sizes.width, sizes.heads);
  const SizedSpec sized = sized_spec(text, sizes);
  if (sized.has_table && !sized.assumed.empty()) say_assumed(sized.assumed, sized.text);
  return sized.text;
}

// Whether a kind with a learned table is given without fields.
bool has_open_table(const LayerCommand& options) {
  return std::any_of(options.specs.begin(), options.specs.end(),
                     [](const std::string& text) { return sized_spec(text, {}).has_table; });
}

// At most one encoding is added to x, the others act inside attention.
struct LayerEncodings {
  std::optional<Encoding> input;
  std::vector<Encoding> inside;
  std::string text;
};

LayerEncodings load_encodings(const LayerCommand& options, const InputSizes& sizes) {
  std::vector<std::string> texts;
  for (const std::string& text : options.specs) texts.push_back(completed(text, sizes));
  if (texts.empty()) texts.push_back(completed("sinusoidal", sizes));
  EncodingOptions learned = learned_options(options.encoding, options.input.made() || options.model.empty());
  if (options.model.empty()) learned.missing = Missing::draw;  // as the weights of the layer
  std::vector<Encoding> all = with_learned(find_with_remarks(texts, options.encoding), learned);
  LayerEncodings encodings;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Encoding& encoding = all[i];
    check_learned_of_model(encoding, texts[i], "posenc layer");
    say_untrained(encoding);
    encodings.text += (encodings.text.empty() ? "" : " ") + encoding.text();
    if (encoding.place() != Place::input) {
      encodings.inside.push_back(std::move(encoding));
    } else if (encodings.input) {
      fail(ErrorKind::usage, "only one encoding can be added to the embeddings but two were given");
    } else {
      encodings.input = std::move(encoding);
    }
  }
  return encodings;
}

// Attention weights grow with the square of the tokens. `shape` is that of x, [N, M] or [B, N, M].
void check_memory(const LayerCommand& options, const std::vector<std::int64_t>& shape, DType dtype) {
  const std::size_t rank = shape.size();
  if (rank != 2 && rank != 3) return;  // refused elsewhere
  const std::int64_t batch = rank == 3 ? shape[0] : 1, tokens = shape[rank - 2];
  const auto size = static_cast<double>(size_of(dtype)), length = static_cast<double>(tokens);
  const double maps = static_cast<double>(batch) * static_cast<double>(options.heads() + 1);
  check_bytes(maps * length * length * size, options.max_bytes,
              fmt::format("the attention weights [{}, {}, {}, {}] and their averages take", batch, options.heads(),
                          tokens, tokens));
  if (!options.model.empty()) return;
  const auto width = static_cast<double>(shape.back());
  check_bytes(4.0 * width * width * sizeof(float), options.max_bytes,
              fmt::format("random weights for width {} take", shape.back()));
}

Input load_input(const LayerCommand& options, std::int64_t width) {
  if (!options.input.random.empty()) check_memory(options, parse_shape(options.input.random), DType::f32);
  const std::string shape = fmt::format("{}x{}x{}", kBatch, kTokens, width);
  return load_embeddings(options.input, width, true, options.encoding.seed.value_or(0), shape);
}

// As [B, N, M] of f32 or f64. `loaded` is the input if it was needed before.
Input load_x(const LayerCommand& options, std::optional<Input>& loaded, const LayerEncodings& encodings,
             std::int64_t width) {
  Input x = loaded ? std::move(*loaded) : load_input(options, width);
  if (x.array.shape.back() != width) {
    fail(ErrorKind::bad_input, fmt::format("{}: expected embeddings of width {}, the width of '{}', but got {}", x.name,
                                           width, encodings.text, shape_text(x.array.view())));
  }
  if (x.array.dtype != DType::f32 && x.array.dtype != DType::f64) {
    fail(ErrorKind::bad_input, fmt::format("{}: expected f32 or f64 but got {}", x.name, x.array.text()));
  }
  check_memory(options, x.array.shape, x.array.dtype);
  if (x.array.shape.size() == 2) x.array.shape.insert(x.array.shape.begin(), 1);
  return x;
}

Weights load_weights(const LayerCommand& options, std::int64_t width) {
  if (!options.model.empty()) {
    Weights given{load_multi_head(options.model, options.prefix),
                  options.prefix.empty() ? options.model : fmt::format("{}, {}*", options.model, options.prefix)};
    const MultiHeadArrays& arrays = given.arrays;
    check_finite(arrays.in_proj_weight, fmt::format("{}: {}in_proj_weight", options.model, options.prefix));
    check_finite(arrays.out_proj_weight, fmt::format("{}: {}out_proj.weight", options.model, options.prefix));
    return given;
  }
  if (!options.prefix.empty()) fail(ErrorKind::usage, "--prefix needs --model");
  const double std = 1.0 / std::sqrt(static_cast<double>(width));
  const std::uint64_t seed = options.encoding.seed.value_or(0);
  Weights weights;
  weights.arrays.in_proj_weight = random_numbers({3 * width, width}, std, seed, 1);
  weights.arrays.out_proj_weight = random_numbers({width, width}, std, seed, 2);
  weights.text = fmt::format("random (normal, std {:.4g}, seed {})", std, seed);
  return weights;
}

// The width of x if the user gave it, else the default; needed before anything else is known.
std::int64_t given_width(const LayerCommand& options, const std::optional<Input>& file) {
  if (file) return file->array.shape.back();
  return options.input.random.empty() ? kWidth : parse_shape(options.input.random).back();
}

LayerCall call_of(const LayerCommand& options, const LayerEncodings& encodings, const Weights& weights,
                  std::int64_t width) {
  LayerCall call{.weights = weights.arrays.multi_head(options.heads()), .input = encodings.input};
  call.scale = embedding_scale(options.scale, width).factor;
  call.dropout = options.dropout.value_or(0.0);
  call.seed = options.encoding.seed.value_or(0);
  if (options.causal) call.attend.mask.causal = Causal::end;
  for (const Encoding& encoding : encodings.inside) add_encoding(call.attend, encoding);
  if (encodings.input) return call;
  const char* option = options.dropout ? "--dropout" : options.scale != "1" ? "--scale" : nullptr;
  if (option != nullptr) {
    fail(ErrorKind::usage,
         fmt::format("{} acts on x + PE, but {} adds nothing to x: it acts inside attention", option, encodings.text));
  }
  return call;
}

// The choices that the user did not make.
std::string defaults_text(const LayerCommand& options, const LayerEncodings& encodings, const Input& x) {
  std::vector<std::string> used;
  const InputOptions& input = options.input;
  if (options.specs.empty()) used.push_back("SPEC " + encodings.text);
  if ((input.file + input.random + input.tokens + input.words).empty()) used.push_back(x.name);
  if (!options.given_heads) used.push_back(fmt::format("--heads {}", options.heads()));
  if (options.given_residual.empty() && encodings.input) used.emplace_back("--residual encoded");
  if (!options.encoding.seed && (input.made() || options.model.empty())) used.emplace_back("--seed 0");
  return used.empty() ? "" : fmt::format("Defaults: {}\n", fmt::join(used, ", "));
}

// The formula of each step as text.
struct StepNames {
  std::string h = "x", sum, bare_sum;
};

StepNames names_of(const LayerCommand& options, const LayerCall& call) {
  if (!call.input) return {"x", "x + attention(x)", "x + attention(x)"};
  std::string h = embedding_scale(options.scale, call.input->width()).times("x") + " + PE";
  if (call.dropout > 0.0) h = fmt::format("dropout({}, {:g})", h, call.dropout);
  return {h, "h + attention(h)", fmt::format("x + attention({})", h)};
}

std::string residual_text(const LayerCommand& options, const LayerCall& call, const ConstView& x,
                          const LayerSteps& steps) {
  if (!call.input) return "Nothing is added to x here: the residuals 'encoded' and 'bare' are the same.";
  const Difference difference = difference_of(steps.encoded, steps.bare);
  const Spread spread = spread_of(x, call);
  const StepNames names = names_of(options, call);
  std::string text = "Two ways to write the residual, from the same numbers:\n";
  text += fmt::format("  encoded  LayerNorm({}), h = {}\n", names.sum, names.h);
  text += fmt::format("  bare     LayerNorm({}): positions reach the output through attention only\n", names.bare_sum);
  text +=
      fmt::format("  The outputs differ by up to {:.4f}, by {:.4f} on average.\n", difference.largest, difference.mean);
  text += fmt::format(
      "  If every token is token 0, only positions make the rows of the output differ. Their mean distance:\n"
      "  {:.4f} with 'encoded', {:.4f} with 'bare'.",
      spread.encoded, spread.bare);
  return text;
}

std::string counted(std::int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string report_of(const LayerCommand& options, const LayerEncodings& encodings, const Weights& weights,
                      const Input& x, const LayerCall& call, const LayerSteps& steps) {
  const std::int64_t batch = x.array.shape[0], tokens = x.array.shape[1], width = x.array.shape[2];
  const std::int64_t heads = options.heads(), channels = width / heads;
  const StepNames names = names_of(options, call);
  const bool bare = options.bare();
  ArrayReport report;
  report.text(fmt::format("A transformer layer with {}: batch {}, {}, width {}, {} of {}{}", encodings.text, batch,
                          counted(tokens, "token"), width, counted(heads, "head"), counted(channels, "channel"),
                          options.causal ? ", causal" : ""));
  report.text(fmt::format("Weights: {}{}", weights.text, options.model.empty() ? "; nothing is trained" : ""));
  report.text(defaults_text(options, encodings, x));
  report.array("x", x.array.view(), x.made.empty() ? x.name : x.made);
  if (call.input) {
    report.array("PE", steps.encoding.view(), encodings.input->text());
    report.array("h", steps.h.view(), names.h);
  }
  report.shape("q, k, v", fmt::format("[{}, {}, {}, {}]", batch, tokens, heads, channels),
               fmt::format("{} W^T, split into heads", call.input ? "h" : "x"));
  const AttentionFormula formula = attention_formula(encodings.inside, channels, options.causal);
  report.array("weights", steps.weights.view(), formula.weights);
  report.array("averaged", steps.average.view(), "mean over the heads");
  report.array("attention", steps.attention.view(), formula.output + ", heads joined, times W_out^T");
  report.array("output", (bare ? steps.bare : steps.encoded).view(),
               fmt::format("LayerNorm({})", bare ? names.bare_sum : names.sum));
  if (!formula.where.empty()) report.text("");
  for (const std::string& sentence : formula.where) {
    for (const std::string& line : wrapped(sentence, kColumns)) report.text(line);
  }
  report.text("\nAttention weights of sequence 0 in percent, averaged over the heads (rows: queries, columns: keys)");
  report.text(attention_map_text(steps.average.view()[0], x.words));
  report.text(residual_text(options, call, x.array.view(), steps));
  report.first_numbers("output of sequence 0", "token", (bare ? steps.bare : steps.encoded).view()[0]);
  return report.text();
}

Json numbers_json(const ConstView& view) {
  Json::Array items;
  for (std::int64_t i = 0; i < view.shape[0]; ++i) {
    items.push_back(view.rank > 1 ? numbers_json(view[i]) : Json(number_at(view, i)));
  }
  return items;
}

Json::Object head_of(const LayerCommand& options, const LayerEncodings& encodings, const Weights& weights,
                     const Input& x, const LayerCall& call, const LayerSteps& steps) {
  Json::Array specs;
  if (encodings.input) specs.push_back(to_json(encodings.input->spec()));
  for (const Encoding& encoding : encodings.inside) specs.push_back(to_json(encoding.spec()));
  const Difference difference = difference_of(steps.encoded, steps.bare);
  const Spread spread = spread_of(x.array.view(), call);
  Json differ, apart;
  differ.set("largest", difference.largest).set("mean", difference.mean);
  apart.set("encoded", spread.encoded).set("bare", spread.bare);
  return {{"specs", Json(specs)},
          {"input", x.made.empty() ? Json(x.name) : x.json},
          {"weights", Json(weights.text)},
          {"heads", Json(options.heads())},
          {"residual", Json(options.bare() ? "bare" : "encoded")},
          {"scale", Json(call.scale)},
          {"dropout", Json(call.dropout)},
          {"seed", Json(fmt::format("{}", call.seed))},
          {"causal", Json(options.causal)},
          {"residuals_differ", differ},
          {"spread_of_one_token", apart},
          {"average_weights", numbers_json(steps.average.view())}};
}

// The format of --map, from the name of the file.
std::string map_format(const std::string& file) {
  const std::string extension = std::filesystem::path(file).extension().string();
  for (const char* known : {"svg", "png", "pdf", "npy", "safetensors", "json", "txt"}) {
    if (extension == std::string(".") + known) return known;
  }
  if (file.empty()) return "";
  fail(ErrorKind::unsupported,
       fmt::format("--map writes a heatmap as .svg, .png or .pdf, or numbers as .npy, .safetensors, .json or .txt, but "
                   "got '{}'",
                   file));
}

Output start_map(const std::string& format, const LayerCommand& options, const std::string& encodings, const Input& x,
                 const LayerSteps& steps) {
  const OutputOptions file{"", options.map};
  const ConstView weights = steps.average.view();
  const std::string kinds = " svg png pdf ";
  if (kinds.find(" " + format + " ") == std::string::npos) {
    return start_array(weights, {format == "txt" ? "text" : format, "weights", {}, {}}, file);
  }
  const Drawing drawing =
      attention_map_drawing(weights[0], x.words, fmt::format("Attention of sequence 0 with {}", encodings));
  Output output(file, /*binary=*/format != "svg");
  output.write(format == "svg"   ? to_svg(drawing, {.theme = Theme::automatic})
               : format == "png" ? to_png(drawing, {})
                                 : to_pdf(drawing, {}));
  return output;
}

// The steps. Messages about the weights name their file.
LayerSteps finite_layer(const LayerCommand& options, const Input& x, const LayerCall& call) {
  try {
    LayerSteps steps = run_layer(x.array.view(), call);
    for (std::int64_t i = 0; i < steps.encoded.size(); ++i) {
      if (std::isfinite(steps.encoded.number(i)) && std::isfinite(steps.bare.number(i))) continue;
      fail(ErrorKind::bad_input, fmt::format("{}: the numbers or the weights are too large: the result overflows {}",
                                             x.name, to_text(x.array.dtype)));
    }
    return steps;
  } catch (const Error& error) {
    fail_naming(error, {{"in_proj_weight", options.model},
                        {"in_proj_bias", options.model},
                        {"out_proj.weight", options.model},
                        {"out_proj.bias", options.model}});
  }
}

int run(const LayerCommand& options) {
  const std::string format = choose_array_format(options.output, options.tensor), picture = map_format(options.map);
  if (!options.map.empty() && options.map == options.output.path) {
    fail(ErrorKind::usage, fmt::format("--map and -o both write {}: give each a file of its own", options.map));
  }
  std::optional<Input> loaded;
  if (!options.input.file.empty()) {
    loaded = load_embeddings(options.input, 0, false, 0);
    const Array& x = loaded->array;
    if (x.size() == 0) {
      fail(ErrorKind::bad_input,
           fmt::format("{}: expected at least one token and one channel but got {}", loaded->name, x.text()));
    }
    check_finite(x, loaded->name);
  }
  const std::int64_t width = given_width(options, loaded);
  InputSizes sizes{.width = width, .heads = options.heads(), .head_dim = width / options.heads()};
  if (has_open_table(options) && options.encoding.files.empty()) {
    if (!loaded) loaded = load_input(options, width);
    sizes.rows = loaded->array.shape[loaded->array.shape.size() - 2];
  }
  const LayerEncodings encodings = load_encodings(options, sizes);
  const std::int64_t own = encodings.input ? encodings.input->width() : width;
  check_heads(own, options.heads());
  const Input x = load_x(options, loaded, encodings, own);
  const Weights weights = load_weights(options, own);
  const LayerCall call = call_of(options, encodings, weights, own);
  const LayerSteps steps = finite_layer(options, x, call);
  std::vector<Output> outputs;  // finished together, so that an error leaves no file
  if (!options.map.empty()) outputs.push_back(start_map(picture, options, encodings.text, x, steps));
  Result result{format, options.tensor, {}};
  if (format != "text") result.head = head_of(options, encodings, weights, x, call, steps);
  if (wants_report(format, options.output)) result.report = report_of(options, encodings, weights, x, call, steps);
  const Array& out = options.bare() ? steps.bare : steps.encoded;
  outputs.push_back(start_result(out.view(), result, options.output));
  for (Output& output : outputs) output.finish();
  print_report(result, options.output);
  return 0;
}

}  // namespace

void add_layer(Command& app) {
  const auto options = std::make_shared<LayerCommand>();
  Command command = app.command("layer", "Run a transformer layer step by step: shapes, attention map, both residuals",
                                "  posenc layer\n"
                                "  posenc layer rotary --random 2x20x64 --heads 8 --causal\n"
                                "  posenc layer sinusoidal --words \"the cat sat on the mat\" --residual bare\n"
                                "  posenc layer sinusoidal:width=64 --input x.npy --model model.safetensors --prefix "
                                "layers.0.self_attn. -o out.npy --map map.svg");
  command.add(
      "SPEC", options->specs,
      "encodings: at most one that is added to the embeddings, and those that act inside attention; a kind alone "
      "gets the width and heads of the layer, a learned table a row per token (default: sinusoidal)");
  add_embedding_input(command, options->input);
  command.add("--heads", options->given_heads, "number of heads (default: 8)").within(1, 65536);
  command
      .text("--model", options->model,
            "read in_proj_weight, in_proj_bias, out_proj.weight and out_proj.bias from this safetensors file "
            "(default: random weights)")
      .value("FILE");
  command.text("--prefix", options->prefix, "with --model: what their names begin with, such as layers.0.self_attn.");
  command
      .add("--residual", options->given_residual,
           "what the result of attention is added to: encoded (h = x + PE, the default) or bare (x without the "
           "encoding)")
      .one_of({"encoded", "bare"});
  add_embedding_scale(command, options->scale);
  command.add("--dropout", options->dropout, "set elements of x + PE to 0 with this probability (default: 0)");
  command.flag("--causal", options->causal, "hide keys after their query");
  command.add("--max-bytes", options->max_bytes, "refuse attention weights larger than this")
      .not_negative()
      .show_default();
  command
      .text("--map", options->map,
            "also write the weights averaged over the heads, [B, N, N], to a .npy, .safetensors, .json or .txt file, "
            "or a heatmap of the first sequence to .svg, .png or .pdf")
      .value("FILE");
  add_spec_choice(command, options->encoding);
  add_parameter_file(command, options->encoding);
  add_parameters(command, options->encoding);
  add_init(command, options->encoding, "seed of random embeddings, weights, dropout and --init (default: 0)");
  command.text("--tensor", options->tensor, "name of the result in a safetensors file (default: values)");
  add_output(command, options->output, "text, json, npy, safetensors");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
