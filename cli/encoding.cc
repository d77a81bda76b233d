#include "cli/encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "cli/words.h"
#include "posenc/error.h"
#include "posenc/files/load.h"
#include "posenc/random.h"

namespace posenc::cli {
namespace {

std::uint64_t seed_of(const WeightOptions& weights) { return whole_number(weights.seed, "--seed"); }

void check_init(const WeightOptions& weights) {
  if (!weights.init.empty() || (!weights.std && weights.seed.empty())) return;
  fail(ErrorKind::usage, "--std and --seed are for a table that is made: they need --init");
}

Array load_table(const std::string& file) {
  Array table = load_array(file);
  check_learned_table(table, file);
  if (table.shape.size() == 3 && table.shape[0] == 1) table.shape.erase(table.shape.begin());
  return table;
}

// The files of the learned parts in their order: as given, or by the number of the part before '='.
std::vector<std::string> part_files(const std::vector<std::size_t>& learned, const std::vector<std::string>& given) {
  std::vector<std::string> files(learned.size());
  std::size_t next = 0;
  for (const std::string& word : given) {
    std::size_t part = 0;
    const char* end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, part);
    const bool named = error == std::errc() && rest != end && *rest == '=';
    const auto found = named ? std::find(learned.begin(), learned.end(), part) : learned.begin();
    if (named && found == learned.end())
      fail(ErrorKind::usage, fmt::format("--file {}: part {} is not learned", word, part));
    const auto place = named ? static_cast<std::size_t>(found - learned.begin()) : next++;
    if (place >= files.size()) {
      fail(ErrorKind::usage,
           fmt::format("--file is given {} times but the number of learned parts is {}", given.size(), learned.size()));
    }
    if (!files[place].empty()) fail(ErrorKind::usage, fmt::format("part {} has two tables", learned[place]));
    files[place] = named ? std::string(rest + 1, end) : word;
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].empty()) {
      fail(ErrorKind::usage, fmt::format("part {} of the concat is learned and needs its table: --file table.npy for "
                                         "each learned part, in their order, or --init normal",
                                         learned[i]));
    }
  }
  return files;
}

Array make_weights(const Learned& spec, const WeightOptions& weights) {
  if (spec.rows < 1 || spec.width < 1) {
    fail(ErrorKind::usage, "--init needs rows and width in the spec: they say how large the table is");
  }
  Array table{DType::f32, {spec.rows, spec.width}, {}};
  if (spec.rows > (std::int64_t{1} << 36) / spec.width) {
    fail(ErrorKind::usage, fmt::format("a table of {} x {} is too large to make", spec.rows, spec.width));
  }
  table.data.resize(static_cast<std::size_t>(spec.rows * spec.width) * sizeof(float));
  const View view = make_view(static_cast<void*>(table.data.data()), table.dtype, {spec.rows, spec.width});
  const Distribution distribution = weights.init == "uniform" ? Distribution::uniform : Distribution::normal;
  fill_random(view, {.distribution = distribution, .std = weights.std.value_or(0.02), .seed = seed_of(weights)});
  if (!spec.padding_row) return table;
  float* padding = view[*spec.padding_row].as<float>();
  std::fill(padding, padding + spec.width, 0.0f);
  return table;
}

double largest_of(const Learned& spec, const Array& table) {
  if (spec.normalize == Normalize::l2) return std::fabs(spec.multiplier);
  double largest = 0.0;
  for (std::int64_t i = 0; i < table.size(); ++i) largest = std::max(largest, std::fabs(table.number(i)));
  return largest * std::fabs(spec.multiplier);
}

double largest_of(const Concat& spec, const ConcatSchedule& parts, const std::vector<Array>& tables) {
  double largest = 0.0;
  std::size_t next = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto* learned = std::get_if<Learned>(&spec.parts[i].encoding);
    largest = std::max(largest, learned ? largest_of(*learned, tables[next]) : std::fabs(parts[i]->multiplier));
    next += learned ? 1 : 0;
  }
  return largest;
}

void refuse_both(const WeightOptions& weights) {
  if (weights.files.empty() || weights.init.empty()) return;
  fail(ErrorKind::usage, "--file and --init exclude each other: a table is read or made");
}

void load_parts(Encoding& encoding, const Concat& spec, const WeightOptions& weights) {
  encoding.parts = make_concat_schedule(spec);
  std::vector<std::size_t> learned;
  for (std::size_t i = 0; i < spec.parts.size(); ++i) {
    if (std::holds_alternative<Learned>(spec.parts[i].encoding)) learned.push_back(i);
  }
  if (learned.empty()) return refuse_weights(spec, weights);
  refuse_both(weights);
  WeightOptions made = weights;
  std::uint64_t seed = seed_of(weights);
  const std::vector<std::string> files =
      weights.init.empty() ? part_files(learned, weights.files) : std::vector<std::string>(learned.size());
  for (std::size_t i = 0; i < learned.size(); ++i) {
    made.seed = fmt::format("{}", seed++);  // other numbers in every part
    const auto& part = std::get<Learned>(spec.parts[learned[i]].encoding);
    encoding.tables.push_back(weights.init.empty() ? load_table(files[i]) : make_weights(part, made));
  }
}

}  // namespace

bool is_float(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f64 || dtype == DType::f16 || dtype == DType::bf16;
}

void check_learned_table(const Array& table, const std::string& file) {
  const std::size_t rank = table.shape.size();
  const bool one_table = rank == 2 || (rank == 3 && table.shape[0] == 1);
  if (!one_table || table.size() == 0 || !is_float(table.dtype)) {
    fail(ErrorKind::bad_input,
         fmt::format("{}: expected a learned table, [rows, width] or [1, rows, width] of floats, but got [{}] {}", file,
                     fmt::join(table.shape, ", "), to_text(table.dtype)));
  }
  for (std::int64_t i = 0; i < table.size(); ++i) {
    if (std::isfinite(table.number(i))) continue;
    fail(ErrorKind::bad_input, fmt::format("{}: row {}, channel {}: expected a finite number but got {}", file,
                                           i / table.shape.back(), i % table.shape.back(), table.number(i)));
  }
}

Array load_weights(const Learned& spec, const WeightOptions& weights) {
  if (!weights.given()) {
    fail(ErrorKind::usage,
         "a learned encoding needs its table: --file table.npy, --file model.safetensors:tensor, or --init normal "
         "with --std and --seed");
  }
  refuse_both(weights);
  return weights.init.empty() ? load_table(one_file(weights)) : make_weights(spec, weights);
}

std::string one_file(const WeightOptions& weights) {
  if (weights.files.size() < 2) return weights.files.empty() ? "" : weights.files[0];
  fail(ErrorKind::usage, fmt::format("--file is given {} times but there is one table", weights.files.size()));
}

std::vector<ConstView> Encoding::table_views() const {
  std::vector<ConstView> views;
  for (const Array& array : tables) views.push_back(array.view());
  return views;
}

InputRows Encoding::rows() const {
  if (fourier) return FourierRows{&*fourier};
  if (const auto* concat = std::get_if<Concat>(&spec)) return concat_rows(*concat, parts, table_views());
  if (std::holds_alternative<Sinusoidal>(spec)) return StreamedRows{&*schedule};
  if (const auto* learned = std::get_if<Learned>(&spec)) return LearnedRows{*learned, table->view()};
  return HybridRows{StreamedRows{&*schedule}, {std::get<Hybrid>(spec).learned, table->view()}};
}

double Encoding::largest() const {
  if (fourier) return std::fabs(fourier->multiplier);
  if (const auto* concat = std::get_if<Concat>(&spec)) return largest_of(*concat, parts, tables);
  double largest = schedule ? std::fabs(schedule->multiplier) : 0.0;
  if (const auto* learned = std::get_if<Learned>(&spec)) largest += largest_of(*learned, *table);
  if (const auto* hybrid = std::get_if<Hybrid>(&spec)) largest += largest_of(hybrid->learned, *table);
  return largest;
}

std::uint64_t whole_number(const std::string& text, const std::string& option) {
  std::uint64_t value = 0;
  if (text.empty()) return value;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && rest == end) return value;
  fail(ErrorKind::usage,
       fmt::format("{} must be a whole number from 0 to 18446744073709551615 but got '{}'", option, text));
}

void refuse_attention_kind(const Spec& spec) {
  const std::string_view kind = kind_of(spec);
  if (kind == "none") fail(ErrorKind::usage, "none encodes nothing: there are no numbers to show or to add");
  if (kind == "shaw" || kind == "transformer_xl") {
    fail(ErrorKind::usage, fmt::format("{} acts inside attention, where its vectors meet queries and keys: see posenc "
                                       "attend --help",
                                       kind));
  }
  if (kind == "pope" || kind == "xpos" || kind == "temperature") {
    fail(ErrorKind::usage,
         fmt::format("{} acts on queries and keys, not on embeddings or scores: see posenc rotate --help", kind));
  }
  const bool at_input = kind == "sinusoidal" || kind == "learned" || kind == "hybrid" || kind == "concat" ||
                        kind == "fourier" || kind == "rotary";
  if (at_input) return;
  fail(ErrorKind::usage,
       fmt::format("{} acts on attention scores, not on single positions: see posenc bias --help", kind));
}

void refuse_weights(const Spec& spec, const WeightOptions& weights) {
  check_init(weights);
  if (!weights.given()) return;
  fail(ErrorKind::usage, fmt::format("a {} encoding has no table to read: leave out --file and --init", kind_of(spec)));
}

std::unique_ptr<Encoding> load_encoding(const Spec& spec, const WeightOptions& weights) {
  check_init(weights);
  refuse_attention_kind(spec);
  if (std::holds_alternative<Rotary>(spec)) {
    fail(ErrorKind::usage, "a rotary encoding acts on queries and keys, not on embeddings: see posenc rotate --help");
  }
  auto encoding = std::make_unique<Encoding>();
  encoding->spec = spec;
  if (const auto* sinusoidal = std::get_if<Sinusoidal>(&spec)) {
    refuse_weights(spec, weights);
    encoding->schedule = make_schedule(*sinusoidal);
  } else if (const auto* learned = std::get_if<Learned>(&spec)) {
    encoding->table = load_weights(*learned, weights);
  } else if (const auto* fourier = std::get_if<Fourier>(&spec)) {
    refuse_weights(spec, weights);
    encoding->fourier = make_fourier_schedule(*fourier);
  } else if (const auto* concat = std::get_if<Concat>(&spec)) {
    load_parts(*encoding, *concat, weights);
  } else {
    const auto& hybrid = std::get<Hybrid>(spec);
    encoding->schedule = make_schedule(hybrid.fixed);
    Learned part = hybrid.learned;
    part.width = hybrid.fixed.width;
    encoding->table = load_weights(part, weights);
  }
  PositionView none = PositionView::of(static_cast<const double*>(nullptr), 0);
  none.axes = axes_of(spec);
  check_rows(encoding->rows(), none, kind_of(spec));  // whether tables and spec fit
  return encoding;
}

std::string weights_text(const WeightOptions& weights) {
  std::string text;
  for (const std::string& file : weights.files)
    text += (text.empty() ? "--file " : " --file ") + text::shell_word(file);
  if (!text.empty()) return text;
  return fmt::format("--init {} --std {} --seed {}", weights.init, weights.std.value_or(0.02), seed_of(weights));
}

void check_input_axes(const Spec& spec, std::int64_t axes, const std::string& text) {
  const std::int64_t wanted = axes_of(spec);
  if (axes == wanted) return;
  fail(ErrorKind::usage,
       fmt::format("'{}' has positions on {} {} but {} takes {}", text, axes, axes == 1 ? "axis" : "axes",
                   kind_of(spec), wanted == 1 ? std::string("one") : fmt::format("{}, as in 3x5 or 1/2,3/4", wanted)));
}

}  // namespace posenc::cli
