#include "posenc/files/load.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <limits>
#include <thread>

#include "posenc/files/file.h"
#include "posenc/files/npy.h"
#include "posenc/files/safetensors.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace posenc::load_test {
namespace {

std::string list_file(const TemporaryFolder& folder, const ConstView& view) {
  save_npy(folder / "list.npy", view);
  return "@" + (folder / "list.npy");
}

TEST(LoadSpec, TakesAKindWithFields) {
  EXPECT_EQ(to_text(load_spec("sinusoidal:width=4,base=100")), "sinusoidal:width=4,base=100");
  expect_error(ErrorKind::bad_input, "did you mean 'width'?", [] { load_spec("sinusoidal:widht=4"); });
}

TEST(LoadSpec, ReadsListsFromFiles) {
  TemporaryFolder folder;
  const double numbers[] = {1.0, 0.25};
  const std::string file = list_file(folder, make_view(numbers, {2}));
  EXPECT_EQ(to_text(load_spec("sinusoidal:width=4,inv_freq=" + file)), "sinusoidal:width=4,inv_freq=1/0.25");
  list_file(folder, make_view(numbers, {1, 2}));
  expect_error(ErrorKind::bad_input, "list.npy: expected a list of numbers, one axis, but got shape [1, 2]",
               [&] { load_spec("sinusoidal:width=4,inv_freq=" + file); });
  expect_error(ErrorKind::io, "none.npy: No such file", [] { load_spec("sinusoidal:width=4,inv_freq=@none.npy"); });
}

TEST(LoadSpec, TakesAFile) {
  TemporaryFolder folder;
  const std::string path = folder / "spec.json";
  write_file(path, R"({"schema": "posenc/1", "kind": "sinusoidal", "width": 6})");
  EXPECT_EQ(to_text(load_spec(path)), "sinusoidal:width=6");
  write_file(path, R"({"kind": "sinusoidal", "width": -6})");
  expect_error(ErrorKind::bad_input, "spec.json: sinusoidal] width", [&] { load_spec(path); });
  write_file(path, R"({"kind": )");
  expect_error(ErrorKind::bad_input, "spec.json: byte 10, line 1", [&] { load_spec(path); });
  expect_error(ErrorKind::io, ": Is a directory", [&] { load_spec(folder.path()); });
}

TEST(LoadSpec, PrefersAKindToAFileOfThatName) {
  TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  write_file("sinusoidal", R"({"kind": "sinusoidal", "width": 6})");
  expect_error(ErrorKind::bad_input, "width must be given", [] { load_spec("sinusoidal"); });
  EXPECT_EQ(to_text(load_spec("./sinusoidal")), "sinusoidal:width=6");
  std::filesystem::current_path(before);
}

TEST(LoadSpec, SaysWhatAFileSeemsToBe) {
  TemporaryFolder folder;
  const std::string path = folder / "file";
  write_file(path, R"({"model_type": "llama", "hidden_size": 4096})");
  expect_error(ErrorKind::unsupported, "seems to be a model's config.json", [&] { load_spec(path); });
  write_file(path, std::string("GGUF\x03\x00\x00\x00", 8));
  expect_error(ErrorKind::unsupported, "seems to be a GGUF model", [&] { load_spec(path); });
  const float number = 1;
  save_npy(path, make_view(&number, {1}));
  expect_error(ErrorKind::unsupported, "seems to be an .npy array", [&] { load_spec(path); });
}

TEST(LoadSpec, LooksAtAModelWithoutReadingIt) {
  TemporaryFolder folder;
  const std::string path = folder / "model.safetensors";
  const float number = 1;
  save_safetensors(path, {{"wpe", make_view(&number, {1})}});
  std::filesystem::resize_file(path, std::uintmax_t{1} << 36);  // larger than a spec may be
  expect_error(ErrorKind::unsupported, "seems to be a safetensors file", [&] { load_spec(path); });
}

TEST(LoadSpec, ReadsListsFromTensors) {
  TemporaryFolder folder;
  const double numbers[] = {1.0, 0.25};
  const std::string path = folder / "f.safetensors";
  save_safetensors(path, {{"w", make_view(numbers, {2})}, {"rows", make_view(numbers, {1, 2})}});
  EXPECT_EQ(to_text(load_spec("sinusoidal:width=4,inv_freq=@" + path + ":w")), "sinusoidal:width=4,inv_freq=1/0.25");
  expect_error(ErrorKind::bad_input, "f.safetensors:rows: expected a list of numbers, one axis, but got shape [1, 2]",
               [&] { load_spec("sinusoidal:width=4,inv_freq=@" + path + ":rows"); });
}

TEST(LoadSpec, NamesTheNearestKind) {
  expect_error(ErrorKind::bad_input,
               "'sinusiodal:width=4' is not a spec (kind:field=value,...) or a file; did you mean "
               "'sinusoidal'?",
               [] { load_spec("sinusiodal:width=4"); });
  expect_error(ErrorKind::bad_input, "'nowhere.json' is not a spec", [] { load_spec("nowhere.json"); });
  expect_error(ErrorKind::bad_input, "Known kinds: sinusoidal", [] { load_spec(""); });
}

// Returns the first number that load_array reads.
double first(const std::string& text) { return load_array(text).number(0); }

TEST(LoadArray, KnowsAFileByItsBytes) {
  TemporaryFolder folder;
  const float numbers[] = {1, 2};
  save_npy(folder / "a.safetensors", make_view(&numbers[0], {1}));
  save_safetensors(folder / "a.npy", {{"t", make_view(&numbers[1], {1})}});
  save_safetensors(folder / "none", {{"t", make_view(&numbers[1], {1})}});
  EXPECT_EQ(first(folder / "a.safetensors"), 1);
  EXPECT_EQ(first(folder / "a.npy"), 2);
  EXPECT_EQ(first(folder / "none"), 2);
  EXPECT_EQ(first(folder / "none:t"), 2);
}

TEST(LoadArray, NeedsANameAmongSeveralTensors) {
  TemporaryFolder folder;
  const float numbers[] = {1, 2, 3};
  const std::string path = folder / "m.safetensors";
  save_safetensors(
      path,
      {{"a", make_view(&numbers[0], {1})}, {"b:c", make_view(&numbers[1], {1})}, {"", make_view(&numbers[2], {1})}});
  EXPECT_EQ(first(path + ":a"), 1);
  EXPECT_EQ(first(path + ":b:c"), 2);
  EXPECT_EQ(first(path + ":"), 3);
  expect_error(ErrorKind::bad_input,
               "m.safetensors: expected FILE:TENSOR because the file has 3 tensors: '', 'a', 'b:c'",
               [&] { load_array(path); });
  expect_error(ErrorKind::bad_input,
               "m.safetensors: there is no tensor 'b:d' among '', 'a', 'b:c'; did you mean 'b:c'?",
               [&] { load_array(path + ":b:d"); });
  save_safetensors(path, {});
  expect_error(ErrorKind::bad_input, "m.safetensors: expected a tensor but it has none", [&] { load_array(path); });
}

TEST(LoadArray, TakesFilesWithColonsInTheirNames) {
  TemporaryFolder folder;
  const float numbers[] = {1, 2, 3};
  save_npy(folder / "ids:1.npy", make_view(&numbers[0], {1}));
  save_safetensors(folder / "m", {{"t:u", make_view(&numbers[1], {1})}});
  EXPECT_EQ(first(folder / "ids:1.npy"), 1);
  EXPECT_EQ(first(folder / "m:t:u"), 2);
  save_safetensors(folder / "m:t", {{"u", make_view(&numbers[2], {1})}});
  EXPECT_EQ(first(folder / "m:t:u"), 3) << "the longest part that is a file";
  EXPECT_EQ(first(folder / "m:t"), 3);
}

TEST(LoadArray, SaysWhatIsWrong) {
  TemporaryFolder folder;
  const float number = 1;
  const auto bad = [&](const std::string& name, const std::string& part, ErrorKind kind = ErrorKind::bad_input) {
    expect_error(kind, part, [&] { load_array(folder / name); });
  };
  bad("none.npy", "cannot open " + (folder / "none.npy") + ": No such file", ErrorKind::io);
  bad("none.safetensors:a:b", "cannot open " + (folder / "none.safetensors") + ": No such file", ErrorKind::io);
  bad("", ": Is a directory", ErrorKind::io);
  expect_error(ErrorKind::usage, "the name of a file must not be empty", [] { load_array(""); });
  save_npy(folder / "a.npy", make_view(&number, {1}));
  bad("a.npy:t", "a.npy: ':t' selects a tensor");
  write_file(folder / "text", "1 2 3");
  bad("text", "text: expected a file of numbers, .npy or .safetensors, but it begins like neither of them");
  write_file(folder / "zeros", std::string(100, '\0'));
  bad("zeros", "zeros: expected a file of numbers");
  write_file(folder / "model.gguf", "GGUF3");
  bad("model.gguf", "model.gguf: expected a file of numbers, .npy or .safetensors, but it seems to be a GGUF model");
  write_file(folder / "a.npz", "PK\x03\x04");
  bad("a.npz", "but it seems to be a zip archive");
  write_file(folder / "b.npy", "1 2 3");
  bad("b.npy", "b.npy: expected an .npy file");
  write_file(folder / "b.safetensors", "1 2 3");
  bad("b.safetensors", "b.safetensors: expected a safetensors file");
  write_file(folder / "empty.safetensors", "");
  bad("empty.safetensors", "empty.safetensors: expected a safetensors file");
  write_file(folder / "empty", "");
  bad("empty", "empty: expected a file of numbers");
}

TEST(LoadArray, ReadsAPipeAsNpy) {
  TemporaryFolder folder;
  const float number = 5;
  const std::string path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { save_npy(path, make_view(&number, {1})); });
  EXPECT_EQ(first(path), 5);
  writer.join();
}

TEST(LoadPositions, ReadsTensors) {
  TemporaryFolder folder;
  const std::int64_t longs[] = {5, -7};
  const std::uint8_t bytes[] = {3, 255};
  const std::string path = folder / "p.safetensors";
  save_safetensors(path, {{"ids", make_view(longs, {2})}, {"bytes", make_view(bytes, {2})}});
  EXPECT_EQ(to_text(load_positions("@" + path + ":ids")), "5,-7");
  const Positions narrow = load_positions("@" + path + ":bytes");
  EXPECT_TRUE(narrow.view().integral());
  EXPECT_EQ(to_text(narrow), "3,255");
  expect_error(ErrorKind::bad_input, "there is no tensor 'idx' among 'ids', 'bytes'; did you mean 'ids'?",
               [&] { load_positions("@" + path + ":idx"); });
}

// The limit is the number of positions that a text may list; it applies to the tensor, not to its file.
TEST(LoadPositions, KeepsTheLimit) {
  TemporaryFolder folder;
  const std::string path = folder / "large.safetensors";
  const ConstView large{nullptr, DType::i64, 1, {std::int64_t{1} << 28}, {1}};
  const ConstView small{nullptr, DType::u8, 1, {2}, {1}};
  const std::string header = safetensors_header({{"large", large}, {"small", small}});
  write_file(path, header);
  std::filesystem::resize_file(path, header.size() + (std::uintmax_t{1} << 31) + 2);
  EXPECT_EQ(to_text(load_positions("@" + path + ":small")), "0,0");
  expect_error(ErrorKind::bad_input,
               "large.safetensors: tensor 'large': expected at most 1074790400 bytes but it has 2147483648",
               [&] { load_positions("@" + path + ":large"); });
}

TEST(LoadPositions, TakesText) {
  EXPECT_EQ(load_positions("0:100:10").count(), 10);
  expect_error(ErrorKind::bad_input, "parse_positions", [] { load_positions("a"); });
}

TEST(LoadPositions, ReadsIntegersAndReals) {
  TemporaryFolder folder;
  const std::int32_t integers[] = {5, -7, 2147483647};
  EXPECT_EQ(to_text(load_positions(list_file(folder, make_view(integers, {3})))), "5,-7,2147483647");
  const std::int64_t longs[] = {1, 2, 3, 4, 5, 6};
  const Positions tuples = load_positions(list_file(folder, make_view(longs, {2, 3})));
  EXPECT_EQ(tuples.axes(), 3);
  EXPECT_EQ(to_text(tuples), "1/2/3,4/5/6");
  EXPECT_TRUE(tuples.view().integral());
  const float reals[] = {0.5f, 3.0f};
  const Positions real = load_positions(list_file(folder, make_view(reals, {2})));
  EXPECT_FALSE(real.view().integral());
  EXPECT_EQ(real.view().real(0, 0), 0.5);
}

TEST(LoadPositions, RefusesOtherShapesAndNumbers) {
  TemporaryFolder folder;
  const std::int64_t longs[] = {1, 2147483648};
  const auto bad = [&](const ConstView& view, const std::string& part) {
    const std::string file = list_file(folder, view);
    expect_error(ErrorKind::bad_input, part, [&] { load_positions(file); });
  };
  bad(make_view(longs, {1, 2, 1}),
      "list.npy: expected positions, [N] or [N, A] with at least one token and axis, but got shape [1, 2, 1]");
  bad(make_view(longs, {}), "but got shape []");
  bad(make_view(longs, {0}), "but got shape [0]");
  bad(make_view(longs, {2, 0}), "but got shape [2, 0]");
  bad(make_view(longs, {2}), "list.npy] positions must be from -2147483647 to 2147483647 but got 2147483648");
  const double nan[] = {0.0, std::numeric_limits<double>::quiet_NaN()};
  bad(make_view(nan, {2}), "positions must be from -2147483647 to 2147483647 but got nan");
  expect_error(ErrorKind::io, "none.npy: No such file", [] { load_positions("@none.npy"); });
}

}  // namespace
}  // namespace posenc::load_test
