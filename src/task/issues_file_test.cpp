#include "task/issues_file.h"

#include <gtest/gtest.h>

namespace capsule::task {
namespace {

TEST(IssuesFile, WhatWasReadIsWrittenByteForByte) {
  for (const std::string text :
       {"", "\n", "\n\n{\"id\":\"a-1\"}", "{\"id\":\"a-1\"}\r\n\r\n{bad\r\n",
        "\xEF\xBB\xBF{\"id\":\"a-1\"}\n",
        " {\"id\" : \"a-1\", \"x\":1.0} \nnot json\n\x80\xff\n{\"id\":\"a-1\"}\r",
        "<<<<<<< HEAD\n"})
    EXPECT_EQ(IssuesFile::parse(text).text(), text);
}

TEST(IssuesFile, ADamagedLineIsReportedWithItsNumberAndKept) {
  IssuesFile file = IssuesFile::parse(
      "{\"id\":\"a-1\"}\n\n{\"id\":\"a-2\",\n[]\n{\"title\":\"x\"}\n{\"id\":\"../"
      "x\"}\n{\"id\":7}\n");
  ASSERT_EQ(file.damage().size(), 5U);
  EXPECT_EQ(file.damage()[0].line, 3U);
  EXPECT_EQ(file.damage()[0].why, "not valid JSON");
  EXPECT_EQ(file.damage()[1].line, 4U);
  EXPECT_EQ(file.damage()[1].why, "not a JSON object");
  EXPECT_EQ(file.damage()[2].why, "no id");
  EXPECT_EQ(file.damage()[3].why, "'../x' is not a valid id");
  EXPECT_EQ(file.damage()[4].why, "no id");
  ASSERT_TRUE(file.put("{\"id\":\"a-1\",\"title\":\"new\"}"));
  EXPECT_EQ(file.text(),
            "{\"id\":\"a-1\",\"title\":\"new\"}\n\n{\"id\":\"a-2\",\n[]\n{\"title\":\"x\"}\n"
            "{\"id\":\"../x\"}\n{\"id\":7}\n");
}

TEST(IssuesFile, OfSeveralLinesWithOneIdTheLastCountsAndTheOthersStay) {
  IssuesFile file = IssuesFile::parse(
      "{\"id\":\"a-1\",\"title\":\"old\"}\n{\"id\":\"a-2\"}\n{\"id\":\"a-1\",\"title\":\"new\"}\n");
  EXPECT_EQ(file.find("a-1")->title, "new");
  EXPECT_EQ(file.beads().size(), 2U);
  ASSERT_TRUE(file.put("{\"id\":\"a-1\",\"title\":\"newest\"}"));
  EXPECT_EQ(file.text(),
            "{\"id\":\"a-1\",\"title\":\"old\"}\n{\"id\":\"a-2\"}\n{\"id\":\"a-1\",\"title\":"
            "\"newest\"}\n");
}

TEST(IssuesFile, ANewLineFollowsTheEndsOfTheFile) {
  IssuesFile windows = IssuesFile::parse("{\"id\":\"a-1\"}\r\n");
  ASSERT_TRUE(windows.put("{\"id\":\"a-2\"}"));
  EXPECT_EQ(windows.text(), "{\"id\":\"a-1\"}\r\n{\"id\":\"a-2\"}\r\n");
  IssuesFile torn = IssuesFile::parse("{\"id\":\"a-1\"}\n{\"id\":\"a-");
  ASSERT_TRUE(torn.put("{\"id\":\"a-2\"}"));
  EXPECT_EQ(torn.text(), "{\"id\":\"a-1\"}\n{\"id\":\"a-\n{\"id\":\"a-2\"}\n");
}

TEST(IssuesFile, AByteOrderMarkStaysInFront) {
  IssuesFile file = IssuesFile::parse("\xEF\xBB\xBF{\"id\":\"a-1\"}\n");
  ASSERT_TRUE(file.damage().empty());
  EXPECT_EQ(file.object("a-1"), "{\"id\":\"a-1\"}");
  ASSERT_TRUE(file.put("{\"id\":\"a-1\",\"title\":\"x\"}"));
  EXPECT_EQ(file.text(), "\xEF\xBB\xBF{\"id\":\"a-1\",\"title\":\"x\"}\n");
}

TEST(IssuesFile, ALineOfAMegabyteIsALine) {
  const std::string line =
      "{\"id\":\"a-1\",\"description\":\"" + std::string(1 << 20, 'x') + "\"}\n";
  const IssuesFile file = IssuesFile::parse(line);
  EXPECT_EQ(file.find("a-1")->description.size(), 1U << 20);
}

TEST(IssuesFile, ALineOfAMillionBracketsIsDamagedAndNoCrash) {
  const IssuesFile file =
      IssuesFile::parse("{\"id\":\"a-1\",\"x\":" + std::string(1'000'000, '[') + "\n");
  EXPECT_EQ(file.damage().front().why, "nested too deeply");
}

TEST(IssuesFile, NumbersInUseCountChildrenAndDamagedLines) {
  const IssuesFile file = IssuesFile::parse(
      "{\"id\":\"a-1\"}\n{\"id\":\"a-7.2\"}\n{\"id\":\"a-x\"}\n{\"id\":\"a-99x\"}\n{\"id\":\"a-"
      "12\",broken\n"
      "{\"id\":\"a-18446744073709551615\"}\n");
  EXPECT_EQ(file.highest_number("a-"), 12U);
  EXPECT_EQ(file.highest_number("a-7."), 2U);
  EXPECT_EQ(file.highest_number("b-"), 0U);
}

TEST(IssuesFile, APrefixIsWhatAllIdsShare) {
  EXPECT_EQ(IssuesFile::parse("{\"id\":\"my-app-1\"}\n{\"id\":\"my-app-2.1\"}\n").common_prefix(),
            "my-app");
  EXPECT_EQ(IssuesFile::parse("{\"id\":\"a-1\"}\n{\"id\":\"b-1\"}\n").common_prefix(), "");
  EXPECT_EQ(IssuesFile::parse("").common_prefix(), "");
}

TEST(IssuesFile, ParentsAndBlockersComeFromDependencies) {
  const IssuesFile file = IssuesFile::parse(
      R"({"id":"a-1","title":"Top","status":"closed"})"
      "\n"
      R"({"id":"a-1.1","dependencies":[{"issue_id":"a-1.1","depends_on_id":"a-1","type":"parent-child"},)"
      R"({"issue_id":"a-1.1","depends_on_id":"a-9","type":"blocks"}]})"
      "\n");
  const engine::Bead bead = file.resolved(*file.find("a-1.1"));
  EXPECT_EQ(bead.parent, "a-1");
  EXPECT_EQ(bead.status, "open");
  EXPECT_EQ(bead.type, "task");
  ASSERT_EQ(bead.dependencies.size(), 2U);
  EXPECT_EQ(bead.dependencies[0].title, "Top");
  EXPECT_EQ(bead.dependencies[0].status, "closed");
  EXPECT_EQ(bead.dependencies[1].status, "");
}

}  // namespace
}  // namespace capsule::task
