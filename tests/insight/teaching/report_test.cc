#include "posenc/insight/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "insight/teaching/advise.h"
#include "posenc/error.h"
#include "posenc/insight/check.h"

namespace posenc::report_test {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// The values of an attribute, in order.
std::vector<std::string> values_of(const std::string& page, const std::string& attribute) {
  std::vector<std::string> values;
  const std::string open = " " + attribute + "=\"";
  for (std::size_t at = page.find(open); at != std::string::npos; at = page.find(open, at + 1)) {
    const std::size_t start = at + open.size();
    values.push_back(page.substr(start, page.find('"', start) - start));
  }
  return values;
}

// A page must work from disk without a network, and its links must lead somewhere.
void expect_sound(const std::string& page) {
  EXPECT_LT(static_cast<std::int64_t>(page.size()), kMaxPageBytes);
  const std::vector<std::string> ids = values_of(page, "id");
  const std::set<std::string> unique(ids.begin(), ids.end());
  EXPECT_EQ(unique.size(), ids.size());
  for (const std::string& link : values_of(page, "href")) {
    const bool inside = link.starts_with('#') && unique.count(link.substr(1)) == 1;
    EXPECT_TRUE(inside || link.starts_with("data:image/png;base64,")) << link.substr(0, 80);
  }
  EXPECT_TRUE(values_of(page, "src").empty());
  for (const char* fetched : {"url(", "@import", "<link", "<img", "<iframe"})
    EXPECT_FALSE(has(page, fetched)) << fetched;
  EXPECT_FALSE(has(page, "{{"));  // a place without a value
}

const std::string& lesson() {
  static const std::string page = make_lesson({});
  return page;
}

TEST(Lesson, HasItsPartsAndIsSound) {
  expect_sound(lesson());
  for (const char* id : {"problem", "wishes", "formula", "by-hand", "waves", "live-section", "shift", "model", "score",
                         "limits", "relative", "rotary", "layer", "choosing", "exercises"}) {
    EXPECT_TRUE(has(lesson(), "<h2 id=\"" + std::string(id) + "\"")) << id;
  }
  // Each figure asks a question first and answers it in details. The lesson has every number that teachers look for.
  const auto count = [](const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = lesson().find(part); at != std::string::npos; at = lesson().find(part, at + 1)) ++found;
    return found;
  };
  EXPECT_GE(count("<figure"), 20U);
  EXPECT_EQ(count("Predict first: "), count("<figure"));
  EXPECT_EQ(count("What you see"), count("class=\"save\""));
  for (const char* text : {"<mi>softmax</mi>",
                           "<msqrt><mi>D</mi></msqrt>",
                           "0.9702",
                           "0.5462",
                           "I saw her duck",
                           "Paris love I / love I Paris",
                           "Open questions",
                           "untrained",
                           ">Theme<",
                           "47117",
                           "471.17",
                           "a + p0 = ",
                           "has 0 learned numbers",
                           "[2, 20, 20]",
                           "0.84147",
                           "[0.84147, 0.54030, 0.01000, 0.99995]",
                           "178.97",
                           "18.40",
                           "6,291,456",
                           "54.9 degrees",
                           "82.9 degrees",
                           "3.6 degrees",
                           "the angle is 35.4 degrees",
                           "posenc layer --map layer.svg",
                           "posenc explain pope",
                           "-0.9899",
                           "equivariant",
                           "0.50648",
                           "first rises at distance 6"}) {
    EXPECT_TRUE(has(lesson(), text)) << text;
  }
  // M is the width, D the channels of a head, and one quantity has one number.
  for (const char* text : {"sqrt(d", "/d)", " d/2", "<mi>d</mi>", "35.2 degrees", "35 degrees"}) {
    EXPECT_FALSE(has(lesson(), text)) << text;
  }
}

TEST(Lesson, SameOptionsGiveTheSameBytesAndAnotherSentenceOthers) {
  EXPECT_EQ(lesson(), make_lesson({}));
  const std::string other = make_lesson({.sentence = "a <b> & \"c\" d"});
  expect_sound(other);
  EXPECT_TRUE(has(other, "&lt;b&gt;"));
  EXPECT_FALSE(has(other, "<b>"));
}

TEST(Lesson, TellsItsProgressAndRefusesSentences) {
  std::vector<std::int64_t> done;
  std::int64_t total = 0;
  make_lesson({.progress = [&](std::string_view what, std::int64_t at, std::int64_t of) {
    EXPECT_FALSE(what.empty());
    done.push_back(at);
    total = of;
  }});
  EXPECT_EQ(static_cast<std::int64_t>(done.size()), total);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_TRUE(has(error_of([] { make_lesson({.sentence = "one"}); }), "2 to 24 words but has 1"));
  EXPECT_TRUE(has(error_of([] { make_lesson({.sentence = std::string(50, 'x') + " y"}); }), "at most 40 bytes"));
}

// The trained length comes from the scaling, unless one is given.
TEST(Report, TakesTheTrainedLengthOfAScaling) {
  const Spec yarn = parse_spec("rotary:head_dim=8,scaling=yarn,factor=4,original_positions=64");
  EXPECT_EQ(trained_length_of({yarn}).positions, 64);
  EXPECT_EQ(trained_length_of({parse_spec("rotary:head_dim=8")}).positions, 2048);
  EXPECT_EQ(trained_length_of(find_encoding("llama-2-7b")).positions, 4096);
  EXPECT_TRUE(has(make_report({{yarn}}, {}), "within the 64 positions of training"));
  EXPECT_TRUE(has(make_report({{yarn}}, {.train_length = 32}), "within the 32 positions of training"));
}

TEST(Report, OfEveryKindIsSound) {
  for (const char* text : {"sinusoidal:width=16",
                           "learned:rows=24,width=16,past_end=error",
                           "hybrid:fixed.width=16,learned.rows=24,learned.past_end=clamp",
                           "concat:0.axis=0,0.width=8,1.axis=1,1.width=8",
                           "fourier:axes=3,inv_freq=1/0.5/0.25",
                           "rotary:head_dim=16",
                           "none",
                           "clipped:heads=2,max_distance=4",
                           "t5:heads=2",
                           "alibi:heads=4",
                           "kerple:heads=2",
                           "fire:heads=2",
                           "sandwich:heads=2,width=16",
                           "matrix:heads=2",
                           "shaw:head_dim=8,left=2,right=2",
                           "transformer_xl:heads=2,head_dim=4,width=16",
                           "window:left=4,right=0",
                           "chunked:size=8",
                           "pope:head_dim=8",
                           "xpos:head_dim=8",
                           "temperature"}) {
    const std::string page = make_report({{parse_spec(text)}}, {});
    SCOPED_TRACE(text);
    expect_sound(page);
    for (const char* part : {"<math", "Properties", "Worked example", "Figures", "Used by", "<figure"}) {
      EXPECT_TRUE(has(page, part)) << part;
    }
    EXPECT_FALSE(has(page, "violated</span>"));
  }
}

TEST(Report, CallsNumbersThatNobodyTrainedUntrained) {
  const Spec learned = parse_spec("learned:rows=3,width=4,past_end=error");
  const Encoding trained = make_encoding(learned, {.table = Array{DType::f32, {3, 4}, std::vector<std::byte>(48)}});
  EXPECT_TRUE(has(make_report({{learned}}, {}), "past_end=error (untrained)</h2>"));
  EXPECT_FALSE(has(make_report({trained}, {}), "(untrained)"));
  EXPECT_TRUE(has(make_report({{parse_spec("t5:heads=2")}}, {}), "t5:heads=2 (untrained)</h2>"));
  for (const char* fixed : {"sinusoidal:width=8", "alibi:heads=2", "rotary:head_dim=8", "none"}) {
    EXPECT_FALSE(has(make_report({{parse_spec(fixed)}}, {}), "(untrained)</h2>")) << fixed;
  }
}

// Figures that do not fit a spec are left out, and those that are larger than it shrink.
TEST(Report, LeavesOutWhatDoesNotFit) {
  for (const char* text :
       {"sinusoidal:width=7", "sinusoidal:width=1", "rotary:head_dim=64,axes=2,layout=half_per_axis", "alibi:heads=128",
        "learned:width=4,rows=1,past_end=error", "hybrid:fixed.width=8,learned.rows=5,learned.past_end=error",
        "concat:0.axis=0,0.width=3", "fourier:inv_freq=0", "concat:0.axis=1,0.kind=learned,0.past_end=clamp",
        "rotary:head_dim=2", "rotary:head_dim=64,partial_rotary_factor=0.25", "window", "chunked:size=1",
        "shaw:head_dim=2,left=0,right=0"}) {
    SCOPED_TRACE(text);
    expect_sound(make_report({{parse_spec(text)}}, {}));
  }
}

TEST(Report, ComparesSeveral) {
  const std::vector<Encoding> subjects = {{Sinusoidal{.width = 16}}, {Alibi{.heads = 4}}};
  const std::string page = make_report(subjects, {.advice = AdviceOptions{}});
  expect_sound(page);
  for (const char* caption : {"At a glance", "Absolute or relative", "Properties side by side", "Where to start",
                              "Learned against sinusoidal", "Trained on 2048, used at 16384", "Recommendation"}) {
    EXPECT_TRUE(has(page, caption)) << caption;
  }
  EXPECT_EQ(page, make_report(subjects, {.advice = AdviceOptions{}}));
}

TEST(Report, RefusesNothingToReport) {
  EXPECT_TRUE(has(error_of([] { make_report({}, {}); }), "needs an encoding"));
  EXPECT_TRUE(has(error_of([] { make_report({{NoPosition{}}}, {.train_length = 0}); }), "at least 1 but got 0"));
  EXPECT_TRUE(has(make_report({}, {.advice = AdviceOptions{}}), "Which positional encoding?"));
}

TEST(Advice, CountsWhatIsNew) {
  const AdviceOptions lengths{.train_length = 2048, .infer_length = 16384};
  const teaching::Advice advice = teaching::advise({}, lengths);
  ASSERT_EQ(advice.rows.size(), 6U);
  const auto row = [&](const std::string& kind) {
    for (const teaching::AdviceRow& each : advice.rows) {
      if (each.kind == kind) return each;
    }
    throw std::runtime_error("no " + kind);
  };
  EXPECT_EQ(row("learned").without_row, 16384 - 2048);
  EXPECT_EQ(row("learned").parameters, 2048 * 768);
  std::int64_t slow = 0;
  for (int i = 0; i < 32; ++i) slow += 2.0 * M_PI * std::pow(10000.0, i / 32.0) > 2047.0 ? 1 : 0;
  EXPECT_EQ(row("rotary").unseen_pairs, slow);
  EXPECT_EQ(row("rotary").pairs, 32);
  // The steepest of 12 slopes is 2^-0.5: those of 8 heads begin with 2^-1, every other one of 16 with 2^-0.5.
  EXPECT_NEAR(row("alibi").trained_bias, std::sqrt(0.5) * 2047.0, 1e-9);
  EXPECT_NEAR(row("alibi").used_bias, std::sqrt(0.5) * 16383.0, 1e-8);
  EXPECT_EQ(row("t5").trained_bias, row("t5").used_bias);
  // 16384 / 2048 = 8: of the published steps, 3512 / 512 = 6.9 is nearest.
  EXPECT_NEAR(row("sinusoidal").published_rise, 178.97 / 20.05, 1e-12);
  EXPECT_TRUE(has(row("alibi").published, "18.4 at 6.86 times"));
  EXPECT_TRUE(has(advice.recommendation, "`alibi:heads=12` is the safest"));
  EXPECT_TRUE(has(advice.recommendation, "falls by 6.74 % at 6.86 times"));
}

TEST(Advice, WithinTheTrainedLengthNothingIsNew) {
  const teaching::Advice advice = teaching::advise({}, {.train_length = 1024, .infer_length = 1024});
  for (const teaching::AdviceRow& row : advice.rows) {
    EXPECT_EQ(row.without_row, 0) << row.name;
    EXPECT_EQ(row.unseen_pairs, 0) << row.name;
    EXPECT_EQ(row.trained_bias, row.used_bias) << row.name;
    EXPECT_TRUE(row.published.empty()) << row.name;
  }
  EXPECT_TRUE(has(advice.recommendation, "no position is new"));
  EXPECT_TRUE(
      has(error_of([] { teaching::advise({}, {.train_length = 0}); }), "train_length must be 1 to 2^31 - 1 but got 0"));
}

}  // namespace
}  // namespace posenc::report_test
