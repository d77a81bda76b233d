#include "posenc/resize.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "cli/array_output.h"
#include "cli/commands/commands.h"
#include "cli/encoding.h"
#include "cli/integers.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "cli/word_choice.h"
#include "posenc/error.h"
#include "posenc/files/load.h"

namespace posenc::cli {
namespace {

struct ResizeCommand {
  std::string spec;  // optional
  EncodingOptions encoding;
  std::string file;
  std::string from;  // empty: follows from --to or --square
  std::string to;
  std::int64_t kept = 0;
  bool square = false;
  std::string method;  // empty: cubic
  std::string align;   // empty: centers
  bool antialias = false;
  std::optional<double> cubic_a;
  std::optional<double> extra_size;
  std::string like;    // a preset of the five above; empty: none
  std::string dtype;   // empty: as in the file
  std::string tensor;  // in safetensors; empty: as in the file
  std::int64_t max_bytes = kMaxBytes;
  OutputOptions output;
};

// The limit of the library, checked before memory is allocated; products of two lengths do not overflow.
constexpr std::int64_t kMaxLength = std::int64_t{1} << 30;

using Lengths = std::vector<std::int64_t>;

std::string grid_text(const Lengths& lengths) { return fmt::format("{}", fmt::join(lengths, " x ")); }

// "1024" or "16x20".
Lengths parse_lengths(const std::string& text, const std::string& option) {
  Lengths lengths = read_grid(text, option, kMaxLength);
  if (lengths.size() <= 2) return lengths;
  fail(ErrorKind::usage,
       fmt::format("{} must be a number of rows, such as 1024, or height x width, such as 16x20, but got '{}'", option,
                   text));
}

// SPEC is optional: learned, with or without fields, or a model. The table must have the rows and the width that it
// says.
void check_spec(const ResizeCommand& options, std::int64_t rows, std::int64_t width) {
  std::vector<std::string> specs;
  if (!options.spec.empty()) specs = {options.spec == "learned" ? "learned:past_end=error" : options.spec};
  const std::vector<Encoding> found = find_with_remarks(specs, options.encoding);
  if (found.empty()) return;
  const auto* learned = std::get_if<Learned>(&found[0].spec());
  if (learned == nullptr) {
    fail(ErrorKind::usage, fmt::format("only learned tables can be resized, and '{}' is not learned", options.spec));
  }
  if ((learned->rows == 0 || learned->rows == rows) && (learned->width == 0 || learned->width == width)) return;
  fail(ErrorKind::bad_input, fmt::format("{}: expected the rows and width of '{}' but got [{}, {}]", options.file,
                                         options.spec, rows, width));
}

Interpolation parse_method(const std::string& word) {
  if (word == "nearest") return Interpolation::nearest;
  if (word == "linear" || word == "bilinear") return Interpolation::linear;
  return word == "area" ? Interpolation::area : Interpolation::cubic;
}

// How well-known packages resize their tables.
struct ResizePreset {
  std::string_view name;
  std::string_view help;
  Resize rule;  // method, align, antialias and extra_size; the lengths are the caller's
};

std::vector<ResizePreset> resize_presets() {
  return {
      {"vit", "bicubic: ViT, DeiT, CLIP, SigLIP and most others in transformers", {}},
      {"dinov2", "bicubic: DINOv2 in transformers", {}},
      {"dinov2_with_registers", "bicubic, antialias: that model in transformers", {.antialias = true}},
      {"dino", "bicubic, extra size 0.1: DINO's and DINOv2's own code", {.extra_size = 0.1}},
      {"timm", "bicubic, antialias: timm's resample_abs_pos_embed", {.antialias = true}},
      {"siglip2", "bilinear, antialias: SigLIP2 in transformers", {.method = Interpolation::linear, .antialias = true}},
      {"qwen3_vl", "bilinear, corners: Qwen3-VL", {.method = Interpolation::linear, .align = Align::corners}},
  };
}

Resize preset(const std::string& name) {
  const std::vector<ResizePreset> presets = resize_presets();
  std::vector<std::string_view> names;
  for (const ResizePreset& known : presets) names.push_back(known.name);
  return presets[place_of_word(name, "--like", names)].rule;
}

// The interpolation; lengths and kept rows are filled in later.
Resize rule_of(const ResizeCommand& options) {
  const bool by_hand =
      !options.method.empty() || !options.align.empty() || options.antialias || options.cubic_a || options.extra_size;
  if (!options.like.empty()) {
    if (by_hand) {
      fail(ErrorKind::usage,
           "--like decides --method, --align, --antialias, --cubic-a and --extra-size: leave them or --like out");
    }
    return preset(options.like);
  }
  Resize rule;
  rule.method = parse_method(options.method);
  rule.align = options.align == "corners" ? Align::corners : Align::centers;
  rule.antialias = options.antialias;
  rule.cubic_a = options.cubic_a;
  rule.extra_size = options.extra_size.value_or(0.0);
  return rule;
}

// --from, or the only length that is possible without it; a grid is never guessed.
Lengths from_of(const ResizeCommand& options, const Lengths& to, std::int64_t rows) {
  const std::int64_t cells = rows - options.kept;
  if (options.square) {
    if (!options.from.empty()) fail(ErrorKind::usage, "give --square or --from, not both");
    if (to.size() != 2) fail(ErrorKind::usage, "--square needs a grid: --to must be height x width, such as 16x20");
    return square_grid(rows, options.kept);
  }
  if (!options.from.empty()) return parse_lengths(options.from, "--from");
  if (to.size() == 2) {
    fail(ErrorKind::usage,
         fmt::format(
             "--from is needed, such as --from 14x14, because {} does not say the height and width of its {} rows; "
             "--square means that they are equal",
             options.file, cells));
  }
  return {cells};
}

void check_rows(const ResizeCommand& options, const Resize& rule, std::int64_t rows) {
  if (rule.from.size() != rule.to.size()) {
    fail(ErrorKind::usage, fmt::format("--from and --to must both be a number of rows or both a grid but got {} and {}",
                                       grid_text(rule.from), grid_text(rule.to)));
  }
  std::int64_t expected = rule.kept;
  expected += rule.from.size() == 2 ? rule.from[0] * rule.from[1] : rule.from[0];
  if (expected == rows) return;
  fail(ErrorKind::bad_input, fmt::format("{}: expected {} rows, --kept {} + --from {}, but got {}", options.file,
                                         expected, rule.kept, grid_text(rule.from), rows));
}

Json lengths_json(const Lengths& lengths) { return Json(Json::Array(lengths.begin(), lengths.end())); }

Json::Object head_of(const Resize& rule, DType dtype) {
  constexpr std::string_view kMethods[] = {"nearest", "linear", "cubic", "area"};
  const Json a =
      rule.method == Interpolation::cubic ? Json(rule.cubic_a.value_or(rule.antialias ? -0.5 : -0.75)) : Json();
  return {{"from", lengths_json(rule.from)},
          {"to", lengths_json(rule.to)},
          {"kept", Json(rule.kept)},
          {"method", Json(kMethods[static_cast<std::size_t>(rule.method)])},
          {"align", Json(rule.align == Align::corners ? "corners" : "centers")},
          {"antialias", Json(rule.antialias)},
          {"cubic_a", a},
          {"extra_size", Json(rule.extra_size)},
          {"dtype", Json(to_text(dtype))}};
}

// The key in JSON, or the name of the tensor: that of --tensor, else that of the input.
std::string name_of(const ResizeCommand& options, const std::string& format, const std::string& tensor) {
  if (format != "safetensors") return "values";
  if (!options.tensor.empty()) return options.tensor;
  return tensor.empty() ? "table" : tensor;
}

void resize_and_write(const Array& table, const Resize& rule, const ResizeCommand& options, const ArrayOutput& what) {
  const DType dtype = options.dtype.empty() ? table.dtype : parse_dtype(options.dtype);
  const std::int64_t width = table.shape.back();
  double cells = 1.0;
  for (const std::int64_t length : rule.to) cells *= static_cast<double>(length);
  const double bytes = (cells + static_cast<double>(rule.kept)) * static_cast<double>(width * size_of(dtype));
  check_bytes(bytes, options.max_bytes,
              fmt::format("--to {} with width {} in {} takes", grid_text(rule.to), width, to_text(dtype)));
  const std::int64_t rows = rule.kept + static_cast<std::int64_t>(cells);
  std::vector<std::byte> memory(static_cast<std::size_t>(rows * width * size_of(dtype)));
  const ConstView source = table.view();
  const bool batched = source.rank == 3;
  const View out = make_view(static_cast<void*>(memory.data()), dtype, {rows, width});
  resize_table(batched ? source[0] : source, rule, out);
  ArrayOutput named = what;
  named.head = head_of(rule, dtype);
  write_array(batched ? make_view(out.data, dtype, {1, rows, width}) : out, named, options.output);
}

int run(const ResizeCommand& options) {
  const std::string format = choose_array_format(options.output, options.tensor);
  Resize rule = rule_of(options);
  rule.to = parse_lengths(options.to, "--to");
  rule.kept = options.kept;
  const auto [tensor, table] = load_named_array(options.file);
  check_learned_table(table, options.file);
  const std::int64_t rows = table.shape[table.shape.size() - 2];
  check_spec(options, rows, table.shape.back());
  if (rule.kept >= rows) {
    fail(ErrorKind::bad_input, fmt::format("{}: --kept {} leaves nothing to resize, because the table has {} rows",
                                           options.file, rule.kept, rows));
  }
  rule.from = from_of(options, rule.to, rows);
  check_rows(options, rule, rows);
  resize_and_write(table, rule, options, {format, name_of(options, format, tensor)});
  return 0;
}

void add_interpolation(Command& command, ResizeCommand& options) {
  command
      .add("--method", options.method,
           "interpolation: nearest, linear (bilinear), cubic (bicubic, the default) or area")
      .one_of({"nearest", "linear", "bilinear", "cubic", "bicubic", "area"});
  command
      .add("--align", options.align, "linear and cubic only: align the centers (the default) or the corners of cells")
      .one_of({"centers", "corners"});
  command.flag("--antialias", options.antialias, "linear and cubic only: average over more rows when shrinking");
  command.add("--cubic-a", options.cubic_a, "cubic only: its parameter (default: -0.75, with --antialias -0.5)");
  command.add("--extra-size", options.extra_size, "add this to the new size in the ratio: from / (to + X)");
  std::string presets = "interpolate as this package does:";
  for (const ResizePreset& preset : resize_presets()) {
    presets += "\n  " + std::string(preset.name) + ": " + std::string(preset.help);
  }
  command.text("--like", options.like, presets);
}

}  // namespace

void add_resize(Command& app) {
  const auto options = std::make_shared<ResizeCommand>();
  Command command =
      app.command("resize", "Resize a learned table to a new length or grid",
                  "  posenc resize --file table.npy --from 14x14 --to 16x20 --kept 1 --like vit -o resized.npy\n"
                  "  posenc resize --file model.safetensors:wpe.weight --to 2048 --method linear -o wpe.safetensors");
  command.add("SPEC", options->spec,
              "optional: learned, with or without fields, a file or a model; checks the size of the table");
  add_model_choice(command, options->encoding);
  command
      .text("--file", options->file,
            "read the table, [rows, width] or [1, rows, width], from table.npy or model.safetensors:tensor")
      .value("FILE")
      .required();
  command.add("--to", options->to, "new length, such as 1024, or new grid, height x width, such as 16x20").required();
  command.text("--from", options->from, "old length or grid without the kept rows; needed for a grid only");
  command.add("--kept", options->kept, "copy this many rows at the front as they are: class and distillation tokens")
      .check([](const std::string& rows) { return rows.starts_with('-') ? "must not be negative" : ""; })
      .show_default();
  command.flag("--square", options->square, "instead of --from: the old grid is as high as it is wide");
  add_interpolation(command, *options);
  add_dtype(command, options->dtype, "as in the file");
  command.text("--tensor", options->tensor,
               "name of the result in a safetensors file (default: as in the input, else table)");
  add_max_bytes(command, options->max_bytes);
  add_output(command, options->output, "text, json, npy, safetensors");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
