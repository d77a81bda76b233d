#include "core/base/memory_overlap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace posenc::base::memory_overlap_test {
namespace {

constexpr std::int64_t kSize = 64;

// A view [a, b, c] at `start` of a buffer, channels contiguous.
ConstView at(const float* memory, std::int64_t start, std::initializer_list<std::int64_t> shape,
             std::initializer_list<std::int64_t> strides) {
  ConstView view{memory + start, DType::f32, static_cast<int>(shape.size()), {}, {}};
  std::copy(shape.begin(), shape.end(), view.shape.begin());
  std::copy(strides.begin(), strides.end(), view.strides.begin());
  return view;
}

std::set<const float*> elements(const ConstView& view) {
  if (view.rank == 0) return {view.as<float>()};
  std::set<const float*> result;
  for (std::int64_t i = 0; i < view.shape[0]; ++i) result.merge(elements(view[i]));
  return result;
}

bool truly_share(const std::set<const float*>& a, const std::set<const float*>& b) {
  return std::any_of(b.begin(), b.end(), [&](const float* place) { return a.count(place) > 0; });
}

// Every pair of small views: sharing is never missed, and rows side by side are never mistaken for sharing.
TEST(ShareMemory, IsNeverMissed) {
  std::vector<float> memory(3 * kSize);
  const float* middle = memory.data() + kSize;
  std::vector<ConstView> views;
  for (std::int64_t start : {0, 1, 2, 3, 4, 6, 7, 12}) {
    for (std::int64_t width : {1, 2, 3, 4}) {
      views.push_back(at(middle, start, {width}, {1}));
      for (std::int64_t pitch : {-6, -3, 0, 2, 4, 6}) {
        views.push_back(at(middle, start, {2, width}, {pitch, 1}));
        views.push_back(at(middle, start, {2, 2, width}, {12, pitch, 1}));
        views.push_back(at(middle, start, {1, 3, width}, {5, pitch, 1}));
      }
    }
  }
  std::vector<std::set<const float*>> places;
  for (const ConstView& view : views) places.push_back(elements(view));
  std::int64_t shared = 0, apart = 0, cautious = 0;
  for (std::size_t i = 0; i < views.size(); ++i) {
    for (std::size_t j = 0; j < views.size(); ++j) {
      const ConstView &a = views[i], &b = views[j];
      const bool truth = truly_share(places[i], places[j]);
      const bool answer = share_memory(a, b);
      ASSERT_TRUE(answer || !truth) << shape_text(a) << " and " << shape_text(b) << " share but that was missed";
      ASSERT_EQ(answer, share_memory(b, a));
      truth ? ++shared : (answer ? ++cautious : ++apart);
    }
  }
  EXPECT_GT(shared, 1000);
  EXPECT_GT(apart, 1000);
  EXPECT_GT(cautious, 0);  // "exotic strides count as sharing"
}

TEST(ShareMemory, RowsSideBySideAreApart) {
  std::vector<float> memory(kSize);
  const auto columns = [&](std::int64_t first, std::int64_t width) {
    return at(memory.data(), first, {8, width}, {8, 1});
  };
  EXPECT_FALSE(share_memory(columns(0, 4), columns(4, 4)));
  EXPECT_FALSE(share_memory(columns(4, 4), columns(0, 4)));
  EXPECT_FALSE(share_memory(columns(1, 3), columns(5, 3)));
  EXPECT_TRUE(share_memory(columns(0, 5), columns(4, 4)));
  EXPECT_TRUE(share_memory(columns(4, 4), columns(0, 5)));
  EXPECT_FALSE(share_memory(at(memory.data(), 0, {2, 4, 4}, {32, 8, 1}), at(memory.data(), 4, {4, 2, 4}, {8, 32, 1})));
  EXPECT_FALSE(share_memory(at(memory.data(), 0, {8}, {1}), at(memory.data(), 8, {8}, {1})));
  EXPECT_TRUE(share_memory(at(memory.data(), 0, {8}, {1}), at(memory.data(), 7, {8}, {1})));
  EXPECT_FALSE(share_memory(at(memory.data(), 0, {0, 8}, {8, 1}), columns(0, 4)));
  EXPECT_FALSE(share_memory(ConstView{}, columns(0, 4)));
}

// [tokens, heads, channels] of one buffer, gaps between heads or none, tokens in order or not.
TEST(ShareMemory, HeadsOfTheSameTokensAreApart) {
  std::vector<float> memory(kSize);
  const auto heads = [&](std::int64_t first, std::int64_t count) {
    return at(memory.data(), 4 * first, {4, count, 4}, {16, 4, 1});
  };
  EXPECT_FALSE(share_memory(heads(0, 2), heads(2, 1)));
  EXPECT_FALSE(share_memory(heads(3, 1), heads(0, 3)));
  EXPECT_TRUE(share_memory(heads(0, 2), heads(1, 2)));
  EXPECT_FALSE(share_memory(heads(0, 2), at(memory.data(), 56, {4, 2, 3}, {-16, 4, 1})));
  EXPECT_FALSE(share_memory(at(memory.data(), 0, {4, 2, 4}, {16, 8, 1}), at(memory.data(), 4, {4, 2, 4}, {16, 8, 1})));
  EXPECT_TRUE(share_memory(at(memory.data(), 0, {2, 4, 8}, {32, 8, 1}), at(memory.data(), 32, {4, 8}, {8, 1})));
}

TEST(ShareMemory, IsTakenForGrantedOutOfMemory) {
  std::vector<float> memory(kSize);
  const ConstView view = at(memory.data(), 0, {2, 4}, {8, 1});
  EXPECT_FALSE(reaches_too_far(view));
  for (const std::int64_t stride : {INT64_MIN, INT64_MIN + 1, INT64_MAX, INT64_MAX / 4}) {
    const ConstView far = at(memory.data(), 40, {2, 4}, {stride, 1});
    EXPECT_TRUE(reaches_too_far(far)) << stride;
    EXPECT_TRUE(share_memory(view, far)) << stride;
  }
  EXPECT_FALSE(reaches_too_far(at(memory.data(), 40, {2, 4}, {INT64_MAX / 4 - 4, 1})));
  EXPECT_TRUE(reaches_too_far(at(memory.data(), 0, {INT64_MAX, INT64_MAX, 1}, {2, 2, 1})));
}

TEST(ShareMemory, OfPositions) {
  std::vector<std::int64_t> ids(16);
  const std::int64_t* start = ids.data();
  const ConstView first_half = make_view(static_cast<const void*>(start), DType::f32, {4, 4});
  const ConstView rest = make_view(static_cast<const void*>(start + 8), DType::f32, {4, 4});
  EXPECT_TRUE(share_memory(PositionView::of(start, 8), first_half));
  EXPECT_FALSE(share_memory(PositionView::of(start, 8), rest));
  EXPECT_TRUE(share_memory(PositionView::of(start, 9), rest));
  EXPECT_TRUE(share_memory(PositionView::of(reinterpret_cast<const double*>(start), 9), rest));
  const auto* narrow = reinterpret_cast<const std::int32_t*>(start);
  EXPECT_FALSE(share_memory(PositionView::of(narrow, 16), rest));
  EXPECT_TRUE(share_memory(PositionView::of(narrow, 17), rest));
  EXPECT_FALSE(share_memory(PositionView::range(0, 100), rest));
  PositionView batch = PositionView::of(start, 2);
  batch.batch = 2;
  batch.batch_stride = 8;
  EXPECT_TRUE(share_memory(batch, rest));
}

TEST(SameMemory, IsTheSameElements) {
  std::vector<float> memory(kSize);
  const ConstView view = at(memory.data(), 0, {2, 4}, {8, 1});
  EXPECT_TRUE(same_memory(view, view));
  EXPECT_FALSE(same_memory(view, at(memory.data(), 1, {2, 4}, {8, 1})));
  EXPECT_FALSE(same_memory(view, at(memory.data(), 0, {2, 4}, {7, 1})));
  EXPECT_FALSE(same_memory(view, at(memory.data(), 0, {2, 3}, {8, 1})));
  EXPECT_FALSE(same_memory(view, at(memory.data(), 0, {1, 2, 4}, {0, 8, 1})));
  EXPECT_TRUE(same_memory(at(memory.data(), 0, {1, 4}, {8, 1}), at(memory.data(), 0, {1, 4}, {99, 1})));
  ConstView other = view;
  other.dtype = DType::i32;
  EXPECT_FALSE(same_memory(view, other));
}

}  // namespace
}  // namespace posenc::base::memory_overlap_test
