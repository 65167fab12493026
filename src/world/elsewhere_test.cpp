#include "world/elsewhere.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace capsule::world {
namespace {

using namespace workflow;
namespace wire = event::work;

AgentFinished there_and_back(const AgentFinished& finished, Dialect dialect) {
  const auto report = wire::read_report(wire::written(report_of(finished)));
  EXPECT_TRUE(report) << report.error().message;
  StartAgent start;
  start.agent = 7;
  start.dialect = dialect;
  return finished_of(start, report.value_or(wire::Report{}));
}

AgentFinished finished_with(Words words) {
  AgentFinished finished;
  finished.agent = 1;
  finished.fault = event::Fault::usage_limit;
  finished.detail = "too much";
  finished.exit_code = 3;
  finished.words = std::move(words);
  finished.missed = {signal::Miss::no_colon, "READY"};
  finished.preview = "r\xff";
  finished.began_at = "a";
  finished.ended_at = "b";
  finished.duration_ms = 5;
  finished.cost_micros = 6;
  finished.facts.provider = "mine";
  finished.facts.model = "large";
  finished.facts.session = "theirs";
  finished.facts.use.tokens_known = true;
  finished.facts.use.input = 11;
  finished.facts.words = "limit";
  finished.facts.reset_at = 12;
  return finished;
}

TEST(Elsewhere, WhatCameOfAnAgentIsTheSameOnTheOtherMachine) {
  const AgentFinished contract = there_and_back(
      finished_with(ContractWords{{signal::Status::pass, "f", {"a.c", "b"}, "s", "{\"x\":1}"}}),
      Dialect::contract);
  EXPECT_EQ(contract.agent, 7);
  EXPECT_EQ(contract.fault, event::Fault::usage_limit);
  EXPECT_EQ(contract.detail, "too much");
  EXPECT_EQ(contract.exit_code, 3);
  EXPECT_EQ(contract.missed, (signal::Missed{signal::Miss::no_colon, "READY"}));
  EXPECT_EQ(contract.duration_ms, 5);
  EXPECT_EQ(contract.cost_micros, 6);
  EXPECT_EQ(contract.facts.model, "large");
  EXPECT_EQ(contract.facts.use.input, 11);
  EXPECT_TRUE(contract.facts.use.tokens_known);
  EXPECT_EQ(contract.facts.words, "limit");
  EXPECT_EQ(contract.facts.reset_at, 12);
  EXPECT_EQ(contract.facts.session, "") << "its client's session is on the other machine";
  const auto& signal = std::get<ContractWords>(contract.words).signal;
  EXPECT_EQ(signal.status, signal::Status::pass);
  EXPECT_EQ(signal.files_changed, (std::vector<std::string>{"a.c", "b"}));
  EXPECT_EQ(signal.json, "{\"x\":1}");

  const AgentFinished line = there_and_back(
      finished_with(
          LineWords{signal::Signal::ready_for_review, "T-1", {"T-2"}, {{"Summary", "done\n"}}}),
      Dialect::line);
  const auto& words = std::get<LineWords>(line.words);
  EXPECT_EQ(words.signal, signal::Signal::ready_for_review);
  EXPECT_EQ(words.argument, "T-1");
  EXPECT_EQ(words.more, std::vector<std::string>{"T-2"});
  EXPECT_EQ(words.fields.at(0).text, "done\n");

  const AgentFinished block = there_and_back(
      finished_with(BlockWords{{"PLANNING_COMPLETE"}, "e", true, "all"}), Dialect::block);
  EXPECT_EQ(std::get<BlockWords>(block.words).signals.at(0), "PLANNING_COMPLETE");
  EXPECT_TRUE(std::get<BlockWords>(block.words).recoverable);
  const AgentFinished verdict =
      there_and_back(finished_with(VerdictWords{"VERDICT: OK"}), Dialect::verdict);
  EXPECT_EQ(std::get<VerdictWords>(verdict.words).text, "VERDICT: OK");
}

TEST(Elsewhere, AReportInAnotherDialectSaysNothing) {
  const AgentFinished finished =
      there_and_back(finished_with(VerdictWords{"VERDICT: OK"}), Dialect::contract);
  EXPECT_EQ(std::get<ContractWords>(finished.words).signal.status, signal::Status::error);
}

TEST(Elsewhere, WhatCannotBeReadIsDamaged) {
  for (const char* text : {"", "[]", "{", "{\"fault\":\"who knows\"}", "{\"files_changed\":1}"})
    EXPECT_EQ(wire::read_report(text).error().reason, Reason::damaged) << text;
  for (const char* text : {"null", "{\"env\":{}}", "{\"attempt\":\"1\"}"})
    EXPECT_FALSE(wire::read_order(text)) << text;
  for (const char* text :
       {"{}", "{\"role\":\"a\",\"dialect\":9}", "{\"role\":\"a\",\"dialect\":-1}",
        "{\"role\":\"a\",\"attempt\":0}", "{\"role\":\"a\",\"timeout_seconds\":-1}"})
    EXPECT_FALSE(agent_of(wire::read_order(text).value())) << text;
}

TEST(Elsewhere, AnOrderSetsNoVariableOfTheWorkersOwn) {
  wire::Order order;
  order.role = "developer";
  order.env = {{"CAPSULE_REQUEST", "r"}, {"LD_PRELOAD", "x"}, {"PATH", "/x"}};
  order.prompt = "Write {{VERIFY}}";
  const auto start = agent_of(order);
  ASSERT_TRUE(start);
  EXPECT_EQ(start->env, (std::map<std::string, std::string>{{"CAPSULE_REQUEST", "r"}}));
  EXPECT_EQ(start->prompt.appended, "Write {{VERIFY}}");
  EXPECT_EQ(start->settle, Settle::leave);
}

TEST(Elsewhere, LabelsAreSortedOnceAndChecked) {
  EXPECT_EQ(with_labels({"os:linux"}, "gpu, big,gpu").value(),
            (std::vector<std::string>{"big", "gpu", "os:linux"}));
  EXPECT_EQ(with_labels({}, "").value(), std::vector<std::string>{});
  for (const char* bad : {"a b", "a,\"", "{x}", "\x1b", "ü"})
    EXPECT_EQ(with_labels({}, bad).error().reason, Reason::usage) << bad;
  const std::vector<std::string> here = labels_here();
  EXPECT_NE(std::find(here.begin(), here.end(), "os:linux"), here.end());
  EXPECT_TRUE(std::is_sorted(here.begin(), here.end()));
}

}  // namespace
}  // namespace capsule::world
