// Questions about rotary encodings.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "insight/explanation/explain_scaling.h"
#include "insight/properties/formulas.h"
#include "insight/teaching/exercise_kinds.h"
#include "posenc/error.h"
#include "posenc/schedule.h"

namespace posenc::teaching {
namespace {

using Pair = std::array<double, 2>;

// How a layout rotates a pair of frequency 1, which is a head of two channels.
struct Rotation {
  bool negative;  // by the negative angle

  double factor;  // on cosines and sines, which questions leave out

  Rotation(Layout layout, double table_factor) : negative(layout == Layout::half_negative), factor(table_factor) {}
  Pair operator()(const Pair& x, double position) const {
    Pair out;
    const Layout layout = negative ? Layout::half_negative : Layout::half;
    reference::rotate_head({.head_dim = 2, .layout = layout}, {&position, 1}, x.data(), out.data());
    return out;
  }
  // The same by hand, from the sine and the cosine of a row.
  Pair by_hand(const Pair& x, double position, const RowValue& row) const {
    const double sine = (negative ? -1.0 : 1.0) * row(position, 0), cosine = row(position, 1);
    return {x[0] * cosine - x[1] * sine, x[0] * sine + x[1] * cosine};
  }
  // A sentence that questions must contain; may be empty.
  std::string told() const {
    const std::string left_out = " Leave out the attention factor " + text::general_text(factor, 5) + ".";
    return std::string(negative ? " Pairs are rotated by the negative angle (layout=half_negative)." : "") +
           (factor == 1.0 ? "" : left_out);
  }
  const char* sign() const { return negative ? "-" : ""; }
  std::string unswapped() const {
    return std::string("(a, b) becomes ") +
           (negative ? "(a cos + b sin, -a sin + b cos)" : "(a cos - b sin, a sin + b cos)");
  }
};

constexpr const char* kOnDiagonal = "the cosines are on the diagonal";
constexpr const char* kOtherWay = "this rotates the other way: the sign of the angle is wrong";

std::string pair_text(const Pair& x) { return "(" + text::number_text(x[0]) + ", " + text::number_text(x[1]) + ")"; }
std::string pair_decimals(const Pair& x) { return "(" + decimals_text(x[0], 5) + ", " + decimals_text(x[1], 5) + ")"; }

Pair draw_pair(Draw& draw) { return {draw.real(1, 5), draw.real(-4, 4)}; }

// With p-RoPE and similar encodings some pairs have an angle of 0 at every position.
std::string rotated_text(const RotarySchedule& schedule) {
  const auto still = std::count(schedule.inv_freq.begin(), schedule.inv_freq.end(), 0.0);
  return schedule.axes == 1 && still > 0
             ? " are paired, " + text_of(2 * still) + " of them with an angle that is always 0"
             : " are rotated";
}

void add_pairs(Sheet& sheet, const RotarySchedule& schedule) {
  sheet.ask("rotary/pairs",
            {{"head_dim", schedule.head_dim}, {"channels", schedule.rotary_dim}, {"rotated", rotated_text(schedule)}},
            {static_cast<double>(schedule.pairs())},
            {{"every channel was counted; two channels share an angle", {static_cast<double>(schedule.rotary_dim)}}});
}

// A head with enough pairs to ask for partners or wavelengths: that of the spec, or a larger one.
bool has_pairs(const RotarySchedule& schedule) { return schedule.rotary_dim >= 4; }
Rotary lesson_head(const RotarySchedule& schedule) {
  if (!has_pairs(schedule)) return {.head_dim = 64, .rotary_dim = 64};
  return {.head_dim = schedule.head_dim, .rotary_dim = schedule.rotary_dim, .first_channel = schedule.first_channel};
}

// Which channels of lesson_head are rotated.
std::string window_text(const RotarySchedule& schedule) {
  if (!has_pairs(schedule)) return "In a larger head all 64 channels are rotated";
  const std::string all = text_of(schedule.head_dim), some = text_of(schedule.rotary_dim);
  if (schedule.rotary_dim == schedule.head_dim) return "All " + all + " channels of a head" + rotated_text(schedule);
  return "Of the " + all + " channels of a head " + some + " are rotated, from channel " +
         text_of(schedule.first_channel) + " on";
}

void add_layouts(Sheet& sheet, const RotarySchedule& schedule) {
  const Rotary head = lesson_head(schedule);
  Draw draw = sheet.draw("layouts");
  const std::int64_t pairs = head.rotary_dim / 2, place = 2 * draw.between(0, head.rotary_dim / 4 - 1);
  const std::int64_t channel = head.first_channel + place;
  const auto partner = [&](Layout layout, std::int64_t pair) {
    Rotary spec = head;
    spec.layout = layout;
    return static_cast<double>(reference::rotary_pair(spec, pair).read_second);
  };
  const std::vector<double> partners = {partner(Layout::half, place), partner(Layout::interleaved, place / 2)};
  sheet.ask("rotary/layouts",
            {{"window", window_text(schedule)},
             {"channel", channel},
             {"pairs", pairs},
             {"half", whole(partners[0])},
             {"interleaved", whole(partners[1])}},
            partners, {{"the two layouts are swapped", {partners[1], partners[0]}}});
}

// Cosines and sines of a table may be multiplied by a factor, as YaRN does.
void add_norm(Sheet& sheet, double factor) {
  Draw draw = sheet.draw("rotary norm");
  const std::int64_t p = draw.between(2, 500);
  if (factor == 1.0) return sheet.ask_choice("rotary/norm", draw, {{"p", p}});
  const double rounded = std::round(factor * 1e4) / 1e4;
  sheet.ask("rotary/multiplied norm", {{"p", p}, {"factor", rounded}}, {3.0 * rounded},
            {{"the attention factor was left out; rotations alone keep lengths", {3.0}},
             {"this is the square of the length", {9.0 * rounded * rounded}},
             {"the length is multiplied, not divided", {3.0 / rounded}}});
}

void add_rotation(Sheet& sheet, const Rotation& rotation) {
  Draw draw = sheet.draw("turn");
  const double p = draw.real(1, 9);
  const Pair x = draw_pair(draw), out = rotation(x, p), back = rotation(x, -p);
  std::vector<Mistake> mistakes = angle_mistakes(
      [&](const RowValue& row) {
        const Pair pair = rotation.by_hand(x, p, row);
        return std::vector{pair[0], pair[1]};
      },
      rotation.unswapped());
  mistakes.push_back({kOtherWay, {back[0], back[1]}});
  sheet.ask("rotary/rotation",
            {{"pair", pair_text(x)},
             {"p", p},
             {"told", rotation.told()},
             {"minus", rotation.negative ? "+" : "-"},
             {"sign", rotation.sign()},
             {"cos", decimals_text(std::cos(p), 5)},
             {"sin", decimals_text(std::sin(p), 5)},
             {"a", in_formula(x[0])},
             {"b", in_formula(x[1])},
             {"first", decimals_text(out[0], 5)},
             {"second", decimals_text(out[1], 5)}},
            {out[0], out[1]}, mistakes);
}

double dot(const Pair& a, const Pair& b) { return a[0] * b[0] + a[1] * b[1]; }

void add_score(Sheet& sheet, const Rotation& rotation) {
  Draw draw = sheet.draw("score");
  const double p = draw.real(2, 30), d = draw.real(1, 6), elsewhere = p + draw.real(100, 999);
  const Pair q = draw_pair(draw), k = draw_pair(draw);
  const auto score = [&](double place) { return dot(rotation(q, place), rotation(k, place + d)); };
  const std::string angle = rotation.sign() + text::number_text(d);
  // By hand, only the key is rotated, by the distance. A position that is one too large makes the distance one too
  // large.
  std::vector<Mistake> mistakes = angle_mistakes(
      [&](const RowValue& row) { return std::vector{dot(q, rotation.by_hand(k, d, row))}; }, rotation.unswapped());
  for (Mistake& mistake : mistakes) {
    if (mistake.text.starts_with("one position")) mistake.text = "the distance is wrong by one";
  }
  mistakes.push_back({kOtherWay, {dot(q, rotation(k, -d))}});
  mistakes.push_back({"nothing was rotated", {dot(q, k)}});
  mistakes.push_back({"only the query was rotated", {dot(rotation(q, p), k)}});
  mistakes.push_back({"the key was rotated by its position although the query was not", {dot(q, rotation(k, p + d))}});
  sheet.ask("rotary/score",
            {{"q", pair_text(q)},
             {"p", p},
             {"k", pair_text(k)},
             {"s", p + d},
             {"told", rotation.told()},
             {"angle", angle},
             {"rotated", pair_decimals(rotation(k, d))},
             {"far_p", elsewhere},
             {"far_s", elsewhere + d},
             {"far", decimals_text(score(elsewhere), 5)}},
            {score(p)}, mistakes);
}

void add_wavelength(Sheet& sheet, const Rotary& spec, const RotarySchedule& schedule) {
  Draw draw = sheet.draw("rotary wavelength");
  const auto drawn = draw.pick<std::int64_t>({32, 64, 128});
  // The head of the spec, unless it has exponents of another width or only one pair.
  const bool own = has_pairs(schedule) && schedule.rotary_dim % 2 == 0 && schedule.axes == 1 &&
                   schedule.exponent_dim == schedule.rotary_dim;
  const std::int64_t width = own ? schedule.rotary_dim : drawn;
  const std::string head =
      own ? window_text(schedule) : "In another head all " + text_of(width) + " channels are rotated";
  const Sinusoidal same = plain_sinusoidal(width, spec.base);
  const std::int64_t i = draw.between(1, std::max<std::int64_t>(width / 4, 1));
  const double length = wavelengths({reference::rotary_inv_freq({.head_dim = width, .base = same.base}, 0, i)})[0];
  std::vector<Mistake> mistakes = wavelength_mistakes(same.base, static_cast<double>(width), static_cast<double>(i));
  mistakes.push_back(
      {"this is 2 pi base; the exponent 2i/" + text_of(width) + " is missing", {2.0 * std::numbers::pi * same.base}});
  sheet.ask("rotary/wavelength",
            {{"head", head},
             {"unscaled", kind_of(spec.scaling) == kind_of(Scaling(NoScaling{})) ? "" : ", without the scaling"},
             {"base", same.base},
             {"i", i},
             {"width", width},
             {"denominator", plain_text(properties::sinusoidal_denominator(same, i))}},
            {length}, mistakes);
}

// How many positions a pair needs for a full turn with the scaling of the spec. Pairs that the scaling leaves as they
// are, and those that it slows most, can be worked out by hand.
void add_scaled_wavelength(Sheet& sheet, const Rotary& spec, const RotarySchedule& schedule) {
  Rotary unscaled = spec;
  unscaled.scaling = NoScaling{};
  unscaled.sequence_length = {};
  const std::vector<double> before = wavelengths(make_schedule(unscaled).inv_freq),
                            now = wavelengths(schedule.inv_freq);
  std::size_t most = 0;
  const auto growth = [&](std::size_t i) { return now[i] / before[i]; };
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (growth(i) > growth(most)) most = i;
  }
  std::vector<std::size_t> pairs;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const bool finite = std::isfinite(now[i]) && std::isfinite(before[i]);
    if (finite && growth(i) > growth(most) * (1.0 - 1e-9)) pairs.push_back(i);
  }
  if (pairs.empty()) return;
  const auto drawn = sheet.draw("scaled wavelength").between(0, static_cast<std::int64_t>(pairs.size()) - 1);
  const std::size_t i = pairs[static_cast<std::size_t>(drawn)];
  Question question = stored_question("rotary/scaled wavelength",
                                      {{"spec", to_text(Spec(spec))},
                                       {"i", static_cast<std::int64_t>(i)},
                                       {"before", decimals_text(before[i], 5)},
                                       {"growth", text::general_text(growth(i), 8)}},
                                      {now[i]});
  question.mistakes = {{"this is without the scaling", {before[i]}},
                       {"the wavelength grows; it was divided", {before[i] * before[i] / now[i]}},
                       {"this is the factor by which the wavelength grows", {growth(i)}}};
  const std::vector<std::string> rule = explanation::explain_scaling(spec, schedule).lines;
  question.solution.insert(question.solution.begin(), rule.begin(), rule.end());
  sheet.add(std::move(question));
}

// R(p) is the rotation by +p in every text, so layouts do not matter here.
void add_product(Sheet& sheet) {
  Draw draw = sheet.draw("product");
  const Rotation rotation(Layout::half, 1.0);
  const double a = draw.real(2, 40), b = a + draw.real(1, 6), d = b - a;
  const Pair first = rotation({1.0, 0.0}, d), second = rotation({0.0, 1.0}, d);
  const std::vector<double> matrix = {first[0], second[0], first[1], second[1]};
  std::vector<Mistake> mistakes = angle_mistakes(
      [&](const RowValue& row) {
        return std::vector{row(d, 1), -row(d, 0), row(d, 0), row(d, 1)};
      },
      kOnDiagonal);
  mistakes.push_back(
      {"this is R(a) R(b)^T: the transposed matrix comes first", {first[0], first[1], second[0], second[1]}});
  mistakes.push_back({"this is R(a) R(b), without the transpose",
                      {std::cos(a + b), -std::sin(a + b), std::sin(a + b), std::cos(a + b)}});
  sheet.ask("rotary/product", {{"a", a}, {"b", b}, {"d", d}}, matrix, mistakes);
}

}  // namespace

void rotary_questions(const Rotary& spec, Sheet& sheet) {
  const RotarySchedule schedule = make_schedule(spec);
  if (!is_rotation(spec.layout)) {
    fail(ErrorKind::unsupported,
         "[make_exercises] the layout is not a rotation, and the questions are about rotations");
  }
  const Rotation rotation(spec.layout, schedule.table_factor());
  add_pairs(sheet, schedule);
  add_layouts(sheet, schedule);
  const bool scaled = kind_of(spec.scaling) != kind_of(Scaling(NoScaling{}));
  const bool one_ladder = schedule.axes == 1 && spec.local_base == 0.0;
  sheet.leave_out(spec, {"head_dim", "base", "layout", "rotary_dim", "partial_rotary_factor", "rope_offset",
                         "attention_factor", one_ladder ? "scaling" : "", one_ladder ? "sequence_length" : ""});
  if (!has_pairs(schedule)) sheet.remark("Some questions are about a larger head, because this one has a single pair.");
  add_norm(sheet, schedule.table_factor());
  add_rotation(sheet, rotation);
  add_score(sheet, rotation);
  add_wavelength(sheet, spec, schedule);
  add_product(sheet);
  if (scaled && one_ladder) add_scaled_wavelength(sheet, spec, schedule);
  add_long_context_question(sheet);
}

}  // namespace posenc::teaching
