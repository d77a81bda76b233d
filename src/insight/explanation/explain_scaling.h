// The step of the worked example of a rotary encoding that shows what its scaling does.
#pragma once

#include "posenc/insight/explain.h"
#include "posenc/schedule.h"
#include "posenc/spec.h"

namespace posenc::explanation {

// Of a spec with a scaling, settled to one layer; `schedule` is its own.
Step explain_scaling(const Rotary& spec, const RotarySchedule& schedule);

}  // namespace posenc::explanation
