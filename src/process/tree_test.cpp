#include "process/tree.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <memory>
#include <sstream>

#include "process/command.h"
#include "process/test_support.h"

namespace capsule::process {
namespace {

using namespace testing;

TEST(Tree, TellsThePidOfTheAgentBeforeItsOutput) {
  const auto loop = make_loop();
  const Recorder agent = run_to_end(*loop, script("echo $$"));
  EXPECT_EQ(agent.out, std::to_string(agent.agent) + "\n");
}

TEST(Tree, AMissingProgramIsToldFromExit127) {
  const auto loop = make_loop();
  Recorder events;
  const auto child = loop->start({{"no-such-agent"}}, events);
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().reason, Reason::missing_program);
  EXPECT_NE(child.error().message.find("no-such-agent"), std::string::npos);
  EXPECT_TRUE(run_to_end(*loop, script("exit 127")).exited_with(127));
  EXPECT_TRUE(run_to_end(*loop, script("exit 126")).exited_with(126));
  EXPECT_EQ(loop->running(), 0U);
}

TEST(Tree, WhatTheSystemCannotRunIsNotStarted) {
  char name[] = "/tmp/capsule-process-XXXXXX";
  const int fd = ::mkstemp(name);
  const std::string text = "#!/no/such/interpreter\n";
  ASSERT_EQ(::write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ::fchmod(fd, 0755);
  ::close(fd);
  const auto loop = make_loop();
  const Recorder agent = run_to_end(*loop, {{name}});
  EXPECT_EQ(agent.exit->how, Exit::How::not_started);
  EXPECT_EQ(agent.exit->value, ENOENT);
  EXPECT_EQ(agent.agent, 0);
  ::chmod(name, 0644);
  Recorder events;
  const auto child = loop->start({{name}}, events);
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().reason, Reason::refused);
  ::unlink(name);
}

TEST(Tree, RunsInItsFolderWithItsVariables) {
  const auto loop = make_loop();
  TreeSpec spec = script("pwd; echo \"$A\"", {{"A", "b c"}});
  spec.cwd = "/usr";
  EXPECT_EQ(run_to_end(*loop, spec).out, "/usr\nb c\n");
}

TEST(Tree, AgentAndGuardianAreInSessionsOfTheirOwn) {
  const auto loop = make_loop();
  const Recorder agent = run_to_end(*loop, script("cut -d' ' -f6 /proc/$$/stat /proc/$PPID/stat"));
  std::istringstream lines(agent.out);
  pid_t agent_session = -1, guardian_session = -1;
  lines >> agent_session >> guardian_session;
  EXPECT_EQ(agent_session, agent.agent);
  EXPECT_NE(guardian_session, agent_session);
  EXPECT_NE(guardian_session, ::getsid(0));
}

TEST(Tree, NobodySeesTheAgentGoneAndGoesOn) {
  const auto loop = make_loop();
  for (int round = 0; round < 20; ++round) {
    char name[] = "/tmp/capsule-process-XXXXXX";
    ::close(::mkstemp(name));
    const Recorder agent = run_to_end(
        *loop,
        script("setsid sh -c \"echo up >$FILE; while kill -0 $$; do :; done; echo late >>$FILE\" "
               "2>/dev/null & while [ ! -s $FILE ]; do :; done",
               {{"FILE", name}}));
    EXPECT_TRUE(agent.exited_with(0));
    struct stat after {};
    ASSERT_EQ(::stat(name, &after), 0);
    EXPECT_EQ(after.st_size, 3) << "in round " << round;
    ::unlink(name);
  }
}

TEST(Tree, NothingSurvivesTheDeathOfTheGuardian) {
  const auto loop = make_loop();
  const EnvChange mark = marker();
  Recorder agent;
  ASSERT_TRUE(loop->start(script(kStubbornTree, {mark}), agent));
  agent.on_output = [&] { loop->after(100ms, [&] { ::kill(parent_of(agent.agent), SIGKILL); }); };
  loop->run();
  EXPECT_EQ(agent.exit->how, Exit::How::lost);
  EXPECT_EQ(agent.exit->left_behind, 0);
  EXPECT_EQ(marked(mark), 0);
  EXPECT_EQ(children_of_this(), 0);
}

TEST(Tree, TheAgentDiesWithItsGuardianEvenIfNobodyElseActs) {
  const EnvChange mark = marker();
  char name[] = "/tmp/capsule-process-XXXXXX";
  ::close(::mkstemp(name));
  kill_orchestrator_when(
      [&] { return !file_text(name).empty() && marked(mark) == 0; },
      [&] {
        const auto loop = make_loop();
        Recorder agent;
        (void)loop->start(script("exec sleep 1000", {mark}), agent);
        loop->run_while([&] { return agent.agent == 0; });
        std::ofstream(name) << "started";
        ::kill(parent_of(agent.agent), SIGKILL);
        ::pause();  // the loop does not turn, so it cannot be what kills the agent
      });
  ::unlink(name);
}

TEST(Tree, TheGuardianDoesNotReactToSignalsOfTheAgent) {
  const auto loop = make_loop();
  const Recorder agent = run_to_end(
      *loop, script("kill -INT $PPID; kill -TERM $PPID; kill -HUP $PPID; kill -QUIT $PPID; "
                    "kill -USR1 $PPID; kill -PIPE $PPID; sleep 0.05; exit 5"));
  EXPECT_TRUE(agent.exited_with(5));
}

TEST(Tree, AGuardianThatWasStoppedIsGotRidOf) {
  const auto loop = make_loop(200ms);
  const EnvChange mark = marker();
  Recorder agent;
  const auto child = loop->start(script("kill -STOP $PPID; sleep 1000", {mark}), agent);
  ASSERT_TRUE(child);
  loop->after(200ms, [&] { loop->end(*child, 0ms); });
  loop->run();
  EXPECT_EQ(agent.exit->how, Exit::How::lost);
  EXPECT_EQ(marked(mark), 0);
}

TEST(Tree, AGuardianThatWasStoppedGoesOnWhenTheOrchestratorDies) {
  const EnvChange mark = marker();
  char name[] = "/tmp/capsule-process-XXXXXX";
  ::close(::mkstemp(name));
  kill_orchestrator_when([&] { return !file_text(name).empty(); },
                         [&] {
                           const auto loop = make_loop();
                           Recorder agent;
                           TreeSpec spec =
                               script("kill -STOP $PPID; echo x > \"$F\"; sleep 1000", {mark});
                           spec.env.push_back({"F", name});
                           (void)loop->start(spec, agent);
                           loop->run();
                         });
  ::unlink(name);
  EXPECT_TRUE(eventually([&] { return marked(mark) == 0; }, 2s)) << marked(mark) << " are left";
}

TEST(CommandTree, IsACommandWhoseWholeTreeEndsWithIt) {
  const auto loop = make_loop();
  const EnvChange mark = marker();
  Spec spec{.argv = {"sh", "-c", "setsid sleep 1000 & echo out; echo err >&2; exit 4"}};
  spec.env = {mark};
  const auto output = run_tree(*loop, spec);
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out, "out\n");
  EXPECT_EQ(output->err, "err\n");
  EXPECT_EQ(output->exit_code, 4);
  EXPECT_EQ(marked(mark), 0);
}

TEST(CommandTree, KeepsItsDeadlineAgainstAStubbornTree) {
  const auto loop = make_loop();
  const EnvChange mark = marker();
  Spec spec{.argv = {"sh", "-c", kStubbornTree}};
  spec.env = {mark};
  spec.deadline = Clock::now() + 300ms;
  spec.grace = 200ms;
  const auto output = run_tree(*loop, spec);
  ASSERT_TRUE(output);
  EXPECT_TRUE(output->timed_out);
  EXPECT_FALSE(output->ok());
  EXPECT_EQ(marked(mark), 0);
}

// This program answers for the agent when it is started with ASK_INSIDE, before the tests begin.
const bool kAsked = [] {
  if (std::getenv("ASK_INSIDE") == nullptr) return false;
  const std::string_view answer = inside_agent_tree() ? "inside\n" : "outside\n";
  (void)!::write(1, answer.data(), answer.size());
  ::_exit(0);
}();

TEST(InsideAgentTree, IsNotWhereTheTestsRun) {
  EXPECT_FALSE(kAsked);
  const auto output = run({.argv = {this_program()}, .env = {{"ASK_INSIDE", "1"}}});
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out, "outside\n");
}

TEST(InsideAgentTree, IsBelowAGuardianWhateverTheEnvironment) {
  const auto loop = make_loop();
  EXPECT_EQ(run_to_end(*loop, {{"env", "-i", "ASK_INSIDE=1", this_program()}}).out, "inside\n");
}

TEST(InsideAgentTree, IsWhereAnOrphanInItsOwnSessionIs) {
  const auto loop = make_loop();
  Recorder agent;
  const auto child =
      loop->start(script("(setsid sh -c 'sleep 0.1; ASK_INSIDE=1 exec \"$P\"' &) ; sleep 1000",
                         {{"P", this_program()}}),
                  agent);
  ASSERT_TRUE(child);
  agent.on_output = [&] { loop->end(*child, 0ms); };
  loop->run();
  EXPECT_EQ(agent.out, "inside\n");
}

}  // namespace
}  // namespace capsule::process
