// From a spec and observed numbers to the right engine and the evidence about the other engine.
#pragma once

#include <memory>

#include "insight/diagnosis/evidence.h"

namespace posenc::diagnosis {

// Throws if the spec does not make numbers of this kind.
void check_kind(const Spec& spec, const Observation& observed);

// What the engine should be. `head_dim` is that of the vectors, which matters if nothing rotates.
Engine right_engine(const Spec& spec, const Observation& observed, const DiagnoseOptions& options);

std::unique_ptr<Evidence> make_evidence(Engine& right, const Observation& observed, const EvidenceOptions& options);

}  // namespace posenc::diagnosis
