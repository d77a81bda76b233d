#include "models/gguf_scores.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace posenc::models::gguf {
namespace {

class ScoreFiller {
 public:
  explicit ScoreFiller(const ScoreSource& source) : from_(source) {}

  void fill_softmax(const LayerUse& use, ModelGroup& group) {
    const HeadWidths& widths = use.slides ? from_.size.sliding : from_.size.full;
    const auto head = static_cast<double>(widths.whole.value);
    if (widths.whole.value < 1) return;
    const auto set = [&](double scale, const std::string& from) {
      group.softmax_scale = scale;
      group.provenance.push_back({"softmax_scale", from});
    };
    const std::string by_head = "1 / sqrt(" + widths.whole.from + ")";
    const bool wide = from_.row.wide_layers != 0 && from_.row.wide_layers == from_.size.layers;
    if (wide && from_.size.first_heads() > 0) return set_wide(set);
    switch (from_.row.softmax) {
      case Softmax::head:
        return set(1.0 / std::sqrt(head), by_head);
      case Softmax::head_whole:
        return set(1.0 / head, "1 / " + widths.whole.from);
      case Softmax::one:
        return set(1.0, std::string(kLlamaDefault));
      case Softmax::key:
        return set_from_key("attention.scale", 1.0 / std::sqrt(head), by_head, set);
      case Softmax::output_key:
        return set_from_key("attention.output_scale", 0.08838834764831845, std::string(kLlamaDefault), set);
      case Softmax::rotary:
        return set(1.0 / std::sqrt(static_cast<double>(widths.rotary.value)), "1 / sqrt(" + widths.rotary.from + ")");
      case Softmax::value:
        return set_by_value(set);
      case Softmax::latent:
        break;
    }
    const double magnitude = from_.stretch != nullptr ? from_.stretch->latent_magnitude() : 1.0;
    set(magnitude * magnitude / std::sqrt(head), by_head + (magnitude == 1.0 ? ""
                                                                             : ", times YaRN's magnitude squared, "
                                                                               "as llama.cpp computes it"));
  }

  // Sets the scale of Gemma 2 and 3 with 27 billion parameters, which llama.cpp recognises by their number of layers.
  template <class Set>
  void set_wide(const Set& set) {
    const std::int64_t width = std::max<std::int64_t>(from_.size.embedding / from_.size.first_heads(), 1);
    const std::string rule =
        "1 / sqrt(" + from_.keys.full("embedding_length") + " / " + from_.keys.full("attention.head_count") + ")";
    from_.keys.guess("the file does not give the softmax scale: llama.cpp uses " + rule + " with " +
                     std::to_string(from_.size.layers) + " layers");
    set(1.0 / std::sqrt(static_cast<double>(width)), rule);
  }

  template <class Set>
  void set_from_key(std::string_view name, double fallback, const std::string& rule, const Set& set) {
    const double given = from_.keys.number(name).value_or(0.0);
    return given != 0.0 ? set(given, from_.keys.full(name)) : set(fallback, rule);
  }

  template <class Set>
  void set_by_value(const Set& set) {
    const std::int64_t value = from_.keys.count("attention.value_length").value_or(from_.size.full.head.value);
    if (value < 1) from_.keys.refuse("attention.value_length", "expected at least 1 but got 0");
    set(1.0 / std::sqrt(static_cast<double>(value)), "1 / sqrt(" + from_.keys.full("attention.value_length") + ")");
  }

  void fill_query_scale(const LayerUse& use, ModelGroup& group) {
    if (from_.row.temperature == Temperature::none) return;
    if (from_.row.temperature == Temperature::still_layers) {
      if (use.rotated || !from_.uses.window) return;
      group.query_scale = QueryTemperature{.scale = 0.1, .length = 8192, .first = 1};
      group.provenance.push_back({"query_scale", std::string(kLlamaDefault)});
      from_.keys.guess(
          "the file does not give the factor on queries: llama.cpp uses "
          "1 + 0.1 ln(1 + floor((p + 1) / 8192)) in layers without rotation");
      return;
    }
    constexpr std::string_view kScale = "attention.temperature_scale";
    const double scale = from_.keys.number(kScale).value_or(0.0);
    const bool by_key = from_.row.temperature == Temperature::key_length;
    const std::int64_t key = by_key ? from_.keys.count("attention.temperature_length").value_or(0) : 0;
    if (scale == 0.0) return;
    const std::int64_t length = by_key                     ? key
                                : from_.stretch != nullptr ? from_.stretch->original.value
                                                           : from_.size.context;
    if (length < 1) from_.keys.refuse(kScale, "this key needs a length, but it is missing");
    group.query_scale = QueryTemperature{.scale = scale, .length = length, .first = 0};
    group.provenance.push_back({"query_scale.scale", from_.keys.full(kScale)});
    group.provenance.push_back({"query_scale.length", by_key ? from_.keys.full("attention.temperature_length")
                                                      : from_.stretch != nullptr ? from_.stretch->original.from
                                                                                 : from_.keys.full("context_length")});
  }

 private:
  const ScoreSource& from_;
};

}  // namespace

void fill_scores(const ScoreSource& source, const LayerUse& use, ModelGroup& group) {
  ScoreFiller filler(source);
  filler.fill_softmax(use, group);
  filler.fill_query_scale(use, group);
}

}  // namespace posenc::models::gguf
