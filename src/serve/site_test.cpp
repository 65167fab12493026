// The site with a real journal and a plain socket, where what comes when matters.
#include "serve/site.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <filesystem>

#include "notify/sender.h"
#include "world/test_support.h"

namespace capsule::serve {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class SiteTest : public world::ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    auto made = process::Loop::create({CAPSULE_BINARY, 6s});
    ASSERT_TRUE(made);
    loop_ = *std::move(made);
  }
  void TearDown() override {
    site_.reset();
    loop_.reset();
    ProjectTest::TearDown();
  }
  void serve(SiteOptions options = {}) {
    auto opened = Site::open(*loop_, *project, std::move(options));
    ASSERT_TRUE(opened) << opened.error().message;
    site_ = *std::move(opened);
    const std::string address = site_->new_address();
    origin_ = address.substr(7, address.find("/?") - 7);
    const std::string entered = talk("GET " + address.substr(address.find("/?")));
    const std::size_t cookie = entered.find("Set-Cookie: ");
    ASSERT_NE(cookie, std::string::npos) << entered;
    headers_ = "Cookie: " + entered.substr(cookie + 12, entered.find(';', cookie) - cookie - 12);
  }
  File ask(const std::string& line, const std::string& more = "") const {
    File file(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port =
        htons(static_cast<std::uint16_t>(std::atoi(origin_.c_str() + origin_.find(':') + 1)));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(file.fd(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    const std::string bytes = line + " HTTP/1.1\r\nHost: " + origin_ + "\r\nConnection: close\r\n" +
                              (headers_.empty() ? "" : headers_ + "\r\n") + more + "\r\n";
    EXPECT_EQ(::send(file.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
    return file;
  }
  // Adds to what was heard until it holds this, or all when that is empty; a minute at most, so
  // that only what never comes fails.
  void hear(const File& from, std::string& heard, std::string_view end) const {
    const auto patience = process::Clock::now() + 60s;
    while (end.empty() || heard.find(end) == std::string::npos) {
      if (process::Clock::now() > patience) {
        ADD_FAILURE() << "never said: " << end << "\nbut: " << heard;
        return;
      }
      loop_->turn(process::Clock::now() + 5ms);
      char piece[65536];
      const ssize_t count = ::recv(from.fd(), piece, sizeof piece, MSG_DONTWAIT);
      if (count == 0) return;
      if (count > 0) heard.append(piece, static_cast<std::size_t>(count));
    }
  }
  std::string talk(const std::string& line, const std::string& more = "") const {
    std::string heard;
    hear(ask(line, more), heard, "");
    return heard;
  }
  std::uint64_t newest() const { return store->head("r1").value().last_seq; }
  void happens(std::string text = "") const {
    event::MergeRefused refused;
    refused.detail = std::move(text);
    const std::vector<event::NewFact> facts{fact(event::PipelineFact(refused))};
    ASSERT_TRUE(store->append("r1", newest(), facts, std::nullopt));
  }

  std::unique_ptr<process::Loop> loop_;
  std::unique_ptr<Site> site_;
  std::string origin_, headers_;
};

TEST_F(SiteTest, AParameterThatIsUnclearIsRefused) {
  serve();
  for (const char* query : {"run=a&run=b", "run=%zz", "at=1&at=2"})
    EXPECT_TRUE(talk(std::string("GET /api/v1/view?") + query).starts_with("HTTP/1.1 400"))
        << query;
  EXPECT_TRUE(talk("GET /api/v1/view").starts_with("HTTP/1.1 200"));
}

TEST_F(SiteTest, AnOpenPageIsNobodyAndOneThatIsTouchedIsSomebody) {
  serve();
  EXPECT_TRUE(talk("GET /").starts_with("HTTP/1.1 200"));
  EXPECT_TRUE(talk("GET /api/v1/view").starts_with("HTTP/1.1 200"));
  EXPECT_FALSE(notify::somebody_looks(project->root()));
  const std::string session = std::exchange(headers_, "");
  EXPECT_TRUE(talk("HEAD /api/v1/about", "X-Capsule: 1\r\n").starts_with("HTTP/1.1 403"));
  EXPECT_FALSE(notify::somebody_looks(project->root()));
  headers_ = session;
  EXPECT_TRUE(talk("HEAD /api/v1/about", "X-Capsule: 1\r\n").starts_with("HTTP/1.1 200"));
  EXPECT_TRUE(notify::somebody_looks(project->root()));
}

TEST_F(SiteTest, AStreamOnWhichNothingHappensIsToldThatItIsThere) {
  SiteOptions options;
  options.ping = 20ms;
  serve(std::move(options));
  const File stream = ask("GET /api/v1/events");
  std::string heard;
  hear(stream, heard, ": ping\n\n: ping\n\n");
}

TEST_F(SiteTest, NoWebSocketIsOpenedForAnybody) {
  serve();
  const std::string handshake =
      "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  for (const char* path : {"/", "/api/v1/events", "/api/v1/view"}) {
    const std::string foreign =
        talk(std::string("GET ") + path, handshake + "Origin: http://evil.example\r\n");
    EXPECT_TRUE(foreign.starts_with("HTTP/1.1 403")) << path << "\n" << foreign;
  }
  const std::string own = talk("GET /", handshake + "Origin: http://" + origin_ + "\r\n");
  EXPECT_FALSE(own.starts_with("HTTP/1.1 101")) << own;
}

TEST_F(SiteTest, FactsAreToldFromNowOnToWhoDoesNotSaySinceWhen) {
  pipeline("r1", "demo-1", event::Outcome::none);
  serve();
  const File stream = ask("GET /api/v1/events?facts=1");
  std::string heard;
  hear(stream, heard, "event: reload");
  happens("no way");
  hear(stream, heard, "event: fact\nid: 2\n");
  EXPECT_NE(heard.find("no way"), std::string::npos) << heard;
}

// Whoever takes the last id for what it has got misses nothing.
TEST_F(SiteTest, FactsThatAreTooManyComeInSeveralStreams) {
  pipeline("r1", "demo-1", event::Outcome::none);
  for (int i = 0; i < 30; ++i) happens(std::string(60'000, 'x'));
  serve();
  std::uint64_t got = 0;
  int streams = 1;
  for (bool more = true; more; ++streams) {
    ASSERT_LT(streams, 10);
    std::string heard;
    // Of the rows nothing is known so far back; that is said behind all facts.
    hear(ask("GET /api/v1/events?facts=1&from=" + std::to_string(got)), heard, "event: reload");
    more = heard.find("event: more") != heard.npos;
    for (std::size_t at = 0; (at = heard.find("\nid: ", at)) != heard.npos; ++at)
      EXPECT_EQ(std::strtoull(heard.c_str() + at + 5, nullptr, 10), ++got);
  }
  EXPECT_EQ(got, newest());
  EXPECT_GT(streams, 3);
}

// More than what a stream may have unsent: were it cut off for that, it would come back for ever.
TEST_F(SiteTest, WhoMissedMuchIsToldAllOfItAtOnce) {
  pipeline("r1", "demo-1", event::Outcome::none);
  serve();
  const File stream = ask("GET /api/v1/events?from=1");
  std::string heard;
  while (heard.size() < std::size_t{5} << 18) {
    happens(std::string(9'000, 'x') + std::to_string(newest()));
    hear(stream, heard, "id: " + std::to_string(newest()) + "\n");
  }
  std::string again;
  hear(ask("GET /api/v1/events", "Last-Event-ID: 1\r\n"), again,
       "id: " + std::to_string(newest()) + "\n");
  EXPECT_EQ(again.find("reload"), std::string::npos);
}

TEST_F(SiteTest, AJournalInThePlaceOfAnotherIsReadAnew) {
  pipeline("r1", "demo-1", event::Outcome::none);
  serve();
  const File stream = ask("GET /api/v1/events?from=1");
  for (int i = 0; i < 5; ++i) happens("of the first journal");
  std::string heard;
  hear(stream, heard, "id: 6\n");
  store.reset();
  fs::remove_all(project->root() + "/.capsule");
  hear(stream, heard, "event: reload\nid: 7\n");
  store = store::Store::open(project_, store::Access::read_write).value();
  pipeline("r1", "demo-1", event::Outcome::none);
  for (int i = 0; i < 3; ++i) happens("of the second");
  heard.clear();
  hear(stream, heard, "id: 11\n");
  heard.clear();
  hear(ask("GET /api/v1/events?from=10"), heard, "id: 11\n");
  EXPECT_EQ(heard.find("of the first journal"), std::string::npos) << heard;
  EXPECT_EQ(heard.find("reload"), std::string::npos) << heard;
}

// Whoever was away while it happened has a number that is one of the new journal, too.
TEST_F(SiteTest, WhoComesBackToAnotherJournalIsToldToReadItAnew) {
  pipeline("r1", "demo-1", event::Outcome::none);
  for (int i = 0; i < 3; ++i) happens("of the first journal");
  serve();
  const File stream = ask("GET /api/v1/events?from=4&facts=1");
  std::string heard;
  hear(stream, heard, ": \n\n");
  store.reset();
  fs::remove_all(project->root() + "/.capsule");
  store = store::Store::open(project_, store::Access::read_write).value();
  pipeline("r1", "demo-1", event::Outcome::none);
  for (int i = 0; i < 6; ++i) happens("of the second");
  hear(stream, heard, "event: reload\nid: ");
  // Numbers of the new journal come behind all of the old one, from its first fact on.
  std::uint64_t last = 4;
  int facts = 0;
  for (std::size_t at = 0; (at = heard.find("event: fact\nid: ", at)) != heard.npos;
       ++at, ++facts) {
    const std::uint64_t id = std::strtoull(heard.c_str() + at + 16, nullptr, 10);
    EXPECT_GT(id, last) << heard;
    last = id;
  }
  EXPECT_EQ(facts, 7) << heard;
  heard.clear();
  hear(ask("GET /api/v1/events", "Last-Event-ID: 4\r\n"), heard, "event: reload");
  heard.clear();
  happens("at last");
  hear(ask("GET /api/v1/events", "Last-Event-ID: " + std::to_string(last) + "\r\n"), heard,
       "at last");
  EXPECT_EQ(heard.find("reload"), std::string::npos) << heard;
}

TEST_F(SiteTest, AJournalThatCannotBeReadIsNamed) {
  pipeline("r1", "demo-1", event::Outcome::none);
  store.reset();  // it leaves everything in one file
  serve();
  EXPECT_EQ(talk("GET /api/v1/about").find("trouble"), std::string::npos);
  const File stream = ask("GET /api/v1/events?from=1");
  const std::string journal = project->root() + "/.capsule/journal.db";
  ASSERT_TRUE(write_file(journal + ".new", "no journal"));
  fs::rename(journal + ".new", journal);
  std::string heard;
  hear(stream, heard, "event: reload\n");
  EXPECT_NE(talk("GET /api/v1/about").find("\"trouble\":\""), std::string::npos);
}

}  // namespace
}  // namespace capsule::serve
