#include "posenc/files/safetensors.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>

#include "posenc/files/file.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace posenc::safetensors_test {
namespace {

using Shape = std::vector<std::int64_t>;
using Names = std::vector<std::string>;

// Builds a file from a header and data; `length` is the header size that it claims, -1 for the true one.
std::string file_of(const std::string& header, const std::string& data = "", std::int64_t length = -1) {
  const std::uint64_t said = length < 0 ? header.size() : static_cast<std::uint64_t>(length);
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(said >> (8 * i));
  return bytes + header + data;
}

// "name":{...}, with a shape and data_offsets.
std::string entry(const std::string& name, const std::string& dtype, const std::string& shape,
                  const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
}

// A file with one tensor `t` with these members and four bytes of data.
std::string one(const std::string& members) { return file_of("{\"t\":{" + members + "}}", "abcd"); }
std::string one(const std::string& dtype, const std::string& shape, const std::string& offsets = "[0,4]") {
  return file_of("{" + entry("t", dtype, shape, offsets) + "}", "abcd");
}

SafetensorsHeader parse(const std::string& bytes) {
  return parse_safetensors_header(bytes, static_cast<std::int64_t>(bytes.size()), "t.st");
}

void expect_bad(const std::string& bytes, const std::string& part) {
  SCOPED_TRACE(bytes.substr(0, 300));
  expect_error(ErrorKind::bad_input, "t.st: " + part, [&] { parse(bytes); });
}

Names names_of(const std::vector<TensorInfo>& tensors) {
  Names names;
  for (const TensorInfo& tensor : tensors) names.push_back(tensor.name);
  return names;
}

std::vector<double> numbers(const Array& array) {
  std::vector<double> result;
  for (std::int64_t i = 0; i < array.size(); ++i) result.push_back(array.number(i));
  return result;
}

// A file written by the original library.
std::string original(const std::string& name) { return POSENC_TESTS "/fuzz/corpus/safetensors/" + name; }

// All files called matrix_* hold 0 to 5 as [2, 3].
TEST(OpenSafetensors, ReadsWhatTheOriginalWrote) {
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(POSENC_TESTS "/fuzz/corpus/safetensors")) {
    if (!file.path().filename().string().starts_with("matrix_")) continue;
    SCOPED_TRACE(file.path());
    const Array array = open_safetensors(file.path().string()).load("matrix");
    EXPECT_EQ(array.shape, (Shape{2, 3}));
    EXPECT_EQ(numbers(array), (std::vector<double>{0, 1, 2, 3, 4, 5}));
    ++count;
  }
  EXPECT_EQ(count, 12);
  EXPECT_TRUE(open_safetensors(original("none.safetensors")).tensors().empty());
  EXPECT_EQ(open_safetensors(original("odd_name.safetensors")).tensors()[0].name,
            "\xC3\x9Cn\xC3\xAF"
            "code \"name\"\n:x");
}

TEST(OpenSafetensors, ReadsManyTensorsAndMetadata) {
  const Safetensors file = open_safetensors(original("mixed.safetensors"));
  EXPECT_EQ(file.metadata(), (Metadata{{"format", "np"}}));
  EXPECT_EQ(names_of(file.tensors()),
            (Names{"y.long", "z.double", "empty", "m.float", "scalar", "l.int", "b.alpha", "b.half", "a.byte"}));
  EXPECT_EQ(file.tensors()[3].begin, 24);
  EXPECT_EQ(file.tensors()[3].end, 32);
  EXPECT_EQ(file.tensors()[3].dtype, "F32");
  EXPECT_EQ(numbers(file.load("y.long")), (std::vector<double>{7, -7}));
  EXPECT_EQ(file.load("y.long").shape, (Shape{2, 1}));
  EXPECT_EQ(numbers(file.load("z.double")), std::vector<double>{0.1});
  EXPECT_EQ(file.load("empty").shape, (Shape{0, 4}));
  EXPECT_EQ(file.load("empty").dtype, DType::f32);
  EXPECT_EQ(file.load("scalar").shape, Shape{});
  EXPECT_EQ(numbers(file.load("scalar")), std::vector<double>{2.5});
  EXPECT_EQ(numbers(file.load("l.int")), (std::vector<double>{70000, -1}));
  EXPECT_EQ(numbers(file.load("b.half")), (std::vector<double>{0.5, -2}));
  EXPECT_EQ(file.load("b.half").dtype, DType::f16);
  EXPECT_EQ(numbers(file.load("a.byte")), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(file.load("a.byte").dtype, DType::u8);
}

TEST(ParseSafetensorsHeader, TakesTensorsInAnyOrderAndSpacing) {
  const SafetensorsHeader header =
      parse(file_of("{ " + entry("b", "U8", "[ 2 ]", "[3 , 5]") + ",\n" + entry("z", "U8", "[0]", "[3,3]") + ",\t" +
                        entry("a", "I8", "[3]", "[0,3]") + ", \"__metadata__\" : {\"k\":\"v\"} }   ",
                    "abcde"));
  EXPECT_EQ(names_of(header.tensors), (Names{"a", "z", "b"}));
  EXPECT_EQ(header.metadata, (Metadata{{"k", "v"}}));
  EXPECT_TRUE(parse(file_of("{}")).tensors.empty());
  EXPECT_TRUE(parse(file_of("{\"__metadata__\":{}}")).metadata.empty());
}

// Only the header must be complete; the data need not be there.
TEST(ParseSafetensorsHeader, NeedsTheHeaderOnly) {
  const std::string whole = one("U8", "[4]");
  const std::string start = whole.substr(0, whole.size() - 4);
  const SafetensorsHeader header = parse_safetensors_header(start, static_cast<std::int64_t>(whole.size()), "t.st");
  EXPECT_EQ(header.data_start, static_cast<std::int64_t>(start.size()));
  expect_error(ErrorKind::usage, "bytes must hold the header",
               [&] { parse_safetensors_header(start.substr(0, 20), static_cast<std::int64_t>(whole.size()), "t.st"); });
}

TEST(ParseSafetensorsHeader, KnowsTheSizeOfEveryType) {
  const std::vector<std::pair<std::string, int>> bits = {
      {"BOOL", 8},        {"F4", 4},          {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"U8", 8},   {"I8", 8},
      {"F8_E5M2", 8},     {"F8_E4M3", 8},     {"F8_E8M0", 8}, {"I16", 16},    {"U16", 16}, {"F16", 16},
      {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"BF16", 16},   {"I32", 32},    {"U32", 32}, {"F32", 32},
      {"C64", 64},        {"F64", 64},        {"I64", 64},    {"U64", 64}};
  for (const auto& [dtype, size] : bits) {
    const std::string data(static_cast<std::size_t>(size), 'x');  // eight elements
    const std::string offsets = "[0," + std::to_string(size) + "]";
    EXPECT_EQ(parse(file_of("{" + entry("t", dtype, "[2,4]", offsets) + "}", data)).tensors[0].dtype, dtype);
    const std::string seven = std::to_string(7 * size / 8);
    expect_bad(file_of("{" + entry("t", dtype, "[7]", offsets) + "}", data),
               size < 8 ? "tensor 't': expected elements that fill whole bytes but got shape [7] of " + dtype
                        : "tensor 't': expected " + seven + " bytes of data for shape [7] of " + dtype +
                              " but its data_offsets " + "[0, " + std::to_string(size) + "] span ");
  }
  EXPECT_EQ(bits.size(), 22u);
}

TEST(ParseSafetensorsHeader, RefusesBrokenStarts) {
  expect_bad("", "expected a safetensors file, which begins with the 8 bytes of its header's length, but it has 0");
  expect_bad("1234567", "expected a safetensors file, which begins with the 8 bytes");
  expect_bad(file_of("", "", 100'000'001),
             "expected a safetensors header of at most 100000000 bytes but its length is 100000001");
  expect_bad(std::string(8, '\xFF'),
             "expected a safetensors header of at most 100000000 bytes but its length is 184467440737");
  expect_bad(file_of("{}", "", 100'000'000),
             "expected a safetensors header of 100000000 bytes but the file ends after 2 of them");
  expect_bad(file_of("{}", "", 3), "expected a safetensors header of 3 bytes but the file ends after 2 of them");
  expect_bad(file_of(""), "expected a safetensors header that begins with '{' but it is empty");
  expect_bad(file_of(" {}"), "expected a safetensors header that begins with '{' but got byte value 32");
  expect_bad(file_of("[]"), "expected a safetensors header that begins with '{' but got '['");
  for (const char after : {'\n', '\t', '\r', '\0'}) {
    expect_bad(file_of(std::string("{} ") + after),
               "header: expected '}' and nothing but spaces after it but got byte value ");
  }
  expect_bad(file_of("{} x"), "header: expected '}' and nothing but spaces after it but got 'x'");
  expect_bad(file_of("{}{}"), "header: byte 3, line 1");
  expect_bad(file_of("{\"a\"}"), "header: byte 5, line 1");
  expect_bad(file_of("{\"\xFF\":1}"), "header: byte 3, line 1");
}

TEST(ParseSafetensorsHeader, RefusesANameTwice) {
  const std::string tensor = entry("wpe", "U8", "[0]", "[0,0]");
  expect_bad(file_of("{" + tensor + "," + tensor + "}"), "header: wpe: expected a key once but it occurs twice");
  expect_bad(file_of("{\"__metadata__\":{},\"__metadata__\":{}}"), "header: __metadata__: expected a key once");
  expect_bad(file_of("{\"__metadata__\":{\"k\":\"1\",\"k\":\"2\"}}"), "header: __metadata__.k: expected a key once");
  expect_bad(one("\"dtype\":\"U8\",\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]"),
             "header: t.dtype: expected a key once");
}

TEST(ParseSafetensorsHeader, RefusesOtherMetadata) {
  expect_bad(file_of("{\"__metadata__\":1}"), "__metadata__: expected an object but got 1");
  expect_bad(file_of("{\"__metadata__\":null}"), "__metadata__: expected an object but got null");
  expect_bad(file_of("{\"__metadata__\":{\"k\":1}}"), "__metadata__: 'k': expected a string but got 1");
  expect_bad(file_of("{\"__metadata__\":{\"k\":{}}}"), "__metadata__: 'k': expected a string but got an object");
}

TEST(ParseSafetensorsHeader, RefusesOtherKeys) {
  expect_bad(file_of("{\"t\":1}"), "tensor 't': expected an object but got 1");
  const std::string rest = "\"dtype\":\"U8\",\"shape\":[4]";
  expect_bad(one(rest), "tensor 't': expected the key data_offsets but it is missing");
  expect_bad(one("\"dtype\":\"U8\",\"data_offsets\":[0,4]"), "tensor 't': expected the key shape but it is missing");
  expect_bad(one("\"shape\":[4],\"data_offsets\":[0,4]"), "tensor 't': expected the key dtype but it is missing");
  expect_bad(one(rest + ",\"data_offset\":[0,4]"),
             "tensor 't': expected the keys dtype, shape and data_offsets but got 'data_offset'; did you mean "
             "'data_offsets'?");
  expect_bad(one(rest + ",\"data_offsets\":[0,4],\"strides\":[1]"),
             "tensor 't': expected the keys dtype, shape and data_offsets but got 'strides'");
}

TEST(ParseSafetensorsHeader, RefusesOtherTypes) {
  expect_bad(one("F33", "[1]"), "tensor 't': dtype: expected one of BOOL F4 F6_E2M3 F6_E3M2 U8");
  expect_bad(one("F33", "[1]"),
             "tensor 't': dtype: expected one of BOOL F4 F6_E2M3 F6_E3M2 U8 I8 F8_E5M2 F8_E4M3 "
             "F8_E8M0 F8_E4M3FNUZ F8_E5M2FNUZ I16 U16 F16 BF16 I32 U32 F32 C64 F64 I64 U64 but got "
             "'F33'");
  expect_bad(one("f32", "[1]"), "tensor 't': dtype: expected one of");
  expect_bad(one("\"dtype\":4,\"shape\":[4],\"data_offsets\":[0,4]"), "tensor 't': dtype: expected a string but got 4");
}

TEST(ParseSafetensorsHeader, RefusesBrokenShapes) {
  expect_bad(one("U8", "4"), "tensor 't': shape: expected an array but got 4");
  for (const char* length : {"-1", "4.0", "4e0", "\"4\"", "null", "true", "9223372036854775808", "[4]"}) {
    expect_bad(one("U8", std::string("[") + length + "]"),
               "tensor 't': shape: expected an integer from 0 to 2^63 - 1 but got ");
  }
  expect_bad(one("U8", "[-1]"), "tensor 't': shape: expected an integer from 0 to 2^63 - 1 but got -1");
  for (const char* shape : {"[4294967296,4294967296]", "[2305843009213693952]", "[0,4294967296,4294967296]"}) {
    expect_bad(one("F32", shape), "tensor 't': expected less than 2^63 bytes of data but got shape [");
  }
  // 2^63 bits, 2^62 bytes.
  expect_bad(one("F4", "[9223372036854775800]"), "tensor 't': expected 4611686018427387900 bytes of data for shape");
  expect_bad(one("F64", "[1152921504606846975]"), "tensor 't': expected 9223372036854775800 bytes of data for shape");
  // A wrapped product would be 4.
  expect_bad(one("U8", "[4611686018427387905,4]"), "tensor 't': expected less than 2^63 bytes of data");
}

TEST(ParseSafetensorsHeader, RefusesBrokenOffsets) {
  expect_bad(one("U8", "[4]", "4"), "tensor 't': data_offsets: expected an array but got 4");
  expect_bad(one("U8", "[4]", "[0]"), "tensor 't': data_offsets: expected [begin, end] but got 1 numbers");
  expect_bad(one("U8", "[4]", "[0,4,4]"), "tensor 't': data_offsets: expected [begin, end] but got 3 numbers");
  expect_bad(one("U8", "[4]", "[-4,0]"), "tensor 't': data_offsets: expected an integer from 0 to 2^63 - 1 but got -4");
  expect_bad(one("U8", "[4]", "[0,4.5]"),
             "tensor 't': data_offsets: expected an integer from 0 to 2^63 - 1 but got 4.5");
  expect_bad(one("U8", "[4]", "[4,0]"),
             "tensor 't': data_offsets: expected an end at or after the begin but got [4, 0]");
  expect_bad(one("U8", "[3]"),
             "tensor 't': expected 3 bytes of data for shape [3] of U8 but its data_offsets [0, 4] "
             "span 4");
  expect_bad(one("F32", "[]", "[0,3]"), "tensor 't': expected 4 bytes of data for shape [] of F32");
}

TEST(ParseSafetensorsHeader, RefusesOverlapsHolesAndWhatIsLeftOver) {
  const auto two = [](const std::string& a, const std::string& b, const std::string& data) {
    return file_of("{" + entry("a", "U8", "[4]", a) + "," + entry("b", "U8", "[2]", b) + "}", data);
  };
  EXPECT_EQ(names_of(parse(two("[0,4]", "[4,6]", "abcdef")).tensors), (Names{"a", "b"}));
  EXPECT_EQ(names_of(parse(two("[2,6]", "[0,2]", "abcdef")).tensors), (Names{"b", "a"}));
  expect_bad(two("[0,4]", "[3,5]", "abcde"),
             "tensor 'b': expected its data to begin at byte 4, the end of tensor 'a', but it begins at byte 3: they "
             "overlap");
  expect_bad(two("[0,4]", "[0,2]", "abcd"),
             "tensor 'a': expected its data to begin at byte 2, the end of tensor 'b', ");
  expect_bad(two("[0,4]", "[5,7]", "abcdefg"),
             "tensor 'b': expected its data to begin at byte 4, the end of tensor 'a', "
             "but it begins at byte 5: a gap");
  expect_bad(two("[1,5]", "[5,7]", "abcdefg"),
             "tensor 'a': expected its data to begin at byte 0, the start, but it begins at byte 1: a gap");
  expect_bad(two("[0,4]", "[4,6]", "abcde"),
             "expected 6 bytes of data, the total of all tensors, but the file has 5: it is cut off");
  expect_bad(two("[0,4]", "[4,6]", "abcdefg"),
             "expected 6 bytes of data, the total of all tensors, but the file has 7");
  expect_bad(file_of("{}", "x"), "expected 0 bytes of data, the total of all tensors, but the file has 1");
  // An empty tensor must also be between two others.
  expect_bad(file_of("{" + entry("a", "U8", "[4]", "[0,4]") + "," + entry("e", "U8", "[0]", "[2,2]") + "}", "abcd"),
             "tensor 'e': expected its data to begin at byte 4");
}

TEST(ParseSafetensorsHeader, RefusesEveryTruncation) {
  const std::string whole = read_file(original("mixed.safetensors"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(parse(whole.substr(0, size)), Error) << size;
  }
}

TEST(ParseSafetensorsHeader, MakesNamesPrintable) {
  expect_bad(file_of("{\"a\\u001b[2J\\u0000b\":1}"), "tensor 'a?[2J?b': expected an object");
  expect_bad(file_of("{\"" + std::string(500, 'n') + "\":1}"), "tensor '" + std::string(160, 'n') + "...': expected");
}

// Writes the bytes to a file and opens it.
Safetensors opened(const TemporaryFolder& folder, const std::string& bytes) {
  write_file(folder / "t.safetensors", bytes);
  return open_safetensors(folder / "t.safetensors");
}

TEST(LoadSafetensors, WidensWithoutLosingAnything) {
  TemporaryFolder folder;
  const auto load = [&](const std::string& dtype, const std::string& data) {
    const std::string offsets = "[0," + std::to_string(data.size()) + "]";
    return opened(folder, file_of("{" + entry("t", dtype, "[1]", offsets) + "}", data)).load("t");
  };
  const auto expect = [&](const std::string& dtype, const std::string& data, DType wide, double number) {
    const Array array = load(dtype, data);
    EXPECT_EQ(array.dtype, wide) << dtype;
    EXPECT_EQ(array.number(0), number) << dtype;
    EXPECT_EQ(array.data.size(), static_cast<std::size_t>(size_of(wide))) << dtype;
  };
  expect("BOOL", std::string(1, '\0'), DType::u8, 0);
  expect("BOOL", "\x02", DType::u8, 1);
  expect("U8", "\xFF", DType::u8, 255);
  expect("I8", "\xFF", DType::i32, -1);
  expect("I16", "\xFE\xFF", DType::i32, -2);
  expect("U16", "\xFE\xFF", DType::i32, 65534);
  expect("F16", std::string("\x00\xC0", 2), DType::f16, -2);
  expect("BF16", "\x40\xC0", DType::bf16, -3);
  expect("I32", "\xFD\xFF\xFF\xFF", DType::i32, -3);
  expect("U32", "\xFD\xFF\xFF\xFF", DType::i64, 4294967293.0);
  expect("F32", std::string("\x00\x00\x80\x3F", 4), DType::f32, 1);
  expect("I64", "\xFC" + std::string(7, '\xFF'), DType::i64, -4);
  expect("U64", std::string(7, '\xFF') + "\x7F", DType::i64, 9223372036854775807.0);
  expect_error(ErrorKind::bad_input,
               "t.safetensors: tensor 't': expected numbers below 2^63 but got 9223372036854775808",
               [&] { load("U64", std::string(7, '\0') + "\x80"); });
  for (const char* dtype : {"F8_E5M2", "F8_E4M3", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ"}) {
    expect_error(ErrorKind::unsupported,
                 std::string("t.safetensors: tensor 't' is stored as ") + dtype +
                     "; posenc reads BOOL U8 I8 I16 U16 F16 BF16 I32",
                 [&] { load(dtype, "a"); });
  }
  expect_error(ErrorKind::unsupported, "is stored as C64", [&] { load("C64", "01234567"); });
  expect_error(ErrorKind::unsupported, "is stored as F4",
               [] { open_safetensors(original("float4_e2m1fn_x2.safetensors")).load("t"); });
}

TEST(LoadSafetensors, NamesTheNearestAndTenOfTheRest) {
  const Safetensors mixed = open_safetensors(original("mixed.safetensors"));
  expect_error(
      ErrorKind::bad_input,
      "mixed.safetensors: there is no tensor 'b.haf' among 'y.long', 'z.double', 'empty', 'm.float', 'scalar', "
      "'l.int', 'b.alpha', 'b.half', 'a.byte'; did you mean 'b.half'?",
      [&] { mixed.load("b.haf"); });
  expect_error(ErrorKind::bad_input, "there is no tensor '__metadata__' among", [&] { mixed.load("__metadata__"); });
  expect_error(ErrorKind::bad_input, "there is no tensor 'a' because the file has none",
               [] { open_safetensors(original("none.safetensors")).load("a"); });
  TemporaryFolder folder;
  std::string header = "{";
  for (char name = 'a'; name < 'm'; ++name) header += entry(std::string(1, name), "U8", "[0]", "[0,0]") + ",";
  header.back() = '}';
  expect_error(ErrorKind::bad_input, "among 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j' and 2 more",
               [&] { opened(folder, file_of(header)).load("no such"); });
}

TEST(LoadSafetensors, ReadsTheHeaderAndTheTensorOnly) {
  TemporaryFolder folder;
  const std::int64_t large = std::int64_t{1} << 40;
  const std::string path = folder / "large.safetensors";
  const std::string ends = "[" + std::to_string(large) + "," + std::to_string(large + 2) + "]";
  write_file(path, file_of("{" + entry("large", "U8", "[1099511627776]", "[0,1099511627776]") + "," +
                           entry("small", "U8", "[2]", ends) + "}"));
  const auto header = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, header + static_cast<std::uint64_t>(large) + 2);  // a hole takes no disk
  EXPECT_EQ(numbers(open_safetensors(path).load("small")), (std::vector<double>{0, 0}));
}

TEST(LoadSafetensors, RefusesAFileThatChanged) {
  TemporaryFolder folder;
  const std::string path = folder / "t.safetensors";
  const Safetensors file = opened(folder, one("U8", "[4]"));
  EXPECT_EQ(numbers(file.load("t")), (std::vector<double>{'a', 'b', 'c', 'd'}));
  const auto refused = [&] {
    expect_error(ErrorKind::bad_input, "t.safetensors: the file has changed since its header was read",
                 [&] { file.load("t"); });
  };
  write_file(path, one("I8", "[4]"));
  refused();
  write_file(path, "");
  refused();
  std::filesystem::remove(path);
  expect_error(ErrorKind::io, "t.safetensors: No such file or directory", [&] { file.load("t"); });
}

TEST(OpenSafetensors, RefusesWhatHasNoPieces) {
  TemporaryFolder folder;
  expect_error(ErrorKind::io, "none: No such file or directory", [&] { open_safetensors(folder / "none"); });
  expect_error(ErrorKind::io, folder.path() + ": Is a directory", [&] { open_safetensors(folder.path()); });
  expect_error(ErrorKind::bad_input, "/dev/zero: expected a regular file", [] { open_safetensors("/dev/zero"); });
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  expect_error(ErrorKind::bad_input, "pipe: expected a regular file, which can be read in pieces, but it is a pipe",
               [&] { open_safetensors(folder / "pipe"); });
  write_file(folder / "cut", file_of("{}").substr(0, 9));
  expect_error(ErrorKind::bad_input, "cut: expected a safetensors header of 2 bytes but the file ends after 1 of them",
               [&] { open_safetensors(folder / "cut"); });
  expect_error(ErrorKind::bad_input, "/proc/self/status: expected a safetensors file",
               [] { open_safetensors("/proc/self/status"); });
}

}  // namespace
}  // namespace posenc::safetensors_test
