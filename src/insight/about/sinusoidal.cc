// Sinusoidal encodings.
#include <cmath>

#include "core/spec/sinusoidal_pairs.h"
#include "insight/about/about.h"
#include "insight/properties/input_properties.h"
#include "insight/properties/precision_properties.h"
#include "insight/properties/shift_properties.h"

namespace posenc {
namespace about {
namespace {

bool cosine_first(Order order) { return order == Order::cos_interleaved || order == Order::cos_halves; }

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

KindFacts sinusoidal_facts(const Sinusoidal& spec) {
  return {.users =
              "the original Transformer (Vaswani et al., 2017), tensor2tensor and fairseq translation models, and the "
              "timesteps of diffusion models",
          .represents = "absolute places",
          .prefers = "near rows are alike; attention must learn to use it",
          .past_length =
              "It is defined at every position, but slow pairs reach angles that no trained position had: "
              "trained on 512 tokens, perplexity rose from 20.05 to 178.97 at 3512 (Press et al., 2022).",
          .order_of_terms = order_text(spec)};
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

KindFormula sinusoidal_formula(const Sinusoidal& spec) {
  const Formula p = "p", i = "i";
  const Formula counted = spec.frequency_scale * (p + spec.first);
  const Formula angle =
      spec.inv_freq.empty() ? counted / sinusoidal_denominator(spec, i) : counted * element("inv_freq", {i});
  const bool halves = spec.order == Order::halves || spec.order == Order::cos_halves;
  const Formula column = halves ? i : 2 * i;
  const bool swapped = cosine_first(spec.order);
  const auto line = [&](const Formula& at, bool sine) {
    return equation(call("PE", {p, at}), spec.multiplier * call(sine ? "sin" : "cos", {angle}));
  };
  return {.lines = {line(column, !swapped), line(column + (halves ? spec::pairs_of(spec) : 1), swapped)}};
}

Cost sinusoidal_cost(const Sinusoidal& spec, const CostQuestion& of) {
  return {product({of.positions, spec.width, of.size}), kStreamBytes * spec.width, 0, static_cast<double>(spec.width)};
}

}  // namespace
}  // namespace about

properties::Formula properties::sinusoidal_denominator(const Sinusoidal& spec, const Formula& i) {
  const std::int64_t pairs = spec::pairs_of(spec);
  const bool half = spec.spacing == Spacing::half;
  double below = static_cast<double>(spec.width + (spec.spacing == Spacing::even_width ? spec.width % 2 : 0));
  // A single pair has exponent 0 whatever it is divided by: pairs - shift may be 0 there.
  if (half) below = pairs <= 1 ? 1.0 : static_cast<double>(pairs) - spec.shift;
  const Formula exponent((half ? 1.0 : 2.0) * spec.exponent_factor);
  return power(spec.base, Formula(Formula::Form::quotient, "", {exponent * i, below}));
}

constinit const properties::KindPage Sinusoidal::page = {
    .facts = spec::of_kind<about::sinusoidal_facts>,
    .formula = spec::of_kind<about::sinusoidal_formula>,
    .properties = about::sinusoidal_properties,
    .figures =
        "heatmap cells waves wavelengths clocks similarity distance shift mixing angle same_word parts attention "
        "precision",
    .cost = spec::of_kind<about::sinusoidal_cost>,
    .explain = spec::of_kind<explanation::explain_sinusoidal>,
    .questions = spec::of_kind<teaching::sinusoidal_questions>};

}  // namespace posenc
