#include "plan/plan.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace capsule::plan {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kPlan = R"(# A small plan

## Overview
What it is about,
in two lines.

## Phases

### Phase 1: Ground

#### Task T1: The parser
**Work**: Write `src/parser.cpp` and its test.
It reads one line.

**Acceptance Criteria**:
- [ ] `parse("a=1")` gives one pair,
      and nothing else
- [x] an empty line gives none
**Blocked By**: none
**Required Reading**: docs/format.md, `docs/two words.md`
**Environment**: Debian 12

---

#### Task T-2.b: The writer
**Files**:
- src/writer.cpp: new
- `src/writer.h` (new)
**Blocked By**: T1
**Work**: Write it.
**Acceptance Criteria**:
1. output ends with a newline

### Phase 2: Roof
#### Task T3: Both
**Blocked By**:
- T1 (the parser)
- T-2.b
**Work:** Connect src/main.cpp.
**Acceptance Criteria:** the program echoes "a=1"
)";

const Problem* find(const std::vector<Problem>& list, ProblemKind kind) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const Problem& problem) { return problem.kind == kind; });
  return found == list.end() ? nullptr : &*found;
}

std::string one(const std::string& id, const std::string& blocked_by,
                const std::string& more = "") {
  return "#### Task " + id + ": Title\n**Work**: change src/" + id + ".c\n" +
         "**Acceptance Criteria**:\n- [ ] 1 is 1\n**Blocked By**: " + blocked_by + "\n" + more;
}

TEST(PlanText, EveryPartIsRead) {
  const Checked checked = read_plan(kPlan);
  EXPECT_TRUE(checked.ok());
  EXPECT_TRUE(checked.warnings.empty());
  const Plan& plan = checked.plan;
  EXPECT_EQ(plan.title, "A small plan");
  EXPECT_EQ(plan.overview, "What it is about,\nin two lines.");
  EXPECT_EQ(plan.phases, (Words{"Phase 1: Ground", "Phase 2: Roof"}));
  ASSERT_EQ(plan.tasks.size(), 3u);
  const Task& first = plan.tasks[0];
  EXPECT_EQ(first.id, "T1");
  EXPECT_EQ(first.title, "The parser");
  EXPECT_EQ(first.phase, "Phase 1: Ground");
  EXPECT_EQ(first.line, 11);
  EXPECT_EQ(first.work, "Write `src/parser.cpp` and its test.\nIt reads one line.");
  EXPECT_EQ(first.criteria, (Words{"`parse(\"a=1\")` gives one pair, and nothing else",
                                   "an empty line gives none"}));
  EXPECT_TRUE(first.blocked_by.empty());
  EXPECT_EQ(first.reading, (Words{"docs/format.md", "docs/two words.md"}));
  EXPECT_EQ(first.environment, "Debian 12");
  EXPECT_EQ(plan.tasks[1].id, "T-2.b");
  EXPECT_EQ(plan.tasks[1].files, (Words{"src/writer.cpp", "src/writer.h"}));
  EXPECT_EQ(plan.tasks[1].criteria, Words{"output ends with a newline"});
  EXPECT_EQ(plan.tasks[2].blocked_by, (Words{"T1", "T-2.b"}));
  EXPECT_EQ(plan.tasks[2].phase, "Phase 2: Roof");
  EXPECT_EQ(plan.tasks[2].work, "Connect src/main.cpp.");
}

TEST(PlanText, CarriageReturnsAndAByteOrderMarkDoNotMatter) {
  std::string other = "\xEF\xBB\xBF";
  for (const char c : kPlan) {
    if (c == '\n') other += '\r';
    other += c;
  }
  const Checked a = read_plan(kPlan);
  const Checked b = read_plan(other);
  EXPECT_EQ(a.plan.title, b.plan.title);
  EXPECT_EQ(a.plan.tasks, b.plan.tasks);
  EXPECT_TRUE(b.ok());
}

TEST(PlanText, ALineInsideATaskEndsNeitherTheTaskNorWhatFollows) {
  const Checked checked = read_plan("# T\n" + one("T1", "none") +
                                    "#### Task T2: Two\n**Work**: change b.c\n\n---\n\n"
                                    "A remark.\n**Acceptance Criteria**:\n- [ ] 1 is 1\n"
                                    "**Blocked By**: T1\n");
  ASSERT_EQ(checked.plan.tasks.size(), 2u);
  EXPECT_EQ(checked.plan.tasks[1].work, "change b.c");
  EXPECT_EQ(checked.plan.tasks[1].criteria, Words{"1 is 1"});
  EXPECT_EQ(checked.plan.tasks[1].blocked_by, Words{"T1"});
}

TEST(PlanText, ALongFenceIsClosedByALongOneAlone) {
  const Checked checked =
      read_plan("# T\n" + one("T1", "none", "**Work**: see\n````\n```\n**Files**: a.c\n````\n") +
                one("T2", "T1"));
  ASSERT_EQ(checked.plan.tasks.size(), 2u);
  EXPECT_TRUE(checked.plan.tasks[0].files.empty());
  EXPECT_EQ(checked.plan.tasks[1].blocked_by, Words{"T1"});
}

TEST(PlanText, CodeWithinALineOpensNoFence) {
  const Checked checked = read_plan(
      "# T\n" + one("T1", "none", "**Work**:\n```make``` must be run\n") + one("T2", "T1"));
  EXPECT_EQ(checked.plan.tasks.size(), 2u);
}

TEST(PlanText, WhatIsFencedUnderBlockedByIsNoReference) {
  const Checked checked =
      read_plan("# T\n" + one("T1", "none") + one("T2", "T1", "```\nnot an id\n```\nT9\n"));
  ASSERT_EQ(checked.errors.size(), 1u);
  EXPECT_NE(checked.errors[0].text.find("T9"), std::string::npos);
  EXPECT_EQ(checked.errors[0].line, 15);
  EXPECT_EQ(checked.plan.tasks[1].blocked_by, (Words{"T1", "T9"}));
}

TEST(PlanText, InsideACodeFenceNothingIsAHeadingOrALabel) {
  const Checked checked = read_plan(
      "# T\n" + one("T1", "none", "**Work**: see\n```\n#### Task X: no\n**Files**: a.c\n```\n"));
  ASSERT_EQ(checked.plan.tasks.size(), 1u);
  EXPECT_TRUE(checked.plan.tasks[0].files.empty());
  EXPECT_NE(checked.plan.tasks[0].work.find("#### Task X"), std::string::npos);
}

TEST(PlanText, NoneIsWrittenInManyWays) {
  for (const char* none : {"none", "None", "NONE.", "none (can start at once)", "n/a", "-", "",
                           "*none*", "Nothing", "None - it is first"})
    EXPECT_TRUE(read_plan("# T\n" + one("T1", none)).ok()) << none;
  // A task may be called so.
  const Checked checked = read_plan("# T\n" + one("none-1", "none") + one("T2", "none-1"));
  EXPECT_EQ(checked.plan.tasks[1].blocked_by, Words{"none-1"});
}

TEST(PlanText, ReferencesMayStandInManyForms) {
  for (const char* form : {"T1, T2", "T1 T2", "T1; T2", "Task T1 and Task T2", "`T1`, **T2**",
                           "[T1], [T2]", "\n- T1\n- T2", "T1 (why), T2 - because", "T1, T2, T1",
                           "\n* Task T1: Title\n* Task T2: Title"}) {
    const Checked checked =
        read_plan("# T\n" + one("T1", "none") + one("T2", "none") + one("T3", form));
    EXPECT_TRUE(checked.ok()) << form << ": " << (checked.ok() ? "" : checked.errors[0].text);
    EXPECT_EQ(checked.plan.tasks[2].blocked_by, (Words{"T1", "T2"})) << form;
  }
}

TEST(PlanCheck, AllProblemsAreToldAtOnceEachWithItsLine) {
  const Checked checked = read_plan("# T\n" + one("A", "Z") +        // lines 2 to 6
                                    one("A", "none") +               // 7 to 11
                                    "#### Task : no id\n" +          // 12
                                    one("C", "D") + one("D", "C") +  // 13, 18
                                    one("has blank", "none"));       // 23
  ASSERT_EQ(checked.errors.size(), 5u);
  const auto expect = [&](std::size_t i, ProblemKind kind, int line) {
    EXPECT_EQ(checked.errors[i].kind, kind);
    EXPECT_EQ(checked.errors[i].line, line);
  };
  expect(0, ProblemKind::unknown_reference, 6);
  expect(1, ProblemKind::duplicate_id, 7);
  expect(2, ProblemKind::bad_heading, 12);
  expect(3, ProblemKind::cycle, 13);
  expect(4, ProblemKind::bad_id, 23);
}

TEST(PlanCheck, ACycleIsToldWithItsWholePath) {
  const Checked checked =
      read_plan("# T\n" + one("A", "none") + one("B", "A, D") + one("C", "B") + one("D", "C"));
  const Problem* cycle = find(checked.errors, ProblemKind::cycle);
  ASSERT_NE(cycle, nullptr);
  EXPECT_EQ(cycle->tasks, (Words{"B", "D", "C", "B"}));
  EXPECT_NE(cycle->text.find("B → D → C → B"), std::string::npos);
  EXPECT_EQ(find(checked.errors, ProblemKind::nothing_can_start), nullptr);
}

TEST(PlanCheck, ATaskThatIsBlockedByItselfIsACycle) {
  const Checked checked = read_plan("# T\n" + one("A", "A"));
  EXPECT_EQ(find(checked.errors, ProblemKind::cycle)->tasks, (Words{"A", "A"}));
  EXPECT_NE(find(checked.errors, ProblemKind::nothing_can_start), nullptr);
}

TEST(PlanCheck, CyclesThatShareATaskAreAllTold) {
  const Checked checked = read_plan("# T\n" + one("A", "B") + one("B", "A, C") + one("C", "B") +
                                    one("X", "Y") + one("Y", "X"));
  EXPECT_EQ(std::count_if(checked.errors.begin(), checked.errors.end(),
                          [](const Problem& p) { return p.kind == ProblemKind::cycle; }),
            3);
}

TEST(PlanCheck, IdsThatNoBranchOrPathMayHoldAreRejected) {
  for (const char* id : {"a b", "../x", "-x", "a/b", "x.lock", "ü", "a..b"})
    EXPECT_NE(find(read_plan("# T\n" + one(id, "none")).errors, ProblemKind::bad_id), nullptr)
        << id;
  for (const std::string& id : {std::string("1"), std::string("1.2"), std::string("T_1"),
                                std::string("a-b"), std::string(100, 'x')})
    EXPECT_TRUE(read_plan("# T\n" + one(id, "none")).ok()) << id;
}

TEST(PlanCheck, CriteriaThatNothingCanVerifyAreWarnedAbout) {
  for (const char* vague :
       {"It works properly", "the search is fast", "Code is clean", "errors are handled gracefully",
        "it should be fast", "is working properly", "runs quickly", "handles errors properly"}) {
    const Checked checked =
        read_plan("# T\n" + one("T1", "none",
                                std::string("**Acceptance Criteria**:\n- [ ] ") + vague + "\n"));
    const Problem* problem = find(checked.warnings, ProblemKind::unverifiable);
    ASSERT_NE(problem, nullptr) << vague;
    EXPECT_EQ(problem->line, 8) << vague;
    EXPECT_TRUE(checked.ok());
  }
  for (const char* fine : {"the search is fast: below 20 ms", "`make test` works properly",
                           "works properly for input \"x\"", "breakfast is served",
                           "src/a.c is clean under the linter"}) {
    const Checked checked = read_plan(
        "# T\n" + one("T1", "none", std::string("**Acceptance Criteria**:\n- [ ] ") + fine + "\n"));
    EXPECT_EQ(find(checked.warnings, ProblemKind::unverifiable), nullptr) << fine;
  }
}

TEST(PlanCheck, RequiredReadingThatIsNotThereIsWarnedAbout) {
  int asked = 0;
  const Checked checked = read_plan(
      "# T\n" + one("T1", "none", "**Required Reading**:\n- docs/a.md\n- docs/b.md: why\n") +
          one("T2", "none", "**Required Reading**: docs/b.md, https://example.org/x.html\n"),
      [&](const std::string& path) { return ++asked, path == "docs/a.md"; });
  EXPECT_TRUE(read_plan("# T\n" + one("T1", "none", "**Required Reading**: a.md:10, a.md#part\n"),
                        [](const std::string& path) { return path == "a.md"; })
                  .warnings.empty());
  ASSERT_EQ(checked.warnings.size(), 2u);
  EXPECT_EQ(checked.warnings[0].kind, ProblemKind::missing_reading);
  EXPECT_EQ(checked.warnings[0].line, 9);
  EXPECT_EQ(checked.warnings[0].tasks, (Words{"T1", "docs/b.md"}));
  EXPECT_EQ(checked.warnings[1].tasks, (Words{"T2", "docs/b.md"}));
  EXPECT_EQ(asked, 2) << "each path once";
}

TEST(PlanCheck, TwoTasksThatTouchOneFileAreFineOnlyInOrder) {
  const auto shared = [](const std::string& third) {
    return read_plan("# T\n" + one("A", "none", "**Files**: x.c\n") + one("B", "A") +
                     one("C", third, "**Work**: and change x.c\n"));
  };
  EXPECT_EQ(find(shared("B").warnings, ProblemKind::same_file), nullptr) << "through B";
  const Checked checked = shared("none");
  const Problem* problem = find(checked.warnings, ProblemKind::same_file);
  ASSERT_NE(problem, nullptr);
  EXPECT_EQ(problem->tasks, (Words{"A", "C", "x.c"}));
  const std::string file = "**Files**: x.c\n";
  const Checked three =
      read_plan("# T\n" + one("A", "none", file) + one("B", "none", file) + one("C", "none", file));
  EXPECT_EQ(three.warnings.size(), 3u) << "every pair";
}

TEST(PlanCheck, AHeadingThatIsNearlyATaskIsWarnedAbout) {
  for (const char* heading : {"### Task T2: x", "##### Task T2: x", "####Task T2: x"}) {
    const Checked checked = read_plan("# T\n" + one("T1", "none") + heading + "\n");
    const Problem* problem = find(checked.warnings, ProblemKind::bad_heading);
    ASSERT_NE(problem, nullptr) << heading;
    EXPECT_EQ(problem->line, 7) << heading;
  }
  EXPECT_EQ(find(read_plan("# T\n### Phase 1: Task force\n" + one("T1", "none")).warnings,
                 ProblemKind::bad_heading),
            nullptr);
}

TEST(PlanCheck, ATaskWithoutCriteriaScopeOrPlaceIsUnclear) {
  const auto unclear = [](const std::string& text) {
    return read_plan("# T\n#### Task T1: Title\n" + text).plan.tasks.at(0).unclear;
  };
  const std::string criteria = "**Acceptance Criteria**:\n- [ ] it prints 1\n";
  EXPECT_FALSE(unclear("**Work**: in src/a.c\n" + criteria));
  EXPECT_FALSE(unclear("**Work**: do it\n**Files**: Makefile\n" + criteria));
  EXPECT_FALSE(unclear("**Work**: change `parse`\n" + criteria));
  EXPECT_TRUE(unclear("**Work**: in src/a.c\n")) << "criteria";
  EXPECT_TRUE(unclear("**Files**: a.c\n" + criteria)) << "scope";
  EXPECT_TRUE(unclear("**Work**: improve it\n" + criteria)) << "place";
}

TEST(PlanCheck, FilesArePredictedFromFilesAndWorkElseFromReading) {
  const auto predicted = [](const std::string& text) {
    return read_plan("# T\n#### Task T1: Title\n" + text).plan.tasks.at(0).predicted;
  };
  EXPECT_EQ(predicted("**Files**: a.c\n**Work**: also `src/b.c`, and/or ./c/d.h.\n"
                      "**Required Reading**: docs/x.md\n"),
            (Words{"a.c", "src/b.c", "c/d.h"}));
  EXPECT_EQ(predicted("**Work**: do it, e.g. well\n**Required Reading**: docs/x.md\n"),
            Words{"docs/x.md"});
}

TEST(PlanCheck, TasksFromElsewhereAreCheckedAlike) {
  Plan plan;
  plan.tasks.resize(2);
  plan.tasks[0].id = "a";
  plan.tasks[1].id = "a";
  plan.tasks[1].blocked_by = {"b"};
  const Checked checked = check_plan(plan);
  EXPECT_NE(find(checked.errors, ProblemKind::duplicate_id), nullptr);
  EXPECT_NE(find(checked.errors, ProblemKind::unknown_reference), nullptr);
  EXPECT_TRUE(checked.plan.tasks[0].unclear);
}

TEST(PlanSchedule, WavesAndTheCriticalPathFollowTheReferences) {
  const Checked checked = read_plan("# T\n" + one("A", "none") + one("B", "A") + one("C", "none") +
                                    one("D", "B, C") + one("E", "A"));
  const Schedule schedule = schedule_of(checked.plan);
  EXPECT_EQ(schedule.waves, (std::vector<std::vector<std::size_t>>{{0, 2}, {1, 4}, {3}}));
  EXPECT_EQ(schedule.critical_path, (std::vector<std::size_t>{0, 1, 3}));
}

TEST(PlanBound, MoneyIsRunsTimesPricesByRole) {
  const Plan plan = read_plan("# T\n" + one("A", "none")).plan;
  const Bound bound = bound_of(plan, {}, false);
  EXPECT_FALSE(bound.priced);
  std::int64_t sum = 0;
  for (const auto& [role, runs] : bound.by_role) sum += runs;
  EXPECT_EQ(sum, bound.runs);
  const Bound flat = bound_of(plan, {}, false, {{"", 2.0}});
  EXPECT_TRUE(flat.priced);
  EXPECT_DOUBLE_EQ(flat.money, 2.0 * static_cast<double>(bound.runs));
  EXPECT_GT(bound_of(plan, {}, false, {{"", 2.0}, {"critic", 9.0}}).money, flat.money);
  EXPECT_EQ(bound_of(Plan{}, {}, false).runs, 0);
}

TEST(PlanCompare, NewChangedAndRemovedTasksAreToldApart) {
  const auto before = read_plan("# T\n" + one("A", "none") + one("B", "none") + one("C", "none"));
  const auto after = read_plan("# T\n\n\n" + one("D", "A") + one("A", "none") + one("C", "A"));
  const Changes changes = compare(before.plan.tasks, after.plan.tasks);
  ASSERT_EQ(changes.added.size(), 1u);
  EXPECT_EQ(changes.added[0].id, "D");
  ASSERT_EQ(changes.changed.size(), 1u);
  EXPECT_EQ(changes.changed[0].id, "C");
  EXPECT_EQ(changes.removed, Words{"B"});
  EXPECT_FALSE(compare(before.plan.tasks, before.plan.tasks).any());
}

TEST(PlanText, LabelsThatAreNotReadAreToldWithTheNearest) {
  const Checked checked = read_plan("# T\n" + one("T1", "none") +
                                    one("T2", "none",
                                        "**Depends On**: T1\n**Aceptance Criteria:** x is 1\n"
                                        "**Note**: careful\n"
                                        "- **Bold** words: and so on\n**Warning** it is hot\n"
                                        "```\n**Depends On**: T9\n```\n") +
                                    one("T3", "none", "**note**: again\n"));
  std::vector<std::string> told;
  for (const Problem& problem : checked.warnings)
    if (problem.kind == ProblemKind::unknown_label)
      told.push_back(std::to_string(problem.line) + ": " + problem.text);
  EXPECT_EQ(told, (Words{"12: task T2: **Depends On** is no label that is read; did you mean "
                         "**Blocked By**?",
                         "13: task T2: **Aceptance Criteria** is no label that is read; did you "
                         "mean **Acceptance Criteria**?",
                         "14: task T2: **Note** is no label that is read; known are: Work, "
                         "Acceptance Criteria, Blocked By, Required Reading, Files, Environment"}));
  EXPECT_TRUE(checked.plan.tasks[1].blocked_by.empty());
}

TEST(PlanCheck, TasksForTheBusinessAnalystAreToldWithTheReason) {
  const Checked checked = read_plan(
      "# T\n#### Task A: a\n**Work**: change src/a.c\n"
      "#### Task B: b\n**Acceptance Criteria**:\n- [ ] b.c ends with 1\n"
      "#### Task C: c\n**Work**: make it good\n**Acceptance Criteria**:\n- [ ] it holds 1\n" +
      one("D", "none"));
  std::vector<std::string> told;
  for (const Problem& problem : checked.warnings)
    if (problem.kind == ProblemKind::unclear)
      told.push_back(std::to_string(problem.line) + ": " + problem.text);
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(told[0], "2: task A goes to the business analyst first: it has no acceptance criteria");
  EXPECT_NE(told[1].find("B goes to the business analyst first: it does not say what"),
            std::string::npos);
  EXPECT_NE(told[2].find("C goes to the business analyst first: it names no file"),
            std::string::npos);
}

Plan plan_of(int tasks, int unclear) {
  Plan plan;
  for (int i = 0; i < tasks; ++i) {
    Task task;
    task.id = "T" + std::to_string(i);
    task.unclear = i < unclear;
    plan.tasks.push_back(task);
  }
  return plan;
}

TEST(PlanLikely, WithoutExperienceAnAssumptionIsMadeAndSaid) {
  const Likely likely = likely_of(plan_of(5, 2), {}, true, {{"developer", 2}, {"", 0.5}});
  EXPECT_FALSE(likely.measured);
  EXPECT_EQ(likely.by_role.at("developer"), 8);
  EXPECT_EQ(likely.by_role.at("critic"), 8);
  EXPECT_EQ(likely.by_role.at("auditor"), 5);
  EXPECT_EQ(likely.by_role.at("business-analyst"), 2);
  EXPECT_EQ(likely.by_role.at("plan-analyst"), 1);
  EXPECT_EQ(likely.runs, 24);
  EXPECT_DOUBLE_EQ(likely.money, 8 * 2 + 16 * 0.5);
  EXPECT_NE(likely.because.find("assumed"), std::string::npos);
  EXPECT_EQ(likely_of({}, {}, true).runs, 0);
}

TEST(PlanPrices, WhatIsConfiguredCountsThenWhatRunsCostHereThenTheMean) {
  Experience experience;
  experience.costs = {{"developer", {4, 2.0, 0.8}}, {"critic", {1, 0.5, 0.5}}, {"expert", {}}};
  const RunPrices prices = prices_of({{"critic", 3.0}}, experience, {{"auditor", 9.0}}, "assumed");
  EXPECT_DOUBLE_EQ(prices.likely.at("developer"), 0.5);
  EXPECT_DOUBLE_EQ(prices.most.at("developer"), 0.8) << "the bound takes the dearest";
  EXPECT_DOUBLE_EQ(prices.likely.at("critic"), 3.0);
  EXPECT_DOUBLE_EQ(prices.likely.at(""), 0.5) << "the mean of all five";
  EXPECT_FALSE(prices.likely.contains("auditor")) << "experience goes before assumptions";
  EXPECT_FALSE(prices.likely.contains("expert"));
  EXPECT_EQ(prices.from, RunPrices::From::journal);
  EXPECT_EQ(prices.because,
            "configured: critic; as it was here: developer 0.50 (4 runs, at most 0.80); others as "
            "the mean of all runs here, 0.50");
}

TEST(PlanPrices, WithoutExperienceAreAssumedOrUnknown) {
  const RunPrices assumed = prices_of({}, {}, {{"auditor", 9.0}}, "assumed, by prices");
  EXPECT_EQ(assumed.from, RunPrices::From::assumption);
  EXPECT_EQ(assumed.because, "assumed, by prices: auditor");
  EXPECT_EQ(prices_of({}, {}).from, RunPrices::From::unknown);
  EXPECT_TRUE(prices_of({}, {}).likely.empty());
  // A role without a price is named, not counted as free.
  const Likely likely = likely_of(plan_of(2, 0), {}, false, assumed.likely);
  EXPECT_EQ(likely.unpriced, (std::vector<std::string>{"critic", "developer"}));
  const Bound bound = bound_of(plan_of(2, 0), {}, false, assumed.most);
  EXPECT_NE(std::find(bound.unpriced.begin(), bound.unpriced.end(), "developer"),
            bound.unpriced.end());
}

TEST(PlanLikely, ExperienceIsTakenByRoleAndTask) {
  Experience experience{
      2,
      10,
      {{"developer", 15}, {"critic", 12}, {"auditor", 10}, {"expert", 1}, {"business-analyst", 9}}};
  const Likely likely = likely_of(plan_of(4, 1), experience, false);
  EXPECT_TRUE(likely.measured);
  EXPECT_FALSE(likely.priced);
  EXPECT_EQ(likely.by_role,
            (std::map<std::string, std::int64_t>{
                {"developer", 6}, {"critic", 5}, {"auditor", 4}, {"business-analyst", 1}}))
      << "the plan says for whom the analyst is needed";
  EXPECT_EQ(likely.runs, 16);
  EXPECT_EQ(likely.because, "as in 2 deliveries before: 10 tasks, 3.8 runs each");
}

}  // namespace
}  // namespace capsule::plan
