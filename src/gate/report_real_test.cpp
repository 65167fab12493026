// The real test runners, as they are installed: each is run by Checks on a small project, as a
// user's command would be. ./test leaves out those that are not there, with a line for each.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "base/text.h"
#include "gate/checks.h"
#include "process/command.h"
#include "process/test_support.h"

namespace capsule::gate {
namespace {

using Tests = std::vector<TestResult>;
constexpr auto kPassed = TestState::passed;
constexpr auto kFailed = TestState::failed;
constexpr auto kSkipped = TestState::skipped;

class RealRunner : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "/real-runner-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(folder_ + "/" + path).parent_path());
    std::ofstream(folder_ + "/" + path) << text;
  }
  bool has(const std::string& probe) const {
    std::vector<std::string> words;
    for (const std::string_view word : split(std::string_view(probe), ' '))
      words.emplace_back(word);
    const auto output = process::run({.argv = words});
    return output && output->exit_code == 0;
  }
  Verdict verdict(const Command& test, const std::string& setting = "auto") {
    Verify verify;
    verify.add("test", test);
    verify.test_report = setting;
    Checks checks(*loop_, verify);
    std::optional<Result<std::vector<Verdict>>> result;
    checks.run_all(folder_, [&](const auto& verdicts) { result = verdicts; });
    loop_->run_while([&] { return !result; });
    EXPECT_TRUE(*result);
    return (*result)->front();
  }
  Tests tests(const Command& test) {
    const Verdict last = verdict(test);
    EXPECT_TRUE(last.tests) << last.report_problem << "\n" << last.output;
    return last.tests ? last.tests->tests : Tests{};
  }

  std::string folder_;
  std::unique_ptr<process::Loop> loop_ = process::testing::make_loop();
};

TEST_F(RealRunner, Go) {
  if (!has("go version")) GTEST_SKIP() << "go is not installed";
  write("go.mod", "module example.com/x\ngo 1.20\n");
  write("a_test.go", R"(package x
import "testing"
func TestA(t *testing.T) { t.Log("quiet") }
func TestF(t *testing.T) { t.Fatal("loud") }
func TestS(t *testing.T) { t.Skip("later") }
func TestSub(t *testing.T) { t.Run("a b", func(t *testing.T) {}) }
)");
  write("broken/b_test.go",
        "package broken\nimport \"testing\"\nfunc TestB(t *testing.T) { no() }\n");
  write("panics/b_test.go",
        "package panics\nimport \"testing\"\nfunc TestP(t *testing.T) { panic(1) }\n"
        "func TestQ(t *testing.T) {}\n");
  const Verdict last = verdict({{"go", "test", "./..."}, {}});
  ASSERT_TRUE(last.tests) << last.report_problem << last.output;
  EXPECT_EQ(last.tests->tests, (Tests{{"example.com/x.TestA", kPassed},
                                      {"example.com/x.TestF", kFailed},
                                      {"example.com/x.TestS", kSkipped},
                                      {"example.com/x.TestSub", kPassed},
                                      {"example.com/x.TestSub/a_b", kPassed},
                                      {"example.com/x/broken", kFailed},
                                      {"example.com/x/panics", kFailed},
                                      {"example.com/x/panics.TestP", kFailed}}));
  EXPECT_EQ(last.ending, Ending::failed);
  EXPECT_EQ(last.command, "go test ./...");
  EXPECT_NE(last.output.find("loud"), std::string::npos) << last.output;
  EXPECT_NE(last.output.find("undefined: no"), std::string::npos) << last.output;
  EXPECT_EQ(last.output.find("quiet"), std::string::npos) << last.output;
  EXPECT_EQ(last.output.find("\"Action\""), std::string::npos) << last.output;
}

TEST_F(RealRunner, Pytest) {
  if (!has("python3 -m pytest --version")) GTEST_SKIP() << "pytest is not installed";
  write("tests/test_a.py", R"(import pytest
def test_ok(): pass
def test_bad(): assert 0
@pytest.mark.skip
def test_later(): pass
@pytest.mark.parametrize("a", ["x y", 1])
def test_many(a): pass
class TestC:
    def test_in(self): pass
@pytest.fixture
def fixture():
    yield
    raise ValueError
def test_teardown(fixture): pass
)");
  write("tests/test_broken.py", "import nothing_there\n");
  const Tests expected{
      {"tests.test_a.TestC::test_in", kPassed},  {"tests.test_a::test_bad", kFailed},
      {"tests.test_a::test_later", kSkipped},    {"tests.test_a::test_many[1]", kPassed},
      {"tests.test_a::test_many[x y]", kPassed}, {"tests.test_a::test_ok", kPassed},
      {"tests.test_a::test_teardown", kFailed},  {"tests.test_broken", kFailed}};
  EXPECT_EQ(tests({{"python3", "-m", "pytest", "-q"}, {}}), expected);
  EXPECT_EQ(tests({{}, "python3 -m pytest 2>&1 | cat"}), expected);
  write("Makefile", "test:\n\t@python3 -m pytest -q\n");
  if (has("make --version")) {
    EXPECT_EQ(tests({{"make", "test"}, {}}), expected);
  }
}

TEST_F(RealRunner, Unittest) {
  if (!has("python3 --version")) GTEST_SKIP() << "python3 is not installed";
  write("tests/__init__.py", "");
  write("tests/test_a.py", R"(import unittest, sys
class A(unittest.TestCase):
    def test_ok(self):
        """Does what it says."""
    def test_bad(self): self.assertEqual(1, 2)
    def test_error(self): raise ValueError
    @unittest.skip("later")
    def test_later(self): pass
    @unittest.expectedFailure
    def test_known(self): self.fail()
    @unittest.expectedFailure
    def test_surprise(self): pass
    def test_parts(self):
        for i in range(2):
            with self.subTest(i=i): self.assertEqual(i, 0)
    def test_noise(self): sys.stderr.write("no line feed")
    def test_lies(self):
        sys.stderr.write("ok\n")
        self.fail()
class B(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise RuntimeError
    def test_x(self): pass
)");
  write("tests/test_broken.py", "import nothing_there\n");
  EXPECT_EQ(tests({{"python3", "-m", "unittest", "discover"}, {}}),
            (Tests{{"tests.test_a.A.test_bad", kFailed},
                   {"tests.test_a.A.test_error", kFailed},
                   {"tests.test_a.A.test_known", kPassed},
                   {"tests.test_a.A.test_later", kSkipped},
                   {"tests.test_a.A.test_lies", kFailed},
                   {"tests.test_a.A.test_noise", kPassed},
                   {"tests.test_a.A.test_ok", kPassed},
                   {"tests.test_a.A.test_parts", kFailed},
                   {"tests.test_a.A.test_surprise", kFailed},
                   {"tests.test_a.B", kFailed},
                   {"tests.test_broken", kFailed}}));
}

TEST_F(RealRunner, Node) {
  if (!has("node --test-reporter=spec --version")) GTEST_SKIP() << "no node with --test-reporter";
  const std::string file = R"(const { test, describe, it } = require('node:test');
const assert = require('assert');
test('works', () => {});
test('fails', () => assert.equal(1, 2));
test('later', { skip: true }, () => {});
test('todo', { todo: true }, () => assert.equal(1, 2));
describe('group', () => { it('inner', () => {}); describe('deep', () => it('inner', () => {})); });
)";
  write("a.test.js", file);
  write("sub/b.test.js", "require('node:test').test('works', () => {});\n");
  write("broken.test.js", "require('./nothing_there');\n");
  const Tests expected{
      {"a.test.js::fails", kFailed},         {"a.test.js::group > deep > inner", kPassed},
      {"a.test.js::group > inner", kPassed}, {"a.test.js::later", kSkipped},
      {"a.test.js::todo", kSkipped},         {"a.test.js::works", kPassed},
      {"broken.test.js", kFailed},           {"sub/b.test.js::works", kPassed}};
  EXPECT_EQ(tests({{"node", "--test"}, {}}), expected);
  write(
      "package.json",
      R"({"scripts":{"test":"node --test a.test.js && exit 1; node --test sub broken.test.js"}})");
  if (has("npm --version")) {
    EXPECT_EQ(tests({{"npm", "test"}, {}}), expected);
  }
}

TEST_F(RealRunner, Cargo) {
  if (!has("cargo --version")) GTEST_SKIP() << "cargo is not installed";
  write("Cargo.toml", "[package]\nname = \"thing\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
  write("src/lib.rs", R"(/// ```
/// assert_eq!(1, 1);
/// ```
pub fn f() {}
#[cfg(test)]
mod tests {
    #[test] fn ok() {}
    #[test] fn bad() { panic!("no"); }
    #[test] #[ignore] fn later() {}
}
)");
  write("tests/it.rs", "#[test] fn ok() {}\n");
  const Tests expected{{"it (tests/it.rs)::ok", kPassed},
                       {"thing (doc)::src/lib.rs - f", kPassed},
                       {"thing (src/lib.rs)::tests::bad", kFailed},
                       {"thing (src/lib.rs)::tests::later", kSkipped},
                       {"thing (src/lib.rs)::tests::ok", kPassed}};
  EXPECT_EQ(tests({{"cargo", "test", "--offline"}, {}}), expected);
}

TEST_F(RealRunner, Ctest) {
  if (!has("ctest --version")) GTEST_SKIP() << "ctest is not installed";
  write("CMakeLists.txt", R"(cmake_minimum_required(VERSION 3.20)
project(x NONE)
enable_testing()
add_test(NAME ok COMMAND true)
add_test(NAME bad COMMAND false)
add_test(NAME "blanks ... Passed" COMMAND true)
add_test(NAME off COMMAND true)
set_tests_properties(off PROPERTIES DISABLED ON)
add_test(NAME skips COMMAND sh -c "exit 77")
set_tests_properties(skips PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME missing COMMAND /nothing/there)
)");
  const Tests expected{{"bad", kFailed},     {"blanks ... Passed", kPassed},
                       {"missing", kFailed}, {"off", kSkipped},
                       {"ok", kPassed},      {"skips", kSkipped}};
  EXPECT_EQ(tests({{}, "cmake -S . -B b && ctest --test-dir b"}), expected);
  EXPECT_EQ(tests({{}, "(cmake -S . -B b; cd b; ctest -j2)"}), expected);
}

// Maven fetches what it is made of, which a test may not: CAPSULE_TEST_MAVEN is a local repository
// that has seen a project like this one.
TEST_F(RealRunner, Maven) {
  const char* repository = std::getenv("CAPSULE_TEST_MAVEN");
  if (repository == nullptr || !has("mvn --version"))
    GTEST_SKIP() << "there is no repository of Maven's";
  write("pom.xml", R"(<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion>
<groupId>x</groupId><artifactId>x</artifactId><version>1</version>
<properties>
<maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
</properties>
<dependencies><dependency>
<groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version><scope>test</scope>
</dependency></dependencies>
</project>
)");
  write("src/test/java/ATest.java", R"(import org.junit.*;
public class ATest {
  @Test public void good() {}
  @Test public void bad() { Assert.fail("loud"); }
  @Ignore @Test public void later() {}
}
)");
  const std::string local = std::string("-Dmaven.repo.local=") + repository;
  EXPECT_EQ(tests({{"mvn", "-o", "-B", local, "test"}, {}}),
            (Tests{{"ATest::bad", kFailed}, {"ATest::good", kPassed}, {"ATest::later", kSkipped}}));
}

// The same for Gradle, with JUnit as Debian packs it.
TEST_F(RealRunner, Gradle) {
  const std::string jars = "/usr/share/java/";
  if (!exists(jars + "junit4.jar") || !has("gradle --version"))
    GTEST_SKIP() << "there is no Gradle";
  write("build.gradle", "apply plugin: 'java'\ndependencies { testCompile files('" + jars +
                            "junit4.jar', '" + jars + "hamcrest-core.jar') }\n");
  const auto write_test = [&](const std::string& ending) {
    write("src/test/java/ATest.java",
          "import org.junit.*;\npublic class ATest {\n"
          "  @Test public void good() {}\n"
          "  @Test public void bad() {" +
              ending +
              "}\n"
              "  @Ignore @Test public void later() {}\n}\n");
  };
  const Command gradle{{"gradle", "--offline", "-g", folder_ + "/home", "test"}, {}};
  write_test(" Assert.fail(\"loud\"); ");
  EXPECT_EQ(tests(gradle),
            (Tests{{"ATest::bad", kFailed}, {"ATest::good", kPassed}, {"ATest::later", kSkipped}}));
  write_test("");
  const Tests mended{{"ATest::bad", kPassed}, {"ATest::good", kPassed}, {"ATest::later", kSkipped}};
  EXPECT_EQ(tests(gradle), mended);
  EXPECT_EQ(tests(gradle), mended) << "Gradle repeats nothing that is up to date";
}

TEST_F(RealRunner, AnyJUnitFileOfTheUsersOwn) {
  const std::string good = "echo '<testsuite><testcase name=\"a\"/></testsuite>' >";
  EXPECT_EQ(verdict({{}, good + "r.xml"}, "junit:r.xml").tests->tests, (Tests{{"a", kPassed}}));
  // The one from before is not read again.
  const Verdict without = verdict({{}, "true"}, "junit:r.xml");
  EXPECT_FALSE(without.tests);
  EXPECT_EQ(without.report_problem, "the tests wrote no report r.xml");
  EXPECT_EQ(verdict({{}, "mkdir -p out/x && " + good + "out/x/1.xml && " + good + "out/2.xml"},
                    "junit:out/**/*.xml")
                .tests->tests,
            (Tests{{"a", kPassed}}));
  EXPECT_FALSE(verdict({{}, "true"}, "junit:out/**/*.xml").tests);
}

TEST_F(RealRunner, NoTestCanHangUsOrLeadUsOutOfTheFolder) {
  write("secret/r.xml", "<testsuite><testcase name='secret'/></testsuite>");
  for (const char* text :
       {"mkfifo r.xml", "ln -s secret/r.xml r.xml", "ln -s /dev/zero r.xml", "mkdir r.xml",
        "truncate -s 300M r.xml", "echo '<a>' > r.xml",
        "rm -rf d; ln -s secret d; echo > r.xml; rm r.xml; ln -s d/r.xml r.xml"}) {
    const Verdict last = verdict({{}, std::string("rm -rf r.xml; ") + text}, "junit:r.xml");
    EXPECT_EQ(last.ending, Ending::passed) << text << last.output;
    EXPECT_FALSE(last.tests) << text;
    EXPECT_FALSE(last.report_problem.empty()) << text;
    std::filesystem::remove_all(folder_ + "/r.xml");
  }
  EXPECT_FALSE(verdict({{}, "true"}, "junit:d/r.xml").tests);
  EXPECT_TRUE(exists(folder_ + "/secret/r.xml")) << "removed through a link";
}

}  // namespace
}  // namespace capsule::gate
