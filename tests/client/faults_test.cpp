// Every kind of fault by the real clients, through the whole program: what their service does costs
// no attempt, and what is the agent's own ends its phase in words that say what it was. One test
// for each client and kind; docs/agents.md shows the same table.
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>

#include "tests/client/agents.h"
#include "tests/client/client.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;
constexpr const char* kWithFull = "./test --full runs it";
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Faults : public AgentTest, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    AgentTest::SetUp();
    if (!with_clients({GetParam()})) return;
    use("");
    write_workflow_of_one();
  }
  void use(const std::string& more, const std::string& answer_timeout = "") {
    configure("provider: " + client() + "\n" + providers_of({client()}, answer_timeout) + more);
  }
  static std::string client() { return GetParam(); }
  template <class... Names>
  static bool is_one_of(Names... names) {
    return ((client() == names) || ...);
  }
  static bool is_full() { return std::getenv("CAPSULE_TEST_FULL") != nullptr; }
  // Its starts take long: ./test --full has it.
  static bool is_dear() { return client() == "opencode" && !is_full(); }
  // The same for kinds that differ little from another.
  static bool is_dear_twin() { return is_one_of("gemini", "opencode") && !is_full(); }

  // How often one call asks before it gives up is the client's affair; it is told to wait a second
  // in between. (Where no time is told, gemini takes a limit for a minute's.)
  static Say meets(Failure failure, int times = kUntilMended) {
    failure.retry_after = std::chrono::seconds(1);
    return fails(failure, times);
  }
  static Say meets(Fault fault, int times = kUntilMended) {
    return meets(Failure{.fault = fault}, times);
  }

  std::vector<std::string> words_of_one(std::vector<std::string> more) const {
    more.insert(more.begin(), {kBead, "--workflow=one", "--json"});
    return more;
  }
  Outcome run_one(std::vector<std::string> more = {}) const {
    return run(patiently("run", words_of_one(std::move(more))));
  }
  // Within minutes: some clients try for long by themselves.
  static bool comes(Running& running, const std::string& fact) {
    const auto told = [&] {
      return running.out_so_far().find("\"" + fact + "\"") != std::string::npos;
    };
    for (int minutes = 0; minutes < 5; ++minutes)
      if (eventually(told)) return true;
    return false;
  }
  static std::vector<std::string> faults_of(const Outcome& outcome) {
    std::vector<std::string> faults;
    for (const Json& call : facts_of(outcome, "supply_agent_used")) {
      faults.push_back(call.at("fault"));
      EXPECT_EQ(call.at("attempt"), 1);
    }
    return faults;
  }
  bool is_silent() {
    const std::vector<Turn> turns = model().turns();
    return !turns.empty() && turns.back().fault == Fault::silent;
  }
  // A fault of the service: nothing is spent, and the same agent is to start again by itself.
  void expect_a_pause(const char* fault) {
    Running running(patiently("run", words_of_one({})));
    ASSERT_TRUE(comes(running, "supply_agent_held"))
        << running.out_so_far() << running.err_so_far();
    running.send(SIGTERM);
    const Outcome outcome = running.wait();
    EXPECT_NE(outcome.exit_code, 0);
    EXPECT_THAT(faults_of(outcome), ElementsAre(fault)) << outcome.out << outcome.err;
    const std::vector<Json> faulted = facts_of(outcome, "supply_agent_faulted");
    ASSERT_THAT(faulted, SizeIs(1));
    EXPECT_EQ(faulted[0].at("tries"), 1);
    EXPECT_THAT(faulted[0].at("until").get<long>(), Gt(0));
    EXPECT_NE(faulted[0].at("words"), "") << "the client's own";
    EXPECT_THAT(facts_of(outcome, "supply_provider_parked"), IsEmpty());
  }
  // What the agent itself did, or its model: its phase ends, and no service is to blame.
  void expect_an_end(const std::vector<std::string>& faults) {
    const Outcome outcome = run_one();
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
    EXPECT_EQ(faults_of(outcome), faults) << outcome.out;
    EXPECT_THAT(facts_of(outcome, "supply_provider_parked"), IsEmpty());
    EXPECT_EQ(git_out({"log", "-1", "--format=%s", "main"}).find("Merge"), std::string::npos);
  }
};

const std::string kDone = signal_text("PASS", "changed", "\"feature.txt\"");

// The same agent goes on where it was, in its session.
TEST_P(Faults, AServiceThatIsOverloadedIsWaitedForAndTheSessionGoesOn) {
  model().when("You were interrupted", {say(kDone)});
  model().when("# Change it",
               {bash("echo done >feature.txt"), meets(Fault::overloaded), say(kDone)});
  Running running(patiently("run", words_of_one({})));
  ASSERT_TRUE(comes(running, "supply_agent_held")) << running.out_so_far() << running.err_so_far();
  model().mend();
  const Outcome outcome = running.wait();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(faults_of(outcome), ElementsAre("overloaded", "none"));
  const std::vector<Json> calls = facts_of(outcome, "supply_agent_used");
  // kimi tells its session at the end of a turn that went well: the next one is told the history.
  const bool goes_on = client() != "kimi";
  EXPECT_EQ(calls[1].at("session") == calls[0].at("session"), goes_on);
  const Turn last = model().turns().back();
  EXPECT_EQ(last.key, goes_on ? "You were interrupted" : "# Change it");
  EXPECT_GE(last.user_texts, goes_on ? 2U : 1U) << "it remembers its task";
  EXPECT_EQ(git_out({"show", "main:feature.txt"}), "done");
}

// Where the client does not say that nothing was answered, the second fault in a row may have ended
// its session, and it begins another that is told the history.
TEST_P(Faults, ASecondFaultInARowEndsASessionOfWhichNothingIsKnown) {
  if (!is_one_of("claude", "codex", "gemini"))
    GTEST_SKIP() << "the others differ little from these";
  model().when("You were interrupted", {meets(Fault::rate_limited, 1), say(kDone)});
  model().when("# Change it",
               {bash("echo done >feature.txt"), meets(Fault::overloaded, 1), say(kDone)});
  const Outcome outcome = run_one();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(faults_of(outcome), ElementsAre("overloaded", "rate_limited", "none"));
  const std::vector<Json> calls = facts_of(outcome, "supply_agent_used");
  const bool says = client() != "codex";
  EXPECT_EQ(calls[2].at("session") == calls[0].at("session"), says);
  EXPECT_EQ(model().turns().back().key, says ? "You were interrupted" : "# Change it");
}

TEST_P(Faults, ARateLimitIsWaitedFor) {
  if (is_dear()) GTEST_SKIP() << kWithFull;
  model().when("# Change it", {meets(Fault::rate_limited), say("never")});
  expect_a_pause("rate_limited");
}

TEST_P(Faults, AServiceThatBreaksIsWaitedFor) {
  if (is_dear_twin()) GTEST_SKIP() << kWithFull;
  model().when("# Change it", {meets(Fault::server_error), say("never")});
  expect_a_pause("overloaded");
}

// Else it would try for minutes or hours, and the time limit of the phase would end it.
TEST_P(Faults, ItsOwnTriesAreBoundedByCapsule) {
  const std::map<std::string, std::size_t> requests{
      {"claude", 4}, {"goose", 4}, {"qwen", 7}, {"kimi", 1}, {"grok", 1}};
  const auto expected = requests.find(client());
  if (expected == requests.end()) GTEST_SKIP() << "its tries cannot be bounded";
  env()["CLAUDE_CODE_MAX_RETRIES"] = std::nullopt;
  model().when("# Change it", {meets(Fault::overloaded), say("never")});
  expect_a_pause("overloaded");
  EXPECT_THAT(model().turns(), SizeIs(expected->second));
}

TEST_P(Faults, AnAnswerThatIsCutOffIsAskedForAgain) {
  if (is_dear_twin()) GTEST_SKIP() << kWithFull;
  model().when("# Change it", {fails(Fault::cut)});
  expect_a_pause("unreachable");
}

TEST_P(Faults, AServiceThatCannotBeReachedIsWaitedFor) {
  if (is_dear()) GTEST_SKIP() << kWithFull;
  hide_model();
  use("");
  expect_a_pause("unreachable");
}

// Where the client tells when the limit ends, the run goes on by itself; else nobody is called for
// a while, and the run can be stopped.
TEST_P(Faults, AUsageLimitParksTheProvider) {
  if (is_dear()) GTEST_SKIP() << kWithFull;
  const bool tells = is_one_of("claude", "codex", "opencode");
  const bool to_the_second = tells && client() != "codex";
  const std::chrono::seconds ends_in(to_the_second ? 15 : 3600);
  const long soon = static_cast<long>(std::time(nullptr) + ends_in.count());
  model().when("# Change it", {meets(Failure{.fault = Fault::usage_limit, .resets_in = ends_in}),
                               bash("echo done >feature.txt"), say(kDone)});
  Running running(patiently("run", words_of_one({})));
  ASSERT_TRUE(comes(running, "supply_provider_parked"))
      << running.out_so_far() << running.err_so_far();
  EXPECT_THAT(command("status", {}).out,
              HasSubstr("waits for the provider " + client() + " until "));
  model().mend();
  if (!to_the_second) running.send(SIGTERM);
  const Outcome outcome = running.wait();
  const std::vector<Json> parked = facts_of(outcome, "supply_provider_parked");
  ASSERT_EQ(parked.size(), 1U);
  EXPECT_EQ(parked[0].at("provider"), client());
  EXPECT_EQ(parked[0].at("guessed"), !tells);
  EXPECT_GE(parked[0].at("until").get<long>(), tells ? soon : 0);
  if (to_the_second) {
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    EXPECT_THAT(faults_of(outcome), ElementsAre("usage_limit", "none"));
  } else {
    EXPECT_THAT(faults_of(outcome), ElementsAre("usage_limit"));
    EXPECT_NE(outcome.exit_code, 0);
  }
}

TEST_P(Faults, AKeyThatIsNotAcceptedIsPutToAPersonAndSpendsNoAttempt) {
  model().when("# Change it",
               {meets(Fault::unauthorised), bash("echo done >feature.txt"), say(kDone)});
  const Outcome refused = run_one();
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_THAT(faults_of(refused), ElementsAre("unauthorised"));
  EXPECT_THAT(command("questions", {}).out, HasSubstr("is not authorised at its service"));
  ASSERT_EQ(command("answer", {"1001", "go on"}).exit_code, 0);
  model().mend();
  const Outcome outcome = run_one();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(faults_of(outcome), ElementsAre("none"));
}

TEST_P(Faults, AnEmptyAccountIsPutToAPersonAsWell) {
  if (is_dear()) GTEST_SKIP() << kWithFull;
  model().when("# Change it", {meets(Fault::no_credit), say("never")});
  const Outcome outcome = run_one();
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(faults_of(outcome), ElementsAre("no_credit")) << outcome.out;
  EXPECT_THAT(command("questions", {}).out, HasSubstr("has no credit left at its service"));
}

// Four clients tell a refusal from silence, or from an answer, in no way.
TEST_P(Faults, ARefusalEndsThePhaseAndIsNamedWhereTheClientTellsIt) {
  // claude 2.1.326 asks once more by itself.
  model().when("# Change it", {fails(Fault::refused), fails(Fault::refused)});
  const char* fault = is_one_of("codex", "goose", "qwen") ? "no_words" : "policy";
  expect_an_end({client() == "copilot" ? "no_signal" : fault});
}

TEST_P(Faults, AnEmptyAnswerEndsThePhase) {
  if (is_dear_twin()) GTEST_SKIP() << kWithFull;
  model().when("# Change it", {say("")});
  expect_an_end({"no_words"});
}

// Once more in a new session: its history may have been what was too long.
TEST_P(Faults, AConversationThatIsTooLongIsTriedInANewSessionAndThenEndsThePhase) {
  if (is_dear_twin()) GTEST_SKIP() << kWithFull;
  model().when("# Change it", {fails(Fault::too_long)});
  // Words of opencode's and kimi's own, when they have shortened the conversation or are about to.
  model().when("The previous request exceeded", {say("It is too long all the same.")});
  model().when("You are about to run out of context", {fails(Fault::too_long)});
  expect_an_end({"context_full", "context_full"});
}

TEST_P(Faults, AnAnswerWithoutASignalEndsThePhase) {
  if (is_dear()) GTEST_SKIP() << kWithFull;
  model().when("# Change it", {say("I am done, I think.")});
  expect_an_end({"no_signal"});
}

TEST_P(Faults, AClientThatIsKilledIsNamedWithItsSignal) {
  if (is_dear()) GTEST_SKIP() << kWithFull;
  model().when("# Change it", {bash("echo done >feature.txt"), fails(Fault::silent)});
  Running running(patiently("run", words_of_one({})));
  ASSERT_TRUE(eventually([&] { return is_silent(); }));
  const std::vector<std::string> logs = logs_in(worktree() + "/.capsule/output");
  ASSERT_FALSE(logs.empty());
  const std::string name = logs[0].substr(0, logs[0].find(".log"));
  ASSERT_EQ(::kill(static_cast<pid_t>(std::stol(name.substr(name.rfind('-') + 1))), SIGKILL), 0);
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(faults_of(outcome), ElementsAre("exit_status"));
  EXPECT_THAT(outcome.out, HasSubstr("was ended by signal 9 (SIGKILL)"));
}

TEST_P(Faults, AModelThatSaysNothingIsItsServicesFaultAndSpendsNoAttempt) {
  if (is_one_of("copilot", "grok")) GTEST_SKIP() << "it does not tell that it waits";
  use("", "3s");
  model().when("# Change it", {fails(Fault::silent)});
  expect_a_pause("no_answer");
}

// These print nothing before the model's first word, and start processes of their own meanwhile.
TEST_P(Faults, AClientThatDoesNotTellThatItWaitsHasItsTimeLimitAlone) {
  if (!is_one_of("copilot", "grok")) GTEST_SKIP() << "it tells that it waits";
  use("phases: {change: {timeout: 15s}}\n", "3s");
  model().when("# Change it", {fails(Fault::silent)});
  const Outcome outcome = run_one();
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(faults_of(outcome), ElementsAre("timed_out"));
}

// These wait for it in silence, for as long as they are told to.
TEST_P(Faults, AServiceThatHasItsClientWaitForAnHourSpendsNoAttempt) {
  if (!is_one_of("codex", "opencode", "qwen")) GTEST_SKIP() << "it does not wait so long";
  if (is_dear()) GTEST_SKIP() << kWithFull;
  // Of codex's own tries none is left in the other tests.
  std::string providers = providers_of({client()}, "3s");
  for (std::size_t at = 0; (at = providers.find("max_retries=0", at)) != providers.npos; ++at)
    providers.replace(at, 13, "max_retries=4");
  configure("provider: " + client() + "\n" + providers);
  model().when(
      "# Change it",
      {fails(Failure{.fault = Fault::rate_limited, .retry_after = std::chrono::hours(1)})});
  expect_a_pause("no_answer");
}

TEST_P(Faults, AToolThatTakesTooLongEndsAtOurTimeLimit) {
  if (is_dear()) GTEST_SKIP() << kWithFull;
  constexpr const char* kForEver = "tail -f /dev/null";  // qwen refuses a long sleep
  use("phases: {change: {timeout: 15s}}\n", "3s");
  // codex leaves a command alone after ten seconds and lets the model ask for it again.
  model().when("# Change it", {bash(kForEver), bash(kForEver), bash(kForEver), say("never")});
  const Outcome outcome = run_one();
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(faults_of(outcome), ElementsAre("timed_out"));
  EXPECT_THAT(outcome.out, HasSubstr("timed out after 15 s"));
}

// The client is gone with us, and what it had done is kept; the run goes on when it is started
// again.
TEST_P(Faults, CapsuleKilledWhileTheClientWorksGoesOnAndEndsAsIfNothingHadHappened) {
  model().when("You were interrupted", {say(kDone)});
  model().when("# Change it",
               {bash("echo done >feature.txt"), fails(Fault::silent, 1), say(kDone)});
  Running running(patiently("run", words_of_one({})));
  ASSERT_TRUE(eventually([&] { return is_silent(); }));
  running.send(SIGKILL);
  running.wait();
  const Outcome outcome = run_one();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(git_out({"show", "main:feature.txt"}), "done");
  EXPECT_TRUE(is_closed());
  // Of the call that was killed the log tells what its client had told by then.
  EXPECT_THAT(faults_of(outcome), ElementsAre("lost", "none"));
  const Json lost = facts_of(outcome, "supply_agent_used").at(0);
  EXPECT_EQ(lost.at("provider"), client());
  const Turn first = model().turns().at(0);
  if (is_one_of("claude", "qwen")) {
    EXPECT_EQ(lost.at("use").at("input"), first.tokens.input);
  } else if (!is_one_of("opencode", "grok")) {
    EXPECT_FALSE(lost.at("use").at("tokens_known").get<bool>()) << "it tells them at its end";
  }
}

FOR_CLIENT(Faults, "claude", Claude);
FOR_CLIENT(Faults, "codex", Codex);
FOR_CLIENT(Faults, "gemini", Gemini);
FOR_CLIENT(Faults, "opencode", Opencode);
FOR_CLIENT(Faults, "goose", Goose);
FOR_CLIENT(Faults, "qwen", Qwen);
FOR_CLIENT(Faults, "copilot", Copilot);
FOR_CLIENT(Faults, "kimi", Kimi);
FOR_CLIENT(Faults, "grok", Grok);

}  // namespace
}  // namespace capsule::test
