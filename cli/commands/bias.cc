#include "posenc/bias.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/array_output.h"
#include "cli/arrays.h"
#include "cli/commands/commands.h"
#include "cli/encoding.h"
#include "cli/output.h"
#include "cli/random_input.h"
#include "cli/shared_options.h"
#include "posenc/error.h"
#include "posenc/files/load.h"
#include "posenc/files/spec_json.h"

namespace posenc::cli {
namespace {

struct BiasCommand {
  std::string spec;
  EncodingOptions encoding;
  std::string queries;
  std::string keys;  // empty: the positions of the queries
  bool causal = false;
  std::string dtype;  // empty: f64 if numbers are written as text, else f32
  std::int64_t max_bytes = kMaxBytes;
  OutputOptions output;
};

Positions load_one_axis(const Spec& spec, const std::string& text) {
  Positions positions = load_positions(text);
  check_axes(spec, positions.axes(), text);
  return positions;
}

// A mask is the same for all heads, so it counts as one head.
std::int64_t heads_of(const Bias& bias) { return std::max<std::int64_t>(bias.heads(), 1); }

Array make_values(const BiasCommand& options, const Bias& bias, const PositionView& queries, const PositionView& keys,
                  DType dtype) {
  const std::vector<std::int64_t> shape = {heads_of(bias), queries.count, keys.count};
  double bytes = static_cast<double>(size_of(dtype));
  for (const std::int64_t length : shape) bytes *= static_cast<double>(length);
  check_bytes(bytes, options.max_bytes,
              fmt::format("[{}] numbers, heads x queries x keys, take", fmt::join(shape, ", ")));
  return make_array(dtype, shape);
}

void hide_ahead(const View& out, const PositionView& queries, const PositionView& keys) {
  for (std::int64_t h = 0; h < out.shape[0]; ++h) {
    for (std::int64_t q = 0; q < queries.count; ++q) {
      for (std::int64_t k = 0; k < keys.count; ++k) {
        if (keys.real(0, k) > queries.real(0, q)) set_number(out[h][q], k, -INFINITY);
      }
    }
  }
}

Json positions_json(const PositionView& positions) {
  Json::Array list;
  for (std::int64_t n = 0; n < positions.count; ++n) {
    list.push_back(positions.integral() ? Json(positions.integer(0, n)) : Json(positions.real(0, n)));
  }
  return list;
}

Json buckets_json(const BiasSchedule& schedule, const PositionView& queries, const PositionView& keys) {
  const auto& table = std::get<TableBias>(schedule.shape);
  const auto last = static_cast<std::int64_t>(table.rows.size()) - 1;
  Json::Array rows;
  for (std::int64_t q = 0; q < queries.count; ++q) {
    Json::Array row;
    for (std::int64_t k = 0; k < keys.count; ++k) {
      const std::int64_t offset = keys.integer(0, k) - queries.integer(0, q);
      row.push_back(table.rows[static_cast<std::size_t>(std::clamp<std::int64_t>(offset - table.first, 0, last))]);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Json::Object head_of(const BiasCommand& options, const Encoding& encoding, const PositionView& queries,
                     const PositionView& keys) {
  const Bias& bias = *encoding.bias();
  Json::Object head = {{"spec", to_json(encoding.spec())},
                       {"queries", positions_json(queries)},
                       {"keys", positions_json(keys)},
                       {"causal", Json(options.causal)}};
  if (const auto* linear = std::get_if<LinearBias>(&bias.schedule().shape)) {
    std::vector<double> slopes = linear->slopes;
    for (std::size_t h = 0; h < slopes.size() && !encoding.parameters().empty(); ++h) {
      slopes[h] = number_at(encoding.parameters()[0].value, static_cast<std::int64_t>(h));
    }
    head.emplace_back("slopes", slopes);
  }
  if (std::holds_alternative<T5>(encoding.spec()))
    head.emplace_back("buckets", buckets_json(bias.schedule(), queries, keys));
  return head;
}

std::string position_text(const PositionView& positions, std::int64_t n) {
  return positions.integral() ? fmt::format("{}", positions.integer(0, n)) : fmt::format("{}", positions.real(0, n));
}

// The numbers of a head: a row per query, a column per key, each column as wide as its widest number.
void write_head(const ConstView& numbers, const PositionView& queries, const PositionView& keys, Output& output) {
  constexpr std::string_view kCorner = "query \\ key";
  std::size_t first = kCorner.size();
  for (std::int64_t q = 0; q < queries.count; ++q) first = std::max(first, position_text(queries, q).size());
  std::vector<std::size_t> widths;
  std::string line = fmt::format("{:>{}}", kCorner, first);
  for (std::int64_t k = 0; k < keys.count; ++k) {
    std::size_t width = position_text(keys, k).size();
    for (std::int64_t q = 0; q < queries.count; ++q) {
      width = std::max(width, fmt::formatted_size("{}", number_at(numbers[q], k)));
    }
    widths.push_back(width);
    line += fmt::format(" {:>{}}", position_text(keys, k), width);
  }
  output.write(line + "\n");
  for (std::int64_t q = 0; q < queries.count; ++q) {
    line = fmt::format("{:>{}}", position_text(queries, q), first);
    for (std::int64_t k = 0; k < keys.count; ++k) {
      line += fmt::format(" {:>{}}", number_at(numbers[q], k), widths[static_cast<std::size_t>(k)]);
    }
    output.write(line + "\n");
  }
}

void write_heads(const Bias& bias, const ConstView& numbers, const PositionView& queries, const PositionView& keys,
                 const OutputOptions& options) {
  Output output(options, /*binary=*/false);
  for (std::int64_t h = 0; h < numbers.shape[0]; ++h) {
    output.write(bias.heads() == 0 ? "every head\n" : fmt::format("{}head {}\n", h == 0 ? "" : "\n", h));
    write_head(numbers[h], queries, keys, output);
  }
  output.finish();
}

int run(const BiasCommand& options) {
  check_place_of_kind(options.spec, {Place::bias});
  const Encoding found = find_with_remarks(options.spec, options.encoding);
  const std::string format = choose_array_format(options.output);
  const Spec& spec = found.spec();
  check_place(spec, {Place::bias});
  const Positions queries = load_one_axis(spec, options.queries);
  const Positions keys = options.keys.empty() ? queries : load_one_axis(spec, options.keys);
  const Encoding encoding = with_learned(found, options.encoding);
  say_untrained(encoding);
  const Bias& bias = *encoding.bias();
  if (bias.has_factor()) {
    fail(
        ErrorKind::unsupported,
        "factor_a and factor_p multiply scores, which this command does not have: leave them out to see what is added");
  }
  const PositionView rows = queries.view(), columns = keys.view();
  Array values = make_values(options, bias, rows, columns, choose_dtype(options.dtype, format));
  const View out = writable(values);
  fill_bias(bias, rows, columns, out);
  if (options.causal) hide_ahead(out, rows, columns);
  if (format == "text") {
    write_heads(bias, out, rows, columns, options.output);
    return 0;
  }
  const Metadata metadata = {{"posenc", to_text(to_json(spec))}};
  Json::Object head;
  if (format == "json") head = head_of(options, encoding, rows, columns);
  head.emplace_back("dtype", to_text(values.dtype));
  write_array(out, {format, "values", head, metadata}, options.output);
  return 0;
}

}  // namespace

void add_bias(Command& app) {
  const auto options = std::make_shared<BiasCommand>();
  Command command = app.command("bias", "Print the numbers that an encoding adds to attention scores",
                                "  posenc bias alibi:heads=8 --queries 0:5 --keys 0:5 --causal\n"
                                "  posenc bias clipped:heads=1,max_distance=1 --values 0.5/0/-0.5 --queries 0:3\n"
                                "  posenc bias t5:heads=8 --init normal --seed 1 --queries 0:5\n"
                                "  posenc bias t5:heads=8 --file bias.npy --queries 99 --keys 0:100 --format json");
  command.add("SPEC", options->spec, kSpecHelp).required();
  add_spec_choice(command, options->encoding);
  command.text("--queries,-q", options->queries, std::string("positions of queries: ") + kPositionsHelp)
      .positions()
      .required();
  command.text("--keys,-k", options->keys, "positions of keys (default: those of the queries)").positions();
  add_parameter_file(command, options->encoding);
  add_parameters(command, options->encoding);
  add_init(command, options->encoding);
  command.flag("--causal", options->causal, "write -inf for keys after their query");
  add_dtype(command, options->dtype, "f64 in text and json, else f32");
  add_max_bytes(command, options->max_bytes);
  add_output(command, options->output, "text, json, npy, safetensors");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
