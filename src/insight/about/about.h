// Includes for the pages of kinds: each file of this folder has the page of one kind, or of a few similar ones.
#pragma once

#include "core/spec/kind_row.h"
#include "insight/explanation/explain_kinds.h"
#include "insight/explanation/explain_pairs.h"
#include "insight/properties/bias_properties.h"
#include "insight/properties/cost.h"
#include "insight/properties/formulas.h"
#include "insight/properties/kind_page.h"
#include "insight/properties/lists.h"
#include "insight/properties/property.h"
#include "insight/teaching/exercise_kinds.h"
#include "posenc/bias.h"
#include "posenc/error.h"

// Pages use names of all these modules.
namespace posenc::about {

using namespace explanation;
using namespace properties;
using namespace teaching;

// The distance of a pair as a line of a worked example, for kinds whose formula has d.
template <class Kind>
std::string derive_distance(const Kind& kind, const BiasPair& pair) {
  return "d = " + text::number_text(distance(kind.direction, pair.query, pair.key));
}

}  // namespace posenc::about
