// Makes the right engine from a spec, and the evidence about the other engine from the observed numbers.
#pragma once

#include <memory>

#include "insight/diagnosis/evidence.h"

namespace posenc::diagnosis {

// Throws if the spec does not compute numbers of this kind.
void check_kind(const Spec& spec, const Observation& observed);

// The engine that follows the spec.
Engine right_engine(const Spec& spec, const Observation& observed, const DiagnoseOptions& options);

std::unique_ptr<Evidence> make_evidence(Engine& right, const Observation& observed, const EvidenceOptions& options);

}  // namespace posenc::diagnosis
