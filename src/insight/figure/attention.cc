// Attention maps with and without an encoding, for the same queries and keys; and entropy against length.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/text/number_text.h"
#include "insight/figure/figure_call.h"
#include "insight/properties/property.h"
#include "posenc/attend.h"
#include "posenc/error.h"
#include "posenc/insight/analysis.h"

namespace posenc::figure {
namespace {

// The queries and keys of a layer: random tokens, projected. The encoding acts at the place of its kind.
class SmallLayer {
 public:
  SmallLayer(const FigureCall& call, std::int64_t tokens, const std::vector<std::string>& words)
      : numbers_(*call.numbers), tokens_(tokens), seed_(call.options.seed) {
    heads_ = numbers_.place() == Place::bias || numbers_.place() == Place::term
                 ? std::max<std::int64_t>(numbers_.heads(), 1)
                 : 8;
    head_dim_ = numbers_.rotary() ? numbers_.rotary()->head_dim : numbers_.term() ? numbers_.term()->head_dim() : 8;
    if (const auto* pope = std::get_if<Pope>(&numbers_.spec())) {
      head_dim_ = pope->head_dim;
      if (!numbers_.parameters().empty()) heads_ = delta().shape[0];
    }
    width_ = numbers_.place() == Place::input ? numbers_.width() : 64;
    embeddings_ = normal_numbers(tokens_, width_, 0.5, seed_, words);
    const double std = 1.5 / std::sqrt(static_cast<double>(width_) * 0.25);  // scores of about 1 and more
    query_weight_ = normal_numbers(heads_ * head_dim_, width_, std, seed_ + 1);
    key_weight_ = normal_numbers(heads_ * head_dim_, width_, std, seed_ + 2);
  }

  // [H][N][N]
  std::vector<double> weights(bool encoded) const {
    std::vector<double> x = embeddings_;
    if (encoded && numbers_.place() == Place::input) {
      const std::vector<double> p = rows_at(numbers_, counted(tokens_));
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += p[i];
    }
    const std::vector<double> q = projected(x, query_weight_);
    const std::vector<double> k = projected(x, key_weight_);
    std::vector<double> out(q.size());
    std::vector<double> weights(static_cast<std::size_t>(heads_ * tokens_ * tokens_));
    AttendOptions options;
    options.weights = make_view(weights.data(), {heads_, tokens_, tokens_});
    if (encoded) add_encoding(options, numbers_);
    const ConstView keys = view(k);
    attend(view(q), keys, keys, make_view(out.data(), {tokens_, heads_, head_dim_}), options);
    return weights;
  }

  std::int64_t heads() const { return heads_; }
  std::string text() const {
    return properties::several(tokens_, "token") + ", " + properties::several(heads_, "head") + " of " +
           std::to_string(head_dim_) + ", random embeddings and weights from a seed, no mask" +
           (hides_keys() ? " but the encoding" : "");
  }

 private:
  // Whether the encoding hides some key from a query.
  bool hides_keys() const {
    if (!numbers_.bias()) return false;
    const PositionView all = PositionView::range(0, tokens_);
    for (std::int64_t h = 0; h < heads_; ++h) {
      std::vector<double> scores(static_cast<std::size_t>(tokens_ * tokens_));
      add_bias(*numbers_.bias(), {.head = h, .queries = tokens_, .keys = tokens_}, all, all,
               make_view(scores.data(), {tokens_, tokens_}));
      if (std::any_of(scores.begin(), scores.end(), [](double score) { return std::isinf(score); })) return true;
    }
    return false;
  }
  const ConstView& delta() const { return numbers_.parameters().front().value; }  // the learned angles of pope

  ConstView view(const std::vector<double>& values) const {
    return make_view(values.data(), {tokens_, heads_, head_dim_});
  }
  std::vector<double> projected(const std::vector<double>& x, const std::vector<double>& weight) const {
    std::vector<double> result;
    for (std::int64_t n = 0; n < tokens_; ++n) {
      for (std::int64_t r = 0; r < heads_ * head_dim_; ++r) {
        result.push_back(dot(x.data() + n * width_, weight.data() + r * width_, width_));
      }
    }
    return result;
  }

  const Encoding& numbers_;
  std::int64_t tokens_;
  std::uint64_t seed_;
  std::int64_t heads_ = 8;
  std::int64_t head_dim_ = 8;
  std::int64_t width_ = 64;
  std::vector<double> embeddings_, query_weight_, key_weight_;
};

// The map of the mean over heads, or of one head.
drawing::Heat map_of(const std::vector<double>& weights, std::int64_t tokens, std::int64_t heads,
                     std::optional<std::int64_t> head) {
  const auto cells = static_cast<std::size_t>(tokens * tokens);
  drawing::Heat heat{tokens, tokens, std::vector<double>(cells, 0.0)};
  for (std::int64_t h = 0; h < heads; ++h) {
    if (head && *head != h) continue;
    for (std::size_t i = 0; i < cells; ++i) {
      heat.values[i] += weights[static_cast<std::size_t>(h) * cells + i] / (head ? 1.0 : static_cast<double>(heads));
    }
  }
  return heat;
}

Figure make_attention(const FigureCall& call) {
  std::vector<std::string> words = call.options.tokens;
  if (words.size() > 64) {
    fail(ErrorKind::usage, "[make_figure] tokens must be at most 64 but got " + std::to_string(words.size()));
  }
  const std::int64_t usual = in_cells(call) ? 10 : 20;
  std::int64_t tokens = words.empty() ? usual : static_cast<std::int64_t>(words.size());
  if (const auto end = call.numbers->positions()) tokens = std::min(tokens, *end);
  words.resize(std::min(words.size(), static_cast<std::size_t>(tokens)));  // a table may end before the sentence does
  const SmallLayer layer(call, tokens, words);
  const drawing::Heat with = map_of(layer.weights(true), tokens, layer.heads(), call.options.head);
  const drawing::Heat without = map_of(layer.weights(false), tokens, layer.heads(), call.options.head);
  drawing::Heat difference = with;
  double moved = 0.0;
  for (std::size_t i = 0; i < difference.values.size(); ++i) {
    difference.values[i] -= without.values[i];
    moved += std::fabs(difference.values[i]);
  }
  const double share = 50.0 * moved / static_cast<double>(tokens);
  const double top = std::max(largest_size(with), largest_size(without));
  const bool none = call.numbers->place() == Place::nowhere;
  FigurePage page = begin_figure(
      call,
      {.title = "Where attention goes: " + call.numbers->command_text(),
       .finding =
           none ? "without positions the map knows only contents: permuting the tokens permutes its rows and columns"
                : "the encoding moves " + text::fixed_text(share, 1) +
                      " % of the attention; tokens and weights are the same",
       .more = {layer.text() +
                (call.options.head ? "; head " + std::to_string(*call.options.head) : "; mean over heads")},
       .body_height = none ? 330.0 : 270.0,
       .width = none ? 520.0 : 880.0,
       .least_lines = std::min<std::int64_t>(tokens, 20) + 5,
       .most_lines = 2 * tokens + 5});
  const double change = largest_size(difference);
  const auto options = [&](const std::string& title, double low, double high, ColorMap map) {
    // A terminal has no room for three colour bars: the title has the largest value.
    return drawing::HeatOptions{.title = in_cells(call) ? title + ", to " + text::general_text(high, 2) : title,
                                .row_label = "query",
                                .column_label = "key",
                                .row_ticks = word_ticks(words),
                                .column_ticks = word_ticks(words),
                                .low = low,
                                .high = high,
                                .map = map,
                                .color_bar = !in_cells(call),
                                .square = true};
  };
  std::vector<drawing::Heat> heats = {without};
  std::vector<drawing::HeatOptions> looks = {options("no encoding", 0.0, top, ColorMap::sequential)};
  if (!none) {
    heats.insert(heats.end(), {with, difference});
    looks.push_back(options("with it", 0.0, top, ColorMap::sequential));
    looks.push_back(options("difference", -change, change, ColorMap::diverging));
  }
  const std::vector<double> alike(heats.size(), 1.0);
  drawing::draw_heats(page.drawing(), drawing::columns_of(page.drawing(), page.body, alike), heats, looks);
  page.figure.data.push_back(heat_table("no encoding", without, "query", "key"));
  page.figure.data.push_back(heat_table("with it", with, "query", "key"));
  return page.with(heat_table("difference", difference, "query", "key"));
}

Figure make_entropy(const FigureCall& call) {
  const Encoding& numbers = *call.numbers;
  EntropyOptions options{.lengths = {}, .head = call.options.head.value_or(0), .seed = call.options.seed};
  const std::int64_t longest = properties::limit_of(numbers).value_or(2048);
  for (std::int64_t n = 1; n <= longest; n *= 2) options.lengths.push_back(n);
  const std::vector<EntropyPoint> points = attention_entropy(numbers.spec(), numbers.parameters(), options);
  const std::vector<EntropyPoint> bare = attention_entropy(NoPosition{}, {}, options);
  std::vector<double> lengths;
  std::vector<double> uniform;
  std::vector<double> entropy;
  std::vector<double> none;
  std::vector<double> near;
  for (std::size_t i = 0; i < points.size(); ++i) {
    lengths.push_back(static_cast<double>(points[i].length));
    uniform.push_back(points[i].uniform);
    entropy.push_back(points[i].entropy);
    none.push_back(bare[i].entropy);
    near.push_back(points[i].near_share);
  }
  FigurePage page = begin_figure(
      call, {.title = "Entropy of attention against length: " + numbers.command_text(),
             .finding = "over " + std::to_string(points.back().length) + " keys the entropy is " +
                        text::fixed_text(entropy.back(), 2) + " nats, without positions " +
                        text::fixed_text(none.back(), 2) + ", of equal weights " + text::fixed_text(uniform.back(), 2) +
                        "; the 16 nearest keys get " + text::fixed_text(100.0 * near.back(), 1) + " %",
             .more = {"scores of random queries and keys with standard deviation 1, the mean of 16 draws; head " +
                      std::to_string(options.head)}});
  const std::array<drawing::Stroke, 3> strokes = {
      drawing::Stroke{.ink = Ink::series3, .width = 1.4, .dashed = true, .label = "equal weights: ln(n)"},
      drawing::Stroke{.ink = Ink::series2, .width = 1.8, .label = "no encoding"},
      drawing::Stroke{.ink = Ink::series1, .width = 2.2, .label = "with it"}};
  drawing::Panel panel(page.drawing(), page.body,
                       {.x = {.label = "keys", .low = 1.0, .high = static_cast<double>(longest), .log = true},
                        .y = {.label = "entropy (nats)", .low = 0.0, .high = uniform.back() * 1.05 + 1e-300},
                        .legend = {strokes[0], strokes[1], strokes[2]}});
  panel.line(lengths, uniform, strokes[0]);
  panel.line(lengths, none, strokes[1]);
  panel.line(lengths, entropy, strokes[2]);
  return page.with({"entropy",
                    {{"keys", lengths},
                     {"equal weights", uniform},
                     {"no encoding", none},
                     {"with it", entropy},
                     {"share of the 16 nearest", near}}});
}

constexpr std::int64_t kMostHeads = 4096;

bool can_attend(const Spec& spec) {
  if (!has_one_axis(spec)) return false;
  return place_of(spec) != Place::bias || make_bias_schedule(spec).heads <= kMostHeads;
}

}  // namespace

std::vector<FigureEntry> attention_figures() {
  return {
      {.info = {.name = "attention",
                .summary = "the attention map of a small layer without and with the encoding, and the difference",
                .look_for = "Where does the encoding move attention? Queries and keys are the same on both sides.",
                .options = "head tokens",
                .default_spec = "alibi:heads=8"},
       .make = make_attention,
       .suits = can_attend,
       .check = [](const FigureSize& size) { check_amount(size, 192.0, "tokens and weights"); }},
      {{.name = "entropy",
        .summary = "how widely attention spreads as the text grows",
        .look_for = "A curve that flattens sees a neighbourhood of fixed size; one that follows ln(n) spreads over "
                    "everything.",
        .options = "head",
        .default_spec = "alibi:heads=8"},
       make_entropy,
       has_one_axis},
  };
}

}  // namespace posenc::figure
