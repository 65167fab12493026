#include "gate/verify.h"

#include <gtest/gtest.h>

namespace capsule::gate {
namespace {

TEST(UsefulEnd, ShortTextStaysWhole) { EXPECT_EQ(useful_end("\n a\nb \n", 100), "a\nb"); }

TEST(UsefulEnd, LongTextLosesItsBeginningInWholeLines) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "line " + std::to_string(i) + "\n";
  const std::string end = useful_end(text, 100);
  EXPECT_LE(end.size(), 100 + sizeof("[…]\n"));
  EXPECT_TRUE(end.starts_with("[…]\nline 9")) << end;
  EXPECT_TRUE(end.ends_with("line 999"));
}

TEST(UsefulEnd, OneLongLineIsCutAllTheSame) {
  EXPECT_EQ(useful_end(std::string(1000, 'x'), 10), "[…]\n" + std::string(10, 'x'));
}

TEST(UsefulEnds, ALongTextKeepsSomeFirstLinesToo) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "line " + std::to_string(i) + "\n";
  const std::string ends = useful_ends(text, 200);
  EXPECT_LE(ends.size(), 200 + sizeof("[…]\n"));
  EXPECT_TRUE(ends.starts_with("line 0\nline 1\n")) << ends;
  EXPECT_NE(ends.find("\n[…]\nline 9"), std::string::npos) << ends;
  EXPECT_TRUE(ends.ends_with("line 999"));
}

TEST(UsefulEnds, OneLongLineHasNoBeginningWorthKeeping) {
  EXPECT_EQ(useful_ends(std::string(1000, 'x'), 10), "[…]\n" + std::string(10, 'x'));
}

TEST(Words, ATextIsForTheShellAndWordsAreRunAsTheyAre) {
  EXPECT_EQ(words_of({{}, "make; true"}),
            (std::vector<std::string>{"/bin/sh", "-c", "make; true"}));
  EXPECT_EQ(words_of({{"make", "a b"}, ""}), (std::vector<std::string>{"make", "a b"}));
}

TEST(Describe, SaysHowACommandEnded) {
  EXPECT_EQ(describe({Ending::failed, 3, "", ""}), "exit status 3");
  EXPECT_EQ(describe({Ending::not_run, 127, "", ""}), "could not run (exit status 127)");
  EXPECT_EQ(describe({Ending::timed_out, 0, "", ""}), "timed out");
}

}  // namespace
}  // namespace capsule::gate
