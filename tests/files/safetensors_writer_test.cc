#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <set>

#include "posenc/files/file.h"
#include "posenc/files/safetensors.h"
#include "posenc/half.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace posenc::safetensors_writer_test {
namespace {

using Shape = std::vector<std::int64_t>;

// Writes with save_safetensors and reads back.
Safetensors saved(const TemporaryFolder& folder, const std::vector<NamedTensor>& tensors,
                  const Metadata& metadata = {}) {
  save_safetensors(folder / "a.safetensors", tensors, metadata);
  return open_safetensors(folder / "a.safetensors");
}

std::vector<double> numbers(const Array& array) {
  std::vector<double> result;
  for (std::int64_t i = 0; i < array.size(); ++i) result.push_back(array.number(i));
  return result;
}

TEST(SaveSafetensors, KeepsEveryDtype) {
  const float f32[] = {1.5f, -0.0f};
  const double f64[] = {0.1, std::numeric_limits<double>::infinity()};
  const f16 half[] = {to_f16(0.5), to_f16(-3)};
  const bf16 brain[] = {to_bf16(0.5), {0x7FC1}};
  const std::int32_t i32[] = {-1, 70000};
  const std::int64_t i64[] = {INT64_MIN, 1};
  const std::uint8_t u8[] = {0, 255};
  const auto check = [](const auto& values, const std::string& dtype) {
    TemporaryFolder folder;
    const Safetensors file = saved(folder, {{"t", make_view(&values[0], {2})}});
    EXPECT_EQ(file.tensors()[0].dtype, dtype);
    const Array array = file.load("t");
    EXPECT_EQ(array.shape, Shape{2});
    EXPECT_EQ(array.dtype, dtype_of<std::remove_reference_t<decltype(values[0])>>());
    ASSERT_EQ(array.data.size(), sizeof(values));
    EXPECT_EQ(std::memcmp(array.data.data(), &values[0], sizeof(values)), 0);
  };
  check(f32, "F32");
  check(f64, "F64");
  check(half, "F16");
  check(brain, "BF16");
  check(i32, "I32");
  check(i64, "I64");
  check(u8, "U8");
}

TEST(SaveSafetensors, FollowsStrides) {
  TemporaryFolder folder;
  std::vector<std::int32_t> memory(2 * 3 * 4 * 5);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::int32_t>(i);
  const View whole = make_view(memory.data(), {2, 3, 4, 5});
  const ConstView backwards{memory.data() + 4, DType::i32, 1, {5}, {-1}};
  const ConstView number{memory.data() + 7, DType::i32, 0, {}, {}};
  const ConstView repeated{memory.data() + 9, DType::i32, 2, {2, 2}, {0, 0}};
  const Safetensors file = saved(folder, {{"swapped", whole.swap(1, 3)},
                                          {"backwards", backwards},
                                          {"number", number},
                                          {"repeated", repeated},
                                          {"empty", ConstView{nullptr, DType::f32, 2, {0, 5}, {5, 1}}}});
  const Array swapped = file.load("swapped");
  EXPECT_EQ(swapped.shape, (Shape{2, 5, 4, 3}));
  EXPECT_EQ(swapped.number(1), 20) << "[0, 0, 0, 1] is [0, 1, 0, 0] in memory";
  EXPECT_EQ(swapped.number(3 * 4 * 5 + 3 * 4 * 2 + 3 * 3 + 2), 60 + 2 * 20 + 3 * 5 + 2);
  EXPECT_EQ(numbers(file.load("backwards")), (std::vector<double>{4, 3, 2, 1, 0}));
  EXPECT_EQ(numbers(file.load("number")), std::vector<double>{7});
  EXPECT_EQ(numbers(file.load("repeated")), (std::vector<double>{9, 9, 9, 9}));
  EXPECT_EQ(file.load("empty").shape, (Shape{0, 5}));
}

// The tensors of mixed.safetensors, given in another order, produce the same file.
TEST(SaveSafetensors, WritesTheBytesOfTheOriginal) {
  TemporaryFolder folder;
  const f16 half[] = {to_f16(0.5), to_f16(-2)};
  const f16 alpha[] = {to_f16(1), to_f16(2), to_f16(3)};
  const std::uint8_t byte[] = {1, 2, 3};
  const double number = 0.1;
  const std::int64_t longs[] = {7, -7};
  const float floats[] = {1.5f, -0.0f};
  const std::int32_t ints[] = {70000, -1};
  const float scalar = 2.5f;
  const std::vector<NamedTensor> tensors = {{"a.byte", make_view(byte, {3})},     {"b.half", make_view(half, {2})},
                                            {"b.alpha", make_view(alpha, {3})},   {"empty", make_view(&scalar, {0, 4})},
                                            {"l.int", make_view(ints, {2})},      {"m.float", make_view(floats, {2})},
                                            {"scalar", make_view(&scalar, {})},   {"y.long", make_view(longs, {2, 1})},
                                            {"z.double", make_view(&number, {1})}};
  save_safetensors(folder / "a.safetensors", tensors, {{"format", "np"}});
  EXPECT_EQ(read_file(folder / "a.safetensors"), read_file(POSENC_TESTS "/fuzz/corpus/safetensors/mixed.safetensors"));
}

TEST(SafetensorsHeader, KeepsTheOrderGivenAndLooksAtNoData) {
  const ConstView bytes{nullptr, DType::u8, 1, {3}, {1}};
  const ConstView rows{nullptr, DType::bf16, 2, {2, 5}, {5, 1}};
  const std::string header = safetensors_header({{"b", bytes}, {"a", rows}}, {{"k", "line\nbreak"}, {"", ""}});
  const std::string text =
      "{\"__metadata__\":{\"k\":\"line\\nbreak\",\"\":\"\"},\"b\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,"
      "3]},"
      "\"a\":{\"dtype\":\"BF16\",\"shape\":[2,5],\"data_offsets\":[3,23]}}";
  EXPECT_EQ(header.substr(8, text.size()), text);
  EXPECT_EQ(header.substr(8 + text.size()), std::string(header.size() - 8 - text.size(), ' '));
  EXPECT_EQ(safetensors_header({}), std::string("\x08\0\0\0\0\0\0\0{}      ", 16));
  const auto size = static_cast<std::int64_t>(header.size());
  const SafetensorsHeader parsed = parse_safetensors_header(header, size + 23, "t");
  EXPECT_EQ(parsed.tensors[1].begin, 3);
  EXPECT_EQ(parsed.metadata, (Metadata{{"k", "line\nbreak"}, {"", ""}}));
}

TEST(SafetensorsHeader, IsPaddedToEightBytes) {
  std::set<std::size_t> padding;
  for (std::size_t length = 1; length < 20; ++length) {
    const float value = 1;
    const std::string header = safetensors_header({{std::string(length, 'n'), make_view(&value, {1})}});
    EXPECT_EQ(header.size() % 8, 0u) << length;
    padding.insert(header.size() - header.find_last_of('}') - 1);
  }
  EXPECT_EQ(padding.size(), 8u) << "no more than needed";
  EXPECT_EQ(*padding.rbegin(), 7u);
}

TEST(SafetensorsHeader, RefusesWhatTheFormatCannotSay) {
  const auto bad = [](const std::vector<NamedTensor>& tensors, const Metadata& metadata, const std::string& part) {
    expect_error(ErrorKind::usage, "[safetensors_header] " + part, [&] { safetensors_header(tensors, metadata); });
  };
  const ConstView view{nullptr, DType::f32, 1, {1}, {1}};
  bad({{"a", view}, {"b", view}, {"a", view}}, {}, "names must be unique but 'a' occurs twice");
  bad({{"__metadata__", view}}, {}, "names must not be '__metadata__'");
  bad({{"a\xFF", view}}, {}, "names must be UTF-8 but got 'a?'");
  bad({{"a\xC3", view}}, {}, "names must be UTF-8");
  bad({{"a", view}}, {{"k", "1"}, {"k", "2"}}, "metadata keys must be unique but 'k' occurs twice");
  bad({{"a", view}}, {{"k\xFF", "1"}}, "metadata keys must be UTF-8 but got 'k?'");
  bad({{"a", view}}, {{"k", "\xFF"}}, "metadata must be UTF-8 but the value of 'k' is not");
  for (std::size_t at = 0; at < 20; ++at) {  // at any place in a long text
    std::string text(20, 'x');
    text[at] = '\xFF';
    bad({{"a", view}}, {{"k", text}}, "metadata must be UTF-8");
    text.replace(at, 1, "\xC3\xA9");
    EXPECT_NO_THROW(safetensors_header({{"a", view}}, {{"k", text}})) << at;
  }
  bad({{"a", {nullptr, DType::f32, 5, {}, {}}}}, {}, "tensor 'a' must have 0 to 4 axes but got 5");
  bad({{"a", {nullptr, DType::f32, -1, {}, {}}}}, {}, "tensor 'a' must have 0 to 4 axes but got -1");
  bad({{"a", {nullptr, DType::f32, 2, {2, -1}, {}}}}, {},
      "tensor 'a' must have lengths of at least 0 but has shape [2, -1]");
  bad({{"a", {nullptr, DType::f32, 1, {INT64_MAX / 2}, {1}}}}, {}, "tensor 'a' must have less than 2^63 bytes");
  const ConstView half{nullptr, DType::u8, 1, {INT64_MAX / 2 + 1}, {1}};
  bad({{"a", half}, {"b", half}}, {}, "the tensors must have less than 2^63 bytes");
  bad({{"a", view}}, {{"k", std::string(100'000'000, 'x')}},
      "the header must have at most 100000000 bytes but has 1000000");
}

TEST(SaveSafetensors, RefusesBeforeItTouchesTheFile) {
  TemporaryFolder folder;
  const float value = 1;
  const ConstView view = make_view(&value, {1});
  const ConstView null{nullptr, DType::f32, 1, {1}, {1}};
  expect_error(ErrorKind::usage, "[save_safetensors] tensor 'b' of shape [1] must not be null", [&] {
    save_safetensors(folder / "a", {{"a", view}, {"b", null}});
  });
  expect_error(ErrorKind::usage, "names must be unique", [&] {
    save_safetensors(folder / "a", {{"a", view}, {"a", view}});
  });
  EXPECT_TRUE(folder.names().empty());
}

// Any names, shapes and types: every tensor is read back, aligned to its element size, without gaps.
RC_GTEST_PROP(SaveSafetensors, GivesBackWhatItTook, ()) {
  const auto count = *rc::gen::inRange(0, 8);
  std::vector<std::uint8_t> memory(4096);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::uint8_t>(i * 37);
  std::vector<NamedTensor> tensors;
  for (int i = 0; i < count; ++i) {
    const auto dtype = static_cast<DType>(*rc::gen::inRange(0, 7));
    const auto shape = *rc::gen::container<std::vector<std::int64_t>>(3, rc::gen::inRange<std::int64_t>(0, 6));
    // Any bytes that are valid UTF-8.
    const auto letters = *rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127));
    tensors.push_back({letters + std::to_string(i),
                       make_view(static_cast<const void*>(memory.data()), dtype, {shape[0], shape[1], shape[2]})});
  }
  TemporaryFolder folder;
  const Safetensors file = saved(folder, tensors, {{"key", "value"}});
  RC_ASSERT(file.tensors().size() == tensors.size());
  std::int64_t widest = 8;
  for (const TensorInfo& info : file.tensors()) {
    const Array array = file.load(info.name);
    RC_ASSERT(info.begin % size_of(array.dtype) == 0);
    RC_ASSERT(size_of(array.dtype) <= widest);
    widest = size_of(array.dtype);
  }
  for (const NamedTensor& tensor : tensors) {
    const Array array = file.load(tensor.name);
    RC_ASSERT(array.dtype == tensor.view.dtype);
    RC_ASSERT(array.size() == tensor.view.size());
    RC_ASSERT(array.data.size() == static_cast<std::size_t>(array.size() * size_of(array.dtype)));
    RC_ASSERT(std::equal(array.data.begin(), array.data.end(), reinterpret_cast<const std::byte*>(memory.data())));
  }
}

}  // namespace
}  // namespace posenc::safetensors_writer_test
