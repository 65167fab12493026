// The server with real sockets: ordinary, slow, huge, torn and random requests, and many streams.
#include "http/server.h"

#include <sys/stat.h>

#include <filesystem>
#include <random>

#include "base/clock.h"
#include "http/test_support.h"

namespace capsule::http {
namespace {

using namespace testing;

TEST(HttpServer, AnswersAndKeepsTheConnection) {
  Rig rig;
  const File client = rig.connect();
  for (int i = 0; i < 3; ++i) {
    rig.say(client, "GET /a?b=1 HTTP/1.1\r\nHost: x\r\n\r\n");
    const std::string heard = rig.hear_until(client, "/a?b=1");
    EXPECT_EQ(status_in(heard), 200);
    EXPECT_NE(heard.find("Connection: keep-alive"), std::string::npos);
  }
  EXPECT_EQ(rig.requests.size(), 3U);
}

TEST(HttpServer, ClosesWhenItIsAskedTo) {
  Rig rig;
  EXPECT_NE(rig.talk("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").find("200 OK"),
            std::string::npos);
  EXPECT_NE(rig.talk("GET / HTTP/1.0\r\nHost: x\r\n\r\n").find("200 OK"), std::string::npos);
  rig.until([&] { return rig.server->connections() == 0; });
}

TEST(HttpServer, HeadHasTheLengthAndNoBody) {
  Rig rig;
  const std::string heard = rig.talk("HEAD /long HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_NE(heard.find("Content-Length: 18\r\n"), std::string::npos);
  EXPECT_TRUE(heard.ends_with("\r\n\r\n"));
}

TEST(HttpServer, PipelinedRequestsAreAnsweredInTheirOrder) {
  Rig rig;
  std::string requests;
  for (int i = 0; i < 500; ++i)
    requests +=
        "POST /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi";
  requests += "GET /end HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  const std::string heard = rig.talk(requests);
  ASSERT_EQ(rig.requests.size(), 501U);
  std::size_t at = 0;
  for (int i = 0; i < 500; ++i) {
    at = heard.find("you said hi to /" + std::to_string(i), at);
    ASSERT_NE(at, std::string::npos) << i;
  }
}

TEST(HttpServer, AnAnswerMayComeLater) {
  Rig rig;
  std::vector<ExchangeId> open;
  rig.handle = [&](ExchangeId id, const Request&) { open.push_back(id); };
  const File client = rig.connect();
  rig.say(client, "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n");
  rig.until([&] { return open.size() == 1; });
  rig.server->answer(open[0], {200, {}, "first"});
  rig.until([&] { return open.size() == 2; });
  rig.server->answer(open[1], {200, {}, "second"});
  EXPECT_NE(rig.hear_until(client, "second").find("first"), std::string::npos);
}

TEST(HttpServer, AClientThatLeavesBeforeItsAnswerHarmsNothing) {
  Rig rig;
  std::vector<ExchangeId> open;
  rig.handle = [&](ExchangeId id, const Request&) { open.push_back(id); };
  {
    const File client = rig.connect();
    rig.say(client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    rig.until([&] { return open.size() == 1; });
  }
  rig.server->answer(open[0], {200, {}, std::string(1 << 20, 'x')});
  rig.server->answer(open[0], {200, {}, "again"});
  rig.until([&] { return rig.server->connections() == 0; });
}

TEST(HttpServer, TornRequestsAreWhole) {
  Rig rig;
  const File client = rig.connect();
  for (const char byte : std::string_view(
           "POST /torn HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"))
    rig.say(client, {&byte, 1});
  EXPECT_NE(rig.hear_all(client).find("you said hello to /torn"), std::string::npos);
}

TEST(HttpServer, SaysThatABodyMayCome) {
  Rig rig;
  const File client = rig.connect();
  rig.say(client,
          "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(rig.hear_until(client, "\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  rig.say(client, "ok");
  EXPECT_NE(rig.hear_until(client, "you said").find("200 OK"), std::string::npos);
}

struct Bad {
  const char* name;
  std::string bytes;
  int status;
};

class Refused : public ::testing::TestWithParam<Bad> {};

TEST_P(Refused, WithItsStatusAndTheConnectionIsClosed) {
  Rig rig;
  EXPECT_EQ(status_in(rig.talk(GetParam().bytes)), GetParam().status);
  EXPECT_TRUE(rig.requests.empty());
}
const std::string kHost = " HTTP/1.1\r\nHost: x\r\n";
INSTANTIATE_TEST_SUITE_P(
    Http, Refused,
    ::testing::Values(
        Bad{"no_http", "hello\r\n\r\n", 400}, Bad{"tls", "\x16\x03\x01\x02\r\n\r\n", 400},
        Bad{"long_target", "GET /" + std::string(20000, 'a') + kHost + "\r\n", 431},
        Bad{"many_headers",
            "GET /" + kHost + "A: " + std::string(5000, 'a') + "\r\nB: " + std::string(5000, 'b') +
                "\r\n\r\n",
            431},
        Bad{"endless_line", "GET /" + std::string(60000, 'a'), 431},
        Bad{"huge_body", "POST /" + kHost + "Content-Length: 65537\r\n\r\n", 413},
        Bad{"endless_body", "POST /" + kHost + "Content-Length: 99999999999999999999\r\n\r\n", 400},
        Bad{"negative_body", "POST /" + kHost + "Content-Length: -1\r\n\r\n", 400},
        Bad{"huge_chunks",
            "POST /" + kHost + "Transfer-Encoding: chunked\r\n\r\n20000\r\n" +
                std::string(0x20000, 'x') + "\r\n0\r\n\r\n",
            413},
        Bad{"two_lengths",
            "POST /" + kHost + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400},
        Bad{"length_list", "POST /" + kHost + "Content-Length: 2, 2\r\n\r\n{}", 400},
        // Whoever takes these for no body at all reads the body as the next request.
        Bad{"coding_identity", "POST /" + kHost + "Transfer-Encoding: identity\r\n\r\n{}", 400},
        Bad{"coding_unknown", "POST /" + kHost + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
            400},
        Bad{"coding_twice",
            "POST /" + kHost + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", 400},
        Bad{"coding_and_gzip",
            "POST /" + kHost + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 400},
        Bad{"proxy", "GET http://example.org/ HTTP/1.1\r\nHost: example.org\r\n\r\n", 400},
        Bad{"tunnel", "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n", 400},
        Bad{"line_in_header", "GET /" + kHost + "A: b\n c: d\r\n\r\n", 400}),
    [](const auto& row) { return row.param.name; });

TEST(HttpServer, TakesAsMuchAsItSays) {
  Rig rig;
  const std::string body(65536, 'b');
  EXPECT_NE(rig.talk("POST /" + kHost + "Connection: close\r\nContent-Length: 65536\r\n\r\n" + body)
                .find("200 OK"),
            std::string::npos);
  EXPECT_EQ(rig.requests.at(0).body, body);
}

TEST(HttpServer, AClientThatStopsInItsHeadersIsTold) {
  Limits limits = patient();
  limits.request = 50ms;
  Rig rig(limits);
  EXPECT_EQ(status_in(rig.talk("GET / HTTP/1.1\r\nHos")), 408);
}

TEST(HttpServer, AClientThatDribblesGetsNoMoreTime) {
  Limits limits = patient();
  limits.request = 200ms;
  Rig rig(limits);
  const File client = rig.connect();
  std::string heard;
  rig.say(client, "GET / HTTP/1.1\r\nA: ");
  int looks = 0;
  rig.until([&] {
    if (++looks % 20 == 0) (void)::send(client.fd(), "b", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    return !Rig::hear(client, heard) || !heard.empty();
  });
  EXPECT_EQ(status_in(heard), 408);
}

TEST(HttpServer, AClientThatStopsInItsBodyIsTold) {
  Limits limits = patient();
  limits.body = 50ms;
  Rig rig(limits);
  EXPECT_EQ(status_in(rig.talk("POST /" + kHost + "Content-Length: 10\r\n\r\nhal")), 408);
}

TEST(HttpServer, AConnectionThatSaysNothingIsClosedSilently) {
  Limits limits = patient();
  limits.request = 20ms;
  EXPECT_EQ(Rig(limits).talk(""), "");
  limits = patient();
  limits.idle = 20ms;
  Rig rig(limits);
  const File client = rig.connect();
  rig.say(client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(status_in(rig.hear_all(client)), 200);
}

TEST(HttpServer, AnAnswerThatNobodyReadsIsNotKeptForEver) {
  Limits limits = patient();
  limits.unread = 20ms;
  Rig rig(limits);
  rig.handle = [&](ExchangeId id, const Request&) {
    rig.server->answer(id, {200, {}, std::string(32 << 20, 'x')});
  };
  const File client = rig.connect();
  rig.say(client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  rig.until([&] { return rig.server->connections() == 0; });
}

TEST(HttpServer, AnswersThatNobodyReadsDoNotAddUp) {
  Limits limits = patient();
  limits.unsent_of_all_bytes = std::size_t{1} << 20;
  Rig rig(limits);
  const std::string much(20'000'000, 'x');
  rig.handle = [&](ExchangeId id, const Request&) { rig.server->answer(id, {200, {}, much}); };
  constexpr std::string_view kAsk = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  const File sleeper = rig.connect();
  rig.say(sleeper, kAsk);
  rig.until([&] { return rig.requests.size() == 1; });
  EXPECT_EQ(status_in(rig.talk(kAsk)), 503);
  const std::string heard = rig.hear_all(sleeper);
  EXPECT_EQ(status_in(heard), 200);
  EXPECT_GT(heard.size(), much.size());
  EXPECT_EQ(status_in(rig.talk(kAsk)), 200) << "it was read";
}

TEST(HttpServer, ConnectionsBeyondTheLimitAreToldAndTheOthersStay) {
  Limits limits = patient();
  limits.connections = 20;
  Rig rig(limits);
  std::vector<File> clients;
  for (int i = 0; i < 20; ++i) clients.push_back(rig.connect());
  rig.until([&] { return rig.server->connections() == 20; });
  EXPECT_EQ(status_in(rig.talk("")), 503);
  rig.say(clients[7], "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(status_in(rig.hear_until(clients[7], "you said")), 200);
  clients.clear();
  rig.until([&] { return rig.server->connections() == 0; });
}

TEST(HttpServer, StreamsGoToEverybodyAndOneTooManyIsTold) {
  Limits limits = patient();
  limits.streams = 50;
  Rig rig(limits);
  std::vector<ExchangeId> open;
  rig.handle = [&](ExchangeId id, const Request&) {
    if (rig.server->stream(id, {})) open.push_back(id);
  };
  std::vector<File> clients;
  for (int i = 0; i < 50; ++i) {
    clients.push_back(rig.connect());
    rig.say(clients.back(), "GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
  }
  rig.until([&] { return open.size() == 50; });
  EXPECT_EQ(status_in(rig.talk("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")), 503);
  for (const ExchangeId id : open) rig.server->send(id, event_bytes("rows", "7", "a\nb"));
  for (const File& client : clients) {
    const std::string heard = rig.hear_until(client, "data: b\n\n");
    EXPECT_NE(heard.find("event: rows\nid: 7\ndata: a\ndata: b\n\n"), std::string::npos);
    EXPECT_NE(heard.find("Content-Type: text/event-stream"), std::string::npos);
  }
  clients.clear();
  rig.until([&] { return rig.server->streams() == 0; });
  EXPECT_EQ(rig.ended, 50);
}

TEST(HttpServer, AStreamThatIsNotReadIsEndedAndTheOthersGoOn) {
  Rig rig;
  std::vector<ExchangeId> open;
  rig.handle = [&](ExchangeId id, const Request&) {
    if (rig.server->stream(id, {})) open.push_back(id);
  };
  const File sleeper = rig.connect();
  const File reader = rig.connect();
  for (const File* client : {&sleeper, &reader}) {
    rig.say(*client, "GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
  }
  rig.until([&] { return open.size() == 2; });
  std::string heard;
  const std::string piece = event_bytes("rows", "1", std::string(100'000, 'x'));
  for (int i = 0; i < 1000 && rig.ended == 0; ++i) {
    for (const ExchangeId id : open) rig.server->send(id, piece);
    const std::size_t before = heard.size();
    rig.until([&] { return !Rig::hear(reader, heard) || heard.size() >= before + piece.size(); });
  }
  EXPECT_EQ(rig.ended, 1);
  EXPECT_EQ(rig.server->streams(), 1U);
}

// Whoever comes back after a while gets much at once, and was not slow.
TEST(HttpServer, WhatIsSaidAtOnceMayBeMoreThanWhatMayWait) {
  Limits limits = patient();
  limits.unsent_bytes = 1000;
  Rig rig(limits);
  const std::string much(9'000'000, 'x');
  ExchangeId open{};
  rig.handle = [&](ExchangeId id, const Request&) {
    EXPECT_TRUE(rig.server->stream(open = id, {}));
    rig.server->send(id, much + "first\n");
  };
  const File client = rig.connect();
  rig.say(client, "GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_GT(rig.hear_until(client, "first\n").size(), much.size());
  rig.server->send(open, much + "second\n");
  EXPECT_GT(rig.hear_until(client, "second\n").size(), much.size());
  EXPECT_EQ(rig.ended, 0);
}

TEST(HttpServer, StreamsTogetherHaveALimitAndWhoIsFurthestBehindIsEnded) {
  Limits limits = patient();
  limits.unsent_bytes = std::size_t{1} << 30;
  limits.unsent_of_all_bytes = std::size_t{4} << 20;
  Rig rig(limits);
  std::vector<ExchangeId> open;
  rig.handle = [&](ExchangeId id, const Request&) {
    if (rig.server->stream(id, {})) open.push_back(id);
  };
  std::vector<File> sleepers;
  const File reader = rig.connect();
  for (int i = 0; i < 3; ++i) sleepers.push_back(rig.connect());
  for (const File& client : sleepers) rig.say(client, "GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
  rig.say(reader, "GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
  rig.until([&] { return open.size() == 4; });
  std::string heard;
  const std::string piece = event_bytes("rows", "1", std::string(200'000, 'x'));
  for (int i = 0; i < 1000 && rig.ended < 3; ++i) {
    for (const ExchangeId id : open) rig.server->send(id, piece);
    const std::size_t before = heard.size();
    rig.until([&] { return !Rig::hear(reader, heard) || heard.size() >= before + piece.size(); });
  }
  EXPECT_EQ(rig.ended, 3);
  EXPECT_EQ(rig.server->streams(), 1U);
}

TEST(HttpServer, WhoListensTakesNoPlaceFromWhoAsks) {
  Limits limits = patient();
  limits.connections = 1;
  Rig rig(limits);
  int open = 0;
  rig.handle = [&](ExchangeId id, const Request& request) {
    if (request.target != "/events") return rig.server->answer(id, {200, {}, "here"});
    if (rig.server->stream(id, {})) ++open;
  };
  std::vector<File> listeners;
  for (int i = 1; i <= 3; ++i) {
    listeners.push_back(rig.connect());
    rig.say(listeners.back(), "GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
    rig.until([&] { return open == i; });
  }
  EXPECT_EQ(status_in(rig.talk("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")), 200);
}

TEST(HttpServer, AStreamThatIsEndedHasSaidEverything) {
  Rig rig;
  const std::string much(500'000, 'x');
  rig.handle = [&](ExchangeId id, const Request& request) {
    EXPECT_TRUE(rig.server->stream(id, {}));
    rig.server->send(id, much + request.target);
    rig.server->end(id);
    rig.server->end(id);
    rig.server->send(id, "too late");
  };
  const std::string heard = rig.talk("GET /end HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(heard.ends_with("xx/end")) << heard.substr(heard.size() - 20);
  EXPECT_EQ(rig.server->streams(), 0U);
  EXPECT_EQ(rig.ended, 0);
}

TEST(HttpServer, AUnixSocketIsForItsUserAlone) {
  const std::string path = ::testing::TempDir() + "capsule-http-" + random_hex(6);
  {
    Rig rig(patient(), path);
    struct stat found {};
    ASSERT_EQ(::lstat(path.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 07777U, 0600U);
    EXPECT_NE(rig.talk("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").find("200 OK"),
              std::string::npos);
    const auto second = Server::listen(*rig.loop, {0, path}, rig, patient());
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().reason, Reason::exists);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(HttpServer, ASocketFileThatNobodyListensOnIsReplacedAndOtherFilesAreNot) {
  const std::string path = ::testing::TempDir() + "capsule-http-" + random_hex(6);
  {
    const File left(::socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(::bind(left.fd(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  { Rig rig(patient(), path); }
  ASSERT_TRUE(write_file(path, "mine"));
  Rig other;
  const auto refused = Server::listen(*other.loop, {0, path}, other, patient());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("is no socket"), std::string::npos)
      << refused.error().message;
  EXPECT_EQ(read_file(path).value_or(""), "mine");
  std::filesystem::remove(path);
}

TEST(HttpServer, ListensOnTheLoopbackOnly) {
  Rig rig;
  char line[64];
  std::snprintf(line, sizeof line, ": 0100007F:%04X 00000000:0000 0A",
                static_cast<unsigned>(rig.server->port()));
  std::string table;
  char piece[4096];
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen("/proc/net/tcp", "re"), &std::fclose);
  while (const std::size_t count = std::fread(piece, 1, sizeof piece, file.get()))
    table.append(piece, count);
  EXPECT_NE(table.find(line), std::string::npos);
}

// Pieces of requests, put together and broken at random: every connection ends, with an answer or
// without, and the server answers the next one.
TEST(HttpServer, RandomBytesNeverKeepItFromAnswering) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto below = [&](std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(0, most - 1)(random);
  };
  const std::vector<std::string> parts = {"GET ",
                                          "POST ",
                                          "HEAD ",
                                          "/",
                                          "/api?x=%00&y",
                                          " HTTP/1.1",
                                          " HTTP/1.0",
                                          "\r\n",
                                          "\r\n\r\n",
                                          "\n",
                                          "Host: 127.0.0.1\r\n",
                                          "Host:\r\n",
                                          "Content-Length: 3\r\n",
                                          "Content-Length: 70000\r\n",
                                          "Transfer-Encoding: chunked\r\n",
                                          "3\r\nabc\r\n",
                                          "0\r\n\r\n",
                                          "Connection: close\r\n",
                                          "Expect: 100-continue\r\n",
                                          "Cookie: a=b; c\r\n",
                                          std::string(9000, 'z'),
                                          std::string(3, '\0'),
                                          "\xff\xfe",
                                          ": ",
                                          "Upgrade: websocket\r\n"};
  Rig rig;
  for (int i = 0; i < 300; ++i) {
    std::string bytes;
    for (std::size_t n = below(12); n > 0; --n) {
      bytes += parts[below(parts.size())];
      if (below(20) == 0 && !bytes.empty())
        bytes[below(bytes.size())] = static_cast<char>(below(256));
    }
    const File client = rig.connect();
    while (!bytes.empty()) {
      const std::size_t count = std::min(bytes.size(), 1 + below(5000));
      if (!rig.say(client, std::string_view(bytes).substr(0, count))) break;
      bytes.erase(0, count);
    }
    ::shutdown(client.fd(), SHUT_WR);
    rig.hear_all(client);
  }
  rig.until([&] { return rig.server->connections() == 0; });
  EXPECT_EQ(status_in(rig.talk("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")), 200);
}

}  // namespace
}  // namespace capsule::http
