// Each rule of who may ask, as a row.
#include "http/admission.h"

#include <gtest/gtest.h>

#include "http/parser.h"
#include "http/peer.h"

namespace capsule::http {
namespace {

const std::string kToken = "0123456789abcdef0123456789abcdef";
const std::string kSession = "fedcba9876543210fedcba9876543210";

Policy policy() { return {4321, kToken, kSession, "/api/v1/actions"}; }

Request get(std::string target = "/") {
  return {Method::get,
          std::move(target),
          {{"host", "127.0.0.1:4321"}, {"cookie", "a=b; capsule_4321=" + kSession}},
          "",
          true};
}

Request post() {
  Request request = get("/api/v1/actions");
  request.method = Method::post;
  request.headers.push_back({"origin", "http://127.0.0.1:4321"});
  request.headers.push_back({"content-type", "application/json; charset=utf-8"});
  request.headers.push_back({"x-capsule", "1"});
  return request;
}

Request with(Request request, std::string_view name, std::string value) {
  std::erase_if(request.headers, [&](const Header& header) { return header.name == name; });
  if (!value.empty()) request.headers.push_back({std::string(name), std::move(value)});
  return request;
}

TEST(Admission, OfOurPage) {
  EXPECT_EQ(judge(get(), policy()), Verdict::allowed);
  EXPECT_EQ(judge(get("/api/v1/view?run=x"), policy()), Verdict::allowed);
  EXPECT_EQ(judge(with(get(), "origin", "http://127.0.0.1:4321"), policy()), Verdict::allowed);
  EXPECT_EQ(judge(with(get(), "host", "localhost:4321"), policy()), Verdict::allowed);
  EXPECT_EQ(judge(post(), policy()), Verdict::effect);
}

TEST(Admission, OfAnotherHostComesFirst) {
  for (const char* host :
       {"evil.example:4321", "127.0.0.1", "127.0.0.1:4322", "127.0.0.1:43210", "localhost",
        "127.0.0.1.evil.example:4321", "localhost.evil.example:4321", "LOCALHOST:4321",
        "[::1]:4321", "127.0.0.1:4321 ", "0.0.0.0:4321", "user@127.0.0.1:4321"})
    EXPECT_EQ(judge(with(get("/?token=" + kToken), "host", host), policy()), Verdict::other_host)
        << host;
  EXPECT_EQ(judge(with(get(), "host", ""), policy()), Verdict::no_host);
  Request twice = get();
  twice.headers.push_back({"host", "127.0.0.1:4321"});
  EXPECT_EQ(judge(twice, policy()), Verdict::no_host);
  EXPECT_EQ(status_of(Verdict::other_host), 421);
}

TEST(Admission, ThroughATunnelToASocketThePortIsTheirs) {
  Policy socket = policy();
  socket.port = 0;
  const auto ask = [&](const char* host) {
    return judge(with(with(get(), "cookie", "capsule_0=" + kSession), "host", host), socket);
  };
  EXPECT_EQ(ask("localhost"), Verdict::allowed);
  EXPECT_EQ(ask("localhost:8080"), Verdict::allowed);
  EXPECT_EQ(ask("127.0.0.1:8080"), Verdict::allowed);
  EXPECT_EQ(ask("localhost:"), Verdict::other_host);
  EXPECT_EQ(ask("localhost:x"), Verdict::other_host);
  EXPECT_EQ(ask("localhost.evil.example:80"), Verdict::other_host);
}

TEST(Admission, OfAnotherOriginIsRefusedWhateverItAsks) {
  for (const char* origin : {"http://evil.example", "null", "http://127.0.0.1:3000",
                             "http://localhost:4321", "https://127.0.0.1:4321"}) {
    EXPECT_EQ(judge(with(get(), "origin", origin), policy()), Verdict::other_origin) << origin;
    EXPECT_EQ(judge(with(post(), "origin", origin), policy()), Verdict::other_origin) << origin;
  }
  EXPECT_EQ(judge(with(post(), "origin", ""), policy()), Verdict::other_origin);
}

TEST(Admission, NeedsTheSession) {
  EXPECT_EQ(judge(with(get(), "cookie", ""), policy()), Verdict::no_session);
  EXPECT_EQ(judge(with(get(), "cookie", "capsule_4321="), policy()), Verdict::no_session);
  EXPECT_EQ(judge(with(get(), "cookie", "capsule_4321=" + kToken), policy()), Verdict::no_session);
  EXPECT_EQ(judge(with(get(), "cookie", "capsule_1=" + kSession), policy()), Verdict::no_session);
  EXPECT_EQ(judge(with(post(), "cookie", ""), policy()), Verdict::no_session);
  Policy none = policy();
  none.session.clear();
  EXPECT_EQ(judge(with(get(), "cookie", "capsule_4321="), none), Verdict::no_session);
}

TEST(Admission, TheTokenIsExchangedOnce) {
  const Request first = with(get("/?token=" + kToken), "cookie", "");
  EXPECT_EQ(judge(first, policy()), Verdict::exchange);
  Policy used = policy();
  used.token.clear();
  EXPECT_EQ(judge(first, used), Verdict::no_session);
  EXPECT_EQ(judge(with(get("/?token="), "cookie", ""), used), Verdict::no_session);
  EXPECT_EQ(judge(get("/?token=" + kToken), used), Verdict::allowed);
  EXPECT_EQ(judge(with(get("/?token=" + kSession), "cookie", ""), policy()), Verdict::no_session);
  EXPECT_EQ(judge(with(get("/api/v1/view?token=" + kToken), "cookie", ""), policy()),
            Verdict::no_session);
  Request effect = with(post(), "cookie", "");
  effect.target += "?token=" + kToken;
  EXPECT_EQ(judge(effect, policy()), Verdict::no_session);
  const Response response = exchanged(policy());
  EXPECT_EQ(response.status, 303);
  const std::string bytes = bytes_of(response, false, true);
  EXPECT_NE(bytes.find("Location: /\r\n"), std::string::npos);
  EXPECT_NE(bytes.find("Set-Cookie: capsule_4321=" + kSession +
                       "; Path=/; HttpOnly; SameSite=Strict\r\n"),
            std::string::npos);
  EXPECT_EQ(bytes.find(kToken), std::string::npos);
}

// A page that an agent serves on another port can set cookies of any name, also in front of ours.
TEST(Admission, ACookieOfTheSameNameLocksNobodyOut) {
  EXPECT_EQ(judge(with(get(), "cookie", "capsule_4321=mine; capsule_4321=" + kSession), policy()),
            Verdict::allowed);
  EXPECT_EQ(judge(with(get(), "cookie", "capsule_4321=mine; capsule_432=" + kSession), policy()),
            Verdict::no_session);
}

TEST(Admission, AnEffectIsAPostOfJsonWithOurHeaderToOnePath) {
  for (const char* type : {"", "text/plain", "application/x-www-form-urlencoded",
                           "multipart/form-data", "text/plain; application/json"})
    EXPECT_EQ(judge(with(post(), "content-type", type), policy()), Verdict::no_json) << type;
  EXPECT_EQ(judge(with(post(), "x-capsule", ""), policy()), Verdict::no_header);
  Request elsewhere = post();
  elsewhere.target = "/api/v1/view";
  EXPECT_EQ(judge(elsewhere, policy()), Verdict::other_method);
  EXPECT_EQ(judge(get("/api/v1/actions"), policy()), Verdict::other_method);
  Policy read_only = policy();
  read_only.effects.clear();
  EXPECT_EQ(judge(post(), read_only), Verdict::other_method);
  EXPECT_EQ(judge(get(), read_only), Verdict::allowed);
}

TEST(Admission, OtherMethodsAreRefused) {
  for (const char* method : {"PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"}) {
    Parser parser;
    const std::string bytes = std::string(method) + " / HTTP/1.1\r\nHost: 127.0.0.1:4321\r\n\r\n";
    ASSERT_TRUE(parser.feed(bytes).complete) << method;
    EXPECT_EQ(judge(parser.take(), policy()), Verdict::other_method) << method;
  }
}

TEST(Admission, AForeignHandshakeForAWebSocketIsRefused) {
  Request request = with(get(), "origin", "http://evil.example");
  request.headers.push_back({"upgrade", "websocket"});
  EXPECT_EQ(status_of(judge(request, policy())), 403);
}

TEST(Admission, EveryResponseSaysThatNothingForeignRuns) {
  std::string all;
  for (const Header& header : safety_headers()) all += header.name + ": " + header.value + "\n";
  EXPECT_EQ(all,
            "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
            "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
            "require-trusted-types-for 'script'; trusted-types 'none'\n"
            "X-Content-Type-Options: nosniff\n"
            "Referrer-Policy: no-referrer\n"
            "Cross-Origin-Opener-Policy: same-origin\n"
            "Cross-Origin-Resource-Policy: same-origin\n"
            "Cache-Control: no-store\n");
  EXPECT_EQ(all.find("Access-Control"), std::string::npos);
}

TEST(Admission, SecretsAreComparedWhole) {
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_FALSE(same_secret("abc", "abd"));
  EXPECT_FALSE(same_secret("abc", "ab"));
  EXPECT_FALSE(same_secret("", "a"));
}

TEST(Message, ParametersAreDecodedAndMayStandOnce) {
  Request request;
  request.target = "/x?a=1%2B2+3&b=%zz&c=%4&d&e=1&e=2&a2=%00";
  EXPECT_EQ(request.path(), "/x");
  EXPECT_EQ(request.parameter("a"), "1+2 3");
  EXPECT_EQ(request.parameter("b"), std::nullopt);
  EXPECT_EQ(request.parameter("c"), std::nullopt);
  EXPECT_EQ(request.parameter("d"), "");
  EXPECT_EQ(request.parameter("e"), std::nullopt);
  EXPECT_EQ(request.parameter("f"), std::nullopt);
  EXPECT_EQ(request.parameter("a2"), std::string(1, '\0'));
  EXPECT_FALSE(request.has_clear_query());
  for (const char* clear : {"/", "/?", "/?a", "/?a=1&b=%20", "/?a=1&"}) {
    request.target = clear;
    EXPECT_TRUE(request.has_clear_query()) << clear;
  }
  for (const char* unclear : {"/?a=%z", "/?a=1&a=1", "/?a&a"}) {
    request.target = unclear;
    EXPECT_FALSE(request.has_clear_query()) << unclear;
  }
}

TEST(Peer, IsFoundInTheTableOfConnections) {
  const std::string table =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
      "inode\n"
      "   0: 0100007F:10E1 0100007F:A5F6 01 00000000:00000000 00:00000000 00000000  1000        0 "
      "111 1 0 20\n"
      "   1: 0100007F:A5F6 0100007F:10E1 01 00000000:00000000 00:00000000 00000000  1000        0 "
      "222 1 0 20\n";
  EXPECT_EQ(find_inode(table, 0xA5F6, 0x10E1, 1000), 222U);
  EXPECT_EQ(find_inode(table, 0xA5F6, 0x10E1, 1001), 0U);
  EXPECT_EQ(find_inode(table, 0xA5F7, 0x10E1, 1000), 0U);
  EXPECT_EQ(find_inode("", 1, 2, 1000), 0U);
}

}  // namespace
}  // namespace capsule::http
