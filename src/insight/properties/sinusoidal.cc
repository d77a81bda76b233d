#include <cmath>
#include <cstdlib>

#include "core/spec/sinusoidal_pairs.h"
#include "insight/properties/input_properties.h"
#include "insight/properties/kinds.h"
#include "insight/properties/mathml.h"
#include "insight/properties/precision_properties.h"
#include "insight/properties/property.h"
#include "insight/properties/shift_properties.h"

namespace posenc::properties {
namespace {

// The exponent of pair i as text: "2i/64".
struct Exponent {
  double factor = 2.0;
  double below = 1.0;

  std::string above() const { return factor == 1.0 ? "i" : text::number_text(factor) + "i"; }
};

Exponent exponent_of(const Sinusoidal& spec) {
  const bool half = spec.spacing == Spacing::half;
  const double factor = (half ? 1.0 : 2.0) * spec.exponent_factor;
  Exponent exponent{factor, static_cast<double>(spec.width)};
  if (spec.spacing == Spacing::even_width) exponent.below += static_cast<double>(spec.width % 2);
  if (half) exponent.below = static_cast<double>(spec::pairs_of(spec)) - spec.shift;
  return exponent;
}

std::string counted_text(const Sinusoidal& spec) {
  if (spec.first == 0) return "p";
  return spec.first > 0 ? "(p + " + std::to_string(spec.first) + ")" : "(p - " + std::to_string(-spec.first) + ")";
}

std::string scale_text(double scale) { return scale == 1.0 ? "" : text::number_text(scale) + " "; }

std::string angle_text(const Sinusoidal& spec) {
  const std::string counted = scale_text(spec.frequency_scale) + counted_text(spec);
  if (!spec.inv_freq.empty()) return counted + " inv_freq[i]";
  const Exponent exponent = exponent_of(spec);
  return counted + " / " + text::number_text(spec.base) + "^(" + exponent.above() + "/" +
         text::number_text(exponent.below) + ")";
}

std::string angle_mathml(const Sinusoidal& spec) {
  const std::string scale = spec.frequency_scale == 1.0 ? "" : mn(spec.frequency_scale);
  const std::string counted =
      spec.first == 0 ? mi("p")
                      : mrow(mo("("), mi("p"), mo(spec.first > 0 ? "+" : "-"), mn(std::abs(spec.first)), mo(")"));
  if (!spec.inv_freq.empty()) return mrow(scale, counted, msub(mi("\xcf\x89"), mi("i")));
  const Exponent exponent = exponent_of(spec);
  const std::string above = exponent.factor == 1.0 ? mi("i") : mrow(mn(exponent.factor), mi("i"));
  return mfrac(mrow(scale, counted), msup(mn(spec.base), mrow(above, mo("/"), mn(exponent.below))));
}

bool cosine_first(Order order) { return order == Order::cos_interleaved || order == Order::cos_halves; }

std::pair<std::string, std::string> columns_of(const Sinusoidal& spec) {
  if (spec.order == Order::halves || spec.order == Order::cos_halves) {
    return {"i", "i+" + std::to_string(spec::pairs_of(spec))};
  }
  return {"2i", "2i+1"};
}

std::string column_mathml(const Sinusoidal& spec, bool second) {
  const bool halves = spec.order == Order::halves || spec.order == Order::cos_halves;
  const std::string first = halves ? mi("i") : mrow(mn(std::int64_t{2}), mi("i"));
  return second ? mrow(first, mo("+"), mn(halves ? spec::pairs_of(spec) : std::int64_t{1})) : first;
}

std::string equation_mathml(const std::string& column, const char* function, const Sinusoidal& spec) {
  const std::string multiplier = spec.multiplier == 1.0 ? "" : mn(spec.multiplier);
  return mrow(mcall(mi("PE"), mi("p"), mo(","), column), mo("="), multiplier, mcall(mi(function), angle_mathml(spec)));
}

std::string order_text(const Sinusoidal& spec) {
  if (spec.order == Order::halves || spec.order == Order::cos_halves) {
    return std::string(cosine_first(spec.order) ? "Cosines" : "Sines") +
           " fill the first half of a row and the others the second; the paper alternates them. A sum with trained "
           "embeddings does not survive the wrong order.";
  }
  return std::string(cosine_first(spec.order) ? "Cosine and sine alternate, the cosine first"
                                              : "Sine and cosine alternate, as in the paper") +
         "; tensor2tensor and its ports have all sines before all cosines. i runs to " +
         std::to_string(spec::pairs_of(spec) - 1) + ".";
}

KindFacts sinusoidal_facts(const Spec& any) {
  const auto& spec = std::get<Sinusoidal>(any);
  const auto [first, second] = columns_of(spec);
  const bool swapped = cosine_first(spec.order);
  const std::string angle = scale_text(spec.multiplier);
  const std::string head = angle + (swapped ? "cos(" : "sin("), tail = angle + (swapped ? "sin(" : "cos(");
  KindFacts facts;
  facts.formula = "PE(p, " + first + ") = " + head + angle_text(spec) + "), PE(p, " + second + ") = " + tail +
                  angle_text(spec) + ")";
  facts.formula_mathml = math(equation_mathml(column_mathml(spec, false), swapped ? "cos" : "sin", spec), mo(","),
                              equation_mathml(column_mathml(spec, true), swapped ? "sin" : "cos", spec));
  facts.users =
      "the original Transformer (Vaswani et al., 2017), tensor2tensor and fairseq translation models, and the "
      "timesteps of diffusion models";
  facts.represents = "absolute places";
  facts.prefers = "near rows are alike; attention must learn to use it";
  facts.past_length =
      "It is defined at every position, but slow pairs reach angles that no trained position had: "
      "trained on 512 tokens, perplexity rose from 20.05 to 178.97 at 3512 (Press et al., 2022).";
  facts.order_of_terms = order_text(spec);
  return facts;
}

std::vector<Property> sinusoidal_properties(const Encoding& numbers, const CheckOptions& options) {
  const auto& spec = std::get<Sinusoidal>(numbers.spec());
  const InputLook look = look_at(numbers, options);
  std::vector<Property> list;
  if (look.observed) list.push_back(matching_rows(look, numbers));
  list.push_back(bounded(look, numbers, std::fabs(spec.multiplier)));
  list.push_back(unique_rows(look, numbers));
  if (!look.observed) list.push_back(positions_held());
  for (Property& property : shift_properties(look, numbers)) list.push_back(std::move(property));
  if (!look.observed) list.push_back(unseen_angles(numbers.sinusoidal()->inv_freq, options.train_length));
  list.push_back(mixing_property(look, 1.0, options.seed));
  if (look.observed) return list;
  for (Property& property : precision_properties(*numbers.sinusoidal())) list.push_back(std::move(property));
  list.push_back(parameters(0));
  list.push_back(memory(spec, std::max<std::int64_t>(options.positions.count, 1)));
  return list;
}

}  // namespace

const KindInsight& kind_insight(const Sinusoidal&) {
  static const KindInsight insight{sinusoidal_facts,
                                   sinusoidal_properties,
                                   {"heatmap", "cells", "waves", "wavelengths", "clocks", "similarity", "distance",
                                    "shift", "mixing", "angle", "same_word", "parts", "attention", "precision"}};
  return insight;
}

}  // namespace posenc::properties
