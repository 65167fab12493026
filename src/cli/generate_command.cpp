#include <cstdio>

#include "base/text.h"
#include "cli/commands.h"
#include "command_line/generate.h"

namespace capsule::cli {
namespace {

constexpr Positional kGeneratePositionals[] = {
    {"KIND", "What to print", true, "man|bash|zsh|fish"},
};

Result<int> generate(const Args& args) {
  const std::string_view kind = args.positional(0).value_or("");
  std::string text;
  if (kind == "man") text = command_line::man_page(commands());
  if (kind == "bash") text = command_line::bash_completion(commands());
  if (kind == "zsh") text = command_line::zsh_completion(commands());
  if (kind == "fish") text = command_line::fish_completion(commands());
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace

constexpr Command kGenerateCommand{
    .path = "generate",
    .summary = "Print the man page or a shell's completions",
    .positionals = kGeneratePositionals,
    .run = generate,
    .hidden = true,
};

}  // namespace capsule::cli
