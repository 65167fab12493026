#include "world/live_runs.h"

#include "world/questions.h"
#include "world/test_support.h"

namespace capsule::world {
namespace {

class LiveRuns : public ProjectTest {
 protected:
  // As if this process worked on it.
  std::unique_ptr<engine::Claim> work_on(const std::string& subject, const std::string& run) {
    auto claim = store->claim(subject, run, kAt);
    EXPECT_TRUE(claim) << claim.error().message;
    return claim ? *std::move(claim) : nullptr;
  }
  Result<world::Run> find(std::vector<std::string> words) {
    return find_live_run(*project, *store, words, Request::pause);
  }
};

TEST_F(LiveRuns, TheOnlyOneIsMeantWhereNoneIsNamed) {
  EXPECT_EQ(only_live_run(*project, nullptr).error().reason, Reason::not_found);
  pipeline("r-1", "demo-1", event::Outcome::none);
  pipeline("r-2", "demo-2", event::Outcome::none);
  EXPECT_EQ(only_live_run(*project, store.get()).error().reason, Reason::not_found);
  const auto first = work_on("demo-1", "r-1");
  EXPECT_EQ(MUST(only_live_run(*project, store.get())).head.run, "r-1");
  const auto second = work_on("demo-2", "r-2");
  const auto several = only_live_run(*project, store.get());
  EXPECT_EQ(several.error().reason, Reason::usage);
  EXPECT_EQ(several.error().hint, "name one of them: capsule attach demo-1");
}

TEST_F(LiveRuns, OneThatNobodyWorksOnCannotBeStoppedAndIsGoneOnWith) {
  EXPECT_EQ(find({"demo-1"}).error().message, "no run of demo-1 is in progress");
  pipeline("r-1", "demo-1", event::Outcome::none);
  EXPECT_EQ(find({"demo-1"}).error().hint, "go on with it: capsule run demo-1");
  const auto claim = work_on("demo-1", "r-1");
  const world::Run run = MUST(find({"demo-1"}));
  EXPECT_EQ(go_on_once_stopped(*project, run), "capsule run demo-1 --resume");
}

TEST_F(LiveRuns, APlanStopsAsAWhole) {
  delivery("r-1", "delivery:a");
  const auto claim = work_on("delivery:a", "r-1");
  const auto task = find({"a", "T-1"});
  EXPECT_EQ(task.error().message, "one task of a plan cannot be paused alone: T-1 of a");
  EXPECT_EQ(task.error().hint, "pause the whole plan: capsule pause a");
  EXPECT_TRUE(find({"a"}));
}

TEST_F(LiveRuns, WordsAreLeftForARunThatCanGoOnAndRefusedByOneThatCannot) {
  pipeline("r-1", "demo-1", event::Outcome::none);
  Found found = MUST(find_run(*project, store.get(), {"demo-1"}));
  const LeftMessage left = MUST(leave_words(*project, *store, found, {"Use UTC", false}));
  EXPECT_FALSE(left.state.recorded);
  const auto pending = pending_messages(project->root(), "r-1");
  ASSERT_EQ(pending.size(), 1U);
  EXPECT_EQ(pending[0].message, left.id);
  EXPECT_EQ(pending[0].text, "Use UTC");
  EXPECT_FALSE(left.heard_at_once);

  pipeline("r-2", "demo-2", event::Outcome::merged);
  found = MUST(find_run(*project, store.get(), {"demo-2"}));
  EXPECT_EQ(leave_words(*project, *store, found, {"Use UTC", false}).error().reason,
            Reason::refused);
  EXPECT_TRUE(pending_messages(project->root(), "r-2").empty());
}

TEST_F(LiveRuns, OnlyWhatWaitsForApprovalIsApproved) {
  delivery("r-1", "delivery:a");
  const Found found = MUST(find_run(*project, store.get(), {"a"}));
  EXPECT_EQ(find_approval(*project, found).error().message, "a does not wait for approval");
  Found two = found;
  for (const char* task : {"T-1", "T-2"}) {
    workflow::Waiting wait;
    wait.what = workflow::Waiting::For::approval;
    wait.task = task;
    two.run.summary.waits.push_back(wait);
  }
  EXPECT_EQ(find_approval(*project, two).error().hint, "name one of them: capsule approve a T-1");
  two.task = "T-2";
  EXPECT_EQ(MUST(find_approval(*project, two)).task, "T-2");
}

}  // namespace
}  // namespace capsule::world
