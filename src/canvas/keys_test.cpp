#include "canvas/keys.h"

#include <gtest/gtest.h>

#include <random>

namespace capsule::canvas {
namespace {

using Kind = Key::Kind;

std::vector<Key> keys_of(std::string_view bytes) {
  KeyReader reader;
  std::vector<Key> keys = reader.feed(bytes);
  for (Key& key : reader.flush()) keys.push_back(std::move(key));
  return keys;
}

Key key_of(std::string_view bytes) {
  const std::vector<Key> keys = keys_of(bytes);
  EXPECT_EQ(keys.size(), 1U);
  return keys.empty() ? Key{} : keys[0];
}

TEST(Keys, AreReadFromTheBytesOfATerminal) {
  EXPECT_EQ(key_of("a"), (Key{Kind::text, "a"}));
  EXPECT_EQ(key_of("ü"), (Key{Kind::text, "ü"}));
  EXPECT_EQ(key_of("\r"), Key{Kind::enter});
  EXPECT_EQ(key_of("\x1b"), Key{Kind::escape}) << "alone";
  EXPECT_EQ(key_of("\x1b[A"), Key{Kind::up});
  EXPECT_EQ(key_of("\x1bOB"), Key{Kind::down});
  EXPECT_EQ(key_of("\x1b[1;5C"), Key{Kind::right}) << "with Ctrl held";
  EXPECT_EQ(key_of("\x1b[Z"), Key{Kind::back_tab});
  EXPECT_EQ(key_of("\x1b[5~"), Key{Kind::page_up});
  EXPECT_EQ(key_of("\x1b[3~"), Key{Kind::erase});
  EXPECT_EQ(key_of("\x7f"), Key{Kind::backspace});
  EXPECT_EQ(key_of("\x13"), (Key{Kind::control, "s"}));
}

TEST(Keys, TheMouseSpeaksSgr) {
  EXPECT_EQ(key_of("\x1b[<0;12;3M"), (Key{Kind::press, "", 11, 2}));
  EXPECT_EQ(key_of("\x1b[<64;1;1M"), (Key{Kind::wheel_up, "", 0, 0}));
  EXPECT_EQ(key_of("\x1b[<65;1;1M"), (Key{Kind::wheel_down, "", 0, 0}));
  EXPECT_TRUE(keys_of("\x1b[<0;12;3m").empty()) << "letting go";
  EXPECT_TRUE(keys_of("\x1b[<0;99999999999;3M").empty());
  EXPECT_TRUE(keys_of("\x1b[<0;0;0M").empty());
}

TEST(Keys, APasteIsOneKeyAndNothingInItIsACommand) {
  EXPECT_EQ(key_of("\x1b[200~q\x1b[A\r\x1b[201~"), (Key{Kind::paste, "q\x1b[A\r"}));
}

TEST(Keys, APasteHasALimit) {
  const std::string much(KeyReader::kMaxPasteBytes * 2, 'x');
  EXPECT_EQ(key_of("\x1b[200~" + much + "\x1b[201~").text.size(), KeyReader::kMaxPasteBytes);
}

TEST(Keys, EscapeWaitsForWhatMayFollow) {
  KeyReader reader;
  EXPECT_TRUE(reader.feed("\x1b").empty());
  EXPECT_TRUE(reader.pending());
  EXPECT_EQ(reader.feed("[B"), std::vector<Key>{Key{Kind::down}});
  EXPECT_FALSE(reader.pending());
}

TEST(Keys, UnknownSequencesGiveNothing) {
  EXPECT_TRUE(keys_of("\x1b[?62;22c").empty());
  EXPECT_TRUE(keys_of("\x1b[" + std::string(100, '1')).empty());
  EXPECT_TRUE(keys_of("\xC3").empty());
  EXPECT_EQ(keys_of("\x1b[12\ra").size(), 2U) << "a control breaks a sequence off";
}

// Whatever comes, and however it is cut, the same keys come out.
TEST(Keys, DoNotDependOnHowTheBytesAreCut) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::string_view pieces[] = {"\x1b",      "[",    "A",    "O",        "<0;1;2M", "200~",
                                     "\x1b[201~", "ü",    "\xE6", "\x97\xA5", "q",       "\r",
                                     "5~",        "\xF0", "\x9F", ";",        "\x7f",    "1"};
  for (int round = 0; round < 3000; ++round) {
    std::string bytes;
    for (unsigned i = 0; i < 1 + random() % 24; ++i)
      bytes += random() % 8 == 0 ? std::string(1, static_cast<char>(random() % 256))
                                 : std::string(pieces[random() % std::size(pieces)]);
    KeyReader whole, cut;
    const std::vector<Key> expected = whole.feed(bytes);
    std::vector<Key> got;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t size = 1 + random() % 3;
      for (Key& key : cut.feed(std::string_view(bytes).substr(at, size)))
        got.push_back(std::move(key));
      at += size;
    }
    ASSERT_EQ(got, expected) << testing::PrintToString(bytes);
    ASSERT_EQ(cut.flush(), whole.flush());
    for (const Key& key : got) ASSERT_TRUE(key.kind != Kind::text || !key.text.empty());
  }
}

}  // namespace
}  // namespace capsule::canvas
