// Draws learned numbers that were not given, as a model is initialised.
#include <algorithm>
#include <utility>
#include <variant>

#include "models/encoding_state.h"
#include "posenc/error.h"
#include "posenc/random.h"

namespace posenc::models {
namespace {

constexpr std::uint64_t kDrawnTables = 0x7461626c6573;  // xor with the seed: other draws of this seed differ
constexpr std::int64_t kDrawnRows = 512;
constexpr std::int64_t kDrawnWidth = 64;

// Draws an array of any shape, whose last axis holds the columns.
Array draw(std::vector<std::int64_t> shape, const ParameterStart& start, const Random& random) {
  std::int64_t rows = 1;
  for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) rows *= shape[axis];
  const std::int64_t columns = shape.back();
  if (rows > (std::int64_t{1} << 27) / std::max<std::int64_t>(columns, 1)) {
    fail(ErrorKind::usage, "a learned table of this size is not drawn at random: give its file");
  }
  Array array{DType::f64, std::move(shape), {}};
  array.data.resize(static_cast<std::size_t>(rows * columns) * sizeof(double));
  const View numbers = make_view(static_cast<void*>(array.data.data()), DType::f64, {rows, columns});
  if (std::holds_alternative<NormalStart>(start)) {
    fill_random(numbers, random);
    return array;
  }
  const auto* spread = std::get_if<SpreadStart>(&start);
  const auto count = static_cast<double>(numbers.size());
  for (std::int64_t i = 0; i < numbers.size(); ++i) {
    numbers.as<double>()[i] =
        spread != nullptr ? spread->top * (static_cast<double>(i) + 0.5) / count : std::get<ConstantStart>(start).value;
  }
  return array;
}

// Draws numbers as they are before training.
Array draw(std::vector<std::int64_t> shape, const ParameterStart& start, std::uint64_t seed) {
  const auto* normal = std::get_if<NormalStart>(&start);
  return draw(std::move(shape), start, {.std = normal != nullptr ? normal->std : 0.0, .seed = seed ^ kDrawnTables});
}

Array draw_table(const Learned& spec, std::optional<std::int64_t> width, std::uint64_t seed) {
  const std::int64_t rows = spec.rows > 0 ? spec.rows : kDrawnRows;
  const std::int64_t own = spec.width > 0 ? spec.width : kDrawnWidth;
  return draw({rows, width.value_or(own)}, NormalStart{}, seed);
}

Array draw_parameter(const ParameterInfo& info, std::uint64_t seed, std::int64_t positions) {
  std::vector<std::int64_t> shape = info.shape;
  for (std::int64_t& length : shape) length = length < 0 ? positions : length;
  Array array = draw(shape, info.start, seed);
  if (shape.size() > 2) array.shape = {array.size() / shape.back(), shape.back()};
  return array;
}

}  // namespace

Array random_parameter(const ParameterInfo& info, const Random& random) { return draw(info.shape, info.start, random); }

void draw_missing(EncodingState& state, std::uint64_t seed, std::int64_t positions) {
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
    numbers.parameters.emplace_back(info.name, draw_parameter(info, ++seed, positions));
    state.drawn = true;
  }
}

}  // namespace posenc::models
