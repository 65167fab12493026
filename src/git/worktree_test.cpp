#include "git/worktree.h"

#include <fcntl.h>

#include <atomic>
#include <cstdio>
#include <thread>

#include "base/ids.h"
#include "git/refs.h"
#include "git/remove_tree.h"
#include "git/test_support.h"

namespace capsule::git {
namespace {

using WorktreeTest = GitTest;

TEST_F(WorktreeTest, ItIsARealGitWorktreeOnItsOwnBranch) {
  const Repository repository = open();
  const Worktree worktree = make_worktree(repository);
  EXPECT_EQ(worktree.base, repository.head);
  EXPECT_EQ(read(worktree.path + "/src/main.c"), "int main;\n");
  EXPECT_EQ(git(worktree.path, {"status", "--porcelain"}), "");
  EXPECT_EQ(git(worktree.path, {"symbolic-ref", "HEAD"}), "refs/heads/capsule-bead-1");
  EXPECT_EQ(git(worktree.path, {"rev-parse", "--show-toplevel"}), worktree.path);
  const std::string list = git(project_, {"worktree", "list", "--porcelain"});
  EXPECT_NE(list.find("worktree " + worktree.path + "\n"), std::string::npos) << list;
  EXPECT_EQ(list.find("prunable"), std::string::npos) << list;
  EXPECT_EQ(git(project_, {"status", "--porcelain"}), "");
  write(worktree.path + "/new.c", "int x;\n");
  commit(worktree.path, {"new.c"}, "Work");
  EXPECT_EQ(git(project_, {"show", "capsule-bead-1:new.c"}), "int x;");
}

TEST_F(WorktreeTest, ItIsFoundAgainWithItsBase) {
  const Repository repository = open();
  const Worktree worktree = make_worktree(repository);
  const Worktree found = MUST(find_worktree(open(), worktree_path() + "/"));
  EXPECT_EQ(found.base, worktree.base);
  EXPECT_EQ(found.branch, "refs/heads/capsule-bead-1");
  EXPECT_EQ(find_worktree(repository, worktree_path("other")).error().reason, Reason::not_found);
}

TEST_F(WorktreeTest, AnExistingFolderAndAnExistingBranchAreSaidApart) {
  const Repository repository = open();
  make_worktree(repository);
  const auto again =
      create_worktree(repository, worktree_path(), "capsule-bead-1", repository.head);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().reason, Reason::exists);
  EXPECT_NE(again.error().message.find("worktree"), std::string::npos);
  EXPECT_NE(again.error().message.find("already exists"), std::string::npos);
  git(project_, {"branch", "capsule-bead-2"});
  const auto branch =
      create_worktree(repository, worktree_path("bead-2"), "capsule-bead-2", repository.head);
  ASSERT_FALSE(branch);
  EXPECT_EQ(branch.error().reason, Reason::exists);
  EXPECT_NE(branch.error().message.find("branch capsule-bead-2 already exists"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(worktree_path("bead-2")));
  EXPECT_FALSE(std::filesystem::exists(project_ + "/.git/worktrees/bead-2"));
}

TEST_F(WorktreeTest, APackedBranchIsSeenToo) {
  const Repository repository = open();
  git(project_, {"branch", "capsule-bead-1"});
  git(project_, {"pack-refs", "--all"});
  EXPECT_EQ(create_worktree(repository, worktree_path(), "capsule-bead-1", repository.head)
                .error()
                .reason,
            Reason::exists);
}

TEST_F(WorktreeTest, AFailedMakingLeavesNothing) {
  const Repository repository = open();
  // The commit's files cannot be read, as if the disk had lost them.
  const std::string blob = git(project_, {"rev-parse", "HEAD:README"});
  const std::string object = project_ + "/.git/objects/" + blob.substr(0, 2) + "/" + blob.substr(2);
  std::filesystem::rename(object, root_ + "/kept");
  EXPECT_FALSE(create_worktree(repository, worktree_path(), "capsule-bead-1", repository.head));
  std::filesystem::rename(root_ + "/kept", object);
  EXPECT_FALSE(std::filesystem::exists(worktree_path()));
  EXPECT_TRUE(std::filesystem::is_empty(project_ + "/.capsule/worktrees"));
  EXPECT_FALSE(std::filesystem::exists(project_ + "/.git/worktrees/bead-1"));
  EXPECT_EQ(git(project_, {"branch", "--list", "capsule-*"}), "");
  make_worktree(repository);
}

TEST_F(WorktreeTest, WhatAMakingThatWasCutOffLeftIsCleared) {
  const Repository repository = open();
  write(project_ + "/.capsule/worktrees/.bead-1.making/junk", "x");
  write(project_ + "/.git/worktrees/bead-1/gitdir", worktree_path() + "/.git\n");
  const Worktree worktree = make_worktree(repository);
  EXPECT_EQ(git(worktree.path, {"status", "--porcelain"}), "");
  EXPECT_FALSE(std::filesystem::exists(project_ + "/.capsule/worktrees/.bead-1.making"));
}

TEST_F(WorktreeTest, TheLongestIdHasAWorktreeToo) {
  const Repository repository = open();
  const std::string branch = "capsule-" + std::string(kMaxIdBytes, 'x');
  (void)MUST(create_worktree(repository, worktree_path(), branch, repository.head));
  MUST_VOID(remove_worktree(repository, worktree_path(), branch));
}

TEST_F(WorktreeTest, NamesThatCouldBeOptionsOrPathsAreRefused) {
  const Repository repository = open();
  for (const char* name : {"-rf", "..", "a/b", "", "x.lock", "a b"}) {
    EXPECT_EQ(create_worktree(repository, worktree_path(), name, repository.head).error().reason,
              Reason::usage)
        << name;
  }
  EXPECT_EQ(
      create_worktree(repository, worktree_path(), "capsule-x", "--upload-pack=x").error().reason,
      Reason::usage);
}

TEST_F(WorktreeTest, RemovingLeavesNoTrace) {
  const Repository repository = open();
  const Worktree worktree = make_worktree(repository);
  write(worktree.path + "/junk/x", "x");
  commit(worktree.path, {"junk/x"}, "Work");
  MUST_VOID(remove_worktree(repository, worktree.path, "capsule-bead-1"));
  EXPECT_FALSE(std::filesystem::exists(worktree.path));
  EXPECT_FALSE(std::filesystem::exists(project_ + "/.git/worktrees"));
  EXPECT_EQ(git(project_, {"branch", "--list", "capsule-*"}), "");
  EXPECT_EQ(find_worktree(repository, worktree.path).error().reason, Reason::not_found);
  MUST_VOID(remove_worktree(repository, worktree.path, "capsule-bead-1"));
}

TEST_F(WorktreeTest, RemovingWorksWhateverTheAgentLeft) {
  const Repository repository = open();
  write(root_ + "/victim/file", "keep\n");
  const auto in_state = [&](const char* what, auto&& damage) {
    SCOPED_TRACE(what);
    const Worktree worktree = make_worktree(repository);
    damage(worktree.path);
    MUST_VOID(remove_worktree(repository, worktree.path, "capsule-bead-1"));
    EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(worktree.path)));
    EXPECT_EQ(git(project_, {"worktree", "list"}).find("bead-1"), std::string::npos);
    EXPECT_EQ(git(project_, {"branch", "--list", "capsule-*"}), "");
    EXPECT_EQ(read(root_ + "/victim/file"), "keep\n");
    EXPECT_EQ(read(project_ + "/README"), "hello\n");
  };
  namespace fs = std::filesystem;
  in_state("folder gone", [](const std::string& path) { fs::remove_all(path); });
  in_state(".git gone", [](const std::string& path) { fs::remove(path + "/.git"); });
  in_state(".git leads elsewhere", [&](const std::string& path) {
    write(path + "/.git", "gitdir: " + root_ + "/victim\n");
  });
  in_state("a repository of its own", [](const std::string& path) {
    fs::remove(path + "/.git");
    git(path, {"init", "-q"});
  });
  in_state("locked", [](const std::string& path) { git(path, {"worktree", "lock", path}); });
  in_state("git's record gone",
           [&](const std::string&) { fs::remove_all(project_ + "/.git/worktrees/bead-1"); });
  in_state("a link in its place", [&](const std::string& path) {
    fs::remove_all(path);
    fs::create_directory_symlink(root_ + "/victim", path);
  });
  in_state("links inside", [&](const std::string& path) {
    fs::remove(path + "/.git");
    fs::create_directory_symlink(root_ + "/victim", path + "/src/link");
    fs::create_directory_symlink("/", path + "/root");
  });
  in_state("read-only", [](const std::string& path) {
    write(path + "/dir/file", "x");
    fs::permissions(path + "/dir/file", fs::perms::none);
    fs::permissions(path + "/dir", fs::perms::none);
    fs::remove(path + "/.git");
  });
  in_state("a pipe, and odd names", [](const std::string& path) {
    fs::remove(path + "/.git");
    ASSERT_EQ(::mkfifo((path + "/pipe").c_str(), 0600), 0);
    write(path + "/-rf", "x");
    write(path + "/a\nb", "x");
    write(path + "/\xff\xfe", "x");
  });
  in_state("branch is symbolic", [&](const std::string& path) {
    git(path, {"checkout", "-q", "--detach"});
    git(path, {"symbolic-ref", "refs/heads/capsule-bead-1", "refs/heads/main"});
  });
  in_state("branch gone", [&](const std::string& path) {
    git(path, {"checkout", "-q", "--detach"});
    git(path, {"branch", "-q", "-D", "capsule-bead-1"});
  });
  EXPECT_EQ(git(project_, {"rev-parse", "main"}), repository.head);
}

TEST_F(WorktreeTest, LocksOfAKilledGitDoNotStopTheNextRun) {
  const Repository repository = open();
  const std::string dot_git = project_ + "/.git";
  write(dot_git + "/refs/heads/capsule-bead-1.lock", "");
  const Worktree worktree = make_worktree(repository);
  for (const char* name :
       {"/worktrees/bead-1/index.lock", "/worktrees/bead-1/HEAD.lock", "/packed-refs.lock",
        "/refs/heads/capsule-bead-1.lock", "/HEAD.lock", "/config.lock"}) {
    write(dot_git + name, "");
  }
  MUST_VOID(remove_worktree(repository, worktree.path, "capsule-bead-1"));
  EXPECT_FALSE(std::filesystem::exists(dot_git + "/refs/heads/capsule-bead-1.lock"));
  // Not ours to remove.
  EXPECT_TRUE(std::filesystem::exists(dot_git + "/HEAD.lock"));
  std::filesystem::remove(dot_git + "/HEAD.lock");
  std::filesystem::remove(dot_git + "/config.lock");
}

// The branch was made, the folder not yet: ours by the note that was written before it.
TEST_F(WorktreeTest, AMakingThatWasCutOffAfterItsBranchGoesOn) {
  const Repository repository = open();
  const Worktree worktree = make_worktree(repository);
  std::filesystem::remove_all(worktree.path);
  std::filesystem::remove_all(project_ + "/.git/worktrees");
  EXPECT_EQ(make_worktree(repository).path, worktree.path);
}

// The same, and the project has moved on before the next try.
TEST_F(WorktreeTest, AMakingThatWasCutOffBeginsAnewFromANewerCommit) {
  const Worktree worktree = make_worktree(open());
  std::filesystem::remove_all(worktree.path);
  std::filesystem::remove_all(project_ + "/.git/worktrees");
  git(project_, {"commit", "-q", "--allow-empty", "-m", "Newer"});
  const Repository moved = open();
  EXPECT_EQ(make_worktree(moved).base, moved.head);
  EXPECT_EQ(git(project_, {"rev-parse", "capsule-bead-1"}), moved.head);
}

// What stands on the branch is somebody's work, whatever the notes say.
TEST_F(WorktreeTest, ABranchWithCommitsIsNeverTakenForALeftOver) {
  const Worktree worktree = make_worktree(open());
  git(worktree.path, {"commit", "-q", "--allow-empty", "-m", "Work"});
  std::filesystem::remove_all(worktree.path);
  std::filesystem::remove_all(project_ + "/.git/worktrees");
  git(project_, {"commit", "-q", "--allow-empty", "-m", "Newer"});
  const Repository moved = open();
  EXPECT_EQ(create_worktree(moved, worktree.path, "capsule-bead-1", moved.head).error().reason,
            Reason::exists);
  EXPECT_EQ(git(project_, {"log", "-1", "--format=%s", "capsule-bead-1"}), "Work");
}

TEST_F(WorktreeTest, ManyAtOnceDoNotDisturbOneAnother) {
  const Repository repository = open();
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const std::string name = "bead-" + std::to_string(i);
      const Worktree worktree = make_worktree(repository, name);
      EXPECT_TRUE(take_snapshot(repository, worktree.path, "refs/capsule/" + name + "/1-x", "x",
                                repository.head));
      if (i % 2 == 0) {
        EXPECT_TRUE(remove_worktree(repository, worktree.path, "capsule-" + name));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(MUST(list_refs(repository, "refs/capsule")).size(), 8U);
  EXPECT_EQ(std::filesystem::exists(worktree_path("bead-0")), false);
  EXPECT_EQ(git(worktree_path("bead-1"), {"status", "--porcelain"}), "");
}

TEST(RemoveTree, VeryDeepFoldersAreRemoved) {
  char name[] = "/tmp/capsule-deep.XXXXXX";
  ASSERT_NE(::mkdtemp(name), nullptr);
  int folder = ::open(name, O_RDONLY | O_DIRECTORY);
  for (int i = 0; i < 300; ++i) {
    ASSERT_EQ(::mkdirat(folder, "d", 0700), 0);
    const int next = ::openat(folder, "d", O_RDONLY | O_DIRECTORY);
    ::close(folder);
    folder = next;
  }
  ::close(folder);
  const auto removed = remove_tree(name);
  EXPECT_TRUE(removed) << removed.error().message;
  EXPECT_NE(::access(name, F_OK), 0);
}

TEST(RemoveTree, FoldersThatAreSwappedForLinksMeanwhileAreNotFollowed) {
  char name[] = "/tmp/capsule-swap.XXXXXX";
  ASSERT_NE(::mkdtemp(name), nullptr);
  const std::string root = name;
  std::filesystem::create_directories(root + "/victim/deep");
  std::ofstream(root + "/victim/deep/file") << "keep";
  const int rounds = std::getenv("CAPSULE_TEST_FULL") != nullptr ? 500 : 20;
  for (int round = 0; round < rounds; ++round) {
    std::filesystem::create_directories(root + "/tree/a/deep");
    std::ofstream(root + "/tree/a/deep/file") << "x";
    std::filesystem::create_directory_symlink(root + "/victim", root + "/tree/b");
    std::atomic<bool> stop = false;
    std::thread swapper([&] {
      while (!stop) {
        ::renameat2(AT_FDCWD, (root + "/tree/a").c_str(), AT_FDCWD, (root + "/tree/b").c_str(),
                    RENAME_EXCHANGE);
      }
    });
    const auto removed = remove_tree(root + "/tree");
    stop = true;
    swapper.join();
    EXPECT_TRUE(removed) << removed.error().message;
    ASSERT_TRUE(std::filesystem::exists(root + "/victim/deep/file"));
    ASSERT_FALSE(std::filesystem::exists(root + "/tree"));
  }
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace capsule::git
