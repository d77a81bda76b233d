#include "insight/teaching/assets.h"

#include <gtest/gtest.h>

#include <set>
#include <span>
#include <string>

#include "insight/teaching/exercise_sheet.h"
#include "posenc/files/json.h"
#include "posenc/insight/exercises.h"

namespace posenc::assets_test {
namespace {

using teaching::asset;
using teaching::filled;

TEST(Assets, AreWholeAndNamedByTheirPaths) {
  EXPECT_TRUE(asset("page.css").starts_with("body{"));
  EXPECT_TRUE(asset("page.js").starts_with("'use strict';\n"));
  EXPECT_TRUE(asset("live.js").ends_with("})();\n"));
  EXPECT_TRUE(asset("lesson/problem.html").starts_with("<h2 id=\"problem\">"));
  EXPECT_EQ(asset("page"), "");
  std::set<std::string_view> names;
  for (const teaching::Asset& one : std::span(teaching::kAssets, teaching::kAssetCount)) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_TRUE(one.text.ends_with("\n")) << one.name;
  }
}

TEST(Assets, FillTheirPlacesOnce) {
  const std::string list = filled("advice_basis.html", {{"source", "{{source}} & <b>"}});
  EXPECT_NE(list.find("<li>perplexities: {{source}} & <b>; the point"), std::string::npos) << list;
  EXPECT_EQ(filled("advice_basis.html", {{"other", "x"}}), asset("advice_basis.html"));
  EXPECT_EQ(filled("goals.html", {}), asset("goals.html"));
}

// A value that is whole lines takes the line of its place, its end included.
TEST(Assets, FillWholeLines) {
  const std::string text = filled("lesson/model.html", {{"angles", "<table>\n</table>\n"}});
  EXPECT_NE(text.find("</figure>\n<table>\n</table>\n<aside"), std::string::npos);
  EXPECT_NE(filled("lesson/model.html", {{"angles", "x"}}).find("</figure>\nx\n<aside"), std::string::npos);
}

// Every question can be asked: it has a level, a text, a hint, and of a choice the choices.
TEST(Assets, QuestionsAreWhole) {
  int files = 0;
  for (const teaching::Asset& one : std::span(teaching::kAssets, teaching::kAssetCount)) {
    if (!one.name.starts_with("questions/")) continue;
    ++files;
    const std::string file(one.name.substr(10, one.name.size() - 15));
    const Json all = parse_json(one.text, one.name);
    for (const auto& [name, stored] : all.object()) {
      const Question question = teaching::stored_question(file + "/" + name);
      EXPECT_EQ(level_name(question.level), stored.find("level")->string()) << name;
      EXPECT_FALSE(question.text.empty() || question.hint.empty() || question.solution.empty()) << name;
      EXPECT_EQ(question.kind == AnswerKind::choice, question.choices.size() >= 4) << name;
      EXPECT_EQ(question.kind == AnswerKind::reasoned, !question.points.empty()) << name;
    }
  }
  EXPECT_EQ(files, 11);
}

}  // namespace
}  // namespace posenc::assets_test
