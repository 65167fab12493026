#include "gate/guard.h"

#include <gtest/gtest.h>

namespace capsule::gate {
namespace {

TEST(Guard, KnowsTheFilesThatSayWhatAChecksNameMeans) {
  for (const char* path :
       {"package.json", "web/package.json", "Makefile", "tests/conftest.py", "pytest.ini",
        ".github/workflows/ci.yml", "Cargo.lock", "vitest.config.ts", ".capsule/config.yaml"})
    EXPECT_TRUE(is_guarded(path, {})) << path;
  for (const char* path : {"src/main.py", "README.md", "tests/test_a.py", "lib/package.js"})
    EXPECT_FALSE(is_guarded(path, {})) << path;
  EXPECT_TRUE(is_guarded("ci/run", {"ci/"}));
  EXPECT_FALSE(is_guarded("package.json", {"ci/"})) << "patterns replace the usual ones";
  EXPECT_FALSE(is_guarded("package.json", {"none"}));
}

TEST(Guard, ANewDependencyIsNobodysBusinessAndAnotherTestScriptIs) {
  const std::string before = R"({"name":"x","scripts":{"test":"node --test"}})";
  EXPECT_FALSE(changes_meaning(
      "package.json", before,
      R"({"name":"x","scripts":{ "test": "node --test" },"dependencies":{"a":"1"}})"));
  EXPECT_TRUE(changes_meaning("package.json", before, R"({"scripts":{"test":"true"}})"));
  EXPECT_TRUE(changes_meaning("package.json", before, R"({"name":"x"})"));
  EXPECT_TRUE(changes_meaning("package.json", before, "{"))
      << "what cannot be read may be anything";
  EXPECT_TRUE(changes_meaning("package.json", "", before)) << "it is new, with a script";
}

TEST(Guard, OfProjectFilesOnlyWhatIsAboutTestsCounts) {
  EXPECT_FALSE(changes_meaning("pyproject.toml", "[project]\nname = 'a'\n",
                               "[project]\nname = 'b'\ndependencies = ['c']\n"));
  EXPECT_TRUE(
      changes_meaning("pyproject.toml", "[project]\nname = 'a'\n",
                      "[project]\nname = 'a'\n[tool.pytest.ini_options]\naddopts='-k x'\n"));
  EXPECT_FALSE(changes_meaning("CMakeLists.txt",
                               "add_executable(a a.cpp)\nadd_test(NAME a COMMAND a)\n",
                               "add_executable(a a.cpp b.cpp)\n  add_test(NAME a COMMAND a)\n"
                               "add_test(NAME b COMMAND b)\n"));
  EXPECT_TRUE(changes_meaning("CMakeLists.txt", "add_test(NAME a COMMAND a)\n",
                              "add_test(NAME a COMMAND true)\n"));
  EXPECT_TRUE(changes_meaning("Cargo.toml", "[package]\nname = 'a'\n",
                              "[package]\nname = 'a'\n[lib]\nharness = false\n"));
}

TEST(Guard, ATaskAsksForAFileByNamingIt) {
  EXPECT_TRUE(is_asked_for("package.json", "Add a lint script to package.json."));
  EXPECT_TRUE(is_asked_for("web/package.json", "change `web/package.json`"));
  EXPECT_TRUE(is_asked_for("web/package.json", "Change package.json, please"));
  EXPECT_FALSE(is_asked_for("package.json", "see package.json.md and my-package.json"));
  EXPECT_FALSE(is_asked_for("Makefile", "Write a parser"));
}

}  // namespace
}  // namespace capsule::gate
