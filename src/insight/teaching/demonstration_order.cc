#include <cmath>

#include "insight/properties/lists.h"
#include "insight/teaching/demonstration_model.h"
#include "posenc/error.h"
#include "posenc/insight/demonstration.h"
#include "posenc/schedule.h"
#include "posenc/table.h"

namespace posenc {
namespace {

using properties::dot;
using teaching::ModelMatrix;
using Row = std::vector<double>;

constexpr std::int64_t kMostOrderWidth = 16;

void check_width(std::int64_t width) {
  if (width < 2 || width > kMostOrderWidth) {
    fail(ErrorKind::usage, "[demonstrate_order] width must be 2 to " + std::to_string(kMostOrderWidth) + " but got " +
                               std::to_string(width));
  }
  if (width % 2 != 0) {
    fail(ErrorKind::usage, "[demonstrate_order] width must be even but got " + std::to_string(width));
  }
}

// Random numbers with one decimal, which can be followed by hand.
std::vector<Row> readable(std::int64_t rows, std::int64_t width, std::uint64_t seed, ModelMatrix which) {
  const teaching::Matrix numbers = teaching::random_matrix(rows, width, 1.0, seed, which);
  std::vector<Row> result;
  for (std::int64_t n = 0; n < rows; ++n) {
    Row& row = result.emplace_back();
    for (std::int64_t m = 0; m < width; ++m) {
      row.push_back(std::round(static_cast<double>(numbers.row(n)[m]) * 10.0) / 10.0 + 0.0);  // no negative zero
    }
  }
  return result;
}

Row sum(const Row& a, const Row& b) {
  Row result = a;
  for (std::size_t i = 0; i < b.size(); ++i) result[i] += b[i];
  return result;
}

Row product(const std::vector<Row>& weights, const Row& x) {
  Row result;
  for (const Row& row : weights) result.push_back(dot(row, x));
  return result;
}

OrderScore score_of(const Row& x, const Row& p, const Row& y, const Row& r) {
  return {dot(x, y), dot(x, r), dot(p, y), dot(p, r), dot(sum(x, p), sum(y, r))};
}

// The numbers for A at position p and B at position r.
OrderSide side(const OrderResult& pair, const Row& p, const Row& r) {
  OrderSide side;
  side.a = sum(pair.a, p);
  side.b = sum(pair.b, r);
  side.projected_a = product(pair.weights, side.a);
  side.projected_b = product(pair.weights, side.b);
  side.parts_a = sum(pair.projected_a, product(pair.weights, p));
  side.parts_b = sum(pair.projected_b, product(pair.weights, r));
  side.score = score_of(pair.a, p, pair.b, r);
  return side;
}

void fill_positions(OrderResult& pair) {
  const std::int64_t width = pair.spec.width;
  Row rows(static_cast<std::size_t>(2 * width));
  fill_table(make_schedule(pair.spec), PositionView::range(0, 2), make_view(rows.data(), {2, width}));
  pair.p0.assign(rows.data(), rows.data() + width);
  pair.p1.assign(rows.data() + width, rows.data() + rows.size());
}

}  // namespace

OrderResult demonstrate_order(std::int64_t width, std::uint64_t seed) {
  check_width(width);
  OrderResult pair;
  pair.spec.width = width;
  const std::vector<Row> tokens = readable(2, width, seed, ModelMatrix::embeddings);
  pair.a = tokens[0];
  pair.b = tokens[1];
  fill_positions(pair);
  pair.weights = readable(width, width, seed, ModelMatrix::projection);
  pair.projected_a = product(pair.weights, pair.a);
  pair.projected_b = product(pair.weights, pair.b);
  pair.projected_p0 = product(pair.weights, pair.p0);
  pair.projected_p1 = product(pair.weights, pair.p1);
  pair.a_then_b = side(pair, pair.p0, pair.p1);
  pair.b_then_a = side(pair, pair.p1, pair.p0);
  return pair;
}

}  // namespace posenc
