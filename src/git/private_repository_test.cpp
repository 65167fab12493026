#include "git/private_repository.h"

#include "git/import_commits.h"
#include "git/pin.h"
#include "git/refs.h"
#include "git/test_support.h"

namespace capsule::git {
namespace {

namespace fs = std::filesystem;

// An agent that sees its private repository; the mounts are imitated by variables and a link.
class PrivateRepositoryTest : public GitTest {
 protected:
  void SetUp() override {
    GitTest::SetUp();
    git(project_, {"branch", "other"});
    git(project_, {"tag", "v1"});
    git(project_, {"update-ref", "refs/capsule/run/1-x", "HEAD"});
    git(project_, {"update-ref", "refs/remotes/origin/main", "HEAD"});
    repository_ = open();
    worktree_ = make_worktree(repository_);
    begin();
  }
  void begin() {
    folder_ = root_ + "/private" + std::to_string(++count_);
    auto made = make_private_repository(repository_, worktree_.path, folder_, "refs/heads/main");
    ASSERT_TRUE(made) << made.error().message;
    private_ = *made;
    fs::remove(folder_ + "/borrowed");
    fs::create_directory_symlink(private_.seen.front().source, folder_ + "/borrowed");
  }
  process::Output agent(std::vector<std::string> args) const {
    args.insert(args.begin(),
                {"env", "GIT_DIR=" + folder_ + "/" + private_.record, "GIT_COMMON_DIR=" + folder_,
                 "GIT_WORK_TREE=" + worktree_.path, "GIT_CONFIG_GLOBAL=/dev/null", "git"});
    auto output = process::run({.argv = args, .cwd = worktree_.path});
    EXPECT_TRUE(output);
    return output.value_or(process::Output{});
  }
  std::string agent_git(const std::vector<std::string>& args) const {
    const process::Output output = agent(args);
    EXPECT_EQ(output.exit_code, 0) << args.front() << ": " << output.err;
    return std::string(trimmed(output.out));
  }
  std::string agent_commits(const std::string& file, const std::string& text) const {
    write(worktree_.path + "/" + file, text);
    agent_git({"add", file});
    agent_git({"commit", "-q", "-m", "Change " + file});
    return agent_git({"rev-parse", "HEAD"});
  }
  Result<Imported> import(const ImportLimits& limits = {}) const {
    return import_commits(repository_, worktree_.path, private_, "refs/heads/main", limits);
  }
  bool moves() const {
    const auto imported = import();
    EXPECT_TRUE(imported) << imported.error().message;
    return imported && imported->moved;
  }
  // It was refused, and nothing of the project has changed.
  void expect_refused(const ImportLimits& limits = {}) const {
    const auto imported = import(limits);
    ASSERT_FALSE(imported);
    EXPECT_EQ(imported.error().reason, Reason::refused) << imported.error().message;
    EXPECT_EQ(read_ref(repository_, worktree_.branch), worktree_.base);
    expect_no_spare_files();
  }
  void expect_no_spare_files() const {
    const std::string spare = repository_.common_dir + "/capsule/spare";
    EXPECT_TRUE(!fs::exists(spare) || fs::is_empty(spare));
  }
  std::string objects() const { return folder_ + "/objects"; }
  // Any object, by hand, as git would store it.
  std::string store(const std::string& type, const std::string& bytes) const {
    write(root_ + "/bytes", bytes);
    return agent_git({"hash-object", "-w", "-t", type, "--literally", root_ + "/bytes"});
  }
  std::string commit_of(const std::string& tree) const {
    return store("commit", "tree " + tree + "\nparent " + worktree_.base +
                               "\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx\n");
  }
  static std::string entry(const std::string& mode, const std::string& name,
                           const std::string& id) {
    std::string bytes = mode + " " + name + '\0';
    for (std::size_t i = 0; i < id.size(); i += 2)
      bytes += static_cast<char>(std::stoi(id.substr(i, 2), nullptr, 16));
    return bytes;
  }
  void point_branch_at(const std::string& text) const {
    write(folder_ + "/" + private_.branch, text + "\n");
  }

  Repository repository_;
  Worktree worktree_;
  PrivateRepository private_;
  std::string folder_;
  int count_ = 0;
};

TEST_F(PrivateRepositoryTest, ShowsMainTagsAndItsOwnBranchAndNothingElse) {
  EXPECT_EQ(agent_git({"for-each-ref", "--format=%(refname)"}),
            "refs/heads/capsule-bead-1\nrefs/heads/main\nrefs/remotes/origin/main\nrefs/tags/v1");
  EXPECT_EQ(agent_git({"log", "--format=%s", "main"}), "Start");
  EXPECT_EQ(agent_git({"status", "--short"}), "");
  EXPECT_EQ(agent_git({"symbolic-ref", "HEAD"}), "refs/heads/capsule-bead-1");
  EXPECT_EQ(agent_git({"config", "user.name"}), "A User");
  write(worktree_.path + "/README", "changed\n");
  EXPECT_EQ(agent_git({"diff", "--name-only"}), "README");
}

TEST_F(PrivateRepositoryTest, CommitsBranchesAndStashesWorkAndTheProjectDoesNotMove) {
  agent_commits("a.c", "int a;\n");
  write(worktree_.path + "/a.c", "int b;\n");
  agent_git({"stash"});
  EXPECT_EQ(read(worktree_.path + "/a.c"), "int a;\n");
  agent_git({"stash", "pop"});
  agent_git({"checkout", "-q", "-b", "mine"});
  agent_git({"update-ref", "refs/heads/main", "HEAD"});
  EXPECT_EQ(read_ref(repository_, "refs/heads/main"), repository_.head);
  EXPECT_EQ(read_ref(repository_, worktree_.branch), worktree_.base);
  EXPECT_EQ(git_code(project_, {"rev-parse", "-q", "--verify", "refs/heads/mine"}), 1);
  EXPECT_EQ(git_code(project_, {"rev-parse", "-q", "--verify", "refs/stash"}), 1);
}

TEST_F(PrivateRepositoryTest, WhatWasCommittedIsOnTheBranchAndTheWorktreeIsAnOrdinaryOne) {
  agent_commits("a.c", "int a;\n");
  const std::string tip = agent_commits("src/main.c", "int changed;\n");
  const Imported imported = MUST(import());
  EXPECT_TRUE(imported.moved);
  EXPECT_TRUE(imported.odd.empty());
  EXPECT_EQ(imported.tip, tip);
  fs::remove_all(folder_);
  EXPECT_EQ(worktree_head(repository_, worktree_.path), tip);
  EXPECT_EQ(git(worktree_.path, {"status", "--short"}), "");
  EXPECT_EQ(git(worktree_.path, {"log", "--format=%an", "-1"}), "A User");
  EXPECT_EQ(git(project_, {"fsck", "--strict", "--no-dangling"}), "");
  EXPECT_TRUE(MUST(pin_worktree(repository_, worktree_.path, "capsule-bead-1", "")).empty());
  expect_no_spare_files();
}

TEST_F(PrivateRepositoryTest, NothingNewCostsNothing) {
  write(worktree_.path + "/a.c", "int a;\n");
  agent_git({"add", "a.c"});
  const Imported imported = MUST(import());
  EXPECT_FALSE(imported.moved);
  EXPECT_EQ(git(worktree_.path, {"status", "--short"}), "?? a.c") << "it is not staged any more";
}

TEST_F(PrivateRepositoryTest, TheNextAgentGoesOnWhereTheLastOneStopped) {
  const std::string tip = agent_commits("a.c", "int a;\n");
  MUST(import());
  begin();
  EXPECT_EQ(agent_git({"rev-parse", "HEAD"}), tip);
  EXPECT_EQ(agent_git({"status", "--short"}), "");
  const std::string next = agent_commits("b.c", "int b;\n");
  EXPECT_EQ(MUST(import()).tip, next);
  EXPECT_EQ(git(project_, {"rev-list", "--count", "main.." + next}), "2");
}

TEST_F(PrivateRepositoryTest, PackedRefsAndObjectsAreTakenOverToo) {
  const std::string tip = agent_commits("a.c", "int a;\n");
  agent_git({"gc", "-q"});
  EXPECT_FALSE(fs::exists(folder_ + "/" + private_.branch));
  EXPECT_EQ(MUST(import()).tip, tip);
}

TEST_F(PrivateRepositoryTest, CommitsOnAnotherBranchInFrontAreTheBranchs) {
  agent_git({"checkout", "-q", "--detach"});
  const std::string tip = agent_commits("a.c", "int a;\n");
  const Imported imported = MUST(import());
  EXPECT_EQ(imported.tip, tip);
  EXPECT_EQ(imported.odd.size(), 1U);
  begin();
  agent_git({"checkout", "-q", "-b", "mine", "main"});
  agent_commits("b.c", "int b;\n");
  EXPECT_FALSE(MUST(import()).moved) << "it is not in front of the branch";
}

TEST_F(PrivateRepositoryTest, ABranchThatGoesBackOrToMainMoves) {
  agent_commits("a.c", "int a;\n");
  MUST(import());
  begin();
  agent_git({"reset", "-q", "--hard", "main"});
  const Imported imported = MUST(import());
  EXPECT_TRUE(imported.moved);
  EXPECT_EQ(read_ref(repository_, worktree_.branch), repository_.head);
}

TEST_F(PrivateRepositoryTest, ABranchThatSomebodyElseMovedStaysThere) {
  agent_commits("a.c", "int a;\n");
  const std::string theirs = git(project_, {"commit-tree", "-m", "theirs", "HEAD^{tree}"});
  git(project_, {"update-ref", worktree_.branch, theirs});
  const auto imported = import();
  ASSERT_FALSE(imported);
  EXPECT_EQ(imported.error().reason, Reason::conflict);
  EXPECT_EQ(read_ref(repository_, worktree_.branch), theirs);
}

TEST_F(PrivateRepositoryTest, ABranchWithoutAnObjectIsRefused) {
  point_branch_at(std::string(40, 'a'));
  expect_refused();
  point_branch_at("nonsense");
  expect_refused();
  point_branch_at("ref: refs/heads/../../../../project/.git/refs/heads/other");
  expect_refused();
  point_branch_at(git(project_, {"rev-parse", "HEAD^{tree}"}));
  expect_refused();
}

TEST_F(PrivateRepositoryTest, ABranchThatNamesATagIsRefused) {
  const std::string commit = agent_commits("a.c", "int a;\n");
  point_branch_at(
      store("tag", "object " + commit + "\ntype commit\ntag x\ntagger A <a@b> 1 +0000\n\nx\n"));
  expect_refused();
  git(project_, {"tag", "-a", "-m", "known", "known"});
  point_branch_at(git(project_, {"rev-parse", "refs/tags/known"}));
  expect_refused();
}

TEST_F(PrivateRepositoryTest, ALinkInThePlaceOfARefIsRefused) {
  write(root_ + "/secret", agent_commits("a.c", "int a;\n") + "\n");
  fs::remove(folder_ + "/" + private_.branch);
  fs::create_symlink(root_ + "/secret", folder_ + "/" + private_.branch);
  expect_refused();
  fs::remove_all(folder_ + "/refs");
  fs::create_directory_symlink(project_ + "/.git/refs", folder_ + "/refs");
  expect_refused();
}

TEST_F(PrivateRepositoryTest, ObjectsOfOtherRepositoriesAreNotReached) {
  const std::string foreign = root_ + "/foreign";
  make_project(foreign);
  write(foreign + "/secret", "hunter2\n");
  commit(foreign, {"secret"}, "Secret");
  const std::string secret = git(foreign, {"rev-parse", "HEAD"});
  point_branch_at(secret);
  write(objects() + "/info/alternates", "../borrowed\n" + foreign + "/.git/objects\n");
  expect_refused();
  for (const auto& folder : fs::directory_iterator(foreign + "/.git/objects"))
    if (!fs::exists(objects() + "/" + folder.path().filename().string()))
      fs::create_directory_symlink(folder, objects() + "/" + folder.path().filename().string());
  expect_refused();
  git(foreign, {"gc", "-q"});
  for (const auto& file : fs::directory_iterator(foreign + "/.git/objects/pack"))
    fs::create_symlink(file, objects() + "/pack/" + file.path().filename().string());
  expect_refused();
  EXPECT_NE(git_code(project_, {"cat-file", "-e", secret}), 0);
}

TEST_F(PrivateRepositoryTest, ADamagedObjectIsRefused) {
  agent_commits("a.c", "int a;\n");
  const std::string blob = agent_git({"rev-parse", "HEAD:a.c"});
  const std::string path = objects() + "/" + blob.substr(0, 2) + "/" + blob.substr(2);
  const std::string other = store("blob", "something else\n");
  fs::remove(path);
  fs::copy_file(objects() + "/" + other.substr(0, 2) + "/" + other.substr(2), path);
  expect_refused();  // another file under its name
  fs::permissions(path, fs::perms::owner_all);
  write(path, "not even compressed");
  expect_refused();
  fs::remove(path);
  expect_refused();
}

TEST_F(PrivateRepositoryTest, NamesThatLeadIntoARepositoryAreRefused) {
  const std::string blob = store("blob", "[core]\n\tfsmonitor = evil\n");
  const std::string inner = store("tree", entry("100644", "config", blob));
  for (const char* name : {".git", ".GIT", "git~1", "..", "."}) {
    point_branch_at(commit_of(store("tree", entry("40000", name, inner))));
    expect_refused();
  }
  const std::string modules = store("blob", "[submodule \"x\"]\n\tpath = x\n\turl = -u./payload\n");
  point_branch_at(commit_of(store("tree", entry("100644", ".gitmodules", modules))));
  expect_refused();
  point_branch_at(commit_of(store("tree", entry("120000", ".gitmodules", blob))));
  expect_refused();
}

TEST_F(PrivateRepositoryTest, LimitsHold) {
  agent_commits("large", std::string(1 << 20, 'x'));
  expect_refused({.files = 2});
  expect_refused({.bytes = 100});
  expect_refused({.object_bytes = 1 << 16});
  EXPECT_TRUE(moves());
}

TEST_F(PrivateRepositoryTest, ConfigurationAndHooksOfTheAgentDoNothing) {
  agent_commits("a.c", "int a;\n");
  const std::string mark = root_ + "/ran";
  write(folder_ + "/config", "[core]\n\tfsmonitor = touch '" + mark + "'\n\tsshCommand = touch '" +
                                 mark + "'\n[include]\n\tpath = /dev/zero\n");
  write(folder_ + "/hooks/reference-transaction", "#!/bin/sh\ntouch '" + mark + "'\n");
  fs::permissions(folder_ + "/hooks/reference-transaction", fs::perms::owner_all);
  EXPECT_TRUE(moves());
  EXPECT_FALSE(fs::exists(mark));
}

TEST_F(PrivateRepositoryTest, AnAgentThatDestroysItTakesNothingWithIt) {
  fs::remove_all(folder_ + "/refs");
  fs::remove_all(folder_ + "/worktrees");
  EXPECT_FALSE(moves());
  fs::remove_all(folder_ + "/objects");
  point_branch_at(std::string(40, 'a'));
  expect_refused();
  fs::remove_all(folder_);
  EXPECT_FALSE(moves());
  EXPECT_EQ(git(worktree_.path, {"status", "--short"}), "");
}

TEST_F(PrivateRepositoryTest, TheUsersIgnoredFilesHooksAndLendersAreThere) {
  write(home_ + "/.config/git/ignore", "*.swp\n");
  write(project_ + "/.git/hooks/pre-commit", "#!/bin/sh\nexit 0\n");
  const std::string lender = root_ + "/lender/objects";
  fs::create_directories(lender + "/pack");
  write(project_ + "/.git/objects/info/alternates", lender + "\n" + home_ + "\n");
  ::setenv("XDG_CONFIG_HOME", (home_ + "/.config").c_str(), 1);
  begin();
  write(worktree_.path + "/x.swp", "x");
  EXPECT_EQ(agent_git({"status", "--short"}), "");
  std::vector<std::string> seen;
  for (const auto& one : private_.seen) seen.push_back(one.source);
  EXPECT_EQ(seen, (std::vector<std::string>{project_ + "/.git/objects", lender,
                                            project_ + "/.git/hooks"}));
}

TEST_F(PrivateRepositoryTest, TheCheckoutItselfCanBeWorkedIn) {
  worktree_.path = project_;
  begin();
  EXPECT_TRUE(private_.record.empty());
  const std::string tip = agent_commits("a.c", "int a;\n");
  EXPECT_EQ(MUST(import()).tip, tip);
  EXPECT_EQ(git(project_, {"rev-parse", "main"}), tip);
  EXPECT_EQ(git(project_, {"status", "--short"}), "");
}

TEST_F(PrivateRepositoryTest, LongIdsAreIds) {
  fs::remove_all(project_);
  fs::create_directories(project_);
  git(project_, {"init", "-q", "-b", "main", "--object-format=sha256"});
  write(project_ + "/README", "hello\n");
  commit(project_, {"README"}, "Start");
  repository_ = open();
  worktree_ = make_worktree(repository_);
  begin();
  const std::string tip = agent_commits("a.c", "int a;\n");
  EXPECT_EQ(tip.size(), 64U);
  EXPECT_EQ(MUST(import()).tip, tip);
}

TEST_F(PrivateRepositoryTest, AFolderThatIsNoWorktreeHasNone) {
  fs::create_directories(root_ + "/elsewhere");
  const auto made =
      make_private_repository(repository_, root_ + "/elsewhere", root_ + "/p", "refs/heads/main");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().reason, Reason::not_found);
  EXPECT_FALSE(fs::exists(root_ + "/p"));
}

}  // namespace
}  // namespace capsule::git
