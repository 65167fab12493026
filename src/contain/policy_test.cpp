#include "contain/policy.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "contain/landlock.h"
#include "contain/places.h"
#include "contain/plan.h"
#include "tests/contain/kernel.h"

namespace capsule::contain {
namespace {

namespace fs = std::filesystem;

class PolicyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "contain-policy-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    home_ = fs::canonical(name).string();
    wish_.home = home_;
    wish_.folder = make("work");
    wish_.search = "/usr/bin:/bin";
  }
  void TearDown() override { fs::remove_all(home_); }

  std::string make(const std::string& name) const {
    fs::create_directories(home_ + "/" + name);
    return home_ + "/" + name;
  }
  Policy policy() const {
    auto made = make_policy(wish_);
    EXPECT_TRUE(made) << made.error().message;
    return made ? std::move(*made) : Policy();
  }
  static const Place* at(const Policy& policy, const std::string& path) {
    const auto found = std::find_if(policy.places.begin(), policy.places.end(),
                                    [&](const Place& place) { return place.path == path; });
    return found == policy.places.end() ? nullptr : &*found;
  }

  std::string home_;
  Wish wish_;
};

TEST_F(PolicyTest, AWriterChangesItsFolderAndOthersALayerOverIt) {
  EXPECT_EQ(at(policy(), wish_.folder)->access, Access::write);
  wish_.role = Role::reviewer;
  EXPECT_EQ(at(policy(), wish_.folder)->access, Access::scratch);
  wish_.role = Role::gate;
  EXPECT_EQ(at(policy(), wish_.folder)->access, Access::scratch);
}

TEST_F(PolicyTest, TheNetworkIsOffForStrictAndForGatesUnlessItIsNamed) {
  EXPECT_EQ(policy().net, Net::open);
  wish_.role = Role::gate;
  EXPECT_EQ(policy().net, Net::off);
  wish_.net = Net::open;
  EXPECT_EQ(policy().net, Net::open);
  wish_ = {.preset = Preset::strict, .folder = wish_.folder, .home = home_};
  EXPECT_EQ(policy().net, Net::off);
}

TEST_F(PolicyTest, TheHomeIsEmptyAndParentsComeBeforeWhatIsInThem) {
  const Policy made = policy();
  ASSERT_NE(at(made, home_), nullptr);
  EXPECT_EQ(at(made, home_)->access, Access::memory);
  EXPECT_LT(at(made, home_), at(made, wish_.folder));
  EXPECT_EQ(at(made, home_ + "/.ssh"), nullptr);
}

TEST_F(PolicyTest, AFolderThatHoldsTheHomeIsRefused) {
  for (const std::string& folder : {home_, fs::path(home_).parent_path().string()}) {
    wish_.folder = folder;
    const auto made = make_policy(wish_);
    ASSERT_FALSE(made) << folder;
    EXPECT_EQ(made.error().reason, Reason::usage);
    EXPECT_FALSE(made.error().hint.empty());
  }
  wish_.folder = make("work");
  wish_.write = {"/"};
  EXPECT_FALSE(make_policy(wish_));
  wish_.write = {home_};
  EXPECT_FALSE(make_policy(wish_));
}

TEST_F(PolicyTest, ALinkToTheHomeIsTheHome) {
  fs::create_directory_symlink(home_, home_ + "/link");
  wish_.read = {home_ + "/link"};
  EXPECT_FALSE(make_policy(wish_));
}

TEST_F(PolicyTest, APlaceThatDoesNotExistIsRefused) {
  wish_.read = {home_ + "/nowhere"};
  const auto made = make_policy(wish_);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("nowhere"), std::string::npos) << made.error().message;
}

TEST_F(PolicyTest, ThePlaceOfARepositoryCanOnlyBeRead) {
  make("work/.git");
  const Policy made = policy();
  ASSERT_NE(at(made, wish_.folder + "/.git"), nullptr);
  EXPECT_EQ(at(made, wish_.folder + "/.git")->access, Access::read);
}

TEST_F(PolicyTest, FoldersOnPathAreReadButNotThoseThatHoldTheHome) {
  wish_.search = make("tools/bin") + "::relative:" + home_ + ":/usr/bin:" + home_ + "/missing";
  const Policy made = policy();
  EXPECT_EQ(at(made, home_ + "/tools/bin")->access, Access::read);
  EXPECT_NE(std::find(made.env.begin(), made.env.end(), "PATH=" + home_ + "/tools/bin:/usr/bin"),
            made.env.end());
}

TEST_F(PolicyTest, AVersionManagerIsSeenAsAWholeAndCargoWithoutItsCredentials) {
  wish_.search = make(".nvm/versions/node/v20/bin") + ":" + make(".cargo/bin");
  make(".rustup");
  const Policy made = policy();
  EXPECT_NE(at(made, home_ + "/.nvm"), nullptr);
  EXPECT_NE(at(made, home_ + "/.cargo/bin"), nullptr);
  EXPECT_NE(at(made, home_ + "/.rustup"), nullptr);
  EXPECT_EQ(at(made, home_ + "/.cargo"), nullptr);
}

TEST_F(PolicyTest, TheEnvironmentIsMadeUpAndVariablesAreHandedOverByName) {
  ::setenv("CAPSULE_TEST_SECRET", "hunter2", 1);
  ::setenv("CAPSULE_TEST_GIVEN", "yes", 1);
  wish_.env = {"CAPSULE_TEST_GIVEN", "CAPSULE_TEST_UNSET"};
  const Policy made = policy();
  const auto has = [&](const std::string& entry) {
    return std::find(made.env.begin(), made.env.end(), entry) != made.env.end();
  };
  EXPECT_TRUE(has("CAPSULE_TEST_GIVEN=yes"));
  EXPECT_TRUE(has("HOME=" + home_));
  EXPECT_TRUE(has("TMPDIR=/tmp"));
  for (const std::string& entry : made.env) EXPECT_EQ(entry.find("hunter2"), entry.npos) << entry;
}

TEST_F(PolicyTest, AVariableThatIsSetGoesBeforeOneThatIsHandedOverAndTheLastWordCounts) {
  ::setenv("CAPSULE_TEST_GIVEN", "outside", 1);
  wish_.env = {"CAPSULE_TEST_GIVEN"};
  wish_.set = {"CAPSULE_TEST_GIVEN=first", "TMPDIR=/var/tmp", "CAPSULE_TEST_GIVEN=last=word"};
  std::vector<std::string> found;
  for (const std::string& entry : policy().env)
    if (entry.starts_with("CAPSULE_TEST_GIVEN=") || entry.starts_with("TMPDIR="))
      found.push_back(entry);
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, (std::vector<std::string>{"CAPSULE_TEST_GIVEN=last=word", "TMPDIR=/var/tmp"}));
  ::unsetenv("CAPSULE_TEST_GIVEN");
}

TEST_F(PolicyTest, AMountAppearsElsewhereAndWinsOverWhatIsThere) {
  make("work/.git");
  wish_.mounts = {{wish_.folder + "/.git", make("private"), Access::write}};
  const Policy made = policy();
  const Place* git = at(made, wish_.folder + "/.git");
  ASSERT_NE(git, nullptr);
  EXPECT_EQ(git->access, Access::write);
  EXPECT_EQ(git->outside(), home_ + "/private");
  EXPECT_TRUE(open_again(*git));
  fs::rename(home_ + "/private", home_ + "/old");
  make("private");
  EXPECT_FALSE(open_again(*git));
  wish_.mounts = {{home_ + "/x", home_ + "/nowhere"}};
  EXPECT_FALSE(make_policy(wish_));
}

TEST_F(PolicyTest, AMountStaysInItsPlaceWhereALinkIsPlanted) {
  fs::create_directory_symlink("/etc", wish_.folder + "/.claude");
  wish_.mounts = {{wish_.folder + "/.claude", make("clean")}};
  EXPECT_NE(at(policy(), wish_.folder + "/.claude"), nullptr);
}

TEST_F(PolicyTest, AHomeOfItsOwnLiesElsewhere) {
  wish_.private_home = make("homes/one");
  const Policy made = policy();
  ASSERT_NE(at(made, home_), nullptr);
  EXPECT_EQ(at(made, home_)->access, Access::write);
  EXPECT_EQ(at(made, home_)->outside(), home_ + "/homes/one");
  EXPECT_EQ(at(made, home_ + "/homes/one"), nullptr);
  wish_.private_home = home_ + "/nowhere";
  EXPECT_FALSE(make_policy(wish_));
}

TEST_F(PolicyTest, ALayerThatIsKeptLiesApartFromTheFolder) {
  wish_.role = Role::reviewer;
  wish_.layer = make("layer");
  const Policy made = policy();
  EXPECT_EQ(at(made, wish_.folder)->layer.path, home_ + "/layer");
  EXPECT_EQ(at(made, home_ + "/layer"), nullptr);
  for (const std::string& layer : {make("work/layer"), home_, wish_.folder}) {
    wish_.layer = layer;
    EXPECT_FALSE(make_policy(wish_)) << layer;
  }
  wish_.role = Role::writer;
  EXPECT_TRUE(at(policy(), wish_.folder)->layer.path.empty());
}

TEST_F(PolicyTest, WhatInEtcIsNotForAllIsHiddenFromWhoeverCouldReadIt) {
  const Policy made = policy();
  const Place* shadow = at(made, "/etc/shadow");
  if (::access("/etc/shadow", R_OK) == 0) {
    ASSERT_NE(shadow, nullptr);
    EXPECT_EQ(shadow->access, Access::hidden);
  } else {
    EXPECT_EQ(shadow, nullptr) << "its own rights are enough";
  }
}

TEST_F(PolicyTest, APlaceThatWasExchangedIsNotOpenedAgain) {
  const auto place = pin(wish_.folder, Access::write);
  ASSERT_TRUE(place);
  EXPECT_TRUE(open_again(*place));
  fs::rename(wish_.folder, home_ + "/old");
  make("work");
  const auto again = open_again(*place);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().reason, Reason::refused);
  fs::remove_all(wish_.folder);
  fs::create_directory_symlink(home_ + "/old", wish_.folder);
  EXPECT_FALSE(open_again(*place)) << "a link to the same folder is not the same place";
}

TEST_F(PolicyTest, WhatTheKernelLacksIsRefusedOrNamed) {
  Policy made = policy();
  const Error none{Reason::refused, "no namespaces", "remedy"};
  EXPECT_TRUE(plan(made, {.landlock = 7, .seccomp = true})->gaps.empty());
  EXPECT_FALSE(plan(made, {.landlock = 7, .seccomp = false}));
  EXPECT_FALSE(plan(made, {.landlock = 0, .seccomp = true}));
  EXPECT_FALSE(plan(made, {.landlock = 7, .seccomp = true, .no_namespaces = none}));
  EXPECT_EQ(plan(made, {.landlock = 2, .seccomp = true})->gaps,
            std::vector<Gap>{Gap::abstract_sockets});

  EXPECT_EQ(plan(made, {.landlock = 2, .seccomp = true, .terminal = true})->gaps,
            (std::vector<Gap>{Gap::abstract_sockets, Gap::process_group}));
  EXPECT_FALSE(plan(made, {.landlock = 7, .seccomp = true, .terminal = true})->own_group);

  made.limits.cpu = 150;
  EXPECT_EQ(plan(made, {.landlock = 7, .seccomp = true})->gaps, std::vector<Gap>{Gap::processors});
  EXPECT_TRUE(
      plan(made, {.landlock = 7, .seccomp = true, .shares_processors = true})->gaps.empty());
  made.limits.cpu = 0;

  made.missing = Missing::weaker;
  EXPECT_FALSE(plan(made, {.landlock = 7, .seccomp = false})) << "nothing goes without the filter";
  EXPECT_EQ(plan(made, {.landlock = 0, .seccomp = true})->gaps,
            (std::vector<Gap>{Gap::no_landlock, Gap::abstract_sockets}));
  const auto weaker = plan(made, {.landlock = 7, .seccomp = true, .no_namespaces = none});
  ASSERT_TRUE(weaker);
  EXPECT_FALSE(weaker->namespaces);
  EXPECT_EQ(weaker->gaps.front(), Gap::no_namespaces);
  EXPECT_FALSE(plan(made, {.landlock = 0, .seccomp = true, .no_namespaces = none}));
  made.places.push_back({"/elsewhere", Access::read, {}, true, "/here"});
  EXPECT_EQ(plan(made, {.landlock = 7, .seccomp = true, .no_namespaces = none})->gaps.back(),
            Gap::no_elsewhere);
  made.preset = Preset::strict;
  EXPECT_FALSE(plan(made, {.landlock = 7, .seccomp = true, .no_namespaces = none}))
      << "strict does not go without namespaces";
}

TEST_F(PolicyTest, AKeyThatCannotBeKeptOutsideIsRefusedNotLost) {
  const auto refused = [&](std::optional<Net> net, const Broker& broker) {
    wish_.net = net;
    wish_.broker = broker;
    const auto made = make_policy(wish_);
    return !made && made.error().reason == Reason::usage;
  };
  const Broker::Key key{"KEY", "x-api-key", "", "secret"};
  EXPECT_TRUE(refused(Net::open, {"http://service", "URL", {key}})) << "others could ask, too";
  EXPECT_TRUE(refused(Net::off, {"service", "URL", {key}}));
  EXPECT_TRUE(refused(Net::off, {"http://service", "URL", {{"KEY", "h", "", "two\nlines"}}}));
  EXPECT_FALSE(refused(Net::off, {"http://service", "URL", {key}}));
}

TEST_F(PolicyTest, WhoseKeyIsKeptHasAWordAndAnAddressInItsPlace) {
  wish_.net = Net::proxy;
  wish_.set = {"KEY=of the caller", "URL=https://service"};
  wish_.broker = Broker{"http://service", "URL", {{"KEY", "x-api-key", "", "secret"}}};
  const auto made = make_policy(wish_);
  ASSERT_TRUE(made) << made.error().message;
  using ::testing::Contains, ::testing::HasSubstr, ::testing::Not;
  EXPECT_THAT(made->env, Contains("KEY=kept-outside"));
  EXPECT_THAT(made->env, Contains("URL=http://127.0.0.1:3129"));
  EXPECT_THAT(made->env, Not(Contains(HasSubstr("of the caller"))));
  EXPECT_THAT(made->env, Not(Contains(HasSubstr("secret"))));
}

TEST_F(PolicyTest, NamespacesThatWereFoundOnceAreNotTriedAgain) {
  Policy policy;
  policy.missing = Missing::weaker;
  std::thread([&] {
    test::without_user_namespaces();
    EXPECT_TRUE(look_at_kernel(policy).no_namespaces);
    policy.namespaces_found = true;
    EXPECT_FALSE(look_at_kernel(policy).no_namespaces);
  }).join();
}

TEST_F(PolicyTest, EveryGapHasItsSentence) {
  for (int gap = 0; gap <= static_cast<int>(Gap::git_settings); ++gap)
    EXPECT_FALSE(sentence_of(static_cast<Gap>(gap)).empty()) << gap;
}

}  // namespace
}  // namespace capsule::contain
