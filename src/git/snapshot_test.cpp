#include "git/snapshot.h"

#include "git/diff.h"
#include "git/refs.h"
#include "git/test_support.h"

namespace capsule::git {
namespace {

namespace fs = std::filesystem;

class SnapshotTest : public GitTest {
 protected:
  void SetUp() override {
    GitTest::SetUp();
    repository_ = open();
    worktree_ = make_worktree(repository_);
    path_ = worktree_.path;
  }

  Result<Snapshot> snap(int number = 1) {
    return take_snapshot(repository_, path_, "refs/capsule/run-1/" + std::to_string(number) + "-x",
                         "Phase x", repository_.head);
  }

  std::string files(const std::string& commit) {
    return git(project_, {"ls-tree", "-r", "--name-only", "-z", commit});
  }

  std::string file(const std::string& commit, const std::string& path) {
    return git(project_, {"show", commit + ":" + path});
  }

  Repository repository_;
  Worktree worktree_;
  std::string path_;
};

std::string zero_joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + '\0';
  return text;
}

TEST_F(SnapshotTest, UntrackedFilesAreInItAndIgnoredOnesAreNot) {
  write(path_ + "/.gitignore", "*.o\n");
  write(path_ + "/a.o", "object\n");
  write(path_ + "/new/deep/file", "new\n");
  write(path_ + "/worklog.md", "log\n");
  write(path_ + "/.capsule/output/phase.log", "output\n");
  fs::remove(path_ + "/README");
  const Snapshot snapshot = MUST(snap());
  EXPECT_EQ(files(snapshot.commit),
            zero_joined({".gitignore", "new/deep/file", "src/main.c", "worklog.md"}));
  EXPECT_EQ(git(project_, {"rev-parse", "refs/capsule/run-1/1-x"}), snapshot.commit);
  EXPECT_EQ(git(project_, {"rev-parse", snapshot.commit + "^{tree}"}), snapshot.tree);
  EXPECT_EQ(snapshot.head, repository_.head);
  // The agent sees nothing of it.
  EXPECT_EQ(git(path_, {"diff", "--cached", "--name-only"}), "");
}

TEST_F(SnapshotTest, TheUsersOwnIgnoreFileCounts) {
  write(home_ + "/.config/git/ignore", "*.swx\n");
  write(path_ + "/x.swx", "x");
  ::unsetenv("XDG_CONFIG_HOME");
  EXPECT_EQ(files(MUST(snap()).commit), zero_joined({"README", "src/main.c"}));
}

TEST_F(SnapshotTest, OddNamesSurvive) {
  const std::vector<std::string> names{"-x",          "a\nb",     "quote\"s'",  "tab\t",
                                       "ü",           "\xff\xfe", "git~2x",     ".gitmodules.x",
                                       "back\\slash", "add 'x/'", "$(touch y)", " lead",
                                       "trail "};
  for (const std::string& name : names) write(path_ + "/" + name, name);
  const Snapshot snapshot = MUST(snap());
  EXPECT_EQ(snapshot.warning, "");
  MUST_VOID(restore_snapshot(repository_, snapshot.commit, root_ + "/restored"));
  for (const std::string& name : names) EXPECT_EQ(read(root_ + "/restored/" + name), name);
}

TEST_F(SnapshotTest, WhatGitWillNotStoreIsSaidAndTheRestIsKept) {
  write(path_ + "/git~1", "git takes this for .git on another system\n");
  write(path_ + "/new", "new\n");
  const Snapshot snapshot = MUST(snap());
  EXPECT_NE(snapshot.warning.find("git~1"), std::string::npos);
  EXPECT_EQ(files(snapshot.commit), zero_joined({"README", "new", "src/main.c"}));
}

TEST_F(SnapshotTest, TheAgentsIndexCannotHideAChange) {
  git(path_, {"update-index", "--assume-unchanged", "README"});
  git(path_, {"update-index", "--skip-worktree", "src/main.c"});
  write(path_ + "/README", "changed\n");
  write(path_ + "/src/main.c", "changed\n");
  EXPECT_EQ(git(path_, {"status", "--porcelain"}), "");
  const Snapshot snapshot = MUST(snap());
  EXPECT_EQ(file(snapshot.commit, "README"), "changed");
  EXPECT_EQ(file(snapshot.commit, "src/main.c"), "changed");
}

TEST_F(SnapshotTest, NestedRepositoriesAreInItAsFiles) {
  fs::create_directories(path_ + "/with");
  git(path_ + "/with", {"init", "-q"});
  write(path_ + "/with/a", "a\n");
  write(path_ + "/with/deep/b", "b\n");
  git(path_ + "/with", {"add", "."});
  git(path_ + "/with", {"commit", "-q", "-m", "x"});
  write(path_ + "/with/uncommitted", "u\n");
  fs::create_directories(path_ + "/sub/without");
  git(path_ + "/sub/without", {"init", "-q"});
  write(path_ + "/sub/without/c", "c\n");
  fs::create_directories(path_ + "/with/inner");
  git(path_ + "/with/inner", {"init", "-q"});
  write(path_ + "/with/inner/d", "d\n");
  fs::create_directories(path_ + "/empty");
  git(path_ + "/empty", {"init", "-q"});
  const Snapshot snapshot = MUST(snap());
  EXPECT_EQ(snapshot.warning, "");
  EXPECT_EQ(files(snapshot.commit),
            zero_joined({"README", "src/main.c", "sub/without/c", "with/a", "with/deep/b",
                         "with/inner/d", "with/uncommitted"}));
  write(path_ + "/with/e", "e\n");
  fs::remove(path_ + "/with/a");
  EXPECT_EQ(files(MUST(snap(2)).commit),
            zero_joined({"README", "src/main.c", "sub/without/c", "with/deep/b", "with/e",
                         "with/inner/d", "with/uncommitted"}));
}

TEST_F(SnapshotTest, ADestroyedDotGitDoesNotMatter) {
  write(path_ + "/new", "new\n");
  fs::remove(path_ + "/.git");
  EXPECT_EQ(files(MUST(snap()).commit), zero_joined({"README", "new", "src/main.c"}));
  git(path_, {"init", "-q"});
  EXPECT_EQ(files(MUST(snap(2)).commit), zero_joined({"README", "new", "src/main.c"}));
  fs::remove_all(path_ + "/.git");
  write(path_ + "/.git", "gitdir: " + root_ + "/elsewhere\n");
  EXPECT_EQ(files(MUST(snap(3)).commit), zero_joined({"README", "new", "src/main.c"}));
}

TEST_F(SnapshotTest, LinksAreKeptAsLinks) {
  fs::create_symlink("/etc/passwd", path_ + "/link");
  fs::create_directory_symlink("/", path_ + "/dir");
  ASSERT_EQ(::mkfifo((path_ + "/pipe").c_str(), 0600), 0);
  const Snapshot snapshot = MUST(snap());
  EXPECT_EQ(file(snapshot.commit, "link"), "/etc/passwd");
  EXPECT_EQ(files(snapshot.commit), zero_joined({"README", "dir", "link", "src/main.c"}));
}

TEST_F(SnapshotTest, AWorktreeThatIsGoneIsAnErrorAndALinkIsNotFollowed) {
  fs::remove_all(path_);
  EXPECT_EQ(snap().error().reason, Reason::not_found);
  fs::create_directory_symlink(home_, path_);
  EXPECT_EQ(snap().error().reason, Reason::not_found);
  fs::remove(path_);
}

TEST_F(SnapshotTest, ALostOrDamagedIndexOfOursIsMadeAnew) {
  write(path_ + "/new", "new\n");
  fs::remove(path_ + "/README");
  write(own_index(repository_, path_), "garbage");
  EXPECT_EQ(files(MUST(snap()).commit), zero_joined({"new", "src/main.c"}));
  fs::remove_all(own_notes(repository_, path_));
  EXPECT_EQ(files(MUST(snap(2)).commit), zero_joined({"new", "src/main.c"}));
  write(own_index(repository_, path_) + ".lock", "");
  EXPECT_EQ(files(MUST(snap(3)).commit), zero_joined({"new", "src/main.c"}));
}

TEST_F(SnapshotTest, TheAgentsCommitsAreKeptByTheSnapshot) {
  write(path_ + "/f", "f\n");
  commit(path_, {"f"}, "Mine");
  const std::string mine = git(path_, {"rev-parse", "HEAD"});
  const Snapshot snapshot = MUST(snap());
  EXPECT_EQ(snapshot.head, mine);
  git(path_, {"reset", "-q", "--hard", repository_.head});
  EXPECT_EQ(git(project_, {"rev-parse", snapshot.commit + "^2"}), mine);
}

TEST_F(SnapshotTest, RefsAreListedAndDeleted) {
  const Snapshot first = MUST(snap(1));
  write(path_ + "/x", "x");
  const Snapshot second = MUST(snap(2));
  std::vector<Ref> refs = MUST(list_refs(repository_, "refs/capsule/run-1"));
  ASSERT_EQ(refs.size(), 2U);
  EXPECT_EQ(refs[0].name, "refs/capsule/run-1/1-x");
  EXPECT_EQ(refs[1].id, second.commit);
  EXPECT_EQ(refs[0].subject, "Phase x");
  EXPECT_GT(refs[0].time, 0);
  git(project_, {"pack-refs", "--all"});
  refs.push_back({"refs/capsule/run-1/3-gone", first.commit});
  MUST_VOID(delete_refs(repository_, refs));
  EXPECT_TRUE(MUST(list_refs(repository_, "refs/capsule")).empty());
  MUST_VOID(delete_refs(repository_, refs));
}

TEST_F(SnapshotTest, ARefThatMovedIsNotDeleted) {
  const Snapshot first = MUST(snap(1));
  EXPECT_EQ(delete_refs(repository_, {{"refs/capsule/run-1/1-x", repository_.head}}).error().reason,
            Reason::conflict);
  EXPECT_EQ(git(project_, {"rev-parse", "refs/capsule/run-1/1-x"}), first.commit);
}

TEST_F(SnapshotTest, RefNamesAreChecked) {
  for (const char* ref : {"refs/heads/main", "refs/capsule/../heads/main", "refs/capsule/-x/1-y",
                          "refs/capsule/run/", "refs/capsule/run/a.lock"}) {
    EXPECT_FALSE(take_snapshot(repository_, path_, ref, "x", repository_.head)) << ref;
  }
  EXPECT_EQ(git(project_, {"rev-parse", "main"}), repository_.head);
}

TEST_F(SnapshotTest, RestoringNeedsAnEmptyFolder) {
  const Snapshot snapshot = MUST(snap());
  write(root_ + "/full/x", "x");
  EXPECT_EQ(restore_snapshot(repository_, snapshot.commit, root_ + "/full").error().reason,
            Reason::exists);
  EXPECT_EQ(restore_snapshot(repository_, "--help", root_ + "/new").error().reason, Reason::usage);
  MUST_VOID(restore_snapshot(repository_, snapshot.commit, root_ + "/new/deep"));
  EXPECT_EQ(read(root_ + "/new/deep/README"), "hello\n");
  EXPECT_FALSE(fs::exists(root_ + "/new/deep/.git"));
  EXPECT_TRUE(fs::is_empty(project_ + "/.git/capsule/spare"));
}

TEST_F(SnapshotTest, NothingAnAgentDoesDestroysAFinishedPhase) {
  write(path_ + "/work", "work\n");
  write(path_ + "/README", "changed\n");
  const Snapshot snapshot = MUST(snap());
  const auto after = [&](const char* what, auto&& harm) {
    SCOPED_TRACE(what);
    harm();
    (void)snap(2);
    MUST_VOID(rewind_worktree(repository_, path_, "capsule-bead-1", snapshot.commit));
    EXPECT_EQ(read(path_ + "/work"), "work\n");
    EXPECT_EQ(read(path_ + "/README"), "changed\n");
    EXPECT_FALSE(fs::exists(path_ + "/later"));
    EXPECT_EQ(git(path_, {"status", "--porcelain"}), "M README\n?? work");
    EXPECT_EQ(git(path_, {"symbolic-ref", "HEAD"}), "refs/heads/capsule-bead-1");
    EXPECT_EQ(git(path_, {"rev-parse", "HEAD"}), repository_.head);
  };
  after("nothing", [] {});
  after("more work", [&] {
    write(path_ + "/later", "x\n");
    commit(path_, {"later"}, "Later");
  });
  after("reset", [&] {
    git(path_, {"reset", "-q", "--hard"});
    git(path_, {"clean", "-qfdx"});
  });
  after("rm -rf", [&] { fs::remove_all(path_); });
  after(".git", [&] { fs::remove(path_ + "/.git"); });
  after("a repository of its own", [&] {
    fs::remove(path_ + "/.git");
    git(path_, {"init", "-q"});
  });
  after("another branch", [&] {
    git(path_, {"checkout", "-q", "--force", "-b", "elsewhere"});
    write(path_ + "/later", "x\n");
    commit(path_, {"later"}, "Later");
  });
  after("a symbolic branch", [&] {
    git(path_, {"checkout", "-q", "--detach"});
    git(path_, {"symbolic-ref", "refs/heads/capsule-bead-1", "refs/heads/main"});
  });
  after("a merge under way", [&] {
    write(path_ + "/.git-is-a-file", "");
    git(path_, {"add", "."});
    git(path_, {"commit", "-qm", "x"});
    git(project_, {"branch", "-f", "other"});
    git_code(path_, {"merge", "--no-commit", "--no-ff", "other"});
    write(project_ + "/.git/worktrees/bead-1/index.lock", "");
  });
  after("a commit that was cut off", [&] {
    for (const char* name : {"worktrees/bead-1/index.lock", "worktrees/bead-1/HEAD.lock",
                             "refs/heads/capsule-bead-1.lock"})
      write(project_ + "/.git/" + name, "");
  });
  EXPECT_EQ(git(project_, {"rev-parse", "main"}), repository_.head);
}

TEST_F(SnapshotTest, LocksThatAnAgentLeftDoNotStopTheNextOne) {
  for (const char* name : {"worktrees/bead-1/index.lock", "worktrees/bead-1/HEAD.lock",
                           "refs/heads/capsule-bead-1.lock"})
    write(project_ + "/.git/" + name, "");
  write(path_ + "/work", "work\n");
  (void)MUST(snap(1));
  commit(path_, {"work"}, "Work");
}

TEST_F(SnapshotTest, FilesAreKeptInTheEncodingThatTheProjectNames) {
  write(path_ + "/.gitattributes", "*.txt text working-tree-encoding=UTF-16LE\n");
  write(path_ + "/a.txt", std::string("h\0i\0\n\0", 6));
  const auto kept = snap();
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(file(kept->commit, "a.txt"), "hi") << "as git itself stores it";
}

TEST_F(SnapshotTest, AFileThatIsNotInItsEncodingIsNamedAndNothingIsKept) {
  write(path_ + "/.gitattributes", "*.txt text working-tree-encoding=UTF-16\n");
  write(path_ + "/plain.txt", "not UTF-16\n");
  const auto kept = snap();
  ASSERT_FALSE(kept);
  EXPECT_NE(kept.error().message.find("plain.txt"), std::string::npos) << kept.error().message;
  EXPECT_NE(kept.error().hint.find("working-tree-encoding"), std::string::npos);
  EXPECT_EQ(git(project_, {"for-each-ref", "refs/capsule"}), "");
}

TEST_F(SnapshotTest, WhatACommandLeavesIsTakenBackAndNothingElse) {
  write(path_ + "/.gitignore", "*.o\n");
  write(path_ + "/work", "work\n");
  const Snapshot snapshot = MUST(snap());
  write(path_ + "/edited", "by a person since\n");
  git(path_, {"add", "work"});
  const std::string files = MUST(note_files(repository_, path_, snapshot.commit));
  MUST_VOID(put_files_back(repository_, path_, files));  // nothing to do
  write(path_ + "/cache/deep/a.pyc", "left\n");
  write(path_ + "/a.o", "ignored\n");
  write(path_ + "/work", "changed\n");
  fs::remove(path_ + "/src/main.c");
  MUST_VOID(put_files_back(repository_, path_, files));
  EXPECT_FALSE(fs::exists(path_ + "/cache"));
  EXPECT_TRUE(fs::exists(path_ + "/a.o"));
  EXPECT_TRUE(fs::exists(path_ + "/src/main.c"));
  EXPECT_EQ(read(path_ + "/work"), "work\n");
  EXPECT_EQ(read(path_ + "/edited"), "by a person since\n");
  EXPECT_EQ(git(path_, {"diff", "--cached", "--name-only"}), "work");
}

TEST_F(SnapshotTest, DifferencesNameEveryKindOfChange) {
  write(path_ + "/gone", "to be deleted, and long enough\n");
  write(path_ + "/moved", "to be renamed, and long enough to be seen\n");
  write(path_ + "/odd\n\"name\"", "x\n");
  const Snapshot before = MUST(snap(1));
  fs::remove(path_ + "/gone");
  fs::rename(path_ + "/moved", path_ + "/moved here");
  write(path_ + "/odd\n\"name\"", "y\n");
  write(path_ + "/-new", "n\n");
  const Snapshot after = MUST(snap(2));
  std::string text;
  for (const Change& change : MUST(diff_trees(repository_, before.tree, after.tree))) {
    text += std::string(1, change.status) + " " + change.from + ">" + change.path + "|";
  }
  EXPECT_EQ(text, "A >-new|D >gone|R moved>moved here|M >odd\n\"name\"|");
  text.clear();
  for (const Change& change :
       MUST(diff_trees(repository_, before.tree, after.commit, Renames::ignored))) {
    text += std::string(1, change.status) + change.path + "|";
  }
  EXPECT_EQ(text, "A-new|Dgone|Dmoved|Amoved here|Modd\n\"name\"|");
}

TEST(GitDiff, WhatIsOutOfFormatIsAnError) {
  for (const char* text : {"x", ":", ":100644 100644 a b M", ":100644 100644 a b \0"}) {
    EXPECT_EQ(parse_raw_diff(text).error().reason, Reason::damaged) << text;
  }
  EXPECT_TRUE(parse_raw_diff("")->empty());
}

}  // namespace
}  // namespace capsule::git
