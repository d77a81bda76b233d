// Models: pairs up the layers to compare.
#include <algorithm>
#include <map>

#include "core/base/refuse.h"
#include "models/comparison/rule.h"

namespace posenc {
namespace {

using namespace comparison;

using GroupIndex = std::optional<std::size_t>;

// The groups of each layer, in the order of the model. Groups without layers are at -1.
using LayerGroups = std::map<std::int64_t, std::vector<std::size_t>>;
using PartGroups = std::vector<std::pair<std::string, LayerGroups>>;

LayerGroups& part_named(PartGroups& parts, const std::string& name) {
  for (auto& [part, layers] : parts) {
    if (part == name) return layers;
  }
  return parts.emplace_back(name, LayerGroups{}).second;
}

PartGroups parts_of(const Model& model) {
  PartGroups parts;
  for (std::size_t g = 0; g < model.groups.size(); ++g) {
    const ModelGroup& group = model.groups[g];
    LayerGroups& layers = part_named(parts, group.part);
    if (group.layers.empty()) layers[-1].push_back(g);
    for (const std::int64_t layer : group.layers) layers[layer].push_back(g);
  }
  return parts;
}

// Pairs up the groups of each layer. Two groups that share several layers are compared only once.
class Pairing {
 public:
  void add_part(const std::string& part, const LayerGroups& a, const LayerGroups& b) {
    LayerGroups all = a;
    all.insert(b.begin(), b.end());
    for (const auto& [layer, groups] : all) {
      const auto one = a.find(layer), other = b.find(layer);
      const std::size_t count_a = one == a.end() ? 0 : one->second.size(),
                        count_b = other == b.end() ? 0 : other->second.size();
      for (std::size_t i = 0; i < std::max(count_a, count_b); ++i) {
        add(part, layer, i < count_a ? GroupIndex(one->second[i]) : GroupIndex(),
            i < count_b ? GroupIndex(other->second[i]) : GroupIndex());
      }
    }
  }
  std::vector<ModelComparisonEntry> entries;

 private:
  void add(const std::string& part, std::int64_t layer, GroupIndex a, GroupIndex b) {
    auto found = std::find_if(entries.begin(), entries.end(), [&](const ModelComparisonEntry& entry) {
      return entry.part == part && entry.group_a == a && entry.group_b == b;
    });
    if (found == entries.end()) found = entries.insert(entries.end(), {part, {}, a, b, {}});
    if (layer >= 0) found->layers.push_back(layer);
  }
};

Pairing pair_up(const Model& a, const Model& b) {
  PartGroups one = parts_of(a), other = parts_of(b);
  if (one.size() == 1 && other.size() == 1) other.front().first = one.front().first;
  Pairing pairing;
  for (const auto& [part, layers] : one) pairing.add_part(part, layers, part_named(other, part));
  for (const auto& entry : other) {
    const auto same_part = [&](const auto& known) { return known.first == entry.first; };
    if (std::none_of(one.begin(), one.end(), same_part)) pairing.add_part(entry.first, {}, entry.second);
  }
  return pairing;
}

bool is_chosen(const ModelComparisonEntry& entry, const CompareOptions& options) {
  if (!options.part.empty() && entry.part != options.part) return false;
  return !options.layer || std::find(entry.layers.begin(), entry.layers.end(), *options.layer) != entry.layers.end();
}

// A list of layers as text: "layers 0 to 4, 6", "layer 3".
std::string layers_text(const std::vector<std::int64_t>& layers) {
  std::string text = layers.size() == 1 ? "layer " : "layers ";
  for (std::size_t i = 0, end = 0; i < layers.size(); i = end) {
    for (end = i + 1; end < layers.size() && layers[end] == layers[end - 1] + 1;) ++end;
    text += (i == 0 ? "" : ", ") + std::to_string(layers[i]);
    if (end - i > 1) text += " to " + std::to_string(layers[end - 1]);
  }
  return text;
}

// What the options ask for: "part 'vision'", "layer 99", "layer 3 of part 'text'".
std::string chosen_text(const CompareOptions& options) {
  const std::string part = options.part.empty() ? "" : "part '" + options.part + "'";
  if (!options.layer) return part;
  return "layer " + std::to_string(*options.layer) + (part.empty() ? "" : " of " + part);
}

// The parts of a model and their layers: "text (layers 0 to 31)".
std::string contents_text(const Model& model) {
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> parts;
  for (const ModelGroup& group : model.groups) {
    auto found = std::find_if(parts.begin(), parts.end(), [&](const auto& part) { return part.first == group.part; });
    if (found == parts.end()) found = parts.insert(parts.end(), {group.part, {}});
    found->second.insert(found->second.end(), group.layers.begin(), group.layers.end());
  }
  std::string text;
  for (auto& [part, layers] : parts) {
    std::sort(layers.begin(), layers.end());
    layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
    text += (text.empty() ? "" : ", ") + part + (layers.empty() ? "" : " (" + layers_text(layers) + ")");
  }
  return text;
}

std::string entry_text(const ModelComparisonEntry& entry) {
  return entry.part + (entry.layers.empty() ? "" : ", " + layers_text(entry.layers)) + ": " + entry.comparison.sentence;
}

Comparison only_one(bool in_a) {
  Comparison result{.verdict = Agreement::different, .first_position = 0};
  result.differs = Difference{"layers", "", 0, in_a ? "present" : "absent", in_a ? "absent" : "present"};
  result.sentence = std::string("different: only ") + (in_a ? "A" : "B") + " has this";
  return result;
}

Comparison compare_entry(const ModelComparisonEntry& entry, const Model& a, const Model& b,
                         const CompareOptions& options) {
  if (!entry.group_a || !entry.group_b) return only_one(entry.group_a.has_value());
  return compare(a.groups[*entry.group_a], b.groups[*entry.group_b], options);
}

}  // namespace

ModelComparison compare_models(const Model& a, const Model& b, const CompareOptions& options) {
  ModelComparison result;
  const ModelComparisonEntry* worst = nullptr;
  Pairing pairing = pair_up(a, b);
  for (ModelComparisonEntry& entry : pairing.entries) {
    if (!is_chosen(entry, options)) continue;
    entry.comparison = compare_entry(entry, a, b, options);
    result.entries.push_back(std::move(entry));
  }
  if (result.entries.empty()) {
    base::refuse("compare_models", "neither model has ", chosen_text(options), ": A has ", contents_text(a), ", B has ",
                 contents_text(b));
  }
  for (const ModelComparisonEntry& entry : result.entries) {
    if (worst == nullptr || entry.comparison.verdict > worst->comparison.verdict) worst = &entry;
  }
  result.verdict = worst->comparison.verdict;
  result.sentence = entry_text(*worst);
  return result;
}

}  // namespace posenc
