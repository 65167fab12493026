#include "agent/crew.h"

#include <stdlib.h>

#include <filesystem>

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

TEST_F(CrewTest, ThePulseTellsTheNewestLine) {
  std::optional<Ending> ended;
  const auto member = crew_.start(script("echo one; printf 'two\\nthr'; sleep 600"),
                                  [&](MemberId, const Ending& how) { ended = how; });
  ASSERT_TRUE(member);
  loop_->run_while([&] { return crew_.pulse(*member) && crew_.pulse(*member)->bytes < 11; });
  ASSERT_NE(crew_.pulse(*member), nullptr);
  EXPECT_EQ(crew_.pulse(*member)->last_line, "two");
  crew_.end(*member);
  loop_->run_while([&] { return !ended; });
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
