// A cache whose frequencies change while it is in use: dynamic NTK raises the base as the sequence grows, and LongRoPE
// switches lists. Keys rotated before must be moved to the new frequencies. Otherwise old and new keys have different
// encodings, and the text degrades without any error message.
//
// Build it against an installed posenc:  g++ -std=c++20 longer_context.cc $(pkg-config --cflags --libs posenc)
#include <posenc/posenc.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

constexpr std::int64_t H = 2, D = 64, kTrained = 512, kLong = 2048;

using Rows = std::vector<float>;  // [tokens, H, D]

posenc::View heads(Rows& rows) {
  return posenc::make_view(rows.data(), {static_cast<std::int64_t>(rows.size()) / (H * D), H, D});
}

double largest_difference(const Rows& a, const Rows& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::fmax(largest, std::fabs(double{a[i]} - double{b[i]}));
  return largest;
}

// Rotates keys for a short sequence, then moves them to the frequencies of a long one.
int move_keys(const char* name, const posenc::Rotary& spec) {
  const posenc::RotaryAngles before(spec, kTrained), after(spec, kLong);
  Rows keys(kTrained * H * D);
  posenc::fill_random(posenc::make_view(keys.data(), {kTrained, H * D}), {.std = 1.0, .seed = 1});
  Rows fresh = keys;
  const posenc::PositionView positions = posenc::PositionView::range(0, kTrained);
  posenc::rotate(heads(keys), positions, before);
  posenc::rotate(heads(fresh), positions, after);
  const double stale = largest_difference(keys, fresh);
  posenc::rerotate(heads(keys), {before, positions}, {after, positions});
  const double moved = largest_difference(keys, fresh);
  std::printf("%s: built for %lld, then for %lld tokens; cached keys are off by %.2f as they are, by %.1e when moved\n",
              name, static_cast<long long>(*before.schedule().sequence_length),
              static_cast<long long>(*after.schedule().sequence_length), stale, moved);
  return stale > 0.5 && moved < 2e-6 ? 0 : 1;
}

}  // namespace

int main() {
  std::vector<double> near(D / 2, 1.0), far;
  for (std::int64_t i = 0; i < D / 2; ++i) far.push_back(1.0 + 0.25 * static_cast<double>(i));
  const posenc::Rotary dynamic{.head_dim = D, .scaling = posenc::DynamicNtk{2.0, kTrained}};
  const posenc::Rotary lists{.head_dim = D, .scaling = posenc::LongRope{near, far, kTrained, 4.0}};
  return move_keys("dynamic NTK", dynamic) + move_keys("LongRoPE", lists);
}
