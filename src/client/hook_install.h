// The Stop hook and the slash commands in Claude Code's own folders: put there, taken away, looked
// for. Everything else in them stays as it is.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace capsule::client {

// Whom settings are for: everybody who has the project, oneself in it, oneself everywhere.
enum class Scope { project, local, user };
std::string_view name_of(Scope scope);  // as the option that chooses it

// Where the client keeps what concerns one project, or one user.
struct ClaudeFolder {
  std::string folder;  // …/.claude
  Scope scope = Scope::project;
  std::string settings() const {
    return folder + (scope == Scope::local ? "/settings.local.json" : "/settings.json");
  }
  std::string command(const char* name) const { return folder + "/commands/" + name; }
};
inline constexpr std::size_t kSlashCommands = 3;

// Of the repository that `given` is in, or of that folder itself. Errors: usage (it is no folder),
// refused (it is a bare repository, or inside of one: nobody works there).
Result<ClaudeFolder> claude_folder_of_project(const std::string& given,
                                              Scope scope = Scope::project);
// CLAUDE_CONFIG_DIR, or .claude in the user's home. Error refused: HOME is not set.
Result<ClaudeFolder> claude_folder_of_user();
// Those that have settings which the client reads for a session in the project of `given`, each
// settings file once.
std::vector<ClaudeFolder> claude_folders(const std::string& given);

// Told a line for each thing that was done, or found done, once all is.
using Tell = std::function<void(const std::string& line)>;

// `program` is how a shell calls Capsule. Settings that are changed are kept as a backup. Safe to
// repeat. Errors: refused (a project's settings are a link), damaged (they are no settings), io;
// then everything is as it was.
Result<void> install_hook(const ClaudeFolder& place, const std::string& program, const Tell& tell);
// Takes away exactly what install_hook() added. The slash commands stay where `place` is not the
// only one of its folder that has the hook.
Result<void> uninstall_hook(const ClaudeFolder& place, const std::string& program,
                            const Tell& tell);

struct HookState {
  std::vector<std::string> commands;  // that the client calls; none: the hook is not installed
  std::string fault;                  // why that cannot be told; empty: it can
  std::size_t slash_commands = 0;
};
HookState hook_state(const ClaudeFolder& place);

struct HookPlace {
  ClaudeFolder folder;
  HookState state;
};
using HookPlaces = std::vector<HookPlace>;
// Of the project of `given`, of oneself in it, of oneself everywhere. Errors: those of the folders.
Result<HookPlaces> hook_places(const std::string& given);
bool installed_in(const HookPlaces& places);  // in one of them at least
std::string places_text(const HookPlaces& places);
std::string places_json(const HookPlaces& places);

// What to say where the client would call the hook more than once at a stop: which settings have
// it, and the commands that leave one. Empty sentence: it is there once, or not at all.
struct Doubled {
  std::string sentence;
  std::vector<std::string> mend;
};
Doubled doubled_hook(const std::vector<ClaudeFolder>& places);

// The programs that the client calls as our hook at one stop, in the order of `places`.
std::vector<std::string> hook_programs(const std::vector<ClaudeFolder>& places);
// Whether a call as `program` is one of several at the same stop, and not the one that is to
// answer: that is the first whose program is there. The client calls the same command only once, so
// it is the program's name by which calls differ.
bool another_answers(const std::vector<std::string>& programs, std::string_view program);

}  // namespace capsule::client
