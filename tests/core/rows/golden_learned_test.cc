// Numbers that published implementations of learned tables computed: golden/README.md says which.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>
#include <string>

#include "posenc/embed.h"
#include "posenc/files/file.h"
#include "posenc/files/json.h"
#include "posenc/learned.h"

namespace golden_learned_test {
namespace {

using posenc::Json;
using posenc::make_view;
using posenc::PastEnd;
using posenc::PositionView;

void flatten(const Json& json, std::vector<double>& numbers) {
  if (!json.is_array()) return numbers.push_back(json.number());
  for (const Json& item : json.array()) flatten(item, numbers);
}

// An array of any depth: its numbers in order, and the length of its rows.
struct Numbers {
  explicit Numbers(const Json& json) {
    flatten(json, values);
    const Json* inner = &json;
    while (inner->array()[0].is_array()) inner = &inner->array()[0];
    width = static_cast<std::int64_t>(inner->array().size());
  }
  std::int64_t rows() const { return static_cast<std::int64_t>(values.size()) / width; }
  posenc::ConstView view() const { return make_view(values.data(), {rows(), width}); }

  std::vector<double> values;
  std::int64_t width = 0;
};

class GoldenLearned : public ::testing::Test {
 protected:
  void load(const std::string& name) {
    const std::string path = POSENC_TESTS "/golden/learned/" + name + ".json";
    json_ = posenc::parse_json(posenc::read_file(path), name);
    ASSERT_EQ(json_.find("case")->string(), name);
  }
  const Json& input(const std::string& key) const { return *json_.find("inputs")->find(key); }
  Numbers numbers(const std::string& key) const { return Numbers(input(key)); }

  void compare(const std::string& output, const std::vector<double>& got, double tolerance) const {
    SCOPED_TRACE(output);
    std::vector<double> wanted;
    flatten(*json_.find("outputs")->find(output), wanted);
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], wanted[i], tolerance) << "number " << i;
  }
  std::size_t output_count() const { return json_.find("outputs")->object().size(); }

 private:
  Json json_;
};

// Each row to mean 0 and variance 1, then weight and bias.
void layer_norm(std::vector<double>& rows, const std::vector<double>& weight, const std::vector<double>& bias,
                double eps) {
  const std::size_t width = weight.size();
  for (std::size_t start = 0; start < rows.size(); start += width) {
    double mean = 0.0, variance = 0.0;
    for (std::size_t m = 0; m < width; ++m) mean += rows[start + m] / static_cast<double>(width);
    for (std::size_t m = 0; m < width; ++m)
      variance += std::pow(rows[start + m] - mean, 2) / static_cast<double>(width);
    for (std::size_t m = 0; m < width; ++m) {
      rows[start + m] = (rows[start + m] - mean) / std::sqrt(variance + eps) * weight[m] + bias[m];
    }
  }
}

// Words and types are lookups as positions are: three learned tables, added one after the other.
TEST_F(GoldenLearned, BertEmbeddings) {
  load("b_bert_embeddings");
  const posenc::Learned spec{.past_end = PastEnd::error};
  const Numbers words = numbers("word_embeddings.weight"), types = numbers("token_type_embeddings.weight"),
                places = numbers("position_embeddings.weight"), ids = numbers("input_ids");
  ASSERT_EQ(input("token_type_ids").string(), "all zero");
  const std::int64_t count = ids.width;
  const std::vector<std::int64_t> type_ids(static_cast<std::size_t>(count), 0);
  const auto embed = [&](std::int64_t past) {
    std::vector<double> rows(static_cast<std::size_t>(count * words.width));
    const posenc::View out = make_view(rows.data(), {count, words.width});
    fill_rows(posenc::LearnedRows{spec, words.view()}, PositionView::of(ids.values.data(), count), out);
    add_positions(out, PositionView::of(type_ids.data(), count), posenc::LearnedRows{spec, types.view()}, out);
    add_positions(out, PositionView::range(past, count), posenc::LearnedRows{spec, places.view()}, out);
    layer_norm(rows, numbers("LayerNorm.weight").values, numbers("LayerNorm.bias").values,
               input("layer_norm_eps").number());
    return rows;
  };
  const std::vector<double> past = numbers("past_key_values_length").values;
  ASSERT_EQ(past.size(), 2u);
  compare("out", embed(static_cast<std::int64_t>(past[0])), 1e-6);
  compare("out_past2", embed(static_cast<std::int64_t>(past[1])), 1e-6);
  std::vector<double> buffer;
  for (std::int64_t p = 0; p < positions_of(spec, places.rows()); ++p) buffer.push_back(static_cast<double>(p));
  compare("position_ids_buffer", buffer, 0.0);
  EXPECT_EQ(output_count(), 3u);
}

TEST_F(GoldenLearned, XTransformersAbsolute) {
  load("b_xt_absolute");
  const Numbers table = numbers("table");
  const std::int64_t count = input("seq_len").integer();
  const posenc::Learned scaled{.past_end = PastEnd::error,
                               .multiplier = 1.0 / std::sqrt(static_cast<double>(table.width))};
  const posenc::Learned normalized{.past_end = PastEnd::error, .normalize = posenc::Normalize::l2};
  const auto rows = [&](const posenc::Learned& spec, const PositionView& positions) {
    std::vector<double> out(static_cast<std::size_t>(positions.batch * positions.count * table.width));
    fill_rows(posenc::LearnedRows{spec, table.view()}, positions,
              make_view(out.data(), {positions.batch, positions.count, table.width}));
    return out;
  };
  compare("plain", rows(scaled, PositionView::range(0, count)), 1e-7);
  compare("offset2", rows(scaled, PositionView::range(input("offset").integer(), count)), 1e-7);
  compare("l2norm", rows(normalized, PositionView::range(0, count)), 1e-7);
  // Token n of a row that starts at s is at n - s, and at 0 before it.
  std::vector<std::int64_t> ids;
  const Numbers starts = numbers("seq_start_pos");
  for (const double start : starts.values) {
    for (std::int64_t n = 0; n < count; ++n)
      ids.push_back(std::max<std::int64_t>(n - static_cast<std::int64_t>(start), 0));
  }
  PositionView batch = PositionView::of(ids.data(), count);
  batch.batch = starts.width;
  batch.batch_stride = count;
  compare("seq_start_pos", rows(scaled, batch), 1e-7);
  EXPECT_EQ(output_count(), 4u);
}

// Two lookups into columns of one output: the place of a flat position in a grid, axis by axis.
TEST_F(GoldenLearned, ReformerAxial) {
  load("b_reformer_axial");
  const Numbers first = numbers("weights.0"), second = numbers("weights.1"), ids = numbers("position_ids");
  const std::vector<double> grid = numbers("axial_pos_shape").values;
  const std::int64_t count = ids.width, width = first.width + second.width;
  ASSERT_EQ(first.rows(), static_cast<std::int64_t>(grid.at(0)));
  ASSERT_EQ(second.rows(), static_cast<std::int64_t>(grid.at(1)));
  std::vector<std::int64_t> high, low;
  for (const double id : ids.values) {
    high.push_back(static_cast<std::int64_t>(id) / second.rows());
    low.push_back(static_cast<std::int64_t>(id) % second.rows());
  }
  std::vector<double> out(static_cast<std::size_t>(count * width));
  posenc::View left = make_view(out.data(), {count, width}), right = left;
  left.shape[1] = first.width;
  right.shape[1] = second.width;
  right.data = right.as<double>() + first.width;
  const posenc::Learned spec{.past_end = PastEnd::error};
  fill_rows(posenc::LearnedRows{spec, first.view()}, PositionView::of(high.data(), count), left);
  fill_rows(posenc::LearnedRows{spec, second.view()}, PositionView::of(low.data(), count), right);
  compare("out", out, 0.0);
  EXPECT_EQ(output_count(), 1u);
}

// [x | y]: the column table first, over a grid whose channels come first.
TEST_F(GoldenLearned, DetrLearned) {
  load("a_detr_learned");
  const Numbers y_table = numbers("row_embeddings"), x_table = numbers("column_embeddings");
  const std::int64_t height = input("height").integer(), width = input("width").integer();
  const std::int64_t half = x_table.width, channels = half + y_table.width;
  std::vector<double> rows(static_cast<std::size_t>(height * width * channels));
  posenc::View left = make_view(rows.data(), {height, width, channels}), right = left;
  left.shape[2] = half;
  right.shape[2] = y_table.width;
  right.data = right.as<double>() + half;
  const posenc::Learned spec{.past_end = PastEnd::error};
  fill_rows(posenc::LearnedRows{spec, x_table.view()}, PositionView::range(0, width), left);
  fill_rows(posenc::LearnedRows{spec, y_table.view()}, PositionView::range(0, height), right.swap(0, 1));
  std::vector<double> chw;
  for (std::int64_t c = 0; c < channels; ++c)
    for (std::int64_t i = 0; i < height * width; ++i) chw.push_back(rows[static_cast<std::size_t>(i * channels + c)]);
  compare("pos_chw", chw, 0.0);
  EXPECT_EQ(output_count(), 1u);
}

TEST(GoldenLearnedFiles, AreAllRead) {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(POSENC_TESTS "/golden/learned"))
    files.insert(entry.path().stem());
  EXPECT_EQ(files, (std::set<std::string>{"a_detr_learned", "b_bert_embeddings", "b_reformer_axial", "b_xt_absolute"}));
}

}  // namespace
}  // namespace golden_learned_test
