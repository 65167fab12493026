// What becomes of auto mode's work that is ready: approved by a person first, or left on a branch;
// and a merge that was refused is tried again without an agent.
#include "tests/program/demo_project.h"

namespace capsule::test {
namespace {

using ::testing::HasSubstr;

class IntegrateInAuto : public DemoProject {
 protected:
  void SetUp() override {
    DemoProject::SetUp();
    make_project();
    auto_agent("echo \"$CAPSULE_PHASE\" >>'" + path("phases") + "'\ncat >>'" + path("prompts") +
               "'\nprintf '%s\\n' \"$@\" >>'" + path("prompts") + "'\n");
  }
  Outcome auto_run(std::vector<std::string> more = {}) const {
    std::vector<std::string> args = {"auto", "run", "Say hello", "--skip-expansion",
                                     "--skip-reflect"};
    args.insert(args.end(), more.begin(), more.end());
    return in(args);
  }
  Json status() const { return Json::parse(in({"status", "auto", "--json"}).out); }
  std::string phases() const { return read_file(path("phases")); }
  std::string head(const std::string& ref) const { return git({"rev-parse", ref}).out; }
};

TEST_F(IntegrateInAuto, WorkThatIsReadyWaitsForAPersonAndIsMergedOnceTheyApprove) {
  const std::string before = head("main");
  const Outcome waits = auto_run({"--integrate=ask"});
  EXPECT_EQ(waits.exit_code, 1) << waits.out << waits.err;
  EXPECT_THAT(waits.out, HasSubstr("capsule approve auto"));
  EXPECT_EQ(head("main"), before);
  const Json now = status();
  EXPECT_EQ(now["standing"], "waiting");
  EXPECT_EQ(now["waits_for"][0]["kind"], "merge");
  EXPECT_THAT(in({"status", "auto"}).out, HasSubstr("capsule reject auto --because=TEXT"));
  const std::string called = phases();
  const Outcome still = in({"auto", "continue"});
  EXPECT_EQ(still.exit_code, 1) << "nobody has answered";
  const Outcome approved = in({"approve", "auto"});
  EXPECT_EQ(approved.exit_code, 0) << approved.err;
  EXPECT_THAT(approved.out, HasSubstr("capsule auto continue"));
  const Outcome merged = in({"auto", "continue"});
  EXPECT_EQ(merged.exit_code, 0) << merged.out << merged.err;
  EXPECT_TRUE(has("greeting.txt"));
  EXPECT_EQ(phases(), called) << "no agent is called again";
}

TEST_F(IntegrateInAuto, WhatAPersonRejectsIsMendedWithTheirWords) {
  EXPECT_EQ(auto_run({"--integrate=ask"}).exit_code, 1);
  EXPECT_EQ(in({"reject", "auto", "--because=Say good morning"}).exit_code, 0);
  const Outcome waits = in({"auto", "continue"});
  EXPECT_EQ(waits.exit_code, 1) << waits.out << waits.err;
  EXPECT_THAT(phases(), HasSubstr("fix\n"));
  EXPECT_THAT(read_file(path("prompts")), HasSubstr("Say good morning"));
  EXPECT_EQ(in({"approve", "auto"}).exit_code, 0);
  EXPECT_EQ(in({"auto", "continue"}).exit_code, 0);
  EXPECT_TRUE(has("greeting.txt"));
}

TEST_F(IntegrateInAuto, WorkOnABranchIsOneCommitWithADescription) {
  write_file(project() + "/.capsule/config.yaml",
             read_file(project() + "/.capsule/config.yaml") + "integrate: branch\n");
  const std::string before = head("main");
  const Outcome done = auto_run();
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  EXPECT_EQ(head("main"), before);
  const std::string branch = status()["on_branch"];
  EXPECT_THAT(done.out, HasSubstr(branch));
  EXPECT_EQ(git({"rev-list", "--count", "main.." + branch}).out, "1\n");
  EXPECT_EQ(git({"show", branch + ":greeting.txt"}).out, "hello\n");
  const std::size_t at = done.out.find("description: ") + 13;
  EXPECT_THAT(read_file(done.out.substr(at, done.out.find('\n', at) - at)),
              HasSubstr("# Say hello"));
  EXPECT_EQ(in({"teardown"}).exit_code, 0);
  EXPECT_EQ(git({"rev-parse", "--verify", "-q", branch}).exit_code, 0) << "the result stays";
}

TEST_F(IntegrateInAuto, AMergeThatWasRefusedIsTriedAgainWithoutAnAgent) {
  write_file(project() + "/greeting.txt", "mine\n");
  const Outcome refused = auto_run();
  EXPECT_EQ(refused.exit_code, 1) << refused.out << refused.err;
  EXPECT_THAT(refused.out, HasSubstr("capsule auto continue"));
  const std::string called = phases();
  std::filesystem::remove(project() + "/greeting.txt");
  const Outcome merged = in({"auto", "continue"});
  EXPECT_EQ(merged.exit_code, 0) << merged.out << merged.err;
  EXPECT_EQ(phases(), called) << "no agent is called again";
}

TEST_F(IntegrateInAuto, ARunInPlaceHasNothingToIntegrate) {
  EXPECT_EQ(auto_run({"--in-place", "--integrate=ask"}).exit_code, 2);
}

}  // namespace
}  // namespace capsule::test
