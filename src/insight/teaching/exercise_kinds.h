// Questions that several kinds share, and those of kinds with many questions.
#pragma once

#include <string>
#include <vector>

#include "insight/teaching/exercise_sheet.h"
#include "insight/teaching/mistakes.h"
#include "posenc/reference.h"
#include "posenc/spec.h"

namespace posenc::teaching {

void sinusoidal_questions(const Sinusoidal& spec, Sheet& sheet);
void learned_questions(const Learned& spec, Sheet& sheet);
void hybrid_questions(const Hybrid& spec, Sheet& sheet);
void rotary_questions(const Rotary& spec, Sheet& sheet);

// How many learned numbers a spec has, and how to count them. Easy.
void add_parameter_count(Sheet& sheet, const Spec& spec, const std::string& how, std::vector<Mistake> mistakes = {});
// A softmax of three keys around the query, with biases of 0.5, 0 and -0.5.
void add_classic_softmax(Sheet& sheet);
// Which bias distance 0 gets, and why. A choice, easy.
void add_zero_distance(Sheet& sheet, const std::string& why);
// Attention without positions is equivariant, not invariant. A choice, easy.
void add_permutation_question(Sheet& sheet);
// Trained on 2k, used at 16k: which encoding, and why. Reasoned, hard.
void add_long_context_question(Sheet& sheet);
// Where a bias that favours distance 0 helps, and where it hurts. Reasoned, hard.
void add_distance_zero_question(Sheet& sheet);
// A learned bias that is large at 0 and negative elsewhere: the weight of the query's own key (medium), and what such a
// bias is good and bad for (reasoned, hard).
void add_identity_questions(Sheet& sheet);
// The second of them alone; `bias` is a sentence that describes the bias.
void add_identity_question(Sheet& sheet, const std::string& bias);
// The weights from a softmax of scores and biases; `origin` says where the biases come from. Medium.
void add_softmax_question(Sheet& sheet, const std::string& origin, const std::vector<double>& scores,
                          const std::vector<double>& biases);
// The same with the biases that the reference gives for the last of four queries and the four keys up to it.
void add_softmax_of(Sheet& sheet, const Spec& spec, const std::vector<reference::Numbers>& numbers,
                    const std::string& origin);
// The row of a position.
std::vector<double> row_of(const Sinusoidal& spec, double position);
// Some neighbouring channels of a row, as a question names them: "all 4 numbers", "the first 4 of its 64 numbers".
struct Channels {
  std::int64_t first = 0;
  std::int64_t count = 0;

  std::string text(const Sinusoidal& spec) const;
};
Channels first_channels(const Sinusoidal& spec, std::int64_t most);
std::vector<double> part_of_row(const Sinusoidal& spec, double position, const Channels& channels);
// The channel that has the number of this one if sine and cosine alternate. Even widths only.
std::int64_t channel_in_turn(const Sinusoidal& spec, std::int64_t channel);
// How rows are written, as a sentence or two: the order, what position 0 counts as, the multiplier. `counting`: whether
// positions are mentioned even if 0 counts as 0.
std::string layout_text(const Sinusoidal& spec, bool counting);
// The mistakes in numbers of the row of a position, with those about the fields that layout_text describes.
std::vector<Mistake> channel_mistakes(const Sinusoidal& spec, double position,
                                      const std::vector<std::int64_t>& channels);
// Some numbers of PE(p), worked out by hand, to five decimals.
void add_row_question(Sheet& sheet, Level level, const Sinusoidal& spec, const Channels& channels, double p);
// The first numbers, four at most, of a position that differs from `other`.
void add_row_question(Sheet& sheet, Level level, const Sinusoidal& spec, double other = 0.0);

// The published formula with this width, and with this base if it is between 2 and 1e9.
Sinusoidal plain_sinusoidal(std::int64_t width, double base);

}  // namespace posenc::teaching
