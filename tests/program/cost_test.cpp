// What agents used and cost, through the binary: in the summary of a run, status, the report, the
// ledger, `capsule cost` and --json. What nobody told is unknown, and never 0.
#include <csignal>
#include <ctime>
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
      "cost 1.50; 600 tokens in, 120 out, 6.0k from a cache, 60 into it; 12 turns; "
      "shortened 6 times\n";
  EXPECT_HAS(outcome.out, words);
  EXPECT_HAS(outcome.out, ", cost 0.25");  // of a phase
  EXPECT_HAS(command("status", {kBead}).out, words);
  EXPECT_HAS(command("status", {}).out, ", cost 1.50\n");

  const Json status = json_of("status", {kBead});
  EXPECT_EQ(status["usage"]["cost_micros"], 1'500'000);
  EXPECT_EQ(status["usage"]["tokens"]["cache_read"], 6000);
  EXPECT_EQ(status["usage"]["calls_without_cost"], 0);
  EXPECT_EQ(status["usage"]["compactions"], 6);
  const Json& agent = status["agents"][0];
  EXPECT_EQ(agent["client"], "claude 2.1.325");
  EXPECT_EQ(agent["answered"], "claude-x-1");
  EXPECT_EQ(agent["cost_micros"], 250'000);
  EXPECT_EQ(agent["tokens"]["input"], 100);
  EXPECT_EQ(agent["turns"], 2);
  EXPECT_EQ(agent["compactions"], 1);

  const std::string ledger = command("ledger", {"--by=role"}).out;
  EXPECT_HAS(ledger,
             "agents  turns    shortened  input       output      cache read    cache written");
  EXPECT_HAS(ledger, "\nexecute             1       2        1          100 ");
  EXPECT_EQ(json_of("ledger", {"--by=provider"})[0]["usage"]["cost_micros"], 1'500'000);
}

TEST_F(Cost, APhaseThatWasRunByHandIsACallWhoseCostIsUnknownAndNotNone) {
  configure(
      "phases: {test-writer: {provider: mine}}\n"
      "providers: {mine: {command: [claude, -p, '{prompt}', --x]}}\n");
  ASSERT_EQ(command("prep", {kBead}).exit_code, 0);
  on("test-writer", "echo \"$TMPDIR\" >'" + mock("tmp") + "'; echo red >tests/red.txt; pass");
  const Outcome by_hand = command("run-phase", {"test-writer", worktree()});
  ASSERT_EQ(by_hand.exit_code, 0) << by_hand.out << by_hand.err;
  const std::string scratch = read_file(mock("tmp"));
  EXPECT_NE(scratch, "\n");
  EXPECT_FALSE(fs::exists(scratch.substr(0, scratch.size() - 1))) << "it was the call's own";
  const Json table = json_of("cost", {"--by=role"});
  ASSERT_EQ(table["rows"].size(), 1U) << table;
  EXPECT_EQ(table["rows"][0]["calls_without_cost"], 1);
  meter();
  const Outcome outcome = run_bead({"--resume"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  const Json status = json_of("status", {kBead});
  EXPECT_EQ(status["usage"]["cost_micros"], 1'250'000) << status;
  EXPECT_EQ(status["usage"]["calls_without_cost"], 1);
  EXPECT_EQ(status["usage"]["calls_without_tokens"], 1);
  const std::string message = git_out({"log", "-1", "--format=%(trailers)", "main"});
  EXPECT_HAS(message, "Capsule-Client: mine");
  EXPECT_HAS(message, "Capsule-Client: claude 2.1.325");
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
    EXPECT_EQ(table["rows"][0]["compactions"], 6);
  }
  EXPECT_EQ(json_of("cost", {"--by=role"})["rows"].size(), 6U);
  const std::string table = command("cost", {kBead, "--by=role"}).out;
  EXPECT_HAS(table, "calls  turns  shortened  input  output  cache read  cache written  cost");
  EXPECT_HAS(table, "execute-review");
  EXPECT_HAS(table, "in all");
  const Outcome nobody = command("cost", {"demo-9"});
  EXPECT_EQ(nobody.exit_code, 1);
  EXPECT_HAS(nobody.err, "there is no run of demo-9");
}

TEST_F(Cost, AnotherModelThanTheOneAskedForIsARefutedClaimAndTheMergeNamesWhoAnswered) {
  meter();
  configure("providers: {claude: {model: opus}}\n");
  const Outcome outcome = run_bead();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  int refuted = 0;
  for (const Json& row : json_of("ledger", {"--by=provider"}))
    if (row["claim"] == "model") refuted += row["false"].get<int>();
  EXPECT_EQ(refuted, 6) << "of each of its calls";
  const std::string message = git_out({"log", "-1", "--format=%(trailers)", "main"});
  EXPECT_HAS(message, "Capsule-Model: claude-x-1");
  EXPECT_HAS(message, "Capsule-Client: claude 2.1.325");
}

TEST_F(Cost, TheMergeNamesNobodyWhereThatIsNotWanted) {
  meter();
  configure("trailers: false\n");
  ASSERT_EQ(run_bead().exit_code, 0);
  const std::string message = git_out({"log", "-1", "--format=%B", "main"});
  EXPECT_LACKS(message, "Capsule-Model");
  EXPECT_LACKS(message, "Capsule-Client");
}

TEST_F(Cost, ABudgetOfTheDayHoldsTheNextRunUntilAPersonAddsToIt) {
  meter();
  // Midnight is far away, wherever the machine is.
  const std::time_t now = std::time(nullptr);
  env()["TZ"] = "XXX" + std::to_string(static_cast<int>(now / 3600 % 24) - 12);
  configure("budget: {day: 1.50}\n");
  set_beads({{"demo-1", "One"}, {"demo-2", "Two"}});
  on("execute", "work; echo \"$CAPSULE_BEAD\" >>feature.txt; say PASS fine \"$files\"");
  const Outcome first = command("run", {"demo-1"});
  ASSERT_EQ(first.exit_code, 0) << first.out << first.err;
  EXPECT_HAS(first.out, "budget of the day");
  // It would go on by itself tomorrow.
  Running held(calling("run", {"demo-2"}));
  ASSERT_TRUE(eventually([&] {
    return held.out_so_far().find("The budget of this day (budget.day) is spent: 1.50 of 1.50") !=
           std::string::npos;
  })) << held.out_so_far()
      << held.err_so_far();
  EXPECT_HAS(command("status", {"demo-2"}).out, "waits for a larger budget");
  EXPECT_EQ(phases().size(), 6U) << "nobody is called";
  ASSERT_EQ(command("answer", {"1001", "5"}).exit_code, 0);
  const Outcome outcome = held.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(phases().size(), 12U);
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
  EXPECT_HAS(command("cost", {}).out, "      6  unknown    unknown  unknown  unknown     unknown");
  EXPECT_HAS(command("cost", {}).out, "6 calls told neither tokens nor cost");
}

// Nobody recorded what it used, but its log tells it: once, however often the run is taken up.
TEST_F(Cost, WhatACallHadUsedThatWasKilledWithCapsuleIsCountedWhenTheRunGoesOn) {
  meter();
  const std::string metering = read_file(path("bin/claude"));
  install_program(
      path("bin/claude"),
      "#!/bin/bash\nif [[ $2 == *'# Execute Phase'* && ! -e '" + mock("mended") + "' ]]; then\n" +
          R"(printf '%s\n' '{"type":"system","subtype":"init","session_id":"s","claude_code_version":"2.1.325"}' \
  '{"type":"assistant","message":{"id":"cut","model":"claude-x-1","content":[],"usage":{"input_tokens":500,"output_tokens":7}}}'
exec sleep 600
fi
)" + metering.substr(metering.find('\n') + 1));
  for (int kills = 1; kills <= 2; ++kills) {
    Running running(calling("run", {kBead}));
    EXPECT_TRUE(eventually([&] {
      int told = 0;
      for (const std::string& name : logs_in(worktree() + "/.capsule/output"))
        told +=
            read_file(worktree() + "/.capsule/output/" + name).find("\"cut\"") != std::string::npos
                ? 1
                : 0;
      return told == kills;
    })) << running.err_so_far();
    running.send(SIGKILL);
    running.wait();
  }
  write_file(mock("mended"), "");
  const Outcome outcome = run_bead();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "cost at least 1.50; 1.6k tokens in, 134 out");
  EXPECT_HAS(outcome.out, "2 calls told no cost");
  const Json all = json_of("cost", {})["all"];
  EXPECT_EQ(all["calls"], 8);
  EXPECT_EQ(all["tokens"]["input"], 600 + 2 * 500);
  EXPECT_EQ(all["calls_without_cost"], 2);
  EXPECT_EQ(all["calls_without_tokens"], 0);
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
