// The result of checking a case before it is timed: throws if a number is outside its tolerance, and keeps the worst
// error.
//
//     Answers answers(name);
//     answers.expect(got, wanted, 1e-5, " token ", n, " channel ", c);   // "[bench] NAME token 3 channel 7 must be .."
//     return answers.text("64 rows");                                    // "64 rows within 3e-08 of the reference"
#pragma once

#include <cmath>
#include <sstream>
#include <string>
#include <utility>

#include "posenc/error.h"

namespace posenc::bench {

class Answers {
 public:
  explicit Answers(std::string name) : name_(std::move(name)) {}

  // Throws if `got` is not within the tolerance of `wanted` or is NaN; `place` says which number it is.
  template <class... Place>
  void expect(double got, double wanted, double tolerance, const Place&... place) {
    const double difference = std::abs(got - wanted);
    worst_ = std::fmax(worst_, difference);
    if (difference <= tolerance) return;
    std::ostringstream message;
    message << "[bench] " << name_;
    (message << ... << place) << " must be " << wanted << " but got " << got;
    fail(ErrorKind::bad_input, message.str());
  }

  std::string text(const std::string& what, const char* oracle = "the reference") const {
    std::ostringstream text;
    text.precision(3);
    text << what << " within " << worst_ << " of " << oracle;
    return text.str();
  }

 private:
  std::string name_;
  double worst_ = 0.0;
};

}  // namespace posenc::bench
