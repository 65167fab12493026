#include "workflow/approval.h"
#include "workflow/supply/test_support.h"

namespace capsule::supply {
namespace {

RunSummary summary_of(const Table& table, bool running = true) {
  RunSummary summary;
  AgentSummary agent;
  agent.number = 1;
  agent.task = "T-1";
  agent.provider = "claude";
  agent.running = running;
  summary.agents.push_back(agent);
  summary.tasks.push_back({"T-1", "t", Standing::open, "development", "developer", 1, "", ""});
  complete(summary, table.state);
  return summary;
}

TEST(SupplySummary, OneThatWaitsForItsProviderSaysUntilWhenAndWhy) {
  Table table;
  table.want(1);
  table.limit(1, kStart + 600);
  const RunSummary summary = summary_of(table);
  ASSERT_EQ(summary.waits.size(), 1U);
  EXPECT_EQ(summary.waits[0].what, Waiting::For::provider);
  EXPECT_EQ(summary.waits[0].on, "claude");
  EXPECT_EQ(summary.waits[0].fault, Fault::usage_limit);
  EXPECT_GT(summary.waits[0].until, kStart + 600);
  EXPECT_EQ(summary.tasks[0].words, "waits for claude");
  EXPECT_EQ(summary.standing, Standing::open);
  EXPECT_EQ(summary.agents[0].faults, 1);
  EXPECT_THAT(summary_of(table, false).waits, IsEmpty()) << "it has ended since";
}

TEST(SupplySummary, AQuestionStandsOnceAndTheRunWaits) {
  Table table;
  table.want(1);
  table.end(1, Fault::unauthorised);
  const RunSummary summary = summary_of(table);
  ASSERT_EQ(summary.waits.size(), 1U);
  EXPECT_EQ(summary.waits[0].question, fact::kFirstQuestion);
  EXPECT_THAT(summary.waits[0].options, ElementsAre("go on", "stop"));
  EXPECT_EQ(summary.standing, Standing::waiting);
}

TEST(SupplySummary, FilesThatRunByThemselvesAreRecordedOnceAndTheNewestCount) {
  Table table;
  MergeTried tried;
  tried.tree = "T-1";
  table.see(tried);
  EXPECT_THAT(table.journal, IsEmpty()) << "there are none";
  tried.self_running = {{".envrc", "a shell"}, {".husky/x", "git hooks"}};
  table.see(tried);
  Merged merged;
  merged.tree = "T-1";
  merged.self_running = tried.self_running;
  table.see(merged);
  ASSERT_EQ(table.journal.size(), 1U) << "a person was told the same before";
  ASSERT_EQ(summary_of(table).self_running.size(), 1U);
  EXPECT_EQ(self_running_words(summary_of(table).self_running[0]),
            "agents changed files that run by themselves at yours: .envrc (a shell), .husky/x (git "
            "hooks)");
  EXPECT_EQ(summary_of(table).self_running[0].task, "T-1");
  merged.self_running.assign(200, {"x/.envrc", "a shell"});
  table.see(merged);
  EXPECT_EQ(summary_of(table).self_running[0].files.size(), kFilesNamed);
  EXPECT_EQ(summary_of(table).self_running[0].count, 200);
  merged.self_running.clear();
  table.see(merged);
  EXPECT_THAT(summary_of(table).self_running, IsEmpty());
}

TEST(SupplySummary, WallsAreRecordedOnceForEachThatDiffer) {
  Table table;
  Contained walls{"writer", "worktree", "open", true, 7, true, false, {"g"}};
  table.news(walls);
  table.news(walls);
  walls.who = "reviewer";
  table.news(walls);
  table.crash();
  table.news(walls);
  walls.network = "off";
  walls.who = "gate";
  table.news(walls);
  EXPECT_EQ(table.journal.size(), 3U);
  const RunSummary summary = summary_of(table);
  EXPECT_EQ(walls_words(summary.contained),
            "worktree (namespaces, Landlock 7, seccomp; network open) for writer, reviewer; "
            "worktree (namespaces, Landlock 7, seccomp; network off) for gate");
  EXPECT_EQ(weaker_words(summary.contained), "g") << "walls that all hold can have gaps, too";
}

TEST(SupplySummary, WallsThatAreLessSayWhy) {
  Table table;
  table.news(Contained{"all", "off", "open", false, 0, false, false, {"no namespaces", "no x"}});
  table.news(Contained{"gate", "worktree", "off", false, 6, true, false, {"no x"}});
  EXPECT_EQ(walls_words(summary_of(table).contained),
            "off for all; worktree (Landlock 6, seccomp; network off) for gate");
  EXPECT_EQ(weaker_words(summary_of(table).contained), "no namespaces; no x");
}

TEST(SupplySummary, RefusedHostsAreCountedAndTheLineThatAllowsThemIsNamed) {
  Table table;
  table.want(1);
  const event::RefusedHost host{"a.example.com:443", 2, "", "allow: [\"a.example.com:443\"]"};
  table.news(HostsRefused{1, "T-1", "developer", {host}, 0});
  table.news(HostsRefused{1, "T-1", "developer", {host}, 3});
  table.news(HostsRefused{0, "", "setup", {{"b:1", 1, "10.0.0.1", ""}}, 0});
  const RunSummary summary = summary_of(table);
  EXPECT_EQ(refused_words(summary.refused, summary.refused_others),
            "a.example.com:443 4 times (contain: {allow: [\"a.example.com:443\"]} would allow it), "
            "b:1 1 time, since it leads to 10.0.0.1, 3 requests for other hosts");
  ASSERT_EQ(summary.claims.size(), 2U);
  EXPECT_EQ(summary.claims[0].agent, 1);
  EXPECT_EQ(summary.claims[0].claim.verdict, event::Verdict::differs);
  EXPECT_THAT(summary.claims[0].claim.detail, HasSubstr("a.example.com:443 4 times"));
  EXPECT_EQ(summary.claims[1].role, "setup");
}

TEST(SupplySummary, HowManyHostsAreKeptIsBounded) {
  Table table;
  for (int i = 0; i < 100; ++i)
    table.news(HostsRefused{1, "", "r", {{"h" + std::to_string(i) + ":1", 2, "", ""}}, 0});
  const RunSummary summary = summary_of(table);
  EXPECT_EQ(summary.refused.size(), 64U);
  EXPECT_EQ(summary.refused_others, 72);
  EXPECT_THAT(refused_words(summary.refused, summary.refused_others),
              HasSubstr("188 requests for other hosts"));
}

TEST(SupplySummary, UsageIsSummedAndWhatIsUnknownIsCounted) {
  Table table;
  table.want(1);
  table.end(1, Fault::overloaded, Table::used(1000));
  table.wake();
  table.end(1, Fault::none, {});
  const RunSummary summary = summary_of(table);
  EXPECT_EQ(summary.usage.calls, 2);
  EXPECT_EQ(summary.usage.calls_without_cost, 1);
  EXPECT_EQ(summary.usage.calls_without_tokens, 1);
  EXPECT_EQ(summary.usage.cost_micros, 1000);
  EXPECT_EQ(summary.usage.tokens.input, 1000);
  EXPECT_FALSE(summary.usage.tokens.tokens_known);
  EXPECT_FALSE(summary.agents[0].use.cost_known);
}

TEST(SupplySummary, AnotherModelThanTheOneAskedForIsARefutedClaim) {
  Table table;
  table.policy.other_roles = {{"claude", "opus"}};
  table.want(1);
  AgentFinished finished = Table::ended(1, Fault::none);
  finished.facts.model = "claude-opus-4-1-20250805";
  table.see(finished);
  EXPECT_THAT(summary_of(table).claims, IsEmpty());
  table.want(1);
  finished.facts.model = "claude-haiku-4-5";
  table.see(finished);
  const RunSummary summary = summary_of(table);
  ASSERT_EQ(summary.claims.size(), 1U);
  EXPECT_EQ(summary.claims[0].claim.what, "model");
  EXPECT_EQ(summary.claims[0].claim.verdict, event::Verdict::broken);
  EXPECT_EQ(summary.claims[0].claim.detail, "asked for opus, answered by claude-haiku-4-5");
  EXPECT_EQ(summary.agents[0].answered, "claude-haiku-4-5");
}

TEST(SupplySummary, OneWhoseEndNobodyRecordedWasStartedWhereItUsedItsClient) {
  Table table;
  table.want(1);
  table.see(Table::ended(1, Fault::timed_out));
  RunSummary summary;
  summary.agents.resize(2);
  summary.agents[0].number = 1;
  summary.agents[1].number = 2;
  for (AgentSummary& agent : summary.agents) agent.fault = Fault::not_started;
  complete(summary, table.state);
  EXPECT_EQ(summary.agents[0].fault, Fault::timed_out);
  EXPECT_EQ(summary.agents[1].fault, Fault::not_started);
}

TEST(SupplySummary, AMergeNamesTheModelsAndClientsOfThoseWhoWroteInItsTree) {
  Table table;
  const auto work = [&](int number, const std::string& tree, const std::string& model,
                        Settle settle) {
    StartAgent start = Table::agent(number, tree);
    start.settle = settle;
    table.ask(start);
    AgentFinished finished = Table::ended(number, Fault::none);
    finished.facts.model = model;
    // Its version may be found out only later.
    finished.facts.client = number == 1 ? "claude" : "claude 2.1";
    table.see(finished);
  };
  work(1, "T-1", "sonnet-4", Settle::keep);
  work(2, "T-1", "haiku-4", Settle::take_back);
  work(3, "T-2", "opus-4", Settle::keep);
  work(4, "T-1", "sonnet-4", Settle::keep);
  Merge merge;
  merge.tree = "T-1";
  table.ask(merge);
  EXPECT_THAT(std::get<Merge>(table.commands.at(0)).trailers,
              ElementsAre("Capsule-Model: sonnet-4", "Capsule-Client: claude 2.1"));
  table.policy.trailers = false;
  table.ask(merge);
  EXPECT_THAT(std::get<Merge>(table.commands.at(0)).trailers, IsEmpty());
}

}  // namespace
}  // namespace capsule::supply
