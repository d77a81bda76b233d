// Loads learned numbers from files, from text or from a seed, as the options of a command say.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <system_error>
#include <utility>

#include "core/base/float_types.h"
#include "core/text/joined.h"
#include "core/text/number_text.h"
#include "core/text/shell.h"
#include "files/shape.h"
#include "models/encoding_state.h"
#include "posenc/error.h"
#include "posenc/files/load.h"
#include "posenc/files/safetensors.h"
#include "posenc/random.h"

namespace posenc {
namespace {

using models::EncodingSource;

constexpr double kMadeStd = 0.02;

std::string name_of(const Spec& spec) { return std::string(kind_of(spec)); }

void check_init(const EncodingOptions& options) {
  if (!options.init.empty() || !options.makes_table()) return;
  fail(ErrorKind::usage, "--std and --seed are for random numbers: they need --init");
}

void refuse_both(const EncodingOptions& options) {
  if (options.files.empty() || options.init.empty()) return;
  fail(ErrorKind::usage, "--file and --init exclude each other: a table is read or made");
}

// The given file, or empty if there is none. Several are an error: only a concat takes several.
std::string one_file(const EncodingOptions& options) {
  if (options.files.size() < 2) return options.files.empty() ? "" : options.files[0];
  fail(ErrorKind::usage, "--file is given " + std::to_string(options.files.size()) + " times but takes one file");
}

Array load_table(const std::string& file) {
  Array table = load_array(file);
  check_learned_table(table, file);
  if (table.shape.size() == 3) table.shape.erase(table.shape.begin());
  return table;
}

Array make_table(const Learned& spec, const EncodingOptions& options, std::uint64_t seed) {
  if (spec.rows < 1 || spec.width < 1) {
    fail(ErrorKind::usage, "--init needs rows and width in the spec: they say how large the table is");
  }
  if (spec.rows > (std::int64_t{1} << 36) / spec.width) {
    fail(ErrorKind::usage,
         "a table of " + std::to_string(spec.rows) + " x " + std::to_string(spec.width) + " is too large to make");
  }
  Array table{DType::f32, {spec.rows, spec.width}, {}};
  table.data.resize(static_cast<std::size_t>(spec.rows * spec.width) * sizeof(float));
  const View view = make_view(static_cast<void*>(table.data.data()), table.dtype, {spec.rows, spec.width});
  const Distribution distribution = options.init == "uniform" ? Distribution::uniform : Distribution::normal;
  fill_random(view, {.distribution = distribution, .std = options.std.value_or(kMadeStd), .seed = seed});
  if (!spec.padding_row) return table;
  float* padding = view[*spec.padding_row].as<float>();
  std::fill(padding, padding + spec.width, 0.0f);
  return table;
}

Array table_of(const Learned& spec, const EncodingOptions& options) {
  if (!options.has_table()) {
    fail(ErrorKind::usage,
         "a learned encoding needs its table: --file table.npy, --file model.safetensors:tensor, or --init normal "
         "with --std and --seed");
  }
  refuse_both(options);
  return options.init.empty() ? load_table(one_file(options)) : make_table(spec, options, options.seed.value_or(0));
}

// The file of each learned part, in the order of the parts. A word PART=FILE names its part; other files take the parts
// in turn.
std::vector<std::string> part_files(const std::vector<std::size_t>& learned, const std::vector<std::string>& given) {
  std::vector<std::string> files(learned.size());
  std::size_t next = 0;
  for (const std::string& word : given) {
    std::size_t part = 0;
    const char* end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, part);
    const bool named = error == std::errc() && rest != end && *rest == '=';
    const auto found = named ? std::find(learned.begin(), learned.end(), part) : learned.begin();
    if (named && found == learned.end()) {
      fail(ErrorKind::usage, "--file " + word + ": part " + std::to_string(part) + " is not learned");
    }
    const auto place = named ? static_cast<std::size_t>(found - learned.begin()) : next++;
    if (place >= files.size()) {
      fail(ErrorKind::usage, "--file is given " + std::to_string(given.size()) +
                                 " times but the number of learned parts is " + std::to_string(learned.size()));
    }
    if (!files[place].empty()) {
      fail(ErrorKind::usage, "part " + std::to_string(learned[place]) + " has two tables");
    }
    files[place] = named ? std::string(rest + 1, end) : word;
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].empty()) {
      fail(ErrorKind::usage, "part " + std::to_string(learned[i]) +
                                 " of the concat is learned and needs its table: --file table.npy for each learned "
                                 "part, in their order, or --init normal");
    }
  }
  return files;
}

std::vector<Array> part_tables(const Concat& spec, const EncodingOptions& options) {
  std::vector<std::size_t> learned;
  for (std::size_t i = 0; i < spec.parts.size(); ++i) {
    if (std::holds_alternative<Learned>(spec.parts[i].encoding)) learned.push_back(i);
  }
  if (learned.empty()) {
    refuse_table(spec, options);
    return {};
  }
  refuse_both(options);
  std::vector<Array> tables;
  if (options.init.empty()) {
    for (const std::string& file : part_files(learned, options.files)) tables.push_back(load_table(file));
    return tables;
  }
  std::uint64_t seed = options.seed.value_or(0);
  for (const std::size_t i : learned) {  // a new seed for every part
    tables.push_back(make_table(std::get<Learned>(spec.parts[i].encoding), options, seed++));
  }
  return tables;
}

std::string init_text(const EncodingOptions& options, std::optional<double> std) {
  return "--init " + options.init + (std ? " --std " + text::number_text(*std) : "") + " --seed " +
         std::to_string(options.seed.value_or(0));
}

std::string table_text(const EncodingOptions& options) {
  std::string text;
  for (const std::string& file : options.files) {
    text += (text.empty() ? "--file " : " --file ") + text::shell_word(file);
  }
  return text.empty() ? init_text(options, options.std.value_or(kMadeStd)) : text;
}

void load_input(EncodingSource& state, const EncodingOptions& options) {
  if (!options.parameters.empty() || !options.values.empty()) {
    fail(ErrorKind::usage, "--parameter and --values are for what acts inside attention: " + name_of(state.spec) +
                               " has a table, given by --file, or none");
  }
  check_init(options);
  const bool has_one = state.numbers.table || !state.numbers.tables.empty();
  if (!options.has_table() && (has_one || options.missing != Missing::error)) return;
  if (const auto* concat = std::get_if<Concat>(&state.spec)) {
    state.numbers.tables = part_tables(*concat, options);
  } else if (const auto* hybrid = std::get_if<Hybrid>(&state.spec)) {
    Learned part = hybrid->learned;
    part.width = hybrid->fixed.width;
    state.numbers.table = table_of(part, options);
  } else if (const auto* learned = std::get_if<Learned>(&state.spec)) {
    state.numbers.table = table_of(*learned, options);
  } else {
    refuse_table(state.spec, options);
  }
  if (!options.has_table()) return;
  state.data_text = table_text(options);
  state.drawn = false;
  state.made_by_init = !options.init.empty();
}

// Reads 0.5/0/-0.5; none if the text is not a list of numbers.
std::optional<std::vector<double>> numbers_of(const std::string& text) {
  std::vector<double> numbers;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('/', at), text.size());
    const std::string_view word = std::string_view(text).substr(at, end - at);
    const std::optional<double> number = text::parse_number(word);
    if (!number && word != "nan") return std::nullopt;
    numbers.push_back(number.value_or(std::nan("")));  // BoundParameters refuses NaN and names its index
    at = end + 1;
  }
  return numbers;
}

std::int64_t product_of(const std::vector<std::int64_t>& shape) {
  std::int64_t size = 1;
  for (const std::int64_t length : shape) size *= length;
  return size;
}

// The numbers as an array with the shape of the parameter.
Array inline_array(const ParameterInfo& info, const std::vector<double>& numbers) {
  std::vector<std::int64_t> shape = info.shape;
  const auto count = static_cast<std::int64_t>(numbers.size());
  const auto open = std::find(shape.begin(), shape.end(), -1);
  if (open != shape.end()) {  // the open length follows from the count of the numbers
    *open = 1;
    const std::int64_t others = product_of(shape);
    if (others < 1 || count % others != 0) {
      fail(ErrorKind::usage, "numbers alone cannot say the shape of " + info.name + ": give it by a file");
    }
    *open = count / others;
  }
  if (product_of(shape) != count) {
    fail(ErrorKind::usage, info.name + " must have " + std::to_string(product_of(shape)) + " numbers, " +
                               files::shape_text(shape) + ", but there are " + std::to_string(count));
  }
  Array array{DType::f64, shape, {}};
  array.data.resize(numbers.size() * sizeof(double));
  std::memcpy(array.data.data(), numbers.data(), array.data.size());
  return array;
}

// A parameter, and the option that gives it.
struct Given {
  std::string name;
  Array array;
  std::string option;
};
using Named = std::vector<Given>;

std::string option_text(const char* option, const std::string& value) {
  return std::string(option) + " " + text::shell_word(value);
}

// Loads all tensors of a file under their names. If there is only one, it is the first parameter, whatever its name.
void load_all(const std::string& file, const std::string& first, Named& loaded) {
  const Safetensors tensors = open_safetensors(file);
  const bool alone = tensors.tensors().size() == 1;
  for (const TensorInfo& tensor : tensors.tensors()) {
    loaded.push_back({alone ? first : tensor.name, tensors.load(tensor.name), option_text("--file", file)});
  }
}

// The shape is checked later, together with the other parameters.
Array load_parameter(const std::string& file) {
  Array array = load_array(file);
  if (!array.shape.empty() && array.size() > 0 && base::is_float(array.dtype)) return array;
  fail(ErrorKind::bad_input,
       file + ": expected learned numbers, floats with at least one axis, but got " + array.text());
}

// Loads one parameter: name=file, or name=0.5/0/-0.5.
void load_named(const std::string& text, const std::vector<ParameterInfo>& infos, Named& loaded) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    fail(ErrorKind::usage, "--parameter must be name=file or name=numbers but got '" + text + "'");
  }
  const std::string name = text.substr(0, equals), value = text.substr(equals + 1);
  const std::string option = option_text("--parameter", text);
  const std::optional<std::vector<double>> numbers = numbers_of(value);
  if (!numbers) {
    loaded.push_back({name, load_parameter(value), option});
    return;
  }
  const auto info = std::find_if(infos.begin(), infos.end(), [&](const ParameterInfo& i) { return i.name == name; });
  // An unknown name is kept: BoundParameters refuses it and lists the known ones.
  const ParameterInfo unknown{name, {static_cast<std::int64_t>(numbers->size())}};
  loaded.push_back({name, inline_array(info != infos.end() ? *info : unknown, *numbers), option});
}

// Adds parameters. They replace those with the same names; other parameters stay.
void add_parameters(EncodingSource& state, Named loaded) {
  auto& numbers = state.numbers.parameters;
  state.given_by.resize(numbers.size());  // drawn and generated parameters have no option
  Named all;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto replaces = [&](const Given& made) { return made.name == numbers[i].first; };
    if (std::none_of(loaded.begin(), loaded.end(), replaces)) {
      all.push_back({numbers[i].first, std::move(numbers[i].second), state.given_by[i]});
    }
  }
  state.drawn = state.drawn && !all.empty();
  std::move(loaded.begin(), loaded.end(), std::back_inserter(all));
  numbers.clear();
  state.given_by.clear();
  state.made_by_init = false;
  std::vector<std::string> options;  // a file that gives several is named once
  for (Given& given : all) {
    numbers.emplace_back(std::move(given.name), std::move(given.array));
    state.given_by.push_back(given.option);
    state.made_by_init = state.made_by_init || given.option.starts_with("--init ");
    if (given.option.empty() || (!options.empty() && options.back() == given.option)) continue;
    options.push_back(std::move(given.option));
  }
  state.data_text = text::joined(options, " ");
}

// Draws the required parameters that were not given. The first gets the numbers of a learned table of its shape and
// seed; each of the others has its own seed. Parameters that training does not start at random, such as the positive
// ones of kerple, get their starting values.
void init_parameters(const EncodingSource& state, const std::vector<ParameterInfo>& infos,
                     const EncodingOptions& options, Named& loaded) {
  const std::string option = init_text(options, options.std);
  std::uint64_t seed = options.seed.value_or(0);
  for (const ParameterInfo& info : infos) {
    const std::uint64_t own = seed++;
    const auto is_there = [&](const auto& given) { return given.name == info.name; };
    if (info.optional || std::any_of(loaded.begin(), loaded.end(), is_there)) continue;
    if (std::find(info.shape.begin(), info.shape.end(), -1) != info.shape.end()) {
      fail(ErrorKind::usage, "--init cannot know the shape of " + info.name + " of " + name_of(state.spec) +
                                 ": give its numbers by --file FILE");
    }
    const Distribution distribution = options.init == "uniform" ? Distribution::uniform : Distribution::normal;
    const auto* normal = std::get_if<NormalStart>(&info.start);
    const double std = options.std.value_or(normal != nullptr ? normal->std : kMadeStd);
    loaded.push_back(
        {info.name, models::random_parameter(info, {.distribution = distribution, .std = std, .seed = own}), option});
  }
  if (!loaded.empty()) return;
  fail(ErrorKind::usage, "--init has no effect: " + name_of(state.spec) + " works without learned numbers");
}

// Does not check that the numbers fit the spec: binding them does.
void load_parameters(EncodingSource& state, const EncodingOptions& options) {
  check_init(options);
  const std::string file = one_file(options);
  const std::vector<ParameterInfo> infos = parameters_of(state.spec);
  if (!file.empty() && !options.values.empty()) {
    fail(ErrorKind::usage, "--file and --values exclude each other: both are the first parameter");
  }
  if (infos.empty() && !options.init.empty()) {
    fail(ErrorKind::usage, name_of(state.spec) + " has no learned numbers: leave out --init");
  }
  if (infos.empty() && !(file.empty() && options.values.empty() && options.parameters.empty())) {
    fail(ErrorKind::usage, name_of(state.spec) + " learns nothing: leave out --file, --values and --parameter");
  }
  Named loaded;
  if (!options.values.empty()) {
    loaded.push_back({infos[0].name, inline_array(infos[0], slashed_numbers(options.values, "--values")),
                      option_text("--values", options.values)});
  } else if (file.ends_with(".safetensors")) {
    load_all(file, infos[0].name, loaded);
  } else if (!file.empty()) {
    loaded.push_back({infos[0].name, load_parameter(file), option_text("--file", file)});
  }
  for (const std::string& named : options.parameters) load_named(named, infos, loaded);
  if (!options.init.empty()) init_parameters(state, infos, options, loaded);
  if (!loaded.empty()) add_parameters(state, std::move(loaded));
}

}  // namespace

void check_learned_table(const Array& table, const std::string& file) {
  const std::size_t rank = table.shape.size();
  const bool one_table = rank == 2 || (rank == 3 && table.shape[0] == 1);
  if (!one_table || table.size() == 0 || !base::is_float(table.dtype)) {
    fail(ErrorKind::bad_input,
         file + ": expected a learned table, [rows, width] or [1, rows, width] of floats, but got " + table.text());
  }
  for (std::int64_t i = 0; i < table.size(); ++i) {
    if (std::isfinite(table.number(i))) continue;
    fail(ErrorKind::bad_input, file + ": row " + std::to_string(i / table.shape.back()) + ", channel " +
                                   std::to_string(i % table.shape.back()) + ": expected a finite number but got " +
                                   text::number_text(table.number(i)));
  }
}

void refuse_table(const Spec& spec, const EncodingOptions& options) {
  check_init(options);
  if (!options.has_table()) return;
  fail(ErrorKind::usage, "a " + name_of(spec) + " encoding has no table to read: leave out --file and --init");
}

std::vector<double> slashed_numbers(const std::string& text, const char* option) {
  const std::optional<std::vector<double>> numbers = numbers_of(text);
  if (numbers) return *numbers;
  fail(ErrorKind::usage, std::string(option) + " must be numbers with slashes between them but got '" + text + "'");
}

Encoding with_learned(const Encoding& encoding, const EncodingOptions& options) {
  EncodingSource source = models::EncodingState::of(encoding);
  encoding.place() == Place::input ? load_input(source, options) : load_parameters(source, options);
  return models::EncodingState::complete(std::move(source), options.missing, options.drawn_seed);
}

}  // namespace posenc
