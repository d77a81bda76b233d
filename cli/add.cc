#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "cli/array_output.h"
#include "cli/commands.h"
#include "cli/encoding.h"
#include "cli/output.h"
#include "posenc/embed.h"
#include "posenc/error.h"
#include "posenc/load.h"
#include "posenc/position_ids.h"
#include "posenc/spec_json.h"
#include "posenc/workers.h"

namespace posenc::cli {
namespace {

Array load_input(const std::string& file) {
  Array input = load_array(file);
  const std::size_t rank = input.shape.size();
  if ((rank == 2 || rank == 3) && is_float(input.dtype)) return input;
  fail(ErrorKind::bad_input, fmt::format("{}: expected embeddings, [N, M] or [B, N, M] of floats, but got [{}] {}",
                                         file, fmt::join(input.shape, ", "), to_text(input.dtype)));
}

// Positions as the user gave them: none counts from 0, a file with two axes has ids per batch row.
struct AddedPositions {
  Positions numbers;
  Array ids;
  PositionView view;
};

AddedPositions load_added(const AddOptions& options, const Spec& spec, std::int64_t tokens) {
  AddedPositions result;
  const std::string& text = options.positions;
  if (text.empty()) {
    result.view = PositionView::range(0, tokens);
    return result;
  }
  if (text.starts_with('@')) result.ids = load_array(text.substr(1));
  const bool integers = result.ids.dtype == DType::i32 || result.ids.dtype == DType::i64;
  if (result.ids.shape.size() == 2 && integers) {
    result.view = position_view(result.ids.view());
    return result;
  }
  result.numbers = load_positions(text);
  check_one_axis(spec, result.numbers, text);
  result.view = result.numbers.view();
  return result;
}

void check_counts(const AddOptions& options, const PositionView& positions, const std::vector<std::int64_t>& shape) {
  const std::int64_t tokens = shape[shape.size() - 2];
  const std::int64_t batch = shape.size() == 3 ? shape[0] : 1;
  if (positions.count == tokens && (positions.batch == 1 || positions.batch == batch)) return;
  const std::string rows = positions.batch == 1 ? "" : fmt::format("{} x ", positions.batch);
  fail(ErrorKind::usage,
       fmt::format("'{}' has {}{} positions but {} has {}{} tokens", options.positions, rows, positions.count,
                   options.input, shape.size() == 3 ? fmt::format("{} x ", batch) : "", tokens));
}

double scale_of(const std::string& text, std::int64_t width) {
  if (text == "sqrt") return std::sqrt(static_cast<double>(width));
  char* end = nullptr;
  const double scale = std::strtod(text.c_str(), &end);
  if (!text.empty() && *end == '\0' && std::isfinite(scale)) return scale;
  fail(ErrorKind::usage, fmt::format("--scale must be a number or 'sqrt' but got '{}'", text));
}

}  // namespace

int run_add(const AddOptions& options) {
  const std::string format = choose_format(options.output, {"text", "json", "npy", "safetensors"});
  const Spec spec = load_spec(options.spec);
  const std::unique_ptr<Encoding> encoding = load_encoding(spec, options.weights);
  Array input = load_input(options.input);
  const std::size_t rank = input.shape.size();
  const std::int64_t width = input.shape[rank - 1];
  const AddedPositions positions = load_added(options, spec, input.shape[rank - 2]);
  check_counts(options, positions.view, input.shape);
  const Workers workers(options.threads);
  const EmbedOptions embed{.scale = scale_of(options.scale, width),
                           .dropout = {.p = options.dropout, .seed = options.dropout_seed, .step = options.step},
                           .workers = &workers};
  const ConstView x = input.view();
  Array output{input.dtype, input.shape, {}};
  if (options.join == "concat") {
    output.shape[rank - 1] += encoding->width();
    output.data.resize(static_cast<std::size_t>(output.size() * size_of(output.dtype)));
  } else {
    output.data = input.data;
  }
  const ConstView result = output.view();
  const View out{output.data.data(), result.dtype, result.rank, result.shape, result.strides};
  if (options.join == "concat") {
    concat_positions(x, positions.view, encoding->rows(), out, embed);
  } else {
    add_positions(x, positions.view, encoding->rows(), out, embed);
  }
  write_array(result,
              {.format = format,
               .name = options.tensor,
               .head = {{"spec", to_json(spec)}, {"dtype", to_text(output.dtype)}, {"join", options.join}}},
              options.output);
  return 0;
}

}  // namespace posenc::cli
