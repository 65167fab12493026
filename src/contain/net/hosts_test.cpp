#include "contain/net/hosts.h"

#include <gtest/gtest.h>

namespace capsule::contain {
namespace {

std::vector<Allowed> list_of(std::initializer_list<const char*> rows) {
  std::vector<Allowed> list;
  for (const char* row : rows) {
    auto one = allowed_of(row);
    EXPECT_TRUE(one) << row;
    if (one) list.push_back(*one);
  }
  return list;
}

bool allowed(const std::vector<Allowed>& list, std::string_view text) {
  const auto target = target_of(text);
  return target && allows(list, *target);
}

TEST(ContainHosts, ANameIsAllowedExactlyWithItsPort) {
  const auto list = list_of({"api.example.com:443", "Other.Example.com:8443"});
  EXPECT_TRUE(allowed(list, "api.example.com:443"));
  EXPECT_TRUE(allowed(list, "API.EXAMPLE.com:443"));
  EXPECT_TRUE(allowed(list, "other.example.com:8443"));
  for (const char* other :
       {"api.example.com:80", "api.example.com:4430", "example.com:443", "xapi.example.com:443",
        "a.api.example.com:443", "api.example.com.evil.example:443", "api-example.com:443",
        "api.example.co:443", "api.example.comm:443", "other.example.com:443"})
    EXPECT_FALSE(allowed(list, other)) << other;
}

TEST(ContainHosts, AStarStandsForEveryHostBelowAndNotForTheNameItself) {
  const auto list = list_of({"*.packages.example.com:443"});
  EXPECT_TRUE(allowed(list, "a.packages.example.com:443"));
  EXPECT_TRUE(allowed(list, "a.b.packages.example.com:443"));
  for (const char* other : {"packages.example.com:443", "xpackages.example.com:443",
                            ".packages.example.com:443", "a.packages.example.com:80"})
    EXPECT_FALSE(allowed(list, other)) << other;
}

TEST(ContainHosts, WhatIsNeitherANameNorAnAddressIsNoTarget) {
  using namespace std::string_literals;
  for (const std::string& text : {"api.example.com"s,
                                  "api.example.com."s,
                                  "api.example.com.:443"s,
                                  ":443"s,
                                  "a:"s,
                                  "a:0"s,
                                  "a:65536"s,
                                  "a:+443"s,
                                  "a: 443"s,
                                  "a:443 "s,
                                  " a:443"s,
                                  "a:044"s,
                                  "a b:443"s,
                                  "user@a:443"s,
                                  "a#b:443"s,
                                  "a/b:443"s,
                                  "a\0b:443"s,
                                  "a%2eb:443"s,
                                  "-a:443"s,
                                  "a-:443"s,
                                  "a..b:443"s,
                                  "http://a:443"s,
                                  "a:443:443"s,
                                  "\xC3\xA4.example:443"s,
                                  "2130706433:443"s,
                                  "0x7f000001:443"s,
                                  "127.1:443"s,
                                  "0177.0.0.1:443"s,
                                  "127.0.0.0x1:443"s,
                                  "1.2.3:443"s,
                                  "256.1.1.1:443"s,
                                  "01.2.3.4:443"s,
                                  "[127.0.0.1]:443"s,
                                  "::1:443"s,
                                  "[::1:443"s,
                                  "[::1%lo]:443"s,
                                  "[a]:443"s,
                                  "[]:443"s,
                                  std::string(64, 'a') + ".example:443",
                                  std::string(250, 'a') + ".b:443"})
    EXPECT_FALSE(target_of(text)) << text;
}

TEST(ContainHosts, AnAddressIsReadInItsUsualSpellingAndComparedByWhatItIs) {
  const auto list = list_of({"10.1.2.3:443", "[fd00:0:0::1]:443"});
  EXPECT_TRUE(allowed(list, "10.1.2.3:443"));
  EXPECT_TRUE(allowed(list, "[FD00::1]:443"));
  EXPECT_FALSE(allowed(list, "10.1.2.4:443"));
  EXPECT_FALSE(allowed(list, "[::ffff:10.1.2.3]:443"));
  EXPECT_EQ(text_of(*target_of("[fd00:0::0:1]:443")), "[fd00::1]:443");
}

TEST(ContainHosts, ARowThatIsWrongSaysWhy) {
  struct {
    const char* row;
    const char* words;
  } const kRows[] = {
      {"api.example.com", "port is missing"},
      {"https://api.example.com:443", "without https://"},
      {"*.com:443", "below a domain"},
      {"*:443", "neither a name"},
      {"a.*.com:443", "neither a name"},
      {"*.10.1.2.3:443", "below a domain"},
      {"localhost:5432", "this machine"},
      {"127.0.0.1:5432", "this machine"},
      {"0.0.0.0:80", "this machine"},
      {"[::1]:80", "this machine"},
      {"[::ffff:127.0.0.1]:80", "this machine"},
      {"169.254.169.254:80", "this link"},
      {"224.0.0.1:80", "this link"},
  };
  for (const auto& row : kRows) {
    const auto made = allowed_of(row.row);
    ASSERT_FALSE(made) << row.row;
    EXPECT_EQ(made.error().reason, Reason::usage);
    EXPECT_NE(made.error().message.find(row.words), std::string::npos) << made.error().message;
    EXPECT_FALSE(made.error().hint.empty());
  }
}

TEST(ContainHosts, OnlyAddressesOfTheInternetArePublic) {
  for (const char* text :
       {"1.1.1.1", "8.8.8.8", "172.15.255.255", "172.32.0.1", "100.63.0.1", "100.128.0.1",
        "192.169.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450::1", "64:ff9b::808:808"})
    EXPECT_TRUE(is_public(*address_of(text))) << text;
  for (const char* text : {"0.0.0.0",
                           "0.1.2.3",
                           "10.0.0.1",
                           "100.64.0.1",
                           "100.127.255.255",
                           "127.0.0.1",
                           "127.255.255.254",
                           "169.254.169.254",
                           "172.16.0.1",
                           "172.31.255.255",
                           "192.0.0.1",
                           "192.0.2.1",
                           "192.88.99.1",
                           "192.168.1.1",
                           "198.18.0.1",
                           "198.19.255.255",
                           "198.51.100.1",
                           "203.0.113.1",
                           "224.0.0.1",
                           "239.1.1.1",
                           "240.0.0.1",
                           "255.255.255.255",
                           "::",
                           "::1",
                           "::ffff:8.8.8.8",
                           "::ffff:127.0.0.1",
                           "::8.8.8.8",
                           "64:ff9b::7f00:1",
                           "64:ff9b::a00:1",
                           "64:ff9b:1::1",
                           "100::1",
                           "2001::1",
                           "2001:db8::1",
                           "2002:7f00:1::",
                           "3fff::1",
                           "fc00::1",
                           "fd00::1",
                           "fe80::1",
                           "fec0::1",
                           "ff02::1",
                           "4000::1"})
    EXPECT_FALSE(is_public(*address_of(text))) << text;
}

TEST(ContainHosts, ARefusalComesWithTheLineThatWouldAllowIt) {
  EXPECT_EQ(line_that_allows({*target_of("a.example:443")}), "allow: [\"a.example:443\"]");
  EXPECT_EQ(line_that_allows({*target_of("[fd00::1]:443")}), "allow: [\"[fd00::1]:443\"]");
  EXPECT_EQ(line_that_allows({*target_of("localhost:5432")}), "forward: [5432]");
  EXPECT_EQ(line_that_allows({*target_of("127.0.0.1:5432")}), "forward: [5432]");
  EXPECT_EQ(line_that_allows({*target_of("169.254.169.254:80")}), "");
  EXPECT_EQ(line_that_allows({*target_of("a.example:443"), Refused::not_public, "10.1.2.3"}),
            "allow: [\"10.1.2.3:443\"]");
  EXPECT_EQ(line_that_allows({*target_of("a.example:443"), Refused::not_public, "127.0.0.1"}),
            "forward: [443]");
  EXPECT_EQ(sentence_of({*target_of("a.example:443"), Refused::not_allowed, "", 3}),
            "a.example:443 was refused 3 times: it is not on the list");
}

// What is offered as the remedy is a row that the list takes.
TEST(ContainHosts, EveryLineThatAllowsIsTakenByTheList) {
  for (const char* text : {"a.example:443", "[fd00::1]:8443", "10.0.0.1:80", "a_b.example:443"}) {
    const std::string line = line_that_allows({*target_of(text)});
    const std::size_t from = line.find('"') + 1;
    const auto row = allowed_of(line.substr(from, line.rfind('"') - from));
    ASSERT_TRUE(row) << line;
    EXPECT_TRUE(allows({*row}, *target_of(text)));
  }
}

}  // namespace
}  // namespace capsule::contain
