// The man page and the shell completions, made from command rows. Pure; hidden commands are left
// out. `capsule generate KIND` prints them, and the build calls it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command_line/command.h"

namespace capsule::command_line {

std::string man_page(Table table);
std::string bash_completion(Table table);
std::string zsh_completion(Table table);
std::string fish_completion(Table table);

// What a completion offers for a value or argument.
enum class Offer { nothing, words, files, folders };
Offer offer_for(std::string_view name, std::string_view choices);

// A command by one of its paths, as scripts that look for the first match want it: "agents resume"
// stands before "agents". Hidden ones are left out.
struct Row {
  std::string_view path;
  const Command* command = nullptr;
  std::string words = {};  // that may follow, parted by '|', where it is a group, too
};
std::vector<Row> completion_rows(Table table);

// A word that completions offer after `group` (empty: after `capsule`), with its help.
struct Subcommand {
  std::string group;
  std::string word;
  std::string help;
};
// Those of one group stand together, in the order of the table; the outermost group comes first.
std::vector<Subcommand> subcommands(Table table);

}  // namespace capsule::command_line
