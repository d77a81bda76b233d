// The step of the worked example of a rotary encoding that explains its scaling.
#pragma once

#include "posenc/insight/explain.h"
#include "posenc/schedule.h"
#include "posenc/spec.h"

namespace posenc::explanation {

// `spec` has a scaling and stands for one layer; `schedule` belongs to it.
Step explain_scaling(const Rotary& spec, const RotarySchedule& schedule);

}  // namespace posenc::explanation
