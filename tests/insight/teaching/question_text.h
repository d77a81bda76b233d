// Reads the numbers in the texts of exercises, and works rows out again by plain arithmetic.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "posenc/insight/exercises.h"

namespace posenc::question_text {

using Values = std::vector<double>;

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Every number of a text in its order; digits of a word, as in T5, do not count.
inline Values numbers_of(const std::string& text) {
  Values numbers;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) continue;
    std::size_t used = 0;
    const bool word = i > 0 && (std::isalpha(static_cast<unsigned char>(text[i - 1])) != 0);
    const bool negative = i > 0 && text[i - 1] == '-';
    const double value = std::stod(text.substr(i), &used);
    if (!word) numbers.push_back(negative ? -value : value);
    i += used - 1;
  }
  return numbers;
}

inline Values numbers_after(const std::string& text, const std::string& part) {
  EXPECT_TRUE(has(text, part)) << part << " in " << text;
  return numbers_of(text.substr(std::min(text.size(), text.find(part) + part.size())));
}

inline Values sinusoidal_row(double p, double width, double base) {
  Values row;
  for (double i = 0; 2 * i < width; ++i) {
    const double angle = p / std::pow(base, 2 * i / width);
    row.push_back(std::sin(angle));
    row.push_back(std::cos(angle));
  }
  return row;
}

// The numbers of a row, given with sine and cosine in turn, in the order and with the multiplier that a question names.
inline Values as_written(const std::string& text, const Values& in_turn) {
  const std::size_t half = in_turn.size() / 2;
  const bool halves = has(text, "order=halves") || has(text, "order=cos_halves"), cosine = has(text, "order=cos_");
  const double factor = has(text, "(multiplier=") ? numbers_after(text, "(multiplier=")[0] : 1.0;
  Values row;
  for (std::size_t c = 0; c < in_turn.size(); ++c) {
    const std::size_t place = !halves ? c : c < half ? 2 * c : 2 * (c - half) + 1;
    row.push_back(factor * in_turn[cosine ? place ^ 1u : place]);
  }
  return row;
}
// What position 0 counts as.
inline double first_of(const std::string& text) {
  return has(text, "(first=") ? numbers_after(text, "(first=")[0] : 0.0;
}

// The channels that a question asks for: "all 4 numbers", "the first 4 of its 64", "the last 6 of its 64", "channels 4
// and 5", "channels 4 to 9". Without such words, all of `width`.
inline std::vector<int> channels_of(const std::string& text, int width) {
  int first = 0, end = width;
  if (has(text, "the first ")) end = static_cast<int>(numbers_after(text, "the first ")[0]);
  if (has(text, "the last ")) first = width - static_cast<int>(numbers_after(text, "the last ")[0]);
  if (has(text, "numbers of channels ")) {
    const Values both = numbers_after(text, "numbers of channels ");
    first = static_cast<int>(both[0]);
    end = static_cast<int>(both[1]) + 1;
  }
  std::vector<int> channels;
  for (int c = first; c < end; ++c) channels.push_back(c);
  return channels;
}

inline Values chosen(const Values& row, const std::vector<int>& channels) {
  Values result;
  for (const int c : channels) result.push_back(row[static_cast<std::size_t>(c)]);
  return result;
}

// With so many decimals; -1: all digits.
inline std::string answer_text(const Values& values, int decimals) {
  std::string text;
  for (const double value : values) {
    char number[64];
    if (decimals < 0) {
      std::snprintf(number, sizeof number, "%.17g", value);
    } else {
      std::snprintf(number, sizeof number, "%.*f", decimals, value);
    }
    text += (text.empty() ? "" : ", ") + std::string(number);
  }
  return text;
}

inline Question find(const std::vector<Question>& questions, const std::string& part) {
  for (const Question& question : questions) {
    if (has(question.text, part)) return question;
  }
  ADD_FAILURE() << "no question with: " << part;
  return {};
}

}  // namespace posenc::question_text
