// What auto mode used and cost, through the binary, and who the commit on main says has done the
// work.
#include <csignal>

#include "tests/program/demo_project.h"
#include "tests/program/metered.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class AutoCost : public DemoProject {
 protected:
  void SetUp() override {
    DemoProject::SetUp();
    make_project();
    auto_agent();
    fs::rename(path("bin/claude"), path("bin/worker"));
    install_program(path("bin/claude"), metered("worker </dev/null"));
  }
  Call auto_call() const {
    return in_project({"auto", "run", "Say hello", "--skip-expansion", "--skip-qa", "--skip-review",
                       "--skip-reflect"});
  }
  Json cost() const { return Json::parse(in({"cost", "auto", "--json"}).out, nullptr, false); }
};

TEST_F(AutoCost, TheSummarySaysWhatItCostAndTheMergeWhoAnswered) {
  const Outcome outcome = run(auto_call());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  // init, planning, execution.
  EXPECT_THAT(outcome.out, HasSubstr("cost 0.75; 300 tokens in, 60 out, "));
  const Json all = cost()["all"];
  EXPECT_EQ(all["calls"], 3) << all;
  EXPECT_EQ(all["cost_micros"], 750'000);
  const std::string message = git({"log", "-1", "--format=%(trailers)", "main"}).out;
  EXPECT_THAT(message, HasSubstr("Capsule-Model: claude-x-1\n"));
  EXPECT_THAT(message, HasSubstr("Capsule-Client: claude 2.1.325\n"));
}

// Nobody recorded what it used, but its log tells it.
TEST_F(AutoCost, WhatACallHadUsedThatWasKilledWithCapsuleIsCountedWhenTheRunGoesOn) {
  const std::string metering = read_file(path("bin/claude"));
  install_program(
      path("bin/claude"),
      "#!/bin/bash\nif [[ $CAPSULE_PHASE == execution && ! -e '" + path("mended") + "' ]]; then\n" +
          R"(printf '%s\n' '{"type":"system","subtype":"init","session_id":"s","claude_code_version":"2.1.325"}' \
  '{"type":"assistant","message":{"id":"cut","model":"claude-x-1","content":[],"usage":{"input_tokens":500,"output_tokens":7}}}'
exec sleep 600
fi
)" + metering.substr(metering.find('\n') + 1));
  Running running(auto_call());
  EXPECT_TRUE(eventually([&] {
    return in({"log", "auto", "--raw"}).out.find("\"cut\"") != std::string::npos;
  })) << running.err_so_far();
  running.send(SIGKILL);
  running.wait();
  write_file(path("mended"), "");
  const Outcome outcome = run(auto_call());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("cost at least 0.75; 800 tokens in, 67 out"));
  EXPECT_THAT(outcome.out, HasSubstr("1 call told no cost"));
  const Json all = cost()["all"];
  EXPECT_EQ(all["calls"], 4) << all;
  EXPECT_EQ(all["tokens"]["input"], 300 + 500);
  EXPECT_EQ(all["calls_without_cost"], 1);
  EXPECT_EQ(all["calls_without_tokens"], 0);
}

}  // namespace
}  // namespace capsule::test
