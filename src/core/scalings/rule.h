// What a file of this folder gives for each of its scalings, and the parts that they share. A new scaling adds its
// struct to posenc/scaling.h and a file here.
#pragma once

#include <cstdint>
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

// f_i = base^(-2i / dim) * multipliers_i in twice the precision: it is rounded once, at the end.
struct LadderScale {
  double base;                            // of the scaled ladder, rounded
  DoubleDouble log_base;                  // its logarithm, not rounded
  std::vector<DoubleDouble> multipliers;  // one per pair; empty: all 1
  double attention_factor = 1.0;
};

LadderScale unscaled(const Ladder& ladder);
LadderScale with_base_times(const Ladder& ladder, DoubleDouble log_factor);
// base^(-2i / dim), and that many turns within `positions`.
DoubleDouble plain_frequency(DoubleDouble log_base, std::int64_t i, std::int64_t dim);
DoubleDouble turns_within(std::int64_t positions, DoubleDouble frequency);

DoubleDouble whole(std::int64_t number);
DoubleDouble number(double value);
// 1 - share * (1 - 1 / factor): f where share is 0, f / factor where it is 1; exactly 1 for a factor of 1.
DoubleDouble mixture(DoubleDouble share, double factor);

// max_positions / original_positions where no factor is given.
POSENC_INTERNAL double factor_or_ratio(const std::optional<double>& factor, std::int64_t max_positions,
                                       std::int64_t original_positions);
void check_factor_or_ratio(const std::optional<double>& factor, std::int64_t max_positions, const Refusal& refuse);
void check_list(const std::vector<double>& list, std::string_view name, std::int64_t pairs, const Refusal& refuse);

// Pair i of a plain ladder in float32: the base, the exponent and the power each rounded.
struct Float32 {
  std::int64_t i;
  float power;  // base^(2i / dim)
  float plain() const { return 1.0f / power; }
};

// Fields that many have, and none.
inline std::vector<Field> no_fields(Scaling&) { return {}; }
Field factor_field(double& factor);
Field factor_field(std::optional<double>& factor);
Field original_positions_field(std::int64_t& positions);
Field max_positions_field(std::int64_t& positions);

// What a scaling is made of: one row, which its own source defines.
struct ScalingRow {
  std::vector<Field> (*fields)(Scaling& scaling) = nullptr;
  // What becomes of base^(-2i / dim): another base, or a multiplier per pair.
  LadderScale (*scale)(const Scaling& scaling, const Ladder& ladder) = nullptr;
  // Calls refuse with what no field can tell alone; null: nothing can be wrong.
  void (*check)(const Scaling& scaling, const Ladder& ladder, const Refusal& refuse) = nullptr;
  // Frequency i as float32 tensors of published code have it, where that rounds more than once.
  float (*float32)(const Scaling& scaling, const Ladder& ladder, const Float32& plain) = nullptr;
  // Whether the numbers depend on the length of the sequence; null: they do not.
  bool (*needs_length)(const Scaling& scaling) = nullptr;
  // What it was in training; null: nothing, it stretches what was trained without it.
  Scaling (*trained)(const Scaling& scaling) = nullptr;
};

const ScalingRow& row_of(const Scaling& scaling) noexcept;

template <auto function>
inline constexpr auto of_scaling = &spec::OfAlternative<Scaling, function>::call;

// Of a scaling that a model is trained with.
inline Scaling as_it_is(const Scaling& scaling) { return scaling; }

// What float32 tensors make of frequency i; `scale` is that of the scaling.
double float32_frequency(const Scaling& scaling, const Ladder& ladder, const LadderScale& scale, std::int64_t i);

// Of any kind.
LadderScale scale_of(const Scaling& scaling, const Ladder& ladder);

}  // namespace posenc::scalings
