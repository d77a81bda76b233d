// A bounded cache of keys and values for decoding: append, rotate on write, evict, renumber.
//
//     posenc::KeyValueCache cache({.capacity = 4096, .heads = 8, .head_dim = 128}, &angles);
//     cache.append(k, v);                                       // [N, G, D]: rotated, and kept
//     posenc::attend(q, cache.keys(), cache.values(), out,
//                    {.rotary = &angles, .mask = cache.mask(), ...});     // docs/attention.md shows the whole loop
//
// One per layer and sequence. Not for several threads at once, but for the const functions. Memory is taken once, when
// it is made: (capacity + capacity / 4 + 1) tokens, so that evicting moves memory rarely.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "posenc/attend.h"
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
             // anew by rerotate. Every move rounds once: evict many at once.
};

struct CacheShape {
  std::int64_t capacity = 0;     // tokens, at least 1
  std::int64_t heads = 0;        // G, of keys and values
  std::int64_t head_dim = 0;     // D, of keys
  std::int64_t value_width = 0;  // Dv; 0: D
  DType dtype = DType::f32;      // f32, f64, f16 or bf16
  WhenFull when_full = WhenFull::error;
  CachePositions positions = CachePositions::absolute;
  std::int64_t sinks = 0;          // the first tokens, which are never evicted; below the capacity
  std::int64_t evict_at_once = 1;  // tokens that go when one must; at most capacity - sinks
};

class POSENC_API KeyValueCache {
 public:
  // With angles, keys are rotated when they are appended. The angles are copied (they share their numbers).
  explicit KeyValueCache(const CacheShape& shape, const RotaryAngles* rotary = nullptr);

  // Keys [N, G, D] and values [N, G, Dv] of the next N tokens, of any float dtype. Where N is more than what can ever
  // be held, the first ones are evicted unseen, or it is an error, as chosen. Nothing changes where it throws.
  void append(const ConstView& keys, const ConstView& values);

  std::int64_t size() const noexcept;      // tokens that are held
  std::int64_t appended() const noexcept;  // tokens that ever came
  std::int64_t evicted() const noexcept;
  // Where the next token will stand: what its query is rotated by.
  std::int64_t next_position() const noexcept;

  ConstView keys() const noexcept;          // [size, G, D], rotated; valid until the next append
  ConstView values() const noexcept;        // [size, G, Dv]
  PositionView positions() const noexcept;  // of the tokens held, [size]

  void clear() noexcept;

 private:
  CacheShape shape_;
  std::optional<RotaryAngles> rotary_;
  std::vector<std::byte> key_memory_;
  std::vector<std::byte> value_memory_;
  std::vector<std::int64_t> token_positions_;
  std::int64_t start_ = 0;  // the first token held, in memory
  std::int64_t size_ = 0;
  std::int64_t appended_ = 0;
};

}  // namespace posenc
