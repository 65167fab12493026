// What a person says before a task's work reaches main.
#include "workflow/delivery/test_support.h"

namespace capsule::delivery {
namespace {

using event::Integrate;

struct AskDesk : Desk {
  explicit AskDesk(std::vector<Task> tasks, Integrate integrate = Integrate::ask,
                   Limits limits = {}) {
    DeliveryStarted start;
    start.tasks = std::move(tasks);
    start.limits = limits;
    start.integrate = integrate;
    give(start);
    give(VerifyFinished{VerifyPurpose::baseline, {}, ""});
  }
  Merge merge() const {
    const auto found = of<Merge>();
    EXPECT_EQ(found.size(), 1U);
    return found.empty() ? Merge{} : found.front();
  }
  void tried(const std::string& id) {
    see(workflow::MergeTried{id, "/trees/" + id, "abc", {"a.c"}, {}});
  }
};

TEST(DeliveryApproval, ATaskIsTriedAndWaitsWhileTheOthersGoOn) {
  AskDesk desk({task("A"), task("B"), task("C", {"A"})});
  desk.passes("A");
  EXPECT_EQ(desk.merge().into, Merge::Into::nowhere);
  desk.tried("A");
  ASSERT_EQ(desk.of<Ask>().size(), 1U);
  EXPECT_NE(desk.of<Ask>()[0].text.find("/trees/A"), std::string::npos);
  EXPECT_NE(desk.of<Ask>()[0].context.find("a.c"), std::string::npos);
  EXPECT_EQ(desk["C"].stage, Stage::blocked) << "it waits for the merge";
  desk.passes("B");
  EXPECT_EQ(desk.merge().tree, "B") << "the queue goes on";
  desk.answer(1, "approve");
  desk.tried("B");
  const Merge real = desk.merge();
  EXPECT_EQ(real.tree, "A");
  EXPECT_EQ(real.into, Merge::Into::main);
  EXPECT_TRUE(real.edited);
  desk.merges("A");
  EXPECT_EQ(desk["A"].stage, Stage::complete);
  EXPECT_NE(desk.agent_of("C"), 0);
}

TEST(DeliveryApproval, AnApprovalOutlivesACrashAndEndsWithARefusedMerge) {
  AskDesk desk({task("A")});
  desk.passes("A");
  desk.tried("A");
  desk.crash();
  ASSERT_EQ(desk.of<Ask>().size(), 1U) << "asked again";
  desk.answer(1, "approve");
  desk.crash();
  EXPECT_EQ(desk.merge().into, Merge::Into::main);
  desk.see(workflow::MergeRefused{"A", MergeRefusal::conflict, "a.c", {}});
  EXPECT_EQ(desk["A"].stage, Stage::development);
  EXPECT_FALSE(desk["A"].approved);
}

TEST(DeliveryApproval, WordsGoBackToTheDeveloperAndCountAgainstNoLimit) {
  Limits limits;
  limits.questions = 1;
  limits.task_failures = 1;
  AskDesk desk({task("A")}, Integrate::ask, limits);
  for (int i = 1; i < 5; ++i) {
    desk.passes("A");
    desk.tried("A");
    desk.answer(i, "reject: use UTC");
    ASSERT_EQ(desk.starts().size(), 1U);
    EXPECT_EQ(desk.starts()[0].role, "developer");
    EXPECT_NE(desk.starts()[0].context.find("use UTC"), std::string::npos);
  }
  EXPECT_EQ(desk["A"].stage, Stage::development);
}

TEST(DeliveryApproval, ARefusalWithoutWordsFailsTheTaskWhichAsksAgainWhenItIsTriedAgain) {
  AskDesk desk({task("A")});
  desk.passes("A");
  desk.tried("A");
  desk.answer(1, "no");
  EXPECT_EQ(desk["A"].stage, Stage::failed);
  desk.give(DeliveryResumed{desk.state.slots, desk.state.limits, true});
  EXPECT_EQ(desk.merge().into, Merge::Into::nowhere);
}

TEST(DeliveryApproval, WhoNoLongerWantsToBeAskedHasTheWorkMerged) {
  AskDesk desk({task("A")});
  desk.passes("A");
  desk.tried("A");
  DeliveryResumed resumed{desk.state.slots, desk.state.limits, false};
  resumed.integrate = Integrate::merge;
  desk.give(resumed);
  EXPECT_TRUE(desk.of<Ask>().empty());
  EXPECT_EQ(desk.merge().into, Merge::Into::main);
}

TEST(DeliveryApproval, ATaskThatCouldNotBeMergedBeginsWithItsMergeWhenItIsTriedAgain) {
  Limits limits;
  limits.merge_rework = 1;
  AskDesk desk({task("A")}, Integrate::merge, limits);
  desk.passes("A");
  desk.see(workflow::MergeRefused{"A", MergeRefusal::conflict, "a.c", {}});
  EXPECT_EQ(desk["A"].stage, Stage::failed);
  desk.give(DeliveryResumed{desk.state.slots, desk.state.limits, true});
  EXPECT_TRUE(desk.starts().empty()) << "nobody is called";
  EXPECT_TRUE(desk.merge().edited) << "a person may have mended it";
  Desk gone = desk;
  desk.merges("A");
  EXPECT_EQ(desk["A"].stage, Stage::complete);
  gone.see(workflow::MergeRefused{"A", MergeRefusal::error, "its worktree is gone", {}});
  ASSERT_EQ(gone.starts().size(), 1U);
  EXPECT_EQ(gone.starts()[0].role, "developer");
}

TEST(DeliveryApproval, WhatAVersionDidThatCalledTheDeveloperFirstIsStillRead) {
  Limits limits;
  limits.merge_rework = 1;
  AskDesk desk({task("A")}, Integrate::merge, limits);
  desk.passes("A");
  desk.see(workflow::MergeRefused{"A", MergeRefusal::conflict, "a.c", {}});
  State state = desk.replayed();
  for (const DeliveryFact& fact :
       {DeliveryFact(DeliveryResumed{state.slots, state.limits, true}),
        DeliveryFact(AgentDispatched{9, Role::developer, "A", 2, 9, Why::retried, "", ""})})
    delivery::apply(state, fact);
  EXPECT_EQ(state.tasks[0].stage, Stage::development);
  EXPECT_TRUE(state.merges.empty());
}

TEST(DeliveryApproval, AGuardedChangeIsPutToAPersonWhoIsThere) {
  const workflow::MergeRefused guarded{"A",           MergeRefusal::verify_failed,
                                       "put it back", {"guard"},
                                       {"Makefile"},  "Makefile: 1 line added, 0 removed"};
  AskDesk alone({task("A")}, Integrate::merge);
  alone.passes("A");
  alone.see(guarded);
  EXPECT_EQ(alone["A"].stage, Stage::development) << "nobody is there: it goes back";
  AskDesk desk({task("A")});
  desk.passes("A");
  desk.see(guarded);
  ASSERT_EQ(desk.of<Ask>().size(), 1U);
  EXPECT_NE(desk.of<Ask>()[0].text.find("Makefile"), std::string::npos);
  EXPECT_EQ(run_summary(desk.state).waits.at(0).kind, "guard");
  AskDesk refused = desk;
  desk.answer(1, "yes");
  EXPECT_EQ(desk.merge().allowed, std::vector<std::string>{"Makefile"});
  refused.answer(1, "not that file");
  ASSERT_EQ(refused.starts().size(), 1U);
  EXPECT_NE(refused.starts()[0].context.find("not that file"), std::string::npos);
}

TEST(DeliveryApproval, TasksOnABranchAreNotClosed) {
  DeliveryStarted start;
  start.tasks = {task("A")};
  start.tracked = true;
  start.integrate = Integrate::branch;
  start.branch = "capsule-plan";
  Desk desk;
  desk.answers_itself = false;
  desk.give(start);
  desk.give(VerifyFinished{VerifyPurpose::baseline, {}, ""});
  desk.completes("A");
  EXPECT_TRUE(desk.of<CloseTask>().empty());
  EXPECT_EQ(run_summary(desk.state).on_branch, "capsule-plan");
  EXPECT_EQ(run_summary(desk.state).merged_as, "");
}

}  // namespace
}  // namespace capsule::delivery
