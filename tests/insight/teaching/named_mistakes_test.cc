// The mistakes that people make by hand in the sheets of seed 0, of every kind: posenc exercises SPEC prints the
// questions.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "insight/teaching/question_text.h"
#include "posenc/insight/exercises.h"
#include "posenc/spec.h"

namespace posenc::named_mistakes_test {
namespace {

using question_text::has;

void expect(const char* spec, const char* part, const std::string& answer, const char* named) {
  const Question question = question_text::find(make_exercises(parse_spec(spec), 0), part);
  const std::string note = grade({question}, {{question.id, answer}}).marks.at(0).note;
  EXPECT_TRUE(has(note, named)) << question.text << "\nanswer " << answer << "\nnote: " << note;
}

std::string digits(double value) { return question_text::answer_text({value}, 6); }

TEST(NamedMistakes, OfSinusoidalRows) {
  const char* spec = "sinusoidal:width=8";
  expect(spec, "Compute PE(6)", "-0.27942, 0.82534, 0.05996, 0.99998", "number of the channel for i; i counts pairs");
  expect(spec, "Compute PE(6)", "0.94715, -0.3208, 0.1886, 0.98205", "the exponent has 2i + 1; it is 2i");
  expect(spec, "Compute PE(6)", "-0.27942, 0.56464, 0.96017, 0.82534", "sines come first");
  expect(spec, "Compute PE(6)", "-0.27942, 0.56464, 0.05996, 0.00600", "sines come first");
  expect(spec, "first 6 of its 8", "sin 2, sin(2/10), sin(2/100), cos 2, cos(2/10), cos(2/100)", "sines come first");
  expect("sinusoidal:width=6", "all 6 numbers", "sin 2, cos 2, sin(2/10000^2/6), cos(2/10000^2/6), sin(2/10000^4/6), 1",
         "values 3 to 6: the exponent needs parentheses: 10000^(2/6), not 10000^2/6");
  expect(spec, "derivative", "0.65699, 0.75390, 0.64422, 0.76484", "this is the row, not its derivative");
  expect(spec, "derivative", "0.65699, -0.75390, 0.06442, -0.07648", "the derivative of a sine has a cosine");
  expect(spec, "its four numbers row by row", "0.41212, -0.91113, 0.91113, 0.41212", "the cosines are on the diagonal");
  expect("sinusoidal:width=8,order=cos_halves", "Compute PE(6)", "-0.27942, 0.56464, 0.05996, 0.00600",
         "the cosine comes first");
  expect("transformer_xl:heads=4,head_dim=8,width=8", "sinusoidal row of the distance",
         "0.41212, -0.91113, 0.78333, 0.62161, 0.08988, 0.99595, 0.00900, 0.99996", "each has its own half");
}

TEST(NamedMistakes, OfRotations) {
  const char* spec = "rotary:head_dim=8";
  // Worked out with cosines and sines of five decimals, so that the last digit is off by one.
  expect(spec, "pair after the rotation", "-1.21707, -2.91869", "rotates the other way");
  expect(spec, "pair after the rotation", "2.91869, -1.21706",
         "sine and cosine are swapped; (a, b) becomes (a cos - b sin, a sin + b cos)");
  expect(spec, "pair after the rotation", "2.72487, -1.60473", "rounded too early");
  expect(spec, "for one full turn", "62831.85", "this is 2 pi base");
  expect(spec, "for one full turn", digits(2 * 3.14159265358979 / 100), "2 pi times the frequency");
}

TEST(NamedMistakes, OfBiases) {
  const char* alibi = "alibi:heads=4";
  expect(alibi, "slope of head 4", "0.25", "slope of the first head");
  expect(alibi, "slope of head 4", digits(std::exp2(-4)), "the exponent is h; it is 8h divided");
  const char* kerple = "kerple:heads=4";  // p = 1, a = 0.3
  expect(kerple, "query at 8", digits(-0.3 * std::log1p(6)), "swapped");
  expect(kerple, "fallen to -1", digits(std::exp(1) / 0.3), "1 was not subtracted");
  expect(kerple, "fallen to -1", digits(9 / 0.3), "base 10");
  expect("kerple:heads=1,kernel=power", "query at 8", digits(-std::pow(6, 0.3)), "swapped");
  expect("kerple:heads=1,kernel=power", "fallen to -1", digits(0.3), "multiplied by a; it is divided");
  const char* sandwich = "sandwich:heads=4,width=8";
  expect(sandwich, "which bias does", digits(-0.292119 + 2), "was not subtracted");
  expect(sandwich, "which bias does", digits(-0.292119 / 2), "head 2");
  const char* fire = "fire:heads=4";  // c = 0.6, L = 512, i = 17, j = 6
  expect(fire, "What is x?", digits(11.0 / 512), "logarithms were left out");
  expect(fire, "What is x?", digits(std::log1p(6.6) / std::log1p(10.2)), "the larger of i and L");
  expect(fire, "bias at x", digits(-0.8 * (0.9 * 0.54) + 0.9), "bias of the first layer");
  expect(fire, "learned numbers", "196", "c and the factor of L");
  expect("clipped:heads=4,max_distance=4", "A relative bias is", digits(std::exp(3) / (std::exp(3) + std::exp(-3))),
         "only one other key");
  expect("matrix:heads=4", "How many numbers", "144", "one head");
  expect("matrix:heads=4", "different numbers", "24", "offset 0 occurs only once");
}

TEST(NamedMistakes, OfTerms) {
  const char* shaw = "shaw:head_dim=8,left=2,right=2";
  expect(shaw, "How many vectors", "4", "offset 0");
  expect(shaw, "Which row", "0", "other sign");
  expect(shaw, "Which row", "11", "not clipped");
  expect(shaw, "q . (k + r)", "4", "q.r was left out");
  expect(shaw, "Which weights", digits(std::exp(2.8) / (1 + std::exp(2.8))) + ", " + digits(1 / (1 + std::exp(2.8))),
         "not divided by sqrt(2)");
  expect(shaw, "How many learned", "5", "number of rows");
  const char* xl = "transformer_xl:heads=4,head_dim=8,width=8";
  expect(xl, "Which distance", "-5", "memory comes before");
  expect(xl, "Which distance", "37", "i - j");
  expect(xl, "(q + u).k", "14", "u and v were left out");
  expect(xl, "How many learned", "256", "u and v were not counted");
}

TEST(NamedMistakes, OfQueries) {
  const char* pope = "pope:head_dim=8";
  expect(pope, "magnitude does softplus", "1.7", "1 + was left out");
  expect(pope, "magnitude does softplus", digits(std::log1p(std::exp(-1.7))), "sign of x");
  expect(pope, "How many channels", "8", "becomes a pair");
  expect(pope, "at distance 2", digits(0.480453 * (std::sin(2) + std::sin(0.2))), "the score is a sum of cosines");
  expect(pope, "at distance 2", digits(std::cos(2) + std::cos(0.2)), "magnitudes were left out");
  const char* xpos = "xpos:head_dim=8";
  expect(xpos, "What is zeta", "0.4", "denominator");
  expect(xpos, "to their score", digits(1.4 / 0.4), "the other sign");
  expect(xpos, "center at position", "0", "power 0 is 1");
  const char* temperature = "temperature";
  expect(temperature, "at position 4939", digits(1 + 0.1 * std::log(5.939)), "the floor was left out");
  expect(temperature, "at position 4939", digits(1 + 0.1 * std::log(4)), "1 + was left out");
  expect(temperature, "first position", "8192", "one too many");
  expect(temperature, "softmax give the first key", "0.66524", "the factor was left out");
}

TEST(NamedMistakes, OfMasksAndOrders) {
  expect("window:left=2,right=0", "How many keys", "2", "the query itself");
  expect("window:left=2,right=0", "how many pairs", "54", "fewer keys");
  expect("window:left=2,right=0", "such layers", "30", "not a step");
  expect("chunked:size=2", "In which chunk", "1", "place inside");
  expect("none", "How many sentences", "256", "used once");
  expect("concat:0.axis=0,0.width=4,1.axis=1,1.width=4", "How many rows", "370", "one row per patch");
}

}  // namespace
}  // namespace posenc::named_mistakes_test
