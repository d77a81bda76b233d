// From a spec and numbers to an engine that is right and the evidence about another.
#pragma once

#include <memory>

#include "insight/diagnosis/evidence.h"

namespace posenc::diagnosis {

// Throws where the numbers are not of a kind that the spec makes.
void check_kind(const Spec& spec, const Observation& observed);

// What the engine should be; `head_dim` is that of the vectors, which matters where nothing turns.
Engine right_engine(const Spec& spec, const Observation& observed, const DiagnoseOptions& options);

std::unique_ptr<Evidence> make_evidence(Engine& right, const Observation& observed, const EvidenceOptions& options);

}  // namespace posenc::diagnosis
