#include "contain/net/gateway.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "contain/net/test_support.h"

namespace capsule::contain {
namespace {

using namespace testing;
using namespace std::chrono_literals;
using ::testing::Test;

// A gateway whose inside and outside are this machine's loopback, and a host behind it.
class ContainGateway : public Test {
 protected:
  void SetUp() override {
    host_ = bound(SOCK_STREAM);
    rules_.names.hosts = folder_.put("hosts",
                                     "127.0.0.1 api.lab localhost\n127.0.0.2 rebound.lab\n"
                                     "10.255.255.1 inside.lab\n");
    rules_.names.resolv = folder_.put("resolv.conf", "nameserver 127.0.0.1\noptions attempts:1\n");
    rules_.names.port = port_of(host_);  // no datagram is heard there
    rules_.allow = {{{"api.lab", port_of(host_)}},
                    {{"rebound.lab", port_of(host_)}},
                    {{"inside.lab", port_of(host_)}},
                    {{"unknown.lab", port_of(host_)}},
                    // No list that people write can name it.
                    {{"127.0.0.1", port_of(host_), address_of("127.0.0.1")}}};
  }
  void open(Door::Kind kind = Door::Kind::proxy) {
    File listener = bound(SOCK_STREAM);
    ::fcntl(listener.fd(), F_SETFL, O_NONBLOCK);
    inside_ = port_of(listener);
    std::vector<Gateway::Opened> doors;
    doors.push_back({{kind, port_of(host_)}, std::move(listener)});
    auto made = Gateway::create(rules_, std::move(doors));
    ASSERT_TRUE(made) << made.error().message;
    gateway_ = std::move(*made);
  }
  std::string authority(const std::string& name = "api.lab") const {
    return name + ":" + std::to_string(port_of(host_));
  }

  // Everything that can be done now is done.
  void turn(int wait_ms = 0) {
    while (becomes(gateway_->fd(), POLLIN, wait_ms) || gateway_->deadline() <= now_) {
      gateway_->work(now_);
      wait_ms = 0;
    }
  }
  // Turns until it holds.
  bool reaches(const std::function<bool()>& condition) {
    for (const auto end = Clock::now() + 20s; !condition();) {
      if (Clock::now() > end) return false;
      turn(10);
    }
    return true;
  }
  void pass(std::chrono::milliseconds time) {
    turn();
    now_ += time;
    gateway_->work(now_);
  }
  std::string hears(const File& socket, std::size_t at_least = 1) {
    std::string all;
    EXPECT_TRUE(reaches([&] {
      all += heard_by(socket);
      return all.size() >= at_least || is_closed(socket);
    }));
    return all;
  }
  std::string answer_to(const std::string& request) {
    const File client = connected(inside_);
    say(client, request);
    EXPECT_TRUE(reaches([&] { return becomes(client.fd(), POLLIN, 0); })) << request;
    return heard_by(client);
  }
  std::string connect_to(const std::string& target) {
    return answer_to("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n");
  }
  // Client and host, connected with each other.
  struct Ends {
    File client;
    File host;
  };
  Ends tunnel() {
    Ends ends;
    ends.client = connected(inside_);
    say(ends.client, "CONNECT " + authority() + " HTTP/1.1\r\n\r\n");
    EXPECT_TRUE(hears(ends.client, 10).starts_with("HTTP/1.1 200 "));
    ends.host = accepted(host_);
    return ends;
  }

  TemporaryFolder folder_;
  GatewayRules rules_;
  File host_;
  std::uint16_t inside_ = 0;
  std::unique_ptr<Gateway> gateway_;
  Clock::time_point now_ = Clock::now();
};

TEST_F(ContainGateway, ATunnelCarriesBytesBothWaysAndEachSideEndsByItself) {
  open();
  Ends ends = tunnel();
  say(ends.client, "hello");
  EXPECT_EQ(hears(ends.host), "hello");
  ::shutdown(ends.client.fd(), SHUT_WR);
  EXPECT_TRUE(reaches([&] { return is_closed(ends.host); }));
  say(ends.host, "still here");
  EXPECT_EQ(hears(ends.client), "still here");
  ends.host = File();
  EXPECT_TRUE(reaches([&] { return is_closed(ends.client); }));
  EXPECT_EQ(gateway_->connections(), 0U);
  EXPECT_TRUE(gateway_->refusals().empty());
}

TEST_F(ContainGateway, WhatTheClientSaidTooEarlyIsSaidToTheHost) {
  open();
  const File client = connected(inside_);
  say(client, "CONNECT " + authority() + " HTTP/1.1\r\n\r\nearly");
  EXPECT_TRUE(hears(client, 10).starts_with("HTTP/1.1 200 "));
  EXPECT_EQ(hears(accepted(host_)), "early");
}

TEST_F(ContainGateway, APlainRequestReachesTheHostWithItsOwnNameAndIsTheOnlyOne) {
  open();
  const File client = connected(inside_);
  say(client, "POST http://" + authority() +
                  "/x?y HTTP/1.1\r\nHost: other.lab\r\nProxy-Authorization: z\r\n"
                  "Content-Length: 4\r\n\r\nbodyGET http://other.lab/ HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(reaches([&] { return becomes(host_.fd(), POLLIN, 0); }));
  const File host = accepted(host_);
  const std::string expected = "POST /x?y HTTP/1.1\r\nHost: " + authority() +
                               "\r\ncontent-length: 4\r\nConnection: close\r\n\r\nbody";
  EXPECT_EQ(hears(host, expected.size()), expected);
  say(client, "GET http://other.lab/ HTTP/1.1\r\n\r\n");
  say(host, "HTTP/1.1 200 OK\r\n\r\nfirst ");
  EXPECT_EQ(hears(client), "HTTP/1.1 200 OK\r\n\r\nfirst ");
  say(host, "second");
  EXPECT_EQ(hears(client), "second") << "at once, and not when it is complete";
  EXPECT_EQ(heard_by(host), "");
  ::shutdown(host.fd(), SHUT_WR);
  EXPECT_TRUE(reaches([&] { return is_closed(client) && gateway_->connections() == 0; }));
}

TEST_F(ContainGateway, WhatIsNotAllowedIsRefusedCountedAndNobodyIsCalled) {
  open();
  EXPECT_TRUE(connect_to("other.lab:443").starts_with("HTTP/1.1 403 "));
  EXPECT_TRUE(connect_to("OTHER.lab:443").starts_with("HTTP/1.1 403 "));
  EXPECT_TRUE(connect_to("api.lab:1").starts_with("HTTP/1.1 403 ")) << "another port";
  EXPECT_TRUE(answer_to("GET http://other.lab/ HTTP/1.1\r\nHost: " + authority() + "\r\n\r\n")
                  .starts_with("HTTP/1.1 403 "));
  EXPECT_NE(connect_to("other.lab:443").find("allow: [\"other.lab:443\"]"), std::string::npos);
  ASSERT_EQ(gateway_->refusals().size(), 3U);
  EXPECT_EQ(text_of(gateway_->refusals()[0].target), "other.lab:443");
  EXPECT_EQ(gateway_->refusals()[0].count, 3U);
  EXPECT_EQ(gateway_->refusals()[0].why, Refused::not_allowed);
  EXPECT_EQ(text_of(gateway_->refusals()[1].target), "api.lab:1");
  EXPECT_EQ(text_of(gateway_->refusals()[2].target), "other.lab:80");
  EXPECT_FALSE(becomes(host_.fd(), POLLIN, 0));
}

TEST_F(ContainGateway, AnAllowedNameThatLeadsInsideIsRefused) {
  open();
  for (const char* name : {"rebound.lab", "inside.lab"}) {
    EXPECT_TRUE(connect_to(authority(name)).starts_with("HTTP/1.1 403 ")) << name;
    EXPECT_EQ(gateway_->refusals().back().why, Refused::not_public);
  }
  EXPECT_EQ(gateway_->refusals()[0].address, "127.0.0.2");
  EXPECT_FALSE(becomes(host_.fd(), POLLIN, 0));
}

TEST_F(ContainGateway, ANameThatNobodyKnowsAndAHostThatIsNotThereAreToldApart) {
  rules_.allow.push_back({{"127.0.0.1", 1, address_of("127.0.0.1")}});
  open();
  const File client = connected(inside_);
  say(client, "CONNECT " + authority("unknown.lab") + " HTTP/1.1\r\n\r\n");
  EXPECT_NE(hears(client, 20).find("502 Bad Gateway"), std::string::npos);
  EXPECT_NE(connect_to("127.0.0.1:1").find("does not answer"), std::string::npos);
  EXPECT_TRUE(gateway_->refusals().empty());
}

TEST_F(ContainGateway, WhatIsNoRequestIsRefused) {
  using namespace std::string_literals;
  open();
  for (const std::string& text :
       {"GET / HTTP/1.1\r\n\r\n"s, "CONNECT api.lab HTTP/1.1\r\n\r\n"s,
        "CONNECT " + authority("api.lab.") + " HTTP/1.1\r\n\r\n",
        "CONNECT " + authority("api.lab\0x"s) + " HTTP/1.1\r\n\r\n",
        "CONNECT " + authority() + " x HTTP/1.1\r\n\r\n",
        "CONNECT " + authority() + "\nX: y HTTP/1.1\r\n\r\n",
        "CONNECT http://" + authority() + "/ HTTP/1.1\r\n\r\n",
        "GET https://" + authority() + "/ HTTP/1.1\r\n\r\n",
        "GET http://x@" + authority() + "/ HTTP/1.1\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"s,
        "\x16\x03\x01\x02\r\n\r\n"s, "\x05\x01\x00\r\n\r\n"s,
        "POST http://" + authority() +
            "/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"})
    EXPECT_TRUE(answer_to(text).starts_with("HTTP/1.1 400 ")) << text;
  EXPECT_TRUE(answer_to("GET http://a/" + std::string(70000, 'x')).starts_with("HTTP/1.1 431 "));
  EXPECT_FALSE(becomes(host_.fd(), POLLIN, 0));
}

TEST_F(ContainGateway, AForwardedPortIsJoinedWithoutAWord) {
  open(Door::Kind::forward);
  const File client = connected(inside_);
  EXPECT_TRUE(reaches([&] { return becomes(host_.fd(), POLLIN, 0); }));
  const File host = accepted(host_);
  say(host, "220 hello");
  EXPECT_EQ(hears(client), "220 hello");
  say(client, "\x01\x02");
  EXPECT_EQ(hears(host), "\x01\x02");
  host_ = File();
  const File late = connected(inside_);
  EXPECT_TRUE(reaches([&] { return is_closed(late); })) << "nobody listens there";
}

TEST_F(ContainGateway, WhoeverDoesNotReadHoldsUpTheOtherAndKeepsNothingInMemory) {
  open();
  const Ends ends = tunnel();
  ::fcntl(ends.host.fd(), F_SETFL, O_NONBLOCK);
  const std::string part(65536, 'x');
  std::size_t sent = 0;
  const auto push = [&] {
    const ssize_t count = ::send(ends.host.fd(), part.data(), part.size(), MSG_NOSIGNAL);
    if (count > 0) sent += static_cast<std::size_t>(count);
    turn();
    return count > 0;
  };
  // What the kernel's buffers hold, and no more: they grow, but not for ever.
  int quiet = 0;
  while (quiet < 50 && sent < 100'000'000) quiet = push() ? 0 : quiet + 1;
  ASSERT_LT(sent, 100'000'000U);
  std::size_t got = 0;
  EXPECT_TRUE(reaches([&] {
    got += heard_by(ends.client).size();
    return got == sent;
  }));
  EXPECT_TRUE(push());
}

TEST_F(ContainGateway, RandomBytesArriveAsTheyWereSent) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  open();
  Ends ends = tunnel();
  std::string text(2'000'000, '\0');
  for (char& byte : text) byte = static_cast<char>(random());
  std::string got;
  for (std::size_t at = 0; got.size() < text.size();) {
    const std::string part = text.substr(at, random() % 100'000);
    const ssize_t count =
        ::send(ends.client.fd(), part.data(), part.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count > 0) at += static_cast<std::size_t>(count);
    turn(random() % 3 == 0 ? 1 : 0);
    if (random() % 2 == 0) got += heard_by(ends.host);
  }
  EXPECT_EQ(got, text);
}

TEST_F(ContainGateway, ASlowRequestIsNotWaitedForForever) {
  open();
  const File silent = connected(inside_);
  const File slow = connected(inside_);
  EXPECT_TRUE(reaches([&] { return gateway_->connections() == 2; }));
  for (int count = 0; count < 5; ++count) {
    say(slow, "GET ");
    pass(5s);
  }
  EXPECT_EQ(gateway_->connections(), 2U);
  pass(10s);
  EXPECT_TRUE(hears(slow).starts_with("HTTP/1.1 408 "));
  EXPECT_TRUE(is_closed(silent));
  pass(10s);
  EXPECT_EQ(gateway_->connections(), 0U);
}

TEST_F(ContainGateway, AnIdleTunnelEndsAndAHalfClosedOneSooner) {
  open();
  const Ends idle = tunnel();
  const Ends half = tunnel();
  ::shutdown(half.client.fd(), SHUT_WR);
  EXPECT_TRUE(reaches([&] { return is_closed(half.host); }));
  pass(3min);
  EXPECT_TRUE(is_closed(half.client));
  EXPECT_FALSE(is_closed(idle.client));
  say(idle.host, "x");
  EXPECT_EQ(hears(idle.client), "x");
  pass(29min);
  EXPECT_FALSE(is_closed(idle.client));
  pass(2min);
  EXPECT_TRUE(is_closed(idle.client));
}

TEST_F(ContainGateway, ThousandsOfConnectionsWaitForTheirTurn) {
  open();
  std::vector<File> clients;
  for (std::size_t count = 0; count < Gateway::kMaxConnections + 100; ++count)
    clients.push_back(connected(inside_));
  EXPECT_TRUE(reaches([&] { return gateway_->connections() == Gateway::kMaxConnections; }));
  turn();
  EXPECT_EQ(gateway_->connections(), Gateway::kMaxConnections);
  clients.erase(clients.begin(), clients.begin() + Gateway::kMaxConnections);
  EXPECT_TRUE(reaches([&] { return gateway_->connections() == 100; }));
  const Ends ends = tunnel();
  say(ends.client, "served");
  EXPECT_EQ(hears(ends.host), "served");
}

TEST_F(ContainGateway, NoMoreHostsAreRememberedThanAPersonReads) {
  open();
  for (std::size_t count = 0; count < Gateway::kMaxRefusals + 5; ++count)
    connect_to("h" + std::to_string(count) + ".lab:443");
  EXPECT_EQ(gateway_->refusals().size(), Gateway::kMaxRefusals);
  EXPECT_EQ(gateway_->other_refusals(), 5U);
}

TEST_F(ContainGateway, AClientThatVanishesLeavesNothingBehind) {
  open();
  for (int count = 0; count < 50; ++count) {
    Ends ends = tunnel();
    say(ends.client, "x");
    const linger now{1, 0};
    (count % 2 == 0 ? ends.client : ends.host) = File();
    ::setsockopt((count % 2 == 0 ? ends.host : ends.client).fd(), SOL_SOCKET, SO_LINGER, &now,
                 sizeof now);
  }
  EXPECT_TRUE(reaches([&] { return gateway_->connections() == 0; }));
}

}  // namespace
}  // namespace capsule::contain
