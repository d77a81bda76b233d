// Reads the scaling of frequencies and computes YaRN's factor on cos and sin as llama.cpp does.
#include <array>
#include <cmath>

#include "core/text/nearest.h"
#include "core/text/number_text.h"
#include "models/gguf_numbers.h"
#include "posenc/scaling.h"

namespace posenc::models::gguf {
namespace {

constexpr std::array<std::string_view, 4> kTypes = {"none", "linear", "yarn", "longrope"};

Sourced<std::string> read_type(GgufKeys& keys) {
  const std::optional<std::string> given = keys.word("rope.scaling.type");
  if (!given) return {"linear", std::string(kLlamaDefault)};
  for (const std::string_view type : kTypes) {
    if (*given == type) return {*given, keys.full("rope.scaling.type")};
  }
  keys.refuse("rope.scaling.type", "expected none, linear, yarn or longrope but got '", *given, "'",
              text::hint(*given, kTypes));
}

Sourced<double> read_factor(GgufKeys& keys, const Sourced<std::string>& type) {
  const std::string_view name = keys.has("rope.scaling.factor") ? "rope.scaling.factor" : "rope.scale_linear";
  const std::optional<double> given = keys.number(name);
  if (!given) return {1.0, std::string(kLlamaDefault)};
  if (*given < 0.0 || (*given > 0.0 && (*given < 1e-4 || *given > 1e6))) {
    keys.refuse(name, "expected 0 or a factor from 1e-4 to 1e6 but got ", *given);
  }
  if (type.value == "none") {
    keys.warn(keys.full(name) + " has no effect: " + keys.full("rope.scaling.type") + " is none");
    return {1.0, type.from};
  }
  if (*given == 0.0) return {1.0, keys.full(name) + ", where 0 is none"};
  if (type.from == kLlamaDefault) keys.guess(keys.full("rope.scaling.type") + " is missing: llama.cpp uses linear");
  return {*given, keys.full(name)};
}

// Reads mscale_all_dim. Divides in float32, because llama.cpp does so and compares the result with 1.
double read_log_multiplier(GgufKeys& keys, LogMultiplier rule) {
  if (rule == LogMultiplier::unread) return 0.0;
  const auto given = static_cast<float>(keys.number("rope.scaling.yarn_log_multiplier").value_or(0.0));
  return static_cast<double>(rule == LogMultiplier::as_given ? given : given / 0.1F);
}

double yarn_ratio(const Stretch& stretch, const GgufArchitecture& row) {
  const double all = stretch.log_multiplier;
  if (all == 0.0) return yarn_magnitude(stretch.factor.value, 1.0);
  const double mscale = row.log_multiplier == LogMultiplier::tenfold_both ? all : 1.0;
  return yarn_magnitude(stretch.factor.value, mscale) / yarn_magnitude(stretch.factor.value, all);
}

Sourced<double> read_beta(GgufKeys& keys, const GgufArchitecture& row, std::string_view name, double fallback) {
  if (row.reads_betas) return keys.number_or(name, fallback);
  const std::optional<double> given = keys.number(name);
  if (given && *given != fallback) {
    keys.warn(keys.full(name) + " = " + text::number_text(*given) + " has no effect: llama.cpp uses " +
              text::number_text(fallback) + " for '" + std::string(row.name) + "'");
  }
  return {fallback, std::string(kLlamaDefault)};
}

void read_yarn(GgufKeys& keys, const GgufArchitecture& row, Stretch& stretch) {
  stretch.beta_fast = read_beta(keys, row, "rope.scaling.yarn_beta_fast", row.beta_fast);
  stretch.beta_slow = read_beta(keys, row, "rope.scaling.yarn_beta_slow", 1.0);
  keys.require(stretch.beta_slow.value > 0.0 && stretch.beta_fast.value >= stretch.beta_slow.value,
               "rope.scaling.yarn_beta_fast", "expected at least yarn_beta_slow, and that above 0, but got ",
               stretch.beta_fast.value, " and ", stretch.beta_slow.value);
  stretch.log_multiplier = read_log_multiplier(keys, row.log_multiplier);
  stretch.magnitude = yarn_ratio(stretch, row);
}

void read_attention(GgufKeys& keys, const GgufArchitecture& row, Stretch& stretch) {
  if (const auto given = keys.number("rope.scaling.attn_factor")) {
    stretch.attention = *given;
    stretch.attention_from = keys.full("rope.scaling.attn_factor");
  }
  if (!row.reads_extrapolation || stretch.is_yarn()) return;
  if (const auto given = keys.number("rope.scaling.yarn_attn_factor")) {
    stretch.attention *= *given;
    stretch.attention_from = keys.full("rope.scaling.yarn_attn_factor");
  }
}

double growth(double factor) { return 1.0 + 0.1 * std::log(factor); }

}  // namespace

double Stretch::attention_factor(double factor_there) const noexcept {
  if (!is_yarn()) return attention;
  if (factor_there == factor.value) return magnitude * attention;
  return magnitude * attention * growth(factor_there) / growth(factor.value);
}

double Stretch::latent_magnitude() const noexcept {
  const double handed = is_yarn() ? magnitude * attention : attention * growth(factor.value);
  return handed * (1.0 + 0.1 * log_multiplier * std::log(factor.value));
}

Stretch read_stretch(GgufKeys& keys, const GgufArchitecture& row, std::int64_t context) {
  Stretch stretch;
  stretch.type = {"none", std::string(kLlamaDefault)};
  if (row.unscaled) return stretch;
  stretch.type = read_type(keys);
  stretch.factor = read_factor(keys, stretch.type);
  stretch.extrapolation = stretch.type.value == "yarn" ? 1.0 : 0.0;
  if (row.reads_extrapolation) {
    const double given = keys.number("rope.scaling.yarn_ext_factor").value_or(-1.0);
    if (given >= 0.0) stretch.extrapolation = given;
  }
  stretch.original = {context, keys.full("context_length")};
  const std::int64_t given = keys.count("rope.scaling.original_context_length").value_or(0);
  if (given > 0) {
    stretch.original = {given, keys.full("rope.scaling.original_context_length")};
  } else if (stretch.is_yarn() || stretch.type.value == "longrope") {
    keys.guess(keys.full("rope.scaling.original_context_length") + " is missing: llama.cpp uses context_length");
  }
  keys.require((!stretch.is_yarn() && stretch.type.value != "longrope") || stretch.original.value >= 1,
               "context_length", "expected the trained length, for the scaling, but it is missing");
  if (stretch.is_yarn()) read_yarn(keys, row, stretch);
  read_attention(keys, row, stretch);
  if (row.reads_alpha) stretch.alpha = keys.number("rope.scaling.alpha").value_or(0.0);
  return stretch;
}

}  // namespace posenc::models::gguf
