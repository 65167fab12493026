#include "gate/verify.h"

#include <utility>

#include "base/text.h"

namespace capsule::gate {

void Verify::add(std::string name, Command command) {
  if (!command.empty()) commands.push_back({std::move(name), std::move(command)});
}

const Command* Verify::find(std::string_view name) const {
  for (const NamedCommand& known : commands)
    if (known.name == name) return &known.command;
  return nullptr;
}

std::string spelled(const Command& command) {
  return command.shell.empty() ? joined(command.argv, " ") : command.shell;
}

std::vector<std::string> words_of(const Command& command) {
  if (command.shell.empty()) return command.argv;
  return {"/bin/sh", "-c", command.shell};
}

std::string useful_end(std::string_view text, std::size_t bytes) {
  text = trimmed(text);
  if (text.size() <= bytes) return std::string(text);
  text.remove_prefix(text.size() - bytes);
  const std::size_t line = text.find('\n');
  if (line != text.npos && line < bytes / 2) text.remove_prefix(line + 1);
  return "[…]\n" + std::string(text);
}

std::string useful_ends(std::string_view text, std::size_t bytes) {
  text = trimmed(text);
  if (text.size() <= bytes) return std::string(text);
  std::string_view head = text.substr(0, bytes / 4);
  // A beginning that is one long line says nothing.
  head = head.substr(0, head.find_last_of('\n') + 1);
  return std::string(head) + useful_end(text.substr(head.size()), bytes - head.size());
}

std::string describe(const Verdict& verdict) {
  switch (verdict.ending) {
    case Ending::passed:
      return "passed";
    case Ending::failed:
      return "exit status " + std::to_string(verdict.exit_code);
    case Ending::not_run:
      return "could not run (exit status " + std::to_string(verdict.exit_code) + ")";
    case Ending::ended_badly:
      return verdict.excess.empty() ? "was ended by a signal" : "was ended: it " + verdict.excess;
    case Ending::timed_out:
      break;
  }
  return "timed out";
}

}  // namespace capsule::gate
