// A usage limit costs nothing and is over by itself, in every workflow, after a restart, and in all
// projects of the machine: through the binary, with clients that look at the clock.
#include <filesystem>

#include "tests/program/deliver_project.h"
#include "tests/program/demo_project.h"
#include "tests/program/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

// The first call of all finds a limit that ends in some seconds; who is called before then meets
// it, in the words of the real client. Each such call leaves a file below $limit/met.
std::string meets_a_limit(const std::string& folder, int seconds) {
  return "limit='" + folder + "'; mkdir -p \"$limit/met\"\n" +
         "if mkdir \"$limit/begun\" 2>/dev/null; then echo $(($(date +%s) + " +
         std::to_string(seconds) +
         ")) >\"$limit/new\"; mv \"$limit/new\" \"$limit/end\"; fi\n"
         "while ! test -e \"$limit/end\"; do sleep 0.02; done\n"
         "read -r end <\"$limit/end\"\n"
         "if [ \"$(date +%s)\" -lt \"$end\" ]; then\n"
         "  mktemp \"$limit/met/XXXXXX\" >/dev/null\n"
         "  echo \"API Error: Request rejected (429) · Claude AI usage limit reached|$end\"\n"
         "  exit 1\n"
         "fi\n";
}
int met(const std::string& folder) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(folder + "/met"))
    count += entry.is_regular_file() ? 1 : 0;
  return count;
}

class UsageLimit : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
  }
  void limited(int seconds) { on("execute", meets_a_limit(path("limit"), seconds) + "pass"); }
  bool is_parked(const Running& running) {
    return eventually([&] {
      return running.out_so_far().find("is parked until") != std::string::npos &&
             fs::exists(path("home/.local/state/capsule/providers"));
    });
  }
};

TEST_F(UsageLimit, IsOverByItselfAlsoForARunThatWasKilledMeanwhile) {
  limited(6);
  {
    Running running(calling("run", {kBead}));
    ASSERT_TRUE(is_parked(running)) << running.out_so_far() << running.err_so_far();
    running.send(SIGKILL);
    running.wait();
  }
  const Outcome outcome = run_bead({"--max-retries=1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(met(path("limit")), 1) << "nobody is called before it ends";
  for (const AgentCall& call : agent_calls()) EXPECT_EQ(call.env.at("CAPSULE_ATTEMPT"), "1");
  EXPECT_LACKS(outcome.out + outcome.err, "No signal JSON found");
}

TEST_F(UsageLimit, HoldsInEveryProjectOfTheMachineUntilAPersonLiftsIt) {
  const std::string other = path("another");
  fs::copy(project(), other, fs::copy_options::recursive);
  limited(86'400);
  Running first(calling("run", {kBead}));
  ASSERT_TRUE(is_parked(first)) << first.out_so_far() << first.err_so_far();
  const std::size_t before = agent_calls().size();
  Call call = calling("run", {kBead});
  call.cwd = other;
  Running second(call);
  ASSERT_TRUE(eventually([&] {
    return second.out_so_far().find("as another run found") != std::string::npos;
  })) << second.out_so_far()
      << second.err_so_far();
  Call status = calling("status", {kBead});
  status.cwd = other;
  std::string page;
  EXPECT_TRUE(eventually([&] {
    page = run(status).out;
    return page.find("waits for the provider claude until ") != std::string::npos;
  })) << page;
  EXPECT_EQ(agent_calls().size(), before) << "no request is spent on what is known";
  write_file(path("limit/end"), "0\n");
  ASSERT_EQ(command("agents", {"resume", "claude"}).exit_code, 0);
  EXPECT_EQ(first.wait().exit_code, 0);
  const Outcome outcome = second.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(met(path("limit")), 1);
}

class UsageLimitOfADelivery : public DeliveryTest {};

// Whoever works when it begins meets it once; nobody else is called, and no task fails.
TEST_F(UsageLimitOfADelivery, IsMetByThoseAtWorkAloneAndNoTaskFails) {
  const std::vector<std::string> tasks{"T-1", "T-2", "T-3", "T-4"};
  write_plan({{"T-1"}, {"T-2"}, {"T-3"}, {"T-4"}});
  for (const char* role : {"developer", "critic", "auditor"})
    on(role, "", 1, meets_a_limit(path("limit"), 5) + "good");
  const Delivered done = deliver({"--developers=4"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  expect_delivered(tasks);
  EXPECT_GE(met(path("limit")), 1);
  EXPECT_LE(met(path("limit")), 4);
  int used = 0;
  for (const Json& call : done.of("supply_agent_used")) {
    EXPECT_EQ(call["attempt"], 1) << call;
    used += 1;
  }
  EXPECT_EQ(used, 12 + met(path("limit")));
  EXPECT_TRUE(done.of("task_reworked").empty());
  EXPECT_TRUE(done.of("agent_signal_failure").empty());
}

class UsageLimitInAutoMode : public DemoProject {};

// A reviewer whose service fails has found nothing: there is one round, and nobody mends.
TEST_F(UsageLimitInAutoMode, OfReviewersCostsNoRoundOfFixing) {
  make_project();
  auto_agent("case $CAPSULE_PHASE in review-*)\n" + meets_a_limit(path("limit"), 3) +
             ";; esac\necho \"$CAPSULE_PHASE\" >>'" + path("phases") + "'");
  const Outcome outcome =
      in({"auto", "run", "Say hello", "--skip-expansion", "--skip-qa", "--skip-reflect"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_GE(met(path("limit")), 1);
  EXPECT_LE(met(path("limit")), 3);
  EXPECT_EQ(read_file(path("phases")).find("fix"), std::string::npos);
  const Json rounds = Json::parse(read_file(project() + "/.caw/validation-results.json"))["rounds"];
  EXPECT_EQ(rounds.size(), 1U) << rounds;
}

}  // namespace
}  // namespace capsule::test
