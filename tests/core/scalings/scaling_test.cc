#include "posenc/scaling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "posenc/files/spec_json.h"
#include "posenc/rerotate.h"
#include "posenc/rotary_table.h"
#include "posenc/schedule.h"
#include "support/expect_error.h"
#include "support/numbers.h"

namespace posenc::scaling_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

const std::vector<double> kTwo = {1.5, 4.0};

// One of each, none at its defaults.
std::vector<Scaling> samples() {
  return {NoScaling{},
          LinearScaling{2.5},
          Ntk{4.0},
          DynamicNtk{2.0, 4096},
          NtkAlpha{1000.0},
          NtkByParts{.factor = 8.0, .original_positions = 4096, .beta_fast = 16.0, .beta_slow = 2.0},
          Yarn{.factor = {},
               .original_positions = 4096,
               .max_positions = 32768,
               .beta_fast = 24.0,
               .beta_slow = 2.0,
               .truncate = false,
               .mscale = 1.0,
               .mscale_all_dim = 0.707},
          LongRope{.short_factor = {1.0, 1.25},
                   .long_factor = kTwo,
                   .original_positions = 4096,
                   .factor = 32.0,
                   .max_positions = 7,
                   .short_mscale = 1.1,
                   .long_mscale = 1.25,
                   .list = LongRopeList::long_factor},
          Llama3{.factor = 32.0, .original_positions = 8192, .low_freq_factor = 0.5, .high_freq_factor = 2.0},
          Proportional{.factor = 2.0, .share = 0.5},
          PRope{0.25},
          LearnedMultipliers{{0.125, -0.5}},
          Resonance{}};
}

Rotary with(const Scaling& scaling) { return {.head_dim = 4, .scaling = scaling, .sequence_length = 8192}; }

std::vector<double> frequencies(const Scaling& scaling, std::int64_t dim = 64, std::int64_t length = 8192) {
  return scale_ladder(scaling, {.base = 500000.0, .dim = dim, .pairs = dim / 2, .sequence_length = length}).inv_freq;
}

TEST(Scalings, AllHaveASampleHere) { EXPECT_EQ(samples().size(), std::variant_size_v<Scaling>); }

TEST(Scalings, PrintThemselvesAndParseBack) {
  for (std::size_t i = 0; i < samples().size(); ++i) {
    const Scaling scaling = samples()[i];
    ASSERT_EQ(scaling.index(), i);
    const Spec spec = with(scaling);
    SCOPED_TRACE(to_text(spec));
    const Spec from_text = parse_spec(to_text(spec));
    const Spec from_json = spec_from_json(parse_json(to_text(to_json(spec)), "text"), "text");
    EXPECT_EQ(to_text(from_text), to_text(spec));
    EXPECT_EQ(to_text(from_json), to_text(spec));
    EXPECT_EQ(std::get<Rotary>(from_text).scaling.index(), i);
    EXPECT_EQ(to_text(to_json(from_text)), to_text(to_json(spec)));
    EXPECT_EQ(make_schedule(std::get<Rotary>(from_json)).inv_freq, make_schedule(std::get<Rotary>(spec)).inv_freq);
  }
}

TEST(Scalings, PrintNothingThatIsDefault) {
  EXPECT_EQ(to_text(Spec(Rotary{.head_dim = 4, .scaling = Yarn{.factor = 4.0, .original_positions = 8192}})),
            "rotary:head_dim=4,scaling=yarn,factor=4,original_positions=8192");
  EXPECT_EQ(to_text(Spec(Rotary{.head_dim = 4, .scaling = Resonance{}})), "rotary:head_dim=4,scaling=resonance");
  const Json json = to_json(Spec(Rotary{.head_dim = 4, .scaling = LinearScaling{4.0}}));
  EXPECT_EQ(to_text(*json.find("scaling")), to_text(parse_json("{\"kind\": \"linear\", \"factor\": 4}", "text")));
}

// In text they share one list with the fields of Rotary: a name must mean one thing.
TEST(Scalings, HaveNamesThatNoOtherFieldHas) {
  std::set<std::string> own;
  for (const KindInfo& kind : kinds()) {
    for (const FieldInfo& field : kind.fields) {
      if (kind.name == "rotary") own.insert(field.name);
    }
  }
  std::map<std::string, std::string> types;
  for (const KindInfo& scaling : scaling_kinds()) {
    EXPECT_FALSE(scaling.summary.empty());
    for (const FieldInfo& field : scaling.fields) {
      EXPECT_EQ(own.count(field.name), 0u) << field.name;
      const std::string type = field.type.substr(0, field.type.find(" or none"));
      EXPECT_EQ(types.emplace(field.name, type).first->second, type) << field.name;
    }
  }
}

TEST(Scalings, OfFactorOneChangeNothing) {
  const std::vector<double> plain = frequencies(NoScaling{});
  const std::vector<double> ones(32, 1.0);
  EXPECT_EQ(frequencies(LinearScaling{1.0}), plain);
  EXPECT_EQ(frequencies(Ntk{1.0}), plain);
  EXPECT_EQ(frequencies(NtkAlpha{1.0}), plain);
  EXPECT_EQ(frequencies(NtkByParts{1.0, 4096}), plain);
  EXPECT_EQ(frequencies(Yarn{.factor = 1.0, .original_positions = 4096}), plain);
  EXPECT_EQ(frequencies(Llama3{.factor = 1.0, .original_positions = 4096}), plain);
  EXPECT_EQ(frequencies(Proportional{}), plain);
  EXPECT_EQ(frequencies(PRope{1.0}), plain);
  EXPECT_EQ(frequencies(LearnedMultipliers{std::vector<double>(32, 0.0)}), plain);
  for (const std::int64_t length : {1, 100, 4096, 4097, 100000}) {
    EXPECT_EQ(frequencies(LongRope{ones, ones, 4096, 1.0}, 64, length), plain);
    EXPECT_EQ(frequencies(DynamicNtk{2.0, 4096}, 64, length) == plain, length <= 4096);
  }
  EXPECT_EQ(make_schedule(with(Yarn{.factor = 1.0, .original_positions = 4096})).attention_factor, 1.0);
  EXPECT_EQ(make_schedule(with(LongRope{kTwo, kTwo, 4096, 1.0})).attention_factor, 1.0);
}

TEST(Scalings, StayBetweenPlainAndDivided) {
  const std::vector<double> plain = frequencies(NoScaling{});
  for (const double factor : {1.5, 4.0, 40.0}) {
    for (const bool truncate : {true, false}) {
      const std::vector<double> yarn =
          frequencies(Yarn{.factor = factor, .original_positions = 8192, .truncate = truncate});
      const std::vector<double> parts = frequencies(NtkByParts{factor, 8192});
      for (std::size_t i = 0; i < plain.size(); ++i) {
        for (const double value : {yarn[i], parts[i]}) {
          EXPECT_LE(value, plain[i]);
          EXPECT_GE(value, plain[i] / factor * (1.0 - 1e-15));
        }
      }
      EXPECT_EQ(yarn.front(), plain.front());
    }
  }
}

TEST(Scalings, KeepShortWavelengthsOfLlama3ToTheBit) {
  const std::vector<double> plain = frequencies(NoScaling{}, 128);
  const std::vector<double> scaled = frequencies(Llama3{.original_positions = 8192}, 128);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (wavelengths({plain[i]})[0] < 8192.0 / 4.0) {
      EXPECT_EQ(scaled[i], plain[i]);
    }
    if (wavelengths({plain[i]})[0] > 8192.0) {
      EXPECT_EQ(scaled[i], plain[i] / 8.0);
    }
  }
  EXPECT_EQ(scaled[28], plain[28]);
  EXPECT_NE(scaled[29], plain[29]);
}

TEST(LinearScaling, IsThePositionDivided) {
  const RotaryAngles scaled(Rotary{.head_dim = 16, .scaling = LinearScaling{4.0}});
  const RotaryAngles plain(Rotary{.head_dim = 16});
  for (const double position : {1.0, 37.0, 4095.0, 1048575.0}) {
    const double divided = position / 4.0;
    std::vector<double> a(16), b(16);
    fill_cos_sin(scaled, PositionView::of(&position, 1), make_view(a.data(), {1, 16}));
    fill_cos_sin(plain, PositionView::of(&divided, 1), make_view(b.data(), {1, 16}));
    for (std::size_t c = 0; c < a.size(); ++c) EXPECT_NEAR(a[c], b[c], 1e-9);
  }
}

TEST(RotarySpec, NeedsALengthWhereTheScalingDoes) {
  const Rotary dynamic{.head_dim = 8, .scaling = DynamicNtk{2.0, 4096}};
  expect_error(ErrorKind::bad_input, "scaling=dynamic depends on the sequence length: give sequence_length",
               [&] { make_schedule(dynamic); });
  expect_error(ErrorKind::bad_input, "scaling=longrope depends on the sequence length", [&] {
    RotaryTable(Rotary{.head_dim = 4, .scaling = LongRope{kTwo, kTwo, 4096, 4.0}}, 16);
  });
  expect_error(ErrorKind::bad_input, "sequence_length must be at least 1 but got 0",
               [&] { make_schedule(dynamic, 0); });
  EXPECT_EQ(make_schedule(dynamic, 9000).sequence_length, 9000);
  EXPECT_EQ(RotaryTable(RotaryAngles(dynamic, 9000), PositionView::range(0, 4)).schedule().sequence_length, 9000);
  EXPECT_EQ(make_schedule(Rotary{.head_dim = 8}, 9000).sequence_length, std::nullopt);
  EXPECT_FALSE(needs_length(LongRope{.list = LongRopeList::short_factor}));
}

TEST(RotarySpec, HasABaseForLayersThatLookNearby) {
  const Rotary gemma{.head_dim = 8, .base = 1e6, .scaling = LinearScaling{8.0}, .local_base = 10000.0};
  const std::vector<double> nearby = make_schedule(Rotary{.head_dim = 8}).inv_freq;
  for (std::int64_t layer = 0; layer < 14; ++layer) {
    Rotary spec = gemma;
    spec.layer = layer;
    const bool far = layer == 5 || layer == 11;
    EXPECT_EQ(make_schedule(spec).inv_freq == nearby, !far) << layer;
    EXPECT_EQ(make_schedule(at_layer(gemma, layer)).inv_freq, make_schedule(spec).inv_freq);
  }
  Rotary both = gemma;
  both.local_scaled = true;
  EXPECT_EQ(make_schedule(at_layer(both, 0)).inv_freq[0], 0.125);
  expect_error(ErrorKind::bad_input,
               "the base depends on the layer (local_base): give "
               "layer",
               [&] { make_schedule(gemma); });
  expect_error(ErrorKind::bad_input, "layer is for local_base", [] { validate(Rotary{.head_dim = 8, .layer = 3}); });
}

// From one scaling to another, as a cache needs it when its frequencies have changed.
void expect_moved(const Rotary& spec, std::int64_t before, std::int64_t after) {
  const RotaryAngles from(spec, before), to(spec, after);
  const std::int64_t tokens = 700, size = tokens * spec.head_dim;
  const std::vector<double> keys = random_numbers(size, 3);
  std::vector<double> moved = keys, fresh = keys;
  const auto view = [&](std::vector<double>& data) { return make_view(data.data(), {tokens, 1, spec.head_dim}); };
  const PositionView positions = PositionView::range(3000, tokens);
  rotate(view(moved), positions, from);
  rerotate(view(moved), {from, positions}, {to, positions});
  rotate(view(fresh), positions, to);
  for (std::size_t i = 0; i < moved.size(); ++i) ASSERT_NEAR(moved[i], fresh[i], 1e-10);
}

TEST(Rerotate, MovesKeysToTheScalingOfALongerSequence) {
  expect_moved({.head_dim = 32, .scaling = DynamicNtk{2.0, 2048}}, 2048, 8192);
  expect_moved({.head_dim = 4, .scaling = LongRope{{1.0, 1.1}, kTwo, 4096, 32.0}}, 4096, 4097);
}

// Lengths that make no difference move nothing: no key is rounded again.
TEST(Rerotate, LeavesKeysAloneWhereNothingChanged) {
  const Rotary spec{.head_dim = 32, .scaling = DynamicNtk{2.0, 2048}};
  const RotaryAngles from(spec, 100), to(spec, 2048);
  const std::vector<double> numbers = random_numbers(10 * 32, 5);
  std::vector<float> keys(numbers.begin(), numbers.end());
  const std::vector<float> before = keys;
  const PositionView positions = PositionView::range(1000, 10);
  rerotate(make_view(keys.data(), {10, 1, 32}), {from, positions}, {to, positions});
  EXPECT_EQ(keys, before);
}

void refused(const Scaling& scaling, const std::string& message) {
  expect_error(ErrorKind::bad_input, message, [&] { make_schedule(with(scaling)); });
}

TEST(Scalings, RefuseWhatMakesNoSense) {
  refused(LinearScaling{0.0}, "factor must be above 0 but got 0");
  refused(LinearScaling{-2.0}, "factor must be above 0 but got -2");
  refused(LinearScaling{kNaN}, "factor must be finite but got nan");
  refused(Ntk{0.0}, "factor must be above 0");
  refused(DynamicNtk{2.0, 0}, "original_positions must be at least 1 but got 0");
  refused(DynamicNtk{kNaN, 10}, "factor must be finite");
  refused(NtkAlpha{0.0}, "alpha must be above 0");
  refused(NtkByParts{.factor = 2.0, .original_positions = 10, .beta_fast = 1.0, .beta_slow = 2.0},
          "beta_fast must be at least beta_slow, 2, but got 1");
  refused(Yarn{.factor = 2.0}, "original_positions must be at least 1 but got 0");
  refused(Yarn{.original_positions = 10}, "factor must be given, or max_positions");
  refused(Yarn{.factor = 0.0, .original_positions = 10}, "factor must be above 0");
  refused(Yarn{.factor = 2.0, .original_positions = 10, .beta_fast = 1.0, .beta_slow = 2.0},
          "beta_fast must be at least beta_slow, 2, but got 1");
  refused(Yarn{.factor = 2.0, .original_positions = 10, .beta_slow = 0.0}, "beta_slow must be above 0");
  refused(Yarn{.factor = 2.0, .original_positions = 10, .mscale = kNaN}, "mscale must be finite");
  refused(LongRope{{1.0}, kTwo, 4096, 4.0}, "short_factor must have one number per pair, 2, but has 1");
  refused(LongRope{kTwo, {1.0, 2.0, 3.0}, 4096, 4.0}, "long_factor must have one number per pair, 2, but has 3");
  refused(LongRope{kTwo, {1.0, 0.0}, 4096, 4.0}, "long_factor must be above 0 but got 0");
  refused(LongRope{kTwo, kTwo, 4096}, "factor must be given, or max_positions");
  refused(LongRope{.short_factor = kTwo, .long_factor = kTwo, .original_positions = 4, .short_mscale = 1.0},
          "short_mscale and long_mscale must be given together");
  refused(Llama3{.original_positions = 0}, "original_positions must be at least 1");
  refused(Llama3{.original_positions = 10, .low_freq_factor = 4.0, .high_freq_factor = 1.0},
          "high_freq_factor must be at least low_freq_factor, 4, but got 1");
  refused(Proportional{.share = 0.0}, "share must be above 0");
  refused(PRope{1.5}, "share must be at most 1");
  refused(LearnedMultipliers{{0.5}}, "log_multipliers must have one number per pair, 2, but has 1");
  refused(LearnedMultipliers{{kNaN, 0.0}}, "log_multipliers must be finite");
}

TEST(Scalings, RefuseWhatDoesNotFitTheRest) {
  const auto invalid = [](const Rotary& spec, const std::string& message) {
    expect_error(ErrorKind::bad_input, message, [&] { validate(spec); });
  };
  invalid({.head_dim = 2, .scaling = Ntk{2.0}}, "scaling=ntk needs more than 2 channels, d, as its exponent is");
  invalid({.head_dim = 8, .exponent_dim = 2, .scaling = Ntk{2.0}}, "d / (d - 2), but d is 2");
  invalid({.head_dim = 8, .global_every = 3}, "global_every is for local_base");
  invalid({.head_dim = 8, .local_scaled = true}, "local_scaled is for local_base");
  invalid({.head_dim = 4, .inv_freq = {1.0, 0.5}, .local_base = 100.0}, "inv_freq replaces local_base too");
  invalid({.head_dim = 16,
           .sections = {5, 3},
           .axis_frequencies = AxisFrequencies::restart,
           .scaling = LearnedMultipliers{std::vector<double>(8, 0.1)}},
          "scaling=learned_multipliers has one list for all axes");
  invalid({.head_dim = 4, .inv_freq = {1.0, 0.5}, .scaling = Ntk{2.0}}, "leave out scaling=ntk");
  invalid({.head_dim = 8, .rotary_dim = 4, .scaling = Proportional{}},
          "scaling=proportional applies to the whole head");
  invalid({.head_dim = 8, .layout = Layout::half_per_axis, .axes = 2, .scaling = Proportional{}},
          "scaling=proportional has one series of frequencies over the whole head");
  invalid({.head_dim = 8, .base = 1.0, .scaling = Yarn{.factor = 2.0, .original_positions = 64}},
          "base must be above 1 with scaling=yarn");
}

TEST(Scalings, RefuseABaseBeyondAllNumbers) {
  const auto too_large = [](const Scaling& scaling, const std::string& message) {
    expect_error(ErrorKind::bad_input, message,
                 [&] { make_schedule(Rotary{.head_dim = 8, .base = 1e10, .scaling = scaling}, 1000); });
  };
  too_large(Ntk{1e300}, "scaling=ntk makes the base larger than any double: its factor is too large");
  too_large(NtkAlpha{1e300}, "its alpha is too large");
  too_large(DynamicNtk{1e300, 10}, "scaling=dynamic makes the base larger than any double");
}

// A share is one of pairs, whatever their exponents are divided by.
TEST(Scalings, CountTheShareOfPRopeInPairs) {
  for (const std::int64_t exponent_dim : {5, 32, 192}) {
    const RotarySchedule schedule =
        make_schedule(Rotary{.head_dim = 64, .exponent_dim = exponent_dim, .scaling = PRope{0.5}});
    EXPECT_EQ(std::count(schedule.inv_freq.begin(), schedule.inv_freq.end(), 0.0), 16) << exponent_dim;
  }
}

TEST(Scalings, KnowWhatTrainingHad) {
  EXPECT_EQ(kind_of(trained_scaling(Yarn{.factor = 4.0, .original_positions = 64})), "none");
  EXPECT_EQ(kind_of(trained_scaling(LinearScaling{2.0})), "none");
  EXPECT_EQ(kind_of(trained_scaling(PRope{0.5})), "p_rope");
  EXPECT_EQ(kind_of(trained_scaling(Resonance{})), "resonance");
  const Scaling proportional = trained_scaling(Proportional{8.0, 0.25});
  EXPECT_EQ(std::get<Proportional>(proportional).factor, 1.0);
  EXPECT_EQ(std::get<Proportional>(proportional).share, 0.25);
}

// Fields may come before the scaling that has them.
TEST(ScaleLadder, RefusesWhatASpecWouldRefuse) {
  const Ladder ladder{.dim = 8, .pairs = 4, .sequence_length = 100};
  const auto bad = [&](const Scaling& scaling, const std::string& message) {
    expect_error(ErrorKind::bad_input, message, [&] { scale_ladder(scaling, ladder); });
  };
  bad(LinearScaling{0.0}, "[linear] factor must be above 0 but got 0");
  bad(LinearScaling{kNaN}, "[linear] factor must be finite");
  bad(Yarn{.factor = 2.0}, "[yarn] original_positions must be at least 1");
  bad(LearnedMultipliers{{kNaN, 0.0, 0.0, 0.0}}, "[learned_multipliers] log_multipliers must be finite");
  bad(Proportional{1.0, 2.0}, "[proportional] share must be at most 1");
  expect_error(ErrorKind::usage, "base must be finite and above 0",
               [] { scale_ladder(NoScaling{}, {.base = INFINITY, .dim = 8, .pairs = 4}); });
  expect_error(ErrorKind::usage, "base must be above 1 with scaling=yarn",
               [] { yarn_range(Yarn{.factor = 2.0, .original_positions = 64}, {.base = 1.0, .dim = 8, .pairs = 4}); });
}

// What rests on the factor alone needs none where the attention factor is given.
TEST(LongRopeScaling, NeedsNoFactorBesideAnAttentionFactor) {
  const Rotary spec{.head_dim = 4,
                    .attention_factor = 1.25,
                    .scaling = LongRope{.short_factor = kTwo, .long_factor = kTwo, .original_positions = 1},
                    .sequence_length = 8};
  EXPECT_EQ(make_schedule(spec).attention_factor, 1.25);
  EXPECT_EQ(make_schedule(spec).inv_freq[0], 1.0 / 1.5);
}

TEST(SpecText, TakesFieldsInAnyOrder) {
  for (const char* text : {"rotary:head_dim=8,factor=3,scaling=linear", "rotary:factor=3,scaling=linear,head_dim=8",
                           "rotary:scaling=linear,head_dim=8,factor=3"}) {
    EXPECT_EQ(to_text(parse_spec(text)), "rotary:head_dim=8,scaling=linear,factor=3");
  }
  EXPECT_EQ(to_text(parse_spec("rotary:share=0.5,scaling=proportional,factor=2,head_dim=8")),
            "rotary:head_dim=8,scaling=proportional,factor=2,share=0.5");
}

TEST(SpecText, SaysWhichScalingHasAField) {
  expect_error(ErrorKind::bad_input,
               "rotary has no field 'beta_fast' without a scaling that has it: scaling="
               "ntk_by_parts, yarn",
               [] { parse_spec("rotary:head_dim=8,beta_fast=32"); });
  expect_error(ErrorKind::bad_input, "scaling must be one of none, linear, ntk, dynamic",
               [] { parse_spec("rotary:head_dim=8,scaling=yran,factor=4"); });
  expect_error(ErrorKind::bad_input, "did you mean 'yarn'?", [] { parse_spec("rotary:head_dim=8,scaling=yran"); });
  expect_error(ErrorKind::bad_input, "original_positions must be given",
               [] { parse_spec("rotary:head_dim=8,scaling=yarn,factor=4"); });
  expect_error(ErrorKind::bad_input, "truncate must be true or false but got 'maybe'",
               [] { parse_spec("rotary:head_dim=8,scaling=yarn,factor=4,original_positions=9,truncate=maybe"); });
}

TEST(SpecJson, KeepsTheFieldsOfAScalingInItsObject) {
  const auto read = [](const std::string& rest) {
    return spec_from_json(parse_json("{\"kind\": \"rotary\", \"head_dim\": 8, " + rest + "}", "s.json"), "s.json");
  };
  EXPECT_EQ(to_text(read("\"scaling\": null")), "rotary:head_dim=8");
  EXPECT_EQ(to_text(read("\"scaling\": {\"kind\": \"linear\", \"factor\": 4}")),
            "rotary:head_dim=8,scaling=linear,factor=4");
  const auto refuses = [&](const std::string& rest, const std::string& message) {
    expect_error(ErrorKind::bad_input, message, [&] { read(rest); });
  };
  refuses("\"scaling\": {\"factor\": 4}", "s.json: scaling.kind: must be given but is missing");
  refuses("\"scaling\": {\"kind\": \"yarn\", \"factor\": 4}", "s.json: scaling.original_positions: must be given");
  refuses("\"scaling\": {\"kind\": \"linear\", \"factor\": \"four\"}", "s.json: scaling.factor");
  refuses("\"scaling\": {\"kind\": \"linear\", \"factor\": 4, \"base\": 3}", "scaling.base: belongs beside scaling");
  refuses("\"scaling\": {\"kind\": \"linear\", \"factor\": 4, \"fator\": 3}",
          "s.json: scaling.fator: unknown field; the fields are: factor");
  refuses("\"scaling\": {\"kind\": \"linear\"}, \"factor\": 4", "factor: belongs in the object of scaling");
  refuses("\"scaling\": 4", "s.json: scaling");
}

}  // namespace
}  // namespace posenc::scaling_test
