// Every kind of fault by the real clients, through the whole program: what their service does costs
// no attempt, and what is the agent's own ends its phase in words that say what it was.
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "tests/client/agents.h"
#include "tests/client/client.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::chrono::seconds kSoon{1};  // where none is told, gemini takes it for a minute

class Faults : public AgentTest, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    AgentTest::SetUp();
    if (!with_clients({GetParam()})) return;
    use("");
    write_workflow_of_one();
  }
  void use(const std::string& more) {
    configure("provider: " + client() + "\n" + providers_of({client()}) + more);
  }
  static std::string client() { return GetParam(); }
  static bool is_full() { return std::getenv("CAPSULE_TEST_FULL") != nullptr; }
  // Its starts are dear.
  static bool is_dear() { return client() == "opencode" && !is_full(); }
  // Whose own tries can be bounded, or are over soon; the others would try on for minutes.
  static bool gives_up() {
    return client() == "claude" || client() == "codex" || client() == "gemini" ||
           client() == "opencode";
  }
  // ./test --full has it, as far as the client gives up.
  static bool is_left_out() { return is_dear() || !gives_up(); }
  // How often its one call asks before it gives up; it is told to wait a second in between.
  static int tries_at(Fault fault) {
    if (client() == "copilot") return 3;
    return client() == "opencode" && fault != Fault::unauthorised ? 6 : 1;
  }
  // What one call of the client meets.
  static Say meets(Failure failure) {
    failure.retry_after = kSoon;
    return fails(failure, tries_at(failure.fault));
  }
  static Say meets(Fault fault) { return meets(Failure{.fault = fault}); }

  std::vector<std::string> words_of_one(std::vector<std::string> more) const {
    more.insert(more.begin(), {kBead, "--workflow=one", "--json"});
    return more;
  }
  Outcome run_one(std::vector<std::string> more = {}) const {
    return run(patiently("run", words_of_one(std::move(more))));
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
};

const std::string kDone = signal_text("PASS", "changed", "\"feature.txt\"");

// The same agent goes on where it was, in its session.
TEST_P(Faults, AServiceThatFailsIsWaitedForAndTheSessionGoesOn) {
  if (!gives_up()) return;
  std::vector<Say> again{say(kDone)};
  std::vector<std::string> faults{"overloaded", "none"};
  if (!is_dear()) {
    again.insert(again.begin(), meets(Fault::rate_limited));
    faults.insert(faults.begin() + 1, "rate_limited");
  }
  model().when("You were interrupted", again);
  model().when("# Change it",
               {bash("echo done >feature.txt"), meets(Fault::overloaded), say(kDone)});
  const Outcome outcome = run_one();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(faults_of(outcome), faults);
  const std::vector<Json> calls = facts_of(outcome, "supply_agent_used");
  EXPECT_EQ(calls[1].at("session"), calls[0].at("session"));
  // Where the client does not say that nothing was answered, the second fault in a row may have
  // ended its session, and it begins another that is told the history.
  const bool says = client() != "codex" && client() != "opencode";
  const bool stays = says || calls.size() == 2;
  EXPECT_EQ(calls.back().at("session") == calls[0].at("session"), stays);
  const Turn last = model().turns().back();
  EXPECT_EQ(last.key, stays ? "You were interrupted" : "# Change it");
  EXPECT_GE(last.user_texts, stays ? 2U : 1U) << "it remembers its task";
  EXPECT_EQ(git_out({"show", "main:feature.txt"}), "done");
}

// Where the client tells when the limit ends, the run goes on by itself; else nobody is called for
// a while, and the run can be stopped.
TEST_P(Faults, AUsageLimitParksTheProvider) {
  if (is_left_out()) return;
  const bool tells = client() != "gemini";
  const bool to_the_second = tells && client() != "codex";
  const std::chrono::seconds ends_in(to_the_second ? 15 : 3600);
  const long soon = static_cast<long>(std::time(nullptr) + ends_in.count());
  model().when("# Change it", {meets(Failure{.fault = Fault::usage_limit, .resets_in = ends_in}),
                               bash("echo done >feature.txt"), say(kDone)});
  Running running(patiently("run", words_of_one({})));
  ASSERT_TRUE(eventually([&] {
    return running.out_so_far().find("supply_provider_parked") != std::string::npos;
  })) << running.out_so_far()
      << running.err_so_far();
  EXPECT_THAT(command("status", {}).out,
              HasSubstr("waits for the provider " + client() + " until "));
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
  const Outcome outcome = run_one();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(faults_of(outcome), ElementsAre("none"));
}

TEST_P(Faults, AnEmptyAccountIsPutToAPersonAsWell) {
  if (is_left_out()) return;
  model().when("# Change it", {meets(Fault::no_credit), say("never")});
  const Outcome outcome = run_one();
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(faults_of(outcome), ElementsAre("no_credit"));
  EXPECT_THAT(command("questions", {}).out, HasSubstr("has no credit left at its service"));
}

// What the agent itself did, or its model: its phase ends, and says so in the client's words.
TEST_P(Faults, WhatIsTheAgentsOwnEndsItsPhaseAndIsNamed) {
  struct Own {
    const char* name;
    std::vector<Say> answers;
    std::vector<std::string> faults;
  };
  // Nothing in codex's events tells a refusal from silence.
  const char* refused = client() == "codex" ? "no_words" : "policy";
  std::vector<Own> all;
  if (!is_dear()) all.push_back({"no signal", {say("I am done, I think.")}, {"no_signal"}});
  if (gives_up()) all.push_back({"refused", {fails(Fault::refused)}, {refused}});
  if (gives_up() && (is_full() || client() == "claude" || client() == "codex")) {
    all.push_back({"empty", {say("")}, {"no_words"}});
    // Once more in a new session: its history may have been what was too long.
    all.push_back({"too long", {fails(Fault::too_long)}, {"context_full", "context_full"}});
    // opencode's own words, when it has shortened the conversation.
    model().when("The previous request exceeded", {say("It is too long all the same.")});
  }
  for (const Own& own : all) {
    SCOPED_TRACE(own.name);
    const std::string key = "This time: " + std::string(own.name) + ".";
    model().when(key, own.answers);
    commit_file("prompts/small/change.md", key + "\n");
    const Outcome outcome = run_one({"--clean"});
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
    EXPECT_EQ(faults_of(outcome), own.faults);
    EXPECT_THAT(facts_of(outcome, "supply_provider_parked"), IsEmpty());
    EXPECT_EQ(git_out({"log", "-1", "--format=%s", "main"}).find("Merge"), std::string::npos);
  }
}

TEST_P(Faults, AClientThatIsKilledIsNamedWithItsSignal) {
  if (is_dear()) return;
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

TEST_P(Faults, AModelThatSaysNothingEndsAtOurTimeLimit) {
  if (is_dear()) return;
  use("phases: {change: {timeout: 3s}}\n");
  model().when("# Change it", {fails(Fault::silent)});
  const Outcome outcome = run_one();
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(faults_of(outcome), ElementsAre("timed_out"));
  EXPECT_THAT(outcome.out, HasSubstr("timed out after 3 s"));
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
  EXPECT_THAT(faults_of(outcome), ElementsAre("none"));
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
