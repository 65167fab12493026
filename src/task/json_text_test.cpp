#include "task/json_text.h"

#include <gtest/gtest.h>

namespace capsule::task {
namespace {

TEST(JsonText, SettingAMemberLeavesEveryOtherByteAlone) {
  const std::string before =
      R"({ "id" : "a-1","n":1.50e2, "big":123456789012345678901234567890,)"
      R"( "s":"q\"}{\\", "o":{"status":"x","a":[1,{"b":"]"}]},"status":"open" })";
  EXPECT_EQ(with_member(before, "status", "\"closed\""),
            R"({ "id" : "a-1","n":1.50e2, "big":123456789012345678901234567890,)"
            R"( "s":"q\"}{\\", "o":{"status":"x","a":[1,{"b":"]"}]},"status":"closed" })");
}

TEST(JsonText, ANewMemberGoesToTheEnd) {
  EXPECT_EQ(with_member(R"({"a":1})", "b", "2"), R"({"a":1,"b":2})");
  EXPECT_EQ(with_member(R"({})", "b", "2"), R"({"b":2})");
  EXPECT_EQ(with_member(R"( { } )", "b", "2"), R"( {"b":2 } )");
  EXPECT_EQ(with_member(R"({"a":[] })", "b", "2"), R"({"a":[],"b":2 })");
}

TEST(JsonText, OfSeveralMembersWithOneNameTheLastIsSet) {
  EXPECT_EQ(with_member(R"({"a":1,"a":2})", "a", "3"), R"({"a":1,"a":3})");
}

TEST(JsonText, AnEscapedNameIsTheSameName) {
  EXPECT_EQ(with_member(R"({"\u0061":1})", "a", "3"), R"({"\u0061":3})");
}

TEST(JsonText, EveryKindOfValueIsOneMember) {
  const auto all =
      members(R"({"a":null,"b":true,"c":-1e5 ,"d":"","e":[],"f":{},"g":[[{"x":","}],2]})");
  ASSERT_EQ(all.size(), 7U);
  EXPECT_EQ(all[2].value, "-1e5");
  EXPECT_EQ(all[6].value, R"([[{"x":","}],2])");
}

TEST(JsonText, AnElementGoesToTheEndOfItsArray) {
  EXPECT_EQ(with_element("[]", "1"), "[1]");
  EXPECT_EQ(with_element("[ {\"a\":1} ]", "2"), "[ {\"a\":1},2 ]");
}

TEST(JsonText, NestingCountsBracketsOutsideOfStrings) {
  EXPECT_EQ(nesting(R"({"a":"[[[[","b":[1]})"), 2U);
  EXPECT_EQ(nesting(std::string(1'000'000, '[')), 1'000'000U);
  EXPECT_EQ(nesting("]]]\"unterminated"), 0U);
}

}  // namespace
}  // namespace capsule::task
