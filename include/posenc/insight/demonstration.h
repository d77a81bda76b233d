// Why positions are needed, with numbers: a sentence in several orders through a small layer of attention.
//
//     const posenc::PermutationResult result = posenc::demonstrate_permutation({.words = {"dog", "bites", "man"}});
//     for (const posenc::PermutationRow& row : result.rows) {
//       print(row.name, row.largest, row.sees_order);  // "none", 1.2e-7, false; "sinusoidal:width=32", 0.43, true; ...
//     }
//     posenc::demonstrate_order(4, 0).a_then_b.score.score;  // 0.1738; b_then_a has 1.0103
//     posenc::demonstrate_gradient({}).fixed.learned_numbers;  // 0: training cannot change a sinusoidal encoding
//
// Attention without positions is equivariant, attend(P x) = P attend(x) for a permutation P, so the mean over all
// tokens is the same for every order. Embeddings and weights are random numbers of a seed: the same question gives the
// same answer, except for rounding on another machine. Pure functions, safe to call from several threads.
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
  // Word order[n] moves to place n. Empty: the order of the first of `others`; without others, 2 0 4 1 5 3 for 6 words,
  // else the words at odd places first.
  std::vector<std::int64_t> order = {};
  // Up to 4 more sentences of the same words. Empty: "the mat sat on the cat" for the words above, else the words as
  // moved.
  std::vector<std::vector<std::string>> others = {};
  std::int64_t width = 32;  // M, a multiple of 2 x heads up to 4096
  std::int64_t heads = 4;   // H, 1 to 1024
  std::uint64_t seed = 0;
  std::vector<Spec> specs = {};  // encodings to try; empty: one of every sort, and a causal mask
  bool outputs = false;          // keep the outputs of every row
};

// Why a layer gives the same outputs for two orders.
enum class Unseen : int {
  not_so,          // it does not: the order is seen
  no_positions,    // nothing in the layer depends on positions
  same_sentence,   // only equal words changed places
  same_distances,  // the encoding is a bias, and the new order does not change the bias of any pair of tokens
  unknown,
};

// Two sentences by their index: 0 is the words, 1 the first of the others.
struct PooledPair {
  std::size_t first = 0;
  std::size_t second = 0;
  double largest = 0.0;  // difference of the means over all outputs
  Unseen unseen = Unseen::not_so;
};

// The effect of other word orders on one layer: absolute differences of float32 outputs [N, M].
struct PermutationRow {
  std::string name;               // the text of the spec, "recurrence", "filter of 3 tokens"
  std::optional<Spec> spec = {};  // none: not attention
  std::string note = {};          // "untrained", or why order is seen without an encoding; may be empty
  double mean = 0.0;              // outputs of the moved words, put back in order, against those of the words: mean ...
  double largest = 0.0;           // ... and largest difference
  bool sees_order = false;        // whether `largest` is more than rounding
  Unseen unseen = Unseen::not_so;
  std::optional<double> causal = {};  // if an encoding does not see an order: `largest` with a causal mask added
  std::vector<PooledPair> pooled;     // every pair of sentences; the first pair is 0 and 1
  std::vector<float> outputs, moved;  // if asked for, [N, M]: of the words, and of the moved words put back in order
};

struct PermutationResult {
  std::vector<std::string> words, moved;
  std::vector<std::vector<std::string>> others;
  std::vector<std::int64_t> order;
  double rounding = 0.0;             // a power of ten; differences below it are rounding of float32
  std::vector<PermutationRow> rows;  // without an encoding, then each encoding, then a recurrence and a filter
};

// Self-attention over the words with random weights, once for every row. Learned numbers are random, as before
// training. An encoding that does not fit the width, the heads or the number of words is an error before any work.
POSENC_API PermutationResult demonstrate_permutation(const PermutationQuestion& question);

// Returns `moved` of a row for printing: a number that differs from that of `outputs` by less than `rounding` is
// replaced by it, so that both have the same digits.
POSENC_API std::vector<float> moved_without_rounding(const PermutationRow& row, double rounding);

// The four parts of the score of two sums, (x + p).(y + r); posenc/score_parts.h computes them with projections.
struct OrderScore {
  double content_content = 0.0;    // x.y
  double content_position = 0.0;   // x.r
  double position_content = 0.0;   // p.y
  double position_position = 0.0;  // p.r
  double score = 0.0;              // of the sums themselves: the parts add up to it, except for rounding
};

// One order of the two tokens. All rows are [M].
struct OrderSide {
  std::vector<double> a, b;                      // a + p and b + p, with the position that each has in this order
  std::vector<double> projected_a, projected_b;  // W(a + p), W(b + p)
  std::vector<double> parts_a, parts_b;          // Wa + Wp, Wb + Wp: the same, except for rounding
  OrderScore score;                              // of A with B
};

struct OrderResult {
  Sinusoidal spec;                                 // of the positions
  std::vector<double> a, b;                        // two tokens, one decimal per number
  std::vector<double> p0, p1;                      // the rows of positions 0 and 1
  std::vector<std::vector<double>> weights;        // W, [M][M], one decimal per number
  std::vector<double> projected_a, projected_b;    // Wa, Wb
  std::vector<double> projected_p0, projected_p1;  // Wp0, Wp1
  OrderSide a_then_b, b_then_a;
};

// [A, B] and [B, A], in double: how adding positions changes the vectors, their projections and their score. The width
// is even, 2 to 16: numbers that can be checked by hand.
POSENC_API OrderResult demonstrate_order(std::int64_t width, std::uint64_t seed);

struct GradientQuestion {
  std::vector<std::string> words = {"the", "cat", "sat", "on", "the", "mat"};  // 2 to 24
  std::int64_t width = 4;                                                      // M, even, 2 to 16
  std::uint64_t seed = 0;
};

// One loss and its gradients for one encoding; rows are [M].
struct GradientResult {
  Spec spec;
  double loss = 0.0;
  std::int64_t learned_numbers = 0;             // of the encoding: 0 for a sinusoidal one
  std::vector<std::vector<double>> arriving;    // gradient of the sum embedding + position, one row per word
  std::vector<std::vector<double>> embeddings;  // gradient of the embeddings, one row per word of the vocabulary
  std::vector<std::vector<double>> table;       // gradient of the learned table, row by row; empty for a fixed encoding
  double difference = 0.0;  // between these gradients and finite differences of the loss, the largest
};

struct GradientDemonstration {
  std::vector<std::string> vocabulary;  // the different words, in the order of their first use
  GradientResult fixed;                 // sinusoidal
  GradientResult learned;               // a learned table with two rows more than words
};

// One backward pass through embeddings, positions and one head of attention, in double; the loss is half the squared
// distance of the outputs from random targets. Shows which numbers training can change.
POSENC_API GradientDemonstration demonstrate_gradient(const GradientQuestion& question);

}  // namespace posenc
