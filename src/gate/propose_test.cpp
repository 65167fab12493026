#include "gate/propose.h"

#include <gtest/gtest.h>

namespace capsule::gate {
namespace {

using Words = std::vector<std::string>;

Words test_of(const std::vector<SeenFile>& files) {
  const auto proposal = propose(files);
  return proposal ? proposal->test.argv : Words{};
}

TEST(Propose, NothingWhereNothingTells) {
  EXPECT_FALSE(propose({}));
  EXPECT_FALSE(propose(std::vector<SeenFile>{{"yarn.lock", ""}, {"README.md", ""}}));
}

TEST(Propose, EachKindOfProjectHasItsCommand) {
  EXPECT_EQ(test_of({{"go.mod", ""}}), (Words{"go", "test", "./..."}));
  EXPECT_EQ(test_of({{"Cargo.toml", ""}}), (Words{"cargo", "test"}));
  EXPECT_EQ(test_of({{"pyproject.toml", "dev = ['pytest>=8']"}}),
            (Words{"python3", "-m", "pytest"}));
  EXPECT_EQ(test_of({{"pyproject.toml", "pytest"}, {"uv.lock", ""}}),
            (Words{"uv", "run", "pytest"}));
  EXPECT_EQ(test_of({{"pyproject.toml", "[project]"}}),
            (Words{"python3", "-m", "unittest", "discover"}));
  EXPECT_EQ(test_of({{"setup.py", "from setuptools import setup"}}),
            (Words{"python3", "-m", "unittest", "discover"}));
  EXPECT_EQ(test_of({{"setup.py", ""}, {"pytest.ini", ""}}), (Words{"python3", "-m", "pytest"}));
  EXPECT_EQ(test_of({{"setup.cfg", "[tool:pytest]"}}), (Words{"python3", "-m", "pytest"}));
  EXPECT_EQ(test_of({{"pom.xml", ""}}), (Words{"mvn", "test"}));
  EXPECT_EQ(test_of({{"build.gradle.kts", ""}}), (Words{"gradle", "test"}));
  EXPECT_EQ(test_of({{"build.gradle", ""}, {"gradlew", ""}}), (Words{"./gradlew", "test"}));
  const auto cmake = propose(std::vector<SeenFile>{{"CMakeLists.txt", ""}});
  ASSERT_TRUE(cmake);
  EXPECT_NE(cmake->test.shell.find("ctest"), std::string::npos);
}

// A folder that is no package is not looked into from the root.
TEST(Propose, TestsInPythonTellWhatRunsThemWhereNothingElseDoes) {
  const std::string unit = "# x\nimport unittest\n", other = "import calc\n";
  EXPECT_EQ(test_of({{"tests/test_calc.py", unit}}),
            (Words{"python3", "-m", "unittest", "discover", "-s", "tests"}));
  EXPECT_EQ(test_of({{"tests/__init__.py", ""}, {"tests/test_calc.py", unit}}),
            (Words{"python3", "-m", "unittest", "discover"}));
  EXPECT_EQ(
      test_of({{"test/test_a.py", other}, {"test/test_b.py", "from unittest import TestCase"}}),
      (Words{"python3", "-m", "unittest", "discover", "-s", "test"}));
  EXPECT_EQ(test_of({{"test_calc.py", unit}}), (Words{"python3", "-m", "unittest", "discover"}));
  EXPECT_EQ(test_of({{"tests/test_calc.py", "import pytest\n"}}),
            (Words{"python3", "-m", "pytest"}));
  EXPECT_EQ(test_of({{"tests/test_calc.py", other}}), Words{}) << "nobody knows";
  EXPECT_EQ(test_of({{"tests/helper.py", unit}}), Words{});
  EXPECT_EQ(test_of({{"tests/test_calc.py", unit}, {"Makefile", "test:\n"}}),
            (Words{"make", "test"}));
  EXPECT_EQ(
      propose(std::vector<SeenFile>{{"tests/test_calc.py", unit}, {"web/go.mod", ""}})->because,
      "tests/test_calc.py")
      << "the root comes first";
}

TEST(Propose, APackageNeedsATestScriptOfItsOwn) {
  EXPECT_EQ(test_of({{"package.json", R"({"scripts":{"test":"vitest"}})"}}),
            (Words{"npm", "run", "test"}));
  EXPECT_EQ(test_of({{"package.json", R"({"scripts":{"test":"vitest"}})"}, {"pnpm-lock.yaml", ""}}),
            (Words{"pnpm", "run", "test"}));
  EXPECT_EQ(test_of({{"package.json",
                      R"({"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}})"}}),
            Words{});
  for (const char* text : {"", "{", "[]", "{}", R"({"scripts":3})", R"({"scripts":{"test":3}})"})
    EXPECT_EQ(test_of({{"package.json", text}}), Words{}) << text;
}

TEST(Propose, AMakefileNeedsATargetForIt) {
  EXPECT_EQ(test_of({{"Makefile", "all: x\n\tcc\n\n.PHONY: test\ntest: all\n\t./t\n"}}),
            (Words{"make", "test"}));
  EXPECT_EQ(test_of({{"Makefile", "check lint: all\n"}}), (Words{"make", "check"}));
  EXPECT_EQ(test_of({{"Makefile", "test := 1\nall:\n\techo test: x\n"}}), Words{});
}

TEST(Propose, TheRootComesBeforeFoldersAndTheirNameBecomesDir) {
  const std::vector<SeenFile> files{{"web/package.json", R"({"scripts":{"test":"x"}})"},
                                    {"src/go.mod", ""}};
  EXPECT_EQ(propose(files)->dir, "src");
  EXPECT_EQ(propose(files)->because, "src/go.mod");
  EXPECT_EQ(propose(std::vector<SeenFile>{{"a/go.mod", ""}, {"Cargo.toml", ""}})->dir, "");
}

TEST(Propose, AFileThatTellsNothingLeavesTheWordToTheNext) {
  EXPECT_EQ(test_of({{"package.json", "{}"}, {"Makefile", "test:\n"}}), (Words{"make", "test"}));
}

}  // namespace
}  // namespace capsule::gate
