// A service door: what reaches the service, and what never does.
#include <fcntl.h>
#include <gmock/gmock.h>

#include <functional>

#include "contain/net/gateway.h"
#include "contain/net/tls_test_support.h"

namespace capsule::contain {
namespace {

using namespace testing;
using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kRequest =
    "POST /messages?beta=true HTTP/1.1\r\nHost: 127.0.0.1:3129\r\nX-Api-Key: kept-outside\r\n"
    "Content-Length: 5\r\n\r\nhello";

class ContainService : public ::testing::Test {
 protected:
  void SetUp() override {
    rules_.names.hosts = folder_.put("hosts", "127.0.0.1 api.lab\n");
    rules_.names.resolv = folder_.put("resolv.conf", "");
  }
  void open(const std::string& url) {
    rules_.kept = KeptService{*service_of(url), {{"x-api-key", "real"}}};
    if (rules_.kept->service.secure) {
      auto tls = Tls::create({folder_.put("authorities.pem", authority_.text)});
      ASSERT_TRUE(tls) << tls.error().message;
      rules_.kept->tls = *tls;
    }
    File listener = bound(SOCK_STREAM);
    ::fcntl(listener.fd(), F_SETFL, O_NONBLOCK);
    inside_ = port_of(listener);
    std::vector<Gateway::Opened> doors;
    doors.push_back({{Door::Kind::service, inside_}, std::move(listener)});
    gateway_ = std::move(*Gateway::create(rules_, std::move(doors)));
  }
  // All that comes back until the connection is closed.
  std::string answer_to(const std::string& request) {
    const File client = connected(inside_);
    std::string_view left = request;
    std::string all;
    for (const auto end = Clock::now() + 20s; Clock::now() < end && !is_closed(client);) {
      if (!left.empty()) {
        const ssize_t sent =
            ::send(client.fd(), left.data(), left.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        left.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
      }
      (void)becomes(gateway_->fd(), POLLIN, 10);
      gateway_->work();
      all += heard_by(client);
    }
    return all;
  }

  TemporaryFolder folder_;
  const Certificate authority_ = make_authority();
  GatewayRules rules_;
  std::uint16_t inside_ = 0;
  std::unique_ptr<Gateway> gateway_;
};

TEST_F(ContainService, GetsTheRealKeyOverTlsAndAnswersTheOneWhoHasNone) {
  SecureService service(make_certificate("api.lab", authority_), "hello",
                        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
  open("https://api.lab:" + std::to_string(service.port()) + "/v1/");
  EXPECT_EQ(answer_to(kRequest), "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
  EXPECT_EQ(service.heard(), "POST /v1/messages?beta=true HTTP/1.1\r\nHost: api.lab:" +
                                 std::to_string(service.port()) +
                                 "\r\ncontent-length: 5\r\nx-api-key: real\r\n"
                                 "Connection: close\r\n\r\nhello");
  EXPECT_TRUE(gateway_->refusals().empty());
}

TEST_F(ContainService, AnswersAndRequestsOfManyRecordsArriveWhole) {
  std::string long_answer = "HTTP/1.1 200 OK\r\n\r\n";
  for (int i = 0; i < 200'000; ++i) long_answer += std::to_string(i);
  const std::string body(700'000, 'b');
  SecureService service(make_certificate("api.lab", authority_), "bbbEND", long_answer);
  open("https://api.lab:" + std::to_string(service.port()));
  const std::string answer =
      answer_to("POST / HTTP/1.1\r\nContent-Length: " + std::to_string(body.size() + 3) +
                "\r\n\r\n" + body + "END");
  EXPECT_EQ(answer.size(), long_answer.size());
  EXPECT_EQ(answer, long_answer);
  EXPECT_THAT(service.heard(), ::testing::EndsWith(body + "END"));
}

TEST_F(ContainService, NoneButTheNamedOneThatAnAuthorityVouchesForGetsTheKey) {
  const struct {
    const char* what;
    Certificate certificate;
    const char* words;
  } kCases[] = {
      {"another name", make_certificate("other.lab", authority_), "does not match"},
      {"another authority", make_certificate("api.lab", make_authority()), "not correctly signed"},
      {"over", make_certificate("api.lab", authority_, "20200101000000", "20210101000000"),
       "has expired"},
      {"not yet", make_certificate("api.lab", authority_, "20980101000000"), "in the future"},
  };
  for (const auto& one : kCases) {
    SecureService service(one.certificate, "hello", "HTTP/1.1 200 OK\r\n\r\n");
    open("https://api.lab:" + std::to_string(service.port()));
    const std::string answer = answer_to(kRequest);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 502 ")) << one.what;
    EXPECT_THAT(answer, HasSubstr(one.words)) << one.what;
    EXPECT_EQ(service.heard(), "") << one.what;
  }
}

TEST_F(ContainService, OneThatSpeaksNoTlsIsToldApart) {
  const File host = bound(SOCK_STREAM);
  open("https://api.lab:" + std::to_string(port_of(host)));
  std::string heard;
  std::thread plain([&] {
    const File peer = accepted(host);
    say(peer, "HTTP/1.1 400 Bad Request\r\n\r\n");
    char byte = 0;
    while (::recv(peer.fd(), &byte, 1, 0) > 0) heard += byte;
  });
  EXPECT_THAT(answer_to(kRequest), HasSubstr("no secure connection"));
  plain.join();
  EXPECT_THAT(heard, Not(HasSubstr("messages"))) << "no request in the clear";
}

// What reaches a service without TLS, which the test can read.
class ContainPlainService : public ContainService {
 protected:
  void SetUp() override {
    ContainService::SetUp();
    open("http://127.0.0.1:" + std::to_string(port_of(host_)));
  }
  const File host_ = bound(SOCK_STREAM);
};

TEST_F(ContainPlainService, ARequestWithoutAFieldForTheKeyGetsNone) {
  std::string said;
  std::thread plain([&] {
    const File peer = accepted(host_);
    if (becomes(peer.fd(), POLLIN)) said = heard_by(peer);
    say(peer, "HTTP/1.1 204 No Content\r\n\r\n");
  });
  EXPECT_THAT(answer_to("GET /api/hello HTTP/1.1\r\nHost: x\r\n\r\n"), HasSubstr(" 204 "));
  plain.join();
  EXPECT_THAT(said, StartsWith("GET /api/hello HTTP/1.1\r\n"));
  EXPECT_THAT(said, Not(HasSubstr("real")));
}

TEST_F(ContainPlainService, WhatWouldShowTheKeyOrLeadElsewhereNeverLeaves) {
  for (const char* line :
       {"TRACE / HTTP/1.1", "CONNECT api.lab:443 HTTP/1.1", "GET http://other.lab/ HTTP/1.1",
        "OPTIONS * HTTP/1.1", "GET other HTTP/1.1", "PRI * HTTP/2.0"})
    EXPECT_THAT(answer_to(std::string(line) + "\r\nX-Api-Key: kept-outside\r\n\r\n"),
                StartsWith("HTTP/1.1 400 "))
        << line;
  EXPECT_FALSE(becomes(host_.fd(), POLLIN, 0));
}

TEST(ContainTls, WithoutAuthoritiesNobodyIsTrusted) {
  const TemporaryFolder folder;
  EXPECT_FALSE(Tls::create({}));
  const auto made = Tls::create({folder.put("nothing.pem", "no certificate\n"), "/nowhere"});
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().hint, HasSubstr("SSL_CERT_FILE"));
}

}  // namespace
}  // namespace capsule::contain
