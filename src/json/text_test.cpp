#include "json/text.h"

#include <gtest/gtest.h>

namespace capsule::json {
namespace {

TEST(JsonText, QuotesWithTheShortestEscapes) {
  EXPECT_EQ(quoted(""), "\"\"");
  EXPECT_EQ(quoted("a\"b\\c/d"), "\"a\\\"b\\\\c/d\"");
  EXPECT_EQ(quoted("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\"");
  EXPECT_EQ(quoted(std::string_view("\0\x01\x1f\x7f", 4)), "\"\\u0000\\u0001\\u001f\x7f\"");
  EXPECT_EQ(quoted("é€😀"), "\"é€😀\"");
}

TEST(JsonText, BytesThatAreNotUtf8AreQuotedAsReplacementCharacters) {
  EXPECT_EQ(quoted("a\xFFz\xE2\x82"), "\"a\uFFFDz\uFFFD\uFFFD\"");
}

TEST(JsonText, UnquotesEveryEscape) {
  EXPECT_EQ(unquoted("\"\""), "");
  EXPECT_EQ(unquoted(R"("\"\\\/\b\f\n\r\t")"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(unquoted(R"("\u0041\u00e9\u20AC\ud83d\uDE00")"), "Aé€😀");
  EXPECT_EQ(unquoted(R"("\u0000")"), std::string(1, '\0'));
  EXPECT_EQ(unquoted(R"("\\u0041")"), "\\u0041");
}

TEST(JsonText, CanonicalTextHasNoBlanksAndTheShortestEscapes) {
  EXPECT_EQ(canonical(" { \"a\" :\r\n[ 1 ,\t2 ] , \"b\\/\\u00e9\" : \"\\u0022\\u001F\" } "),
            "{\"a\":[1,2],\"b/é\":\"\\\"\\u001f\"}");
  EXPECT_EQ(canonical("[]"), "[]");
  EXPECT_EQ(canonical("[{},[ ],{ }]"), "[{},[],{}]");
}

TEST(JsonText, NumbersKeepTheirText) {
  constexpr std::string_view kNumbers =
      "[12345678901234567890,1.0,1.10e+05,-0,0.1E-999,1e400,3.141592653589793238462643]";
  EXPECT_EQ(canonical(kNumbers), kNumbers);
}

TEST(JsonText, ADuplicateKeyHasItsLastValueAtTheFirstOnesPlace) {
  EXPECT_EQ(canonical(R"({"a":1,"b":2,"a":3})"), R"({"a":3,"b":2})");
  EXPECT_EQ(canonical(R"({"a":1,"\u0061":2,"b":0,"a":3})"), R"({"a":3,"b":0})");
  EXPECT_EQ(canonical(R"({"":1,"":[]})"), R"({"":[]})");
}

TEST(JsonText, DuplicateKeysAreResolvedAtEveryLevel) {
  EXPECT_EQ(canonical(R"([{"a":{"x":1,"x":2},"b":[{"y":1,"y":{"z":1,"z":2}}]},{"c":1,"c":3}])"),
            R"([{"a":{"x":2},"b":[{"y":{"z":2}}]},{"c":3}])");
  // What is dropped may hold objects of its own; those that follow must not be confused with them.
  EXPECT_EQ(canonical(R"({"a":{"p":{"q":1}},"b":[{"r":2},{"s":3}],"a":{"t":[{"u":4}]},"v":{}})"),
            R"({"a":{"t":[{"u":4}]},"b":[{"r":2},{"s":3}],"v":{}})");
}

TEST(JsonText, AHundredThousandDuplicateKeysAreNoBurden) {
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i)
    text += "\"key" + std::to_string(i % 100'000) + "\":" + std::to_string(i) + ",";
  text += "\"end\":0}";
  const std::string result = canonical(text).value();
  EXPECT_TRUE(result.starts_with("{\"key0\":100000,\"key1\":100001,"));
  EXPECT_TRUE(result.ends_with("\"key99999\":199999,\"end\":0}"));
}

TEST(JsonText, WhatIsNotOneObjectOrArrayHasNoCanonicalText) {
  for (std::string_view text :
       {"", " ", "1", "\"a\"", "true", "{", "{}}", "[] []", "{\"a\"}", "x{}"})
    EXPECT_EQ(canonical(text), std::nullopt) << text;
}

TEST(JsonText, MembersAndElementsAreFoundWhateverTheyHold) {
  const std::string object = canonical(R"({"a":"}]\"{","b":[1,{"c":"]"}],"":null})").value();
  const auto members = members_of(object);
  ASSERT_EQ(members.size(), 3U);
  EXPECT_EQ(members[0].key, "\"a\"");
  EXPECT_EQ(members[0].value, R"("}]\"{")");
  EXPECT_EQ(members[1].value, R"([1,{"c":"]"}])");
  EXPECT_EQ(members[2].key, "\"\"");
  EXPECT_EQ(members[2].value, "null");
  EXPECT_EQ(elements_of(members[1].value), (std::vector<std::string_view>{"1", R"({"c":"]"})"}));
  EXPECT_TRUE(members_of("{}").empty());
  EXPECT_TRUE(elements_of("[]").empty());
}

}  // namespace
}  // namespace capsule::json
