#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/turn_rows_f32.cc"
#include "hwy/foreach_target.h"  // compiles this file once per instruction set
#include "hwy/highway.h"
// The order of includes matters: Highway's headers come first.
#include "core/kernels/turn_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {

void turn_f32(const AnchorTurn& turn, const PairColumns<float>& out, std::int64_t to_back) {
  store_by<AsFloat, false>(TurnAll{turn, to_back}, out);
}
void turn_f32_past(const AnchorTurn& turn, const PairColumns<float>& out, std::int64_t to_back) {
  store_by<AsFloat, true>(TurnAll{turn, to_back}, out);
}
void turn_odd(const AnchorTurn& turn, const PairColumns<float>& out, std::int64_t to_back) {
  store_by<AsOddFloat, false>(TurnAll{turn, to_back}, out);
}
void place_f32(const double* sine, const double* cosine, std::int64_t pairs, const PairColumns<float>& out) {
  store_by<AsFloat, false>(PlaceAll{sine, cosine, pairs}, out);
}
void place_odd(const double* sine, const double* cosine, std::int64_t pairs, const PairColumns<float>& out) {
  store_by<AsOddFloat, false>(PlaceAll{sine, cosine, pairs}, out);
}

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::kernels {

HWY_EXPORT(turn_f32);
HWY_EXPORT(turn_f32_past);
HWY_EXPORT(turn_odd);
HWY_EXPORT(place_f32);
HWY_EXPORT(place_odd);

void turn_both(const AnchorTurn& turn, const PairColumns<float>& out, std::int64_t to_back, Stores stores) noexcept {
  if (stores == Stores::past_caches) return HWY_DYNAMIC_DISPATCH(turn_f32_past)(turn, out, to_back);
  HWY_DYNAMIC_DISPATCH(turn_f32)(turn, out, to_back);
}

void turn_both_odd(const AnchorTurn& turn, const PairColumns<float>& out, std::int64_t to_back) noexcept {
  HWY_DYNAMIC_DISPATCH(turn_odd)(turn, out, to_back);
}

void turn_rows(const AnchorTurn& turn, const PairColumns<float>& out, Stores stores) noexcept {
  turn_both(turn, out, 0, stores);
}

void turn_rows_odd(const AnchorTurn& turn, const PairColumns<float>& out) noexcept { turn_both_odd(turn, out, 0); }

void place_row(const double* sine, const double* cosine, std::int64_t pairs, const PairColumns<float>& out) noexcept {
  HWY_DYNAMIC_DISPATCH(place_f32)(sine, cosine, pairs, out);
}

void place_row_odd(const double* sine, const double* cosine, std::int64_t pairs,
                   const PairColumns<float>& out) noexcept {
  HWY_DYNAMIC_DISPATCH(place_odd)(sine, cosine, pairs, out);
}

}  // namespace posenc::kernels
#endif
