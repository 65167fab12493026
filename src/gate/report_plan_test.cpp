#include "gate/report_plan.h"

#include <gtest/gtest.h>

namespace capsule::gate {
namespace {

using From = ReportPlan::From;
using Words = std::vector<std::string>;
using Env = std::map<std::string, std::string>;

const std::string kPath = "/tmp/place/report";
const Env kPytest{{"PYTEST_ADDOPTS", "--continue-on-collection-errors --junitxml=" + kPath}};

ReportPlan of_shell(const std::string& text, const std::vector<SeenFile>& files = {}) {
  return plan_report({{}, text}, "auto", files, kPath);
}
ReportPlan of_words(const Words& words, const std::vector<SeenFile>& files = {}) {
  return plan_report({words, {}}, "auto", files, kPath);
}
std::vector<SeenFile> script(const std::string& text) {
  return {{"package.json", R"({"scripts":{"test":")" + text + R"("}})"}};
}

TEST(ReportPlan, GoIsAskedForJson) {
  EXPECT_EQ(of_words({"go", "test", "./..."}).command.argv,
            (Words{"go", "test", "-json", "./..."}));
  EXPECT_EQ(of_shell("go test -race ./...").command.shell, "go test -json -race ./...");
  EXPECT_EQ(of_shell("CGO_ENABLED=0 /usr/bin/go test ./...").command.shell,
            "CGO_ENABLED=0 /usr/bin/go test -json ./...");
  EXPECT_EQ(of_shell("cd src && go test ./...").command.shell, "cd src && go test -json ./...");
  EXPECT_EQ(of_words({"go", "test", "-json"}).command.argv, (Words{"go", "test", "-json"}));
  EXPECT_EQ(of_words({"go", "test"}).from, From::out);
  EXPECT_EQ(of_words({"go", "vet"}).format, ReportFormat::none);
}

TEST(ReportPlan, PytestIsAskedByTheEnvironmentAlsoThroughOthers) {
  for (const char* text :
       {"pytest -q", "python3 -m pytest", "uv run pytest", "env A=1 python3.12 -m pytest tests",
        "pytest -k 'a or b' | tee log", "set -e; pytest $ARGS"}) {
    const ReportPlan plan = of_shell(text);
    EXPECT_EQ(plan.command.shell, text);
    EXPECT_EQ(plan.env, kPytest) << text;
    EXPECT_EQ(plan.format, ReportFormat::junit);
    EXPECT_EQ(plan.file, kPath);
  }
  EXPECT_EQ(
      of_words({"make", "test"}, {{"Makefile", "all:\n\tgo test\ntest: x\n\tpytest -q\n"}}).env,
      kPytest);
  EXPECT_EQ(of_words({"npm", "test"}, script("pytest tests")).env, kPytest);
  EXPECT_EQ(of_shell("pytest --junitxml=out/r.xml").file, "out/r.xml");
  EXPECT_EQ(of_shell("pytest --junitxml=/etc/r.xml").format, ReportFormat::none);
}

TEST(ReportPlan, UnittestIsAskedToNameItsTests) {
  EXPECT_EQ(of_words({"python3", "-m", "unittest", "discover", "-s", "t"}).command.argv,
            (Words{"python3", "-m", "unittest", "discover", "-v", "-s", "t"}));
  EXPECT_EQ(of_shell("python -m unittest a.b").command.shell, "python -m unittest -v a.b");
  EXPECT_EQ(of_shell("python -m unittest").from, From::err);
  EXPECT_EQ(of_shell("python -m unittest && echo \"x\"").format, ReportFormat::none);
}

TEST(ReportPlan, NodeGetsAReporterByTheEnvironment) {
  for (const ReportPlan& plan :
       {of_shell("node --test"), of_words({"npm", "test"}, script("tsc && node --test dist")),
        of_words({"yarn", "test"}, script("node --import tsx --test"))}) {
    EXPECT_EQ(plan.format, ReportFormat::node);
    EXPECT_NE(plan.env.at("NODE_OPTIONS").find("--test-reporter=/tmp/place/reporter.mjs "),
              std::string::npos);
    EXPECT_TRUE(plan.helpers.contains("reporter.mjs"));
  }
  EXPECT_EQ(of_shell("node --test --test-reporter=dot").format, ReportFormat::none);
  EXPECT_EQ(of_shell("node server.js").format, ReportFormat::none);
}

TEST(ReportPlan, JestAndVitestAreAskedThroughTheirScripts) {
  EXPECT_EQ(of_words({"npx", "jest"}).command.argv,
            (Words{"npx", "jest", "--json", "--outputFile=" + kPath}));
  EXPECT_EQ(of_words({"npm", "run", "test"}, script("jest")).command.argv,
            (Words{"npm", "run", "test", "--", "--json", "--outputFile=" + kPath}));
  EXPECT_EQ(of_shell("yarn test", script("eslint . && jest")).command.shell,
            "yarn test --json --outputFile=" + kPath);
  EXPECT_EQ(of_shell("npm test", script("vitest run")).command.shell,
            "npm test -- --reporter=default --reporter=junit --outputFile.junit=" + kPath);
  EXPECT_EQ(of_shell("npm test", script("jest; vitest")).format, ReportFormat::none);
  EXPECT_EQ(of_shell("npm test", script("npm test")).format, ReportFormat::none);
  EXPECT_EQ(of_shell("npm test").format, ReportFormat::none);
  EXPECT_EQ(of_shell("npm install", script("jest")).format, ReportFormat::none);
}

TEST(ReportPlan, CompiledLanguages) {
  EXPECT_EQ(of_shell("cargo test --all").command.shell, "cargo test --no-fail-fast --all");
  EXPECT_EQ(of_shell("cargo build; cargo test \"$@\"").format, ReportFormat::cargo);
  EXPECT_EQ(of_shell("cmake --build b && ctest --test-dir b").command.shell,
            "cmake --build b && ctest --output-junit " + kPath + " --test-dir b");
  EXPECT_EQ(of_shell("(cd b; ctest)").format, ReportFormat::ctest);
  EXPECT_EQ(of_shell("./mvnw -q test").command.shell, "./mvnw -q test --fail-at-end");
  EXPECT_EQ(of_words({"mvn", "verify"}).file, "**/target/*-reports/TEST-*.xml");
  EXPECT_EQ(of_words({"./gradlew", "test"}).file, "**/build/test-results/**/TEST-*.xml");
}

TEST(ReportPlan, WhatIsNotUnderstoodIsRunAsItIs) {
  for (const char* text :
       {"./test.sh", "go test ./... | tee log", "make test", "pytest; node --test",
        "go test ./a && go test ./b", "echo $(go test)", "bazel test //..."}) {
    const ReportPlan plan = of_shell(text);
    EXPECT_EQ(plan.command.shell, text);
    EXPECT_EQ(plan.format, ReportFormat::none) << text;
    EXPECT_TRUE(plan.env.empty());
  }
  EXPECT_EQ(plan_report({}, "auto", {}, kPath).format, ReportFormat::none);
}

TEST(ReportPlan, ASettingIsTakenAtItsWord) {
  const Command command{{}, "make check"};
  EXPECT_EQ(plan_report(command, "junit:out/*.xml", {}, kPath).file, "out/*.xml");
  EXPECT_EQ(plan_report(command, "gotest", {}, kPath).format, ReportFormat::gotest);
  EXPECT_EQ(plan_report(command, "tap", {}, kPath).format, ReportFormat::tap);
  EXPECT_EQ(plan_report({{"go", "test"}, {}}, "none", {}, kPath).format, ReportFormat::none);
}

}  // namespace
}  // namespace capsule::gate
