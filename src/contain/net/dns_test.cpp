#include "contain/net/dns.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "base/text.h"
#include "contain/net/dns_test_support.h"

namespace capsule::contain {
namespace {

using namespace testing;
using Kind = Answer::Kind;

const Question kAsked{0x1234, "api.example.com", RecordType::a};

std::vector<std::string> texts(const Answer& answer) {
  std::vector<std::string> all;
  for (const Address& one : answer.addresses) all.push_back(text_of(one));
  return all;
}
using Texts = std::vector<std::string>;

TEST(ContainDns, AQuestionIsWrittenAsServersReadIt) {
  EXPECT_EQ(packet_of({0x1234, "a.bc", RecordType::aaaa}),
            std::string("\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00"
                        "\x01"
                        "a\x02"
                        "bc\x00\x00\x1C\x00\x01",
                        22));
}

TEST(ContainDns, TheAddressesOfTheNameThatWasAskedForAreFound) {
  const Answer answer =
      answer_to(kAsked, reply(kAsked, {record("api.example.com", 1, four("1.2.3.4")),
                                       record("API.Example.COM", 1, four("1.2.3.5")),
                                       record("api.example.com", 28, six("2606:4700::1")),
                                       record("other.example.com", 1, four("6.6.6.6"))}));
  EXPECT_EQ(answer.kind, Kind::addresses);
  EXPECT_EQ(texts(answer), (Texts{"1.2.3.4", "1.2.3.5"}));
  const Question other{7, "api.example.com", RecordType::aaaa};
  EXPECT_EQ(texts(answer_to(other, reply(other, {record("api.example.com", 28, six("2606::1"))}))),
            Texts{"2606::1"});
}

TEST(ContainDns, AliasesAreFollowedInAnyOrderAndNotForEver) {
  const Answer answer =
      answer_to(kAsked, reply(kAsked, {record("c.example.net", 1, four("1.2.3.4")),
                                       record("b.example.net", 5, name("c.example.net")),
                                       record("api.example.com", 5, name("b.example.net"))}));
  EXPECT_EQ(texts(answer), Texts{"1.2.3.4"});
  const Answer loop =
      answer_to(kAsked, reply(kAsked, {record("api.example.com", 5, name("b.example.net")),
                                       record("b.example.net", 5, name("api.example.com"))}));
  EXPECT_EQ(loop.kind, Kind::addresses);
  EXPECT_TRUE(loop.addresses.empty());
}

TEST(ContainDns, ANameMayPointToAnEarlierOne) {
  std::string packet = reply(kAsked, {});
  packet[7] = 2;
  packet += std::string("\xC0\x0C\x00\x05\x00\x01\0\0\0\x09\x00\x04\x01x\xC0\x10", 16);
  // "x" below what stands at the second label of the question.
  packet += record("x.example.com", 1, four("1.2.3.4"));
  EXPECT_EQ(texts(answer_to(kAsked, packet)), Texts{"1.2.3.4"});
}

TEST(ContainDns, NamesThatPointToThemselvesOrForwardAreNoAnswer) {
  for (const char* pointer : {"\xC0\x21", "\xC0\x22", "\xC0\xFF", "\xFF\xFF"}) {
    std::string packet = reply(kAsked, {});
    ASSERT_EQ(packet.size(), 0x21U);
    packet[7] = 1;
    packet += std::string(pointer, 2) + std::string("\0\x01\0\x01\0\0\0\0\0\x04", 10) + "abcd";
    EXPECT_EQ(answer_to(kAsked, packet).kind, Kind::failed) << pointer;
  }
}

TEST(ContainDns, WhatWasNotAskedIsNotHeard) {
  const std::string good = reply(kAsked, {record("api.example.com", 1, four("1.2.3.4"))});
  ASSERT_EQ(answer_to(kAsked, good).kind, Kind::addresses);
  const auto changed = [&](std::size_t at, char to) {
    std::string packet = good;
    packet[at] = to;
    return answer_to(kAsked, packet).kind;
  };
  EXPECT_EQ(changed(0, 0x55), Kind::foreign) << "another number";
  EXPECT_EQ(changed(2, 0x01), Kind::foreign) << "a question";
  EXPECT_EQ(changed(2, '\xA1'), Kind::foreign) << "an answer of another kind";
  EXPECT_EQ(changed(5, 0), Kind::foreign) << "no question";
  EXPECT_EQ(changed(5, 2), Kind::foreign) << "two questions";
  EXPECT_EQ(changed(13, 'b'), Kind::foreign) << "another name";
  EXPECT_EQ(changed(30, 28), Kind::foreign) << "another kind of record";
  EXPECT_EQ(changed(32, 3), Kind::foreign) << "another class";
  EXPECT_EQ(answer_to({0x1234, "api.example.com", RecordType::aaaa}, good).kind, Kind::foreign);
}

TEST(ContainDns, AServerCanSayThatItDoesNotKnow) {
  const auto flags = [](std::uint16_t value) {
    return answer_to(kAsked, reply(kAsked, {}, value));
  };
  EXPECT_EQ(flags(0x8180).kind, Kind::addresses);
  EXPECT_EQ(flags(0x8183).kind, Kind::no_such_name);
  EXPECT_EQ(flags(0x8182).kind, Kind::failed);
  EXPECT_EQ(flags(0x8185).kind, Kind::failed);
  EXPECT_EQ(flags(0x8380).kind, Kind::truncated);
}

TEST(ContainDns, NoMoreAddressesAreTakenThanAnybodyTries) {
  std::vector<std::string> many(200, record("api.example.com", 1, four("1.2.3.4")));
  EXPECT_EQ(answer_to(kAsked, reply(kAsked, many)).addresses.size(), kMaxAddresses);
}

TEST(ContainDns, ALabelWithADotInItIsNotTwoLabels) {
  std::string packet = reply(kAsked, {});
  packet[7] = 1;
  packet += std::string("\x0F", 1) + "api.example.com" +
            std::string("\0\0\x01\0\x01\0\0\0\0\0\x04", 11) + "abcd";
  EXPECT_EQ(answer_to(kAsked, packet).kind, Kind::failed);
}

// Every cut, every changed byte, and a great many random packets: whatever comes, it ends, and what
// it finds is bounded. Run with sanitizers it also shows that nothing else is read.
TEST(ContainDns, NoPacketIsTooStrangeToBeRead) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::string good =
      reply(kAsked, {record("api.example.com", 5, name("b.example.net")),
                     std::string("\xC0\x0C\x00\x05\x00\x01\0\0\0\x09\x00\x04\x01x\xC0\x10", 16),
                     record("b.example.net", 1, four("1.2.3.4"))});
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_NE(answer_to(kAsked, good.substr(0, size)).kind, Kind::addresses) << size;
  const bool full = std::getenv("CAPSULE_TEST_FULL") != nullptr;
  for (int round = 0; round < (full ? 2'000'000 : 50'000); ++round) {
    std::string packet = good;
    if (round % 3 == 0) {
      packet.resize(random() % 600);
      for (char& byte : packet) byte = static_cast<char>(random());
      packet.replace(0, std::min<std::size_t>(packet.size(), 33), good, 0,
                     std::min<std::size_t>(packet.size(), 33));
    }
    const unsigned changes = random() % 8;
    for (unsigned i = 0; i < changes && !packet.empty(); ++i)
      packet[random() % packet.size()] =
          static_cast<char>(random() % 2 ? random() : 0xC0 | random() % 4);
    EXPECT_LE(answer_to(kAsked, packet).addresses.size(), kMaxAddresses);
  }
}

}  // namespace
}  // namespace capsule::contain
