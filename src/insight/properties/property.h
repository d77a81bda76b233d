// Parts of properties that several kinds share: words for numbers, and verdicts by a tolerance.
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
// Of what rounding leaves, "less than 1e-12": its digits depend on the machine.
std::string residual_text(double value);
// Four digits of each, or as many more as tell them apart.
std::pair<std::string, std::string> told_apart(double a, double b);
std::string several(std::int64_t count, std::string_view one, std::string_view many = {});  // "1 pair", "2 pairs"
std::string place_text(double position);                                                    // "17", "2.5"

// How many positions, counted from 0, an encoding has numbers for; none: no end.
std::optional<std::int64_t> limit_of(const Encoding& numbers);

// The factor of a scaling that has one; 0: none.
double factor_of(const Scaling& scaling);

// What the numbers of a type can be asked for, of values around 1.
double tolerance_of(DType dtype);

// Throws unless an observed table has floats.
void check_floats(const ConstView& table);

// Holds where promised and found, does not hold where neither, and is violated where promised and not found.
Verdict judge(bool promised, bool found);

// The first k where a curve is above its value at k - 1 by more than some room, and by more than first_rise asks for.
std::optional<std::int64_t> rise_beyond(std::span<const double> curve, double room);
// Observed numbers that rise where the encoding's own fall, or do not fall at their first step as those do, are
// violated.
void judge_fall(const std::vector<double>& observed, const std::vector<double>& promised, double room,
                Property& property);

// "posenc table SPEC --positions 0:100"; empty where learned numbers were drawn.
std::string command_of(const Encoding& numbers, std::string_view command, std::string_view options);

// That whole positions stay apart in narrow types.
Property positions_held();
// Which pairs meet angles past the trained length that no trained position had.
Property unseen_angles(const std::vector<double>& inv_freq, std::int64_t train_length, const char* each = "pair");
// The same where a scaling has changed the frequencies since: each is what it was in training, `used` what it is now.
Property unseen_angles(const std::vector<double>& trained, const std::vector<double>& used, std::int64_t train_length,
                       const char* each = "pair");
// The bytes of a table, of a million positions at most, and of what its numbers are made from, so many learned ones
// with it: all in float32.
Property memory(const Spec& spec, std::int64_t positions, std::int64_t learned = 0);
Property parameters(std::int64_t count);
std::int64_t learned_count(const Encoding& numbers);  // of what acts inside attention
// That attention stays as sharp at four times the length.
Property entropy(const Encoding& numbers, const CheckOptions& options);

// The largest difference of numbers that claim to be others, and the first place where it is beyond a tolerance.
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
