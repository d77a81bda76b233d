#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/turn_rows.cc"
#include "hwy/foreach_target.h"  // compiles this file once per instruction set
#include "hwy/highway.h"
// The order matters: Highway's headers come first.
#include "kernels/turn-inl.h"
#include "kernels/turn_rows.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// How doubles become what is stored.
struct AsDouble {
  using Type = double;
  template <class D, class V>
  static HWY_INLINE auto narrow(D, V values) {
    return values;
  }
};

struct AsFloat {
  using Type = float;
  template <class D, class V>
  static HWY_INLINE auto narrow(D, V values) {
    return hn::DemoteTo(hn::Rebind<float, D>(), values);
  }
};

// Keeps 13 bits of the mantissa, the last of them set where anything was cut off: two more than an f16 has and its tie,
// and few enough that a float holds them as a subnormal too, wherever a bf16 is not zero.
struct AsOddFloat {
  using Type = float;
  template <class D, class V>
  static HWY_INLINE auto narrow(D d, V values) {
    const hn::RebindToUnsigned<D> du;
    const auto cut = hn::Set(du, (std::uint64_t{1} << 39) - 1);
    const auto bits = hn::BitCast(du, values);
    const auto odd = hn::Or(hn::Add(hn::And(bits, cut), cut), bits);
    return hn::DemoteTo(hn::Rebind<float, D>(), hn::BitCast(d, hn::AndNot(cut, odd)));
  }
};

// Where a vector of sines and one of cosines go.
template <class As>
struct Apart {
  using T = typename As::Type;
  PairColumns<T> out;
  template <class D, class V>
  HWY_INLINE void operator()(D d, V s, V c, std::int64_t row, std::int64_t i) const {
    const hn::Rebind<T, D> dt;
    hn::StoreU(As::narrow(d, s), dt, out.sine + row * out.row_stride + i);
    hn::StoreU(As::narrow(d, c), dt, out.cosine + row * out.row_stride + i);
  }
};

template <class As, bool kCosineFirst>
struct Interleaved {
  using T = typename As::Type;
  PairColumns<T> out;
  template <class D, class V>
  HWY_INLINE void operator()(D d, V s, V c, std::int64_t row, std::int64_t i) const {
    const hn::Rebind<T, D> dt;
    T* to = (kCosineFirst ? out.cosine : out.sine) + row * out.row_stride + 2 * i;
    const auto first = As::narrow(d, kCosineFirst ? c : s);
    const auto second = As::narrow(d, kCosineFirst ? s : c);
    hn::StoreInterleaved2(first, second, dt, to);
  }
};

// Rows `row` .. `row` + kRows, the vector that begins at i.
template <std::int64_t kRows, class D, class Store>
HWY_INLINE void turn_vector(D d, const Turn& turn, const Store& store, std::int64_t row, std::int64_t i) {
  const auto offset_sin = hn::LoadU(d, turn.offset_sin + i);
  const auto offset_cos = hn::LoadU(d, turn.offset_cos + i);
  for (std::int64_t k = row; k < row + kRows; ++k) {
    const auto anchor_sin = hn::LoadU(d, turn.anchor_sin + k * turn.anchor_stride + i);
    const auto anchor_cos = hn::LoadU(d, turn.anchor_cos + k * turn.anchor_stride + i);
    store(d, turned_sin(anchor_sin, anchor_cos, offset_sin, offset_cos),
          turned_cos(anchor_sin, anchor_cos, offset_sin, offset_cos), k, i);
  }
}

// Calls visit(d, i) for vectors that cover 0 .. pairs; the last one ends with the last pair and repeats what the one
// before it wrote. Fewer pairs than lanes go one by one.
template <class Visit>
HWY_INLINE void for_each_vector(std::int64_t pairs, const Visit& visit) {
  const hn::ScalableTag<double> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= pairs; i += lanes) visit(d, i);
  if (i == pairs) return;
  if (pairs >= lanes) return visit(d, pairs - lanes);
  const hn::CappedTag<double, 1> one;
  for (; i < pairs; ++i) visit(one, i);
}

// Four rows at once share the loads of the offset.
struct TurnAll {
  const Turn& turn;
  template <class Store>
  HWY_INLINE void operator()(const Store& store) const {
    std::int64_t row = 0;
    for (; row + 4 <= turn.rows; row += 4) {
      for_each_vector(turn.pairs, [&](auto d, std::int64_t i) HWY_ATTR { turn_vector<4>(d, turn, store, row, i); });
    }
    for (; row < turn.rows; ++row) {
      for_each_vector(turn.pairs, [&](auto d, std::int64_t i) HWY_ATTR { turn_vector<1>(d, turn, store, row, i); });
    }
  }
};

struct PlaceAll {
  const double* sine;
  const double* cosine;
  std::int64_t pairs;
  template <class Store>
  HWY_INLINE void operator()(const Store& store) const {
    for_each_vector(pairs, [&](auto d, std::int64_t i)
                               HWY_ATTR { store(d, hn::LoadU(d, sine + i), hn::LoadU(d, cosine + i), 0, i); });
  }
};

template <class As, class Make, class T>
HWY_INLINE void store_by(const Make& make, const PairColumns<T>& out) {
  if (out.stride == 1) return make(Apart<As>{out});
  if (out.cosine < out.sine) return make(Interleaved<As, true>{out});
  make(Interleaved<As, false>{out});
}

void turn_f64(const Turn& turn, const PairColumns<double>& out) { store_by<AsDouble>(TurnAll{turn}, out); }
void turn_f32(const Turn& turn, const PairColumns<float>& out) { store_by<AsFloat>(TurnAll{turn}, out); }
void turn_odd(const Turn& turn, const PairColumns<float>& out) { store_by<AsOddFloat>(TurnAll{turn}, out); }
void place_f64(const double* sine, const double* cosine, std::int64_t pairs, const PairColumns<double>& out) {
  store_by<AsDouble>(PlaceAll{sine, cosine, pairs}, out);
}
void place_f32(const double* sine, const double* cosine, std::int64_t pairs, const PairColumns<float>& out) {
  store_by<AsFloat>(PlaceAll{sine, cosine, pairs}, out);
}
void place_odd(const double* sine, const double* cosine, std::int64_t pairs, const PairColumns<float>& out) {
  store_by<AsOddFloat>(PlaceAll{sine, cosine, pairs}, out);
}

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::kernels {

HWY_EXPORT(turn_f64);
HWY_EXPORT(turn_f32);
HWY_EXPORT(turn_odd);
HWY_EXPORT(place_f64);
HWY_EXPORT(place_f32);
HWY_EXPORT(place_odd);

void turn_rows(const Turn& turn, const PairColumns<double>& out) noexcept { HWY_DYNAMIC_DISPATCH(turn_f64)(turn, out); }
void turn_rows(const Turn& turn, const PairColumns<float>& out, Rounding rounding) noexcept {
  if (rounding == Rounding::odd) return HWY_DYNAMIC_DISPATCH(turn_odd)(turn, out);
  HWY_DYNAMIC_DISPATCH(turn_f32)(turn, out);
}
void place_row(const double* sine, const double* cosine, std::int64_t pairs, const PairColumns<double>& out) noexcept {
  HWY_DYNAMIC_DISPATCH(place_f64)(sine, cosine, pairs, out);
}
void place_row(const double* sine, const double* cosine, std::int64_t pairs, const PairColumns<float>& out,
               Rounding rounding) noexcept {
  if (rounding == Rounding::odd) return HWY_DYNAMIC_DISPATCH(place_odd)(sine, cosine, pairs, out);
  HWY_DYNAMIC_DISPATCH(place_f32)(sine, cosine, pairs, out);
}

}  // namespace posenc::kernels
#endif
