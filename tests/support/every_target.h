// on_every_target([] { ... }) runs the test once per instruction set of this machine.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>

template <class Check>
void on_every_target(const Check& check) {
  using Target = decltype(hwy::SupportedTargets());
  const auto supported = static_cast<std::uint64_t>(hwy::SupportedTargets());
  int targets = 0;
  for (int bit = 0; bit < 63; ++bit) {
    const std::uint64_t target = supported & (std::uint64_t{1} << bit);
    if (target == 0) continue;
    hwy::SetSupportedTargetsForTest(static_cast<Target>(target));
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    SCOPED_TRACE(hwy::TargetName(static_cast<Target>(target)));
    check();
    ++targets;
  }
  EXPECT_GE(targets, 1);
  // The setting applies to the whole process, so restore it.
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}
