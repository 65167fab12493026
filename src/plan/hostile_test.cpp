// Plans that nobody would write: clear errors, and costs that grow with the text.
#include <gtest/gtest.h>

#include <algorithm>

#include "plan/plan.h"

namespace capsule::plan {
namespace {

ProblemKind only_error(const Checked& checked) {
  EXPECT_EQ(checked.errors.size(), 1u);
  return checked.errors.empty() ? ProblemKind::no_title : checked.errors[0].kind;
}

TEST(HostilePlan, EmptyPlansHaveNoTask) {
  for (const char* text : {"", "\n", "\xEF\xBB\xBF", "# Title\n", "## Phases\n### Phase 1: x\n",
                           "prose\r\nand more\r\n", "```\n#### Task T1: fenced\n```\n"})
    EXPECT_EQ(only_error(read_plan(text)), ProblemKind::no_tasks) << text;
}

TEST(HostilePlan, BinaryIsNotText) {
  using namespace std::string_literals;
  const Checked nul = read_plan("# T\n\n\0x"s);
  EXPECT_EQ(only_error(nul), ProblemKind::not_text);
  EXPECT_EQ(nul.errors[0].line, 3);
  EXPECT_EQ(only_error(read_plan("# T\n\xff\xfe")), ProblemKind::not_text);
  EXPECT_EQ(only_error(read_plan("\x7f"
                                 "ELF\x02\x01\x01\0\0"s)),
            ProblemKind::not_text);
}

TEST(HostilePlan, FiftyMegabytesAreRefusedBeforeTheyAreRead) {
  const std::string text(50'000'000, '#');
  const Checked checked = read_plan(text);
  EXPECT_EQ(only_error(checked), ProblemKind::too_large);
  EXPECT_TRUE(checked.plan.tasks.empty());
}

TEST(HostilePlan, TenThousandTasksInOneCycleAreToldWithTheirWholePath) {
  std::string text = "# T\n";
  for (int i = 0; i < 10'000; ++i)
    text += "#### Task T" + std::to_string(i) + ": t\n**Blocked By**: T" +
            std::to_string((i + 1) % 10'000) + "\n";
  const Checked checked = read_plan(text);
  ASSERT_EQ(checked.errors.size(), 2u);
  EXPECT_EQ(checked.errors[0].kind, ProblemKind::nothing_can_start);
  EXPECT_EQ(checked.errors[1].kind, ProblemKind::cycle);
  EXPECT_EQ(checked.errors[1].tasks.size(), 10'001u);
}

TEST(HostilePlan, ManyTasksThatShareOneFileAndEachOtherAreStillRead) {
  std::string text = "# T\n";
  for (int i = 0; i < 20'000; ++i)
    text += "#### Task T" + std::to_string(i) + ": t\n**Files**: same.c\n**Blocked By**: none\n";
  const Checked checked = read_plan(text);
  EXPECT_TRUE(checked.ok());
  EXPECT_EQ(checked.warnings.size(), kMaxProblems);
}

TEST(HostilePlan, ADenseGroupOfCyclesEndsSoon) {
  std::string text = "# T\n";
  constexpr int kTasks = 300;
  for (int i = 0; i < kTasks; ++i) {
    text += "#### Task T" + std::to_string(i) + ": t\n**Blocked By**: ";
    for (int k = 0; k < kTasks; ++k) text += "T" + std::to_string(k) + ", ";
    text += "\n";
  }
  const Checked checked = read_plan(text);
  EXPECT_GT(checked.errors.size(), 20u);
  EXPECT_LT(checked.errors.size(), 200u);
}

TEST(HostilePlan, LongChainsUseNoStack) {
  std::string text = "# T\n#### Task T0: t\n**Blocked By**: none\n";
  for (int i = 1; i < 50'000; ++i)
    text +=
        "#### Task T" + std::to_string(i) + ": t\n**Blocked By**: T" + std::to_string(i - 1) + "\n";
  const Checked checked = read_plan(text);
  EXPECT_TRUE(checked.ok());
  EXPECT_EQ(schedule_of(checked.plan).critical_path.size(), 50'000u);
}

TEST(HostilePlan, TextOfAPlanCannotReachTheTerminalRaw) {
  const Checked checked =
      read_plan("# T\n#### Task \x1b[31mred: t\n**Blocked By**: \x1b]0;x\x07\n");
  for (const Problem& problem : checked.errors)
    EXPECT_EQ(problem.text.find('\x1b'), std::string::npos) << problem.text;
  EXPECT_GE(checked.errors.size(), 2u);
}

}  // namespace
}  // namespace capsule::plan
