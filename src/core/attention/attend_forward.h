// The forward pass over prepared operands.
#pragma once

#include <cstdint>

#include "core/attention/attend_call.h"
#include "core/attention/attend_operands.h"
#include "core/attention/term_values.h"

namespace posenc::attention {

// out is [B, N, H, Dv]; log_sum_exp [B, H, N] and weights [B, H, N, S] are written unless their data is null.
struct AttendOutputs {
  View out;
  View log_sum_exp;
  View weights;
};

template <class Real>
void attend_forward(const AttendCall& call, const AttendOperands<Real>& operands, const TermRows<Real>* term,
                    const AttendOutputs& outputs);

}  // namespace posenc::attention
