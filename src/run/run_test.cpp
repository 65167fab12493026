// Which run is meant, and what is refused before anything is started. That runs are carried to
// their end is shown through the binary, in tests/program.
#include "run/auto_run.h"
#include "run/bead_orders.h"
#include "run/delivery_run.h"
#include "world/test_support.h"

namespace capsule::run {
namespace {

class Orders : public world::ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    write(project_ + "/.capsule/config.yaml", "tracker: native\nprovider: rehearsal\n");
    write(project_ + "/.beads/issues.jsonl",
          R"({"id":"demo-1","title":"One","status":"open","issue_type":"task"})"
          "\n"
          R"({"id":"demo-2","title":"Two","status":"closed","issue_type":"task"})"
          "\n");
  }
  world::Project opened() {
    world::ProjectWords words;
    words.folder = project_;
    auto found = world::open_project(words);
    EXPECT_TRUE(found) << found.error().message;
    return *std::move(found);
  }
  std::size_t runs() { return store->runs().value_or(std::vector<engine::RunHead>{}).size(); }
};

TEST_F(Orders, AClosedBeadIsNotRunAndNothingIsRecorded) {
  const auto code = run_bead(opened(), "demo-2", {}, ui::Look::quiet);
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().reason, Reason::refused);
  EXPECT_EQ(runs(), 0U);
}

TEST_F(Orders, AWorktreeThatIsThereIsNotTakenWithoutAWord) {
  make_worktree(project->repository, "demo-1");
  const auto code = run_bead(opened(), "demo-1", {}, ui::Look::quiet);
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().reason, Reason::exists);
  EXPECT_NE(code.error().hint.find("--resume"), std::string::npos) << code.error().hint;
  EXPECT_EQ(prepare_bead(opened(), "demo-1", ui::Look::quiet).error().reason, Reason::exists);
}

TEST_F(Orders, WithoutAWorktreeThereIsNothingToMergeOrToResume) {
  EXPECT_EQ(merge_bead(opened(), "demo-1", ui::Look::quiet).error().reason, Reason::not_found);
  BeadOrder resume;
  resume.resume = true;
  EXPECT_EQ(run_bead(opened(), "demo-1", resume, ui::Look::quiet).error().reason,
            Reason::not_found);
}

TEST_F(Orders, APreparedBeadHasItsWorktreeAndBranch) {
  const phases::State state = MUST(prepare_bead(opened(), "demo-1", ui::Look::quiet));
  EXPECT_EQ(state.branch, "capsule-demo-1");
  EXPECT_NE(read(state.worktree + "/worklog.md").find("demo-1"), std::string::npos);
}

TEST_F(Orders, APlanThatAnotherProcessDeliversIsNotTouched) {
  write(project_ + "/PLAN.md", "# P\n#### Task A: a\n**Blocked By**: none\n");
  const std::string plan = std::filesystem::canonical(project_ + "/PLAN.md");
  const auto claim = MUST(store->claim(plan, "r-1", world::kAt));
  DeliveryOrder order;
  order.plan = plan;
  EXPECT_EQ(deliver(opened(), order, ui::Look::quiet).error().reason, Reason::blocked);
  EXPECT_EQ(runs(), 0U);
}

TEST_F(Orders, ARunOfAutoModeThatWasCutOffIsNotReplacedByAnotherTask) {
  event::auto_run::Started started;
  started.task = "This one";
  record("r-1", "auto", std::string(engine::kAutoSubject), {fact(event::auto_run::Fact(started))});
  const auto run = MUST(AutoRun::open(opened(), ui::Look::quiet));
  AutoOrder order;
  order.task = "Another one";
  EXPECT_EQ(run_auto(*run, order, [](const std::string&) {}).error().reason, Reason::refused);
  EXPECT_EQ(MUST(cancel_auto(*run)).substr(0, 22), "auto mode is cancelled");
  EXPECT_EQ(MUST(cancel_auto(*run)), "auto mode is not active");
}

}  // namespace
}  // namespace capsule::run
