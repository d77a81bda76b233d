#include <algorithm>
#include <cmath>

#include "core/text/number_text.h"
#include "insight/diagnosis/answer.h"
#include "insight/diagnosis/fault.h"
#include "insight/diagnosis/question.h"
#include "posenc/error.h"

namespace posenc {
namespace {

using diagnosis::Engine;
using diagnosis::Evidence;

// Pseudorandom numbers, the same every time.
std::vector<double> drawn(std::int64_t count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = static_cast<double>(i) + 1.0;
    values[i] = 1.4 * std::sin(x * x * 0.7548776662 + 0.5698402910 * x);
  }
  return values;
}

// Owns the input of the engines.
struct Stage {
  std::vector<double> a, b, c;
  std::vector<double> table;
  Positions queries;
  Parameters parameters;
  Observation observation;
};

bool between_sides(std::string_view fault) {
  return fault.find("one_side") != fault.npos || fault.find("softmax_scale") != fault.npos ||
         fault.find("keys_not") != fault.npos || fault.find("queries_not") != fault.npos ||
         fault.find("query_scale") != fault.npos;
}

void stage_turns(Stage& stage, std::int64_t head_dim, const PositionView& positions, bool scores) {
  const std::int64_t count = positions.count;
  constexpr std::int64_t kHeads = 2;
  stage.a = drawn(count * kHeads * head_dim);
  if (!scores) {
    const ConstView vectors = make_view(static_cast<const double*>(stage.a.data()), {count, kHeads, head_dim});
    stage.observation = ObservedRotation{vectors, vectors, positions};
    return;
  }
  stage.b = drawn(kHeads * head_dim);
  stage.c.assign(static_cast<std::size_t>(kHeads * count), 1.0);
  stage.observation = ObservedScores{make_view(static_cast<const double*>(stage.c.data()), {kHeads, count, 1}),
                                     make_view(static_cast<const double*>(stage.a.data()), {count, kHeads, head_dim}),
                                     make_view(static_cast<const double*>(stage.b.data()), {1, kHeads, head_dim}),
                                     positions, PositionView::range(37, 1)};
}

// One key, at position 1, because some biases depend on the key's position alone; the queries are at the given
// distances from it.
void stage_bias(Stage& stage, const Spec& spec, const PositionView& positions, const DiagnoseOptions& options) {
  std::int64_t heads = 1;
  std::visit(
      [&](const auto& s) {
        if constexpr (requires { s.heads; }) heads = s.heads;
      },
      spec);
  stage.a.assign(static_cast<std::size_t>(heads * positions.count), 1.0);
  std::vector<std::int64_t> queries;
  for (std::int64_t n = 0; n < positions.count; ++n) queries.push_back(std::llround(positions.real(0, n)) + 1);
  stage.queries = Positions::integers(std::move(queries));
  stage.observation = ObservedBias{make_view(static_cast<const double*>(stage.a.data()), {heads, positions.count, 1}),
                                   stage.queries, PositionView::range(1, 1)};
  stage.parameters = options.parameters;
  const auto* t5 = std::get_if<T5>(&spec);
  const auto* clipped = std::get_if<Clipped>(&spec);
  if (!stage.parameters.empty() || (t5 == nullptr && clipped == nullptr)) return;
  const std::int64_t rows = t5 != nullptr ? t5->buckets : 2 * clipped->max_distance + 1;
  stage.table = drawn(rows * heads);
  stage.parameters = {{"table", make_view(static_cast<const double*>(stage.table.data()), {rows, heads})}};
}

void stage_rows(Stage& stage, const Spec& spec, const PositionView& positions) {
  const auto* sinusoidal = std::get_if<Sinusoidal>(&spec);
  if (sinusoidal == nullptr) {
    fail(ErrorKind::unsupported,
         "[inject_fault] of the encodings at the input, only sinusoidal can be shown but the spec is " +
             std::string(kind_of(spec)));
  }
  stage.a.assign(static_cast<std::size_t>(positions.count * sinusoidal->width), 1.0);
  stage.observation = ObservedRows{
      make_view(static_cast<const double*>(stage.a.data()), {positions.count, sinusoidal->width}), positions};
}

// Applies one "name" or "name=number" of the text.
Engine changed_by(std::string_view part, const Engine& engine, const DiagnoseOptions& options) {
  while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
  while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
  const std::size_t equals = part.find('=');
  std::optional<double> value;
  if (equals != part.npos) {
    value = text::parse_number(part.substr(equals + 1));
    if (!value) fail(ErrorKind::usage, "'" + std::string(part) + "': expected a number after '='");
  }
  const diagnosis::Fault& fault = diagnosis::fault_named(part.substr(0, equals));
  std::vector<Engine> ways = variations_of(fault, engine, diagnosis::Clues(options, value));
  if (ways.empty()) {
    fail(ErrorKind::usage,
         std::string(part) + (value ? " does not change " : " does not apply to ") + to_text(engine.spec));
  }
  return ways.front();
}

void stage_spec(Stage& stage, const Spec& spec, std::string_view fault, const PositionView& positions,
                const DiagnoseOptions& options) {
  const auto* rotary = std::get_if<Rotary>(&spec);
  if (rotary != nullptr || std::holds_alternative<NoPosition>(spec)) {
    std::int64_t head_dim = rotary != nullptr ? rotary->head_dim : 128;
    if (rotary == nullptr && !options.others.empty()) head_dim = options.others.front().spec.head_dim;
    if (options.latent_head) head_dim = options.latent_head->nope + options.latent_head->rope;
    stage_turns(stage, head_dim, positions, between_sides(fault));
  } else if (place_of(spec) == Place::input) {
    stage_rows(stage, spec, positions);
  } else {
    stage_bias(stage, spec, positions, options);
  }
}

// Applies the faults joined by '+', in order.
Engine changed_by_all(std::string_view faults, Engine engine, const DiagnoseOptions& options) {
  while (true) {
    const std::size_t plus = faults.find('+');
    engine = changed_by(faults.substr(0, plus), engine, options);
    if (plus == faults.npos) return engine;
    faults.remove_prefix(plus + 1);
  }
}

// The column with the largest difference.
std::size_t worst_column(const std::vector<double>& a, const std::vector<double>& b, std::size_t width) {
  double largest = -1.0;
  std::size_t column = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a[i] - b[i]);
    if (!std::isfinite(difference) || difference <= largest) continue;
    largest = difference;
    column = i % width;
  }
  return column;
}

}  // namespace

InjectedFault inject_fault(const Spec& spec, std::string_view fault, const PositionView& positions,
                           const DiagnoseOptions& options) {
  validate(spec);
  if (positions.count < 1) fail(ErrorKind::usage, "[inject_fault] positions must not be empty");
  Stage stage;
  stage_spec(stage, spec, fault, positions, options);
  diagnosis::check_kind(spec, stage.observation);
  DiagnoseOptions staged = options;
  staged.parameters = stage.parameters;
  Engine right = diagnosis::right_engine(spec, stage.observation, staged);
  std::vector<std::string> notes;
  const std::unique_ptr<Evidence> evidence = diagnosis::make_evidence(right, stage.observation, {&staged, &notes});
  const Engine wrong = changed_by_all(fault, right, staged);
  diagnosis::Prediction a, b;
  if (!evidence->predict(right, 0, evidence->rows(), a) || !evidence->predict(wrong, 0, evidence->rows(), b)) {
    fail(ErrorKind::unsupported, "[inject_fault] this fault changes the shape of the numbers, so it cannot be shown");
  }
  InjectedFault result;
  if (std::holds_alternative<ObservedBias>(stage.observation)) result.along = "distance";
  for (const diagnosis::Blame& blame : wrong.blames) {
    result.sentence += (result.sentence.empty() ? "" : " ") + diagnosis::sentence_of(blame);
  }
  const auto width = static_cast<std::size_t>(evidence->width());
  const std::size_t column = worst_column(a.value, b.value, width);
  result.channel = evidence->channel_of(static_cast<std::int64_t>(column));
  for (std::int64_t n = 0; n < evidence->rows(); ++n) {
    const auto row = static_cast<std::size_t>(n) * width;
    double error = 0.0;
    bool finite = true;
    for (std::size_t c = row; c < row + width; ++c) {
      error = std::max(error, std::abs(a.value[c] - b.value[c]));
      finite = finite && std::isfinite(b.value[c]);
    }
    if (!finite) continue;  // overflow of a short type
    result.positions.push_back(positions.real(0, n));
    result.error.push_back(error);
    result.right.push_back(a.value[row + column]);
    result.wrong.push_back(b.value[row + column]);
  }
  if (result.error.empty() || *std::max_element(result.error.begin(), result.error.end()) == 0.0) {
    fail(ErrorKind::usage, std::string(fault) + " does not change " + to_text(spec) + " at these positions");
  }
  return result;
}

}  // namespace posenc
