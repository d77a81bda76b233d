#include "posenc/score_parts.h"

#include <cmath>
#include <string>

#include "core/base/refuse.h"
#include "core/kernels/matmul.h"
#include "core/kernels/transpose_block.h"
#include "core/layers/layer_checks.h"
#include "core/layers/linear.h"

namespace posenc {
namespace {

using Rows = base::AlignedVector<double>;

struct Shape {
  std::int64_t tokens, width, heads, key_heads, head_dim;
};

Shape checked_shape(const layers::LayerChecks& check, const ConstView& x, const ConstView& p,
                    const ScoreProjections& projections) {
  base::check_view(x, {.dtypes = base::kReals, .shape = {"N", "M"}}, check.where, "x");
  base::check_view(p, {.dtypes = base::kReals, .shape = base::shape_of(x), .like = "x"}, check.where, "p");
  const std::int64_t heads = projections.heads, width = x.shape[1];
  const std::int64_t key_heads = check.key_heads(heads, projections.key_heads);
  const ConstView& query = projections.query_weight;
  if (query.rank != 2 || query.shape[0] < 1 || query.shape[0] % heads != 0) {
    base::refuse(check.where, "query_weight must be [H D, M] with a length that is a multiple of heads, ", heads,
                 ", but is ", shape_text(query));
  }
  const std::int64_t head_dim = query.shape[0] / heads;
  check.weight(query, {heads * head_dim, width}, "query_weight");
  check.weight(projections.key_weight, {key_heads * head_dim, width}, "key_weight");
  base::require(std::isfinite(projections.softmax_scale), check.where, "softmax_scale must be finite but got ",
                projections.softmax_scale);
  return {x.shape[0], width, heads, key_heads, head_dim};
}

Rows project(const ConstView& rows, const ConstView& weight) {
  const layers::ContiguousNumbers<double> numbers(rows);
  Rows result(static_cast<std::size_t>(rows.shape[0] * weight.shape[0]));
  layers::linear<double>(numbers.data(), rows.shape[0], {weight, {}}, result.data(), nullptr);
  return result;
}

// Returns scores[h][i][j] from rows of queries and rows of keys.
Rows scores_of(const Shape& shape, const Rows& queries, const Rows& keys) {
  const std::int64_t n = shape.tokens, key_width = shape.key_heads * shape.head_dim;
  Rows columns(keys.size()), scores(static_cast<std::size_t>(shape.heads * n * n));
  kernels::transpose_block(
      kernels::TransposedBlock<double, double>{n, key_width, keys.data(), key_width, columns.data(), n});
  for (std::int64_t h = 0; h < shape.heads; ++h) {
    const std::int64_t group = shape.heads / shape.key_heads;
    kernels::multiply_add(kernels::MatrixProduct<double>{.rows = n,
                                                         .columns = n,
                                                         .depth = shape.head_dim,
                                                         .a = queries.data() + h * shape.head_dim,
                                                         .a_row = shape.heads * shape.head_dim,
                                                         .b = columns.data() + h / group * shape.head_dim * n,
                                                         .b_stride = n,
                                                         .c = scores.data() + h * n * n,
                                                         .c_stride = n});
  }
  return scores;
}

}  // namespace

void score_parts(const ConstView& x, const ConstView& p, const ScoreProjections& projections, const View& out) {
  const layers::LayerChecks check{"score_parts"};
  const Shape shape = checked_shape(check, x, p, projections);
  base::check_view(
      out, {.dtypes = base::kReals, .shape = {4, shape.heads, shape.tokens, shape.tokens}, .use = base::Use::write},
      check.where, "out");
  check.apart_from(
      {"out", out},
      {{"x", x}, {"p", p}, {"query_weight", projections.query_weight}, {"key_weight", projections.key_weight}});
  if (shape.tokens == 0) return;
  const Rows queries[] = {project(x, projections.query_weight), project(p, projections.query_weight)};
  const Rows keys[] = {project(x, projections.key_weight), project(p, projections.key_weight)};
  for (std::int64_t part = 0; part < 4; ++part) {
    Rows scores = scores_of(shape, queries[part / 2], keys[part % 2]);
    for (double& score : scores) score *= projections.softmax_scale;
    layers::store_numbers(scores.data(), out[part]);
  }
}

}  // namespace posenc
