// capsule hook install, uninstall and status.
#include "tests/program/hook_project.h"

namespace capsule::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class HookInstall : public HookProject {
 protected:
  Outcome in(std::vector<std::string> args) const {
    return call({.args = std::move(args),
                 .env = {{"HOME", path("home")},
                         {"CLAUDE_CONFIG_DIR", std::nullopt},
                         {"CLAUDE_CODE_SESSION_ID", std::nullopt},
                         {"PATH", "/usr/bin:/bin"}},
                 .cwd = project()});
  }
  std::string settings() const { return path("p/.claude/settings.json"); }
  std::vector<std::string> backups() const {
    std::vector<std::string> texts;
    for (const auto& entry : std::filesystem::directory_iterator(path("p/.claude")))
      if (entry.path().string().find(".backup-") != std::string::npos)
        texts.push_back(read_file(entry.path()));
    return texts;
  }
  static std::string command() { return std::string(CAPSULE_BINARY) + " hook stop"; }
  // The commands of the Stop hooks.
  std::vector<std::string> stop_commands() const {
    std::vector<std::string> commands;
    std::string text = read_file(settings());
    if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    const Json json = Json::parse(text);
    for (const Json& group : json["hooks"]["Stop"])
      for (const Json& hook : group["hooks"]) commands.push_back(hook["command"]);
    return commands;
  }
};

// Settings as people have them.
const std::vector<std::string>& samples() {
  static const std::vector<std::string> texts{
      "{}",
      "{}\n",
      "{ }",
      "{\n}\n",
      "\xEF\xBB\xBF{\"a\": 1}",
      "{\"model\":\"x\",\"n\":1.10}",
      "{\"hooks\":{}}",
      "{\"hooks\":{\"Stop\":[]}}",
      "{\"a\":1, \"hooks\": {}}",
      "{\n\t\"model\": \"x\",\n\t\"permissions\": {\"allow\": [\"Bash(ls:*)\"]}\n}\n",
      "{\r\n    \"model\": \"\\u00e9\\/\"\r\n}\r\n",
      "{\"hooks\": {}}",
      "{\"hooks\": { }}",
      "{\"hooks\": {\"Stop\": []}}",
      "{\"hooks\": {\"Stop\": [ ]}}",
      "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": []}\n    "
      "]\n"
      "  },\n  \"z\": [1, 2]\n}\n",
      "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\"type\": "
      "\"command\", \"command\": \"notify-send done\"}\n        ]\n      }\n    ]\n  }\n}\n",
      "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"a\"}]},"
      "{\"hooks\":[{\"type\":\"command\",\"command\":\"b\"}]}]},\"hooks2\":{\"Stop\":1}}",
  };
  return texts;
}

TEST_F(HookInstall, AFreshProjectGetsTheHookAndTheSlashCommands) {
  const Outcome outcome = in({"hook", "install"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(stop_commands(), ::testing::ElementsAre(command()));
  EXPECT_EQ(Json::parse(read_file(settings()))["hooks"]["Stop"][0]["hooks"][0]["type"], "command");
  for (const char* name : {"capsule-auto", "capsule-status", "capsule-run"}) {
    const std::string text = read_file(path(std::string("p/.claude/commands/") + name + ".md"));
    EXPECT_THAT(text, HasSubstr("description: "));
    EXPECT_THAT(text, HasSubstr(CAPSULE_BINARY));
    EXPECT_THAT(text, Not(HasSubstr("{{")));
  }
  EXPECT_EQ(in({"hook", "uninstall"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(settings()));
  EXPECT_FALSE(std::filesystem::exists(path("p/.claude/commands")));
}

TEST_F(HookInstall, EveryOtherByteStays) {
  for (const std::string& before : samples()) {
    write_file(settings(), before);
    ASSERT_EQ(in({"hook", "install"}).exit_code, 0) << before;
    const std::string after = read_file(settings());
    EXPECT_THAT(stop_commands(), ::testing::Contains(command())) << after;
    // What was inserted stands in one piece.
    std::size_t same = 0;
    while (same < before.size() && before[same] == after[same]) ++same;
    std::size_t end = 0;
    while (end < before.size() - same &&
           before[before.size() - 1 - end] == after[after.size() - 1 - end])
      ++end;
    const std::string left = before.substr(same, before.size() - same - end);
    EXPECT_EQ(left.find_first_not_of(" \n"), std::string::npos) << before << "\n" << after;
    EXPECT_THAT(backups(), ::testing::Contains(before));
  }
}

TEST_F(HookInstall, UninstallingGivesTheSettingsBackByteForByte) {
  for (const std::string& before : samples()) {
    write_file(settings(), before);
    ASSERT_EQ(in({"hook", "install"}).exit_code, 0) << before;
    ASSERT_EQ(in({"hook", "uninstall"}).exit_code, 0) << before;
    EXPECT_EQ(read_file(settings()), before);
  }
}

TEST_F(HookInstall, DoingItAgainChangesNothing) {
  write_file(settings(), samples()[6]);
  ASSERT_EQ(in({"hook", "install"}).exit_code, 0);
  const std::string once = read_file(settings());
  const std::size_t kept = backups().size();
  const Outcome again = in({"hook", "install"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.out, HasSubstr("already installed"));
  EXPECT_EQ(read_file(settings()), once);
  EXPECT_EQ(backups().size(), kept);
}

TEST_F(HookInstall, AProgramThatHasMovedIsCalledAtItsNewPlace) {
  write_file(
      settings(),
      R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"'/old/capsule' hook stop",)"
      R"("timeout":5}]}]}})");
  ASSERT_EQ(in({"hook", "install"}).exit_code, 0);
  EXPECT_THAT(stop_commands(), ::testing::ElementsAre(command()));
  EXPECT_THAT(read_file(settings()), HasSubstr("\"timeout\":5"));
}

TEST_F(HookInstall, OnlyOurOwnEntryIsTakenAway) {
  write_file(settings(), R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"mine"},)"
                         R"({"type":"command","command":"capsule hook stop"}]}]}})");
  ASSERT_EQ(in({"hook", "uninstall"}).exit_code, 0);
  EXPECT_EQ(read_file(settings()),
            R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"mine"}]}]}})");
}

TEST_F(HookInstall, DamagedSettingsAreReportedAndLeftAlone) {
  for (const std::string& text :
       {std::string("{\"a\": 1,}"), std::string(""), std::string("// c\n{}"), std::string("[]"),
        std::string(R"({"hooks": []})"), std::string(R"({"hooks": {"Stop": {}}})")}) {
    write_file(settings(), text);
    for (const char* word : {"install", "uninstall"}) {
      const Outcome outcome = in({"hook", word});
      EXPECT_EQ(outcome.exit_code, 2) << text;
      EXPECT_THAT(outcome.err, HasSubstr("settings.json")) << text;
      EXPECT_EQ(read_file(settings()), text);
    }
  }
  EXPECT_TRUE(backups().empty());
}

TEST_F(HookInstall, ForTheUserItGoesIntoTheirOwnSettings) {
  ASSERT_EQ(in({"hook", "install", "--user"}).exit_code, 0);
  EXPECT_THAT(read_file(path("home/.claude/settings.json")), HasSubstr("hook stop"));
  EXPECT_TRUE(std::filesystem::exists(path("home/.claude/commands/capsule-auto.md")));
  EXPECT_FALSE(std::filesystem::exists(settings()));
  EXPECT_EQ(in({"hook", "install", "--user", "--project"}).exit_code, 2);
}

TEST_F(HookInstall, LinksOfAProjectAreNotFollowedThoseOfAUserAre) {
  write_file(path("elsewhere.json"), "{}");
  std::filesystem::create_directories(path("p/.claude"));
  std::filesystem::create_symlink(path("elsewhere.json"), settings());
  EXPECT_EQ(in({"hook", "install"}).exit_code, 1);
  EXPECT_EQ(read_file(path("elsewhere.json")), "{}");
  std::filesystem::create_directories(path("home/.claude"));
  std::filesystem::create_symlink(path("elsewhere.json"), path("home/.claude/settings.json"));
  EXPECT_EQ(in({"hook", "install", "--user"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(path("home/.claude/settings.json")));
  EXPECT_THAT(read_file(path("elsewhere.json")), HasSubstr("hook stop"));
}

TEST_F(HookInstall, CommandFilesOfOthersAreKept) {
  write_file(path("p/.claude/commands/capsule-run.md"), "my own words\n");
  ASSERT_EQ(in({"hook", "install"}).exit_code, 0);
  ASSERT_EQ(in({"hook", "uninstall"}).exit_code, 0);
  EXPECT_EQ(read_file(path("p/.claude/commands/capsule-run.md")), "my own words\n");
  EXPECT_FALSE(std::filesystem::exists(path("p/.claude/commands/capsule-auto.md")));
}

TEST_F(HookInstall, StatusSaysWhereItIsInstalled) {
  const Outcome none = in({"hook", "status"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.out, HasSubstr("not installed"));
  ASSERT_EQ(in({"hook", "install"}).exit_code, 0);
  const Outcome some = in({"hook", "status", "--json"});
  EXPECT_EQ(some.exit_code, 0);
  const Json json = Json::parse(some.out);
  EXPECT_EQ(json["project"]["installed"], true);
  EXPECT_EQ(json["project"]["command"], command());
  EXPECT_EQ(json["project"]["slash_commands"], 3);
  EXPECT_EQ(json["user"]["installed"], false);
  EXPECT_EQ(json["local"]["installed"], false);
}

TEST_F(HookInstall, ForOneselfInAProjectItGoesIntoTheLocalSettings) {
  std::filesystem::remove_all(path("p/.git"));
  ASSERT_EQ(run({.args = {"init", "-q", project()}, .program = "git"}).exit_code, 0);
  ASSERT_EQ(run({.args = {"-C", project(), "-c", "user.name=n", "-c", "user.email=e", "commit",
                          "-q", "--allow-empty", "-m", "Start"},
                 .program = "git"})
                .exit_code,
            0);
  const std::string local = path("p/.claude/settings.local.json");
  write_file(local, "{\"model\": \"x\"}\n");
  ASSERT_EQ(in({"hook", "install", "--local"}).exit_code, 0);
  EXPECT_THAT(read_file(local), HasSubstr("hook stop"));
  EXPECT_FALSE(std::filesystem::exists(settings()));
  EXPECT_TRUE(std::filesystem::exists(path("p/.claude/commands/capsule-auto.md")));
  const Json json = Json::parse(in({"hook", "status", "--json"}).out);
  EXPECT_EQ(json["local"]["installed"], true);
  EXPECT_EQ(json["local"]["settings"], local);
  EXPECT_EQ(json["project"]["installed"], false);
  // They stay out of the project's history.
  const Outcome untracked =
      run({.args = {"-C", project(), "status", "--porcelain", "-uall", "--", ".claude"},
           .program = "git"});
  EXPECT_THAT(untracked.out, Not(HasSubstr("settings.local.json")));
  ASSERT_EQ(in({"hook", "uninstall", "--local"}).exit_code, 0);
  EXPECT_EQ(read_file(local), "{\"model\": \"x\"}\n");
  EXPECT_EQ(in({"hook", "install", "--user", "--local"}).exit_code, 2);
}

TEST_F(HookInstall, WhereTheProjectHasItTooItsCommandsStay) {
  ASSERT_EQ(in({"hook", "install"}).exit_code, 0);
  ASSERT_EQ(in({"hook", "install", "--local"}).exit_code, 0);
  ASSERT_EQ(in({"hook", "uninstall", "--local"}).exit_code, 0);
  EXPECT_THAT(stop_commands(), ::testing::ElementsAre(command()));
  EXPECT_TRUE(std::filesystem::exists(path("p/.claude/commands/capsule-auto.md")));
}

TEST_F(HookInstall, InstalledTwiceItIsToldWhereverItMatters) {
  ASSERT_EQ(in({"hook", "install"}).err, "");
  ASSERT_EQ(in({"auto", "start", "x"}).err, "");
  const Outcome second = in({"hook", "install", "--user"});
  EXPECT_EQ(second.exit_code, 0);
  const std::string words = "the Stop hook is installed twice, in " + settings() + " and in " +
                            path("home/.claude/settings.json");
  EXPECT_THAT(second.err, HasSubstr(words));
  EXPECT_THAT(second.err, HasSubstr("capsule hook uninstall --user"));
  EXPECT_THAT(in({"hook", "status"}).err, HasSubstr(words));
  EXPECT_THAT(in({"auto", "start", "x", "--force"}).err, HasSubstr(words));
  EXPECT_THAT(in({"auto", "status"}).err, HasSubstr(words));
  const Json checks = Json::parse(in({"doctor", "--json", "--no-tests"}).out)["checks"];
  EXPECT_THAT(checks.dump(), HasSubstr(words));
  ASSERT_EQ(in({"hook", "uninstall", "--user"}).exit_code, 0);
  EXPECT_EQ(in({"auto", "status"}).err, "");
  EXPECT_THAT(in({"doctor", "--json", "--no-tests"}).out, Not(HasSubstr("Stop hook")));
}

TEST_F(HookInstall, SeveralOfOursInOneFileBecomeOne) {
  write_file(settings(),
             R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"capsule hook stop"}]},)"
             R"({"hooks":[{"type":"command","command":"mine"},)"
             R"({"type":"command","command":"/old/capsule hook stop"}]}]}})");
  EXPECT_THAT(in({"hook", "status"}).err, HasSubstr("twice"));
  const Outcome outcome = in({"hook", "install"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(stop_commands(), ::testing::ElementsAre(command(), "mine"));
}

TEST_F(HookInstall, WhereSomethingCannotBeWrittenNothingIs) {
  // The commands have no room.
  write_file(path("p/.claude/commands"), "a file\n");
  const Outcome fresh = in({"hook", "install"});
  EXPECT_NE(fresh.exit_code, 0);
  EXPECT_EQ(fresh.out, "") << "nothing was installed";
  EXPECT_FALSE(std::filesystem::exists(settings()));
  write_file(settings(), "{}");
  const Outcome there = in({"hook", "install"});
  EXPECT_NE(there.exit_code, 0);
  EXPECT_EQ(there.out, "");
  EXPECT_EQ(read_file(settings()), "{}");
  EXPECT_TRUE(backups().empty());
  EXPECT_NE(in({"hook", "status"}).exit_code, 0);
  // The settings have none.
  std::filesystem::remove_all(path("p/.claude"));
  std::filesystem::create_directories(settings());
  const Outcome folder = in({"hook", "install"});
  EXPECT_NE(folder.exit_code, 0);
  EXPECT_EQ(folder.out, "");
  EXPECT_FALSE(std::filesystem::exists(path("p/.claude/commands")));
}

TEST_F(HookInstall, WhatWasWrittenBeforeAFaultIsTakenBack) {
  std::filesystem::create_directories(path("p/.claude"));

  write_file(path("p/.claude/commands/capsule-run.md/there"), "a folder where a file should be\n");
  const Outcome outcome = in({"hook", "install"});
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_FALSE(std::filesystem::exists(settings()));
  EXPECT_FALSE(std::filesystem::exists(path("p/.claude/commands/capsule-auto.md")))
      << "what was written before is taken back";
}

TEST_F(HookInstall, ABareRepositoryGetsNothing) {
  ASSERT_EQ(run({.args = {"init", "-q", "--bare", path("bare")}, .program = "git"}).exit_code, 0);
  for (const char* place : {"bare", "bare/hooks", "p/.git/refs"}) {
    for (const char* part : {"p/.git/objects", "p/.git/refs"})
      std::filesystem::create_directories(path(part));
    write_file(path("p/.git/HEAD"), "ref: refs/heads/main\n");
    for (const char* option : {"--project", "--local"}) {
      const Outcome outcome = in({"hook", "install", option, "--project-dir=" + path(place)});
      EXPECT_EQ(outcome.exit_code, 1) << place;
      EXPECT_EQ(outcome.out, "") << place;
      EXPECT_THAT(outcome.err, HasSubstr("without a working tree")) << place;
    }
    EXPECT_FALSE(std::filesystem::exists(path(place) + "/.claude"));
  }
  EXPECT_FALSE(std::filesystem::exists(path("p/.claude")));
}

}  // namespace
}  // namespace capsule::test
