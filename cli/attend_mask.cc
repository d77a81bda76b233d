#include "cli/attend_mask.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/array_output.h"
#include "cli/arrays.h"
#include "posenc/bias.h"
#include "posenc/error.h"
#include "posenc/files/load.h"

namespace posenc::cli {
namespace {

// The library takes an array without elements as none at all.
void check_filled(const Array& array, const std::string& file) {
  if (array.size() > 0) return;
  fail(ErrorKind::bad_input, fmt::format("{}: expected at least one number but got {}", file, array.text()));
}

ConstView integers_of(const std::string& file, Array& array) {
  array = load_array(file);
  check_filled(array, file);
  if (array.dtype == DType::i32 || array.dtype == DType::i64) return array.view();
  fail(ErrorKind::bad_input, fmt::format("{}: expected i32 or i64 numbers but got {}", file, array.text()));
}

// Reads a mask as bytes. bool in npy is read as integers; every number except 0 shows a key.
ConstView bytes_of(const std::string& file, Array& array) {
  const Array numbers = load_array(file);
  if (is_float(numbers.dtype)) {
    fail(ErrorKind::bad_input, fmt::format("{}: expected a mask of bool or integers but got {}", file, numbers.text()));
  }
  check_filled(numbers, file);
  array = {DType::u8, numbers.shape, {}};
  for (std::int64_t i = 0; i < numbers.size(); ++i) {
    array.data.push_back(numbers.number(i) != 0.0 ? std::byte{1} : std::byte{0});
  }
  return array.view();
}

void narrow(std::optional<std::int64_t>& reach, const std::optional<std::int64_t>& other) {
  if (other) reach = std::min(*other, reach.value_or(*other));
}

// The positions of queries and keys, as attend counts them.
struct Places {
  PositionView queries, keys;
  std::int64_t beside;  // the index of the key at the first query

  Places(const AttendOptions& options, const MaskGrid& grid)
      : queries(options.query_positions), keys(options.key_positions) {
    beside = first_beside(options.mask, grid);
    const bool inside = beside >= 0 && beside + grid.queries <= grid.keys;
    if (queries.count == 0 && keys.count != 0 && inside) queries = keys.slice(beside, grid.queries);
    if (queries.count == 0) queries = PositionView::range(beside, grid.queries);
    if (keys.count == 0) keys = PositionView::range(0, grid.keys);
  }

  // Whether distances in positions and in indices are the same.
  bool counted() const {
    const auto by_one = [](const PositionView& view) {
      return view.source == PositionView::Source::range && view.step == 1;
    };
    return by_one(queries) && by_one(keys) && queries.start - keys.start == beside;
  }
};

// Adds the spec as a rule of the mask, if one is equivalent.
bool add_as_rule(const Spec& spec, const Places& places, Mask& mask) {
  if (!places.counted()) return false;
  if (const auto* window = std::get_if<Window>(&spec)) {
    narrow(mask.left, window->left);
    narrow(mask.right, window->right);
    return true;
  }
  const Chunked& chunked = std::get<Chunked>(spec);
  if (places.keys.start % chunked.size != 0) return false;
  mask.chunk = chunked.size;
  if (chunked.direction == DistanceRule::causal) narrow(mask.right, 0);
  return true;
}

// The part of a mask that applies to sink keys: it hides only those after the query.
Spec for_sinks(const Spec& mask) {
  if (const auto* window = std::get_if<Window>(&mask)) return Window{.right = window->right};
  const bool causal = std::get<Chunked>(mask).direction == DistanceRule::causal;
  return causal ? Window{.right = 0} : Window{};
}

// Writes 0 if a spec shows a key to query n of row b, else -inf.
class PositionMask {
 public:
  explicit PositionMask(const Spec& spec) : bias_(spec), sink_bias_(for_sinks(spec)) {}

  // Keys first .. first + sinks are sink keys.
  void add(const Places& places, std::int64_t b, std::int64_t n, std::int64_t first, std::int64_t sinks,
           std::vector<double>& row) const {
    const auto add = [&](const Bias& bias, std::int64_t from, std::int64_t count) {
      posenc::add_bias(bias, {.batch = b, .first_query = n, .queries = 1, .first_key = from, .keys = count},
                       places.queries, places.keys, make_view(row.data() + from, {1, count}));
    };
    add(bias_, 0, first);
    add(sink_bias_, first, sinks);
    add(bias_, first + sinks, static_cast<std::int64_t>(row.size()) - first - sinks);
  }

 private:
  Bias bias_, sink_bias_;
};

}  // namespace

void add_mask_options(Command& command, MaskOptions& options) {
  command.flag("--causal", options.causal, "hide keys after their query");
  command
      .add("--causal-align", options.align,
           "with --causal: align the last query with the last key (end, the default) or the first with the first "
           "(start)")
      .one_of({"end", "start"})
      .formerly("--align");
  command.add("--query-offset", options.query_offset, "instead of --causal-align: index of the key at the first query");
  command.add("--window", options.window,
              "show this many keys: with --causal up to the query's own, else this far to both sides");
  command.add("--sink-keys", options.sink_keys, "never hide this many first keys of a text or document with a window");
  command.text("--key-mask", options.key_mask, "read a mask of bool or integers, [S] or [B, S]: 0 hides the key")
      .value("FILE");
  command.text("--mask", options.mask, "read a mask for every query and key, [N, S] or [B, N, S]").value("FILE");
  command.text("--documents", options.documents,
               "read a document id per key, [S] or [B, S]: a query sees the run of equal ids around it");
}

Mask load_mask(const MaskOptions& options, MaskMemory& memory) {
  Mask mask;
  if (options.causal) mask.causal = options.align == "start" ? Causal::start : Causal::end;
  if (!options.causal && !options.align.empty()) {
    fail(ErrorKind::usage, "--causal-align needs --causal");
  }
  if (options.query_offset && !options.align.empty()) {
    fail(ErrorKind::usage,
         "give --causal-align or --query-offset, not both: each decides which key is at the first query");
  }
  mask.query_offset = options.query_offset;
  if (options.window) {
    if (*options.window < 1) {
      fail(ErrorKind::usage, fmt::format("--window must be at least 1 but got {}", *options.window));
    }
    // As in Hugging Face, the size of a causal window includes the query itself, and other windows reach this far to
    // both sides.
    mask.left = options.causal ? *options.window - 1 : *options.window;
    if (!options.causal) mask.right = *options.window;
  }
  if (options.sink_keys < 0) {
    fail(ErrorKind::usage, fmt::format("--sink-keys must be at least 0 but got {}", options.sink_keys));
  }
  mask.sink_keys = options.sink_keys;
  if (!options.key_mask.empty()) mask.keys = bytes_of(options.key_mask, memory.keys);
  if (!options.mask.empty()) mask.pairs = bytes_of(options.mask, memory.pairs);
  if (!options.documents.empty()) mask.documents = integers_of(options.documents, memory.documents);
  return mask;
}

void add_mask_specs(const std::vector<Spec>& specs, const MaskGrid& grid, AttendOptions& options, MaskMemory& memory) {
  const Places places(options, grid);
  Mask& mask = options.mask;
  // Finds the first keys of a query's own text: the sink keys.
  const Mask own{.causal = Causal::none, .query_offset = places.beside, .documents = mask.documents};
  std::vector<PositionMask> by_position;
  for (const Spec& spec : specs) {
    if (!add_as_rule(spec, places, mask)) by_position.emplace_back(spec);
  }
  if (by_position.empty()) return;
  const ConstView given = mask.pairs;
  Array pairs{DType::u8, {grid.batch, grid.queries, grid.keys}, {}};
  pairs.data.reserve(static_cast<std::size_t>(pairs.size()));
  for (std::int64_t b = 0; b < grid.batch; ++b) {
    for (std::int64_t n = 0; n < grid.queries; ++n) {
      std::vector<double> row(static_cast<std::size_t>(grid.keys), 0.0);
      const std::int64_t first = std::min(key_range(own, grid, b, n).first, grid.keys);
      const std::int64_t sinks = std::min(mask.sink_keys, grid.keys - first);
      for (const PositionMask& position_mask : by_position) position_mask.add(places, b, n, first, sinks, row);
      for (std::int64_t s = 0; s < grid.keys; ++s) {
        bool shown = row[static_cast<std::size_t>(s)] == 0.0;
        if (given.data != nullptr) shown &= number_at(given.rank == 3 ? given[b][n] : given[n], s) != 0.0;
        pairs.data.push_back(shown ? std::byte{1} : std::byte{0});
      }
    }
  }
  memory.position_pairs = std::move(pairs);
  mask.pairs = memory.position_pairs.view();
}

}  // namespace posenc::cli
