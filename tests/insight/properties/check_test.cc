// Verdicts of posenc/insight/check.h: every kind answers, and numbers that break a promise are found out.
#include "posenc/insight/check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include "posenc/axial.h"
#include "posenc/reference.h"
#include "support/expect_error.h"

namespace posenc::check_test {
namespace {

std::vector<Spec> every_kind() {
  return {
      Sinusoidal{.width = 16},
      Sinusoidal{.width = 7},
      Sinusoidal{.width = 8, .first = 1, .zero_position = 3},
      Learned{.past_end = PastEnd::error},
      Learned{.width = 8, .rows = 20, .past_end = PastEnd::interpolate, .first = 2, .length = 40},
      Hybrid{.fixed = {.width = 8}, .learned = {.past_end = PastEnd::clamp}},
      Rotary{.head_dim = 16},
      Rotary{.head_dim = 16, .layout = Layout::interleaved_to_half, .rotary_dim = 8, .attention_factor = 1.5},
      Rotary{.head_dim = 8, .axes = 2, .axis_of_pair = {0, 0, 1, 1}},
      Rotary{.head_dim = 8, .precision = Precision::reference},
      mae_sine(8, ImageOrder::yx),
      Concat{.parts = {{1, Learned{.width = 3, .rows = 5, .past_end = PastEnd::error}}, {2, Sinusoidal{.width = 3}}}},
      Fourier{.axes = 3, .inv_freq = {1.0, 0.0, 0.5, 0.25, 0.0, 2.0}, .multiplier = 2.0},
      NoPosition{},
      Clipped{.heads = 2, .max_distance = 4},
      T5{.heads = 2},
      Alibi{.heads = 3},
      Alibi{.heads = 2, .form = AlibiForm::key_position},
      Kerple{.heads = 2},
      Kerple{.heads = 2, .kernel = KerpleKernel::power},
      Fire{.heads = 2},
      Sandwich{.heads = 2, .width = 16},
      MatrixBias{.heads = 2},
      Shaw{.head_dim = 8, .left = 4, .right = 2},
      TransformerXl{.heads = 2, .head_dim = 4, .width = 8},
      Window{.left = 7, .right = 0},
      Chunked{.size = 8},
      Pope{.head_dim = 8},
      Pope{.head_dim = 6, .axes = 2, .sections = {4, 2}},
      Xpos{.head_dim = 8},
      QueryTemperature{}};
}

const Property* find(const std::vector<Property>& properties, const std::string& name) {
  for (const Property& property : properties) {
    if (property.name == name) return &property;
  }
  return nullptr;
}

std::string verdict(const std::vector<Property>& properties, const std::string& name) {
  const Property* property = find(properties, name);
  if (property == nullptr) return "missing";
  return std::string(to_text(property->verdict)) +
         (property->until ? " " + std::to_string(static_cast<std::int64_t>(*property->until)) : "");
}

std::string verdict(const Spec& spec, const std::string& name, const CheckOptions& options = {}) {
  return verdict(check({spec}, options), name);
}

TEST(Check, EveryKindAnswersAndViolatesNothing) {
  std::set<std::string> kinds_seen;
  for (const Spec& spec : every_kind()) {
    kinds_seen.insert(std::string(kind_of(spec)));
    const std::vector<Property> properties = check({spec}, {.train_length = 64});
    EXPECT_GE(properties.size(), 4U) << to_text(spec);
    std::set<std::string> names;
    for (const Property& property : properties) {
      EXPECT_NE(property.verdict, Verdict::violated)
          << to_text(spec) << ": " << property.name << " " << property.finding;
      EXPECT_EQ(property.until.has_value(), property.verdict == Verdict::holds_to) << to_text(spec) << property.name;
      EXPECT_FALSE(property.title.empty() || property.finding.empty()) << to_text(spec) << property.name;
      EXPECT_TRUE(names.insert(property.name).second) << property.name << " twice";
    }
    const KindFacts facts = kind_facts(spec);
    EXPECT_FALSE(facts.formula.empty() || facts.users.empty() || facts.past_length.empty()) << to_text(spec);
    EXPECT_EQ(facts.formula_mathml.rfind("<math ", 0), 0U) << to_text(spec);
    EXPECT_TRUE(facts.formula_mathml.ends_with("</math>")) << to_text(spec);
  }
  EXPECT_EQ(kinds_seen.size(), std::variant_size_v<Spec>);
}

// Every element is closed by its own end, in order.
TEST(Check, FormulasAreWellFormed) {
  for (const Spec& spec : every_kind()) {
    const std::string text = kind_facts(spec).formula_mathml;
    std::vector<std::string> open;
    for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
      const std::string tag = text.substr(at + 1, text.find_first_of(" >", at) - at - 1);
      if (tag[0] != '/') {
        open.push_back(tag);
        continue;
      }
      ASSERT_FALSE(open.empty()) << text;
      EXPECT_EQ(tag.substr(1), open.back()) << text;
      open.pop_back();
    }
    EXPECT_TRUE(open.empty()) << text;
  }
}

TEST(Check, FormulasHaveTheNumbersOfTheSpec) {
  EXPECT_EQ(kind_facts(Sinusoidal{.width = 64}).formula,
            "PE(p, 2i) = sin(p / 10000^(2i/64)), PE(p, 2i+1) = cos(p / 10000^(2i/64))");
  EXPECT_EQ(kind_facts(Sinusoidal{.width = 8,
                                  .base = 500.0,
                                  .spacing = Spacing::half,
                                  .first = 1,
                                  .order = Order::cos_halves,
                                  .multiplier = 2.0})
                .formula,
            "PE(p, i) = 2 cos((p + 1) / 500^(i/3)), PE(p, i+4) = 2 sin((p + 1) / 500^(i/3))");
  EXPECT_NE(kind_facts(Rotary{.head_dim = 128, .base = 500000.0}).formula.find("p 500000^(-2i/128)"),
            std::string::npos);
  EXPECT_NE(kind_facts(Alibi{.heads = 8}).formula.find("-m_h |i - j|, m_h = 2^(-8h/8), h = 1 to 8"), std::string::npos);
}

TEST(Check, VerdictsThatAreKnown) {
  const std::vector<Property> sinusoidal = check({Sinusoidal{.width = 64}}, {});
  EXPECT_EQ(verdict(sinusoidal, "bounded"), "holds");
  EXPECT_EQ(verdict(sinusoidal, "unique"), "holds");
  EXPECT_EQ(verdict(sinusoidal, "positions_held"), "holds to 256");
  EXPECT_EQ(verdict(sinusoidal, "smooth"), "holds");
  EXPECT_EQ(verdict(sinusoidal, "shift_linear"), "holds");
  EXPECT_EQ(verdict(sinusoidal, "monotone"), "holds to 5");
  EXPECT_EQ(verdict(sinusoidal, "past_length"), "holds to 2047");
  EXPECT_EQ(verdict(Sinusoidal{.width = 128}, "monotone"), "holds to 11");
  EXPECT_EQ(verdict(Sinusoidal{.width = 4}, "past_length"), "holds");  // 628.3 positions per turn at most
  EXPECT_EQ(verdict(Sinusoidal{.width = 7}, "shift_linear"), "does not hold");
  EXPECT_EQ(verdict(Sinusoidal{.width = 4, .inv_freq = {0.0, 0.0}}, "unique"), "does not hold");
  EXPECT_EQ(verdict(Learned{.rows = 100, .past_end = PastEnd::error, .first = 2}, "past_length"), "holds to 97");
  EXPECT_EQ(verdict(Learned{.past_end = PastEnd::clamp}, "shift_linear"), "does not hold");
  EXPECT_EQ(verdict(Rotary{.head_dim = 64}, "norm_kept"), "holds");
  EXPECT_EQ(verdict(Rotary{.head_dim = 64, .attention_factor = 1.2}, "norm_kept"), "does not hold");
  EXPECT_EQ(verdict(Rotary{.head_dim = 64}, "monotone"), "holds to 5");
  EXPECT_EQ(verdict(Rotary{.head_dim = 64}, "composes"), "holds");
  EXPECT_EQ(verdict(Rotary{.head_dim = 64, .attention_factor = 1.2}, "composes"), "does not hold");
  EXPECT_EQ(verdict(Rotary{.head_dim = 64, .layout = Layout::interleaved_to_half}, "composes"), "does not hold");
  EXPECT_EQ(verdict(Rotary{.head_dim = 64, .attention_factor = 1.2}, "precision"), "holds");
  EXPECT_EQ(verdict(Rotary{.head_dim = 64, .precision = Precision::reference}, "precision").rfind("holds to ", 0), 0U);
  const std::vector<Property> zero = check({Sinusoidal{.width = 8, .zero_position = 0}}, {});
  EXPECT_EQ(verdict(zero, "shift_linear"), "does not hold");
  EXPECT_EQ(verdict(zero, "distance_only"), "does not hold");
  EXPECT_NE(find(zero, "shift_linear")->finding.find("except at position 0, where the row is zero"), std::string::npos);
  EXPECT_NE(find(zero, "shift_linear")->command.find("--positions 1 "), std::string::npos);
  EXPECT_EQ(find(zero, "mixing")->numbers[4].second, 0.0);
  EXPECT_EQ(verdict(Rotary{.head_dim = 64, .precision = Precision::reference}, "relative"), "does not hold");
  EXPECT_EQ(verdict(Alibi{.heads = 8}, "bounded"), "does not hold");
  EXPECT_EQ(verdict(Alibi{.heads = 8, .form = AlibiForm::key_position}, "relative"), "holds");
  EXPECT_EQ(verdict(Alibi{.heads = 8}, "entropy"), "holds");
  EXPECT_EQ(verdict(NoPosition{}, "entropy"), "does not hold");
  EXPECT_EQ(verdict(T5{.heads = 2, .direction = T5Direction::causal}, "past_length"),
            "holds to 112");  // 113 is in the last
  EXPECT_EQ(verdict(Fire{.heads = 2}, "relative"), "does not hold");
  EXPECT_EQ(verdict(Chunked{.size = 64}, "relative"), "does not hold");
  EXPECT_EQ(verdict(Window{.left = 31, .right = 0}, "past_length"), "holds to 31");
  // Trained on 2048 without the scaling: four times as far with it.
  EXPECT_EQ(verdict(Rotary{.head_dim = 16, .scaling = LinearScaling{4.0}}, "past_length"), "holds to 8191");
  EXPECT_EQ(verdict(Rotary{.head_dim = 16, .scaling = Yarn{.factor = 4.0, .original_positions = 2048}}, "past_length"),
            "holds to 8191");
  EXPECT_EQ(verdict(Rotary{.head_dim = 16, .scaling = Ntk{4.0}}, "past_length"), "holds to 6720");
  EXPECT_EQ(verdict(Rotary{.head_dim = 16}, "past_length"), "holds to 2047");
  EXPECT_EQ(verdict(Sandwich{.heads = 2, .width = 64}, "decays"), "holds to 7");
}

double number(const std::vector<Property>& properties, const std::string& name, const std::string& key) {
  for (const auto& [found, value] : find(properties, name)->numbers) {
    if (found == key) return value;
  }
  return NAN;
}

Array array_of(std::vector<std::int64_t> shape, const std::vector<double>& numbers) {
  Array array{DType::f64, std::move(shape), std::vector<std::byte>(numbers.size() * sizeof(double))};
  std::memcpy(array.data.data(), numbers.data(), array.data.size());
  return array;
}

TEST(Check, NumbersThatAreKnown) {
  const std::vector<double> values = {0.5, 0.25, -3.0};
  const Encoding clipped =
      make_encoding(Clipped{.heads = 1, .max_distance = 1}, {.parameters = {{"table", array_of({3, 1}, values)}}});
  const std::vector<Property> both_sides = check(clipped, {});
  EXPECT_EQ(number(both_sides, "bounded", "smallest"), -3.0);
  EXPECT_EQ(number(both_sides, "bounded", "largest"), 0.5);
  EXPECT_EQ(number(check({Clipped{.heads = 8, .max_distance = 16}}, {}), "memory", "stream_bytes"), 1056.0);
  EXPECT_EQ(number(check({MatrixBias{.heads = 1}}, {.positions = PositionView::range(0, 9)}), "memory", "stream_bytes"),
            16384.0);
  EXPECT_EQ(verdict(Window{.left = 100}, "symmetric"), "does not hold");  // far beyond what a block of positions shows
  EXPECT_NE(kind_facts(Rotary{.head_dim = 8, .layout = Layout::half_negative}).formula.find("t = -p "),
            std::string::npos);
  EXPECT_EQ(kind_facts(Hybrid{.fixed = {.width = 8}, .learned = {.past_end = PastEnd::clamp}})
                .past_length.find("cannot be distinguished"),
            std::string::npos);
}

TEST(Check, DrawnNumbersAreSaidToBe) {
  const std::vector<Property> drawn = check({Learned{.past_end = PastEnd::error}}, {});
  EXPECT_NE(find(drawn, "unique")->finding.find("not given"), std::string::npos);
  const std::vector<double> table = {0, 1, 2, 3, 2, 1};
  const Encoding given = make_encoding(Learned{.past_end = PastEnd::error}, {.table = array_of({3, 2}, table)});
  const std::vector<Property> own = check(given, {});
  EXPECT_EQ(find(own, "unique")->finding.find("not given"), std::string::npos);
  EXPECT_EQ(verdict(own, "past_length"), "holds to 2");
}

// --- Numbers of another engine.

struct Observed {
  std::vector<float> table;
  std::int64_t rows, width;

  ConstView view() const { return make_view(table.data(), {rows, width}); }
};

Observed table_of(const Sinusoidal& spec, std::int64_t start, std::int64_t rows) {
  Observed observed{{}, rows, spec.width};
  std::vector<double> row(static_cast<std::size_t>(spec.width));
  for (std::int64_t p = start; p < start + rows; ++p) {
    reference::sinusoidal_row(spec, static_cast<double>(p), row.data());
    observed.table.insert(observed.table.end(), row.begin(), row.end());
  }
  return observed;
}

std::vector<Property> check_observed(const Sinusoidal& spec, const Observed& observed, std::int64_t start = 0) {
  return check({spec}, {.positions = PositionView::range(start, observed.rows), .observed = observed.view()});
}

std::set<std::string> violated(const std::vector<Property>& properties) {
  std::set<std::string> names;
  for (const Property& property : properties) {
    if (property.verdict == Verdict::violated) names.insert(property.name);
  }
  return names;
}

TEST(CheckObserved, RightNumbersPass) {
  const Sinusoidal spec{.width = 16, .first = 1, .order = Order::halves, .multiplier = 3.0};
  EXPECT_EQ(violated(check_observed(spec, table_of(spec, 0, 60))), std::set<std::string>{});
  EXPECT_EQ(violated(check_observed(spec, table_of(spec, 5000, 60), 5000)), std::set<std::string>{});
  const Sinusoidal odd{.width = 7};
  EXPECT_EQ(violated(check_observed(odd, table_of(odd, 0, 60))), std::set<std::string>{});
}

TEST(CheckObserved, SwappedRowsAreFound) {
  const Sinusoidal spec{.width = 16};
  Observed observed = table_of(spec, 0, 60);
  std::swap_ranges(observed.table.begin() + 30 * 16, observed.table.begin() + 31 * 16,
                   observed.table.begin() + 31 * 16);
  const std::vector<Property> properties = check_observed(spec, observed);
  EXPECT_EQ(violated(properties), (std::set<std::string>{"matches", "smooth", "shift_linear", "distance_only"}));
  EXPECT_EQ(find(properties, "matches")->finding.rfind("position 30, channel 0: -0.404 instead of -0.988", 0), 0U)
      << find(properties, "matches")->finding;
}

TEST(CheckObserved, ScaledNumbersLeaveTheirBounds) {
  const Sinusoidal spec{.width = 16};
  Observed observed = table_of(spec, 0, 60);
  for (float& value : observed.table) value *= 1.01f;
  EXPECT_EQ(violated(check_observed(spec, observed)), (std::set<std::string>{"matches", "bounded"}));
}

TEST(CheckObserved, WhatHoldsIsSaidOfTheNumbers) {
  const Sinusoidal spec{.width = 16};
  Observed zeros = table_of(spec, 0, 60), same = zeros;
  std::fill(zeros.table.begin(), zeros.table.end(), 0.0f);
  for (std::size_t i = 0; i < same.table.size(); ++i) same.table[i] = same.table[i % 16 + 16];
  EXPECT_EQ(violated(check_observed(spec, zeros)), (std::set<std::string>{"matches", "unique", "monotone"}));
  EXPECT_EQ(violated(check_observed(spec, same)),
            (std::set<std::string>{"matches", "unique", "shift_linear", "monotone"}));
  const std::vector<Property> seen = check_observed(spec, zeros);
  EXPECT_EQ(find(seen, "distance_only")->numbers[1].second, 0.0);
  for (const char* name : {"positions_held", "past_length", "precision", "memory", "shift_composes"}) {
    EXPECT_EQ(verdict(seen, name), "missing");
  }
}

TEST(CheckObserved, NumbersThatLookTheSameAreToldApart) {
  const Sinusoidal spec{.width = 16};
  Observed observed = table_of(spec, 0, 10);
  observed.table[1] = 1.0001f;
  EXPECT_NE(find(check_observed(spec, observed), "matches")->finding.find("1.0001 instead of 1;"), std::string::npos)
      << find(check_observed(spec, observed), "matches")->finding;
}

TEST(CheckObserved, LearnedNumbersMustBeGiven) {
  const std::vector<double> table(4 * 8 * 8);
  const CheckOptions bias{.positions = PositionView::range(0, 8), .observed = make_view(table.data(), {4, 8, 8})};
  const CheckOptions rows{.positions = PositionView::range(0, 8), .observed = make_view(table.data(), {8, 8})};
  const auto refuse = [](const Spec& spec, const CheckOptions& options) {
    expect_error(ErrorKind::usage, "learned numbers to compare the table with", [&] { check({spec}, options); });
  };
  refuse(T5{.heads = 4}, bias);
  refuse(Clipped{.heads = 4, .max_distance = 4}, bias);
  refuse(Kerple{.heads = 4}, bias);
  refuse(Fire{.heads = 4}, bias);
  refuse(MatrixBias{.heads = 4}, bias);
  refuse(Learned{.width = 8, .rows = 8, .past_end = PastEnd::error}, rows);
  refuse(Hybrid{.fixed = {.width = 8}, .learned = {.rows = 8, .past_end = PastEnd::clamp}}, rows);
}

TEST(CheckObserved, EqualRowsAreFound) {
  const Sinusoidal spec{.width = 16};
  Observed observed = table_of(spec, 0, 400);  // positions held in bf16: 257 becomes 256
  std::copy_n(observed.table.begin() + 256 * 16, 16, observed.table.begin() + 257 * 16);
  const std::vector<Property> properties = check_observed(spec, observed);
  EXPECT_EQ(verdict(properties, "unique"), "violated");
  EXPECT_NE(find(properties, "unique")->finding.find("positions 256 and 257, at distance 0"), std::string::npos);
}

TEST(CheckObserved, Float32AnglesAreFoundWhereTheyGoWrong) {
  const Sinusoidal spec{.width = 64};
  const std::int64_t start = 1000000;
  Observed observed{{}, 50, 64};
  for (std::int64_t p = start; p < start + 50; ++p) {
    for (int i = 0; i < 32; ++i) {
      const float angle = static_cast<float>(p) * static_cast<float>(std::pow(10000.0, -i / 32.0));
      observed.table.push_back(static_cast<float>(std::sin(static_cast<double>(angle))));
      observed.table.push_back(static_cast<float>(std::cos(static_cast<double>(angle))));
    }
  }
  const std::set<std::string> names = violated(check_observed(spec, observed, start));
  EXPECT_TRUE(names.contains("matches"));
  EXPECT_TRUE(names.contains("shift_linear"));
  EXPECT_FALSE(names.contains("bounded"));
  const auto finding = [&] { return find(check_observed(spec, observed, start), "matches")->finding; };
  EXPECT_NE(finding().find("float32 angles would explain"), std::string::npos) << finding();
  observed.table[7 * 64 + 63] += 0.01f;  // the slowest pair: its angle is too small to be off so far
  EXPECT_EQ(finding().find("float32 angles"), std::string::npos) << finding();
}

TEST(CheckObserved, RotaryTables) {
  const Rotary spec{.head_dim = 8, .base = 100.0, .attention_factor = 1.25};
  std::vector<double> table;
  for (int p = 0; p < 20; ++p) {
    for (const bool sine : {false, true}) {
      for (int i = 0; i < 4; ++i) {
        const double angle = p * std::pow(100.0, -i / 4.0);
        table.push_back(1.25 * (sine ? std::sin(angle) : std::cos(angle)));
      }
    }
  }
  const CheckOptions options{.positions = PositionView::range(0, 20), .observed = make_view(table.data(), {20, 8})};
  EXPECT_EQ(violated(check({spec}, options)), std::set<std::string>{});
  table[8 * 3 + 1] = 0.5;
  EXPECT_EQ(violated(check({spec}, options)), (std::set<std::string>{"composes", "matches", "norm_kept", "relative"}));
  for (std::size_t n = 0; n < 20; ++n) std::copy_n(&table[8 * n], 4, &table[8 * n + 4]);
  const std::set<std::string> cosines_twice = violated(check({spec}, options));
  for (const char* name : {"composes", "matches", "norm_kept", "relative"}) EXPECT_TRUE(cosines_twice.contains(name));
}

TEST(CheckObserved, Biases) {
  std::vector<float> table;
  for (int h = 1; h <= 2; ++h) {
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) table.push_back(static_cast<float>(-std::exp2(-4.0 * h) * std::abs(i - j)));
    }
  }
  const CheckOptions options{.positions = PositionView::range(0, 6), .observed = make_view(table.data(), {2, 6, 6})};
  EXPECT_EQ(violated(check({Alibi{.heads = 2}}, options)), std::set<std::string>{});
  table[36 + 7] = -1.0f;
  const std::vector<Property> broken = check({Alibi{.heads = 2}}, options);
  EXPECT_EQ(violated(broken), (std::set<std::string>{"bounded", "matches", "relative"}));
  EXPECT_EQ(find(broken, "matches")->finding.rfind("position 1, key 1: -1 instead of 0", 0), 0U);
  table[36 + 7] = 0.0f;
  for (float& value : table) value = -value;
  EXPECT_EQ(violated(check({Alibi{.heads = 2}}, options)), (std::set<std::string>{"bounded", "decays", "matches"}));
  std::vector<double> window(9 * 9, 0.0);
  for (std::size_t q = 0; q < 9; ++q) {
    for (std::size_t k = 0; k + 3 < q; ++k) window[9 * q + k] = -INFINITY;
  }
  const CheckOptions mask{.positions = PositionView::range(0, 9), .observed = make_view(window.data(), {1, 9, 9})};
  EXPECT_EQ(violated(check({Window{.left = 3}}, mask)), std::set<std::string>{});
  table[2] = 3.0f;
  EXPECT_TRUE(violated(check({Alibi{.heads = 2}}, options)).contains("symmetric"));
}

TEST(CheckObserved, WhatDoesNotFitIsRefused) {
  const Sinusoidal spec{.width = 16};
  Observed observed = table_of(spec, 0, 10);
  const auto with = [&](const Spec& any, std::int64_t count, const ConstView& view) {
    check({any}, {.positions = PositionView::range(0, count), .observed = view});
  };
  expect_error(ErrorKind::bad_input, "must have 9 rows, one per position, but is [10, 16]",
               [&] { with(spec, 9, observed.view()); });
  expect_error(ErrorKind::usage, "needs the positions", [&] { with(spec, 0, observed.view()); });
  expect_error(ErrorKind::bad_input, "must have 12 columns, one per channel, but is [10, 16]",
               [&] { with(Sinusoidal{.width = 12}, 10, observed.view()); });
  expect_error(ErrorKind::bad_input, "must have 10 columns, one per channel, but is [10, 16]; it may be transposed",
               [&] { with(Sinusoidal{.width = 10}, 16, observed.view()); });
  expect_error(ErrorKind::bad_input, "must be [rows, 16], one per channel, but is [16]",
               [&] { with(spec, 10, observed.view()[0]); });
  expect_error(ErrorKind::bad_input, "must have 8 columns, the cosines of all pairs and then their sines",
               [&] { with(Rotary{.head_dim = 8}, 10, observed.view()); });
  expect_error(ErrorKind::bad_input, "[2, 10, 10]", [&] { with(Alibi{.heads = 2}, 10, observed.view()); });
  expect_error(ErrorKind::usage, "no numbers to compare", [&] { with(Shaw{8, 2, 2}, 10, observed.view()); });
  expect_error(ErrorKind::usage, "none has no numbers to compare", [&] { with(NoPosition{}, 10, observed.view()); });
  observed.table[5 * 16 + 2] = NAN;
  expect_error(ErrorKind::bad_input, "channel 2 at position 5", [&] { with(spec, 10, observed.view()); });
  expect_error(ErrorKind::usage, "train_length must be from 1", [&] { check({spec}, {.train_length = 0}); });
  const std::vector<std::int64_t> pairs = {0, 1, 2, 3};
  PositionView two_axes = PositionView::of(pairs.data(), 2);
  two_axes.axes = 2;
  two_axes.token_stride = 2;
  expect_error(ErrorKind::usage, "one axis", [&] { check({spec}, {.positions = two_axes}); });
}

// A single position has no neighbour and no distance.
TEST(Check, OnePositionIsTooFewForPropertiesOfTwo) {
  const std::int64_t place = 3;
  const CheckOptions options{.positions = PositionView::of(&place, 1)};
  const std::vector<std::pair<Spec, std::vector<const char*>>> cases = {
      {Sinusoidal{.width = 8}, {"unique"}},
      {Fourier{.inv_freq = {1.0, 0.5}}, {"unique", "distance_only"}},
      {Rotary{.head_dim = 8}, {"monotone"}},
      {Pope{.head_dim = 8}, {"monotone"}},
      {Alibi{.heads = 2}, {"relative", "decays", "symmetric"}}};
  for (const auto& [spec, names] : cases) {
    const std::vector<Property> properties = check({spec}, options);
    for (const char* name : names) {
      SCOPED_TRACE(std::string(kind_of(spec)) + ", " + name);
      EXPECT_EQ(verdict(properties, name), "not measured");
      EXPECT_EQ(find(properties, name)->finding, "needs at least 2 positions");
    }
    for (const char* name : names) EXPECT_NE(verdict(check({spec}, {}), name), "not measured");
  }
}

}  // namespace
}  // namespace posenc::check_test
