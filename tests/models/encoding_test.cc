#include "posenc/models/encoding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "posenc/attend.h"
#include "posenc/files/file.h"
#include "posenc/files/npy.h"
#include "posenc/files/safetensors.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace posenc::encoding_test {
namespace {

Array array_of(std::vector<std::int64_t> shape, const std::vector<double>& numbers) {
  Array array{DType::f64, std::move(shape), std::vector<std::byte>(numbers.size() * sizeof(double))};
  std::memcpy(array.data.data(), numbers.data(), array.data.size());
  return array;
}

std::vector<double> row_of(const Encoding& encoding, std::int64_t position) {
  std::vector<double> row(static_cast<std::size_t>(encoding.width()));
  fill_rows(encoding.rows(), PositionView::range(position, 1), make_view(row.data(), {1, encoding.width()}));
  return row;
}

const Learned kLearned{.past_end = PastEnd::error};

TEST(Encoding, CopiesOutliveTheOriginal) {
  std::optional<Encoding> first = make_encoding(kLearned, {.table = array_of({2, 2}, {1, 2, 3, -4})});
  const Encoding copy = *first;
  const ConstView table = first->table();
  const InputRows rows = first->rows();
  first.reset();
  EXPECT_EQ(copy.table().data, table.data);
  EXPECT_EQ(width_of(rows), 2);
  EXPECT_EQ(row_of(copy, 1), (std::vector<double>{3, -4}));
  EXPECT_EQ(copy.largest(), 4.0);
  EXPECT_EQ(copy.positions(), 2);
  EXPECT_FALSE(copy.drawn());
}

TEST(Encoding, WithoutRowsSaysSo) {
  const auto refused = [](const Encoding& encoding, const char* message) {
    expect_error(ErrorKind::usage, message, [&] { (void)encoding.rows(); });
    expect_error(ErrorKind::usage, message, [&] { (void)encoding.largest(); });
    expect_error(ErrorKind::usage, message, [&] { (void)encoding.positions(); });
    expect_error(ErrorKind::usage, message, [&] { (void)encoding.small_grid(); });
  };
  refused(find_encoding("sinusoidal:width=8"), "sinusoidal has no rows yet");
  refused(Spec(kLearned), "learned has no rows without its table");
  expect_error(ErrorKind::usage, "alibi adds no rows", [] { (void)make_encoding(Alibi{.heads = 2}).rows(); });
}

TEST(Encoding, HasWhatItsKindHas) {
  const Encoding sinusoidal = make_encoding(Sinusoidal{.width = 4});
  EXPECT_EQ(sinusoidal.place(), Place::input);
  EXPECT_EQ(sinusoidal.text(), "sinusoidal:width=4");
  EXPECT_EQ(row_of(sinusoidal, 0), (std::vector<double>{0, 1, 0, 1}));
  EXPECT_EQ(sinusoidal.positions(), std::nullopt);
  const Encoding alibi = make_encoding(Alibi{.heads = 8});
  EXPECT_EQ(alibi.heads(), 8);
  EXPECT_TRUE(alibi.bias() && !alibi.term() && !alibi.rotary());
  expect_error(ErrorKind::usage, "alibi adds no rows", [&] { alibi.rows(); });
  const Encoding rotary = make_encoding(Rotary{.head_dim = 8});
  EXPECT_EQ(rotary.rotary()->inv_freq.size(), 4u);
  EXPECT_EQ(make_encoding(NoPosition{}).place(), Place::nowhere);
}

TEST(Encoding, MissingNumbersAreAnErrorLeftOrDrawn) {
  expect_error(ErrorKind::usage, "learned has no rows without its table", [] { make_encoding(kLearned); });
  expect_error(ErrorKind::usage, "--file table.npy", [] { load_encoding("learned:past_end=error"); });
  const Encoding left = Encoding(kLearned);
  EXPECT_EQ(left.table().rank, 0);
  const Encoding drawn = with_drawn(left, 3);
  EXPECT_TRUE(drawn.drawn());
  EXPECT_NE(drawn.drawn_text(), "");
  EXPECT_EQ(row_of(drawn, 5), row_of(make_encoding(kLearned, {}, Missing::draw, 3), 5));
  EXPECT_NE(row_of(drawn, 5), row_of(with_drawn(left, 4), 5));
  EXPECT_TRUE(with_drawn({T5{.heads = 2}}).bias().has_value());
  EXPECT_FALSE(Encoding(T5{.heads = 2}).bias().has_value());
  EXPECT_TRUE(with_drawn({Shaw{.head_dim = 4, .left = 2, .right = 2}}).term().has_value());
  const Encoding given = make_encoding(kLearned, {.table = array_of({1, 2}, {1, 2})});
  EXPECT_EQ(with_drawn(given).table().data, given.table().data);
}

TEST(AddEncoding, PutsEachSortAtItsPlaceOnce) {
  const Encoding rotary = make_encoding(Rotary{.head_dim = 8}), pope = make_encoding(Pope{.head_dim = 8}),
                 xpos = make_encoding(Xpos{.head_dim = 8}), temperature = make_encoding(QueryTemperature{.length = 4}),
                 bias = make_encoding(Alibi{.heads = 2}), input = make_encoding(Sinusoidal{.width = 4}),
                 term = with_drawn({Shaw{.head_dim = 8, .left = 2, .right = 2}});
  AttendOptions options;
  for (const Encoding* one : {&rotary, &pope, &xpos, &temperature, &bias, &term, &input, &input}) {
    add_encoding(options, *one);
  }
  EXPECT_EQ(options.rotary->angles().schedule().inv_freq, rotary.rotary()->inv_freq);
  EXPECT_EQ(options.pope->angles().schedule().inv_freq, pope.rotary()->inv_freq);
  EXPECT_EQ(options.xpos->schedule().rotation.inv_freq, xpos.rotary()->inv_freq);
  EXPECT_EQ(options.temperature, std::get_if<QueryTemperature>(&temperature.spec()));
  EXPECT_EQ(options.bias, &*bias.bias());
  EXPECT_EQ(options.term, &*term.term());
  for (const Encoding* one : {&rotary, &pope, &xpos, &temperature, &bias, &term}) {
    expect_error(ErrorKind::usage, "but got two", [&] { add_encoding(options, *one); });
  }
}

TEST(AddEncoding, KeepsWhatItPointsTo) {
  AttendOptions options;
  {
    const EncodingOptions none;
    add_encoding(options, with_learned(find_encodings({"alibi:heads=2"}), none)[0]);
    add_encoding(options, load_encoding("pope:head_dim=2", {.parameters = {"delta=1/2"}}));
  }
  const AttendOptions copy = options;
  options = {};
  std::vector<float> bias(4);
  fill_bias(*copy.bias, PositionView::range(1, 1), PositionView::range(0, 2), make_view(bias.data(), {2, 1, 2}));
  EXPECT_EQ(bias, (std::vector<float>{-0.0625F, 0.0F, -0.00390625F, 0.0F}));
  EXPECT_EQ(copy.pope_delta.as<double>()[1], 2.0);
}

TEST(AddEncoding, RefusesWhatIsNotReady) {
  const auto refused = [](const Encoding& encoding) {
    AttendOptions options;
    expect_error(ErrorKind::usage, "cannot be used in attention yet", [&] { add_encoding(options, encoding); });
  };
  refused({T5{.heads = 2}});
  refused(find_encoding("alibi:heads=2"));
  refused(parse_spec("rotary:head_dim=8,scaling=dynamic,factor=2,original_positions=16"));
  const Encoding delta = load_encoding("pope:head_dim=2", {.parameters = {"delta=1/2"}});
  AttendOptions options;
  add_encoding(options, delta);
  EXPECT_EQ(options.pope_delta.as<double>()[1], 2.0);
}

TEST(Encoding, NumbersMustFit) {
  EXPECT_THROW(make_encoding(Learned{.width = 3, .past_end = PastEnd::error}, {.table = array_of({1, 2}, {1, 2})}),
               Error);
  expect_error(ErrorKind::usage, "sinusoidal has no learned table", [] {
    make_encoding(Sinusoidal{.width = 4}, {.table = array_of({1, 2}, {1, 2})});
  });
  EXPECT_THROW(make_encoding(T5{.heads = 2}, {.parameters = {{"wrong", array_of({1}, {1})}}}), Error);
  const auto refused = [](const char* message, const Spec& spec, const LearnedNumbers& numbers) {
    try {
      make_encoding(spec, numbers);
      ADD_FAILURE() << message;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  };
  const Array table = array_of({1, 2}, {1, 2});
  refused("alibi has no learned parts", Alibi{.heads = 2}, {.tables = {table}});
  refused("learned has no learned parts", kLearned, {.table = table, .tables = {table}});
  refused("rotary has no parameters", Rotary{.head_dim = 4}, {.parameters = {{"p", table}}});
  refused("expected a finite number but got nan", kLearned, {.table = array_of({1, 2}, {1, std::nan("")})});
  for (const std::vector<std::int64_t>& shape : std::vector<std::vector<std::int64_t>>{
           {2, 2}, {1, 1}, {0, 2}, {-1, -2}, {std::int64_t{1} << 40, std::int64_t{1} << 40}}) {
    Array torn = table;
    torn.shape = shape;
    refused("must have the bytes of its shape", kLearned, {.table = torn});
  }
}

TEST(LoadEncoding, KnowsModelsFilesAndSpecs) {
  const Encoding llama = load_encoding("llama-3.1-8b", {.layer = 3});
  ASSERT_NE(llama.group(), nullptr);
  EXPECT_EQ(llama.model()->source, "llama-3.1-8b");
  EXPECT_EQ(llama.text(), to_text(llama.spec()));
  EXPECT_EQ(llama.rotary()->head_dim, 128);
  const TemporaryFolder folder;
  write_file(folder / "spec.json", R"({"kind": "sinusoidal", "width": 6})");
  const Encoding file = load_encoding(folder / "spec.json");
  EXPECT_EQ(file.text(), folder / "spec.json");
  EXPECT_EQ(file.model(), nullptr);
  EXPECT_EQ(file.width(), 6);
  expect_error(ErrorKind::usage, "--part is for models", [] { load_encoding("alibi:heads=4", {.part = "text"}); });
  expect_error(ErrorKind::bad_input, "did you mean sinusoidal?", [] { load_encoding("sinusoidl:width=4"); });
}

TEST(LoadEncoding, SettlesWhatASpecLeavesOpen) {
  const char* dynamic = "rotary:head_dim=8,scaling=dynamic,factor=2,original_positions=16";
  expect_error(ErrorKind::bad_input, "depends on the sequence length", [&] { load_encoding(dynamic); });
  EXPECT_FALSE(load_encoding(dynamic, {.missing = Missing::leave}).rotary().has_value());
  const Encoding settled = load_encoding(dynamic, {.sequence_length = 64});
  EXPECT_EQ(settled.rotary()->sequence_length, 64);
  EXPECT_EQ(settled.text(), to_text(settled.spec()));
}

TEST(FindEncodings, RefuseAChoiceThatNoneDependsOn) {
  const auto refused = [](const char* message, const std::vector<std::string>& texts, const EncodingOptions& options) {
    expect_error(ErrorKind::usage, message, [&] { find_encodings(texts, options); });
  };
  refused("--layer is for models and for specs whose layers differ: 'alibi:heads=4' is", {"alibi:heads=4"},
          {.layer = 1});
  refused("--layer is for models", {"rotary:head_dim=8"}, {.layer = 1});
  refused("--layer is for models", {"rotary:head_dim=8", "alibi:heads=4"}, {.layer = 1});
  refused("--part is for models: 'alibi:heads=4' is", {"alibi:heads=4"}, {.part = "text"});
  refused("'alibi:heads=4' does not depend on it", {"alibi:heads=4"}, {.sequence_length = 8});
  refused("'gpt2' does not depend on it", {"gpt2"}, {.sequence_length = 8});
  refused("--layer is for models and for specs whose layers differ: no SPEC is given", {}, {.layer = 1});
  refused("'rotary:head_dim=8' does not depend on it", {"rotary:head_dim=8"}, {.sequence_length = 8});
  refused("none of these depends on it", {"none", "alibi:heads=4"}, {.sequence_length = 8});
  const std::vector<std::string> texts = {"alibi:heads=4", "rotary:head_dim=8,local_base=100",
                                          "rotary:head_dim=8,scaling=dynamic,factor=2,original_positions=16"};
  const std::vector<Encoding> found = find_encodings(texts, {.sequence_length = 9, .layer = 1});
  EXPECT_EQ(found[0].text(), texts[0]);
  EXPECT_EQ(std::get<Rotary>(found[1].spec()).layer, 1);
  EXPECT_EQ(std::get<Rotary>(found[1].spec()).sequence_length, std::nullopt);
  EXPECT_EQ(std::get<Rotary>(found[2].spec()).sequence_length, 9);
  EXPECT_EQ(std::get<Rotary>(found[2].spec()).layer, std::nullopt);
  EXPECT_EQ(find_encodings({"alibi:heads=4", "llama-3.1-8b"}, {.layer = 3, .part = "text"})[1].text(),
            find_encoding("llama-3.1-8b").text());
}

TEST(WithLearned, KeepsTheNumbersThatAreThere) {
  const Encoding table = make_encoding(kLearned, {.table = array_of({2, 2}, {1, 2, 3, -4})});
  EXPECT_EQ(row_of(with_learned(table, {}), 1), (std::vector<double>{3, -4}));
  const Encoding both =
      make_encoding(Kerple{.heads = 1}, {.parameters = {{"p", array_of({1}, {2})}, {"a", array_of({1}, {3})}}});
  const Encoding other = with_learned(both, {.parameters = {"a=5"}});
  const Encoding twice = with_learned(with_learned(other, {.parameters = {"p=1"}}), {.parameters = {"p=3"}});
  EXPECT_EQ(twice.data_text(), "--parameter a=5 --parameter p=3");
  ASSERT_EQ(other.parameters().size(), 2u);
  EXPECT_EQ(other.parameters()[0].name, "p");
  EXPECT_EQ(other.parameters()[0].value.as<double>()[0], 2.0);
  EXPECT_EQ(other.parameters()[1].value.as<double>()[0], 5.0);
  EXPECT_TRUE(other.bias().has_value());
  const Encoding drawn = with_drawn({Clipped{.heads = 1, .max_distance = 1}});
  EXPECT_TRUE(with_learned(drawn, {}).drawn());
  const Encoding given = with_learned(drawn, {.values = "1/2/3"});
  EXPECT_FALSE(given.drawn());
  EXPECT_EQ(given.parameters().size(), 1u);
  EXPECT_EQ(with_learned(given, {}).data_text(), "--values 1/2/3");
}

TEST(LoadEncoding, ReadsAndRepeatsLearnedNumbers) {
  const TemporaryFolder folder;
  const std::vector<double> numbers = {1, 2, 3, 4};
  const std::string npy = folder / "a table.npy";
  save_npy(npy, make_view(numbers.data(), {2, 2}));
  const Encoding learned = load_encoding("learned:past_end=error", {.files = {npy}});
  EXPECT_EQ(row_of(learned, 1), (std::vector<double>{3, 4}));
  EXPECT_EQ(learned.command_text(), "learned:past_end=error --file '" + npy + "'");
  const Encoding made = load_encoding("learned:rows=4,width=2,past_end=error", {.init = "normal", .seed = 7});
  EXPECT_EQ(made.data_text(), "--init normal --std 0.02 --seed 7");
  const Encoding clipped = load_encoding("clipped:heads=1,max_distance=1", {.values = "0.5/0/-0.5"});
  EXPECT_EQ(clipped.data_text(), "--values 0.5/0/-0.5");
  EXPECT_EQ(clipped.parameters()[0].name, "table");
  const Encoding named = load_encoding("clipped:heads=1,max_distance=1", {.parameters = {"table=1/2/3"}});
  EXPECT_EQ(named.data_text(), "--parameter table=1/2/3");
}

TEST(LoadEncoding, RefusesNumbersThatTheKindDoesNotHave) {
  const auto refused = [](const char* message, const char* text, const EncodingOptions& options) {
    expect_error(ErrorKind::usage, message, [&] { load_encoding(text, options); });
  };
  refused("has no table to read", "sinusoidal:width=4", {.files = {"t.npy"}});
  refused("they need --init", "sinusoidal:width=4", {.seed = 1});
  refused("exclude each other", "learned:past_end=error", {.files = {"t.npy"}, .init = "normal"});
  refused("given 2 times", "learned:past_end=error", {.files = {"a.npy", "b.npy"}});
  refused("are for what acts inside attention", "learned:past_end=error", {.values = "1"});
  refused("rotary learns nothing", "rotary:head_dim=4", {.files = {"t.npy"}});
  refused("--init has no effect: alibi works without learned numbers", "alibi:heads=4", {.init = "normal"});
  refused("must be name=file", "t5:heads=2", {.parameters = {"table"}});
  refused("must have 3 numbers", "clipped:heads=1,max_distance=1", {.values = "1/2"});
}

TEST(WithLearned, SharesParametersAmongSeveral) {
  const std::vector<Encoding> found = {find_encoding("rotary:head_dim=4"),
                                       find_encoding("clipped:heads=1,max_distance=1")};
  const std::vector<Encoding> both = with_learned(found, EncodingOptions{.values = "1/2/3"});
  EXPECT_TRUE(both[0].rotary() && both[1].bias());
  const std::vector<Encoding> two = {found[1], find_encoding("clipped:heads=2,max_distance=1")};
  expect_error(ErrorKind::usage, "--values could be for clipped or clipped",
               [&] { with_learned(two, EncodingOptions{.values = "1/2/3"}); });
  expect_error(ErrorKind::usage, "no encoding here has learned parameters",
               [&] { with_learned(std::vector<Encoding>{found[0]}, EncodingOptions{.values = "1"}); });
}

}  // namespace
}  // namespace posenc::encoding_test
