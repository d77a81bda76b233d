#include "posenc/view.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "support/expect_error.h"

namespace posenc::view_test {
namespace {

constexpr DType kAll[] = {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i32, DType::i64, DType::u8};

TEST(DType, ReadsBackWhatItWrites) {
  const std::string words[] = {"f32", "f64", "f16", "bf16", "i32", "i64", "u8"};
  for (std::size_t i = 0; i < std::size(kAll); ++i) {
    EXPECT_EQ(to_text(kAll[i]), words[i]);
    EXPECT_EQ(parse_dtype(words[i]), kAll[i]);
  }
}

TEST(DType, RefusesOtherWords) {
  for (const char* word : {"", "F32", "f33", "float", "f32 "}) {
    expect_error(ErrorKind::usage,
                 "dtype must be f32, f64, f16, bf16, i32, i64 or u8 but got '" + std::string(word) + "'",
                 [&] { parse_dtype(word); });
  }
}

TEST(DType, HasTheSizeOfItsElements) {
  EXPECT_EQ(size_of(DType::f32), 4);
  EXPECT_EQ(size_of(DType::f64), 8);
  EXPECT_EQ(size_of(DType::f16), 2);
  EXPECT_EQ(size_of(DType::bf16), 2);
  EXPECT_EQ(size_of(DType::i32), 4);
  EXPECT_EQ(size_of(DType::i64), 8);
  EXPECT_EQ(size_of(DType::u8), 1);
  static_assert(dtype_of<float>() == DType::f32 && dtype_of<const double>() == DType::f64);
  static_assert(dtype_of<f16>() == DType::f16 && dtype_of<bf16>() == DType::bf16);
  static_assert(dtype_of<std::int32_t>() == DType::i32 && dtype_of<std::int64_t>() == DType::i64);
  static_assert(dtype_of<std::uint8_t>() == DType::u8);
}

TEST(MakeView, IsContiguousInCOrder) {
  double data[24] = {};
  const View view = make_view(data, {2, 3, 4});
  EXPECT_EQ(view.data, data);
  EXPECT_EQ(view.dtype, DType::f64);
  EXPECT_EQ(view.rank, 3);
  EXPECT_EQ(view.shape, (std::array<std::int64_t, kMaxRank>{2, 3, 4, 0}));
  EXPECT_EQ(view.strides, (std::array<std::int64_t, kMaxRank>{12, 4, 1, 0}));
  EXPECT_EQ(view.size(), 24);
  EXPECT_EQ(shape_text(view), "[2, 3, 4]");
}

TEST(MakeView, TakesEmptyAndRankZero) {
  float data = 0;
  EXPECT_EQ(make_view(&data, {}).size(), 1);
  EXPECT_EQ(shape_text(make_view(&data, {})), "[]");
  EXPECT_EQ(make_view(static_cast<float*>(nullptr), {0, 512}).size(), 0);
}

TEST(MakeView, KeepsConst) {
  const float data[2] = {1.0F, 2.0F};
  const auto view = make_view(data, {2});
  static_assert(std::is_same_v<decltype(view), const ConstView>);
  static_assert(std::is_same_v<decltype(view.as<float>()), const float*>);
  EXPECT_EQ(view.as<float>()[1], 2.0F);
  float other[2] = {3.0F, 4.0F};
  const ConstView from_writable = make_view(other, {2});
  EXPECT_EQ(from_writable.as<float>()[0], 3.0F);
  EXPECT_EQ(from_writable.strides[0], 1);
}

TEST(MakeView, RefusesShapesThatAreNone) {
  float data = 0;
  expect_error(ErrorKind::usage, "[make_view] rank must be at most 4 but got 5", [&] {
    make_view(&data, {1, 1, 1, 1, 1});
  });
  expect_error(ErrorKind::usage, "[make_view] lengths must not be negative but got [2, -1]", [&] {
    make_view(&data, {2, -1});
  });
  const std::int64_t big = std::int64_t{1} << 32;
  expect_error(ErrorKind::usage, "has more than 2^63 elements", [&] { make_view(&data, {big, big}); });
}

TEST(View, SwapsAxes) {
  float data[6] = {0, 1, 2, 3, 4, 5};
  const View view = make_view(data, {2, 3}).swap(0, 1);
  EXPECT_EQ(shape_text(view), "[3, 2]");
  EXPECT_EQ(view.strides[0], 1);
  EXPECT_EQ(view.strides[1], 3);
  EXPECT_EQ(view.data, data);
  EXPECT_EQ(shape_text(view.swap(1, 0)), "[2, 3]");
}

TEST(View, IndexesTheFirstAxis) {
  std::int32_t data[24];
  for (int i = 0; i < 24; ++i) data[i] = i;
  const View view = make_view(data, {2, 3, 4});
  EXPECT_EQ(shape_text(view[1]), "[3, 4]");
  EXPECT_EQ(view[1][2].as<std::int32_t>()[3], 23);
  EXPECT_EQ(*view[1][2][3].as<std::int32_t>(), 23);
  // An empty view may point nowhere.
  const View empty = make_view(static_cast<float*>(nullptr), {3, 0, 4});
  EXPECT_EQ(empty[2].data, nullptr);
  EXPECT_EQ(shape_text(empty[2]), "[0, 4]");
  EXPECT_EQ(view.swap(0, 2)[3][2].as<std::int32_t>()[12], 23);
  View reversed = make_view(data, {24});
  reversed.data = data + 23;
  reversed.strides[0] = -1;
  EXPECT_EQ(*reversed[23].as<std::int32_t>(), 0);
}

TEST(View, IndexesInBytesOfItsType) {
  f16 data[4] = {{0}, {1}, {2}, {3}};
  EXPECT_EQ(make_view(data, {2, 2})[1].as<f16>()[1].bits, 3);
}

// A view of [rows, columns] floats with any strides; the data is never touched.
View strided(std::int64_t rows, std::int64_t columns, std::int64_t row_stride, std::int64_t column_stride) {
  static float data[64];
  return {data + 32, DType::f32, 2, {rows, columns}, {row_stride, column_stride}};
}

void expect_refused(const View& view, const std::string& part) {
  expect_error(ErrorKind::usage, "[here] out " + part, [&] { check_output(view, "here"); });
}

TEST(CheckOutput, TakesWhatCanBeWritten) {
  check_output(strided(3, 4, 4, 1), "here");
  check_output(strided(3, 4, 9, 1), "here");   // rows with gaps between them
  check_output(strided(3, 4, -4, 1), "here");  // rows from the last to the first
  check_output(strided(1, 4, 0, 1), "here");   // a stride over one row means nothing
  check_output(strided(3, 1, 1, 7), "here");   // nor one over one channel
  check_output(strided(0, 4, 0, 0), "here");   // nothing is written
  check_output(make_view(static_cast<float*>(nullptr), {0, 4}), "here");
  float data[24] = {};
  check_output(make_view(data, {2, 3, 4}).swap(0, 1), "here");  // heads first
}

TEST(CheckOutput, RefusesNullNegativeAndRankless) {
  expect_refused(make_view(static_cast<float*>(nullptr), {2, 3}), "must not be null but has shape [2, 3]");
  expect_refused(strided(-1, 4, 4, 1), "must not have a negative length but has shape [-1, 4]");
  float data = 0;
  expect_refused(make_view(&data, {}), "must have 1 to 4 axes but has 0");
  View deep = make_view(&data, {1});
  deep.rank = 5;
  expect_refused(deep, "must have 1 to 4 axes but has 5");
}

TEST(CheckOutput, RefusesChannelsThatAreNotContiguous) {
  expect_refused(strided(3, 4, 8, 2), "must have contiguous channels but the stride of its last axis is 2");
  expect_refused(strided(3, 4, 4, -1), "must have contiguous channels but the stride of its last axis is -1");
  expect_refused(strided(4, 3, 1, 4), "must have contiguous channels but the stride of its last axis is 4");
}

TEST(CheckOutput, RefusesOverlap) {
  const std::string part = "must not overlap itself but two indices of [3, 4] share an address";
  expect_refused(strided(3, 4, 0, 1), part);  // every row is the same
  expect_refused(strided(3, 4, 3, 1), part);  // the last channel is the next row's first
  expect_refused(strided(3, 4, 1, 1), part);
  expect_refused(strided(3, 4, -3, 1), part);  // the same, downwards
  expect_refused(strided(3, 4, std::numeric_limits<std::int64_t>::max(), 1),
                 "must fit in the address space but its "
                 "strides");
}

TEST(CheckOutput, RefusesOverlapOfOuterAxes) {
  float data[64] = {};
  View batch = make_view(data, {2, 3, 4});
  batch.strides[0] = 8;  // batch rows share a token
  expect_refused(batch, "must not overlap itself but two indices of [2, 3, 4]");
  batch.strides[0] = 12;
  check_output(batch, "here");
}

}  // namespace
}  // namespace posenc::view_test
