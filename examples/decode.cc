// A decode loop with a cache of fixed size. Keys are stored rotated. When the cache is full, the oldest token other
// than the two sinks is evicted, and the keys after it move one position down without being computed again.
//
// Build it against an installed posenc:  g++ -std=c++20 decode.cc $(pkg-config --cflags --libs posenc)
#include <posenc/posenc.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

constexpr std::int64_t H = 2, D = 64, kRow = H * D;
constexpr std::int64_t kCache = 16, kSinks = 2, kSteps = 200;

using Rows = std::vector<float>;  // [tokens, H, D]

posenc::View tokens(Rows& rows, std::int64_t first, std::int64_t count) {
  return posenc::make_view(rows.data() + first * kRow, {count, H, D});
}

// Scaled dot-product attention of one query over all cached tokens, head by head.
Rows attend(const Rows& query, const Rows& keys, const Rows& values) {
  const std::int64_t count = static_cast<std::int64_t>(keys.size()) / kRow;
  Rows out(kRow, 0.0f);
  const float* q = query.data();
  const float* k = keys.data();
  const float* v = values.data();
  for (std::int64_t h = 0; h < H; ++h) {
    std::vector<double> weights;
    for (std::int64_t s = 0; s < count; ++s) {
      double score = 0.0;
      for (std::int64_t c = 0; c < D; ++c) score += double{q[h * D + c]} * double{k[s * kRow + h * D + c]};
      weights.push_back(score / std::sqrt(double{D}));
    }
    const double largest = *std::max_element(weights.begin(), weights.end());
    double sum = 0.0;
    for (double& weight : weights) sum += weight = std::exp(weight - largest);
    for (std::int64_t s = 0; s < count; ++s) {
      const double share = weights[static_cast<std::size_t>(s)] / sum;
      for (std::int64_t c = 0; c < D; ++c)
        out.data()[h * D + c] += static_cast<float>(share * double{v[s * kRow + h * D + c]});
    }
  }
  return out;
}

// Random numbers in place of a model's projections for step t.
Rows projected(std::uint64_t step, std::uint64_t which) {
  Rows row(kRow);
  posenc::fill_random(posenc::make_view(row.data(), {1, kRow}), {.std = 1.0, .seed = 3 * step + which});
  return row;
}

void erase_token(Rows& rows, std::int64_t index) {
  rows.erase(rows.begin() + index * kRow, rows.begin() + (index + 1) * kRow);
}

double difference(const Rows& a, const Rows& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(double{a[i]} - double{b[i]}));
  return largest;
}

}  // namespace

int main() {
  const posenc::RotaryTable table(posenc::Rotary{.head_dim = D}, kCache);
  Rows keys, values;  // the cache: keys rotated at positions 0, 1, ..
  Rows plain;         // the same keys before rotation, for comparison
  double in_keys = 0.0, in_outputs = 0.0;
  for (std::int64_t step = 0; step < kSteps; ++step) {
    std::int64_t count = static_cast<std::int64_t>(keys.size()) / kRow;
    if (count == kCache) {
      for (Rows* rows : {&keys, &values, &plain}) erase_token(*rows, kSinks);
      --count;
      const std::int64_t moved = count - kSinks;
      posenc::rerotate(tokens(keys, kSinks, moved), {table.angles(), posenc::PositionView::range(kSinks + 1, moved)},
                       {table.angles(), posenc::PositionView::range(kSinks, moved)});
    }
    Rows query = projected(static_cast<std::uint64_t>(step), 0), key = projected(static_cast<std::uint64_t>(step), 1);
    const Rows value = projected(static_cast<std::uint64_t>(step), 2);
    plain.insert(plain.end(), key.begin(), key.end());
    posenc::rotate_qk({tokens(query, 0, 1), tokens(key, 0, 1)}, posenc::PositionView::range(count, 1), table);
    keys.insert(keys.end(), key.begin(), key.end());
    values.insert(values.end(), value.begin(), value.end());
    const Rows out = attend(query, keys, values);

    // For comparison, rotate every key from scratch at its current position.
    Rows fresh = plain;
    posenc::rotate(tokens(fresh, 0, count + 1), posenc::PositionView::range(0, count + 1), table);
    in_keys = std::max(in_keys, difference(keys, fresh));
    in_outputs = std::max(in_outputs, difference(out, attend(query, fresh, values)));
  }
  std::printf("%lld steps with a cache of %lld, %lld evictions\n", static_cast<long long>(kSteps),
              static_cast<long long>(kCache), static_cast<long long>(kSteps - kCache));
  std::printf("largest difference to keys rotated from scratch: %.1e, of the outputs: %.1e\n", in_keys, in_outputs);
  return in_keys < 1e-5 && in_outputs < 1e-5 ? 0 : 1;
}
