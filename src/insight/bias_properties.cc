#include "insight/bias_properties.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "detail/float_types.h"
#include "insight/property.h"
#include "posenc/error.h"

namespace posenc::detail {
namespace {

constexpr std::int64_t kBlock = 40;  // positions on a side of what is compared
constexpr double kRoom = 1e-9;

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

// How far two blocks are apart: as they are, and but for what all keys of a query share.
struct Apart {
  double plain = 0.0, shared = 0.0;
  double largest = 1.0;  // of the numbers: rounding grows with it
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

// The first block beside one that is a step further, one in the middle, and the last.
Apart compare_places(const SubjectNumbers& numbers, std::int64_t first, std::int64_t room, std::int64_t side) {
  const Matrix here = values_at(*numbers.bias(), numbers.heads(), first, side);
  Apart apart;
  for (const std::int64_t by : {std::min<std::int64_t>(1, room), room / 2, room}) {
    const Apart found = compare_blocks(here, values_at(*numbers.bias(), numbers.heads(), first + by, side), side);
    apart.plain = std::max(apart.plain, found.plain);
    apart.shared = std::max(apart.shared, found.shared);
  }
  return apart;
}

std::string show_command(const SubjectNumbers& numbers, std::int64_t first, std::int64_t side) {
  if (numbers.bias()->has_factor()) return "";  // factors multiply scores, which a bias alone does not have
  const std::int64_t end = first + std::min<std::int64_t>(side, 5);
  return command_of(numbers, "bias", "--queries " + std::to_string(first) + ":" + std::to_string(end));
}

// Observed numbers beside themselves, a query and a key further on.
Apart compare_observed(const ConstView& table) {
  const std::int64_t side = table.shape[1] - 1;
  Matrix here, further;
  std::vector<double> row(static_cast<std::size_t>(side + 1));
  for (std::int64_t h = 0; h < table.shape[0]; ++h) {
    for (std::int64_t q = 0; q <= side; ++q) {
      load_row(table[h][q], row.data());
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

Property relative(const SubjectNumbers& numbers, const CheckOptions& options, const BiasTraits& traits) {
  const std::int64_t side = block_of(options), first = first_place(options);
  const std::int64_t other = first + std::max<std::int64_t>(options.positions.count - side, 0);
  const bool rows = options.observed.rank != 0 && options.positions.source == PositionView::Source::range;
  const Apart apart = rows ? compare_observed(options.observed) : compare_places(numbers, first, other - first, side);
  const double room = rows ? 4.0 * tolerance_of(options.observed.dtype) * apart.largest : kRoom;
  const bool alike = apart.plain <= room, shared = apart.shared <= room * std::clamp(apart.plain, 1.0, 1e6);
  Property property{.name = "relative",
                    .title = "what is added depends on the distance alone",
                    .verdict = judge(traits.relative.value_or(false), traits.relative != false && (alike || shared)),
                    .until = {},
                    .finding = "the same at places from " + count_text(first) + " to " + count_text(other) + ", to " +
                               residual_text(alike ? apart.plain : apart.shared),
                    .numbers = {{"difference", apart.plain}, {"difference_within_rows", apart.shared}},
                    .command = show_command(numbers, first, side)};
  if (!alike && shared) property.finding += ", but for what all keys of a query share, which softmax does not see";
  if (!alike && !shared) {
    property.finding = "at places from " + count_text(first) + " to " + count_text(other) + " it differs by " +
                       short_text(apart.shared) + (std::isinf(apart.shared) ? ": what is hidden is seen" : "");
  }
  if (traits.relative == false && alike) property.finding = "it depends on the query's place, though not in sight here";
  if (other == first) property.finding = "positions are too few to compare two places";
  return property;
}

std::vector<double> curve_of(const SubjectNumbers& numbers, const CheckOptions& options, std::int64_t head) {
  const std::int64_t last = first_place(options) + options.positions.count - 1;
  const std::int64_t distances = std::clamp<std::int64_t>(options.positions.count, 1, 4096);
  return bias_curve(*numbers.bias(), head, static_cast<double>(last), distances);
}

Property decays(const SubjectNumbers& numbers, const CheckOptions& options, const BiasTraits& traits) {
  std::int64_t falling = 0, first_rising = 0, first_head = 0;
  for (std::int64_t head = 0; head < numbers.heads(); ++head) {
    const std::optional<std::int64_t> rise = first_rise(curve_of(numbers, options, head));
    falling += rise ? 0 : 1;
    if (!rise || (first_rising != 0 && *rise >= first_rising)) continue;
    first_rising = *rise;
    first_head = head;
  }
  Property property{
      .name = "decays",
      .title = "keys further back never get more",
      .verdict = judge(traits.falls, falling == numbers.heads()),
      .until = {},
      .finding = "in " + count_text(falling) + " of " + several(numbers.heads(), "head"),
      .numbers = {{"heads", static_cast<double>(numbers.heads())}, {"falling", static_cast<double>(falling)}}};
  if (first_rising == 0) return property;
  property.finding += "; head " + std::to_string(first_head) + " first rises at distance " + count_text(first_rising);
  property.numbers.emplace_back("first_rise", static_cast<double>(first_rising));
  if (property.verdict != Verdict::does_not_hold || numbers.drawn() || !numbers.parameters().empty()) return property;
  property.verdict = Verdict::holds_to;
  property.until = static_cast<double>(first_rising - 1);
  return property;
}

Property bounded(const SubjectNumbers& numbers, const CheckOptions& options, const BiasTraits& traits) {
  double smallest = std::numeric_limits<double>::infinity(), largest = -smallest;
  for (std::int64_t head = 0; head < numbers.heads(); ++head) {
    for (const double value : curve_of(numbers, options, head)) {
      smallest = std::min(smallest, value);
      largest = std::max(largest, value);
    }
  }
  return {.name = "bounded",
          .title = "what is added stays within bounds at any distance",
          .verdict = traits.bounded ? Verdict::holds : Verdict::does_not_hold,
          .until = {},
          .finding = "from " + short_text(smallest) + " to " + short_text(largest) + " within " +
                     several(std::min<std::int64_t>(options.positions.count, 4096), "distance") +
                     (traits.bounded ? "" : ", and it goes on growing"),
          .numbers = {{"smallest", smallest}, {"largest", largest}}};
}

Property symmetric(const SubjectNumbers& numbers, const CheckOptions& options) {
  const std::int64_t side = block_of(options);
  const Matrix values = values_at(*numbers.bias(), numbers.heads(), first_place(options), side);
  double largest = 0.0;
  for (std::int64_t row = 0; row < numbers.heads() * side; ++row) {
    const std::int64_t head = row / side, q = row % side;
    for (std::int64_t k = 0; k < q; ++k) {
      largest = std::max(largest, difference(values[static_cast<std::size_t>(row * side + k)],
                                             values[static_cast<std::size_t>((head * side + k) * side + q)]));
    }
  }
  return {.name = "symmetric",
          .title = "keys ahead get what keys behind get",
          .verdict = largest <= kRoom ? Verdict::holds : Verdict::does_not_hold,
          .until = {},
          .finding = std::isinf(largest) ? "one side is hidden where the other is seen"
                                         : "sides differ by " + short_text(largest) + " at most",
          .numbers = {{"difference", largest}}};
}

std::int64_t learned_numbers(const SubjectNumbers& numbers) {
  std::int64_t count = 0;
  for (const Parameter& parameter : numbers.parameters()) count += parameter.value.size();
  return count;
}

// [H, N, N] of another engine.
Property matching(const SubjectNumbers& numbers, const CheckOptions& options) {
  const ConstView& table = options.observed;
  const std::int64_t heads = numbers.heads(), count = options.positions.count;
  const bool fits = table.rank == 3 && table.shape[0] == heads && table.shape[1] == count && table.shape[2] == count;
  if (!fits || !is_float(table.dtype) || table.strides[2] != 1) {
    fail(ErrorKind::bad_input, "[check] the table must be floats [" + std::to_string(heads) + ", " +
                                   std::to_string(count) + ", " + std::to_string(count) +
                                   "], a number per head, query and key, but is " + shape_text(table) + " " +
                                   std::string(to_text(table.dtype)));
  }
  std::vector<double> exact(static_cast<std::size_t>(count)), seen(exact.size());
  Mismatch mismatch;
  for (std::int64_t row = 0; row < heads * count; ++row) {
    const std::int64_t head = row / count, q = row % count;
    std::fill(exact.begin(), exact.end(), 0.0);
    add_bias(*numbers.bias(), {.head = head, .first_query = q, .queries = 1, .keys = count}, options.positions,
             options.positions, make_view(exact.data(), {1, count}));
    load_row(table[head][q], seen.data());
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

}  // namespace

std::vector<Property> bias_properties(const SubjectNumbers& numbers, const CheckOptions& options,
                                      const BiasTraits& traits) {
  std::vector<Property> list;
  if (options.observed.rank != 0) list.push_back(matching(numbers, options));
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
  list.push_back(symmetric(numbers, options));
  list.push_back(entropy(numbers, options));
  list.push_back(parameters(learned_numbers(numbers)));
  list.push_back(memory(numbers.spec(), options.positions.count));
  return list;
}

}  // namespace posenc::detail
