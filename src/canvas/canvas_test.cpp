#include "canvas/canvas.h"

#include <gtest/gtest.h>

#include "canvas/diff.h"
#include "canvas/svg.h"
#include "canvas/width.h"

namespace capsule::canvas {
namespace {

TEST(Width, CountsColumnsOfATerminal) {
  EXPECT_EQ(width_of("abc"), 3);
  EXPECT_EQ(width_of("✓ done"), 6);
  EXPECT_EQ(width_of("日本"), 4);
  EXPECT_EQ(width_of("e\xCC\x81"), 1) << "an accent of its own has no column";
  EXPECT_EQ(width_of("🙂"), 2);
  EXPECT_EQ(width_of("👩‍🚀"), 2) << "joined";
  EXPECT_EQ(width_of("🇩🇪"), 2) << "a flag";
  EXPECT_EQ(width_of("👍🏽"), 2) << "a tone of skin";
  EXPECT_EQ(width_of("\xFF"), 1) << "what is no UTF-8 has a stand-in";
  EXPECT_EQ(width_of("한"), 2);
}

TEST(Width, FitsATextWithAMarkAtItsEnd) {
  EXPECT_EQ(fitted("short", 5), "short");
  EXPECT_EQ(fitted("longer", 5), "long…");
  EXPECT_EQ(fitted("日本語", 5), "日本…");
  EXPECT_EQ(fitted("日本語", 4), "日…");
  EXPECT_EQ(fitted("any", 0), "");
  EXPECT_EQ(fitted("any", 1), "…");
}

TEST(Canvas, HoldsWhatIsPut) {
  Canvas canvas(10, 2);
  EXPECT_EQ(canvas.put(1, 0, "ab"), 3);
  canvas.put(0, 1, "far too long a text");
  EXPECT_EQ(canvas.text(), " ab\nfar too l…\n");
}

TEST(Canvas, DrawsNothingOutside) {
  Canvas canvas(4, 1);
  canvas.put(-2, 0, "abcd");
  canvas.put(0, 5, "x");
  canvas.put(0, -1, "x");
  canvas.put(9, 0, "x");
  canvas.fill({-5, -5, 6, 6});
  canvas.box({-1, -1, 30, 30}, "t");
  EXPECT_EQ(canvas.text(), " d\n");
}

TEST(Canvas, ClearsTheOtherHalfOfAWideCharacter) {
  Canvas canvas(6, 1);
  canvas.put(0, 0, "日本語");
  canvas.put(1, 0, "x");
  EXPECT_EQ(canvas.text(), " x本語\n");
  canvas.put(2, 0, "y");
  EXPECT_EQ(canvas.text(), " xy 語\n");
  canvas.put(3, 0, "日");
  EXPECT_EQ(canvas.text(), " xy日\n") << "the left half of 語 is gone, and so is its right one";
}

TEST(Canvas, NoHalfOfAWideCharacterAtTheEdge) {
  Canvas canvas(3, 1);
  canvas.put(2, 0, "日");
  EXPECT_EQ(canvas.text(), "  …\n");
}

TEST(Canvas, ControlsAndTurnedTextNeverReachACell) {
  Canvas canvas(40, 1);
  canvas.put(0, 0, "a\x1b[2J\xE2\x80\xAE\xC2\x9B\x07z\n\xFF");
  EXPECT_EQ(canvas.text(), "a�[2J���z��\n");
}

TEST(Canvas, WithoutColourKeepsWhatStandsOutWithoutIt) {
  Canvas canvas(5, 1, {false, true});
  canvas.put(0, 0, "ab", {Colour::red, true});
  EXPECT_EQ(canvas.runs(), "0:0-1 bold\n");
}

TEST(Canvas, WithoutUnicodeEverySymbolHasAStandIn) {
  Canvas canvas(12, 3, {true, false});
  canvas.box({0, 0, 12, 3}, "✓");
  canvas.put(1, 1, "日é👩‍🚀▸");
  for (const char byte : canvas.text()) EXPECT_LT(static_cast<unsigned char>(byte), 0x80);
  EXPECT_EQ(canvas.text(),
            "+- + ------+\n|??"
            "??"
            "?>    |\n+----------+\n");
}

TEST(Canvas, AJoinedCharacterAtTheEdgeIsReducedToItsFirst) {
  Canvas canvas(4, 1);
  canvas.put(0, 0, "👩‍🚀");
  EXPECT_EQ(canvas.text(), "👩‍🚀\n");
  canvas.put(2, 0, "👩‍🚀");
  EXPECT_EQ(canvas.text(), "👩‍🚀👩\n")
      << "a terminal that does not join would run over the edge";
}

TEST(Canvas, ManyMarksOnOneCharacterAreCut) {
  Canvas canvas(4, 1);
  std::string zalgo = "e";
  for (int i = 0; i < 30; ++i) zalgo += "\xCC\x81";
  canvas.put(0, 0, zalgo + "x");
  EXPECT_EQ(canvas.text(), "ex\n");
}

TEST(Diff, SendsOnlyWhatChanged) {
  Canvas before(10, 2);
  before.put(0, 0, "same");
  Canvas after = before;
  EXPECT_EQ(bytes_between(before, after), "");
  after.put(3, 1, "x", {Colour::red, true});
  EXPECT_EQ(bytes_between(before, after), "\x1b[?2026h\x1b[2;4H\x1b[0;1;31mx\x1b[0m\x1b[?2026l");
  EXPECT_NE(bytes_between(Canvas(9, 2), after).find("\x1b[2J"), std::string::npos)
      << "another size is drawn anew";
}

TEST(Diff, CopiesByOsc52) {
  EXPECT_EQ(copy_bytes("capsule"), "\x1b]52;c;Y2Fwc3VsZQ==\x1b\\");
  EXPECT_EQ(copy_bytes(""), "\x1b]52;c;\x1b\\");
}

TEST(Svg, HoldsTheTextEscaped) {
  Canvas canvas(12, 1);
  canvas.put(0, 0, "<a> & b", {Colour::green});
  const std::string svg = svg_of(canvas, "A \"title\"");
  EXPECT_NE(svg.find("&lt;a&gt;\xC2\xA0&amp;\xC2\xA0"
                     "b"),
            std::string::npos)
      << svg;
  EXPECT_NE(svg.find("<title>A &quot;title&quot;</title>"), std::string::npos);
}

}  // namespace
}  // namespace capsule::canvas
