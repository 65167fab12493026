#include "json/value.h"

#include <gtest/gtest.h>

#include <limits>

namespace capsule::json {
namespace {

TEST(JsonValue, IsWrittenOnOneLineInTheOrderOfItsMembers) {
  Value value{{"text", "a\n\"b\""}, {"yes", true},  {"none", nullptr},
              {"count", 3U},        {"below", -4L}, {"list", Value::array()}};
  value["list"].push_back({{"id", std::string("x")}});
  value["list"].push_back(std::vector<std::string>{"p", "q"});
  value["count"] = 5;
  value["late"] = {{"in", {{"deep", std::string_view("er")}}}};
  EXPECT_EQ(value.compact(), R"({"text":"a\n\"b\"","yes":true,"none":null,"count":5,"below":-4,)"
                             R"("list":[{"id":"x"},["p","q"]],"late":{"in":{"deep":"er"}}})");
}

TEST(JsonValue, EmptyOnesKeepTheirKind) {
  EXPECT_EQ(Value().compact(), "null");
  EXPECT_EQ(Value::array().compact(), "[]");
  EXPECT_EQ(Value::object().compact(), "{}");
  EXPECT_EQ(Value(std::vector<int>()).compact(), "[]");
}

TEST(JsonValue, FractionsReadBackAsTheSameNumber) {
  EXPECT_EQ(Value(0.1).compact(), "0.1");
  EXPECT_EQ(Value(3.0).compact(), "3.0");
  EXPECT_EQ(Value(1e300).compact(), "1e+300");
  EXPECT_EQ(Value(std::numeric_limits<double>::infinity()).compact(), "null");
}

TEST(JsonValue, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(Value("a\xff").compact(), "\"a\xEF\xBF\xBD\"");
  EXPECT_EQ((Value{{"\xff", 1}}).compact(), "{\"\xEF\xBF\xBD\":1}");
}

TEST(JsonValue, IsDrawnOutForFiles) {
  EXPECT_EQ((Value{{"a", Value::array()}, {"b", {{"c", 1}}}}).pretty(),
            "{\n  \"a\": [],\n  \"b\": {\n    \"c\": 1\n  }\n}\n");
}

}  // namespace
}  // namespace capsule::json
