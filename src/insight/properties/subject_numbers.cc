#include "insight/properties/subject_numbers.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/spec/bound_parameters.h"
#include "core/text/shell.h"
#include "posenc/error.h"
#include "posenc/pope.h"
#include "posenc/position_ids.h"
#include "posenc/random.h"
#include "posenc/xpos.h"

namespace posenc::properties {
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

}  // namespace

SubjectNumbers::SubjectNumbers(const Subject& subject, std::uint64_t seed) : subject_(subject) {
  validate(subject_.spec);
  if (const auto* sinusoidal = std::get_if<Sinusoidal>(&subject_.spec)) sinusoidal_ = make_schedule(*sinusoidal);
  if (const auto* hybrid = std::get_if<Hybrid>(&subject_.spec)) sinusoidal_ = make_schedule(hybrid->fixed);
  if (const auto* rotary = std::get_if<Rotary>(&subject_.spec)) rotary_ = make_schedule(*rotary);
  if (const auto* pope = std::get_if<Pope>(&subject_.spec)) rotary_ = make_schedule(*pope);
  if (const auto* xpos = std::get_if<Xpos>(&subject_.spec)) rotary_ = make_schedule(*xpos).rotation;
  if (const auto* fourier = std::get_if<Fourier>(&subject_.spec)) fourier_ = make_fourier_schedule(*fourier);
  find_table(seed);
  if (const auto* concat = std::get_if<Concat>(&subject_.spec)) {
    parts_ = make_concat_schedule(*concat);
    find_tables(*concat, seed);
  }
  find_parameters(seed);
  if (place() == Place::bias) bias_.emplace(subject_.spec, parameters_);
  if (place() == Place::term) term_.emplace(subject_.spec, parameters_);
  if (place() == Place::input) width_of(rows());  // throws where the table does not fit
}

void SubjectNumbers::find_table(std::uint64_t seed) {
  const Learned* learned = learned_part(subject_.spec);
  table_ = subject_.table;
  if (learned == nullptr) {
    if (table_.rank != 0) {
      fail(ErrorKind::usage, std::string(kind_of(subject_.spec)) + " has no learned table, but one was given");
    }
    return;
  }
  if (table_.rank != 0) return;
  const std::int64_t rows = learned->rows > 0 ? learned->rows : kDrawnRows;
  const std::int64_t own_width = learned->width > 0 ? learned->width : kDrawnWidth;
  const std::int64_t width = sinusoidal_ ? sinusoidal_->width : own_width;
  table_ = make_view(draw(rows, width, kTableStd, seed).data(), {rows, width});
}

void SubjectNumbers::find_tables(const Concat& spec, std::uint64_t seed) {
  tables_ = subject_.tables;
  if (!tables_.empty()) return;
  for (const ConcatPart& part : spec.parts) {
    const auto* learned = std::get_if<Learned>(&part.encoding);
    if (learned == nullptr) continue;
    const std::int64_t rows = learned->rows > 0 ? learned->rows : kDrawnRows;
    const std::int64_t width = learned->width > 0 ? learned->width : kDrawnWidth;
    tables_.push_back(make_view(draw(rows, width, kTableStd, seed++).data(), {rows, width}));
  }
}

void SubjectNumbers::find_parameters(std::uint64_t seed) {
  parameters_ = subject_.parameters;
  if (std::holds_alternative<Pope>(subject_.spec)) {
    const spec::BoundParameters fitting(subject_.spec, parameters_, "pope");  // throws where they do not fit
  }
  if (place() != Place::bias && place() != Place::term) return;
  infos_ = parameters_of(subject_.spec);
  const bool given = !parameters_.empty();
  for (const ParameterInfo& info : infos_) {
    if (given || info.optional) continue;
    // A matrix has a row and a column per position; a few are enough to look at.
    std::vector<std::int64_t> shape = info.shape;
    for (std::int64_t& length : shape) length = length < 0 ? kDrawnWidth : length;
    const std::int64_t columns = shape.back();
    std::int64_t rows = 1;
    for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) rows *= shape[axis];
    std::vector<double>& numbers = draw(rows, columns, std_of(subject_.spec, info.name), ++seed);
    if (const auto value = first_value(subject_.spec, info.name)) std::fill(numbers.begin(), numbers.end(), *value);
    // KERPLE begins with p within (0, 2) and a within (0, 1): spread over the heads instead of drawn.
    if (std::holds_alternative<Kerple>(subject_.spec)) {
      const double top = info.name == "p" ? 2.0 : 1.0;
      for (std::size_t h = 0; h < numbers.size(); ++h) {
        numbers[h] = top * (static_cast<double>(h) + 0.5) / static_cast<double>(numbers.size());
      }
    }
    const ConstView view =
        shape.size() == 1 ? make_view(numbers.data(), {columns}) : make_view(numbers.data(), {rows, columns});
    parameters_.push_back({info.name, view});
  }
}

std::vector<double>& SubjectNumbers::draw(std::int64_t rows, std::int64_t columns, double std, std::uint64_t seed) {
  if (rows > (std::int64_t{1} << 27) / std::max<std::int64_t>(columns, 1)) {
    fail(ErrorKind::usage, "a learned table of this size is not made up: give its file");
  }
  numbers_.push_back(std::make_unique<std::vector<double>>(static_cast<std::size_t>(rows * columns)));
  fill_random(make_view(numbers_.back()->data(), {rows, columns}), {.std = std, .seed = seed ^ kDrawnTables});
  drawn_ = true;
  return *numbers_.back();
}

std::string SubjectNumbers::command_text() const {
  const std::string text = text::shell_word(subject_.spec_text.empty() ? to_text(subject_.spec) : subject_.spec_text);
  return subject_.data_text.empty() ? text : text + " " + subject_.data_text;
}

InputRows SubjectNumbers::rows() const {
  if (const auto* learned = std::get_if<Learned>(&subject_.spec)) return LearnedRows{*learned, table_};
  if (const auto* hybrid = std::get_if<Hybrid>(&subject_.spec)) {
    return HybridRows{StreamedRows{&*sinusoidal_}, {hybrid->learned, table_}};
  }
  if (const auto* concat = std::get_if<Concat>(&subject_.spec)) return concat_rows(*concat, parts_, tables_);
  if (fourier_) return FourierRows{&*fourier_};
  if (!sinusoidal_) fail(ErrorKind::usage, std::string(kind_of(subject_.spec)) + " adds no rows to embeddings");
  return StreamedRows{&*sinusoidal_};
}

// The smallest number of rows that the learned parts of a coordinate have for themselves; none: no end.
std::optional<std::int64_t> SubjectNumbers::rows_along(std::int64_t axis) const {
  const auto* concat = std::get_if<Concat>(&subject_.spec);
  std::optional<std::int64_t> rows;
  std::size_t next = 0;
  for (const ConcatPart& part : concat != nullptr ? std::span(concat->parts) : std::span<const ConcatPart>()) {
    const auto* learned = std::get_if<Learned>(&part.encoding);
    if (learned == nullptr) continue;
    const std::int64_t given = std::max<std::int64_t>(tables_[next++].shape[0] - learned->first, 0);
    if (part.axis != axis || learned->past_end == PastEnd::clamp) continue;
    const std::int64_t own = learned->length.value_or(given);
    rows = std::min(rows.value_or(own), own);
  }
  return rows;
}

std::optional<std::int64_t> SubjectNumbers::positions() const {
  if (std::holds_alternative<Concat>(subject_.spec) && axes_of(subject_.spec) == 1) return rows_along(0);
  const Learned* learned = learned_part(subject_.spec);
  if (learned == nullptr) return std::nullopt;
  if (learned->past_end == PastEnd::interpolate && learned->length) return *learned->length;
  return std::max<std::int64_t>(table_.shape[0] - learned->first, 0);
}

std::vector<std::int64_t> SubjectNumbers::small_grid() const {
  const std::int64_t axes = axes_of(subject_.spec);
  std::vector<std::int64_t> shape(static_cast<std::size_t>(axes), 2);
  if (axes == 1) shape = {64};
  if (axes == 2) shape = {12, 16};
  if (axes == 3) shape = {4, 6, 8};
  for (std::int64_t axis = 0; axis < axes; ++axis) {
    std::int64_t& length = shape[static_cast<std::size_t>(axis)];
    length = std::max<std::int64_t>(std::min(length, rows_along(axis).value_or(length)), 1);
  }
  std::vector<std::int64_t> places;
  append_grid(places, shape, 0);
  return places;
}

std::int64_t SubjectNumbers::heads() const noexcept {
  if (bias_) return std::max<std::int64_t>(bias_->heads(), 1);
  if (term_) return std::max<std::int64_t>(term_->heads(), 1);
  return 1;
}

std::string SubjectNumbers::drawn_text() const {
  if (!drawn_) return "";
  return std::holds_alternative<Kerple>(subject_.spec) || std::holds_alternative<Fire>(subject_.spec)
             ? "learned numbers were not given: those with which training begins, from a seed"
             : "learned numbers were not given: normal ones from a seed";
}

}  // namespace posenc::properties
