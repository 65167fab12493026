// What holds for every tree: without walls, with them, and with those that a kernel without
// namespaces has.
#include <sys/stat.h>

#include <memory>

#include "process/test_support.h"
#include "process/tree.h"

namespace capsule::process {
namespace {

using namespace testing;

class AnyTree : public ::testing::TestWithParam<Walls> {
 protected:
  std::unique_ptr<Loop> any_loop() { return make_loop_for(GetParam()); }
  TreeSpec any(TreeSpec spec) { return within(GetParam(), std::move(spec), folder_.path); }
  TreeSpec any_script(std::string text, std::vector<EnvChange> env = {}) {
    return any(script(std::move(text), std::move(env)));
  }

 private:
  TemporaryFolder folder_;
};
INSTANTIATE_TEST_SUITE_P(Walls, AnyTree,
                         ::testing::Values(Walls::none, Walls::namespaces, Walls::landlock_alone),
                         [](const auto& kind) { return name_of(kind.param); });

TEST_P(AnyTree, ReportsOutputAndExitCode) {
  const auto loop = any_loop();
  const Recorder agent = run_to_end(*loop, any_script("echo out; echo err >&2; exit 42"));
  EXPECT_TRUE(agent.exited_with(42));
  EXPECT_EQ(agent.out, "out\n");
  EXPECT_EQ(agent.err, "err\n");
  EXPECT_EQ(agent.exit->left_behind, 0);
}

// The real claude writes its answer without waiting, and drops what the pipe does not take.
TEST_P(AnyTree, AnAgentThatDoesNotWaitForItsReaderLosesNothing) {
  const auto loop = any_loop();
  const Recorder agent = run_to_end(
      *loop, any({{"dd", "if=/dev/zero", "bs=900K", "count=1", "oflag=nonblock", "status=none"}}));
  EXPECT_TRUE(agent.exited_with(0)) << agent.err;
  EXPECT_EQ(agent.out_bytes, 900U * 1024);
}

TEST_P(AnyTree, ReportsTheSignalThatEndedTheAgent) {
  const auto loop = any_loop();
  EXPECT_TRUE(run_to_end(*loop, any_script("kill -ABRT $$")).signalled_by(SIGABRT));
}

TEST_P(AnyTree, HasADefaultSignalStateAndOnlyThreeFiles) {
  const int leaky = ::open("/dev/null", O_RDONLY);
  const auto loop = any_loop();
  const Recorder agent = run_to_end(*loop, any({{"cat", "/proc/self/status"}}));
  const Recorder files = run_to_end(*loop, any({{"ls", "/proc/self/fd"}}));
  ::close(leaky);
  EXPECT_EQ(signals(agent.out, "SigBlk"), 0U);
  EXPECT_EQ(signals(agent.out, "SigIgn"), 0U);
  EXPECT_EQ(files.out, "0\n1\n2\n3\n") << "3 is the folder that ls reads";
}

TEST_P(AnyTree, LeavesNobodyAfterANormalExit) {
  const auto loop = any_loop();
  const EnvChange mark = marker();
  const Recorder agent = run_to_end(
      *loop,
      any_script("setsid sleep 1000 & (sleep 1000 &) & sh -c 'trap \"\" TERM HUP; sleep 1000' & "
                 "echo done",
                 {mark}));
  EXPECT_TRUE(agent.exited_with(0));
  EXPECT_EQ(agent.out, "done\n");
  EXPECT_EQ(marked(mark), 0);
}

TEST_P(AnyTree, EndsAStubbornTreeAfterTheGrace) {
  const auto loop = any_loop();
  const EnvChange mark = marker();
  Recorder agent;
  const auto child = loop->start(any_script(kStubbornTree, {mark}), agent);
  ASSERT_TRUE(child);
  agent.on_output = [&] {
    loop->after(100ms, [&] {
      EXPECT_GT(marked(mark), 5);
      loop->end(*child, 100ms);
    });
  };
  const auto limit = loop->after(30s, [] { FAIL() << "still there"; });
  loop->run();
  loop->cancel(limit);
  EXPECT_TRUE(agent.signalled_by(SIGKILL));
  EXPECT_EQ(marked(mark), 0);
}

TEST_P(AnyTree, AnAgentThatHearsTermMayTidyUp) {
  const auto loop = any_loop();
  Recorder agent;
  const auto child = loop->start(
      any_script("trap 'echo tidy; exit 9' TERM; echo ready; while :; do sleep 0.02; done"), agent);
  ASSERT_TRUE(child);
  bool asked = false;
  agent.on_output = [&] {
    if (!std::exchange(asked, true)) loop->end(*child, 60s);
  };
  loop->run();
  EXPECT_TRUE(agent.exited_with(9));
  EXPECT_EQ(agent.out, "ready\ntidy\n");
}

TEST_P(AnyTree, AnAgentThatStoppedItselfEndsToo) {
  const auto loop = any_loop();
  Recorder agent;
  const auto child = loop->start(any_script("echo ready; kill -STOP $$; sleep 1000"), agent);
  ASSERT_TRUE(child);
  agent.on_output = [&] { loop->end(*child, 60s); };
  loop->run();
  EXPECT_TRUE(agent.signalled_by(SIGTERM));
}

TEST_P(AnyTree, ASecondShorterRequestCounts) {
  const auto loop = any_loop();
  Recorder agent;
  const auto child =
      loop->start(any_script("trap '' TERM; echo ready; while :; do sleep 1; done"), agent);
  ASSERT_TRUE(child);
  agent.on_output = [&] {
    loop->end(*child, 1h);
    loop->after(50ms, [&] { loop->end(*child, 0ms); });
  };
  loop->run();
  EXPECT_TRUE(agent.signalled_by(SIGKILL));
}

TEST_P(AnyTree, ATreeThatChangesItsSessionAtEveryForkIsCaught) {
  // Each generation leaves its parent's session and group and forks the next before it ends.
  const auto loop = any_loop();
  const EnvChange mark = marker();
  Recorder agent;
  TreeSpec spec{{"perl", "-e",
                 "use POSIX; $| = 1; print qq(ready\\n); if (fork) { sleep 1000 } "
                 "while (1) { setsid(); exit if fork; }"},
                {},
                {mark},
                {}};
  const auto child = loop->start(any(spec), agent);
  ASSERT_TRUE(child);
  agent.on_output = [&] { loop->after(50ms, [&] { loop->end(*child, 0ms); }); };
  loop->run();
  EXPECT_EQ(agent.exit->left_behind, 0);
  EXPECT_EQ(marked(mark), 0);
}

TEST_P(AnyTree, ForksWithoutMeasureAreStopped) {
  const auto loop = any_loop();
  const EnvChange mark = marker();
  Recorder agent;
  const auto child = loop->start(
      any_script("echo ready; f() { for i in 1 2 3; do [ $1 -gt 4 ] || f $(($1 + 1)) & done; "
                 "sleep 1000; }; f 0",
                 {mark}),
      agent);
  ASSERT_TRUE(child);
  agent.on_output = [&] { loop->after(100ms, [&] { loop->end(*child, 0ms); }); };
  loop->run();
  EXPECT_EQ(marked(mark), 0);
}

TEST_P(AnyTree, NothingSurvivesTheDeathOfTheOrchestrator) {
  const EnvChange mark = marker();
  kill_orchestrator_when([&] { return marked(mark) > 20; },
                         [&] {
                           const auto loop = any_loop();
                           Recorder first;
                           Recorder second;
                           (void)loop->start(any_script(kStubbornTree, {mark}), first);
                           (void)loop->start(any_script(kStubbornTree, {mark}), second);
                           loop->run();
                         });
  EXPECT_TRUE(eventually([&] { return marked(mark) == 0; }, 2s)) << marked(mark) << " are left";
}

TEST_P(AnyTree, NothingSurvivesADeathDuringTheStart) {
  const int count = full() ? 300 : 20;
  const EnvChange mark = marker();
  for (int i = 0; i < count; ++i) {
    const auto begin = Clock::now();
    kill_orchestrator_when(
        [&] { return Clock::now() - begin > std::chrono::microseconds(i * 300); },
        [&] {
          const auto loop = any_loop();
          Recorder agent;
          (void)loop->start(any_script("sleep 1000", {mark}), agent);
          loop->run();
        });
  }
  EXPECT_TRUE(eventually([&] { return marked(mark) == 0; }, 2s)) << marked(mark) << " are left";
}

TEST_P(AnyTree, LivesOnWhenTheThreadThatStartedItHasEnded) {
  std::unique_ptr<Loop> loop;
  Recorder agent;
  std::thread([&] {
    loop = any_loop();
    ASSERT_TRUE(loop->start(any_script("sleep 0.3; echo alive"), agent));
  }).join();
  loop->run();
  EXPECT_TRUE(agent.exited_with(0));
  EXPECT_EQ(agent.out, "alive\n");
}

TEST_P(AnyTree, ALoopThatGoesAwayTakesItsTreesWithIt) {
  const EnvChange mark = marker();
  Recorder agent;
  {
    const auto loop = any_loop();
    ASSERT_TRUE(loop->start(any_script(kStubbornTree, {mark}), agent));
    loop->run_while([&] { return agent.out.empty(); });
    EXPECT_GT(marked(mark), 0);
  }
  EXPECT_EQ(marked(mark), 0);
  EXPECT_FALSE(agent.exit) << "no events from a loop that is gone";
}

}  // namespace
}  // namespace capsule::process
