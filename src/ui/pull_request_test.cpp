// What a pull request says about the work on a branch.
#include "ui/pull_request.h"

#include <gmock/gmock.h>

namespace capsule::ui {
namespace {

using ::testing::HasSubstr;

TEST(PullRequest, OfAPlanEveryTaskSaysWhatItsTestsShowed) {
  Described described;
  described.run.workflow = "delivery";
  described.run.subject = "PLAN.md";
  described.run.title = "A plan";
  described.run.on_branch = "capsule-plan-a";
  view::Task task;
  task.id = "T-1";
  task.title = "First";
  task.words = "complete";
  task.evidence.by_name = true;
  task.evidence.passing = 3;
  task.evidence.failed_before = true;
  task.evidence.others_pass = 131;
  described.run.tasks = {task, view::Task{}};
  const std::string text = pull_request(described);
  EXPECT_TRUE(text.starts_with("# A plan\n\nBranch `capsule-plan-a`.\n")) << text;
  EXPECT_THAT(text, HasSubstr("- T-1: 3 new tests failed before, pass now; 131 others still pass"));
  EXPECT_EQ(text.find("- : \n", text.find("What shows it")), std::string::npos);
}

}  // namespace
}  // namespace capsule::ui
