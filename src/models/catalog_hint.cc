// What an unknown name of a model may mean: a misspelt name, or a model of a family that the catalog has.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "core/text/nearest.h"
#include "models/embedded.h"
#include "posenc/files/json.h"
#include "posenc/models/catalog.h"
#include "posenc/models/model.h"

namespace posenc {
namespace {

using NameWords = std::vector<std::string>;

bool is_figure(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_number(const std::string& word) { return is_figure(word.front()); }

// NameWords of letters and numbers, in lower case: "Llama-3.1-8B" is llama, 3.1, 8, b. One letter and its number are
// one word, except a version: "t5-v1.1" is t5, v, 1.1.
NameWords name_words(std::string_view name) {
  NameWords words;
  name = name.substr(name.rfind('/') + 1);  // npos + 1 is 0: all of it
  for (std::size_t i = 0; i < name.size();) {
    const std::size_t start = i;
    if (is_letter(name[i])) {
      while (i < name.size() && is_letter(name[i])) ++i;
      const bool one =
          i == start + 1 && (start == 0 || !is_figure(name[start - 1])) && std::tolower(name[start]) != 'v';
      while (one && i < name.size() && is_figure(name[i])) ++i;
    } else if (is_figure(name[i])) {
      while (i < name.size() &&
             (is_figure(name[i]) || (name[i] == '.' && i + 1 < name.size() && is_figure(name[i + 1])))) {
        ++i;
      }
    } else {
      if (name[i++] == '+') words.emplace_back("plus");  // command-r+
      continue;
    }
    words.emplace_back(name.substr(start, i - start));
    for (char& c : words.back()) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return words;
}

// The words before the first number, without the mark of a version: the v of dinov2 and of v0.3.
NameWords leading_words(NameWords words) {
  const auto number = std::find_if(words.begin(), words.end(), is_number);
  const bool marked = number != words.end() && number != words.begin() && number[-1].ends_with('v');
  words.erase(number, words.end());
  if (marked) words.back().pop_back();
  if (!words.empty() && words.back().empty()) words.pop_back();
  return words;
}

std::string run_together(const NameWords& words, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += words[i];
  return text;
}

std::string model_type_of(const CatalogEntry& entry) {
  return parse_json(entry.config, entry.name).find("model_type")->string();
}

// What the names of a family begin with: the words up to the one that names the model type ("codellama" of
// code-llama-7b, "bert" of bert-base); if none does, all words before the first number.
std::string family_of(const CatalogEntry& entry) {
  const NameWords words = leading_words(name_words(entry.name)), type = leading_words(name_words(model_type_of(entry)));
  const std::string whole = run_together(type, type.size());
  for (std::size_t count = words.size(); count > 0; --count) {
    if (run_together(words, count) == whole || words[count - 1] == whole) return run_together(words, count);
  }
  const bool begins = !words.empty() && !type.empty() && words[0] == type[0];
  return run_together(words, begins ? 1 : words.size());
}

// Of a name: the numbers after its family.
struct Numbers {
  std::optional<double> version;  // 3.1 of llama-3.1-8b
  double size = 0.0;              // 8e9
};

double unit_of(const std::string& word) { return word == "k" ? 1e3 : word == "m" ? 1e6 : word == "b" ? 1e9 : 0.0; }

Numbers numbers_of(const NameWords& words) {
  Numbers numbers;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_number(words[i])) continue;
    const double value = std::strtod(words[i].c_str(), nullptr);
    const double unit = i + 1 < words.size() ? unit_of(words[i + 1]) : 0.0;
    const bool is_version = unit == 0.0 && !numbers.version && numbers.size == 0.0;
    if (is_version && !(i + 1 < words.size() && words[i + 1] == "x")) numbers.version = value;  // not the 8 of 8x7b
    if (unit > 0.0 && numbers.size == 0.0) numbers.size = value * unit;
  }
  return numbers;
}

// Whether a name begins with the family, at the end of a word.
bool is_of(const NameWords& leading, const std::string& family) {
  for (std::size_t count = 1; count <= leading.size(); ++count) {
    if (run_together(leading, count) == family) return true;
  }
  return false;
}

std::string without_doubles(std::string word) {
  word.erase(std::unique(word.begin(), word.end()), word.end());
  return word;
}

// Words of at least four letters that names of models are made of: those of the catalog, of the hub and of model types.
NameWords known_words() {
  NameWords known;
  const auto add = [&](std::string_view name) {
    for (std::string& word : name_words(name)) {
      if (word.size() >= 4 && !is_number(word)) known.push_back(std::move(word));
    }
  };
  for (const CatalogEntry& entry : catalog()) {
    add(entry.name);
    for (const std::string_view name : hub_names(entry)) add(name);
  }
  for (const std::string& type : known_model_types()) {
    add(type);
    const NameWords words = leading_words(name_words(type));
    known.push_back(run_together(words, words.size()));
  }
  return known;
}

// Whether a word begins or ends with a known word that the meant one does not have there, as distilbart beside
// distilbert, or that is all of the meant one, as bloomz beside bloom: the word names another model.
bool names_another(const std::string& word, const std::string& meant, const NameWords& known) {
  return std::any_of(known.begin(), known.end(), [&](const std::string& part) {
    if (part.size() < 4 || (!word.starts_with(part) && !word.ends_with(part))) return false;
    return part == meant || (word.starts_with(part) ? !meant.starts_with(part) : !meant.ends_with(part));
  });
}

bool misspells(const std::string& word, const std::string& meant, const NameWords& known) {
  if (std::min(word.size(), meant.size()) < 4) return false;
  if (std::find(known.begin(), known.end(), word) != known.end()) return false;
  if (without_doubles(word) == without_doubles(meant)) return true;
  const std::size_t allowed = meant.size() < 8 ? 1 : 2;
  // In a short word, one letter for another is usually another word: deit is not a misspelt beit.
  if (word.size() < 5 && word.size() == meant.size() && !std::is_permutation(word.begin(), word.end(), meant.begin())) {
    return false;
  }
  return text::edits_between(word, meant) <= allowed && !names_another(word, meant, known);
}

// Whether words are those of a name but for one that misspells its own.
bool misspell(const NameWords& words, const NameWords& name, const NameWords& known) {
  if (words.size() != name.size()) return false;
  const auto [wrong, meant] = std::mismatch(words.begin(), words.end(), name.begin());
  return wrong == words.end() || (std::equal(wrong + 1, words.end(), meant + 1) && misspells(*wrong, *meant, known));
}

// Of a distilled model, the words of the model that learned: llama of deepseek-r1-distill-llama.
NameWords without_teacher(NameWords words) {
  const auto mark = std::find(words.begin(), words.end(), "distill");
  if (mark != words.end() && mark + 1 != words.end()) words.erase(words.begin(), mark + 1);
  return words;
}

// Whether a word names another family than the one that a name begins with: t5-gemma is not a T5. The names of a family
// may have such a word themselves: clip-vit-b32 is a CLIP.
bool names_two(const NameWords& leading, const std::string& family, const std::vector<std::string>& families) {
  std::size_t count = 1;
  while (count < leading.size() && run_together(leading, count) != family) ++count;
  const auto has = [](const NameWords& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  return std::any_of(leading.begin() + static_cast<std::ptrdiff_t>(count), leading.end(), [&](const std::string& word) {
    bool other = false, own = false;
    for (std::size_t i = 0; i < families.size(); ++i) {
      other |= families[i] == word;
      own |= families[i] == family && has(name_words(catalog()[i].name), word);
    }
    return other && !own;
  });
}

// Whether an entry has a name on the hub that begins with these words and then a number, or their model type, or is of
// a family whose name goes on: kimi means kimi-k2.
bool is_called(const CatalogEntry& entry, const std::string& family, const NameWords& leading) {
  const std::string wanted = run_together(leading, leading.size());
  const auto begins = [&](std::string_view name) {
    const NameWords words = leading_words(name_words(name));
    return run_together(words, words.size()) == wanted;
  };
  const std::vector<std::string_view> hub = hub_names(entry);
  const bool longer = leading.size() == 1 && wanted.size() >= 4 && name_words(entry.name).front() == wanted;
  return longer || begins(model_type_of(entry)) || (family != wanted && std::any_of(hub.begin(), hub.end(), begins));
}

// The entries of the family that a name begins with, or else those that it calls otherwise.
std::vector<const CatalogEntry*> family_named(const NameWords& leading) {
  if (leading.empty()) return {};
  std::vector<std::string> families;
  for (const CatalogEntry& entry : catalog()) families.push_back(family_of(entry));
  std::string longest;
  for (const std::string& family : families) {
    if (family.size() > longest.size() && is_of(leading, family)) longest = family;
  }
  if (!longest.empty() && names_two(leading, longest, families)) return {};
  std::vector<const CatalogEntry*> found;
  for (std::size_t i = 0; i < families.size(); ++i) {
    const CatalogEntry& entry = catalog()[i];
    if (longest.empty() ? is_called(entry, families[i], leading) : families[i] == longest) found.push_back(&entry);
  }
  return found;
}

}  // namespace

std::string_view misspelt_in_catalog(std::string_view name) {
  constexpr std::size_t kLongest = 100;
  if (name.size() > kLongest) return {};
  const NameWords words = name_words(name), known = known_words();
  if (words.empty()) return {};
  for (const CatalogEntry& entry : catalog()) {
    std::vector<std::string_view> names = hub_names(entry);
    names.insert(names.begin(), entry.name);
    for (const std::string_view each : names) {
      if (misspell(words, name_words(each), known)) return each;
    }
  }
  return {};
}

std::vector<std::string_view> family_in_catalog(std::string_view name) {
  const NameWords words = without_teacher(name_words(name)), leading = leading_words(words);
  const std::vector<const CatalogEntry*> family = family_named(leading);
  // The number of llama-guard-3 is not a version of Llama.
  const bool own = !family.empty() && run_together(leading, leading.size()) == family_of(*family[0]);
  const std::optional<double> version = own ? numbers_of(words).version : std::nullopt;
  std::vector<std::tuple<double, double, double, std::string_view>> order;  // distance of versions, version, size
  for (const CatalogEntry* entry : family) {
    const Numbers numbers = numbers_of(name_words(entry->name));
    const double has = numbers.version.value_or(0.0);
    order.emplace_back(version ? std::abs(has - *version) : 0.0, has, numbers.size, entry->name);
  }
  std::sort(order.begin(), order.end());
  const bool only = version && !order.empty() && std::get<0>(order[0]) == 0.0;
  std::vector<std::string_view> found;
  for (const auto& [distance, has, size, entry] : order) {
    if (!only || distance == 0.0) found.push_back(entry);
  }
  return found;
}

}  // namespace posenc
