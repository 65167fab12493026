#include "json/byte_search.h"

#include <gtest/gtest.h>

#include <string>

namespace capsule::json {
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
  for (auto* find : {find_bracket, find_bracket_portable}) {
    expect_found_everywhere(find, '{', 'x');
    expect_found_everywhere(find, '[', ' ');
  }
}

TEST(ByteSearch, OnlyTheTwoOpeningBracketsAreBrackets) {
  for (auto* find : {find_bracket, find_bracket_portable}) {
    for (int byte = 0; byte < 256; ++byte) {
      const std::string text(100, static_cast<char>(byte));
      const bool bracket = byte == '{' || byte == '[';
      EXPECT_EQ(find(text.data(), text.data() + 100) == text.data(), bracket) << byte;
    }
  }
}

TEST(ByteSearch, TheFirstOfSeveralBracketsIsFoundHoweverFar) {
  for (auto* find : {find_bracket, find_bracket_portable}) {
    for (const std::size_t far : {70u, 4095u, 4096u, 10'000u}) {
      for (const char* brackets : {"[ { [", "{ [ {"}) {
        const std::string text = std::string(far, ' ') + brackets;
        EXPECT_EQ(find(text.data(), text.data() + text.size()), text.data() + far);
      }
    }
  }
}

TEST(ByteSearch, StringSpecialsAreFoundAtEveryPlace) {
  for (auto* find : {find_string_special, find_string_special_portable})
    for (char special : {'"', '\\', '\n', '\0', '\x1f', '\x80', '\xff'})
      expect_found_everywhere(find, special, 'x');
}

TEST(ByteSearch, ExactlyQuotesBackslashesControlsAndNonAsciiAreSpecial) {
  for (auto* find : {find_string_special, find_string_special_portable}) {
    for (int byte = 0; byte < 256; ++byte) {
      const std::string text(100, static_cast<char>(byte));
      const bool special = byte < 0x20 || byte >= 0x80 || byte == '"' || byte == '\\';
      EXPECT_EQ(find(text.data(), text.data() + 100) == text.data(), special) << byte;
    }
  }
}

}  // namespace
}  // namespace capsule::json
