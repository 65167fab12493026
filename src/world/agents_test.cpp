#include "world/agents.h"

#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "base/files.h"
#include "process/test_support.h"
#include "world/environment.h"

namespace capsule::world {
namespace {

using event::Fault;
using ::testing::HasSubstr;
using ::testing::Not;
using workflow::AgentFinished;
using workflow::Dialect;
using workflow::StartAgent;

struct Desk : AgentEvents {
  void on_finished(const StartAgent& start, AgentFinished how) override {
    EXPECT_EQ(start.agent, how.agent);
    EXPECT_FALSE(finished.contains(how.agent)) << "told twice";
    finished[how.agent] = std::move(how);
  }
  void on_failed(const StartAgent& start, const Error& error) override {
    failed.emplace(start.agent, error);
  }
  void on_idle(int agent) override {
    ++idle;
    if (when_idle) when_idle(agent);
  }
  void on_still(int, bool now) override {
    still.push_back(now);
    if (when_still) when_still(now);
  }
  void on_output(int, std::string_view bytes) override { output += bytes.size(); }
  void on_activity(const StartAgent&, const dialect::Activity& activity) override {
    said.push_back(activity.said);
  }

  std::map<int, AgentFinished> finished;
  std::map<int, Error> failed;
  int idle = 0;
  std::size_t output = 0;
  std::function<void(int)> when_idle;
  std::vector<bool> still;
  std::function<void(bool)> when_still;
  std::vector<std::string> said;
};

class AgentsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/capsule-agents-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    root_ = name;
    std::filesystem::create_directory(root_ + "/tree");
    parts_.run = "run-1";
    parts_.settings = [this](const StartAgent&) -> Result<agent::PhaseSettings> {
      agent::PhaseSettings settings;
      settings.provider = provider_;
      settings.timeout = limit_;
      return settings;
    };
    parts_.prompt_file = [this](const std::string& file) -> Result<std::string> {
      if (file != "prompts/x.md") return fail(Reason::not_found, "no " + file);
      return prompt_text_;
    };
    agents_.emplace(*loop_, parts_, desk_);
  }
  void TearDown() override {
    agents_.reset();
    std::filesystem::remove_all(root_);
  }
  // Whoever is started from now on is this script; the prompt is on its stdin.
  void plays(const std::string& script) { provider_.argv = {"/bin/sh", "-c", script, "agent"}; }
  StartAgent agent(int number, Dialect dialect = Dialect::contract) const {
    StartAgent start;
    start.agent = number;
    start.role = "developer";
    start.settings = workflow::Settings::role;
    start.task = "T-1";
    start.dialect = dialect;
    start.prompt.file = "prompts/x.md";
    return start;
  }
  AgentPlace place() const {
    AgentPlace place;
    place.folder = root_ + "/tree";
    place.log_folder = root_ + "/logs";
    return place;
  }
  AgentFinished run(const StartAgent& start, const AgentPlace& where) {
    const auto started = agents_->start(start, where);
    EXPECT_TRUE(started) << (started ? "" : started.error().message);
    if (!started) return {};
    loop_->run_while([&] { return !desk_.finished.contains(start.agent); });
    return desk_.finished[start.agent];
  }
  AgentFinished run(const StartAgent& start) { return run(start, place()); }
  void again() { agents_.emplace(*loop_, parts_, desk_); }  // as a new process would

  std::unique_ptr<process::Loop> loop_ = process::testing::make_loop();
  std::string root_;
  agent::Provider provider_;
  std::chrono::milliseconds limit_{600'000};
  std::string prompt_text_ = "Do it.\n";
  AgentParts parts_;
  Desk desk_;
  std::optional<Agents> agents_;
};

TEST_F(AgentsTest, TheReportIsComplete) {
  plays(
      "cat; echo '{\"status\":\"PASS\",\"feedback\":\"\",\"files_changed\":[],\"summary\":\"s\"}'");
  const AgentFinished done = run(agent(3));
  EXPECT_EQ(done.fault, Fault::none) << done.detail;
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_EQ(std::get<workflow::ContractWords>(done.words).signal.status, signal::Status::pass);
  EXPECT_THAT(done.preview, ::testing::StartsWith("Do it.\n{\"status\""));
  EXPECT_EQ(done.log, root_ + "/logs/3-developer.log");
  EXPECT_EQ(done.began_at.size(), done.ended_at.size());
  EXPECT_LE(done.began_at, done.ended_at);
  EXPECT_GE(done.duration_ms, 0);
  EXPECT_EQ(agents_->running(), 0U);
  EXPECT_GT(desk_.output, 0U);
}

// gemini, goose and grok tell an answer in pieces, as it comes.
TEST_F(AgentsTest, ASecretThatIsToldInPiecesReachesNeitherFactsNorLogsNorLiveViews) {
  provider_.env = {{"MY_API_KEY", "hunter2-hunter2"}};
  provider_.output = dialect::Output::grok_stream;
  plays(R"(cat >/dev/null
p() { printf '{"type":"text","data":"%s"}\n' "$1"; }
p '{\"status\":\"ERROR\",\"feedback\":\"hunter2'; p '-hunter2 and sk-ant-api03-abcdefABCDEF012345'
p '6789xyz\",\"files_changed\":[],\"summary\":\"s\"}'
echo '{"type":"end","stopReason":"end_turn"}')");
  const AgentFinished done = run(agent(1));
  EXPECT_EQ(std::get<workflow::ContractWords>(done.words).signal.feedback,
            "[redacted] and [redacted]");
  EXPECT_THAT(done.preview, ::testing::Not(::testing::HasSubstr("hunter2")));
  EXPECT_EQ(done.facts.redacted, 2);
  const std::string log = read_file(done.log).value_or("?");
  EXPECT_THAT(log, HasSubstr("[redacted]"));
  for (const char* part : {"hunter2", "abcdef", "xyz"}) EXPECT_THAT(log, Not(HasSubstr(part)));
  ASSERT_FALSE(desk_.said.empty());
  EXPECT_THAT(desk_.said.back(), HasSubstr("[redacted] and [redacted]"));
  for (const std::string& words : desk_.said) {
    EXPECT_THAT(words, Not(HasSubstr("hunter2-hunter2")));
    EXPECT_THAT(words, Not(HasSubstr("xyz")));
  }
}

TEST_F(AgentsTest, WithoutAFolderOfOursTheLogIsInTheTree) {
  plays("echo $$");
  AgentPlace where = place();
  where.log_folder.clear();
  const AgentFinished done = run(agent(1), where);
  const std::string stem = where.folder + "/.capsule/output/developer-";
  ASSERT_TRUE(done.log.starts_with(stem)) << done.log;
  std::string pid = read_file(done.log).value_or("?");
  pid.pop_back();
  EXPECT_EQ(done.log.substr(stem.size() + std::string("YYYYMMDD-HHMMSS").size()),
            "-" + pid + ".log");
}

TEST_F(AgentsTest, EveryVariableIsThereForEveryWorkflow) {
  plays("env | grep ^CAPSULE_ | sort");
  StartAgent start = agent(7, Dialect::verdict);
  start.env = {{"CAPSULE_EXPERT", "databases"}, {"CAPSULE_RUN", "forged"}};
  const auto variables = [&](const StartAgent& of) {
    return "\n" + std::get<workflow::VerdictWords>(run(of).words).text;
  };
  const std::string tree = "\nCAPSULE_WORKTREE=" + root_ + "/tree\n";
  const std::string role = variables(start);
  for (const char* line :
       {"\nCAPSULE_RUN=run-1\n", "\nCAPSULE_BEAD=\n", "\nCAPSULE_PHASE=\n",
        "\nCAPSULE_ROLE=developer\n", "\nCAPSULE_TASK=T-1\n", "\nCAPSULE_ATTEMPT=1\n",
        "\nCAPSULE_AGENT=7\n", "\nCAPSULE_EXPERT=databases\n", tree.c_str()})
    EXPECT_THAT(role, HasSubstr(line));
  start = agent(8, Dialect::verdict);
  start.role = "execute";
  start.settings = workflow::Settings::phase;
  start.task = "demo-1";
  start.attempt = 2;
  const std::string phase = variables(start);
  for (const char* line :
       {"\nCAPSULE_RUN=run-1\n", "\nCAPSULE_BEAD=demo-1\n", "\nCAPSULE_PHASE=execute\n",
        "\nCAPSULE_ROLE=execute\n", "\nCAPSULE_TASK=demo-1\n", "\nCAPSULE_ATTEMPT=2\n",
        "\nCAPSULE_AGENT=8\n", tree.c_str()})
    EXPECT_THAT(phase, HasSubstr(line));
}

TEST_F(AgentsTest, EachDialectHasItsWords) {
  plays("echo READY_FOR_REVIEW: T-1");
  EXPECT_EQ(std::get<workflow::LineWords>(run(agent(1, Dialect::line)).words).signal,
            signal::Signal::ready_for_review);
  plays("printf -- '---\\nSIGNAL: PLANNING_COMPLETE\\nSTATUS: complete\\n---\\n'");
  EXPECT_EQ(std::get<workflow::BlockWords>(run(agent(2, Dialect::block)).words).signals,
            std::vector<std::string>{"PLANNING_COMPLETE"});
  plays("echo VERDICT: APPROVED");
  EXPECT_EQ(std::get<workflow::VerdictWords>(run(agent(3, Dialect::verdict)).words).text,
            "VERDICT: APPROVED\n");
  plays("echo nothing");
  const AgentFinished none = run(agent(4));
  EXPECT_EQ(none.fault, Fault::no_signal);
  EXPECT_EQ(std::get<workflow::ContractWords>(none.words).signal.feedback,
            "No signal JSON found in phase output");
}

TEST_F(AgentsTest, ASignalAfterMoreThanALogHoldsIsFound) {
  const std::string flood = "head -c 36000000 /dev/zero | tr '\\0' 'x'; echo; ";
  plays(flood + "echo READY_FOR_REVIEW: T-1");
  const AgentFinished line = run(agent(1, Dialect::line));
  EXPECT_EQ(std::get<workflow::LineWords>(line.words).signal, signal::Signal::ready_for_review);
  EXPECT_EQ(line.preview.size(), 200U);
  plays(flood + "echo VERDICT: APPROVED");
  const AgentFinished verdict = run(agent(2, Dialect::verdict));
  const std::string& text = std::get<workflow::VerdictWords>(verdict.words).text;
  EXPECT_TRUE(text.ends_with("\nVERDICT: APPROVED\n"));
  EXPECT_LE(text.size(), kMaxWordsBytes);
}

TEST_F(AgentsTest, HowOneEndedIsItsFault) {
  plays("kill -KILL $$");
  const AgentFinished killed = run(agent(1, Dialect::line));
  EXPECT_EQ(killed.fault, Fault::exit_status);
  EXPECT_EQ(killed.exit_code, 137);
  EXPECT_EQ(killed.detail, "was ended by signal 9 (SIGKILL)");
  const AgentFinished silent = run(agent(2));
  EXPECT_EQ(silent.detail, "was ended by signal 9 (SIGKILL) before it printed a signal");
  plays("exit 3");
  EXPECT_EQ(run(agent(3, Dialect::block)).detail, "ended with exit status 3");
  limit_ = std::chrono::milliseconds(50);
  plays("sleep 600");
  const AgentFinished slow = run(agent(4, Dialect::verdict));
  EXPECT_EQ(slow.fault, Fault::timed_out);
  EXPECT_EQ(slow.detail, "took longer than its time limit of 50 ms");
}

TEST_F(AgentsTest, OneThatDoesNothingIsToldAndCanBeEnded) {
  parts_.idle_after = std::chrono::milliseconds(50);
  again();
  plays("echo working on it; sleep 600");
  StartAgent start = agent(1, Dialect::line);
  start.watched = true;
  std::string log;
  desk_.when_idle = [&](int agent) {
    log = agents_->log_of(agent);
    if (read_file(log).value_or("").empty()) return;  // its shell has not got that far
    agents_->end(agent);
  };
  const AgentFinished done = run(start);
  EXPECT_GE(desk_.idle, 1);
  EXPECT_EQ(done.fault, Fault::idle);
  EXPECT_EQ(read_file(log).value_or(""), "working on it\n");
  EXPECT_EQ(log, done.log);
  EXPECT_EQ(agents_->log_of(1), "");
}

TEST_F(AgentsTest, OneThatNobodyWatchesIsToldToStandStillUntilItGoesOn) {
  parts_.idle_after = std::chrono::milliseconds(50);
  again();
  const std::string pipe = place().folder + "/go";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  plays("echo working on it; read line <go; echo \"$line\"; read line <go; sleep 600");
  desk_.when_still = [&](bool still) {
    // Its shell waits for a line, or has not got that far: then the line waits for it.
    if (still && desk_.still.size() == 1) std::ofstream(pipe) << "I go on\n" << std::flush;
    if (still && desk_.still.size() == 3) agents_->end(1);
  };
  run(agent(1, Dialect::line));
  EXPECT_THAT(desk_.still, ::testing::ElementsAre(true, false, true));
  EXPECT_EQ(desk_.idle, 0) << "nobody asked to be told of that";
}

TEST_F(AgentsTest, OneThatChangesFilesIsNotIdle) {
  parts_.idle_after = std::chrono::milliseconds(50);
  again();
  plays("sleep 600");
  const std::string file = place().folder + "/file";
  ASSERT_TRUE(write_file(file, ""));
  const auto began = std::filesystem::last_write_time(file);
  // On the same loop and more often than it looks, so that a change always lies between two looks.
  int changes = 0;
  std::function<void()> change = [&] {
    std::filesystem::last_write_time(file, began + std::chrono::seconds(++changes));
    if (changes == 30) agents_->end(1);
    if (agents_->running() > 0) loop_->after(std::chrono::milliseconds(10), change);
  };
  StartAgent start = agent(1, Dialect::line);
  start.watched = true;
  ASSERT_TRUE(agents_->start(start, place()));
  change();
  loop_->run_while([&] { return agents_->running() > 0; });
  EXPECT_EQ(desk_.idle, 0);
}

TEST_F(AgentsTest, WhenAPersonStopsTheRunAllAreInterrupted) {
  plays("sleep 600");
  ASSERT_TRUE(agents_->start(agent(1), place()));
  ASSERT_TRUE(agents_->start(agent(2, Dialect::line), place()));
  agents_->end_all();
  loop_->run_while([&] { return desk_.finished.size() < 2; });
  EXPECT_EQ(desk_.finished[1].fault, Fault::interrupted);
  EXPECT_EQ(desk_.finished[2].fault, Fault::interrupted);
}

TEST_F(AgentsTest, ASecondStartThatFailsLeavesTheFirstAlone) {
  plays("sleep 0.1; echo VERDICT: APPROVED");
  ASSERT_TRUE(agents_->start(agent(1, Dialect::verdict), place()));
  EXPECT_FALSE(agents_->start(agent(1, Dialect::verdict), place())) << "the same number";
  provider_.argv = {"no-such-agent-program"};
  const auto second = agents_->start(agent(2), place());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().reason, Reason::missing_program);
  StartAgent third = agent(3);
  third.prompt.file = "prompts/none.md";
  EXPECT_FALSE(agents_->start(third, place()));
  loop_->run();
  EXPECT_EQ(desk_.finished.size(), 1U);
  EXPECT_EQ(desk_.finished[1].fault, Fault::none);

  const AgentFinished none = not_started(agent(2), second.error());
  EXPECT_EQ(none.fault, Fault::not_started);
  EXPECT_THAT(none.detail, HasSubstr("no-such-agent-program"));
  EXPECT_THAT(std::get<workflow::ContractWords>(none.words).signal.feedback,
              HasSubstr("could not be started"));
  EXPECT_TRUE(std::holds_alternative<workflow::BlockWords>(
      not_started(agent(2, Dialect::block), second.error()).words));
}

TEST_F(AgentsTest, NobodyIsToldOfWhoWasAtWorkWhenItIsGone) {
  const process::EnvChange mark = process::testing::marker();
  plays("while :; do echo x; sleep 0.01; done");
  StartAgent start = agent(1);
  start.watched = true;
  start.env = {{mark.name, *mark.value}};
  ASSERT_TRUE(agents_->start(start, place()));
  loop_->run_while([&] { return desk_.output == 0; });
  agents_.reset();
  const std::size_t before = desk_.output;
  loop_->run();
  EXPECT_TRUE(desk_.finished.empty());
  EXPECT_EQ(desk_.output, before);
  EXPECT_EQ(process::testing::marked(mark), 0);
}

TEST_F(AgentsTest, ALogThatCannotBeKeptIsAFailureOfOurs) {
  ASSERT_TRUE(write_file(root_ + "/logs", "a file"));
  plays("sleep 600");
  ASSERT_TRUE(agents_->start(agent(1), place()));
  loop_->run_while([&] { return desk_.failed.empty(); });
  EXPECT_TRUE(desk_.finished.empty());
  EXPECT_EQ(agents_->running(), 0U);
}

TEST_F(AgentsTest, ASessionThatTheClientKeepsGoesOn) {
  plays("cat; for word; do echo \"<$word>\"; done");
  provider_.begin_session = {"--begin", "{session}"};
  provider_.resume_session = {"--resume", "{session}"};
  StartAgent start = agent(1, Dialect::verdict);
  start.session = "id-1";
  start.prompt.follow_up = "Go on.\n";
  EXPECT_EQ(std::get<workflow::VerdictWords>(run(start).words).text, "Do it.\n<--begin>\n<id-1>\n");
  start.agent = 2;
  start.resume = true;
  EXPECT_EQ(std::get<workflow::VerdictWords>(run(start).words).text,
            "Go on.\n<--resume>\n<id-1>\n");
  start.agent = 3;
  start.prompt.follow_up.clear();
  EXPECT_EQ(std::get<workflow::VerdictWords>(run(start).words).text,
            "Do it.\n<--resume>\n<id-1>\n");
}

// Without words of its own for that, as between two phases of auto mode.
TEST_F(AgentsTest, ATemplateTellsItsTaskOnceToASessionAndWholeToAnother) {
  provider_.name = "one";
  prompt_text_ = "{{PHASE}}: {{if .GoesOn}}as told{{else}}{{TASK}}{{end}}\n";
  provider_.begin_session = {"--begin", "{session}"};
  provider_.resume_session = {"--resume", "{session}"};
  plays("cat");
  StartAgent start = agent(1, Dialect::verdict);
  start.session = "id-1";
  start.prompt.values = {{"PHASE", "init"}, {"TASK", "Greet."}};
  const auto told = [&] { return std::get<workflow::VerdictWords>(run(start).words).text; };
  EXPECT_EQ(told(), "init: Greet.\n");
  start.agent = 2;
  start.resume = true;
  start.prompt.values[0].text = "planning";
  EXPECT_EQ(told(), "planning: as told\n");
  start.agent = 3;
  start.anew = true;
  EXPECT_EQ(told(), "planning: Greet.\n") << "its session was lost";
  start.agent = 4;
  start.anew = false;
  provider_.name = "another";
  EXPECT_EQ(told(), "planning: Greet.\n") << "a provider that takes over";
}

TEST_F(AgentsTest, ASessionThatIsGoneBeginsUnderAnotherIdAndIsToldTheHistory) {
  provider_.begin_session = {"--begin", "{session}"};
  provider_.resume_session = {"--resume", "{session}"};
  plays("echo half");
  StartAgent start = agent(1, Dialect::verdict);
  start.session = "id-1";
  start.prompt.follow_up = "Go on.\n";
  run(start);
  plays("cat; for word; do echo \"<$word>\"; done");
  start.agent = 2;
  start.resume = start.again = start.anew = true;
  start.client_session = "id-2";
  const std::string text = std::get<workflow::VerdictWords>(run(start).words).text;
  EXPECT_THAT(text, ::testing::StartsWith("Do it.\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("What you printed as agent 1:\n\n    half"));
  EXPECT_THAT(text, ::testing::EndsWith("<--begin>\n<id-2>\n"));
  start.agent = 3;
  start.anew = false;
  EXPECT_EQ(std::get<workflow::VerdictWords>(run(start).words).text,
            "Go on.\n<--resume>\n<id-2>\n");
}

TEST_F(AgentsTest, WithoutSessionsTheHistoryIsInThePrompt) {
  prompt_text_ = "{{TITLE}}\n{{HISTORY}}";
  StartAgent start = agent(1, Dialect::verdict);
  start.session = "id-1";
  start.prompt.values = {{"TITLE", "Do it."}};
  start.prompt.follow_up = "Go on.\n";
  plays("echo READY_FOR_REVIEW: T-1; echo done");
  run(start);
  plays("cat");
  start.agent = 2;
  start.resume = true;
  const std::string history =
      "Do it.\nWhat you printed as agent 1:\n\n    READY_FOR_REVIEW: T-1\n    done\n";
  EXPECT_THAT(std::get<workflow::VerdictWords>(run(start).words).text,
              ::testing::StartsWith(history));
  // Another process finds it again by what was recorded.
  again();
  start.agent = 3;
  EXPECT_EQ(std::get<workflow::VerdictWords>(run(start).words).text, "Do it.\n");
  again();
  agents_->recall("id-1", 1, root_ + "/logs/1-developer.log");
  agents_->recall("id-2", 2, root_ + "/logs/2-developer.log");
  start.agent = 4;
  const std::string text = std::get<workflow::VerdictWords>(run(start).words).text;
  EXPECT_THAT(text, ::testing::StartsWith(history));
  EXPECT_THAT(text, Not(HasSubstr("agent 2")));
}

TEST_F(AgentsTest, WhatTheProjectKnowsIsInThePrompt) {
  parts_.verify = [] { return std::string("- test: `make`"); };
  parts_.expertise = [](const std::string& expert) { return "all of " + expert; };
  again();
  prompt_text_ = "{{VERIFY}}|{{EXPERTISE}}|{{BASE}}|{{CONTEXT}}";
  plays("cat");
  StartAgent start = agent(1, Dialect::verdict);
  start.expert = "databases";
  start.prompt.values = {{"CONTEXT", "c"}};
  AgentPlace where = place();
  where.base = "abc";
  where.conflicts = {"x.txt"};
  const AgentFinished done = run(start, where);
  const std::string& text = std::get<workflow::VerdictWords>(done.words).text;
  EXPECT_THAT(text, ::testing::StartsWith("- test: `make`|all of databases|abc|c\n\nThese files"));
  EXPECT_THAT(text, HasSubstr("- x.txt"));
}

}  // namespace
}  // namespace capsule::world
