#include "insight/properties/bias_properties.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "core/base/float_types.h"
#include "insight/properties/property.h"
#include "posenc/error.h"

namespace posenc::properties {
namespace {

constexpr std::int64_t kBlock = 40;  // positions per side of a compared block
constexpr double kBiasRoom = 1e-9;

using Matrix = std::vector<double>;  // [H][n][n]

std::int64_t first_place(const CheckOptions& options) {
  return static_cast<std::int64_t>(std::floor(options.positions.real(0, 0)));
}

std::int64_t block_of(const CheckOptions& options) {
  return std::clamp<std::int64_t>(options.positions.count / 2, 1, kBlock);
}

Matrix values_at(const Bias& bias, std::int64_t heads, std::int64_t start, std::int64_t side) {
  Matrix values(static_cast<std::size_t>(heads * side * side));
  const PositionView range = PositionView::range(start, side);
  fill_bias(bias, range, range, make_view(values.data(), {heads, side, side}));
  return values;
}

double difference(double a, double b) { return a == b ? 0.0 : std::fabs(a - b); }

// The difference of two blocks: plain, and ignoring a number that all keys of a query share.
struct Apart {
  double plain = 0.0, shared = 0.0;
  double largest = 1.0;  // magnitude of the numbers; rounding grows with it
};

Apart compare_blocks(const Matrix& a, const Matrix& b, std::int64_t side) {
  Apart apart;
  for (std::size_t row = 0; row < a.size(); row += static_cast<std::size_t>(side)) {
    const double common = std::isfinite(a[row]) && std::isfinite(b[row]) ? b[row] - a[row] : 0.0;
    for (std::size_t k = row; k < row + static_cast<std::size_t>(side); ++k) {
      apart.plain = std::max(apart.plain, difference(a[k], b[k]));
      apart.shared = std::max(apart.shared, difference(a[k] + common, b[k]));
    }
  }
  return apart;
}

// Compares the first block with the one a step further, one in the middle, and the last.
Apart compare_places(const Encoding& numbers, std::int64_t first, std::int64_t room, std::int64_t side) {
  const Matrix here = values_at(*numbers.bias(), numbers.heads(), first, side);
  Apart apart;
  for (const std::int64_t by : {std::min<std::int64_t>(1, room), room / 2, room}) {
    const Apart found = compare_blocks(here, values_at(*numbers.bias(), numbers.heads(), first + by, side), side);
    apart.plain = std::max(apart.plain, found.plain);
    apart.shared = std::max(apart.shared, found.shared);
  }
  return apart;
}

std::string show_command(const Encoding& numbers, std::int64_t first, std::int64_t side) {
  if (numbers.bias()->has_factor()) return "";  // factors multiply scores, and a bias alone has none
  const std::int64_t end = first + std::min<std::int64_t>(side, 5);
  return command_of(numbers, "bias", "--queries " + std::to_string(first) + ":" + std::to_string(end));
}

// Compares observed numbers with themselves, one query and one key further.
Apart compare_observed(const ConstView& table) {
  const std::int64_t side = table.shape[1] - 1;
  Matrix here, further;
  std::vector<double> row(static_cast<std::size_t>(side + 1));
  for (std::int64_t h = 0; h < table.shape[0]; ++h) {
    for (std::int64_t q = 0; q <= side; ++q) {
      base::load_row(table[h][q], row.data());
      if (q < side) here.insert(here.end(), row.begin(), row.end() - 1);
      if (q > 0) further.insert(further.end(), row.begin() + 1, row.end());
    }
  }
  Apart apart = compare_blocks(here, further, std::max<std::int64_t>(side, 1));
  for (const double value : here) {
    if (std::isfinite(value)) apart.largest = std::max(apart.largest, std::fabs(value));
  }
  return apart;
}

std::string changes_text(double difference) {
  return difference == 0.0 ? "stays the same" : "changes by " + residual_text(difference);
}

Property relative(const Encoding& numbers, const CheckOptions& options, const BiasTraits& traits) {
  const std::int64_t side = block_of(options), first = first_place(options);
  const std::int64_t other = first + std::max<std::int64_t>(options.positions.count - side, 0);
  if (other == first) return needs_positions({.name = "relative", .title = "the bias depends on distance only"});
  const bool rows = options.observed.rank != 0;
  const Apart apart = rows ? compare_observed(options.observed) : compare_places(numbers, first, other - first, side);
  const double room = rows ? 4.0 * tolerance_of(options.observed.dtype) * apart.largest : kBiasRoom;
  const bool alike = apart.plain <= room, shared = apart.shared <= room * std::clamp(apart.plain, 1.0, 1e6);
  Property property{.name = "relative",
                    .title = "the bias depends on distance only",
                    .verdict = judge(traits.relative.value_or(false), traits.relative != false && (alike || shared)),
                    .finding = "moved from position " + count_text(first) + " to " + count_text(other) + ", it " +
                               changes_text(alike ? apart.plain : apart.shared),
                    .numbers = {{"difference", apart.plain}, {"difference_within_rows", apart.shared}},
                    .command = show_command(numbers, first, side)};
  if (!alike && shared)
    property.finding += ", apart from a number that all keys of a query share, which changes no softmax weight";
  if (!alike && !shared) {
    property.finding = "moved from position " + count_text(first) + " to " + count_text(other) + ", it changes by " +
                       short_text(apart.shared);
    if (std::isinf(apart.shared))
      property.finding = "a key at the same distance is hidden at one position and visible at another";
  }
  if (traits.relative == false && alike)
    property.finding = "it depends on the query's position, but not within these positions";
  return property;
}

// The observed row of the last query, from its own key to keys further back.
std::vector<double> observed_curve(const CheckOptions& options, std::int64_t head) {
  const std::int64_t count = options.positions.count;
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return options.positions.real(0, a) > options.positions.real(0, b);
  });
  std::vector<double> row(order.size()), curve;
  base::load_row(options.observed[head][order.front()], row.data());
  for (const std::int64_t key : order) curve.push_back(row[static_cast<std::size_t>(key)]);
  return curve;
}

std::vector<double> curve_of(const Encoding& numbers, const CheckOptions& options, std::int64_t head) {
  if (options.observed.rank != 0) return observed_curve(options, head);
  const std::int64_t last = first_place(options) + options.positions.count - 1;
  const std::int64_t distances = std::clamp<std::int64_t>(options.positions.count, 1, 4096);
  return bias_curve(*numbers.bias(), head, static_cast<double>(last), distances);
}

std::optional<std::int64_t> rise_of(const Encoding& numbers, const CheckOptions& options, std::int64_t head) {
  const std::vector<double> curve = curve_of(numbers, options, head);
  if (options.observed.rank == 0) return first_rise(curve);
  double largest = 1.0;
  for (const double value : curve) largest = std::isfinite(value) ? std::max(largest, std::fabs(value)) : largest;
  return rise_beyond(curve, tolerance_of(options.observed.dtype) * largest);
}

Property decays(const Encoding& numbers, const CheckOptions& options, const BiasTraits& traits) {
  if (options.positions.count < 2)
    return needs_positions({.name = "decays", .title = "the bias never grows with distance"});
  std::int64_t falling = 0, first_rising = 0, first_head = 0;
  for (std::int64_t head = 0; head < numbers.heads(); ++head) {
    const std::optional<std::int64_t> rise = rise_of(numbers, options, head);
    falling += rise ? 0 : 1;
    if (!rise || (first_rising != 0 && *rise >= first_rising)) continue;
    first_rising = *rise;
    first_head = head;
  }
  Property property{
      .name = "decays",
      .title = "the bias never grows with distance",
      .verdict = judge(traits.falls, falling == numbers.heads()),
      .finding = "true for " + count_text(falling) + " of " + several(numbers.heads(), "head"),
      .numbers = {{"heads", static_cast<double>(numbers.heads())}, {"falling", static_cast<double>(falling)}}};
  if (first_rising == 0) return property;
  property.finding += "; head " + std::to_string(first_head) + " first rises at distance " + count_text(first_rising);
  property.numbers.emplace_back("first_rise", static_cast<double>(first_rising));
  if (property.verdict != Verdict::does_not_hold || numbers.drawn() || !numbers.parameters().empty()) return property;
  property.verdict = Verdict::holds_to;
  property.until = static_cast<double>(first_rising - 1);
  return property;
}

struct Bounds {
  double smallest = std::numeric_limits<double>::infinity(), largest = -smallest;

  void add(std::span<const double> values) {
    for (const double value : values) {
      smallest = std::min(smallest, value);
      largest = std::max(largest, value);
    }
  }
};

// The queries to measure. The first and the last see every distance on both sides.
std::vector<std::int64_t> bounding_queries(std::int64_t count, bool all) {
  constexpr std::int64_t kQueries = 17;
  const std::int64_t queries = all ? count : std::min(count, kQueries);
  std::vector<std::int64_t> list;
  for (std::int64_t n = 0; n < queries; ++n) list.push_back(queries == 1 ? 0 : n * (count - 1) / (queries - 1));
  return list;
}

Bounds formula_bounds(const Encoding& numbers, const CheckOptions& options, bool all) {
  const std::int64_t count = options.positions.count;
  std::vector<double> row(static_cast<std::size_t>(count));
  Bounds bounds;
  for (std::int64_t head = 0; head < numbers.heads(); ++head) {
    for (const std::int64_t query : bounding_queries(count, all)) {
      std::fill(row.begin(), row.end(), 0.0);
      add_bias(*numbers.bias(), {.head = head, .first_query = query, .queries = 1, .keys = count}, options.positions,
               options.positions, make_view(row.data(), {1, count}));
      bounds.add(row);
    }
  }
  return bounds;
}

Bounds observed_bounds(const CheckOptions& options) {
  std::vector<double> row(static_cast<std::size_t>(options.observed.shape[2]));
  Bounds bounds;
  for (std::int64_t at = 0; at < options.observed.shape[0] * options.observed.shape[1]; ++at) {
    base::load_row(options.observed[at / options.observed.shape[1]][at % options.observed.shape[1]], row.data());
    bounds.add(row);
  }
  return bounds;
}

Property bounded(const Encoding& numbers, const CheckOptions& options, const BiasTraits& traits) {
  const bool all = limit_of(numbers).has_value();
  const Bounds bounds = formula_bounds(numbers, options, all);
  const std::int64_t count = options.positions.count;
  const bool some = !all && traits.relative == false && count > 17;
  return {.name = "bounded",
          .title = "the bias is bounded at any distance",
          .verdict = traits.bounded ? Verdict::holds : Verdict::does_not_hold,
          .finding = "from " + short_text(bounds.smallest) + " to " + short_text(bounds.largest) + " within " +
                     several(count, "position") + ", keys before and after the query" +
                     (some ? ", for 17 queries" : "") + (traits.bounded ? "" : "; it keeps growing"),
          .numbers = {{"smallest", bounds.smallest}, {"largest", bounds.largest}}};
}

Property observed_bounded(const Encoding& numbers, const CheckOptions& options) {
  const Bounds own = formula_bounds(numbers, options, true), seen = observed_bounds(options);
  const auto room = [&](double limit) {
    return tolerance_of(options.observed.dtype) * (std::isfinite(limit) ? std::max(1.0, std::fabs(limit)) : 1.0);
  };
  const bool within =
      seen.smallest >= own.smallest - room(own.smallest) && seen.largest <= own.largest + room(own.largest);
  return {.name = "bounded",
          .title = "the numbers are within [" + short_text(own.smallest) + ", " + short_text(own.largest) +
                   "], the range of the encoding",
          .verdict = judge(true, within),
          .finding = "from " + short_text(seen.smallest) + " to " + short_text(seen.largest),
          .numbers = {{"smallest", seen.smallest}, {"largest", seen.largest}}};
}

Matrix observed_values(const ConstView& table) {
  const std::int64_t side = table.shape[1];
  Matrix values(static_cast<std::size_t>(table.shape[0] * side * side));
  for (std::int64_t row = 0; row < table.shape[0] * side; ++row) {
    base::load_row(table[row / side][row % side], values.data() + row * side);
  }
  return values;
}

double side_difference(const Matrix& values, std::int64_t heads, std::int64_t side) {
  double largest = 0.0;
  for (std::int64_t row = 0; row < heads * side; ++row) {
    const std::int64_t head = row / side, q = row % side;
    for (std::int64_t k = 0; k < q; ++k) {
      largest = std::max(largest, difference(values[static_cast<std::size_t>(row * side + k)],
                                             values[static_cast<std::size_t>((head * side + k) * side + q)]));
    }
  }
  return largest;
}

// Compares the first query and all keys with all queries and the first key: every distance, if a block is too small.
double edge_difference(const Encoding& numbers, const PositionView& positions) {
  const std::int64_t heads = numbers.heads(), count = positions.count;
  Matrix ahead(static_cast<std::size_t>(heads * count)), behind(ahead.size());
  fill_bias(*numbers.bias(), positions.slice(0, 1), positions, make_view(ahead.data(), {heads, 1, count}));
  fill_bias(*numbers.bias(), positions, positions.slice(0, 1), make_view(behind.data(), {heads, count, 1}));
  double largest = 0.0;
  for (std::size_t i = 0; i < ahead.size(); ++i) largest = std::max(largest, difference(ahead[i], behind[i]));
  return largest;
}

Property symmetric(const Encoding& numbers, const CheckOptions& options, const BiasTraits& traits) {
  if (options.positions.count < 2)
    return needs_positions({.name = "symmetric", .title = "keys before and after the query get the same bias"});
  const bool observed = options.observed.rank != 0;
  const std::int64_t side = block_of(options);
  const Matrix own = values_at(*numbers.bias(), numbers.heads(), first_place(options), side);
  const double formula =
      std::max(side_difference(own, numbers.heads(), side), edge_difference(numbers, options.positions));
  const double largest =
      observed ? side_difference(observed_values(options.observed), numbers.heads(), options.positions.count) : formula;
  double room = kBiasRoom;
  if (observed) {
    const Bounds bounds = observed_bounds(options);
    for (const double limit : {bounds.smallest, bounds.largest, 1.0}) {
      if (std::isfinite(limit)) room = std::max(room, 4.0 * tolerance_of(options.observed.dtype) * std::fabs(limit));
    }
  }
  return {.name = "symmetric",
          .title = "keys before and after the query get the same bias",
          .verdict = judge(observed && traits.relative.value_or(false) && formula <= kBiasRoom, largest <= room),
          .finding = std::isinf(largest) ? "one side is hidden, the other is not"
                     : largest == 0.0    ? "both sides are equal"
                                         : "the two sides differ by at most " + short_text(largest),
          .numbers = {{"difference", largest}}};
}

// Compares another engine's biases, [H, N, N].
Property matching(const Encoding& numbers, const CheckOptions& options) {
  const ConstView& table = options.observed;
  const std::int64_t heads = numbers.heads(), count = options.positions.count;
  const bool fits = table.rank == 3 && table.shape[0] == heads && table.shape[1] == count && table.shape[2] == count;
  if (!fits || !base::is_float(table.dtype) || table.strides[2] != 1) {
    fail(ErrorKind::bad_input, "[check] the table must be floats [" + std::to_string(heads) + ", " +
                                   std::to_string(count) + ", " + std::to_string(count) +
                                   "], one number per head, query and key, but is " + shape_text(table) + " " +
                                   std::string(to_text(table.dtype)));
  }
  std::vector<double> exact(static_cast<std::size_t>(count)), seen(exact.size());
  Mismatch mismatch;
  for (std::int64_t row = 0; row < heads * count; ++row) {
    const std::int64_t head = row / count, q = row % count;
    std::fill(exact.begin(), exact.end(), 0.0);
    add_bias(*numbers.bias(), {.head = head, .first_query = q, .queries = 1, .keys = count}, options.positions,
             options.positions, make_view(exact.data(), {1, count}));
    base::load_row(table[head][q], seen.data());
    for (std::size_t k = 0; k < seen.size(); ++k) {
      if (std::isnan(seen[k])) {
        fail(ErrorKind::bad_input, "[check] the table has NaN at head " + std::to_string(head) + ", query " +
                                       std::to_string(q) + ", key " + std::to_string(k));
      }
      const double room = tolerance_of(table.dtype) * std::max(1.0, std::isinf(exact[k]) ? 1.0 : std::fabs(exact[k]));
      mismatch.compare(seen[k], exact[k], room, options.positions.real(0, q), static_cast<std::int64_t>(k));
    }
  }
  return matches(mismatch, tolerance_of(table.dtype), table.dtype, "key");
}

std::vector<Property> observed_properties(const Encoding& numbers, const CheckOptions& options,
                                          const BiasTraits& traits) {
  std::vector<Property> list = {matching(numbers, options)};
  const PositionView& positions = options.positions;
  const bool even = positions.source == PositionView::Source::range && positions.step != 0 && positions.count > 1;
  if (even) list.push_back(relative(numbers, options, traits));
  if (!traits.hides) {
    list.push_back(decays(numbers, options, traits));
    list.push_back(observed_bounded(numbers, options));
  }
  list.push_back(symmetric(numbers, options, traits));
  return list;
}

}  // namespace

std::vector<Property> bias_properties(const Encoding& numbers, const CheckOptions& options, const BiasTraits& traits) {
  std::vector<Property> list;
  if (options.observed.rank != 0) return observed_properties(numbers, options, traits);
  list.push_back(relative(numbers, options, traits));
  if (!traits.hides) {
    list.push_back(decays(numbers, options, traits));
    list.push_back(bounded(numbers, options, traits));
  }
  list.push_back({.name = "past_length",
                  .title = traits.past_title,
                  .verdict = traits.past,
                  .until = traits.past_until,
                  .finding = traits.past_finding});
  list.push_back(symmetric(numbers, options, traits));
  list.push_back(entropy(numbers, options));
  list.push_back(parameters(learned_count(numbers)));
  list.push_back(memory(numbers.spec(), options.positions.count, learned_count(numbers)));
  return list;
}

}  // namespace posenc::properties
