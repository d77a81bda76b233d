// Any attention against the plain definition, pair by pair: shapes, masks, encodings and layouts are drawn together.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "support/random_attend_case.h"

namespace attend_property_test {
namespace {

struct Draw {
  std::int64_t operator()(std::int64_t low, std::int64_t high) const {
    return *rc::gen::inRange<std::int64_t>(low, high + 1);
  }
};

double tolerance(posenc::DType dtype) {
  switch (dtype) {
    case posenc::DType::f64:
      return 2e-13;
    case posenc::DType::f16:
      return 4e-3;
    case posenc::DType::bf16:
      return 3e-2;
    default:
      return 2e-5;
  }
}

void check_near(const char* what, const std::vector<double>& got, const std::vector<double>& wanted, double within) {
  RC_LOG() << what;
  RC_ASSERT(got.size() == wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double tolerance = std::isinf(wanted[i]) ? 0.0 : within * (1.0 + std::abs(wanted[i]));
    if (got[i] == wanted[i] || std::abs(got[i] - wanted[i]) <= tolerance) continue;
    RC_LOG() << " " << i << ": " << got[i] << " for " << wanted[i] << "\n";
    RC_FAIL();
  }
}

RC_GTEST_PROP(AttendProperty, EveryEncodingMaskAndLayoutIsThePlainDefinition, ()) {
  const Draw draw;
  for (int i = 0; i < 5; ++i) {  // several at once: many things must come together to meet
    const AttendCase one = RandomAttendCase<Draw>(draw).make();
    bool whole = false;
    const AttendResult got = one.run(nullptr, &whole);
    const AttendResult wanted = one.expected();
    RC_ASSERT(whole);
    check_near("out", got.out, wanted.out, tolerance(one.dtype));
    const double extra = one.dtype == posenc::DType::f64 ? 2e-13 : 2e-5;
    check_near("weights", got.weights, wanted.weights, extra);
    check_near("log_sum_exp", got.log_sum_exp, wanted.log_sum_exp, extra);
  }
}

}  // namespace
}  // namespace attend_property_test
