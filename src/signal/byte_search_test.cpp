#include "signal/byte_search.h"

#include <gtest/gtest.h>

#include <string>

namespace capsule::signal {
namespace {

// Every position in texts of every length up to a few lanes, at every alignment that matters.
template <class Find>
void expect_found_everywhere(Find find, char wanted, char filler) {
  for (std::size_t length = 0; length <= 150; ++length) {
    const std::string text(length, filler);
    EXPECT_EQ(find(text.data(), text.data() + length), text.data() + length);
    for (std::size_t at = 0; at < length; ++at) {
      std::string with = text;
      with[at] = wanted;
      with.back() = at + 1 == length ? wanted : with.back();
      EXPECT_EQ(find(with.data(), with.data() + length), with.data() + at) << length;
    }
  }
}

TEST(ByteSearch, BracketsAreFoundAtEveryPlace) {
  expect_found_everywhere(find_bracket, '{', 'x');
  expect_found_everywhere(find_bracket, '[', ' ');
}

TEST(ByteSearch, OnlyTheTwoOpeningBracketsAreBrackets) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text(100, static_cast<char>(byte));
    const bool bracket = byte == '{' || byte == '[';
    EXPECT_EQ(find_bracket(text.data(), text.data() + 100) == text.data(), bracket) << byte;
  }
}

TEST(ByteSearch, TheFirstOfSeveralBracketsIsFound) {
  const std::string text = std::string(70, ' ') + "[ { [";
  EXPECT_EQ(find_bracket(text.data(), text.data() + text.size()), text.data() + 70);
}

TEST(ByteSearch, StringSpecialsAreFoundAtEveryPlace) {
  for (char special : {'"', '\\', '\n', '\0', '\x1f', '\x80', '\xff'})
    expect_found_everywhere(find_string_special, special, 'x');
}

TEST(ByteSearch, ExactlyQuotesBackslashesControlsAndNonAsciiAreSpecial) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text(100, static_cast<char>(byte));
    const bool special = byte < 0x20 || byte >= 0x80 || byte == '"' || byte == '\\';
    EXPECT_EQ(find_string_special(text.data(), text.data() + 100) == text.data(), special) << byte;
  }
}

}  // namespace
}  // namespace capsule::signal
