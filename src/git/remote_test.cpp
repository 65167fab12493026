#include "git/remote.h"

#include <signal.h>

#include "git/commit.h"
#include "git/refs.h"
#include "git/test_support.h"

namespace capsule::git {
namespace {

constexpr const char* kMain = "refs/heads/main";

// A shared repository, and two clones of it: the project's, and that of another machine.
class RemoteMain : public GitTest {
 protected:
  void SetUp() override {
    GitTest::SetUp();
    shared_ = root_ + "/shared.git";
    other_ = root_ + "/other";
    git(root_, {"clone", "-q", "--bare", project_, shared_});
    git(root_, {"clone", "-q", shared_, other_});
    git(project_, {"remote", "add", "origin", shared_});
  }

  Repository clone(const std::string& folder) {
    Result<Repository> opened = open_repository(folder);
    EXPECT_TRUE(opened);
    return opened.value_or(Repository{});
  }
  Remote remote() { return {shared_, shared_}; }
  std::string there(const std::string& ref) {
    return std::string(trimmed(run(shared_, {"rev-parse", "--verify", "-q", ref}).out));
  }
  void hook(const std::string& name, const std::string& script) {
    write(shared_ + "/hooks/" + name, "#!/bin/sh\n" + script);
    ::chmod((shared_ + "/hooks/" + name).c_str(), 0755);
  }

  // A merge commit on `main`.
  static std::string merge_on(const Repository& repository, const std::string& main,
                              const std::string& what) {
    const auto tree = tell(repository, {.args = {"rev-parse", main + "^{tree}"}});
    EXPECT_TRUE(tree);
    const auto made = write_commit(repository, {.tree = std::string(trimmed(*tree)),
                                                .parents = {main},
                                                .message = "Merge " + what + "\n"});
    EXPECT_TRUE(made);
    return made.value_or("");
  }

  // A process that wants to merge, step by step.
  struct Merger {
    Repository repository;
    Remote remote;
    std::int64_t epoch;
    RemoteTips tips = {};
    std::string fence = {}, merge = {};

    Reached<void> begin() {
      tips = TRY(fetch_tips(repository, remote, kMain));
      fence = TRY(take_fence(repository, remote, kMain, tips, epoch));
      merge = merge_on(repository, tips.main, std::to_string(epoch));
      return {};
    }
    Reached<void> end() {
      return publish(repository, remote, {kMain, tips.main, merge, fence, epoch});
    }
  };

  std::string shared_, other_;
};

TEST_F(RemoteMain, MovesWithItsFence) {
  Merger one{clone(project_), remote(), 7};
  ASSERT_TRUE(one.begin());
  EXPECT_EQ(one.tips.fence, "");
  EXPECT_EQ(there(kMain), one.tips.main) << "main is not touched by taking the fence";
  EXPECT_EQ(there("refs/capsule/fence/main"), one.fence);
  ASSERT_TRUE(one.end());
  EXPECT_EQ(there(kMain), one.merge);

  Merger two{clone(other_), remote(), 8};
  ASSERT_TRUE(two.begin());
  EXPECT_EQ(two.tips.main, one.merge);
  EXPECT_EQ(two.tips.epoch, 7);
  ASSERT_TRUE(two.end());
  EXPECT_EQ(there(kMain), two.merge);
}

// It looked at the epoch, was stopped, and wakes up when somebody else has taken its place.
TEST_F(RemoteMain, AZombieCannotMerge) {
  const Repository here = clone(project_), elsewhere = clone(other_);
  std::int64_t epoch = 0;
  for (int round = 0; round < 20; ++round) {
    Merger zombie{here, remote(), ++epoch}, next{elsewhere, remote(), ++epoch};
    ASSERT_TRUE(zombie.begin());
    ASSERT_TRUE(next.begin());
    const std::string before = there(kMain);
    const auto late = zombie.end();
    ASSERT_FALSE(late) << round;
    EXPECT_EQ(late.error().why, RemoteTrouble::fenced) << late.error().message;
    EXPECT_EQ(there(kMain), before);
    ASSERT_TRUE(next.end());
    const auto later = zombie.end();
    ASSERT_FALSE(later);
    EXPECT_EQ(later.error().why, RemoteTrouble::fenced);
    EXPECT_EQ(there(kMain), next.merge);
  }
}

TEST_F(RemoteMain, TheFenceNamesEveryMoveOfMain) {
  const std::string before = there(kMain);
  for (const std::string& folder : {project_, other_, project_}) {
    Merger merger{clone(folder), remote(),
                  1 + std::stol("0" + git(shared_, {"rev-list", "--count", "--all"}))};
    ASSERT_TRUE(merger.begin());
    ASSERT_TRUE(merger.end());
  }
  std::string named;
  const std::string log = git(shared_, {"log", "--format=%s", "refs/capsule/fence/main"});
  for (const std::string_view line : split(log, '\n'))
    if (const std::size_t at = line.find(" merge "); at != line.npos)
      named += std::string(line.substr(at + 7)) + "\n";
  EXPECT_EQ(named, git(shared_, {"rev-list", "main", "^" + before}) + "\n");
  EXPECT_EQ(git_code(shared_, {"fsck", "--strict", "--no-dangling"}), 0);
}

TEST_F(RemoteMain, WhatAPersonPushedMeanwhileIsSeen) {
  Merger merger{clone(project_), remote(), 1};
  ASSERT_TRUE(merger.begin());
  write(other_ + "/new", "by a person");
  commit(other_, {"new"}, "Hotfix");
  git(other_, {"push", "-q"});
  const auto moved = merger.end();
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().why, RemoteTrouble::moved) << moved.error().message;
  EXPECT_EQ(there(kMain), git(other_, {"rev-parse", "HEAD"}));
  Merger again{clone(project_), remote(), 2};
  ASSERT_TRUE(again.begin());
  EXPECT_TRUE(again.end());
}

// The server's end of the push dies before, and right after, it has moved the refs.
TEST_F(RemoteMain, APushThatIsCutOffIsAllOrNothing) {
  Merger merger{clone(project_), remote(), 1};
  ASSERT_TRUE(merger.begin());
  hook("reference-transaction", "[ \"$1\" = prepared ] && kill -9 $PPID\nexit 0\n");
  const auto cut = merger.end();
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().why, RemoteTrouble::away) << cut.error().message;
  EXPECT_EQ(there(kMain), merger.tips.main);
  EXPECT_EQ(there("refs/capsule/fence/main"), merger.fence);
  // Of the server's end; whoever runs it has to remove them.
  for (const char* left : {"HEAD.lock", "refs/heads/main.lock", "refs/capsule/fence/main.lock"})
    std::filesystem::remove(shared_ + "/" + left);
  hook("reference-transaction", "[ \"$1\" = committed ] && kill -9 $PPID\nexit 0\n");
  const auto done = merger.end();
  EXPECT_TRUE(done) << "it was done, which can be seen there: " << done.error().message;
  EXPECT_EQ(there(kMain), merger.merge);
}

TEST_F(RemoteMain, WhatStopsAPushIsToldApart) {
  const Repository repository = clone(project_);
  const Remote gone{root_ + "/gone.git", root_ + "/gone.git"};
  const auto away = fetch_tips(repository, gone, kMain);
  ASSERT_FALSE(away);
  EXPECT_EQ(away.error().why, RemoteTrouble::away);
  EXPECT_EQ(error_of(gone, away.error()).reason, Reason::io);

  Merger merger{repository, remote(), 1};
  ASSERT_TRUE(merger.begin());
  hook("update", "echo only by pull requests >&2; exit 1\n");
  const auto refused = merger.end();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().why, RemoteTrouble::refused) << refused.error().message;
  std::filesystem::remove(shared_ + "/hooks/update");

  git(shared_, {"config", "receive.advertiseAtomic", "false"});
  const auto unsupported = merger.end();
  ASSERT_FALSE(unsupported);
  EXPECT_EQ(unsupported.error().why, RemoteTrouble::unsupported) << unsupported.error().message;
  git(shared_, {"config", "receive.advertiseAtomic", "true"});

  git(shared_, {"update-ref", "refs/capsule/fence/main", "main"});
  const auto broken = fetch_tips(repository, remote(), kMain);
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().why, RemoteTrouble::broken);
}

TEST_F(RemoteMain, ASnapshotIsMovedByLeaseAndCanBeHadElsewhere) {
  const Repository here = clone(project_), elsewhere = clone(other_);
  const std::string ref = "refs/capsule/run-1/demo-1";
  const std::string first = merge_on(here, here.head, "first");
  const std::string second = merge_on(here, first, "second");
  ASSERT_TRUE(push_ref(here, remote(), ref, "", first));
  ASSERT_TRUE(push_ref(here, remote(), ref, first, second));
  const auto late = push_ref(here, remote(), ref, first, first);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().why, RemoteTrouble::moved);
  const auto there = fetch_ref(elsewhere, remote(), ref);
  ASSERT_TRUE(there);
  EXPECT_EQ(*there, second);
  EXPECT_EQ(git_code(other_, {"cat-file", "-e", second + "^{tree}"}), 0);
  EXPECT_EQ(fetch_ref(elsewhere, remote(), "refs/capsule/run-1/another").value_or("?"), "");
}

TEST_F(RemoteMain, IsReachedBySshAsTheUserSays) {
  // Stands for ssh: "… host COMMAND".
  write(root_ + "/ssh", "#!/bin/sh\nfor last; do :; done\nexec sh -c \"$last\"\n");
  ::chmod((root_ + "/ssh").c_str(), 0755);
  git(root_, {"config", "--global", "core.sshCommand", "'" + root_ + "/ssh'"});
  const Repository repository = clone(project_);
  const Remote ssh = **find_remote(repository, "host:" + shared_);
  Merger merger{repository, ssh, 1};
  ASSERT_TRUE(merger.begin());
  ASSERT_TRUE(merger.end());
  EXPECT_EQ(there(kMain), merger.merge);
}

// An agent may write to the repository's configuration; hooks of it never run.
TEST_F(RemoteMain, TheRepositorysConfigurationHasNoSay) {
  const std::string ran = root_ + "/ran";
  for (const char* key : {"core.sshCommand", "credential.helper", "core.fsmonitor", "core.gitProxy",
                          "uploadpack.packObjectsHook"})
    git(project_, {"config", key, "touch '" + ran + "'"});
  git(project_, {"config", "url." + root_ + "/gone.insteadOf", shared_});
  git(project_, {"config", "push.followTags", "true"});
  git(project_, {"tag", "-a", "-m", "x", "v1"});
  write(project_ + "/.git/hooks/pre-push", "#!/bin/sh\ntouch '" + ran + "'\nexit 1\n");
  ::chmod((project_ + "/.git/hooks/pre-push").c_str(), 0755);
  Merger merger{clone(project_), remote(), 1};
  ASSERT_TRUE(merger.begin());
  ASSERT_TRUE(merger.end());
  EXPECT_FALSE(std::filesystem::exists(ran));
  EXPECT_EQ(there("refs/tags/v1"), "");
}

TEST_F(RemoteMain, IsFoundByItsNameOrAddress) {
  const Repository repository = clone(project_);
  EXPECT_EQ(MUST(find_remote(repository, ""))->url, shared_);
  EXPECT_FALSE(MUST(find_remote(repository, "none")));
  EXPECT_EQ(MUST(find_remote(repository, "../shared.git"))->url, repository.top + "/../shared.git");
  EXPECT_EQ(MUST(find_remote(repository, "git@host:x/y.git"))->url, "git@host:x/y.git");
  const auto secret = MUST(find_remote(repository, "https://ann:s3cret@host/x.git"));
  EXPECT_EQ(secret->shown, "https://host/x.git");
  for (const char* bad : {"ext::sh -c x", "fd::3", "git://host/x", "-x:/y"})
    EXPECT_FALSE(find_remote(repository, bad)) << bad;
  const auto unknown = find_remote(repository, "upstream");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().reason, Reason::not_found);
  git(project_, {"remote", "remove", "origin"});
  EXPECT_FALSE(MUST(find_remote(repository, "")));
}

}  // namespace
}  // namespace capsule::git
