#include "contain/wish_wire.h"

#include <gtest/gtest.h>

namespace capsule::contain {
namespace {

// Every member is another than in a wish that nobody has filled.
Wish full_wish() {
  Wish wish;
  wish.preset = Preset::strict;
  wish.role = Role::gate;
  wish.net = Net::off;
  wish.missing = Missing::weaker;
  wish.namespaces_found = true;
  wish.folder = "/folder/a b";
  wish.start = "/folder/a b/c";
  wish.home = "/home/me";
  wish.search = "/usr/bin:/bin";
  wish.read = {"/r", ""};
  wish.write = {std::string("\n\0\xff", 3)};
  wish.scratch = {"/s", "/s/t", "/u"};
  wish.env = {"NAME"};
  wish.set = {"A=b=c"};
  wish.allow = {"a.example.com:443"};
  wish.forward = {5432, 1};
  wish.broker = Broker{"https://a.example.com", "URL", {{"KEY", "x-api-key", "Bearer ", "secret"}}};
  wish.limits = {1, 2};
  wish.mounts = {{"/inside", "/outside", Access::scratch}};
  wish.private_home = "/h";
  wish.layer = "/l";
  wish.cover = "/c";
  return wish;
}

Report full_report() {
  Report report;
  report.preset = Preset::strict;
  report.role = Role::gate;
  report.net = Net::proxy;
  report.broker = true;
  report.namespaces = report.own_group = report.seccomp = false;
  report.own_network = true;
  report.landlock = 7;
  report.gaps = {Gap::git_settings, Gap::no_namespaces, Gap::uncounted};
  return report;
}

TEST(WishWire, NothingOfAWishIsLostOnTheWay) {
  for (const Wish& wish : {full_wish(), Wish{}}) {
    const auto read = read_wish(bytes_of(wish));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, wish);
  }
}

TEST(WishWire, NothingOfAReportIsLostOnTheWay) {
  for (const Report& report : {full_report(), Report{}}) {
    const auto read = read_report(bytes_of(report));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, report);
  }
}

TEST(WishWire, NothingOfWhatWasRefusedIsLostOnTheWay) {
  const Refusals all{{{"a.example.com:443", 3, "10.1.2.3", "allow: []"}, {"b:1", 1}}, 7};
  for (const Refusals& refusals : {all, Refusals{}}) {
    const auto read = read_refusals(bytes_of(refusals));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, refusals);
  }
}

TEST(WishWire, NothingOfAFailureIsLostOnTheWay) {
  const auto read = read_error(bytes_of(Error{Reason::refused, "no", "do"}));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->reason, Reason::refused);
  EXPECT_EQ(read->message, "no");
  EXPECT_EQ(read->hint, "do");
}

TEST(WishWire, WhatIsCutShortOrTooLongIsDamaged) {
  const std::string bytes = bytes_of(full_wish());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto read = read_wish(std::string_view(bytes).substr(0, size));
    ASSERT_FALSE(read) << size;
    EXPECT_EQ(read.error().reason, Reason::damaged);
  }
  EXPECT_FALSE(read_wish(bytes + '\0'));
}

TEST(WishWire, NoOtherBytesMakeItAskForMemoryWithoutMeasure) {
  // Each length in turn is one that no text has.
  const std::string bytes = bytes_of(full_wish());
  for (std::size_t at = 0; at + 8 <= bytes.size(); ++at) {
    std::string wrong = bytes;
    wrong.replace(at, 8, 8, '\xff');
    (void)read_wish(wrong);
  }
}

TEST(WishWire, AValueThatAnEnumDoesNotHaveIsDamaged) {
  std::string bytes = bytes_of(full_wish());
  bytes[0] = 2;  // the first is the preset
  EXPECT_FALSE(read_wish(bytes));
}

}  // namespace
}  // namespace capsule::contain
