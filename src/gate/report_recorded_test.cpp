// What real runners wrote about small projects (tests/reports), whole and in pieces.
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/text.h"
#include "gate/report.h"

namespace capsule::gate {
namespace {

std::string recorded(const std::string& name) {
  const auto text = read_file(std::string(CAPSULE_SOURCE_DIR) + "/tests/reports/" + name);
  EXPECT_TRUE(text) << name;
  return text.value_or("");
}

// A line for each test: "+ name", "- name", "? name" of those that were skipped.
std::string lines(const Result<TestReport>& report) {
  if (!report) return report.error().message;
  std::string text;
  for (const TestResult& test : report->tests)
    text += std::string(test.state == TestState::passed   ? "+ "
                        : test.state == TestState::failed ? "- "
                                                          : "? ") +
            test.name + "\n";
  return text;
}

std::string stream(ReportFormat format, const std::string& out, const std::string& err = {}) {
  std::string first;
  for (const std::size_t piece : {std::size_t{1}, std::size_t{13}, std::size_t{1} << 20}) {
    ReportReader reader(format);
    for (std::size_t at = 0; at < out.size(); at += piece) (void)reader.take(out.substr(at, piece));
    for (std::size_t at = 0; at < err.size(); at += piece)
      (void)reader.take_err(err.substr(at, piece));
    (void)reader.rest();
    const std::string found = lines(reader.finish());
    if (piece == 1) first = found;
    EXPECT_EQ(found, first) << piece;
  }
  return first;
}

TEST(RecordedReport, Pytest) {
  EXPECT_EQ(lines(read_junit(recorded("pytest.xml"))),
            "- tests.test_broken\n"
            "+ tests.test_p.TestC::test_in\n"
            "- tests.test_p::test_bad\n"
            "+ tests.test_p::test_ok\n"
            "+ tests.test_p::test_p[1]\n"
            "+ tests.test_p::test_p[a2]\n"
            "+ tests.test_p::test_p[x y]\n"
            "? tests.test_p::test_skip\n"
            "- tests.test_p::test_teardown\n"
            "? tests.test_p::test_xfail\n");
}

TEST(RecordedReport, Vitest) {
  EXPECT_EQ(lines(read_junit(recorded("vitest.xml"))),
            "- a.test.js::fails\n"
            "+ a.test.js::group > deep > inner\n"
            "+ a.test.js::group > inner\n"
            "? a.test.js::later\n"
            "? a.test.js::skipped\n"
            "+ a.test.js::works\n"
            "- broken.test.js\n");
}

TEST(RecordedReport, GoogleTestAndCtest) {
  EXPECT_EQ(lines(read_junit(recorded("googletest.xml"))),
            "- A::Bad\n? A::DISABLED_Off\n+ A::Ok\n? A::Skips\n+ I/P::Many/0\n+ I/P::Many/1\n");
  const std::string by_ctest =
      "+ a_very_long_name_of_a_test_that_goes_on_and_on_until_it_is_longer_than_the_dots\n"
      "- bad\n- crash\n- missing\n+ name with blanks ... Passed\n? off\n+ ok\n? skips\n- slow\n";
  EXPECT_EQ(lines(read_junit(recorded("ctest.xml"))), by_ctest);
  EXPECT_EQ(stream(ReportFormat::ctest, recorded("ctest.out")), by_ctest);
}

TEST(RecordedReport, Surefire) {
  EXPECT_EQ(lines(read_junit(recorded("surefire.xml"))),
            "+ a.AppTest$Inner::deep\n"
            "- a.AppTest::breaks\n"
            "- a.AppTest::fails\n"
            "? a.AppTest::later\n"
            "+ a.AppTest::many(String)[1]\n"
            "+ a.AppTest::many(String)[2]\n"
            "+ a.AppTest::works\n");
}

TEST(RecordedReport, Jest) {
  EXPECT_EQ(lines(read_jest(recorded("jest.json"))),
            "- /project/j/a.test.js::fails\n"
            "+ /project/j/a.test.js::group > deep > inner\n"
            "+ /project/j/a.test.js::group > inner\n"
            "? /project/j/a.test.js::later\n"
            "? /project/j/a.test.js::skipped\n"
            "+ /project/j/a.test.js::works\n"
            "- /project/j/broken.test.js\n");
  for (const char* text : {"", "{", "[", "{\"testResults\":[{]", "\xff"})
    EXPECT_FALSE(read_jest(text)) << text;
  EXPECT_EQ(lines(read_jest("{\"testResults\":3,\"x\":[[[]]]}")), "");
}

TEST(RecordedReport, GoTest) {
  EXPECT_EQ(stream(ReportFormat::gotest, recorded("gotest.json")),
            "+ example.com/x.TestA\n"
            "- example.com/x.TestF\n"
            "? example.com/x.TestS\n"
            "- example.com/x.TestSub\n"
            "- example.com/x.TestSub/a_b/c\n"
            "+ example.com/x.TestSub/one\n"
            "- example.com/x/broken\n"
            "- example.com/x/pan\n"
            "- example.com/x/pan.TestP\n"
            "+ example.com/x/pan.TestP1\n"
            "- example.com/x/sub\n");
}

TEST(RecordedReport, Unittest) {
  EXPECT_EQ(stream(ReportFormat::unittest, recorded("unittest.err")),
            "- tests.test_a.A.test_bad\n"
            "- tests.test_a.A.test_err\n"
            "+ tests.test_a.A.test_noise\n"
            "+ tests.test_a.A.test_ok\n"
            "? tests.test_a.A.test_skip\n"
            "- tests.test_a.A.test_sub\n"
            "+ tests.test_a.A.test_xfail\n"
            "- tests.test_a.A.test_xpass\n"
            "- tests.test_a.B\n"
            "- tests.test_broken\n");
  // Python before 3.11 names the class alone. And a run that was cut off.
  EXPECT_EQ(stream(ReportFormat::unittest, "test_a (m.C) ... ok\ntest_b (m.C) ... "),
            "+ m.C.test_a\n- m.C.test_b\n");
}

TEST(RecordedReport, Cargo) {
  EXPECT_EQ(stream(ReportFormat::cargo, recorded("cargo.out"), recorded("cargo.err")),
            "+ it (tests/it.rs)::ok\n"
            "+ thing (doc)::src/lib.rs - f\n"
            "- thing (src/lib.rs)::tests::bad\n"
            "+ thing (src/lib.rs)::tests::deep::ok\n"
            "? thing (src/lib.rs)::tests::later\n"
            "+ thing (src/lib.rs)::tests::ok\n"
            "+ thing (src/lib.rs)::tests::panics - should panic\n");
  // Programs and blocks that do not match: bare names. A block without an end failed as a whole.
  EXPECT_EQ(stream(ReportFormat::cargo, "running 2 tests\ntest a ... ok\n"), "+ a\n- cargo\n");
}

TEST(RecordedReport, Tap) {
  EXPECT_EQ(stream(ReportFormat::tap, recorded("node.tap")),
            "- /project/c.test.js\n"
            "- fails\n"
            "+ group\n"
            "+ group > deep\n"
            "+ group > deep > inner\n"
            "+ group > inner\n"
            "+ parent\n"
            "+ parent > child\n"
            "? skipped\n"
            "? todo fails\n"
            "+ works\n");
  EXPECT_EQ(
      stream(ReportFormat::tap,
             "1..6\nok\nok 2\nnot ok 3 - a \\# b # TODO x\nok 4 c # skip\nokay\nnot ok 5 - # x\n"
             "Bail out! disk\n"),
      "- # x\n+ 1\n+ 2\n- Bail out!\n? a \\# b\n? c\n");
}

TEST(HostileReport, NoInputIsTooMuch) {
  // Depth, width and entities, each far beyond what a runner writes.
  std::string deep;
  for (int i = 0; i < 1'000'000; ++i) deep += "<a>";
  EXPECT_FALSE(read_junit(deep));
  for (int i = 0; i < 1'000'000; ++i) deep += "</a>";
  EXPECT_EQ(lines(read_junit(deep)), "");
  EXPECT_EQ(lines(read_junit(R"(<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;&b;">]>
      <a><testcase name="&c;"/></a>)")),
            "+ &c;\n");
  std::string wide = "<a>";
  for (int i = 0; i < 6'000'000; ++i) wide += "<b/>";
  const auto too_wide = read_junit(wide + "</a>");
  ASSERT_FALSE(too_wide);
  EXPECT_NE(too_wide.error().message.find("memory"), std::string::npos) << too_wide.error().message;
  EXPECT_FALSE(read_jest(std::string(1'000'000, '[')));
  std::string brackets;
  for (int i = 0; i < 300'000; ++i) brackets += "{\"testResults\":[";
  EXPECT_FALSE(read_jest(brackets));
}

TEST(HostileReport, StreamsAreReadInBoundedMemoryAndHandedOn) {
  for (const ReportFormat format : {ReportFormat::gotest, ReportFormat::tap, ReportFormat::unittest,
                                    ReportFormat::cargo, ReportFormat::ctest}) {
    ReportReader reader(format);
    const std::string piece(std::size_t{1} << 20, 'x');
    std::size_t shown = 0;
    for (int i = 0; i < 20; ++i) shown += reader.take(piece).size();
    EXPECT_GE(shown, std::size_t{18} << 20) << name_of(format);
    shown += reader.take("\n").size();
    shown += reader.rest().size();
    EXPECT_EQ(shown, (std::size_t{20} << 20) + 1);
    EXPECT_EQ(lines(reader.finish()), "");
  }
}

}  // namespace
}  // namespace capsule::gate
