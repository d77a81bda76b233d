#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/rotate_heads.cc"
#include "hwy/foreach_target.h"  // compiles this file once per instruction set
#include "hwy/highway.h"
// The order of includes matters: Highway's headers come first.
#include "core/kernels/rotate_heads-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {

void rotate_f32(const Heads<float, float>& x) { rotate_real(x); }

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::kernels {

HWY_EXPORT(rotate_f32);

void rotate_heads(const Heads<float, float>& heads) noexcept { HWY_DYNAMIC_DISPATCH(rotate_f32)(heads); }

}  // namespace posenc::kernels
#endif
