#include "cli/show_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "posenc/files/spec_json.h"
#include "posenc/schedule.h"

namespace posenc::cli {
namespace {

constexpr int kTextIndent = 17;

std::string line(const std::string& name, const std::string& text) {
  return fmt::format("  {:<{}}{}\n", name, kTextIndent - 2, text);
}

// A number as text: integers in full, other numbers with six digits.
std::string number(double value) {
  const bool whole = std::nearbyint(value) == value && std::fabs(value) < 1e15;
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.6g}", value);
}

// The formula of the angles, with unscaled frequencies.
std::string formula(const Rotary& spec, const RotarySchedule& schedule) {
  if (!spec.inv_freq.empty()) return "the position times the frequencies below, which are given one by one";
  const bool shared = spec.axis_frequencies == AxisFrequencies::shared && spec.layout != Layout::half_per_axis;
  const std::string dim = schedule.exponent_dim > 0 ? fmt::format("{}", schedule.exponent_dim) : "n";
  std::string text = fmt::format("{}^(-2{}/{})", number(spec.base), shared ? "i" : "r", dim);
  if (spec.axis_frequencies == AxisFrequencies::dealt) {
    text = fmt::format("{}^(-2(r A + axis)/{})", number(spec.base), dim);
  }
  if (!shared) text += ", r counted within each axis";
  if (spec.frequency_scale != 1.0) text = fmt::format("{} * ", number(spec.frequency_scale)) + text;
  text = (schedule.axes > 1 ? "p[axis of pair i] * f_i,  f_i = " : "p * f_i,  f_i = ") + text;
  return std::holds_alternative<NoScaling>(spec.scaling) ? text : text + " before scaling";
}

// The scaling in a sentence.
std::string scaling_line(const Rotary& spec) {
  if (std::holds_alternative<NoScaling>(spec.scaling)) return "";
  for (const KindInfo& kind : scaling_kinds()) {
    if (kind.name == kind_of(spec.scaling)) return line("scaling", fmt::format("{}, {}", kind.name, kind.summary));
  }
  return "";
}

std::vector<double> all_frequencies(const RotarySchedule& schedule) {
  std::vector<double> result;
  const auto columns = static_cast<std::size_t>(schedule.columns());
  for (std::size_t i = 0; i < columns; ++i) {
    double sum = 0.0;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(schedule.axes); ++axis) {
      sum += schedule.inv_freq[axis * columns + i];
    }
    result.push_back(sum);
  }
  return result;
}

std::string frequency_lines(const RotarySchedule& schedule, std::int64_t trained) {
  const std::vector<double> all = all_frequencies(schedule);
  std::vector<double> turning;
  std::copy_if(all.begin(), all.end(), std::back_inserter(turning), [](double f) { return f != 0.0; });
  std::string text = line("frequencies", fmt::format("{} {}, from {} to {} radians per position", all.size(),
                                                     is_rotation(schedule.layout) ? "pairs" : "channels",
                                                     number(all.front()), number(all.back())));
  if (turning.size() < all.size()) {
    text += line("", fmt::format("{} of them rotate, the others have frequency 0", turning.size()));
  }
  if (turning.empty()) return text;
  const auto [slow, fast] = std::minmax_element(turning.begin(), turning.end(),
                                                [](double a, double b) { return std::fabs(a) < std::fabs(b); });
  const double turn = 6.283185307179586;
  std::string waves =
      fmt::format("{} to {} positions per turn", number(turn / std::fabs(*fast)), number(turn / std::fabs(*slow)));
  if (trained > 0 && schedule.axes == 1) {
    const auto whole = std::count_if(turning.begin(), turning.end(),
                                     [&](double f) { return turn / std::fabs(f) <= static_cast<double>(trained); });
    waves += fmt::format("; {} of {} complete a turn within {} positions", whole, turning.size(), trained);
  }
  return text + line("wavelengths", waves);
}

// The pair of a channel of the rotated window, in the input of the rotation.
std::int64_t pair_of(const RotarySchedule& schedule, std::int64_t channel) {
  const std::int64_t pairs = schedule.pairs();
  switch (schedule.layout) {
    case Layout::interleaved:
    case Layout::interleaved_to_half:
      return channel / 2;
    case Layout::half_per_axis: {
      const std::int64_t half = pairs / schedule.axes;
      return channel / (2 * half) * half + channel % half;
    }
    case Layout::interleaved_pairs_with_halves_tiling_per_axis:
      return channel / 2;
    default:
      return channel % pairs;
  }
}

// Draws two rows: channels, and the pair of each.
std::string layout_drawing(const RotarySchedule& schedule) {
  const std::int64_t width = schedule.rotary_dim, half = width / 2;
  std::vector<std::int64_t> shown;
  for (const std::int64_t c : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, half - 1, half,
                               half + 1, half + 2, width - 2, width - 1}) {
    if (c >= 0 && c < width && (shown.empty() || c > shown.back())) shown.push_back(c);
  }
  std::string channels = "channel", pairs = "pair   ";
  std::int64_t before = -1;
  for (const std::int64_t c : shown) {
    if (c != before + 1) {
      channels += "  ..";
      pairs += "  ..";
    }
    channels += fmt::format(" {:>4}", c + schedule.first_channel);
    pairs += fmt::format(" {:>4}", pair_of(schedule, c));
    before = c;
  }
  return line("", channels) + line("", pairs);
}

std::string layout_words(const RotarySchedule& schedule) {
  const std::int64_t half = schedule.rotary_dim / 2;
  switch (schedule.layout) {
    case Layout::half:
      return fmt::format("half: channel i is paired with channel i + {}", half);
    case Layout::interleaved:
      return "interleaved: channels 2i and 2i + 1 are a pair";
    case Layout::interleaved_to_half:
      return fmt::format("interleaved_to_half: pair i is read from channels 2i and 2i + 1 and written to i and i + {}",
                         half);
    case Layout::half_negative:
      return fmt::format("half_negative: channel i is paired with channel i + {}, rotated by the negative angle", half);
    case Layout::half_per_axis:
      return "half_per_axis: each axis rotates its own part of the head, in the layout half";
    case Layout::full_width_half:
      return "full_width_half: pairs as in half, but their channels may follow different axes: not a rotation";
    default:
      return "neighbours are paired, but angles are tiled as halves within each axis: not a rotation";
  }
}

std::string head_words(const RotarySchedule& schedule) {
  const std::int64_t head = schedule.head_dim, width = schedule.rotary_dim, first = schedule.first_channel;
  if (width == head) return fmt::format("{} channels, all rotated", head);
  return fmt::format("{} channels, of which {} to {} are rotated", head, first, first + width - 1);
}

std::string factor_words(const ModelGroup& group, const RotarySchedule* schedule) {
  std::string text;
  const auto add = [&](const std::string& what, const std::string& factor) {
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", what, factor);
  };
  if (schedule) add("cos and sin times", number(schedule->attention_factor));
  if (group.softmax_scale) add("scores q.k times", number(*group.softmax_scale));
  if (group.query_scale) {
    const QueryTemperature& q = *group.query_scale;
    const std::string place = q.first == 0 ? "p" : fmt::format("(p + {})", q.first);
    add("queries times", q.form == TemperatureForm::log_floor
                             ? fmt::format("1 + {} ln(1 + floor({} / {}))", number(q.scale), place, q.length)
                             : fmt::format("(1 + {} / {})^{}", place, q.length, number(q.scale)));
  }
  return text;
}

std::string axes_words(const Rotary& spec) {
  std::vector<std::string> counts;
  for (const std::int64_t count : spec.sections) counts.push_back(fmt::format("{}", count));
  std::string text = fmt::format("{} coordinates per position",
                                 spec.axes > 1 ? spec.axes : static_cast<std::int64_t>(spec.sections.size()));
  if (!counts.empty()) text += fmt::format(", with {} pairs", fmt::join(counts, ", "));
  const Json json = to_json(spec);
  if (is_rotation(spec.layout) && spec.layout != Layout::half_per_axis) {
    text += fmt::format(", {}", json.find("section_order")->string());
  }
  return text;
}

std::string rotary_lines(const ModelGroup& group, const Rotary& spec, const RotarySchedule& schedule,
                         std::optional<std::int64_t> sequence_length) {
  const bool by_length = needs_length(spec.scaling);
  std::string text = line("angle", formula(spec, schedule)) + scaling_line(spec);
  if (by_length) {
    const std::string up_to =
        trained_length(spec.scaling) ? fmt::format("up to {} tokens", *trained_length(spec.scaling)) : "";
    text += line("", sequence_length ? fmt::format("for a sequence of {} tokens", *sequence_length)
                                     : fmt::format("for sequences {}; --sequence-length N shows longer ones", up_to));
  }
  const bool short_ones = by_length && !sequence_length && trained_length(spec.scaling);
  text += frequency_lines(schedule, short_ones ? *trained_length(spec.scaling) : group.trained_positions);
  if (schedule.axes > 1) text += line("axes", axes_words(spec));
  text += line("head", head_words(schedule));
  if (group.latent_head) {
    text += line("", fmt::format("the last {} of a head of {}: [{} without positions | {} rotated]",
                                 group.latent_head->rope, group.latent_head->nope + group.latent_head->rope,
                                 group.latent_head->nope, group.latent_head->rope));
  }
  return text + line("layout", layout_words(schedule)) + layout_drawing(schedule);
}

const Json* field_of(const Json& spec, const std::string& path) {
  const std::size_t dot = path.find('.');
  if (dot == std::string::npos) return spec.find(path);
  const Json* inner = spec.find(path.substr(0, dot));
  return inner ? field_of(*inner, path.substr(dot + 1)) : nullptr;
}

std::string short_text(const Json& value) {
  if (value.is_string()) return value.string();
  if (const double* real = std::get_if<double>(&value.value)) return number(*real);
  std::string text = to_text(value);
  text.erase(std::remove(text.begin(), text.end(), '\n'), text.end());
  return text.size() > 24 ? text.substr(0, 21) + "..." : text;
}

// The value of a field of the provenance, from the JSON of the group.
std::string field_text(const Json& group, const std::string& field) {
  if (field == "scaling") return short_text(*field_of(group, "spec.scaling.kind"));
  if (field == "kind") return short_text(*field_of(group, "spec.kind"));
  for (const std::string& path : {field, "spec." + field}) {
    const Json* found = field_of(group, path);
    if (found && !found->is_null() && !found->is_object()) return short_text(*found);
  }
  return "";
}

std::string provenance_lines(const Model& model, const ModelGroup& group, std::optional<std::int64_t> sequence_length) {
  Model alone = model;
  alone.groups = {group};
  const Json json = to_json(alone, sequence_length);
  std::vector<std::string> values;
  std::size_t width = 14;
  for (const Provenance& entry : group.provenance) {
    values.push_back(field_text(json.find("groups")->array()[0], entry.field));
    width = std::max(width, values.back().size());
  }
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Provenance& entry = group.provenance[i];
    text += line(i == 0 ? "source" : "", fmt::format("{:<28} {:<{}} {}", entry.field, values[i], width, entry.from));
  }
  return text;
}

std::string group_text(const Model& model, const ModelGroup& group, std::optional<std::int64_t> sequence_length) {
  std::string text = fmt::format(
      "{}, {}{}: {}\n", group.part, group.layers.empty() ? "no layers" : "layers " + ranges_text(group.layers),
      group.layer_type.empty() ? "" : fmt::format(" ({})", group.layer_type), encoding_words(group));
  if (group.other_kind.empty() && kind_of(group.spec) != "none") text += line("spec", to_text(group.spec));
  const auto* rotary = std::get_if<Rotary>(&group.spec);
  std::optional<RotarySchedule> schedule;
  if (rotary) {
    schedule =
        needs_length(rotary->scaling) ? make_schedule(*rotary, sequence_length.value_or(1)) : make_schedule(*rotary);
    text += rotary_lines(group, *rotary, *schedule, sequence_length);
  }
  const std::string factors = factor_words(group, schedule ? &*schedule : nullptr);
  if (!factors.empty()) text += line("factors", factors);
  if (group.sliding_window) {
    const bool chunks = group.layer_type == "chunked_attention";
    const char* words = chunks ? "a query sees the keys of its own chunk of {}" : "a query sees at most {} keys";
    text += line("window", fmt::format(fmt::runtime(words), *group.sliding_window));
  }
  for (const std::string& note : group.notes) text += line("note", note);
  text += provenance_lines(model, group, sequence_length);
  return text + "\n";
}

std::string list_text(const char* title, const std::vector<std::string>& entries) {
  std::string text;
  for (const std::string& entry : entries) text += fmt::format("{}: {}\n", title, entry);
  return text;
}

}  // namespace

std::string ranges_text(const std::vector<std::int64_t>& numbers, std::string_view to) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (!text.empty()) text += ", ";
    text += end - i == 1 ? fmt::format("{}", numbers[i]) : fmt::format("{}{}{}", numbers[i], to, numbers[end - 1]);
    i = end;
  }
  return text;
}

std::string encoding_words(const ModelGroup& group) {
  if (!group.other_kind.empty()) return fmt::format("{} (recognised, not computed)", group.other_kind);
  const auto* rotary = std::get_if<Rotary>(&group.spec);
  if (!rotary) return std::string(kind_of(group.spec) == "none" ? "no positions" : kind_of(group.spec));
  const std::string_view scaling = kind_of(rotary->scaling);
  return fmt::format(
      "rotary{}{}", scaling == "none" ? "" : fmt::format(", {} scaling", scaling),
      rotary->layout == Layout::half ? "" : fmt::format(", {} layout", to_json(group.spec).find("layout")->string()));
}

std::string model_text(const Model& model, std::optional<std::int64_t> sequence_length) {
  std::string text = fmt::format("{}: model type {}, from {}\n\n", model.source, model.model_type,
                                 model.format == "catalog" ? "the catalog" : "a " + model.format);
  for (const ModelGroup& group : model.groups) text += group_text(model, group, sequence_length);
  std::string end = list_text("guess", model.guesses) + list_text("warning", model.warnings);
  for (const Reading& reading : model.readings) {
    end += fmt::format("reading: {}\n         {} --reading {}\n", reading.sentence,
                       reading.other ? "here it is read the other way, because of"
                                     : fmt::format("to read it the other way: posenc show {}", model.source),
                       reading.name);
  }
  return end.empty() ? text : text + end;
}

}  // namespace posenc::cli
