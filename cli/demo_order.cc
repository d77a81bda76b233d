// [A, B] against [B, A]: what adding positions does to the sums, to what a layer makes of them, and to their scores.
#include <fmt/format.h>

#include <cmath>

#include "cli/commands.h"
#include "cli/demo_model.h"
#include "cli/encoding.h"
#include "cli/output.h"
#include "posenc/error.h"
#include "posenc/spec_json.h"
#include "posenc/table.h"

namespace posenc::cli {
namespace {

using Row = std::vector<double>;

// Of one decimal: numbers that can be followed by hand.
std::vector<Row> readable(std::int64_t rows, std::int64_t width, std::uint64_t seed, DemoMatrix which) {
  const Matrix numbers = random_matrix(rows, width, 1.0, seed, which);
  std::vector<Row> result;
  for (std::int64_t n = 0; n < rows; ++n) {
    Row& row = result.emplace_back();
    for (std::int64_t m = 0; m < width; ++m) {
      row.push_back(std::round(static_cast<double>(numbers.row(n)[m]) * 10.0) / 10.0 + 0.0);  // no negative zero
    }
  }
  return result;
}

double dot(const Row& a, const Row& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Row sum(const Row& a, const Row& b) {
  Row result = a;
  for (std::size_t i = 0; i < b.size(); ++i) result[i] += b[i];
  return result;
}

struct Pair {
  Row a, b, p0, p1;
  std::vector<Row> weights;  // W, [M][M]

  Row projected(const Row& x) const {
    Row result;
    for (const Row& row : weights) result.push_back(dot(row, x));
    return result;
  }
};

std::string row_text(const Row& row) {
  std::string text;
  for (const double value : row) text += fmt::format("{:>9.4f}", std::fabs(value) < 5e-5 ? 0.0 : value);
  return text;
}

std::string line(const char* name, const Row& row) { return fmt::format("  {:<18}{}\n", name, row_text(row)); }

// A score of sums, (x + p).(y + r), in its four parts.
std::string score_line(const char* name, const Row& x, const Row& p, const Row& y, const Row& r) {
  const Row parts = {dot(x, y), dot(x, r), dot(p, y), dot(p, r)};
  return fmt::format("  {:<18}{}  ={:>9.4f}\n", name, row_text(parts), dot(sum(x, p), sum(y, r)));
}

std::string pair_text(const Pair& pair, std::int64_t width) {
  const auto& [a, b, p0, p1, weights] = pair;
  std::string text = fmt::format("Two tokens A and B of width {}, positions of sinusoidal:width={}\n\n", width, width);
  text += line("a", a) + line("b", b) + line("p0", p0) + line("p1", p1);
  text += "\n1. Without positions [A, B] and [B, A] are the same two vectors, a and b.\n\n";
  text += "2. With positions they are not:\n";
  text += line("[A, B]: a + p0", sum(a, p0)) + line("        b + p1", sum(b, p1));
  text += line("[B, A]: b + p0", sum(b, p0)) + line("        a + p1", sum(a, p1));
  text += "\n3. A layer that multiplies by W keeps the two apart, for W(a + p) = Wa + Wp:\n";
  for (std::size_t m = 0; m < weights.size(); ++m) text += line(m == 0 ? "W" : "", weights[m]);
  text += "\n";
  text += line("Wa", pair.projected(a)) + line("Wp0", pair.projected(p0)) + line("Wp1", pair.projected(p1));
  text += line("W(a + p0)", pair.projected(sum(a, p0))) + line("Wa + Wp0", sum(pair.projected(a), pair.projected(p0)));
  text += line("W(a + p1)", pair.projected(sum(a, p1))) + line("Wa + Wp1", sum(pair.projected(a), pair.projected(p1)));
  text += "\n4. The score of A with B has four parts; those where content meets position tell the orders apart:\n";
  text += fmt::format("  {:<18}{:>9}{:>9}{:>9}{:>9}\n", "", "a.b", "a.pos(B)", "pos(A).b", "pos.pos");
  text += score_line("[A, B]: p0, p1", a, p0, b, p1) + score_line("[B, A]: p1, p0", a, p1, b, p0);
  return text;
}

Json score_json(const Row& x, const Row& p, const Row& y, const Row& r) {
  Json score;
  score.set("content_content", dot(x, y)).set("content_position", dot(x, r)).set("position_content", dot(p, y));
  score.set("position_position", dot(p, r)).set("score", dot(sum(x, p), sum(y, r)));
  return score;
}

void write_pair_json(const OutputOptions& output, const Pair& pair, const Spec& spec) {
  const auto& [a, b, p0, p1, weights] = pair;
  Json::Array matrix;
  for (const Row& row : weights) matrix.push_back(row);
  const auto side = [&](const Row& at_a, const Row& at_b) {
    Json result;
    result.set("a", sum(pair.a, at_a))
        .set("b", sum(pair.b, at_b))
        .set("projected_a", pair.projected(sum(pair.a, at_a)));
    return result.set("projected_b", pair.projected(sum(pair.b, at_b)))
        .set("score", score_json(pair.a, at_a, pair.b, at_b));
  };
  write_json(output, {{"demo", "order"},
                      {"spec", to_json(spec)},
                      {"a", a},
                      {"b", b},
                      {"p0", p0},
                      {"p1", p1},
                      {"weights", matrix},
                      {"a_then_b", side(p0, p1)},
                      {"b_then_a", side(p1, p0)}});
}

Pair make_pair(const Sinusoidal& spec, std::uint64_t seed) {
  const std::vector<Row> tokens = readable(2, spec.width, seed, kEmbeddings);
  Row rows(static_cast<std::size_t>(2 * spec.width));
  fill_table(make_schedule(spec), PositionView::range(0, 2), make_view(rows.data(), {2, spec.width}));
  const auto middle = rows.begin() + spec.width;
  return {tokens[0], tokens[1], Row(rows.begin(), middle), Row(middle, rows.end()),
          readable(spec.width, spec.width, seed, kProjection)};
}

}  // namespace

int run_demo_order(const OrderOptions& options) {
  const std::string format = choose_format(options.output, {"text", "json"});
  if (options.width % 2 != 0) {
    fail(ErrorKind::usage, fmt::format("--width must be even but got {}", options.width));
  }
  const Sinusoidal spec{.width = options.width};
  const Pair pair = make_pair(spec, whole_number(options.seed, "--seed"));
  if (format == "json") {
    write_pair_json(options.output, pair, spec);
  } else {
    write_text(options.output, pair_text(pair, options.width));
  }
  return 0;
}

}  // namespace posenc::cli
