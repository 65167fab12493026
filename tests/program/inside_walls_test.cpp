// Runs inside the walls of the preset `worktree`: all workflows, whatever ends them, with scripted
// agents. What they leave for the test is in a folder that they may write.
#include <csignal>
#include <filesystem>

#include "tests/program/deliver_project.h"
#include "tests/program/demo_project.h"
#include "tests/program/project.h"

namespace capsule::test {
namespace {

constexpr const char* kWalls = "  walls: worktree (namespaces, Landlock ";

class InsideWalls : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
    inside_walls({"mock"});
    configure_gates();
  }
  void is_killed_and_goes_on(const char* walls) {
    on("execute", 1, "echo half >half.txt; echo here >\"$M/here\"; sleep 1000");
    on("execute", 2, "pass");
    {
      Running running(calling("run", {kBead}));
      EXPECT_TRUE(eventually([&] { return !read_file(mock("here")).empty(); }));
      EXPECT_FALSE(left_of_walls(project()).empty()) << "it is looked for in the wrong place";
      running.send(SIGKILL);
      (void)running.wait();
    }
    EXPECT_FALSE(left_of_walls(project()).empty()) << "nothing is there to be swept";
    const Outcome outcome = run_bead();
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    EXPECT_TRUE(is_closed());
    EXPECT_HAS(outcome.out, walls);
    const Json status = Json::parse(command("status", {kBead, "--json"}).out);
    EXPECT_EQ(status["contained"].size(), 3U) << "those of the process before count";
    EXPECT_TRUE(nothing_left_of_walls(project())) << "what is left is swept by the next start";
  }
  // Else what a project's file names outside is not for everybody to read.
  void let_everybody_in() {
    std::filesystem::permissions(path(""), std::filesystem::perms::others_exec,
                                 std::filesystem::perm_options::add);
  }
};

TEST_F(InsideWalls, APipelineIsMergedAndNobodyGotOut) {
  on("execute", "echo out >'" + path("out") + "'; pass");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_TRUE(is_closed());
  EXPECT_EQ(phases().size(), 6U);
  EXPECT_EQ(read_file(path("out")), "");
  EXPECT_HAS(outcome.out, kWalls);
  EXPECT_HAS(outcome.out, "; network open) for writer, reviewer");
}

TEST_F(InsideWalls, ARunThatWasKilledGoesOn) { is_killed_and_goes_on(kWalls); }

TEST_F(InsideWalls, ARunInsideStrictThatWasKilledGoesOnToo) {
  env()["CAPSULE_CONTAIN"] = "strict";
  is_killed_and_goes_on("  walls: strict (namespaces, Landlock ");
}

TEST_F(InsideWalls, ARunThatFailedIsResumed) {
  on("execute", 1, "say ERROR 'not yet'");
  on("execute", 2, "pass");
  EXPECT_NE(run_bead().exit_code, 0);
  const Outcome outcome = run_bead({"--resume"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_TRUE(is_closed());
}

// In the places of everything that Capsule itself reads there afterwards.
TEST_F(InsideWalls, AFolderOfPipesLinksAndLockedFilesHoldsNobodyUp) {
  on("execute",
     "mkfifo CLAUDE.md .envrc package.json go.mod; mkdir .claude locked; mkfifo "
     ".claude/settings.json; ln -s /dev/zero zero; ln -s /etc/shadow shadow; "
     "echo x >locked/file; chmod 0 locked; pass");
  on("execute-review", "rm -f worklog.md; mkfifo worklog.md; pass");
  on("sign-off", "rm -f worklog.md; ln -s /etc/shadow worklog.md; pass");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.out.find("timed out"), outcome.out.npos) << outcome.out;
  for (const char* phase : {"execute-review: PASS", "sign-off: PASS", "merge: "})
    EXPECT_HAS(outcome.out, phase);
  EXPECT_EQ(outcome.out.find("root:"), outcome.out.npos);
}

// What one who writes leaves for the one who judges him; with the protection left out it arrives.
TEST_F(InsideWalls, AReviewerHasNoInstructionsAndNoHomeOfTheWriters) {
  on("execute", "work; echo planted >CLAUDE.md; echo planted >~/planted; say PASS done");
  on("execute-review", "cat CLAUDE.md >\"$M/instructions\"; cat ~/planted >\"$M/home\"; pass");
  write_file(project() + "/.capsule/workflows/mine.yaml",
             "phases:\n  - {name: execute}\n  - {name: execute-review, write: false}\n"
             "end: nothing\n");
  for (const std::string left_out : {"", "cover", "home"}) {
    env()["CAPSULE_TEST_WITHOUT"] = left_out;
    const Outcome outcome = command("run", {kBead, "--workflow=mine"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    EXPECT_EQ(read_file(mock("instructions")), left_out == "cover" ? "planted\n" : "") << left_out;
    EXPECT_EQ(read_file(mock("home")), left_out == "home" ? "planted\n" : "") << left_out;
  }
}

TEST_F(InsideWalls, AUsersOwnWorkflowIsRun) {
  write_file(project() + "/.capsule/workflows/mine.yaml",
             "phases:\n  - {name: execute}\nend: nothing\n");
  const Outcome outcome = command("run", {kBead, "--workflow=mine"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, kWalls);
}

TEST_F(InsideWalls, ScriptsOutsideThatItsCommandsNameAreThere) {
  let_everybody_in();
  write_file(path("scripts/set up.sh"), "echo lib >lib.txt\n");
  write_file(path("scripts/tests.sh"),
             "grep -q lib lib.txt && { ! test -e tests || sh tests/feature_test.sh; }\n");
  configure("worktree: {setup: [sh, '" + path("scripts/set up.sh") + "']}\nverify: {test: 'sh " +
            path("scripts/tests.sh") + "'}\n");
  write_file(project() + "/.gitignore", "lib.txt\n");
  git_out({"add", ".gitignore"});
  git_out({"commit", "-q", "-m", "Ignore"});
  on("execute", "sh " + path("scripts/tests.sh") + " && say ERROR 'it is green' || pass");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "for setup");
}

// Its repository is one of its own, without what `git submodule` needs.
TEST_F(InsideWalls, ASetUpThatFailsNamesTheLineThatLetsItOutAndSubmodulesAreThereInside) {
  const std::string library = path("library");
  std::filesystem::create_directories(library);
  git({"init", "-q", "-b", "main"}, library);
  write_file(library + "/lib.txt", "from the library\n");
  git({"add", "."}, library);
  git({"commit", "-q", "-m", "Library"}, library);
  git({"-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "lib"});
  git({"commit", "-q", "-m", "Use the library"});
  configure(
      "worktree: {setup: git -c protocol.file.allow=always submodule update --init}\n"
      "verify: {baseline: red-allowed, test: '[ -e lib/lib.txt ] && sh tests/feature_test.sh'}\n");
  on("execute", "git status --short >\"$M/status\" 2>&1 && cat lib/lib.txt >\"$M/seen\"; pass");
  const Outcome refused = run_bead();
  EXPECT_EQ(refused.exit_code, 2) << refused.out;
  EXPECT_HAS(refused.out + refused.err, "it ran inside walls");
  EXPECT_HAS(refused.out + refused.err, "worktree: {contain: off}");
  EXPECT_HAS(command("doctor", {"--no-tests"}).out, "git submodule and git lfs do not work there");
  const std::string users = path("home/.config/capsule/config.yaml");
  write_file(users, read_file(users) + "worktree: {contain: off}\n");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(read_file(mock("seen")), "from the library\n") << read_file(mock("status"));
}

TEST_F(InsideWalls, AProviderOfTheProjectsFileIsTheScriptThatItNames) {
  let_everybody_in();
  write_file(path("agents/agent.sh"),
             "cat >/dev/null; echo done >feature.txt\n"
             "echo '{\"status\":\"PASS\",\"feedback\":\"f\",\"files_changed\":[\"feature.txt\"],"
             "\"summary\":\"s\"}'\n");
  write_file(project() + "/.capsule/workflows/mine.yaml",
             "phases:\n  - {name: execute}\nend: nothing\n");
  configure("provider: mine\nproviders: {mine: {command: [sh, '" + path("agents/agent.sh") +
            "']}}\n");
  const Outcome outcome = command("run", {kBead, "--workflow=mine"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
}

class DeliveryInsideWalls : public DeliveryTest {
 protected:
  void SetUp() override {
    DeliveryTest::SetUp();
    inside_walls({"mock"});
  }
};

TEST_F(DeliveryInsideWalls, APlanIsDelivered) {
  write_plan({{"T-1"}, {"T-2"}});
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  expect_delivered({"T-1", "T-2"});
  EXPECT_FALSE(done.of("supply_contained").empty());
}

// Neither writes its task before the other listens, too.
TEST_F(DeliveryInsideWalls, TwoAgentsListenOnPort3000AtOnce) {
  write_file(path("home/.config/capsule/config.yaml"),
             "contain: {preset: strict, write: ['" + path("mock") + "']}\n");
  write_plan({{"T-1"}, {"T-2"}});
  for (const char* task : {"T-1", "T-2"})
    on("developer", task, 1,
       R"(perl -MIO::Socket::INET -e '
  my $s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 3000, Listen => 1) or die $!;
  my $m = shift; my $t = shift;
  open my $f, ">", "$m/listens.$t"; close $f;
  until (-e "$m/listens.T-1" && -e "$m/listens.T-2") { select undef, undef, undef, 0.02 }
  my $c = IO::Socket::INET->new("127.0.0.1:3000") or die $!;
  my $a = $s->accept; print $a "I am $t
"; close $a;
  open $f, ">", "$m/heard.$t"; print $f scalar <$c>;' "$M" "$T" && good)");
  const Delivered done = deliver({"--developers=2"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  expect_delivered({"T-1", "T-2"});
  for (const std::string task : {"T-1", "T-2"})
    EXPECT_EQ(read_file(path("mock/heard." + task)), "I am " + task + "\n");
}

TEST_F(DeliveryInsideWalls, OneThatWasKilledIsTakenUp) {
  write_plan({{"T-1"}, {"T-2"}});
  on("critic", "T-1", 1, kStay);
  on("critic", "T-1", 2, "good");
  (void)cut_off(SIGKILL);
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  expect_delivered({"T-1", "T-2"});
}

class AutoInsideWalls : public DemoProject {};

TEST_F(AutoInsideWalls, ATaskGoesThroughAllPhases) {
  make_project();
  auto_agent("echo \"$CAPSULE_PHASE\" >>'" + path("calls/phases") + "'\n");
  inside_walls({"calls"});
  const Outcome outcome = in({"auto", "run", "Say hello"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(git({"show", "main:greeting.txt"}).out, "hello\n");
  EXPECT_NE(read_file(path("calls/phases")), "");
  EXPECT_NE(outcome.out.find(kWalls), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace capsule::test
