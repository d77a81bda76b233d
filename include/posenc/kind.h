// What each kind of encoding declares: its struct has the kind's name, a summary, and the place where it acts.
//
//     posenc::Alibi::kind;                                   // "alibi"
//     posenc::place_of(spec) == posenc::Place::rotation      // posenc/spec.h
#pragma once

#include <string_view>

namespace posenc {

// Where an encoding enters a model.
enum class Place : int {
  input,     // a row is added to the embedding
  rotation,  // queries and keys are rotated
  query,     // queries are multiplied
  bias,      // a number is added to the score; masks are biases too
  term,      // a dot product with learned vectors is added to the score
  nowhere,   // no positions
};

// Rows of posenc's internal tables, one per kind: what the engine knows about a kind, and the texts about it. Only
// posenc's sources define them.
namespace spec {
struct KindRow;
}
namespace biases {
struct BiasRow;
}
namespace properties {
struct KindPage;
}

}  // namespace posenc
