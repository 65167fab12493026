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

TEST(Guard, ScriptsThatACommandRunsAreGuardedAndSourcesThatItNamesAreNot) {
  EXPECT_TRUE(is_run_by("ci/check.sh", "sh ./ci/check.sh --all"));
  EXPECT_TRUE(is_run_by("tools/verify", "tools/verify"));
  EXPECT_TRUE(is_run_by("scripts/test.js", "node scripts/test.js"));
  EXPECT_FALSE(is_run_by("main.c", "cc -o app main.c && ./app --self"));
  EXPECT_FALSE(is_run_by("check.sh", "sh ci/recheck.sh"));
}

TEST(Guard, WhatACommandHandsOverToNamesFilesToo) {
  std::map<std::string, std::string> texts{
      {"package.json", R"({"scripts": {"test": "node run/check.js"}, "main": "tests.js"})"},
      {"Makefile", "test:\n\tsh suite.sh\n"}};
  const auto unasked = [&](const std::string& commands, const std::string& path) {
    const MeaningRules rules{[](std::string_view) { return false; },
                             [](std::string_view) { return false; }, commands,
                             [&](const std::string& commit, const std::string& file) {
                               return Result<std::string>(file == path ? commit : texts[file]);
                             }};
    return meaning_changes({{'M', path, ""}}, "from", "to", {"", {}}, rules)->unasked.size();
  };
  EXPECT_EQ(unasked("npm test", "run/check.js"), 1U);
  EXPECT_EQ(unasked("npm test", "tests.js"), 0U) << "no script runs it";
  EXPECT_EQ(unasked("make test", "suite.sh"), 1U);
  EXPECT_EQ(unasked("go test ./...", "suite.sh"), 0U);
}

TEST(Guard, WhatAPersonAllowedIsThatFileAlone) {
  const MeaningRules rules{
      [](std::string_view path) { return is_guarded(path, {}); },
      [](std::string_view) { return false; }, "",
      [](const std::string& commit, const std::string&) { return Result<std::string>(commit); }};
  const std::vector<std::string> allowed{"sub/Makefile"};
  const std::vector<Changed> changes{{'M', "sub/Makefile", ""}, {'M', "Makefile", ""}};
  const auto found = meaning_changes(changes, "from", "to", {"Make it work", allowed}, rules);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->asked, std::vector<std::string>{"sub/Makefile"});
  EXPECT_EQ(found->unasked, std::vector<std::string>{"Makefile"});
}

TEST(Guard, MoreOfAFileThatOnlyPartlyCountsIsNobodysBusiness) {
  EXPECT_TRUE(changes_meaning("go.mod", "module x\n", "module x\n\nreplace a => ./b\n"));
  EXPECT_FALSE(changes_meaning("go.mod", "module x\n", "module x\n\nrequire a v1.0.0\n"));
  EXPECT_TRUE(is_guarded("unittest.py", {}));
  EXPECT_TRUE(is_guarded("vendor/check/index.js", {}));
  EXPECT_FALSE(is_guarded("pkg/functools.py", {})) << "a module of a package is in nobody's place";
}

}  // namespace
}  // namespace capsule::gate
