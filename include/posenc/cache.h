// A bounded cache of keys and values for decoding: append, rotate on write, evict, renumber.
//
//     posenc::RotaryAngles angles(posenc::Rotary{.head_dim = 128});
//     posenc::KeyValueCache cache({.capacity = 4096, .heads = 8, .head_dim = 128}, &angles);
//     cache.append(k, v);                                       // [N, G, D] each: keys are rotated, both are kept
//     posenc::attend(q, cache.keys(), cache.values(), out,
//                    {.rotary = angles, .keys_rotated = true, .mask = {.causal = posenc::Causal::end},
//                     .query_positions = cache.last_positions(N), .key_positions = cache.positions()});
//
// One per layer and sequence. Not for several threads at once, but for the const functions. Memory is taken once, when
// it is made: (capacity + capacity / 4 + 1) tokens, so that evicting moves memory rarely; what is held is always
// contiguous. A copy is a copy of all of it; what was moved from may only be assigned to or destroyed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "posenc/export.h"
#include "posenc/position.h"
#include "posenc/rotary_table.h"
#include "posenc/view.h"

namespace posenc {

// What happens where a token comes that has no place.
enum class WhenFull : int {
  error,  // append throws, and the cache is as it was
  evict,  // the oldest tokens go, sinks excepted
};

// Where the tokens of a cache stand.
enum class CachePositions : int {
  absolute,  // where they were when they came: evicting changes no number
  in_cache,  // 0, 1, 2, ... in the cache: those behind a gap move up (StreamingLLM, context shift), keys are rotated
             // anew by rerotate. Every move rounds once, in the cache's dtype: evict many at once.
};

struct CacheShape {
  std::int64_t capacity = 0;     // tokens, 1 to 2^31 - 1
  std::int64_t heads = 0;        // G, of keys and values
  std::int64_t head_dim = 0;     // D, of keys
  std::int64_t value_width = 0;  // Dv; 0: D
  DType dtype = DType::f32;      // f32, f64, f16 or bf16; attend wants queries of the same
  WhenFull when_full = WhenFull::error;
  CachePositions positions = CachePositions::absolute;
  std::int64_t sinks = 0;          // the first tokens, which are never evicted; below the capacity
  std::int64_t evict_at_once = 1;  // tokens that go when one must; 1 to capacity - sinks
};

class POSENC_API KeyValueCache {
 public:
  // With angles (of one axis), keys are rotated when they are appended. The angles are copied: they share their
  // numbers. Those of a table are table.angles().
  explicit KeyValueCache(const CacheShape& shape, const RotaryAngles* rotary = nullptr);

  // Keys [N, G, D] and values [N, G, Dv] of the next N tokens, of any float dtype and strides but for the channels.
  // They are converted to the cache's dtype, then rotated; of a 16-bit cache they are rotated in float32 and rounded
  // once.
  //
  // Tokens that do not fit go as if all had come one by one: the same tokens stay, at the same positions, with the same
  // bits; only where keys move (in_cache) they move once, not step by step, and differ to the rounding of those steps.
  // So queries of tokens that came together may find keys of their windows gone: append no more at once than fits
  // beside the window. Too many tokens under WhenFull::error are an error, and so are positions past 2^31 - 1, other
  // shapes, and memory of the cache itself; nothing has changed then.
  void append(const ConstView& keys, const ConstView& values);

  const CacheShape& shape() const noexcept POSENC_LIFETIMEBOUND { return shape_; }
  std::int64_t size() const noexcept { return size_; }          // tokens that are held
  std::int64_t appended() const noexcept { return appended_; }  // tokens that ever came
  std::int64_t evicted() const noexcept { return appended_ - size_; }
  // Where the next token will stand: what its query is rotated by.
  std::int64_t next_position() const noexcept;

  // Of the tokens held, oldest first, sinks in front; valid until the next append.
  ConstView keys() const noexcept POSENC_LIFETIMEBOUND;          // [size, G, D], rotated
  ConstView values() const noexcept POSENC_LIFETIMEBOUND;        // [size, G, Dv]
  PositionView positions() const noexcept POSENC_LIFETIMEBOUND;  // [size]
  // Of the last `count` tokens: those of the queries that came with them. More than size is an error.
  PositionView last_positions(std::int64_t count) const POSENC_LIFETIMEBOUND;

  // Forgets all tokens; the next one stands at 0.
  void clear() noexcept;

 private:
  void check_append(const ConstView& keys, const ConstView& values) const;
  void evict(std::int64_t count);
  void move_tokens(std::int64_t from, std::int64_t to, std::int64_t count) noexcept;
  void write(const ConstView& keys, const ConstView& values, std::int64_t first, std::int64_t count);
  void write_keys(const ConstView& keys, const View& rows, const PositionView& positions);

  CacheShape shape_;
  std::optional<RotaryAngles> rotary_;
  std::vector<std::byte> key_memory_;
  std::vector<std::byte> value_memory_;
  std::vector<std::int64_t> token_positions_;
  std::vector<float> wide_keys_;  // of one token, where a 16-bit cache rotates what is wider
  std::int64_t start_ = 0;        // the first token held, in memory
  std::int64_t size_ = 0;
  std::int64_t appended_ = 0;
};

}  // namespace posenc
