// The small model of the demonstrations: random embeddings and weights, an encoding, and one layer of attention.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "posenc/spec.h"
#include "posenc/view.h"

namespace posenc::teaching {

// [rows, columns] of float32.
struct Matrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<float> numbers;

  Matrix(std::int64_t row_count, std::int64_t column_count);
  View view();
  ConstView view() const;
  float* row(std::int64_t n) { return numbers.data() + n * columns; }
  const float* row(std::int64_t n) const { return numbers.data() + n * columns; }
};

// The matrices that are drawn from one seed.
enum class ModelMatrix : std::uint64_t {
  embeddings,
  projection,
  output,
  recurrent,
  recurrent_input,
  filter,
  target,
  table,
};

// Normal numbers that depend only on the seed, and on which matrix they are for.
Matrix random_matrix(std::int64_t rows, std::int64_t columns, double std, std::uint64_t seed, ModelMatrix which);

// Layers from tokens [N, M] to outputs [N, M].
struct DemonstrationModel {
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::uint64_t seed = 0;

  // Throws unless an encoding fits the model and that many tokens.
  void check(const Spec& encoding, std::int64_t tokens) const;
  // Multi-head self-attention with an encoding, whose learned numbers are random, as before training.
  Matrix attention(const Spec& encoding, const Matrix& tokens, bool causal = false) const;
  // Whether the encoding is a bias that stays the same for every pair of tokens if token order[n] moves to place n.
  bool keeps_every_bias(const Spec& encoding, const std::vector<std::int64_t>& order) const;
  // h[n] = tanh(U x[n] + W h[n - 1]).
  Matrix recurrence(const Matrix& tokens) const;
  // W0 x[n - 1] + W1 x[n] + W2 x[n + 1], with zeros beyond the ends.
  Matrix filter(const Matrix& tokens) const;

 private:
  // Scaled so that outputs are about as large as inputs.
  Matrix weights(std::int64_t rows, ModelMatrix which) const;
};

}  // namespace posenc::teaching
