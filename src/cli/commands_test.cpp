#include "cli/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/fill.h"
#include "base/text.h"
#include "command_line/generate.h"

namespace capsule::cli {
namespace {

using ::testing::HasSubstr;

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

}  // namespace
}  // namespace capsule::cli
