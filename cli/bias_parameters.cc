#include "cli/bias_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>

#include "cli/words.h"
#include "posenc/error.h"
#include "posenc/files/load.h"
#include "posenc/files/safetensors.h"

namespace posenc::cli {
namespace {

// 0.5/0/-0.5, or nothing where the text is something else.
std::optional<std::vector<double>> numbers_of(const std::string& text) {
  std::vector<double> numbers;
  const char* at = text.data();
  const char* end = at + text.size();
  while (true) {
    double number = 0.0;
    const auto [rest, error] = std::from_chars(at, end, number);
    if (error != std::errc() || (rest != end && *rest != '/')) return std::nullopt;
    numbers.push_back(number);
    if (rest == end) return numbers;
    at = rest + 1;
  }
}

// The numbers in the shape that the parameter has.
Array inline_array(const ParameterInfo& info, const std::vector<double>& numbers) {
  std::vector<std::int64_t> shape = info.shape;
  const auto open = std::find(shape.begin(), shape.end(), -1);
  std::int64_t size = 1;
  if (open != shape.end()) {  // one length follows from how many numbers there are
    *open = 1;
    for (const std::int64_t length : shape) size *= length;
    const auto count = static_cast<std::int64_t>(numbers.size());
    if (size < 1 || count % size != 0) {
      fail(ErrorKind::usage, fmt::format("numbers alone cannot say the shape of {}: give it by a file", info.name));
    }
    *open = count / size;
  }
  size = 1;
  for (const std::int64_t length : shape) size *= length;
  if (size != static_cast<std::int64_t>(numbers.size())) {
    fail(ErrorKind::usage, fmt::format("{1} must have {0} numbers, [{2}], but there are {3}", size, info.name,
                                       fmt::join(shape, ", "), numbers.size()));
  }
  Array array{DType::f64, shape, {}};
  array.data.resize(numbers.size() * sizeof(double));
  std::memcpy(array.data.data(), numbers.data(), array.data.size());
  return array;
}

// All tensors of a file by their names; one alone is the first parameter, whatever it is called.
void load_all(const std::string& file, const std::string& first, LoadedParameters& loaded) {
  const Safetensors tensors = open_safetensors(file);
  const bool alone = tensors.tensors().size() == 1;
  for (const TensorInfo& tensor : tensors.tensors()) {
    loaded.names.push_back(alone ? first : tensor.name);
    loaded.arrays.push_back(tensors.load(tensor.name));
  }
}

// name=file, or name=0.5/0/-0.5.
void load_named(const std::string& text, const std::vector<ParameterInfo>& infos, LoadedParameters& loaded) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    fail(ErrorKind::usage, fmt::format("--parameter must be name=file or name=numbers but got '{}'", text));
  }
  const std::string name = text.substr(0, equals), value = text.substr(equals + 1);
  const auto info = std::find_if(infos.begin(), infos.end(), [&](const ParameterInfo& i) { return i.name == name; });
  const std::optional<std::vector<double>> numbers = numbers_of(value);
  loaded.names.push_back(name);
  if (!numbers) {
    loaded.arrays.push_back(load_array(value));
  } else if (info != infos.end()) {
    loaded.arrays.push_back(inline_array(*info, *numbers));
  } else {  // a name that nobody knows: who binds it says which there are
    loaded.arrays.push_back(inline_array({name, {static_cast<std::int64_t>(numbers->size())}}, *numbers));
  }
}

bool has_parameter(const Spec& spec, std::string_view name) {
  const std::vector<ParameterInfo> infos = parameters_of(spec);
  return std::any_of(infos.begin(), infos.end(), [&](const ParameterInfo& info) { return info.name == name; });
}

// "alibi has slopes; shaw has keys and values"
std::string parameter_names(const std::vector<Spec>& specs, const std::vector<std::size_t>& learning) {
  std::string text;
  for (const std::size_t i : learning) {
    std::vector<std::string> names;
    for (const ParameterInfo& info : parameters_of(specs[i])) names.push_back(info.name);
    text += fmt::format("{}{} has {}", text.empty() ? "" : "; ", kind_of(specs[i]), fmt::join(names, ", "));
  }
  return text;
}

// The spec whose first parameter is meant: the only one that must have one, or the only one that may.
std::size_t first_owner(const std::vector<Spec>& specs, const std::vector<std::size_t>& learning, const char* option) {
  std::vector<std::size_t> owners;
  for (const std::size_t i : learning) {
    if (!parameters_of(specs[i])[0].optional) owners.push_back(i);
  }
  if (owners.empty()) owners = learning;
  if (owners.size() == 1) return owners[0];
  fail(ErrorKind::usage,
       fmt::format("{} could be for {} or {}: say which by --parameter NAME=FILE ({})", option,
                   kind_of(specs[owners[0]]), kind_of(specs[owners[1]]), parameter_names(specs, owners)));
}

// The spec that a name belongs to; "shaw.values" becomes "values".
std::size_t named_owner(const std::vector<Spec>& specs, const std::vector<std::size_t>& learning, std::string& named) {
  const std::string name = named.substr(0, named.find('='));
  for (const std::size_t i : learning) {
    const std::string prefix = std::string(kind_of(specs[i])) + ".";
    if (!name.starts_with(prefix)) continue;
    named.erase(0, prefix.size());
    return i;
  }
  std::vector<std::size_t> owners;
  for (const std::size_t i : learning) {
    if (has_parameter(specs[i], name)) owners.push_back(i);
  }
  if (owners.size() == 1) return owners[0];
  if (learning.size() == 1) return learning[0];  // who binds it says which there are
  if (owners.empty()) {
    fail(ErrorKind::usage,
         fmt::format("nothing here has a parameter '{}' ({})", name, parameter_names(specs, learning)));
  }
  fail(ErrorKind::usage, fmt::format("--parameter {0} could be for {1} or {2}: write {1}.{0} or {2}.{0}", name,
                                     kind_of(specs[owners[0]]), kind_of(specs[owners[1]])));
}

}  // namespace

std::vector<ParameterOptions> share_parameters(const std::vector<Spec>& specs, const ParameterOptions& options) {
  std::vector<ParameterOptions> shares(specs.size());
  std::vector<std::size_t> learning;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!parameters_of(specs[i]).empty()) learning.push_back(i);
  }
  const bool given = !options.file.empty() || !options.values.empty() || !options.named.empty();
  if (given && learning.empty()) {
    fail(ErrorKind::usage, "nothing here learns: leave out --file, --values and --parameter");
  }
  if (!options.file.empty()) shares[first_owner(specs, learning, "--file")].file = options.file;
  if (!options.values.empty()) shares[first_owner(specs, learning, "--values")].values = options.values;
  for (std::string named : options.named) {
    const std::size_t owner = named_owner(specs, learning, named);
    shares[owner].named.push_back(std::move(named));
  }
  return shares;
}

Parameters LoadedParameters::views() const {
  Parameters result;
  for (std::size_t i = 0; i < names.size(); ++i) result.push_back({names[i], arrays[i].view()});
  return result;
}

LoadedParameters load_parameters(const Spec& spec, const ParameterOptions& options) {
  const std::vector<ParameterInfo> infos = parameters_of(spec);
  if (!options.file.empty() && !options.values.empty()) {
    fail(ErrorKind::usage, "--file and --values exclude each other: both are the first parameter");
  }
  if (infos.empty() && !(options.file.empty() && options.values.empty() && options.named.empty())) {
    fail(ErrorKind::usage, fmt::format("{} learns nothing: leave out --file, --values and --parameter", kind_of(spec)));
  }
  LoadedParameters loaded;
  if (!options.values.empty()) {
    loaded.names.push_back(infos[0].name);
    loaded.arrays.push_back(inline_array(infos[0], slashed_numbers(options.values, "--values")));
  } else if (options.file.ends_with(".safetensors")) {
    load_all(options.file, infos[0].name, loaded);
  } else if (!options.file.empty()) {
    loaded.names.push_back(infos[0].name);
    loaded.arrays.push_back(load_array(options.file));
  }
  for (const std::string& named : options.named) load_named(named, infos, loaded);
  return loaded;
}

std::vector<double> slashed_numbers(const std::string& text, const char* option) {
  const std::optional<std::vector<double>> numbers = numbers_of(text);
  if (numbers) return *numbers;
  fail(ErrorKind::usage, fmt::format("{} must be numbers with slashes between them but got '{}'", option, text));
}

std::string parameters_text(const ParameterOptions& options) {
  std::string text;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) text += (text.empty() ? "" : " ") + fmt::format("{} {}", option, text::shell_word(value));
  };
  add("--file", options.file);
  for (const std::string& named : options.named) add("--parameter", named);
  add("--values", options.values);
  return text;
}

}  // namespace posenc::cli
