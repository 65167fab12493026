// What a delivery used and cost, through the binary: in its summary, its report, status, and the
// costs that the next plan is said to have.
#include "tests/program/deliver_project.h"
#include "tests/program/metered.h"

namespace capsule::test {
namespace {

class DeliveryCost : public DeliveryTest {
 protected:
  void SetUp() override {
    DeliveryTest::SetUp();
    std::filesystem::remove(path("bin/claude"));
    install_program(path("bin/claude"), metered("agent </dev/null"));
    configure("provider: claude\n");
    write_plan({{"T-1"}, {"T-2"}});
  }
};

TEST_F(DeliveryCost, TheReportTheSummaryAndTheNextPlanKnowWhatItCost) {
  // Nothing is known before anything was delivered.
  EXPECT_HAS(capsule_in({"plan", "check", plan_file()}).out, "what that costs is unknown");
  const Outcome outcome = capsule_in({"deliver", plan_file()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "\n  cost 1.50; 600 tokens in, ");
  for (const char* commit : {"main", "main^1"}) {
    const std::string message = git_out({"log", "-1", "--format=%(trailers)", commit});
    EXPECT_HAS(message, "Capsule-Model: claude-x-1");
    EXPECT_HAS(message, "Capsule-Client: claude 2.1.325");
  }
  const std::string report = report_text();
  EXPECT_HAS(report, "- Used: cost 1.50; ");
  EXPECT_HAS(report, "- Used: cost 0.75; ");
  EXPECT_HAS(report, "| used | log |");
  EXPECT_HAS(capsule_in({"status", plan_file(), "T-1"}).out, "cost 0.75; ");
  const Json status = Json::parse(capsule_in({"status", plan_file(), "--json"}).out);
  EXPECT_EQ(status["tasks"][0]["usage"]["cost_micros"], 750'000);

  const Outcome check = capsule_in({"plan", "check", plan_file()});
  EXPECT_HAS(check.out, "likely: 6 agent runs, costing 1.50 (as in the delivery before");
  EXPECT_HAS(check.out, "developer 0.25 (2 runs, at most 0.25)");
  const Json plan = Json::parse(capsule_in({"plan", "check", plan_file(), "--json"}).out);
  EXPECT_EQ(plan["prices"]["from"], "journal");
  EXPECT_DOUBLE_EQ(plan["bound"]["money"].get<double>(),
                   0.25 * plan["bound"]["agent_runs"].get<double>());
}

TEST_F(DeliveryCost, OneTaskAloneCanBeAskedFor) {
  ASSERT_EQ(capsule_in({"deliver", plan_file()}).exit_code, 0);
  const Json cost =
      Json::parse(capsule_in({"cost", plan_file(), "T-2", "--by=role", "--json"}).out);
  EXPECT_EQ(cost["all"]["calls"], 3) << cost;
  EXPECT_EQ(cost["rows"].size(), 3U);
}

TEST_F(DeliveryCost, PricesOfTokensStandInForACostThatIsNotTold) {
  configure(
      "provider: claude\nprices: {claude: {input: 1.00, output: 10.00, cache_read: 0.10, "
      "cache_written: 1.00}}\n");
  const Json plan = Json::parse(capsule_in({"plan", "check", plan_file(), "--json"}).out);
  EXPECT_EQ(plan["prices"]["from"], "assumption") << plan;
  EXPECT_DOUBLE_EQ(plan["prices"]["likely"]["developer"].get<double>(), 0.02 + 0.08 + 0.04 + 0.04);
  EXPECT_HAS(capsule_in({"plan", "check", plan_file()}).out,
             "assumed, by prices and 20k tokens in");
}

}  // namespace
}  // namespace capsule::test
