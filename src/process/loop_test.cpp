// The loop under load: sizes, counts, leaks, timers and watches.
#include <sys/resource.h>

#include <filesystem>

#include "process/test_support.h"
#include "process/tree.h"

namespace capsule::process {
namespace {

using namespace testing;

// What a sanitizer remembers of each piece of memory comes on top of it.
#ifdef CAPSULE_SANITIZED
constexpr long kShadow = 4;
#else
constexpr long kShadow = 1;
#endif

class Prompt : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Prompt, OfAnySizeArrivesWhole) {
  const auto loop = make_loop();
  TreeSpec spec{{"cksum"}};
  spec.input = std::string(GetParam(), 'p');
  TreeSpec same =
      script("head -c " + std::to_string(GetParam()) + " /dev/zero | tr '\\0' p | cksum");
  EXPECT_EQ(run_to_end(*loop, spec).out, run_to_end(*loop, same).out);
}
INSTANTIATE_TEST_SUITE_P(Loop, Prompt, ::testing::Values(0, 1, 131071, 131072, 5'000'000));

TEST(Loop, APromptThatIsNeverReadHoldsNothingUp) {
  const auto loop = make_loop();
  Recorder agent;
  TreeSpec spec = script("echo ready; sleep 1000");
  spec.input = std::string(5'000'000, 'p');
  const auto child = loop->start(spec, agent);
  ASSERT_TRUE(child);
  agent.on_output = [&] { loop->end(*child, 1s); };
  loop->run();
  EXPECT_TRUE(agent.signalled_by(SIGTERM));
}

TEST(Loop, AnAgentThatExitsAtOnceDespiteItsPromptIsNoError) {
  const auto loop = make_loop();
  TreeSpec spec{{"true"}};
  spec.input = std::string(1'000'000, 'p');
  EXPECT_TRUE(run_to_end(*loop, spec).exited_with(0));
}

TEST(Loop, AnAgentCanOpenItsStdinByName) {
  const auto loop = make_loop();
  TreeSpec spec = script("cat /dev/stdin; [ -t 0 ] || echo no terminal");
  spec.input = "prompt\n";
  EXPECT_EQ(run_to_end(*loop, spec).out, "prompt\nno terminal\n");
}

TEST(Loop, AnInputThatStaysOpenTakesMoreUntilItIsClosed) {
  const auto loop = make_loop();
  Recorder agent;
  TreeSpec spec = script("while read -r line; do echo \"got $line\"; done; echo over");
  spec.input = "first\n";
  spec.more_input = true;
  const auto child = loop->start(spec, agent);
  ASSERT_TRUE(child);
  agent.on_output = [&] {
    if (agent.out == "got first\n") {
      EXPECT_TRUE(loop->write(*child, "second\n"));
    }
    if (agent.out == "got first\ngot second\n") {
      EXPECT_TRUE(loop->write(*child, "third\n"));
      loop->close_input(*child);
      EXPECT_FALSE(loop->write(*child, "too late\n"));
    }
  };
  loop->run();
  EXPECT_EQ(agent.out, "got first\ngot second\ngot third\nover\n");
  EXPECT_TRUE(agent.exited_with(0));
  EXPECT_FALSE(loop->write(*child, "x"));
  loop->close_input(*child);
}

TEST(Loop, AnInputThatStaysOpenMayBeOfAnySize) {
  const auto loop = make_loop();
  Recorder agent;
  TreeSpec spec = script("wc -c");
  spec.input = std::string(5'000'000, 'p');
  spec.more_input = true;
  const auto child = loop->start(spec, agent);
  ASSERT_TRUE(child);
  loop->close_input(*child);
  loop->run();
  EXPECT_EQ(agent.out, "5000000\n");
}

TEST(Loop, WhatIsNeverReadIsBoundedAndHoldsNothingUp) {
  const auto loop = make_loop();
  Recorder agent;
  TreeSpec spec = script("echo ready; exec sleep 1000");
  spec.more_input = true;
  const auto child = loop->start(spec, agent);
  ASSERT_TRUE(child);
  const std::string piece(100'000, 'm');
  int taken = 0;
  while (loop->write(*child, piece)) ++taken;
  EXPECT_GE(taken, 10);
  EXPECT_LE(taken, 14);
  agent.on_output = [&] { loop->end(*child, 1s); };
  loop->run();
  EXPECT_TRUE(agent.signalled_by(SIGTERM));
}

TEST(Loop, AChildThatClosesItsInputOrIsGoneIsNoErrorOfTheWriter) {
  const auto loop = make_loop();
  Recorder agent;
  TreeSpec spec = script("exec <&-; echo closed; sleep 0.1; echo over");
  spec.input = std::string(1'000'000, 'p');
  spec.more_input = true;
  const auto child = loop->start(spec, agent);
  ASSERT_TRUE(child);
  agent.on_output = [&] { loop->write(*child, "x\n"); };
  loop->run();
  EXPECT_EQ(agent.out, "closed\nover\n");
  EXPECT_TRUE(agent.exited_with(0));
}

TEST(Loop, OutputOfAnySizePassesThroughBoundedMemory) {
  const auto loop = make_loop();
  (void)run_to_end(*loop, script("echo warm"));
  const long before = resident_kib();
  Recorder agent;
  agent.keep = false;
  const std::string mib = full() ? "1024" : "64";
  ASSERT_TRUE(loop->start(script("dd if=/dev/zero bs=1M count=" + mib +
                                 " status=none & "
                                 "dd if=/dev/zero bs=1M count=" +
                                 mib + " status=none >&2; wait"),
                          agent));
  loop->run();
  EXPECT_EQ(agent.out_bytes, std::stoul(mib) << 20U);
  EXPECT_EQ(agent.err_bytes, std::stoul(mib) << 20U);
  EXPECT_LT(resident_kib() - before, 4096 * kShadow);
}

TEST(Loop, LastWordsArriveBeforeTheExit) {
  const auto loop = make_loop();
  for (int i = 0; i < 10; ++i) {
    const Recorder agent = run_to_end(*loop, script("head -c 60000 /dev/zero; echo end"));
    EXPECT_EQ(agent.out_bytes, 60004U);
  }
}

TEST(Loop, TwoHundredAtOnce) {
  const auto loop = make_loop();
  const EnvChange mark = marker();
  std::vector<Recorder> agents(200);
  const long before = resident_kib();
  std::size_t ready = 0;
  for (Recorder& agent : agents) {
    agent.on_output = [&] {
      if (++ready == agents.size()) loop->end_all(10s);
    };
    const auto child = loop->start(
        script("trap 'exit 7' TERM; echo $N; sleep 1000 & wait", {mark, {"N", "x"}}), agent);
    ASSERT_TRUE(child) << child.error().message;
  }
  EXPECT_EQ(loop->running(), 200U);
  loop->run();
  EXPECT_LT(resident_kib() - before, 8192 * kShadow);
  for (const Recorder& agent : agents) EXPECT_TRUE(agent.exited_with(7));
  EXPECT_EQ(marked(mark), 0);
  EXPECT_EQ(children_of_this(), 0);
}

TEST(Loop, LeavesNoZombieAndNoOpenFile) {
  const auto loop = make_loop();
  (void)run_to_end(*loop, script("exit 0"));
  const int fds = open_fds();
  const int count = full() ? 1000 : 60;
  for (int i = 0; i < count; ++i) EXPECT_TRUE(run_to_end(*loop, {{"true"}}).exited_with(0));
  Recorder events;
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(loop->start({{"no-such-agent"}}, events));
  EXPECT_EQ(open_fds(), fds);
  EXPECT_EQ(children_of_this(), 0);
}

TEST(Loop, WithoutDescriptorsAStartFailsCleanly) {
  const auto loop = make_loop();
  rlimit usual{};
  ::getrlimit(RLIMIT_NOFILE, &usual);
  const int fds = open_fds();
  const rlimit tight{static_cast<rlim_t>(fds) + 12, usual.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &tight);
  std::vector<Recorder> agents(20);
  std::size_t started = 0;
  std::optional<Error> error;
  for (Recorder& agent : agents) {
    const auto child = loop->start(script("sleep 1000"), agent);
    if (child)
      ++started;
    else if (!error)
      error = child.error();
  }
  ::setrlimit(RLIMIT_NOFILE, &usual);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->reason, Reason::io);
  EXPECT_EQ(loop->running(), started);
  loop->end_all(0ms);
  loop->run();
  EXPECT_EQ(open_fds(), fds);
}

TEST(Loop, NothingButTheGuardianAndProcessOneOfWallsForks) {
  // The cost of fork grows with our own memory; posix_spawn's does not. Those two are small.
  int files = 0;
  const std::filesystem::path sources = std::filesystem::path(CAPSULE_SOURCE_DIR) / "src";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(sources)) {
    const std::string name = entry.path().filename();
    if (!name.ends_with(".cpp") || name.ends_with("_test.cpp") || name == "guardian.cpp" ||
        entry.path() == sources / "contain/first.cpp")
      continue;
    ++files;
    EXPECT_EQ(file_text(entry.path()).find("fork()"), std::string::npos) << entry.path();
  }
  EXPECT_GT(files, 5);
}

TEST(Loop, AProgramThatIsNoGuardianIsNotStartedOverAndOver) {
  auto loop = Loop::create({"/proc/self/exe"});
  ASSERT_TRUE(loop);
  Recorder agent;
  agent.keep = false;
  // The copy runs no test, says so on the agent's stdout, and is no guardian.
  ASSERT_TRUE((*loop)->start({{"true", "--gtest_filter=None"}}, agent));
  (*loop)->run();
  EXPECT_EQ(agent.exit->how, Exit::How::lost);
}

TEST(Loop, SleepsWhileNothingHappens) {
  const auto loop = make_loop();
  Recorder agent;
  ASSERT_TRUE(loop->start(script("sleep 0.5"), agent));
  int turns = 0;
  loop->run_while([&] { return ++turns, !agent.exit; });
  EXPECT_LT(turns, 10) << "it must not wake up without a reason";
}

TEST(Loop, TimersComeInTheirOrderAndOnlyOnce) {
  const auto loop = make_loop();
  std::string order;
  const auto start = Clock::now();
  loop->at(start + 30ms, [&] { order += 'c'; });
  loop->at(start + 10ms, [&] {
    order += 'a';
    loop->at(start + 11ms, [&] { order += 'b'; });
  });
  const TimerId never = loop->at(start + 20ms, [&] { order += 'x'; });
  loop->cancel(never);
  loop->cancel(never);
  loop->run_while([&] { return order.size() < 3; });
  loop->turn(Clock::now() + 20ms);
  EXPECT_EQ(order, "abc");
}

TEST(Loop, ADescriptorOfTheCallerCanStopIt) {
  const auto loop = make_loop();
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  Recorder agent;
  ASSERT_TRUE(loop->start(script("trap 'exit 3' TERM; echo ready; sleep 1000 & wait"), agent));
  agent.on_output = [&] { ASSERT_EQ(::write(pipe->write.fd(), "x", 1), 1); };
  int called = 0;
  std::optional<WatchId> watch;
  const auto watched = loop->watch(pipe->read.fd(), [&] {
    ++called;
    loop->unwatch(*watch);
    loop->end_all(10s);
  });
  ASSERT_TRUE(watched);
  watch = *watched;
  loop->run();
  EXPECT_EQ(called, 1);
  EXPECT_TRUE(agent.exited_with(3));
}

TEST(Loop, ADescriptorCanBeWatchedForRoomToWrite) {
  const auto loop = make_loop();
  const auto pipe = make_input_pipe();
  ASSERT_TRUE(pipe);
  const std::string piece(4096, 'x');
  while (::write(pipe->write.fd(), piece.data(), piece.size()) > 0) continue;  // until it is full
  int called = 0;
  const auto watch = loop->watch(pipe->write.fd(), [&] { ++called; });
  ASSERT_TRUE(watch);
  loop->watch_for(*watch, {.readable = false, .writable = true});
  loop->turn(Clock::now());
  EXPECT_EQ(called, 0) << "there is no room";
  std::string buffer(1 << 20, ' ');
  ASSERT_GT(::read(pipe->read.fd(), buffer.data(), buffer.size()), 0);
  loop->turn(Clock::now() + 10s);
  EXPECT_EQ(called, 1);
  loop->watch_for(*watch, {.readable = false, .writable = false});
  loop->turn(Clock::now());
  EXPECT_EQ(called, 1) << "nobody wants to know";
  loop->unwatch(*watch);
}

TEST(Loop, OneThatIsForgottenIsEndedAndTellsNothing) {
  const auto loop = make_loop();
  const EnvChange mark = marker();
  auto events = std::make_unique<Recorder>();
  const auto child = loop->start({{"/bin/sh", "-c", "echo x; sleep 600"}, "", {mark}}, *events);
  ASSERT_TRUE(child);
  loop->run_while([&] { return events->out.empty(); });
  loop->forget(*child);
  EXPECT_FALSE(events->exit);
  events.reset();
  loop->run();
  EXPECT_EQ(marked(mark), 0);
}

TEST(Loop, ACallbackMayStartTheNextChild) {
  struct Chain : ChildEvents {
    Loop* loop = nullptr;
    int left = 5;
    void on_exit(const Exit&) override {
      if (--left == 0) return;
      EXPECT_TRUE(loop->start({{"true"}}, *this));
    }
  };
  const auto loop = make_loop();
  Chain chain;
  chain.loop = loop.get();
  ASSERT_TRUE(loop->start({{"true"}}, chain));
  loop->run();
  EXPECT_EQ(chain.left, 0);
}

}  // namespace
}  // namespace capsule::process
