#include "posenc/files/json.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "support/expect_error.h"

namespace posenc::json_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Json parse(std::string_view text) { return parse_json(text, "t.json"); }

void expect_bad(std::string_view text, const std::string& part) {
  SCOPED_TRACE(std::string(text.substr(0, 100)));
  expect_error(ErrorKind::bad_input, "t.json: " + part, [&] { parse(text); });
}

TEST(ParseJson, ReadsEveryType) {
  const Json json = parse(R"( {"n": null, "t": true, "f": false, "i": -12, "d": 1.5e3, "s": "a\n\u00e4", "a": [1, []],
                               "o": {"x": {}}} )");
  EXPECT_TRUE(json.find("n")->is_null());
  EXPECT_TRUE(json.find("t")->boolean());
  EXPECT_FALSE(json.find("f")->boolean());
  EXPECT_EQ(std::get<std::int64_t>(json.find("i")->value), -12);
  EXPECT_EQ(std::get<double>(json.find("d")->value), 1500.0);
  EXPECT_EQ(json.find("s")->string(), "a\n\xC3\xA4");
  EXPECT_EQ(json.find("a")->array().size(), 2u);
  EXPECT_TRUE(json.find("a")->array()[1].array().empty());
  EXPECT_TRUE(json.find("o")->find("x")->object().empty());
  EXPECT_EQ(json.object()[5].first, "s") << "members keep their order";
}

TEST(ParseJson, KeepsIntegersAsFarAsTheyGo) {
  EXPECT_EQ(std::get<std::int64_t>(parse("9223372036854775807").value), INT64_MAX);
  EXPECT_EQ(std::get<std::int64_t>(parse("-9223372036854775808").value), INT64_MIN);
  EXPECT_EQ(std::get<double>(parse("9223372036854775808").value), 9223372036854775808.0);
  EXPECT_EQ(std::get<double>(parse("18446744073709551616").value), 18446744073709551616.0);
  EXPECT_EQ(parse("1e-999").number(), 0.0);
}

TEST(ParseJson, RefusesDuplicateKeysWithTheirPath) {
  expect_bad(R"({"a": 1, "b": 2, "a": 3})", "a: expected a key once but it occurs twice");
  expect_bad(R"({"x": [0, {"k": {"d": 1, "d": 1}}]})", "x[1].k.d: expected a key once");
}

TEST(ParseJson, RefusesNumbersThatOverflowWithTheirPath) {
  expect_bad(R"({"rope_scaling": {"factor": 1e999}})",
             "rope_scaling.factor: expected a number within the range of a double but got 1e999");
  expect_bad("[1, -1e400]", "[1]: expected a number within");
}

TEST(ParseJson, TakesSixtyFourLevelsAndNoMore) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(parse(nested(64)).is_array());
  expect_bad(nested(65), "[0][0]");
  expect_bad(
      nested(65), std::string("[0]") + [] {
        std::string path;
        for (int i = 1; i < 64; ++i) path += "[0]";
        return path;
      }() + ": expected at most 64 levels of nesting");
  std::string objects;
  for (int i = 0; i < 1000000; ++i) objects += "{\"a\":";
  expect_bad(objects, "a.a.a");
}

TEST(ParseJson, RefusesWhatIsNotJson) {
  for (const char* text : {"", " ", "{", "[1,]", "{\"a\":1,}", "NaN", "[Infinity]", "01", "+1", ".5", "1.", "'a'",
                           "\"a", "{a:1}", "// c\n1", "\"\t\"", "tru", "\"\\ud800\""}) {
    expect_bad(text, "byte ");
  }
  expect_bad("{} {}", "byte 4, line 1, column 4: syntax error while parsing value - unexpected '{'; expected end of");
  expect_bad("[1,\n 2,\n x]", "byte 10, line 3, column 2: syntax error");
  using namespace std::string_view_literals;
  expect_bad("{}\0{}"sv, "expected JSON text but got a zero byte after 2 bytes");
}

TEST(ParseJson, RefusesInvalidUtf8WithoutRepeatingIt) {
  for (const char* text : {"\"\xFF\"", "\"\xC3\"", "\"\xC0\xAF\"", "\"\xED\xA0\x80\"", "\"\xF4\x90\x80\x80\""}) {
    try {
      parse(text);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      for (const char* c = error.what(); *c; ++c) EXPECT_GE(*c, ' ') << error.what();
    }
  }
}

TEST(ParseJson, KeepsMessagesShort) {
  try {
    parse("\"" + std::string(1000000, 'x'));
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_LT(std::string(error.what()).size(), 300u);
  }
}

TEST(Json, SaysWhereAndWhatWasThere) {
  const Json json = parse(R"({"a": [1, 2], "s": "text", "d": 1.5, "o": {}, "b": true})");
  const auto bad = [](const std::string& message, auto action) { expect_error(ErrorKind::bad_input, message, action); };
  bad("f: a: expected a number but got an array of 2", [&] { json.find("a")->number("f: a"); });
  bad("f: s: expected a number but got \"text\"", [&] { json.find("s")->number("f: s"); });
  bad("f: d: expected an integer but got 1.5", [&] { json.find("d")->integer("f: d"); });
  bad("f: o: expected a string but got an object", [&] { json.find("o")->string("f: o"); });
  bad("f: b: expected an array but got true", [&] { json.find("b")->array("f: b"); });
  bad("f: b: expected an object but got true", [&] { json.find("b")->object("f: b"); });
  bad("f: s: expected true or false but got \"text\"", [&] { json.find("s")->boolean("f: s"); });
  bad("f: expected a number but got null", [] { Json().number("f"); });
  bad("f: expected a number but got \"" + std::string(40, 'y') + "\"...",
      [] { Json(std::string(99, 'y')).number("f"); });
}

TEST(Json, TakesIntegersWrittenAsDoubles) {
  EXPECT_EQ(parse("1e4").integer(), 10000);
  EXPECT_EQ(parse("-9223372036854775808.0").integer(), INT64_MIN);
  expect_error(ErrorKind::bad_input, "expected an integer but got 9223372036854775808",
               [] { parse("9223372036854775808").integer(); });
  expect_error(ErrorKind::bad_input, "expected an integer but got \"inf\"", [] { Json("inf").integer(); });
  expect_error(ErrorKind::bad_input, "expected an integer but got inf", [] { Json(kInfinity).integer(); });
}

TEST(Json, FindsAndSetsMembers) {
  Json json;
  json.set("a", 1).set("b", "two").set("a", 3.5);
  EXPECT_EQ(json.object().size(), 2u);
  EXPECT_EQ(json.find("a")->number(), 3.5);
  EXPECT_EQ(json.find("c"), nullptr);
  EXPECT_EQ(Json(1).find("a"), nullptr);
  expect_error(ErrorKind::usage, "must be null or an object but is 1", [] { Json(1).set("a", 1); });
}

TEST(JsonText, LaysOutArraysAndObjects) {
  Json json;
  json.set("list", std::vector<double>{1, 0.5, -2});
  json.set("rows", Json::Array{std::vector<double>{1, 2}, std::vector<double>{3}});
  json.set("empty", Json::Array{});
  json.set("none", Json::Object{});
  json.set("deep", Json::Array{Json().set("x", nullptr), true});
  EXPECT_EQ(to_text(json), R"({
  "list": [1, 0.5, -2],
  "rows": [
    [1, 2],
    [3]
  ],
  "empty": [],
  "none": {},
  "deep": [
    {
      "x": null
    },
    true
  ]
}
)");
}

TEST(JsonText, EscapesWhatItMust) {
  EXPECT_EQ(to_text(Json("q\" b\\ n\n t\t c\x01 \x1f d\x7f /")),
            "\"q\\\" b\\\\ n\\n t\\t c\\u0001 \\u001f d\x7f /\"\n");
  EXPECT_EQ(to_text(Json("\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80")), "\"\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80\"\n");
  EXPECT_EQ(to_text(Json("a\xFF\xC3")), "\"a\\ufffd\\ufffd\"\n");
  EXPECT_EQ(to_text(Json("\xC0\xAF\xED\xA0\x80")), "\"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\"\n");
}

TEST(JsonText, WritesNumbersThatReadBack) {
  EXPECT_EQ(to_text(Json(10000.0)), "10000\n");
  EXPECT_EQ(to_text(Json(0.1)), "0.1\n");
  EXPECT_EQ(to_text(Json(-0.0)), "-0.0\n");
  EXPECT_TRUE(std::signbit(parse(to_text(Json(-0.0))).number()));
  EXPECT_EQ(to_text(Json(INT64_MIN)), "-9223372036854775808\n");
  EXPECT_EQ(to_text(Json(kInfinity)), "\"inf\"\n");
  EXPECT_EQ(to_text(Json(-kInfinity)), "\"-inf\"\n");
  EXPECT_EQ(parse("\"-inf\"").number(), -kInfinity);
  EXPECT_EQ(parse("\"inf\"").number(), kInfinity);
  expect_error(ErrorKind::usage, "must not be NaN", [] { to_text(Json(std::nan(""))); });
}

RC_GTEST_PROP(JsonText, EveryDoubleReadsBack, (std::uint64_t bits)) {
  const auto number = std::bit_cast<double>(bits);
  RC_PRE(!std::isnan(number));
  RC_ASSERT(std::bit_cast<std::uint64_t>(parse(to_text(Json(number))).number()) == bits);
}

RC_GTEST_PROP(JsonText, EveryStringIsValidJson, (const std::string& bytes)) {
  const std::string once = parse(to_text(Json(bytes))).string();
  RC_ASSERT(parse(to_text(Json(once))).string() == once);
}

}  // namespace
}  // namespace posenc::json_test
