// The questions of each kind, and those that several kinds share.
#pragma once

#include <string>
#include <vector>

#include "insight/teaching/exercise_sheet.h"
#include "posenc/reference.h"
#include "posenc/spec.h"

namespace posenc::teaching {

void add_questions(Sheet& sheet, const Sinusoidal& spec);
void add_questions(Sheet& sheet, const Learned& spec);
void add_questions(Sheet& sheet, const Hybrid& spec);
void add_questions(Sheet& sheet, const Concat& spec);
void add_questions(Sheet& sheet, const Fourier& spec);
void add_questions(Sheet& sheet, const Rotary& spec);
void add_questions(Sheet& sheet, const NoPosition& spec);
void add_questions(Sheet& sheet, const Clipped& spec);
void add_questions(Sheet& sheet, const T5& spec);
void add_questions(Sheet& sheet, const Alibi& spec);
void add_questions(Sheet& sheet, const Kerple& spec);
void add_questions(Sheet& sheet, const Fire& spec);
void add_questions(Sheet& sheet, const Sandwich& spec);
void add_questions(Sheet& sheet, const MatrixBias& spec);
void add_questions(Sheet& sheet, const Shaw& spec);
void add_questions(Sheet& sheet, const TransformerXl& spec);
void add_questions(Sheet& sheet, const Window& spec);
void add_questions(Sheet& sheet, const Chunked& spec);
void add_questions(Sheet& sheet, const Pope& spec);
void add_questions(Sheet& sheet, const Xpos& spec);
void add_questions(Sheet& sheet, const QueryTemperature& spec);

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
// PE(p) by hand for a width of 4 or 8, to five decimals.
void add_row_question(Sheet& sheet, Level level, const Sinusoidal& spec);

// The published formula with that width, and the base of a spec where it is one to calculate with.
Sinusoidal plain_sinusoidal(std::int64_t width, double base);

}  // namespace posenc::teaching
