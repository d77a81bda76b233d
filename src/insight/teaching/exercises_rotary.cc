// Questions about rotary encodings.
#include <array>
#include <cmath>

#include "insight/teaching/exercise_kinds.h"
#include "posenc/error.h"
#include "posenc/reference.h"
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
  const auto pairs = static_cast<double>(schedule.pairs());
  sheet.add({.level = Level::easy,
             .text = "A head has " + text_of(schedule.head_dim) + " channels, of which " +
                     text_of(schedule.rotary_dim) + turn_text(schedule) +
                     ". How many angles does rotary encoding need for one token?",
             .hint = "Two channels turn together.",
             .values = {pairs},
             .solution = {text_of(schedule.rotary_dim) + " / 2 = " + whole(pairs)}});
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
  sheet.add({.level = Level::easy,
             .text = window_text(schedule) + ", and channels count from 0. Which channel turns together with channel " +
                     text_of(channel) +
                     " in the layout half (Llama), and which in the layout interleaved (GPT-J)? Two numbers.",
             .hint = "half pairs i with i + " + text_of(pairs) +
                     "; interleaved pairs neighbours, from the first channel that turns on.",
             .values = partners,
             .solution = {"half: " + text_of(channel) + " + " + text_of(pairs) + " = " + whole(partners[0]),
                          "interleaved: " + text_of(channel) + " + 1 = " + whole(partners[1]),
                          "Weights made for one layout and read by the other give wrong scores, without an error."}});
}

void add_norm(Sheet& sheet) {
  Draw draw = sheet.draw("rotary norm");
  const std::string p = text_of(draw.between(2, 500));
  sheet.add_choice(
      {.level = Level::easy,
       .text = "A query of length 3 is turned for position " + p + ". How long is it then?" + sheet.note(),
       .hint = "What does a rotation do to the length of an arrow?",
       .choices = {"3: rotations keep lengths.", "3 times " + p + ".", "3 times cos(" + p + ").",
                   "It depends on the channels."},
       .solution = {"(a c - b s)^2 + (a s + b c)^2 = a^2 + b^2, for c^2 + s^2 = 1: pair by pair the length stays.",
                    "So content is not made larger or smaller by its position."}},
      draw);
}

void add_turn(Sheet& sheet, const Turn& turn) {
  Draw draw = sheet.draw("turn");
  const double p = draw.real(1, 9);
  const Pair x = draw_pair(draw), out = turn(x, p);
  const std::string angle = text::number_text(p), a = in_formula(x[0]), b = in_formula(x[1]);
  const char *first = turn.negative ? " cos + " : " cos - ", *minus = turn.negative ? "-" : "";
  sheet.add({.level = Level::medium,
             .text = "A pair of a query, of frequency 1, is " + pair_text(x) + " and the query stands at position " +
                     angle + "." + turn.told() + " What is the pair after the rotation? Two numbers to five decimals.",
             .hint = turn.negative ? "(a, b) becomes (a cos + b sin, -a sin + b cos). Radians."
                                   : "(a, b) becomes (a cos - b sin, a sin + b cos). Radians.",
             .values = {out[0], out[1]},
             .decimals = 5,
             .solution = {"cos " + angle + " = " + decimals_text(std::cos(p), 5) + ", sin " + angle + " = " +
                              decimals_text(std::sin(p), 5),
                          a + first + b + " sin = " + decimals_text(out[0], 5),
                          minus + a + " sin + " + b + " cos = " + decimals_text(out[1], 5)}});
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
  sheet.add({.level = Level::medium,
             .text = "One pair of frequency 1: the query is " + pair_text(q) + " at position " + text::number_text(p) +
                     ", the key " + pair_text(k) + " at position " + text::number_text(p + d) + "." + turn.told() +
                     " What is the dot product after both are turned? To five decimals. You may use a shorter way.",
             .hint = "Only the distance counts: leave the query as it is and turn the key by " + angle + ".",
             .values = {score(p)},
             .decimals = 5,
             .solution = {"the key turned by " + angle + " is " + pair_decimals(turn(k, d)),
                          "its dot product with " + pair_text(q) + " is " + decimals_text(score(p), 5),
                          "at " + text::number_text(elsewhere) + " and " + text::number_text(elsewhere + d) +
                              " it is " + decimals_text(score(elsewhere), 5) + " too"}});
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
  sheet.add({.level = Level::medium,
             .text = head + ", with base " + text::number_text(same.base) + ". How many positions does pair " +
                     text_of(i) + " (counted from 0) need for one turn? To two decimals.",
             .hint = "Its frequency is base^(-2i/" + text_of(width) + ") radians per position.",
             .values = {length},
             .decimals = 2,
             .solution = {"2 pi " + text::number_text(same.base) + "^(" + text_of(2 * i) + "/" + text_of(width) +
                              ") = " + decimals_text(length, 2),
                          "Pairs whose turn is longer than the training texts never saw all their angles."}});
}

// R(p) is the rotation by +p in every text, so layouts do not matter here.
void add_product(Sheet& sheet) {
  Draw draw = sheet.draw("product");
  const Turn turn{Rotary{}};
  const double a = draw.real(2, 40), b = a + draw.real(1, 6);
  const Pair first = turn({1.0, 0.0}, b - a), second = turn({0.0, 1.0}, b - a);
  const std::vector<double> matrix = {first[0], second[0], first[1], second[1]};
  const std::string d = text::number_text(b - a);
  sheet.add({.level = Level::hard,
             .text = "R(p) = [ cos p  -sin p ; sin p  cos p ] is the rotation of a pair of frequency 1. Compute R(" +
                     text::number_text(a) + ")^T R(" + text::number_text(b) +
                     "), its four numbers row by row to five decimals, and say why a score needs it.",
             .hint = "The transpose of a rotation turns back.",
             .values = matrix,
             .decimals = 5,
             .solution = {
                 "R(a)^T = R(-a), and rotations add: R(-" + text::number_text(a) + ") R(" + text::number_text(b) +
                     ") = R(" + d + ")",
                 "[ cos " + d + "  -sin " + d + " ; sin " + d + "  cos " + d + " ] = [ " + list_text(matrix, 5) + " ]",
                 "(R(a) q) . (R(b) k) = q . R(a)^T R(b) k = q . R(b - a) k: the score depends on the distance."}});
}

}  // namespace

void add_questions(Sheet& sheet, const Rotary& spec) {
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
