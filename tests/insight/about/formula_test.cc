// Whether the formula that is printed of a kind is what is computed: it is evaluated and compared.
#include "insight/properties/formula.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "insight/properties/formulas.h"
#include "posenc/input_rows.h"
#include "posenc/insight/explain.h"
#include "posenc/pope.h"
#include "posenc/query_temperature.h"
#include "posenc/reference.h"
#include "posenc/schedule.h"
#include "posenc/score_term.h"
#include "posenc/xpos.h"

namespace posenc::formula_test {
namespace {

using namespace properties;  // NOLINT: formulas are written with its operators

TEST(Formula, TextHasAsFewParenthesesAsItTakes) {
  const Formula a = "a", b = "b", c = "c";
  EXPECT_EQ(plain_text(a + b - c), "a + b - c");
  EXPECT_EQ(plain_text(a - (b - c)), "a - (b - c)");
  EXPECT_EQ(plain_text((a + b) * c), "(a + b) c");
  EXPECT_EQ(plain_text(-(a * b)), "-a b");
  EXPECT_EQ(plain_text(-a * b / c), "-a b / c");
  EXPECT_EQ(plain_text(a / (b * c)), "a / (b c)");
  EXPECT_EQ(plain_text(a / (b / c)), "a / (b / c)");
  EXPECT_EQ(plain_text(a * (b / c)), "a (b / c)");
  EXPECT_EQ(plain_text(power(a + b, -2 * c / 4)), "(a + b)^(-2c/4)");
  EXPECT_EQ(plain_text(power(a, power(b, c))), "a^(b^c)");
  EXPECT_EQ(plain_text(power(-2, b)), "(-2)^b");
  EXPECT_EQ(plain_text(power(2, Formula(-8) / 4)), "2^(-8/4)");
  EXPECT_EQ(plain_text(call("abs", {a - b}) + call("max", {a, 0})), "|a - b| + max(a, 0)");
  EXPECT_EQ(plain_text(a + -3), "a - 3");
  EXPECT_EQ(plain_text(0 + 1 * a / 1), "a");
  EXPECT_EQ(plain_text(1 + 0 * a + b * 0 + power(c, 0)), "1 + 1");
  EXPECT_EQ(plain_text(a * 0.5 * power(10, b)), "a x 0.5 x 10^b");
  EXPECT_EQ(plain_text(equation(call("f", {2 * a + 1}), 2 * a + 1)), "f(2a+1) = 2a + 1");
  EXPECT_EQ(plain_text(range("i", 0, 31)), "i = 0 to 31");
  EXPECT_EQ(plain_text(range("i", 0, 0)), "i = 0");
  EXPECT_EQ(plain_text((series("k", 0, a - 1, b * c) + 1) / 2), "(sum over k = 0 to a-1 of b c + 1) / 2");
}

TEST(Formula, NumbersTakeThePlaceOfSymbols) {
  const Formula bias = -Formula("p") * call("ln", {1 + Formula("a") * "d"});
  EXPECT_EQ(plain_text(bias), "-p ln(1 + a d)");
  EXPECT_EQ(plain_text(with(bias, {{"p", 1.2}, {"a", 0.3}, {"d", 4.0}})), "-1.2 ln(1 + 0.3 x 4)");
  EXPECT_EQ(plain_text(with(bias, {{"p", 1.0}, {"a", 1.0}, {"d", 4.0}})), "-1 ln(1 + 1 x 4)");
  EXPECT_EQ(plain_text(with(power(10, 2 * Formula("k") / 4), {{"k", 3.0}})), "10^(6/4)");
  EXPECT_EQ(plain_text(expanded(series("k", 1, 2, power("x", "k")) - 2)), "x^1 + x^2 - 2");
  EXPECT_NEAR(value_of({.lines = {bias}}, {{"p", 1.2}, {"a", 0.3}, {"d", 4.0}}), -1.2 * std::log(2.2), 1e-15);
  EXPECT_TRUE(std::isnan(value_of({.lines = {bias}}, {{"p", 1.2}})));
}

TEST(Formula, Mathml) {
  EXPECT_EQ(
      mathml({.lines = {equation("m_h", power(2, -8 * Formula("h") / 4))}}),
      "<math xmlns=\"http://www.w3.org/1998/Math/MathML\" display=\"block\"><mrow><msub><mi>m</mi><mi>h</mi></msub>"
      "<mo>=</mo><msup><mrow><mn>2</mn></mrow><mrow><mo>-</mo><mn>8</mn><mi>h</mi><mo>/</mo><mn>4</mn></mrow></msup>"
      "</mrow></math>");
  const std::string fraction = mathml({.lines = {(Formula("a") + "b") / call("floor", {"c"})}});
  EXPECT_NE(fraction.find("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mrow><mrow><mo>\xe2\x8c\x8a</mo>"),
            std::string::npos)
      << fraction;
}

TEST(Formula, MathmlHasItsWordsToo) {
  const Formula cases(Formula::Form::cases, "", {"a", relation("<", {"a", 2}), "b"});
  const std::string text = mathml({.lead = "where ", .lines = {cases}, .note = ", a < b & c"});
  // Browsers trim spaces at the ends of words, but not those that do not break.
  for (const char* part : {"<mrow><mtext>where\xc2\xa0</mtext><mi>a</mi><mtext>\xc2\xa0if\xc2\xa0</mtext>",
                           "<mtext>, else\xc2\xa0</mtext><mi>b</mi>", "<mtext>, a &lt; b &amp; c</mtext></mrow>"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
  // s(...) is a function of other formulas.
  const std::string score = mathml({.lines = {call("score", {"i"})}});
  EXPECT_NE(score.find("<mi>score</mi>"), std::string::npos) << score;
}

// One line of a formula, with the others as its definitions.
double value_of_line(KindFormula formula, std::size_t line, const Symbols& symbols) {
  std::swap(formula.lines[0], formula.lines[line]);
  return value_of(formula, symbols);
}

void put_list(Symbols& symbols, const std::string& name, const std::vector<double>& numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) symbols[name + "[" + std::to_string(i) + "]"] = numbers[i];
}

TEST(KindFormula, OfSinusoidalRows) {
  const std::vector<Sinusoidal> specs = {
      {.width = 8},
      {.width = 7, .spacing = Spacing::half, .first = 2, .order = Order::cos_halves, .multiplier = 2.5},
      {.width = 7, .spacing = Spacing::even_width, .exponent_factor = 1.5, .frequency_scale = 0.25, .first = -1},
      {.width = 2, .spacing = Spacing::half, .order = Order::halves},
      {.width = 6, .frequency_scale = 3.0, .inv_freq = {1.0, 0.5, 0.1}, .order = Order::cos_interleaved}};
  for (const Sinusoidal& spec : specs) {
    const KindFormula formula = formula_of(spec);
    for (const double p : {1.0, 7.5, 499.0}) {
      std::vector<double> row(static_cast<std::size_t>(spec.width));
      reference::sinusoidal_row(spec, p, row.data());
      std::size_t covered = 0;
      for (std::int64_t i = 0; i < (spec.width + 1) / 2; ++i) {
        Symbols symbols = {{"p", p}, {"i", static_cast<double>(i)}};
        put_list(symbols, "inv_freq", spec.inv_freq);
        for (const std::size_t line : {std::size_t{0}, std::size_t{1}}) {
          const KindFormula column{.lines = {formula.lines[line].parts[0].parts[1]}};
          const auto at = static_cast<std::size_t>(value_of(column, symbols));
          if (at >= row.size()) continue;
          EXPECT_NEAR(value_of_line(formula, line, symbols), row[at], 1e-12) << plain_text(formula) << " at " << p;
          ++covered;
        }
      }
      EXPECT_EQ(covered, row.size()) << plain_text(formula);
    }
  }
}

TEST(KindFormula, OfLearnedAndHybridRows) {
  const std::vector<double> table = {0.5, -0.25, 3.0, 2.0, -1.5, 0.75};
  Symbols symbols = {{"i", 0.0}};
  put_list(symbols, "table", table);
  for (const Learned& spec : {Learned{.past_end = PastEnd::error, .first = 2},
                              Learned{.past_end = PastEnd::error, .multiplier = 2.0, .normalize = Normalize::l2}}) {
    for (const double p : {0.0, 1.0, 3.0}) {
      symbols["p"] = p;
      double row = 0.0, fixed[2] = {};
      reference::learned_row(spec, table, 1, p, &row);
      EXPECT_NEAR(value_of(formula_of(spec), symbols), row, 1e-15);
      const Hybrid hybrid{.fixed = {.width = 2, .first = 1}, .learned = spec};
      reference::sinusoidal_row(hybrid.fixed, p, fixed);
      EXPECT_NEAR(value_of(formula_of(hybrid), symbols), fixed[0] + row, 1e-15);
    }
  }
}

TEST(KindFormula, OfPartsAndSumsOverAxes) {
  const Sinusoidal part{.width = 4};
  EXPECT_EQ(plain_text(formula_of(Concat{.parts = {{.axis = 1, .encoding = part}, {.axis = 0, .encoding = part}}})),
            "PE(p) = [E0(p_1) | E1(p_0)]");
  const Fourier spec{.axes = 2, .inv_freq = {1.0, 0.5, 0.25, 2.0}};
  Symbols symbols = {{"p_0", 3.0}, {"p_1", 5.0}, {"j", 1.0}};
  for (int a = 0; a < 2; ++a) {
    for (int j = 0; j < 2; ++j) {
      symbols["inv_freq[" + std::to_string(a) + "][" + std::to_string(j) + "]"] =
          spec.inv_freq[static_cast<std::size_t>(2 * a + j)];
    }
  }
  EXPECT_EQ(value_of_line(formula_of(spec), 2, symbols), 3.0 * 0.5 + 5.0 * 2.0);
}

// The first two lines say in which column the sine and the cosine of each pair are.
TEST(KindFormula, OfFourierHasTheOrderOfItsRows) {
  for (const Order order : {Order::interleaved, Order::cos_interleaved, Order::halves, Order::cos_halves}) {
    const Fourier spec{.inv_freq = {1.0, 0.5, 0.2}, .width = 8, .order = order, .multiplier = 2.0};
    const FourierSchedule schedule = make_fourier_schedule(spec);
    std::vector<double> row(8);
    const double p = 3.0;
    fill_rows(FourierRows{&schedule}, PositionView::of(&p, 1), make_view(row.data(), {1, 8}));
    KindFormula formula = formula_of(spec);
    EXPECT_EQ(formula.note, ", zeros from column 6");
    for (std::size_t j = 0; j < 3; ++j) {
      const Symbols symbols = {{"p", p}, {"j", static_cast<double>(j)}, {"t_j", p * spec.inv_freq[j]}};
      for (std::size_t line = 0; line < 2; ++line) {
        const Formula& column = formula.lines[line].parts[0].parts[1];  // of PE(p, column)
        const auto at = static_cast<std::size_t>(value_of({.lines = {column}}, symbols));
        const double value = value_of({.lines = {formula.lines[line].parts[1]}}, symbols);
        EXPECT_NEAR(value, row[at], 1e-12) << plain_text(formula) << ", pair " << j;
      }
    }
  }
}

TEST(KindFormula, OfRotations) {
  const std::vector<Rotary> specs = {
      {.head_dim = 8},
      {.head_dim = 8, .base = 500.0, .layout = Layout::half_negative, .frequency_scale = 0.5},
      {.head_dim = 8, .inv_freq = {1.0, 0.5, 0.2, 0.1}},
      {.head_dim = 8, .scaling = LinearScaling{.factor = 4.0}}};
  for (const Rotary& spec : specs) {
    const std::vector<double> head = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0};
    std::vector<double> turned(head.size());
    const double p = 37.0;
    reference::rotate_head(spec, {&p, 1}, head.data(), turned.data());
    for (std::int64_t i = 0; i < 4; ++i) {
      const reference::RotaryPair pair = reference::rotary_pair(spec, i);
      Symbols symbols = {{"p", p},
                         {"i", static_cast<double>(i)},
                         {"w_i", reference::rotary_inv_freq(spec, 0, i)},
                         {"a", head[static_cast<std::size_t>(pair.read_first)]},
                         {"b", head[static_cast<std::size_t>(pair.read_second)]}};
      put_list(symbols, "inv_freq", spec.inv_freq);
      const KindFormula formula = formula_of(spec);
      EXPECT_NEAR(value_of_line(formula, 0, symbols), turned[static_cast<std::size_t>(pair.write_first)], 1e-12)
          << plain_text(formula);
      EXPECT_NEAR(value_of_line(formula, 1, symbols), turned[static_cast<std::size_t>(pair.write_second)], 1e-12)
          << plain_text(formula);
    }
  }
}

// What a bias learns, as the reference takes it and as symbols.
struct Learnt {
  std::vector<reference::Numbers> numbers;
  Symbols symbols;

  void scalar(const char* name, const char* symbol, const std::vector<double>& value) {
    numbers.push_back({name, {1}, value});
    symbols[symbol] = value[0];
  }
  void array(const char* name, std::vector<std::int64_t> shape, const std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      const std::string inner = shape.size() == 2 ? "[" + std::to_string(at % shape[1]) + "]" : "";
      symbols[name + ("[" + std::to_string(shape.size() == 2 ? at / shape[1] : at) + "]") + inner] = values[i];
    }
    numbers.push_back({name, std::move(shape), values});
  }
};

void expect_bias(const Spec& spec, const Learnt& learnt, std::int64_t head, double h) {
  const KindFormula formula = formula_of(spec);
  for (const double i : {0.0, 3.0, 11.0, 40.0}) {
    for (const double j : {0.0, 1.0, 3.0, 9.0, 39.0, 60.0}) {
      Symbols symbols = learnt.symbols;
      symbols.insert({{"i", i}, {"j", j}, {"h", h}});
      const double expected = reference::bias(spec, learnt.numbers, head, i, j);
      EXPECT_NEAR(value_of(formula, symbols), expected, 1e-12 * (1.0 + std::fabs(expected)))
          << plain_text(formula) << " at " << i << ", " << j;
    }
  }
}

TEST(KindFormula, OfBiasesWithoutParameters) {
  for (const std::int64_t head : {0, 3}) {
    const double h = static_cast<double>(head) + 1.0;
    for (const AlibiForm form : {AlibiForm::symmetric, AlibiForm::causal, AlibiForm::key_position}) {
      expect_bias(Alibi{.heads = 4, .bias_max = 6.0, .form = form}, {}, head, h);
      expect_bias(Alibi{.heads = 5, .rule = SlopeRule::geometric, .form = form}, {}, head, h);
    }
    expect_bias(Sandwich{.heads = 4, .width = 8}, {}, head, h);
    expect_bias(Sandwich{.heads = 4, .width = 6, .base = 20.0, .first = 0, .direction = DistanceRule::causal}, {}, head,
                h);
  }
}

TEST(KindFormula, OfBiasesThatAreLearned) {
  const std::vector<double> p = {1.2}, a = {0.3}, table = {0.5, -1.0, 2.0, 0.25, 7.0, 0.1, 0.2, 0.3};
  for (const KerpleKernel kernel : {KerpleKernel::log, KerpleKernel::power}) {
    Learnt learnt;
    learnt.scalar("p", "p_h", p);
    learnt.scalar("a", "a_h", a);
    expect_bias(Kerple{.heads = 1, .kernel = kernel}, learnt, 0, 1.0);
    expect_bias(Kerple{.heads = 1, .kernel = kernel, .direction = DistanceRule::causal}, learnt, 0, 1.0);
  }
  const std::vector<double> offsets(table.begin(), table.begin() + 5);
  Learnt clipped;
  clipped.array("table", {5, 1}, offsets);
  expect_bias(Clipped{.heads = 1, .max_distance = 2}, clipped, 0, 0.0);
  expect_bias(Clipped{.heads = 1, .max_distance = 2, .offset = Offset::query_minus_key}, clipped, 0, 0.0);
  Learnt buckets;
  buckets.array("table", {8, 1}, table);
  expect_bias(T5{.heads = 1, .buckets = 8, .max_distance = 30}, buckets, 0, 0.0);
  expect_bias(T5{.heads = 1, .buckets = 8, .max_distance = 30, .direction = T5Direction::causal}, buckets, 0, 0.0);
}

TEST(KindFormula, OfFire) {
  const std::vector<double> c = {0.7}, factor = {1.5}, in_weight = {1.0, -2.0, 0.5}, in_bias = {0.1, 1.5, -0.2};
  const std::vector<double> out_weight = {0.5, -1.0, 2.0, 1.0, 1.0, 1.0}, out_bias = {0.3, -0.4};
  Learnt learnt;
  learnt.scalar("c", "c", c);
  learnt.scalar("length_factor", "length_factor", factor);
  learnt.array("in_weight", {3, 1}, in_weight);
  put_list(learnt.symbols, "in_weight", in_weight);  // a column of one number
  learnt.array("in_bias", {3}, in_bias);
  learnt.array("out_weight", {2, 3}, out_weight);
  learnt.array("out_bias", {2}, out_bias);
  expect_bias(Fire{.heads = 2, .width = 3, .length = 16.0}, learnt, 0, 0.0);
  expect_bias(Fire{.heads = 2, .width = 3, .length = 16.0}, learnt, 1, 1.0);
}

TEST(KindFormula, OfMasks) {
  const std::vector<Spec> masks = {Window{.left = 2, .right = 1},
                                   Window{.right = 0},
                                   Window{.left = 3},
                                   Chunked{.size = 4},
                                   Chunked{.size = 4, .direction = DistanceRule::symmetric},
                                   Window{},
                                   Chunked{.size = 1}};
  for (const Spec& spec : masks) {
    const KindFormula formula = formula_of(spec);
    for (int i = 0; i < 12; ++i) {
      for (int j = 0; j < 12; ++j) {
        bool seen = true;
        for (std::size_t line = 0; line < formula.lines.size(); ++line) {
          seen = seen && value_of_line(formula, line, {{"i", i}, {"j", j}}) == 1.0;
        }
        EXPECT_EQ(seen, reference::bias(spec, {}, 0, i, j) == 0.0) << plain_text(formula) << i << " " << j;
      }
    }
  }
  EXPECT_EQ(plain_text(formula_of(Window{.left = 2, .right = 0})), "query i sees key j where i - 2 <= j <= i");
  EXPECT_EQ(plain_text(formula_of(Window{.left = 2})), "query i sees key j where i - 2 <= j");
  EXPECT_EQ(plain_text(formula_of(Window{})), "query i sees every key j");
  EXPECT_EQ(plain_text(formula_of(Chunked{.size = 1})), "query i sees key j where floor(i) <= j <= i");
}

TEST(KindFormula, OfScores) {
  const Shaw shaw{.head_dim = 1, .left = 2, .right = 1, .term = ShawTerm::query_and_key};
  Symbols symbols = {{"scale", 0.5}, {"q_i", 3.0}, {"k_j", 2.0}, {"i", 7.0}};
  const std::vector<double> rows = {0.1, 0.2, 0.3, 0.4};
  for (int offset = -2; offset <= 1; ++offset) {
    symbols["r[" + std::to_string(offset) + "]"] = rows[static_cast<std::size_t>(offset + 2)];
  }
  for (const std::int64_t j : {0, 5, 6, 7, 8, 20}) {
    symbols["j"] = static_cast<double>(j);
    const double row = rows[static_cast<std::size_t>(shaw_row(shaw, 7, j))];
    EXPECT_NEAR(value_of(formula_of(shaw), symbols), 0.5 * (6.0 + 3.0 * row + 2.0 * row), 1e-15) << j;
  }
  EXPECT_EQ(plain_text(formula_of(NoPosition{})), "score(i, j) = q_i . k_j, without positions");
  EXPECT_EQ(value_of(formula_of(NoPosition{}), symbols), 6.0);
  EXPECT_EQ(plain_text(formula_of(TransformerXl{.heads = 1, .head_dim = 2, .width = 4})),
            "score(i, j) = scale ((q_i + u) . k_j + (q_i + v) . W s(i - j)), where s is a sinusoidal row of width 4, "
            "base 10000");
  EXPECT_EQ(plain_text(formula_of(MatrixBias{.heads = 1})), "bias_h(i, j) = values[h][i][j]");
}

TEST(KindFormula, OfWhatActsOnQueries) {
  for (const QueryTemperature& spec : {QueryTemperature{.length = 100}, QueryTemperature{.scale = 0.3, .first = 0},
                                       QueryTemperature{.length = 10, .form = TemperatureForm::power}}) {
    for (const double p : {0.0, 99.0, 12345.0}) {
      EXPECT_NEAR(value_of(formula_of(spec), {{"p", p}}), query_factor(spec, p), 1e-14);
    }
  }
  const Xpos xpos{.head_dim = 8, .scale_base = 16.0, .center = 5.0};
  const XposSchedule schedule = make_schedule(xpos);
  for (std::int64_t i = 0; i < 4; ++i) {
    const Symbols symbols = {{"p", 21.0}, {"i", static_cast<double>(i)}, {"q_i", 1.0}, {"k_i", 1.0}};
    EXPECT_NEAR(value_of_line(formula_of(xpos), 0, symbols), schedule.factor(i, 21.0), 1e-14);
    EXPECT_NEAR(value_of_line(formula_of(xpos), 1, symbols), 1.0 / schedule.factor(i, 21.0), 1e-14);
  }
}

TEST(KindFormula, OfPope) {
  const std::vector<double> q = {0.5, -1.0, 2.0, 0.25}, k = {1.0, 0.75, -0.5, 3.0};
  for (const Magnitude magnitude : {Magnitude::softplus, Magnitude::relu}) {
    const Pope spec{.head_dim = 4, .base = 100.0, .magnitude = magnitude};
    const PopeAngles angles(spec);
    std::vector<double> turned_q(8), turned_k(8);
    const double t = 9.0, s = 2.0;
    pope_queries(make_view(q.data(), {1, 1, 4}), PositionView::of(&t, 1), angles,
                 make_view(turned_q.data(), {1, 1, 8}));
    pope_keys(make_view(k.data(), {1, 1, 4}), PositionView::of(&s, 1), angles, make_view(turned_k.data(), {1, 1, 8}));
    double score = 0.0;
    for (std::size_t c = 0; c < turned_q.size(); ++c) score += turned_q[c] * turned_k[c];
    Symbols symbols = {{"t", t}, {"s", s}, {"delta_c", 0.0}};
    for (std::size_t c = 0; c < q.size(); ++c) {
      symbols["q_" + std::to_string(c)] = q[c];
      symbols["k_" + std::to_string(c)] = k[c];
    }
    EXPECT_NEAR(value_of(formula_of(spec), symbols), score, 1e-12) << plain_text(formula_of(spec));
  }
}

// Fields that change what is computed change what is printed.
TEST(KindFormula, SaysWhatFieldsChange) {
  EXPECT_EQ(plain_text(formula_of(Alibi{.heads = 4, .biased_heads = 2})),
            "bias_h(i, j) = -m_h |i - j|, m_h = 2^(-8h/2), h = 1 to 2; the other heads have no bias");
  const Shaw shaw{.head_dim = 2, .left = 2, .right = 1, .past = PastTable::zero};
  EXPECT_EQ(plain_text(formula_of(shaw)),
            "score(i, j) = scale (q_i . k_j + q_i . r[j - i]), where r is 0 beyond -2 to 1");
  const TransformerXl xl{.heads = 1, .head_dim = 2, .width = 4, .clamp_distance = 7};
  EXPECT_NE(plain_text(formula_of(xl)).find("s(min(i - j, 7))"), std::string::npos) << plain_text(formula_of(xl));
  EXPECT_EQ(plain_text(formula_of(Learned{.past_end = PastEnd::interpolate, .length = 9})),
            "PE(p) = table[p], between rows of the table, which is stretched to 9 positions");
  EXPECT_EQ(plain_text(formula_of(QueryTemperature{.scale = 0.0})), "q at p is multiplied by f = 1");
  EXPECT_EQ(plain_text(formula_of(QueryTemperature{.scale = 0.0, .form = TemperatureForm::power})),
            "q at p is multiplied by f = 1");
  EXPECT_EQ(plain_text(formula_of(Kerple{.heads = 1})),
            "bias_h(i, j) = -p_h ln(1 + a_h d), d = |i - j|; parameters below 0.01 count as 0.01");
  EXPECT_EQ(plain_text(formula_of(Kerple{.heads = 1, .kernel = KerpleKernel::power})),
            "bias_h(i, j) = -a_h d^p_h, d = |i - j|; parameters below 0.01 count as 0.01, p_h above 2 as 2");
  const std::string turn = plain_text(formula_of(Rotary{.head_dim = 8, .frequency_scale = 0.5}));
  EXPECT_NE(turn.find("t = p x 0.5 x 10000^(-2i/8)"), std::string::npos) << turn;
}

// Definitions that have a line each are not told in words as well.
TEST(KindFormula, IsExplainedOnce) {
  const Positions at = Positions::range(0, 3);
  for (const Spec& spec : {Spec(T5{.heads = 1}), Spec(Fire{.heads = 1})}) {
    const std::vector<std::string> lines = explain_pairs(spec, {.queries = at, .keys = at})[0].lines;
    KindFormula formula = formula_of(spec);
    formula.note.clear();
    EXPECT_EQ(lines[0], plain_text(formula));
    EXPECT_EQ(lines[1], plain_text(formula.details[0]));
  }
}

}  // namespace
}  // namespace posenc::formula_test
