#include "base/text.h"
#include "command_line/generate.h"

namespace capsule::command_line {
namespace {

constexpr std::string_view kFishEngine = R"fish(# fish completion for capsule
# Made by 'capsule generate fish' from the command table; do not edit.

# True when the words before the cursor are exactly these: a subcommand comes next.
function __capsule_after
    set -l words (commandline -opc)[2..-1]
    test "$words" = "$argv"
end

# True when the words before the cursor begin with these, which name a command.
function __capsule_in
    set -l words (commandline -opc)[2..-1]
    set -l depth (count $argv)
    set -l command $words[1..$depth]
    test "$command" = "$argv"
end

complete -c capsule -f
)fish";

std::string fish_quoted(std::string_view text) {
  return "'" + replace_all(replace_all(text, "\\", "\\\\"), "'", "\\'") + "'";
}

std::string offered(std::string_view name, std::string_view choices) {
  switch (offer_for(name, choices)) {
    case Offer::words:
      return " -x -a " + fish_quoted(replace_all(choices, "|", " "));
    case Offer::files:
      return " -r -F";
    case Offer::folders:
      return " -x -a '(__fish_complete_directories)'";
    case Offer::nothing:
      break;
  }
  return " -x";
}

void command_lines(std::string& out, std::string_view path, const Command& command) {
  const std::string where =
      "complete -c capsule -n " + fish_quoted("__capsule_in " + std::string(path));
  for (const Option& option : command.options) {
    if (option.hidden) continue;
    out += where + " -l " + std::string(option.name) + " -d " + fish_quoted(option.help);
    if (!option.value.empty()) out += offered(option.value, option.choices);
    out += "\n";
  }
  out += where + " -l help -d " + fish_quoted(kHelpOption.help) + "\n";
  for (const Positional& positional : command.positionals) {
    const Offer offer = offer_for(positional.name, positional.choices);
    if (offer == Offer::nothing) continue;
    out += where;
    out += offer == Offer::files ? " -F" : offered(positional.name, positional.choices);
    out += " -d " + fish_quoted(positional.help) + "\n";
  }
}

}  // namespace

std::string fish_completion(Table table) {
  std::string out(kFishEngine);
  for (const Subcommand& one : subcommands(table)) {
    const std::string after = one.group.empty() ? "" : " " + one.group;
    out += "complete -c capsule -n " + fish_quoted("__capsule_after" + after) + " -a " +
           fish_quoted(one.word) + " -d " + fish_quoted(one.help) + "\n";
  }
  for (const Command& command : table) {
    if (command.hidden) continue;
    command_lines(out, command.path, command);
    if (!command.alias.empty()) command_lines(out, command.alias, command);
  }
  return out;
}

}  // namespace capsule::command_line
