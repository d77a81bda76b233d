// Helpers of the cases: memory aligned to cache lines, and numbers of any float type as doubles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "posenc/half.h"
#include "posenc/view.h"

namespace posenc::bench {

inline constexpr std::align_val_t kAlignment{64};  // like posenc's own tables

struct AlignedDelete {
  void operator()(void* data) const { ::operator delete(data, kAlignment); }
};
using AlignedMemory = std::unique_ptr<void, AlignedDelete>;

inline AlignedMemory aligned_memory(std::int64_t bytes) {
  return AlignedMemory(::operator new(static_cast<std::size_t>(bytes), kAlignment));
}

inline double value_at(const ConstView& row, std::int64_t i) {
  if (row.dtype == DType::f32) return static_cast<double>(row.as<float>()[i]);
  if (row.dtype == DType::f64) return row.as<double>()[i];
  return row.dtype == DType::f16 ? to_double(row.as<f16>()[i]) : to_double(row.as<bf16>()[i]);
}

}  // namespace posenc::bench
