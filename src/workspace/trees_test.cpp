#include "workspace/trees.h"

#include <set>

#include "workspace/test_support.h"

namespace capsule::workspace {
namespace {

namespace fs = std::filesystem;
using workflow::Settle;

// Trees of tasks: names of our own.
using TreesTest = TreesFixture;

TEST_F(TreesTest, WhatAReaderWroteIsKeptAndTakenBack) {
  const auto all = trees();
  const std::string path = MUST(all->prepare(writer("T-1")));
  write(path + "/work.txt", "work\n");
  const Settled kept = MUST(all->settle(writer("T-1")));
  EXPECT_EQ(kept.snapshot, "refs/capsule/" + run_ + "/T-1/0001-developer");
  MUST(all->prepare(reader("T-1")));
  EXPECT_TRUE(MUST(all->settle(reader("T-1"))).took_back.empty());
  write(path + "/work.txt", "meddled\n");
  write(path + "/extra.txt", "extra\n");
  EXPECT_EQ(MUST(all->settle(reader("T-1"))).took_back,
            (std::vector<std::string>{"extra.txt", "work.txt"}));
  EXPECT_EQ(read(path + "/work.txt"), "work\n");
  EXPECT_FALSE(fs::exists(path + "/extra.txt"));
  EXPECT_EQ(git(project_, {"show", "refs/capsule/" + run_ + "/T-1/0003-critic-look:extra.txt"}),
            "extra");
}

// As on another machine: the subject's tree is not there, its snapshot is.
TEST_F(TreesTest, ATreeArrivesFromASnapshotAndMayDoSoAgain) {
  settings_.subject = "bead-1";
  std::vector<std::string> shared;
  settings_.share = [&](const std::string& ref, const std::string& commit) -> Result<void> {
    shared.push_back(ref + " " + commit);
    return {};
  };
  const std::string base = git(project_, {"rev-parse", "main"});
  workflow::Kept kept;
  std::string path;
  {
    const auto all = trees();
    path = MUST(all->open({"bead-1", "", "", base})).folder;
    write(path + "/work.txt", "work\n");
    commit(path, {"work.txt"}, "Work");
    write(path + "/more.txt", "more\n");
    kept = MUST(all->keep(keeping("bead-1", "1-execute")));
    EXPECT_EQ(shared,
              std::vector<std::string>{"refs/capsule/work/" + run_ + "/bead-1 " + kept.commit});
    MUST(all->remove({"bead-1", "", "", false}));
    EXPECT_EQ(shared.back(), "refs/capsule/work/" + run_ + "/bead-1 ");
  }
  git(project_, {"update-ref", "-d", kept.ref});
  const auto all = trees();
  MUST_VOID(all->arrive(base, kept.ref, kept.commit));
  EXPECT_EQ(read(path + "/more.txt"), "more\n");
  EXPECT_EQ(git(path, {"log", "--format=%s", "-1"}), "Work");
  EXPECT_EQ(git(path, {"status", "--porcelain"}), "?? more.txt");
  EXPECT_EQ(git(project_, {"rev-parse", kept.ref}), kept.commit);
  // Cut off in its midst, and done again: what is there is kept aside.
  write(path + "/more.txt", "half done\n");
  MUST_VOID(trees()->arrive(base, kept.ref, kept.commit));
  EXPECT_EQ(read(path + "/more.txt"), "more\n");
  EXPECT_NE(git(project_, {"for-each-ref", "--format=%(refname)", "refs/capsule/" + run_})
                .find("arrived-unfinished"),
            std::string::npos);
}

TEST_F(TreesTest, WhatAReaderWroteIsTakenBackBeforeAnythingWasKept) {
  const auto all = trees();
  const std::string path = MUST(all->prepare(reader("+analysis")));
  write(path + "/README", "meddled\n");
  write(path + "/extra.txt", "extra\n");
  EXPECT_EQ(MUST(all->settle(reader("+analysis"))).took_back,
            (std::vector<std::string>{"README", "extra.txt"}));
  EXPECT_EQ(read(path + "/README"), "hello\n");
  EXPECT_EQ(git(path, {"rev-parse", "HEAD"}), all->base_of("+analysis"));
  EXPECT_EQ(git(path, {"status", "--porcelain"}), "");
}

TEST_F(TreesTest, ACommitOfAReaderIsTakenBack) {
  const auto all = trees();
  const std::string path = MUST(all->prepare(writer("T-1")));
  write(path + "/work.txt", "work\n");
  MUST(all->settle(writer("T-1")));
  commit(path, {"work.txt"}, "sneaked in");
  EXPECT_FALSE(MUST(all->settle(reader("T-1"))).took_back.empty());
  EXPECT_EQ(git(path, {"rev-parse", "HEAD"}), all->base_of("T-1"));
}

TEST_F(TreesTest, AProcessThatTakesTheRunUpKnowsTheStateThatCounts) {
  std::string path;
  {
    const auto all = trees();
    path = MUST(all->prepare(writer("T-1")));
    write(path + "/work.txt", "work\n");
    MUST(all->settle(writer("T-1")));
    write(path + "/work.txt", "meddled\n");
  }
  const auto again = trees();
  EXPECT_EQ(MUST(again->prepare(reader("T-1"))), path);
  EXPECT_EQ(read(path + "/work.txt"), "work\n") << "the first look takes back what a reader wrote";
}

TEST_F(TreesTest, WhatACutOffWriterLeftIsKeptAndGoneOnWith) {
  std::string path;
  {
    const auto all = trees();
    path = MUST(all->prepare(writer("T-1")));
    write(path + "/half.txt", "half\n");
  }
  const auto again = trees();
  MUST(again->prepare(writer("T-1")));
  EXPECT_EQ(read(path + "/half.txt"), "half\n");
  const std::string ref = "refs/capsule/" + run_ + "/T-1/0001-developer-unfinished";
  EXPECT_EQ(git(project_, {"show", ref + ":half.txt"}), "half");
  // Only once: what this process saw, it need not look at.
  MUST(again->prepare(writer("T-1")));
  EXPECT_EQ(git(project_, {"for-each-ref", "--format=%(refname)", "refs/capsule"}), ref);
}

TEST_F(TreesTest, AConflictComesToTheDeveloperAsMarkers) {
  const auto all = trees();
  const std::string path = MUST(all->prepare(writer("T-2")));
  write(path + "/README", "two\n");
  write(path + "/two.txt", "2\n");
  MUST(all->settle(writer("T-2")));
  write(project_ + "/README", "one\n");
  commit(project_, {"README"}, "one");
  workflow::StartAgent start = writer("T-2");
  start.bring_main = workflow::BringMain::if_no_clash;
  MUST(all->prepare(start));
  EXPECT_EQ(read(path + "/README"), "two\n") << "nothing is done when there are conflicts";
  start.bring_main = workflow::BringMain::mark;
  MUST(all->prepare(start));
  EXPECT_EQ(all->unresolved("T-2"), std::vector<std::string>{"README"});
  EXPECT_EQ(read(path + "/two.txt"), "2\n");
  // Another process finds the markers by themselves.
  const auto again = trees();
  MUST(again->prepare(writer("T-2")));
  EXPECT_EQ(again->unresolved("T-2"), std::vector<std::string>{"README"});
  write(path + "/README", "one and two\n");
  EXPECT_TRUE(again->unresolved("T-2").empty());
}

TEST_F(TreesTest, TwoRunsMayUseTheSameTaskIds) {
  const auto first = trees("r-aaa"), second = trees("r-bbb");
  EXPECT_NE(MUST(first->prepare(writer("1.1"))), MUST(second->prepare(writer("1.1"))));
}

TEST_F(TreesTest, WhateverATreeIsCalledItLiesBesideTheOthers) {
  const auto all = trees();
  std::set<std::string> folders;
  for (const std::string& key :
       {std::string(100, 'x'), std::string("../../out"), std::string("-rf"), std::string("a b\n"),
        std::string("checkout"), std::string("x.lock"), std::string("+analysis"),
        std::string("ü")}) {
    const std::string path = MUST(all->prepare(writer(key)));
    EXPECT_EQ(fs::path(path).parent_path(), project_ + "/.capsule/worktrees") << key;
    EXPECT_TRUE(folders.insert(path).second);
    write(path + "/x.txt", key);
    EXPECT_NE(MUST(all->settle(writer(key))).snapshot, "");
    MUST(all->remove({key, "", "", false}));
    EXPECT_FALSE(fs::exists(path));
  }
  EXPECT_FALSE(message_of(all->prepare(writer(""))).empty());
}

TEST_F(TreesTest, WhateverARoleIsCalledItsSnapshotsAreTold) {
  const auto all = trees();
  for (const std::string& role : {std::string("../x"), std::string("a b"), std::string(300, 'r'),
                                  std::string("x.lock"), std::string("ü\n")}) {
    workflow::StartAgent start = writer("T-1");
    start.role = role;
    MUST(all->prepare(start));
    MUST(all->settle(start));
    start.settle = Settle::take_back;
    write(all->folder_of("T-1").value_or("") + "/README", role);
    EXPECT_EQ(MUST(all->settle(start)).took_back.size(), 1U);
  }
  const auto again = trees();
  MUST(again->prepare(reader("T-1")));
  EXPECT_EQ(read(all->folder_of("T-1").value_or("") + "/README"), "hello\n")
      << "none of the looks counts";
}

TEST_F(TreesTest, ATreeThatIsOpenedAgainAfterItsRemovalStartsFromTheNewestMain) {
  const auto all = trees();
  const std::string path = MUST(all->prepare(writer("T-1")));
  write(path + "/old.txt", "old\n");
  MUST(all->settle(writer("T-1")));
  MUST(all->remove({"T-1", "", "", false}));
  EXPECT_EQ(MUST(all->prepare(reader("T-1"))), path);
  EXPECT_FALSE(fs::exists(path + "/old.txt"));
  // Nor does another process take the old snapshot for the state that counts.
  const auto again = trees();
  MUST(again->prepare(reader("T-1")));
  EXPECT_FALSE(fs::exists(path + "/old.txt"));
  EXPECT_EQ(git(project_, {"show", "refs/capsule/" + run_ + "/T-1/0001-developer:old.txt"}), "old");
}

TEST_F(TreesTest, ATreeThatIsGoneIsMadeAnewAsItWas) {
  const auto all = trees();
  const std::string path = MUST(all->prepare(writer("T-1")));
  write(path + "/work.txt", "work\n");
  const workflow::Kept kept = MUST(all->keep(keeping("T-1", "coding")));
  EXPECT_EQ(kept.ref, "refs/capsule/" + run_ + "/T-1/0001-coding");
  fs::remove_all(path);
  EXPECT_NE(message_of(all->keep(keeping("T-1", "x"))).find("is gone"), std::string::npos);
  MUST(all->take_back(taking_back("T-1", "cut-off")));
  EXPECT_EQ(read(path + "/work.txt"), "work\n");
  // The same in another process, with the snapshot named.
  fs::remove_all(path);
  const auto again = trees();
  MUST(again->take_back(taking_back("T-1", "cut-off", kept.commit)));
  EXPECT_EQ(read(path + "/work.txt"), "work\n");
}

TEST_F(TreesTest, WhatIsOnlyKeptIsNotPutBackAndDoesNotCount) {
  const auto all = trees();
  const std::string path = MUST(all->prepare(writer("T-1")));
  write(path + "/half.txt", "half\n");
  workflow::TakeBack only = taking_back("T-1", "developer");
  only.keep_only = true;
  MUST(all->take_back(only));
  EXPECT_EQ(read(path + "/half.txt"), "half\n");
  EXPECT_EQ(MUST(all->take_back(taking_back("T-1", "developer"))).paths,
            std::vector<std::string>{"half.txt"});
  EXPECT_FALSE(fs::exists(path + "/half.txt"));
}

TEST_F(TreesTest, NotesOutliveTheirTree) {
  settings_.notes = {".caw/spec.md", ".caw/context.md"};
  const auto all = trees();
  const std::string path = MUST(all->open({"auto", "", "", ""})).folder;
  EXPECT_TRUE(fs::is_directory(path + "/.caw"));
  write(path + "/.caw/spec.md", "the spec\n");
  fs::create_symlink("/etc/passwd", path + "/.caw/context.md");
  MUST(all->remove({"auto", "", "", false}));
  EXPECT_EQ(read(project_ + "/.caw/spec.md"), "the spec\n");
  EXPECT_FALSE(fs::exists(project_ + "/.caw/context.md"));
}

TEST_F(TreesTest, ABranchMayStayWhenItsTreeGoes) {
  const auto all = trees();
  const auto opened = MUST(all->open({"T-1", "", "", ""}));
  MUST(all->remove({"T-1", "", "", true}));
  EXPECT_FALSE(fs::exists(opened.folder));
  EXPECT_EQ(git(project_, {"rev-parse", opened.branch}), opened.base);
}

TEST_F(TreesTest, InThePersonsOwnCheckoutNothingIsEverPutBack) {
  settings_.checkout = "checkout";
  const auto all = trees();
  EXPECT_EQ(MUST(all->open({"checkout", "", "", ""})).folder, project_);
  write(project_ + "/mine.txt", "mine\n");
  EXPECT_TRUE(MUST(all->take_back(taking_back("checkout", "x"))).paths.empty());
  const auto kept = MUST(all->keep(keeping("checkout", "coding")));
  EXPECT_EQ(git(project_, {"show", kept.ref + ":mine.txt"}), "mine");
  write(project_ + "/mine.txt", "changed\n");
  EXPECT_EQ(MUST(all->take_back(taking_back("checkout", "review"))).paths,
            std::vector<std::string>{"mine.txt"});
  EXPECT_EQ(read(project_ + "/mine.txt"), "changed\n");
  MUST(all->remove({"checkout", "", "", false}));
  EXPECT_EQ(read(project_ + "/mine.txt"), "changed\n");
}

}  // namespace
}  // namespace capsule::workspace
