#include "posenc/spec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "support/expect_error.h"

namespace posenc::spec_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void expect_refused(const Sinusoidal& spec, const std::string& part) {
  SCOPED_TRACE(part);
  expect_error(ErrorKind::bad_input, "[sinusoidal] " + part, [&] { validate(spec); });
}

void expect_learned_refused(const Learned& spec, const std::string& part) {
  SCOPED_TRACE(part);
  expect_error(ErrorKind::bad_input, "[learned] " + part, [&] { validate(spec); });
}

TEST(Spec, NamesItsKind) {
  EXPECT_EQ(kind_of(Sinusoidal{}), "sinusoidal");
  EXPECT_EQ(kind_of(Learned{}), "learned");
  EXPECT_EQ(kind_of(Hybrid{}), "hybrid");
  EXPECT_EQ(kind_of(Rotary{}), "rotary");
}

constexpr Rotary kConstant{.head_dim = 64, .scaling = LinearScaling{4.0}};
constinit Spec changeable = Alibi{.heads = 8};
static_assert(std::get<LinearScaling>(kConstant.scaling).factor == 4.0);
static_assert(std::is_same_v<std::variant_alternative_t<0, Spec>, Sinusoidal>);
static_assert(std::is_same_v<std::variant_alternative_t<1, const Scaling>, const LinearScaling>);
static_assert(std::variant_size_v<const Spec> == std::variant_size_v<Spec::variant>);
static_assert(std::is_nothrow_move_constructible_v<Spec> && std::is_nothrow_swappable_v<Spec>);

// Spec and Scaling are structs, and used as variants all the same.
TEST(Spec, IsAVariant) {
  Spec spec(std::in_place_type<Learned>);
  EXPECT_TRUE(std::holds_alternative<Learned>(spec));
  spec.emplace<Rotary>().head_dim = 32;
  EXPECT_EQ(std::get_if<Rotary>(&spec)->head_dim, 32);
  EXPECT_THROW(std::get<Learned>(spec), std::bad_variant_access);
  spec = Sinusoidal{.width = 6};
  EXPECT_EQ(std::get<0>(spec).width, 6);
  const Scaling scaling = Yarn{.factor = 2.0};
  const auto both = [](const auto& a, const auto& b) { return std::string(b.kind) + std::to_string(sizeof(a) > 0); };
  EXPECT_EQ(std::visit(both, spec, scaling), "yarn1");
  std::swap(spec, changeable);
  EXPECT_EQ(spec.index(), Spec(Alibi{}).index());
  EXPECT_EQ(std::get<Sinusoidal>(changeable).width, 6);
}

TEST(Spec, CopiesAreIndependentAndMovesKeepTheNumbers) {
  Spec spec = Rotary{.head_dim = 4, .inv_freq = {1.0, 0.5}};
  Spec copy = spec;
  std::get<Rotary>(copy).inv_freq[1] = 0.25;
  EXPECT_EQ(std::get<Rotary>(spec).inv_freq[1], 0.5);
  const Spec moved = std::move(copy);
  EXPECT_EQ(std::get<Rotary>(moved).inv_freq, (std::vector<double>{1.0, 0.25}));
  copy = spec;
  spec = NoPosition{};
  EXPECT_EQ(std::get<Rotary>(copy).inv_freq, (std::vector<double>{1.0, 0.5}));
}

TEST(Validate, TakesTheEdges) {
  validate(Sinusoidal{.width = 1});
  validate(Sinusoidal{.width = 1048576});
  validate(Sinusoidal{.width = 4, .base = 1e-300});
  validate(Sinusoidal{.width = 4, .base = 0.5, .exponent_factor = -2.0, .frequency_scale = 0.0, .multiplier = 0.0});
  validate(Sinusoidal{.width = 4, .first = -2147483647, .zero_position = 2147483647});
  validate(Sinusoidal{.width = 4, .odd = OddWidth::error});
  validate(Sinusoidal{.width = 2, .spacing = Spacing::half, .shift = 1.0});  // one pair: nothing is divided
  validate(Sinusoidal{.width = 4, .spacing = Spacing::half, .shift = -7.5});
  validate(Sinusoidal{.width = 3, .inv_freq = {1.0, -0.5}});
  validate(Sinusoidal{.width = 3, .inv_freq = {0.0}, .odd = OddWidth::zero});
}

TEST(Validate, RefusesWidths) {
  expect_refused({}, "width must be at least 1 but got 0");
  expect_refused({.width = -4}, "width must be at least 1 but got -4");
  expect_refused({.width = 1048577}, "width must be at most 1048576 but got 1048577");
  expect_refused({.width = std::numeric_limits<std::int64_t>::max()}, "width must be at most 1048576 but got 9");
  expect_refused({.width = 5, .odd = OddWidth::error}, "width must be even (odd=error) but got 5");
}

TEST(Validate, RefusesBases) {
  expect_refused({.width = 4, .base = 0.0}, "base must be above 0 but got 0");
  expect_refused({.width = 4, .base = -1.0}, "base must be above 0 but got -1");
  expect_refused({.width = 4, .base = kNan}, "base must be finite but got nan");
  expect_refused({.width = 4, .base = kInf}, "base must be finite but got inf");
}

TEST(Validate, RefusesNumbersThatAreNotFinite) {
  for (const double value : {kNan, kInf, -kInf}) {
    const std::string got = value == kInf ? "inf" : value == -kInf ? "-inf" : "nan";
    expect_refused({.width = 4, .spacing = Spacing::half, .shift = value}, "shift must be finite but got " + got);
    expect_refused({.width = 4, .exponent_factor = value}, "exponent_factor must be finite but got " + got);
    expect_refused({.width = 4, .frequency_scale = value}, "frequency_scale (scale) must be finite but got " + got);
    expect_refused({.width = 4, .multiplier = value}, "multiplier must be finite but got " + got);
    expect_refused({.width = 4, .inv_freq = {1.0, value}}, "inv_freq must be finite but got " + got);
  }
}

TEST(Validate, RefusesPositionsBeyondTheRange) {
  expect_refused({.width = 4, .first = 2147483648}, "first must be at most 2147483647 but got 2147483648");
  expect_refused({.width = 4, .first = -2147483648}, "first must be at least -2147483647 but got -2147483648");
  expect_refused({.width = 4, .zero_position = 2147483648},
                 "zero_position must be at most 2147483647 but got 2147483648");
}

TEST(Validate, RefusesShifts) {
  expect_refused({.width = 4, .shift = 2.0}, "shift is for spacing=half but got 2");
  expect_refused({.width = 4, .spacing = Spacing::even_width, .shift = 0.0}, "shift is for spacing=half but got 0");
  expect_refused({.width = 8, .spacing = Spacing::half, .shift = 4.0},
                 "shift must be below the number of pairs, 4, but got 4");
  expect_refused({.width = 9, .spacing = Spacing::half, .shift = 5.0, .odd = OddWidth::drop},
                 "shift must be below the number of pairs, 5, but got 5");
  expect_refused({.width = 9, .spacing = Spacing::half, .shift = 4.5, .odd = OddWidth::zero},
                 "shift must be below the number of pairs, 4, but got 4.5");
}

TEST(Validate, RefusesFrequenciesThatDoNotFit) {
  expect_refused({.width = 4, .inv_freq = {1.0}}, "inv_freq must have one number per pair, 2, but has 1");
  expect_refused({.width = 5, .inv_freq = {1.0, 0.5}}, "inv_freq must have one number per pair, 3, but has 2");
  expect_refused({.width = 5, .inv_freq = {1, 1, 1}, .odd = OddWidth::zero},
                 "inv_freq must have one number per pair, 2, but has 3");
  const std::string part = "inv_freq replaces base, spacing and exponent_factor: leave them out";
  expect_refused({.width = 4, .base = 5.0, .inv_freq = {1.0, 0.5}}, part);
  expect_refused({.width = 4, .spacing = Spacing::half, .inv_freq = {1.0, 0.5}}, part);
  expect_refused({.width = 4, .exponent_factor = 2.0, .inv_freq = {1.0, 0.5}}, part);
}

TEST(Validate, RefusesEnumsThatAreNone) {
  expect_refused({.width = 4, .order = static_cast<Order>(4)},
                 "order must be one of interleaved, cos_interleaved, halves, cos_halves but got 4");
  expect_refused({.width = 4, .odd = static_cast<OddWidth>(-1)}, "odd must be one of drop, zero, error but got -1");
}

TEST(Validate, TakesTheEdgesOfLearned) {
  validate(Learned{.past_end = PastEnd::error});
  validate(Learned{.width = 1048576, .rows = 2147483647, .past_end = PastEnd::clamp, .first = 2147483646});
  validate(Learned{.rows = 4, .past_end = PastEnd::clamp, .first = 3, .padding_row = 3});
  validate(Learned{.past_end = PastEnd::interpolate, .length = 1, .multiplier = 0.0, .normalize = Normalize::l2});
  validate(Hybrid{{.width = 4}, {.past_end = PastEnd::error}});
  validate(Hybrid{{.width = 4}, {.width = 4, .past_end = PastEnd::error}});
}

TEST(Validate, RefusesLearned) {
  expect_learned_refused({}, "past_end must be chosen: one of error, clamp, interpolate");
  expect_learned_refused({.width = -1, .past_end = PastEnd::error}, "width must be at least 0 but got -1");
  expect_learned_refused({.rows = -1, .past_end = PastEnd::error}, "rows must be at least 0 but got -1");
  expect_learned_refused({.past_end = PastEnd::error, .first = -1}, "first must be at least 0 but got -1");
  expect_learned_refused({.past_end = PastEnd::interpolate}, "past_end=interpolate needs length");
  expect_learned_refused({.past_end = PastEnd::interpolate, .length = 0}, "length must be at least 1 but got 0");
  expect_learned_refused({.past_end = PastEnd::clamp, .length = 4}, "length is for past_end=interpolate but got 4");
  expect_learned_refused({.rows = 4, .past_end = PastEnd::error, .first = 4}, "first must be below rows, 4, but got 4");
  expect_learned_refused({.rows = 4, .past_end = PastEnd::error, .padding_row = 4},
                         "padding_row must be below rows, 4, but got 4");
  expect_learned_refused({.past_end = PastEnd::error, .padding_row = -1}, "padding_row must be at least 0 but got -1");
  expect_learned_refused({.past_end = PastEnd::error, .multiplier = kNan}, "multiplier must be finite but got nan");
  expect_learned_refused({.past_end = PastEnd::error, .normalize = static_cast<Normalize>(2)},
                         "normalize must be one of none, l2 but got 2");
}

// The fields of a part are named with the part.
TEST(Validate, RefusesHybrids) {
  const auto refused = [](const Hybrid& spec, const std::string& part) {
    expect_error(ErrorKind::bad_input, "[hybrid] " + part, [&] { validate(spec); });
  };
  const Learned learned{.past_end = PastEnd::error};
  refused({{}, learned}, "fixed.width must be at least 1 but got 0");
  refused({{.width = 4}, {}}, "learned.past_end must be chosen: one of");
  refused({{.width = 4}, {.width = 5, .past_end = PastEnd::error}},
          "learned.width must be that of the fixed part, 4, but got 5");
  refused({{.width = 4, .shift = 2.0}, learned}, "fixed.shift is for spacing=half but got 2");
  refused({{.width = 4}, {.rows = 2, .past_end = PastEnd::error, .first = 2}}, "learned.first must be below rows, 2");
}

TEST(Kinds, DescribesEveryField) {
  const std::vector<KindInfo> all = kinds();
  const std::vector<std::string> fixed = {"width",    "base",  "spacing", "shift", "exponent_factor", "scale",
                                          "inv_freq", "first", "order",   "odd",   "multiplier",      "zero_position"};
  const std::vector<std::string> learned = {"width",  "rows",       "past_end",  "first",
                                            "length", "multiplier", "normalize", "padding_row"};
  const std::vector<std::string> rotary = {"head_dim",
                                           "base",
                                           "layout",
                                           "rotary_dim",
                                           "partial_rotary_factor",
                                           "rope_offset",
                                           "exponent_dim",
                                           "inv_freq",
                                           "axes",
                                           "sections",
                                           "section_order",
                                           "axis_frequencies",
                                           "axis_of_pair",
                                           "scale",
                                           "attention_factor",
                                           "attention_factor_in",
                                           "precision",
                                           "scaling",
                                           "sequence_length",
                                           "local_base",
                                           "global_every",
                                           "local_scaled",
                                           "layer"};
  std::vector<std::string> hybrid;
  for (const std::string& name : fixed) hybrid.push_back("fixed." + name);
  for (const std::string& name : learned) hybrid.push_back("learned." + name);
  std::vector<std::string> concat = {"0.axis", "0.kind"};  // with one part
  for (const std::string& name : fixed) concat.push_back("0." + name);
  concat.insert(concat.end(), {"axes", "width"});
  const std::vector<std::pair<std::string, std::vector<std::string>>> expected = {
      {"sinusoidal", fixed},
      {"learned", learned},
      {"hybrid", hybrid},
      {"concat", concat},
      {"fourier", {"axes", "inv_freq", "width", "order", "multiplier"}},
      {"rotary", rotary},
      {"none", {}},
      {"clipped", {"heads", "max_distance", "offset", "added"}},
      {"t5", {"heads", "buckets", "max_distance", "direction", "added"}},
      {"alibi", {"heads", "biased_heads", "rule", "bias_max", "form", "precision", "added"}},
      {"kerple", {"heads", "kernel", "direction", "smallest"}},
      {"fire", {"heads", "width", "length", "eps"}},
      {"sandwich", {"heads", "width", "base", "first", "direction"}},
      {"matrix", {"heads", "added"}},
      {"shaw", {"head_dim", "left", "right", "offset", "past", "term"}},
      {"transformer_xl", {"heads", "head_dim", "width", "base", "order", "clamp_distance"}},
      {"window", {"left", "right"}},
      {"chunked", {"size", "direction"}},
      {"pope", {"head_dim", "base", "rotary_dim", "inv_freq", "axes", "sections", "order", "magnitude", "delta_clamp"}},
      {"xpos",
       {"head_dim", "base", "layout", "rotary_dim", "rope_offset", "inv_freq", "gamma", "scale_base", "center"}},
      {"temperature", {"scale", "length", "first", "form"}}};
  ASSERT_EQ(all.size(), expected.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].name, expected[i].first);
    EXPECT_FALSE(all[i].summary.empty());
    std::vector<std::string> names;
    for (const FieldInfo& field : all[i].fields) {
      names.push_back(field.name);
      EXPECT_FALSE(field.type.empty()) << field.name;
      EXPECT_FALSE(field.help.empty()) << field.name;
    }
    EXPECT_EQ(names, expected[i].second);
  }
}

// The default that is shown is the default that is used: giving it changes nothing.
TEST(Kinds, ShowsTheRealDefaults) {
  const std::vector<KindInfo> all = kinds();
  for (const FieldInfo& field : all.at(0).fields) {
    if (field.name == "width") {
      EXPECT_EQ(field.fallback, "");
      continue;
    }
    ASSERT_FALSE(field.fallback.empty()) << field.name;
    EXPECT_EQ(to_text(parse_spec("sinusoidal:width=4," + field.name + "=" + field.fallback)), "sinusoidal:width=4");
  }
  for (const FieldInfo& field : all.at(0).shorthands) {
    EXPECT_EQ(to_text(parse_spec("sinusoidal:width=4," + field.name + "=" + field.fallback)), "sinusoidal:width=4");
  }
}

TEST(Kinds, ShowsTheRealDefaultsInsideAttention) {
  const std::vector<KindInfo> all = kinds();
  for (std::size_t i = 6; i < all.size(); ++i) {
    // What must be given, as 2, which every such field takes.
    std::string shortest = all[i].name;
    for (const FieldInfo& field : all[i].fields) {
      if (!field.fallback.empty()) continue;
      shortest += (shortest == all[i].name ? ":" : ",") + field.name + "=2";
    }
    EXPECT_EQ(to_text(parse_spec(shortest)), shortest);
    for (const FieldInfo& field : all[i].fields) {
      if (field.fallback.empty() || field.fallback == "none") continue;
      const std::string more = shortest + (shortest == all[i].name ? ":" : ",") + field.name + "=" + field.fallback;
      EXPECT_EQ(to_text(parse_spec(more)), shortest) << more;
    }
  }
}

TEST(Kinds, ShowsTheRealDefaultsOfLearned) {
  const std::vector<KindInfo> all = kinds();
  for (const FieldInfo& field : all.at(1).fields) {
    if (field.name == "past_end") {
      EXPECT_EQ(field.fallback, "") << "the caller must choose";
      continue;
    }
    ASSERT_FALSE(field.fallback.empty()) << field.name;
    EXPECT_EQ(to_text(parse_spec("learned:past_end=clamp," + field.name + "=" + field.fallback)),
              "learned:past_end=clamp");
  }
}

TEST(Kinds, ListsWordsAndUnits) {
  const std::vector<KindInfo> all = kinds();
  const auto field = [&](const std::string& name) {
    const auto& fields = all.at(0).fields;
    return *std::find_if(fields.begin(), fields.end(), [&](const FieldInfo& f) { return f.name == name; });
  };
  EXPECT_EQ(field("spacing").type, "width|even_width|half");
  EXPECT_EQ(field("odd").type, "drop|zero|error");
  EXPECT_EQ(field("width").type, "integer");
  EXPECT_EQ(field("base").type, "number");
  EXPECT_EQ(field("inv_freq").type, "list of numbers");
  EXPECT_EQ(field("zero_position").type, "integer or none");
  EXPECT_EQ(field("inv_freq").unit, "radians per position");
  EXPECT_EQ(all.at(0).shorthands.at(1).name, "max_timescale");
}

}  // namespace
}  // namespace posenc::spec_test
