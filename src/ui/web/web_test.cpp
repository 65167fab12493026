// What the page gets and what it may want, without a server.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ui/web/actions.h"
#include "ui/web/rows.h"

namespace capsule::web {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

view::Project example() {
  view::Project project;
  project.newest = {42, "2026-01-31T23:59:59.123Z"};
  view::Run run;
  run.run = "r1";
  run.workflow = "delivery";
  run.name = "/p/PLAN.md";
  run.title = "<img src=x onerror=alert(1)>";
  run.holder = view::Holder{7, "host", ""};
  run.actions = {{view::Verb::pause, {"pause", "/p/PLAN.md"}, ""},
                 {view::Verb::tell, {"tell", "/p/PLAN.md"}, "TEXT"},
                 {view::Verb::show, {"status", "/p/PLAN.md"}, ""}};
  view::Attempt attempt;
  attempt.agent = 3;
  attempt.role = "developer";
  attempt.task = "T-1";
  attempt.snapshot = "refs/capsule/r1/x";
  run.attempts = {attempt};
  view::Task task;
  task.id = "T-1";
  task.title = "a\n\"b\"\x01";
  task.attempts = {0};
  run.tasks = {task};
  project.runs = {run};
  view::Item question;
  question.key = "r1/question/1";
  question.run = "r1";
  question.task = "T-1";
  question.question = 1;
  question.actions = {{view::Verb::answer, {"answer", "/p/PLAN.md", "1"}, "TEXT"}};
  view::Item choice = question;
  choice.key = "r1/question/2";
  choice.question = 2;
  choice.options = {"retry", "rework"};
  choice.actions = {{view::Verb::answer, {"answer", "/p/PLAN.md", "2", "retry"}, ""},
                    {view::Verb::answer, {"answer", "/p/PLAN.md", "2", "rework"}, ""},
                    {view::Verb::go_on, {"deliver", "/p/PLAN.md"}, ""}};
  view::Item approval = question;
  approval.key = "r1/question/3";
  approval.question = 3;
  approval.actions = {{view::Verb::approve, {"approve", "/p/PLAN.md", "T-1"}, ""},
                      {view::Verb::reject, {"reject", "/p/PLAN.md", "T-1"}, "TEXT"}};
  project.inbox = {question, choice, approval};
  return project;
}

Json rows_in(const std::string& text) {
  Json by_key = Json::object();
  const Json all = Json::parse(text);
  for (const Json& one : all.at("rows"))
    by_key[one.at("key").get<std::string>()] = one.value("row", Json());
  return by_key;
}

TEST(Rows, AllRunsAreListedAndOneIsWhole) {
  const Json all = rows_in(view_json(example(), ""));
  EXPECT_TRUE(all.contains("run/r1"));
  EXPECT_FALSE(all.contains("run/r1/task/T-1"));
  const Json one = rows_in(view_json(example(), "r1"));
  EXPECT_EQ(one.at("run/r1/task/T-1").at("title"), "a\n\"b\"\x01");
  EXPECT_EQ(one.at("run/r1/task/T-1").at("agents"), Json::array({3}));
  EXPECT_EQ(one.at("run/r1").at("title"), "<img src=x onerror=alert(1)>");
  EXPECT_EQ(one.at("run/r1/agent/3").at("snapshot"), true) << "its name is nobody's business";
}

TEST(Rows, ThePageHasNothingToSumUpAndNothingToFindOut) {
  view::Project project = example();
  project.usage.agent_runs = 3;
  project.usage.cost_micros = 250'000;
  project.usage.calls_without_cost = 1;
  const Json sums = rows_in(view_json(project, "")).at("project").at("usage");
  EXPECT_EQ(sums.at("agent_runs"), 3);
  EXPECT_EQ(sums.at("cost_micros"), 250'000);
  EXPECT_EQ(sums.at("calls_without_cost"), 1);
  EXPECT_EQ(rows_in(changes_json(example(), project)).at("project").at("usage"), sums);
  EXPECT_FALSE(rows_in(view_json(project, "")).at("run/r1").contains("left_since"));
  project.runs[0].life = view::Life::cut_off;
  project.runs[0].since = "2026-01-31T23:59:59.123Z";
  EXPECT_EQ(rows_in(view_json(project, "")).at("run/r1").at("left_since"), project.runs[0].since);
}

TEST(Rows, AnAgentThatPrintsTheSameOnceMoreIsTold) {
  const view::Project before = example();
  view::Project after = before;
  after.runs[0].attempts[0].printed = 2;
  EXPECT_EQ(rows_in(changes_json(before, after)).at("run/r1/agent/3").at("printed"), 2);
}

TEST(Rows, OnlyWhatDiffersIsSent) {
  const view::Project before = example();
  EXPECT_EQ(changes_json(before, before), "");
  view::Project after = before;
  after.newest.seq = 43;
  after.runs[0].tasks[0].stage = view::Stage::complete;
  after.inbox.erase(after.inbox.begin());
  const std::string text = changes_json(before, after);
  const Json rows = rows_in(text);
  EXPECT_EQ(Json::parse(text).at("seq"), 43);
  EXPECT_EQ(rows.at("run/r1/task/T-1").at("stage"), "complete");
  EXPECT_TRUE(rows.at("inbox/r1/question/1").is_null()) << "it is gone";
  EXPECT_FALSE(rows.contains("run/r1/agent/3"));
  EXPECT_EQ(text.find('\n'), std::string::npos) << "an event is a line";
}

TEST(Actions, AreTheCommandsOfTheView) {
  const auto words = [](const ActionRequest& request) {
    const auto command = command_for(example(), request, "/p");
    return command ? *command : Words{command.error().message};
  };
  EXPECT_EQ(words({"answer", "r1", "T-1", "--help", 1}),
            (Words{"answer", "--project-dir=/p", "--", "/p/PLAN.md", "1", "--help"}));
  EXPECT_EQ(words({"answer", "r1", "T-1", "rework", 2}),
            (Words{"answer", "--project-dir=/p", "--", "/p/PLAN.md", "2", "rework"}));
  EXPECT_EQ(words({"approve", "r1", "T-1", "", 3}),
            (Words{"approve", "--project-dir=/p", "--", "/p/PLAN.md", "T-1"}));
  EXPECT_EQ(words({"reject", "r1", "T-1", "no", 3}),
            (Words{"reject", "--project-dir=/p", "--because=no", "--", "/p/PLAN.md", "T-1"}));
  EXPECT_EQ(words({"pause", "r1", "", "", 0}),
            (Words{"pause", "--project-dir=/p", "--", "/p/PLAN.md"}));
  EXPECT_EQ(words({"tell", "r1", "T-1", "-x", 0}),
            (Words{"tell", "--project-dir=/p", "--", "/p/PLAN.md", "T-1", "-x"}));
}

TEST(Actions, OfTwoParkedProvidersTheOneThatIsMeantIsLifted) {
  view::Project project = example();
  for (const char* name : {"claude", "--all"}) {
    view::Item parked;
    parked.kind = view::Attention::quota;
    parked.key = std::string("r1/quota/") + name;
    parked.run = "r1";
    parked.actions = {{view::Verb::lift, {"agents", "resume", name}, ""},
                      {view::Verb::go_on, {"deliver", "/p/PLAN.md"}, ""}};
    project.inbox.push_back(parked);
  }
  const auto words = [&](const std::string& item) {
    const auto command = command_for(project, {"lift", "r1", "", "", 0, item}, "/p");
    return command ? *command : Words{command.error().message};
  };
  EXPECT_EQ(words("r1/quota/claude"),
            (Words{"agents", "resume", "--project-dir=/p", "--", "claude"}));
  EXPECT_EQ(words("r1/quota/--all"), (Words{"agents", "resume", "--project-dir=/p", "--", "--all"}))
      << "a name is no option";
  const auto gone = command_for(project, {"lift", "r1", "", "", 0, "r1/quota/codex"}, "/p");
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().reason, Reason::not_found);
}

TEST(Actions, ThatHaveARunGoOnOutliveThePage) {
  const auto words = [](const view::Action& action) {
    view::Project project = example();
    project.runs[0].actions = {action};
    const ActionRequest request{std::string(view::name_of(action.verb)), "r1", "", "", 0};
    const auto command = command_for(project, request, "/p");
    return command ? *command : Words{command.error().message};
  };
  EXPECT_EQ(words({view::Verb::retry, {"deliver", "/p/PLAN.md"}, ""}),
            (Words{"deliver", "--project-dir=/p", "--detach", "--", "/p/PLAN.md"}));
  EXPECT_EQ(words({view::Verb::go_on, {"run", "--clean", "--resume"}, ""}),
            (Words{"run", "--project-dir=/p", "--resume", "--detach", "--", "--clean"}))
      << "a name is no option";
  EXPECT_EQ(words({view::Verb::go_on, {"run", "demo-1"}, ""}),
            (Words{"run", "--project-dir=/p", "--detach", "--", "demo-1"}));
  EXPECT_EQ(words({view::Verb::go_on, {"auto", "continue"}, ""}),
            (Words{"auto", "continue", "--project-dir=/p", "--detach"}));
  EXPECT_EQ(words({view::Verb::merge, {"merge", "demo-1"}, ""}),
            (Words{"merge", "--project-dir=/p", "--detach", "--", "demo-1"}));
  const auto waiting = command_for(example(), {"go_on", "r1", "T-1", "", 2}, "/p");
  ASSERT_TRUE(waiting);
  EXPECT_EQ(*waiting, (Words{"deliver", "--project-dir=/p", "--detach", "--", "/p/PLAN.md"}))
      << "what its question offers";
}

TEST(Actions, ThatNobodyOffersAreRefused) {
  const auto reason = [](const ActionRequest& request) {
    const auto command = command_for(example(), request, "/p");
    EXPECT_FALSE(command);
    return command ? Reason::io : command.error().reason;
  };
  EXPECT_EQ(reason({"answer", "r1", "T-1", "maybe", 2}), Reason::usage);
  EXPECT_EQ(reason({"answer", "r1", "T-1", "", 1}), Reason::usage);
  EXPECT_EQ(reason({"answer", "r1", "T-1", std::string("a\0b", 3), 1}), Reason::usage);
  EXPECT_EQ(reason({"answer", "r1", "T-1", "x", 9}), Reason::not_found);
  EXPECT_EQ(reason({"answer", "r2", "T-1", "x", 1}), Reason::not_found);
  EXPECT_EQ(reason({"retry", "r1", "T-1", "", 2}), Reason::not_found) << "not offered now";
  EXPECT_EQ(reason({"go_on", "r1", "", "", 0}), Reason::not_found) << "of a question, not the run";
  EXPECT_EQ(reason({"teardown", "r1", "", "", 0}), Reason::not_found);
  EXPECT_EQ(reason({"abort", "r1", "", "", 0}), Reason::not_found) << "not offered now";
  EXPECT_EQ(reason({"tell", "r1", "T-9", "x", 0}), Reason::not_found);
}

TEST(Actions, AreReadFromOneObject) {
  const auto read =
      read_action(R"({"verb":"answer","run":"r","task":"t","question":2,"text":" x ","item":"i"})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->text, "x");
  EXPECT_EQ(read->question, 2);
  EXPECT_EQ(read->item, "i");
  for (const char* bad :
       {"", "[]", "{", "{}", R"({"verb":"x"})", R"({"verb":"x","run":"r","question":-1})"})
    EXPECT_FALSE(read_action(bad)) << bad;
  EXPECT_FALSE(read_action(R"({"verb":"x","run":"r","text":")" + std::string(40000, 'x') + "\"}"));
}

}  // namespace
}  // namespace capsule::web
