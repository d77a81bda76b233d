// The row that each scaling in this folder defines, and helpers for all scalings. To add a scaling, add its struct to
// posenc/scaling.h and a file here.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/refuse.h"
#include "core/numbers/double_double.h"
#include "core/spec/of_alternative.h"
#include "core/spec/scaling_fields.h"
#include "posenc/export.h"
#include "posenc/scaling.h"

namespace posenc::scalings {

using base::Refusal;
using numbers::DoubleDouble;
using spec::Field;

// f_i = base^(-2i / dim) * multipliers_i, computed in twice the precision of double and rounded once, at the end.
struct LadderScale {
  double base;                            // base after scaling, rounded
  DoubleDouble log_base;                  // logarithm of the base, not rounded
  std::vector<DoubleDouble> multipliers;  // one per pair; empty: all 1
  double attention_factor = 1.0;
};

LadderScale unscaled(const Ladder& ladder);
LadderScale with_base_times(const Ladder& ladder, DoubleDouble log_factor);
// base^(-2i / dim), and the number of turns that a pair with this frequency makes within `positions`.
DoubleDouble plain_frequency(DoubleDouble log_base, std::int64_t i, std::int64_t dim);
DoubleDouble turns_within(std::int64_t positions, DoubleDouble frequency);

DoubleDouble whole(std::int64_t number);
DoubleDouble number(double value);
// 1 - share * (1 - 1 / factor): 1 if share is 0, 1 / factor if share is 1, and exactly 1 if factor is 1.
DoubleDouble mixture(DoubleDouble share, double factor);

// Returns the factor, or max_positions / original_positions if none is given.
POSENC_INTERNAL double factor_or_ratio(const std::optional<double>& factor, std::int64_t max_positions,
                                       std::int64_t original_positions);
void check_factor_or_ratio(const std::optional<double>& factor, std::int64_t max_positions, const Refusal& refuse);
void check_list(const std::vector<double>& list, std::string_view name, std::int64_t pairs, const Refusal& refuse);

// The steps of plain pair i in float32: base, exponent and power are each rounded.
struct Float32 {
  std::int64_t i;
  float power;  // base^(2i / dim)
  float plain() const { return 1.0f / power; }
};

// Fields used by several scalings, and an empty list. The example of a list is its number for every pair.
inline std::vector<Field> no_fields(Scaling&) { return {}; }
Field factor_field(double& factor);
Field factor_field(std::optional<double>& factor);
Field original_positions_field(std::int64_t& positions);
Field max_positions_field(std::int64_t& positions);

// The definition of a scaling: one row, in the scaling's own source file.
struct ScalingRow {
  std::vector<Field> (*fields)(Scaling& scaling) = nullptr;
  // Scales base^(-2i / dim): returns another base, or a multiplier per pair.
  LadderScale (*scale)(const Scaling& scaling, const Ladder& ladder) = nullptr;
  // Calls refuse for errors that involve several fields; null: no such errors.
  void (*check)(const Scaling& scaling, const Ladder& ladder, const Refusal& refuse) = nullptr;
  // Frequency i as in the float32 tensors of published code; null if that is the frequency rounded once.
  float (*float32)(const Scaling& scaling, const Ladder& ladder, const Float32& plain) = nullptr;
  // Whether the numbers depend on the sequence length; null: they do not.
  bool (*needs_length)(const Scaling& scaling) = nullptr;
  // The scaling used in training; null: NoScaling, because this scaling stretches a model that was trained without it.
  Scaling (*trained)(const Scaling& scaling) = nullptr;
  std::span<const std::string_view> words = {};  // what else the scaling is called
};

const ScalingRow& row_of(const Scaling& scaling) noexcept;

template <auto function>
inline constexpr auto of_scaling = &spec::OfAlternative<Scaling, function>::call;

// ScalingRow::trained of a scaling with which models are trained.
inline Scaling as_it_is(const Scaling& scaling) { return scaling; }

// Returns frequency i as in float32 tensors; `scale` is the result of the scaling.
double float32_frequency(const Scaling& scaling, const Ladder& ladder, const LadderScale& scale, std::int64_t i);

// Returns the scale of any scaling.
LadderScale scale_of(const Scaling& scaling, const Ladder& ladder);

}  // namespace posenc::scalings
