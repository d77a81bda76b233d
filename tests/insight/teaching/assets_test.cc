#include "insight/teaching/assets.h"

#include <gtest/gtest.h>

#include <set>
#include <span>
#include <string>

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

}  // namespace
}  // namespace posenc::assets_test
