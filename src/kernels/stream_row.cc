#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/stream_row.cc"
#include "hwy/foreach_target.h"  // compiles this file once per instruction set
#include "hwy/highway.h"
// The order matters: Highway's headers come first.
#include "hwy/cache_control.h"
#include "kernels/stream_row.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void stream_f32(const float* from, std::int64_t count, float* to) {
  const hn::CappedTag<float, kStreamAlignment / sizeof(float)> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < count; i += lanes) hn::Stream(hn::LoadU(d, from + i), d, to + i);
}

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::kernels {

HWY_EXPORT(stream_f32);

void stream_row(const float* from, std::int64_t count, float* to) noexcept {
  HWY_DYNAMIC_DISPATCH(stream_f32)(from, count, to);
}
void finish_stream() noexcept { hwy::FlushStream(); }

}  // namespace posenc::kernels
#endif
