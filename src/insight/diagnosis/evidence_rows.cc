// Rows of encodings that are added to embeddings.
#include <algorithm>
#include <cmath>

#include "insight/diagnosis/evidence.h"
#include "posenc/error.h"
#include "posenc/input_rows.h"

namespace posenc::diagnosis {
namespace {

struct Rows {
  std::int64_t width = 0;
  std::vector<double> values;     // [N][M]
  std::vector<ConstView> tables;  // of learned parts
};

// Computes the rows of all kinds except sinusoidal by the library's own functions.
void library_rows(const Spec& spec, const std::vector<ConstView>& tables, const Positions& positions, const View& out) {
  if (const auto* learned = std::get_if<Learned>(&spec)) {
    fill_rows(LearnedRows{*learned, tables[0]}, positions, out);
  } else if (const auto* hybrid = std::get_if<Hybrid>(&spec)) {
    const SinusoidalSchedule schedule = make_schedule(hybrid->fixed);
    fill_rows(HybridRows{StreamedRows{&schedule}, {hybrid->learned, tables[0]}}, positions, out);
  } else if (const auto* concat = std::get_if<Concat>(&spec)) {
    const ConcatSchedule schedule = make_concat_schedule(*concat);
    fill_rows(concat_rows(*concat, schedule, tables), positions, out);
  } else if (const auto* fourier = std::get_if<Fourier>(&spec)) {
    const FourierSchedule schedule = make_fourier_schedule(*fourier);
    fill_rows(FourierRows{&schedule}, positions, out);
  }
}

const SinusoidalSchedule& schedule_of(const Engine& engine) {
  if (!engine.schedule) {
    engine.schedule = std::make_shared<const SinusoidalSchedule>(make_schedule(std::get<Sinusoidal>(engine.spec)));
  }
  return *engine.schedule;
}

class RowEvidence : public Evidence {
 public:
  RowEvidence(Ids ids, std::vector<std::int64_t> tokens, std::shared_ptr<const Rows> rows, Rounding type)
      : rows_seen_(std::move(rows)) {
    ids_ = std::move(ids);
    tokens_ = std::move(tokens);
    width_ = rows_seen_->width;
    for (const std::int64_t token : tokens_) {
      const auto from = rows_seen_->values.begin() + static_cast<std::ptrdiff_t>(token * width_);
      observed_.insert(observed_.end(), from, from + static_cast<std::ptrdiff_t>(width_));
    }
    settle(type);
  }

  bool predict(const Engine& engine, std::int64_t first, std::int64_t count, Prediction& out) const override {
    out.value.assign(static_cast<std::size_t>(count * width_), 0.0);
    out.angle.assign(out.value.size(), 0.0);
    if (std::holds_alternative<Sinusoidal>(engine.spec)) {
      const SinusoidalSchedule& schedule = schedule_of(engine);
      if (schedule.width != width_) return false;
      for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t t = token(first + k);
        fill_sinusoidal(engine, schedule, t, out.value.data() + k * width_, out.angle.data() + k * width_);
      }
    } else if (!fill_others(engine, first, count, out)) {
      return false;
    }
    for (double& v : out.value) v *= engine.row_factor;
    return true;
  }

  std::unique_ptr<Evidence> sample(std::int64_t tokens) const override {
    return std::make_unique<RowEvidence>(ids_, telling_tokens(ids_, tokens), rows_seen_, type_);
  }
  std::string channel_name() const override { return "channel"; }

  std::shared_ptr<const Measured> measure(const Engine& engine) const override {
    if (!std::holds_alternative<Sinusoidal>(engine.spec)) return nullptr;
    const SinusoidalSchedule& schedule = schedule_of(engine);
    if (schedule.width != width_) return nullptr;
    auto measured = std::make_shared<Measured>();
    measured->columns = std::min(schedule.sine.count, schedule.cosine.count);
    measured->noise = 0.6 * half_unit(type_) + 1e-7;
    const std::int64_t step = std::max<std::int64_t>(rows() / 512, 1);
    for (std::int64_t row = 0; row < rows(); row += row < 256 ? 1 : step) {
      measured->tokens.push_back(token(row));
      for (std::int64_t j = 0; j < measured->columns; ++j) {
        const double sin = seen(row, schedule.sine.start + j * schedule.sine.stride);
        const double cos = seen(row, schedule.cosine.start + j * schedule.cosine.stride);
        measured->angle.push_back(std::atan2(sin, cos));
        measured->magnitude.push_back(std::hypot(sin, cos));
      }
    }
    return measured;
  }

 private:
  double seen(std::int64_t row, std::int64_t column) const {
    return observed_[static_cast<std::size_t>(row * width_ + column)];
  }

  void fill_sinusoidal(const Engine& engine, const SinusoidalSchedule& schedule, std::int64_t t, double* value,
                       double* angles) const {
    const TurnQuirks& turn = engine.turn;
    const double p = rounded(engine.id(t, ids_.at(t, 0)) + static_cast<double>(schedule.first), turn.ids);
    if (schedule.zero_position && p == static_cast<double>(*schedule.zero_position)) return;
    const double sign = turn.negative ? -1.0 : 1.0;
    for (std::size_t j = 0; j < schedule.inv_freq.size(); ++j) {
      const double angle = rounded(p * rounded(schedule.inv_freq[j], turn.frequencies), turn.angle);
      const auto put = [&](const Columns& columns, double v) {
        if (static_cast<std::int64_t>(j) >= columns.count) return;
        const std::int64_t at = columns.start + static_cast<std::int64_t>(j) * columns.stride;
        value[at] = rounded(schedule.multiplier * v, turn.table);
        angles[at] = angle;
      };
      put(schedule.sine, sign * std::sin(angle));
      put(schedule.cosine, std::cos(angle));
    }
  }

  // False if a position has no row.
  bool fill_others(const Engine& engine, std::int64_t first, std::int64_t count, Prediction& out) const {
    std::vector<double> positions;
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t t = token(first + k);
      for (std::int64_t a = 0; a < ids_.axes; ++a) {
        const std::int64_t from =
            engine.turn.axis_order.empty() ? a : engine.turn.axis_order[static_cast<std::size_t>(a)];
        positions.push_back(engine.id(t, ids_.at(t, from)));
      }
    }
    if (!readable(engine.spec, positions)) return false;
    const bool whole = std::all_of(positions.begin(), positions.end(), [](double p) { return p == std::floor(p); });
    const Positions ids = whole ? Positions::integers({positions.begin(), positions.end()}, ids_.axes)
                                : Positions::reals(positions, ids_.axes);
    library_rows(engine.spec, rows_seen_->tables, ids, make_view(out.value.data(), {count, width_}));
    return true;
  }

  // Whether every position has a row; only learned tables may lack one.
  bool readable(const Spec& spec, const std::vector<double>& positions) const {
    const auto* learned = std::get_if<Learned>(&spec);
    if (const auto* hybrid = std::get_if<Hybrid>(&spec)) learned = &hybrid->learned;
    if (learned == nullptr) return true;
    const double rows = static_cast<double>(rows_seen_->tables[0].shape[0]);
    return std::all_of(positions.begin(), positions.end(), [&](double p) {
      const double row = p + static_cast<double>(learned->first);
      return p >= 0.0 && row >= 0.0 && (row < rows || learned->past_end == PastEnd::clamp) && p == std::floor(p);
    });
  }

  std::shared_ptr<const Rows> rows_seen_;
};

}  // namespace

std::unique_ptr<Evidence> row_evidence(const Engine& right, const ObservedRows& seen, const EvidenceOptions& options) {
  ObservedNumbers numbers = read_numbers(seen.rows, "table", {.min_rank = 2, .max_rank = 2});
  const std::int64_t axes = axes_of(right.spec);
  Ids ids = read_ids(seen.positions, numbers.at(0), axes, "positions");
  auto rows = std::make_shared<Rows>();
  rows->width = numbers.at(1);
  rows->tables = options.options->tables;
  std::int64_t expected = 0;
  const bool sinusoidal = std::holds_alternative<Sinusoidal>(right.spec);
  if (sinusoidal) {
    expected = make_schedule(std::get<Sinusoidal>(right.spec)).width;
  } else {
    // Checks the tables and the positions by making the rows once.
    std::vector<double> right_rows(numbers.size());
    library_rows(right.spec, rows->tables, Positions::reals({ids.values.begin(), ids.values.end()}, axes),
                 make_view(right_rows.data(), {numbers.at(0), numbers.at(1)}));
    expected = rows->width;
  }
  if (expected != rows->width) {
    fail(ErrorKind::bad_input,
         "table: expected rows of " + std::to_string(expected) + " channels but got " + std::to_string(rows->width));
  }
  rows->values = std::move(numbers.values);
  return std::make_unique<RowEvidence>(std::move(ids), counted(numbers.at(0)), std::move(rows), numbers.stored);
}

}  // namespace posenc::diagnosis
