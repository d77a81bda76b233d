#include "cli/bias_parameters.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <string_view>
#include <system_error>

#include "posenc/error.h"
#include "posenc/load.h"
#include "posenc/safetensors.h"

namespace posenc::cli {
namespace {

// The numbers in the shape that the parameter has.
Array inline_array(const ParameterInfo& info, const std::string& text) {
  const std::vector<double> numbers = slashed_numbers(text, "--values");
  std::int64_t size = 1;
  for (const std::int64_t length : info.shape) {
    if (length < 0) {
      fail(ErrorKind::usage, fmt::format("--values cannot say the shape of {}: give it by --file", info.name));
    }
    size *= length;
  }
  if (size != static_cast<std::int64_t>(numbers.size())) {
    fail(ErrorKind::usage, fmt::format("--values must be the {} numbers of {}, [{}], but there are {}", size, info.name,
                                       fmt::join(info.shape, ", "), numbers.size()));
  }
  Array array{DType::f64, info.shape, {}};
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

}  // namespace

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
    loaded.arrays.push_back(inline_array(infos[0], options.values));
  } else if (options.file.ends_with(".safetensors")) {
    load_all(options.file, infos[0].name, loaded);
  } else if (!options.file.empty()) {
    loaded.names.push_back(infos[0].name);
    loaded.arrays.push_back(load_array(options.file));
  }
  for (const std::string& named : options.named) {
    const std::size_t equals = named.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == named.size()) {
      fail(ErrorKind::usage, fmt::format("--parameter must be name=file but got '{}'", named));
    }
    loaded.names.push_back(named.substr(0, equals));
    loaded.arrays.push_back(load_array(named.substr(equals + 1)));
  }
  return loaded;
}

std::vector<double> slashed_numbers(const std::string& text, const char* option) {
  std::vector<double> numbers;
  const char* at = text.data();
  const char* end = at + text.size();
  while (true) {
    double number = 0.0;
    const auto [rest, error] = std::from_chars(at, end, number);
    if (error != std::errc() || (rest != end && *rest != '/')) {
      fail(ErrorKind::usage, fmt::format("{} must be numbers with slashes between them but got '{}'", option, text));
    }
    numbers.push_back(number);
    if (rest == end) return numbers;
    at = rest + 1;
  }
}

std::string parameters_text(const ParameterOptions& options) {
  std::string text;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) text += (text.empty() ? "" : " ") + fmt::format("{} {}", option, value);
  };
  add("--file", options.file);
  for (const std::string& named : options.named) add("--parameter", named);
  add("--values", options.values);
  return text;
}

}  // namespace posenc::cli
