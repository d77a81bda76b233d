// Compares [A, B] with [B, A]: how adding positions changes the vectors, their projections and their scores.
#include <fmt/format.h>

#include <cmath>

#include "cli/commands/commands.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "posenc/error.h"
#include "posenc/files/spec_json.h"
#include "posenc/insight/demonstration.h"

namespace posenc::cli {
namespace {

struct OrderCommand {
  std::int64_t width = 4;
  std::uint64_t seed = 0;
  OutputOptions output;
};

using Row = std::vector<double>;

std::string row_text(const Row& row) {
  std::string text;
  for (const double value : row) text += fmt::format("{:>9.4f}", std::fabs(value) < 5e-5 ? 0.0 : value);
  return text;
}

std::string line(const char* name, const Row& row) { return fmt::format("  {:<18}{}\n", name, row_text(row)); }

std::string score_line(const char* name, const OrderScore& score) {
  const Row parts = {score.content_content, score.content_position, score.position_content, score.position_position};
  return fmt::format("  {:<18}{}  ={:>9.4f}\n", name, row_text(parts), score.score);
}

std::string pair_text(const OrderResult& pair) {
  const OrderSide &ab = pair.a_then_b, &ba = pair.b_then_a;
  const std::int64_t width = pair.spec.width;
  std::string text =
      fmt::format("Two tokens A and B of width {}, with positions from sinusoidal:width={}\n\n", width, width);
  text += line("a", pair.a) + line("b", pair.b) + line("p0", pair.p0) + line("p1", pair.p1);
  text += "\n1. Without positions [A, B] and [B, A] are the same two vectors, a and b.\n\n";
  text += "2. With positions they differ:\n";
  text += line("[A, B]: a + p0", ab.a) + line("        b + p1", ab.b);
  text += line("[B, A]: b + p0", ba.b) + line("        a + p1", ba.a);
  text += "\n3. After a projection W they still differ, because W(a + p) = Wa + Wp:\n";
  for (std::size_t m = 0; m < pair.weights.size(); ++m) text += line(m == 0 ? "W" : "", pair.weights[m]);
  text += "\n";
  text += line("Wa", pair.projected_a) + line("Wp0", pair.projected_p0) + line("Wp1", pair.projected_p1);
  text += line("W(a + p0)", ab.projected_a) + line("Wa + Wp0", ab.parts_a);
  text += line("W(a + p1)", ba.projected_a) + line("Wa + Wp1", ba.parts_a);
  text += "\n4. The score of A with B has four parts. The two that mix content and position depend on the order:\n";
  text += fmt::format("  {:<18}{:>9}{:>9}{:>9}{:>9}\n", "", "a.b", "a.pos(B)", "pos(A).b", "pos.pos");
  text += score_line("[A, B]: p0, p1", ab.score) + score_line("[B, A]: p1, p0", ba.score);
  return text;
}

Json side_json(const OrderSide& side) {
  Json score;
  score.set("content_content", side.score.content_content).set("content_position", side.score.content_position);
  score.set("position_content", side.score.position_content).set("position_position", side.score.position_position);
  score.set("score", side.score.score);
  Json result;
  result.set("a", side.a).set("b", side.b).set("projected_a", side.projected_a).set("projected_b", side.projected_b);
  return result.set("score", score);
}

void write_pair_json(const OutputOptions& output, const OrderResult& pair) {
  Json::Array matrix;
  for (const Row& row : pair.weights) matrix.push_back(row);
  write_json(output, {{"demo", "order"},
                      {"spec", to_json(Spec(pair.spec))},
                      {"a", pair.a},
                      {"b", pair.b},
                      {"p0", pair.p0},
                      {"p1", pair.p1},
                      {"weights", matrix},
                      {"a_then_b", side_json(pair.a_then_b)},
                      {"b_then_a", side_json(pair.b_then_a)}});
}

int run(const OrderCommand& options) {
  const std::string format = choose_format(options.output, {"text", "json"});
  if (options.width % 2 != 0) {
    fail(ErrorKind::usage, fmt::format("--width must be even but got {}", options.width));
  }
  const OrderResult pair = demonstrate_order(options.width, options.seed);
  if (format == "json") {
    write_pair_json(options.output, pair);
  } else {
    write_text(options.output, pair_text(pair));
  }
  return 0;
}

}  // namespace

void add_demo_order(Command& app) {
  const auto options = std::make_shared<OrderCommand>();
  Command command = app.command("order", "Show step by step how adding positions makes [A, B] and [B, A] differ",
                                "  posenc demo order\n  posenc demo order --width 6 --seed 3 --format json");
  command.add("--width", options->width, "width of the embeddings, an even number").within(2, 16).show_default();
  command.add("--seed", options->seed, "another seed gives other numbers (default: 0)");
  add_output(command, options->output, "text, json");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
