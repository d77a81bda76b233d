#include "posenc/files/spec_json.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace posenc::spec_json_test {
namespace {

Spec read(std::string_view text) { return spec_from_json(parse_json(text, "s.json"), "s.json"); }

void expect_bad(std::string_view text, const std::string& part, ErrorKind kind = ErrorKind::bad_input) {
  SCOPED_TRACE(std::string(text));
  expect_error(kind, part, [&] { read(text); });
}

TEST(SpecJson, WritesEveryField) {
  EXPECT_EQ(to_text(to_json(Sinusoidal{.width = 4})), R"({
  "schema": "posenc/1",
  "kind": "sinusoidal",
  "width": 4,
  "base": 10000,
  "spacing": "width",
  "shift": 1,
  "exponent_factor": 1,
  "scale": 1,
  "inv_freq": [],
  "first": 0,
  "order": "interleaved",
  "odd": "drop",
  "multiplier": 1,
  "zero_position": null
}
)");
}

TEST(SpecJson, NamesTheSameFieldsAsTheList) {
  const Json json = to_json(Sinusoidal{.width = 4});
  std::vector<std::string> names = {"schema", "kind"};
  const std::vector<KindInfo> known = kinds();
  for (const FieldInfo& field : known.at(0).fields) names.push_back(field.name);
  ASSERT_EQ(json.object().size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(json.object()[i].first, names[i]);
}

TEST(SpecJson, GivesBackWhatItWrote) {
  const Sinusoidal specs[] = {
      {.width = 7,
       .base = 0.1,
       .frequency_scale = 1e-300,
       .first = -3,
       .order = Order::cos_halves,
       .odd = OddWidth::zero},
      {.width = 10,
       .spacing = Spacing::half,
       .shift = 0.25,
       .exponent_factor = 1.5,
       .multiplier = -2.5,
       .zero_position = 0},
      {.width = 4, .inv_freq = {1.0, 0.1}, .order = Order::halves, .zero_position = -1},
  };
  for (const Sinusoidal& spec : specs) {
    const Json json = to_json(spec);
    const Spec back = spec_from_json(parse_json(to_text(json), "s.json"), "s.json");
    EXPECT_EQ(to_text(back), to_text(Spec(spec)));
    EXPECT_EQ(to_text(to_json(back)), to_text(json));
  }
}

TEST(SpecJson, FillsInDefaults) {
  EXPECT_EQ(to_text(read(R"({"kind": "sinusoidal", "width": 4})")), "sinusoidal:width=4");
  EXPECT_EQ(to_text(read(R"({"width": 1e1, "zero_position": 2, "order": "halves", "inv_freq": [1, 2, 3, 4, 5.5],
                            "kind": "sinusoidal", "schema": "posenc/1"})")),
            "sinusoidal:width=10,inv_freq=1/2/3/4/5.5,order=halves,zero_position=2");
}

TEST(SpecJson, TakesShorthands) {
  const Spec spec = read(R"({"kind": "sinusoidal", "width": 4, "min_timescale": 2, "max_timescale": 200})");
  EXPECT_EQ(to_text(spec), "sinusoidal:width=4,base=100,scale=2");
  expect_bad(R"({"kind": "sinusoidal", "width": 4, "base": 10, "max_timescale": 200})",
             "s.json: max_timescale and base say the same thing");
  expect_bad(R"({"kind": "sinusoidal", "width": 4, "max_timescale": []})",
             "s.json: max_timescale: expected a number but got an array of 0");
}

TEST(SpecJson, RefusesWhatIsNoSpec) {
  expect_bad("[]", "s.json: expected an object but got an array of 0");
  expect_bad("{}", "s.json: kind: expected the kind of encoding but it is missing");
  expect_bad(R"({"kind": 1})", "s.json: kind: expected a string but got 1");
  expect_bad(R"({"kind": "sinusiodal"})", "s.json: kind: there is no kind 'sinusiodal'; did you mean 'sinusoidal'?");
  expect_bad(R"({"kind": "sinusoidal", "schema": "posenc/2", "width": 4})",
             "s.json: schema: expected \"posenc/1\" but got \"posenc/2\"", ErrorKind::unsupported);
  expect_bad(R"({"kind": "sinusoidal", "schema": 1, "width": 4})", "s.json: schema: expected a string but got 1");
}

TEST(SpecJson, RefusesFieldsWithTheirPath) {
  const auto bad = [](const std::string& member, const std::string& part) {
    expect_bad(R"({"kind": "sinusoidal", )" + member + "}", part);
  };
  bad(R"("base": 100)", "s.json: width: must be given but is missing");
  bad(R"("widht": 4)", "s.json: sinusoidal has no field 'widht'; did you mean 'width'?");
  bad(R"("width": "4")", "s.json: width: expected an integer but got \"4\"");
  bad(R"("width": 4.5)", "s.json: width: expected an integer but got 4.5");
  bad(R"("width": null)", "s.json: width: expected an integer but got null");
  bad(R"("width": 4, "base": true)", "s.json: base: expected a number but got true");
  bad(R"("width": 4, "inv_freq": 1)", "s.json: inv_freq: expected an array but got 1");
  bad(R"("width": 4, "inv_freq": [1, "a"])", "s.json: inv_freq[1]: expected a number but got \"a\"");
  bad(R"("width": 4, "order": 0)", "s.json: order: expected a string but got 0");
  bad(R"("width": 4, "zero_position": 0.5)", "s.json: zero_position: expected an integer but got 0.5");
  bad(R"("width": 4, "order": "half")", "s.json: sinusoidal] order must be");
  bad(R"("width": 0)", "s.json: sinusoidal] width must be at least 1 but got 0");
  bad(R"("width": 4, "base": "inf")", "s.json: sinusoidal] base must be finite but got inf");
  bad(R"("width": 5, "odd": "error")", "width must be even");
}

TEST(SpecJson, WritesLearned) {
  EXPECT_EQ(to_text(to_json(Learned{.rows = 9, .past_end = PastEnd::interpolate, .length = 30})), R"({
  "schema": "posenc/1",
  "kind": "learned",
  "width": 0,
  "rows": 9,
  "past_end": "interpolate",
  "first": 0,
  "length": 30,
  "multiplier": 1,
  "normalize": "none",
  "padding_row": null
}
)");
}

// A hybrid has its parts as separate objects, with the fields of those parts only.
TEST(SpecJson, NestsHybrids) {
  const Sinusoidal fixed{.width = 4, .base = 300.0, .order = Order::halves};
  const Learned learned{.past_end = PastEnd::clamp, .first = 2, .normalize = Normalize::l2, .padding_row = 1};
  const Json json = to_json(Hybrid{fixed, learned});
  const auto fields_alone = [](const Json& part) {
    Json::Object members = part.object();
    members.erase(members.begin(), members.begin() + 2);  // schema, kind
    return to_text(Json(members));
  };
  ASSERT_EQ(json.object().size(), 4u);
  EXPECT_EQ(json.find("kind")->string(), "hybrid");
  EXPECT_EQ(to_text(*json.find("fixed")), fields_alone(to_json(fixed)));
  EXPECT_EQ(to_text(*json.find("learned")), fields_alone(to_json(learned)));
  const Spec back = read(to_text(json));
  EXPECT_EQ(to_text(back), to_text(Spec(Hybrid{fixed, learned})));
  EXPECT_EQ(to_text(to_json(back)), to_text(json));
}

TEST(SpecJson, GivesBackWhatItWroteOfLearned) {
  const Learned specs[] = {
      {.past_end = PastEnd::error},
      {.width = 7, .rows = 9, .past_end = PastEnd::interpolate, .length = 30, .multiplier = 0.1, .padding_row = 0}};
  for (const Learned& spec : specs) EXPECT_EQ(to_text(read(to_text(to_json(spec)))), to_text(Spec(spec)));
}

TEST(SpecJson, ReadsNestedHybrids) {
  EXPECT_EQ(to_text(read(R"({"learned": {"past_end": "clamp"}, "kind": "hybrid", "fixed": {"width": 4, "inv_freq": [1,
                            0.5]}})")),
            "hybrid:fixed.width=4,fixed.inv_freq=1/0.5,learned.past_end=clamp");
  // A part may be the JSON of a whole spec.
  EXPECT_EQ(to_text(read(R"({"kind": "hybrid", "fixed": {"schema": "posenc/1", "kind": "sinusoidal", "width": 4},
                             "learned": {"kind": "learned", "past_end": "clamp"}})")),
            "hybrid:fixed.width=4,learned.past_end=clamp");
  EXPECT_EQ(to_text(read(R"({"kind": "hybrid", "fixed": {"width": 4, "max_timescale": 300},
                            "learned": {"past_end": "clamp"}})")),
            "hybrid:fixed.width=4,fixed.base=300,learned.past_end=clamp");
}

TEST(SpecJson, RefusesLearnedAndHybrids) {
  expect_bad(R"({"kind": "learned"})", "s.json: past_end: must be given but is missing");
  expect_bad(R"({"kind": "learned", "past_end": null})", "s.json: past_end: expected a string but got null");
  expect_bad(R"({"kind": "learned", "past_end": "clamp", "length": 4})",
             "[s.json: learned] length is for past_end=interpolate but got 4");
  expect_bad(R"({"kind": "learned", "past_end": "interpolate"})", "past_end=interpolate needs length");
  expect_bad(R"({"kind": "hybrid", "fixed": {"kind": "learned", "width": 4}, "learned": {"past_end": "clamp"}})",
             "s.json: fixed.kind: expected \"sinusoidal\" but got \"learned\"");
  expect_bad(R"({"kind": "hybrid", "fixed": {"schema": "other", "width": 4}, "learned": {"past_end": "clamp"}})",
             "s.json: fixed.schema: expected \"posenc/1\" but got \"other\"");
  expect_bad(R"({"kind": "hybrid", "fixed": {"width": 4}})", "s.json: learned.past_end: must be given but is missing");
  expect_bad(R"({"kind": "hybrid", "learned": {"past_end": "clamp"}})", "s.json: fixed.width: must be given but");
  expect_bad(R"({"kind": "hybrid", "fixed": 4, "learned": {"past_end": "clamp"}})",
             "s.json: fixed: expected an object but got 4");
  expect_bad(R"({"kind": "hybrid", "fixed": {"widht": 4}, "learned": {"past_end": "clamp"}})",
             "s.json: hybrid has no field 'fixed.widht'; did you mean 'fixed.width'?");
  expect_bad(R"({"kind": "hybrid", "fixed.width": 4, "learned": {"past_end": "clamp"}})",
             "s.json: fixed.width: expected the part as an object of its own, {\"fixed\": {...}}");
  expect_bad(R"({"kind": "hybrid", "fixed": {"width": 4, "base": "x"}, "learned": {"past_end": "clamp"}})",
             "s.json: fixed.base: expected a number but got \"x\"");
  expect_bad(R"({"kind": "hybrid", "fixed": {"width": 4, "shift": 2}, "learned": {"past_end": "clamp"}})",
             "fixed.shift is for spacing=half but got 2");
  expect_bad(R"({"kind": "hybrid", "fixed": {"width": 4}, "learned": {"past_end": "clamp"}, "extra": 1})",
             "s.json: hybrid has no field 'extra'");
}

}  // namespace
}  // namespace posenc::spec_json_test
