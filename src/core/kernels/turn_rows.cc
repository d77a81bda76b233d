#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/turn_rows.cc"
#include "hwy/foreach_target.h"  // compiles this file once per instruction set
#include "hwy/highway.h"
// The order of includes matters: Highway's headers come first.
#include "core/kernels/turn_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {

void turn_f64(const AnchorTurn& turn, const PairColumns<double>& out, std::int64_t to_back) {
  store_by<AsDouble, false>(TurnAll{turn, to_back}, out);
}
void turn_f64_past(const AnchorTurn& turn, const PairColumns<double>& out, std::int64_t to_back) {
  store_by<AsDouble, true>(TurnAll{turn, to_back}, out);
}
void place_f64(const double* sine, const double* cosine, std::int64_t pairs, const PairColumns<double>& out) {
  store_by<AsDouble, false>(PlaceAll{sine, cosine, pairs}, out);
}

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::kernels {

HWY_EXPORT(turn_f64);
HWY_EXPORT(turn_f64_past);
HWY_EXPORT(place_f64);

void turn_both(const AnchorTurn& turn, const PairColumns<double>& out, std::int64_t to_back, Stores stores) noexcept {
  if (stores == Stores::past_caches) return HWY_DYNAMIC_DISPATCH(turn_f64_past)(turn, out, to_back);
  HWY_DYNAMIC_DISPATCH(turn_f64)(turn, out, to_back);
}

void turn_rows(const AnchorTurn& turn, const PairColumns<double>& out, Stores stores) noexcept {
  turn_both(turn, out, 0, stores);
}

void finish_stream() noexcept { hwy::FlushStream(); }

void place_row(const double* sine, const double* cosine, std::int64_t pairs, const PairColumns<double>& out) noexcept {
  HWY_DYNAMIC_DISPATCH(place_f64)(sine, cosine, pairs, out);
}

}  // namespace posenc::kernels
#endif
