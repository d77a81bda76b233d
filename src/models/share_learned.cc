// Assigns learned parameters to one of several encodings.
#include <algorithm>
#include <utility>

#include "core/text/joined.h"
#include "posenc/error.h"
#include "posenc/models/encoding.h"

namespace posenc {
namespace {

std::string kind_text(const Encoding& encoding) { return std::string(kind_of(encoding.spec())); }

bool has_parameter(const Encoding& encoding, std::string_view name) {
  const std::vector<ParameterInfo> infos = parameters_of(encoding.spec());
  return std::any_of(infos.begin(), infos.end(), [&](const ParameterInfo& info) { return info.name == name; });
}

bool needs_numbers(const Encoding& encoding) {
  const std::vector<ParameterInfo> infos = parameters_of(encoding.spec());
  return std::any_of(infos.begin(), infos.end(), [](const ParameterInfo& info) { return !info.optional; });
}

// Several encodings, and the indices of those with learned parameters.
struct Shared {
  const std::vector<Encoding>& encodings;
  std::vector<std::size_t> learning;

  // "alibi has slopes; shaw has keys and values"
  std::string names(const std::vector<std::size_t>& some) const {
    return text::joined(some, "; ", [&](std::size_t i) {
      return kind_text(encodings[i]) + " has " +
             text::joined(parameters_of(encodings[i].spec()), ", ", &ParameterInfo::name);
    });
  }

  // The encoding whose first parameter is meant: the only one that needs one, or the only one that has one.
  std::size_t first_owner(const std::string& option) const {
    std::vector<std::size_t> owners;
    for (const std::size_t i : learning) {
      if (!parameters_of(encodings[i].spec())[0].optional) owners.push_back(i);
    }
    if (owners.empty()) owners = learning;
    if (owners.size() == 1) return owners[0];
    fail(ErrorKind::usage, option + " could be for " + kind_text(encodings[owners[0]]) + " or " +
                               kind_text(encodings[owners[1]]) + ": name the parameter with --parameter NAME=FILE (" +
                               names(owners) + ")");
  }

  // The encoding that has this parameter; "shaw.values" becomes "values".
  std::size_t named_owner(std::string& named) const {
    const std::string name = named.substr(0, named.find('='));
    for (const std::size_t i : learning) {
      const std::string prefix = kind_text(encodings[i]) + ".";
      if (!name.starts_with(prefix)) continue;
      named.erase(0, prefix.size());
      return i;
    }
    std::vector<std::size_t> owners;
    for (const std::size_t i : learning) {
      if (has_parameter(encodings[i], name)) owners.push_back(i);
    }
    if (owners.size() == 1) return owners[0];
    if (learning.size() == 1) return learning[0];  // an unknown name is reported when the parameter is bound
    if (owners.empty()) {
      fail(ErrorKind::usage, "no encoding here has a parameter '" + name + "' (" + names(learning) + ")");
    }
    const std::string one = kind_text(encodings[owners[0]]), other = kind_text(encodings[owners[1]]);
    fail(ErrorKind::usage, "--parameter " + name + " could be for " + one + " or " + other + ": write " + one + "." +
                               name + " or " + other + "." + name);
  }
};

}  // namespace

std::vector<Encoding> with_learned(std::vector<Encoding> encodings, const EncodingOptions& options) {
  Shared shared{encodings, {}};
  for (std::size_t i = 0; i < encodings.size(); ++i) {
    if (!parameters_of(encodings[i].spec()).empty()) shared.learning.push_back(i);
  }
  const bool given = !options.files.empty() || !options.values.empty() || !options.parameters.empty();
  std::vector<bool> needs(encodings.size(), false);
  for (const std::size_t i : shared.learning) needs[i] = needs_numbers(encodings[i]);
  if (!options.init.empty() && std::find(needs.begin(), needs.end(), true) == needs.end()) {
    fail(ErrorKind::usage, "--init has no effect: these encodings work without learned numbers");
  }
  if (given && shared.learning.empty()) {
    fail(ErrorKind::usage, "no encoding here has learned parameters: leave out --file, --values and --parameter");
  }
  EncodingOptions plain = options;
  plain.files.clear();
  plain.parameters.clear();
  plain.values.clear();
  std::vector<EncodingOptions> shares(encodings.size(), plain);
  for (std::size_t i = 0; i < encodings.size(); ++i) {
    if (needs[i]) continue;
    shares[i].init.clear();
    shares[i].std.reset();
    shares[i].seed.reset();
  }
  if (!options.files.empty()) shares[shared.first_owner("--file")].files = options.files;
  if (!options.values.empty()) shares[shared.first_owner("--values")].values = options.values;
  for (std::string named : options.parameters) {
    const std::size_t owner = shared.named_owner(named);
    shares[owner].parameters.push_back(std::move(named));
  }
  std::vector<Encoding> result;
  for (std::size_t i = 0; i < encodings.size(); ++i) result.push_back(with_learned(encodings[i], shares[i]));
  return result;
}

}  // namespace posenc
