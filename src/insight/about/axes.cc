// Encodings for positions with several coordinates.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "insight/about/about.h"
#include "insight/properties/input_properties.h"
#include "insight/properties/walk_rows.h"

namespace posenc {
namespace about {
namespace {

std::string place_at(const PositionView& positions, std::int64_t n) {
  std::string text;
  for (std::int64_t a = 0; a < positions.axes; ++a) text += (a > 0 ? "/" : "") + place_text(positions.real(0, n, a));
  return text;
}

bool is_fixed(const Spec& spec) {
  const auto* concat = std::get_if<Concat>(&spec);
  return concat == nullptr || std::all_of(concat->parts.begin(), concat->parts.end(), [](const ConcatPart& part) {
           return std::holds_alternative<Sinusoidal>(part.encoding);
         });
}

KindFacts concat_facts(const Spec&) {
  return {
      .users = "DETR and its successors, MAE, diffusion transformers, tensor2tensor's images, Reformer's axial tables",
      .represents = "absolute positions on several axes",
      .prefers = "near positions have similar rows, on each axis separately",
      .past_length = "Sinusoidal parts continue past the trained length, learned ones end with their tables.",
      .order_of_terms = "The order of coordinates differs: DETR has [row | column], MAE and diffusers [column | row]."};
}

KindFacts fourier_facts(const Spec&) {
  return {
      .users =
          "NeRF and Fourier features (Tancik et al., 2020), SAM's prompts, timm's images, noise levels of diffusion",
      .represents = "absolute positions on several axes",
      .prefers = "near positions have similar rows; the frequencies set the scale",
      .past_length = "It is defined everywhere, but coordinates outside the trained range have new angles.",
      .order_of_terms = "The angle is a sum over the axes, so each pair varies along one direction of the plane."};
}

// All rows in double, [places][width].
std::vector<double> rows_of(const InputLook& look) {
  std::vector<double> rows(static_cast<std::size_t>(look.walk.count * look.width));
  fill_rows(look.rows, look.walk, make_view(rows.data(), {look.walk.count, look.width}));
  return rows;
}

Property within_bounds(const InputLook& look, const std::vector<double>& rows) {
  const auto [least, most] = std::minmax_element(rows.begin(), rows.end());
  const auto place = [&](auto at) { return place_at(look.positions, (at - rows.begin()) / look.width); };
  return {.name = "bounded",
          .title = "values stay within bounds",
          .verdict = Verdict::holds,
          .finding = "values from " + short_text(*least) + " (position " + place(least) + ") to " + short_text(*most) +
                     " (position " + place(most) + ")",
          .numbers = {{"smallest", *least}, {"largest", *most}}};
}

Property unique_places(const InputLook& look, const std::vector<double>& rows) {
  constexpr double kSmallest = 1e-9;
  double nearest = std::numeric_limits<double>::infinity();
  std::int64_t first = 0, second = 0;
  const std::int64_t count = std::min<std::int64_t>(look.walk.count, 1024);
  for (std::int64_t n = 0; n < count; ++n) {
    for (std::int64_t m = n + 1; m < count; ++m) {
      const double apart = squared_distance(rows.data() + n * look.width, rows.data() + m * look.width, look.width);
      if (apart >= nearest) continue;
      nearest = apart;
      first = n;
      second = m;
    }
  }
  if (count < 2) return needs_positions({.name = "unique", .title = "no two positions have the same row"});
  const double distance = std::sqrt(nearest);
  return {.name = "unique",
          .title = "no two positions have the same row",
          .verdict = judge(false, distance > kSmallest),
          .finding = "the closest of " + several(count * (count - 1) / 2, "pair") + ": positions " +
                     place_at(look.positions, first) + " and " + place_at(look.positions, second) + ", at distance " +
                     residual_text(distance),
          .numbers = {{"distance", distance}}};
}

// How much the dot product of two rows varies among positions with the same offset.
Property offset_only(const InputLook& look, const std::vector<double>& rows) {
  if (look.walk.count < 2) {
    return needs_positions(
        {.name = "distance_only", .title = "the dot product of two rows depends only on the offset"});
  }
  std::map<std::vector<double>, std::pair<double, double>> seen;  // offset -> smallest and largest product
  const std::int64_t count = std::min<std::int64_t>(look.walk.count, 256);
  double apart = 0.0;
  for (std::int64_t n = 0; n < count; ++n) {
    for (std::int64_t m = n; m < count; ++m) {
      std::vector<double> offset;
      for (std::int64_t a = 0; a < look.positions.axes; ++a) {
        offset.push_back(look.positions.real(0, m, a) - look.positions.real(0, n, a));
      }
      const double product = dot(rows.data() + n * look.width, rows.data() + m * look.width, look.width);
      auto& [low, high] = seen.try_emplace(offset, product, product).first->second;
      low = std::min(low, product);
      high = std::max(high, product);
      apart = std::max(apart, high - low);
    }
  }
  const double room = look.tolerance * static_cast<double>(look.width);
  return {.name = "distance_only",
          .title = "the dot product of two rows depends only on the offset",
          .verdict = apart <= room ? Verdict::holds : Verdict::does_not_hold,
          .finding = "it varies by " + residual_text(apart) + " among positions with the same offset",
          .numbers = {{"largest", apart}}};
}

Spec sized_concat(const Encoding& numbers) {
  Spec spec = numbers.spec();
  auto* concat = std::get_if<Concat>(&spec);
  if (concat == nullptr) return spec;
  std::size_t next = 0;
  for (ConcatPart& part : concat->parts) {
    auto* learned = std::get_if<Learned>(&part.encoding);
    if (learned == nullptr) continue;
    learned->rows = numbers.tables()[next].shape[0];
    learned->width = numbers.tables()[next++].shape[1];
  }
  return spec;
}

std::vector<Property> axes_properties(const Encoding& numbers, const CheckOptions& options) {
  const InputLook look = look_at(numbers, options);
  std::vector<Property> list;
  if (look.observed) list.push_back(matching_rows(look, numbers));
  const std::vector<double> rows = rows_of(look);
  list.push_back(within_bounds(look, rows));
  list.push_back(unique_places(look, rows));
  list.push_back(offset_only(look, rows));
  list.push_back(mixing_property(look, is_fixed(numbers.spec()) ? 1.0 : 0.02));
  if (look.observed) return list;
  std::int64_t learned = 0;
  for (const ConstView& table : numbers.tables()) learned += table.shape[0] * table.shape[1];
  list.push_back(parameters(learned));
  list.push_back(memory(sized_concat(numbers), std::max<std::int64_t>(options.positions.count, 1)));
  return list;
}

KindFormula concat_formula(const Concat& spec) {
  Formula parts(Formula::Form::list, "|", {});
  for (std::size_t i = 0; i < spec.parts.size(); ++i) {
    const std::string axis = std::to_string(spec.parts[i].axis), name = "E" + std::to_string(i);
    parts.parts.push_back(call(name.c_str(), {("p_" + axis).c_str()}));
  }
  return {.lines = {equation(call("PE", {"p"}), parts)}};
}

KindFormula fourier_formula(const Fourier& spec) {
  const Formula angle = "t_j";
  const FourierSchedule schedule = make_fourier_schedule(spec);
  const std::int64_t pairs = schedule.pairs();
  KindFormula formula{.lines = pair_equations(spec.order, pairs, "j", spec.multiplier, angle)};
  const Formula sum = series("a", 0, spec.axes - 1, Formula("p_a") * element("inv_freq", {"a", "j"}));
  formula.lines.push_back(equation(angle, spec.axes == 1 ? expanded(sum) : sum));
  formula.lines.push_back(range("j", 0, pairs - 1));
  if (schedule.width > 2 * pairs) formula.note = ", zeros from column " + std::to_string(2 * pairs);
  return formula;
}

Cost concat_cost(const Concat& spec, const CostQuestion& of) {
  Cost cost;
  for (const ConcatPart& part : spec.parts) {
    const Spec encoding = std::visit([](const auto& s) { return Spec(s); }, part.encoding);
    const Cost one = page_of(encoding).cost(encoding, of);
    cost.table_bytes += one.table_bytes;
    cost.stream_bytes += one.stream_bytes;
    cost.parameters += one.parameters;
    cost.flops_per_token += one.flops_per_token;
  }
  return cost;
}

Cost fourier_cost(const Fourier& spec, const CostQuestion& of) {
  const FourierSchedule schedule = make_fourier_schedule(spec);
  return {product({of.positions, schedule.width, of.size}), kPhaseBytes * schedule.pairs() * schedule.axes, 0,
          static_cast<double>(schedule.width)};
}

std::vector<std::string> concat_mistakes(const Concat& spec) {
  return {concat_facts(spec).order_of_terms + " Both have the same shape, so nothing complains about the wrong one.",
          "Reformer's axial positions are learned absolute tables, not relative positions."};
}

// The base of the first sinusoidal part, or the published one.
double base_of(const Concat& spec) {
  for (const ConcatPart& part : spec.parts) {
    if (const auto* sinusoidal = std::get_if<Sinusoidal>(&part.encoding)) return sinusoidal->base;
  }
  return Sinusoidal{}.base;
}

void add_side_by_side(Sheet& sheet, double base) {
  Draw draw = sheet.draw("side by side");
  const Sinusoidal part = plain_sinusoidal(2, base);
  const double y = draw.real(1, 5), x = draw.real(6, 9);
  std::vector<double> row = row_of(part, y);
  const std::vector<double> second = row_of(part, x);
  row.insert(row.end(), second.begin(), second.end());
  std::vector<Mistake> mistakes = angle_mistakes([&](const RowValue& value) {
    return std::vector{value(y, 0), value(y, 1), value(x, 0), value(x, 1)};
  });
  mistakes.push_back({"the two axes are swapped; the row comes first", {row[2], row[3], row[0], row[1]}});
  sheet.ask("axes/side by side", {{"y", y}, {"x", x}}, row, mistakes);
}

void add_sum_of_axes(Sheet& sheet) {
  Draw draw = sheet.draw("sum of axes");
  const double y = draw.real(1, 4), x = draw.real(1, 4), f = draw.tenths(2, 9), g = draw.tenths(2, 9);
  const double angle = y * f + x * g;
  sheet.ask("axes/sum of axes", {{"y", y}, {"x", x}, {"f", f}, {"g", g}, {"angle", decimals_text(angle, 5)}},
            {std::sin(angle), std::cos(angle)},
            {{"the sines were added; add the angles first",
              {std::sin(y * f) + std::sin(x * g), std::cos(y * f) + std::cos(x * g)}},
             {"sine and cosine are swapped; the sine comes first", {std::cos(angle), std::sin(angle)}},
             {"angles were taken in degrees; they are in radians",
              {std::sin(angle * std::numbers::pi / 180.0), std::cos(angle * std::numbers::pi / 180.0)}},
             {"the two axes are swapped; the row comes first", {std::sin(x * f + y * g), std::cos(x * f + y * g)}}});
}

void add_places(Sheet& sheet, std::int64_t axes) {
  Draw draw = sheet.draw("swapped axes");
  sheet.ask_choice("axes/swapped axes", draw);
  draw = sheet.draw("count of rows");
  const std::int64_t height = draw.between(10, 20), width = draw.between(21, 40);
  sheet.ask("axes/count of rows",
            {{"height", height},
             {"width", width},
             {"places", height * width},
             {"axes", text_of(axes) + (axes == 1 ? " axis" : " axes")}},
            {static_cast<double>(height + width)},
            {{"this is one row per patch", {static_cast<double>(height * width)}},
             {"each table has one row per row or column of the image", {static_cast<double>(2 * (height + width))}}});
  add_permutation_question(sheet);
}

void concat_questions(const Concat& spec, Sheet& sheet) {
  add_places(sheet, axes_of(Spec(spec)));
  add_side_by_side(sheet, base_of(spec));
  add_row_question(sheet, Level::medium, plain_sinusoidal(4, base_of(spec)));
  add_long_context_question(sheet);
}

void fourier_questions(const Fourier& spec, Sheet& sheet) {
  add_places(sheet, spec.axes);
  add_sum_of_axes(sheet);
  add_side_by_side(sheet, Sinusoidal{}.base);
  add_long_context_question(sheet);
}

}  // namespace
}  // namespace about

constinit const properties::KindPage Concat::page = {.facts = about::concat_facts,
                                                     .formula = spec::of_kind<about::concat_formula>,
                                                     .properties = about::axes_properties,
                                                     .figures = "heatmap map",
                                                     .cost = spec::of_kind<about::concat_cost>,
                                                     .explain = spec::of_kind<explanation::explain_concat>,
                                                     .mistakes = spec::of_kind<about::concat_mistakes>,
                                                     .questions = spec::of_kind<about::concat_questions>};

constinit const properties::KindPage Fourier::page = {.facts = about::fourier_facts,
                                                      .formula = spec::of_kind<about::fourier_formula>,
                                                      .properties = about::axes_properties,
                                                      .figures = "heatmap map",
                                                      .cost = spec::of_kind<about::fourier_cost>,
                                                      .explain = spec::of_kind<explanation::explain_fourier>,
                                                      .questions = spec::of_kind<about::fourier_questions>};

}  // namespace posenc
