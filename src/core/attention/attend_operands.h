// Queries, keys and values of an attention call in the type of its arithmetic, rotated, with keys in the memory order
// in which products read them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/attention/attend_call.h"
#include "core/base/aligned_vector.h"

namespace posenc::attention {

// The queries and keys of a block: their scores and a block of keys and values fit in the second-level cache.
inline constexpr std::int64_t kQueryBlock = 64;
inline constexpr std::int64_t kKeyBlock = 128;

// With fewer queries than this, every score is a separate product.
inline constexpr std::int64_t kFewQueries = 4;

// The rows of one head: row n begins at data + n * stride.
template <class Real>
struct HeadRows {
  const Real* data;
  std::int64_t stride;

  const Real* row(std::int64_t n) const noexcept { return data + n * stride; }
};

template <class Real>
class AttendOperands {
 public:
  explicit AttendOperands(const AttendCall& call);

  HeadRows<Real> queries(std::int64_t b, std::int64_t h) const noexcept { return rows_of(q_, b, h); }
  HeadRows<Real> keys(std::int64_t b, std::int64_t g) const noexcept { return rows_of(k_, b, g); }
  HeadRows<Real> values(std::int64_t b, std::int64_t g) const noexcept { return rows_of(v_, b, g); }

  // Whether there is also a transposed copy of the keys, which does not pay for a few queries.
  bool transposed() const noexcept { return !columns_.empty(); }
  // Block `block` of the transposed keys: channel c of key s is at [c * kKeyBlock + s - block * kKeyBlock].
  const Real* key_columns(std::int64_t b, std::int64_t g, std::int64_t block) const noexcept {
    return columns_.data() + (((b * shape_.key_heads + g) * blocks_) + block) * shape_.width * kKeyBlock;
  }

 private:
  static HeadRows<Real> rows_of(const ConstView& view, std::int64_t b, std::int64_t h) noexcept {
    return {view.as<Real>() + b * view.strides[0] + h * view.strides[2], view.strides[1]};
  }

  AttendShape shape_;
  std::int64_t blocks_;
  base::AlignedVector<Real> q_memory_, k_memory_, v_memory_;  // copies, if the caller's memory cannot be used
  ConstView q_, k_, v_;                                       // [B, N, H, D], ...
  base::AlignedVector<Real> columns_;                         // [B, G, blocks, D, kKeyBlock], or empty
};

}  // namespace posenc::attention
