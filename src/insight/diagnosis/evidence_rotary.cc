// Frequencies, tables and rotated vectors of a rotary engine.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/refuse.h"
#include "insight/diagnosis/evidence.h"
#include "posenc/error.h"

namespace posenc::diagnosis {
namespace {

constexpr std::int64_t kMeasuredTokens = 8192;

// The tokens whose angles are measured: all, or up to the limit, half of them the first tokens and half spread over the
// rest.
std::vector<std::int64_t> measured_rows(std::int64_t rows) {
  if (rows <= kMeasuredTokens) return counted(rows);
  std::vector<std::int64_t> chosen;
  for (std::int64_t n = 0; n < kMeasuredTokens / 2; ++n) chosen.push_back(n);
  const std::int64_t rest = rows - kMeasuredTokens / 2;
  for (std::int64_t n = 0; n < kMeasuredTokens / 2; ++n) {
    chosen.push_back(kMeasuredTokens / 2 + n * (rest - 1) / (kMeasuredTokens / 2 - 1));
  }
  return chosen;
}

// ------------------------------------------------------------------------------------------------ frequencies

// The frequencies in the given form: one per column, those of one axis, or those of all axes.
std::vector<double> listed(const HeadPlan& plan, std::size_t count) {
  const auto columns = static_cast<std::size_t>(plan.columns);
  if (count == plan.inv_freq.size()) return plan.inv_freq;
  std::vector<double> merged(columns, 0.0), of_first;
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t a = 0; a < static_cast<std::size_t>(plan.axes); ++a) merged[c] += plan.inv_freq[a * columns + c];
    if (plan.inv_freq[c] != 0.0) of_first.push_back(plan.inv_freq[c]);
  }
  if (count == merged.size()) return merged;
  if (!plan.rotation && count * 2 == merged.size()) merged.resize(count);
  if (count == merged.size()) return merged;
  if (plan.axes > 1 && count == of_first.size()) return of_first;
  return {};
}

class FrequencyEvidence : public Evidence {
 public:
  FrequencyEvidence(const Engine& right, const ObservedNumbers& seen, std::int64_t head_dim) {
    head_dim_ = head_dim;
    width_ = static_cast<std::int64_t>(seen.size());
    tokens_ = {0};
    ids_ = {0, 1, false, {}};
    std::vector<double> expected = listed(plan_of(right, head_dim), seen.size());
    // Some engines keep a factor on all positions, such as 2 pi, outside their frequencies.
    const double factor = std::get<Rotary>(right.spec).frequency_scale;
    if (factor != 1.0 && !expected.empty() &&
        std::abs(seen.values[0] * factor - expected[0]) < std::abs(seen.values[0] - expected[0])) {
      beside_ = factor;
      for (double& f : expected) f /= factor;
    }
    double least = std::numeric_limits<double>::infinity();
    for (const double f : seen.values) {
      if (f != 0.0) least = std::min(least, std::abs(f));
    }
    for (std::size_t c = 0; c < seen.size(); ++c) {
      const double f = expected.empty() ? seen.values[c] : expected[c];
      unit_.push_back(f != 0.0 ? std::abs(f) : least);
      observed_.push_back(seen.values[c] / unit_[c]);
    }
    seen_ = seen.values;
    settle(seen.stored);
    // Small numbers have few digits in float16.
    if (seen.stored == Rounding::f16) tolerance_.rounding += std::ldexp(1.0, -25) / least;
    row_size_ = {1.0};
  }

  bool predict(const Engine& engine, std::int64_t, std::int64_t, Prediction& out) const override {
    if (engine.turn.turns != 1) return false;
    const std::vector<double> mine = listed(plan_of(engine, head_dim_), unit_.size());
    if (mine.empty()) return false;
    const double sign = engine.turn.negative ? -1.0 : 1.0;
    // A factor on the positions is a factor on the frequencies.
    const double step = engine.id(1, 1.0) - engine.id(0, 0.0);
    out.value.resize(unit_.size());
    for (std::size_t c = 0; c < unit_.size(); ++c) out.value[c] = sign * step * mine[c] / beside_ / unit_[c];
    return true;
  }
  std::unique_ptr<Evidence> sample(std::int64_t) const override { return std::make_unique<FrequencyEvidence>(*this); }
  std::string channel_name() const override { return "pair"; }
  // Published frequencies are computed by float32 powers, which are off by a few units in the last place.
  double floor() const override { return 0.3 * half_unit(type_) + 2e-6; }

  // Returns the frequencies as if they were the angles at position 1, because faults look for frequencies.
  std::shared_ptr<const Measured> measure(const Engine& engine) const override {
    if (plan_of(engine, head_dim_).columns != width_) return nullptr;
    auto measured = std::make_shared<Measured>();
    measured->tokens = {0};
    measured->columns = width_;
    measured->angle = seen_;
    measured->magnitude.assign(seen_.size(), std::numeric_limits<double>::quiet_NaN());
    measured->noise = -1.0;  // these are frequencies
    return measured;
  }

 private:
  double beside_ = 1.0;       // a factor that the given frequencies do not include
  std::vector<double> unit_;  // each number is divided by it, so that all have the same weight
  std::vector<double> seen_;
};

// ----------------------------------------------------------------------------------------------------- tables

struct Reduced {
  std::int64_t columns = 0;
  std::vector<double> cos, sin;  // [N][columns]
};

// The two indices at which a tiling puts column c.
using Tile = std::pair<std::int64_t, std::int64_t>;
Tile halves_tile(std::int64_t c, std::int64_t width, std::int64_t parts) {
  const std::int64_t in_part = width / 2 / parts;
  const std::int64_t at = c / in_part * 2 * in_part + c % in_part;
  return {at, at + in_part};
}

bool tiled(const ObservedNumbers& table, std::int64_t width, bool pairs, std::int64_t parts) {
  const auto rows = static_cast<std::int64_t>(table.size()) / width;
  for (std::int64_t c = 0; c < width / 2; ++c) {
    const auto [a, b] = pairs ? Tile{2 * c, 2 * c + 1} : halves_tile(c, width, parts);
    for (std::int64_t n = 0; n < rows; ++n) {
      const double x = table.values[static_cast<std::size_t>(n * width + a)];
      if (std::abs(x - table.values[static_cast<std::size_t>(n * width + b)]) > 1e-6) return false;
    }
  }
  return true;
}

class TableEvidence : public Evidence {
 public:
  TableEvidence(Ids ids, std::vector<std::int64_t> tokens, const Reduced& reduced, Rounding type, std::int64_t head_dim)
      : columns_(reduced.columns), reduced_(reduced) {
    ids_ = std::move(ids);
    tokens_ = std::move(tokens);
    head_dim_ = head_dim;
    width_ = 2 * columns_;
    const auto n = static_cast<std::size_t>(columns_);
    for (const std::int64_t token : tokens_) {
      for (const std::vector<double>* half : {&reduced_.cos, &reduced_.sin}) {
        const auto from = half->begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(token) * n);
        observed_.insert(observed_.end(), from, from + static_cast<std::ptrdiff_t>(n));
      }
    }
    settle(type);
  }

  bool predict(const Engine& engine, std::int64_t first, std::int64_t count, Prediction& out) const override {
    const HeadPlan& plan = plan_of(engine, head_dim_);
    if (plan.columns > columns_ || engine.turn.heads != HeadOrder::right) return false;
    const auto n = static_cast<std::size_t>(columns_);
    out.value.resize(static_cast<std::size_t>(count) * 2 * n);
    out.angle.resize(out.value.size());
    for (std::int64_t k = 0; k < count; ++k) {
      double* cos = out.value.data() + static_cast<std::size_t>(k) * 2 * n;
      double* sin = cos + n;
      std::fill(cos, cos + n, 1.0);
      std::fill(sin, sin + n, 0.0);
      const std::int64_t t = token(first + k);
      const double* position = &ids_.values[static_cast<std::size_t>(t * ids_.axes)];
      if (engine.turn.turns == 1) fill_turns(engine, plan, t, position, cos, sin);
      if (engine.turn.turns == 2) fill_twice(engine, plan, t, position, cos, sin);
      for (std::size_t c = 0; c < n; ++c) {
        const bool turns = static_cast<std::int64_t>(c) < plan.columns;
        const double angle = turns ? angle_of(engine, plan, t, position, static_cast<std::int64_t>(c)) : 0.0;
        out.angle[static_cast<std::size_t>(k) * 2 * n + c] = angle;
        out.angle[static_cast<std::size_t>(k) * 2 * n + n + c] = angle;
      }
    }
    return true;
  }

  std::unique_ptr<Evidence> sample(std::int64_t tokens) const override {
    return std::make_unique<TableEvidence>(ids_, telling_tokens(ids_, tokens), reduced_, type_, head_dim_);
  }
  std::string channel_name() const override { return "pair"; }
  std::int64_t channel_of(std::int64_t column) const override { return column % columns_; }

  std::shared_ptr<const Measured> measure(const Engine&) const override {
    if (measured_) return measured_;
    auto measured = std::make_shared<Measured>();
    measured->columns = columns_;
    measured->noise = 0.6 * half_unit(type_) + 1e-7;
    for (const std::int64_t row : measured_rows(rows())) {
      measured->tokens.push_back(token(row));
      for (std::int64_t c = 0; c < columns_; ++c) {
        const double cos = observed_[static_cast<std::size_t>(row * width_ + c)];
        const double sin = observed_[static_cast<std::size_t>(row * width_ + columns_ + c)];
        measured->angle.push_back(std::atan2(sin, cos));
        measured->magnitude.push_back(std::hypot(sin, cos));
      }
    }
    measured_ = measured;
    return measured_;
  }

 private:
  // The tables of two rotations in a row: angles doubled, magnitudes squared.
  static void fill_twice(const Engine& engine, const HeadPlan& plan, std::int64_t t, const double* position,
                         double* cos, double* sin) {
    fill_turns(engine, plan, t, position, cos, sin);
    for (std::int64_t c = 0; c < plan.columns; ++c) {
      const double x = cos[c], y = sin[c];
      cos[c] = x * x - y * y;
      sin[c] = 2.0 * x * y;
    }
  }

  std::int64_t columns_;
  Reduced reduced_;
  mutable std::shared_ptr<const Measured> measured_;
};

// [A, N, W] for several axes: each column is read from the table of its axis.
ObservedNumbers merged_axes(const ObservedNumbers& table, const HeadPlan& plan) {
  ObservedNumbers merged = table;
  const std::int64_t axes = table.at(0), rows = table.at(1), width = table.at(2);
  merged.shape = {rows, width};
  merged.values.clear();
  for (std::int64_t n = 0; n < rows; ++n) {
    for (std::int64_t w = 0; w < width; ++w) {
      std::int64_t axis = 0;
      for (std::int64_t a = 0; a < plan.axes; ++a) {
        if (plan.inv_freq[static_cast<std::size_t>(a * plan.columns + w % plan.columns)] != 0.0) axis = a;
      }
      merged.values.push_back(table.values[static_cast<std::size_t>(((axis % axes) * rows + n) * width + w)]);
    }
  }
  return merged;
}

Reduced reduced(const ObservedNumbers& cos, const ObservedNumbers& sin, const HeadPlan& plan,
                std::vector<std::string>* notes) {
  const std::int64_t width = cos.at(1), rows = cos.at(0);
  if (width == plan.columns || width % 2 != 0) return {width, cos.values, sin.values};
  const auto both = [&](bool pairs, std::int64_t parts) {
    return tiled(cos, width, pairs, parts) && tiled(sin, width, pairs, parts);
  };
  bool pairs = false;
  std::int64_t parts = 1;
  if (both(false, 1)) {
    notes->push_back("the tables are tiled as halves: [c0 .. cn c0 .. cn], as for layout half");
  } else if (both(true, 1)) {
    pairs = true;
    notes->push_back("the tables are tiled as pairs: [c0 c0 c1 c1 ..], as for layout interleaved");
  } else if (plan.axes > 1 && width % (2 * plan.axes) == 0 && both(false, plan.axes)) {
    parts = plan.axes;
    notes->push_back("the tables are tiled as halves, part by part");
  } else {
    return {width, cos.values, sin.values};
  }
  Reduced result{width / 2, {}, {}};
  for (std::int64_t n = 0; n < rows; ++n) {
    for (std::int64_t c = 0; c < width / 2; ++c) {
      const std::int64_t at = n * width + (pairs ? 2 * c : halves_tile(c, width, parts).first);
      result.cos.push_back(cos.values[static_cast<std::size_t>(at)]);
      result.sin.push_back(sin.values[static_cast<std::size_t>(at)]);
    }
  }
  return result;
}

// -------------------------------------------------------------------------------------------------- rotations

struct Vectors {
  std::int64_t heads = 1;
  std::vector<double> input, rotated;  // [N][H][D]
};

class RotationEvidence : public Evidence {
 public:
  RotationEvidence(Ids ids, std::vector<std::int64_t> tokens, std::shared_ptr<const Vectors> vectors,
                   std::int64_t heads, Rounding type, std::int64_t head_dim)
      : vectors_(std::move(vectors)), heads_(heads) {
    ids_ = std::move(ids);
    tokens_ = std::move(tokens);
    head_dim_ = head_dim;
    width_ = heads_ * head_dim;
    for (const std::int64_t token : tokens_) {
      const auto from = vectors_->rotated.begin() + static_cast<std::ptrdiff_t>(token * vectors_->heads * head_dim);
      observed_.insert(observed_.end(), from, from + static_cast<std::ptrdiff_t>(width_));
    }
    settle(type, true);
  }

  bool predict(const Engine& engine, std::int64_t first, std::int64_t count, Prediction& out) const override {
    const HeadPlan& plan = plan_of(engine, head_dim_);
    const auto columns = static_cast<std::size_t>(plan.columns);
    std::vector<double> cos(columns), sin(columns);
    out.value.resize(static_cast<std::size_t>(count * width_));
    out.size.resize(out.value.size());
    out.angle.resize(out.value.size());
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t t = token(first + k);
      for (std::int64_t h = 0; h < heads_; ++h) {
        const std::int64_t turner = turner_of(engine, t, h);
        if (h == 0 || engine.turn.heads != HeadOrder::right) {
          fill_turns(engine, plan, turner, position_of(turner), cos.data(), sin.data());
        }
        const double* x = vectors_->input.data() + (t * vectors_->heads + h) * head_dim_;
        const std::int64_t at = k * width_ + h * head_dim_;
        turn_head(engine, plan, cos.data(), sin.data(), x, out.value.data() + at);
        fill_sizes(engine, plan, turner, x, out, at);
      }
    }
    return true;
  }

  std::unique_ptr<Evidence> sample(std::int64_t tokens) const override {
    return std::make_unique<RotationEvidence>(ids_, telling_tokens(ids_, tokens), vectors_,
                                              std::min<std::int64_t>(heads_, 3), type_, head_dim_);
  }
  std::string channel_name() const override { return "channel"; }
  std::int64_t channel_of(std::int64_t column) const override { return column % head_dim_; }

  std::shared_ptr<const Measured> measure(const Engine& engine) const override {
    const HeadPlan& plan = plan_of(engine, head_dim_);
    if (!plan.rotation) return nullptr;
    for (const auto& [outputs, known] : known_) {
      if (outputs == plan.outputs) return known;
    }
    auto measured = std::make_shared<Measured>();
    measured->columns = plan.columns;
    measured->noise = 1.2 * half_unit(type_) + 2e-7;
    for (const std::int64_t row : measured_rows(rows())) {
      measured->tokens.push_back(token(row));
      measure_row(plan, row, *measured);
    }
    known_.emplace_back(plan.outputs, measured);
    return measured;
  }

 private:
  std::int64_t turner_of(const Engine& engine, std::int64_t t, std::int64_t h) const {
    if (engine.turn.heads == HeadOrder::by_head) return h % ids_.count;
    if (engine.turn.heads == HeadOrder::flat_heads) return (t * vectors_->heads + h) % ids_.count;
    return t;
  }
  const double* position_of(std::int64_t t) const { return &ids_.values[static_cast<std::size_t>(t * ids_.axes)]; }

  void fill_sizes(const Engine& engine, const HeadPlan& plan, std::int64_t turner, const double* x, Prediction& out,
                  std::int64_t at) const {
    double id[8] = {};
    for (std::int64_t a = 0; a < plan.axes; ++a) id[a] = std::abs(engine.id(turner, position_of(turner)[a]));
    for (std::int64_t c = 0; c < head_dim_; ++c) {
      const Output& o = plan.outputs[static_cast<std::size_t>(c)];
      const auto to = static_cast<std::size_t>(at + c);
      out.size[to] = engine.turn.factor * (std::abs(x[o.main]) + std::abs(x[o.partner]));
      double angle = 0.0;
      for (std::int64_t a = 0; o.column >= 0 && a < plan.axes; ++a) {
        angle += id[a] * std::abs(plan.inv_freq[static_cast<std::size_t>(a * plan.columns + o.column)]);
      }
      out.angle[to] = angle;
    }
  }

  void measure_row(const HeadPlan& plan, std::int64_t row, Measured& measured) const {
    const auto columns = static_cast<std::size_t>(plan.columns);
    std::vector<double> real(columns, 0.0), imaginary(columns, 0.0), weight(columns, 0.0);
    const std::int64_t t = token(row);
    for (std::int64_t h = 0; h < heads_; ++h) {
      const double* x = vectors_->input.data() + (t * vectors_->heads + h) * head_dim_;
      const double* y = vectors_->rotated.data() + (t * vectors_->heads + h) * head_dim_;
      // The two outputs of a column, y1 = a c - b s and y2 = b c + a s; each is visited once.
      for (std::int64_t o = 0; o < head_dim_; ++o) {
        const Output& output = plan.outputs[static_cast<std::size_t>(o)];
        if (output.column < 0) continue;
        const auto c = static_cast<std::size_t>(output.column);
        real[c] += y[o] * x[output.main];
        imaginary[c] += output.sign * y[o] * x[output.partner];
        weight[c] += x[output.main] * x[output.main];
      }
    }
    for (std::size_t c = 0; c < columns; ++c) {
      const bool seen = weight[c] > 0.0;
      const double nan = std::numeric_limits<double>::quiet_NaN();
      measured.angle.push_back(seen ? std::atan2(imaginary[c], real[c]) : nan);
      measured.magnitude.push_back(seen ? std::hypot(imaginary[c], real[c]) / weight[c] : nan);
    }
  }

  std::shared_ptr<const Vectors> vectors_;
  std::int64_t heads_;  // how many of them are compared
  mutable std::vector<std::pair<std::vector<Output>, std::shared_ptr<const Measured>>> known_;
};

}  // namespace

std::optional<Placed> place_in_head(const Rotary& spec, const std::optional<LatentHead>& latent, std::int64_t width) {
  const RotarySchedule schedule = plain_schedule(spec);
  if (latent && width == latent->nope + latent->rope && schedule.rotary_dim == latent->rope) {
    return Placed{latent->nope - schedule.first_channel, "the vectors are whole heads: [" +
                                                             std::to_string(latent->nope) + " without positions | " +
                                                             std::to_string(latent->rope) + " rotated]"};
  }
  if (width == schedule.head_dim) return Placed{};
  if (width == schedule.rotary_dim) {
    return Placed{-schedule.first_channel, "the vectors hold the " + std::to_string(width) + " rotated channels only"};
  }
  return std::nullopt;
}

std::unique_ptr<Evidence> frequency_evidence(const Engine& right, const ObservedFrequencies& seen,
                                             const EvidenceOptions& options) {
  const std::int64_t head_dim = std::get<Rotary>(right.spec).head_dim;
  ObservedNumbers numbers = read_numbers(seen.inv_freq, "inv_freq", {.min_rank = 1, .max_rank = 2});
  const auto pairs = static_cast<std::size_t>(plan_of(right, head_dim).columns);
  if (numbers.size() == 2 * pairs && listed(plan_of(right, head_dim), 2 * pairs).empty()) {
    const auto middle = numbers.values.begin() + static_cast<std::ptrdiff_t>(pairs);
    std::vector<double> even, odd;
    for (std::size_t i = 0; i < pairs; ++i) {
      even.push_back(numbers.values[2 * i]);
      odd.push_back(numbers.values[2 * i + 1]);
    }
    const bool halves = std::equal(numbers.values.begin(), middle, middle);
    if (halves || even == odd) {
      numbers.values = halves ? std::vector<double>(numbers.values.begin(), middle) : even;
      options.notes->push_back(halves ? "every frequency is given twice: [f0 .. fn f0 .. fn]"
                                      : "every frequency is given twice: [f0 f0 f1 f1 ..]");
    }
  }
  return std::make_unique<FrequencyEvidence>(right, numbers, head_dim);
}

std::unique_ptr<Evidence> table_evidence(const Engine& right, const ObservedTables& seen,
                                         const EvidenceOptions& options) {
  const std::int64_t head_dim = std::get<Rotary>(right.spec).head_dim;
  const HeadPlan& plan = plan_of(right, head_dim);
  ObservedNumbers cos = read_numbers(seen.cos, "cos", {.min_rank = 2, .max_rank = 3});
  ObservedNumbers sin = read_numbers(seen.sin, "sin", {.min_rank = 2, .max_rank = 3, .zeros = true});
  if (cos.shape != sin.shape) {
    base::refuse_file("sin", "expected the shape of cos, ", bracketed(cos.shape), ", but got ", bracketed(sin.shape));
  }
  if (cos.shape.size() == 3 && cos.at(0) == plan.axes && plan.axes > 1) {
    cos = merged_axes(cos, plan);
    sin = merged_axes(sin, plan);
    options.notes->push_back("there is one table per axis: each pair is read from the table of its axis");
  }
  if (cos.shape.size() == 3 && cos.at(1) == 1) {  // [N, 1, W]
    cos.shape = {cos.at(0), cos.at(2)};
    sin.shape = cos.shape;
  }
  if (cos.shape.size() != 2) base::refuse_file("cos", "expected [N, W] but got ", bracketed(cos.shape));
  Ids ids = read_ids(seen.positions, cos.at(0), plan.axes, "positions");
  const Reduced tables = reduced(cos, sin, plan, options.notes);
  const Rounding type = half_unit(cos.stored) > half_unit(sin.stored) ? cos.stored : sin.stored;
  return std::make_unique<TableEvidence>(std::move(ids), counted(cos.at(0)), tables, type, head_dim);
}

std::unique_ptr<Evidence> rotation_evidence(Engine& right, const ObservedRotation& seen,
                                            const EvidenceOptions& options) {
  const auto* rotary = std::get_if<Rotary>(&right.spec);
  const ObservedNumbers input = read_vectors(seen.input, "input", seen.positions.count);
  const ObservedNumbers rotated = read_vectors(seen.rotated, "rotated", seen.positions.count);
  if (input.shape != rotated.shape) {
    base::refuse_file("rotated", "expected the shape of input, ", bracketed(input.shape), ", but got ",
                      bracketed(rotated.shape));
  }
  const std::int64_t width = input.shape.back(), tokens = input.at(0);
  const std::int64_t heads = input.shape.size() == 3 ? input.at(1) : 1;
  if (rotary != nullptr) {
    const std::optional<Placed> placed = place_in_head(*rotary, options.options->latent_head, width);
    if (!placed) {
      base::refuse_file("input", "expected heads of ", rotary->head_dim, " channels but got ", bracketed(input.shape),
                        (width % rotary->head_dim == 0 ? "; write several heads as [N, H, D]" : ""));
    }
    right.head_start = placed->start;
    if (!placed->words.empty()) options.notes->push_back(placed->words);
  }
  if (heads > 1 && seen.positions.count == heads && seen.positions.count != tokens) {
    base::refuse_file("positions", "expected ", tokens, ", one per token of [N, H, D], but got ", heads,
                      "; if the input is [H, N, D], transpose it");
  }
  Ids ids = read_ids(seen.positions, tokens, axes_of(right.spec), "positions");
  auto vectors = std::make_shared<Vectors>(Vectors{heads, input.values, rotated.values});
  if (half_unit(rotated.actual) > half_unit(rotated.stored)) {
    options.notes->push_back("every number in rotated fits in " + std::string(words_of(rotated.actual)) +
                             ", so they are compared at that precision");
  }
  return std::make_unique<RotationEvidence>(std::move(ids), counted(tokens), std::move(vectors), heads, rotated.actual,
                                            width);
}

}  // namespace posenc::diagnosis
