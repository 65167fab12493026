// What agents used and cost, through the binary: in the summary of a run, status, the report, the
// ledger, `capsule cost` and --json. What nobody told is unknown, and never 0.
#include <filesystem>

#include "tests/program/metered.h"
#include "tests/program/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

class Cost : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
  }
  // From now on claude tells what it uses.
  void meter() {
    fs::rename(path("bin/claude"), path("bin/worker"));
    install_program(path("bin/claude"), metered("worker -p \"$2\" --x </dev/null"));
  }
  Json json_of(const std::string& name, std::vector<std::string> args) {
    args.emplace_back("--json");
    return Json::parse(command(name, std::move(args)).out, nullptr, false);
  }
};

TEST_F(Cost, EveryFaceSaysWhatARunUsed) {
  meter();
  const Outcome outcome = run_bead();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  const std::size_t calls = phases().size();
  ASSERT_EQ(calls, 6U);
  const std::string words =
      "cost 1.50; 600 tokens in, 120 out, 6.0k from a cache, 60 into it; 12 turns\n";
  EXPECT_HAS(outcome.out, words);
  EXPECT_HAS(outcome.out, ", cost 0.25");  // of a phase
  EXPECT_HAS(command("status", {kBead}).out, words);
  EXPECT_HAS(command("status", {}).out, ", cost 1.50\n");

  const Json status = json_of("status", {kBead});
  EXPECT_EQ(status["usage"]["cost_micros"], 1'500'000);
  EXPECT_EQ(status["usage"]["tokens"]["cache_read"], 6000);
  EXPECT_EQ(status["usage"]["calls_without_cost"], 0);
  const Json& agent = status["agents"][0];
  EXPECT_EQ(agent["client"], "claude 2.1.325");
  EXPECT_EQ(agent["answered"], "claude-x-1");
  EXPECT_EQ(agent["cost_micros"], 250'000);
  EXPECT_EQ(agent["tokens"]["input"], 100);
  EXPECT_EQ(agent["turns"], 2);

  const std::string ledger = command("ledger", {"--by=role"}).out;
  EXPECT_HAS(ledger, "cache written");
  EXPECT_EQ(json_of("ledger", {"--by=provider"})[0]["usage"]["cost_micros"], 1'500'000);
}

TEST_F(Cost, CostIsToldByWhateverOneWantsToKnow) {
  meter();
  ASSERT_EQ(run_bead().exit_code, 0);
  const Json by_model = json_of("cost", {});
  EXPECT_EQ(by_model["by"], "model");
  ASSERT_EQ(by_model["rows"].size(), 1U) << by_model;
  EXPECT_EQ(by_model["rows"][0]["model"], "claude-x-1");
  EXPECT_EQ(by_model["all"]["cost_micros"], 1'500'000);
  EXPECT_EQ(by_model["all"]["calls"], 6);
  for (const char* by : {"task", "day", "run", "provider"}) {
    const Json table = json_of("cost", {"--by=" + std::string(by)});
    ASSERT_EQ(table["rows"].size(), 1U) << table;
    EXPECT_EQ(table["rows"][0]["turns"], 12);
  }
  EXPECT_EQ(json_of("cost", {"--by=role"})["rows"].size(), 6U);
  const std::string table = command("cost", {kBead, "--by=role"}).out;
  EXPECT_HAS(table, "calls  turns  input  output  cache read  cache written  cost");
  EXPECT_HAS(table, "execute-review");
  EXPECT_HAS(table, "in all");
  const Outcome nobody = command("cost", {"demo-9"});
  EXPECT_EQ(nobody.exit_code, 1);
  EXPECT_HAS(nobody.err, "there is no run of demo-9");
}

TEST_F(Cost, WhatNoClientToldIsUnknownAndNeverNothing) {
  const Outcome outcome = run_bead();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "cost unknown; 6 calls told neither tokens nor cost");
  const Json usage = json_of("status", {kBead})["usage"];
  EXPECT_TRUE(usage["cost_micros"].is_null()) << usage;
  EXPECT_TRUE(usage["tokens"].is_null()) << usage;
  EXPECT_EQ(usage["calls_without_cost"], 6);
  EXPECT_TRUE(json_of("cost", {})["all"]["cost_micros"].is_null());
  EXPECT_HAS(command("cost", {}).out, "unknown");
  EXPECT_HAS(command("cost", {}).out, "6 calls told neither tokens nor cost");
}

TEST_F(Cost, ASumThatLeavesCallsOutSaysSo) {
  meter();
  // Whoever executes prints plain text.
  install_program(
      path("bin/claude"),
      "#!/bin/bash\ncase $2 in *'# Execute Phase'*) exec worker -p \"$2\" --x;; esac\n" +
          metered("worker -p \"$2\" --x </dev/null"));
  const Outcome outcome = run_bead();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "cost at least 1.25; ");
  EXPECT_HAS(outcome.out, "; 1 call told neither tokens nor cost\n");
  EXPECT_HAS(command("cost", {}).out, "1.25+");
  EXPECT_EQ(json_of("cost", {})["all"]["calls_without_cost"], 1);
}

TEST_F(Cost, ARunInJsonEndsWithWhatItUsed) {
  meter();
  const std::vector<Json> events = events_of(run_bead({"--json"}).out);
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.back()["event"], "run_finished");
  EXPECT_EQ(events.back()["usage"]["cost_micros"], 1'500'000);
  int finished = 0;
  for (const Json& event : events)
    if (event["event"] == "phase_finished") {
      ++finished;
      EXPECT_EQ(event["usage"]["cost_micros"], 250'000) << event;
    }
  EXPECT_EQ(finished, 6);
}

}  // namespace
}  // namespace capsule::test
