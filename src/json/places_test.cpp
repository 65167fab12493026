#include "json/places.h"

#include <gtest/gtest.h>

namespace capsule::json {
namespace {

TEST(JsonPlaces, SettingAMemberLeavesEveryOtherByteAlone) {
  const std::string before =
      R"({ "id" : "a-1","n":1.50e2, "big":123456789012345678901234567890,)"
      R"( "s":"q\"}{\\", "o":{"status":"x","a":[1,{"b":"]"}]},"status":"open" })";
  EXPECT_EQ(with_member(before, "status", "\"closed\""),
            R"({ "id" : "a-1","n":1.50e2, "big":123456789012345678901234567890,)"
            R"( "s":"q\"}{\\", "o":{"status":"x","a":[1,{"b":"]"}]},"status":"closed" })");
}

TEST(JsonPlaces, ANewMemberGoesToTheEnd) {
  EXPECT_EQ(with_member(R"({"a":1})", "b", "2"), R"({"a":1,"b":2})");
  EXPECT_EQ(with_member(R"({})", "b", "2"), R"({"b":2})");
  EXPECT_EQ(with_member(R"( { } )", "b", "2"), R"( {"b":2 } )");
  EXPECT_EQ(with_member(R"({"a":[] })", "b", "2"), R"({"a":[],"b":2 })");
}

TEST(JsonPlaces, OfSeveralMembersWithOneNameTheLastIsSet) {
  EXPECT_EQ(with_member(R"({"a":1,"a":2})", "a", "3"), R"({"a":1,"a":3})");
}

TEST(JsonPlaces, AnEscapedNameIsTheSameName) {
  EXPECT_EQ(with_member(R"({"\u0061":1})", "a", "3"), R"({"\u0061":3})");
}

TEST(JsonPlaces, EveryKindOfValueIsOneMember) {
  const std::string text =
      R"({"a":null,"b":true,"c":-1e5 ,"d":"","e":[],"f":{},"g":[[{"x":","}],2]})";
  const auto all = object_at(text, 0);
  ASSERT_TRUE(all.has_value());
  ASSERT_EQ(all->items.size(), 7U);
  EXPECT_EQ(all->items[2].value.in(text), "-1e5");
  EXPECT_EQ(all->items[6].value.in(text), R"([[{"x":","}],2])");
}

TEST(JsonPlaces, AnElementGoesToTheEndOfItsArray) {
  EXPECT_EQ(with_element("[]", "1"), "[1]");
  EXPECT_EQ(with_element("[ {\"a\":1} ]", "2"), "[ {\"a\":1},2 ]");
}

TEST(JsonPlaces, NestingCountsBracketsOutsideOfStrings) {
  EXPECT_EQ(nesting(R"({"a":"[[[[","b":[1]})"), 2U);
  EXPECT_EQ(nesting(std::string(1'000'000, '[')), 1'000'000U);
  EXPECT_EQ(nesting("]]]\"unterminated"), 0U);
}

}  // namespace
}  // namespace capsule::json
