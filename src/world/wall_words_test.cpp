#include "world/wall_words.h"

#include <gtest/gtest.h>

namespace capsule::world {
namespace {

using contain::Mount;
using contain::Net;
using contain::Wish;
using Words = std::vector<std::string>;

Wish wished(const WallWords& words, const config::Config& config = {}) {
  const auto wish = wish_of(config, words, "/work");
  EXPECT_TRUE(wish) << wish.error().message;
  return wish.value_or(Wish{});
}
std::string refusal(const WallWords& words) {
  const auto wish = wish_of({}, words, "/work");
  if (wish) return "";
  EXPECT_EQ(wish.error().reason, Reason::usage);
  return wish.error().message;
}

TEST(WallWords, WithoutAnyAreWhatTheConfigurationSays) {
  config::Config config;
  config.contain.preset = config::ContainPreset::strict;
  config.contain.read = {"/usr"};
  const Wish wish = wished({}, config);
  EXPECT_EQ(wish.folder, "/work");
  EXPECT_EQ(wish.role, contain::Role::writer);
  EXPECT_EQ(wish.preset, contain::Preset::strict);
  EXPECT_EQ(wish.read, Words{"/usr"}) << "what is not there is left out";
  EXPECT_FALSE(wish.net) << "the preset's own";
  EXPECT_EQ(wish.private_home + wish.layer, "");
}

TEST(WallWords, GoBeforeTheConfigurationAndAddToItsPlaces) {
  config::Config config;
  config.contain.preset = config::ContainPreset::strict;
  config.contain.read = {"/usr"};
  WallWords words;
  words.preset = "worktree";
  words.role = "gate";
  words.missing = "weaker";
  words.read = {"/more"};
  words.write = {"/w"};
  words.scratch = {"/s"};
  words.env = {"TOKEN"};
  words.home = "/h";
  words.layer = "/l";
  const Wish wish = wished(words, config);
  EXPECT_EQ(wish.preset, contain::Preset::worktree);
  EXPECT_EQ(wish.role, contain::Role::gate);
  EXPECT_EQ(wish.missing, contain::Missing::weaker);
  EXPECT_EQ(wish.read, (Words{"/usr", "/more"}));
  EXPECT_EQ(wish.write, Words{"/w"});
  EXPECT_EQ(wish.scratch.back(), "/s");
  EXPECT_EQ(wish.env.back(), "TOKEN");
  EXPECT_EQ(wish.private_home, "/h");
  EXPECT_EQ(wish.layer, "/l");
}

TEST(WallWords, AHostThatIsAllowedAsksForAProxyUnlessANetworkIsNamed) {
  WallWords words;
  words.allow = {"example.com:443"};
  EXPECT_EQ(wished(words).net, Net::proxy);
  words.net = "off";
  EXPECT_EQ(wished(words).net, Net::off);
  words = {};
  words.net = "open";
  EXPECT_EQ(wished(words).net, Net::open);
}

TEST(WallWords, AMountIsPartedAtItsFirstEqualsSign) {
  WallWords words;
  words.mount = {"/a=/b=c", "/alone"};
  EXPECT_EQ(wished(words).mounts, (std::vector<Mount>{{"/a", "/b=c"}, {"/alone", ""}}));
}

TEST(WallWords, WhatIsNoPortAndNoNameIsRefused) {
  WallWords words;
  words.forward = {"8080", "70000"};
  EXPECT_EQ(wished(words).forward, (std::vector<int>{8080, 70000})) << "make_policy judges them";
  for (const char* word : {"http", "80x", "", "99999999999"}) {
    words.forward = {word};
    EXPECT_NE(refusal(words).find("--forward wants the number of a port"), std::string::npos);
  }
  words = {};
  words.preset = "loose";
  EXPECT_EQ(refusal(words), "--preset cannot be loose");
  words = {};
  words.role = "boss\x1b";
  EXPECT_EQ(refusal(words), "--role cannot be boss\\x1b");
}

}  // namespace
}  // namespace capsule::world
