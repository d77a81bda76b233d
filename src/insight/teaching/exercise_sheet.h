// Parts of all exercises: random numbers from a seed, a sheet that collects questions, and numbers as text.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "insight/explanation/explain_text.h"
#include "posenc/insight/exercises.h"
#include "posenc/spec.h"

namespace posenc::teaching {

// The random numbers of one question. Each question has its own stream, so adding a question does not change the
// others.
class Draw {
 public:
  Draw(std::uint64_t seed, std::uint32_t stream) : seed_(seed), stream_(stream) {}

  std::int64_t between(std::int64_t low, std::int64_t high);  // both included
  double tenths(std::int64_t low, std::int64_t high) { return static_cast<double>(between(low, high)) / 10.0; }
  // Not `than`, which is between low and high.
  double other(std::int64_t low, std::int64_t high, double than) {
    const double drawn = real(low, high - 1);
    return drawn < than ? drawn : drawn + 1.0;
  }
  double real(std::int64_t low, std::int64_t high) { return static_cast<double>(between(low, high)); }
  template <class T>
  T pick(std::initializer_list<T> list) {
    return list.begin()[between(0, static_cast<std::int64_t>(list.size()) - 1)];
  }

 private:
  std::uint64_t seed_;
  std::uint32_t stream_;
  std::uint32_t count_ = 0;
};

// A value for a place in a question: a text, a whole number, or a number with as few digits as it needs.
struct PlaceText {
  std::string text;

  PlaceText(std::string words) : text(std::move(words)) {}          // NOLINT: places are written as a list of pairs
  PlaceText(const char* words) : text(words) {}                     // NOLINT
  PlaceText(std::int64_t number) : text(std::to_string(number)) {}  // NOLINT
  PlaceText(double number) : text(text::number_text(number)) {}     // NOLINT
};
using Places = std::vector<std::pair<const char*, PlaceText>>;

// The question "learned/lookup" is in assets/questions/learned.json. Fills its places; {{answer}} is the answer as it
// is printed.
Question stored_question(std::string_view name, const Places& places = {}, std::vector<double> answer = {});

class Sheet {
 public:
  Sheet(std::uint64_t seed, const ExerciseOptions& options) : seed_(seed), options_(options) {}

  const ExerciseOptions& options() const { return options_; }

  // `name` is the stream; every question of a kind has its own.
  Draw draw(std::string_view name) const;

  // The fields of the spec that differ from their defaults and that questions do not respect, for the top of the sheet.
  void leave_out(const Spec& spec, std::initializer_list<std::string_view> respected);
  // Another sentence for the top of the sheet.
  void remark(std::string sentence) { sentences_.push_back(std::move(sentence)); }
  std::string remarks() const;

  // Adds a question. The printed answer of a numeric question is made from its values.
  void add(Question question);
  // The first choice is the right one; they are shuffled.
  void add_choice(Question question, Draw& draw);
  // Questions of assets/questions.
  void ask(std::string_view name, const Places& places = {}, std::vector<double> answer = {},
           std::vector<Mistake> mistakes = {}) {
    Question question = stored_question(name, places, std::move(answer));
    question.mistakes = std::move(mistakes);
    add(std::move(question));
  }
  void ask_choice(std::string_view name, Draw& draw, const Places& places = {}) {
    add_choice(stored_question(name, places), draw);
  }

  // The questions, sorted by level, with ids.
  std::vector<Question> questions() const;

 private:
  std::uint64_t seed_;
  ExerciseOptions options_;
  std::vector<std::string> left_out_;
  std::vector<std::string> sentences_;
  std::vector<Question> questions_;
};

// -0.00 is printed as 0.00.
std::string decimals_text(double value, int decimals);
std::string list_text(const std::vector<double>& values, int decimals);
// Negative numbers in parentheses: "(-3)".
std::string in_formula(double value);
inline std::string whole(double value) { return text::fixed_text(value, 0); }
inline std::string text_of(std::int64_t value) { return std::to_string(value); }
// "9, clipped to 4".
std::string clipped_text(std::int64_t offset, std::int64_t clipped);
// "0.2, 0.5": with as many digits as each number needs.
std::string plain_list(const std::vector<double>& values);

// The number of learned numbers in all parameters that are not optional.
double parameter_count(const Spec& spec);

}  // namespace posenc::teaching
