#include "client/hook_install.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "client/hook_settings.h"

namespace capsule::client {
namespace {

namespace fs = std::filesystem;

class ClaudeFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/capsule hook.XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    root_ = name;
    fs::create_directories(root_ + "/project/.git");
    fs::create_directories(root_ + "/project/below");
    const auto place = claude_folder_of_project(root_ + "/project/below");
    ASSERT_TRUE(place);
    place_ = *place;
  }
  void TearDown() override { fs::remove_all(root_); }

  void settings(const std::string& text) {
    fs::create_directories(place_.folder);
    std::ofstream(place_.settings()) << text;
  }
  Result<void> install() {
    lines_.clear();
    return install_hook(place_, "capsule",
                        [this](const std::string& line) { lines_.push_back(line); });
  }
  Result<void> uninstall() {
    lines_.clear();
    return uninstall_hook(place_, "capsule",
                          [this](const std::string& line) { lines_.push_back(line); });
  }
  std::size_t backups() const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(place_.folder))
      count += entry.path().filename().string().find(".backup-") != std::string::npos ? 1U : 0U;
    return count;
  }

  std::string root_;
  ClaudeFolder place_;
  std::vector<std::string> lines_;
};

TEST_F(ClaudeFolderTest, OfAProjectIsAtTheTopOfItsRepository) {
  EXPECT_EQ(place_.folder, root_ + "/project/.claude");
  EXPECT_EQ(claude_folder_of_project(root_ + "/project/.git/none").error().reason,
            Reason::not_found);
}

TEST_F(ClaudeFolderTest, IsAsItWasAfterInstallAndUninstall) {
  ASSERT_TRUE(install());
  const HookState state = hook_state(place_);
  EXPECT_EQ(state.commands, std::vector<std::string>{"capsule hook stop"});
  EXPECT_EQ(state.slash_commands, kSlashCommands);
  EXPECT_EQ(state.fault, "");
  ASSERT_TRUE(uninstall());
  EXPECT_TRUE(hook_state(place_).commands.empty());
  EXPECT_FALSE(exists(place_.settings())) << "it was ours alone";
  EXPECT_FALSE(exists(place_.folder + "/commands"));
}

TEST_F(ClaudeFolderTest, KeepsABackupOfSettingsThatChangeAndOnlyOfThese) {
  settings("{\"model\": \"x\"}\n");
  ASSERT_TRUE(install());
  EXPECT_EQ(backups(), 1U);
  ASSERT_TRUE(install());
  EXPECT_EQ(backups(), 1U) << "nothing was changed";
  ASSERT_FALSE(lines_.empty());
  EXPECT_TRUE(lines_.front().starts_with("already installed")) << lines_.front();
  ASSERT_TRUE(uninstall());
  EXPECT_EQ(*read_file(place_.settings()), "{\"model\": \"x\"}\n");
}

TEST_F(ClaudeFolderTest, WithDamagedSettingsIsLeftAlone) {
  settings("{\"hooks\": ");
  const auto installed = install();
  ASSERT_FALSE(installed);
  EXPECT_EQ(installed.error().reason, Reason::damaged);
  EXPECT_EQ(*read_file(place_.settings()), "{\"hooks\": ");
  EXPECT_NE(hook_state(place_).fault, "");
}

TEST_F(ClaudeFolderTest, OfAProjectIsNeverFollowedThroughALink) {
  fs::create_directories(root_ + "/elsewhere");
  fs::create_directory_symlink(root_ + "/elsewhere", place_.folder);
  EXPECT_EQ(install().error().reason, Reason::refused);
  EXPECT_TRUE(fs::is_empty(root_ + "/elsewhere"));
}

TEST_F(ClaudeFolderTest, KeepsSlashCommandsThatAPersonWroteOrChanged) {
  fs::create_directories(place_.folder + "/commands");
  std::ofstream(place_.command("capsule-run.md")) << "mine\n";
  ASSERT_TRUE(install());
  EXPECT_EQ(*read_file(place_.command("capsule-run.md")), "mine\n");
  std::ofstream(place_.command("capsule-auto.md"), std::ios::app) << "and more\n";
  ASSERT_TRUE(uninstall());
  EXPECT_TRUE(exists(place_.command("capsule-run.md")));
  EXPECT_TRUE(exists(place_.command("capsule-auto.md")));
  EXPECT_FALSE(exists(place_.command("capsule-status.md")));
}

TEST_F(ClaudeFolderTest, OfSeveralHooksTheFirstWhoseProgramIsThereAnswers) {
  const std::string one = root_ + "/one/capsule", two = root_ + "/two/capsule";
  EXPECT_FALSE(another_answers({one, two}, one)) << "neither is there";
  EXPECT_FALSE(another_answers({one, two}, two));
  for (const char* folder : {"/one", "/two"}) {
    fs::create_directories(root_ + folder);
    fs::create_symlink("/bin/true", root_ + folder + "/capsule");
  }
  EXPECT_FALSE(another_answers({one, two}, one));
  EXPECT_TRUE(another_answers({one, two}, two));
  EXPECT_FALSE(another_answers({one, two}, "capsule")) << "a person, or a test, calls it";
  EXPECT_FALSE(another_answers({two}, two));
  // A colleague's settings may name a program that is not on this machine.
  fs::remove(one);
  EXPECT_FALSE(another_answers({one, two}, two));
}

TEST_F(ClaudeFolderTest, TellsWhichProgramsAreCalled) {
  settings(fresh_settings("/opt/capsule hook stop"));
  const ClaudeFolder user{root_ + "/user", Scope::user};
  fs::create_directories(user.folder);
  std::ofstream(user.settings()) << fresh_settings("'/a b/capsule' hook stop");
  const ClaudeFolder none{root_ + "/none", Scope::user};
  EXPECT_EQ(hook_programs({place_, none, user}),
            (std::vector<std::string>{"/opt/capsule", "/a b/capsule"}));
}

TEST_F(ClaudeFolderTest, PlacesAreToldWithWhatEachOfThemCalls) {
  const HookPlaces places{
      {place_, {}},
      {{place_.folder, Scope::local}, {{"capsule hook stop"}, "", 3}},
      {{root_ + "/home", Scope::user}, {{}, "no\nJSON", 0}},
  };
  EXPECT_TRUE(installed_in(places));
  EXPECT_FALSE(installed_in({places.front()}));
  const std::string text = places_text(places);
  EXPECT_NE(text.find("project  not installed  (" + place_.settings()), std::string::npos) << text;
  EXPECT_NE(text.find("local    installed, calls capsule hook stop"), std::string::npos) << text;
  EXPECT_NE(text.find("user     no\\nJSON"), std::string::npos) << text;
  EXPECT_EQ(text.find("Install it"), std::string::npos) << text;
  EXPECT_NE(places_text({places.front()}).find("Install it"), std::string::npos);
  EXPECT_NE(places_json(places).find(R"("slash_commands":0,"fault":"no\nJSON")"), std::string::npos)
      << places_json(places);
}

}  // namespace
}  // namespace capsule::client
