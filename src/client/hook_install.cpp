#include "client/hook_install.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "client/hook_settings.h"
#include "world/assets.h"
#include "world/project.h"

namespace capsule::client {
namespace {

constexpr std::array<const char*, kSlashCommands> kCommandFiles{
    "capsule-auto.md", "capsule-status.md", "capsule-run.md"};
constexpr std::size_t kMaxSettingsBytes = std::size_t{8} << 20;

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
  if (error.hint.empty()) error.hint = "fix it, then try again";
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
                              const std::optional<std::string>& after, const Tell& tell) {
  const std::string kept = TRY(back_up(path, before));
  if (after) {
    TRY_VOID(write_file(path, *after, mode_of(path)));
  } else if (::unlink(path.c_str()) != 0) {
    return tl::unexpected(io_error("remove", path, errno));
  }
  tell("  backup: " + printable(kept));
  return {};
}

Result<std::string> command_text(const char* name, const std::string& program) {
  const std::string text =
      TRY(world::Assets("", "").read("templates/claude-commands/" + std::string(name)));
  return replace_all(text, "{{CAPSULE}}", program);
}

// Ours, in this version or an earlier one: nobody else speaks of the program in this way.
bool is_own_command(const std::string& text) {
  return text.starts_with("---\ndescription: ") &&
         (text.find("capsule auto ") != text.npos || text.find("capsule run ") != text.npos ||
          text.find("capsule' auto ") != text.npos || text.find("capsule' run ") != text.npos);
}

Result<void> install_commands(const ClaudeFolder& place, const std::string& program,
                              const Tell& tell) {
  TRY_VOID(make_folders(place.folder + "/commands"));
  for (const char* name : kCommandFiles) {
    const std::string path = place.command(name);
    const std::string text = TRY(command_text(name, program));
    const auto there = read_file(path, kMaxSettingsBytes);
    if (there && *there == text) continue;
    if (!there && there.error().reason != Reason::not_found) return tl::unexpected(there.error());
    if (there && !is_own_command(*there)) {
      tell("  left alone, since it is not ours: " + printable(path));
      continue;
    }
    TRY_VOID(write_file(path, text));
    tell("  " + printable(path));
  }
  return {};
}

}  // namespace

Result<ClaudeFolder> claude_folder_of_project(const std::string& given) {
  return ClaudeFolder{TRY(world::repository_folder(given)) + "/.claude", false};
}

Result<ClaudeFolder> claude_folder_of_user() {
  const char* own = std::getenv("CLAUDE_CONFIG_DIR");
  if (own != nullptr && *own == '/') return ClaudeFolder{own, true};
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home != '/') return fail(Reason::refused, "HOME is not set");
  return ClaudeFolder{std::string(home) + "/.claude", true};
}

Result<void> install_hook(const ClaudeFolder& place, const std::string& program, const Tell& tell) {
  const std::string path = TRY(settings_path(place));
  const std::string command = program + " hook stop";
  const auto before = TRY(read_settings(path));
  if (!before) {
    TRY_VOID(make_folders(place.folder));
    TRY_VOID(write_file(path, fresh_settings(command)));
    tell("installed: " + printable(path) + " calls " + printable(command));
  } else {
    const auto after = with_hook(*before, command);
    if (!after) return tl::unexpected(about(after.error(), path));
    if (*after == *before) {
      tell("already installed: " + printable(path) + " calls " + printable(command));
    } else {
      tell("installed: " + printable(path) + " calls " + printable(command));
      TRY_VOID(replace_settings(path, *before, *after, tell));
    }
  }
  return install_commands(place, program, tell);
}

Result<void> uninstall_hook(const ClaudeFolder& place, const std::string& program,
                            const Tell& tell) {
  const std::string path = TRY(settings_path(place));
  const auto before = TRY(read_settings(path));
  bool changed = false;
  if (before) {
    const auto after = without_hook(*before);
    if (!after) return tl::unexpected(about(after.error(), path));
    changed = *after != before;
    if (changed) {
      tell("uninstalled: " + printable(path));
      TRY_VOID(replace_settings(path, *before, *after, tell));
    }
  }
  for (const char* name : kCommandFiles) {
    const std::string command = place.command(name);
    const auto there = read_file(command, kMaxSettingsBytes);
    const auto ours = command_text(name, program);
    if (!there || !ours || *there != *ours) {
      if (there) tell("  kept, since it was changed: " + printable(command));
      continue;
    }
    if (::unlink(command.c_str()) != 0) return tl::unexpected(io_error("remove", command, errno));
    tell("  removed: " + printable(command));
    changed = true;
  }
  ::rmdir((place.folder + "/commands").c_str());  // when nothing else is in it
  if (!changed) tell("not installed in " + printable(place.folder));
  return {};
}

HookState hook_state(const ClaudeFolder& place) {
  HookState found;
  const auto text = read_settings(place.settings());
  if (!text) {
    found.fault = text.error().message;
  } else if (*text) {
    const auto command = installed_hook(**text);
    if (!command)
      found.fault = command.error().message;
    else
      found.command = command->value_or("");
  }
  for (const char* name : kCommandFiles)
    if (exists(place.command(name))) ++found.slash_commands;
  return found;
}

}  // namespace capsule::client
