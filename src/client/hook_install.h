// The Stop hook and the slash commands in Claude Code's own folders: put there, taken away, looked
// for. Everything else in them stays as it is.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/result.h"

namespace capsule::client {

// Where the client keeps what concerns one project, or one user.
struct ClaudeFolder {
  std::string folder;  // …/.claude
  bool of_user = false;
  std::string settings() const { return folder + "/settings.json"; }
  std::string command(const char* name) const { return folder + "/commands/" + name; }
};
inline constexpr std::size_t kSlashCommands = 3;

// Of the repository that `given` is in, or of that folder itself. Error usage: it is no folder.
Result<ClaudeFolder> claude_folder_of_project(const std::string& given);
// CLAUDE_CONFIG_DIR, or .claude in the user's home. Error refused: HOME is not set.
Result<ClaudeFolder> claude_folder_of_user();

// Told a line for each thing that was done, or found done.
using Tell = std::function<void(const std::string& line)>;

// `program` is how a shell calls Capsule. Settings that are changed are kept as a backup. Safe to
// repeat. Errors: refused (a project's settings are a link), damaged (they are no settings), io;
// then the settings are as they were.
Result<void> install_hook(const ClaudeFolder& place, const std::string& program, const Tell& tell);
// Takes away exactly what install_hook() added.
Result<void> uninstall_hook(const ClaudeFolder& place, const std::string& program,
                            const Tell& tell);

struct HookState {
  std::string command;  // that the client calls; empty: the hook is not installed
  std::string fault;    // why that cannot be told; empty: it can
  std::size_t slash_commands = 0;
};
HookState hook_state(const ClaudeFolder& place);

}  // namespace capsule::client
