#include "agent/crew.h"

#include <stdlib.h>

#include <filesystem>

#include "agent/clients.h"
#include "base/files.h"
#include "process/test_support.h"

namespace capsule::agent {
namespace {

class CrewTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/capsule-crew-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    root_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  // An agent that is a script; the prompt is on its stdin.
  Task script(const std::string& text, const std::string& prompt = "") const {
    Task task;
    task.provider.name = "script";
    task.provider.argv = {"/bin/sh", "-c", text};
    task.folder = root_;
    task.prompt = prompt;
    task.log_folder = root_ + "/logs";
    task.log_name = "agent";
    return task;
  }
  Ending run(const Task& task) {
    std::optional<Ending> ended;
    const auto member = crew_.start(task, [&](MemberId, const Ending& how) { ended = how; });
    EXPECT_TRUE(member) << (member ? "" : member.error().message);
    loop_->run_while([&] { return !ended; });
    return *ended;
  }
  std::unique_ptr<process::Loop> loop_ = process::testing::make_loop();
  Crew crew_{*loop_};
  std::string root_;
};

TEST_F(CrewTest, OutputGoesToLogsThatAreNeverReplaced) {
  const Ending first = run(script("cat; echo err >&2", "hello"));
  EXPECT_EQ(first.how, Ending::How::exited);
  EXPECT_EQ(read_file(first.log).value_or("?"), "hello");
  EXPECT_EQ(read_file(first.log + ".stderr").value_or("?"), "err\n");
  const Ending second = run(script("echo 2; exit 7"));
  EXPECT_NE(second.log, first.log);
  EXPECT_EQ(second.exit_code, 7);
  EXPECT_EQ(read_file(first.log).value_or("?"), "hello");
}

TEST_F(CrewTest, ASecretInTwoWritesReachesNoLog) {
  Task task = script(
      "printf 'hunter2'; read x; printf '%s' '-hunter2 sk-ant-api03-ABC'; read x; "
      "echo defghi0123456789xyz; printf hunter2 >&2; read x; echo -hunter2 >&2");
  task.provider.steered = true;
  task.secrets = {"hunter2-hunter2"};
  std::optional<Ending> ended;
  std::string printed;
  task.on_output = [&](std::string_view bytes) { printed += bytes; };
  const auto member = crew_.start(task, [&](MemberId, const Ending& how) { ended = how; });
  ASSERT_TRUE(member);
  // Each write has been read before the next is made.
  const std::uint64_t lengths[] = {7, 7 + 25, 7 + 25 + 20 + 7};
  for (const std::uint64_t bytes : lengths) {
    loop_->run_while([&] { return !ended && crew_.pulse(*member)->bytes < bytes; });
    ASSERT_FALSE(ended);
    EXPECT_EQ(printed.find("hunter2"), printed.npos);
    crew_.write(*member, "\n");
  }
  loop_->run_while([&] { return !ended; });
  EXPECT_EQ(read_file(ended->log).value_or("?"), "[redacted] [redacted]\n");
  EXPECT_EQ(read_file(ended->log + ".stderr").value_or("?"), "[redacted]\n");
  EXPECT_EQ(ended->redacted, 3);
}

TEST_F(CrewTest, ManyWorkAtOnce) {
  constexpr int kMany = 20;
  int ended = 0;
  // Each waits until all have begun.
  for (int i = 0; i < kMany; ++i)
    ASSERT_TRUE(crew_.start(script("echo x > here-" + std::to_string(i) +
                                   "; while [ $(ls here-* | wc -l) -lt 20 ]; do sleep 0.05; done"),
                            [&](MemberId, const Ending& how) {
                              EXPECT_EQ(how.how, Ending::How::exited);
                              ++ended;
                            }));
  EXPECT_EQ(crew_.running(), static_cast<std::size_t>(kMany));
  loop_->run_while([&] { return ended < kMany; });
  EXPECT_EQ(crew_.running(), 0U);
}

TEST_F(CrewTest, OneThatIsTooSlowIsEndedAsAWhole) {
  Task task = script("sleep 600 & sleep 600");
  task.timeout = std::chrono::milliseconds(50);
  EXPECT_EQ(run(task).how, Ending::How::timed_out);
}

TEST_F(CrewTest, APersonCanEndOne) {
  std::optional<Ending> ended;
  const auto member =
      crew_.start(script("sleep 600"), [&](MemberId, const Ending& how) { ended = how; });
  ASSERT_TRUE(member);
  crew_.end(*member);
  loop_->run_while([&] { return !ended; });
  EXPECT_EQ(ended->how, Ending::How::ended);
  EXPECT_EQ(crew_.pulse(*member), nullptr);
}

TEST_F(CrewTest, AFloodKeepsItsBeginningAndItsEnd) {
  const Ending ended =
      run(script("echo first; head -c 40000000 /dev/zero | tr '\\0' 'x'; echo; echo last"));
  const std::string log = read_file(ended.log).value_or("");
  EXPECT_LT(log.size(), kLogHeadBytes + 2 * kLogTailBytes + 1000);
  EXPECT_TRUE(log.starts_with("first\n"));
  EXPECT_TRUE(log.ends_with("\nlast\n"));
  EXPECT_NE(log.find("bytes are left out here]"), std::string::npos);
}

TEST_F(CrewTest, AllThatAFloodPrintsIsToldWhateverTheLogLeavesOut) {
  Task task = script("head -c 40000000 /dev/zero | tr '\\0' 'x'; echo; echo last");
  std::size_t bytes = 0;
  std::string path, end;
  task.on_log = [&](const std::string& log) { path = log; };
  task.on_output = [&](std::string_view part) {
    bytes += part.size();
    end = part;
  };
  const Ending ended = run(task);
  EXPECT_EQ(bytes, 40'000'006U);
  EXPECT_TRUE(end.ends_with("last\n"));
  EXPECT_EQ(path, ended.log);
  EXPECT_LT(std::filesystem::file_size(path), kMaxLogBytes);
}

TEST_F(CrewTest, ALogInTheAgentsOwnFolderHasItsPidAndLeadsNowhereElse) {
  Task task = script("echo $$");
  task.log_folder = root_;
  task.log_beneath = ".capsule/output";
  task.log_name = "execute-20260131-235959";
  task.log_has_pid = true;
  const Ending ended = run(task);
  std::string pid = read_file(ended.log).value_or("?");
  ASSERT_TRUE(pid.ends_with('\n'));
  pid.pop_back();
  EXPECT_EQ(ended.log, root_ + "/.capsule/output/execute-20260131-235959-" + pid + ".log");

  std::filesystem::remove_all(root_ + "/.capsule/output");
  std::filesystem::create_directory(root_ + "/elsewhere");
  std::filesystem::create_directory_symlink("../elsewhere", root_ + "/.capsule/output");
  task.provider.argv = {"/bin/sh", "-c", "sleep 600"};
  const Ending refused = run(task);
  EXPECT_EQ(refused.how, Ending::How::not_logged);
  EXPECT_TRUE(refused.error);
  EXPECT_TRUE(std::filesystem::is_empty(root_ + "/elsewhere"));
}

TEST_F(CrewTest, TheSignalThatEndedOneIsNamed) {
  const Ending ended = run(script("kill -KILL $$"));
  EXPECT_EQ(ended.how, Ending::How::signalled);
  EXPECT_EQ(ended.signal, 9);
  EXPECT_EQ(ended.exit_code, 137);
  EXPECT_EQ(describe(ended), "was ended by signal 9 (SIGKILL)");
  EXPECT_EQ(fault_of(ended), event::Fault::exit_status);
}

TEST_F(CrewTest, WhoEndsAfterAPersonAskedToStopWasInterrupted) {
  bool asked = false;
  std::optional<Ending> ended;
  Crew crew(*loop_, [&] { return asked; });
  ASSERT_TRUE(crew.start(script("sleep 600"), [&](MemberId, const Ending& how) { ended = how; }));
  asked = true;
  loop_->end_all(std::chrono::milliseconds(0));
  loop_->run_while([&] { return !ended; });
  EXPECT_EQ(ended->how, Ending::How::interrupted);
}

TEST_F(CrewTest, NobodyIsCalledBackOnceASecondStartFailed) {
  const process::EnvChange mark = process::testing::marker();
  int calls = 0;
  // As a caller would: what its callbacks touch is gone when it returns with the error.
  const auto both = [&]() -> Result<void> {
    const auto seat = std::make_shared<int>(0);
    const std::weak_ptr<int> alive = seat;
    Task first = script("while :; do echo x; sleep 0.01; done");
    first.env = {mark};
    first.on_output = [&calls, alive](std::string_view) { calls += alive.expired() ? 100 : 1; };
    Task second = script("");
    second.provider.argv = {"no-such-agent-program"};
    Crew crew(*loop_);
    TRY(crew.start(first, [seat](MemberId, const Ending&) { FAIL(); }));
    loop_->run_while([&] { return calls == 0; });
    TRY(crew.start(second, [seat](MemberId, const Ending&) { FAIL(); }));
    return {};
  };
  EXPECT_FALSE(both());
  loop_->run();  // until the first is gone
  EXPECT_LT(calls, 100);
  EXPECT_EQ(process::testing::marked(mark), 0);
}

TEST_F(CrewTest, ACallbackOfAStartThatFailsIsGone) {
  Task task = script("");
  task.provider.argv = {"no-such-agent-program"};
  const auto seat = std::make_shared<int>(0);
  task.on_output = [seat](std::string_view) { FAIL(); };
  EXPECT_FALSE(crew_.start(task, [seat](MemberId, const Ending&) { FAIL(); }));
  task.on_output = {};
  EXPECT_EQ(seat.use_count(), 1);
}

TEST_F(CrewTest, AMissingProgramIsAnErrorOfTheStart) {
  Task task = script("");
  task.provider.argv = {"no-such-agent-program"};
  const auto member = crew_.start(task, [](MemberId, const Ending&) { FAIL(); });
  ASSERT_FALSE(member);
  EXPECT_EQ(member.error().reason, Reason::missing_program);
  EXPECT_EQ(crew_.running(), 0U);
}

TEST(AgentSession, WordsAreAddedForAProviderThatHasSessions) {
  const Provider claude = claude_provider("");
  EXPECT_EQ(in_session(claude, "id", SessionUse::begin).argv,
            (std::vector<std::string>{"claude", "-p", "{prompt}", "--dangerously-skip-permissions",
                                      "--session-id", "id"}));
  EXPECT_EQ(in_session(claude, "id", SessionUse::resume).long_argv,
            (std::vector<std::string>{"claude", "-p", "--dangerously-skip-permissions", "--resume",
                                      "id"}));
  Provider other;
  other.argv = {"other"};
  EXPECT_EQ(in_session(other, "id", SessionUse::begin).argv, other.argv);
}

}  // namespace
}  // namespace capsule::agent
