#include "cli/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/files.h"
#include "base/fill.h"
#include "base/text.h"
#include "command_line/generate.h"
#include "ui/tui/commanding.h"

namespace capsule::cli {
namespace {

using ::testing::HasSubstr;

using Names = std::set<std::string>;

// The parts of `line` between pairs of `quote`.
std::vector<std::string> quoted_parts(std::string_view line, char quote) {
  std::vector<std::string> result;
  const auto parts = split(line, quote);
  for (std::size_t i = 1; i + 1 < parts.size(); i += 2) result.emplace_back(parts[i]);
  return result;
}

// "auto run/continue TASK": auto run, auto continue.
Names paths_in(std::string_view text) {
  std::vector<std::string> paths{""};
  for (const std::string_view word : split(text, ' ')) {
    if (word.empty() || word.front() < 'a' || word.front() > 'z') break;
    std::vector<std::string> longer;
    for (const std::string& path : paths)
      for (const std::string_view choice : split(word, '/'))
        longer.push_back(path + (path.empty() ? "" : " ") + std::string(choice));
    paths = longer;
  }
  return {paths.begin(), paths.end()};
}

// docs/commands.md, whose first table has a row for every command.
class CommandsPage : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto page =
        read_file(std::string(CAPSULE_SOURCE_DIR) + "/docs/commands.md", std::size_t{1} << 20);
    ASSERT_TRUE(page.has_value());
    text_ = *page;
    for (const std::string_view line : split(text_, '\n')) lines_.emplace_back(line);
  }

  // The first cells of the first table.
  std::vector<std::string> rows() const {
    std::vector<std::string> cells;
    auto line = std::find_if(lines_.begin(), lines_.end(),
                             [](const std::string& one) { return one.starts_with("|---"); });
    while (line != lines_.end() && (++line)->starts_with("| ")) {
      const std::string plain = replace_all(*line, "\\|", "/");
      cells.emplace_back(split(plain, '|')[1]);
    }
    return cells;
  }

  std::string text_;
  std::vector<std::string> lines_;
};

TEST_F(CommandsPage, ListsEveryCommandAndNoOther) {
  Names listed;
  for (const std::string& row : rows())
    for (const std::string& code : quoted_parts(row, '`')) listed.merge(paths_in(code));
  Names known;
  for (const Command& command : commands())
    for (const std::string_view path : {command.path, command.alias})
      if (!command.hidden && !path.empty()) known.emplace(path);
  EXPECT_EQ(listed, known);
}

TEST_F(CommandsPage, HasTheSectionsThatItsTableNames) {
  Names sections;
  for (const std::string& line : lines_)
    if (line.starts_with("## "))
      sections.insert(replace_all(replace_all(line.substr(3), ",", ""), " ", "-"));
  for (const std::string& row : rows())
    for (const std::string_view part : split(row, '('))
      if (part.starts_with('#')) {
        EXPECT_THAT(sections, ::testing::Contains(part.substr(1, part.find(')') - 1))) << row;
      }
}

TEST_F(CommandsPage, CallsCommandsByOptionsThatTheyHave) {
  int calls = 0;
  for (const std::string& line : lines_) {
    if (!line.starts_with("    capsule ")) continue;
    SCOPED_TRACE(line);
    std::vector<std::string> words;
    for (const std::string_view word : split(trimmed(line).substr(8), ' '))
      words.emplace_back(word);
    std::vector<const char*> raw;
    for (const std::string& word : words) raw.push_back(word.c_str());
    const Command* command = command_line::match_command(commands(), raw).command;
    ASSERT_NE(command, nullptr);
    ++calls;
    for (const std::string& word : words) {
      const std::size_t dashes = word.find("--");
      if (dashes == word.npos) continue;
      const std::string name =
          word.substr(dashes + 2, word.find_first_of("=]", dashes) - dashes - 2);
      EXPECT_TRUE(std::any_of(command->options.begin(), command->options.end(),
                              [&](const Option& option) { return option.name == name; }))
          << name;
    }
  }
  EXPECT_GT(calls, 20);
}

TEST(CommandTable, EveryCommandThatTakesARunHasRoomForATaskOfAPlan) {
  Names takes;
  for (const Command& command : commands()) {
    if (command.positionals.empty() || command.positionals.front().name != "RUN") continue;
    takes.emplace(command.path);
    EXPECT_GE(command.positionals.size(), 2U) << command.path;
    EXPECT_FALSE(command.positionals.back().required) << command.path;
  }
  // What each makes of it is a row in tests/program/any_run_test.cpp.
  EXPECT_EQ(takes, (Names{"abort", "approve", "attach", "cost", "gc", "log", "note", "pause",
                          "reject", "restore", "snapshots", "status", "teardown", "tell"}));
}

TEST(CommandTable, EveryRowFollowsTheRulesOfItsHeader) {
  for (const Command& command : commands()) {
    SCOPED_TRACE(command.path);
    EXPECT_NE(command.run, nullptr);
    EXPECT_FALSE(command.summary.empty());
    EXPECT_NE(command.summary.back(), '.');
    EXPECT_LE(columns_of(command.summary), 58U) << "does not fit beside its name";
    bool optional = false;
    for (const Positional& positional : command.positionals) {
      EXPECT_FALSE(optional && positional.required)
          << positional.name << " follows an optional one";
      optional = !positional.required;
      EXPECT_NE(positional.help.back(), '.') << positional.name;
    }
    for (const Option& option : command.options) {
      EXPECT_FALSE(option.help.empty()) << option.name;
      EXPECT_NE(option.help.back(), '.') << option.name;
      EXPECT_FALSE(option.name.starts_with("-")) << option.name;
      EXPECT_NE(option.name, "help");
      EXPECT_FALSE(option.value.empty() && !option.choices.empty()) << option.name;
    }
    const std::string help = command_line::help_text(command);
    for (std::string_view line : split(help, '\n')) EXPECT_LE(columns_of(line), 80U) << line;
  }
}

TEST(CommandTable, NoTwoRowsHaveTheSamePath) {
  std::vector<std::string_view> paths;
  for (const Command& command : commands())
    for (std::string_view path : {command.path, command.alias})
      if (!path.empty()) paths.push_back(path);
  std::sort(paths.begin(), paths.end());
  EXPECT_EQ(std::adjacent_find(paths.begin(), paths.end()), paths.end());
}

TEST(ManPage, NamesEveryCommandAndOptionOfTheProgram) {
  const std::string page = command_line::man_page(commands());
  const auto escaped = [](std::string_view text) { return replace_all(text, "-", "\\-"); };
  for (const Command& command : commands()) {
    if (command.hidden) continue;
    EXPECT_THAT(page, HasSubstr(".SS capsule " + escaped(command.path)));
    for (const Option& option : command.options)
      if (!option.hidden) {
        EXPECT_THAT(page, HasSubstr("\\fB\\-\\-" + escaped(option.name) + "\\fR"));
      }
  }
}

TEST(Commands, ThoseThatTheDashboardRefusesAreThere) {
  for (const tui::Elsewhere& row : tui::elsewhere()) {
    const auto command = std::find_if(commands().begin(), commands().end(),
                                      [&](const Command& one) { return one.path == row.path; });
    ASSERT_NE(command, commands().end()) << row.path;
    EXPECT_TRUE(row.option.empty() ||
                std::any_of(command->options.begin(), command->options.end(),
                            [&](const Option& one) { return one.name == row.option; }))
        << row.path << " --" << row.option;
  }
}

}  // namespace
}  // namespace capsule::cli
