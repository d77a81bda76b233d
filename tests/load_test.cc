#include "posenc/load.h"

#include <gtest/gtest.h>

#include <limits>

#include "posenc/file.h"
#include "posenc/npy.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace posenc {
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

TEST(LoadSpec, NamesTheNearestKind) {
  expect_error(ErrorKind::bad_input, "'sinusoid:width=4' is neither; did you mean 'sinusoidal'?",
               [] { load_spec("sinusoid:width=4"); });
  expect_error(ErrorKind::bad_input, "'nowhere.json' is neither", [] { load_spec("nowhere.json"); });
  expect_error(ErrorKind::bad_input, "Known kinds: sinusoidal", [] { load_spec(""); });
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
      "list.npy: expected positions, [N] or [N, A], none of them 0, but got shape [1, 2, 1]");
  bad(make_view(longs, {}), "but got shape []");
  bad(make_view(longs, {0}), "but got shape [0]");
  bad(make_view(longs, {2, 0}), "but got shape [2, 0]");
  bad(make_view(longs, {2}), "list.npy] positions must lie within +-2147483647 but got 2147483648");
  const double nan[] = {0.0, std::numeric_limits<double>::quiet_NaN()};
  bad(make_view(nan, {2}), "positions must lie within +-2147483647 but got nan");
  expect_error(ErrorKind::io, "none.npy: No such file", [] { load_positions("@none.npy"); });
}

}  // namespace
}  // namespace posenc
