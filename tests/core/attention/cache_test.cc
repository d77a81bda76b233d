// A cache of keys and values: against a list of tokens that are taken out one by one, and decoding through it against
// the plain definition of the whole attention.
#include "posenc/cache.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <utility>

#include "posenc/rotate.h"
#include "support/attend_case.h"
#include "support/element.h"
#include "support/expect_error.h"

using posenc::CachePositions;
using posenc::CacheShape;
using posenc::DType;
using posenc::ErrorKind;
using posenc::KeyValueCache;
using posenc::WhenFull;

namespace cache_test {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

posenc::ConstView tokens_of(posenc::View all, std::int64_t first, std::int64_t count) {
  all.data = count == 0 ? all.data : all[first].data;
  all.shape[0] = count;
  return all;
}

double rounding(DType dtype) {
  if (dtype == DType::f64) return 1e-14;
  if (dtype == DType::f32) return 5e-7;
  return dtype == DType::f16 ? 1.5e-3 : 1.2e-2;
}

struct Held {
  std::int64_t token;  // which one, as they came
  std::int64_t moves;  // how often it has been given another position
};

// What is held: a list that tokens are taken out of, one by one.
struct Listed {
  CacheShape shape;
  std::vector<Held> held;
  std::int64_t came = 0;

  void add() {
    if (static_cast<std::int64_t>(held.size()) == shape.capacity) {
      const auto first = held.begin() + shape.sinks;
      held.erase(first, first + shape.evict_at_once);
      for (std::size_t i = at(shape.sinks); i < held.size(); ++i) ++held[i].moves;
    }
    held.push_back({came++, 0});
  }
  std::int64_t position(std::size_t i) const {
    return shape.positions == CachePositions::absolute ? held[i].token : static_cast<std::int64_t>(i);
  }
};

std::vector<double> numbers_of(const posenc::ConstView& view) {
  std::vector<double> result;
  for (std::int64_t n = 0; n < view.shape[0]; ++n) {
    const posenc::ConstView token = view[n];
    for (std::int64_t i = 0; i < view.shape[1] * view.shape[2]; ++i) result.push_back(element(token, i));
  }
  return result;
}

void expect_held(const KeyValueCache& cache, const Listed& list, const HeadBlock& keys, const HeadBlock& values,
                 const posenc::Rotary* spec) {
  const CacheShape& shape = cache.shape();
  ASSERT_EQ(cache.size(), static_cast<std::int64_t>(list.held.size()));
  EXPECT_EQ(cache.appended(), list.came);
  EXPECT_EQ(cache.evicted(), list.came - cache.size());
  const std::vector<double> got_keys = numbers_of(cache.keys()), got_values = numbers_of(cache.values());
  for (std::size_t i = 0; i < list.held.size(); ++i) {
    const std::int64_t token = list.held[i].token;
    const auto position = static_cast<double>(list.position(i));
    ASSERT_EQ(cache.positions().integer(0, static_cast<std::int64_t>(i)), list.position(i));
    for (std::int64_t h = 0; h < shape.heads; ++h) {
      const std::size_t head = i * at(shape.heads) + at(h);
      for (std::int64_t c = 0; c < shape.value_width; ++c) {
        ASSERT_EQ(got_values[head * at(shape.value_width) + at(c)], rounded_to(shape.dtype, values.at(0, token, h, c)));
      }
      const std::vector<double> plain = keys.head(0, token, h);
      std::vector<double> wanted = plain;
      if (spec != nullptr) posenc::reference::rotate_head(*spec, {&position, 1}, plain.data(), wanted.data());
      // Where keys move, each move rounds once more.
      const bool moved = shape.positions == CachePositions::in_cache && spec != nullptr;
      const double within = rounding(shape.dtype) * (moved ? 1.0 + static_cast<double>(list.held[i].moves) : 1.0);
      for (std::int64_t c = 0; c < shape.head_dim; ++c) {
        const double key = got_keys[head * at(shape.head_dim) + at(c)];
        if (spec == nullptr) {
          ASSERT_EQ(key, rounded_to(shape.dtype, plain[at(c)]));
        } else {
          ASSERT_NEAR(key, wanted[at(c)], within) << "token " << token << " at " << position;
        }
      }
    }
  }
}

TEST(Cache, HoldsWhatAListOfTokensHolds) {
  std::mt19937 random(7);
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  const posenc::Rotary spec{.head_dim = 6, .base = 100.0, .rotary_dim = 4};
  const posenc::RotaryAngles angles(spec);
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    CacheShape shape{.capacity = draw(1, 12), .heads = draw(1, 3), .head_dim = 6, .value_width = draw(1, 5)};
    shape.dtype = float_types()[at(draw(0, 3))];
    shape.when_full = WhenFull::evict;
    shape.positions = static_cast<CachePositions>(draw(0, 1));
    shape.sinks = draw(0, std::min<std::int64_t>(3, shape.capacity - 1));
    shape.evict_at_once = draw(1, shape.capacity - shape.sinks);
    const bool rotates = draw(0, 3) != 0;
    const DType given = float_types()[at(draw(0, 3))];
    const std::int64_t tokens = 60;
    const HeadLayout layout{.head_gap = draw(0, 2), .token_gap = draw(0, 2), .heads_first = draw(0, 1) == 1};
    HeadBlock keys(given, 1, tokens, shape.heads, 6, layout), values(given, 1, tokens, shape.heads, shape.value_width);
    keys.set_values(random_numbers(tokens * shape.heads * 6, static_cast<unsigned>(round)));
    values.set_values(random_numbers(tokens * shape.heads * shape.value_width, static_cast<unsigned>(round) + 1));
    KeyValueCache cache(shape, rotates ? &angles : nullptr);
    KeyValueCache single(shape, rotates ? &angles : nullptr);
    Listed list{shape, {}};
    for (std::int64_t n = 0; n < tokens;) {
      const std::int64_t count = std::min(draw(0, 15), tokens - n);
      cache.append(tokens_of(keys.tokens(), n, count), tokens_of(values.tokens(), n, count));
      for (const std::int64_t end = n + count; n < end; ++n) {
        const std::int64_t next = single.next_position();
        single.append(tokens_of(keys.tokens(), n, 1), tokens_of(values.tokens(), n, 1));
        ASSERT_EQ(single.last_positions(1).integer(0, 0), next);
        list.add();
      }
      expect_held(cache, list, keys, values, rotates ? &spec : nullptr);
      expect_held(single, list, keys, values, rotates ? &spec : nullptr);
      if (HasFatalFailure()) return;
      // Where nothing moves, together and one by one are the same bits.
      if (shape.positions == CachePositions::absolute) {
        ASSERT_EQ(numbers_of(cache.keys()), numbers_of(single.keys()));
      }
      if (draw(0, 30) == 0) {
        cache.clear();
        single.clear();
        list = {shape, {}};
        EXPECT_EQ(cache.next_position(), 0);
        break;
      }
    }
  }
}

TEST(Cache, NarrowCachesRotateWideKeysBeforeTheyRound) {
  const posenc::Rotary spec{.head_dim = 64};
  const posenc::RotaryAngles angles(spec);
  const std::int64_t tokens = 40;
  HeadBlock keys(DType::f32, 1, tokens, 1, 64), rotated(DType::f32, 1, tokens, 1, 64);
  keys.set_values(random_numbers(tokens * 64, 3));
  posenc::rotate(keys.tokens(), posenc::PositionView::range(0, tokens), angles, rotated.tokens());
  for (const DType dtype : {DType::f16, DType::bf16}) {
    KeyValueCache cache({.capacity = tokens, .heads = 1, .head_dim = 64, .dtype = dtype}, &angles);
    cache.append(keys.tokens(), keys.tokens());
    std::vector<double> wanted = rotated.values();
    for (double& value : wanted) value = rounded_to(dtype, value);
    EXPECT_EQ(numbers_of(cache.keys()), wanted);
  }
}

struct Encoded {
  const char* name;
  AttendCase one;
  bool with_table = false;
};

AttendCase case_of(std::int64_t tokens, DType dtype) {
  AttendCase one{.queries = tokens, .keys = tokens, .heads = 4, .key_heads = 2, .width = 8, .value_width = 6};
  one.dtype = dtype;
  one.mask.causal = posenc::Causal::end;
  one.fill(static_cast<unsigned>(tokens));
  return one;
}

Numbers parameter(const char* name, std::vector<std::int64_t> shape) {
  std::int64_t count = 1;
  for (const std::int64_t length : shape) count *= length;
  return {name, std::move(shape), random_numbers(count, static_cast<unsigned>(name[0]))};
}

std::vector<Encoded> encodings(std::int64_t tokens, DType dtype) {
  const posenc::Spec rotary = posenc::Rotary{.head_dim = 8, .base = 50.0};
  std::vector<Encoded> all;
  const auto add = [&](const char* name) -> AttendCase& {
    all.push_back({name, case_of(tokens, dtype)});
    return all.back().one;
  };
  add("none");
  add("rotary angles").rotary = rotary;
  add("rotary table").rotary = rotary;
  all.back().with_table = true;
  for (const posenc::FactorIn place : {posenc::FactorIn::table, posenc::FactorIn::softmax, posenc::FactorIn::query}) {
    add("rotary with a factor").rotary =
        posenc::Rotary{.head_dim = 8, .attention_factor = 1.5, .attention_factor_in = place};
  }
  add("alibi").bias = posenc::Alibi{.heads = 4};
  AttendCase& t5 = add("t5");
  t5.bias = posenc::T5{.heads = 4, .buckets = 8, .max_distance = 20, .direction = posenc::T5Direction::causal};
  t5.bias_numbers = {parameter("table", {8, 4})};
  AttendCase& both = add("rotary and alibi");
  both.rotary = rotary;
  both.bias = posenc::Alibi{.heads = 4};
  AttendCase& shaw = add("shaw");
  shaw.term = posenc::Shaw{.head_dim = 8, .left = 5, .right = 0};
  shaw.term_numbers = {parameter("keys", {6, 8}), parameter("values", {6, 6})};
  AttendCase& xl = add("transformer_xl");
  xl.term = posenc::TransformerXl{.heads = 4, .head_dim = 8, .width = 6};
  xl.term_numbers = {parameter("u", {4, 8}), parameter("v", {4, 8}), parameter("position_weight", {32, 6})};
  return all;
}

CacheShape shape_of(const AttendCase& one, std::int64_t capacity) {
  return {.capacity = capacity,
          .heads = one.key_heads,
          .head_dim = one.width,
          .value_width = one.value_width,
          .dtype = one.dtype};
}

// The outputs of all tokens, given to a cache of that shape in parts of at most `most` tokens.
std::vector<double> decoded(const Encoded& encoded, const CacheShape& shape, const posenc::Mask& mask,
                            std::int64_t most) {
  const AttendCase& one = encoded.one;
  const DType dtype = one.dtype;
  HeadBlock q(dtype, 1, one.queries, one.heads, one.width), k(dtype, 1, one.keys, one.key_heads, one.width),
      v(dtype, 1, one.keys, one.key_heads, one.value_width), out(dtype, 1, one.queries, one.heads, one.value_width);
  q.set_values(one.q);
  k.set_values(one.k);
  v.set_values(one.v);
  const std::unique_ptr<AttendCase::Call> call = one.call();
  std::optional<posenc::RotaryTable> table;
  if (encoded.with_table) {
    call->options.rotary = table.emplace(*call->angles, posenc::PositionView::range(0, one.keys),
                                         dtype == DType::f64 ? DType::f64 : DType::f32);
  }
  KeyValueCache cache(shape, call->angles ? &*call->angles : nullptr);
  posenc::AttendOptions options = call->options;
  options.keys_rotated = true;
  options.mask = mask;
  std::mt19937 random(5);
  for (std::int64_t n = 0; n < one.keys;) {
    const std::int64_t draw = std::uniform_int_distribution<std::int64_t>(1, most)(random);
    const std::int64_t count = std::min(draw, one.keys - n);
    cache.append(tokens_of(k.tokens(), n, count), tokens_of(v.tokens(), n, count));
    options.query_positions = cache.last_positions(count);
    options.key_positions = cache.positions();
    posenc::View rows = out.tokens();
    rows.data = rows[n].data;
    rows.shape[0] = count;
    posenc::attend(tokens_of(q.tokens(), n, count), cache.keys(), cache.values(), rows, options);
    n += count;
  }
  return out.values();
}

double tolerance(DType dtype) {
  if (dtype == DType::f64) return 1e-12;
  if (dtype == DType::f32) return 2e-5;
  return dtype == DType::f16 ? 1e-2 : 8e-2;
}

void expect_near(const std::vector<double>& got, const std::vector<double>& wanted, double within) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], wanted[i], within) << "number " << i;
}

constexpr posenc::Mask kCausal{.causal = posenc::Causal::end};

TEST(Decode, OneByOneAndInPartsIsTheWhole) {
  for (const DType dtype : float_types()) {
    for (const Encoded& encoded : encodings(23, dtype)) {
      SCOPED_TRACE(std::string(encoded.name) + " " + std::string(to_text(dtype)));
      const std::vector<double> wanted = encoded.one.expected().out;
      expect_near(encoded.one.run().out, wanted, tolerance(dtype));
      for (const std::int64_t most : {1, 5, 23}) {
        expect_near(decoded(encoded, shape_of(encoded.one, 23), kCausal, most), wanted, tolerance(dtype));
      }
    }
  }
}

TEST(Decode, AWindowThatEvictsIsTheWholeWithThatMask) {
  for (const std::int64_t sinks : {0, 3}) {
    const std::int64_t left = 6;
    for (Encoded& encoded : encodings(40, DType::f64)) {
      SCOPED_TRACE(std::string(encoded.name) + ", sinks " + std::to_string(sinks));
      encoded.one.mask.left = left;
      encoded.one.mask.sink_keys = sinks;
      const std::vector<double> wanted = encoded.one.expected().out;
      CacheShape shape = shape_of(encoded.one, sinks + left + 1);
      shape.when_full = WhenFull::evict;
      shape.sinks = sinks;
      // The cache holds the window and nothing else, so nothing is left to hide.
      expect_near(decoded(encoded, shape, kCausal, 1), wanted, tolerance(DType::f64));
      // A larger one, for parts of up to 4 tokens and evictions of 5, holds more: the mask hides it.
      shape.capacity = sinks + left + 4 + 4;
      shape.evict_at_once = 5;
      const posenc::Mask mask{.causal = posenc::Causal::end, .left = left, .sink_keys = sinks};
      expect_near(decoded(encoded, shape, mask, 4), wanted, tolerance(DType::f64));
    }
  }
}

TEST(Decode, PositionsInTheCacheAreThoseOfARotationFromScratch) {
  const std::int64_t capacity = 9, sinks = 2, tokens = 40;
  for (Encoded& encoded : encodings(tokens, DType::f64)) {
    if (encoded.with_table) continue;
    SCOPED_TRACE(encoded.name);
    CacheShape shape = shape_of(encoded.one, capacity);
    shape.when_full = WhenFull::evict;
    shape.positions = CachePositions::in_cache;
    shape.sinks = sinks;
    shape.evict_at_once = 3;
    const std::vector<double> got = decoded(encoded, shape, kCausal, 1);
    Listed list{shape, {}};
    for (std::int64_t n = 0; n < tokens; ++n) {
      list.add();
      // The last query over the tokens held, as if they were all that ever came.
      AttendCase kept = encoded.one;
      kept.queries = 1;
      kept.keys = static_cast<std::int64_t>(list.held.size());
      const auto rows = [](const std::vector<double>& all, std::int64_t token, std::int64_t row) {
        return std::vector<double>(all.begin() + token * row, all.begin() + (token + 1) * row);
      };
      kept.q = rows(encoded.one.q, n, 4 * 8);
      kept.k.clear();
      kept.v.clear();
      for (const Held& held : list.held) {
        for (const double value : rows(encoded.one.k, held.token, 2 * 8)) kept.k.push_back(value);
        for (const double value : rows(encoded.one.v, held.token, 2 * 6)) kept.v.push_back(value);
      }
      expect_near(rows(got, n, 4 * 6), kept.expected().out, 1e-12);
    }
  }
}

struct Tokens {
  explicit Tokens(std::int64_t count) : keys(DType::f32, 1, count, 2, 4), values(DType::f32, 1, count, 2, 3) {
    keys.set_values(random_numbers(count * 8, 1));
    values.set_values(random_numbers(count * 6, 2));
  }
  HeadBlock keys, values;
};

TEST(Cache, AFullCacheRefusesAndStaysAsItWas) {
  const Tokens tokens(6);
  const posenc::RotaryAngles angles(posenc::Rotary{.head_dim = 4});
  KeyValueCache cache({.capacity = 4, .heads = 2, .head_dim = 4, .value_width = 3}, &angles);
  cache.append(tokens_of(tokens.keys.tokens(), 0, 3), tokens_of(tokens.values.tokens(), 0, 3));
  const std::vector<double> keys = numbers_of(cache.keys()), values = numbers_of(cache.values());
  const auto expect_refused = [&](const std::string& part, const posenc::ConstView& k, const posenc::ConstView& v) {
    expect_error(ErrorKind::usage, part, [&] { cache.append(k, v); });
    EXPECT_EQ(numbers_of(cache.keys()), keys);
    EXPECT_EQ(numbers_of(cache.values()), values);
    EXPECT_EQ(cache.appended(), 3);
    EXPECT_EQ(cache.last_positions(1).integer(0, 0), 2);
  };
  const posenc::ConstView k = tokens.keys.tokens(), v = tokens.values.tokens();
  expect_refused("[append] there must be room for 2 tokens but only 1 of 4 are free",
                 tokens_of(tokens.keys.tokens(), 0, 2), tokens_of(tokens.values.tokens(), 0, 2));
  expect_refused("[append] keys must be [N, 2, 4] but is [6, 2, 3]", v, v);
  expect_refused("[append] values must be [N, 2, 3] but is [6, 2, 4]", k, k);
  expect_refused("same number of tokens but have 1 and 2", tokens_of(tokens.keys.tokens(), 0, 1),
                 tokens_of(tokens.values.tokens(), 0, 2));
  posenc::ConstView wrong = tokens_of(tokens.keys.tokens(), 0, 1);
  const posenc::ConstView value = tokens_of(tokens.values.tokens(), 0, 1);
  wrong.dtype = DType::i32;
  expect_refused("keys must be f32, f64, f16 or bf16 but is i32", wrong, value);
  wrong = tokens_of(tokens.keys.tokens(), 0, 1);
  wrong.strides[2] = 2;
  expect_refused("keys must have contiguous channels but the stride of its last axis is 2", wrong, value);
  wrong.strides[2] = 1;
  wrong.data = nullptr;
  expect_refused("keys must not be null", wrong, value);
  posenc::ConstView own = cache.keys();
  own.shape[0] = 1;
  expect_refused("keys and values must not overlap the cache", own, value);
  own.shape[2] = 3;  // the values of one token, read from the keys
  expect_refused("keys and values must not overlap the cache", tokens_of(tokens.keys.tokens(), 0, 1), own);
  expect_error(ErrorKind::usage, "[last_positions] count must be from 0 to the 3 tokens held but got 4",
               [&] { cache.last_positions(4); });

  cache.append(tokens_of(tokens.keys.tokens(), 0, 0), tokens_of(tokens.values.tokens(), 0, 0));
  EXPECT_EQ(cache.size(), 3);
  cache.append(tokens_of(tokens.keys.tokens(), 3, 1), tokens_of(tokens.values.tokens(), 3, 1));
  EXPECT_EQ(cache.size(), 4);
}

TEST(Cache, PositionsEndAtTheLargest) {
  const Tokens tokens(1);
  CacheShape shape{.capacity = 3, .heads = 2, .head_dim = 4, .value_width = 3, .when_full = WhenFull::evict};
  const posenc::RotaryAngles angles(posenc::Rotary{.head_dim = 4});
  // One token over and over: what goes unseen costs nothing.
  const auto repeated = [](posenc::View view, std::int64_t count) {
    view.shape[0] = count;
    view.strides[0] = 0;
    return posenc::ConstView(view);
  };
  const auto append = [&](KeyValueCache& cache, std::int64_t count) {
    cache.append(repeated(tokens.keys.tokens(), count), repeated(tokens.values.tokens(), count));
  };
  KeyValueCache cache(shape, &angles);
  append(cache, posenc::kMaxPosition);
  EXPECT_EQ(cache.next_position(), posenc::kMaxPosition);
  expect_error(ErrorKind::usage,
               "[append] positions must be below 2^31 but 2 tokens starting at 2147483647 exceed "
               "this",
               [&] { append(cache, 2); });
  append(cache, 1);
  EXPECT_EQ(cache.positions().integer(0, 2), posenc::kMaxPosition);
  expect_error(ErrorKind::usage, "positions must be below 2^31", [&] { append(cache, 1); });
  EXPECT_EQ(cache.size(), 3);
  shape.positions = CachePositions::in_cache;
  KeyValueCache endless(shape, &angles);
  for (int i = 0; i < 3; ++i) append(endless, posenc::kMaxPosition);
  EXPECT_EQ(endless.appended(), 3 * posenc::kMaxPosition);
  EXPECT_EQ(endless.next_position(), 2);
}

TEST(Cache, MemoryIsTakenOnce) {
  const Tokens tokens(1);
  for (const std::int64_t sinks : {0, 2, 15}) {
    KeyValueCache cache(
        {.capacity = 16, .heads = 2, .head_dim = 4, .value_width = 3, .when_full = WhenFull::evict, .sinks = sinks});
    const auto* lowest = cache.keys().as<float>();
    for (int n = 0; n < 10000; ++n) {
      cache.append(tokens.keys.tokens(), tokens.values.tokens());
      const auto* keys = cache.keys().as<float>();
      ASSERT_GE(keys, lowest);
      ASSERT_LE(keys + cache.size() * 8, lowest + 21 * 8);
      ASSERT_LE(cache.size(), 16);
    }
    EXPECT_EQ(cache.evicted(), 10000 - 16);
  }
}

TEST(Cache, CopiesAndMovesAreTheSameTokens) {
  const Tokens tokens(5);
  KeyValueCache cache({.capacity = 5, .heads = 2, .head_dim = 4, .value_width = 3});
  cache.append(tokens_of(tokens.keys.tokens(), 0, 3), tokens_of(tokens.values.tokens(), 0, 3));
  KeyValueCache copy = cache;
  copy.append(tokens_of(tokens.keys.tokens(), 3, 2), tokens_of(tokens.values.tokens(), 3, 2));
  EXPECT_EQ(cache.size(), 3);
  EXPECT_EQ(numbers_of(copy.keys()), tokens.keys.values());
  const void* data = copy.keys().data;
  const KeyValueCache moved = std::move(copy);
  EXPECT_EQ(moved.keys().data, data);
  EXPECT_EQ(numbers_of(moved.values()), tokens.values.values());
  EXPECT_EQ(moved.positions().integer(0, 4), 4);
}

TEST(Cache, ShapesAreChecked) {
  const CacheShape good{.capacity = 8, .heads = 2, .head_dim = 4, .sinks = 2, .evict_at_once = 6};
  EXPECT_EQ(KeyValueCache(good).shape().value_width, 4);
  const auto expect_refused = [&](const std::string& part, const auto& change) {
    CacheShape shape = good;
    change(shape);
    expect_error(ErrorKind::usage, "[KeyValueCache] " + part, [&] { KeyValueCache cache(shape); });
  };
  expect_refused("capacity must be from 1 to 2147483647 but got 0", [](CacheShape& s) { s.capacity = 0; });
  expect_refused("heads must be", [](CacheShape& s) { s.heads = 0; });
  expect_refused("head_dim must be", [](CacheShape& s) { s.head_dim = -1; });
  expect_refused("value_width must be", [](CacheShape& s) { s.value_width = -1; });
  expect_refused("dtype must be f32, f64, f16 or bf16 but got i64", [](CacheShape& s) { s.dtype = DType::i64; });
  expect_refused("when_full must be", [](CacheShape& s) { s.when_full = static_cast<WhenFull>(2); });
  expect_refused("positions must be", [](CacheShape& s) { s.positions = static_cast<CachePositions>(-1); });
  expect_refused("sinks must be from 0 to 7 but got 8", [](CacheShape& s) { s.sinks = 8; });
  expect_refused("evict_at_once must be from 1 to 6 but got 7", [](CacheShape& s) { s.evict_at_once = 7; });
  expect_refused("evict_at_once must be from 1 to 6 but got 0", [](CacheShape& s) { s.evict_at_once = 0; });
  expect_refused("capacity, heads and channels must fit in memory",
                 [](CacheShape& s) { s.heads = s.head_dim = std::int64_t{1} << 40; });
  const posenc::RotaryAngles other(posenc::Rotary{.head_dim = 8});
  expect_error(ErrorKind::usage, "[KeyValueCache] the rotary encoding must have heads of 4 channels like the keys",
               [&] { KeyValueCache cache(good, &other); });
  const posenc::RotaryAngles plane(posenc::Rotary{.head_dim = 4, .axes = 2, .axis_of_pair = {0, 1}});
  expect_error(ErrorKind::usage, "[KeyValueCache] the rotary encoding must have one axis but has 2",
               [&] { KeyValueCache cache(good, &plane); });
}

}  // namespace
}  // namespace cache_test
