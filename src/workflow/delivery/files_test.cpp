// Who holds files, who waits for them, and that nobody waits for ever.
#include "workflow/delivery/test_support.h"

namespace capsule::delivery {
namespace {

void wants(Desk& desk, const std::string& id, const std::string& file, const char* can_wait) {
  desk.says(id, Signal::file_conflict, {{"Can Wait", can_wait}}, file);
}

TEST(DeliveryFiles, ATaskWhoseFileIsHeldIsPassedOverWhileAnotherCanRun) {
  Desk desk({task("A", {}, {"x"}), task("B", {}, {"x"}), task("C", {}, {"y"})}, {2, 1, 1});
  EXPECT_EQ(desk.started(), (Words{"developer A", "developer C"}));
}

TEST(DeliveryFiles, ItRunsWithANoticeWhenNoOtherCan) {
  Desk desk({task("A", {}, {"x"}), task("B", {}, {"x", "z"})}, {2, 1, 1});
  EXPECT_EQ(desk.started(), (Words{"developer A", "developer B"}));
  const auto starts = desk.starts();
  EXPECT_TRUE(starts[0].notices.empty());
  ASSERT_EQ(lines(starts[1].notices), 1);
  EXPECT_NE(starts[1].notices.find("task A"), std::string::npos);
  EXPECT_EQ(desk.facts<FileCoordinated>().size(), 1u);
  EXPECT_EQ(desk["A"].held.size(), 1u);
  EXPECT_EQ(desk["B"].held.size(), 1u) << "z, but not x: a file has one holder";
}

TEST(DeliveryFiles, ItWaitsWhenTheHolderIsInReviewOrAuditOrMerge) {
  Desk desk({task("A", {}, {"x"}), task("B", {}, {"x"})}, {1, 1, 1});
  desk.says("A", Signal::ready_for_review);
  EXPECT_EQ(desk.started(), Words{"critic A"});
  desk.says("A", Signal::review_passed);
  EXPECT_EQ(desk.started(), Words{"auditor A"});
  desk.says("A", Signal::audit_passed);
  EXPECT_TRUE(desk.started().empty());
  desk.merges("A");
  EXPECT_EQ(desk.started(), Words{"developer B"});
  EXPECT_TRUE(desk.start().notices.empty());
}

TEST(DeliveryFiles, AHolderThatWaitsForAPersonKeepsNobodyBack) {
  Desk desk({task("A", {}, {"x"}), task("B", {}, {"x"})}, {1, 1, 1});
  desk.says("A", Signal::ready_for_review);
  desk.says("A", Signal::divine_clarification);
  EXPECT_EQ(desk.started(), Words{"developer B"});
  EXPECT_EQ(lines(desk.start().notices), 1);
}

TEST(DeliveryFiles, AFreedFileGoesToTheBestWhoWaits) {
  Desk desk({task("A", {}, {"x"}), task("B", {}, {"x"}), task("C", {}, {"x"}), task("D", {"C"})},
            {1, 1, 1});
  EXPECT_EQ(desk.started(), Words{"developer C"}) << "it unblocks most";
  desk.passes("C");
  desk.merges("C");
  EXPECT_EQ(desk.started(), Words{"developer A"});
}

TEST(DeliveryFiles, AConflictThatCanWaitIsQueuedAndToldWhenTheFileIsFree) {
  Desk desk({task("A", {}, {"x"}), task("B")});
  wants(desk, "B", "x", "YES");
  EXPECT_EQ(desk["B"].hold, Hold::file);
  ASSERT_EQ(desk.of<SetTimer>().size(), 1u);
  EXPECT_EQ(desk.facts<FileWaitStarted>().at(0).holder, "A");
  desk.completes("A");
  EXPECT_EQ(desk.started(), Words{"developer B"});
  EXPECT_EQ(desk.start().why, Why::file_free);
  EXPECT_EQ(desk["B"].held.size(), 1u);
}

TEST(DeliveryFiles, OfSeveralConflictsOneThatCannotWaitDecides) {
  Desk desk({task("A", {}, {"x", "y"}), task("B")});
  AgentFinished f = Desk::output(
      desk.agent_of("B"), Signal::file_conflict,
      {{"Can Wait", "YES"}, {std::string(event::delivery::kAlso), "y"}, {"Can Wait", "NO"}}, "x");
  f.more = {"y"};
  desk.give(f);
  EXPECT_EQ(desk.started(), Words{"developer B"});
  EXPECT_EQ(lines(desk.start().notices), 2);
}

TEST(DeliveryFiles, ANoticeReachesTheDeveloperWhoeverIsAskedBefore) {
  Desk desk({task("A", {}, {"x"}), task("B")});
  wants(desk, "B", "x", "NO");
  desk.says("A", Signal::ready_for_review);
  desk.says("A", Signal::review_failed);
  EXPECT_EQ(desk.started(), Words{"developer A"});
  ASSERT_EQ(lines(desk.start().notices), 1);
  EXPECT_NE(desk.start().notices.find("Task B"), std::string::npos);
}

TEST(DeliveryFiles, AConflictThatCannotWaitIsCoordinatedAndBothAreTold) {
  Desk desk({task("A", {}, {"x"}), task("B")});
  wants(desk, "B", "x", "NO");
  EXPECT_EQ(desk.started(), Words{"developer B"});
  EXPECT_EQ(desk.start().why, Why::coordinated);
  EXPECT_EQ(lines(desk.start().notices), 1);
  desk.says("A", Signal::ready_for_review);
  EXPECT_EQ(lines(desk.starts().at(0).notices), 1) << "the holder's next agent";
}

TEST(DeliveryFiles, AFileThatNobodyHoldsIsGivenAtOnce) {
  Desk desk({task("A", {}, {"x"}), task("B")});
  wants(desk, "B", "free", "YES");
  EXPECT_EQ(desk.start().why, Why::file_free);
  wants(desk, "A", "free", "YES");
  EXPECT_EQ(desk["A"].hold, Hold::file);
}

TEST(DeliveryFiles, TasksThatHoldWhatTheOtherWantsDoNotDeadlock) {
  Desk desk({task("A", {}, {"x"}), task("B", {}, {"y"}), task("C", {}, {"z"})});
  wants(desk, "A", "y", "YES");
  wants(desk, "B", "z", "YES");
  EXPECT_EQ(desk["A"].hold, Hold::file);
  EXPECT_EQ(desk["B"].hold, Hold::file);
  wants(desk, "C", "x", "YES");
  EXPECT_EQ(desk["C"].hold, Hold::none) << "that would close the circle";
  EXPECT_EQ(desk.start().why, Why::coordinated);
}

TEST(DeliveryFiles, AWaitForATaskAndOneForAFileDoNotDeadlock) {
  Desk desk({task("A", {}, {"x"}), task("B"), task("C", {"B"})});
  wants(desk, "B", "x", "YES");
  desk.says("A", Signal::task_incomplete, {{"Needed", "task C"}});
  EXPECT_EQ(desk["A"].hold, Hold::person) << "C waits for B, and B for A";
}

TEST(DeliveryFiles, TheThirdTimeAWaitIsTooLongAPersonIsAsked) {
  Desk desk({task("A", {}, {"x"}), task("B")});
  wants(desk, "B", "x", "YES");
  for (int i = 0; i < 2; ++i) {
    const int wait = desk["B"].wait;
    desk.give(FileWaitExpired{"B", wait});
    EXPECT_EQ(desk.of<SetTimer>().size(), 1u);
    desk.give(FileWaitExpired{"B", wait});
    EXPECT_TRUE(desk.commands.empty()) << "an old timer";
  }
  desk.give(FileWaitExpired{"B", desk["B"].wait});
  EXPECT_EQ(desk["B"].hold, Hold::person);
  EXPECT_EQ(desk.state.questions.at(0).kind, QuestionKind::file_wait);
  desk.answer(1, "go on");
  EXPECT_EQ(desk.started(), Words{"developer B"});
}

TEST(DeliveryFiles, ATaskThatAsksForFilesAgainAndAgainAsksAPerson) {
  Desk desk({task("A", {}, {"x"}), task("B")});
  wants(desk, "B", "x", "NO");
  wants(desk, "B", "x", "NO");
  wants(desk, "B", "x", "NO");
  EXPECT_EQ(desk["B"].hold, Hold::person);
}

TEST(DeliveryFiles, AFailedTaskGivesItsFilesBack) {
  Desk desk({task("A", {}, {"x"}), task("B")});
  wants(desk, "B", "x", "YES");
  for (int i = 0; i < 3; ++i) desk.dies("A");
  EXPECT_EQ(desk["A"].stage, Stage::failed);
  EXPECT_EQ(desk.started(), Words{"developer B"});
}

}  // namespace
}  // namespace capsule::delivery
