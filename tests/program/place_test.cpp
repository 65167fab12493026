// Where a command works, whatever folder it is called in and whatever surrounds it.
#include <filesystem>

#include "tests/program/project.h"

namespace capsule::test {
namespace {

class Place : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
  }
  Outcome in_folder(const std::string& folder, std::vector<std::string> args) const {
    Call call{.args = std::move(args), .env = {{"HOME", path("home")}}, .cwd = folder};
    return run(call);
  }
};

// git tells its aliases and hooks where the repository is; an agent that inherited it would commit
// to main.
TEST_F(Place, AnAgentWorksInItsWorktreeWhateverGitWasToldAboutOurs) {
  env()["GIT_DIR"] = project() + "/.git";
  env()["GIT_WORK_TREE"] = project();
  env()["GIT_INDEX_FILE"] = project() + "/.git/index";
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  for (const AgentCall& call : agent_calls())
    for (const char* name : {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"})
      EXPECT_FALSE(call.env.contains(name)) << call.phase << name;
  for (const char* name : {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"}) env().erase(name);
  EXPECT_EQ(git_out({"rev-list", "--parents", "-1", "main"}).size(), 3 * 40U + 2) << "a merge";
}

TEST_F(Place, AnAgentCannotShowTheNextRunAnotherProject) {
  const std::string planted = path("planted");
  on("execute", "work; mkdir -p " + planted +
                    "/.capsule; printf 'provider: x\\nproviders: {x: {command: " + "[touch, " +
                    path("pwned") + "]}}\\n' >" + planted +
                    "/.capsule/config.yaml; git config core.worktree " + planted +
                    "; git config core.bare true; pass");
  ASSERT_EQ(run_bead().exit_code, 0);
  const Outcome status = command("status", {kBead});
  EXPECT_EQ(status.exit_code, 0) << status.err;
  EXPECT_HAS(command("doctor", {}).out, project());
  git({"config", "--unset", "core.worktree"});
  git({"config", "core.bare", "false"});
  EXPECT_FALSE(std::filesystem::exists(path("pwned")));
}

TEST_F(Place, ALockThatAnAgentLeftIsNotInTheWayOfTheNext) {
  on("execute",
     "work; touch \"$(git rev-parse --git-dir)/index.lock\"; say PASS green "
     "'\"feature.txt\"'");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
}

TEST_F(Place, WithoutABranchToMergeIntoNobodyIsPaid) {
  ASSERT_EQ(git({"branch", "-m", "trunk"}).exit_code, 0);
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.err, "no branch called main or master");
  EXPECT_TRUE(phases().empty());
  ASSERT_EQ(git({"branch", "-m", "main"}).exit_code, 0);
}

TEST_F(Place, TheCommandsToPasteNameTheProviderThatWasGiven) {
  on("sign-off", "say NEEDS_WORK 'not yet'");
  const Outcome outcome = run_bead({"--max-retries=1", "--provider=claude"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "capsule run demo-1.1.1 --provider=claude --resume");
}

TEST_F(Place, ABranchThatIsLeftIsToldWithTheCommandThatDeletesIt) {
  ASSERT_EQ(git({"branch", "capsule-demo-1.1.1"}).exit_code, 0);
  const Outcome outcome = command("prep", {kBead});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_HAS(outcome.err, "already exists, left over from an earlier run\n  rename it");
  ASSERT_EQ(git({"branch", "-D", "capsule-demo-1.1.1"}).exit_code, 0);
}

TEST_F(Place, ACommandGetsTheModelOfItsPhase) {
  configure("phases: {execute: {provider: mine, model: large}}\nproviders: {mine: {command: [" +
            path("bin/claude") + ", '--model={model}', '{prompt}']}}\n");
  const Outcome outcome = run_bead();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const AgentCall& call : agent_calls())
    EXPECT_EQ(call.args.front() == "--model=large", call.phase == "execute") << call.phase;
}

TEST_F(Place, BeadsAndConfigurationAreTheProjectsInEverySubfolder) {
  const std::string folder = path("own");
  std::filesystem::create_directories(folder + "/sub/deep");
  ASSERT_EQ(in_folder(folder, {"bead", "init", "--prefix=x"}).exit_code, 0);
  write_file(folder + "/.capsule/config.yaml", "tracker: native\nmax_retries: 7\n");
  ASSERT_EQ(in_folder(folder + "/sub", {"bead", "create", "--title=One"}).exit_code, 0);
  EXPECT_HAS(in_folder(folder + "/sub/deep", {"bead", "list"}).out, "One");
  EXPECT_HAS(in_folder(folder, {"bead", "list"}).out, "One");
  EXPECT_FALSE(std::filesystem::exists(folder + "/sub/.beads"));
  EXPECT_HAS(in_folder(folder + "/sub/deep", {"config", "show"}).out, ".capsule/config.yaml:2");
}

}  // namespace
}  // namespace capsule::test
