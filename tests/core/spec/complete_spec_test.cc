// Fields that a text leaves out, filled in with values that fit those it has.
#include <gtest/gtest.h>

#include <string>

#include "posenc/list_reader.h"
#include "posenc/spec.h"

namespace posenc {
namespace complete_spec_test {

constexpr ExampleSize kSizes[] = {ExampleSize::by_hand, ExampleSize::picture};

NamedSpec by_hand(std::string_view text) { return complete_spec(text, {.example = ExampleSize::by_hand}); }
NamedSpec picture(std::string_view text) { return complete_spec(text, {.example = ExampleSize::picture}); }

TEST(CompleteSpec, EveryKindIsUsableByItsNameAlone) {
  for (const KindInfo& kind : kinds()) {
    for (const ExampleSize size : kSizes) {
      const NamedSpec named = complete_spec(kind.name, {.example = size});
      SCOPED_TRACE(named.text);
      validate(named.spec);
      EXPECT_EQ(kind_of(named.spec), kind.name);
      EXPECT_EQ(to_text(parse_spec(named.text)), to_text(named.spec));
      EXPECT_EQ(named.text, kind.name + (named.assumed.empty() ? "" : ":" + named.assumed));
      // What is complete stays as it is.
      EXPECT_EQ(complete_spec(named.text, {.example = size}).assumed, "");
    }
  }
}

TEST(CompleteSpec, SaysWhatItFilledIn) {
  EXPECT_EQ(by_hand("sinusoidal").assumed, "width=8");
  EXPECT_EQ(picture("sinusoidal").text, "sinusoidal:width=128");
  EXPECT_EQ(by_hand("sinusoidal:base=100").text, "sinusoidal:base=100,width=8");
  EXPECT_EQ(by_hand("learned").assumed, "width=8,rows=10,past_end=error");
  EXPECT_EQ(by_hand("rotary").assumed, "head_dim=8");
  EXPECT_EQ(picture("rotary:base=500000").assumed, "head_dim=128");
  EXPECT_EQ(by_hand("alibi").assumed, "heads=4");
  EXPECT_EQ(by_hand("none").assumed, "");
  EXPECT_EQ(to_text(complete_spec("window").spec), "window");
}

TEST(CompleteSpec, EveryScalingIsUsableByItsNameAlone) {
  for (const KindInfo& scaling : scaling_kinds()) {
    for (const ExampleSize size : kSizes) {
      const NamedSpec named = complete_spec("rotary:scaling=" + scaling.name, {.example = size});
      SCOPED_TRACE(named.text);
      EXPECT_EQ(kind_of(std::get<Rotary>(named.spec).scaling), scaling.name);
      EXPECT_EQ(complete_spec(named.text, {.example = size}).assumed, "");
      const auto& rotary = std::get<Rotary>(named.spec);
      EXPECT_TRUE(!needs_length(rotary.scaling) || rotary.sequence_length);
    }
  }
}

TEST(CompleteSpec, KeepsWhatIsGivenAndFitsIt) {
  const struct {
    const char* text;
    const char* assumed;
  } cases[] = {
      {"sinusoidal:inv_freq=1/0.5/0.25", "width=6"},
      {"sinusoidal:spacing=half,shift=7", "width=16"},
      {"sinusoidal:width=3", ""},
      {"learned:rows=20", "past_end=error"},
      {"learned:length=20", "past_end=interpolate"},
      {"hybrid:learned.width=12,learned.past_end=clamp", "fixed.width=12"},
      {"concat:0.kind=learned", "0.axis=0,0.past_end=error"},
      {"concat:0.width=4,1.width=6", "0.axis=0,1.axis=1"},
      {"fourier:axes=1", "inv_freq=1/0.5/0.25/0.125"},
      {"fourier:axes=2,width=4", "inv_freq=1/0.5/0.5/1"},
      {"rotary:rotary_dim=64", "head_dim=64"},
      {"rotary:rotary_dim=4", "head_dim=8"},
      {"rotary:rotary_dim=64,rope_offset=-64", "head_dim=128"},
      {"rotary:inv_freq=1/0.1", "head_dim=4"},
      {"rotary:sections=16/24/24", "head_dim=128"},
      {"rotary:axes=2,axis_of_pair=0/1/0", "head_dim=6"},
      {"rotary:axes=3,layout=half_per_axis", "head_dim=12"},
      {"rotary:partial_rotary_factor=0.1", "head_dim=20"},
      {"rotary:partial_rotary_factor=0.25", "head_dim=8"},
      {"rotary:partial_rotary_factor=0.5,inv_freq=1/0.1/0.01", "head_dim=12"},
      {"rotary:scaling=learned_multipliers,log_multipliers=1/2/3", "head_dim=6"},
      {"rotary:scaling=yarn", "head_dim=8,factor=4,original_positions=4096"},
      {"rotary:head_dim=16,scaling=yarn,factor=2", "original_positions=4096"},
      {"rotary:head_dim=16,scaling=yarn,original_positions=64,max_positions=128", ""},
      {"rotary:scaling=dynamic,sequence_length=9", "head_dim=8,factor=4,original_positions=4096"},
      {"rotary:scaling=learned_multipliers,head_dim=4", "log_multipliers=-1/-1"},
      {"alibi:biased_heads=6", "heads=6"},
      {"pope:axes=2,sections=3/5", "head_dim=8"},
      {"pope:inv_freq=1/0.5/0.25", "head_dim=3"},
      {"xpos:rotary_dim=16,rope_offset=4", "head_dim=20"},
  };
  for (const auto& [text, assumed] : cases) {
    SCOPED_TRACE(text);
    const NamedSpec named = by_hand(text);
    EXPECT_EQ(named.assumed, assumed);
    EXPECT_EQ(named.text, std::string(text) + (*assumed == '\0' ? "" : std::string(",") + assumed));
  }
}

TEST(CompleteSpec, LeavesSizesToATable) {
  const FillIn choices{.example = ExampleSize::by_hand, .sizes = false};
  EXPECT_EQ(complete_spec("learned", choices).assumed, "past_end=error");
  EXPECT_THROW(complete_spec("alibi", choices), Error);
}

TEST(CompleteSpec, LooksAtListsOfFiles) {
  int reads = 0;
  const ListReader reader = [&](const std::string&) {
    ++reads;
    return std::vector<double>{1.0, 0.5};
  };
  const NamedSpec named = complete_spec("rotary:inv_freq=@f.npy", {.example = ExampleSize::by_hand}, reader);
  EXPECT_EQ(named.text, "rotary:inv_freq=@f.npy,head_dim=4");
  EXPECT_EQ(reads, 1);
}

// The examples in messages are made of fields that nobody has checked yet.
TEST(CompleteSpec, RefusesNumbersOutOfEveryRange) {
  const char* const extremes[] = {"0", "-1", "9223372036854775807", "-9223372036854775808",
                                  "9223372036854775807/9223372036854775807"};
  for (const KindInfo& kind : kinds()) {
    for (const FieldInfo& field : kind.fields) {
      for (const std::string value : extremes) {
        // The layout that divides a head by its axes.
        const std::string layout = kind.name == "rotary" && field.name != "layout" ? ",layout=half_per_axis" : "";
        const std::string text = kind.name + ":" + field.name + "=" + value + layout;
        SCOPED_TRACE(text);
        EXPECT_THROW(by_hand(text + ",unknown_word=1"), Error);
        try {
          by_hand(text);  // may be a spec, may be an Error
        } catch (const Error&) {
        }
      }
    }
  }
}

TEST(CompleteSpec, FillsInNothingUnasked) {
  EXPECT_THROW(complete_spec("sinusoidal"), Error);
  EXPECT_THROW(parse_spec("rotary"), Error);
}

}  // namespace complete_spec_test
}  // namespace posenc
