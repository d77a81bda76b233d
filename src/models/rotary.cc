#include "models/rotary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "core/text/joined.h"
#include "core/text/nearest.h"
#include "models/scaling.h"
#include "posenc/error.h"
#include "posenc/files/spec_json.h"

namespace posenc::models {
namespace {

constexpr std::int64_t kMostChannels = 8192;

// All known keys of rope parameters, in any model.
constexpr std::array<std::string_view, 29> kRopeKeys = {"rope_type",
                                                        "type",
                                                        "rope_theta",
                                                        "partial_rotary_factor",
                                                        "factor",
                                                        "original_max_position_embeddings",
                                                        "attention_factor",
                                                        "beta_fast",
                                                        "beta_slow",
                                                        "mscale",
                                                        "mscale_all_dim",
                                                        "truncate",
                                                        "short_factor",
                                                        "long_factor",
                                                        "short_mscale",
                                                        "long_mscale",
                                                        "low_freq_factor",
                                                        "high_freq_factor",
                                                        "alpha",
                                                        "mrope_section",
                                                        "mrope_interleaved",
                                                        "interleaved",
                                                        "xdrope_section",
                                                        "llama_4_scaling_beta",
                                                        "max_position_embeddings",
                                                        "finetuned",
                                                        "base_frequency",
                                                        "rope_interleaved",
                                                        "extrapolation_factor"};

class RotaryMaker {
 public:
  RotaryMaker(const Config& config, const RopeDict& dict, const Json& locals)
      : config_(config), dict_(dict), locals_(locals) {}

  RotaryAnswer make() {
    check_type();
    head();
    base();
    ScalingAnswer scaling = make_scaling({config_, dict_});
    answer_.spec.scaling = scaling.scaling;
    answer_.spec.attention_factor = scaling.attention_factor;
    answer_.magnitude = scaling.magnitude;
    used_.insert(used_.end(), scaling.used.begin(), scaling.used.end());
    append(answer_.provenance, scaling.provenance);
    append(answer_.notes, scaling.notes);
    sections();
    width();
    layout();
    fields();
    check_list_lengths();
    refuse_unknown();
    return std::move(answer_);
  }

 private:
  template <typename List>
  static void append(List& list, const List& more) {
    list.insert(list.end(), more.begin(), more.end());
  }

  void from(const std::string& field, const std::string& where) { answer_.provenance.push_back({field, where}); }
  // A formula, a number, or a list of [value, condition], of which the first that holds is used.
  Found value_of(const Json& entry, const Json& locals) const {
    if (entry.is_string()) return config_.evaluate(Formula(entry.string()), locals);
    return {entry, "model type " + config_.model_type()};
  }
  Found used(const std::string& key) {
    used_.push_back(key);
    return dict_.get(key);
  }
  bool is_default() const {
    const std::string type = dict_.type();
    return type == "default" || type == "axial" || std::holds_alternative<NtkAlpha>(answer_.spec.scaling);
  }

  void check_type() {
    const std::string type = dict_.type();
    const Json* allowed = config_.rope_rule("allowed");
    std::vector<std::string_view> known = scaling_words();
    if (!config_.rope_rule("axial")) known.erase(std::remove(known.begin(), known.end(), "axial"), known.end());
    if (allowed) {
      known.clear();
      for (const Json& word : allowed->array()) known.push_back(word.string());
    }
    if (std::find(known.begin(), known.end(), type) != known.end()) return;
    const Found found = dict_.get("rope_type");
    config_.refuse_at(found.from, "expected a rope type that ", config_.model_type(), " has (",
                      text::joined(known, ", "), ") but got '", type, "'", text::hint(type, known));
  }

  void head() {
    const Formula formula = config_.formula("head_dim", kHeadDim);
    const Found found = config_.evaluate(formula, locals_);
    if (!found.given()) {
      refuse_sizes(formula);
      config_.refuse("head_dim", "expected head_dim, or the keys of ", found.from, ", but they are missing");
    }
    answer_.spec.head_dim = config_.integer(found, "head_dim", 1, kMostChannels);
    from("head_dim", found.from);
  }

  // Refuses sizes that are words or 0, because the formula divides by them.
  void refuse_sizes(const Formula& formula) const {
    for (const std::string& name : formula.names()) {
      const Found size = config_.find(name);
      if (size.given() && (size.value.is_string() || size.value.is_number())) config_.positive_at(size);
    }
  }

  void base() {
    const Found theta = used("rope_theta");
    answer_.spec.base = config_.positive_at(theta);
    from("base", theta.from);
  }

  // Sets how much of the head is rotated. Without a scaling, only some models read the share.
  void width() {
    const Json* absolute = config_.rule("rotary_dim");
    const Json* partial_rule = config_.rule("partial");
    const bool by_default = partial_rule && partial_rule->find("used") && is_true(*partial_rule->find("used"));
    if (absolute) {
      const Found found = value_of(*absolute, local_names());
      if (found.given()) {
        answer_.spec.rotary_dim = even(found, "rotary_dim");
        from("rotary_dim", found.from);
        return;
      }
    }
    const Found partial = used("partial_rotary_factor");
    refuse_contradiction(partial);
    if (!partial.given()) return whole_head();
    const double share = config_.positive_at(partial);
    if (share > 1.0)
      config_.refuse_at(partial.from, "expected a share of the head, above 0 to 1, but got ",
                        value_text(partial.value));
    if (dict_.type() == "proportional") return;  // that scaling has its own share
    if (is_default() && !by_default) {
      if (share == 1.0) return whole_head();
      const std::string sentence =
          partial.from + " is " + value_text(partial.value) + ", but Hugging Face's " + config_.model_type() +
          " rotates the whole head unless there is a scaling; the other reading rotates that share";
      if (!config_.remarks().other_reading("partial_read", sentence)) return whole_head();
    } else if (!by_default && share < 1.0) {
      answer_.notes.push_back("Hugging Face computes a table for " + value_text(partial.value) +
                              " of the head here, and its " + config_.model_type() +
                              " then fails on the shape: no model can have run like this");
    }
    answer_.spec.partial_rotary_factor = share;
    from("rotary_dim", partial.from);
    if (std::floor(static_cast<double>(answer_.spec.head_dim) * share) < 1.0) {
      config_.refuse_at(partial.from, "expected a share of at least one channel but got ", value_text(partial.value),
                        " of ", answer_.spec.head_dim);
    }
    if (share == 1.0) whole_head();
  }

  std::int64_t even(const Found& found, const std::string& name) const {
    const std::int64_t value = config_.integer(found, name, 2, answer_.spec.head_dim);
    if (value % 2 != 0) config_.refuse(name, "expected an even number of channels but got ", value);
    return value;
  }

  void whole_head() {
    if (answer_.spec.head_dim % 2 == 0) return;
    config_.refuse("head_dim", "expected an even number, because channels are rotated in pairs, but got ",
                   answer_.spec.head_dim);
  }

  void refuse_contradiction(const Found& partial) const {
    const Json* count = config_.object().find("rotary_dim");
    if (!count || !count->is_number() || !partial.value.is_number() ||
        partial.from.find("rotary_dim") != std::string::npos)
      return;
    const double channels = std::trunc(static_cast<double>(answer_.spec.head_dim) * partial.value.number());
    if (partial.from.starts_with("default of") || channels == count->number()) return;
    config_.refuse("rotary_dim", value_text(*count), " contradicts ", partial.from, ", ", value_text(partial.value),
                   " of ", answer_.spec.head_dim, " channels");
  }

  Json local_names() const {
    Json locals = locals_;
    locals.set("head_dim", answer_.spec.head_dim);
    locals.set("rope", dict_.object());
    return locals;
  }

  // Sets the layout: a word, or a list of [word, condition], of which the first that holds is used.
  void layout() {
    const Json* entry = config_.rule("layout");
    std::string word = entry && entry->is_string() ? entry->string() : "half";
    std::string where = "model type " + config_.model_type();
    if (entry && entry->is_array()) {
      for (const Json& choice : entry->array()) {
        const Formula condition(choice.array()[1].string());
        const Found holds = config_.evaluate(condition, local_names());
        if (!is_true(holds.value)) continue;
        word = choice.array()[0].string();
        if (condition.text() != "1") where = condition.text();
        break;
      }
    }
    answer_.spec.layout = layout_of(word);
    from("layout", where);
  }

  static Layout layout_of(const std::string& word) {
    constexpr std::array<std::pair<std::string_view, Layout>, 7> kWords = {
        {{"half", Layout::half},
         {"interleaved", Layout::interleaved},
         {"interleaved_to_half", Layout::interleaved_to_half},
         {"half_negative", Layout::half_negative},
         {"half_per_axis", Layout::half_per_axis},
         {"full_width_half", Layout::full_width_half},
         {"interleaved_pairs_with_halves_tiling_per_axis", Layout::interleaved_pairs_with_halves_tiling_per_axis}}};
    for (const auto& [name, layout] : kWords) {
      if (name == word) return layout;
    }
    fail(ErrorKind::unsupported, "[model_types] unknown layout " + word);
  }

  void sections() {
    const Json* sections = config_.rule("sections");
    if (!sections) return;
    Found found = used("mrope_section");
    if (!found.given()) found = used("xdrope_section");
    const Json* fallback = sections->find("default");
    if (!found.given() && fallback) found = {*fallback, "default of " + config_.model_type()};
    if (!found.given() && sections->find("optional")) return;
    if (!found.given()) {
      config_.refuse("rope_parameters.mrope_section", "expected the pairs of each axis, but the key is missing");
    }
    if (!found.value.is_array()) config_.refuse_at(found.from, "expected a list but got ", value_text(found.value));
    for (const Json& count : found.value.array()) {
      answer_.spec.sections.push_back(config_.integer_at({count, found.from}, 0, kMostChannels));
    }
    if (answer_.spec.sections.empty() || answer_.spec.sections.size() > 8) {
      config_.refuse_at(found.from, "expected 1 to 8 sections but got ", value_text(found.value));
    }
    sections_from_ = found.from;
    from("sections", found.from);
  }

  // Sets other fields of the spec that the row gives, as in JSON: axes, section_order, axis_frequencies, scale,
  // first_channel.
  void fields() {
    const Json* fields = config_.rule("fields");
    if (!fields && answer_.spec.sections.empty()) return check_sections();
    const bool dealt = by_default() && sum_of_sections() != pairs();
    if (dealt) deal_sections();
    Json spec = to_json(answer_.spec);
    if (fields) {
      for (const auto& [field, entry] : fields->object()) {
        if (dealt && field == "section_order") continue;
        const Found found = value_of(entry, local_names());
        if (!found.given()) config_.refuse(field, "expected the keys of ", found.from, ", but they are missing");
        spec.set(field, found.value);
        from(field, found.from);
      }
    }
    check_sections();
    answer_.spec = std::get<Rotary>(spec_from_json(spec, config_.source()));
  }

  // In published code the axes alternate pair by pair. Once an axis has all its pairs, the first axis gets its places.
  void deal_sections() {
    const std::vector<std::int64_t> sections = std::move(answer_.spec.sections);
    answer_.spec.sections.clear();
    answer_.spec.axes = static_cast<std::int64_t>(sections.size());
    for (std::int64_t i = 0; i < pairs(); ++i) {
      const std::int64_t axis = i % answer_.spec.axes;
      const bool own = axis > 0 && i < answer_.spec.axes * sections[static_cast<std::size_t>(axis)];
      answer_.spec.axis_of_pair.push_back(own ? axis : 0);
    }
  }

  bool by_default() const {
    const Json* fields = config_.rule("fields");
    const Json* order = fields ? fields->find("section_order") : nullptr;
    return sections_from_.starts_with("default of") && order && order->string() == "'interleaved'";
  }

  void check_sections() const {
    if (answer_.spec.sections.empty()) return;
    const std::int64_t sum = sum_of_sections(), pairs = this->pairs();
    if (sum == pairs) return;
    const bool of_type = sections_from_.starts_with("default of");
    const std::string key = config_.path() + "rope_parameters.mrope_section (" + sections_from_ + ")";
    config_.refuse_at(of_type ? key : sections_from_, "expected sections that sum to the ", pairs,
                      " rotated pairs but they sum to ", sum);
  }

  std::int64_t sum_of_sections() const {
    return std::accumulate(answer_.spec.sections.begin(), answer_.spec.sections.end(), std::int64_t{0});
  }

  std::int64_t pairs() const {
    if (answer_.spec.rotary_dim > 0) return answer_.spec.rotary_dim / 2;
    const double channels = static_cast<double>(answer_.spec.head_dim) * answer_.spec.partial_rotary_factor;
    return (static_cast<std::int64_t>(channels) + 1) / 2;
  }

  void check_list_lengths() const {
    const auto* lists = std::get_if<LongRope>(&answer_.spec.scaling);
    if (!lists) return;
    for (const auto& [name, list] :
         {std::pair("short_factor", &lists->short_factor), {"long_factor", &lists->long_factor}}) {
      if (static_cast<std::int64_t>(list->size()) == pairs()) continue;
      config_.refuse_at(dict_.get(name).from, "expected one number per pair, ", pairs(), ", but got ", list->size());
    }
  }

  void refuse_unknown() const {
    std::vector<std::string_view> known(kRopeKeys.begin(), kRopeKeys.end());
    for (const auto& [key, found] : dict_.members) {
      if (std::find(used_.begin(), used_.end(), key) != used_.end() || key == "rope_type" || key == "type") continue;
      if (std::find(known.begin(), known.end(), key) != known.end()) {
        const bool in_file = !found.from.starts_with("default of") && !found.from.starts_with("model type");
        if (found.given() && in_file) tell_unused(key, found);
        continue;
      }
      const std::string sentence = "this rope parameter is unknown" + text::hint(key, known);
      if (!config_.remarks().options.lenient)
        config_.refuse_at(found.from, sentence, " (--lenient makes this a warning)");
      config_.remarks().warn(found.from + ": " + sentence);
    }
  }

  void tell_unused(const std::string& key, const Found& found) const {
    constexpr std::array<std::string_view, 5> kQuiet = {"mrope_interleaved", "interleaved", "llama_4_scaling_beta",
                                                        "max_position_embeddings", "original_max_position_embeddings"};
    if (std::find(kQuiet.begin(), kQuiet.end(), key) != kQuiet.end()) return;
    const bool neutral = found.value.is_number() && found.value.number() == 1.0;
    if (neutral) return;
    config_.remarks().warn(found.from + " has no effect with rope type " + dict_.type() + " in " +
                           config_.model_type());
  }

  const Config& config_;
  const RopeDict& dict_;
  const Json& locals_;
  RotaryAnswer answer_;
  std::vector<std::string> used_;
  std::string sections_from_;
};

}  // namespace

RotaryAnswer make_rotary(const Config& config, const RopeDict& dict, const Json& locals) {
  return RotaryMaker(config, dict, locals).make();
}

}  // namespace posenc::models
