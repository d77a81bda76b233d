#include "posenc/cache.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/base/check_view.h"
#include "core/base/float_types.h"
#include "core/base/memory_overlap.h"
#include "core/rows/convert_row.h"
#include "posenc/rerotate.h"
#include "posenc/rotate.h"

namespace posenc {
namespace {

using base::refuse;

constexpr const char* kMade = "KeyValueCache";

void check_between(std::int64_t value, std::int64_t low, std::int64_t high, const char* name) {
  if (value >= low && value <= high) return;
  refuse(kMade, name, " must be from ", low, " to ", high, " but got ", value);
}

CacheShape checked(const CacheShape& given, const RotaryAngles* rotary) {
  CacheShape shape = given;
  if (shape.value_width == 0) shape.value_width = shape.head_dim;
  constexpr std::int64_t kWidest = std::int64_t{1} << 40;
  check_between(shape.capacity, 1, kMaxPosition, "capacity");
  check_between(shape.heads, 1, kWidest, "heads");
  check_between(shape.head_dim, 1, kWidest, "head_dim");
  check_between(shape.value_width, 1, kWidest, "value_width");
  base::require(base::is_float(shape.dtype), kMade, "dtype must be f32, f64, f16 or bf16 but got ",
                to_text(shape.dtype));
  check_between(static_cast<int>(shape.when_full), 0, static_cast<int>(WhenFull::evict), "when_full");
  check_between(static_cast<int>(shape.positions), 0, static_cast<int>(CachePositions::in_cache), "positions");
  check_between(shape.sinks, 0, shape.capacity - 1, "sinks");
  check_between(shape.evict_at_once, 1, shape.capacity - shape.sinks, "evict_at_once");
  if (rotary == nullptr) return shape;
  const RotarySchedule& schedule = rotary->schedule();
  base::require(schedule.head_dim == shape.head_dim, kMade, "the rotary encoding must have heads of ", shape.head_dim,
                " channels like the keys but has ", schedule.head_dim);
  base::require(schedule.axes == 1, kMade, "the rotary encoding must have one axis but has ", schedule.axes);
  return shape;
}

std::int64_t tokens_in_memory(const CacheShape& shape) { return shape.capacity + shape.capacity / 4 + 1; }

std::size_t bytes_of(const CacheShape& shape, std::int64_t width) {
  std::int64_t bytes = 0;
  base::require(!__builtin_mul_overflow(shape.heads, width, &bytes) &&
                    !__builtin_mul_overflow(bytes, tokens_in_memory(shape) * size_of(shape.dtype), &bytes),
                kMade, "capacity, heads and channels must fit in memory but need more than 2^63 bytes");
  return static_cast<std::size_t>(bytes);
}

bool is_narrow(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16; }

// Tokens first to first + count - 1 of memory that holds [.., heads, width].
template <class Void, class Byte>
BasicView<Void> rows_of(Byte* memory, const CacheShape& shape, std::int64_t width, std::int64_t first,
                        std::int64_t count) noexcept {
  const std::int64_t row = shape.heads * width;
  BasicView<Void> view{memory + first * row * size_of(shape.dtype), shape.dtype, 3, {}, {}};
  view.shape = {count, shape.heads, width};
  view.strides = {row, width, 1};
  return view;
}

}  // namespace

KeyValueCache::KeyValueCache(const CacheShape& shape, const RotaryAngles* rotary)
    : shape_(checked(shape, rotary)),
      key_memory_(bytes_of(shape_, shape_.head_dim)),
      value_memory_(bytes_of(shape_, shape_.value_width)) {
  if (shape_.positions == CachePositions::absolute) {
    token_positions_.resize(static_cast<std::size_t>(tokens_in_memory(shape_)));
  }
  if (rotary == nullptr) return;
  rotary_ = *rotary;
  if (is_narrow(shape_.dtype)) wide_keys_.resize(static_cast<std::size_t>(shape_.heads * shape_.head_dim));
}

void KeyValueCache::check_append(const ConstView& keys, const ConstView& values) const {
  base::check_view(keys, {.shape = {"N", shape_.heads, shape_.head_dim}}, "append", "keys");
  base::check_view(values, {.shape = {"N", shape_.heads, shape_.value_width}}, "append", "values");
  const std::int64_t tokens = keys.shape[0];
  if (values.shape[0] != tokens) {
    refuse("append", "keys and values must have the same number of tokens but have ", tokens, " and ", values.shape[0]);
  }
  const std::int64_t free = shape_.capacity - size_;
  base::require(shape_.when_full != WhenFull::error || tokens <= free, "append", "there must be room for ", tokens,
                " tokens but only ", free, " of ", shape_.capacity, " are free");
  // A cache that renumbers counts from 0, so that positions never overflow.
  const std::int64_t before = shape_.positions == CachePositions::absolute ? appended_ : 0;
  base::require(tokens <= kMaxPosition + 1 - before, "append", "positions must be below 2^31 but ", tokens,
                " tokens starting at ", before, " exceed this");
  for (const ConstView* given : {&keys, &values}) {
    if (tokens == 0) break;
    const std::int64_t all = tokens_in_memory(shape_);
    base::require(
        !base::share_memory(rows_of<const void>(key_memory_.data(), shape_, shape_.head_dim, 0, all), *given) &&
            !base::share_memory(rows_of<const void>(value_memory_.data(), shape_, shape_.value_width, 0, all), *given),
        "append", "keys and values must not overlap the cache");
  }
}

void KeyValueCache::append(const ConstView& keys, const ConstView& values) {
  check_append(keys, values);
  const std::int64_t tokens = keys.shape[0];
  // The result is as if tokens were appended one by one: whenever the cache is full, the `evict_at_once` oldest tokens,
  // except sinks, are evicted.
  const std::int64_t over = std::max<std::int64_t>(tokens - (shape_.capacity - size_), 0);
  const std::int64_t gone = (over + shape_.evict_at_once - 1) / shape_.evict_at_once * shape_.evict_at_once;
  const std::int64_t old_gone = std::min(gone, std::max<std::int64_t>(size_ - shape_.sinks, 0));
  const std::int64_t new_sinks = std::min(tokens, std::max<std::int64_t>(shape_.sinks - size_, 0));
  const std::int64_t resume = new_sinks + gone - old_gone;
  if (old_gone > 0) evict(old_gone);
  const std::int64_t staying = tokens - (gone - old_gone);
  if (start_ + size_ + staying > tokens_in_memory(shape_)) {
    move_tokens(start_, 0, size_);
    start_ = 0;
  }
  if (resume == new_sinks) {
    write(keys, values, 0, tokens);
  } else {
    write(keys, values, 0, new_sinks);
    write(keys, values, resume, tokens - resume);
  }
  appended_ += tokens;
}

// Moves the shorter side of the gap: usually the few sinks move up to the tokens that remain.
void KeyValueCache::evict(std::int64_t count) {
  const std::int64_t moved = size_ - shape_.sinks - count;
  if (shape_.sinks <= moved) {
    move_tokens(start_, start_ + count, shape_.sinks);
    start_ += count;
  } else {
    move_tokens(start_ + shape_.sinks + count, start_ + shape_.sinks, moved);
  }
  size_ -= count;
  if (shape_.positions != CachePositions::in_cache || !rotary_ || moved == 0) return;
  const View rows = rows_of<void>(key_memory_.data(), shape_, shape_.head_dim, start_ + shape_.sinks, moved);
  rerotate(rows, {*rotary_, PositionView::range(shape_.sinks + count, moved)},
           {*rotary_, PositionView::range(shape_.sinks, moved)});
}

void KeyValueCache::move_tokens(std::int64_t from, std::int64_t to, std::int64_t count) noexcept {
  const auto move = [&](auto& memory, std::int64_t row) {
    if (count == 0 || memory.empty()) return;
    std::memmove(memory.data() + to * row, memory.data() + from * row,
                 static_cast<std::size_t>(count * row) * sizeof(memory[0]));
  };
  move(key_memory_, shape_.heads * shape_.head_dim * size_of(shape_.dtype));
  move(value_memory_, shape_.heads * shape_.value_width * size_of(shape_.dtype));
  move(token_positions_, 1);
}

void KeyValueCache::write(const ConstView& keys, const ConstView& values, std::int64_t first, std::int64_t count) {
  if (count == 0) return;
  const std::int64_t place = start_ + size_;
  const bool absolute = shape_.positions == CachePositions::absolute;
  const PositionView positions = PositionView::range(absolute ? appended_ + first : size_, count);
  ConstView given = keys;
  given.data = keys[first].data;
  write_keys(given, rows_of<void>(key_memory_.data(), shape_, shape_.head_dim, place, count), positions);
  const View out = rows_of<void>(value_memory_.data(), shape_, shape_.value_width, place, count);
  for (std::int64_t n = 0; n < count; ++n) {
    rows::convert_heads(values[first + n], out[n]);
    if (absolute) token_positions_[static_cast<std::size_t>(place + n)] = positions.start + n;
  }
  size_ += count;
}

void KeyValueCache::write_keys(const ConstView& keys, const View& rows, const PositionView& positions) {
  // Converting wider keys to 16 bits before rotating them would round twice.
  const bool widely = rotary_ && is_narrow(shape_.dtype) && keys.dtype != shape_.dtype;
  const View wide = make_view(wide_keys_.data(), {1, shape_.heads, shape_.head_dim});
  for (std::int64_t n = 0; n < positions.count; ++n) {
    rows::convert_heads(keys[n], widely ? wide[0] : rows[n]);
    if (!widely) continue;
    rotate(wide, positions.slice(n, 1), *rotary_);
    rows::convert_heads(wide[0], rows[n]);
  }
  if (rotary_ && !widely) rotate(rows, positions, *rotary_);
}

std::int64_t KeyValueCache::next_position() const noexcept {
  if (shape_.positions == CachePositions::absolute) return appended_;
  const bool evicts = shape_.when_full == WhenFull::evict && size_ == shape_.capacity;
  return evicts ? size_ - shape_.evict_at_once : size_;
}

ConstView KeyValueCache::keys() const noexcept {
  return rows_of<const void>(key_memory_.data(), shape_, shape_.head_dim, start_, size_);
}

ConstView KeyValueCache::values() const noexcept {
  return rows_of<const void>(value_memory_.data(), shape_, shape_.value_width, start_, size_);
}

PositionView KeyValueCache::positions() const noexcept {
  if (shape_.positions == CachePositions::in_cache) return PositionView::range(0, size_);
  return {.source = PositionView::Source::i64, .data = token_positions_.data() + start_, .count = size_};
}

PositionView KeyValueCache::last_positions(std::int64_t count) const {
  base::require(count >= 0 && count <= size_, "last_positions", "count must be from 0 to the ", size_,
                " tokens held but got ", count);
  return positions().slice(size_ - count, count);
}

void KeyValueCache::clear() noexcept { start_ = size_ = appended_ = 0; }

}  // namespace posenc
