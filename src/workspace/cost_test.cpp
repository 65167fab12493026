// How many git processes the way of a bead through its tree starts, counted by a `git` on PATH that
// takes note of each call.
#include <sys/stat.h>

#include <optional>

#include "process/test_support.h"
#include "workspace/merge.h"
#include "workspace/test_support.h"

namespace capsule::workspace {
namespace {

class TreesCost : public TreesFixture {
 protected:
  void SetUp() override {
    TreesFixture::SetUp();
    settings_.subject = "bead-1";
    settings_.worklog = Worklog{"# {{TASK_ID}}\n", {}, [] { return std::string("now"); }};
    const Result<std::string> real = process::find_program("git", std::getenv("PATH"), -1);
    ASSERT_TRUE(real);
    write(root_ + "/bin/git",
          "#!/bin/sh\necho >>'" + root_ + "/calls'\nexec '" + *real + "' \"$@\"\n");
    ::chmod((root_ + "/bin/git").c_str(), 0755);
    path_ = std::getenv("PATH");
    ::setenv("PATH", (root_ + "/bin:" + path_).c_str(), 1);
  }
  void TearDown() override {
    ::setenv("PATH", path_.c_str(), 1);
    TreesFixture::TearDown();
  }
  std::size_t calls() {
    const std::size_t count = read(root_ + "/calls").size();
    write(root_ + "/calls", "");
    return count;
  }
  std::string path_;
};

TEST_F(TreesCost, ABeadCostsNoMoreThanItsWorktreeSnapshotsAndMerge) {
  const auto all = trees();
  (void)calls();
  const auto planned = MUST(all->plan({"bead-1", ""}));
  EXPECT_EQ(calls(), 0U);
  const auto opened = MUST(all->open({"bead-1", planned.folder, planned.branch, planned.base}));
  EXPECT_EQ(calls(), 3U);  // the settings, once; branch; files
  MUST(all->prepare(agent("bead-1", "execute", workflow::Settle::leave)));
  EXPECT_EQ(calls(), 0U);
  write(opened.folder + "/new.c", "int n;\n");
  workflow::Keep keep = keeping("bead-1", "1-execute");
  keep.parent = opened.base;
  keep.notes = {{"execute", 1, signal::Status::pass, "done", ""}};
  const auto kept = MUST(all->keep(keep));
  EXPECT_EQ(calls(), 3U);
  commit(opened.folder, {"new.c"}, "bead-1: Title");
  (void)calls();
  workflow::Merge merge;
  merge.tree = merge.task = "bead-1";
  merge.title = "Title";
  merge.branch = opened.branch;
  merge.base = opened.base;
  merge.signed_off = kept.commit;
  merge.was_signed_off = true;
  const auto loop = process::testing::make_loop();
  gate::Checks checks(*loop, {});
  std::optional<workflow::Observation> answer;
  gate::Seen seen("", {}, "");
  Merges(*all, checks, seen).merge(merge, [&](workflow::Observation made) {
    answer = std::move(made);
  });
  ASSERT_TRUE(answer && std::holds_alternative<workflow::Merged>(*answer));
  // Refs, history, changes, the commit; the look at what was signed off; the user's files, main.
  EXPECT_EQ(calls(), 7U);
  MUST(all->archive({"bead-1", "", "bead-1"}));
  MUST(all->remove({"bead-1", "", "", false}));
  EXPECT_EQ(calls(), 2U);
}

TEST_F(TreesCost, ATaskCostsThreeForEachAgent) {
  const auto all = trees();
  (void)calls();
  const std::string path = MUST(all->prepare(writer("T-1")));
  EXPECT_EQ(calls(), 4U);  // main; the settings, once; branch; files
  write(path + "/new.c", "int n;\n");
  MUST(all->settle(writer("T-1")));
  EXPECT_EQ(calls(), 3U);
  MUST(all->prepare(reader("T-1")));
  MUST(all->settle(reader("T-1")));
  EXPECT_EQ(calls(), 3U);
}

}  // namespace
}  // namespace capsule::workspace
