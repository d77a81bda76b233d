// The small model of the demonstrations: embeddings and weights from a seed, one layer of attention, and an encoding.
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

// Which matrix of a seed.
enum class ModelMatrix : std::uint64_t {
  embeddings,
  projection,
  output,
  recurrent,
  recurrent_input,
  filter,
};

// Normal numbers, a function of the seed and of which matrix they are.
Matrix random_matrix(std::int64_t rows, std::int64_t columns, double std, std::uint64_t seed, ModelMatrix which);

// Layers from tokens [N, M] to outputs [N, M].
struct DemonstrationModel {
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::uint64_t seed = 0;

  // Multi-head self-attention with an encoding, whose learned numbers are drawn as a model begins. Throws what the
  // encoding throws where it does not fit the model.
  Matrix attention(const Spec& encoding, const Matrix& tokens) const;
  // h[n] = tanh(U x[n] + W h[n - 1]).
  Matrix recurrence(const Matrix& tokens) const;
  // W0 x[n - 1] + W1 x[n] + W2 x[n + 1], nothing beyond the ends.
  Matrix filter(const Matrix& tokens) const;

 private:
  // Of weights that keep outputs about as large as inputs.
  Matrix weights(std::int64_t rows, ModelMatrix which) const;
};

}  // namespace posenc::teaching
