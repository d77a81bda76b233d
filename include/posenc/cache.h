// A bounded cache of keys and values for decoding: append, rotate on write, evict, renumber.
//
//     posenc::RotaryAngles angles(posenc::Rotary{.head_dim = 128});
//     posenc::KeyValueCache cache({.capacity = 4096, .heads = 8, .head_dim = 128}, &angles);
//     cache.append(k, v);                                       // [N, G, D] each: rotates the keys and stores both
//     posenc::attend(q, cache.keys(), cache.values(), out,
//                    {.rotary = angles, .keys_rotated = true, .mask = {.causal = posenc::Causal::end},
//                     .query_positions = cache.last_positions(N), .key_positions = cache.positions()});
//
// Use one cache per layer and sequence. Only const functions may be called from several threads at once. The
// constructor allocates all memory: (capacity + capacity / 4 + 1) tokens, so that eviction rarely moves data. The
// tokens held are always contiguous. Copying copies all data; a moved-from cache may only be assigned to or destroyed.
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

// What append() does when the cache is full.
enum class WhenFull : int {
  error,  // throw; the cache is unchanged
  evict,  // drop the oldest tokens, except sinks
};

// Which position each token of a cache has.
enum class CachePositions : int {
  absolute,  // its position in the sequence: eviction changes no position
  in_cache,  // its index in the cache, 0, 1, 2, ...: after an eviction, later tokens move down and rerotate moves their
             // keys (StreamingLLM, context shift). Each move rounds once in the cache's dtype: evict many at once.
};

struct CacheShape {
  std::int64_t capacity = 0;     // tokens, 1 to 2^31 - 1
  std::int64_t heads = 0;        // G, of keys and values
  std::int64_t head_dim = 0;     // D, of keys
  std::int64_t value_width = 0;  // Dv; 0: D
  DType dtype = DType::f32;      // f32, f64, f16 or bf16; attend needs queries of the same dtype
  WhenFull when_full = WhenFull::error;
  CachePositions positions = CachePositions::absolute;
  std::int64_t sinks = 0;          // number of first tokens that are never evicted; less than capacity
  std::int64_t evict_at_once = 1;  // tokens dropped per eviction; 1 to capacity - sinks
};

class POSENC_API KeyValueCache {
 public:
  // With angles (of one axis), append() rotates keys. The angles are copied; copies share their numbers. For a table,
  // pass table.angles().
  explicit KeyValueCache(const CacheShape& shape, const RotaryAngles* rotary = nullptr);

  // Appends the next N tokens: keys [N, G, D] and values [N, G, Dv] of any float dtype; channels must be contiguous,
  // other strides are free. Both are converted to the cache's dtype, then keys are rotated; a 16-bit cache rotates in
  // float32 and rounds once.
  //
  // The result is that of appending the tokens one by one: the same tokens remain at the same positions, with the same
  // bits. The exception is in_cache, which moves keys once instead of step by step and so differs by rounding. If a
  // chunk is too long, some of its queries find keys of their window already evicted: append no more tokens at once
  // than fit beside the window. Throws, without any change, if tokens do not fit under WhenFull::error, a position
  // would exceed 2^31 - 1, a shape is wrong, or an input overlaps the cache's own memory.
  void append(const ConstView& keys, const ConstView& values);

  const CacheShape& shape() const noexcept POSENC_LIFETIMEBOUND { return shape_; }
  std::int64_t size() const noexcept { return size_; }          // tokens held
  std::int64_t appended() const noexcept { return appended_; }  // tokens ever appended
  std::int64_t evicted() const noexcept { return appended_ - size_; }
  // The position of the next token: rotate its query by it.
  std::int64_t next_position() const noexcept;

  // The tokens held, oldest first, sinks in front. Valid until the next append.
  ConstView keys() const noexcept POSENC_LIFETIMEBOUND;          // [size, G, D], rotated
  ConstView values() const noexcept POSENC_LIFETIMEBOUND;        // [size, G, Dv]
  PositionView positions() const noexcept POSENC_LIFETIMEBOUND;  // [size]
  // The positions of the last `count` tokens, for the queries appended with them. Throws if count exceeds size.
  PositionView last_positions(std::int64_t count) const POSENC_LIFETIMEBOUND;

  // Removes all tokens; the next one gets position 0.
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
  std::vector<float> wide_keys_;  // one token in float32: a 16-bit cache rotates wider keys here
  std::int64_t start_ = 0;        // index in memory of the first token held
  std::int64_t size_ = 0;
  std::int64_t appended_ = 0;
};

}  // namespace posenc
