#include "gate/report.h"

#include <gtest/gtest.h>

namespace capsule::gate {
namespace {

using Tests = std::vector<TestResult>;

Tests junit(std::string_view xml) {
  const auto report = read_junit(xml);
  EXPECT_TRUE(report) << (report ? "" : report.error().message);
  return report ? report->tests : Tests{};
}

TEST(TestReport, IsSortedAndHasEachNameOnceWithItsWorstResult) {
  ReportBuilder builder;
  for (const auto& [name, state] : Tests{{"b", TestState::skipped},
                                         {"a", TestState::passed},
                                         {"b", TestState::passed},
                                         {"a", TestState::failed},
                                         {"a", TestState::skipped},
                                         {"c", TestState::skipped}})
    builder.add(name, state);
  const auto report = builder.finish();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->tests,
            (Tests{{"a", TestState::failed}, {"b", TestState::passed}, {"c", TestState::skipped}}));
  EXPECT_EQ(*report->find("b"), TestState::passed);
  EXPECT_EQ(report->find("d"), nullptr);
  EXPECT_EQ(report->count(TestState::skipped), 1U);
}

TEST(TestReport, NamesArePrintableAndBounded) {
  ReportBuilder builder;
  const std::string long_name(5000, 'x');
  builder.add("a\x1b[2J\nb", TestState::passed);
  builder.add(long_name + "1", TestState::passed);
  builder.add(long_name + "2", TestState::passed);
  const auto report = builder.finish();
  ASSERT_TRUE(report);
  ASSERT_EQ(report->tests.size(), 3U);
  EXPECT_EQ(report->tests[0].name, "a\\x1b[2J\\nb");
  EXPECT_EQ(report->tests[1].name.size(), kMaxTestNameBytes);
  EXPECT_NE(report->tests[1].name, report->tests[2].name);
}

TEST(TestReport, MoreTestsThanTheLimitAreNoReport) {
  ReportBuilder builder;
  for (std::size_t i = 0; i <= kMaxTests; ++i) builder.add(std::to_string(i), TestState::passed);
  EXPECT_FALSE(builder.finish());
  ReportBuilder same;
  for (std::size_t i = 0; i <= 2 * kMaxTests; ++i) same.add("same", TestState::passed);
  EXPECT_EQ(same.finish()->tests, (Tests{{"same", TestState::passed}}));
}

TEST(TestReport, KnowsTheWholeThatATestIsAPartOf) {
  EXPECT_TRUE(is_part_of("example.com/x.TestA", "example.com/x"));
  EXPECT_TRUE(is_part_of("tests.test_a::test_b", "tests.test_a"));
  EXPECT_FALSE(is_part_of("tests.test_ab::test_b", "tests.test_a"));
  EXPECT_FALSE(is_part_of("a", "a"));
}

TEST(Junit, TestsAreNamedByClassAndName) {
  EXPECT_EQ(junit(R"(<?xml version="1.0"?><testsuites><testsuite name="s">
      <testcase classname="m.C" name="ok" time="0.1"/>
      <testcase classname="m.C" name="bad"><failure message="x">text</failure></testcase>
      <testcase classname="m.C" name="broken"><system-out/><error/></testcase>
      <testcase classname="m.C" name="later"><skipped/></testcase>
      <testcase classname="g" name="off" status="notrun"/>
      <testcase file="a.js" name="&lt;b&gt;"/>
      <testcase name="alone"/>
      </testsuite></testsuites>)"),
            (Tests{{"a.js::<b>", TestState::passed},
                   {"alone", TestState::passed},
                   {"g::off", TestState::skipped},
                   {"m.C::bad", TestState::failed},
                   {"m.C::broken", TestState::failed},
                   {"m.C::later", TestState::skipped},
                   {"m.C::ok", TestState::passed}}));
}

TEST(Junit, AFileWithoutTestsIsAReportOfNone) {
  EXPECT_TRUE(junit("<testsuites/>").empty());
  for (const char* text : {"", " ", "no xml", "<testsuites>", "<a><testcase name='x'></a>", "<a"})
    EXPECT_FALSE(read_junit(text)) << text;
}

std::string events(const std::string& text, std::size_t piece, Tests& tests) {
  ReportReader reader(ReportFormat::gotest);
  std::string shown;
  for (std::size_t at = 0; at < text.size(); at += piece)
    shown += reader.take(std::string_view(text).substr(at, piece));
  shown += reader.rest();
  tests = reader.finish().value_or(TestReport{}).tests;
  return shown;
}

TEST(GoTest, EventsBecomeNamesAndTheTextOfWhatFailed) {
  const std::string text =
      R"({"Action":"start","Package":"x"}
{"Action":"run","Package":"x","Test":"TestA"}
{"Action":"output","Package":"x","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"x","Test":"TestA","Output":"quiet\n"}
{"Action":"pass","Package":"x","Test":"TestA"}
{"Action":"run","Package":"x","Test":"TestB/one"}
{"Action":"output","Package":"x","Test":"TestB/one","Output":"    loud\n"}
{"Action":"fail","Package":"x","Test":"TestB/one"}
{"Action":"output","Package":"x","Output":"FAIL\n"}
{"Action":"fail","Package":"x"}
# plain words
{"Action":"fail","Package":"y","FailedBuild":"y"}
{"Action":"run","Package":"z","Test":"TestEndless"}
)";
  for (const std::size_t piece : {1U, 7U, 100'000U}) {
    Tests tests;
    EXPECT_EQ(events(text, piece, tests), "    loud\nFAIL\n# plain words\n");
    EXPECT_EQ(tests, (Tests{{"x.TestA", TestState::passed},
                            {"x.TestB/one", TestState::failed},
                            {"y", TestState::failed},
                            {"z", TestState::failed},
                            {"z.TestEndless", TestState::failed}}));
  }
}

}  // namespace
}  // namespace capsule::gate
