// The rotary spec: what it takes, what it refuses, and its text and JSON.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "posenc/files/spec_json.h"
#include "posenc/schedule.h"
#include "posenc/spec.h"
#include "support/expect_error.h"

namespace posenc::rotary_spec_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void expect_refused(const Rotary& spec, const std::string& part) {
  SCOPED_TRACE(part);
  expect_error(ErrorKind::bad_input, "[rotary] " + part, [&] { validate(spec); });
  expect_error(ErrorKind::bad_input, "[rotary] " + part, [&] { make_schedule(spec); });
}

Rotary parse(const std::string& text) { return std::get<Rotary>(parse_spec(text)); }

void expect_bad_text(const std::string& text, const std::string& part) {
  SCOPED_TRACE(text);
  expect_error(ErrorKind::bad_input, part, [&] { parse_spec(text); });
}

TEST(RotaryValidate, TakesTheEdges) {
  validate(Rotary{.head_dim = 2});
  validate(Rotary{.head_dim = 8192});
  validate(Rotary{.head_dim = 4, .base = 1e-300});
  validate(Rotary{.head_dim = 7, .rotary_dim = 6});
  validate(Rotary{.head_dim = 7, .rotary_dim = 6, .first_channel = 1});
  validate(Rotary{.head_dim = 7, .rotary_dim = 6, .first_channel = -7});
  validate(Rotary{.head_dim = 7, .rotary_dim = 2, .first_channel = -2});
  validate(Rotary{.head_dim = 3, .partial_rotary_factor = 0.34});  // one channel, which takes its neighbour along
  validate(Rotary{.head_dim = 4, .exponent_dim = 1});
  validate(Rotary{.head_dim = 4, .exponent_dim = 1048576});
  validate(Rotary{.head_dim = 4, .inv_freq = {0.0, -1.0}});
  validate(Rotary{.head_dim = 4, .inv_freq = {1.0, 2.0, 3.0, 4.0}, .axes = 2});
  validate(Rotary{.head_dim = 4, .inv_freq = {1.0, 2.0}, .axes = 2, .axis_of_pair = {1, 0}});
  validate(Rotary{.head_dim = 4, .axes = 8, .axis_of_pair = {7, 7}});
  validate(Rotary{.head_dim = 8, .layout = Layout::half_per_axis, .axes = 2});
  validate(Rotary{.head_dim = 8, .layout = Layout::half_per_axis, .axes = 2, .axis_of_pair = {1, 1, 0, 0}});
  validate(Rotary{.head_dim = 6, .layout = Layout::half_per_axis});
  validate(Rotary{.head_dim = 4, .attention_factor = 1e-9});
  validate(Rotary{.head_dim = 4, .attention_factor = 1e9});
}

TEST(RotaryValidate, RefusesHeads) {
  expect_refused({}, "head_dim must be at least 2 but got 0");
  expect_refused({.head_dim = 1}, "head_dim must be at least 2 but got 1");
  expect_refused({.head_dim = -64}, "head_dim must be at least 2 but got -64");
  expect_refused({.head_dim = 8193}, "head_dim must be at most 8192 but got 8193");
  expect_refused({.head_dim = 5}, "head_dim must be even if the whole head rotates but got 5");
}

TEST(RotaryValidate, RefusesWindows) {
  expect_refused({.head_dim = 8, .rotary_dim = 5}, "rotary_dim must be even but got 5");
  expect_refused({.head_dim = 8, .rotary_dim = -2}, "rotary_dim must be at least 0 but got -2");
  expect_refused({.head_dim = 8, .rotary_dim = 4, .partial_rotary_factor = 0.5},
                 "rotary_dim and partial_rotary_factor say the same thing: give one of them");
  const auto outside = [](const std::string& head, const std::string& offset, const std::string& width) {
    return "the window must be inside the head of " + head + " channels but first_channel (rope_offset) " + offset +
           " with " + width + " channels does not";
  };
  expect_refused({.head_dim = 8, .rotary_dim = 10}, outside("8", "0", "10"));
  expect_refused({.head_dim = 8, .rotary_dim = 6, .first_channel = 3}, outside("8", "3", "6"));
  expect_refused({.head_dim = 8, .rotary_dim = 6, .first_channel = -5}, outside("8", "-5", "6"));
  expect_refused({.head_dim = 8, .rotary_dim = 6, .first_channel = -9}, outside("8", "-9", "6"));
  expect_refused({.head_dim = 8, .first_channel = 1}, outside("8", "1", "8"));
  expect_refused({.head_dim = 7, .partial_rotary_factor = 0.75, .first_channel = 2}, outside("7", "2", "6"));
  expect_refused({.head_dim = 8, .first_channel = 8193},
                 "first_channel (rope_offset) must be at most 8192 but got 8193");
}

TEST(RotaryValidate, RefusesShares) {
  expect_refused({.head_dim = 8, .partial_rotary_factor = 0.0}, "partial_rotary_factor must be above 0 but got 0");
  expect_refused({.head_dim = 8, .partial_rotary_factor = 1.5}, "partial_rotary_factor must be at most 1 but got 1.5");
  expect_refused({.head_dim = 8, .partial_rotary_factor = kNan}, "partial_rotary_factor must be finite but got nan");
  expect_refused({.head_dim = 8, .partial_rotary_factor = 0.1},
                 "partial_rotary_factor must leave a channel to rotate but 8 * 0.1 is below 1");
}

TEST(RotaryValidate, RefusesNumbers) {
  expect_refused({.head_dim = 8, .base = kNan}, "base must be finite but got nan");
  expect_refused({.head_dim = 8, .base = kInf}, "base must be finite but got inf");
  expect_refused({.head_dim = 8, .base = 0.0}, "base must be above 0 but got 0");
  expect_refused({.head_dim = 8, .base = -1.0}, "base must be above 0 but got -1");
  expect_refused({.head_dim = 8, .exponent_dim = -1}, "exponent_dim must be at least 0 but got -1");
  expect_refused({.head_dim = 4, .inv_freq = {1.0, kInf}}, "inv_freq must be finite but got inf");
  expect_refused({.head_dim = 4, .attention_factor = 0.0}, "attention_factor must be above 0 but got 0");
  expect_refused({.head_dim = 4, .attention_factor = -1.0}, "attention_factor must be above 0 but got -1");
  expect_refused({.head_dim = 4, .attention_factor = kInf}, "attention_factor must be finite but got inf");
  expect_refused({.head_dim = 4, .attention_factor = 1e10},
                 "attention_factor must be at most 1000000000 but got 10000000000");
  expect_refused({.head_dim = 4, .attention_factor = 1e-10}, "attention_factor must be at least 1e-09 but got 1e-10");
  expect_refused({.head_dim = 4, .base = 1e39, .precision = Precision::reference},
                 "base must be a float32 number with precision=reference but got 1e+39");
  expect_refused({.head_dim = 4, .base = 1e-50, .precision = Precision::reference},
                 "base must be a float32 number with precision=reference but got 1e-50");
}

TEST(RotaryValidate, RefusesFrequenciesThatDoNotFit) {
  expect_refused({.head_dim = 8, .inv_freq = {1.0}}, "inv_freq must have one number per pair, 4, but has 1");
  expect_refused({.head_dim = 8, .rotary_dim = 4, .inv_freq = {1, 1, 1, 1}},
                 "inv_freq must have one number per pair, 2, but has 4");
  expect_refused({.head_dim = 4, .inv_freq = {1, 1, 1}, .axes = 2},
                 "inv_freq must have one number per pair, 2, or per axis and pair, 4, but has 3");
  const std::string replaced = "inv_freq replaces base and exponent_dim: leave them out";
  expect_refused({.head_dim = 4, .base = 5.0, .inv_freq = {1.0, 0.5}}, replaced);
  expect_refused({.head_dim = 4, .exponent_dim = 4, .inv_freq = {1.0, 0.5}}, replaced);
}

TEST(RotaryValidate, RefusesAxes) {
  expect_refused({.head_dim = 4, .axes = 0}, "axes must be at least 1 but got 0");
  expect_refused({.head_dim = 4, .axes = 9}, "axes must be at most 8 but got 9");
  expect_refused({.head_dim = 4, .axis_of_pair = {0, 0}}, "axis_of_pair is for several axes but axes is 1");
  expect_refused(
      {.head_dim = 4, .axes = 3},
      "axes=3 needs sections, or axis_of_pair, the axis of each of the 2 pairs, or inv_freq for every axis and pair");
  expect_refused({.head_dim = 4, .axes = 2, .axis_of_pair = {0}}, "axis_of_pair must have one number per pair, 2, but");
  expect_refused({.head_dim = 4, .axes = 2, .axis_of_pair = {0, 2}},
                 "axis_of_pair must name axes below axes, 2, but got 2");
  expect_refused({.head_dim = 4, .axes = 2, .axis_of_pair = {0, -1}}, "axis_of_pair must be at least 0 but got -1");
  expect_refused({.head_dim = 4, .inv_freq = {1, 2, 3, 4}, .axes = 2, .axis_of_pair = {0, 1}},
                 "axis_of_pair says which axis a pair has: give inv_freq once per pair, or leave it out");
  expect_refused({.head_dim = 10, .layout = Layout::half_per_axis, .axes = 2},
                 "layout=half_per_axis needs an even part of the window per axis but 10 channels are to be shared by "
                 "axes=2");
}

TEST(RotaryValidate, RefusesEnumsThatAreNone) {
  expect_refused(
      {.head_dim = 4, .layout = static_cast<Layout>(7)},
      "layout must be one of half, interleaved, interleaved_to_half, half_negative, half_per_axis, full_width_half, "
      "interleaved_pairs_with_halves_tiling_per_axis but got 7");
  expect_refused({.head_dim = 4, .section_order = static_cast<SectionOrder>(4)},
                 "section_order must be one of chunked, interleaved, alternating, ernie but got 4");
  expect_refused({.head_dim = 4, .axis_frequencies = static_cast<AxisFrequencies>(3)},
                 "axis_frequencies must be one of shared, restart, dealt but got 3");
  expect_refused({.head_dim = 4, .attention_factor_in = static_cast<FactorIn>(3)},
                 "attention_factor_in must be one of table, query, softmax but got 3");
  expect_refused({.head_dim = 4, .precision = static_cast<Precision>(-1)},
                 "precision must be one of exact, reference but got -1");
}

TEST(RotaryValidate, RefusesAxesByTheFieldThatIsWrong) {
  const auto refused = [](const std::string& fields, const std::string& message) {
    SCOPED_TRACE(fields);
    expect_error(ErrorKind::bad_input, message, [&] { make_schedule(parse("rotary:head_dim=16," + fields)); });
  };
  refused("sections=2/2/2", "[rotary] sections must sum to the number of pairs, 8, but sum to 6");
  refused("sections=9/-1", "sections must be at least 0 but got -1");
  refused("sections=1/1/1/1/1/1/1/1/0", "sections must be at most 8 where axes is left out but are 9");
  refused("axes=2", "axes=2 needs sections, or axis_of_pair");
  refused("sections=4/4,section_order=mixed", "section_order");
  refused("sections=4/4,axis_frequencies=twice", "axis_frequencies");
  refused("section_order=alternating", "section_order is for several axes");
  refused("axis_frequencies=restart", "axis_frequencies is for several axes");
  refused("axes=3,sections=4/4,section_order=interleaved",
          "section_order=interleaved needs one of sections per axis, 3, but has 2");
  refused("axes=2,section_order=interleaved", "section_order=interleaved needs one of sections per axis, 2, but has 0");
  refused("sections=4/2/2,section_order=ernie", "section_order=ernie needs three axes and three sections");
  refused("sections=4/4,section_order=ernie", "section_order=ernie needs three axes and three sections");
  refused("sections=6/2,section_order=alternating",
          "sections must be what section_order=alternating gives, 4 pairs on axis 0, or be left out");
  refused("axes=2,sections=4/4,axis_of_pair=0/0/0/0/1/1/1/1", "axis_of_pair and sections say the same thing");
  refused("sections=4/4,inv_freq=1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1", "sections say which axis a pair has");
  refused("sections=4/4,inv_freq=1/1/1/1/1/1/1/1,axis_frequencies=restart", "axis_frequencies is a rule");
  refused("scale=nan", "scale");
  refused("scale=inf", "scale");
  refused("scale=1e300,inv_freq=1e300/1/1/1/1/1/1/1", "that of pair 0 is beyond the largest double");
  refused("layout=half_per_axis,axes=2,sections=4/4", "layout=half_per_axis has one part per axis");
  refused("layout=half_per_axis,axes=2,axis_frequencies=dealt", "layout=half_per_axis begins its frequencies anew");
  refused("layout=full_width_half", "layout=full_width_half is for several axes but axes is 1");
  refused("layout=full_width_half,axes=2", "layout=full_width_half needs sections");
  refused("layout=full_width_half,axes=2,axis_of_pair=0/0/0/0/1/1/1/1", "leave out axis_of_pair");
  refused("layout=full_width_half,sections=4/4,axis_frequencies=restart", "leave out section_order");
  refused("layout=interleaved_pairs_with_halves_tiling_per_axis,axes=3,rotary_dim=16", "needs an even part of the");
}

TEST(RotaryText, ReadsEveryField) {
  const Rotary spec = parse(
      "rotary:head_dim=72,base=500.5,layout=interleaved,partial_rotary_factor=0.5,rope_offset=-40,exponent_dim=30,"
      "axes=2,axis_of_pair=0/1/0/1/0/1/0/1/0/1/0/1/0/1/0/1/0/1,attention_factor=1.25,attention_factor_in=query,"
      "precision=reference");
  EXPECT_EQ(spec.head_dim, 72);
  EXPECT_EQ(spec.base, 500.5);
  EXPECT_EQ(spec.layout, Layout::interleaved);
  EXPECT_EQ(spec.rotary_dim, 0);
  EXPECT_EQ(spec.partial_rotary_factor, 0.5);
  EXPECT_EQ(spec.first_channel, -40);
  EXPECT_EQ(spec.exponent_dim, 30);
  EXPECT_EQ(spec.axes, 2);
  ASSERT_EQ(spec.axis_of_pair.size(), 18u);
  EXPECT_EQ(spec.axis_of_pair[0], 0);
  EXPECT_EQ(spec.axis_of_pair[17], 1);
  EXPECT_EQ(spec.attention_factor, 1.25);
  EXPECT_EQ(spec.attention_factor_in, FactorIn::query);
  EXPECT_EQ(spec.precision, Precision::reference);
  EXPECT_EQ(parse("rotary:head_dim=8,rotary_dim=4,inv_freq=1/-0.5").rotary_dim, 4);
  EXPECT_EQ(parse("rotary:head_dim=8,rotary_dim=4,inv_freq=1/-0.5").inv_freq, (std::vector<double>{1.0, -0.5}));
}

TEST(RotaryText, ReadsEveryWord) {
  const auto layout = [](const std::string& word) { return parse("rotary:head_dim=4,layout=" + word).layout; };
  EXPECT_EQ(layout("half"), Layout::half);
  EXPECT_EQ(layout("interleaved"), Layout::interleaved);
  EXPECT_EQ(layout("interleaved_to_half"), Layout::interleaved_to_half);
  EXPECT_EQ(layout("half_negative"), Layout::half_negative);
  EXPECT_EQ(layout("half_per_axis"), Layout::half_per_axis);
  const auto factor_in = [](const std::string& word) {
    return parse("rotary:head_dim=4,attention_factor_in=" + word).attention_factor_in;
  };
  EXPECT_EQ(factor_in("table"), FactorIn::table);
  EXPECT_EQ(factor_in("query"), FactorIn::query);
  EXPECT_EQ(factor_in("softmax"), FactorIn::softmax);
  EXPECT_EQ(parse("rotary:head_dim=4,precision=exact").precision, Precision::exact);
  EXPECT_EQ(parse("rotary:head_dim=4,precision=reference").precision, Precision::reference);
}

const std::vector<std::string>& texts() {
  static const std::vector<std::string> all = {
      "rotary:head_dim=128",
      "rotary:head_dim=128,base=500000",
      "rotary:head_dim=128,layout=interleaved_to_half",
      "rotary:head_dim=80,rotary_dim=32",
      "rotary:head_dim=80,partial_rotary_factor=0.4",
      "rotary:head_dim=512,layout=interleaved,rotary_dim=64,rope_offset=-64",
      "rotary:head_dim=64,partial_rotary_factor=0.4,exponent_dim=24",
      "rotary:head_dim=4,inv_freq=0.1/5e-324",
      "rotary:head_dim=4,inv_freq=1/0/0/0.5,axes=2",
      "rotary:head_dim=8,axes=3,axis_of_pair=2/0/1/0",
      "rotary:head_dim=8,layout=half_per_axis,axes=2",
      "rotary:head_dim=8,axes=2,sections=1/2/1,axis_frequencies=dealt,scale=0.5",
      "rotary:head_dim=8,sections=2/1/1,section_order=interleaved",
      "rotary:head_dim=4,attention_factor=1.1902380714238083,attention_factor_in=softmax,precision=reference",
  };
  return all;
}

TEST(RotaryText, GivesBackWhatToTextPrints) {
  for (const std::string& text : texts()) EXPECT_EQ(to_text(parse_spec(text)), text);
  EXPECT_EQ(to_text(parse_spec("rotary:precision=exact,axis_of_pair=none,inv_freq=none,rope_offset=0,head_dim=4")),
            "rotary:head_dim=4");
}

TEST(RotaryText, Refuses) {
  expect_bad_text("rotary", "'rotary': head_dim must be given, as in rotary:head_dim=");
  expect_bad_text("rotari:head_dim=4", "there is no kind 'rotari'; did you mean 'rotary'?");
  expect_bad_text("rotary:head_dim=4,rope_wave=1", "rotary has no field 'rope_wave'");
  expect_bad_text("rotary:head_dim=4,layout=halves", "layout must be one of half, interleaved, interleaved_to_half");
  expect_bad_text("rotary:head_dim=4,layout=halves", "did you mean 'half'?");
  expect_bad_text("rotary:head_dim=5", "[rotary] head_dim must be even if the whole head rotates but got 5");
  for (const char* value : {"", "/", "1/", "/1", "1//2", "1/x", "1/0.5", "@file.npy"}) {
    expect_bad_text("rotary:head_dim=4,axes=2,axis_of_pair=" + std::string(value),
                    "[rotary] axis_of_pair must be a list of integers but got '" + std::string(value) + "'");
  }
}

TEST(RotaryJson, WritesEveryField) {
  EXPECT_EQ(to_text(to_json(Rotary{.head_dim = 4, .axes = 2, .axis_of_pair = {1, 0}})), R"({
  "schema": "posenc/1",
  "kind": "rotary",
  "head_dim": 4,
  "base": 10000,
  "layout": "half",
  "rotary_dim": 0,
  "partial_rotary_factor": 1,
  "rope_offset": 0,
  "exponent_dim": 0,
  "inv_freq": [],
  "axes": 2,
  "sections": [],
  "section_order": "chunked",
  "axis_frequencies": "shared",
  "axis_of_pair": [1, 0],
  "scale": 1,
  "attention_factor": null,
  "attention_factor_in": "table",
  "precision": "exact",
  "scaling": {
    "kind": "none"
  },
  "sequence_length": null,
  "local_base": 0,
  "global_every": 6,
  "local_scaled": false,
  "layer": null
}
)");
}

TEST(RotaryJson, GivesBackWhatItWrote) {
  for (const std::string& text : texts()) {
    const Json json = to_json(parse_spec(text));
    const Spec back = spec_from_json(parse_json(to_text(json), "s.json"), "s.json");
    EXPECT_EQ(to_text(back), text);
    EXPECT_EQ(to_text(to_json(back)), to_text(json));
  }
}

TEST(RotaryJson, Refuses) {
  const auto bad = [](const std::string& members, const std::string& part) {
    SCOPED_TRACE(members);
    expect_error(ErrorKind::bad_input, part,
                 [&] { spec_from_json(parse_json(R"({"kind": "rotary")" + members + "}", "s.json"), "s.json"); });
  };
  bad("", "s.json: head_dim: must be given but is missing");
  bad(R"(, "head_dim": 4, "rope_wave": 5)", "s.json: rotary has no field 'rope_wave'");
  bad(R"(, "head_dim": 4, "axes": 2, "axis_of_pair": [0, 0.5])",
      "s.json: axis_of_pair[1]: expected an integer but got 0.5");
  bad(R"(, "head_dim": 4, "axes": 2, "axis_of_pair": [0, "1"])",
      "s.json: axis_of_pair[1]: expected an integer but got \"1\"");
  bad(R"(, "head_dim": 4, "axes": 2, "axis_of_pair": 1)", "s.json: axis_of_pair: expected an array but got 1");
  bad(R"(, "head_dim": 4, "axes": 2, "axis_of_pair": [0, 2])",
      "[s.json: rotary] axis_of_pair must name axes below axes, 2, but got 2");
  bad(R"(, "head_dim": 4, "layout": "halves")", "[s.json: rotary] layout must be one of half, interleaved");
  bad(R"(, "head_dim": 5)", "[s.json: rotary] head_dim must be even if the whole head rotates but got 5");
}

// The default that is shown is the default that is used: giving it changes nothing.
TEST(RotaryKind, ShowsTheRealDefaults) {
  const std::vector<KindInfo> all = kinds();
  ASSERT_EQ(all.at(5).name, "rotary");
  for (const FieldInfo& field : all.at(5).fields) {
    if (field.name == "head_dim") {
      EXPECT_EQ(field.fallback, "");
      continue;
    }
    ASSERT_FALSE(field.fallback.empty()) << field.name;
    EXPECT_EQ(to_text(parse_spec("rotary:head_dim=4," + field.name + "=" + field.fallback)), "rotary:head_dim=4");
  }
  EXPECT_EQ(all.at(5).fields.at(9).type, "list of integers");
}

}  // namespace
}  // namespace posenc::rotary_spec_test
