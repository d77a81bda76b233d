// Rotates rows and stores them in any order and type. turn_rows.cc has the functions for double and turn_rows_f32.cc
// those for float, so that neither takes long to compile. To be included by kernels, once per instruction set.
#if defined(POSENC_KERNELS_TURN_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_KERNELS_TURN_ROWS_INL_H_
#undef POSENC_KERNELS_TURN_ROWS_INL_H_
#else
#define POSENC_KERNELS_TURN_ROWS_INL_H_
#endif

#include "core/kernels/turn-inl.h"
#include "core/kernels/turn_rows.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

// 1 if the instruction set has non-temporal stores, and interleaves vectors of 32 bytes within halves of 16 bytes, as
// put_pairs assumes.
#undef POSENC_CAN_STREAM
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
#define POSENC_CAN_STREAM 1
#else
#define POSENC_CAN_STREAM 0
#endif

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// How doubles are converted to the type that is stored.
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

// Rounds to odd: keeps 13 bits of the mantissa and sets the last of them if any bit that was cut off is set. That is
// two bits more than an f16 and its tie need, and few enough for a subnormal float to hold them for every number that
// does not round to zero in bf16.
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

// Stores a vector, if kPast past the caches. Vectors below 16 bytes, and all vectors if the instruction set has no
// non-temporal stores, go through the caches.
template <bool kPast, class D, class V, class T>
HWY_INLINE void put(D d, V values, T* to) {
#if POSENC_CAN_STREAM
  if constexpr (kPast && hn::MaxLanes(d) * sizeof(T) >= 16) {
    hn::Stream(values, d, to);
    return;
  }
#endif
  hn::StoreU(values, d, to);
}

// Stores first0, second0, first1, second1, ...
template <bool kPast, class D, class V, class T>
HWY_INLINE void put_pairs(D d, V first, V second, T* to) {
#if POSENC_CAN_STREAM
  if constexpr (kPast && hn::MaxLanes(d) * sizeof(T) == 16) {  // one store of 32 bytes instead of two of 16
    const hn::Twice<D> both;
    const auto lower = hn::InterleaveLower(d, first, second);
    hn::Stream(hn::Combine(both, hn::InterleaveUpper(d, first, second), lower), both, to);
    return;
  } else if constexpr (kPast && hn::MaxLanes(d) * sizeof(T) == 32) {
    const auto lower = hn::InterleaveLower(d, first, second);  // interleaves within each half of 16 bytes
    const auto upper = hn::InterleaveUpper(d, first, second);
    hn::Stream(hn::ConcatLowerLower(d, upper, lower), d, to);
    hn::Stream(hn::ConcatUpperUpper(d, upper, lower), d, to + hn::MaxLanes(d));
    return;
  }
#endif
  hn::StoreInterleaved2(first, second, d, to);
}

// How a vector of sines and a vector of cosines are stored: `sine` and `cosine` point into the row, and i counts pairs.
// Stores past the caches go through a few line buffers of the core, so rows are then written one by one (kOneByOne).
template <class As, bool kPast>
struct Apart {
  using T = typename As::Type;
  static constexpr bool kOneByOne = kPast;
  template <class D, class V>
  static HWY_INLINE void store(D d, V s, V c, T* sine, T* cosine, std::int64_t i) {
    const hn::Rebind<T, D> dt;
    put<kPast>(dt, As::narrow(d, s), sine + i);
    put<kPast>(dt, As::narrow(d, c), cosine + i);
  }
};

template <class As, bool kPast, bool kCosineFirst>
struct Interleaved {
  using T = typename As::Type;
  static constexpr bool kOneByOne = kPast;
  template <class D, class V>
  static HWY_INLINE void store(D d, V s, V c, T* sine, T* cosine, std::int64_t i) {
    const hn::Rebind<T, D> dt;
    const auto first = As::narrow(d, kCosineFirst ? c : s);
    const auto second = As::narrow(d, kCosineFirst ? s : c);
    put_pairs<kPast>(dt, first, second, (kCosineFirst ? cosine : sine) + 2 * i);
  }
};

// Calls visit(d, i) for vectors that cover 0 .. pairs - 1. The last vector ends with the last pair and repeats pairs of
// the vector before. If there are fewer pairs than lanes, they come one by one.
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

// An anchor and its two output rows. The pointers are copied before the loops, because the compiler must assume that
// stores change the originals.
template <class T>
struct Line {
  const double* anchor_sin;
  const double* anchor_cos;
  T* sine;
  T* cosine;
  T* back_sine;
  T* back_cosine;

  Line(const AnchorTurn& turn, const PairColumns<T>& out, std::int64_t to_back, std::int64_t row)
      : anchor_sin(turn.anchor_sin + row * turn.anchor_stride),
        anchor_cos(turn.anchor_cos + row * turn.anchor_stride),
        sine(out.sine + row * out.row_stride),
        cosine(out.cosine + row * out.row_stride),
        back_sine(sine + to_back),
        back_cosine(cosine + to_back) {}
};

enum class Ways { forth, back, both };

template <class Store, Ways kWays, class D, class V, class T>
HWY_INLINE void turn_line(D d, V offset_sin, V offset_cos, const Line<T>& line, std::int64_t i) {
  const V anchor_sin = hn::LoadU(d, line.anchor_sin + i);
  const V anchor_cos = hn::LoadU(d, line.anchor_cos + i);
  V sine, cosine, back_sine, back_cosine;
  turn_both_ways(anchor_sin, anchor_cos, offset_sin, offset_cos, sine, cosine, back_sine, back_cosine);
  if constexpr (kWays != Ways::back) Store::store(d, sine, cosine, line.sine, line.cosine, i);
  if constexpr (kWays != Ways::forth) Store::store(d, back_sine, back_cosine, line.back_sine, line.back_cosine, i);
}

struct TurnAll {
  const AnchorTurn& turn;
  std::int64_t to_back;  // 0: only forward

  template <class Store, class T>
  HWY_INLINE void run(const PairColumns<T>& out) const {
    std::int64_t row = 0;
    if (to_back != 0 && !Store::kOneByOne) {
      for (; row + 2 <= turn.rows; row += 2) run_two<Store>(out, row);
      if (row < turn.rows) run_one<Store, Ways::both>(out, row++);
    }
    for (; row < turn.rows; ++row) {
      run_one<Store, Ways::forth>(out, row);
      if (to_back != 0) run_one<Store, Ways::back>(out, row);
    }
  }

  // Four output rows share the loads of the offset.
  template <class Store, class T>
  HWY_INLINE void run_two(const PairColumns<T>& out, std::int64_t row) const {
    const double* const sines = turn.offset_sin;
    const double* const cosines = turn.offset_cos;
    const Line<T> first(turn, out, to_back, row), second(turn, out, to_back, row + 1);
    for_each_vector(turn.pairs, [=](auto d, std::int64_t i) HWY_ATTR {
      const auto offset_sin = hn::LoadU(d, sines + i);
      const auto offset_cos = hn::LoadU(d, cosines + i);
      turn_line<Store, Ways::both>(d, offset_sin, offset_cos, first, i);
      turn_line<Store, Ways::both>(d, offset_sin, offset_cos, second, i);
    });
  }

  template <class Store, Ways kWays, class T>
  HWY_INLINE void run_one(const PairColumns<T>& out, std::int64_t row) const {
    const double* const sines = turn.offset_sin;
    const double* const cosines = turn.offset_cos;
    const Line<T> line(turn, out, to_back, row);
    for_each_vector(turn.pairs, [=](auto d, std::int64_t i) HWY_ATTR {
      turn_line<Store, kWays>(d, hn::LoadU(d, sines + i), hn::LoadU(d, cosines + i), line, i);
    });
  }
};

struct PlaceAll {
  const double* sine;
  const double* cosine;
  std::int64_t pairs;

  template <class Store, class T>
  HWY_INLINE void run(const PairColumns<T>& out) const {
    const double* const sines = sine;
    const double* const cosines = cosine;
    T* const to_sine = out.sine;
    T* const to_cosine = out.cosine;
    for_each_vector(pairs, [=](auto d, std::int64_t i) HWY_ATTR {
      Store::store(d, hn::LoadU(d, sines + i), hn::LoadU(d, cosines + i), to_sine, to_cosine, i);
    });
  }
};

template <class As, bool kPast, class Make, class T>
HWY_INLINE void store_by(const Make& make, const PairColumns<T>& out) {
  if (out.stride == 1) return make.template run<Apart<As, kPast>>(out);
  if (out.cosine < out.sine) return make.template run<Interleaved<As, kPast, true>>(out);
  make.template run<Interleaved<As, kPast, false>>(out);
}

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
