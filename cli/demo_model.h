// The small model of the demonstrations: embeddings and weights from a seed, one layer of attention, and an encoding.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "posenc/spec.h"
#include "posenc/view.h"

namespace posenc::cli {

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

// Normal numbers. `which` tells the matrices of one seed apart.
Matrix random_matrix(std::int64_t rows, std::int64_t columns, double std, std::uint64_t seed, std::uint64_t which);

// Matrices of a seed.
enum DemoMatrix : std::uint64_t {
  kEmbeddings,
  kProjection,
  kOutput,
  kRecurrent,
  kRecurrentInput,
  kFilter,
  kParameters
};

struct DemoModel {
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::uint64_t seed = 0;
};

// A layer from tokens [N, M] to outputs [N, M]: multi-head self-attention with an encoding, whose learned numbers are
// random. Throws what the encoding throws where it does not fit the model.
Matrix attention(const DemoModel& model, const Spec& encoding, const Matrix& tokens);
// h[n] = tanh(U x[n] + W h[n - 1]).
Matrix recurrence(const DemoModel& model, const Matrix& tokens);
// W0 x[n - 1] + W1 x[n] + W2 x[n + 1], nothing beyond the ends.
Matrix filter(const DemoModel& model, const Matrix& tokens);

}  // namespace posenc::cli
