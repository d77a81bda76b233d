#include "posenc/files/gguf.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <thread>

#include "posenc/files/file.h"
#include "support/expect_error.h"
#include "support/gguf_writer.h"
#include "support/temporary_folder.h"

namespace posenc::gguf_test {
namespace {

GgufHeader parse(const std::string& bytes, const GgufOptions& options = {}) {
  return parse_gguf_header(bytes, static_cast<std::int64_t>(bytes.size()), "t.gguf", options);
}

void expect_bad(const std::string& bytes, const std::string& part, const GgufOptions& options = {}) {
  SCOPED_TRACE(part);
  expect_error(ErrorKind::bad_input, part, [&] { parse(bytes, options); });
  expect_error(ErrorKind::bad_input, "t.gguf: ", [&] { parse(bytes, options); });
}

template <class T>
T value(const GgufHeader& header, const std::string& key) {
  const GgufEntry* entry = header.find(key);
  if (entry == nullptr || !std::holds_alternative<T>(entry->value)) {
    ADD_FAILURE() << key << " is not there or of another type";
    return T{};
  }
  return std::get<T>(entry->value);
}

// Values of every type; the bytes of each number differ.
GgufWriter every_type(std::uint32_t version, bool big) {
  GgufWriter writer(version, big);
  writer.entry("u8", 0, writer.raw(std::uint8_t{250}))
      .entry("i8", 1, writer.raw(std::int8_t{-3}))
      .entry("u16", 2, writer.raw(std::uint16_t{0xFE01}))
      .entry("i16", 3, writer.raw(std::int16_t{-258}))
      .u32("u32", 0xFEDCBA98U)
      .entry("i32", 5, writer.raw(std::int32_t{-16909061}))
      .f32("f32", 500000.0F)
      .flag("yes", true)
      .flag("no", false)
      .text("text", "word")
      .entry("u64", 10, writer.raw(std::uint64_t{1} << 40))
      .entry("i64", 11, writer.raw(-(std::int64_t{1} << 40)))
      .entry("f64", 12, writer.raw(0.1))
      .entry("huge", 10, writer.raw(std::uint64_t{1} << 63))
      .i32s("a.sections", {16, 24, 24, 0})
      .flags("a.pattern", {true, false, true})
      .i32s("others", {1, 2, 3});
  return writer;
}

class EveryFile : public testing::TestWithParam<std::pair<std::uint32_t, bool>> {};

TEST_P(EveryFile, HasEveryTypeOfValues) {
  const auto [version, big] = GetParam();
  const GgufHeader header = parse(every_type(version, big).bytes(), {.arrays = {".sections", ".pattern"}});
  EXPECT_EQ(header.version, static_cast<int>(version));
  EXPECT_EQ(header.big_endian, big);
  EXPECT_EQ(value<std::int64_t>(header, "u8"), 250);
  EXPECT_EQ(value<std::int64_t>(header, "i8"), -3);
  EXPECT_EQ(value<std::int64_t>(header, "u16"), 0xFE01);
  EXPECT_EQ(value<std::int64_t>(header, "i16"), -258);
  EXPECT_EQ(value<std::int64_t>(header, "u32"), 0xFEDCBA98);
  EXPECT_EQ(value<std::int64_t>(header, "i32"), -16909061);
  EXPECT_EQ(value<double>(header, "f32"), 500000.0);
  EXPECT_TRUE(value<bool>(header, "yes"));
  EXPECT_FALSE(value<bool>(header, "no"));
  EXPECT_EQ(value<std::string>(header, "text"), "word");
  EXPECT_EQ(value<std::int64_t>(header, "u64"), std::int64_t{1} << 40);
  EXPECT_EQ(value<std::int64_t>(header, "i64"), -(std::int64_t{1} << 40));
  EXPECT_EQ(value<double>(header, "f64"), 0.1);
  EXPECT_EQ(value<double>(header, "huge"), std::pow(2.0, 63.0));
  EXPECT_EQ(value<std::vector<double>>(header, "a.sections"), (std::vector<double>{16, 24, 24, 0}));
  EXPECT_EQ(value<std::vector<double>>(header, "a.pattern"), (std::vector<double>{1, 0, 1}));
}

TEST_P(EveryFile, DescribesArraysThatNobodyAskedFor) {
  const auto [version, big] = GetParam();
  const GgufHeader header = parse(every_type(version, big).bytes());
  const GgufEntry* entry = header.find("others");
  ASSERT_NE(entry, nullptr);
  EXPECT_FALSE(entry->held);
  EXPECT_EQ(entry->type, "array of i32");
  EXPECT_EQ(entry->size, 3);
  EXPECT_EQ(header.find("u16")->type, "u16");
}

TEST_P(EveryFile, HasTensors) {
  const auto [version, big] = GetParam();
  GgufWriter writer(version, big);
  writer.f32_tensor("rope_freqs.weight", {1.0, 2.5, 1e30});
  writer.tensor("half", {2}, 1, writer.raw(std::uint16_t{0x3E00}) + writer.raw(std::uint16_t{0xC000}));
  writer.tensor("brain", {2, 1}, 30, writer.raw(std::uint16_t{0x3FC0}) + writer.raw(std::uint16_t{0xC000}));
  writer.tensor("double", {1}, 28, writer.raw(0.1));
  const TemporaryFolder folder;
  write_file(folder / "t.gguf", writer.bytes());
  const Gguf file = open_gguf(folder / "t.gguf");
  ASSERT_EQ(file.tensors.size(), 4u);
  EXPECT_EQ(file.tensors[2].name, "brain");
  EXPECT_EQ(file.tensors[2].type, "BF16");
  EXPECT_EQ(file.tensors[2].shape, (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(file.tensors[2].offset, 64);
  EXPECT_EQ(file.data_start % 32, 0);
  const Array factors = file.load("rope_freqs.weight");
  EXPECT_EQ(factors.number(0), 1.0);
  EXPECT_EQ(factors.number(1), 2.5);
  EXPECT_EQ(factors.number(2), static_cast<double>(1e30F));
  EXPECT_EQ(file.load("half").number(0), 1.5);
  EXPECT_EQ(file.load("half").number(1), -2.0);
  EXPECT_EQ(file.load("brain").number(0), 1.5);
  EXPECT_EQ(file.load("brain").number(1), -2.0);
  EXPECT_EQ(file.load("double").number(0), 0.1);
}

INSTANTIATE_TEST_SUITE_P(Gguf, EveryFile,
                         testing::Values(std::pair{2U, false}, std::pair{2U, true}, std::pair{3U, false},
                                         std::pair{3U, true}));

TEST(Gguf, RefusesWhatIsNoGguf) {
  expect_bad("", "the first 4 bytes, before byte 0: expected 4 more bytes but the file ends");
  expect_bad("GGU", "expected 1 more bytes");
  expect_bad("GGUX\3\0\0\0", "expected 'GGUF' but got 'GGUX'");
  expect_bad("\x1b[2J....", "but got '?[2J'");
  expect_bad("ggml....", "a ggml file from before GGUF");
  expect_bad("tjgg....", "a ggml file from before GGUF");
}

TEST(Gguf, RefusesOtherVersions) {
  for (const bool big : {false, true}) {
    expect_bad(GgufWriter(1, big).bytes(), "expected version 2 or 3 but got 1, which is too old");
    expect_bad(GgufWriter(4, big).bytes(), "expected version 2 or 3 but got 4");
  }
  expect_bad(GgufWriter(0).bytes(), "expected version 2 or 3 but got 0");
}

TEST(Gguf, RefusesCountsBeyondTheFile) {
  const GgufWriter writer;
  const auto header = [&](std::uint64_t tensors, std::uint64_t keys) {
    return "GGUF" + writer.raw(std::uint32_t{3}) + writer.raw(tensors) + writer.raw(keys);
  };
  expect_bad(header(~std::uint64_t{0}, 0), "the number of tensors, before byte 16: expected at most 1048576");
  expect_bad(header(0, ~std::uint64_t{0}), "the number of keys, before byte 24: expected at most 65536");
  expect_bad(header(1000, 0), "expected at least 24000 more bytes, for 1000 tensors, but the file has 8");
  expect_bad(header(0, 1000), "expected at least 13000 more bytes, for 1000 keys, but the file has 0");
}

TEST(Gguf, RefusesEveryCut) {
  GgufWriter writer = every_type(3, false);
  writer.f32_tensor("t", {1.0, 2.0});
  const std::string bytes = writer.bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    SCOPED_TRACE(size);
    EXPECT_NE(message_of([&] { parse(bytes.substr(0, size)); }), "");
  }
  EXPECT_EQ(message_of([&] { parse(bytes); }), "");
}

TEST(Gguf, RefusesBadStrings) {
  GgufWriter writer;
  expect_bad(GgufWriter().entry("k", 8, writer.raw(~std::uint64_t{0})).bytes(),
             "key 'k', before byte 45: expected at least 18446744073709551615 more bytes");
  expect_bad(GgufWriter().entry("k", 8, writer.raw(std::uint64_t{4}) + "abc").bytes(),
             "for 4 bytes of a string, but the file has 3");
  std::string bytes = GgufWriter().u32("key", 1).bytes();
  bytes[24 + 4] = '\1';  // its length becomes 2^32 + 3
  expect_bad(bytes, "key 0, before byte 32: expected a key of at most 65535 bytes but got 4294967299");
  bytes = GgufWriter().u32("key", 1).bytes();
  bytes[25] = '\1';  // 259
  expect_bad(bytes,
             "key 0, before byte 32: expected at least 259 more bytes, for 259 bytes of a name, but the file has 11");
}

TEST(Gguf, RefusesBadValues) {
  const GgufWriter writer;
  expect_bad(GgufWriter().entry("k", 13, "abcd").bytes(),
             "key 'k', before byte 37: expected a value type from 0 to 12 but got 13");
  expect_bad(GgufWriter().entry("k", 7, "\2").bytes(), "expected a bool, 0 or 1, but got 2");
  expect_bad(GgufWriter().u32("twice", 1).u32("twice", 2).bytes(), "key 'twice'");
  expect_bad(GgufWriter().u32("twice", 1).u32("twice", 2).bytes(), "expected every key once");
}

TEST(Gguf, QuotesKeysOfAnyBytes) {
  const GgufHeader header = parse(GgufWriter().u32("\xff\n\x1b", 7).bytes());
  EXPECT_EQ(value<std::int64_t>(header, "\xff\n\x1b"), 7);
  expect_bad(GgufWriter().entry("\xff\n\x1b[", 99, "").bytes(), "key '???['");
}

TEST(Gguf, RefusesBadArrays) {
  const GgufWriter writer;
  expect_bad(GgufWriter().array("k", 4, 3, "12345678").bytes(),
             "expected at least 12 more bytes, for 3 values, but the file has 8");
  expect_bad(GgufWriter().array("k", 4, ~std::uint64_t{0}, "").bytes(), "expected an array of at most 1099511627776");
  expect_bad(GgufWriter().array("k", 8, 1000, "").bytes(), "expected at least 8000 more bytes");
  expect_bad(GgufWriter().array("k", 8, 1, writer.raw(std::uint64_t{9}) + "a").bytes(), "for 9 bytes of a string");
  expect_bad(GgufWriter().array("k", 77, 1, "").bytes(), "expected a value type");
  expect_bad(GgufWriter().array("k", 9, 1, writer.raw(std::uint32_t{77}) + writer.raw(std::uint64_t{1})).bytes(),
             "expected a value type");
  expect_bad(GgufWriter().i32s("k.list", {1, 2, 3}).bytes(), "expected at most 2 numbers but got 3",
             {.arrays = {".list"}, .longest_array = 2});
}

// An array nested `depth` deep; the innermost holds one u8.
std::string nested(const GgufWriter& writer, int depth) {
  std::string bytes = writer.raw(std::uint32_t{0}) + writer.raw(std::uint64_t{1}) + "x";
  for (int i = 1; i < depth; ++i) bytes = writer.raw(std::uint32_t{9}) + writer.raw(std::uint64_t{1}) + bytes;
  return bytes;
}

TEST(Gguf, PassesOverArraysInArraysToADepth) {
  const GgufWriter writer;
  const GgufHeader header = parse(GgufWriter().entry("deep", 9, nested(writer, 4)).u32("next", 5).bytes());
  EXPECT_EQ(header.find("deep")->type, "array of array");
  EXPECT_EQ(value<std::int64_t>(header, "next"), 5);
  expect_bad(GgufWriter().entry("deep", 9, nested(writer, 5)).bytes(), "expected arrays nested at most 4");
}

TEST(Gguf, DoesNotHoldLongStrings) {
  const std::string bytes = GgufWriter().text("template", std::string(100, 'x')).u32("next", 5).bytes();
  const GgufHeader header = parse(bytes, {.longest_string = 99});
  EXPECT_FALSE(header.find("template")->held);
  EXPECT_EQ(header.find("template")->size, 100);
  EXPECT_EQ(value<std::int64_t>(header, "next"), 5);
  EXPECT_EQ(value<std::string>(parse(bytes, {.longest_string = 100}), "template"), std::string(100, 'x'));
}

TEST(Gguf, RefusesBadAlignments) {
  for (const std::uint32_t alignment : {0U, 3U, 48U, 0x80000000U}) {
    expect_bad(GgufWriter().u32("general.alignment", alignment).bytes(),
               "expected a power of two up to 2^30 but got " + std::to_string(alignment));
  }
  expect_bad(GgufWriter().text("general.alignment", "32").bytes(), "but got a string");
  const GgufHeader header = parse(GgufWriter().u32("general.alignment", 64).bytes());
  EXPECT_EQ(header.alignment, 64);
  EXPECT_EQ(header.data_start % 64, 0);
  GgufWriter writer;
  writer.u32("general.alignment", 64).f32_tensor("t", {1.0});
  const TemporaryFolder folder;
  write_file(folder / "t.gguf", writer.bytes(64));
  EXPECT_EQ(open_gguf(folder / "t.gguf").load("t").number(0), 1.0);
}

TEST(Gguf, RefusesBadTensors) {
  const auto one = [](std::vector<std::uint64_t> shape, std::uint32_t type, std::uint64_t offset) {
    return GgufWriter().info("t", shape, type, offset).bytes() + std::string(256, 'x');
  };
  expect_bad(one(std::vector<std::uint64_t>(9, 1), 0, 0),
             "tensor 't', before byte 37: expected at most 8 axes but got 9");
  expect_bad(one({std::uint64_t{1} << 63}, 0, 0), "expected a length below 2^63");
  expect_bad(one({4}, 0, std::uint64_t{1} << 63), "expected an offset below 2^63");
  expect_bad(one({4}, 0, 16), "expected an offset that is a multiple of the alignment, 32, but got 16");
  expect_bad(one({4}, 0, 320), "expected a tensor within the file");
  expect_bad(one({100}, 0, 0), "shape [100] of F32 begins at byte 0 of the data and has 400");
  expect_bad(one({std::uint64_t{1} << 40, std::uint64_t{1} << 40}, 0, 0), "expected whole blocks and less than 2^63");
  expect_bad(one({33}, 2, 0), "expected whole blocks and less than 2^63 bytes of data but got shape [33] of Q4_0");
  expect_bad(GgufWriter().info("t", {1}, 0, 0).info("t", {1}, 0, 0).bytes() + std::string(99, 'x'),
             "tensor 't', before byte 66: expected every tensor once");
  EXPECT_EQ(parse(one({32}, 2, 0)).tensors[0].type, "Q4_0");
  EXPECT_EQ(parse(one({5}, 99, 0)).tensors[0].type, "type 99");
}

TEST(Gguf, RefusesToLoadWhatItCannot) {
  const TemporaryFolder folder;
  const std::string path = folder / "t.gguf";
  GgufWriter writer;
  writer.f32_tensor("rope_freqs.weight", {1.0})
      .tensor("q", {32}, 2, std::string(18, 'x'))
      .tensor("new", {4}, 99, "abcd");
  write_file(path, writer.bytes());
  const Gguf file = open_gguf(path);
  expect_error(ErrorKind::bad_input,
               "there is no tensor 'rope_freq.weight' among its 3; did you mean 'rope_freqs.weight'?",
               [&] { file.load("rope_freq.weight"); });
  expect_error(ErrorKind::unsupported, "tensor 'q' is stored as Q4_0; posenc reads F32", [&] { file.load("q"); });
  expect_error(ErrorKind::unsupported, "tensor 'new' is stored as type 99", [&] { file.load("new"); });
  write_file(path, writer.bytes() + "more");
  expect_error(ErrorKind::bad_input, "the file has changed since its header was read",
               [&] { file.load("rope_freqs.weight"); });
  expect_error(ErrorKind::io, "cannot open", [&] { open_gguf(folder / "none.gguf"); });
  expect_error(ErrorKind::io, "Is a directory", [&] { open_gguf(folder.path()); });
}

TEST(Gguf, ReadsAPipe) {
  const TemporaryFolder folder;
  const std::string path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  GgufWriter writer = every_type(3, false);
  writer.f32_tensor("t", {1.0});
  std::thread other([&] { write_file(path, writer.bytes()); });
  const Gguf file = open_gguf(path);
  other.join();
  EXPECT_EQ(value<std::string>(file, "text"), "word");
  EXPECT_EQ(file.tensors.size(), 1u);
  expect_error(ErrorKind::bad_input, "it is a pipe or a device", [&] { file.load("t"); });
  expect_error(ErrorKind::bad_input, "cut off", [&] { open_gguf("/dev/null"); });
}

}  // namespace
}  // namespace posenc::gguf_test
