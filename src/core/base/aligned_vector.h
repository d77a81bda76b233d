// A std::vector that starts at a cache line, so that no vector load spans two lines.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace posenc::base {

template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};

  LineAllocator() = default;
  template <class U>
  LineAllocator(const LineAllocator<U>&) noexcept {}  // NOLINT: allocators convert

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kAlignment)); }
  void deallocate(T* data, std::size_t) noexcept { ::operator delete(data, kAlignment); }
  bool operator==(const LineAllocator&) const noexcept { return true; }
};

template <class T>
using AlignedVector = std::vector<T, LineAllocator<T>>;

}  // namespace posenc::base
