// What an agent can plant in a repository that it shares with us, and that none of it runs.
#include <sys/stat.h>

#include "git/command.h"
#include "git/private_dir.h"
#include "git/refs.h"
#include "git/test_support.h"

namespace capsule::git {
namespace {

namespace fs = std::filesystem;

class HostileTest : public GitTest {
 protected:
  // A program that leaves a trace, for every key that names one.
  void SetUp() override {
    GitTest::SetUp();
    write(project_ + "/.gitattributes",
          "* filter=evil diff=evil merge=evil\n*.p filter=process ident\n");
    write(project_ + "/a.p", "a\n");
    commit(project_, {".gitattributes", "a.p"}, "Attributes");
    repository_ = open();
    canary_ = root_ + "/canary";
    script_ = root_ + "/evil.sh";
    write(script_, "#!/bin/sh\necho \"$0 $*\" >>'" + canary_ + "'\ncat\n");
    ::chmod(script_.c_str(), 0755);
  }

  void plant() {
    const std::string quoted = "'" + script_ + "'";
    for (const char* key : {"core.fsmonitor",
                            "core.pager",
                            "core.editor",
                            "core.sshCommand",
                            "core.askPass",
                            "core.gitProxy",
                            "filter.evil.smudge",
                            "filter.evil.clean",
                            "filter.process.process",
                            "merge.evil.driver",
                            "diff.evil.command",
                            "diff.evil.textconv",
                            "diff.external",
                            "gpg.program",
                            "credential.helper",
                            "uploadpack.packObjectsHook",
                            "sequence.editor",
                            "pager.diff",
                            "core.alternateRefsCommand",
                            "gpg.ssh.defaultKeyCommand"}) {
      git(project_, {"config", key, quoted});
    }
    for (const char* name : {"update-ref", "read-tree", "add", "rev-parse", "commit-tree"}) {
      git(project_, {"config", std::string("alias.") + name, "!" + quoted});
    }
    git(project_, {"config", "filter.evil.required", "true"});
    git(project_, {"config", "commit.gpgSign", "true"});
    git(project_, {"config", "log.showSignature", "true"});
    git(project_, {"config", "submodule.recurse", "true"});
    git(project_, {"config", "core.hooksPath", root_ + "/hooks"});
    write(root_ + "/included", "[core]\n\tfsmonitor = " + script_ + "\n");
    git(project_, {"config", "include.path", root_ + "/included"});
    for (const std::string& folder :
         {root_ + "/hooks", project_ + "/.git/hooks", project_ + "/.git/capsule/git/hooks"}) {
      for (const char* hook :
           {"post-checkout", "reference-transaction", "post-index-change", "pre-commit",
            "post-merge", "post-commit", "pre-auto-gc", "commit-msg", "post-rewrite",
            "prepare-commit-msg", "fsmonitor-watchman"}) {
        write(folder + "/" + hook, read(script_));
        ::chmod((folder + "/" + hook).c_str(), 0755);
      }
    }
  }

  // The whole way of a run, with ours alone.
  void go_all_the_way() {
    const Worktree worktree = make_worktree(repository_);
    ASSERT_NE(worktree.path, "");
    EXPECT_EQ(read(worktree.path + "/README"), "hello\n");
    write(worktree.path + "/new.c", "int n;\n");
    write(worktree.path + "/b.p", "b\n");
    write(worktree.path + "/README", "changed\n");
    const Snapshot snapshot = MUST(
        take_snapshot(repository_, worktree.path, "refs/capsule/r/1-x", "x", repository_.head));
    EXPECT_EQ(snapshot.warning, "");
    MUST_VOID(restore_snapshot(repository_, snapshot.commit, root_ + "/restored"));
    EXPECT_EQ(read(root_ + "/restored/b.p"), "b\n");
    MUST_VOID(rewind_worktree(repository_, worktree.path, "capsule-bead-1", snapshot.commit));
    // As if the agent had committed: made by us, because a plain commit would run the filters.
    const std::string tip = MUST(write_commit(
        repository_,
        {.tree = snapshot.tree, .parents = {repository_.head}, .message = "bead-1: Do it\n"}));
    EXPECT_TRUE(MUST(move_ref(repository_, worktree.branch, repository_.head, tip, "x")));
    const Tips tips = MUST(find_tips(repository_, "", "capsule-bead-1"));
    const BranchState state = MUST(branch_state(repository_, tips, worktree.base, "r"));
    const WorkCommit work = MUST(work_commit(repository_, state, "bead-1: Do it", {}));
    const MergePlan plan =
        MUST(plan_merge(repository_, state, work, merge_message("bead-1", "Do it", "r")));
    const Published published = MUST(publish_merge(repository_, plan));
    published_ = published.outcome;
    MUST_VOID(remove_worktree(repository_, worktree.path, "capsule-bead-1"));
    EXPECT_FALSE(fs::exists(worktree.path));
    EXPECT_EQ(read(canary_), "");
  }

  // git fsck in TearDown is a person's call, with the configuration in force.
  void TearDown() override {
    write(project_ + "/.git/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n");
    GitTest::TearDown();
  }

  Repository repository_;
  std::string canary_, script_;
  Publishing published_ = Publishing::done;
};

TEST_F(HostileTest, TheCanaryWorks) {
  plant();
  git_code(project_, {"status"});
  EXPECT_NE(read(canary_), "");
}

TEST_F(HostileTest, NothingInTheSharedConfigurationRuns) {
  plant();
  repository_ = open();
  go_all_the_way();
  // The user's checkout has files with a planted filter: it is not moved, and neither is main.
  EXPECT_EQ(published_, Publishing::in_the_way);
  EXPECT_EQ(git(project_, {"rev-parse", "main"}), repository_.head);
}

TEST_F(HostileTest, NothingRunsWhenItIsPlantedAfterTheSettingsWereRead) {
  const Worktree worktree = make_worktree(repository_, "early");
  plant();
  go_all_the_way();
  EXPECT_EQ(published_, Publishing::done);
  EXPECT_EQ(read(project_ + "/b.p"), "b\n");
  MUST_VOID(remove_worktree(repository_, worktree.path, "capsule-early"));
}

TEST_F(HostileTest, WhatIsPutIntoOurOwnGitDirIsThrownOut) {
  make_worktree(repository_, "early");
  const std::string own = project_ + "/.git/capsule/git";
  write(own + "/config", "[core]\n\tfsmonitor = '" + script_ + "'\n");
  write(own + "/commondir", project_ + "/.git\n");
  write(own + "/info/attributes", "* filter=evil\n");
  write(own + "/info/grafts", repository_.head + "\n");
  write(own + "/config.worktree", "[core]\n\tfsmonitor = '" + script_ + "'\n");
  fs::remove(own + "/refs");
  fs::create_directory_symlink(root_, own + "/refs");
  fs::remove(own + "/HEAD");
  fs::create_symlink("/etc/passwd", own + "/HEAD");
  plant();
  go_all_the_way();
  EXPECT_FALSE(fs::exists(own + "/commondir"));
  EXPECT_FALSE(fs::exists(own + "/hooks"));
  EXPECT_FALSE(fs::exists(own + "/info/attributes"));
  MUST_VOID(remove_worktree(repository_, worktree_path("early"), "capsule-early"));
}

TEST_F(HostileTest, RefsThatLookLikeOptionsStopNothing) {
  const std::string heads = project_ + "/.git/refs/heads/";
  for (const char* name : {"--upload-pack=touch canary", "-x", "--all", "--help", "-rf"}) {
    write(heads + name, repository_.head + "\n");
  }
  write(heads + "broken", "garbage\n");
  write(heads + "dangling", std::string(40, 'a') + "\n");
  write(project_ + "/.git/refs/capsule/r/-x", repository_.head + "\n");
  write(project_ + "/.git/refs/capsule/r/0-missing", std::string(40, 'b') + "\n");
  write(project_ + "/.git/refs/replace/" + repository_.head, std::string(40, 'c') + "\n");
  go_all_the_way();
  EXPECT_EQ(published_, Publishing::done);
  const std::vector<Ref> refs = MUST(list_refs(repository_, "refs/capsule"));
  EXPECT_EQ(refs.size(), 3U);
  MUST_VOID(delete_refs(repository_, refs));
  EXPECT_TRUE(MUST(list_refs(repository_, "refs/capsule")).empty());
  for (const auto& entry : fs::directory_iterator(heads)) {
    if (entry.path().filename() != "main") fs::remove(entry.path());
  }
  fs::remove_all(project_ + "/.git/refs/replace");
}

TEST_F(HostileTest, AWorktreeThatPointsToAnotherRepositoryIsNotTakenForIt) {
  make_project(root_ + "/other");
  const Worktree worktree = make_worktree(repository_);
  write(worktree.path + "/.git", "gitdir: " + root_ + "/other/.git\n");
  write(project_ + "/.git/worktrees/bead-1/commondir", root_ + "/other/.git\n");
  const Snapshot snapshot =
      MUST(take_snapshot(repository_, worktree.path, "refs/capsule/r/1-x", "x", repository_.head));
  EXPECT_EQ(git(project_, {"cat-file", "-t", snapshot.commit}), "commit");
  EXPECT_NE(git_code(root_ + "/other", {"cat-file", "-t", snapshot.commit}), 0);
  MUST_VOID(remove_worktree(repository_, worktree.path, "capsule-bead-1"));
  EXPECT_EQ(read(root_ + "/other/README"), "hello\n");
  EXPECT_EQ(git_code(root_ + "/other", {"fsck", "--strict"}), 0);
}

TEST_F(HostileTest, TheEnvironmentCannotLeadGitAstray) {
  const char* names[] = {"GIT_OBJECT_DIRECTORY", "GIT_WORK_TREE",    "GIT_EXTERNAL_DIFF",
                         "GIT_CONFIG_COUNT",     "GIT_CONFIG_KEY_0", "GIT_CONFIG_VALUE_0",
                         "GIT_SSH_COMMAND",      "GIT_TRACE",        "GIT_NAMESPACE"};
  const std::string values[] = {"/nowhere", "/nowhere", script_,          "1",    "core.fsmonitor",
                                script_,    script_,    root_ + "/trace", "space"};
  for (std::size_t i = 0; i < std::size(names); ++i) ::setenv(names[i], values[i].c_str(), 1);
  const auto repository = open_repository(project_);
  if (repository) {
    repository_ = *repository;
    go_all_the_way();
  }
  for (const char* name : names) ::unsetenv(name);
  EXPECT_TRUE(repository);
  EXPECT_FALSE(fs::exists(root_ + "/trace"));
}

}  // namespace
}  // namespace capsule::git
