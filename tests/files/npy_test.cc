#include "posenc/files/npy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <limits>
#include <span>

#include "posenc/files/file.h"
#include "posenc/half.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace posenc::npy_test {
namespace {

using Shape = std::vector<std::int64_t>;

// Builds a file of that version from a header and data.
std::string file_of(const std::string& dictionary, const std::string& data, int version = 1) {
  std::string bytes = std::string("\x93NUMPY") + static_cast<char>(version) + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) bytes += static_cast<char>(dictionary.size() >> (8 * i));
  return bytes + dictionary + data;
}

std::string dictionary(const std::string& descr, const std::string& shape, const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

std::vector<double> numbers(const Array& array) {
  std::vector<double> result;
  for (std::int64_t i = 0; i < array.size(); ++i) result.push_back(array.number(i));
  return result;
}

Array parse(const std::string& bytes) { return parse_npy(bytes, "t.npy"); }

void expect_bad(const std::string& bytes, const std::string& part, ErrorKind kind = ErrorKind::bad_input) {
  SCOPED_TRACE(bytes.substr(0, 200));
  expect_error(kind, "t.npy: " + part, [&] { parse(bytes); });
}

// The corpus holds files written by NumPy itself; those called matrix_* all hold 0 to 5 as [2, 3].
TEST(ParseNpy, ReadsWhatNumPyWrote) {
  const std::string folder = POSENC_TESTS "/fuzz/corpus/npy";
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.path().filename().string().starts_with("matrix_")) continue;
    SCOPED_TRACE(entry.path());
    const Array array = load_npy(entry.path().string());
    EXPECT_EQ(array.shape, (Shape{2, 3}));
    EXPECT_EQ(numbers(array), (std::vector<double>{0, 1, 2, 3, 4, 5}));
    ++count;
  }
  EXPECT_EQ(count, 19);
  EXPECT_EQ(numbers(load_npy(folder + "/bool.npy")), (std::vector<double>{1, 0, 1}));
  EXPECT_EQ(numbers(load_npy(folder + "/negative_i2.npy")), (std::vector<double>{-1, -32768}));
  EXPECT_EQ(load_npy(folder + "/empty.npy").shape, (Shape{0, 4}));
  EXPECT_TRUE(load_npy(folder + "/empty.npy").data.empty());
  const Array scalar = load_npy(folder + "/scalar.npy");
  EXPECT_EQ(scalar.shape, Shape{});
  EXPECT_EQ(numbers(scalar), std::vector<double>{2.5});
}

TEST(ParseNpy, TurnsFortranOrderOfAnyRankIntoC) {
  const Array array = load_npy(POSENC_TESTS "/fuzz/corpus/npy/rank5.npy");
  EXPECT_EQ(array.shape, (Shape{2, 3, 1, 4, 2}));
  ASSERT_EQ(array.size(), 48);
  for (std::int64_t i = 0; i < 48; ++i) EXPECT_EQ(array.number(i), static_cast<double>(i));
}

TEST(ParseNpy, WidensWithoutLosingAnything) {
  const auto dtype = [](const std::string& descr, const std::string& data) {
    return parse(file_of(dictionary(descr, "(1,)"), data));
  };
  EXPECT_EQ(dtype("|i1", "\xFF").dtype, DType::i32);
  EXPECT_EQ(dtype("|i1", "\xFF").number(0), -1);
  EXPECT_EQ(dtype("|u1", "\xFF").number(0), 255);
  EXPECT_EQ(dtype(">u2", "\xFF\xFE").number(0), 65534);
  EXPECT_EQ(dtype("<u4", "\xFF\xFF\xFF\xFF").dtype, DType::i64);
  EXPECT_EQ(dtype("<u4", "\xFF\xFF\xFF\xFF").number(0), 4294967295.0);
  EXPECT_EQ(dtype("<i4", "\xFE\xFF\xFF\xFF").number(0), -2);
  EXPECT_EQ(dtype(">i8", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFD").number(0), -3);
  EXPECT_EQ(dtype("|b1", "\x02").number(0), 1);
  EXPECT_EQ(dtype("<f2", std::string("\x00\xC0", 2)).dtype, DType::f16);
  EXPECT_EQ(dtype("<f2", std::string("\x00\xC0", 2)).number(0), -2);
  EXPECT_EQ(dtype("=f4", std::string("\x00\x00\x80\x3F", 4)).number(0), 1) << "= is the machine's own order";
  EXPECT_EQ(dtype("f4", std::string("\x00\x00\x80\x3F", 4)).number(0), 1);
  EXPECT_EQ(dtype("<u8", std::string(7, '\xFF') + "\x7F").number(0), 9223372036854775807.0);
  expect_bad(file_of(dictionary("<u8", "(1,)"), std::string(7, '\0') + "\x80"),
             "expected numbers below 2^63 but got 9223372036854775808");
}

TEST(ParseNpy, TakesTheHeaderInAnyOrderAndSpacing) {
  EXPECT_EQ(parse(file_of("{\"shape\":(2,),\"descr\":\"|u1\",'fortran_order':True}", "ab")).shape, Shape{2});
  EXPECT_EQ(parse(file_of("{ 'shape' : ( 2 , 1 , ) , 'fortran_order' : False , 'descr' : '|u1' , }  \n ", "ab")).shape,
            (Shape{2, 1}));
  EXPECT_EQ(parse(file_of(dictionary("|u1", "()"), "a")).shape, Shape{});
  EXPECT_EQ(parse(file_of(dictionary("|u1", "(2,)"), "ab", 2)).shape, Shape{2});
  EXPECT_EQ(parse(file_of(dictionary("|u1", "(2,)"), "ab", 3)).shape, Shape{2});
}

TEST(ParseNpy, ReadsLengthsAsPython2WroteThem) {
  EXPECT_EQ(parse(file_of(dictionary("|u1", "(2L, 1L)"), "ab")).shape, (Shape{2, 1}));
}

// A file that is not an array, or never ends, is refused after its first bytes.
TEST(LoadNpy, DoesNotReadAllOfWhatIsNoArray) {
  expect_error(ErrorKind::bad_input, "/dev/zero: expected an .npy file", [] { load_npy("/dev/zero"); });
  const std::string path = POSENC_TESTS "/fuzz/corpus/npy/rank5.npy";
  expect_error(ErrorKind::bad_input, "rank5.npy: expected at most 100 bytes", [&] { load_npy(path, 100); });
}

TEST(ParseNpy, RefusesBrokenHeaders) {
  const std::string rest = ", 'fortran_order': False, 'shape': (1,)}";
  expect_bad(file_of("", ""), "header, character 0: expected '{' but got the end");
  expect_bad(file_of("{", ""), "header, character 1: expected a key but got the end");
  expect_bad(file_of("{'descr': '|u1", ""), "header, character 14: expected a closing quote");
  expect_bad(file_of("{'descr': '|u1'" + rest + "x", "a"), "header, character 55: expected the end of the header");
  expect_bad(file_of("{'descr' '|u1'" + rest, "a"), "header, character 9: expected ':' but got '''");
  expect_bad(file_of("{'descr': '|u1'" + rest.substr(2), "a"), "header, character 15: expected '}' but got '''");
  expect_bad(file_of("{'descr': '|u1', 'descr': '|u1'" + rest, "a"), "header: expected the keys");
  expect_bad(file_of("{'descr': '|u1', 'other': 1" + rest, "a"), "header: expected the keys");
  expect_bad(file_of("{'descr': '|u1', 'shape': (1,)}", "a"),
             "header: expected the key fortran_order but it is missing");
  expect_bad(file_of("{'descr': '|u1', 'fortran_order': False}", "a"), "header: expected the key shape");
  expect_bad(file_of("{'shape': (1,), 'fortran_order': False}", "a"), "header: expected the key descr");
  expect_bad(file_of(dictionary("|u1", "(1,)", "1"), "a"), "header, character 34: expected True or False but got '1'");
  expect_bad(file_of(dictionary("|u1", "(1,)", "false"), "a"), "header, character 34: expected True or False");
  for (const char* shape : {"(1)", "1", "[1]", "(1 2)", "(,)", "(1,,)", "(-1,)", "(1.0,)", "(1LL,)", "(0x1,)"}) {
    expect_bad(file_of(dictionary("|u1", shape), "a"), "header, character ");
  }
  expect_bad(file_of(dictionary("|u1", "(9223372036854775808,)"), "a"),
             "header, character 69: expected a length below 2^63");
  std::string axes;
  for (int i = 0; i < 32; ++i) axes += "1, ";
  EXPECT_EQ(parse(file_of(dictionary("|u1", "(" + axes + ")"), "a")).shape.size(), 32u);
  expect_bad(file_of(dictionary("|u1", "(" + axes + "1)"), "a"), "header, character 147: expected at most 32 axes");
}

TEST(ParseNpy, RefusesBrokenStarts) {
  expect_bad("", "expected an .npy file but it does not start with");
  expect_bad("PK\x03\x04", "expected an .npy file");
  expect_bad("\x93NUMPY", "expected a version but the file ends after 6 bytes");
  expect_bad(std::string("\x93NUMPY\x04\x00\x00\x00", 10),
             "expected version 1.0, 2.0 or 3.0 of the format but got 4.0");
  expect_bad(std::string("\x93NUMPY\x01\x01\x00\x00", 10),
             "expected version 1.0, 2.0 or 3.0 of the format but got 1.1");
  expect_bad(std::string("\x93NUMPY\x02\x00\x00\x00", 10), "expected the header's length but the file ends after 10");
  expect_bad(std::string("\x93NUMPY\x02\x00\x01\x00\x10\x00", 12),
             "expected a header of at most 1048576 bytes but its length is 1048577");
  expect_bad(std::string("\x93NUMPY\x01\x00\x0A\x00{}", 12), "expected a header of 10 bytes but the file ends after 2");
}

TEST(ParseNpy, RefusesEveryTruncation) {
  const std::string whole = read_file(POSENC_TESTS "/fuzz/corpus/npy/matrix_le_f4.npy");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(parse(whole.substr(0, size)), Error) << size;
  }
  expect_bad(whole + "x", "expected 24 bytes of data for shape [2, 3] of '<f4' but got 25");
  expect_bad(whole.substr(0, whole.size() - 1), "expected 24 bytes of data for shape [2, 3] of '<f4' but got 23");
}

TEST(ParseNpy, RefusesShapesThatOverflow) {
  expect_bad(file_of(dictionary("<f8", "(4294967296, 4294967296)"), ""),
             "expected less than 2^63 bytes of data but got");
  expect_bad(file_of(dictionary("<f8", "(2305843009213693952,)"), ""), "expected less than 2^63 bytes");
  expect_bad(file_of(dictionary("<f8", "(0, 4294967296, 4294967296)"), ""), "expected less than 2^63 bytes");
  expect_bad(file_of(dictionary("<f8", "(1152921504606846975,)"), ""), "expected 9223372036854775800 bytes of data");
}

TEST(ParseNpy, KeepsTheNameOfATypeThatIsConverted) {
  const auto text = [](const std::string& descr, const std::string& data) {
    return parse_npy(file_of(dictionary(descr, "(2,)"), data), "t.npy").text();
  };
  EXPECT_EQ(text("|b1", "ab"), "[2] bool");
  EXPECT_EQ(text("|i1", "ab"), "[2] i8");
  EXPECT_EQ(text("<u2", "abcd"), "[2] u16");
  EXPECT_EQ(text("<i4", "abcdefgh"), "[2] i32");
  EXPECT_EQ(text("<f2", "abcd"), "[2] f16");
}

TEST(ParseNpy, RefusesTypesItDoesNotKnow) {
  const auto refuse = [](const std::string& descr, const std::string& part) {
    expect_bad(file_of(dictionary(descr, "(1,)"), "01234567"), "descr '" + descr + "': " + part,
               ErrorKind::unsupported);
  };
  refuse("|O", "pickled objects are not supported");
  refuse("O", "pickled objects are not supported");
  refuse("<c8", "complex numbers are not supported");
  for (const char* descr : {"<U2", "|S2", "|V2", "<f16", "<f3", "<M8[ns]", "", "<", "i", "<i44"}) {
    refuse(descr, "expected one of f2 f4 f8");
  }
  expect_bad(file_of(dictionary("|f4", "(1,)"), "0123"), "descr '|f4': expected a byte order");
  expect_bad(file_of("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "0123"),
             "descr: structured types are not supported", ErrorKind::unsupported);
}

TEST(Array, GivesAViewOfUpToFourAxes) {
  const Array array = parse(file_of(dictionary("|u1", "(2, 3)"), "abcdef"));
  const ConstView view = array.view();
  EXPECT_EQ(view.rank, 2);
  EXPECT_EQ(view.strides[0], 3);
  EXPECT_EQ(view.as<std::int32_t>()[4], 'e');
  expect_error(ErrorKind::unsupported, "at most 4 axes but got 5",
               [] { load_npy(POSENC_TESTS "/fuzz/corpus/npy/rank5.npy").view(); });
}

TEST(NpyHeader, IsWhatNumPyWrites) {
  const std::string header = npy_header(DType::f32, {2, 3});
  EXPECT_EQ(header.size(), 128u);
  EXPECT_EQ(header, read_file(POSENC_TESTS "/fuzz/corpus/npy/matrix_le_f4.npy").substr(0, 128));
  EXPECT_EQ(npy_header(DType::f64, {}), read_file(POSENC_TESTS "/fuzz/corpus/npy/scalar.npy").substr(0, 128));
  EXPECT_NE(npy_header(DType::i64, {7}).find("'<i8', 'fortran_order': False, 'shape': (7,), }"), std::string::npos);
  for (std::int64_t length = 1; length > 0 && length < INT64_MAX / 80; length *= 10) {
    const std::string sized = npy_header(DType::f16, {length, 1, 1, 1});
    EXPECT_EQ(sized.size() % 64, 0u) << length;
    EXPECT_EQ(sized.back(), '\n');
  }
}

TEST(NpyHeader, RefusesWhatTheFormatCannotSay) {
  expect_error(ErrorKind::unsupported, "safetensors", [] { npy_header(DType::bf16, {1}); });
  expect_error(ErrorKind::usage, "must not be negative but got (2, -1)", [] { npy_header(DType::f32, {2, -1}); });
  expect_error(ErrorKind::usage, "less than 2^63 bytes", [] { npy_header(DType::f32, {INT64_MAX}); });
  expect_error(ErrorKind::usage, "at most 32 axes but got 33", [] { npy_header(DType::f32, Shape(33, 1)); });
}

// Writes the view with save_npy and reads it back.
Array saved(const ConstView& view) {
  TemporaryFolder folder;
  save_npy(folder / "a.npy", view);
  return load_npy(folder / "a.npy");
}

TEST(SaveNpy, KeepsEveryDtype) {
  const float f32[] = {1.5f, -0.0f};
  const double f64[] = {0.1, std::numeric_limits<double>::infinity()};
  const f16 half[] = {to_f16(0.5), to_f16(-3)};
  const std::int32_t i32[] = {-1, 70000};
  const std::int64_t i64[] = {INT64_MIN, 1};
  const auto check = [](const auto& values) {
    const Array array = saved(make_view(&values[0], {2}));
    EXPECT_EQ(array.shape, Shape{2});
    EXPECT_EQ(array.dtype, dtype_of<std::remove_reference_t<decltype(values[0])>>());
    ASSERT_EQ(array.data.size(), sizeof(values));
    EXPECT_EQ(std::memcmp(array.data.data(), &values[0], sizeof(values)), 0);
  };
  check(f32);
  check(f64);
  check(half);
  check(i32);
  check(i64);
}

TEST(SaveNpy, FollowsStrides) {
  std::vector<std::int32_t> memory(2 * 3 * 4 * 5);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::int32_t>(i);
  const View whole = make_view(memory.data(), {2, 3, 4, 5});
  EXPECT_EQ(saved(whole).number(119), 119);

  const Array swapped = saved(whole.swap(1, 3));
  EXPECT_EQ(swapped.shape, (Shape{2, 5, 4, 3}));
  EXPECT_EQ(swapped.number(1), 20) << "[0, 0, 0, 1] is [0, 1, 0, 0] in memory";
  EXPECT_EQ(swapped.number(3 * 4 * 5 + 3 * 4 * 2 + 3 * 3 + 2), 60 + 2 * 20 + 3 * 5 + 2);

  const ConstView backwards{memory.data() + 4, DType::i32, 1, {5}, {-1}};
  EXPECT_EQ(numbers(saved(backwards)), (std::vector<double>{4, 3, 2, 1, 0}));
  const ConstView one{memory.data() + 7, DType::i32, 0, {}, {}};
  EXPECT_EQ(numbers(saved(one)), std::vector<double>{7});
  const ConstView repeated{memory.data() + 9, DType::i32, 2, {2, 2}, {0, 0}};
  EXPECT_EQ(numbers(saved(repeated)), (std::vector<double>{9, 9, 9, 9}));
}

TEST(SaveNpy, WritesMoreThanABufferful) {
  std::vector<double> memory(2 * 300000);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<double>(i);
  const Array rows = saved(make_view(memory.data(), {2, 300000}));
  const Array columns = saved(make_view(memory.data(), {2, 300000}).swap(0, 1));
  ASSERT_EQ(rows.size(), 600000);
  for (std::int64_t i = 0; i < 300000; ++i) {
    ASSERT_EQ(rows.number(i), static_cast<double>(i));
    ASSERT_EQ(columns.number(2 * i + 1), static_cast<double>(300000 + i));
  }
}

TEST(SaveNpy, WritesEmptyViews) {
  const Array array = saved(ConstView{nullptr, DType::f32, 2, {0, 5}, {5, 1}});
  EXPECT_EQ(array.shape, (Shape{0, 5}));
}

TEST(SaveNpy, RefusesBeforeItTouchesTheFile) {
  TemporaryFolder folder;
  const bf16 value{0};
  expect_error(ErrorKind::unsupported, "safetensors", [&] { save_npy(folder / "a.npy", make_view(&value, {1})); });
  expect_error(ErrorKind::usage, "must not be null", [&] {
    save_npy(folder / "a.npy", ConstView{nullptr, DType::f32, 1, {1}, {1}});
  });
  expect_error(ErrorKind::usage, "rank must be 0 to 4 but got 5", [&] {
    save_npy(folder / "a.npy", ConstView{nullptr, DType::f32, 5, {}, {}});
  });
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace posenc::npy_test
