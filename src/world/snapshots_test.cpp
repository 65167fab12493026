#include "world/snapshots.h"

#include "git/refs.h"
#include "world/teardown.h"
#include "world/test_support.h"

namespace capsule::world {
namespace {

class Snapshots : public ProjectTest {
 protected:
  void keep(const std::string& name) {
    git(project_, {"update-ref", "refs/capsule/" + name, "HEAD"});
  }
  static std::vector<std::string> names(const std::vector<Snapshot>& list) {
    std::vector<std::string> result;
    for (const Snapshot& one : list) result.push_back(one.name);
    return result;
  }
  Collection old(const std::vector<std::string>& words = {}, long age = 0) {
    auto found = old_snapshots(*project, *store, age, words);
    EXPECT_TRUE(found) << found.error().message;
    return found.value_or(Collection{});
  }
};

using Names = std::vector<std::string>;

TEST_F(Snapshots, AreFoundByRunTaskAndRescue) {
  delivery("r-1", "delivery:a");
  for (const char* name : {"r-1/T-1/0001-developer", "r-1/T-2/0002-developer", "other/1-execute",
                           "rescue/r-1/T-1/20260101-000000", "rescue/loose/20260101-000000"})
    keep(name);
  EXPECT_EQ(names(MUST(snapshots_of(*project, {"a", "T-1"}))),
            (Names{"r-1/T-1/0001-developer", "rescue/r-1/T-1/20260101-000000"}));
  const auto loose = MUST(snapshots_of(*project, {"loose"}));
  ASSERT_EQ(loose.size(), 1U) << "of a worktree that no run knew";
  EXPECT_TRUE(loose[0].rescued);
  EXPECT_EQ(loose[0].task, "");
}

TEST_F(Snapshots, AreRestoredByTheEndOfTheirNameUnlessSeveralTasksHaveIt) {
  delivery("r-1", "delivery:a");
  keep("r-1/T-1/0001-developer");
  const std::string folder = MUST(restore(*project, {"a"}, "0001-developer", ""));
  EXPECT_EQ(read(folder + "/README"), "hello\n");
  EXPECT_EQ(restore(*project, {"a"}, "0002-critic", "").error().reason, Reason::not_found);
  keep("r-1/T-2/0001-developer");
  EXPECT_EQ(restore(*project, {"a"}, "0001-developer", "").error().reason, Reason::usage);
}

TEST_F(Snapshots, OfRunsThatCanGoOnStayWithTheReason) {
  pipeline("r-1", "demo-1", event::Outcome::merged);
  delivery("r-2", "/p/PLAN.md");
  for (const char* name : {"r-1/1-execute", "r-2/T-1/0001-developer", "rescue/r-2/T-1/x"})
    keep(name);
  const Collection collection = old();
  EXPECT_EQ(names(collection.old), Names{"r-1/1-execute"});
  EXPECT_EQ(names(collection.needed), (Names{"r-2/T-1/0001-developer", "rescue/r-2/T-1/x"}));
  EXPECT_EQ(collection.runs, Names{"/p/PLAN.md"});
  EXPECT_TRUE(old({}, 1'000'000'000).needed.empty()) << "what is young is not spoken of";
}

TEST_F(Snapshots, ThatACleanUpRescuedGoWhenTheirRunIsNamedAndNobodyWorksOnIt) {
  delivery("r-2", "delivery:a");
  for (const char* name : {"r-2/T-1/0001-developer", "rescue/r-2/T-1/x", "other/1-execute"})
    keep(name);
  const Collection named = old({"a"});
  EXPECT_EQ(names(named.old), Names{"rescue/r-2/T-1/x"});
  EXPECT_EQ(names(named.needed), Names{"r-2/T-1/0001-developer"}) << "what it goes on with";
  {
    const auto claim = MUST(store->claim("delivery:a", "r-2", kAt));
    EXPECT_TRUE(old({"a"}).old.empty());
  }
  ASSERT_TRUE(remove_snapshots(*project, named.old));
  EXPECT_EQ(MUST(git::list_refs(project->repository, "refs/capsule")).size(), 2U);
}

TEST_F(Snapshots, TeardownNamesWhatItLeavesAloneAndRemovesItWhenTheRunIsNamed) {
  delivery("20260101-000000-abc123", "delivery:a");
  make_worktree(project->repository, "abc123-T-1");
  make_worktree(project->repository, "demo-7");
  Names lines;
  TeardownOrder order;
  order.tell = [&](const std::string& line) { lines.push_back(line); };
  order.dry_run = true;
  EXPECT_TRUE(MUST(teardown(*project, order)));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(lines[0].starts_with("left alone: abc123-T-1 belongs to a run that")) << lines[0];
  EXPECT_EQ(lines[1], "would remove worktree demo-7");
  EXPECT_TRUE(std::filesystem::exists(worktree_path("demo-7")));
  lines.clear();
  order.dry_run = false;
  order.words = {"a"};
  EXPECT_TRUE(MUST(teardown(*project, order)));
  EXPECT_EQ(lines, Names{"removed worktree abc123-T-1"});
  EXPECT_TRUE(std::filesystem::exists(worktree_path("demo-7")));
  EXPECT_EQ(MUST(snapshots_of(*project, {"a", "T-1"})).size(), 1U) << "what was in it is kept";
}

TEST(Ages, AreANumberAndAUnit) {
  EXPECT_EQ(age_in("30d").value_or(-1), 30L * 86'400);
  EXPECT_EQ(age_in("12h").value_or(-1), 12L * 3'600);
  EXPECT_EQ(age_in("90m").value_or(-1), 90L * 60);
  EXPECT_EQ(age_in("0s").value_or(-1), 0);
  for (const char* text : {"", "d", "30", "30 d", "-1d", "1w", "1dd", "1234567s", "\x1b"}) {
    const auto none = age_in(text);
    ASSERT_FALSE(none) << text;
    EXPECT_EQ(none.error().reason, Reason::usage);
  }
}

}  // namespace
}  // namespace capsule::world
