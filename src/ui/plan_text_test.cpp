#include "ui/plan_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace capsule::ui {
namespace {

using Json = nlohmann::json;

plan::Checked two_tasks() {
  return plan::read_plan(
      "# Greet\n#### Task A: Say hello\n**Blocked By**: none\n"
      "#### Task B: Say more\n**Blocked By**: A\n");
}

TEST(PlanPage, ShowsWavesTheCriticalPathAndTheBound) {
  const plan::Checked checked = two_tasks();
  ASSERT_TRUE(checked.ok());
  const plan::Bound bound = plan::bound_of(checked.plan, {}, false, {{"", 2.0}});
  const std::string page = plan_page(checked.plan, plan::schedule_of(checked.plan), {{}, bound});
  EXPECT_NE(page.find("Greet: 2 tasks\n"), std::string::npos) << page;
  EXPECT_NE(page.find("wave 1: A\n  wave 2: B\n"), std::string::npos) << page;
  EXPECT_NE(page.find("critical path (2): A → B"), std::string::npos) << page;
  EXPECT_NE(page.find("costing at most"), std::string::npos) << page;
}

TEST(PlanPage, CutsWhatIsTooLongForAScreen) {
  plan::Checked checked = two_tasks();
  checked.plan.tasks.resize(1);
  checked.plan.tasks.resize(200, checked.plan.tasks[0]);
  plan::Schedule schedule;
  schedule.waves.resize(60);
  for (std::size_t i = 0; i < 30; ++i) schedule.waves[0].push_back(i);
  const std::string page = plan_page(checked.plan, schedule, {});
  EXPECT_NE(page.find(" and 10 more\n"), std::string::npos) << page;
  EXPECT_NE(page.find("and 10 more waves"), std::string::npos) << page;
}

TEST(PlanProblems, AreAllToldWithTheirLinesAndAreHarmless) {
  plan::Checked checked;
  checked.errors = {{plan::ProblemKind::cycle, 12, "A waits\x1b[2J for A", {"A"}}};
  checked.warnings = {{plan::ProblemKind::no_title, 0, "it has no title", {}}};
  EXPECT_EQ(plan_problems("PLAN.md", checked),
            "PLAN.md:12: error: A waits\\x1b[2J for A\nPLAN.md: warning: it has no title\n");
}

TEST(PlanJson, OfARejectedPlanHasItsProblemsAlone) {
  plan::Checked checked;
  checked.errors = {{plan::ProblemKind::cycle, 12, "A waits for A", {"A", "A"}}};
  const Json json = Json::parse(plan_json(checked, {}, {}));
  EXPECT_EQ(json["ok"], false);
  EXPECT_EQ(json["errors"][0]["line"], 12);
  EXPECT_EQ(json["errors"][0]["tasks"], Json({"A", "A"}));
  EXPECT_FALSE(json.contains("waves"));
}

TEST(PlanJson, TellsMoneyOnlyWhereThereArePrices) {
  const plan::Checked checked = two_tasks();
  const plan::Schedule schedule = plan::schedule_of(checked.plan);
  const auto money = [&](const std::map<std::string, double>& prices) {
    return Json::parse(
        plan_json(checked, schedule,
                  {{}, plan::bound_of(checked.plan, {}, false, prices)}))["bound"]["money"];
  };
  EXPECT_TRUE(money({}).is_null());
  EXPECT_GT(money({{"", 2.0}}).get<double>(), 0);
}

}  // namespace
}  // namespace capsule::ui
