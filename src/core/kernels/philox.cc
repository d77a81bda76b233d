#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/philox.cc"
#include "hwy/foreach_target.h"  // compiles this file once per instruction set
#include "hwy/highway.h"
// The order of includes matters: Highway's headers come first.
#include <cstddef>
#include <cstring>

#include "core/base/philox.h"
#include "core/kernels/philox.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A 64-bit lane holds one word of one block's counter in its lower half, and anything in its upper half. MulEven reads
// only lower halves and leaves both halves of its product in the lane, so words stay in their lanes until stored.
constexpr std::size_t kMaxLanes = 8;
using Wide = hn::CappedTag<std::uint64_t, kMaxLanes>;
using Words = hn::Vec<Wide>;

HWY_INLINE Words broadcast(std::uint32_t word) { return hn::Set(Wide(), std::uint64_t{word}); }

#if HWY_TARGET == HWY_SCALAR  // its single lane cannot be split into two halves
HWY_INLINE Words product(Words words, Words multiplier) {
  return hn::Mul(hn::And(words, broadcast(0xffffffff)), multiplier);
}

HWY_INLINE std::uint64_t block_of(std::size_t, std::size_t) { return 0; }

HWY_INLINE void store(Words word0, Words word1, Words word2, Words word3, std::uint32_t* out) {
  const std::uint64_t words[] = {hn::GetLane(word0), hn::GetLane(word1), hn::GetLane(word2), hn::GetLane(word3)};
  for (int i = 0; i < 4; ++i) out[i] = static_cast<std::uint32_t>(words[i]);
}
#else
using Narrow = hn::Repartition<std::uint32_t, Wide>;

HWY_INLINE Words product(Words words, Words multiplier) {
  return hn::MulEven(hn::BitCast(Narrow(), words), hn::BitCast(Narrow(), multiplier));
}

// The block computed by a lane: even lanes hold the first half of the blocks, odd lanes the second. Interleaving two
// vectors produces this order, so storing needs no further shuffles.
HWY_INLINE std::uint64_t block_of(std::size_t lane, std::size_t lanes) { return lane / 2 + lane % 2 * (lanes / 2); }

// Combines two words in one lane.
HWY_INLINE Words join(Words lower, Words upper) {
  const Words raised = hn::ShiftLeft<32>(upper);
  return hn::BitCast(Wide(), hn::OddEven(hn::BitCast(Narrow(), raised), hn::BitCast(Narrow(), lower)));
}

HWY_INLINE void store(Words word0, Words word1, Words word2, Words word3, std::uint32_t* out) {
  const Words first = join(word0, word1);
  const Words second = join(word2, word3);
  hn::StoreU(hn::BitCast(Narrow(), hn::InterleaveLower(Wide(), first, second)), Narrow(), out);
  hn::StoreU(hn::BitCast(Narrow(), hn::InterleaveUpper(Wide(), first, second)), Narrow(), out + hn::Lanes(Narrow()));
}
#endif

// The block numbers of the first vector.
HWY_INLINE Words first_blocks() {
  const std::size_t lanes = hn::Lanes(Wide());
  std::uint64_t blocks[kMaxLanes];
  for (std::size_t lane = 0; lane < lanes; ++lane) blocks[lane] = block_of(lane, lanes);
  return hn::LoadU(Wide(), blocks);
}

HWY_INLINE void mix(Words& word0, Words& word1, Words& word2, Words& word3, Words key0, Words key1) {
  const Words product0 = product(word0, broadcast(base::kPhiloxMultiplier0));
  const Words product1 = product(word2, broadcast(base::kPhiloxMultiplier1));
  // The products take longest, so they are used in the last step of each result.
  word0 = hn::Xor(hn::Xor(word1, key0), hn::ShiftRight<32>(product1));
  word1 = product1;
  word2 = hn::Xor(hn::Xor(word3, key1), hn::ShiftRight<32>(product0));
  word3 = product0;
}

// The keys of all rounds, so that a round loads its key instead of waiting for an addition.
struct Keys {
  std::uint32_t word0[base::kPhiloxRounds];
  std::uint32_t word1[base::kPhiloxRounds];
};

HWY_INLINE Keys make_keys(const std::uint32_t key[2]) {
  Keys keys;
  for (int round = 0; round < base::kPhiloxRounds; ++round) {
    keys.word0[round] = key[0] + static_cast<std::uint32_t>(round) * base::kPhiloxWeyl0;
    keys.word1[round] = key[1] + static_cast<std::uint32_t>(round) * base::kPhiloxWeyl1;
  }
  return keys;
}

// Writes two vectors of blocks, so that one is multiplied while the other waits for its previous product.
HWY_INLINE void write_two(const std::uint32_t counter[4], const Keys& keys, Words first, std::uint32_t* out) {
  const std::size_t lanes = hn::Lanes(Wide());
  Words a0 = first, a1 = broadcast(counter[1]), a2 = broadcast(counter[2]), a3 = broadcast(counter[3]);
  Words b0 = hn::Add(first, hn::Set(Wide(), lanes)), b1 = a1, b2 = a2, b3 = a3;
  for (int round = 0; round < base::kPhiloxRounds; ++round) {
    const Words key0 = broadcast(keys.word0[round]), key1 = broadcast(keys.word1[round]);
    mix(a0, a1, a2, a3, key0, key1);
    mix(b0, b1, b2, b3, key0, key1);
  }
  store(a0, a1, a2, a3, out);
  store(b0, b1, b2, b3, out + 4 * lanes);
}

void write_blocks(const std::uint32_t* counter, const std::uint32_t* key, std::int64_t blocks, std::uint32_t* out) {
  const Keys keys = make_keys(key);
  const auto step = static_cast<std::int64_t>(2 * hn::Lanes(Wide()));
  Words first = hn::Add(broadcast(counter[0]), first_blocks());
  std::int64_t done = 0;
  for (; done + step <= blocks; done += step) {
    write_two(counter, keys, first, out + 4 * done);
    first = hn::Add(first, hn::Set(Wide(), static_cast<std::uint64_t>(step)));
  }
  if (done == blocks) return;
  std::uint32_t rest[2 * kMaxLanes * 4];
  write_two(counter, keys, first, rest);
  std::memcpy(out + 4 * done, rest, static_cast<std::size_t>(blocks - done) * 4 * sizeof(std::uint32_t));
}

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::kernels {

HWY_EXPORT(write_blocks);

void philox_blocks(const std::uint32_t counter[4], const std::uint32_t key[2], std::int64_t blocks,
                   std::uint32_t* out) noexcept {
  HWY_DYNAMIC_DISPATCH(write_blocks)(counter, key, blocks, out);
}

}  // namespace posenc::kernels
#endif
