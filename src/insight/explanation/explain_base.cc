#include "insight/explanation/explain_base.h"

#include <cmath>
#include <cstddef>

#include "insight/explanation/explain_text.h"
#include "posenc/insight/analysis.h"

namespace posenc::explanation {
namespace {

std::string turns_text(double wavelength) {
  return std::isfinite(wavelength) ? "one turn in " + readable(wavelength) + " positions" : "no rotation";
}

// The share of its size that the dot product of two rows, or the score of two equal vectors, keeps at a distance.
double mean_cosine(const std::vector<double>& inv_freq, double distance) {
  double sum = 0.0;
  for (const double frequency : inv_freq) sum += std::cos(distance * frequency);
  return sum / static_cast<double>(inv_freq.size());
}

std::string pair_line(std::size_t i, double own, double usual, const std::string& usual_name) {
  std::string line = "i = " + padded(std::to_string(i), 4) + " " + turns_text(own);
  if (std::fabs(own - usual) <= 1e-9 * usual) return line + ", as " + usual_name;
  line += "; " + usual_name + " " + turns_text(usual);
  if (!std::isfinite(own) || !std::isfinite(usual)) return line;
  const double ratio = own < usual ? usual / own : own / usual;
  return line + ": " + text::general_text(ratio, 4) + " times " + (own < usual ? "faster" : "slower") + " here";
}

}  // namespace

Step compare_bases(const BaseComparison& bases) {
  Step step{"base", bases.title, {}, wavelengths(bases.own)};
  const std::vector<double> usual = wavelengths(bases.usual);
  const std::size_t pairs = bases.own.size();
  for (std::size_t i = 0; i < pairs; ++i) {
    if (i > 1 && i != pairs / 2 && i + 1 != pairs) continue;
    step.lines.push_back(pair_line(i, step.values[i], usual[i], bases.usual_name));
  }
  const double own_last = step.values.back(), usual_last = usual.back();
  if (!std::isfinite(own_last)) {
    step.lines.emplace_back("The last pair has the same value at every position.");
  } else if (own_last < usual_last) {
    step.lines.push_back("Slow pairs get faster: distant positions differ more, but after " + readable(own_last) +
                         " positions even the slowest pair");
    step.lines.emplace_back("has completed a turn, so rows begin to look alike again sooner.");
  } else if (own_last > usual_last) {
    step.lines.push_back("Slow pairs get slower: the last one needs " + readable(own_last) +
                         " positions for a turn, so it distinguishes positions over a longer");
    step.lines.emplace_back("range, and changes less from one position to the next.");
  }
  for (const double distance : {1.0, 10.0, 100.0}) {
    step.lines.push_back("mean cosine of all pairs at distance " + padded(text::number_text(distance), 4) +
                         five_decimals(mean_cosine(bases.own, distance)) + "; " + bases.usual_name + " " +
                         five_decimals(mean_cosine(bases.usual, distance)));
  }
  step.lines.emplace_back(
      "(1 at distance 0: the share of its size that a dot product of equal vectors keeps at that distance)");
  return step;
}

}  // namespace posenc::explanation
