// What every kind of encoding says about itself: the struct of a kind has its name, a sentence, and where it acts.
//
//     posenc::Alibi::kind;                                   // "alibi"
//     posenc::place_of(spec) == posenc::Place::rotation      // posenc/spec.h
#pragma once

#include <string_view>

namespace posenc {

// Where an encoding enters a model.
enum class Place : int {
  input,     // a row is added to the embedding
  rotation,  // queries and keys are turned
  query,     // queries are multiplied
  bias,      // a number is added to the score; masks too
  term,      // a learned vector meets queries and keys
  nowhere,   // no positions
};

// The rows of posenc's own tables, one per kind, which only its sources read: what the engine knows about a kind, and
// what there is to say about it.
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
