// Agents of whom nothing is seen: which of them wait for their service, and which work. `exec` puts
// a program in the agent's own place; without it, it is a process that the agent has begun.
#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>
#include <optional>

#include "process/test_support.h"
#include "world/agents.h"

namespace capsule::world {
namespace {

namespace fs = std::filesystem;
using event::Fault;
using std::chrono::milliseconds;
using workflow::AgentFinished;
using workflow::StartAgent;

constexpr const char* kBegins =
    "echo '{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\"}'\n";
constexpr const char* kSays =
    "echo "
    "'{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"content\":[{\"type\":\"text\",\"text\":"
    "\"I see.\"}]}}'\n";
constexpr const char* kRunsATool =
    "echo '{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"content\":[{\"type\":\"tool_use\","
    "\"id\":\"t\",\"name\":\"Bash\",\"input\":{\"command\":\"go test ./...\"}}]}}'\n";
constexpr const char* kEndsWell =
    "echo '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":"
    "\"VERDICT: PASS\",\"session_id\":\"s\"}'\n";
const std::string kSilent = "exec sleep 600\n";

struct Ends : AgentEvents {
  void on_finished(const StartAgent&, AgentFinished how) override { finished = std::move(how); }
  void on_failed(const StartAgent&, const Error& error) override { FAIL() << error.message; }
  void on_idle(int) override {}
  std::optional<AgentFinished> finished;
};

class AgentSilence : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/capsule-silence-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    root_ = name;
    fs::create_directory(root_ + "/tree");
    settings_.provider.name = settings_.provider.client = "claude";
    settings_.provider.output = dialect::Output::claude_stream;
    settings_.timeout = milliseconds(600'000);
    settings_.answer_timeout = milliseconds(400);
  }
  void TearDown() override { fs::remove_all(root_); }
  AgentFinished plays(const std::string& script) {
    settings_.provider.argv = {"/bin/sh", "-c", script, "agent"};
    AgentParts parts;
    parts.run = "run-1";
    parts.settings = [this](const StartAgent&) -> Result<agent::PhaseSettings> {
      return settings_;
    };
    parts.prompt_file = [](const std::string&) -> Result<std::string> {
      return std::string("Do.");
    };
    StartAgent start;
    start.agent = 1;
    start.role = "execute";
    start.dialect = workflow::Dialect::verdict;
    start.prompt.file = "prompts/x.md";
    AgentPlace place;
    place.folder = root_ + "/tree";
    place.log_folder = root_ + "/logs";
    Ends ends;
    Agents agents(*loop_, parts, ends);
    const auto started = agents.start(start, place);
    EXPECT_TRUE(started) << (started ? "" : started.error().message);
    if (!started) return {};
    loop_->run_while([&] { return !ends.finished; });
    return *ends.finished;
  }

  std::unique_ptr<process::Loop> loop_ = process::testing::make_loop();
  std::string root_;
  agent::PhaseSettings settings_;
};

TEST_F(AgentSilence, OneWhoseServiceOwesItAnAnswerForTooLongIsEndedAndItIsTheServicesFault) {
  const AgentFinished done = plays(kBegins + kSilent);
  EXPECT_EQ(done.fault, Fault::no_answer);
  EXPECT_THAT(done.detail, ::testing::StartsWith("had no answer from its service for "));
  EXPECT_THAT(done.facts.words, ::testing::StartsWith("no answer for "));
  EXPECT_LT(done.duration_ms, 500'000) << "long before its time limit";
}

TEST_F(AgentSilence, WhatItsClientToldBeforeItWaitedIsSaid) {
  const AgentFinished done = plays(
      std::string(kBegins) +
      "echo '{\"type\":\"system\",\"subtype\":\"api_retry\",\"attempt\":1,\"error_status\":529,"
      "\"error\":\"overloaded\"}'\n" +
      kSilent);
  EXPECT_EQ(done.fault, Fault::no_answer);
  EXPECT_THAT(done.facts.words, ::testing::HasSubstr("; before that: overloaded"));
}

TEST_F(AgentSilence, AToolThatIsToldOfMayTakeAsLongAsItsTimeLimit) {
  settings_.timeout = milliseconds(2'000);
  EXPECT_EQ(plays(std::string(kBegins) + kRunsATool + kSilent).fault, Fault::timed_out);
}

// Not every client tells of a tool before it is over.
TEST_F(AgentSilence, AToolThatNobodyTellsOfIsSeenByItsProcess) {
  settings_.answer_timeout = milliseconds(1'000);
  const AgentFinished done =
      plays(std::string(kBegins) + "sleep 0.2\n" + kSays + "sleep 3\n" + kEndsWell);
  EXPECT_EQ(done.fault, Fault::none) << done.detail;
}

TEST_F(AgentSilence, AProgramThatPrintsNoEventsIsLeftToItsTimeLimit) {
  settings_.timeout = milliseconds(2'000);
  EXPECT_EQ(plays(kSilent).fault, Fault::timed_out) << "it may be a program of that name";
  settings_.provider.output = dialect::Output::text;
  EXPECT_EQ(plays("echo words\n" + kSilent).fault, Fault::timed_out);
}

TEST_F(AgentSilence, AClientThatTellsNothingBeforeItsFirstAnswerWaitsForThat) {
  settings_.provider.name = settings_.provider.client = "opencode";
  settings_.provider.output = dialect::Output::opencode_events;
  EXPECT_EQ(plays(kSilent).fault, Fault::no_answer);
}

TEST_F(AgentSilence, OneThatHasWaitedForHalfOfItsTimeWhenThatIsOverWasKeptByItsService) {
  settings_.timeout = milliseconds(4'000);
  settings_.answer_timeout = std::chrono::minutes(15);
  EXPECT_EQ(plays(kBegins + kSilent).fault, Fault::no_answer);
}

}  // namespace
}  // namespace capsule::world
