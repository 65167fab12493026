// Input that is wrong, hostile or out of luck: a clear error, the documented exit code, nothing
// lost, and (by the fixture) no surviving process, a clean `git fsck` and an untouched checkout.
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/program/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

class BadInput : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
  }
  struct Row {
    const char* command;
    int exit_code;
  };
  static constexpr Row kCommands[] = {{"prep", 1}, {"run", 2}, {"merge", 2}};
  // All three commands refuse, with `text` in the message.
  void refused(const std::string& text, const std::string& bead = kBead) {
    for (const Row& row : kCommands) {
      SCOPED_TRACE(row.command);
      const Outcome outcome = command(row.command, {bead});
      EXPECT_EQ(outcome.exit_code, row.exit_code) << outcome.out << outcome.err;
      EXPECT_HAS(outcome.err, text);
      EXPECT_EQ(outcome.out, "");
    }
    EXPECT_TRUE(phases().empty());
  }
  // Through the binary and with beads behind the native store.
  bool full() const { return ::getenv("CAPSULE_TEST_FULL") != nullptr; }
};

TEST_F(BadInput, AnUnknownBead) {
  refused("demo-9", "demo-9");
  expect_untouched();
}

TEST_F(BadInput, IdsThatArePathsOrOptions) {
  for (const char* id : {"../x", "-rf", "..", ".", "/etc", "a/b", "a\nb", "$(touch x)", "a b"}) {
    SCOPED_TRACE(id);
    for (const Row& row : kCommands)
      for (const bool dashes : {false, true}) {
        std::vector<std::string> args;
        if (dashes) args.emplace_back("--");
        args.emplace_back(id);
        const Outcome outcome = command(row.command, args);
        EXPECT_EQ(outcome.exit_code, row.exit_code) << outcome.err;
        EXPECT_NE(outcome.err, "");
      }
  }
  EXPECT_FALSE(fs::exists(project() + "/.capsule"));
  expect_untouched();
}

TEST_F(BadInput, ADamagedLineOfTheBeadsIsNamedAndNotLost) {
  const std::string file = project() + "/.beads/issues.jsonl";
  const std::string damaged = read_file(file) + "{\"id\":\"demo-2\",\"title\":\n";
  write_file(file, damaged);
  refused("4");
  refused("issues.jsonl");
  EXPECT_EQ(read_file(file), damaged);
  expect_untouched();
}

TEST_F(BadInput, NoRepository) {
  fs::remove_all(project() + "/.git");
  has_repository_ = false;
  refused("not a git repository");
}

TEST_F(BadInput, NoFolder) {
  for (const Row& row : kCommands) {
    const Outcome outcome = command(row.command, {kBead, "--project-dir=/nonexistent/x"});
    EXPECT_EQ(outcome.exit_code, row.exit_code);
    EXPECT_HAS(outcome.err, "/nonexistent/x");
  }
}

TEST_F(BadInput, NoCommitsYet) {
  fs::remove_all(project() + "/.git");
  git({"init", "-q", "-b", "main"});
  announce({"?? README.md", "?? src/"});
  refused("no commits yet");
}

TEST_F(BadInput, ABareRepository) {
  const std::string bare = path("bare.git");
  git({"clone", "-q", "--bare", project(), bare});
  for (const Row& row : kCommands) {
    const Outcome outcome = command(row.command, {kBead, "--project-dir=" + bare});
    EXPECT_EQ(outcome.exit_code, row.exit_code);
    EXPECT_HAS(outcome.err, "bare repository");
  }
}

TEST_F(BadInput, APromptOrTemplateThatCannotBeReadIsFoundBeforeAnythingIsMade) {
  write_file(project() + "/.capsule/workflows/mine.yaml", "phases:\n  - name: dance\n");
  const Outcome missing = run_bead({"--workflow=mine"});
  EXPECT_EQ(missing.exit_code, 2) << missing.out;
  EXPECT_HAS(missing.err, "missing file prompts/dance.md");
  // The project's own one wins, whatever it is.
  fs::create_directories(project() + "/prompts/sign-off.md");
  const Outcome folder = run_bead();
  EXPECT_EQ(folder.exit_code, 2) << folder.out;
  EXPECT_HAS(folder.err, "prompts/sign-off.md");
  const Outcome phase = command("run-phase", {"sign-off", "."});
  EXPECT_EQ(phase.exit_code, 2);
  EXPECT_HAS(phase.err, "prompts/sign-off.md");

  fs::create_directories(project() + "/templates/worklog.md.template");
  const Outcome no_template = command("prep", {kBead});
  EXPECT_EQ(no_template.exit_code, 1) << no_template.out;
  EXPECT_HAS(no_template.err, "templates/worklog.md.template");
  EXPECT_TRUE(phases().empty());
  EXPECT_FALSE(fs::exists(worktree()));
}

TEST_F(BadInput, AMissingAgentIsNamedWithTheWayToGetOne) {
  fs::remove(path("bin/claude"));
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_HAS(outcome.err, "claude");
  EXPECT_HAS(outcome.err, "npm install -g @anthropic-ai/claude-code");
  EXPECT_HAS(outcome.err, "--provider=rehearsal");
  expect_untouched();
  const Outcome phase = command("run-phase", {"execute", "."});
  EXPECT_EQ(phase.exit_code, 2);
  EXPECT_HAS(phase.err, "--provider=rehearsal");
}

TEST_F(BadInput, AnAgentThatCannotBeExecutedIsRefusedToo) {
  fs::permissions(path("bin/claude"), fs::perms::owner_read);
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_HAS(outcome.err, "claude");
  expect_untouched();
}

TEST_F(BadInput, ADetachedHeadIsWhereTheWorkStarts) {
  git_out({"checkout", "-q", "--detach"});
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(git_out({"log", "-1", "--format=%s", "main"}), "Merge demo-1.1.1: Make it work");
  EXPECT_FALSE(fs::exists(project() + "/feature.txt")) << "a detached checkout does not move";
}

TEST_F(BadInput, AnotherBranchThanMainStaysCheckedOut) {
  git_out({"checkout", "-q", "-b", "topic"});
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(git_out({"symbolic-ref", "--short", "HEAD"}), "topic");
  EXPECT_FALSE(fs::exists(project() + "/feature.txt"));
}

TEST_F(BadInput, CommitsOfAnotherBranchDoNotSlipOntoMain) {
  git_out({"checkout", "-q", "-b", "topic"});
  commit_file("secret.txt", "not for main\n");
  const std::string before = main_head();
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.err, "topic has 1 commit that main has not");
  EXPECT_TRUE(phases().empty());
  EXPECT_EQ(main_head(), before);
  EXPECT_FALSE(is_closed());
}

TEST_F(BadInput, NeitherMainNorMaster) {
  git_out({"branch", "-m", "main", "trunk"});
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out + outcome.err, "main_branch");
  EXPECT_FALSE(is_closed());
  git_out({"branch", "-m", "trunk", "main"});
}

TEST_F(BadInput, MasterIsMainWhereThereIsNoMain) {
  git_out({"branch", "-m", "main", "master"});
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(git_out({"log", "-1", "--format=%s", "master"}), "Merge demo-1.1.1: Make it work");
}

TEST_F(BadInput, ADirtyCheckoutIsLeftAloneWhenNothingIsInTheWay) {
  write_file(project() + "/README.md", "edited\n");
  write_file(project() + "/new.txt", "mine\n");
  announce({" M README.md", "?? new.txt"});
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(read_file(project() + "/README.md"), "edited\n");
  EXPECT_EQ(read_file(project() + "/new.txt"), "mine\n");
  EXPECT_EQ(read_file(project() + "/feature.txt"), "done\n");
}

TEST_F(BadInput, AFileInTheWayStopsTheMergeAndStaysAsItIs) {
  write_file(project() + "/feature.txt", "mine\n");
  announce({"?? feature.txt"});
  const std::string before = main_head();
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "feature.txt");
  EXPECT_HAS(outcome.out, "capsule merge demo-1.1.1");
  EXPECT_EQ(main_head(), before);
  EXPECT_EQ(read_file(project() + "/feature.txt"), "mine\n");
  fs::remove(project() + "/feature.txt");
  announce({});
  on("merge", "say PASS 'committed before'");
  EXPECT_EQ(command("merge", {kBead}).exit_code, 0);
  EXPECT_TRUE(is_closed());
}

TEST_F(BadInput, AFolderInThePlaceOfTheWorktreeIsNeitherUsedNorRemoved) {
  configure("max_retries: 2\n");
  write_file(worktree() + "/mine.txt", "mine\n");
  const Outcome prep = command("prep", {kBead});
  EXPECT_EQ(prep.exit_code, 1);
  EXPECT_HAS(prep.err, "already exists");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_HAS(outcome.err, "already exists");
  EXPECT_EQ(read_file(worktree() + "/mine.txt"), "mine\n");
}

TEST_F(BadInput, ABranchLeftFromBeforeIsNotOverwritten) {
  git_out({"branch", "capsule-demo-1.1.1"});
  const Outcome prep = command("prep", {kBead});
  EXPECT_EQ(prep.exit_code, 1) << prep.out;
  EXPECT_HAS(prep.err, "already exists");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_HAS(outcome.out + outcome.err, "branch");
  EXPECT_HAS(outcome.out + outcome.err, "already exists");
  expect_untouched();
  EXPECT_EQ(git({"rev-parse", "-q", "--verify", "capsule-demo-1.1.1"}).exit_code, 0);
  // Once it is out of the way, the same command works.
  git_out({"branch", "-D", "capsule-demo-1.1.1"});
  EXPECT_EQ(run_bead().exit_code, 0);
}

TEST_F(BadInput, AWorktreeWhoseFolderWasDeletedDoesNotStopTheNextRun) {
  on("execute", 1, "say ERROR stuck");
  on("execute", 2, "pass");
  ASSERT_EQ(run_bead().exit_code, 2);
  fs::remove_all(worktree());
  const Outcome plain = run_bead();
  const Outcome clean = plain.exit_code == 0 ? plain : run_bead({"--clean"});
  EXPECT_EQ(clean.exit_code, 0) << plain.err << clean.out << clean.err;
}

TEST_F(BadInput, PathsWithNewlinesAndQuotes) {
  fs::remove_all(project());
  make_project(Way::binary, "a 'b'\n\"$(touch pwned)\" `x` ü");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_TRUE(is_closed());
  EXPECT_EQ(agent_calls().front().cwd, worktree());
  EXPECT_FALSE(fs::exists(path("pwned")));
}

TEST_F(BadInput, TitlesAreTextAndNothingElse) {
  const std::string title =
      "Fix $(touch pwned) `touch pwned` \"quoted\" 'single' {{TASK_ID}} %s \\n ü";
  set_beads({{kBead, title, "task", "open", "$(touch pwned) {{EPIC_ID}}", "`touch pwned`"}});
  ASSERT_EQ(run_bead().exit_code, 0);
  EXPECT_EQ(git_out({"log", "-1", "--format=%s", "main"}), "Merge demo-1.1.1: " + title);
  EXPECT_EQ(git_out({"log", "-1", "--format=%s", "main^2"}), "demo-1.1.1: " + title);
  EXPECT_EQ(agent_calls().back().env.at("CAPSULE_COMMIT_MSG"), "demo-1.1.1: " + title);
  const std::string worklog = read_file(archive() + "/worklog.md");
  EXPECT_HAS(worklog, title);
  EXPECT_HAS(worklog, "$(touch pwned) {{EPIC_ID}}");
  EXPECT_HAS(worklog, "`touch pwned`");
  EXPECT_FALSE(fs::exists(path("pwned")));
  EXPECT_FALSE(fs::exists(project() + "/pwned"));
}

TEST_F(BadInput, ATitleOfSeveralLinesCannotForgeATrailer) {
  set_beads({{kBead, "Work\n\nCapsule-Run: forged\nSigned-off-by: nobody"}});
  ASSERT_EQ(run_bead().exit_code, 0);
  const std::string trailer =
      git_out({"log", "-1", "--format=%(trailers:key=Capsule-Run,valueonly,separator=|)", "main"});
  EXPECT_EQ(trailer, agent_calls().front().env.at("CAPSULE_RUN"));
}

TEST_F(BadInput, FeedbackOf200KilobytesGoesInOnStdin) {
  on("test-review", 1,
     "x=$(printf '%0200000d' 0); printf "
     "'{\"status\":\"NEEDS_WORK\",\"feedback\":\"%s\",\"files_changed\":[],\"summary\":\"s\"}\\n' "
     "\"$x\"");
  on("test-review", 2, "pass");
  ASSERT_EQ(run_bead().exit_code, 0);
  const AgentCall second = agent_calls().at(2);
  ASSERT_EQ(second.phase, "test-writer");
  ASSERT_EQ(second.args.size(), 7U);
  EXPECT_EQ(second.args[0], "-p");
  EXPECT_EQ(second.args[5], "--resume");
  EXPECT_GT(second.input.size(), 200'000U);
  EXPECT_TRUE(second.input.ends_with("Address these issues:\n\n" + std::string(200'000, '0')));
}

TEST_F(BadInput, AnAgentThatPrintsVeryMuchIsReadWholeAndLoggedInPart) {
  // 2 GB in the full run.
  const std::uintmax_t megabytes = full() ? 2048 : 40;
  on("execute", "head -c " + std::to_string(megabytes) + "M /dev/zero | tr '\\0' x; echo; pass");
  const Outcome outcome = run_bead();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  std::uintmax_t largest = 0;
  for (const std::string& name : logs_in(archive()))
    largest = std::max(largest, fs::file_size(archive() + "/" + name));
  EXPECT_GE(largest, 32U << 20);
  EXPECT_LT(largest, 35U << 20);
}

TEST_F(BadInput, AnAgentThatNeverEndsIsEndedWithItsWholeTree) {
  env()["CAPSULE_PHASE_TIMEOUT"] = "1";
  on("execute",
     "echo started; (setsid sh -c 'trap \"\" TERM; sleep 300' &) ; sleep 300 & sleep 300");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_HAS(outcome.out, "timed out after 1 s");
  bool logged = false;
  for (const std::string& name : logs_in(worktree() + "/.capsule/output"))
    logged |= read_file(worktree() + "/.capsule/output/" + name) == "started\n";
  EXPECT_TRUE(logged);
}

TEST_F(BadInput, AnAgentThatDestroysItsWorktreeLosesNoFinishedWork) {
  on("execute", "rm -rf .git tests; say PASS gone");
  const Outcome outcome = run_bead();
  EXPECT_NE(outcome.exit_code, 0);
  const auto refs = lines_of(git_out({"for-each-ref", "--format=%(refname)", "refs/capsule"}));
  bool kept = false;
  for (const std::string& ref : refs)
    kept |= git({"cat-file", "-e", ref + ":tests/feature_test.sh"}).exit_code == 0;
  EXPECT_TRUE(kept) << join(refs);
}

TEST_F(BadInput, AnAgentThatRemovesItsWholeFolderEndsTheRunWithAnError) {
  on("execute", "rm -rf \"$CAPSULE_WORKTREE\"; say PASS gone");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_FALSE(is_closed());
}

TEST_F(BadInput, WhatAnAgentPlantsInItsOutputFolderReplacesNothingAndLeadsNowhere) {
  write_file(path("secret"), "secret\n");
  on("execute",
     "echo forged >.capsule/output/worklog.md; echo forged >.capsule/output/run-id; "
     "ln -s '" +
         path("secret") +
         "' .capsule/output/link.log; mkfifo .capsule/output/fifo.log; "
         "mkdir .capsule/output/folder.log; pass");
  const Outcome outcome = run_bead();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_HAS(read_file(archive() + "/worklog.md"), "Make it work");
  EXPECT_NE(read_file(archive() + "/run-id"), "forged\n");
  EXPECT_FALSE(fs::exists(archive() + "/link.log"));
  EXPECT_FALSE(fs::exists(archive() + "/fifo.log"));
}

TEST_F(BadInput, AWorklogThatBecameALinkIsNotFollowed) {
  write_file(path("victim"), "untouched\n");
  on("test-writer", "rm worklog.md; ln -s '" + path("victim") + "' worklog.md; pass");
  const Outcome outcome = run_bead();
  EXPECT_EQ(read_file(path("victim")), "untouched\n") << outcome.out;
}

TEST_F(BadInput, HostileOutputCannotSteerTheTerminal) {
  on("execute", "work; say ERROR '\\u001b[2J\\u001b]0;owned\\u0007 \\u0000 end'");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(outcome.out.find('\x07'), std::string::npos);
  EXPECT_HAS(outcome.out, "end");
}

TEST_F(BadInput, AnAgentThatPrintsNothingIsAnErrorThatKeepsTheWork) {
  on("test-writer", "exit 0");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.out.find("No signal JSON found"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("last line"), std::string::npos) << outcome.out;
}

TEST_F(BadInput, AnAgentThatEndsWithoutASignalIsQuoted) {
  on("test-writer", "echo working; printf 'Invalid key \\033[2J run /login\\n\\n'; exit 1");
  const std::string quoted = "the agent's last line: Invalid key \\x1b[2J run /login";
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.out.find(quoted), std::string::npos) << outcome.out;
  const Outcome status = command("status", {kBead});
  EXPECT_NE(status.out.find(quoted), std::string::npos) << status.out;
}

TEST_F(BadInput, AFullDiskIsAnErrorFromWhichTheRunGoesOn) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to mount a small file system";
  const std::string disk = path("disk");
  fs::create_directories(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=6m") != 0)
    GTEST_SKIP() << "cannot mount a small file system here";
  fs::remove_all(project());
  make_project(Way::binary, "disk/project");
  on("execute", 1, "head -c 20M /dev/zero | tr '\\0' x; pass");
  on("execute", 2, "pass");
  const Outcome full = run_bead();
  EXPECT_EQ(full.exit_code, 2) << full.out << full.err;
  const std::string said = full.out + full.err;
  EXPECT_TRUE(said.find("No space left on device") != said.npos ||
              said.find("the disk is full") != said.npos)
      << said;
  EXPECT_TRUE(fs::exists(worktree() + "/tests/feature_test.sh"));
  // Space is made; the same run goes on.
  for (const auto& entry : fs::directory_iterator(worktree() + "/.capsule/output"))
    if (fs::file_size(entry.path()) > 1 << 20) fs::resize_file(entry.path(), 0);
  Outcome again = run_bead();
  if (again.exit_code != 0) again = run_bead({"--resume"});
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
  EXPECT_TRUE(is_closed());
  has_repository_ = false;
  EXPECT_EQ(git({"fsck", "--strict"}).exit_code, 0);
  ::umount2(disk.c_str(), MNT_DETACH);
}

}  // namespace
}  // namespace capsule::test
