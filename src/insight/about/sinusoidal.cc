// Sinusoidal encodings.
#include <cmath>
#include <numbers>

#include "core/spec/sinusoidal_pairs.h"
#include "insight/about/about.h"
#include "insight/properties/input_properties.h"
#include "insight/properties/precision_properties.h"
#include "insight/properties/shift_properties.h"
#include "insight/properties/sinusoidal_rows.h"

namespace posenc {
namespace about {
namespace {

std::string order_text(const Sinusoidal& spec) {
  if (in_halves(spec.order)) {
    return std::string(cosine_first(spec.order) ? "Cosines" : "Sines") +
           " fill the first half of a row, the others the second half; the paper alternates them. Trained embeddings "
           "only work with the order that they were trained with.";
  }
  return std::string(cosine_first(spec.order) ? "Cosine and sine alternate, the cosine first"
                                              : "Sine and cosine alternate, as in the paper") +
         "; tensor2tensor and its ports put all sines before all cosines.";
}

KindFacts sinusoidal_facts(const Sinusoidal& spec) {
  return {.users =
              "the original Transformer (Vaswani et al., 2017), tensor2tensor and fairseq translation models, and the "
              "timesteps of diffusion models",
          .represents = "absolute positions",
          .prefers = "near positions have similar rows, which attention must learn to use",
          .past_length =
              "It is defined at every position, but slow pairs reach angles that never occurred in training: "
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
  list.push_back(mixing_property(look, 1.0));
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
  return {.lines = pair_equations(spec.order, spec::pairs_of(spec), "i", spec.multiplier, angle)};
}

bool is_plain(const Sinusoidal& spec) {
  return spec.inv_freq.empty() && spec.spacing == Spacing::width && spec.exponent_factor == 1.0 &&
         spec.frequency_scale == 1.0 && spec.width % 2 == 0;
}

void add_wavelength_mistakes(const Sinusoidal& spec, const SinusoidalSchedule& schedule,
                             std::vector<std::string>& list) {
  const std::int64_t pairs = spec::pairs_of(spec);
  if (is_plain(spec) && pairs > 1) {
    const std::string base = text::number_text(spec.base);
    list.push_back("i runs from 0 to M/2 - 1 = " + std::to_string(pairs - 1) +
                   ", not to M/2 = " + std::to_string(pairs) + " (M is the width).");
    list.push_back("The longest wavelength is 2 pi " + base +
                   "^(1 - 2/M) = " + readable(wavelengths(schedule.inv_freq).back()) + ", not 2 pi " + base + " = " +
                   readable(2.0 * std::numbers::pi * spec.base) + ".");
  }
  const std::optional<std::int64_t> pair = pair_at(schedule.sine, 10);
  if (!pair) return;
  const double turns = 10.0 * std::fabs(schedule.inv_freq[static_cast<std::size_t>(*pair)]) / (2.0 * std::numbers::pi);
  if (turns < 0.1) return;
  list.push_back("Dimension 10 does not change \"very slowly\": from position 0 to 10 it completes " +
                 text::general_text(turns, 2) + (turns < 1.0 ? " of a turn." : " turns."));
}

// Adds mistakes about dot products, for rows of usual width whose dot product depends on the distance only.
void add_product_mistakes(const Sinusoidal& spec, const SinusoidalSchedule& schedule, std::vector<std::string>& list) {
  constexpr std::int64_t kWidest = 4096, kFarthest = 65;
  if (!has_partners(schedule) || spec.width > kWidest || spec.width < 2) return;
  if (const std::optional<std::int64_t> rise = rise_beyond(distance_curve(schedule, kFarthest), 0.0)) {
    list.push_back(
        "The dot product of two rows does not simply fall with their distance: here it first rises at "
        "distance " +
        std::to_string(*rise) + ".");
  }
  if (spec.multiplier != 1.0 || spec.zero_position) return;
  const auto width = static_cast<double>(2 * schedule.inv_freq.size());
  const std::string norm = short_text(std::sqrt(0.5 * width));
  list.push_back("A row adds the variance 1/2 per channel, not 1: every row has the norm sqrt(M/2) = " + norm + ".");
  list.push_back(
      "Multiplying embeddings by sqrt(M) fits embeddings that begin with standard deviation 1/sqrt(M). With 1 "
      "instead they get norm " +
      short_text(width) + ", beside " + norm + " for a row.");
}

std::vector<std::string> sinusoidal_mistakes(const Sinusoidal& spec) {
  const SinusoidalSchedule schedule = make_schedule(spec);
  std::vector<std::string> list;
  add_wavelength_mistakes(spec, schedule, list);
  add_product_mistakes(spec, schedule, list);
  list.emplace_back(
      "Defined at every position does not mean useful there: trained on 512 tokens, perplexity rose from "
      "20.05 to 178.97 at 3512 (Press et al., 2022).");
  return list;
}

Cost sinusoidal_cost(const Sinusoidal& spec, const CostQuestion& of) {
  return {product({of.positions, spec.width, of.size}), kStreamBytes * spec.width, 0, static_cast<double>(spec.width)};
}

}  // namespace
}  // namespace about

std::vector<properties::Formula> properties::pair_equations(Order order, std::int64_t pairs, const char* index,
                                                            const Formula& value_factor, const Formula& angle) {
  const Formula column = in_halves(order) ? Formula(index) : 2 * Formula(index);
  const auto line = [&](const Formula& at, bool sine) {
    return equation(call("PE", {"p", at}), value_factor * call(sine ? "sin" : "cos", {angle}));
  };
  const bool swapped = cosine_first(order);
  return {line(column, !swapped), line(column + (in_halves(order) ? pairs : 1), swapped)};
}

properties::Formula properties::sinusoidal_denominator(const Sinusoidal& spec, const Formula& i) {
  const std::int64_t pairs = spec::pairs_of(spec);
  const bool half = spec.spacing == Spacing::half;
  double below = static_cast<double>(spec.width + (spec.spacing == Spacing::even_width ? spec.width % 2 : 0));
  // A single pair has exponent 0 with any divisor, so use 1: pairs - shift may be 0.
  if (half) below = pairs <= 1 ? 1.0 : static_cast<double>(pairs) - spec.shift;
  const Formula exponent((half ? 1.0 : 2.0) * spec.exponent_factor);
  return power(spec.base, Formula(Formula::Form::quotient, "", {exponent * i, below}));
}

constinit const properties::KindPage Sinusoidal::page = {
    .facts = spec::of_kind<about::sinusoidal_facts>,
    .formula = spec::of_kind<about::sinusoidal_formula>,
    .properties = about::sinusoidal_properties,
    .figures =
        "heatmap cells waves wavelengths bases clocks similarity distance shift mixing angle same_word parts attention "
        "precision",
    .cost = spec::of_kind<about::sinusoidal_cost>,
    .explain = spec::of_kind<explanation::explain_sinusoidal>,
    .mistakes = spec::of_kind<about::sinusoidal_mistakes>,
    .questions = spec::of_kind<teaching::sinusoidal_questions>};

}  // namespace posenc
