#include "world/programs.h"

#include <fcntl.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "base/files.h"
#include "base/text.h"
#include "process/command.h"
#include "world/assets.h"

namespace capsule::world {
namespace {

// Debian's packages of programs that test commands use.
struct Package {
  std::string_view program, package;
};
constexpr Package kPackages[] = {{"go", "golang-go"},    {"npm", "npm"},     {"node", "nodejs"},
                                 {"python3", "python3"}, {"cargo", "cargo"}, {"cmake", "cmake"},
                                 {"make", "make"},       {"git", "git"},     {"ctest", "cmake"}};

Result<std::string> on_own_path(std::string_view program) {
  const char* path = std::getenv("PATH");
  return process::find_program(program, path != nullptr ? path : "", AT_FDCWD);
}

// Words that a shell knows by itself.
constexpr std::string_view kShellWords[] = {
    "alias",  "bg",     "break",  "case",   "cd",    "command", "continue", "echo",    "eval",
    "exec",   "exit",   "export", "false",  "fg",    "for",     "function", "getopts", "hash",
    "if",     "jobs",   "kill",   "let",    "local", "printf",  "pwd",      "read",    "readonly",
    "return", "set",    "shift",  "source", "test",  "time",    "times",    "trap",    "true",
    "type",   "ulimit", "umask",  "unset",  "until", "wait",    "while"};

// The program that a command begins with; empty: it cannot be told, or may be made by then.
std::string program_of(const config::Command& command) {
  if (!command.argv.empty()) {
    const std::string& program = command.argv.front();
    return program.find('/') == program.npos ? program : "";
  }
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.";
  const std::string_view text = trimmed(command.shell);
  const std::size_t end = std::min(text.find_first_not_of(kPlain), text.size());
  const std::string_view word = text.substr(0, end);
  // Anything but a blank behind it makes it something else: a path, an assignment, a pattern.
  if (end < text.size() && text[end] != ' ' && text[end] != '\n') return {};
  if (word == "." ||
      std::find(std::begin(kShellWords), std::end(kShellWords), word) != std::end(kShellWords))
    return {};
  return std::string(word);
}

}  // namespace

bool on_path(std::string_view program) { return on_own_path(program).has_value(); }

std::string own_word() {
  const auto found = on_own_path("capsule");
  const auto real = found ? real_path(*found) : found;
  return real && *real == own_program() ? "capsule" : shell_word(own_program());
}

std::string installed_by(std::string_view program) {
  for (const Package& row : kPackages)
    if (row.program == program) return "apt-get install " + std::string(row.package);
  return {};
}

Result<void> check_programs(const config::Config& config) {
  struct Named {
    const char* key;
    const char* what;
    const std::optional<config::Command>& command;
  };
  for (const Named& named : {Named{"verify.build", "build", config.verify.build},
                             Named{"verify.lint", "lint", config.verify.lint},
                             Named{"verify.test", "test", config.verify.test},
                             Named{"worktree.setup", "set-up", config.worktree.setup}}) {
    if (!named.command) continue;
    const std::string program = program_of(*named.command);
    if (program.empty() || on_path(program)) continue;
    const std::string how = installed_by(program);
    return fail(
        Reason::missing_program,
        "the " + std::string(named.what) + " command's " + printable(program) + " is not installed",
        (how.empty() ? "install it" : how) + ", or change " + named.key + " (capsule config show)");
  }
  return {};
}

}  // namespace capsule::world
