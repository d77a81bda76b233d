// The forward pass over prepared operands.
#pragma once

#include <cstdint>

#include "detail/attend_call.h"
#include "detail/attend_operands.h"
#include "detail/term_values.h"

namespace posenc::detail {

// out is [B, N, H, Dv]; log_sum_exp [B, H, N] and weights [B, H, N, S] are written where their data is not null.
struct AttendOutputs {
  View out;
  View log_sum_exp;
  View weights;
};

template <class Real>
void attend_forward(const AttendCall& call, const AttendOperands<Real>& operands, const TermRows<Real>* term,
                    const AttendOutputs& outputs);

}  // namespace posenc::detail
