// Calls of the plainest kind take a shorter way: contiguous heads in place at positions of a table. Given the same
// table in the caller's memory they take the general one, and must give the same bits and the same errors.

#include <gtest/gtest.h>

#include <vector>

#include "posenc/error.h"
#include "posenc/rotate.h"
#include "support/every_target.h"
#include "support/expect_error.h"
#include "support/head_block.h"
#include "support/parts.h"
#include "support/typed_block.h"

namespace posenc::rotate_plain_test {
namespace {

constexpr std::int64_t kStart = 3;
constexpr std::int64_t kRows = 40;

// A table twice: its own memory, and ours.
struct BothTables {
  BothTables(const Rotary& spec, DType data)
      : dtype(data == DType::f64 ? DType::f64 : DType::f32),
        own(RotaryAngles(spec), PositionView::range(kStart, kRows), dtype),
        memory(static_cast<std::size_t>(kRows * 2 * own.schedule().pairs())),
        ours(own.angles(), PositionView::range(kStart, kRows),
             make_view(memory.data(), dtype, {kRows, 2 * own.schedule().pairs()})) {}

  DType dtype;
  RotaryTable own;
  std::vector<double> memory;  // enough for either type
  RotaryTable ours;
};

using Operation = void (*)(const View&, const PositionView&, const RotaryView&, const RotateOptions&);
const Operation kOperations[] = {rotate, rotate_inverse, rotate_backward};

// In no order, from the first position of the table to the last.
template <class Id>
std::vector<Id> ids_for(std::int64_t tokens) {
  std::vector<Id> ids;
  for (std::int64_t n = 0; n < tokens; ++n) ids.push_back(static_cast<Id>(kStart + (n + 1) * 39 % kRows));
  return ids;
}

TEST(RotatePlain, EqualsTheGeneralWay) {
  on_every_target([] {
    for (const Layout layout : {Layout::half, Layout::interleaved, Layout::interleaved_to_half, Layout::half_negative,
                                Layout::half_per_axis}) {
      for (const DType dtype : float_types()) {
        for (const std::int64_t tokens : {1, 2, 16, 17, 35}) {
          const std::int64_t heads = 1 + tokens % 5;
          const Rotary spec{
              .head_dim = 42, .base = 50.0, .layout = layout, .rotary_dim = 36, .first_channel = tokens % 6};
          SCOPED_TRACE(to_text(Spec(spec)) + " " + std::string(to_text(dtype)));
          const BothTables tables(spec, dtype);
          const std::vector<std::int32_t> narrow = ids_for<std::int32_t>(tokens);
          const std::vector<std::int64_t> wide = ids_for<std::int64_t>(tokens);
          for (const PositionView& positions :
               {PositionView::range(kStart + 5, tokens), PositionView::of(narrow.data(), tokens),
                PositionView::of(wide.data(), tokens)}) {
            for (const Operation operation : kOperations) {
              HeadBlock plain(dtype, 1, tokens, heads, 42), batch(dtype, 1, tokens, heads, 42),
                  general(dtype, 1, tokens, heads, 42);
              for (HeadBlock* block : {&plain, &batch, &general}) {
                block->set_values(random_numbers(tokens * heads * 42, 7));
              }
              const std::vector<double> before = plain.values();
              operation(plain.tokens(), positions, tables.own, {});
              operation(batch.view(), positions, tables.own, {});
              operation(general.tokens(), positions, tables.ours, {});
              ASSERT_EQ(plain.bytes(), general.bytes());
              ASSERT_EQ(batch.bytes(), general.bytes());
              ASSERT_NE(plain.values(), before);
            }
          }
        }
      }
    }
  });
}

TEST(RotatePlain, TurnsQueriesAndKeys) {
  for (const FactorIn place : {FactorIn::table, FactorIn::query, FactorIn::softmax}) {
    for (const double factor : {1.0, 1.5}) {
      const Rotary spec{.head_dim = 16, .attention_factor = factor, .attention_factor_in = place};
      const BothTables tables(spec, DType::f32);
      HeadBlock q(DType::f32, 1, 4, 6, 16), k(DType::f32, 1, 4, 2, 16);
      HeadBlock q_general(DType::f32, 1, 4, 6, 16), k_general(DType::f32, 1, 4, 2, 16);
      for (HeadBlock* block : {&q, &q_general}) block->set_values(random_numbers(4 * 6 * 16, 1));
      for (HeadBlock* block : {&k, &k_general}) block->set_values(random_numbers(4 * 2 * 16, 2));
      const PositionView positions = PositionView::range(kStart + 30, 4);
      rotate_qk({q.tokens(), k.tokens()}, positions, tables.own);
      rotate_qk_backward({q.tokens(), k.tokens()}, PositionView::range(kStart, 4), tables.own);
      rotate_qk({q_general.tokens(), k_general.tokens()}, positions, tables.ours);
      rotate_qk_backward({q_general.tokens(), k_general.tokens()}, PositionView::range(kStart, 4), tables.ours);
      EXPECT_EQ(q.bytes(), q_general.bytes());
      EXPECT_EQ(k.bytes(), k_general.bytes());
    }
  }
}

TEST(RotatePlain, RefusesWhatTheGeneralWayRefuses) {
  const BothTables tables(Rotary{.head_dim = 8}, DType::f32);
  std::vector<float> memory(4 * 2 * 8, 1.0f);
  const View right = make_view(memory.data(), {4, 2, 8});
  struct Wrong {
    View x;
    PositionView positions;
    double scale = 1.0;
  };
  std::vector<Wrong> wrongs;
  for (const std::int64_t start : {kStart - 1, kStart + kRows - 3, kStart - 4, std::int64_t{INT64_MIN}, kMaxPosition}) {
    wrongs.push_back({right, PositionView::range(start, 4)});
  }
  wrongs.push_back({right, PositionView::range(kStart, 3)});
  wrongs.push_back({right, PositionView::range(kStart, 0)});
  wrongs.push_back({right, PositionView::range(kStart, -4)});
  wrongs.push_back({right, PositionView::range(kStart, 4, 20)});
  wrongs.push_back({make_view(static_cast<float*>(nullptr), {4, 2, 8}), PositionView::range(kStart, 4)});
  wrongs.push_back({make_view(memory.data(), {4, 4, 4}), PositionView::range(kStart, 4)});
  wrongs.push_back({make_view(memory.data(), DType::i32, {4, 2, 8}), PositionView::range(kStart, 4)});
  wrongs.push_back({make_view(memory.data(), DType::f64, {2, 2, 8}), PositionView::range(kStart, 2)});
  wrongs.push_back({right.swap(1, 2), PositionView::range(kStart, 4)});
  wrongs.push_back({right, PositionView::range(kStart, 4), 1e39});
  wrongs.push_back(
      {{memory.data(), DType::f32, 3, {INT64_MAX, 1, 8}, {8, 8, 1}}, PositionView::range(kStart, INT64_MAX)});
  wrongs.push_back(
      {{memory.data(), DType::f32, 3, {1, std::int64_t{1} << 61, 8}, {0, 8, 1}}, PositionView::range(kStart, 1)});
  const std::vector<std::int64_t> below = {kStart, kStart + 1, kStart - 1, kStart};
  const std::vector<std::int32_t> above = {3, 4, 5, static_cast<std::int32_t>(kStart + kRows)};
  const std::vector<double> between = {3.0, 4.0, 5.5, 6.0};
  wrongs.push_back({right, PositionView::of(below.data(), 4)});
  wrongs.push_back({right, PositionView::of(above.data(), 4)});
  wrongs.push_back({right, PositionView::of(between.data(), 4)});
  wrongs.push_back({right, PositionView::of(below.data(), 2)});
  wrongs.push_back({right, PositionView::of(static_cast<const std::int64_t*>(nullptr), 4)});
  PositionView axes = PositionView::range(kStart, 4);
  axes.axes = 2;
  wrongs.push_back({right, axes});
  PositionView batch = PositionView::range(kStart, 4);
  batch.batch = 2;
  wrongs.push_back({right, batch});
  View overlapping = right;
  overlapping.strides[0] = 8;
  wrongs.push_back({overlapping, PositionView::range(kStart, 4)});
  for (std::size_t i = 0; i < wrongs.size(); ++i) {
    const auto said = [&](const RotaryTable& table) {
      return message_of([&] { rotate(wrongs[i].x, wrongs[i].positions, table, {.output_scale = wrongs[i].scale}); });
    };
    EXPECT_FALSE(said(tables.own).empty()) << i;
    EXPECT_EQ(said(tables.own), said(tables.ours)) << i;
  }
  // Ids at either end of what is written, and right beside it.
  std::vector<std::int32_t> both(2 * 4 + 4 * 2 * 8, static_cast<std::int32_t>(kStart));
  const View beside = make_view(reinterpret_cast<float*>(both.data() + 4), {4, 2, 8});
  for (const std::int64_t at : {1, 3, 7, 67}) {
    const PositionView ids = PositionView::of(both.data() + at, 4);
    EXPECT_FALSE(message_of([&] { rotate(beside, ids, tables.own); }).empty()) << at;
  }
  for (const std::int64_t at : {0, 68}) rotate(beside, PositionView::of(both.data() + at, 4), tables.own);
  const View key = make_view(memory.data() + 8, {3, 2, 8});
  const View query = make_view(memory.data(), {3, 2, 8});
  EXPECT_FALSE(message_of([&] { rotate_qk({query, key}, PositionView::range(kStart, 3), tables.own); }).empty());
  EXPECT_EQ(memory, std::vector<float>(memory.size(), 1.0f));
}

// A table below zero: sums of its start and huge counts must not wrap around.
TEST(RotatePlain, RefusesHugeCountsBelowZero) {
  const RotaryTable table(RotaryAngles(Rotary{.head_dim = 8}), PositionView::range(-10, 5));
  float x[8] = {};
  const View heads{x, DType::f32, 3, {INT64_MAX, 1, 8}, {8, 8, 1}};
  EXPECT_FALSE(message_of([&] { rotate(heads, PositionView::range(-10, INT64_MAX), table); }).empty());
}

// What one product makes of a token: queries, keys and values side by side.
TEST(RotatePlain, TurnsQueriesAndKeysOfOneBuffer) {
  const RotaryTable table(Rotary{.head_dim = 8}, 20);
  std::vector<float> fused(5 * 7 * 8);
  for (std::size_t i = 0; i < fused.size(); ++i) fused[i] = static_cast<float>(i % 11) - 4.0f;
  std::vector<float> wanted = fused;
  const auto heads = [](std::vector<float>& memory, std::int64_t first, std::int64_t count) {
    return View{memory.data() + first * 8, DType::f32, 3, {5, count, 8}, {7 * 8, 8, 1}};
  };
  const PositionView positions = PositionView::range(3, 5);
  rotate_qk({heads(fused, 0, 4), heads(fused, 4, 2)}, positions, table);
  rotate(heads(wanted, 0, 4), positions, table);
  rotate(heads(wanted, 4, 2), positions, table);
  EXPECT_EQ(fused, wanted);
  rotate(heads(wanted, 0, 2), positions, table, heads(wanted, 2, 2));
  EXPECT_FALSE(message_of([&] { rotate_qk({heads(fused, 0, 4), heads(fused, 3, 2)}, positions, table); }).empty());
}

// Pairs with distant channels and more data than a cache holds: memory is prefetched, past the end too, and written
// nowhere else.
TEST(RotatePlain, GivesTheSameBitsForLargeHeads) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const std::int64_t tokens = 660, heads = 13, width = 512;  // 17 MB of floats
    const RotaryTable table(Rotary{.head_dim = width}, tokens, dtype);
    HeadBlock whole(dtype, 1, tokens, heads, width), apart(dtype, 1, tokens, heads, width),
        parts(dtype, 1, tokens, heads, width);
    ASSERT_GT(whole.bytes().size(), std::size_t{16} << 20);
    // Bytes 0x5a of the canary are plain numbers in every type; some others between them.
    for (std::int64_t n = 0; n < tokens; ++n) {
      for (std::int64_t c = 0; c < width; c += 7) {
        for (HeadBlock* block : {&whole, &parts}) block->set(0, n, n % heads, c, static_cast<double>(c % 5) - 2.0);
      }
    }
    rotate(whole.tokens(), PositionView::range(0, tokens), table, apart.tokens());
    rotate(whole.tokens(), PositionView::range(0, tokens), table);
    rotate_in_parts(parts.tokens(), table);
    EXPECT_TRUE(whole.bytes() == parts.bytes()) << to_text(dtype);
    EXPECT_TRUE(apart.bytes() == parts.bytes()) << to_text(dtype);
  }
}

}  // namespace
}  // namespace posenc::rotate_plain_test
