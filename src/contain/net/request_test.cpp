#include "contain/net/request.h"

#include <gtest/gtest.h>

namespace capsule::contain {
namespace {

std::optional<Head> head(const std::string& lines) { return head_of(lines + "\r\n\r\n"); }

TEST(ContainRequest, AHeadEndsWithItsEmptyLine) {
  EXPECT_EQ(head_bytes("GET / HTTP/1.1\r\nHost: a\r\n"), 0U);
  EXPECT_EQ(head_bytes("GET / HTTP/1.1\r\n\r\nrest"), 18U);
  const auto one = head("GET /x HTTP/1.1\r\nHost:  a \r\nX-Y: ");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->method, "GET");
  EXPECT_EQ(one->target, "/x");
  ASSERT_EQ(one->fields.size(), 2U);
  EXPECT_EQ(one->fields[0].name, "host");
  EXPECT_EQ(one->fields[0].value, "a");
  EXPECT_EQ(one->fields[1].value, "");
}

TEST(ContainRequest, WhatCouldBeReadInTwoWaysIsNoHead) {
  using namespace std::string_literals;
  for (const std::string& text : {"GET /"s,
                                  "GET / HTTP/1.1 "s,
                                  "GET  / HTTP/1.1"s,
                                  "GET /\t HTTP/1.1"s,
                                  "GET / HTTP/2.0"s,
                                  "PRI * HTTP/2.0"s,
                                  " GET / HTTP/1.1"s,
                                  "GET / http/1.1"s,
                                  "G(T / HTTP/1.1"s,
                                  "GET /\0 HTTP/1.1"s,
                                  "GET / HTTP/1.1\r\n folded: x"s,
                                  "GET / HTTP/1.1\r\na: b\r\n c"s,
                                  "GET / HTTP/1.1\r\na : b"s,
                                  "GET / HTTP/1.1\r\n: b"s,
                                  "GET / HTTP/1.1\r\nab"s,
                                  "GET / HTTP/1.1\r\na: b\nc: d"s,
                                  "GET / HTTP/1.1\r\na: b\rc"s,
                                  "GET / HTTP/1.1\r\na: b\0c"s,
                                  "GET / HTTP/1.1\na: b"s,
                                  "\r\nGET / HTTP/1.1"s,
                                  ""s})
    EXPECT_FALSE(head(text)) << text;
}

TEST(ContainRequest, TheLengthOfABodyIsSaidOnceOrNotAtAll) {
  const auto body = [](const std::string& fields) {
    return Body::of(*head("POST / HTTP/1.1" + fields));
  };
  EXPECT_TRUE(body("")->complete());
  EXPECT_TRUE(body("\r\nContent-Length: 0")->complete());
  EXPECT_FALSE(body("\r\nContent-Length: 5")->complete());
  EXPECT_FALSE(body("\r\nTransfer-Encoding: Chunked")->complete());
  for (const char* fields :
       {"\r\nContent-Length: 5\r\nContent-Length: 5", "\r\nContent-Length: 5, 5",
        "\r\nContent-Length: -5", "\r\nContent-Length: +5", "\r\nContent-Length: ",
        "\r\nContent-Length: 99999999999999999999", "\r\nTransfer-Encoding: gzip, chunked",
        "\r\nTransfer-Encoding: xchunked", "\r\nContent-Length: 5\r\nTransfer-Encoding: chunked",
        "\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked"})
    EXPECT_FALSE(body(fields)) << fields;
}

TEST(ContainRequest, ABodyEndsWhereItsHeadSaysAndNotLater) {
  Body body = *Body::of(*head("POST / HTTP/1.1\r\nContent-Length: 5"));
  EXPECT_EQ(body.take("ab"), 2U);
  EXPECT_FALSE(body.complete());
  EXPECT_EQ(body.take("cdeGET /"), 3U);
  EXPECT_TRUE(body.complete());
  EXPECT_EQ(body.take("more"), 0U);
}

TEST(ContainRequest, ABodyInPiecesEndsWithItsLastOneHoweverItIsCut) {
  const std::string text =
      "5\r\nhello\r\nA;name=\"x\"\r\n0123456789\r\n0\r\nX-End: yes\r\nX: y\r\n\r\n";
  for (std::size_t step = 1; step <= text.size() + 4; ++step) {
    Body body = *Body::of(*head("POST / HTTP/1.1\r\nTransfer-Encoding: chunked"));
    const std::string all = text + "GET /";
    std::size_t taken = 0;
    for (std::size_t at = 0; at < all.size(); at += step)
      taken += body.take(std::string_view(all).substr(at, step));
    EXPECT_TRUE(body.complete()) << step;
    EXPECT_EQ(taken, text.size()) << step;
  }
}

TEST(ContainRequest, ABodyInBrokenPiecesIsNoBody) {
  for (const std::string& text :
       {std::string("x\r\n"), std::string("\r\n"), std::string("5\nhello\r\n"),
        std::string("5\r\nhelloX"), std::string("5\rhello"), std::string("FFFFFFFFFFFFF\r\n"),
        "5;" + std::string(5000, 'x'), std::string("5\r\nhello\n0\r\n\r\n"),
        "0\r\n" + std::string(5000, 'x')}) {
    Body body = *Body::of(*head("POST / HTTP/1.1\r\nTransfer-Encoding: chunked"));
    body.take(text);
    EXPECT_TRUE(body.broken()) << text.substr(0, 40);
    EXPECT_EQ(body.take("0\r\n\r\n"), 0U);
  }
}

TEST(ContainRequest, AProxyIsToldAWholeUrl) {
  const auto url = url_of("http://Example.com/a?b=c");
  ASSERT_TRUE(url);
  EXPECT_EQ(text_of(url->target), "example.com:80");
  EXPECT_EQ(url->path, "/a?b=c");
  EXPECT_EQ(url_of("HTTP://a.example")->path, "/");
  EXPECT_EQ(url_of("http://a.example:8080?x")->path, "/?x");
  EXPECT_EQ(text_of(url_of("http://a.example:8080?x")->target), "a.example:8080");
  EXPECT_EQ(text_of(url_of("http://[fd00::1]/")->target), "[fd00::1]:80");
  for (const char* text :
       {"/", "*", "a.example:80", "https://a.example/", "ftp://a.example/", "http:///",
        "http://user@a.example/", "http://user:pass@a.example/", "http://a.example:80@b.example/",
        "http://a.example\\@b.example/", "http://a.example#@b.example/", "http://a.example/#x",
        "http://a.example:/", "http://a.example.:80/", "http://2130706433/", "http://0x7f.1/",
        "http://a.example%00.b.example/", "http:/a.example/", "http://a.example:80:80/"})
    EXPECT_FALSE(url_of(text)) << text;
}

TEST(ContainRequest, TheHostGetsItsOwnNameAndNothingThatIsMeantForTheProxy) {
  const auto one = head(
      "POST http://a.example/x HTTP/1.1\r\nHost: other.example\r\nProxy-Authorization: secret\r\n"
      "Proxy-Connection: keep-alive\r\nConnection: keep-alive, X-Hop, Content-Length\r\nX-Hop: "
      "1\r\n"
      "X-Key: dummy\r\nContent-Length: 5\r\nAccept: */*\r\nUpgrade: h2c");
  ASSERT_TRUE(one);
  EXPECT_EQ(request_to(*one, "a.example", "/x", {"x-key"}, {{"x-key", "real"}}),
            "POST /x HTTP/1.1\r\nHost: a.example\r\ncontent-length: 5\r\naccept: */*\r\n"
            "x-key: real\r\nConnection: close\r\n\r\n");
}

TEST(ContainRequest, AServiceHasAnAddressWithOrWithoutAPath) {
  const auto service = service_of("https://Api.example.com/v1/");
  ASSERT_TRUE(service);
  EXPECT_EQ(text_of(service->target), "api.example.com:443");
  EXPECT_TRUE(service->secure);
  EXPECT_EQ(service->path, "/v1");
  EXPECT_EQ(text_of(service_of("http://127.0.0.1:8080")->target), "127.0.0.1:8080");
  EXPECT_FALSE(service_of("http://127.0.0.1:8080")->secure);
  EXPECT_EQ(service_of("https://a.example")->path, "");
  for (const char* text :
       {"a.example", "ftp://a.example", "https://", "https://u:p@a.example", "https://a.example/?x",
        "https://a.example/#x", "https://a.example/a b", "https://a.example/a\r\nX: y"})
    EXPECT_FALSE(service_of(text)) << text;
}

TEST(ContainRequest, OnlyTheFieldsThatARequestHasGetTheirRealValue) {
  const Service service = *service_of("https://a.example/v1");
  const std::vector<KeptField> kept = {{"x-api-key", "one"}, {"authorization", "Bearer two"}};
  const auto both = request_to(
      service, *head("GET /m HTTP/1.1\r\nAuthorization: Bearer dummy\r\nAuthorization: x"), kept);
  EXPECT_EQ(both,
            "GET /v1/m HTTP/1.1\r\nHost: a.example\r\nauthorization: Bearer two\r\n"
            "Connection: close\r\n\r\n");
  EXPECT_EQ(request_to(service, *head("GET /m HTTP/1.1\r\nAccept: */*"), kept),
            "GET /v1/m HTTP/1.1\r\nHost: a.example\r\naccept: */*\r\nConnection: close\r\n\r\n");
  EXPECT_FALSE(request_to(service, *head("TRACE /m HTTP/1.1\r\nX-Api-Key: d"), kept));
  // Nobody is somebody else there, whatever key the user has.
  EXPECT_EQ(request_to(service,
                       *head("GET /m HTTP/1.1\r\nAuthorization: Bearer of-another\r\nCookie: c\r\n"
                             "X-Goog-Api-Key: k\r\nX-Api-Key: dummy"),
                       {{"x-api-key", "one"}}),
            "GET /v1/m HTTP/1.1\r\nHost: a.example\r\nx-api-key: one\r\nConnection: close\r\n\r\n");
  for (const char* target : {"/../x", "/a/../x", "/a/..", "/./x", "//other.example/x", "/%2e%2E/x",
                             "/a%2Fx", "/..\\x", "/x#y", "x", "*"})
    EXPECT_FALSE(request_to(service, Head{"GET", target}, kept)) << target;
  EXPECT_TRUE(request_to(service, Head{"GET", "/a..b/.c?x=../y"}, kept));
}

}  // namespace
}  // namespace capsule::contain
