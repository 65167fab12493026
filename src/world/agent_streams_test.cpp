// Agents whose clients print events: what of it are their words, what is a fact, and what a fault.
#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>
#include <optional>

#include "agent/clients.h"
#include "base/files.h"
#include "base/text.h"
#include "json/text.h"
#include "process/test_support.h"
#include "world/agents.h"

namespace capsule::world {
namespace {

namespace fs = std::filesystem;
using event::Fault;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using workflow::AgentFinished;
using workflow::Dialect;
using workflow::StartAgent;

const std::string kPass = R"({"status":"PASS","feedback":"","files_changed":[],"summary":"s"})";

std::string echo(const std::string& line) { return "printf '%s\\n' " + shell_word(line) + "\n"; }
std::string init() {
  return echo(R"({"type":"system","subtype":"init","session_id":"their-id",)"
              R"("claude_code_version":"2.1.197"})");
}
std::string assistant(const std::string& text) {
  return echo(R"({"type":"assistant","message":{"id":"m1","model":"claude-x","content":[)"
              R"({"type":"text","text":)" +
              json::quoted(text) + "}]}}");
}
std::string result(const std::string& text, bool error = false) {
  return echo(R"({"type":"result","subtype":"success","is_error":)" +
              std::string(error ? "true" : "false") + R"(,"num_turns":2,"result":)" +
              json::quoted(text) +
              R"(,"session_id":"their-id","total_cost_usd":0.5,"usage":{"input_tokens":14,)"
              R"("output_tokens":6,"cache_read_input_tokens":200}})");
}

struct Listener : AgentEvents {
  void on_finished(const StartAgent&, AgentFinished how) override {
    finished[how.agent] = std::move(how);
  }
  void on_failed(const StartAgent&, const Error& error) override { FAIL() << error.message; }
  // One that is slow to begin, or to leave, may be idle by then: what counts is what it did.
  void on_idle(int) override {
    idle_in.push_back(now.what);
    if (when_idle) when_idle();
  }
  void on_activity(const StartAgent&, const dialect::Activity& activity) override {
    std::string words(name_of(activity.what));
    if (activity.what == dialect::Activity::What::tool)
      words += " " + activity.tool + " " + activity.detail;
    if (activity.what == dialect::Activity::What::text) words += " " + activity.said;
    if (did.empty() || did.back() != words) did.push_back(words);
    now = activity;
  }
  void on_spending(int, const event::TokenUse& use, const std::string& model) override {
    spending.push_back(use);
    models.push_back(model);
  }
  void on_steered(int agent, const std::string& message, bool delivered) override {
    EXPECT_FALSE(finished.contains(agent)) << "before its end";
    steered[message] = delivered;
  }
  std::map<int, AgentFinished> finished;
  std::map<std::string, bool> steered;
  std::vector<std::string> did;
  dialect::Activity now;
  std::function<void()> when_idle;
  std::vector<event::TokenUse> spending;
  std::vector<std::string> models;
  std::vector<dialect::Activity::What> idle_in;
};

class AgentStreams : public ::testing::Test {
 protected:
  using What = dialect::Activity::What;
  void SetUp() override {
    char name[] = "/tmp/capsule-streams-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    root_ = name;
    fs::create_directory(root_ + "/tree");
    provider_.name = provider_.client = "claude";
    provider_.output = dialect::Output::claude_stream;
    provider_.model = "opus";
    parts_.run = "run-1";
    parts_.settings = [this](const StartAgent&) -> Result<agent::PhaseSettings> {
      return agent::PhaseSettings{provider_, limit_};
    };
    parts_.prompt_file = [](const std::string&) -> Result<std::string> {
      return std::string("The whole prompt.\n\n{{HISTORY}}");
    };
    agents_.emplace(*loop_, parts_, listener_);
  }
  void TearDown() override {
    agents_.reset();
    fs::remove_all(root_);
  }
  void plays(const std::string& script) { provider_.argv = {"/bin/sh", "-c", script, "agent"}; }
  AgentFinished run(const StartAgent& start) {
    AgentPlace place;
    place.folder = root_ + "/tree";
    place.log_folder = root_ + "/logs";
    const auto started = agents_->start(start, place);
    EXPECT_TRUE(started) << (started ? "" : started.error().message);
    if (!started) return {};
    loop_->run_while([&] { return !listener_.finished.contains(start.agent); });
    return listener_.finished[start.agent];
  }
  StartAgent agent(int number, Dialect dialect = Dialect::contract) const {
    StartAgent start;
    start.agent = number;
    start.role = "execute";
    start.dialect = dialect;
    start.prompt.file = "prompts/x.md";
    start.prompt.values = {{"TITLE", "It"}};
    return start;
  }
  AgentFinished plays_once(const std::string& script, Dialect dialect = Dialect::contract) {
    plays(script);
    listener_.finished.erase(1);
    return run(agent(1, dialect));
  }
  void as_codex() {
    provider_ = *agent::provider_of(*agent::client_named("codex"), {},
                                    [](const char*) -> const char* { return ""; });
  }
  std::string tree(const std::string& name) const {
    return read_file(root_ + "/tree/" + name).value_or("");
  }

  std::unique_ptr<process::Loop> loop_ = process::testing::make_loop();
  std::string root_;
  agent::Provider provider_;
  std::chrono::milliseconds limit_{600'000};
  AgentParts parts_;
  Listener listener_;
  std::optional<Agents> agents_;
};

TEST_F(AgentStreams, TheSignalIsLookedForInTheLastWordsAlone) {
  const AgentFinished done = plays_once(init() + assistant("Working.") + result("Done.\n" + kPass));
  EXPECT_EQ(done.fault, Fault::none) << done.detail;
  EXPECT_EQ(std::get<workflow::ContractWords>(done.words).signal.json, kPass);
  EXPECT_TRUE(done.preview.starts_with("Done.")) << done.preview;
  EXPECT_THAT(read_file(done.log).value_or(""), HasSubstr(R"("subtype":"init")"))
      << "the log is the stream";
  // What was said on the way is no signal, nor is an event.
  const AgentFinished early = plays_once(init() + assistant(kPass) + result("I stop here."));
  EXPECT_EQ(early.fault, Fault::no_signal);
}

TEST_F(AgentStreams, EveryDialectReadsTheLastWords) {
  StartAgent start = agent(1, Dialect::line);
  start.role = "developer";
  start.task = "T-1";
  plays(init() + assistant("BLOCKED: T-1") + result("Done.\n\nREADY_FOR_REVIEW: T-1\n"));
  const AgentFinished line = run(start);
  EXPECT_EQ(std::get<workflow::LineWords>(line.words).signal, signal::Signal::ready_for_review);
  const AgentFinished block = plays_once(
      init() + result("---\nSIGNAL: PLANNING_COMPLETE\nSTATUS: complete\n---"), Dialect::block);
  EXPECT_EQ(std::get<workflow::BlockWords>(block.words).signals,
            std::vector<std::string>{"PLANNING_COMPLETE"});
  const AgentFinished verdict = plays_once(init() + result("VERDICT: PASS"), Dialect::verdict);
  EXPECT_EQ(std::get<workflow::VerdictWords>(verdict.words).text, "VERDICT: PASS");
}

TEST_F(AgentStreams, AProgramOfThatNameThatPrintsTextGoesOnWorking) {
  const AgentFinished done = plays_once("echo words\n" + echo(kPass));
  EXPECT_EQ(done.fault, Fault::none) << done.detail;
  EXPECT_EQ(std::get<workflow::ContractWords>(done.words).signal.json, kPass);
  EXPECT_FALSE(done.facts.use.tokens_known);
  EXPECT_EQ(done.facts.client, "claude");
}

TEST_F(AgentStreams, WhoItWasAndWhatItUsedAreFacts) {
  const AgentFinished done = plays_once(init() + assistant("a") + result(kPass));
  EXPECT_EQ(done.facts.provider, "claude");
  EXPECT_EQ(done.facts.client, "claude 2.1.197");
  EXPECT_EQ(done.facts.asked_model, "opus");
  EXPECT_EQ(done.facts.model, "claude-x");
  EXPECT_EQ(done.facts.session, "their-id");
  EXPECT_TRUE(done.facts.use.tokens_known);
  EXPECT_EQ(done.facts.use.input, 14);
  EXPECT_EQ(done.facts.use.turns, 2);
  EXPECT_EQ(done.facts.use.cost_micros, 500'000);
  EXPECT_EQ(done.cost_micros, 500'000);
}

TEST_F(AgentStreams, AModelThatStoodInForAWhileIsAFactThoughTheOneThatWasAskedForEndedIt) {
  const std::string asked =
      echo(R"({"type":"assistant","message":{"id":"m2","model":"claude-opus-4-1","content":[]}})");
  EXPECT_EQ(plays_once(init() + assistant("a") + asked + result(kPass)).facts.model, "claude-x");
  EXPECT_EQ(plays_once(init() + asked + result(kPass)).facts.model, "claude-opus-4-1");
}

TEST_F(AgentStreams, FaultsOfTheServiceAreToldAsSuchInEveryDialect) {
  const std::string limit = init() + result("Claude AI usage limit reached|1999999999", true);
  for (const Dialect dialect :
       {Dialect::contract, Dialect::line, Dialect::block, Dialect::verdict}) {
    const AgentFinished done = plays_once(limit + "exit 1", dialect);
    EXPECT_EQ(done.fault, Fault::usage_limit);
    EXPECT_EQ(done.facts.words, "Claude AI usage limit reached|1999999999");
    EXPECT_THAT(done.detail, HasSubstr("Claude AI usage limit reached"));
    EXPECT_EQ(done.exit_code, 1);
  }
  EXPECT_EQ(plays_once(echo("Credit balance is too low") + "exit 1").fault, Fault::no_credit);
  EXPECT_EQ(plays_once(init() + result("")).fault, Fault::no_words);
  EXPECT_EQ(plays_once(init() + assistant(kPass)).fault, Fault::exit_status) << "it is cut off";
}

TEST_F(AgentStreams, OurTimeLimitComesBeforeWhatTheClientSays) {
  limit_ = std::chrono::milliseconds(300);
  const AgentFinished done =
      plays_once(init() + result("API Error: 529 Overloaded", true) + "sleep 600");
  EXPECT_EQ(done.fault, Fault::timed_out);
}

TEST_F(AgentStreams, ASessionWhoseIdIsTheClientsGoesOnUnderThatId) {
  as_codex();
  const std::vector<std::string> words = provider_.argv;
  const auto thread = [](int input) {
    return echo(R"({"type":"thread.started","thread_id":"thread-7"})") +
           echo(R"({"type":"item.completed","item":{"type":"agent_message","text":)" +
                json::quoted(kPass) + "}}") +
           echo(R"({"type":"turn.completed","usage":{"input_tokens":)" + std::to_string(input) +
                R"(,"cached_input_tokens":0,"output_tokens":5}})");
  };
  const auto play = [&](int input) {
    provider_.argv = {"/bin/sh", "-c", "cat >prompt; echo \"$*\" >words\n" + thread(input)};
    provider_.argv.insert(provider_.argv.end(), words.begin(), words.end());
  };
  StartAgent first = agent(1);
  first.session = "our-id";
  play(100);
  const AgentFinished begun = run(first);
  EXPECT_EQ(begun.fault, Fault::none) << begun.detail;
  EXPECT_EQ(begun.facts.session, "thread-7");
  EXPECT_EQ(begun.facts.use.input, 100);
  EXPECT_THAT(tree("words"), Not(HasSubstr("our-id")));

  StartAgent second = agent(2);
  second.session = "our-id";
  second.resume = true;
  second.prompt.follow_up = "Only what is new.";
  play(130);
  const AgentFinished resumed = run(second);
  EXPECT_THAT(tree("words"), HasSubstr("resume thread-7 -"));
  EXPECT_EQ(tree("prompt"), "Only what is new.");
  EXPECT_EQ(resumed.facts.use.input, 30) << "the client counts the whole session";
  EXPECT_EQ(resumed.facts.use.output, 0);

  // A later process is told the id; without it, it gets the history.
  agents_.emplace(*loop_, parts_, listener_);
  StartAgent third = second;
  third.agent = 3;
  run(third);
  EXPECT_THAT(tree("words"), Not(HasSubstr("resume")));
  EXPECT_THAT(tree("prompt"), HasSubstr("The whole prompt."));
  agents_.emplace(*loop_, parts_, listener_);
  event::TokenUse used;
  used.input = 130;
  agents_->recall("our-id", 2, "", "thread-7", "codex", used);
  StartAgent fourth = second;
  fourth.agent = 4;
  play(150);
  const AgentFinished recalled = run(fourth);
  EXPECT_THAT(tree("words"), HasSubstr("resume thread-7 -"));
  EXPECT_EQ(recalled.facts.use.input, 20);
}

TEST_F(AgentStreams, WhatASessionUsedIsCountedApartForEachClientAndEachOfItsSessions) {
  as_codex();
  const auto play = [&](const std::string& thread, int input) {
    provider_.argv = {
        "/bin/sh", "-c",
        "cat >prompt\n" + echo(R"({"type":"thread.started","thread_id":")" + thread + "\"}") +
            echo(R"({"type":"turn.completed","usage":{"input_tokens":)" + std::to_string(input) +
                 R"(,"cached_input_tokens":0,"output_tokens":5}})")};
  };
  int number = 0;
  const auto used = [&](const std::string& provider, const std::string& thread, int input,
                        bool anew) {
    provider_.name = provider;
    play(thread, input);
    StartAgent start = agent(++number);
    start.session = "our-id";
    start.resume = number > 1;
    start.anew = anew;
    return run(start).facts.use.input;
  };
  EXPECT_EQ(used("codex", "thread-1", 100, false), 100);
  EXPECT_EQ(used("another", "thread-2", 60, false), 60) << "a fallback counts from its beginning";
  EXPECT_EQ(used("codex", "thread-3", 70, true), 70) << "so does a session that is begun anew";
  EXPECT_EQ(used("codex", "thread-3", 90, false), 20);
  // A later process knows the same from the facts.
  agents_.emplace(*loop_, parts_, listener_);
  event::TokenUse earlier;
  earlier.input = 100;
  agents_->recall("our-id", 1, "", "thread-1", "codex", earlier);
  earlier.input = 90;
  agents_->recall("our-id", 2, "", "thread-3", "codex", earlier);
  EXPECT_EQ(used("codex", "thread-3", 95, false), 5);
  EXPECT_EQ(used("codex", "thread-4", 50, true), 50);
}

TEST_F(AgentStreams, ALiveViewShowsWhatThisCallUsedAndNotItsWholeSession) {
  as_codex();
  const auto play = [&](int input) {
    provider_.argv = {
        "/bin/sh", "-c",
        "cat >prompt\n" + echo(R"({"type":"thread.started","thread_id":"t"})") +
            echo(R"({"type":"turn.completed","usage":{"input_tokens":)" + std::to_string(input) +
                 R"(,"cached_input_tokens":0,"output_tokens":5}})")};
  };
  StartAgent start = agent(1);
  start.session = "our-id";
  play(100);
  run(start);
  EXPECT_EQ(listener_.now.use.input, 100);
  start.agent = 2;
  start.resume = true;
  play(130);
  run(start);
  EXPECT_EQ(listener_.now.use.input, 30);
}

// Its first request has to put all of the conversation there again; that of a new one has nothing
// to lose.
TEST_F(AgentStreams, ASessionThatGoesOnAndFindsItsCacheGoneIsCachedAnew) {
  plays(init() +
        echo(R"({"type":"assistant","message":{"id":"m","model":"claude-x","content":[],)"
             R"("usage":{"input_tokens":3,"output_tokens":1,"cache_read_input_tokens":0,)"
             R"("cache_creation_input_tokens":900}}})") +
        result(kPass));
  provider_.begin_session = {"--session-id", "{session}"};
  provider_.resume_session = {"--resume", "{session}"};
  StartAgent start = agent(1);
  start.session = "our-id";
  EXPECT_EQ(run(start).facts.use.cache_rewrites, 0);
  start.agent = 2;
  start.resume = true;
  EXPECT_EQ(run(start).facts.use.cache_rewrites, 1);
}

TEST_F(AgentStreams, AnotherClientCannotGoOnWithASessionAndIsToldTheHistory) {
  provider_.begin_session = {"--session-id", "{session}"};
  provider_.resume_session = {"--resume", "{session}"};
  const auto play = [&](const std::string& said) {
    plays("cat >prompt; echo \"$*\" >words\n" + init() + result(said));
  };
  StartAgent first = agent(1);
  first.session = "our-id";
  play("Earlier words.");
  run(first);
  EXPECT_THAT(tree("words"), HasSubstr("--session-id our-id"));
  StartAgent second = agent(2);
  second.session = "our-id";
  second.resume = true;
  second.prompt.follow_up = "Only what is new.";
  provider_.name = "another";
  play(kPass);
  run(second);
  EXPECT_THAT(tree("words"), HasSubstr("--session-id our-id"));
  EXPECT_THAT(tree("prompt"), HasSubstr("Earlier words."));
  EXPECT_THAT(tree("prompt"), Not(HasSubstr("their-id"))) << "words, not events";
}

// What the real client echoes once it has heard a message, with the id that it was sent under.
constexpr const char* kEcho =
    "id=$(printf %s \"$more\" | sed -n 's/.*\"uuid\":\"\\([^\"]*\\)\".*/\\1/p')\n"
    "printf '{\"type\":\"user\",\"isReplay\":true,\"uuid\":\"%s\",\"message\":{}}\\n' \"$id\"\n";

TEST_F(AgentStreams, OneThatIsSteeredHearsMessagesWhileItWorksAndItsInputEndsWithItsClosingEvent) {
  provider_.steered = true;
  plays("IFS= read -r first; printf %s \"$first\" >first\n" + init() +
        "IFS= read -r more; printf %s \"$more\" >more\n" + kEcho + result(kPass) +
        "cat >rest; echo over >over\n");
  AgentPlace place;
  place.folder = root_ + "/tree";
  place.log_folder = root_ + "/logs";
  ASSERT_TRUE(agents_->start(agent(1), place));
  agents_->steer(1, "m1", "Use \"UTC\".\nAlways.");
  loop_->run_while([&] { return listener_.finished.empty(); });
  EXPECT_EQ(listener_.finished[1].fault, Fault::none) << listener_.finished[1].detail;
  EXPECT_THAT(tree("first"), HasSubstr("The whole prompt."));
  EXPECT_THAT(tree("more"), HasSubstr("Use \\\"UTC\\\".\\nAlways."));
  EXPECT_EQ(listener_.steered, (std::map<std::string, bool>{{"m1", true}}));
  EXPECT_EQ(tree("over"), "over\n");
}

TEST_F(AgentStreams, AMessageThatItsClientNeverHeardIsNotDelivered) {
  plays(init() + result(kPass));
  AgentPlace place;
  place.folder = root_ + "/tree";
  place.log_folder = root_ + "/logs";
  ASSERT_TRUE(agents_->start(agent(1), place));
  agents_->steer(1, "m1", "words");
  EXPECT_EQ(listener_.steered, (std::map<std::string, bool>{{"m1", false}})) << "at once";
  loop_->run_while([&] { return listener_.finished.empty(); });
  // It ends without having heard it.
  provider_.steered = true;
  ASSERT_TRUE(agents_->start(agent(2), place));
  agents_->steer(2, "m2", "words");
  EXPECT_FALSE(listener_.steered.contains("m2"));
  loop_->run_while([&] { return !listener_.finished.contains(2); });
  EXPECT_FALSE(listener_.steered.at("m2"));
}

TEST_F(AgentStreams, OneThatWaitsForItsInputEndsAtItsTimeLimit) {
  provider_.steered = true;
  limit_ = std::chrono::milliseconds(300);
  EXPECT_THAT(plays_once(init() + "exec cat").fault, AnyOf(Fault::timed_out, Fault::no_answer));
}

TEST_F(AgentStreams, OneThatWasCutOffGoesOnUnderTheIdThatItsLogTells) {
  as_codex();
  const std::vector<std::string> words = provider_.argv;
  ASSERT_TRUE(write_file(root_ + "/cut-off.log",
                         "{\"type\":\"thread.started\",\"thread_id\":\"thread-9\"}\n"
                         "{\"type\":\"turn.started\"}\n"));
  agents_->recall("our-id", 1, root_ + "/cut-off.log");
  StartAgent second = agent(2);
  second.session = "our-id";
  second.resume = true;
  second.prompt.follow_up = "Only what is new.";
  provider_.argv = {"/bin/sh", "-c", "cat >prompt; echo \"$*\" >words"};
  provider_.argv.insert(provider_.argv.end(), words.begin(), words.end());
  run(second);
  EXPECT_THAT(tree("words"), HasSubstr("resume thread-9 -"));
  EXPECT_EQ(tree("prompt"), "Only what is new.");
}

std::string answer_of(const std::string& id, int output) {
  return echo(R"({"type":"assistant","message":{"id":")" + id +
              R"(","model":"claude-x","content":[],"usage":{"input_tokens":10,"output_tokens":)" +
              std::to_string(output) + "}}}");
}

TEST_F(AgentStreams, WhatItUsesIsToldWhileItWorks) {
  parts_.spending_every = std::chrono::milliseconds(1);
  agents_.emplace(*loop_, parts_, listener_);
  // Each answer is printed once what was used before it has been told.
  const auto until_told = [&](std::size_t times) {
    loop_->run_while([&] { return listener_.spending.size() < times; });
    ASSERT_TRUE(write_file(root_ + "/tree/told-" + std::to_string(times), ""));
  };
  const auto wait_for = [](int times) {
    return "while ! test -e told-" + std::to_string(times) + "; do sleep 0.01; done\n";
  };
  plays(init() + answer_of("m1", 5) + wait_for(1) + answer_of("m1", 5) + answer_of("m2", 7) +
        wait_for(2) + result(kPass));
  AgentPlace place;
  place.folder = root_ + "/tree";
  place.log_folder = root_ + "/logs";
  ASSERT_TRUE(agents_->start(agent(1), place));
  until_told(1);
  EXPECT_EQ(listener_.spending[0].input, 10);
  EXPECT_EQ(listener_.spending[0].output, 5);
  EXPECT_FALSE(listener_.spending[0].cost_known) << "the client tells that when it is over";
  EXPECT_EQ(listener_.models[0], "claude-x");
  until_told(2);
  EXPECT_EQ(listener_.spending[1].output, 12) << "an answer that is told twice counts once";
  loop_->run_while([&] { return listener_.finished.empty(); });
}

TEST_F(AgentStreams, WhatItUsesIsToldOnceForEachIntervalAndNotAtAllWhereNobodyAsks) {
  parts_.spending_every = std::chrono::hours(1);
  agents_.emplace(*loop_, parts_, listener_);
  std::string answers;
  for (int i = 0; i < 50; ++i) answers += answer_of("m" + std::to_string(i), 1);
  plays_once(init() + answers + result(kPass));
  EXPECT_EQ(listener_.spending.size(), 1U);
  listener_.spending.clear();
  parts_.spending_every = std::chrono::milliseconds(0);
  agents_.emplace(*loop_, parts_, listener_);
  plays_once(init() + answers + result(kPass));
  EXPECT_TRUE(listener_.spending.empty());
}

TEST_F(AgentStreams, NumbersThatNobodyCanHaveUsedAreBounded) {
  const AgentFinished done = plays_once(
      init() + answer_of("m1", 5) +
      echo(R"({"type":"result","subtype":"success","result":"x","total_cost_usd":-5,"usage":{)"
           R"("input_tokens":9223372036854775807,"output_tokens":-7}})"));
  EXPECT_EQ(done.facts.use.input, 1'000'000'000'000);
  EXPECT_EQ(done.facts.use.output, 0);
  EXPECT_EQ(done.facts.use.cost_micros, 0);
}

TEST_F(AgentStreams, SecretsAreTakenOutBeforeAnythingIsKept) {
  provider_.env = {{"MY_API_KEY", "hunter2-hunter2"}};
  const AgentFinished done =
      plays_once("echo \"key $MY_API_KEY\" >&2\n" + init() +
                 assistant("it is sk-ant-api03-abcdefABCDEF0123456789xyz") + result(kPass));
  EXPECT_EQ(done.fault, Fault::none) << done.detail;
  EXPECT_EQ(done.facts.redacted, 2);
  EXPECT_THAT(read_file(done.log).value_or(""), HasSubstr("it is [redacted]"));
  EXPECT_EQ(read_file(done.log + ".stderr").value_or(""), "key [redacted]\n");
}

TEST_F(AgentStreams, EachRunHasATemporaryFolderOfItsOwnThatIsGoneAfterwards) {
  const AgentFinished done =
      plays_once("echo x >\"$TMPDIR/left\"; echo \"$TMPDIR\" >folder\n" + init() + result(kPass));
  EXPECT_EQ(done.fault, Fault::none) << done.detail;
  const std::string folder(trimmed(tree("folder")));
  EXPECT_THAT(folder, HasSubstr("/capsule-agent-"));
  EXPECT_FALSE(fs::exists(folder));
}

TEST_F(AgentStreams, WaitingForTheServiceIsNoStall) {
  parts_.idle_after = std::chrono::milliseconds(50);
  agents_.emplace(*loop_, parts_, listener_);
  StartAgent start = agent(1);
  start.watched = true;
  plays(init() +
        echo(R"({"type":"system","subtype":"api_retry","retry_delay_ms":500,"error_status":529})") +
        "sleep 0.5\n" + result(kPass));
  EXPECT_EQ(run(start).fault, Fault::none);
  EXPECT_THAT(listener_.idle_in, Not(Contains(What::waiting)));
}

TEST_F(AgentStreams, WaitingForTheModelIsNoStallAndACommandThatHangsIs) {
  parts_.idle_after = std::chrono::milliseconds(50);
  agents_.emplace(*loop_, parts_, listener_);
  StartAgent start = agent(1);
  start.watched = true;
  plays(init() + assistant("I think about it.") + "sleep 0.5\n" + result(kPass));
  EXPECT_EQ(run(start).fault, Fault::none);
  EXPECT_THAT(listener_.idle_in, Not(Contains(AnyOf(What::model, What::text))));

  start.agent = 2;
  plays(init() +
        echo(R"({"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t",)"
             R"("name":"Bash","input":{"command":"cat"}}]}})") +
        "sleep 600");
  listener_.when_idle = [this] {
    if (listener_.now.what == What::tool) agents_->end(2);
  };
  EXPECT_EQ(run(start).fault, Fault::idle);
}

TEST_F(AgentStreams, AClientThatHasClosedAndLingersIsStill) {
  parts_.idle_after = std::chrono::milliseconds(50);
  agents_.emplace(*loop_, parts_, listener_);
  StartAgent start = agent(1);
  start.watched = true;
  plays(init() + result(kPass) + "sleep 600");
  listener_.when_idle = [this] {
    if (listener_.now.what == What::ended) agents_->end(1);
  };
  EXPECT_EQ(run(start).fault, Fault::idle);
}

TEST_F(AgentStreams, WhatItDoesIsToldAsItHappens) {
  plays(init() + assistant("I look.") +
        echo(R"({"type":"assistant","message":{"id":"m2","model":"claude-x","content":[)"
             R"({"type":"tool_use","id":"t","name":"Bash","input":{"command":"go test ./…"}}],)"
             R"("usage":{"input_tokens":10,"output_tokens":2}}})") +
        echo(R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t",)"
             R"("content":"ok"}]}})") +
        result(kPass));
  run(agent(1));
  EXPECT_EQ(joined(listener_.did, "|"),
            "starting|model|text I look.|tool Bash go test ./…|model|ended");
  EXPECT_EQ(listener_.now.use.output, 6);
}

}  // namespace
}  // namespace capsule::world
