// Parts of properties that several kinds share: numbers as text, and verdicts with a tolerance.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text/number_text.h"
#include "posenc/insight/analysis.h"
#include "posenc/insight/check.h"
#include "posenc/models/encoding.h"
#include "posenc/view.h"

namespace posenc::properties {

std::string count_text(std::int64_t count);                                           // "6,291,456"
inline std::string short_text(double value) { return text::general_text(value, 4); }  // "1.472"
// "less than 1e-12" for rounding errors: their digits depend on the machine.
std::string residual_text(double value);
// Both numbers with four digits, or with as many as it takes to see that they differ.
std::pair<std::string, std::string> told_apart(double a, double b);
std::string several(std::int64_t count, std::string_view one, std::string_view many = {});  // "1 pair", "2 pairs"
std::string place_text(double position);                                                    // "17", "2.5"

// The number of positions, counted from 0, that an encoding has numbers for; none: no end.
std::optional<std::int64_t> limit_of(const Encoding& numbers);

// The factor of a scaling; 0 if it has none.
double factor_of(const Scaling& scaling);

// The tolerance for numbers of a type, for values around 1.
double tolerance_of(DType dtype);

// Throws unless an observed table contains floats.
void check_floats(const ConstView& table);
// Throws unless an observed table is [rows, width] of floats, one row per position; `columns` says what a column is.
void check_table(const ConstView& table, std::int64_t rows, std::int64_t width, std::string_view columns);
// Throws unless a number of a table is finite and small enough to be squared; `what` and `index` name it.
void check_measurable(double value, std::string_view what, std::int64_t index, double position, std::string_view where);

// Holds if found, is violated if promised but not found, and does not hold otherwise.
Verdict judge(bool promised, bool found);

// What to say instead of a property that compares positions if there are fewer than `least` of them.
Property needs_positions(Property property, std::int64_t least = 2);

// The first k where a curve exceeds its value at k - 1 by more than `room` and the tolerance of first_rise.
std::optional<std::int64_t> rise_beyond(std::span<const double> curve, double room);
// Sets the verdict to violated if observed numbers rise earlier than the encoding's own, or do not fall at the first
// step as those do.
void judge_fall(const std::vector<double>& observed, const std::vector<double>& promised, double room,
                Property& property);

// "posenc table SPEC --positions 0:100"; empty if learned numbers were drawn.
std::string command_of(const Encoding& numbers, std::string_view command, std::string_view options);

// The position up to which narrow types hold every whole position.
Property positions_held();
// Which pairs get angles past the trained length that never occurred in training.
Property unseen_angles(const std::vector<double>& inv_freq, std::int64_t train_length, const char* each = "pair");
// The same after a scaling: `trained` are the frequencies of training, `used` the scaled ones.
Property unseen_angles(const std::vector<double>& trained, const std::vector<double>& used, std::int64_t train_length,
                       const char* each = "pair");
// The bytes of a table of at most a million positions, and of the data that replaces it, including `learned` numbers;
// all in float32.
Property memory(const Spec& spec, std::int64_t positions, std::int64_t learned = 0);
Property parameters(std::int64_t count);
std::int64_t learned_count(const Encoding& numbers);  // for encodings inside attention
// Whether attention stays as sharp at four times the length.
Property entropy(const Encoding& numbers, const CheckOptions& options);

// The largest difference of observed from exact numbers, and the first one that exceeds a tolerance.
struct Mismatch {
  double largest = 0.0;
  bool found = false;
  double position = 0.0;
  std::int64_t channel = 0;
  double observed = 0.0, expected = 0.0;

  void compare(double seen, double exact, double tolerance, double at, std::int64_t in_channel);
};
Property matches(const Mismatch& mismatch, double tolerance, DType dtype, std::string_view channel_word = "channel");

}  // namespace posenc::properties
