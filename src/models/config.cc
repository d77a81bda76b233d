#include "models/config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/base/refuse.h"
#include "core/text/joined.h"
#include "core/text/nearest.h"

namespace posenc::models {
namespace {

// A name with one of these words between underscores is about positions.
constexpr std::array<std::string_view, 17> kPositionWords = {
    "rope", "rotary", "position", "positions", "positional", "alibi",    "theta",  "mrope", "sinusoidal",
    "yarn", "xpos",   "ntk",      "nope",      "xdrope",     "longrope", "rope3d", "pos"};
// A name that contains one of these is about positions too.
constexpr std::array<std::string_view, 3> kPositionNames = {"relative_att", "rel_pos", "max_distance"};

bool about_positions(std::string_view key) {
  for (const std::string_view name : kPositionNames) {
    if (key.find(name) != std::string_view::npos) return true;
  }
  for (std::size_t begin = 0; begin <= key.size();) {
    const std::size_t end = std::min(key.find('_', begin), key.size());
    const std::string_view word = key.substr(begin, end - begin);
    if (std::find(kPositionWords.begin(), kPositionWords.end(), word) != kPositionWords.end()) return true;
    begin = end + 1;
  }
  return false;
}

// Limits on keys and list elements. A real config.json has fewer; lists are searched for every layer, so longer ones
// would take too long.
constexpr std::size_t kMostMembers = 4096;
constexpr std::size_t kMostValues = 4096;

const Json* walk(const Json& object, const std::string& name) {
  if (const Json* found = object.find(name)) return found;
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return nullptr;
  const Json* inner = object.find(name.substr(0, dot));
  return inner ? walk(*inner, name.substr(dot + 1)) : nullptr;
}

bool same_value(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) return a.number() == b.number();
  return to_text(a) == to_text(b);
}

std::vector<std::string> names_of(const Json& row, const std::string& name) {
  if (name.starts_with("file.")) return {name.substr(5)};  // exactly this name in the file
  const Json* only = row.find("only");
  if (const Json* other = only ? only->find(name) : nullptr) return {other->string()};
  std::vector<std::string> names = {name};
  const Json* keys = row.find("keys");
  const Json* others = keys ? keys->find(name) : nullptr;
  if (!others) return names;
  if (others->is_string()) {
    names.push_back(others->string());
  } else {
    for (const Json& other : others->array()) names.push_back(other.string());
  }
  return names;
}

}  // namespace

std::string value_text(const Json& value) {
  std::string text = to_text(value);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.size() > 60 ? text.substr(0, 57) + "..." : text;
}

void Remarks::warn(const std::string& sentence) const { model.warnings.push_back(sentence); }

bool Remarks::other_reading(const std::string& name, const std::string& sentence) const {
  bool other = false;
  for (const std::string& wanted : options.other_readings) other = other || wanted == name;
  for (const Reading& reading : model.readings) {
    if (reading.name == name) return other;
  }
  model.readings.push_back({name, sentence, other});
  return other;
}

Config::Config(const Json& object, std::string source, std::string path, Json row, Remarks remarks)
    : object_(&object), source_(std::move(source)), path_(std::move(path)), row_(std::move(row)), remarks_(remarks) {
  if (object.object().size() > kMostMembers) {
    const std::string where = path_.empty() ? "" : path_.substr(0, path_.size() - 1) + ": ";
    base::refuse_file(source_, where, "expected at most ", kMostMembers, " keys but got ", object.object().size());
  }
}

Config::Config(const Config& other, Json row)
    : object_(other.object_),
      source_(other.source_),
      path_(other.path_),
      row_(std::move(row)),
      remarks_(other.remarks_) {}

const Json* Config::rule(std::string_view key) const noexcept {
  const Json* found = row_.find(key);
  return found && !found->is_null() ? found : nullptr;
}

const Json* Config::rope_rule(std::string_view key) const noexcept {
  const Json* rope = rule("rope");
  return rope ? rope->find(key) : nullptr;
}

Formula Config::formula(std::string_view key, std::string_view fallback) const {
  const Json* text = rule(key);
  return Formula(text ? std::string_view(text->string()) : fallback);
}

std::string Config::model_type() const { return row_.find("model_type")->string(); }

Config::FoundValue Config::place_in_file(const std::string& name) const {
  FoundValue place;
  for (const std::string& other : names_of(row_, name)) {
    known_.insert(other.substr(0, other.find('.')));
    const Json* value = walk(*object_, other);
    if (value && value->is_null()) place.null = true;
    if (!value || value->is_null()) continue;
    if (place.value && !same_value(*place.value, *value)) {
      refuse(other, value_text(*value), " contradicts ", place.from, ", ", value_text(*place.value), ": ", model_type(),
             " reads both as the same number; leave one out");
    }
    if (place.value) continue;
    place.value = value;
    place.from = path_ + other;
    if (value->is_array() && value->array().size() > kMostValues) {
      refuse(other, "expected at most ", kMostValues, " values but got ", value->array().size());
    }
  }
  return place;
}

Config::FoundValue Config::place_of(const std::string& name) const {
  FoundValue place = place_in_file(name);
  if (place.value || place.null) return place;
  const Json* defaults = row_.find("defaults");
  const Json* value = defaults ? defaults->find(name) : nullptr;
  if (!value || value->is_null()) return place;
  return {value, "default of " + model_type(), false};
}

Found Config::in_file(const std::string& name) const {
  const FoundValue place = place_in_file(name);
  return place.value ? Found{*place.value, place.from} : Found{};
}

Found Config::find(const std::string& name) const {
  const FoundValue place = place_of(name);
  return place.value ? Found{*place.value, place.from} : Found{};
}

Json Config::value_of(const Formula& formula, const Json& locals) const {
  return formula.evaluate([&](const std::string& name) {
    const Json* local = walk(locals, name);
    return local ? local : place_of(name).value;
  });
}

Found Config::evaluate(const Formula& formula, const Json& locals) const {
  Found found{value_of(formula, locals), formula.text()};
  const std::vector<std::string> names = formula.names();
  if (names.empty()) found.from = "model type " + model_type();
  if (!found.given() || names.empty() || walk(locals, names[0])) return found;
  // A formula that is a name, or a name with a fallback, has a place in the file.
  Found first = find(names[0]);
  const bool alone = formula.text() == names[0], leads = formula.text().starts_with(names[0] + " ?? ");
  if ((alone || leads) && first.given()) return first;
  if (leads) found.from = formula.text().substr(names[0].size() + 4);
  std::vector<std::string> by_default;
  for (const std::string& name : names) {
    if (found.from.find(name) == std::string::npos || walk(locals, name)) continue;
    const bool listed = std::find(by_default.begin(), by_default.end(), name) != by_default.end();
    if (!listed && find(name).from.starts_with("default of ")) by_default.push_back(name);
  }
  if (!by_default.empty()) found.from += " (" + text::joined(by_default, ", ") + ": default of " + model_type() + ")";
  return found;
}

std::int64_t Config::integer(const Found& found, const std::string& name, std::int64_t least, std::int64_t most) const {
  if (!found.given()) {
    refuse(name, "expected a whole number, but the key is missing and ", model_type(), " has no default for it");
  }
  return integer_at({found.value, found.from.empty() ? path_ + name : found.from}, least, most);
}

std::int64_t Config::integer_at(const Found& found, std::int64_t least, std::int64_t most) const {
  const double value = found.value.is_number() ? found.value.number() : std::nan("");
  if (std::nearbyint(value) == value && value >= static_cast<double>(least) && value <= static_cast<double>(most)) {
    return static_cast<std::int64_t>(value);
  }
  refuse_at(found.from, "expected a whole number from " + std::to_string(least) + " to " + std::to_string(most) +
                            " but got " + value_text(found.value));
}

double Config::positive(const Found& found, const std::string& name) const {
  if (!found.given()) refuse(name, "expected a number above 0, but the key is missing");
  return positive_at(found);
}

double Config::positive_at(const Found& found) const {
  const double value = found.value.is_number() ? found.value.number() : std::nan("");
  if (std::isfinite(value) && value > 0.0) return value;
  refuse_at(found.from, "expected a number above 0 but got " + value_text(found.value));
}

void Config::refuse_unknown() const {
  if (!object_->is_object()) return;
  for (const auto& [key, value] : object_->object()) {
    // A key that is null or false has no effect.
    const bool* flag = std::get_if<bool>(&value.value);
    const bool silent = value.is_null() || (flag && !*flag);
    if (known_.count(key) || silent || !about_positions(key)) continue;
    const std::string sentence =
        "this key is about positions, but posenc does not know it for " + model_type() + text::hint(key, known_);
    if (!remarks_.options.lenient) refuse(key, sentence, " (--lenient makes this a warning)");
    remarks_.warn(path_ + key + ": " + sentence);
  }
}

}  // namespace posenc::models
