#include "posenc/attend.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <system_error>

#include "cli/array_output.h"
#include "cli/bias_parameters.h"
#include "cli/commands.h"
#include "cli/encoding.h"
#include "cli/output.h"
#include "cli/token_positions.h"
#include "posenc/error.h"
#include "posenc/load.h"
#include "posenc/spec_json.h"
#include "posenc/workers.h"

namespace posenc::cli {
namespace {

std::string shape_of(const Array& array) { return fmt::format("[{}]", fmt::join(array.shape, ", ")); }

double number_of(const std::string& text, const char* option) {
  double number = 0.0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && rest == end && std::isfinite(number)) return number;
  fail(ErrorKind::usage, fmt::format("{} must be a number but got '{}'", option, text));
}

Array load_heads(const std::string& file) {
  Array heads = load_array(file);
  const std::size_t rank = heads.shape.size();
  if (rank >= 2 && rank <= 4 && is_float(heads.dtype)) return heads;
  fail(ErrorKind::bad_input, fmt::format("{}: expected [N, D], [N, H, D] or [B, N, H, D] of floats, but got {} {}",
                                         file, shape_of(heads), to_text(heads.dtype)));
}

// [N, D] has one head.
ConstView heads_of(const Array& array) {
  const ConstView view = array.view();
  if (view.rank > 2) return view;
  return make_view(view.data, view.dtype, {view.shape[0], 1, view.shape[1]});
}

// What the encodings of a command are made of; the options point into it.
struct Attention {
  std::vector<Spec> specs;
  std::vector<Spec> masks;  // those of them that hide keys by their positions
  std::optional<RotaryAngles> rotary;
  std::optional<Bias> bias;
  std::optional<ScoreTerm> term;
  std::vector<LoadedParameters> loaded;
  Array sinks, keys, pairs, position_pairs, documents;
  TokenPositions query_positions, key_positions;
  posenc::AttendOptions options;
};

[[noreturn]] void fail_twice(const char* what) {
  fail(ErrorKind::usage, fmt::format("an attention has one {}, but two were given", what));
}

LoadedParameters parameters_for(const Spec& spec, const AttendOptions& options) {
  if (parameters_of(spec).empty()) return {};
  return load_parameters(spec, {options.file, options.parameters, options.values});
}

void add_spec(const Spec& spec, const AttendOptions& options, Attention& attention) {
  if (const auto* rotary = std::get_if<Rotary>(&spec)) {
    if (attention.rotary) fail_twice("rotary encoding");
    attention.rotary.emplace(*rotary);
  } else if (std::holds_alternative<Shaw>(spec) || std::holds_alternative<TransformerXl>(spec)) {
    if (attention.term) fail_twice("score term");
    attention.loaded.push_back(parameters_for(spec, options));
    attention.term.emplace(spec, attention.loaded.back().views());
  } else if (std::holds_alternative<Window>(spec) || std::holds_alternative<Chunked>(spec)) {
    attention.masks.push_back(spec);
  } else if (std::holds_alternative<Sinusoidal>(spec) || std::holds_alternative<Learned>(spec) ||
             std::holds_alternative<Hybrid>(spec)) {
    fail(ErrorKind::usage,
         fmt::format("{} is added to embeddings before attention: see posenc add --help", kind_of(spec)));
  } else if (!std::holds_alternative<NoPosition>(spec)) {
    if (attention.bias) fail_twice("bias");
    attention.loaded.push_back(parameters_for(spec, options));
    attention.bias.emplace(spec, attention.loaded.back().views());
  }
  attention.specs.push_back(spec);
}

ConstView integers_of(const std::string& file, Array& array) {
  array = load_array(file);
  if (array.dtype == DType::i32 || array.dtype == DType::i64) return array.view();
  fail(ErrorKind::bad_input, fmt::format("{}: expected i32 or i64 numbers but got {}", file, to_text(array.dtype)));
}

// Masks are bool in npy, which are read as integers; every number but 0 shows.
ConstView bytes_of(const std::string& file, Array& array) {
  const Array numbers = load_array(file);
  if (is_float(numbers.dtype)) {
    fail(ErrorKind::bad_input,
         fmt::format("{}: expected a mask of bool or integers but got {}", file, to_text(numbers.dtype)));
  }
  array = {DType::u8, numbers.shape, {}};
  for (std::int64_t i = 0; i < numbers.size(); ++i) {
    array.data.push_back(numbers.number(i) != 0.0 ? std::byte{1} : std::byte{0});
  }
  return array.view();
}

void add_mask(const AttendOptions& options, Attention& attention) {
  Mask& mask = attention.options.mask;
  if (options.causal) mask.causal = options.align == "start" ? Causal::start : Causal::end;
  if (!options.causal && !options.align.empty()) {
    fail(ErrorKind::usage, "--align says where a causal mask begins: it needs --causal");
  }
  mask.query_offset = options.query_offset;
  if (options.window) {
    if (*options.window < 1) {
      fail(ErrorKind::usage, fmt::format("--window must be at least 1 but got {}", *options.window));
    }
    // Causal windows count the query itself, others reach as far to both sides: the words of Hugging Face.
    mask.left = options.causal ? *options.window - 1 : *options.window;
    if (!options.causal) mask.right = *options.window;
  }
  mask.sink_keys = options.sink_keys;
  if (!options.key_mask.empty()) mask.keys = bytes_of(options.key_mask, attention.keys);
  if (!options.mask.empty()) mask.pairs = bytes_of(options.mask, attention.pairs);
  if (!options.documents.empty()) mask.documents = integers_of(options.documents, attention.documents);
}

void add_numbers(const AttendOptions& options, Attention& attention) {
  posenc::AttendOptions& made = attention.options;
  if (!options.scale.empty()) made.scale = number_of(options.scale, "--scale");
  if (!options.softcap.empty()) made.softcap = number_of(options.softcap, "--softcap");
  if (!options.sinks.empty()) {
    attention.sinks = load_array(options.sinks);
    made.sinks = attention.sinks.view();
  }
  if (options.dropout) {
    made.dropout.p = *options.dropout;
    made.dropout.seed = whole_number(options.dropout_seed, "--dropout-seed");
    made.dropout.step = whole_number(options.step, "--step");
  } else if (!options.dropout_seed.empty() || !options.step.empty()) {
    fail(ErrorKind::usage, "--dropout-seed and --step are for --dropout");
  }
}

void add_positions(const AttendOptions& options, const Array& q, const Array& k, Attention& attention) {
  const std::int64_t axes = attention.rotary ? attention.rotary->schedule().axes : 1;
  const auto load = [&](const std::string& text, const std::string& file, const Array& heads, TokenPositions& to) {
    const std::size_t rank = heads.shape.size();
    const TokenCount count{rank == 4 ? heads.shape[0] : 0, heads.shape[rank == 4 ? 1 : 0]};
    to = load_token_positions(text, axes, count);
    to.check_count(file, count);
    return to.view;
  };
  posenc::AttendOptions& made = attention.options;
  if (!options.positions.empty()) {
    made.query_positions = load(options.positions, options.q, q, attention.query_positions);
  }
  const std::string& keys = options.key_positions.empty() ? options.positions : options.key_positions;
  if (!keys.empty()) made.key_positions = load(keys, options.k, k, attention.key_positions);
}

// What is given must be used, and no file may be written twice.
void check_used(const AttendOptions& options, const Attention& attention) {
  const bool given = !options.file.empty() || !options.values.empty() || !options.parameters.empty();
  const bool learns = std::any_of(attention.specs.begin(), attention.specs.end(),
                                  [](const Spec& spec) { return !parameters_of(spec).empty(); });
  if (given && !learns) {
    fail(ErrorKind::usage, "nothing here learns: leave out --file, --values and --parameter");
  }
  const std::vector<std::string> files = {options.output.path, options.weights, options.log_sum_exp};
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (files[i].empty() || files[i] != files[j]) continue;
      fail(ErrorKind::usage, fmt::format("{} is to be written twice: give every output a file of its own", files[i]));
    }
  }
}

MaskGrid grid_of(const ConstView& q, const ConstView& k) {
  const std::size_t first = q.rank == 4 ? 1 : 0;
  return {first == 1 ? q.shape[0] : 1, q.shape[first], k.shape[k.rank == 4 ? 1 : 0]};
}

// What a mask hides of sink keys: only what lies ahead.
Spec for_sinks(const Spec& mask) {
  if (const auto* window = std::get_if<Window>(&mask)) return Window{.right = window->right};
  const bool causal = std::get<Chunked>(mask).direction == DistanceRule::causal;
  return causal ? Window{.right = 0} : Window{};
}

// Masks that go by position, as pairs that may be seen: [B, N, S].
void add_position_masks(const ConstView& q, const ConstView& k, Attention& attention) {
  if (attention.masks.empty()) return;
  posenc::AttendOptions& made = attention.options;
  const std::size_t first = q.rank == 4 ? 1 : 0;
  const std::int64_t batch = first == 1 ? q.shape[0] : 1, queries = q.shape[first], keys = k.shape[k.rank == 4 ? 1 : 0];
  const std::int64_t beside = made.mask.query_offset.value_or(made.mask.causal == Causal::start ? 0 : keys - queries);
  PositionView i = made.query_positions.count != 0 ? made.query_positions : PositionView::range(beside, queries);
  PositionView j = made.key_positions.count != 0 ? made.key_positions : PositionView::range(0, keys);
  const ConstView given = made.mask.pairs;
  Array pairs{DType::u8, {batch, queries, keys}, {}};
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t n = 0; n < queries; ++n) {
      std::vector<double> row(static_cast<std::size_t>(keys), 0.0);
      const std::int64_t sinks = std::min(made.mask.sink_keys, keys);
      for (const Spec& mask : attention.masks) {
        const auto add = [&](const Spec& spec, std::int64_t first_key, std::int64_t count) {
          posenc::add_bias(Bias(spec),
                           {.batch = b, .first_query = n, .queries = 1, .first_key = first_key, .keys = count}, i, j,
                           make_view(row.data() + first_key, {1, count}));
        };
        add(mask, sinks, keys - sinks);
        add(for_sinks(mask), 0, sinks);
      }
      for (std::int64_t s = 0; s < keys; ++s) {
        bool shown = row[static_cast<std::size_t>(s)] == 0.0;
        if (given.data != nullptr) shown &= number_at(given.rank == 3 ? given[b][n] : given[n], s) != 0.0;
        pairs.data.push_back(shown ? std::byte{1} : std::byte{0});
      }
    }
  }
  attention.position_pairs = std::move(pairs);
  made.mask.pairs = attention.position_pairs.view();
}

Array make_array(DType dtype, std::vector<std::int64_t> shape) {
  Array array{dtype, std::move(shape), {}};
  array.data.resize(static_cast<std::size_t>(array.size() * size_of(dtype)));
  return array;
}

View writable(Array& array) {
  const ConstView view = array.view();
  return {array.data.data(), view.dtype, view.rank, view.shape, view.strides};
}

// An array for the softmax weights or the log of their sums, where a file is asked for.
View extra_output(const std::string& file, const ConstView& q, std::int64_t keys, Array& array) {
  if (file.empty()) return {};
  const std::size_t first = q.rank == 4 ? 1 : 0;
  std::vector<std::int64_t> shape;
  if (first == 1) shape.push_back(q.shape[0]);
  shape.push_back(q.shape[first + 1]);
  shape.push_back(q.shape[first]);
  if (keys > 0) shape.push_back(keys);
  array = make_array(q.dtype == DType::f64 ? DType::f64 : DType::f32, shape);
  return writable(array);
}

void write_extra(const std::string& file, const Array& array, const char* name) {
  if (file.empty()) return;
  const OutputOptions output{"", file};
  const std::string format = choose_format(output, {"text", "json", "npy", "safetensors"});
  write_array(array.view(), {format, name, {}, {}}, output);
}

Json::Object head_of(const AttendOptions& options, const Attention& attention) {
  Json::Array specs;
  for (const Spec& spec : attention.specs) specs.push_back(to_json(spec));
  const Mask& mask = attention.options.mask;
  const char* causal = mask.causal == Causal::none ? "none" : mask.causal == Causal::end ? "end" : "start";
  return {{"specs", Json(specs)},
          {"q", Json(options.q)},
          {"k", Json(options.k)},
          {"v", Json(options.v)},
          {"causal", Json(causal)}};
}

}  // namespace

int run_attend(const AttendOptions& options) {
  const std::string format = choose_format(options.output, {"text", "json", "npy", "safetensors"});
  Attention attention;
  for (const std::string& text : options.specs) add_spec(load_spec(text), options, attention);
  check_used(options, attention);
  const Array q = load_heads(options.q), k = load_heads(options.k), v = load_heads(options.v);
  add_mask(options, attention);
  add_numbers(options, attention);
  add_positions(options, q, k, attention);
  check_mask(attention.options.mask, grid_of(heads_of(q), heads_of(k)), "attend");
  add_position_masks(heads_of(q), heads_of(k), attention);
  posenc::AttendOptions& made = attention.options;
  if (attention.rotary) made.rotary = *attention.rotary;
  if (attention.bias) made.bias = &*attention.bias;
  if (attention.term) made.term = &*attention.term;
  const Workers workers(options.threads);
  made.workers = &workers;

  std::vector<std::int64_t> shape = q.shape;
  shape.back() = v.shape.back();
  Array out = make_array(q.dtype, shape), weights, sums;
  const ConstView queries = heads_of(q);
  const ConstView keys = heads_of(k);
  made.weights = extra_output(options.weights, queries, keys.shape[keys.rank == 4 ? 1 : 0], weights);
  made.log_sum_exp = extra_output(options.log_sum_exp, queries, 0, sums);
  const View out_heads = out.shape.size() > 2
                             ? writable(out)
                             : make_view(static_cast<void*>(out.data.data()), out.dtype, {shape[0], 1, shape[1]});
  attend(queries, keys, heads_of(v), out_heads, made);
  write_extra(options.weights, weights, "weights");
  write_extra(options.log_sum_exp, sums, "log_sum_exp");
  Json::Object head = head_of(options, attention);
  const Metadata metadata = {{"posenc", to_text(Json(head))}};
  head.emplace_back("dtype", to_text(out.dtype));
  write_array(out.view(), {format, options.tensor.empty() ? "values" : options.tensor, head, metadata}, options.output);
  return 0;
}

}  // namespace posenc::cli
