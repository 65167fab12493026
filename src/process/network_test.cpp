// Trees with a network of their own: what the guardian carries between it and this machine's.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "process/test_support.h"
#include "process/tree.h"

namespace capsule::process {
namespace {

using namespace testing;

class ContainedNetwork : public ::testing::Test {
 protected:
  TreeSpec inside(std::vector<std::string> argv) {
    TreeSpec spec = within(Walls::namespaces, {std::move(argv)}, folder_.path);
    spec.walls->preset = contain::Preset::strict;
    return spec;
  }

 private:
  TemporaryFolder folder_;
};

// Answers each of so many callers with what he said.
class Echo {
 public:
  explicit Echo(int callers) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const name = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(fd_, name, size), 0);
    EXPECT_EQ(::listen(fd_, 8), 0);
    EXPECT_EQ(::getsockname(fd_, name, &size), 0);
    port = ntohs(address.sin_port);
    thread_ = std::thread([this, callers] {
      for (int count = 0; count < callers; ++count) {
        const int caller = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
        char text[5];
        if (::recv(caller, text, 5, MSG_WAITALL) == 5) (void)!::send(caller, text, 5, MSG_NOSIGNAL);
        ::close(caller);
      }
    });
  }
  ~Echo() {
    ::shutdown(fd_, SHUT_RDWR);
    thread_.join();
    ::close(fd_);
  }
  int port = 0;

 private:
  int fd_;
  std::thread thread_;
};

TEST_F(ContainedNetwork, TheGuardianCarriesAForwardedPort) {
  const Echo echo(1);
  TreeSpec spec = inside(
      {"bash", "-c",
       "exec 3<>/dev/tcp/127.0.0.1/" + std::to_string(echo.port) + "; printf hello >&3; cat <&3"});
  spec.walls->forward = {echo.port};
  const auto loop = make_loop();
  const Recorder agent = run_to_end(*loop, spec);
  EXPECT_TRUE(agent.exited_with(0)) << agent.err;
  EXPECT_EQ(agent.out, "hello");
  spec.walls->forward.clear();
  EXPECT_FALSE(run_to_end(*loop, spec).exited_with(0)) << "nobody forwards it";
}

TEST_F(ContainedNetwork, TheGuardiansProxyRefusesWhatIsNotOnTheList) {
  TreeSpec spec = inside({"bash", "-c",
                          "exec 3<>/dev/tcp/127.0.0.1/${HTTPS_PROXY##*:}; printf 'CONNECT "
                          "other.example.com:443 HTTP/1.1\\r\\n\\r\\n' >&3; head -1 <&3"});
  spec.walls->net = contain::Net::proxy;
  spec.walls->allow = {"api.example.com:443"};
  const Recorder agent = run_to_end(*make_loop(), spec);
  EXPECT_EQ(agent.out, "HTTP/1.1 403 Forbidden\r\n") << agent.err;
  ASSERT_TRUE(agent.refused);
  const contain::Refusals::Host host{"other.example.com:443", 1, "",
                                     "allow: [\"other.example.com:443\"]"};
  EXPECT_EQ(agent.refused->hosts, std::vector{host});
}

TEST_F(ContainedNetwork, TwoTreesListenOnTheSamePortAtTheSameTime) {
  const TreeSpec spec =
      inside({"perl", "-MIO::Socket::INET", "-e",
              "$| = 1; my $s = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort "
              "=> 3000, Listen => 1) or die $!; print 'listens'; sleep 1000"});
  const auto loop = make_loop();
  Recorder first;
  Recorder second;
  ASSERT_TRUE(loop->start(spec, first));
  ASSERT_TRUE(loop->start(spec, second));
  loop->run_while(
      [&] { return !first.exit && !second.exit && (first.out.empty() || second.out.empty()); });
  EXPECT_EQ(first.out + second.out, "listenslistens") << first.err << second.err;
  loop->end_all(0ms);
  loop->run();
}

}  // namespace
}  // namespace capsule::process
