#include <algorithm>
#include <array>
#include <cstdio>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/generate.h"

namespace capsule::cli {
namespace {

constexpr Positional kPositionals[] = {
    {"KIND", "What to print", true, "man|bash|zsh|fish"},
};

int run(const Args& args) {
  const std::string_view kind = args.positional(0).value_or("");
  std::string text;
  if (kind == "man") text = man_page(commands());
  if (kind == "bash") text = bash_completion(commands());
  if (kind == "zsh") text = zsh_completion(commands());
  if (kind == "fish") text = fish_completion(commands());
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace

Command generate_command() {
  return {.path = "generate",
          .summary = "Print the man page or a shell's completions",
          .details = {},
          .positionals = kPositionals,
          .options = {},
          .run = run,
          .hidden = true};
}

Offer offer_for(std::string_view name, std::string_view choices) {
  if (!choices.empty()) return Offer::words;
  if (name == "FILE") return Offer::files;
  if (name == "DIR" || name == "WORKTREE") return Offer::folders;
  return Offer::nothing;
}

std::vector<Subcommand> subcommands(std::span<const Command> table) {
  std::vector<Subcommand> outer;
  std::vector<Subcommand> inner;
  for (const Command& command : table) {
    if (command.hidden) continue;
    const std::size_t blank = command.path.rfind(' ');
    if (blank == command.path.npos) {
      outer.push_back({"", std::string(command.path), std::string(command.summary)});
      continue;
    }
    const std::string group(command.path.substr(0, blank));
    const bool known = std::any_of(outer.begin(), outer.end(),
                                   [&](const Subcommand& one) { return one.word == group; });
    if (!known) outer.push_back({"", group, "Commands: capsule " + group + " --help"});
    inner.push_back(
        {group, std::string(command.path.substr(blank + 1)), std::string(command.summary)});
  }
  outer.push_back({"", "help", "Explain a command"});
  outer.push_back({"", "version", "Print the version"});
  outer.insert(outer.end(), inner.begin(), inner.end());
  return outer;
}

}  // namespace capsule::cli
