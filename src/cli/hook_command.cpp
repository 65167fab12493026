// capsule hook install | uninstall | status | stop: the Stop hook of auto mode in Claude Code.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "auto_state/state_file.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/print_json.h"
#include "cli/project_args.h"
#include "client/hook_settings.h"
#include "client/hook_stop.h"
#include "json/value.h"
#include "process/program.h"
#include "world/assets.h"

namespace capsule::cli {
namespace {

using Json = json::Value;

constexpr Option kScopeOptions[] = {
    {"project", "", "In this project's .claude folder (the default)"},
    {"user", "", "In your own .claude folder, for every project"},
    kProjectDir,
};
constexpr Option kHookStatusOptions[] = {kProjectDir, kJson};
constexpr std::array<const char*, 3> kCommandFiles{"capsule-auto.md", "capsule-status.md",
                                                   "capsule-run.md"};
constexpr std::size_t kMaxSettingsBytes = std::size_t{8} << 20;

// Where the client keeps what concerns one project, or one user.
struct ClaudeFolder {
  std::string folder;  // …/.claude
  bool of_user = false;
  std::string settings() const { return folder + "/settings.json"; }
  std::string command(const char* name) const { return folder + "/commands/" + name; }
};

// The top of the repository that `folder` is in, or the folder itself.
std::string top_of(std::string folder) {
  const std::string start = folder;
  while (!exists(folder + "/.git")) {
    const std::size_t slash = folder.rfind('/');
    if (slash == std::string::npos || slash == 0) return start;
    folder.resize(slash);
  }
  return folder;
}

Result<ClaudeFolder> project_place(const Args& args) {
  const std::string given(args.option("project-dir").value_or("."));
  const std::string folder = TRY(real_path(given));
  if (!is_folder(folder)) return fail(Reason::usage, "not a folder: " + printable(given));
  return ClaudeFolder{top_of(folder) + "/.claude", false};
}

Result<ClaudeFolder> user_place() {
  const char* own = std::getenv("CLAUDE_CONFIG_DIR");
  if (own != nullptr && *own == '/') return ClaudeFolder{own, true};
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home != '/') return fail(Reason::refused, "HOME is not set");
  return ClaudeFolder{std::string(home) + "/.claude", true};
}

Result<ClaudeFolder> claude_folder_of(const Args& args) {
  if (args.flag("user") && args.flag("project"))
    return fail(Reason::usage, "--user and --project exclude each other");
  return args.flag("user") ? user_place() : project_place(args);
}

// How a shell calls this program: by its name where that finds it, since project settings are
// shared.
std::string own_word() {
  const std::string program = world::own_program();
  const char* path = std::getenv("PATH");
  const std::string folders = path != nullptr ? path : "";
  for (const std::string_view folder : split(folders, ':')) {
    const auto found = real_path(std::string(folder) + "/capsule");
    if (folder.empty() || !found) continue;
    if (*found == program) return "capsule";
    break;  // another one would be run
  }
  return shell_word(program);
}

// A project's files may be anybody's: its settings are no link. A user's own may well be one.
Result<std::string> settings_path(const ClaudeFolder& place) {
  const std::string path = place.settings();
  struct stat info {};
  for (const std::string& part : {place.folder, path})
    if (!place.of_user && ::lstat(part.c_str(), &info) == 0 && S_ISLNK(info.st_mode))
      return fail(Reason::refused, printable(part) + " is a link; it is left alone");
  if (::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode)) return real_path(path);
  return path;
}

Result<std::optional<std::string>> read_settings(const std::string& path) {
  auto text = read_file(path, kMaxSettingsBytes);
  if (!text && text.error().reason == Reason::not_found) return std::nullopt;
  if (!text) return tl::unexpected(text.error());
  return *std::move(text);
}

Error about(Error error, const std::string& path) {
  error.message = printable(path) + ": " + error.message;
  if (error.hint.empty()) error.hint = "mend it, then try again";
  return error;
}

unsigned mode_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 07777U : 0644U;
}

// Keeps what was there beside it. Never over an earlier backup.
Result<std::string> back_up(const std::string& path, const std::string& text) {
  const std::string stem = path + ".backup-" + utc_stamp();
  std::string name = stem;
  for (int i = 2; exists(name); ++i) name = stem + "." + std::to_string(i);
  TRY_VOID(write_file(name, text, mode_of(path)));
  return name;
}

Result<void> replace_settings(const std::string& path, const std::string& before,
                              const std::optional<std::string>& after) {
  const std::string kept = TRY(back_up(path, before));
  if (after) {
    TRY_VOID(write_file(path, *after, mode_of(path)));
  } else if (::unlink(path.c_str()) != 0) {
    return tl::unexpected(io_error("remove", path, errno));
  }
  print("  the file as it was: " + printable(kept) + "\n");
  return {};
}

Result<std::string> command_text(const char* name) {
  const std::string text =
      TRY(world::Assets("", "").read("templates/claude-commands/" + std::string(name)));
  return replace_all(text, "{{CAPSULE}}", own_word());
}

// Ours, in this version or an earlier one: nobody else speaks of the program in this way.
bool is_own_command(const std::string& text) {
  return text.starts_with("---\ndescription: ") &&
         (text.find("capsule auto ") != text.npos || text.find("capsule run ") != text.npos ||
          text.find("capsule' auto ") != text.npos || text.find("capsule' run ") != text.npos);
}

Result<void> install_commands(const ClaudeFolder& place) {
  TRY_VOID(make_folders(place.folder + "/commands"));
  for (const char* name : kCommandFiles) {
    const std::string path = place.command(name);
    const std::string text = TRY(command_text(name));
    const auto there = read_file(path, kMaxSettingsBytes);
    if (there && *there == text) continue;
    if (!there && there.error().reason != Reason::not_found) return tl::unexpected(there.error());
    if (there && !is_own_command(*there)) {
      print("  left alone, since it is not ours: " + printable(path) + "\n");
      continue;
    }
    TRY_VOID(write_file(path, text));
    print("  " + printable(path) + "\n");
  }
  return {};
}

Result<int> install(const Args& args) {
  const ClaudeFolder place = TRY(claude_folder_of(args));
  const std::string path = TRY(settings_path(place));
  const std::string command = own_word() + " hook stop";
  const auto before = TRY(read_settings(path));
  if (!before) {
    TRY_VOID(make_folders(place.folder));
    TRY_VOID(write_file(path, client::fresh_settings(command)));
    print("installed: " + printable(path) + " calls " + printable(command) + "\n");
  } else {
    const auto after = client::with_hook(*before, command);
    if (!after) return tl::unexpected(about(after.error(), path));
    if (*after == *before) {
      print("already installed: " + printable(path) + " calls " + printable(command) + "\n");
    } else {
      print("installed: " + printable(path) + " calls " + printable(command) + "\n");
      TRY_VOID(replace_settings(path, *before, *after));
    }
  }
  TRY_VOID(install_commands(place));
  return 0;
}

Result<int> uninstall(const Args& args) {
  const ClaudeFolder place = TRY(claude_folder_of(args));
  const std::string path = TRY(settings_path(place));
  const auto before = TRY(read_settings(path));
  bool changed = false;
  if (before) {
    const auto after = client::without_hook(*before);
    if (!after) return tl::unexpected(about(after.error(), path));
    changed = *after != before;
    if (changed) {
      print("uninstalled: " + printable(path) + "\n");
      TRY_VOID(replace_settings(path, *before, *after));
    }
  }
  for (const char* name : kCommandFiles) {
    const std::string command = place.command(name);
    const auto there = read_file(command, kMaxSettingsBytes);
    const auto ours = command_text(name);
    if (!there || !ours || *there != *ours) {
      if (there) print("  kept, since it was changed: " + printable(command) + "\n");
      continue;
    }
    if (::unlink(command.c_str()) != 0) return tl::unexpected(io_error("remove", command, errno));
    print("  removed: " + printable(command) + "\n");
    changed = true;
  }
  ::rmdir((place.folder + "/commands").c_str());  // when nothing else is in it
  if (!changed) print("not installed in " + printable(place.folder) + "\n");
  return 0;
}

struct Found {
  ClaudeFolder place;
  std::string command;  // empty: not installed
  std::string fault;
};

Found look(const ClaudeFolder& place) {
  Found found{place, "", ""};
  const auto text = read_settings(place.settings());
  if (!text) {
    found.fault = text.error().message;
  } else if (*text) {
    const auto command = client::installed_hook(**text);
    if (!command)
      found.fault = command.error().message;
    else
      found.command = command->value_or("");
  }
  return found;
}

std::ptrdiff_t commands_at(const ClaudeFolder& place) {
  return std::count_if(kCommandFiles.begin(), kCommandFiles.end(),
                       [&](const char* name) { return exists(place.command(name)); });
}

Result<int> hook_status(const Args& args) {
  const Found found[] = {look(TRY(project_place(args))), look(TRY(user_place()))};
  bool installed = false;
  Json json = Json::object();
  for (const Found& one : found) {
    const char* scope = one.place.of_user ? "user" : "project";
    installed |= !one.command.empty();
    json[scope] = {{"settings", one.place.settings()},
                   {"installed", !one.command.empty()},
                   {"command", one.command.empty() ? Json() : Json(one.command)},
                   {"slash_commands", commands_at(one.place)},
                   {"fault", one.fault.empty() ? Json() : Json(one.fault)}};
    if (args.flag("json")) continue;
    const std::string told = !one.fault.empty()    ? one.fault
                             : one.command.empty() ? "not installed"
                                                   : "installed, calls " + one.command;
    print(padded(scope, 9) + printable(told) + "  (" + printable(one.place.settings()) + ", " +
          std::to_string(commands_at(one.place)) + " of 3 slash commands)\n");
  }
  if (args.flag("json"))
    print_json(json);
  else if (!installed)
    print("Install it: capsule hook install [--user]\n");
  return installed ? 0 : 1;
}

constexpr Command kHookRows[] = {
    {.path = "hook install",
     .summary = "Hold auto mode on course inside Claude Code",
     .details = "Adds a Stop hook to .claude/settings.json and the slash commands /capsule-auto, "
                "/capsule-status and /capsule-run. Everything else in the settings stays as it is, "
                "and the file is kept as a backup. Doing it again changes nothing. Settings that "
                "are not valid JSON are reported and left alone.\n\n"
                "Exit codes: 0 installed; 1 not; 2 an error.",
     .positionals = {},
     .options = kScopeOptions,
     .run = install,
     .examples = "  capsule hook install\n  capsule hook install --user",
     .people_only = true},
    {.path = "hook uninstall",
     .summary = "Take the Stop hook and the slash commands away again",
     .details = "Removes exactly what install has added; slash commands that you have changed are "
                "kept.\n\nExit codes: 0 not installed any more; 1 the settings cannot be read; 2 "
                "wrong usage.",
     .positionals = {},
     .options = kScopeOptions,
     .run = uninstall,
     .people_only = true},
    {.path = "hook status",
     .summary = "Show where the Stop hook is installed",
     .details =
         "Exit codes: 0 it is installed, for the project or the user; 1 nowhere; 2 an error.",
     .positionals = {},
     .options = kHookStatusOptions,
     .run = hook_status},
    {.path = "hook stop",
     .summary = "The Stop hook itself: Claude Code calls it, people do not",
     .details = "Reads the client's event from stdin. When auto mode is active for this session "
                "and its phase is not complete, prints {\"decision\":\"block\",\"reason\":…} so "
                "that the session goes on; otherwise prints nothing. Ends with 0 whatever "
                "happens: a fault of its own allows the stop, with a line on stderr.",
     .positionals = {},
     .options = {},
     .run = [](const Args&) -> Result<int> { return client::hook_stop(); },
     .errors = Errors::one},
};

}  // namespace

std::span<const Command> hook_commands() { return kHookRows; }

}  // namespace capsule::cli
