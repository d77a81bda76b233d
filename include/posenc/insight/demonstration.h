// Why positions are needed, with numbers: the words of a sentence in two orders through a small layer of attention.
//
//     const posenc::PermutationResult result = posenc::demonstrate_permutation({.words = {"dog", "bites", "man"}});
//     for (const posenc::PermutationRow& row : result.rows) {
//       print(row.name, row.largest, row.sees_order);  // "none", 1.2e-7, false; "sinusoidal:width=32", 0.43, true; ...
//     }
//     posenc::demonstrate_order(4, 0).a_then_b.score.score;  // 0.1738, and of b_then_a 1.0103
//
// Attention without positions is equivariant, attend(P x) = P attend(x) for a permutation P, so that what is pooled
// over all tokens is the same for every order. Embeddings and weights are normal numbers of a seed: equal questions
// have equal answers, but for rounding on another machine. Pure functions, safe to call from several threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "posenc/export.h"
#include "posenc/spec.h"

namespace posenc {

struct PermutationQuestion {
  std::vector<std::string> words = {"the", "cat", "sat", "on", "the", "mat"};  // 2 to 1024; equal words, equal tokens
  std::vector<std::int64_t> order = {};  // word order[n] comes to place n; empty: those at odd places first, or
                                         // 2 0 4 1 5 3 for 6 words
  std::vector<std::string> other = {};   // the same words in any order; empty: "the mat sat on the cat" for the words
                                         // above, else as moved
  std::int64_t width = 32;               // M, a multiple of 2 x heads up to 4096
  std::int64_t heads = 4;                // H, 1 to 1024
  std::uint64_t seed = 0;
  std::vector<Spec> specs = {};  // encodings to try; empty: one of every sort, and a causal mask
};

// What one layer makes of another order of the words: absolute differences of float32 outputs [N, M].
struct PermutationRow {
  std::string name;               // the text of the spec, "recurrence", "filter of 3 tokens"
  std::optional<Spec> spec = {};  // none: not attention
  std::string note = {};          // why order is seen where no encoding shows it; may be empty
  double mean = 0.0;              // of the moved words, put back in order, beside the words: over all outputs
  double largest = 0.0;           // and the largest of them
  double pooled = 0.0;            // the largest of the mean over tokens, beside that of the other sentence
  bool sees_order = false;        // whether `largest` is more than rounding
};

struct PermutationResult {
  std::vector<std::string> words, moved, other;
  std::vector<std::int64_t> order;
  double rounding = 0.0;             // a power of ten; differences below it are the rounding of float32
  std::vector<PermutationRow> rows;  // without an encoding, then each encoding, then a recurrence and a filter
};

// Self-attention over the words with random weights, once for every row. Learned numbers are drawn as a model begins.
// An encoding that does not fit the width or the heads is an error of the operation that refuses it.
POSENC_API PermutationResult demonstrate_permutation(const PermutationQuestion& question);

// The score of two sums, (x + p).(y + r), in its four parts; posenc/score_parts.h has them with projections.
struct OrderScore {
  double content_content = 0.0;    // x.y
  double content_position = 0.0;   // x.r
  double position_content = 0.0;   // p.y
  double position_position = 0.0;  // p.r
  double score = 0.0;              // of the sums themselves: what the parts add up to, but for rounding
};

// One order of the two tokens. All rows are [M].
struct OrderSide {
  std::vector<double> a, b;                      // a + p and b + p, with the position that each has in this order
  std::vector<double> projected_a, projected_b;  // W(a + p), W(b + p)
  std::vector<double> parts_a, parts_b;          // Wa + Wp, Wb + Wp: the same but for rounding
  OrderScore score;                              // of A with B
};

struct OrderResult {
  Sinusoidal spec;                                 // of the positions
  std::vector<double> a, b;                        // two tokens, numbers of one decimal
  std::vector<double> p0, p1;                      // the rows of positions 0 and 1
  std::vector<std::vector<double>> weights;        // W, [M][M], numbers of one decimal
  std::vector<double> projected_a, projected_b;    // Wa, Wb
  std::vector<double> projected_p0, projected_p1;  // Wp0, Wp1
  OrderSide a_then_b, b_then_a;
};

// [A, B] against [B, A], in double: what adding positions does to the vectors, to what a matrix makes of them, and to
// their score. The width is even, 2 to 16: numbers that can be followed by hand.
POSENC_API OrderResult demonstrate_order(std::int64_t width, std::uint64_t seed);

}  // namespace posenc
