// The questions that several kinds share, and those of kinds that have many.
#pragma once

#include <string>
#include <vector>

#include "insight/teaching/exercise_sheet.h"
#include "posenc/reference.h"
#include "posenc/spec.h"

namespace posenc::teaching {

void sinusoidal_questions(const Sinusoidal& spec, Sheet& sheet);
void learned_questions(const Learned& spec, Sheet& sheet);
void hybrid_questions(const Hybrid& spec, Sheet& sheet);
void rotary_questions(const Rotary& spec, Sheet& sheet);

// Of a learned table: how many numbers, and how they are counted. Easy.
void add_parameter_count(Sheet& sheet, const Spec& spec, const std::string& how);
// A softmax of three keys around the query, with biases of 0.5, 0 and -0.5.
void add_classic_softmax(Sheet& sheet);
// Which bias distance 0 gets, and `why`. A choice, easy.
void add_zero_distance(Sheet& sheet, const std::string& why);
// Attention without positions: equivariant, not invariant. A choice, easy.
void add_permutation_question(Sheet& sheet);
// Trained on 2k, used at 16k: which encoding, and why. Reasoned, hard.
void add_long_context_question(Sheet& sheet);
// A bias that favours distance 0: where it helps and where it hurts. Reasoned, hard.
void add_distance_zero_question(Sheet& sheet);
// The weights that a softmax makes of scores and biases; `origin` says where the biases come from. Medium.
void add_softmax_question(Sheet& sheet, const std::string& origin, const std::vector<double>& scores,
                          const std::vector<double>& biases);
// The same for the biases that the reference gives the last of four queries with the four keys up to it.
void add_softmax_of(Sheet& sheet, const Spec& spec, const std::vector<reference::Numbers>& numbers,
                    const std::string& origin);
// The row of a position.
std::vector<double> row_of(const Sinusoidal& spec, double position);
// PE(p) by hand for a width of 4 or 8, to five decimals.
void add_row_question(Sheet& sheet, Level level, const Sinusoidal& spec);

// The published formula with that width, and the base of a spec where it is one to calculate with.
Sinusoidal plain_sinusoidal(std::int64_t width, double base);

}  // namespace posenc::teaching
