// Learned numbers that nobody gave, drawn as a model begins.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "models/encoding_state.h"
#include "posenc/error.h"
#include "posenc/random.h"

namespace posenc::models {
namespace {

constexpr double kTableStd = 0.02;
constexpr std::uint64_t kDrawnTables = 0x7461626c6573;  // apart from what else a seed draws
constexpr std::int64_t kDrawnRows = 512;
constexpr std::int64_t kDrawnWidth = 64;

// How far numbers spread where a model begins. What multiplies distances must be positive.
double std_of(const Spec& spec, const std::string& name) {
  if (const auto* shaw = std::get_if<Shaw>(&spec)) return 1.0 / std::sqrt(static_cast<double>(shaw->head_dim));
  if (const auto* xl = std::get_if<TransformerXl>(&spec)) {
    return 1.0 / std::sqrt(static_cast<double>(name == "position_weight" ? xl->width : xl->head_dim));
  }
  if (std::holds_alternative<Fire>(spec)) return 1.0;
  return std::holds_alternative<MatrixBias>(spec) ? 1.0 : kTableStd;
}

// The numbers with which training begins, where they are not drawn.
std::optional<double> first_value(const Spec& spec, const std::string& name) {
  if (std::holds_alternative<Fire>(spec)) {
    if (name == "c") return 0.1;
    if (name == "length_factor") return 1.0;
    if (name == "in_bias" || name == "out_bias") return 0.0;
  }
  return std::nullopt;
}

// Of any shape; the last axis has the columns.
Array draw(std::vector<std::int64_t> shape, double std, std::uint64_t seed) {
  std::int64_t rows = 1;
  for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) rows *= shape[axis];
  const std::int64_t columns = shape.back();
  if (rows > (std::int64_t{1} << 27) / std::max<std::int64_t>(columns, 1)) {
    fail(ErrorKind::usage, "a learned table of this size is not made up: give its file");
  }
  Array array{DType::f64, std::move(shape), {}};
  array.data.resize(static_cast<std::size_t>(rows * columns) * sizeof(double));
  fill_random(make_view(static_cast<void*>(array.data.data()), DType::f64, {rows, columns}),
              {.std = std, .seed = seed ^ kDrawnTables});
  return array;
}

Array draw_table(const Learned& spec, std::optional<std::int64_t> width, std::uint64_t seed) {
  const std::int64_t rows = spec.rows > 0 ? spec.rows : kDrawnRows;
  const std::int64_t own = spec.width > 0 ? spec.width : kDrawnWidth;
  return draw({rows, width.value_or(own)}, kTableStd, seed);
}

template <class Value>
void set_all(Array& array, const Value& value) {
  const auto count = static_cast<std::size_t>(array.size());
  for (std::size_t i = 0; i < count; ++i) {
    const double number = value(i, count);
    std::memcpy(array.data.data() + i * sizeof(double), &number, sizeof(double));
  }
}

Array draw_parameter(const Spec& spec, const ParameterInfo& info, std::uint64_t seed) {
  // A matrix has a row and a column per position; a few are enough to look at.
  std::vector<std::int64_t> shape = info.shape;
  for (std::int64_t& length : shape) length = length < 0 ? kDrawnWidth : length;
  Array array = draw(shape, std_of(spec, info.name), seed);
  if (const auto first = first_value(spec, info.name)) set_all(array, [&](std::size_t, std::size_t) { return *first; });
  // KERPLE begins with p within (0, 2) and a within (0, 1): spread over the heads instead of drawn.
  if (std::holds_alternative<Kerple>(spec)) {
    const double top = info.name == "p" ? 2.0 : 1.0;
    set_all(array, [&](std::size_t h, std::size_t heads) {
      return top * (static_cast<double>(h) + 0.5) / static_cast<double>(heads);
    });
  }
  if (shape.size() > 2) array.shape = {array.size() / shape.back(), shape.back()};
  return array;
}

}  // namespace

void draw_missing(EncodingState& state, std::uint64_t seed) {
  LearnedNumbers& numbers = state.numbers;
  if (const Learned* learned = learned_part(state.spec); learned != nullptr && !numbers.table) {
    const auto width = state.sinusoidal ? std::optional(state.sinusoidal->width) : std::nullopt;
    numbers.table = draw_table(*learned, width, seed);
    state.drawn = true;
  }
  if (const auto* concat = std::get_if<Concat>(&state.spec); concat != nullptr && numbers.tables.empty()) {
    for (const ConcatPart& part : concat->parts) {
      const auto* learned = std::get_if<Learned>(&part.encoding);
      if (learned == nullptr) continue;
      numbers.tables.push_back(draw_table(*learned, std::nullopt, seed++));
      state.drawn = true;
    }
  }
  const Place place = place_of(state.spec);
  if ((place != Place::bias && place != Place::term) || !numbers.parameters.empty()) return;
  for (const ParameterInfo& info : parameters_of(state.spec)) {
    if (info.optional) continue;
    numbers.parameters.emplace_back(info.name, draw_parameter(state.spec, info, ++seed));
    state.drawn = true;
  }
}

}  // namespace posenc::models
