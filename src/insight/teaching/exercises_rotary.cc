// Questions about rotary encodings.
#include <array>
#include <cmath>

#include "insight/properties/formulas.h"
#include "insight/teaching/exercise_kinds.h"
#include "posenc/error.h"
#include "posenc/schedule.h"

namespace posenc::teaching {
namespace {

using Pair = std::array<double, 2>;

// How a layout turns a pair of frequency 1, which is a head of two channels.
struct Turn {
  bool negative;  // by the negative angle

  explicit Turn(const Rotary& spec) : negative(spec.layout == Layout::half_negative) {}
  Pair operator()(const Pair& x, double position) const {
    Pair out;
    const Layout layout = negative ? Layout::half_negative : Layout::half;
    reference::rotate_head({.head_dim = 2, .layout = layout}, {&position, 1}, x.data(), out.data());
    return out;
  }
  // "" or what a question has to say.
  std::string told() const { return negative ? " Pairs turn by the negative angle (layout=half_negative)." : ""; }
  const char* sign() const { return negative ? "-" : ""; }
};

std::string pair_text(const Pair& x) { return "(" + text::number_text(x[0]) + ", " + text::number_text(x[1]) + ")"; }
std::string pair_decimals(const Pair& x) { return "(" + decimals_text(x[0], 5) + ", " + decimals_text(x[1], 5) + ")"; }

Pair draw_pair(Draw& draw) { return {draw.real(1, 5), draw.real(-4, 4)}; }

// With p-RoPE and its relatives some pairs have an angle of 0 at every position.
std::string turn_text(const RotarySchedule& schedule) {
  const auto still = std::count(schedule.inv_freq.begin(), schedule.inv_freq.end(), 0.0);
  return schedule.axes == 1 && still > 0
             ? " are paired, " + text_of(2 * still) + " of them by an angle that is always 0"
             : " turn";
}

void add_pairs(Sheet& sheet, const RotarySchedule& schedule) {
  sheet.ask("rotary/pairs",
            {{"head_dim", schedule.head_dim}, {"channels", schedule.rotary_dim}, {"turn", turn_text(schedule)}},
            {static_cast<double>(schedule.pairs())});
}

// A head in which enough channels turn to ask for partners: that of the spec, or a larger one.
Rotary lesson_head(const RotarySchedule& schedule) {
  if (schedule.rotary_dim < 8) return {.head_dim = 64, .rotary_dim = 64};
  return {.head_dim = schedule.head_dim, .rotary_dim = schedule.rotary_dim, .first_channel = schedule.first_channel};
}

std::string window_text(const RotarySchedule& schedule) {
  if (schedule.rotary_dim < 8) return "In a larger head all 64 channels turn";
  const std::string all = text_of(schedule.head_dim), some = text_of(schedule.rotary_dim);
  if (schedule.rotary_dim == schedule.head_dim) return "All " + all + " channels of a head" + turn_text(schedule);
  return "Of the " + all + " channels of a head " + some + " turn, from channel " + text_of(schedule.first_channel) +
         " on";
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
            partners);
}

void add_norm(Sheet& sheet) {
  Draw draw = sheet.draw("rotary norm");
  const std::int64_t p = draw.between(2, 500);
  sheet.ask_choice("rotary/norm", draw, {{"p", p}, {"note", sheet.note()}});
}

void add_turn(Sheet& sheet, const Turn& turn) {
  Draw draw = sheet.draw("turn");
  const double p = draw.real(1, 9);
  const Pair x = draw_pair(draw), out = turn(x, p);
  sheet.ask("rotary/turn",
            {{"pair", pair_text(x)},
             {"p", p},
             {"told", turn.told()},
             {"minus", turn.negative ? "+" : "-"},
             {"sign", turn.sign()},
             {"cos", decimals_text(std::cos(p), 5)},
             {"sin", decimals_text(std::sin(p), 5)},
             {"a", in_formula(x[0])},
             {"b", in_formula(x[1])},
             {"first", decimals_text(out[0], 5)},
             {"second", decimals_text(out[1], 5)}},
            {out[0], out[1]});
}

void add_score(Sheet& sheet, const Turn& turn) {
  Draw draw = sheet.draw("score");
  const double p = draw.real(2, 30), d = draw.real(1, 6), elsewhere = p + draw.real(100, 999);
  const Pair q = draw_pair(draw), k = draw_pair(draw);
  const auto score = [&](double place) {
    const Pair a = turn(q, place), b = turn(k, place + d);
    return a[0] * b[0] + a[1] * b[1];
  };
  const std::string angle = turn.sign() + text::number_text(d);
  sheet.ask("rotary/score",
            {{"q", pair_text(q)},
             {"p", p},
             {"k", pair_text(k)},
             {"s", p + d},
             {"told", turn.told()},
             {"angle", angle},
             {"turned", pair_decimals(turn(k, d))},
             {"far_p", elsewhere},
             {"far_s", elsewhere + d},
             {"far", decimals_text(score(elsewhere), 5)}},
            {score(p)});
}

void add_wavelength(Sheet& sheet, const Rotary& spec, const RotarySchedule& schedule) {
  Draw draw = sheet.draw("rotary wavelength");
  const auto drawn = draw.pick<std::int64_t>({32, 64, 128});
  // A window that is a part of the head has exponents of its own width, unless they were given or it was odd.
  const bool window = schedule.rotary_dim >= 8 && schedule.rotary_dim < schedule.head_dim &&
                      schedule.exponent_dim == schedule.rotary_dim;
  const std::int64_t width = window ? schedule.rotary_dim : drawn;
  const std::string head = window ? window_text(schedule) : "In another head all " + text_of(width) + " channels turn";
  const Sinusoidal same = plain_sinusoidal(width, spec.base);
  const std::int64_t i = draw.between(1, width / 4);
  const double length = wavelengths({reference::rotary_inv_freq({.head_dim = width, .base = same.base}, 0, i)})[0];
  sheet.ask("rotary/wavelength",
            {{"head", head},
             {"base", same.base},
             {"i", i},
             {"width", width},
             {"denominator", plain_text(properties::sinusoidal_denominator(same, i))}},
            {length});
}

// R(p) is the rotation by +p in every text, so layouts do not matter here.
void add_product(Sheet& sheet) {
  Draw draw = sheet.draw("product");
  const Turn turn{Rotary{}};
  const double a = draw.real(2, 40), b = a + draw.real(1, 6);
  const Pair first = turn({1.0, 0.0}, b - a), second = turn({0.0, 1.0}, b - a);
  const std::vector<double> matrix = {first[0], second[0], first[1], second[1]};
  sheet.ask("rotary/product", {{"a", a}, {"b", b}, {"d", b - a}}, matrix);
}

}  // namespace

void rotary_questions(const Rotary& spec, Sheet& sheet) {
  const RotarySchedule schedule = make_schedule(spec);
  if (!is_rotation(spec.layout)) {
    fail(ErrorKind::unsupported, "[make_exercises] the layout is no rotation, and the questions are about rotations");
  }
  const Turn turn(spec);
  add_pairs(sheet, schedule);
  add_layouts(sheet, schedule);
  sheet.set_note(
      plain_note(spec, {"head_dim", "base", "layout", "rotary_dim", "partial_rotary_factor", "rope_offset"}));
  add_norm(sheet);
  add_turn(sheet, turn);
  add_score(sheet, turn);
  add_wavelength(sheet, spec, schedule);
  add_product(sheet);
  add_long_context_question(sheet);
}

}  // namespace posenc::teaching
