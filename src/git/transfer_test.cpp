#include "git/transfer.h"

#include "git/refs.h"
#include "git/test_support.h"

namespace capsule::git {
namespace {

class Transfer : public GitTest {
 protected:
  void SetUp() override {
    GitTest::SetUp();
    shared_ = root_ + "/shared.git";
    git(root_, {"clone", "-q", "--bare", project_, shared_});
    git(project_, {"remote", "add", "origin", shared_});
    repository_ = open();
  }
  static constexpr const char* kRef = "refs/capsule/run-1/3-in";
  std::string shared_;
  Repository repository_;
};

TEST_F(Transfer, ASnapshotGoesThereAndIsTheSameInAnotherClone) {
  const Worktree worktree = make_worktree(repository_);
  write(worktree.path + "/new.txt", "untracked\n");
  commit(worktree.path, {"new.txt"}, "More");
  write(worktree.path + "/README", "changed\n");
  write(worktree.path + "/loose.txt", "loose\n");
  const Snapshot taken = MUST(take_snapshot(repository_, worktree.path, kRef, "m", worktree.base));
  const std::string remote = MUST(shared_remote(repository_));
  MUST_VOID(push_commit(repository_, remote, taken.commit, kRef));
  MUST_VOID(push_commit(repository_, remote, taken.commit, kRef));

  git(root_, {"clone", "-q", shared_, root_ + "/other"});
  const Repository other = MUST(open_repository(root_ + "/other"));
  const std::string theirs = MUST(shared_remote(other));
  const std::string fetched = MUST(fetch_commit(other, theirs, kRef));
  EXPECT_EQ(fetched, taken.commit);
  const std::string head = MUST(snapshot_head(other, taken.commit));
  EXPECT_EQ(head, taken.head);
  const std::string path = root_ + "/other/.capsule/worktrees/w";
  MUST(create_worktree(other, path, "capsule-w", head));
  MUST_VOID(rewind_worktree(other, path, "capsule-w", taken.commit));
  EXPECT_EQ(read(path + "/README"), "changed\n");
  EXPECT_EQ(read(path + "/loose.txt"), "loose\n");
  EXPECT_EQ(git(path, {"log", "-1", "--format=%s"}), "More");
  EXPECT_EQ(git(path, {"status", "--porcelain"}), "M README\n?? loose.txt");

  MUST_VOID(drop_remote_refs(repository_, remote, {kRef}));
  EXPECT_EQ(git(shared_, {"for-each-ref", "refs/capsule"}), "");
  EXPECT_FALSE(fetch_commit(other, remote, kRef));
}

TEST_F(Transfer, NothingOfTheRepositorysConfigurationOrHooksRuns) {
  const std::string ran = root_ + "/ran";
  for (const char* hook : {"pre-push", "reference-transaction"}) {
    write(project_ + "/.git/hooks/" + hook, "#!/bin/sh\ntouch '" + ran + "'\n");
    ::chmod((project_ + "/.git/hooks/" + hook).c_str(), 0755);
  }
  git(project_, {"config", "core.sshCommand", "touch '" + ran + "'; false"});
  git(project_, {"config", "url.ext::sh -c touch% " + ran + " .insteadOf", shared_});
  MUST_VOID(push_commit(repository_, shared_, repository_.head, kRef));
  EXPECT_FALSE(push_commit(repository_, "ext::sh -c 'touch " + ran + "'", repository_.head, kRef));
  EXPECT_FALSE(push_commit(repository_, "ssh://127.0.0.1:1/x", repository_.head, kRef));
  EXPECT_FALSE(std::filesystem::exists(ran));
}

TEST_F(Transfer, OnlyRefsOfOursGoThereOrComeFromThere) {
  const std::string before = git(shared_, {"for-each-ref"});
  for (const char* ref : {"refs/heads/main", "refs/capsule/a:refs/heads/main", "refs/capsule/*",
                          "refs/capsule/../heads/main", "main", "", "--all"}) {
    EXPECT_EQ(push_commit(repository_, shared_, repository_.head, ref).error().reason,
              Reason::usage)
        << ref;
    EXPECT_EQ(fetch_commit(repository_, shared_, ref).error().reason, Reason::usage) << ref;
    EXPECT_EQ(drop_remote_refs(repository_, shared_, {ref}).error().reason, Reason::usage) << ref;
  }
  EXPECT_EQ(git(shared_, {"for-each-ref"}), before);
}

TEST_F(Transfer, WhatAnAddressHoldsIsNotTold) {
  const std::string with_password = "https://ann:s3cret@127.0.0.1:1/x.git";
  const auto pushed = push_commit(repository_, with_password, repository_.head, kRef);
  ASSERT_FALSE(pushed);
  EXPECT_EQ(pushed.error().message.find("s3cret"), std::string::npos) << pushed.error().message;
  git(project_, {"remote", "remove", "origin"});
  EXPECT_EQ(shared_remote(repository_).error().reason, Reason::not_found);
}

}  // namespace
}  // namespace capsule::git
