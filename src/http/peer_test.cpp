// Who is behind a connection: this test itself is a person's program; what it starts with a
// guardian is an agent's, however it hides.
#include "http/peer.h"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <list>

#include "http/test_support.h"
#include "process/test_support.h"

namespace capsule::http {
namespace {

using testing::patient;
using testing::Rig;
using namespace std::chrono_literals;

class PeerOf : public ::testing::TestWithParam<bool> {
 public:
  process::testing::TemporaryFolder folder;
  std::string path = GetParam() ? folder.path + "/socket" : "";
};

TEST_P(PeerOf, ThisProgramIsAPersons) {
  if (process::inside_agent_tree()) GTEST_SKIP() << "an agent runs these tests";
  Rig rig(patient(), path);
  std::vector<Peer> seen;
  rig.handle = [&](ExchangeId id, const Request&) {
    seen.push_back(rig.server->peer(id));
    rig.server->answer(id, {});
  };
  rig.talk("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(seen, std::vector{Peer::person});
}

TEST_P(PeerOf, AnAgentIsKnownAlsoWhenItsParentIsGoneOrWallsAreAroundIt) {
  using process::testing::Walls;
  for (const Walls walls : {Walls::none, Walls::namespaces}) {
    Rig rig(patient(), path);
    std::vector<Peer> seen;
    rig.handle = [&](ExchangeId id, const Request&) {
      seen.push_back(rig.server->peer(id));
      rig.server->answer(id, {});
    };
    const std::string address = path.empty()
                                    ? "http://127.0.0.1:" + std::to_string(rig.server->port()) + "/"
                                    : "--unix-socket " + path + " http://localhost/";
    process::testing::Recorder agent;
    ASSERT_TRUE(rig.loop->start(
        process::testing::within(
            walls,
            process::testing::script("(setsid curl -s " + address + " &) ; curl -s " + address +
                                     "; echo done; sleep 1000"),
            folder.path),
        agent));
    rig.until([&] { return seen.size() == 2 || agent.exit; });
    EXPECT_EQ(seen, (std::vector{Peer::agent, Peer::agent})) << name_of(walls) << agent.err;
    rig.loop->end_all(0s);
    rig.loop->run();
  }
}

// Root sees what everybody holds, others do not: where root runs the tests, another user runs the
// test that is going on once more. False: he does already, and the test is his to do.
bool left_to_an_ordinary_user() {
  if (::geteuid() != 0) return false;
  const std::string filter =
      "--gtest_filter=*" +
      std::string(::testing::UnitTest::GetInstance()->current_test_info()->name());
  // Copies of his own: he may not be let into the folders that this program and the guardian lie
  // in.
  const process::testing::TemporaryFolder folder;
  const std::string program = folder.path + "/program", guardian = folder.path + "/capsule";
  std::filesystem::copy_file(process::testing::this_program(), program);
  std::filesystem::copy_file(CAPSULE_BINARY, guardian);
  for (const std::string& path : {folder.path, program, guardian})
    std::filesystem::permissions(path, std::filesystem::perms(0755));
  // A user of this test alone: an agent of another test that hides what it holds would be his.
  const std::string user = std::to_string(1'000'000 + ::getpid());
  const pid_t other = ::fork();
  if (other == 0) {
    ::setenv("CAPSULE_TEST_GUARDIAN", guardian.c_str(), 1);
    ::execlp("setpriv", "setpriv", ("--reuid=" + user).c_str(), ("--regid=" + user).c_str(),
             "--clear-groups", program.c_str(), filter.c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(other, &status, 0), other);
  EXPECT_EQ(status, 0);
  return true;
}

class PeerOfAnOrdinaryUser : public ::testing::Test {
 public:
  // Starts a script as an agent, and waits until it says so.
  void start(process::testing::Walls walls, const std::string& script) {
    process::testing::Recorder& agent = agents.emplace_back();
    ASSERT_TRUE(rig.loop->start(
        process::testing::within(walls, process::testing::script(script), dir()), agent));
    rig.until([&] { return agent.out.find("ready") != std::string::npos || agent.exit; });
    ASSERT_FALSE(agent.exit) << agent.err;
  }
  // A program that hides what it holds: the kernel lets nobody look into what he may only execute.
  std::string hidden(const std::string& program) const {
    const std::string path = dir() + "/" + program;
    std::filesystem::copy_file("/usr/bin/" + program, path);
    std::filesystem::permissions(path, std::filesystem::perms(0111));
    return path;
  }
  Peer ask() {
    seen.clear();
    rig.talk("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    return seen.empty() ? Peer::unknown : seen.front();
  }
  std::string address() const {
    return "http://127.0.0.1:" + std::to_string(rig.server->port()) + "/";
  }
  const std::string& dir() const { return folder.path; }

  void SetUp() override {
    rig.handle = [this](ExchangeId id, const Request&) {
      seen.push_back(rig.server->peer(id));
      rig.server->answer(id, {});
    };
  }
  void TearDown() override {
    rig.loop->end_all(0s);
    rig.loop->run();
  }
  process::testing::TemporaryFolder folder;
  std::list<process::testing::Recorder> agents;
  Rig rig{patient()};
  std::vector<Peer> seen;
};

TEST_F(PeerOfAnOrdinaryUser, APersonIsKnownWhileAnAgentWorksBehindWalls) {
  if (process::inside_agent_tree()) GTEST_SKIP() << "an agent runs these tests";
  if (left_to_an_ordinary_user()) return;
  start(process::testing::Walls::namespaces, "echo ready; sleep 1000");
  EXPECT_EQ(ask(), Peer::person);
}

TEST_F(PeerOfAnOrdinaryUser, APersonIsKnownAlsoWhenWhatWorksBehindWallsIsHidden) {
  if (process::inside_agent_tree()) GTEST_SKIP() << "an agent runs these tests";
  if (left_to_an_ordinary_user()) return;
  start(process::testing::Walls::namespaces, hidden("sleep") + " 1000 & echo ready; wait");
  EXPECT_EQ(ask(), Peer::person);
}

TEST_F(PeerOfAnOrdinaryUser, AnAgentThatHidesWhatItHoldsIsKnownWithWallsAndWithout) {
  if (left_to_an_ordinary_user()) return;
  using process::testing::Walls;
  const std::string curl = hidden("curl");
  for (const Walls walls : {Walls::none, Walls::namespaces}) {
    seen.clear();
    start(walls, "echo ready; " + curl + " -s " + address() + "; sleep 1000");
    rig.until([&] { return !seen.empty() || agents.back().exit; });
    EXPECT_EQ(seen, std::vector{Peer::agent}) << name_of(walls) << agents.back().err;
  }
}

TEST_F(PeerOfAnOrdinaryUser, AnAgentThatCallsItselfAGuardianOfWallsStaysAnAgent) {
  if (left_to_an_ordinary_user()) return;
  std::ofstream(dir() + "/false") << "echo ready; " + hidden("curl") + " -s " + address() +
                                         "; sleep 1000";
  start(process::testing::Walls::none,
        "exec bash -c 'exec -a capsule-guardian bash \"$0\" \"\"' " + dir() + "/false");
  rig.until([&] { return !seen.empty() || agents.back().exit; });
  EXPECT_EQ(seen, std::vector{Peer::agent}) << agents.back().err;
}

INSTANTIATE_TEST_SUITE_P(Http, PeerOf, ::testing::Bool(),
                         [](const auto& row) { return row.param ? "socket" : "loopback"; });

}  // namespace
}  // namespace capsule::http
