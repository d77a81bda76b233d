// Decoding with a cache: prompt and tokens are appended, and queries attend to the tokens held. The cache keeps four
// sinks and a window of 28 tokens; every output equals that of attention over all tokens with the same mask.
//
// Build it against an installed posenc:  g++ -std=c++20 attend_decode.cc $(pkg-config --cflags --libs posenc)
#include <posenc/posenc.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

constexpr std::int64_t kTokens = 200, kPrompt = 20, H = 4, G = 2, D = 64;  // four heads of queries share two of keys
constexpr std::int64_t kSinks = 4, kWindow = 28;

using Rows = std::vector<float>;

// Random numbers in place of a model's projections.
Rows projected(std::int64_t heads, std::uint64_t seed) {
  Rows rows(static_cast<std::size_t>(kTokens * heads * D));
  posenc::fill_random(posenc::make_view(rows.data(), {kTokens, heads * D}), {.std = 1.0, .seed = seed});
  return rows;
}

posenc::View tokens(Rows& rows, std::int64_t heads, std::int64_t first, std::int64_t count) {
  return posenc::make_view(rows.data() + first * heads * D, {count, heads, D});
}

}  // namespace

int main() {
  Rows q = projected(H, 1), k = projected(G, 2), v = projected(G, 3), out(q.size()), whole(q.size());
  const posenc::RotaryAngles angles(posenc::Rotary{.head_dim = D, .base = 500000.0});

  posenc::KeyValueCache cache(
      {.capacity = kSinks + kWindow, .heads = G, .head_dim = D, .when_full = posenc::WhenFull::evict, .sinks = kSinks},
      &angles);
  for (std::int64_t n = 0; n < kTokens;) {
    const std::int64_t count = n == 0 ? kPrompt : 1;  // the whole prompt first, then token by token
    cache.append(tokens(k, G, n, count), tokens(v, G, n, count));
    posenc::attend(tokens(q, H, n, count), cache.keys(), cache.values(), tokens(out, H, n, count),
                   {.rotary = angles,
                    .keys_rotated = true,
                    .mask = {.causal = posenc::Causal::end},
                    .query_positions = cache.last_positions(count),
                    .key_positions = cache.positions()});
    n += count;
  }

  posenc::attend(tokens(q, H, 0, kTokens), tokens(k, G, 0, kTokens), tokens(v, G, 0, kTokens),
                 tokens(whole, H, 0, kTokens),
                 {.rotary = angles, .mask = {.causal = posenc::Causal::end, .left = kWindow - 1, .sink_keys = kSinks}});
  double largest = 0.0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    largest = std::max(largest, std::fabs(double{out[i]} - double{whole[i]}));
  }
  std::printf("%lld tokens, %lld held, %lld evicted; largest difference to one attention over all: %.1e\n",
              static_cast<long long>(cache.appended()), static_cast<long long>(cache.size()),
              static_cast<long long>(cache.evicted()), largest);
  return cache.size() == kSinks + kWindow && largest < 1e-5 ? 0 : 1;
}
