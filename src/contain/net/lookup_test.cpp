#include "contain/net/lookup.h"

#include <gtest/gtest.h>

#include "contain/net/dns_test_support.h"
#include "contain/net/test_support.h"

namespace capsule::contain {
namespace {

using namespace testing;
using namespace std::chrono_literals;
using Found = std::vector<std::string>;

constexpr const char* kName = "api.example.com";

// A name server on this machine: UDP and TCP on one port, answered by hand.
class ContainLookup : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int tries = 0; tries < 50 && !stream_; ++tries) {
      datagrams_ = bound(SOCK_DGRAM);
      files_.port = port_of(datagrams_);
      stream_ = bound(SOCK_STREAM, files_.port);
    }
    ASSERT_TRUE(stream_);
    files_.hosts = folder_.put("hosts", "127.0.0.1 localhost\n10.1.2.3 Here.Lab other # no.lab\n");
    configure("nameserver 127.0.0.1\noptions timeout:2 attempts:2\n");
  }
  void configure(const std::string& text) { files_.resolv = folder_.put("resolv.conf", text); }

  Lookup begin(const std::string& name = kName) { return Lookup(name, files_, now_); }

  struct Asked {
    Question question;
    SocketAddress from;
  };
  // The next question that comes in, or none when nobody asks.
  std::optional<Asked> next(int limit_ms = 20000) {
    if (!becomes(datagrams_.fd(), POLLIN, limit_ms)) return std::nullopt;
    Asked asked;
    asked.from.size = sizeof asked.from.storage;
    char packet[512];
    const ssize_t size =
        ::recvfrom(datagrams_.fd(), packet, sizeof packet, 0,
                   reinterpret_cast<sockaddr*>(&asked.from.storage), &asked.from.size);
    if (size < 17) return std::nullopt;
    asked.question = question_in({packet, static_cast<std::size_t>(size)});
    return asked;
  }
  static Question question_in(const std::string& packet) {
    Question question{0, kName};
    question.id = static_cast<std::uint16_t>(static_cast<unsigned char>(packet[0]) << 8 |
                                             static_cast<unsigned char>(packet[1]));
    question.type = static_cast<RecordType>(packet[packet.size() - 3]);
    EXPECT_EQ(packet, packet_of(question));
    return question;
  }
  void answer(const Asked& asked, const std::string& packet) {
    EXPECT_EQ(::sendto(datagrams_.fd(), packet.data(), packet.size(), 0, asked.from.get(),
                       asked.from.size),
              static_cast<ssize_t>(packet.size()));
  }
  static std::vector<std::string> records_for(const Question& question) {
    return {question.type == RecordType::a ? record(kName, 1, four("1.2.3.4"))
                                           : record(kName, 28, six("2606::1"))};
  }
  void hear(Lookup& lookup) {
    ASSERT_TRUE(becomes(lookup.fd(), lookup.wants_writing() ? POLLOUT : POLLIN));
    lookup.work(now_);
  }
  void pass_time(Lookup& lookup) {
    now_ = lookup.deadline();
    lookup.work(now_);
  }
  static Found found(const Lookup& lookup) {
    if (!lookup.addresses()) return {"still asking"};
    Found texts;
    for (const Address& one : *lookup.addresses()) texts.push_back(text_of(one));
    return texts;
  }

  TemporaryFolder folder_;
  NameFiles files_;
  File datagrams_;
  File stream_;
  Clock::time_point now_ = Clock::now();
};

TEST_F(ContainLookup, TheFileOfHostsIsAskedFirstAndNobodyElseThen) {
  EXPECT_EQ(found(begin("here.lab")), Found{"10.1.2.3"});
  EXPECT_EQ(found(begin("other")), Found{"10.1.2.3"});
  EXPECT_FALSE(next(0));
  EXPECT_EQ(found(begin("no.lab")), Found{"still asking"}) << "a comment";
}

TEST_F(ContainLookup, BothKindsOfAddressesAreAskedForAndFourComesFirst) {
  Lookup lookup = begin();
  for (int count = 0; count < 2; ++count) {
    const auto asked = next();
    ASSERT_TRUE(asked);
    answer(*asked, reply(asked->question, records_for(asked->question)));
    EXPECT_EQ(found(lookup), Found{"still asking"});
    hear(lookup);
  }
  EXPECT_EQ(found(lookup), (Found{"1.2.3.4", "2606::1"}));
}

TEST_F(ContainLookup, AnAnswerToAnotherQuestionIsPassedOver) {
  Lookup lookup = begin();
  const auto first = next();
  const auto second = next();
  ASSERT_TRUE(first && second);
  Question wrong = first->question;
  wrong.id ^= 1;
  answer(*first, reply(wrong, {record(kName, 1, four("6.6.6.6"))}));
  wrong = first->question;
  wrong.name = "api.example.org";
  answer(*first, reply(wrong, {record(wrong.name, 1, four("6.6.6.6"))}));
  answer(*first, "");
  answer(*first, reply(first->question, records_for(first->question)));
  answer(*second, reply(second->question, {}));
  while (!lookup.addresses()) hear(lookup);
  EXPECT_EQ(found(lookup), Found{"1.2.3.4"});
}

TEST_F(ContainLookup, SomebodyElseThanTheServerIsNotHeard) {
  Lookup lookup = begin();
  const auto asked = next();
  ASSERT_TRUE(asked);
  const File stranger = bound(SOCK_DGRAM);
  const std::string packet = reply(asked->question, {record(kName, 1, four("6.6.6.6"))});
  ::sendto(stranger.fd(), packet.data(), packet.size(), 0, asked->from.get(), asked->from.size);
  EXPECT_FALSE(becomes(lookup.fd(), POLLIN, 0));
}

TEST_F(ContainLookup, ANameThatDoesNotExistIsKnownAtOnce) {
  Lookup lookup = begin();
  const auto asked = next();
  ASSERT_TRUE(asked);
  answer(*asked, reply(asked->question, {}, 0x8183));
  hear(lookup);
  EXPECT_EQ(found(lookup), Found{});
}

TEST_F(ContainLookup, SilenceIsAskedAgainAsOftenAsTheFileSays) {
  Lookup lookup = begin();
  EXPECT_TRUE(next() && next());
  EXPECT_EQ(lookup.deadline() - now_, 2s);
  pass_time(lookup);
  EXPECT_TRUE(next() && next());
  EXPECT_EQ(found(lookup), Found{"still asking"});
  pass_time(lookup);
  EXPECT_EQ(found(lookup), Found{});
  EXPECT_FALSE(next(0));
}

TEST_F(ContainLookup, AfterOneServerTheNextIsAskedAtOnceWhenItCannotSay) {
  configure("nameserver 127.0.0.1\nnameserver 127.0.0.1\n");
  Lookup lookup = begin();
  for (int count = 0; count < 2; ++count) {
    const auto asked = next();
    ASSERT_TRUE(asked);
    answer(*asked, reply(asked->question, {}, 0x8182));
    hear(lookup);
  }
  for (int count = 0; count < 2; ++count) {
    const auto asked = next();
    ASSERT_TRUE(asked);
    answer(*asked, reply(asked->question, records_for(asked->question)));
    hear(lookup);
  }
  EXPECT_EQ(found(lookup), (Found{"1.2.3.4", "2606::1"}));
}

TEST_F(ContainLookup, ANobodyAtTheServersPortIsNotWaitedFor) {
  datagrams_ = File();
  Lookup lookup = begin();
  while (!lookup.addresses()) hear(lookup);
  EXPECT_EQ(found(lookup), Found{});
}

TEST_F(ContainLookup, OneKindOfAddressDoesNotWaitLongForTheOther) {
  Lookup lookup = begin();
  const auto asked = next();
  ASSERT_TRUE(asked);
  answer(*asked, reply(asked->question, records_for(asked->question)));
  hear(lookup);
  EXPECT_EQ(found(lookup), Found{"still asking"});
  EXPECT_EQ(lookup.deadline() - now_, 1s);
  pass_time(lookup);
  EXPECT_EQ(found(lookup), Found{"1.2.3.4"});
}

TEST_F(ContainLookup, AnAnswerThatIsTooLongIsAskedForByTcp) {
  Lookup lookup = begin();
  const auto asked = next();
  ASSERT_TRUE(asked);
  answer(*asked, reply(asked->question, {}, 0x8380));
  hear(lookup);
  const File caller = accepted(stream_);
  ASSERT_TRUE(caller);
  while (lookup.wants_writing()) hear(lookup);
  ASSERT_TRUE(becomes(caller.fd(), POLLIN));
  std::string questions = heard_by(caller);
  std::string answers;
  while (questions.size() > 2) {
    const std::size_t size = static_cast<unsigned char>(questions[1]);
    const Question question = question_in(questions.substr(2, size));
    const std::string packet = reply(question, records_for(question));
    answers += two(static_cast<unsigned>(packet.size())) + packet;
    questions.erase(0, 2 + size);
  }
  // However the stream is cut.
  say(caller, answers.substr(0, 1));
  hear(lookup);
  EXPECT_EQ(found(lookup), Found{"still asking"});
  say(caller, answers.substr(1));
  while (!lookup.addresses()) hear(lookup);
  EXPECT_EQ(found(lookup), (Found{"1.2.3.4", "2606::1"}));
}

TEST_F(ContainLookup, AServerThatHangsUpOrFloodsIsLeftForTheNext) {
  configure("nameserver 127.0.0.1\noptions attempts:1\n");
  Lookup lookup = begin();
  auto asked = next();
  ASSERT_TRUE(asked && next());
  for (int count = 0; count < 40; ++count) answer(*asked, "this is no packet");
  while (!lookup.addresses()) hear(lookup);
  EXPECT_EQ(found(lookup), Found{});

  Lookup other = begin();
  asked = next();
  ASSERT_TRUE(asked);
  answer(*asked, reply(asked->question, {}, 0x8380));
  hear(other);
  { const File caller = accepted(stream_); }
  while (!other.addresses()) hear(other);
  EXPECT_EQ(found(other), Found{});
}

TEST(ContainNames, TheFileOfServersIsReadWithinItsBounds) {
  const NameServers none = name_servers_in("");
  ASSERT_EQ(none.servers.size(), 1U);
  EXPECT_EQ(text_of(none.servers[0]), "127.0.0.1");
  const NameServers made = name_servers_in(
      "# nameserver 9.9.9.9\nsearch example.com\nnameserver  1.1.1.1 # first\n"
      "nameserver\tfd00::1\nnameserver nonsense\nnameserver 2.2.2.2\nnameserver 3.3.3.3\n"
      "options rotate timeout:900 attempts:0 attempts:900\n");
  ASSERT_EQ(made.servers.size(), 3U);
  EXPECT_EQ(text_of(made.servers[1]), "fd00::1");
  EXPECT_EQ(made.patience, 5s);
  EXPECT_EQ(made.rounds, 3);
}

}  // namespace
}  // namespace capsule::contain
