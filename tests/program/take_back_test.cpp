// An answer is taken back although the run has recorded it, as long as no agent was called since:
// the one that would be told waits for its provider.
#include "tests/program/demo_project.h"
#include "tests/program/project.h"

namespace capsule::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// As another run of this machine leaves it.
void park(const std::string& home, const std::string& provider) {
  write_file(home + "/.local/state/capsule/providers/" + provider + ".parked",
             "{\"until\":" + std::to_string(::time(nullptr) + 86'400) +
                 ",\"guessed\":false,\"fault\":\"usage_limit\",\"words\":\"\",\"since\":1}");
}

class TakenBackInPhases : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
    write_file(path("agent"), "#!/bin/sh\ncat >>'" + path("prompts") +
                                  "'\necho \"$CAPSULE_PHASE\" >>'" + path("asked") +
                                  "'\necho x >file.txt\necho "
                                  "'{\"status\":\"PASS\",\"feedback\":\"\",\"files_changed\":["
                                  "\"file.txt\"],\"summary\":\"s\"}'\n");
    std::filesystem::permissions(path("agent"), std::filesystem::perms::owner_all);
    configure("provider: mine\nproviders: {mine: {command: ['" + path("agent") + "']}}\n");
  }
  Call spike() const { return calling("run", {kBead, "--workflow=spike"}); }
  bool says(const Running& running, const char* what) {
    return eventually([&] { return running.out_so_far().find(what) != std::string::npos; });
  }
};

TEST_F(TakenBackInPhases, AnApprovalWhoseNextAgentIsHeldIsTakenBackAndAskedForAgain) {
  ASSERT_EQ(run(spike()).exit_code, 1);
  EXPECT_EQ(read_file(path("asked")), "plan\n");
  ASSERT_EQ(command("approve", {kBead}).exit_code, 0);
  park(path("home"), "mine");
  Running held(spike());
  ASSERT_TRUE(says(held, "code: running")) << held.out_so_far() << held.err_so_far();
  const Outcome back = command("answer", {"1", "--take-back"});
  EXPECT_EQ(back.exit_code, 0) << back.out << back.err;
  EXPECT_THAT(back.out, HasSubstr("no agent was told. It is open again."));
  const Outcome waits = held.wait();
  EXPECT_EQ(waits.exit_code, 1) << waits.out << waits.err;
  EXPECT_THAT(waits.out, HasSubstr("the answer to question 1 is taken back: no agent was told"));
  EXPECT_THAT(command("questions", {}).out, HasSubstr("plan"));
  EXPECT_EQ(read_file(path("asked")), "plan\n") << "nobody was called";

  ASSERT_EQ(command("reject", {kBead, "--because=Use smaller steps"}).exit_code, 0);
  ASSERT_EQ(command("agents", {"resume", "mine"}).exit_code, 0);
  EXPECT_EQ(run(spike()).exit_code, 1);
  EXPECT_EQ(read_file(path("asked")), "plan\nplan\n");
  EXPECT_THAT(read_file(path("prompts")), HasSubstr("Use smaller steps"));
  const Outcome late = command("answer", {"1", "--take-back"});
  EXPECT_THAT(late.out, HasSubstr("if no agent was told")) << "and one was";
  EXPECT_EQ(command("approve", {kBead}).exit_code, 0);
  EXPECT_EQ(run(spike()).exit_code, 0);
}

class TakenBackInAuto : public DemoProject {};

TEST_F(TakenBackInAuto, ARejectionWhoseNextAgentIsHeldIsTakenBackAndAnApprovedMergeStays) {
  make_project();
  auto_agent("printf '%s\\n' \"$@\" >>'" + path("prompts") + "'\n");
  EXPECT_EQ(
      in({"auto", "run", "Say hello", "--skip-expansion", "--skip-reflect", "--integrate=ask"})
          .exit_code,
      1);
  ASSERT_EQ(in({"reject", "auto", "--because=Say good morning"}).exit_code, 0);
  park(path("home"), "claude");
  Running held(in_project({"auto", "continue"}));
  ASSERT_TRUE(eventually([&] {
    return held.out_so_far().find("fix: fixing") != std::string::npos;
  })) << held.out_so_far()
      << held.err_so_far();
  const Outcome back = in({"answer", "1", "--take-back"});
  EXPECT_EQ(back.exit_code, 0) << back.out << back.err;
  EXPECT_EQ(held.wait().exit_code, 1);
  ASSERT_EQ(in({"approve", "auto"}).exit_code, 0);
  EXPECT_EQ(in({"auto", "continue"}).exit_code, 0) << "a merge needs no agent";
  EXPECT_TRUE(has("greeting.txt"));
  EXPECT_THAT(read_file(path("prompts")), Not(HasSubstr("Say good morning")));
  EXPECT_EQ(in({"answer", "1", "--take-back"}).exit_code, 1) << "what is merged stays";
}

}  // namespace
}  // namespace capsule::test
