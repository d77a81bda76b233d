#include "golden/rotary_cases.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "golden/files.h"

namespace golden {
namespace {

using posenc::Json;

void flatten(const Json& json, std::vector<double>& numbers) {
  if (!json.is_array()) return numbers.push_back(json.number());
  for (const Json& item : json.array()) flatten(item, numbers);
}

std::vector<double> numbers(const Json& group, const char* key) {
  std::vector<double> result;
  if (const Json* found = group.find(key)) flatten(*found, result);
  return result;
}

// Printed with the digits that give back the same float32.
std::vector<double> floats(const Json& group, const char* key) {
  std::vector<double> result = numbers(group, key);
  for (double& value : result) value = static_cast<double>(static_cast<float>(value));
  return result;
}

std::vector<std::int64_t> integers(const Json& group, const char* key) {
  std::vector<std::int64_t> result;
  for (const double number : numbers(group, key)) result.push_back(static_cast<std::int64_t>(number));
  return result;
}

std::int64_t integer(const Json& group, const char* key, std::int64_t fallback = 0) {
  const Json* found = group.find(key);
  return found == nullptr || found->is_null() ? fallback : found->integer(key);
}

std::string word(const Json& group, const char* key) {
  const Json* found = group.find(key);
  return found != nullptr && found->is_string() ? found->string() : "";
}

// Coordinates of a token; 1 where all are the same and no pair has an axis (text through a model with three).
std::int64_t axes_of(const Json& group, const char* key) {
  const Json* found = group.find(key);
  if (found == nullptr || !found->array().at(0).is_array()) return 1;
  return static_cast<std::int64_t>(found->array()[0].array().size());
}

posenc::Positions positions_of(const Json& group, const char* key) {
  const std::vector<double> values = numbers(group, key);
  const std::int64_t axes = axes_of(group, key);
  const bool has_axes = group.find("axis_of_pair") != nullptr || group.find("axes") != nullptr;
  const bool whole = std::all_of(values.begin(), values.end(), [](double v) { return v == std::trunc(v); });
  std::vector<double> kept;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (has_axes || i % static_cast<std::size_t>(axes) == 0) kept.push_back(values[i]);
  }
  if (!whole) return posenc::Positions::reals(kept, has_axes ? axes : 1);
  return posenc::Positions::integers({kept.begin(), kept.end()}, has_axes ? axes : 1);
}

posenc::Layout layout_of(const std::string& word) {
  static const std::map<std::string, posenc::Layout> layouts = {
      {"", posenc::Layout::half},
      {"half", posenc::Layout::half},
      {"interleaved", posenc::Layout::interleaved},
      {"interleaved_to_half", posenc::Layout::interleaved_to_half},
      {"half_negative", posenc::Layout::half_negative},
      {"half_per_axis", posenc::Layout::half_per_axis},
      {"full_width_half", posenc::Layout::full_width_half},
      {"interleaved_pairs_with_halves_tiling_per_axis", posenc::Layout::interleaved}};
  return layouts.at(word);
}

posenc::Rotary spec_of(const Json& group, const std::vector<double>& inv_freq) {
  posenc::Rotary spec;
  spec.head_dim = integer(group, "head_dim");
  spec.rotary_dim = integer(group, "rotary_dim");
  spec.first_channel = integer(group, "rope_offset");
  if (group.find("q_is") != nullptr) spec.head_dim = spec.rotary_dim;  // only the slice that turns is given
  spec.layout = layout_of(word(group, "layout"));
  spec.attention_factor = group.find("attention_factor")->number();
  spec.axis_of_pair = integers(group, "axis_of_pair");
  if (!spec.axis_of_pair.empty()) spec.axes = axes_of(group, "positions");
  const std::vector<std::int64_t> index = integers(group, "freq_index_of_pair");
  for (std::size_t i = 0; i < static_cast<std::size_t>(spec.rotary_dim / 2); ++i) {
    const std::size_t at = index.empty() ? i : static_cast<std::size_t>(index[i]);
    if (at < inv_freq.size()) spec.inv_freq.push_back(inv_freq[at]);
  }
  return spec;
}

// What the config says, or what its class says where it does not. Scaled types have no such base, nor do frequencies
// that are not in their order.
std::optional<double> base_of(const Json& config, const std::string& name, const std::string& layer_type) {
  static const std::map<std::string, std::optional<double>> exceptions = {
      {"a-trap-olmo3-theta/sliding_attention", 500000.0},
      {"b-deepseek-v4-default/compress", std::nullopt},
      {"b-ernie-4.5-vl-default", std::nullopt},
      {"b-mistral4-default", std::nullopt},
      {"d-pixtral", std::nullopt}};
  if (const auto found = exceptions.find(name); found != exceptions.end()) return found->second;
  const Json* text = config.find("text_config");
  const Json& model = text != nullptr ? *text : config;
  const Json* rope = model.find("rope_parameters");
  if (rope == nullptr || rope->is_null()) rope = model.find("rope_scaling");
  if (rope != nullptr && rope->find(layer_type) != nullptr) rope = rope->find(layer_type);
  const Json* theta = nullptr;
  if (rope != nullptr && rope->is_object()) {
    const std::string type = word(*rope, rope->find("rope_type") != nullptr ? "rope_type" : "type");
    if (!type.empty() && type != "default" && type != "mrope" && type != "axial") return std::nullopt;
    theta = rope->find("rope_theta");
  }
  for (const char* key : {"rope_theta", "rotary_emb_base"}) {
    if (theta == nullptr) theta = model.find(key);
  }
  return theta == nullptr ? 10000.0 : theta->number();
}

RotaryCase case_of(const Json& file, const Json& group) {
  const std::string layer_type = word(group, "layer_type");
  RotaryCase result = rotary_case(file.find("case")->string() + (layer_type.empty() ? "" : "/" + layer_type), group);
  result.base = base_of(*file.find("config"), result.name, layer_type);
  return result;
}

}  // namespace

RotaryCase rotary_case(const std::string& name, const Json& group) {
  RotaryCase result;
  result.name = name;
  result.layout = word(group, "layout");
  result.inv_freq = numbers(group, "inv_freq");
  result.spec = spec_of(group, result.inv_freq);
  if (const Json* multiplier = group.find("angle_multiplier")) result.angle_multiplier = multiplier->number();
  result.dtype = word(group, "dtype");
  result.table_dtype = word(group, "table_dtype");
  result.positions = positions_of(group, "positions");
  result.cos = floats(group, "cos");
  result.sin = floats(group, "sin");
  result.q = floats(group, "q");
  result.q_rotated = floats(group, "q_rotated");
  if (!result.q.empty()) result.q_positions = positions_of(group, "q_positions");
  return result;
}

std::vector<RotaryCase> rotary_cases(const std::string& folder) {
  std::vector<RotaryCase> cases;
  for (const std::filesystem::path& path : files_of(folder)) {
    const Json file = load(path);
    for (const Json& group : file.find("groups")->array()) {
      if (group.find("rope")->boolean()) cases.push_back(case_of(file, group));
    }
  }
  return cases;
}

}  // namespace golden
