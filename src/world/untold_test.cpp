#include "world/untold.h"

#include <gmock/gmock.h>

#include "world/doctor.h"
#include "world/preflight.h"
#include "world/test_support.h"

namespace capsule::world {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class UntoldBudgetTest : public ProjectTest {
 protected:
  std::vector<std::string> told(const std::string& yaml) {
    write(project_ + "/.capsule/config.yaml", yaml);
    ProjectWords words;
    words.folder = project_;
    auto opened = open_project(words);
    EXPECT_TRUE(opened) << opened.error().message;
    std::vector<std::string> texts;
    if (!opened) return texts;
    project = std::make_unique<Project>(*std::move(opened));
    for (const UntoldBudget& one : untold_budgets(project->config)) texts.push_back(one.text);
    return texts;
  }
};

TEST_F(UntoldBudgetTest, IsOneInMoneyForWhoTellsNoCostAndHasNoPrice) {
  const std::string budget = "budget: {run: 5.00, day: 40.00}\n";
  EXPECT_THAT(told("provider: codex\n"), IsEmpty()) << "there is no budget";
  EXPECT_THAT(told(budget), IsEmpty()) << "claude tells its cost";
  EXPECT_THAT(
      told(budget + "provider: codex\n"),
      ElementsAre("budget.run, budget.day: what no client tells does not count, and no price "
                  "is set for codex, which tells tokens only"));
  EXPECT_THAT(told(budget + "fallbacks: [codex]\n"), ElementsAre(HasSubstr("codex")));
  EXPECT_THAT(told(budget + "roles: {critic: {provider: gemini}}\n"),
              ElementsAre(HasSubstr("gemini")));
  EXPECT_THAT(told(budget + "provider: codex\nprices: {codex: {input: 1, output: 2}}\n"),
              IsEmpty());
  EXPECT_THAT(told(budget + "provider: codex\nproviders: {codex: {model: gpt-5}}\n"
                            "prices: {gpt-5: {input: 1, output: 2}}\n"),
              IsEmpty());
}

TEST_F(UntoldBudgetTest, IsAnyForWhoTellsNothing) {
  const std::string money = "budget: {task: 1.50}\n", tokens = "budget: {tokens: 1000}\n";
  for (const std::string who : {"provider: kimi\n", "provider: copilot\n",
                                "provider: mine\nproviders: {mine: {command: [mine]}}\n",
                                "provider: claude\nproviders: {claude: {output: text}}\n"}) {
    SCOPED_TRACE(who);
    EXPECT_THAT(told(money + who), ElementsAre(HasSubstr("tells neither cost nor tokens")));
    EXPECT_THAT(told(tokens + who), ElementsAre(HasSubstr("tells no tokens")));
  }
  EXPECT_THAT(told(tokens + "provider: codex\n"), IsEmpty());
  const std::string both = "budget: {task: 1.50, tokens: 1000}\n";
  EXPECT_THAT(told(both + "provider: rehearsal\n"), IsEmpty()) << "it costs nothing";
  EXPECT_THAT(
      told(both + "provider: mine\nproviders: {mine: {command: [mine], output: claude-stream}}\n"),
      IsEmpty());
}

TEST_F(UntoldBudgetTest, IsToldByTheDoctorAndBeforeTheFirstAgentIsPaid) {
  told("tracker: native\nprovider: codex\nbudget: {run: 5.00}\n");
  std::vector<std::string> warned;
  ASSERT_TRUE(preflight(
      *project, {.warn = [&](const std::string& sentence) { warned.push_back(sentence); }}));
  EXPECT_THAT(warned, ::testing::Contains(HasSubstr("no price is set for codex")));
  ProjectWords words;
  words.folder = project_;
  std::vector<std::string> doubtful;
  for (const Finding& one : examine(words))
    if (one.what == "budget" && one.health == Health::doubtful) doubtful.push_back(one.text);
  EXPECT_THAT(doubtful, ElementsAre(HasSubstr("no price is set for codex")));
}

}  // namespace
}  // namespace capsule::world
