#include "models/scaling.h"

#include <cmath>
#include <utility>

namespace posenc::models {
namespace {

constexpr std::int64_t kMostPositions = std::int64_t{1} << 52;

class ScalingMaker {
 public:
  explicit ScalingMaker(const ScalingQuestion& question) : config_(question.config), dict_(question.dict) {}

  ScalingAnswer make() {
    const std::string type = dict_.type();
    if (type == "linear") linear();
    if (type == "dynamic") dynamic();
    if (type == "yarn") yarn();
    if (type == "longrope") longrope();
    if (type == "llama3") llama3();
    if (type == "proportional") proportional();
    if (kind_of(answer_.scaling) != "none") from("scaling", dict_.get("rope_type").from);
    magnitude(type);
    return std::move(answer_);
  }

 private:
  void from(const std::string& field, const std::string& where) { answer_.provenance.push_back({field, where}); }

  Found take(const std::string& key) {
    answer_.used.push_back(key);
    return dict_.get(key);
  }

  [[noreturn]] void missing(const std::string& key) const {
    const std::string type = dict_.get("rope_type").from;
    const std::size_t dot = type.rfind('.');
    const std::string path = dot == std::string::npos ? "rope_parameters." : type.substr(0, dot + 1);
    config_.refuse_at(path + key, "rope type ", dict_.type(), " needs this key, but it is missing");
  }

  double number(const std::string& key) {
    const Found found = take(key);
    if (!found.given()) missing(key);
    from("scaling." + key, found.from);
    return config_.positive_at(found);
  }

  // A number that may be missing, null or 0; Hugging Face treats all three as missing.
  double number_or(const std::string& key, double fallback) {
    const Found found = take(key);
    if (!is_true(found.value)) return fallback;
    from("scaling." + key, found.from);
    return config_.positive_at(found);
  }

  std::int64_t positions(const std::string& key) {
    const Found found = take(key);
    if (!found.given()) missing(key);
    from("scaling.original_positions", found.from);
    return config_.integer_at(found, 1, kMostPositions);
  }

  std::int64_t max_positions() const {
    const Found found = config_.find("max_position_embeddings");
    return config_.integer(found, "max_position_embeddings", 1, kMostPositions);
  }

  double factor() {
    const double value = number("factor");
    if (value < 1.0) {
      config_.remarks().warn(dict_.get("factor").from +
                             " is below 1, which shortens the context; factors are 1 or more");
    }
    return value;
  }

  // The factor; none if the key is null, which means the ratio of the lengths.
  std::optional<double> factor_or_ratio(std::int64_t original, bool required) {
    const bool there = take("factor").given();
    bool named = there;
    for (const auto& [key, found] : dict_.members) named = named || key == "factor";
    if (required && !named) missing("factor");
    if (!there) {
      from("scaling.factor", "max_position_embeddings / original_max_position_embeddings");
      return std::nullopt;
    }
    const double value = factor();
    const Found most = config_.find("max_position_embeddings");
    const double ratio =
        most.given() && most.value.is_number() ? most.value.number() / static_cast<double>(original) : 1.0;
    if (ratio != 1.0 && ratio != value) {
      config_.remarks().warn(dict_.get("factor").from + " is " + value_text(value) + " but max_position_embeddings / " +
                             "original_max_position_embeddings is " + value_text(ratio) +
                             ": the factor is used, as in Hugging Face");
    }
    return value;
  }

  void attention_factor() {
    const Found found = take("attention_factor");
    if (!found.given()) return;
    answer_.attention_factor = config_.positive_at(found);
    from("attention_factor", found.from);
  }

  void linear() { answer_.scaling = LinearScaling{.factor = factor()}; }

  void dynamic() {
    const bool has_alpha = config_.rope_rule("alpha") && is_true(dict_.get("alpha").value);
    if (has_alpha) {
      answer_.used.push_back("factor");
      answer_.scaling = NtkAlpha{.alpha = number("alpha")};
      return;
    }
    answer_.scaling = DynamicNtk{.factor = factor(), .original_positions = max_positions()};
    from("scaling.original_positions", config_.find("max_position_embeddings").from);
  }

  bool truncate() {
    const Found found = take("truncate");
    if (!found.given()) return true;
    if (!std::holds_alternative<bool>(found.value.value)) {
      config_.refuse_at(found.from, "expected true or false but got ", value_text(found.value));
    }
    const bool value = std::get<bool>(found.value.value);
    const std::string sentence = found.from +
                                 " is false within the rope parameters of a type of layer, where Hugging " +
                                 "Face does not read it and uses true; the other reading uses false";
    if (!value && dict_.nested && !config_.remarks().other_reading("nested_truncate", sentence)) return true;
    if (!value) from("scaling.truncate", found.from);
    return value;
  }

  void yarn() {
    Yarn yarn;
    yarn.original_positions = positions("original_max_position_embeddings");
    yarn.factor = factor_or_ratio(yarn.original_positions, true);
    if (!yarn.factor) yarn.max_positions = max_positions();
    attention_factor();
    yarn.beta_fast = number_or("beta_fast", 32.0);
    yarn.beta_slow = number_or("beta_slow", 1.0);
    yarn.truncate = truncate();
    yarn.mscale = number_or("mscale", 0.0);
    yarn.mscale_all_dim = number_or("mscale_all_dim", 0.0);
    if (yarn.mscale == 0.0 || yarn.mscale_all_dim == 0.0) yarn.mscale = yarn.mscale_all_dim = 0.0;
    if (yarn.beta_fast < yarn.beta_slow) {
      config_.refuse_at(dict_.get("beta_fast").from, "expected beta_fast of at least beta_slow, ",
                        value_text(yarn.beta_slow), ", but got ", value_text(yarn.beta_fast));
    }
    answer_.scaling = yarn;
  }

  std::vector<double> list(const std::string& key) {
    const Found found = take(key);
    if (!found.given()) missing(key);
    if (!found.value.is_array())
      config_.refuse_at(found.from, "expected a list of numbers but got ", value_text(found.value));
    std::vector<double> numbers;
    for (const Json& entry : found.value.array()) numbers.push_back(config_.positive_at({entry, found.from}));
    from("scaling." + key, found.from);
    return numbers;
  }

  void longrope() {
    LongRope scaling;
    scaling.short_factor = list("short_factor");
    scaling.long_factor = list("long_factor");
    scaling.original_positions = positions("original_max_position_embeddings");
    scaling.factor = factor_or_ratio(scaling.original_positions, false);
    if (!scaling.factor) scaling.max_positions = max_positions();
    attention_factor();
    if (config_.rope_rule("mscales")) {
      scaling.short_mscale = number("short_mscale");
      scaling.long_mscale = number("long_mscale");
      const std::string sentence =
          "Hugging Face's " + config_.model_type() + " uses long_mscale for long sequences but always the short " +
          "factors; the other reading uses the long factors for long sequences, as in the original model";
      if (!config_.remarks().other_reading("long_factors", sentence)) scaling.list = LongRopeList::short_factor;
    }
    answer_.scaling = std::move(scaling);
  }

  void llama3() {
    Llama3 scaling{.factor = factor(), .original_positions = positions("original_max_position_embeddings")};
    scaling.low_freq_factor = number("low_freq_factor");
    scaling.high_freq_factor = number("high_freq_factor");
    if (scaling.high_freq_factor < scaling.low_freq_factor) {
      config_.refuse_at(dict_.get("high_freq_factor").from, "expected high_freq_factor of at least low_freq_factor, ",
                        value_text(scaling.low_freq_factor), ", but got ", value_text(scaling.high_freq_factor));
    }
    answer_.scaling = scaling;
  }

  void proportional() {
    Proportional scaling;
    const Found share = take("partial_rotary_factor");
    if (share.given()) {
      scaling.share = config_.positive_at(share);
      from("scaling.share", share.from);
    }
    scaling.factor = number_or("factor", 1.0);
    answer_.scaling = scaling;
  }

  void magnitude(const std::string& type) {
    const Found all = dict_.get("mscale_all_dim");
    if (type == "default" || !is_true(all.value)) return;
    const Found factor = dict_.get("factor");
    if (!factor.given() || !factor.value.is_number() || !all.value.is_number()) return;
    answer_.magnitude = yarn_magnitude(factor.value.number(), all.value.number());
    answer_.used.push_back("mscale_all_dim");
  }

  const Config& config_;
  const RopeDict& dict_;
  ScalingAnswer answer_;
};

}  // namespace

std::vector<std::string_view> scaling_words() {
  return {"default", "linear", "dynamic", "yarn", "longrope", "llama3", "proportional", "axial"};
}

ScalingAnswer make_scaling(const ScalingQuestion& question) { return ScalingMaker(question).make(); }

}  // namespace posenc::models
