// What the makers of exercises share: numbers drawn from a seed, a sheet to put questions on, and numbers as text.
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

// Numbers of one question. Each question has a stream of its own, so that a new one leaves the others as they were.
class Draw {
 public:
  Draw(std::uint64_t seed, std::uint32_t stream) : seed_(seed), stream_(stream) {}

  std::int64_t between(std::int64_t low, std::int64_t high);  // both included
  double tenths(std::int64_t low, std::int64_t high) { return static_cast<double>(between(low, high)) / 10.0; }
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

// What goes into a place of a question: a text, a whole number, or a number in the fewest digits that say it.
struct PlaceText {
  std::string text;

  PlaceText(std::string words) : text(std::move(words)) {}          // NOLINT: places are written as a list of pairs
  PlaceText(const char* words) : text(words) {}                     // NOLINT
  PlaceText(std::int64_t number) : text(std::to_string(number)) {}  // NOLINT
  PlaceText(double number) : text(text::number_text(number)) {}     // NOLINT
};
using Places = std::vector<std::pair<const char*, PlaceText>>;

// The question "learned/lookup" of assets/questions/learned.json, its places filled; {{answer}} is the answer as the
// key has it.
Question stored_question(std::string_view name, const Places& places = {}, std::vector<double> answer = {});

class Sheet {
 public:
  Sheet(std::uint64_t seed, const ExerciseOptions& options) : seed_(seed), options_(options) {}

  const ExerciseOptions& options() const { return options_; }

  // `name` is the stream: its own for every question of a kind.
  Draw draw(std::string_view name) const;

  // What the texts of numbers and formulas added from now on end with: see plain_note.
  void set_note(std::string note) { note_ = std::move(note); }
  const std::string& note() const { return note_; }

  // The key of numeric questions is written from the values.
  void add(Question question);
  // Of a choice: the right one first; they are shuffled.
  void add_choice(Question question, Draw& draw);
  // Questions of assets/questions.
  void ask(std::string_view name, const Places& places = {}, std::vector<double> answer = {}) {
    add(stored_question(name, places, std::move(answer)));
  }
  void ask_choice(std::string_view name, Draw& draw, const Places& places = {}) {
    add_choice(stored_question(name, places), draw);
  }

  // By levels, with ids.
  std::vector<Question> questions() const;

 private:
  std::uint64_t seed_;
  ExerciseOptions options_;
  std::string note_;
  std::vector<Question> questions_;
};

// Without a minus before zeros.
std::string decimals_text(double value, int decimals);
std::string list_text(const std::vector<double>& values, int decimals);
// "(3)" for a negative number within a formula, else as it is.
std::string in_formula(double value);
inline std::string whole(double value) { return text::fixed_text(value, 0); }
inline std::string text_of(std::int64_t value) { return std::to_string(value); }
// "9, clipped to 4".
std::string clipped_text(std::int64_t offset, std::int64_t clipped);
// "0.2, 0.5": numbers as they are.
std::string plain_list(const std::vector<double>& values);

// " (The plain form: first and order have their defaults.)": names the fields that the spec gives and that questions do
// not respect. Empty where there are none.
std::string plain_note(const Spec& spec, std::initializer_list<std::string_view> respected);

// How many learned numbers a spec has: all its parameters that are not optional.
double parameter_count(const Spec& spec);

}  // namespace posenc::teaching
