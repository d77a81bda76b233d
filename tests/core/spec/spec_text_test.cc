// The text form of specs: parse_spec and to_text.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "posenc/list_reader.h"
#include "posenc/spec.h"
#include "support/expect_error.h"

namespace posenc::spec_text_test {
namespace {

Sinusoidal parse(const std::string& text) { return std::get<Sinusoidal>(parse_spec(text)); }

void expect_bad(const std::string& text, const std::string& part) {
  SCOPED_TRACE(text);
  expect_error(ErrorKind::bad_input, part, [&] { parse_spec(text); });
}

TEST(ParseSpec, ReadsEveryField) {
  const Sinusoidal spec = parse(
      "sinusoidal:width=9,base=500.5,spacing=half,shift=0.25,exponent_factor=-2,scale=1e-3,first=-7,order=cos_halves,"
      "odd=zero,multiplier=22.5,zero_position=3");
  EXPECT_EQ(spec.width, 9);
  EXPECT_EQ(spec.base, 500.5);
  EXPECT_EQ(spec.spacing, Spacing::half);
  EXPECT_EQ(spec.shift, 0.25);
  EXPECT_EQ(spec.exponent_factor, -2.0);
  EXPECT_EQ(spec.frequency_scale, 1e-3);
  EXPECT_EQ(spec.first, -7);
  EXPECT_EQ(spec.order, Order::cos_halves);
  EXPECT_EQ(spec.odd, OddWidth::zero);
  EXPECT_EQ(spec.multiplier, 22.5);
  EXPECT_EQ(spec.zero_position, 3);
  EXPECT_EQ(parse("sinusoidal:width=4,inv_freq=1/-0.5").inv_freq, (std::vector<double>{1.0, -0.5}));
}

TEST(ParseSpec, IgnoresSpacesAroundAField) {
  EXPECT_EQ(to_text(parse("sinusoidal: width = 9 , base= 500")), "sinusoidal:width=9,base=500");
  expect_bad("sinusoidal:width=9, ", "expected field=value but got ''");
  expect_bad("sinusoidal:wi dth=9", "no field 'wi dth'");
}

TEST(ParseSpec, ReadsEveryWord) {
  EXPECT_EQ(parse("sinusoidal:width=4,spacing=width").spacing, Spacing::width);
  EXPECT_EQ(parse("sinusoidal:width=4,spacing=even_width").spacing, Spacing::even_width);
  EXPECT_EQ(parse("sinusoidal:width=4,spacing=half").spacing, Spacing::half);
  EXPECT_EQ(parse("sinusoidal:width=4,order=interleaved").order, Order::interleaved);
  EXPECT_EQ(parse("sinusoidal:width=4,order=cos_interleaved").order, Order::cos_interleaved);
  EXPECT_EQ(parse("sinusoidal:width=4,order=halves").order, Order::halves);
  EXPECT_EQ(parse("sinusoidal:width=4,order=cos_halves").order, Order::cos_halves);
  EXPECT_EQ(parse("sinusoidal:width=4,odd=drop").odd, OddWidth::drop);
  EXPECT_EQ(parse("sinusoidal:width=4,odd=zero").odd, OddWidth::zero);
  EXPECT_EQ(parse("sinusoidal:width=4,odd=error").odd, OddWidth::error);
}

TEST(ParseSpec, GivesBackWhatToTextPrints) {
  for (const char* text : {
           "sinusoidal:width=4",
           "sinusoidal:width=512,base=0.1",
           "sinusoidal:width=8,spacing=even_width",
           "sinusoidal:width=8,spacing=half,shift=0",
           "sinusoidal:width=8,exponent_factor=-1.5",
           "sinusoidal:width=8,scale=0.333",
           "sinusoidal:width=4,inv_freq=1/0.1",
           "sinusoidal:width=4,first=-2",
           "sinusoidal:width=4,order=cos_interleaved",
           "sinusoidal:width=5,odd=zero",
           "sinusoidal:width=4,multiplier=-3",
           "sinusoidal:width=4,zero_position=0",
           "sinusoidal:width=9,base=7,spacing=half,shift=0.5,scale=2,first=1,order=halves,odd=zero,zero_position=1",
           "learned:past_end=error",
           "learned:past_end=clamp,padding_row=0",
           "learned:width=7,rows=9,past_end=interpolate,first=2,length=30,multiplier=-0.5,normalize=l2,padding_row=1",
           "hybrid:fixed.width=4,learned.past_end=clamp",
           "hybrid:fixed.width=4,fixed.inv_freq=1/"
           "0.5,fixed.zero_position=1,learned.rows=9,learned.past_end=interpolate,"
           "learned.length=30,learned.multiplier=2",
       }) {
    EXPECT_EQ(to_text(parse_spec(text)), text);
  }
}

TEST(ToText, LeavesOutDefaultsAndKeepsTheOrderOfFields) {
  EXPECT_EQ(to_text(parse_spec("sinusoidal:multiplier=2,base=10000,odd=drop,width=4,inv_freq=none,zero_position=none")),
            "sinusoidal:width=4,multiplier=2");
}

TEST(ParseSpec, TakesTheNamesOfMembersToo) {
  EXPECT_EQ(parse("sinusoidal:width=4,frequency_scale=0.5").frequency_scale, 0.5);
  EXPECT_EQ(parse("sinusoidal:width=4,scale=0.5").frequency_scale, 0.5);
  const std::string rotary = "rotary:head_dim=8,rotary_dim=4,rope_offset=-4,scale=2";
  EXPECT_EQ(to_text(parse_spec("rotary:head_dim=8,rotary_dim=4,first_channel=-4,frequency_scale=2")), rotary);
  EXPECT_EQ(to_text(parse_spec("hybrid:fixed.width=4,fixed.frequency_scale=3,learned.rows=2,learned.past_end=error")),
            "hybrid:fixed.width=4,fixed.scale=3,learned.rows=2,learned.past_end=error");
  EXPECT_EQ(to_text(parse_spec("xpos:head_dim=8,rotary_dim=4,first_channel=2")),
            "xpos:head_dim=8,rotary_dim=4,rope_offset=2");
  expect_bad("sinusoidal:width=4,scale=1,frequency_scale=1",
             "scale and frequency_scale are the same field: give one of them");
  expect_bad("sinusoidal:width=4,frequency_scale=1,frequency_scale=1", "frequency_scale is given twice");
  expect_bad("rotary:head_dim=8,first_channel=x", "first_channel (rope_offset) must be an integer but got 'x'");
  expect_bad("hybrid:fixed.freq_scale=1", "did you mean 'fixed.frequency_scale'?");
  expect_bad("rotary:head_dim=8,zzz=2", " rope_offset|first_channel ");
  expect_bad("rotary:head_dim=8,first_chanel=2", "rotary has no field 'first_chanel'; did you mean 'first_channel'?");
}

TEST(ToText, KeepsEveryDigit) {
  const Sinusoidal spec{.width = 4, .base = 10000.000000000002, .frequency_scale = 1.0 / 3.0, .inv_freq = {}};
  EXPECT_EQ(parse(to_text(Spec(spec))).base, spec.base);
  EXPECT_EQ(parse(to_text(Spec(spec))).frequency_scale, spec.frequency_scale);
  const Sinusoidal listed{.width = 4, .inv_freq = {0.1 + 0.2, 5e-324}};
  EXPECT_EQ(parse(to_text(Spec(listed))).inv_freq, listed.inv_freq);
}

TEST(ParseSpec, NamesTheNearestKindAndField) {
  expect_bad("sinusiodal:width=4", "there is no kind 'sinusiodal'; did you mean 'sinusoidal'? Known kinds: sinusoidal");
  expect_bad("frobnicate:x=1", "there is no kind 'frobnicate'");
  expect_bad("", "there is no kind ''");
  expect_bad("sinusoidal:widht=4", "sinusoidal has no field 'widht'; did you mean 'width'?");
  expect_bad("sinusoidal:width=4,max_timescal=4",
             "sinusoidal has no field 'max_timescal'; did you mean 'max_timescale'?");
  expect_bad("sinusoidal:head_dimension=4",
             "sinusoidal has no field 'head_dimension'; the fields are: width base spacing");
}

TEST(ParseSpec, RefusesWhatIsNoList) {
  expect_bad("sinusoidal:width=4,width=4", "width is given twice");
  expect_bad("sinusoidal:width=4,min_timescale=1,min_timescale=1", "min_timescale is given twice");
  expect_bad("sinusoidal:width=4,", "nothing follows the last comma");
  expect_bad("sinusoidal:width=4,,base=5", "expected field=value but got ''");
  expect_bad("sinusoidal:width", "expected field=value but got 'width'");
  expect_bad("sinusoidal:=4", "expected field=value but got '=4'");
  expect_bad("sinusoidal:512", "expected field=value but got '512'");
}

TEST(ParseSpec, MustHaveAWidth) {
  expect_bad("sinusoidal", "'sinusoidal': width must be given, as in sinusoidal:width=128");
  expect_bad("sinusoidal:", "'sinusoidal:': width must be given, as in sinusoidal:width=128");
  expect_bad("sinusoidal:base=5", "'sinusoidal:base=5': width must be given, as in sinusoidal:base=5,width=128");
}

TEST(ParseSpec, RefusesValuesOfAnotherType) {
  for (const char* value : {"", "abc", "4.0", "1e3", "0x10", "99999999999999999999"}) {
    expect_bad("sinusoidal:width=" + std::string(value), "but got '" + std::string(value) + "'");
  }
  for (const char* value : {"", "nan", "1,5", "1e999", "0x10", "infinity"}) {
    expect_bad("sinusoidal:width=4,base=" + std::string(value), "[");
  }
  expect_bad("sinusoidal:width=4,base=ten", "base must be");
  expect_bad("sinusoidal:width=4,zero_position=0.5", "zero_position must be");
  expect_bad("sinusoidal:width=4,first=none", "first must be");
  expect_bad("sinusoidal:width=4,order=half",
             "order must be one of interleaved, cos_interleaved, halves, cos_halves but got 'half'");
  expect_bad("sinusoidal:width=4,odd=", "odd must be one of drop, zero, error but got ''");
  for (const char* value : {"", "/", "1/", "/1", "1//2", "1/x", "1/nan"}) {
    expect_bad("sinusoidal:width=4,inv_freq=" + std::string(value), "inv_freq must be");
  }
}

TEST(ParseSpec, Validates) {
  expect_bad("sinusoidal:width=0", "[sinusoidal] width must be at least 1 but got 0");
  expect_bad("sinusoidal:width=4,base=inf", "[sinusoidal] base must be finite but got inf");
  expect_bad("sinusoidal:width=4,inv_freq=1", "inv_freq must have one number per pair, 2, but has 1");
}

TEST(ParseSpec, ReadsLearned) {
  const Learned spec = std::get<Learned>(parse_spec(
      "learned:width=7,rows=9,past_end=interpolate,first=2,length=30,multiplier=-0.5,normalize=l2,padding_row=1"));
  EXPECT_EQ(spec.width, 7);
  EXPECT_EQ(spec.rows, 9);
  EXPECT_EQ(spec.past_end, PastEnd::interpolate);
  EXPECT_EQ(spec.first, 2);
  EXPECT_EQ(spec.length, 30);
  EXPECT_EQ(spec.multiplier, -0.5);
  EXPECT_EQ(spec.normalize, Normalize::l2);
  EXPECT_EQ(spec.padding_row, 1);
  EXPECT_EQ(std::get<Learned>(parse_spec("learned:past_end=error")).past_end, PastEnd::error);
  EXPECT_EQ(std::get<Learned>(parse_spec("learned:past_end=clamp")).past_end, PastEnd::clamp);
}

TEST(ParseSpec, ReadsHybrids) {
  const Hybrid spec = std::get<Hybrid>(parse_spec(
      "hybrid:learned.multiplier=2,fixed.multiplier=3,fixed.width=4,learned.past_end=clamp,learned.first=1"));
  EXPECT_EQ(spec.fixed.width, 4);
  EXPECT_EQ(spec.fixed.multiplier, 3.0);
  EXPECT_EQ(spec.fixed.first, 0);
  EXPECT_EQ(spec.learned.multiplier, 2.0);
  EXPECT_EQ(spec.learned.first, 1);
  EXPECT_EQ(to_text(parse_spec("hybrid:fixed.width=4,fixed.max_timescale=300,learned.past_end=clamp")),
            "hybrid:fixed.width=4,fixed.base=300,learned.past_end=clamp");
}

TEST(ParseSpec, RefusesLearnedAndHybrids) {
  expect_bad(
      "learned",
      "'learned': past_end must be given, as in learned:width=128,rows=512,past_end=error (or another of error|clamp");
  expect_bad("learned:past_end=unchosen", "past_end must be one of error, clamp, interpolate but got 'unchosen'");
  expect_bad("learned:past_end=interpolate", "[learned] past_end=interpolate needs length");
  expect_bad("learned:past_end=error,length=8", "[learned] length is for past_end=interpolate but got 8");
  expect_bad("learned:past_end=error,padding_index=1",
             "learned has no field 'padding_index'; did you mean 'padding_idx'?");
  expect_bad("learned:past_end=error,past_end=clamp", "past_end is given twice");
  expect_bad("hybrid:fixed.width=4", "learned.past_end must be given");
  expect_bad("hybrid:learned.past_end=clamp",
             "fixed.width must be given, as in hybrid:learned.past_end=clamp,fixed.width=128");
  expect_bad("hybrid:width=4,learned.past_end=clamp", "hybrid has no field 'width'; did you mean 'fixed.width'?");
  expect_bad("hybrid:fixed.width=4,learned.width=5,learned.past_end=clamp", "[hybrid] learned.width must be that of");
  expect_bad("hybrid:fixed.width=4,fixed.base=3,fixed.max_timescale=4,learned.past_end=clamp",
             "fixed.max_timescale and fixed.base say the same thing");
}

TEST(ParseSpec, ReadsListsThroughTheReader) {
  std::string asked;
  const ListReader reader = [&](const std::string& path) {
    asked = path;
    return std::vector<double>{0.5, 0.25};
  };
  const Spec spec = parse_spec("sinusoidal:width=4,inv_freq=@folder/list.npy", reader);
  EXPECT_EQ(asked, "folder/list.npy");
  EXPECT_EQ(to_text(spec), "sinusoidal:width=4,inv_freq=0.5/0.25");
  expect_error(ErrorKind::usage, "'@list.npy' names a file: use load_spec",
               [] { parse_spec("sinusoidal:width=4,inv_freq=@list.npy"); });
  std::function<std::vector<double>(const std::string&)> function;
  expect_error(ErrorKind::usage, "'@list.npy' names a file: use load_spec",
               [&] { parse_spec("sinusoidal:width=4,inv_freq=@list.npy", function); });
  function = [](const std::string&) { return std::vector<double>{3.0, 2.0}; };
  EXPECT_EQ(to_text(parse_spec("sinusoidal:width=4,inv_freq=@list.npy", function)), "sinusoidal:width=4,inv_freq=3/2");
}

TEST(ParseSpec, TurnsTimescalesIntoFields) {
  const Sinusoidal both = parse("sinusoidal:width=8,min_timescale=2,max_timescale=5000");
  EXPECT_EQ(both.frequency_scale, 2.0);
  EXPECT_EQ(both.base, 2500.0);
  EXPECT_EQ(parse("sinusoidal:width=8,min_timescale=2").base, 5000.0);
  EXPECT_EQ(parse("sinusoidal:width=8,max_timescale=300").base, 300.0);
  EXPECT_EQ(parse("sinusoidal:width=8,max_timescale=300").frequency_scale, 1.0);
  EXPECT_EQ(to_text(Spec(both)), "sinusoidal:width=8,base=2500,scale=2");
}

TEST(ParseSpec, RefusesTimescalesBesideWhatTheyReplace) {
  for (const char* field : {"base=10000", "scale=1", "inv_freq=none"}) {
    const std::string name = std::string(field).substr(0, std::string(field).find('='));
    expect_bad("sinusoidal:width=4,min_timescale=2," + std::string(field), "min_timescale and " + name);
    expect_bad("sinusoidal:" + std::string(field) + ",width=4,max_timescale=2", "max_timescale and " + name);
  }
  expect_bad("sinusoidal:width=4,min_timescale=x", "min_timescale must be a number but got 'x'");
  expect_bad("sinusoidal:width=4,max_timescale=0", "max_timescale must be finite and above 0 but got 0");
  expect_bad("sinusoidal:width=4,min_timescale=-1,max_timescale=-5",
             "min_timescale must be finite and above 0 but got -1");
}

// Each is what the punctuation seems to mean, with the values that were given.
TEST(SpecText, SuggestsTheRightPunctuation) {
  const std::pair<const char*, const char*> cases[] = {
      {"sinusoidal:4", "got '4'; write sinusoidal:width=4"},
      {"sinusoidal:d_model:4", "write sinusoidal:width=4"},
      {"sinusoidal:width=4;base=100", "write sinusoidal:width=4,base=100"},
      {"sinusoidal:width=4 base=100", "write sinusoidal:width=4,base=100"},
      {"sinusoidal:(width=4)", "write sinusoidal:width=4"},
      {"RoPE:64,base=5", "write rotary:head_dim=64,base=5"},
      {"alibi:heads:4,bias_max:2", "write alibi:heads=4,bias_max=2"},
      {"transformer_xl:2,4", "write transformer_xl:heads=2,head_dim=4,width=128"},
  };
  for (const auto& [text, message] : cases) {
    SCOPED_TRACE(text);
    expect_error(ErrorKind::bad_input, message, [&, given = text] { parse_spec(given); });
  }
  for (const char* text : {"sinusoidal:four", "sinusoidal:4,5", "sinusoidal:width=4 4", "window:4", "none:3"}) {
    try {
      parse_spec(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find("; write"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace posenc::spec_text_test
