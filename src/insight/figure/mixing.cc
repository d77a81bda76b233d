// The effect of adding positions to embeddings: token, position and sum, their angles, the same word at two positions,
// and the four parts of a score.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/text/number_text.h"
#include "insight/figure/figure_call.h"
#include "insight/properties/expected_mixing.h"
#include "posenc/error.h"
#include "posenc/insight/analysis.h"
#include "posenc/score_parts.h"

namespace posenc::figure {
namespace {

double input_std(const FigureCall& call) { return call.options.input_std.value_or(0.5); }

void check_tokens(const FigureSize& size) { check_amount(size, 1024.0, "the tokens"); }

std::vector<double> sum_of(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> sum;
  for (std::size_t i = 0; i < a.size(); ++i) sum.push_back(a[i] + b[i]);
  return sum;
}

double degrees(double cosine_of_angle) {
  return std::acos(std::clamp(cosine_of_angle, -1.0, 1.0)) * 180.0 / 3.14159265358979323846;
}

Figure make_mixing(const FigureCall& call) {
  const Encoding& numbers = *call.numbers;
  const double at = call.options.position.value_or(0.0);
  const double std = input_std(call);
  const std::vector<double> position = row_at(numbers, at);
  const std::vector<double> token = normal_numbers(1, numbers.width(), std, call.options.seed);
  const std::vector<double> sum = sum_of(token, position);
  const Mixing mean = properties::expected_mixing(position, std);
  const double angle = degrees(cosine(token, sum));
  const std::int64_t shown = std::min<std::int64_t>(numbers.width(), 20);
  FigurePage page = begin_figure(
      call,
      {.title = "Token, position and their sum: " + numbers.command_text() + " at position " + drawing::tick_text(at),
       .finding = "norms " + text::fixed_text(norm(token), 2) + " (token), " + text::fixed_text(norm(position), 2) +
                  " (position), " + text::fixed_text(norm(sum), 2) + " (sum); the sum is " +
                  text::fixed_text(angle, 1) + " degrees from the token",
       .note = numbers.width() > shown
                   ? "the first " + std::to_string(shown) + " of " + std::to_string(numbers.width()) + " channels"
                   : "",
       .more = {"one token with normal channels of standard deviation " + text::general_text(std, 4) +
                ", from a seed; over all such tokens the mean angle is " + text::fixed_text(mean.angle, 1) +
                " degrees, the middle 95 % from " + text::fixed_text(mean.angle_low, 1) + " to " +
                text::fixed_text(mean.angle_high, 1)},
       .body_height = 300.0,
       .least_lines = 16});
  const std::array<drawing::Stroke, 3> strokes = {
      drawing::Stroke{.ink = Ink::series1, .width = 6.0, .label = "token"},
      drawing::Stroke{.ink = Ink::series2, .width = 6.0, .label = "position"},
      drawing::Stroke{.ink = Ink::series3, .width = 6.0, .label = "sum"}};
  const std::array<const std::vector<double>*, 3> rows = {&token, &position, &sum};
  double top = 0.0;
  for (std::int64_t c = 0; c < shown; ++c) {
    for (const auto* row : rows) top = std::max(top, std::fabs((*row)[static_cast<std::size_t>(c)]));
  }
  drawing::Panel panel(page.drawing(), page.body,
                       {.x = {.label = "channel", .low = -0.6, .high = static_cast<double>(shown) - 0.4},
                        .y = {.low = -1.08 * top, .high = 1.08 * top},
                        .legend = {strokes[0], strokes[1], strokes[2]}});
  for (std::int64_t c = 0; c < shown; ++c) {
    for (std::size_t i = 0; i < 3; ++i) {
      panel.bar(static_cast<double>(c) + 0.27 * (static_cast<double>(i) - 1.0), (*rows[i])[static_cast<std::size_t>(c)],
                0.25, strokes[i]);
    }
  }
  panel.level(0.0, {.ink = Ink::axis, .width = 1.0});
  return page.with(
      {"channels", {{"channel", counted(numbers.width())}, {"token", token}, {"position", position}, {"sum", sum}}});
}

// An angle for a standard deviation of the embeddings, which sqrt(M) may multiply.
struct AngleAt {
  double std = 1.0, scale = 1.0;
  Mixing mixing = {};
};

// The sizes with which models begin, and the one that was asked for.
std::vector<AngleAt> marked_angles(const FigureCall& call, const std::vector<double>& position) {
  const double root = std::sqrt(static_cast<double>(position.size()));
  std::vector<double> stds = {1.0, 1.0 / root};
  if (call.options.input_std) stds.push_back(*call.options.input_std);
  std::vector<AngleAt> marked;
  for (const double std : stds) {
    for (const double scale : {1.0, root}) {
      marked.push_back({std, scale, properties::expected_mixing(position, std * scale)});
    }
  }
  return marked;
}

// The label of a marked standard deviation, empty beside the others.
std::vector<std::string> marks_of(const std::vector<double>& stds, const std::vector<drawing::Tick>& marks) {
  std::vector<std::string> words;
  for (const double std : stds) {
    const auto found = std::find_if(marks.begin(), marks.end(), [&](const drawing::Tick& mark) {
      return std::fabs(mark.value - std) < 1e-9 * std;
    });
    words.push_back(found == marks.end() ? "" : found->label);
  }
  return words;
}

// From 0.01 to 10, together with the marked ones.
std::vector<double> stds_of(const std::vector<AngleAt>& marked) {
  std::vector<double> stds;
  for (int step = -40; step <= 20; ++step) stds.push_back(std::pow(10.0, step / 20.0));
  for (const AngleAt& point : marked) stds.push_back(point.std);
  std::sort(stds.begin(), stds.end());
  const auto same = [](double a, double b) { return b - a < 1e-9 * b; };
  stds.erase(std::unique(stds.begin(), stds.end(), same), stds.end());
  return stds;
}

Figure make_angle(const FigureCall& call) {
  const Encoding& numbers = *call.numbers;
  const std::vector<double> position = row_at(numbers, call.options.position.value_or(0.0));
  const double root = std::sqrt(static_cast<double>(numbers.width()));
  const std::vector<AngleAt> marked = marked_angles(call, position);
  const std::vector<double> stds = stds_of(marked);
  std::array<std::vector<double>, 2> mean, low, high;
  double top = 95.0;
  for (const double std : stds) {
    for (const std::size_t scaled : {0U, 1U}) {
      const Mixing mixed = properties::expected_mixing(position, scaled == 0 ? std : std * root);
      mean[scaled].push_back(mixed.angle);
      low[scaled].push_back(mixed.angle_low);
      high[scaled].push_back(mixed.angle_high);
      top = std::max(top, mixed.angle_high + 2.0);
    }
  }
  const auto degrees_of = [&](std::size_t i) { return text::fixed_text(marked[i].mixing.angle, 1); };
  FigurePage page =
      begin_figure(call, {.title = "The angle between token and token + position: " + numbers.command_text(),
                          .finding = "embeddings with standard deviation 1 are " + degrees_of(0) +
                                     " degrees from their sum, and times sqrt(M) only " + degrees_of(1) +
                                     (marked[1].mixing.angle < 10.0 ? ": the position is all but lost" : "") +
                                     "; with standard deviation 1/sqrt(M) they are " + degrees_of(2) +
                                     " degrees from it, and times sqrt(M) " + degrees_of(3),
                          .more = {"the mean angle over all tokens, and the middle 95 %; M is the width, " +
                                   std::to_string(numbers.width())},
                          .body_height = 330.0,
                          .least_lines = 16});
  const std::array<drawing::Stroke, 2> strokes = {
      drawing::Stroke{.ink = Ink::series1, .width = 2.0, .label = "as they are"},
      drawing::Stroke{.ink = Ink::series2, .width = 2.0, .label = "times sqrt(M)"}};
  std::vector<drawing::Tick> marks = {{1.0 / root, "1/sqrt(M)"}, {1.0, "1"}};
  if (call.options.input_std)
    marks.push_back({*call.options.input_std, text::general_text(*call.options.input_std, 4)});
  drawing::Panel panel(
      page.drawing(), page.body,
      {.x = {.label = "standard deviation of embeddings", .low = stds.front(), .high = stds.back(), .log = true},
       .y = {.label = "angle (degrees)", .low = 0.0, .high = top},
       .legend = {strokes[0], strokes[1]},
       .marks = marks});
  for (std::size_t i = 0; i < 2; ++i) {
    panel.band(stds, low[i], high[i], {.ink = strokes[i].ink, .opacity = 0.22});
    panel.line(stds, mean[i], strokes[i]);
  }
  for (const AngleAt& point : marked) {
    panel.dots(std::vector<double>{point.std}, std::vector<double>{point.mixing.angle},
               {.ink = strokes[point.scale == 1.0 ? 0 : 1].ink});
  }
  return page.with({"angles",
                    {{"std", stds},
                     {"angle", mean[0]},
                     {"angle low", low[0]},
                     {"angle high", high[0]},
                     {"angle times sqrt(M)", mean[1]},
                     {"low times sqrt(M)", low[1]},
                     {"high times sqrt(M)", high[1]},
                     {"mark", marks_of(stds, marks)}}});
}

Figure make_same_word(const FigureCall& call) {
  const Encoding& numbers = *call.numbers;
  // A short table may end before the default positions.
  const double last = numbers.positions() ? static_cast<double>(*numbers.positions() - 1) : 7.0;
  const double first = call.options.position.value_or(std::min(2.0, std::floor(last / 2.0)));
  const double second = first + call.options.shift.value_or(std::min(5.0, last - first));
  const double std = input_std(call);
  const std::vector<double> word = normal_numbers(1, numbers.width(), std, call.options.seed);
  const std::vector<double> p = row_at(numbers, first);
  const std::vector<double> q = row_at(numbers, second);
  const std::vector<double> a = sum_of(word, p);
  const std::vector<double> b = sum_of(word, q);
  const std::int64_t shown = std::min<std::int64_t>(numbers.width(), 32);
  const std::string at_first = drawing::tick_text(first);
  const std::string at_second = drawing::tick_text(second);
  const std::array<std::pair<std::string, const std::vector<double>*>, 5> rows = {{{"word E", &word},
                                                                                   {"PE(" + at_first + ")", &p},
                                                                                   {"E + PE(" + at_first + ")", &a},
                                                                                   {"PE(" + at_second + ")", &q},
                                                                                   {"E + PE(" + at_second + ")", &b}}};
  drawing::Heat heat{static_cast<std::int64_t>(rows.size()), shown, {}};
  std::vector<std::string> names;
  DataTable data{"rows", {{"channel", counted(numbers.width())}}};
  for (const auto& [name, row] : rows) {
    names.push_back(name);
    heat.values.insert(heat.values.end(), row->data(), row->data() + shown);
    data.columns.push_back({name, *row});
  }
  const double top = largest_size(heat);
  FigurePage page = begin_figure(
      call, {.title = "The same word at two positions: " + numbers.command_text(),
             .finding = "without positions the two vectors are the same (cosine 1); with them the cosine is " +
                        text::fixed_text(cosine(a, b), 3) + ", that of the two positions alone " +
                        text::fixed_text(cosine(p, q), 3),
             .more = {"one word with normal channels of standard deviation " + text::general_text(std, 4) +
                      ", from a seed; the first " + std::to_string(shown) + " channels"},
             .body_height = 230.0,
             .least_lines = 13,
             .most_lines = 18});
  drawing::draw_heat(page.drawing(), page.body, heat,
                     {.column_label = "channel", .row_ticks = word_ticks(names), .low = -top, .high = top});
  page.figure.data.push_back(std::move(data));
  return page.with({"cosines",
                    {{"pair", std::vector<std::string>{"word, word", "position, position", "sum, sum"}},
                     {"cosine", std::vector<double>{1.0, cosine(p, q), cosine(a, b)}}}});
}

// "t0", "t1", ...: the content of a token and its position must not be named alike.
std::vector<drawing::Tick> numbered_ticks(const std::string& letter, std::int64_t count) {
  std::vector<drawing::Tick> ticks;
  for (std::int64_t i = 0; i < count; ++i) ticks.push_back({static_cast<double>(i), letter + std::to_string(i)});
  return ticks;
}

Figure make_parts(const FigureCall& call) {
  const Encoding& numbers = *call.numbers;
  const std::int64_t width = numbers.width();
  const ConstView& content = call.options.content;
  if (content.rank != 0 && (content.rank != 2 || content.shape[1] != width || content.shape[0] > 64)) {
    fail(ErrorKind::usage, "[make_figure] content must be [N, " + std::to_string(width) +
                               "] with N at most 64 but is " + shape_text(content));
  }
  const std::int64_t count = content.rank != 0 ? content.shape[0]
                             : !call.options.tokens.empty()
                                 ? static_cast<std::int64_t>(call.options.tokens.size())
                                 : std::min<std::int64_t>(in_cells(call) ? 6 : 12, numbers.positions().value_or(12));
  if (content.rank != 0 && call.options.input_std) {
    fail(ErrorKind::usage, "[make_figure] input_std is for random embeddings, and these are given");
  }
  std::vector<double> drawn;
  ConstView x = content;
  if (content.rank == 0) {
    drawn = normal_numbers(count, width, input_std(call), call.options.seed, call.options.tokens);
    x = make_view(static_cast<const double*>(drawn.data()), {count, width});
  }
  std::vector<double> p = rows_at(numbers, counted(count));
  const double std = 1.0 / std::sqrt(static_cast<double>(width));
  const std::vector<double> wq = normal_numbers(width, width, std, call.options.seed + 1);
  const std::vector<double> wk = normal_numbers(width, width, std, call.options.seed + 2);
  std::vector<double> parts(static_cast<std::size_t>(4 * count * count));
  score_parts(x, make_view(static_cast<const double*>(p.data()), {count, width}),
              {.heads = 1,
               .query_weight = make_view(wq.data(), {width, width}),
               .key_weight = make_view(wk.data(), {width, width}),
               .softmax_scale = std},
              make_view(parts.data(), {4, 1, count, count}));
  const auto cells = static_cast<std::size_t>(count * count);
  std::array<drawing::Heat, 5> heats;
  for (std::size_t i = 0; i < 5; ++i) heats[i] = {count, count, std::vector<double>(cells, 0.0)};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t c = 0; c < cells; ++c) {
      heats[i].values[c] = parts[i * cells + c];
      heats[4].values[c] += parts[i * cells + c];
    }
  }
  double top = 0.0;
  for (const drawing::Heat& heat : heats) top = std::max(top, largest_size(heat));
  FigurePage page = begin_figure(
      call, {.title = "The four parts of a score: " + numbers.command_text(),
             .finding = "the score of two sums has four parts: content with content, content with position, position "
                        "with content, and position with position, which is the same for every text",
             .more = {"W(x + p) = Wx + Wp, so (x + p).(y + r) = x.y + x.r + p.y + p.r after projection",
                      (call.options.tokens.empty() ? "t0 is the content of token 0, " : "") +
                          std::string("p0 is position 0; the sum has both; ") +
                          (content.rank != 0 ? "random weights from a seed" : "random tokens and weights from a seed")},
             .body_height = 520.0,
             .least_lines = 2 * std::min<std::int64_t>(count, 12) + 10,
             .most_lines = (call.options.plain ? 2 : 4) * count + 10});
  // Whether the query and the key take part in each part of the score with their content or with their position.
  struct Part {
    const char* name;
    bool query_content, key_content;
  };
  constexpr std::array<Part, 4> kParts = {{{"content, content", true, true},
                                           {"content, position", true, false},
                                           {"position, content", false, true},
                                           {"position, position", false, false}}};
  const std::vector<drawing::Tick> tokens = word_ticks(call.options.tokens);
  const std::vector<drawing::Tick> words = tokens.empty() ? numbered_ticks("t", count) : tokens;
  const std::vector<drawing::Tick> places = numbered_ticks("p", count);
  const std::string word = tokens.empty() ? "token" : "word";
  std::vector<Box> boxes;
  std::vector<drawing::HeatOptions> options;
  for (const Box& row : drawing::rows_of(page.drawing(), page.body, {1.0, 1.0})) {
    const std::vector<Box> of_row = drawing::columns_of(page.drawing(), row, {1.0, 1.0, 1.0});
    boxes.insert(boxes.end(), of_row.begin(), of_row.end());
  }
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    const Part& part = kParts[i];
    options.push_back({.title = part.name,
                       .row_label = part.query_content ? "query's " + word : "query's position",
                       .column_label = part.key_content ? "key's " + word : "key's position",
                       .row_ticks = part.query_content ? words : places,
                       .column_ticks = part.key_content ? words : places,
                       .low = -top,
                       .high = top,
                       .color_bar = false,
                       .square = true});
    page.figure.data.push_back(heat_table(part.name, heats[i], "query", "key"));
  }
  options.push_back({.title = "their sum",
                     .row_label = "query",
                     .column_label = "key",
                     .row_ticks = tokens,
                     .column_ticks = tokens,
                     .low = -top,
                     .high = top,
                     .color_bar = false,
                     .square = true});
  page.figure.data.push_back(heat_table("their sum", heats[4], "query", "key"));
  const Box last = boxes.back();
  boxes.pop_back();
  const Box image = drawing::draw_heats(page.drawing(), boxes, {heats.begin(), heats.end()}, std::move(options)).back();
  drawing::draw_color_bar(page.drawing(), {last.x, image.y, 0.0, image.height}, -top, top, ColorMap::diverging);
  return std::move(page.figure);
}

}  // namespace

std::vector<FigureEntry> mixing_figures() {
  return {
      {.info = {.name = "mixing",
                .summary = "a token, a position and their sum, channel by channel",
                .look_for =
                    "The lengths of token and position decide which of them a model can still read from the sum.",
                .options = "position input_std",
                .default_spec = "sinusoidal:width=128"},
       .make = make_mixing,
       .check = check_tokens},
      {.info =
           {.name = "angle",
            .summary =
                "the angle between a token and token + position by the size of embeddings, with and without sqrt(M)",
            .look_for = "Read the curves at the sizes with which models begin: the dashed lines.",
            .options = "position input_std",
            .default_spec = "sinusoidal:width=128"},
       .make = make_angle,
       .check = check_tokens},
      {{.name = "same_word",
        .summary = "the same word at two positions: embedding, positions, sums",
        .look_for = "The two sums differ only by their positions.",
        .options = "position shift input_std",
        .default_spec = "sinusoidal:width=64"},
       make_same_word},
      {.info = {.name = "parts",
                .summary = "the four parts of a score of sums, and the score itself, as heatmaps",
                .look_for = "The fourth part is the same for every text; the first does not depend on positions.",
                .options = "content tokens input_std",
                .default_spec = "sinusoidal:width=64"},
       .make = make_parts,
       .check = [](const FigureSize& size) { check_amount(size, size.width, "the weights"); }},
  };
}

}  // namespace posenc::figure
