// A whole run of agents that try to get out, inside walls and without.
#include <filesystem>

#include "tests/contain/kernel.h"
#include "tests/program/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

// Does what a good agent does, and tries a few things besides.
constexpr const char* kAgent = R"SH(#!/bin/sh
cat >/dev/null
say() { printf '{"status":"PASS","feedback":"fine","files_changed":[%s],"summary":"s"}\n' "$1"; }
echo out >'@ROOT@/out'
git -C '@PROJECT@' update-ref refs/heads/planted HEAD
[ -z "$HTTPS_PROXY" ] || bash -c 'exec 3<>/dev/tcp/127.0.0.1/${HTTPS_PROXY##*:}
  printf "CONNECT other.example.com:443 HTTP/1.1\r\n\r\n" >&3; head -1 <&3' >&2
case $CAPSULE_PHASE in
  test-writer) mkdir -p tests; echo 'grep -q done feature.txt' >tests/feature_test.sh
    say '"tests/feature_test.sh"' ;;
  execute) echo done >feature.txt; echo 'export A=b' >.envrc; say '"feature.txt",".envrc"' ;;
  merge) git add tests feature.txt .envrc && git commit -q -m "$CAPSULE_COMMIT_MSG" >&2
    say '"tests/feature_test.sh","feature.txt",".envrc"' ;;
  *) echo "by $CAPSULE_PHASE" >>feature.txt; say ;;
esac
)SH";

// For what `work` starts.
Outcome on_a_kernel(void (*lacking)(), const std::function<Outcome()>& work) {
  Outcome outcome;
  std::thread([&] {
    lacking();
    outcome = work();
  }).join();
  return outcome;
}
Outcome without_namespaces(const std::function<Outcome()>& work) {
  return on_a_kernel(without_user_namespaces, work);
}

class ContainedRun : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
    configure_gates();
    std::string text = kAgent;
    text.replace(text.find("@ROOT@"), 6, path(""));
    text.replace(text.find("@PROJECT@"), 9, project());
    write_file(path("agent.sh"), text);
    fs::permissions(path("agent.sh"), fs::perms::owner_all);
  }
  void contain_with(const std::string& preset) {
    env()["XDG_CONFIG_HOME"] = path("config");
    env()["CAPSULE_CONTAIN"] = std::nullopt;
    write_file(path("config/capsule/config.yaml"),
               "provider: mine\nproviders: {mine: {command: ['" + path("agent.sh") +
                   "']}}\ncontain: {preset: " + preset + "}\n");
  }
  bool planted() const {
    return git({"rev-parse", "-q", "--verify", "refs/heads/planted"}).exit_code == 0;
  }
};

TEST_F(ContainedRun, WithoutWallsAnAgentGetsOut) {
  contain_with("off");
  EXPECT_HAS(run_bead().out, "  walls: off\n");
  EXPECT_HAS(command("status", {kBead}).out, "  walls: off\n");
  EXPECT_TRUE(fs::exists(path("out"))) << "else the next test shows nothing";
  EXPECT_TRUE(planted());
}

TEST_F(ContainedRun, InsideThemNoneDoesAndTheWorkIsDone) {
  contain_with("strict");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_FALSE(fs::exists(path("out")));
  EXPECT_FALSE(planted());
  EXPECT_TRUE(is_closed());
  EXPECT_EQ(git_out({"show", "main:feature.txt"}), "done") << "no reviewer has changed it";
  EXPECT_HAS(outcome.out + outcome.err, "tried to change feature.txt");
  EXPECT_HAS(outcome.out, "agents changed files that run by themselves at yours: .envrc");
  EXPECT_TRUE(fs::is_empty(project() + "/.capsule/tmp"));
  EXPECT_HAS(outcome.out, "  walls: strict (namespaces, Landlock ");
  EXPECT_HAS(outcome.out, "; network proxy) for writer, reviewer");
  EXPECT_HAS(outcome.out, "; network off) for gate");
  EXPECT_HAS(outcome.out,
             "test-writer was refused other.example.com:443 1 time (contain: {allow: "
             "[\"other.example.com:443\"]} would allow it)");
  const Json status = Json::parse(command("status", {kBead, "--json"}).out);
  ASSERT_EQ(status["contained"].size(), 3U) << "each once, however many agents had it";
  EXPECT_EQ(status["contained"][0]["preset"], "strict");
  EXPECT_EQ(status["contained"][0]["namespaces"], true);
  ASSERT_EQ(status["refused_hosts"].size(), 1U);
  EXPECT_EQ(status["refused_hosts"][0]["host"], "other.example.com:443");
  EXPECT_EQ(status["refused_hosts"][0]["count"], status["agents"].size());
  EXPECT_EQ(status["refused_hosts"][0]["allowed_by"], "allow: [\"other.example.com:443\"]");
  EXPECT_HAS(command("ledger", {}).out, "it asked for allowed hosts");
}

TEST_F(ContainedRun, WhoHasNoWallsBesideOthersThatHaveIsToldToo) {
  contain_with("worktree}\nphases: {execute: {contain: off}}\nverify: {contain: off");
  const Outcome outcome = run_bead();
  EXPECT_TRUE(fs::exists(path("out"))) << "one of them gets out";
  EXPECT_HAS(outcome.out, "  walls: ");
  EXPECT_HAS(outcome.out, "off for gate, execute");
  EXPECT_HAS(outcome.out, "; network open) for writer, reviewer");
}

// Scripts know it as it always was; who has chosen walls has them there, too.
TEST_F(ContainedRun, APhaseByHandIsInsideThemAndItsCommitsAreTakenOver) {
  contain_with("strict");
  ASSERT_EQ(command("prep", {kBead}).exit_code, 0);
  for (const char* phase : {"test-writer", "execute"})
    EXPECT_EQ(command("run-phase", {phase, worktree()}).exit_code, 0) << phase;
  const Outcome review = command("run-phase", {"execute-review", worktree()});
  EXPECT_EQ(review.exit_code, 0) << review.err;
  EXPECT_HAS(review.err, "execute-review tried to change feature.txt");
  EXPECT_EQ(read_file(worktree() + "/feature.txt"), "done\n");
  env()["CAPSULE_COMMIT_MSG"] = "Work";
  EXPECT_EQ(command("run-phase", {"merge", worktree()}).exit_code, 0);
  EXPECT_EQ(git_out({"show", "capsule-" + std::string(kBead) + ":feature.txt"}), "done");
  EXPECT_FALSE(fs::exists(path("out")));
  EXPECT_FALSE(planted());
}

TEST_F(ContainedRun, APhaseByHandWhereNoWallsCanBeIsRefused) {
  contain_with("worktree");
  fs::create_directories(path("plain"));
  const Outcome outcome = command("run-phase", {"execute", path("plain")});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_HAS(outcome.err, "there is no worktree at");
  EXPECT_FALSE(fs::exists(path("plain/.capsule/output"))) << "its first line never ran";
  const Outcome free = command("run-phase", {"execute", path("plain"), "--contain=off"});
  EXPECT_EQ(free.exit_code, 0) << free.err;
  EXPECT_TRUE(fs::exists(path("out")));
}

TEST_F(ContainedRun, APhaseByHandSaysWhatItsWallsLackAndTheJournalKnows) {
  contain_with("worktree, missing: weaker");
  write_file(path("agent.sh"),
             "#!/bin/sh\ncat >/dev/null\nprintf '{\"status\":\"NEEDS_WORK\",\"feedback\":\"f\","
             "\"files_changed\":[],\"summary\":\"s\"}\\n'\n");
  EXPECT_NE(run_bead().exit_code, 0) << "it gives up";
  const Outcome outcome = without_namespaces([&] {
    return command("run-phase", {"execute", worktree()});
  });
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_HAS(outcome.err, "the walls of execute are less than they could be: there are no names");
  EXPECT_HAS(command("status", {kBead, "--json"}).out, "\"namespaces\":false");
}

TEST_F(ContainedRun, AFallbackThatCannotBeInsideIsToldBeforeAnybodyIsPaid) {
  contain_with("strict, broker: true");
  fs::copy(path("agent.sh"), path("claude"));
  env()["ANTHROPIC_API_KEY"] = "sk-ant-of-the-user";
  std::string text = read_file(path("config/capsule/config.yaml"));
  text.replace(text.find("provider: mine"), 14, "provider: known\nfallbacks: [mine]");
  text.replace(text.find("providers: {"), 12,
               "providers: {known: {command: ['" + path("claude") + "']}, ");
  write_file(path("config/capsule/config.yaml"), text);
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.err, "contain.broker is true, and mine cannot do without its key");
  expect_untouched();
}

// Whoever has configured nothing, on a machine where that means the preset worktree.
class WallsByDefault : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
    configure_gates();
    env()["CAPSULE_CONTAIN"] = std::nullopt;
    env()["CAPSULE_TEST_WALLS_BY_DEFAULT"] = "1";
    // Where the scripted agents leave what the test reads.
    write_file(path("home/.config/capsule/config.yaml"),
               "contain: {write: ['" + mock("") + "']}\n");
  }
};

TEST_F(WallsByDefault, WhereTheKernelHasThemTheyArePutUp) {
  on("execute", "echo out >'" + path("out") + "'; pass");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_TRUE(is_closed());
  EXPECT_FALSE(fs::exists(path("out")));
  EXPECT_HAS(outcome.out, "  walls: worktree (namespaces, Landlock ");
}

TEST_F(WallsByDefault, WhereTheKernelLacksThemThereAreNoneAndThatIsSaid) {
  const Outcome outcome = without_namespaces([&] { return run_bead(); });
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_TRUE(is_closed());
  EXPECT_HAS(outcome.out, "walls for all: ");
  EXPECT_HAS(outcome.out, "  walls: off for all\n");
  EXPECT_HAS(outcome.out, "  ! the walls are less than they could be: ");
  EXPECT_HAS(outcome.out, "user namespaces");
  EXPECT_HAS(command("status", {kBead}).out, "walls: off for all");
}

// Landlock alone has no private repository: this run merges nothing.
TEST_F(ContainedRun, WhatIsLeftOfThemWithoutNamespacesIsSaidWhereSomebodyWantsThat) {
  contain_with("worktree, missing: weaker");
  write_file(project() + "/.capsule/workflows/mine.yaml",
             "phases:\n  - {name: execute}\nend: nothing\n");
  const Outcome outcome = without_namespaces([&] {
    return command("run", {kBead, "--workflow=mine"});
  });
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_FALSE(fs::exists(path("out")));
  EXPECT_FALSE(planted());
  EXPECT_HAS(outcome.out, "  walls: worktree (Landlock ");
  EXPECT_HAS(outcome.out, "  ! the walls are less than they could be: there are no namespaces");
  EXPECT_HAS(command("status", {kBead}).out, "walls: worktree (Landlock ");
  const Json status = Json::parse(command("status", {kBead, "--json"}).out);
  ASSERT_EQ(status["contained"].size(), 1U) << status;
  EXPECT_EQ(status["contained"][0]["namespaces"], false);
  EXPECT_GT(status["contained"][0]["gaps"].size(), 2U);
}

TEST_F(ContainedRun, WhereAKernelLacksWhatTheyNeedNothingIsMadeAndTheRemedyIsNamed) {
  struct {
    void (*lacking)();
    const char* words;
    const char* remedy;
  } const kRows[] = {{without_user_namespaces, "user namespaces", "namespaces"},
                     {without_landlock, "no Landlock", "lsm="},
                     {without_overlay, "userxattr", "modprobe overlay"},
                     {without_seccomp, "seccomp", "CONFIG_SECCOMP_FILTER"}};
  for (const char* preset : {"strict", "worktree"})
    for (const auto& row : kRows) {
      SCOPED_TRACE(std::string(preset) + ", " + row.words);
      contain_with(preset);
      const Outcome outcome = on_a_kernel(row.lacking, [&] { return run_bead(); });
      EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
      EXPECT_HAS(outcome.out + outcome.err, row.words);
      EXPECT_HAS(outcome.out + outcome.err, row.remedy);
      EXPECT_FALSE(fs::exists(path("out"))) << "its first line ran";
      expect_untouched();
    }
}

}  // namespace
}  // namespace capsule::test
