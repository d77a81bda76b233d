// What a file of this folder gives for each of its scalings: fields_of, check and scale. A new scaling adds its struct
// to posenc/scaling.h and three lines here.
#pragma once

#include <cstdint>
#include <vector>

#include "core/numbers/double_double.h"
#include "core/spec/scaling_fields.h"
#include "posenc/scaling.h"

namespace posenc::scalings {

using numbers::DoubleDouble;
using spec::Field;
using spec::Refuse;

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
double factor_or_ratio(const std::optional<double>& factor, std::int64_t max_positions,
                       std::int64_t original_positions);
void check_factor_or_ratio(const std::optional<double>& factor, std::int64_t max_positions, const Refuse& refuse);
void check_list(const std::vector<double>& list, std::string_view name, std::int64_t pairs, const Refuse& refuse);

// Fields that many have.
Field factor_field(double& factor);
Field factor_field(std::optional<double>& factor);
Field original_positions_field(std::int64_t& positions);
Field max_positions_field(std::int64_t& positions);

// The files of this folder. A check that is not declared for a kind has nothing to say.
std::vector<Field> fields_of(NoScaling& s);
std::vector<Field> fields_of(LinearScaling& s);
std::vector<Field> fields_of(Ntk& s);
std::vector<Field> fields_of(DynamicNtk& s);
std::vector<Field> fields_of(NtkAlpha& s);
std::vector<Field> fields_of(NtkByParts& s);
std::vector<Field> fields_of(Yarn& s);
std::vector<Field> fields_of(LongRope& s);
std::vector<Field> fields_of(Llama3& s);
std::vector<Field> fields_of(Proportional& s);
std::vector<Field> fields_of(PRope& s);
std::vector<Field> fields_of(LearnedMultipliers& s);
std::vector<Field> fields_of(Resonance& s);

template <class Kind>
void check(const Kind&, std::int64_t, const Refuse&) {}
void check(const NtkByParts& s, std::int64_t pairs, const Refuse& refuse);
void check(const Yarn& s, std::int64_t pairs, const Refuse& refuse);
void check(const LongRope& s, std::int64_t pairs, const Refuse& refuse);
void check(const Llama3& s, std::int64_t pairs, const Refuse& refuse);
void check(const LearnedMultipliers& s, std::int64_t pairs, const Refuse& refuse);

LadderScale scale(const NoScaling& s, const Ladder& ladder);
LadderScale scale(const LinearScaling& s, const Ladder& ladder);
LadderScale scale(const Ntk& s, const Ladder& ladder);
LadderScale scale(const DynamicNtk& s, const Ladder& ladder);
LadderScale scale(const NtkAlpha& s, const Ladder& ladder);
LadderScale scale(const NtkByParts& s, const Ladder& ladder);
LadderScale scale(const Yarn& s, const Ladder& ladder);
LadderScale scale(const LongRope& s, const Ladder& ladder);
LadderScale scale(const Llama3& s, const Ladder& ladder);
LadderScale scale(const Proportional& s, const Ladder& ladder);
LadderScale scale(const PRope& s, const Ladder& ladder);
LadderScale scale(const LearnedMultipliers& s, const Ladder& ladder);
LadderScale scale(const Resonance& s, const Ladder& ladder);

// The list that LongRoPE takes for the ladder's sequence length.
const std::vector<double>& list_of(const LongRope& s, const Ladder& ladder);

// What float32 tensors make of frequency i; `scale` is that of the scaling.
double float32_frequency(const Scaling& scaling, const Ladder& ladder, const LadderScale& scale, std::int64_t i);

// Of any kind.
LadderScale scale_of(const Scaling& scaling, const Ladder& ladder);

}  // namespace posenc::scalings
