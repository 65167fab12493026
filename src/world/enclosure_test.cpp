#include "world/enclosure.h"

#include "git/refs.h"
#include "git/test_support.h"
#include "process/command.h"
#include "world/private_home.h"

namespace capsule::world {
namespace {

namespace fs = std::filesystem;
using Strings = std::vector<std::string>;

// Commands in the place of agents, inside real walls.
class EnclosureTest : public git::GitTest {
 protected:
  void SetUp() override {
    GitTest::SetUp();
    write(project_ + "/CLAUDE.md", "of the base\n");
    write(project_ + "/.gitignore", "*.pyc\n");
    write(project_ + "/.claude/agents/one.md", "one\n");
    commit(project_, {"CLAUDE.md", ".gitignore", ".claude"}, "Instructions");
    write(project_ + "/.capsule/journal.db", "CANARY-JOURNAL");
    write(home_ + "/.ssh/id", "CANARY-KEY");
    write(home_ + "/.claude/.credentials.json", "the login\n");
    write(home_ + "/.claude/settings.json", "CANARY-SETTINGS");
    repository_ = open();
    instructions_.emplace(repository_);
    worktree_ = make_worktree(repository_);
    make_worktree(repository_, "bead-2");
    occupant_.folder = worktree_.path;
    write(worktree_.path + "/worklog.md", "# Worklog\n");
    auto loop = process::Loop::create({.guardian = CAPSULE_BINARY});
    ASSERT_TRUE(loop);
    loop_ = std::move(*loop);
  }

  // Starts it, lets it end, and takes over what it left.
  Released agent(contain::Role role, const std::string& script,
                 const std::string& name = "review") {
    wish_ = contain::Wish{.role = role, .folder = occupant_.folder, .home = home_};
    wish_.search = "/usr/bin:/bin";
    occupant_.role = name;
    occupant_.client = agent::client_named(client_);
    auto made = Enclosure::make(repository_, occupant_, *instructions_, wish_);
    EXPECT_TRUE(made) << made.error().message;
    if (!made) return {};
    auto output =
        process::run_tree(*loop_, {.argv = {"sh", "-c", script},
                                   .cwd = occupant_.folder,
                                   .env = {{"P", project_}, {"H", home_}, {"V", root_ + "/victim"}},
                                   .walls = wish_});
    EXPECT_TRUE(output) << output.error().message;
    if (!output) return {};
    output_ = *output;
    auto released = made->release();
    EXPECT_TRUE(released) << released.error().message;
    return released.value_or(Released());
  }
  Released writer(const std::string& script) { return agent(contain::Role::writer, script); }
  Released reviewer(const std::string& script) { return agent(contain::Role::reviewer, script); }

  bool leaves_nothing() const { return fs::is_empty(project_ + "/.capsule/tmp"); }

  git::Repository repository_;
  std::optional<Instructions> instructions_;
  git::Worktree worktree_;
  std::unique_ptr<process::Loop> loop_;
  contain::Wish wish_;
  process::Output output_;
  Occupant occupant_;
  std::string client_ = "claude";
};

TEST_F(EnclosureTest, AWriterCommitsAndItsBranchHasIt) {
  const Released released = writer(
      "set -e; echo 'int a;' >a.c; git add a.c; git commit -qm 'Add a'; git log --format=%s main; "
      "git stash list; git status --short; git rev-parse HEAD >head.txt");
  EXPECT_EQ(output_.exit_code, 0) << output_.err;
  EXPECT_EQ(output_.out, "Instructions\nStart\n?? worklog.md\n");
  EXPECT_TRUE(released.odd.empty());
  const std::string tip = git::read_ref(repository_, worktree_.branch);
  EXPECT_EQ(tip, trimmed(read(worktree_.path + "/head.txt")));
  EXPECT_EQ(git(worktree_.path, {"log", "--format=%s %an", "-1"}), "Add a A User");
  EXPECT_EQ(git(worktree_.path, {"status", "--short"}), "?? head.txt\n?? worklog.md");
  EXPECT_TRUE(leaves_nothing());
}

TEST_F(EnclosureTest, AWriterFindsNothingElseOfTheUser) {
  writer(
      "cat \"$H/.ssh/id\" \"$P/.capsule/journal.db\" ~/.claude/settings.json; ls -A \"$P\"; "
      "ls \"$P/.capsule\" \"$P/.capsule/worktrees\"; git for-each-ref --format='%(refname)'; "
      "ls .. \"$P/.git\"");
  EXPECT_NE(output_.out.find("borrowed"), std::string::npos) << "it looked in the right places";
  EXPECT_EQ((output_.out + output_.err).find("CANARY"), std::string::npos);
  EXPECT_EQ(output_.out.find("README"), std::string::npos) << output_.out;
  EXPECT_EQ(output_.out.find("bead-2"), std::string::npos) << output_.out;
}

TEST_F(EnclosureTest, AWriterMovesNothingButItsBranch) {
  const std::string refs = git(project_, {"for-each-ref"});
  const std::string config = read(project_ + "/.git/config");
  writer(
      "git update-ref refs/heads/main $(git commit-tree -m evil HEAD^{tree}); "
      "rm -rf \"$P\"/.git/borrowed/* \"$P/.git/objects\"; git config core.fsmonitor evil; "
      "mkdir \"$P/.git/hooks\"; echo evil >\"$P/.git/hooks/post-checkout\"; "
      "echo 'gitdir: /tmp' >.git; rm -f .git; mv .git x; echo done >done");
  EXPECT_EQ(read(worktree_.path + "/done"), "done\n");
  EXPECT_EQ(git(project_, {"for-each-ref"}), refs);
  EXPECT_EQ(read(project_ + "/.git/config"), config);
  EXPECT_FALSE(fs::exists(project_ + "/.git/hooks/post-checkout"));
  EXPECT_EQ(git(worktree_.path, {"status", "--short"}), "?? done\n?? worklog.md");
}

TEST_F(EnclosureTest, CommitsThatCannotBeTakenOverAreToldAndTheFilesStay) {
  const Released released = writer(
      "echo x >file; echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa "
      ">\"$P/.git/refs/heads/capsule-bead-1\"");
  ASSERT_EQ(released.odd.size(), 1U) << output_.err;
  EXPECT_NE(released.odd.front().find("cannot be taken over"), std::string::npos);
  EXPECT_EQ(git::read_ref(repository_, worktree_.branch), worktree_.base);
  EXPECT_EQ(read(worktree_.path + "/file"), "x\n");
}

TEST_F(EnclosureTest, WhatAReviewerChangesVanishesAndIsListed) {
  const Released released = reviewer(
      "set -e; echo hacked >src/main.c; rm README; mkdir new; echo x >new/file; "
      "echo x >cache.pyc; echo '## Review' >>worklog.md; git add -A; git commit -qm x; "
      "git update-ref refs/heads/main HEAD");
  EXPECT_EQ(output_.exit_code, 0) << output_.err;
  EXPECT_EQ(released.tried, (Strings{"README", "new/file", "src/main.c"}));
  EXPECT_EQ(read(worktree_.path + "/worklog.md"), "# Worklog\n## Review\n");
  EXPECT_EQ(git(worktree_.path, {"status", "--short"}), "?? worklog.md");
  EXPECT_EQ(git::read_ref(repository_, worktree_.branch), worktree_.base);
  EXPECT_EQ(git(project_, {"rev-parse", "main"}), repository_.head);
  EXPECT_TRUE(leaves_nothing());
}

TEST_F(EnclosureTest, AWorklogThatIsNoFileIsNotTakenOver) {
  write(home_ + "/secret", "CANARY");
  EXPECT_EQ(reviewer("rm worklog.md; ln -s \"$H/secret\" worklog.md").tried,
            (Strings{"worklog.md"}));
  EXPECT_EQ(reviewer("rm worklog.md; mkfifo worklog.md").tried, (Strings{"worklog.md"}));
  EXPECT_EQ(reviewer("rm worklog.md").tried, (Strings{"worklog.md"}));
  EXPECT_EQ(read(worktree_.path + "/worklog.md"), "# Worklog\n");
  occupant_.leaves_worklog = false;
  EXPECT_TRUE(reviewer("echo more >>worklog.md").tried.empty());
  EXPECT_EQ(read(worktree_.path + "/worklog.md"), "# Worklog\n");
}

TEST_F(EnclosureTest, AReviewerIsInstructedByTheBaseAndNotByTheWriter) {
  occupant_.base = worktree_.base;
  writer(
      "echo PLANTED >CLAUDE.md; echo PLANTED >AGENTS.md; echo PLANTED >.claude/settings.json; "
      "echo PLANTED >.claude/agents/one.md; mkdir -p src/.claude .codex; "
      "echo PLANTED >src/CLAUDE.md; echo PLANTED >src/.claude/settings.json; "
      "echo PLANTED >.codex/config.toml; ln -s src .opencode; echo PLANTED >.mcp.json");
  ASSERT_EQ(read(worktree_.path + "/.claude/settings.json"), "PLANTED\n");
  const Released released = reviewer(
      "cat CLAUDE.md .claude/agents/one.md; grep -rs PLANTED . ; ls -A . .claude src; "
      "echo mine >AGENTS.md");
  EXPECT_EQ(output_.out.find("PLANTED"), std::string::npos) << output_.out;
  EXPECT_EQ(output_.out.rfind("of the base\none\n", 0), 0U) << output_.out;
  for (const char* name : {"AGENTS.md", "settings.json", ".codex", ".opencode", ".mcp.json"})
    EXPECT_EQ(output_.out.find(name), std::string::npos) << output_.out;
  EXPECT_EQ(released.tried, (Strings{"AGENTS.md"}));
  EXPECT_EQ(read(worktree_.path + "/CLAUDE.md"), "PLANTED\n") << "the work itself is as it was";
}

TEST_F(EnclosureTest, InstructionsThatTheWriterRemovedAreThere) {
  occupant_.base = worktree_.base;
  writer("rm -r CLAUDE.md .claude");
  reviewer("cat CLAUDE.md .claude/agents/one.md");
  EXPECT_EQ(output_.out, "of the base\none\n") << output_.err;
}

TEST_F(EnclosureTest, WritersKeepAHomeAndReviewersHaveTheirOwn) {
  writer(
      "mkdir -p ~/.claude/projects; echo session >~/.claude/projects/s; cat "
      "~/.claude/.credentials.json; ls -A ~/.claude");
  EXPECT_EQ(output_.out, "the login\n.credentials.json\nprojects\n");
  writer("cat ~/.claude/projects/s");
  EXPECT_EQ(output_.out, "session\n");
  reviewer("ls -A ~/.claude; echo x >~/mine");
  EXPECT_EQ(output_.out, ".credentials.json\n");
  agent(contain::Role::reviewer, "ls -A ~", "another");
  EXPECT_EQ(output_.out.find("mine"), std::string::npos) << output_.out;
  EXPECT_EQ(read(home_ + "/.claude/.credentials.json"), "the login\n");
  EXPECT_FALSE(fs::exists(home_ + "/mine"));
  remove_homes(project_, "bead-1");
  EXPECT_FALSE(fs::exists(project_ + "/.capsule/homes"));
}

// What a reviewer runs, a writer wrote: a test in place of the agent's own words.
TEST_F(EnclosureTest, WhatIsPlantedInAReviewersHomeMeetsNoReviewerAfterIt) {
  const std::string plants =
      "mkdir -p ~/.claude/projects/p; echo PLANTED >~/.claude/settings.json; "
      "echo PLANTED >~/.claude/CLAUDE.md; echo PLANTED >~/.bashrc; echo old "
      ">~/.claude/projects/p/s";
  const std::string looks = "cat ~/.claude/projects/p/s; grep -rs PLANTED ~; ls -A ~ ~/.claude";
  reviewer(plants);
  reviewer(looks);
  EXPECT_EQ(output_.out.find("PLANTED"), std::string::npos) << output_.out;
  for (const std::string& folder : {worktree_.path, project_}) {
    occupant_.folder = folder;
    occupant_.session = "11111111-2222-4333-8444-555555555555";
    occupant_.resumes = false;
    reviewer(plants);
    occupant_.session = "99999999-2222-4333-8444-555555555555";
    reviewer(looks);
    EXPECT_EQ(output_.out.find("PLANTED"), std::string::npos) << output_.out;
    EXPECT_EQ(output_.out.find("old"), std::string::npos) << output_.out;
  }
}

TEST_F(EnclosureTest, AReviewerThatGoesOnHasItsSessionAndNothingElse) {
  occupant_.session = "11111111-2222-4333-8444-555555555555";
  const std::string plants =
      "mkdir -p ~/.claude/projects/p; echo PLANTED >~/.claude/settings.json; "
      "echo old >~/.claude/projects/p/s; ls -A ~/.claude";
  reviewer(plants);
  const std::string home =
      project_ + "/.capsule/homes/bead-1/session-11111111-2222-4333-8444-555555555555";
  EXPECT_FALSE(fs::exists(home + "/.claude/settings.json"));
  EXPECT_FALSE(fs::exists(home + "/.claude/.credentials.json")) << "nor does a login lie about";
  write(home + "/.claude/settings.json", "PLANTED by one whose end nobody saw\n");
  occupant_.resumes = true;
  reviewer("cat ~/.claude/projects/p/s; ls -A ~ ~/.claude");
  EXPECT_EQ(output_.out.substr(0, 4), "old\n") << output_.err;
  EXPECT_EQ(output_.out.find("settings.json"), std::string::npos) << output_.out;
  EXPECT_NE(output_.out.find(".credentials.json"), std::string::npos) << output_.out;
  fs::create_directories(root_ + "/victim/projects");
  reviewer("rm -r ~/.claude; ln -s \"$V\" ~/.claude");
  reviewer("ls -A ~/.claude");
  EXPECT_EQ(output_.out, ".credentials.json\n");
  EXPECT_TRUE(fs::exists(root_ + "/victim/projects"));
}

TEST_F(EnclosureTest, SessionsInTheCheckoutThatAreOldGoWithASweep) {
  const std::string homes = project_ + "/.capsule/homes/.checkout/";
  for (const char* name : {"writer", "review-old", "review-new"}) {
    write(homes + name + "/file", "x");
    if (std::string(name) != "review-new")
      fs::last_write_time(homes + name,
                          fs::file_time_type::clock::now() - std::chrono::hours(24 * 30));
  }
  sweep_homes(project_);
  EXPECT_TRUE(fs::exists(homes + "writer"));
  EXPECT_TRUE(fs::exists(homes + "review-new"));
  EXPECT_FALSE(fs::exists(homes + "review-old"));
}

TEST_F(EnclosureTest, ALoginThatWasRenewedInsideStaysUntilTheUsersIsNewer) {
  client_ = "gemini";
  write(home_ + "/.gemini/oauth_creds.json", "the login\n");
  writer("echo renewed >~/.gemini/oauth_creds.json");
  writer("cat ~/.gemini/oauth_creds.json");
  EXPECT_EQ(output_.out, "renewed\n");
  EXPECT_EQ(read(home_ + "/.gemini/oauth_creds.json"), "the login\n") << "never written back";
  write(home_ + "/.gemini/oauth_creds.json", "a new login\n");
  fs::last_write_time(home_ + "/.gemini/oauth_creds.json",
                      fs::file_time_type::clock::now() + std::chrono::hours(1));
  writer("cat ~/.gemini/oauth_creds.json");
  EXPECT_EQ(output_.out, "a new login\n");
}

// A service that takes it once gives a new one for it, and the user's would be void.
TEST_F(EnclosureTest, WhatRenewsALoginStaysOutsideAndTheRestIsTheUsersEachTime) {
  write(home_ + "/.claude/.credentials.json",
        R"({"claudeAiOauth": {"accessToken": "a", "refreshToken": "r", "expiresAt": 12}, "x": 1})");
  const std::string inside =
      R"({"claudeAiOauth":{"accessToken":"a","refreshToken":"","expiresAt":12},"x":1})";
  writer("cat ~/.claude/.credentials.json; echo '{}' >~/.claude/.credentials.json");
  EXPECT_EQ(output_.out, inside);
  writer("cat ~/.claude/.credentials.json");
  EXPECT_EQ(output_.out, inside) << "of a login that ends, the newest is the user's";
  reviewer("cat ~/.claude/.credentials.json");
  EXPECT_EQ(output_.out, inside);
  client_ = "codex";
  write(home_ + "/.codex/auth.json", R"({"tokens": {"access_token": "a", "refresh_token": "r"}})");
  writer("cat ~/.codex/auth.json");
  EXPECT_EQ(output_.out, R"({"tokens":{"access_token":"a","refresh_token":""}})");
  for (const char* other : {R"({"OPENAI_API_KEY":"k","tokens":null})", R"({"tokens":[]})", "[1]"}) {
    write(home_ + "/.codex/auth.json", other);
    writer("cat ~/.codex/auth.json");
    EXPECT_EQ(output_.out, other) << "nothing there renews anything";
  }
}

TEST_F(EnclosureTest, AKeyThatStaysOutsideIsInNoFileInside) {
  contain::Wish wish{.folder = occupant_.folder, .home = home_};
  wish.broker.emplace();
  occupant_.client = agent::client_named("claude");
  ASSERT_TRUE(Enclosure::make(repository_, occupant_, *instructions_, wish));
  EXPECT_FALSE(fs::exists(wish.private_home + "/.claude"));
  wish = {.folder = occupant_.folder, .home = home_};
  ASSERT_TRUE(Enclosure::make(repository_, occupant_, *instructions_, wish));
  EXPECT_TRUE(fs::exists(wish.private_home + "/.claude/.credentials.json"));
}

TEST_F(EnclosureTest, ALinkInAHomeLeadsNowhere) {
  fs::create_directories(root_ + "/victim");
  writer("rm -r ~/.claude; ln -s \"$V\" ~/.claude");
  writer("ls -A ~");
  EXPECT_TRUE(fs::is_empty(root_ + "/victim"));
  writer("rm -r ~/.claude/.credentials.json; ln -s \"$V/file\" ~/.claude/.credentials.json");
  writer("cat ~/.claude/.credentials.json");
  EXPECT_EQ(output_.out, "the login\n");
  EXPECT_TRUE(fs::is_empty(root_ + "/victim"));
}

TEST_F(EnclosureTest, TheCheckoutItselfCanBeWorkedInWithoutCapsulesOwnFiles) {
  occupant_.folder = project_;
  writer("ls -A .capsule; echo x >a; git add a; git commit -qm 'In place'");
  EXPECT_EQ(output_.out, "") << output_.err;
  EXPECT_EQ(git(project_, {"log", "--format=%s", "-1", "main"}), "In place");
  EXPECT_EQ(git(project_, {"status", "--short"}), "");
  const Released released = reviewer("ls -A .capsule; rm README; git status --short");
  EXPECT_EQ(output_.out, " D README\n") << output_.err;
  EXPECT_TRUE(fs::exists(project_ + "/README"));
}

TEST_F(EnclosureTest, HomesGoWithTheirTrees) {
  writer("true");
  write(project_ + "/.capsule/homes/gone/writer/file", "x");
  sweep_homes(project_);
  EXPECT_TRUE(fs::exists(project_ + "/.capsule/homes/bead-1"));
  EXPECT_FALSE(fs::exists(project_ + "/.capsule/homes/gone"));
}

TEST_F(EnclosureTest, WhatCopilotTakesFromGithubIsOfTheBaseAndTheRestIsTheWriters) {
  occupant_.base = worktree_.base;
  writer(
      "mkdir -p .github/instructions .github/hooks .github/workflows; "
      "for f in .github/instructions/a.instructions.md .github/hooks/h.json "
      ".github/copilot-instructions.md; do echo PLANTED >$f; done; "
      "echo work >.github/workflows/ci.yml");
  reviewer("grep -rs PLANTED .; cat .github/workflows/ci.yml");
  EXPECT_EQ(output_.out, "work\n");
  writer("mv .github named; ln -s named .github");
  reviewer("cat .github/hooks/h.json; ls -A .github; echo seen");
  EXPECT_EQ(output_.out, "seen\n");
}

TEST_F(EnclosureTest, VariablesInAFileAreOfTheBaseForClientsThatTakeThem) {
  occupant_.base = worktree_.base;
  writer("echo GOOGLE_GEMINI_BASE_URL=PLANTED >.env");
  reviewer("cat .env");
  EXPECT_EQ(output_.out, "GOOGLE_GEMINI_BASE_URL=PLANTED\n") << "claude takes none of it";
  client_ = "gemini";
  reviewer("cat .env; echo seen");
  EXPECT_EQ(output_.out, "seen\n");
}

TEST_F(EnclosureTest, HooksOfTheWorktreeDoNotRunWhenAReviewerCommits) {
  git(project_, {"config", "core.hooksPath", ".husky"});
  repository_ = open();
  writer("mkdir .husky; printf '#!/bin/sh\necho RAN\n' >.husky/pre-commit; chmod +x .husky/*");
  const std::string commits = "echo x >x; git add x; git commit -m x; git log -1 --format=%s";
  writer(commits);
  EXPECT_NE((output_.out + output_.err).find("RAN"), std::string::npos) << output_.err;
  reviewer("echo y >y; git add y; git commit -qm y; git log -1 --format=%s");
  EXPECT_EQ((output_.out + output_.err).find("RAN"), std::string::npos);
  EXPECT_EQ(output_.out, "y\n") << output_.err;
}

TEST(Instructions, AreFoundAtAnyDepthByTheirWholeNames) {
  EXPECT_EQ(instruction_in("CLAUDE.md"), "CLAUDE.md");
  EXPECT_EQ(instruction_in("a/.claude/hooks/x.sh"), "a/.claude");
  EXPECT_EQ(instruction_in("a/.github/hooks/h.json"), "a/.github/hooks");
  EXPECT_EQ(instruction_in("hooks/.github/workflows/ci.yml"), "");
  EXPECT_EQ(instruction_in("agents/.env"), "");
  EXPECT_EQ(instruction_in("agents/.env", DotEnv::instructs), "agents/.env");
  EXPECT_EQ(instruction_in("docs/agents.md"), "");
  EXPECT_EQ(instruction_in("NOTCLAUDE.md"), "");
  EXPECT_EQ(instruction_in(""), "");
}

}  // namespace
}  // namespace capsule::world
