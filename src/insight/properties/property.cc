#include "insight/properties/property.h"

#include <algorithm>
#include <cmath>

#include "core/base/float_types.h"
#include "core/scalings/rule.h"
#include "posenc/error.h"

namespace posenc::properties {
std::string count_text(std::int64_t count) {
  std::string digits = std::to_string(count);
  const std::int64_t start = count < 0 ? 1 : 0;
  for (auto at = static_cast<std::int64_t>(digits.size()) - 3; at > start; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

std::string residual_text(double value) {
  return value != 0.0 && value < 1e-12 ? "less than 1e-12" : short_text(value);
}

std::pair<std::string, std::string> told_apart(double a, double b) {
  int digits = 4;
  while (a != b && digits < 17 && text::general_text(a, digits) == text::general_text(b, digits)) ++digits;
  return {text::general_text(a, digits), text::general_text(b, digits)};
}

std::string several(std::int64_t count, std::string_view one, std::string_view many) {
  const std::string plural = many.empty() ? std::string(one) + "s" : std::string(many);
  return count_text(count) + " " + (count == 1 ? std::string(one) : plural);
}

std::string place_text(double position) {
  return position == std::floor(position) ? std::to_string(static_cast<std::int64_t>(position))
                                          : text::number_text(position);
}

std::optional<std::int64_t> limit_of(const Encoding& numbers) {
  if (numbers.place() == Place::input) return numbers.positions();
  const std::vector<ParameterInfo> infos = parameters_of(numbers.spec());
  // A required parameter with open lengths is a matrix of pairs of positions.
  if (infos.empty() || infos[0].optional || infos[0].shape[0] >= 0) return std::nullopt;
  const ConstView& values = numbers.parameters().front().value;
  const auto rank = static_cast<std::size_t>(values.rank);
  return std::min(values.shape[rank - 2], values.shape[rank - 1]);
}

double factor_of(const Scaling& scaling) {
  return std::visit(
      [](const auto& s) -> double {
        if constexpr (requires { s.factor.value_or(0.0); }) {
          if (!s.factor && s.original_positions == 0) return 0.0;
          return scalings::factor_or_ratio(s.factor, s.max_positions, s.original_positions);
        } else if constexpr (requires { s.factor; }) {
          return s.factor;
        } else if constexpr (requires { s.alpha; }) {
          return s.alpha;
        } else {
          return 0.0;
        }
      },
      scaling);
}

double tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return 1e-9;
    case DType::f16:
      return 5e-4;
    case DType::bf16:
      return 4e-3;
    default:
      return 1e-5;
  }
}

void check_floats(const ConstView& table) {
  if (base::is_float(table.dtype)) return;
  fail(ErrorKind::bad_input,
       "[check] the table must be f32, f64, f16 or bf16 but is " + std::string(to_text(table.dtype)));
}

void check_table(const ConstView& table, std::int64_t rows, std::int64_t width, std::string_view columns) {
  check_floats(table);
  const std::string count = std::to_string(width), meaning = ", " + std::string(columns) + ", but is ";
  std::string wrong;
  if (table.rank != 2) {
    wrong = "be [rows, " + count + "]" + meaning;
  } else if (table.shape[1] != width) {
    wrong = "have " + count + (width == 1 ? " column" : " columns") + meaning;
  } else if (table.shape[0] != rows) {
    wrong = "have " + std::to_string(rows) + (rows == 1 ? " row" : " rows") + ", one per position, but is ";
  } else {
    return;
  }
  const bool transposed = table.rank == 2 && table.shape[0] == width && table.shape[1] != width;
  fail(ErrorKind::bad_input,
       "[check] the table must " + wrong + shape_text(table) + (transposed ? "; it may be transposed" : ""));
}

void check_measurable(double value, std::string_view what, std::int64_t index, double position,
                      std::string_view where) {
  constexpr double kLargest = 1e100;  // larger numbers cannot be squared and added up
  if (std::fabs(value) <= kLargest) return;
  fail(ErrorKind::bad_input, "[" + std::string(where) + "] " + std::string(what) + " " + std::to_string(index) +
                                 " at position " + text::number_text(position) + " must be " +
                                 (std::isfinite(value) ? "at most 1e100 in size" : "finite") + " but is " +
                                 text::number_text(value));
}

Verdict judge(bool promised, bool found) {
  if (found) return Verdict::holds;
  return promised ? Verdict::violated : Verdict::does_not_hold;
}

Property needs_positions(Property property, std::int64_t least) {
  return {.name = std::move(property.name),
          .title = std::move(property.title),
          .verdict = Verdict::not_measured,
          .finding = "needs at least " + std::to_string(least) + " positions"};
}

std::optional<std::int64_t> rise_beyond(std::span<const double> curve, double room) {
  const double least = curve.empty() ? 0.0 : 1e-12 * std::fabs(curve[0]) + room;
  for (std::size_t k = 1; k < curve.size(); ++k) {
    if (curve[k] > curve[k - 1] + least) return static_cast<std::int64_t>(k);
  }
  return std::nullopt;
}

void judge_fall(const std::vector<double>& observed, const std::vector<double>& promised, double room,
                Property& property) {
  const std::optional<std::int64_t> rise = rise_beyond(observed, room), own = rise_beyond(promised, 0.0);
  const bool falls = promised.size() < 2 || promised[0] - promised[1] <= 2.0 * room || observed[0] - observed[1] > 0.0;
  if (falls && (!rise || (own && *rise >= *own))) return;
  property.verdict = Verdict::violated;
  property.until.reset();
  if (!falls) property.finding += "; the encoding falls by " + short_text(promised[0] - promised[1]) + " at once";
}

std::string command_of(const Encoding& numbers, std::string_view command, std::string_view options) {
  if (numbers.drawn()) return "";  // no command draws the same numbers
  return "posenc " + std::string(command) + " " + numbers.command_text() + " " + std::string(options);
}

Property positions_held() {
  const auto last = [](DType dtype) { return first_collision(dtype) - 1; };
  const auto until = static_cast<double>(last(DType::bf16));
  return {.name = "positions_held",
          .title = "positions remain distinct in a 16-bit type",
          .verdict = Verdict::holds_to,
          .until = until,
          .finding = "bf16 holds whole numbers up to " + count_text(last(DType::bf16)) + ", f16 up to " +
                     count_text(last(DType::f16)) + ", f32 up to " + count_text(last(DType::f32)) +
                     "; the next one is rounded to its neighbour",
          .numbers = {{"bf16", until},
                      {"f16", static_cast<double>(last(DType::f16))},
                      {"f32", static_cast<double>(last(DType::f32))}}};
}

namespace {

// The last position whose angle is less than one step past the trained ones, length - 1 steps of `trained`.
double last_seen(double trained, double used, std::int64_t length) {
  return std::ceil(static_cast<double>(length) * std::fabs(trained / used) * (1.0 - 1e-12)) - 1.0;
}

}  // namespace

Property unseen_angles(const std::vector<double>& inv_freq, std::int64_t train_length, const char* each) {
  return unseen_angles(inv_freq, inv_freq, train_length, each);
}

Property unseen_angles(const std::vector<double>& trained, const std::vector<double>& used, std::int64_t train_length,
                       const char* each) {
  const TurnsWithin turns = turns_within(trained, train_length);
  std::int64_t unseen = 0, still = 0;
  double slowest = 0.0, until = INFINITY;
  for (std::size_t i = 0; i < used.size(); ++i) {
    const double wavelength = wavelengths({used[i]})[0];
    const bool has_end = turns.pairs[i].first_unseen && used[i] != 0.0;
    unseen += has_end ? 1 : 0;
    if (has_end) until = std::min(until, last_seen(trained[i], used[i], train_length));
    still += std::isinf(wavelength) ? 1 : 0;
    if (!std::isinf(wavelength)) slowest = std::max(slowest, wavelength);
  }
  const auto pairs = static_cast<std::int64_t>(turns.pairs.size());
  Property property{.name = "past_length",
                    .title = "the angles of all positions occurred in training",
                    .verdict = unseen == 0 ? Verdict::holds : Verdict::holds_to,
                    .finding = "of " + several(pairs, each) + ", " + count_text(turns.complete) +
                               " complete a turn within the " + count_text(train_length) + " positions of training" +
                               (trained == used ? "" : ", before the scaling"),
                    .numbers = {{"train_length", static_cast<double>(train_length)},
                                {"pairs", static_cast<double>(pairs)},
                                {"complete", static_cast<double>(turns.complete)},
                                {"unseen", static_cast<double>(unseen)},
                                {"still", static_cast<double>(still)},
                                {"longest_wavelength", slowest}}};
  if (unseen == 0) return property;
  property.until = until;
  property.finding += "; " + count_text(unseen) + (unseen == 1 ? " gets" : " get") + " new angles" +
                      (trained == used ? " past them" : ", the first at position " + place_text(until + 1.0)) +
                      " (the slowest needs " + count_text(static_cast<std::int64_t>(std::llround(slowest))) +
                      " positions for a turn): defined, but untrained";
  return property;
}

Property memory(const Spec& spec, std::int64_t count, std::int64_t learned) {
  const std::int64_t positions = std::min<std::int64_t>(count, 1 << 20);
  Cost cost = cost_of(spec, positions, DType::f32);
  cost.stream_bytes = std::max(cost.stream_bytes, learned * size_of(DType::f32));
  return {.name = "memory",
          .title = "it needs less memory than its table",
          .verdict =
              cost.stream_bytes < cost.table_bytes || cost.table_bytes == 0 ? Verdict::holds : Verdict::does_not_hold,
          .finding = "a float32 table of " + several(positions, "position") + " takes " +
                     several(cost.table_bytes, "byte") + ", the encoding without it " +
                     several(cost.stream_bytes, "byte"),
          .numbers = {{"positions", static_cast<double>(positions)},
                      {"table_bytes", static_cast<double>(cost.table_bytes)},
                      {"stream_bytes", static_cast<double>(cost.stream_bytes)},
                      {"flops_per_token", cost.flops_per_token}}};
}

Property parameters(std::int64_t count) {
  return {.name = "parameters",
          .title = "it needs no learned parameters",
          .verdict = count == 0 ? Verdict::holds : Verdict::does_not_hold,
          .finding = count == 0 ? "no parameters" : several(count, "parameter"),
          .numbers = {{"parameters", static_cast<double>(count)}}};
}

std::int64_t learned_count(const Encoding& numbers) {
  std::int64_t count = 0;
  for (const Parameter& parameter : numbers.parameters()) count += parameter.value.size();
  return count;
}

Property entropy(const Encoding& numbers, const CheckOptions& options) {
  const std::int64_t most = limit_of(numbers) ? options.positions.count : 16384;
  const std::int64_t longest = std::max<std::int64_t>(std::min(4 * std::min(options.train_length, most), most), 4);
  const EntropyOptions draws{.lengths = {longest / 4, longest}, .draws = 8, .head = 0, .seed = options.seed};
  const std::vector<EntropyPoint> points = attention_entropy(numbers.spec(), numbers.parameters(), draws);
  const double growth = points[1].entropy - points[0].entropy;
  const std::string head = numbers.heads() > 1 ? "entropy of head 0: " : "entropy: ";
  Property property{.name = "entropy",
                    .title = "attention stays as sharp at four times the length",
                    .verdict = growth < 0.25 * std::log(4.0) ? Verdict::holds : Verdict::does_not_hold,
                    .finding = head + short_text(points[0].entropy) + " nats over " + several(points[0].length, "key") +
                               ", " + short_text(points[1].entropy) + " over " + count_text(points[1].length) +
                               " (with equal weights " + short_text(points[0].uniform) + " and " +
                               short_text(points[1].uniform) + "); the nearest 16 keys get " +
                               short_text(100.0 * points[1].near_share) + " % of the weight",
                    .numbers = {{"length", static_cast<double>(points[0].length)},
                                {"entropy", points[0].entropy},
                                {"longer", static_cast<double>(points[1].length)},
                                {"entropy_longer", points[1].entropy},
                                {"near_share", points[1].near_share}}};
  if (points[0].length == options.train_length) {
    property.numbers.emplace_back("train_length", static_cast<double>(options.train_length));
  }
  return property;
}

void Mismatch::compare(double seen, double exact, double tolerance, double at, std::int64_t in_channel) {
  const double difference = seen == exact ? 0.0 : std::fabs(seen - exact);  // -inf equals itself
  if (!(difference <= largest)) largest = difference;
  if (found || difference <= tolerance) return;
  found = true;
  position = at;
  channel = in_channel;
  observed = seen;
  expected = exact;
}

Property matches(const Mismatch& mismatch, double tolerance, DType dtype, std::string_view channel_word) {
  Property property{.name = "matches",
                    .title = "the numbers are those of the encoding",
                    .verdict = judge(true, !mismatch.found),
                    .finding = "largest difference " + short_text(mismatch.largest) + ", allowed " +
                               short_text(tolerance) + " for " + std::string(to_text(dtype)),
                    .numbers = {{"largest_difference", mismatch.largest}, {"tolerance", tolerance}}};
  if (!mismatch.found) return property;
  const auto [seen, exact] = told_apart(mismatch.observed, mismatch.expected);
  property.finding = "position " + place_text(mismatch.position) + ", " + std::string(channel_word) + " " +
                     std::to_string(mismatch.channel) + ": " + seen + " instead of " + exact + "; " + property.finding;
  property.numbers.emplace_back("first_position", mismatch.position);
  property.numbers.emplace_back("rope_offset", static_cast<double>(mismatch.channel));
  return property;
}

}  // namespace posenc::properties
