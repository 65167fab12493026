#include "base/text.h"

#include <gtest/gtest.h>

namespace capsule {
namespace {

TEST(Text, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("a||b", '|'), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(split("", '|'), (std::vector<std::string_view>{""}));
}

TEST(Text, TrimmedTakesBlanksFromBothEndsOnly) {
  EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(trimmed(" \n"), "");
}

TEST(Text, ReplaceAllDoesNotReadItsOwnOutput) {
  EXPECT_EQ(replace_all("aa", "a", "aa"), "aaaa");
  EXPECT_EQ(replace_all("x", "", "y"), "x");
}

TEST(Text, PrintableShowsControlCharactersAndBadBytesEscaped) {
  EXPECT_EQ(printable("a\x1b[31m\n\x07"), "a\\x1b[31m\\n\\x07");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");
  EXPECT_EQ(printable("\xff\xe2\x82"), "\\xff\\xe2\\x82");
  EXPECT_EQ(printable("→ é"), "→ é");
  EXPECT_EQ(printable(""), "");
}

TEST(Text, PrintableShowsWhatTurnsTheDirectionOfATextOrBreaksItsLine) {
  EXPECT_EQ(printable("a\u202Eb\u2066c\u2069"), "a\\u{202e}b\\u{2066}c\\u{2069}");
  EXPECT_EQ(printable("one\u2028two\u061C"), "one\\u{2028}two\\u{61c}");
  EXPECT_EQ(printable("\U000E0041"), "\\u{e0041}");
  EXPECT_EQ(printable("👩\u200D👧 שלום 日本 é\u0301"), "👩\u200D👧 שלום 日本 é\u0301");
}

TEST(Text, AShortListSaysHowManyMoreThereAre) {
  EXPECT_EQ(short_list({}), "");
  EXPECT_EQ(short_list({"a", "b\n"}), "a, b\\n");
  EXPECT_EQ(short_list(std::vector<std::string>(12, "x")),
            "x, x, x, x, x, x, x, x, x, x and 2 more");
}

TEST(Text, EditDistanceCountsSingleEdits) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
}

TEST(Text, Utf8LengthRefusesOverlongFormsAndSurrogates) {
  EXPECT_EQ(utf8_length("a"), 1U);
  EXPECT_EQ(utf8_length("\xc3\xa9"), 2U);
  EXPECT_EQ(utf8_length("\xe2\x82\xac"), 3U);
  EXPECT_EQ(utf8_length("\xf0\x9f\x98\x80"), 4U);
  for (const char* bad :
       {"\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80", "\xe2\x82"})
    EXPECT_EQ(utf8_length(bad), 0U) << bad;
}

TEST(Text, CutEndsBeforeALetterRatherThanInIt) {
  EXPECT_EQ(cut("abc", 3), "abc");
  EXPECT_EQ(cut("abc", 2), "ab");
  EXPECT_EQ(cut("aé", 2), "a");
  EXPECT_EQ(cut("→→", 5), "→");
  EXPECT_EQ(cut("\x80\x80", 1), "");
}

TEST(Text, EveryLengthOfUtf8IsAppended) {
  std::string out;
  for (const char32_t point : {U'a', U'é', U'→', U'😀'}) append_utf8(out, point);
  EXPECT_EQ(out, "aé→😀");
}

TEST(Text, LettersAndDigitsAreThoseOfAscii) {
  EXPECT_EQ(lowered("AZ[@`{ÀÉ9"), "az[@`{ÀÉ9");
  EXPECT_TRUE(is_letter('a') && is_letter('Z') && is_digit('0') && is_digit('9'));
  EXPECT_FALSE(is_letter('@') || is_letter('[') || is_letter('`') || is_letter('{'));
  EXPECT_FALSE(is_letter('\xC9') || is_digit('/') || is_digit(':'));
}

TEST(Text, ListsKeepEveryTextAsItIs) {
  const std::vector<std::string> texts{"a", "", "b\n"};
  EXPECT_EQ(joined(texts), "a, , b\n");
  EXPECT_EQ(joined(std::vector<std::string_view>{"a", "b"}, " "), "a b");
  EXPECT_EQ(joined(std::vector<std::string>{}), "");
  EXPECT_EQ(bulleted(texts), "- a\n- \n- b\n\n");
}

TEST(Text, OnlyOneIsSingular) {
  EXPECT_EQ(counted(0, "task"), "0 tasks");
  EXPECT_EQ(counted(std::size_t{1}, "agent run"), "1 agent run");
  EXPECT_EQ(counted(2, "task"), "2 tasks");
}

}  // namespace
}  // namespace capsule
