#include "models/gguf_rotary.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/text/joined.h"
#include "core/text/number_text.h"
#include "posenc/scaling.h"

namespace posenc::models::gguf {
namespace {

// A divisor this large means that the pair is not rotated; Gemma 4 has 1e30.
constexpr double kNever = 1e20;

class RotaryFiller {
 public:
  RotaryFiller(const GgufRotary& source, const LayerUse& use, ModelGroup& group)
      : source_(source), row_(source.row), use_(use), group_(group) {}

  void fill() {
    fill_channels();
    fill_base();
    if (is_scaled()) fill_scaling();
    fill_sections();
    fill_divisors();
    fill_attention_factor();
    if (!spec_.inv_freq.empty()) drop_base();
    if (spec_.rotary_dim == spec_.head_dim) spec_.rotary_dim = 0;  // the whole head, as in other specs
    group_.spec = spec_;
  }

 private:
  void say(std::string field, std::string from) { group_.provenance.push_back({std::move(field), std::move(from)}); }

  const HeadWidths& widths() const { return use_.slides ? source_.size.sliding : source_.size.full; }

  void fill_channels() {
    const HeadWidths& w = widths();
    const bool interleaved = row_.rotation == Pairing::interleaved && source_.sections.empty();
    spec_.layout = interleaved ? Layout::interleaved : Layout::half;
    say("layout", "llama.cpp, by the architecture");
    spec_.head_dim = w.whole.value;
    spec_.rotary_dim = w.rotary.value;
    if (row_.part == Part::latent) {
      spec_.head_dim = w.rotary.value;
      group_.latent_head = LatentHead{w.whole.value - w.rotary.value, w.rotary.value};
      say("latent_head.nope", w.whole.from + " - " + w.rotary.from);
      say("head_dim", w.rotary.from);
      return;
    }
    if (row_.part == Part::last) spec_.first_channel = w.whole.value - w.rotary.value;
    say("head_dim", w.whole.from);
    say("rotary_dim", w.rotary.from);
  }

  void fill_base() {
    const Sourced<double>& base = use_.compressed ? source_.compressed_base
                                  : use_.slides   ? source_.local_base
                                                  : source_.base;
    spec_.base = base.value;
    say("base", base.from);
  }

  // Whether the scaling of the file applies to these layers.
  bool is_scaled() const {
    if (row_.compresses) return use_.compressed;
    return !use_.slides || row_.local_scaling == LocalScaling::shared;
  }

  double factor() const { return is_scaled() ? source_.stretch.factor.value : 1.0; }

  void fill_scaling() {
    const Stretch& stretch = source_.stretch;
    fill_alpha();
    if (!source_.long_divisors.empty()) {
      fill_longrope();
    } else if (stretch.extrapolation == 1.0) {
      fill_yarn();
    } else if (stretch.is_yarn()) {
      fill_partial_yarn();
    } else if (stretch.factor.value != 1.0) {
      spec_.scaling = LinearScaling{stretch.factor.value};
      say("scaling.factor", stretch.factor.from);
    }
  }

  void fill_alpha() {
    const Stretch& stretch = source_.stretch;
    if (stretch.alpha <= 0.0) return;
    const std::string from = source_.keys.full("rope.scaling.alpha");
    if (!stretch.is_yarn() && stretch.factor.value == 1.0) {
      spec_.scaling = NtkAlpha{stretch.alpha};
      say("scaling.alpha", from);
      return;
    }
    const auto dim = static_cast<double>(spec_.head_dim);
    spec_.base *= std::pow(stretch.alpha, dim / (dim - 2.0));
    group_.provenance.back().from += ", times " + from + "^(head_dim / (head_dim - 2))";
  }

  Yarn yarn() const {
    const Stretch& stretch = source_.stretch;
    return {.factor = stretch.factor.value,
            .original_positions = stretch.original.value,
            .beta_fast = stretch.beta_fast.value,
            .beta_slow = stretch.beta_slow.value};
  }

  void fill_yarn() {
    const Stretch& stretch = source_.stretch;
    spec_.scaling = yarn();
    say("scaling.factor", stretch.factor.from);
    say("scaling.original_positions", stretch.original.from);
    say("scaling.beta_fast", stretch.beta_fast.from);
    say("scaling.beta_slow", stretch.beta_slow.from);
  }

  Ladder ladder() const {
    return {.base = spec_.base, .dim = spec_.rotary_dim, .pairs = spec_.rotary_dim / 2, .head_dim = spec_.head_dim};
  }

  // Checks the scaling before frequencies are computed with it.
  void check_with(const Scaling& scaling) const {
    Rotary spec = spec_;
    spec.inv_freq.clear();
    spec.scaling = scaling;
    source_.keys.check(spec);
  }

  // Gives the frequencies one by one: between the divided and the blended ones, for which posenc has no scaling.
  void fill_partial_yarn() {
    check_with(yarn());
    const std::vector<double> plain = scale_ladder(NoScaling{}, ladder()).inv_freq;
    const std::vector<double> mixed = scale_ladder(yarn(), ladder()).inv_freq;
    const double share = source_.stretch.extrapolation;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      const double divided = plain[i] / source_.stretch.factor.value;
      spec_.inv_freq.push_back(divided + share * (mixed[i] - divided));
    }
    say("inv_freq",
        "YaRN of " + base_text() + ", its blend times " + source_.keys.full("rope.scaling.yarn_ext_factor"));
  }

  void fill_longrope() {
    const Stretch& stretch = source_.stretch;
    spec_.scaling = LongRope{.short_factor = source_.short_divisors,
                             .long_factor = source_.long_divisors,
                             .original_positions = stretch.original.value,
                             .max_positions = source_.size.context};
    spec_.frequency_scale = 1.0 / stretch.factor.value;
    say("scaling.long_factor", "tensor rope_factors_long.weight");
    say("scaling.short_factor", "tensor rope_factors_short.weight");
    say("scaling.original_positions", stretch.original.from);
    if (spec_.frequency_scale != 1.0) say("scale", "1 / " + stretch.factor.from);
    group_.notes.push_back("llama.cpp uses the long list if the context that it allocates is longer than " +
                           std::to_string(stretch.original.value) + ", whatever the length of the text");
  }

  void fill_sections() {
    if (source_.sections.empty()) return;
    spec_.sections = source_.sections;
    const bool interleaved = row_.rotation == Pairing::interleaved_sections;
    spec_.section_order = interleaved ? SectionOrder::interleaved : SectionOrder::chunked;
    say("sections", source_.keys.full("rope.dimension_sections"));
    if (spec_.sections.size() == 4) group_.notes.push_back("llama.cpp gives text position 0 on the fourth axis");
    if (interleaved) note_still_pairs();
  }

  // Notes the pairs i that axis i % 3 has no room for. posenc puts them on the first axis, llama.cpp on the fourth.
  void note_still_pairs() {
    std::vector<std::int64_t> still;
    for (std::int64_t i = 0; i < spec_.rotary_dim / 2; ++i) {
      const bool taken = i < 3 * spec_.sections[static_cast<std::size_t>(i % 3)];
      if (!taken) still.push_back(i);
    }
    if (still.empty()) return;
    group_.notes.push_back("pairs " + text::joined(still, ", ") +
                           " follow the first axis, as in the published model; llama.cpp gives "
                           "them the fourth position, which is 0, so it does not rotate them");
  }

  void fill_divisors() {
    const bool here = row_.divisors == Divisors::all || (row_.divisors == Divisors::full_layers && !use_.slides);
    if (source_.divisors.empty() || !here) return;
    check_with(spec_.scaling);
    std::vector<double> frequencies =
        spec_.inv_freq.empty() ? scale_ladder(spec_.scaling, ladder()).inv_freq : std::move(spec_.inv_freq);
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
      const double divisor = source_.divisors[i];
      frequencies[i] = divisor >= kNever ? 0.0 : frequencies[i] / divisor;
    }
    spec_.inv_freq = std::move(frequencies);
    spec_.scaling = NoScaling{};
    say("inv_freq", base_text() + "^(-2i / rotary_dim) / tensor rope_freqs.weight");
    note_llama3();
  }

  std::string base_text() const {
    const auto is_base = [](const Provenance& entry) { return entry.field == "base"; };
    const auto found = std::find_if(group_.provenance.begin(), group_.provenance.end(), is_base);
    return found->from + " (" + text::number_text(spec_.base) + ")";
  }

  // A spec with given frequencies has no base.
  void drop_base() {
    std::erase_if(group_.provenance, [](const Provenance& entry) { return entry.field == "base"; });
    spec_.base = Rotary{}.base;
  }

  // The converter stores llama3's divisors in float32 and omits the numbers that they were computed from.
  void note_llama3() {
    const std::vector<double>& divisors = source_.divisors;
    const Llama3 scaling{.factor = divisors.back(), .original_positions = 8192};
    if (source_.stretch.factor.value != 1.0 || !(scaling.factor > 1.0 && scaling.factor < 1e6)) return;
    const std::vector<double> plain = scale_ladder(NoScaling{}, ladder()).inv_freq;
    const std::vector<double> scaled = scale_ladder(scaling, ladder()).inv_freq;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      if (std::abs(plain[i] / scaled[i] / divisors[i] - 1.0) > 1e-4) return;
    }
    group_.notes.push_back("the divisors are those of llama3 with factor=" + text::number_text(scaling.factor) +
                           ", original_positions=8192, low_freq_factor=1, high_freq_factor=4, rounded to float32");
  }

  void fill_attention_factor() {
    const Stretch& stretch = source_.stretch;
    const bool plain = row_.magnitude_one || row_.unscaled ||
                       (use_.slides && row_.local_scaling == LocalScaling::none) ||
                       (row_.compresses && !use_.compressed);
    const double factor_here = plain ? 1.0 : stretch.attention_factor(factor());
    source_.keys.require(factor_here >= 1e-9 && factor_here <= 1e9, "rope.scaling.attn_factor",
                         "expected a factor on cos and sin from 1e-9 to 1e9 but got ", factor_here);
    const bool yarn_here = std::holds_alternative<Yarn>(spec_.scaling);
    const bool longrope = std::holds_alternative<LongRope>(spec_.scaling);
    const double otherwise = yarn_here ? yarn_magnitude(stretch.factor.value, 1.0) : 1.0;
    if (factor_here == otherwise && !longrope) return;
    spec_.attention_factor = factor_here;
    std::string from = stretch.attention_from.empty() ? std::string(kLlamaDefault) : stretch.attention_from;
    if (stretch.is_yarn() && !plain) from = "llama.cpp: YaRN's magnitude, times rope.scaling.attn_factor if given";
    say("attention_factor", from);
  }

  const GgufRotary& source_;
  const GgufArchitecture& row_;
  const LayerUse& use_;
  ModelGroup& group_;
  Rotary spec_;
};

}  // namespace

void fill_rotary(const GgufRotary& source, const LayerUse& use, ModelGroup& group) {
  RotaryFiller(source, use, group).fill();
}

}  // namespace posenc::models::gguf
