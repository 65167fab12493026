// capsule agents and capsule agents resume, through the binary.
#include <filesystem>

#include "tests/program/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

class ShownAgents : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
  }
  Json shown(const std::string& name) {
    for (const Json& one : Json::parse(command("agents", {"--json"}).out, nullptr, false))
      if (one["provider"] == name) return one;
    return {};
  }
  void bad_key_once() {
    on("execute", 1, "echo 'Invalid API key · Please run /login'; exit 1");
    on("execute", 2, "pass");
  }
  static constexpr const char* kStay =
      "echo here >\"$M/here\"; while [ ! -e \"$M/go\" ]; do sleep 0.05; done; pass";
};

TEST_F(ShownAgents, AreThoseOfTheConfigurationAndThoseThatAreInstalled) {
  configure(
      "fallbacks: [other]\nroles: {critic: {provider: codex}}\n"
      "providers: {other: {command: [no-such-program]}}\n");
  const Outcome outcome = command("agents", {});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_HAS(outcome.out, "claude    free\n");
  EXPECT_HAS(outcome.out, "codex     not installed\n");
  EXPECT_HAS(outcome.out, "other     not installed\n");
  EXPECT_EQ(shown("claude")["state"], "free");
  EXPECT_EQ(shown("other")["state"], "missing");
  EXPECT_EQ(shown("other")["program"], "no-such-program");
  EXPECT_TRUE(shown("gemini").is_null()) << "neither configured nor installed";
}

TEST_F(ShownAgents, OneThatIsNoLongerConfiguredIsNotCalledMissing) {
  configure("provider: mine\nproviders: {mine: {command: [claude]}}\n");
  bad_key_once();
  EXPECT_NE(run_bead().exit_code, 0);
  configure("");
  const Outcome outcome = command("agents", {});
  EXPECT_HAS(outcome.out, "mine      no longer configured\n");
  EXPECT_LACKS(outcome.out, "not installed");
  EXPECT_EQ(shown("mine")["configured"], false);
}

TEST_F(ShownAgents, OneThatIsParkedSaysUntilWhenWhyAndHowToLiftIt) {
  bad_key_once();
  EXPECT_NE(run_bead().exit_code, 0);
  const Outcome outcome = command("agents", {});
  EXPECT_HAS(outcome.out,
             "claude    parked until a person lifts it: it does not accept the account or key\n");
  EXPECT_HAS(outcome.out, "its client: Invalid API key · Please run /login");
  EXPECT_HAS(outcome.out, "capsule agents resume claude");
  const Json claude = shown("claude");
  EXPECT_EQ(claude["state"], "parked");
  EXPECT_TRUE(claude["parking"]["until"].is_null());
  EXPECT_EQ(claude["parking"]["why"], "unauthorised");
  EXPECT_EQ(claude["parked_in"][0]["name"], kBead);
  EXPECT_EQ(claude["parked_in"][0]["live"], false);
  EXPECT_GE(claude["today"]["calls"].get<int>(), 3);
}

TEST_F(ShownAgents, ARunThatHasStoppedHearsOfALiftedParkingWhenItIsStartedAgain) {
  bad_key_once();
  EXPECT_NE(run_bead().exit_code, 0);
  const Outcome lifted = command("agents", {"resume", "claude"});
  EXPECT_EQ(lifted.exit_code, 0) << lifted.err;
  EXPECT_HAS(lifted.out, "claude is free again.\n");
  EXPECT_HAS(lifted.out, "Go on with: capsule run " + std::string(kBead));
  EXPECT_EQ(shown("claude")["state"], "free");
  const Outcome again = run_bead();
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
  EXPECT_HAS(again.out, "claude is free again, says a person");
  EXPECT_EQ(shown("claude")["state"], "free");
  EXPECT_HAS(command("questions", {}).out, "");
  EXPECT_LACKS(command("questions", {}).out, "1001");
}

TEST_F(ShownAgents, ALiveRunGoesOnOnceTheParkingIsLifted) {
  on("execute", 1,
     "echo \"API Error: Request rejected (429) · Claude AI usage limit reached|$(($(date +%s) + "
     "86400))\"; exit 1");
  on("execute", 2, "pass");
  Running waiting(calling("run", {kBead}));
  ASSERT_TRUE(eventually([&] {
    return waiting.out_so_far().find("is parked until") != std::string::npos;
  })) << waiting.out_so_far()
      << waiting.err_so_far();
  // The fact comes first; what the machine's other runs are told follows.
  Json claude;
  ASSERT_TRUE(eventually([&] {
    claude = shown("claude");
    return claude["waiting"].size() == 1 && claude["parking"].is_object();
  })) << claude;
  EXPECT_EQ(claude["waiting"][0]["name"], kBead);
  EXPECT_EQ(claude["waiting"][0]["agents"], 1);
  EXPECT_EQ(claude["parked_in"][0]["live"], true);
  EXPECT_GT(claude["parking"]["until"].get<std::int64_t>(), 1'700'000'000);
  EXPECT_HAS(command("agents", {}).out, "waits: 1 agent: 1 in " + std::string(kBead));
  const Outcome lifted = command("agents", {"resume", "claude"});
  EXPECT_HAS(lifted.out, "Goes on by itself: " + std::string(kBead));
  const Outcome outcome = waiting.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
}

TEST_F(ShownAgents, WhoWorksIsCountedByRun) {
  on("execute", kStay);
  Running working(calling("run", {kBead}));
  ASSERT_TRUE(eventually([&] { return fs::exists(mock("here")); })) << working.err_so_far();
  EXPECT_HAS(command("agents", {}).out, "works: 1 agent: 1 in " + std::string(kBead));
  EXPECT_EQ(shown("claude")["running"][0]["agents"], 1);
  write_file(mock("go"), "");
  EXPECT_EQ(working.wait().exit_code, 0);
  EXPECT_TRUE(shown("claude")["running"].empty());
}

TEST_F(ShownAgents, AnAgentMayNotLiftAParking) {
  on("execute",
     "capsule agents resume claude >\"$M/said\" 2>&1; capsule agents >/dev/null || exit 1; pass");
  ASSERT_EQ(run_bead().exit_code, 0);
  EXPECT_HAS(read_file(mock("said")), "agents may not call it");
}

TEST_F(ShownAgents, ANameThatIsNoneIsRefusedAndOneThatIsFreeIsFine) {
  const Outcome none = command("agents", {"resume", "nobody"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_HAS(none.err, "there is no provider 'nobody'; valid: claude");
  EXPECT_HAS(command("agents", {"resume", "claude"}).out, "claude is not parked.");
}

}  // namespace
}  // namespace capsule::test
