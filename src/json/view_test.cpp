#include "json/view.h"

#include <gtest/gtest.h>

namespace capsule::json {
namespace {

View object(std::string_view text) {
  const auto view = View::of_object(text);
  EXPECT_TRUE(view) << text;
  return view.value_or(View());
}

TEST(View, MembersAreFoundWhereverTheyStand) {
  const View view = object(
      " { \"a\" : [1, {\"b\":\"}\"}, \"x\\\"]\"], \"n\":-12.75, \"t\":true,\"z\":null,"
      "\"s\":\"\\u00e9\\n\", \"o\":{\"a\":7} } ");
  EXPECT_EQ(view["n"].number(), -12.75);
  EXPECT_EQ(view["n"].integer(), -12);
  EXPECT_TRUE(view["t"].is_true());
  EXPECT_TRUE(view["z"].is_nothing());
  EXPECT_EQ(view["s"].text(), "é\n");
  EXPECT_EQ(view["o"]["a"].integer(), 7);
  std::vector<std::string> texts;
  for (const View one : view["a"]) texts.push_back(one.text());
  EXPECT_EQ(texts, (std::vector<std::string>{"", "", "x\"]"}));
}

TEST(View, OfSeveralMembersTheLastCountsInWhateverSpelling) {
  const View view = object(R"({"type":"a","ty\u0070e":"b"})");
  EXPECT_EQ(view["type"].text(), "b");
  EXPECT_TRUE(view["type"].is("b"));
  EXPECT_TRUE(object(R"({"type":"\u0062"})")["type"].is("b"));
}

TEST(View, NothingAnswersEveryQuestion) {
  const View nothing = object("{}")["a"];
  EXPECT_TRUE(nothing.is_nothing());
  EXPECT_TRUE(nothing["b"]["c"].is_nothing());
  EXPECT_EQ(nothing.text(), "");
  EXPECT_EQ(nothing.integer(), 0);
  EXPECT_FALSE(nothing.number());
  for (const View one : nothing) FAIL() << one.text();
  for (const View one : object(R"({"a":[],"b":{ }})")) {
    for (const View inner : one) FAIL() << inner.text();
  }
}

TEST(View, StringsEndWhereTheyEnd) {
  const View view = object(R"({"a":"\\\\","b":"\\\"","c":"x"})");
  EXPECT_EQ(view["a"].text(), "\\\\");
  EXPECT_EQ(view["b"].text(), "\\\"");
  EXPECT_EQ(view["c"].text(), "x");
}

TEST(View, WhatIsNotOneWholeObjectIsNone) {
  for (const char* text : {"", "[1]", "{\"a\":1", "{\"a\":1}}", "{\"a\":1} x", "text", "{'a':1}"})
    EXPECT_FALSE(View::of_object(text)) << text;
}

TEST(View, NumbersThatAreTooLargeAreTheNearest) {
  EXPECT_EQ(object(R"({"n":1e300})")["n"].integer(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(object(R"({"n":-1e300})")["n"].integer(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(object(R"({"n":9007199254740993})")["n"].integer(), 9007199254740993);
  EXPECT_EQ(object(R"({"n":1e999})")["n"].integer(), 0);
}

}  // namespace
}  // namespace capsule::json
