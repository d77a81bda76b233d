#include "posenc/models/encoding.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "core/spec/bound_parameters.h"
#include "core/text/message.h"
#include "core/text/shell.h"
#include "files/shape.h"
#include "models/encoding_state.h"
#include "posenc/error.h"
#include "posenc/position_ids.h"

namespace posenc {
namespace {

using models::EncodingSource;
using models::EncodingState;

// Whether a rotary encoding has a layer and a sequence length if its numbers depend on them.
bool is_settled(const Rotary& spec) {
  if (spec.local_base != 0.0 && !spec.layer) return false;
  return !needs_length(at_layer(spec, spec.layer.value_or(0)).scaling) || spec.sequence_length.has_value();
}

void compute_schedules(EncodingState& state, Missing missing) {
  if (const auto* sinusoidal = std::get_if<Sinusoidal>(&state.spec)) state.sinusoidal = make_schedule(*sinusoidal);
  if (const auto* hybrid = std::get_if<Hybrid>(&state.spec)) state.sinusoidal = make_schedule(hybrid->fixed);
  if (const auto* fourier = std::get_if<Fourier>(&state.spec)) state.fourier = make_fourier_schedule(*fourier);
  if (const auto* concat = std::get_if<Concat>(&state.spec)) state.parts = make_concat_schedule(*concat);
  if (const auto* pope = std::get_if<Pope>(&state.spec)) state.rotary = state.pope.emplace(*pope).angles().schedule();
  if (const auto* xpos = std::get_if<Xpos>(&state.spec)) state.rotary = state.xpos.emplace(*xpos).schedule().rotation;
  const auto* rotary = std::get_if<Rotary>(&state.spec);
  if (rotary && (missing != Missing::leave || is_settled(*rotary))) state.rotary = make_schedule(*rotary);
}

void make_views(EncodingState& state) {
  if (state.numbers.table) state.table = state.numbers.table->view();
  for (const Array& array : state.numbers.tables) state.tables.push_back(array.view());
  for (const auto& [name, array] : state.numbers.parameters) state.parameters.push_back({name, array.view()});
}

bool has_tables(const EncodingState& state) {
  const auto* concat = std::get_if<Concat>(&state.spec);
  if (concat == nullptr) return learned_part(state.spec) == nullptr || state.table.rank != 0;
  const auto learns = [](const ConcatPart& part) { return std::holds_alternative<Learned>(part.encoding); };
  return !state.tables.empty() || std::none_of(concat->parts.begin(), concat->parts.end(), learns);
}

bool has_parameters(const EncodingState& state) {
  const std::vector<ParameterInfo> infos = parameters_of(state.spec);
  return !state.parameters.empty() ||
         std::all_of(infos.begin(), infos.end(), [](const ParameterInfo& info) { return info.optional; });
}

void check_array(const Array& array, const std::string& name) {
  const auto bytes = static_cast<std::int64_t>(array.data.size());
  const bool counts = std::none_of(array.shape.begin(), array.shape.end(), [](std::int64_t n) { return n < 0; });
  const bool empty = std::find(array.shape.begin(), array.shape.end(), 0) != array.shape.end();
  std::int64_t taken = empty ? 0 : size_of(array.dtype);
  for (const std::int64_t length : array.shape) {  // stops at bytes + 1: the full product may overflow
    if (counts && taken > 0 && taken <= bytes) taken = length > bytes / taken ? bytes + 1 : taken * length;
  }
  if (counts && taken == bytes) return;
  fail(ErrorKind::bad_input, text::message(name, " must have the bytes of its shape, ", files::shape_text(array.shape),
                                           " ", to_text(array.dtype), ", but has ", bytes));
}

// Checks learned numbers, because those given in memory were not checked by a loader. Whether parameters fit the spec
// is checked when they are bound.
void check_numbers(const Spec& spec, const LearnedNumbers& numbers) {
  const std::string kind(kind_of(spec));
  const auto refuse = [&](bool given, const char* what) {
    if (given) fail(ErrorKind::usage, kind + " has no " + what + " but was given some");
  };
  refuse(numbers.table && learned_part(spec) == nullptr, "learned table");
  refuse(!numbers.tables.empty() && !std::holds_alternative<Concat>(spec), "learned parts");
  refuse(!numbers.parameters.empty() && parameters_of(spec).empty(), "parameters");
  for (const auto& [name, array] : numbers.parameters) check_array(array, name);
  for (std::size_t i = 0; i < numbers.tables.size() + (numbers.table ? 1 : 0); ++i) {
    const Array& table = i < numbers.tables.size() ? numbers.tables[i] : *numbers.table;
    check_array(table, "the table");
    check_learned_table(table, "the table");
  }
}

double largest_of(const Learned& spec, const Array& table) {
  if (spec.normalize == Normalize::l2) return std::fabs(spec.multiplier);
  double largest = 0.0;
  for (std::int64_t i = 0; i < table.size(); ++i) largest = std::max(largest, std::fabs(table.number(i)));
  return largest * std::fabs(spec.multiplier);
}

// The smallest number of positions that the learned parts of a coordinate have rows for; none if there is no limit.
std::optional<std::int64_t> rows_along(const EncodingState& state, std::int64_t axis) {
  const auto* concat = std::get_if<Concat>(&state.spec);
  std::optional<std::int64_t> rows;
  std::size_t next = 0;
  for (const ConcatPart& part : concat != nullptr ? std::span(concat->parts) : std::span<const ConcatPart>()) {
    const auto* learned = std::get_if<Learned>(&part.encoding);
    if (learned == nullptr) continue;
    const std::int64_t given = std::max<std::int64_t>(state.tables[next++].shape[0] - learned->first, 0);
    if (part.axis != axis || learned->past_end == PastEnd::clamp) continue;
    const std::int64_t own = learned->length.value_or(given);
    rows = std::min(rows.value_or(own), own);
  }
  return rows;
}

// Throws if an encoding at the input has no rows: they were not computed yet, or its table is missing.
void check_rows_there(const EncodingState& state) {
  if (place_of(state.spec) != Place::input || (state.computed && has_tables(state))) return;
  fail(ErrorKind::usage, std::string(kind_of(state.spec)) + " has no rows " +
                             (state.computed ? "without its table" : "yet: with_learned computes them"));
}

// Throws if tables and spec do not fit together.
void check_tables(const Encoding& encoding) {
  PositionView none = PositionView::of(static_cast<const double*>(nullptr), 0);
  none.axes = axes_of(encoding.spec());
  check_rows(encoding.rows(), none, kind_of(encoding.spec()));
}

}  // namespace

const Learned* learned_part(const Spec& spec) noexcept {
  if (const auto* learned = std::get_if<Learned>(&spec)) return learned;
  const auto* hybrid = std::get_if<Hybrid>(&spec);
  return hybrid != nullptr ? &hybrid->learned : nullptr;
}

Encoding EncodingState::complete(EncodingSource source, Missing missing, std::uint64_t seed, std::int64_t positions) {
  auto made = std::make_shared<EncodingState>(std::move(source));
  EncodingState& state = *made;
  compute_schedules(state, missing);
  if (missing == Missing::draw) draw_missing(state, seed, positions);
  make_views(state);
  const Place place = place_of(state.spec);
  state.computed = true;
  if (state.pope) {
    const spec::BoundParameters fitting(state.spec, state.parameters, "pope");
  }
  const bool whole = missing != Missing::leave || has_parameters(state);
  if (place == Place::bias && whole) state.bias.emplace(state.spec, state.parameters);
  if (place == Place::term && whole) state.term.emplace(state.spec, state.parameters);
  const Encoding encoding(std::move(made));
  if (place == Place::input && (missing != Missing::leave || has_tables(state))) check_tables(encoding);
  return encoding;
}

Encoding make_encoding(const Spec& spec, LearnedNumbers numbers, Missing missing, std::uint64_t seed) {
  validate(spec);
  check_numbers(spec, numbers);
  return EncodingState::complete({.spec = spec, .text = to_text(spec), .numbers = std::move(numbers)}, missing, seed);
}

Encoding::Encoding(const Spec& spec) : Encoding(make_encoding(spec, {}, Missing::leave)) {}

Encoding with_drawn(const Encoding& encoding, std::uint64_t seed, std::int64_t positions) {
  const EncodingState& given = EncodingState::of(encoding);
  const bool open = encoding.place() == Place::rotation && !given.rotary;
  const bool acts = encoding.place() == Place::bias || encoding.place() == Place::term;
  if (given.computed && !open && has_tables(given) && (!acts || has_parameters(given))) return encoding;
  return EncodingState::complete(given, Missing::draw, seed, positions);
}

const Spec& Encoding::spec() const noexcept { return state_->spec; }
const std::string& Encoding::text() const noexcept { return state_->text; }
const std::string& Encoding::data_text() const noexcept { return state_->data_text; }
const std::string& Encoding::assumed() const noexcept { return state_->assumed; }
const Model* Encoding::model() const noexcept { return state_->model.get(); }
const ModelGroup* Encoding::group() const noexcept { return state_->group; }
ConstView Encoding::table() const noexcept { return state_->table; }
const std::vector<ConstView>& Encoding::tables() const noexcept { return state_->tables; }
const Parameters& Encoding::parameters() const noexcept { return state_->parameters; }
bool Encoding::drawn() const noexcept { return state_->drawn; }
bool Encoding::made_by_init() const noexcept { return state_->made_by_init; }
const std::optional<SinusoidalSchedule>& Encoding::sinusoidal() const noexcept { return state_->sinusoidal; }
const std::optional<FourierSchedule>& Encoding::fourier() const noexcept { return state_->fourier; }
const std::optional<RotarySchedule>& Encoding::rotary() const noexcept { return state_->rotary; }
const std::optional<Bias>& Encoding::bias() const noexcept { return state_->bias; }
const std::optional<ScoreTerm>& Encoding::term() const noexcept { return state_->term; }

std::string Encoding::command_text() const {
  const std::string word = text::shell_word(state_->text);
  return state_->data_text.empty() ? word : word + " " + state_->data_text;
}

std::string Encoding::drawn_text() const {
  if (!state_->drawn) return "";
  const std::vector<ParameterInfo> infos = parameters_of(spec());
  const bool normal = std::all_of(infos.begin(), infos.end(), [](const ParameterInfo& info) {
    return std::holds_alternative<NormalStart>(info.start);
  });
  return normal ? "learned numbers were not given: normal ones from a seed"
                : "learned numbers were not given: those with which training begins, from a seed";
}

InputRows Encoding::rows() const {
  if (place() != Place::input) fail(ErrorKind::usage, std::string(kind_of(spec())) + " adds no rows to embeddings");
  check_rows_there(*state_);
  if (const auto* concat = std::get_if<Concat>(&spec())) return concat_rows(*concat, state_->parts, state_->tables);
  if (state_->fourier) return FourierRows{&*state_->fourier};
  if (const auto* learned = std::get_if<Learned>(&spec())) return LearnedRows{*learned, state_->table};
  const StreamedRows fixed{&*state_->sinusoidal};
  if (const auto* hybrid = std::get_if<Hybrid>(&spec())) return HybridRows{fixed, {hybrid->learned, state_->table}};
  return fixed;
}

double Encoding::largest() const {
  check_rows_there(*state_);
  const LearnedNumbers& numbers = state_->numbers;
  if (state_->fourier) return std::fabs(state_->fourier->multiplier);
  const auto* concat = std::get_if<Concat>(&spec());
  if (concat == nullptr) {
    const Learned* learned = learned_part(spec());
    const double fixed = state_->sinusoidal ? std::fabs(state_->sinusoidal->multiplier) : 0.0;
    return fixed + (learned != nullptr ? largest_of(*learned, *numbers.table) : 0.0);
  }
  double largest = 0.0;
  std::size_t next = 0;
  for (std::size_t i = 0; i < state_->parts.size(); ++i) {
    const auto* learned = std::get_if<Learned>(&concat->parts[i].encoding);
    const double part =
        learned != nullptr ? largest_of(*learned, numbers.tables[next++]) : std::fabs(state_->parts[i]->multiplier);
    largest = std::max(largest, part);
  }
  return largest;
}

std::optional<std::int64_t> Encoding::positions() const {
  check_rows_there(*state_);
  if (std::holds_alternative<Concat>(spec()) && axes_of(spec()) == 1) return rows_along(*state_, 0);
  const Learned* learned = learned_part(spec());
  if (learned == nullptr) return std::nullopt;
  if (learned->past_end == PastEnd::interpolate && learned->length) return *learned->length;
  return std::max<std::int64_t>(state_->table.shape[0] - learned->first, 0);
}

std::vector<std::int64_t> Encoding::small_grid() const {
  check_rows_there(*state_);
  const std::int64_t axes = axes_of(spec());
  std::vector<std::int64_t> shape(static_cast<std::size_t>(axes), 2);
  if (axes == 1) shape = {64};
  if (axes == 2) shape = {12, 16};
  if (axes == 3) shape = {4, 6, 8};
  for (std::int64_t axis = 0; axis < axes; ++axis) {
    std::int64_t& length = shape[static_cast<std::size_t>(axis)];
    length = std::max<std::int64_t>(std::min(length, rows_along(*state_, axis).value_or(length)), 1);
  }
  std::vector<std::int64_t> places;
  append_grid(places, shape, 0);
  return places;
}

std::int64_t Encoding::heads() const noexcept {
  if (state_->bias) return std::max<std::int64_t>(state_->bias->heads(), 1);
  if (state_->term) return std::max<std::int64_t>(state_->term->heads(), 1);
  return 1;
}

}  // namespace posenc
