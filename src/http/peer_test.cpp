// Who is behind a connection: this test itself is a person's program; what it starts with a
// guardian is an agent's, however it hides.
#include "http/peer.h"

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

INSTANTIATE_TEST_SUITE_P(Http, PeerOf, ::testing::Bool(),
                         [](const auto& row) { return row.param ? "socket" : "loopback"; });

}  // namespace
}  // namespace capsule::http
