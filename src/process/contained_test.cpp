// Trees with walls around them: what they see, what is told of them, and that nothing runs without.
#include "process/contained.h"

#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <thread>

#include "process/command.h"
#include "process/test_support.h"
#include "process/tree.h"
#include "tests/contain/kernel.h"

namespace capsule::process {
namespace {

using namespace testing;

// This program as a guardian, on a kernel that lacks namespaces; see test_support.h.
[[gnu::constructor]] void become_guardian(int /*argc*/, char** argv) {
  if (std::getenv(kTestKernel) == nullptr || argv[0] != kGuardianName) return;
  test::without_user_namespaces();
  ::execv(CAPSULE_BINARY, argv);
  ::_exit(1);
}

class Contained : public ::testing::Test {
 protected:
  TreeSpec inside(std::string text, std::vector<EnvChange> env = {}) {
    return within(Walls::namespaces, script(std::move(text), std::move(env)), folder_.path);
  }
  const std::string& folder() const { return folder_.path; }

 private:
  TemporaryFolder folder_;
};

TEST_F(Contained, TellsWhatIsReallyInForceBeforeItStarts) {
  const auto loop = make_loop();
  const Recorder agent = run_to_end(*loop, inside("true"));
  ASSERT_TRUE(agent.contained);
  EXPECT_TRUE(agent.contained->namespaces);
  EXPECT_TRUE(agent.contained->seccomp);
  EXPECT_FALSE(agent.contained->own_network);
  TreeSpec strict = inside("true");
  strict.walls->preset = contain::Preset::strict;
  const Recorder held = run_to_end(*loop, strict);
  EXPECT_TRUE(held.contained->own_network);
  EXPECT_EQ(held.contained->preset, contain::Preset::strict);
  EXPECT_EQ(held.contained->net, contain::Net::off);
  EXPECT_FALSE(held.refused) << "nobody asked for anything";
  EXPECT_FALSE(run_to_end(*loop, script("true")).contained) << "nothing is in force";
}

TEST_F(Contained, WithoutNamespacesItSaysSo) {
  const auto loop = make_loop_for(Walls::landlock_alone);
  const Recorder agent =
      run_to_end(*loop, within(Walls::landlock_alone, script("echo ran"), folder()));
  ASSERT_TRUE(agent.contained);
  EXPECT_FALSE(agent.contained->namespaces);
  EXPECT_FALSE(agent.contained->gaps.empty());
  EXPECT_EQ(agent.out, "ran\n");
}

TEST_F(Contained, WhatTheKernelLacksIsToldAndNothingRan) {
  const auto loop = make_loop_for(Walls::landlock_alone);
  TreeSpec spec = within(Walls::landlock_alone, script("echo ran | tee ran"), folder());
  spec.walls->missing = contain::Missing::refuse;
  const Recorder agent = run_to_end(*loop, spec);
  ASSERT_EQ(agent.exit->how, Exit::How::not_contained);
  EXPECT_EQ(agent.exit->why->reason, Reason::refused);
  EXPECT_NE(agent.exit->why->message.find("user namespaces"), std::string::npos);
  EXPECT_NE(agent.exit->why->hint, "");
  EXPECT_FALSE(agent.contained);
  EXPECT_EQ(agent.agent, 0);
  EXPECT_EQ(agent.out, "");
  EXPECT_FALSE(std::filesystem::exists(folder() + "/ran"));
}

TEST_F(Contained, NamespacesThatWereFoundAndAreNotThereAreNoReasonToGoWithout) {
  const auto loop = make_loop_for(Walls::landlock_alone);
  TreeSpec spec = within(Walls::landlock_alone, script("echo ran | tee ran"), folder());
  spec.walls->namespaces_found = true;
  const Recorder agent = run_to_end(*loop, spec);
  EXPECT_EQ(agent.exit->how, Exit::How::not_contained);
  EXPECT_FALSE(std::filesystem::exists(folder() + "/ran"));
}

// Each of its own is allowed what all have together.
std::string hogs(int count, const std::string& megas) {
  return "for i in $(seq " + std::to_string(count) +
         "); do python3 -c 'import time; b = bytearray(" + megas +
         " << 20); time.sleep(1000)' & done; wait";
}

TEST_F(Contained, MemoryIsLimitedForAllProcessesTogether) {
  const auto loop = make_loop();
  TreeSpec spec = inside(hogs(4, "60"));
  spec.walls->limits.together = 160U << 20;
  const EnvChange mark = marker();
  spec.env.push_back(mark);
  const Recorder agent = run_to_end(*loop, spec);
  ASSERT_TRUE(agent.signalled_by(SIGKILL)) << agent.err;
  ASSERT_TRUE(agent.exit->excess);
  EXPECT_EQ(agent.exit->excess->of, contain::Excess::Of::memory);
  EXPECT_EQ(agent.exit->excess->limit, 160U << 20);
  EXPECT_EQ(marked(mark), 0) << "all of it went";
}

TEST_F(Contained, FilesInMemoryAreMemory) {
  const auto loop = make_loop();
  TreeSpec spec =
      inside("head -c 90M /dev/zero >/tmp/a; head -c 90M /dev/zero >/dev/shm/b; sleep 1000");
  spec.walls->limits.together = 160U << 20;
  const Recorder agent = run_to_end(*loop, spec);
  ASSERT_TRUE(agent.exit->excess);
  EXPECT_EQ(agent.exit->excess->of, contain::Excess::Of::memory);
}

TEST_F(Contained, WhereMemoryRunsOutTheKernelTakesItBeforeCapsule) {
  const int ours = std::stoi(file_text("/proc/self/oom_score_adj"));
  const auto loop = make_loop();
  for (const TreeSpec& spec :
       {script("cat /proc/self/oom_score_adj"), inside("cat /proc/self/oom_score_adj")})
    EXPECT_EQ(run_to_end(*loop, spec).out, std::to_string(std::min(ours + 300, 1000)) + "\n");
}

TEST_F(Contained, WhatStaysBelowItsLimitIsLeftAlone) {
  const auto loop = make_loop();
  TreeSpec spec = inside("head -c 90M /dev/zero >/tmp/a; sleep 0.7; echo done");
  spec.walls->limits.together = 160U << 20;
  const Recorder agent = run_to_end(*loop, spec);
  EXPECT_TRUE(agent.exited_with(0));
  EXPECT_FALSE(agent.exit->excess);
  EXPECT_EQ(agent.out, "done\n");
}

TEST_F(Contained, ProcessesOfRootAreCounted) {
  if (::geteuid() != 0) GTEST_SKIP() << "the kernel counts those of all others";
  const auto loop = make_loop();
  TreeSpec spec = inside("for i in $(seq 40); do sleep 1000 & done; wait");
  spec.walls->limits.processes = 20;
  const Recorder agent = run_to_end(*loop, spec);
  ASSERT_TRUE(agent.exit->excess);
  EXPECT_EQ(agent.exit->excess->of, contain::Excess::Of::processes);
  EXPECT_EQ(agent.exit->excess->limit, 20U);
}

TEST_F(Contained, ForOthersTheKernelForbidsMoreProcesses) {
  if (::geteuid() == 0) GTEST_SKIP() << "it does not count those of root";
  const auto loop = make_loop();
  TreeSpec spec = inside("for i in $(seq 40); do sleep 1000 & done; wait");
  spec.walls->limits.processes = 20;
  const Recorder agent = run_to_end(*loop, spec);
  EXPECT_FALSE(agent.exit->excess);
  EXPECT_NE(agent.exit->value, 0);
}

TEST_F(Contained, APlaceThatCannotBeGivenIsToldAndNothingRan) {
  const auto loop = make_loop();
  TreeSpec spec = inside("echo ran");
  spec.walls->read = {"/no/such/place"};
  const Recorder agent = run_to_end(*loop, spec);
  ASSERT_EQ(agent.exit->how, Exit::How::not_contained);
  EXPECT_EQ(agent.exit->why->reason, Reason::usage);
  EXPECT_NE(agent.exit->why->message.find("/no/such/place"), std::string::npos);
  EXPECT_EQ(agent.out, "");
}

TEST_F(Contained, AProgramIsLookedUpInside) {
  std::ofstream(folder() + "/mine") << "#!/bin/sh\necho mine\n";
  std::filesystem::permissions(folder() + "/mine", std::filesystem::perms::owner_all);
  TemporaryFolder elsewhere;
  std::filesystem::copy(folder() + "/mine", elsewhere.path + "/mine");
  const auto loop = make_loop();
  EXPECT_EQ(run_to_end(*loop, within(Walls::namespaces, {{"./mine"}}, folder())).out, "mine\n");
  const Recorder agent =
      run_to_end(*loop, within(Walls::namespaces, {{elsewhere.path + "/mine"}}, folder()));
  ASSERT_EQ(agent.exit->how, Exit::How::not_contained);
  EXPECT_EQ(agent.exit->why->reason, Reason::missing_program);
  const auto output = run_tree(
      *loop, {.argv = {"no-such-program"}, .walls = within(Walls::namespaces, {}, folder()).walls});
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().reason, Reason::missing_program);
}

TEST_F(Contained, TellsTheNumberThatItHasOutside) {
  const auto loop = make_loop();
  const EnvChange mark = marker();
  Recorder agent;
  const auto child = loop->start(inside("echo $$; sleep 1000", {mark}), agent);
  ASSERT_TRUE(child);
  agent.on_output = [&] {
    const std::string proc = "/proc/" + std::to_string(agent.agent);
    EXPECT_NE(file_text(proc + "/environ").find(*mark.value), std::string::npos);
    EXPECT_TRUE(file_text(proc + "/cmdline").starts_with("sh")) << "not the process between";
    loop->end(*child, 0ms);
  };
  loop->run();
  EXPECT_NE(agent.out, std::to_string(agent.agent) + "\n") << "inside it has another";
}

TEST_F(Contained, StartsInItsFolderOrBelowIt) {
  std::filesystem::create_directories(folder() + "/a/b");
  std::filesystem::create_symlink("/usr", folder() + "/out");
  const auto loop = make_loop();
  TreeSpec spec = inside("pwd; echo $PWD");
  EXPECT_EQ(run_to_end(*loop, spec).out, folder() + "\n" + folder() + "\n");
  spec.cwd = folder() + "/a/b";
  EXPECT_EQ(run_to_end(*loop, spec).out, folder() + "/a/b\n" + folder() + "/a/b\n");
  spec.cwd = folder() + "/out";
  EXPECT_EQ(run_to_end(*loop, spec).exit->how, Exit::How::not_contained);
}

TEST_F(Contained, HasTheVariablesThatWereSetForItAndNoneThatWereNot) {
  ::setenv("CAPSULE_TEST_SECRET", "inherited", 1);
  ::setenv("CAPSULE_TEST_GIVEN", "by name", 1);
  const auto loop = make_loop();
  TreeSpec spec = inside("env", {{"A", "b = c"}, {"TMPDIR", "/tmp/mine"}, {"TERM", std::nullopt}});
  spec.walls->env = {"CAPSULE_TEST_GIVEN"};
  spec.walls->set = {"SET=1", "SET=2"};
  const std::string out = "\n" + run_to_end(*loop, spec).out;
  ::unsetenv("CAPSULE_TEST_SECRET");
  ::unsetenv("CAPSULE_TEST_GIVEN");
  for (const char* there : {"\nA=b = c\n", "\nTMPDIR=/tmp/mine\n", "\nCAPSULE_TEST_GIVEN=by name\n",
                            "\nSET=2\n", "\nPATH=", "\nHOME="})
    EXPECT_NE(out.find(there), std::string::npos) << there << out;
  for (const char* absent : {"inherited", "SET=1", "TMPDIR=/tmp\n", "TERM="})
    EXPECT_EQ(out.find(absent), std::string::npos) << absent << out;
}

TEST_F(Contained, EachProcessHasTheMemoryThatItWasGiven) {
  const auto loop = make_loop();
  TreeSpec spec = inside("ulimit -d");
  // Far less than what a sanitizer maps: the one that waits for the process has no such limit.
  spec.walls->limits.memory = std::uint64_t{1} << 30;
  EXPECT_EQ(run_to_end(*loop, spec).out, "1048576\n");
}

TEST_F(Contained, AKeyThatIsKeptOutsideReachesTheServiceAndNotTheCommand) {
  const File service(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof own;
  auto* const address = reinterpret_cast<sockaddr*>(&own);
  ASSERT_EQ(::bind(service.fd(), address, size), 0);
  ASSERT_EQ(::listen(service.fd(), 1), 0);
  ASSERT_EQ(::getsockname(service.fd(), address, &size), 0);
  std::string heard;
  std::thread answering([&] {
    const File peer(::accept4(service.fd(), nullptr, nullptr, SOCK_CLOEXEC));
    char part[4096];
    while (heard.find("\r\n\r\n") == std::string::npos) {
      const ssize_t count = ::recv(peer.fd(), part, sizeof part, 0);
      if (count <= 0) return;
      heard.append(part, static_cast<std::size_t>(count));
    }
    constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nanswered\n";
    EXPECT_GT(::send(peer.fd(), kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL), 0);
  });
  ::setenv("KEY", "secret", 1);
  const auto loop = make_loop();
  TreeSpec spec =
      inside("curl -s \"$URL/hello\" -H \"Authorization: Bearer $KEY\"; env", {{"KEY", "secret"}});
  const std::string port = std::to_string(ntohs(own.sin_port));
  spec.walls->net = contain::Net::off;
  spec.walls->env = {"KEY"};
  spec.walls->broker = contain::Broker{
      "http://127.0.0.1:" + port, "URL", {{"KEY", "authorization", "Bearer ", "secret"}}};
  const Recorder agent = run_to_end(*loop, spec);
  ::unsetenv("KEY");
  ::shutdown(service.fd(), SHUT_RDWR);
  answering.join();
  EXPECT_TRUE(agent.out.starts_with("answered\n")) << agent.out << agent.exit->why->message;
  EXPECT_EQ(agent.out.find("secret"), std::string::npos) << agent.out;
  EXPECT_NE(heard.find("authorization: Bearer secret\r\n"), std::string::npos) << heard;
}

// With what is left out in the guardian; see contain/without.h.
TEST_F(Contained, WithoutTheBrokerTheKeyIsSeen) {
  TreeSpec spec = inside("echo $KEY");
  spec.walls->net = contain::Net::off;
  spec.walls->broker =
      contain::Broker{"http://127.0.0.1:1", "URL", {{"KEY", "authorization", "Bearer ", "secret"}}};
  EXPECT_EQ(run_to_end(*make_loop(), spec).out, "kept-outside\n");
  ::setenv("CAPSULE_TEST_WITHOUT", "broker", 1);
  const Recorder agent = run_to_end(*make_loop(), spec);
  ::unsetenv("CAPSULE_TEST_WITHOUT");
  EXPECT_EQ(agent.out, "secret\n");
}

TEST_F(Contained, AShareOfTheProcessorsIsHeldByACgroupOrGoesBehindOthersAndSaysSo) {
  TreeSpec spec = inside("nice");
  const int ours = ::getpriority(PRIO_PROCESS, 0);
  const std::string as_we = std::to_string(ours) + "\n";
  EXPECT_EQ(run_to_end(*make_loop(), spec).out, as_we);
  spec.walls->limits.cpu = 50;
  const Recorder agent = run_to_end(*make_loop(), spec);
  ASSERT_TRUE(agent.contained) << agent.err;
  const auto& gaps = agent.contained->gaps;
  const bool held = std::find(gaps.begin(), gaps.end(), contain::Gap::processors) == gaps.end();
  const auto delegated = contain::find_delegated();
  EXPECT_EQ(held, delegated && delegated->controllers.cpu);
  EXPECT_EQ(agent.out, held || ours > 10 ? as_we : "10\n");
}

TEST_F(Contained, AKeyIsNotKeptWhereEverybodyCouldAskForIt) {
  const auto loop = make_loop();
  TreeSpec spec = inside("env", {{"KEY", "secret"}});
  spec.walls->net = contain::Net::open;
  spec.walls->broker = contain::Broker{"https://service", "URL", {{"KEY", "h", "", "secret"}}};
  const Recorder agent = run_to_end(*loop, spec);
  ASSERT_TRUE(agent.exit);
  EXPECT_EQ(agent.exit->how, Exit::How::not_contained);
  EXPECT_EQ(agent.out, "");
}

TEST_F(Contained, AnInputOfAnySizeAndMoreOfItArrives) {
  const auto loop = make_loop();
  TreeSpec spec = inside("wc -c");
  spec.input = std::string(5'000'000, 'p');
  EXPECT_EQ(run_to_end(*loop, spec).out, "5000000\n");
  spec = inside("cat /dev/stdin");
  spec.input = "by name\n";
  EXPECT_EQ(run_to_end(*loop, spec).out, "by name\n");
  spec = inside("while read -r line; do echo \"got $line\"; done; echo over");
  spec.input = "first\n";
  spec.more_input = true;
  Recorder agent;
  const auto child = loop->start(spec, agent);
  ASSERT_TRUE(child);
  agent.on_output = [&] {
    if (agent.out != "got first\n") return;
    EXPECT_TRUE(loop->write(*child, "second\n"));
    loop->close_input(*child);
  };
  loop->run();
  EXPECT_EQ(agent.out, "got first\ngot second\nover\n");
}

TEST_F(Contained, NobodyButTheAgentHoldsItsStreams) {
  const auto loop = make_loop();
  Recorder agent;
  TreeSpec spec = inside("exec <&-; echo closed; sleep 1000");
  spec.more_input = true;
  const auto child = loop->start(spec, agent);
  ASSERT_TRUE(child);
  // What nobody reads any more is no longer taken.
  agent.on_output = [&] {
    EXPECT_TRUE(eventually([&] { return !loop->write(*child, "x"); }));
    loop->end(*child, 0ms);
  };
  loop->run();
  EXPECT_EQ(agent.out, "closed\n");
}

TEST_F(Contained, EverybodyInsideHearsTerm) {
  const auto loop = make_loop();
  Recorder agent;
  const auto child = loop->start(
      inside("trap 'wait; echo tidy; exit 9' TERM; setsid sh -c "
             "'trap \"echo heard; exit\" TERM; echo up; while :; do sleep 0.02; done' & wait"),
      agent);
  ASSERT_TRUE(child);
  bool asked = false;
  agent.on_output = [&] {
    if (!std::exchange(asked, true)) loop->end(*child, 60s);
  };
  loop->run();
  EXPECT_TRUE(agent.exited_with(9));
  EXPECT_EQ(agent.out, "up\nheard\ntidy\n");
}

TEST_F(Contained, NothingSurvivesTheDeathOfTheGuardianOrOfTheProcessBetween) {
  for (const bool between : {false, true}) {
    const auto loop = make_loop();
    const EnvChange mark = marker();
    Recorder agent;
    ASSERT_TRUE(loop->start(inside(kStubbornTree, {mark}), agent));
    agent.on_output = [&] {
      loop->after(100ms, [&] {
        const pid_t first = parent_of(agent.agent);
        ::kill(between ? first : parent_of(first), SIGKILL);
      });
    };
    loop->run();
    if (between)
      EXPECT_TRUE(agent.signalled_by(SIGKILL));
    else
      EXPECT_EQ(agent.exit->how, Exit::How::lost);
    EXPECT_EQ(agent.exit->left_behind, 0);
    EXPECT_EQ(marked(mark), 0);
    EXPECT_EQ(children_of_this(), 0);
  }
}

TEST_F(Contained, EverythingDiesWithItsGuardianEvenIfNobodyElseActs) {
  const EnvChange mark = marker();
  TemporaryFolder flags;
  kill_orchestrator_when(
      [&] { return std::filesystem::exists(flags.path + "/started") && marked(mark) == 0; },
      [&] {
        const auto loop = make_loop();
        Recorder agent;
        (void)loop->start(inside("setsid sleep 1000 & exec sleep 1000", {mark}), agent);
        loop->run_while([&] { return agent.agent == 0; });
        std::ofstream(flags.path + "/started") << "started";
        ::kill(parent_of(parent_of(agent.agent)), SIGKILL);
        ::pause();  // the loop does not turn, so it cannot be what kills the tree
      });
}

TEST_F(Contained, NothingOfThePrivateFolderIsLeftWithoutNamespaces) {
  const auto loop = make_loop_for(Walls::landlock_alone);
  const Recorder agent = run_to_end(
      *loop, within(Walls::landlock_alone, script("echo x >$TMPDIR/x; echo $TMPDIR"), folder()));
  ASSERT_GT(agent.out.size(), 2U) << agent.err;
  EXPECT_FALSE(std::filesystem::exists(agent.out.substr(0, agent.out.size() - 1)));
}

TEST_F(Contained, IsInsideAnAgentTreeFromWithinAndFromOutside) {
  const auto loop = make_loop();
  TreeSpec spec = within(Walls::namespaces, {{this_program()}}, folder());
  spec.env = {{"ASK_INSIDE", "1"}};
  spec.walls->read = {this_program()};
  EXPECT_EQ(run_to_end(*loop, spec).out, "inside\n");
  Recorder agent;
  const auto child =
      loop->start(inside("(setsid sh -c 'echo up; sleep 1000' &); sleep 1000"), agent);
  ASSERT_TRUE(child);
  agent.on_output = [&] {
    EXPECT_TRUE(inside_agent_tree(agent.agent));
    int below = 0;
    for_each_child(parent_of(agent.agent), [&](pid_t pid) { below += inside_agent_tree(pid); });
    EXPECT_EQ(below, 2) << "the agent, and the orphan";
    loop->end(*child, 0ms);
  };
  loop->run();
}

}  // namespace
}  // namespace capsule::process
