// One line per kind: its file gives what there is to say of it.
#pragma once

#include "insight/properties/insight.h"
#include "posenc/spec.h"

namespace posenc::properties {

const KindInsight& kind_insight(const Sinusoidal&);        // sinusoidal.cc
const KindInsight& kind_insight(const Learned&);           // learned.cc
const KindInsight& kind_insight(const Hybrid&);            // learned.cc
const KindInsight& kind_insight(const Concat&);            // axes.cc
const KindInsight& kind_insight(const Fourier&);           // axes.cc
const KindInsight& kind_insight(const Rotary&);            // rotary.cc
const KindInsight& kind_insight(const NoPosition&);        // none.cc
const KindInsight& kind_insight(const Clipped&);           // bucket_biases.cc
const KindInsight& kind_insight(const T5&);                // bucket_biases.cc
const KindInsight& kind_insight(const Alibi&);             // alibi.cc
const KindInsight& kind_insight(const Kerple&);            // distance_biases.cc
const KindInsight& kind_insight(const Fire&);              // distance_biases.cc
const KindInsight& kind_insight(const Sandwich&);          // distance_biases.cc
const KindInsight& kind_insight(const MatrixBias&);        // matrix.cc
const KindInsight& kind_insight(const Shaw&);              // terms.cc
const KindInsight& kind_insight(const TransformerXl&);     // terms.cc
const KindInsight& kind_insight(const Window&);            // masks.cc
const KindInsight& kind_insight(const Chunked&);           // masks.cc
const KindInsight& kind_insight(const Pope&);              // pope.cc
const KindInsight& kind_insight(const Xpos&);              // xpos.cc
const KindInsight& kind_insight(const QueryTemperature&);  // temperature.cc

}  // namespace posenc::properties
