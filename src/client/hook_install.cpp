#include "client/hook_install.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include "base/clock.h"
#include "base/enum_count.h"
#include "base/files.h"
#include "base/text.h"
#include "client/hook_settings.h"
#include "json/value.h"
#include "world/assets.h"
#include "world/programs.h"
#include "world/project.h"

namespace capsule::client {
namespace {

constexpr std::array<const char*, kSlashCommands> kCommandFiles{
    "capsule-auto.md", "capsule-status.md", "capsule-run.md"};
constexpr std::size_t kMaxSettingsBytes = std::size_t{8} << 20;

constexpr std::string_view kScopes[] = {"project", "local", "user"};
static_assert(std::size(kScopes) == enum_count<Scope>());

// A project's files may be anybody's: nothing of its settings is a link. A user's own may well be.
Result<std::string> settings_path(const ClaudeFolder& place) {
  const std::string path = place.settings();
  struct stat info {};
  for (const std::string& part : {place.folder, path, place.folder + "/commands"})
    if (place.scope != Scope::user && ::lstat(part.c_str(), &info) == 0 && S_ISLNK(info.st_mode))
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

// Our hooks in the settings of `place`.
Result<std::vector<std::string>> commands_in(const ClaudeFolder& place) {
  const auto text = TRY(read_settings(place.settings()));
  if (!text) return std::vector<std::string>();
  return installed_hooks(*text);
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

// Files that are written together: unless keep() is called at the end, all is put back as it was.
class Change {
 public:
  explicit Change(const Tell& tell) : tell_(tell) {}
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;
  ~Change() {
    while (!undo_.empty()) {
      undo_.back()();
      undo_.pop_back();
    }
  }

  Result<void> make_folder(const std::string& path) {
    std::vector<std::string> missing;
    for (std::string folder = path; folder.size() > 1 && !exists(folder);) {
      missing.push_back(folder);
      folder.resize(std::max<std::size_t>(1, folder.rfind('/')));
    }
    undo_.emplace_back([missing] {
      for (const std::string& folder : missing) ::rmdir(folder.c_str());
    });
    return make_folders(path);
  }
  // `before`: what the file holds; nullopt: there is none.
  Result<void> write(const std::string& path, const std::optional<std::string>& before,
                     const std::string& after) {
    const unsigned mode = mode_of(path);
    undo_.emplace_back([=] { restore(path, before, mode); });
    return write_file(path, after, mode);
  }
  Result<void> remove(const std::string& path, const std::string& before) {
    undo_.emplace_back([=, mode = mode_of(path)] { restore(path, before, mode); });
    if (::unlink(path.c_str()) != 0) return tl::unexpected(io_error("remove", path, errno));
    return {};
  }
  // Keeps what is there beside it, never over an earlier backup.
  Result<void> back_up(const std::string& path, const std::string& text) {
    const std::string stem = path + ".backup-" + utc_stamp();
    std::string name = stem;
    for (int i = 2; exists(name); ++i) name = stem + "." + std::to_string(i);
    undo_.emplace_back([name] { ::unlink(name.c_str()); });
    TRY_VOID(write_file(name, text, mode_of(path)));
    say("  backup: " + printable(name));
    return {};
  }

  void say(std::string line) { lines_.push_back(std::move(line)); }
  void keep() {
    undo_.clear();
    for (const std::string& line : lines_) tell_(line);
  }

 private:
  static void restore(const std::string& path, const std::optional<std::string>& before,
                      unsigned mode) {
    const auto now = read_file(path, kMaxSettingsBytes);
    if (now && before && *now == *before) return;  // it was never touched
    if (before)
      (void)write_file(path, *before, mode);
    else
      ::unlink(path.c_str());
  }

  const Tell& tell_;
  std::vector<std::function<void()>> undo_;
  std::vector<std::string> lines_;  // told in the end
};

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
                              Change& change) {
  TRY_VOID(change.make_folder(place.folder + "/commands"));
  for (const char* name : kCommandFiles) {
    const std::string path = place.command(name);
    const std::string text = TRY(command_text(name, program));
    const auto there = read_file(path, kMaxSettingsBytes);
    if (there && *there == text) continue;
    if (!there && there.error().reason != Reason::not_found) return tl::unexpected(there.error());
    if (there && !is_own_command(*there)) {
      change.say("  left alone, since it is not ours: " + printable(path));
      continue;
    }
    TRY_VOID(change.write(path, there ? std::optional(*there) : std::nullopt, text));
    change.say("  " + printable(path));
  }
  return {};
}

Result<void> uninstall_commands(const ClaudeFolder& place, const std::string& program,
                                Change& change, bool& changed) {
  for (const char* name : kCommandFiles) {
    const std::string command = place.command(name);
    const auto there = read_file(command, kMaxSettingsBytes);
    const auto ours = command_text(name, program);
    if (!there || !ours || *there != *ours) {
      if (there) change.say("  kept, since it was changed: " + printable(command));
      continue;
    }
    TRY_VOID(change.remove(command, *there));
    change.say("  removed: " + printable(command));
    changed = true;
  }
  return {};
}

// A git folder itself: nobody works there.
bool is_git_folder(const std::string& folder) {
  return exists(folder + "/HEAD") && is_folder(folder + "/objects") && is_folder(folder + "/refs");
}

// Whether the other settings in the same folder have the hook, too.
bool is_shared(const ClaudeFolder& place) {
  if (place.scope == Scope::user) return false;
  ClaudeFolder other = place;
  other.scope = place.scope == Scope::local ? Scope::project : Scope::local;
  return !commands_in(other).value_or(std::vector<std::string>()).empty();
}

}  // namespace

std::string_view name_of(Scope scope) { return kScopes[static_cast<std::size_t>(scope)]; }

Result<ClaudeFolder> claude_folder_of_project(const std::string& given, Scope scope) {
  const std::string top = TRY(world::repository_folder(given));
  for (std::string folder = TRY(real_path(given)); folder.size() > 1;) {
    if (is_git_folder(folder))
      return fail(Reason::refused, printable(folder) + " is a repository without a working tree",
                  "call it in a clone of it, or with --user for all your projects");
    if (exists(folder + "/.git")) break;
    folder.resize(std::max<std::size_t>(1, folder.rfind('/')));
  }
  return ClaudeFolder{top + "/.claude", scope};
}

Result<ClaudeFolder> claude_folder_of_user() {
  const char* own = std::getenv("CLAUDE_CONFIG_DIR");
  if (own != nullptr && *own == '/') return ClaudeFolder{own, Scope::user};
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home != '/') return fail(Reason::refused, "HOME is not set");
  return ClaudeFolder{std::string(home) + "/.claude", Scope::user};
}

std::vector<ClaudeFolder> claude_folders(const std::string& given) {
  std::vector<ClaudeFolder> places;
  // The project may be the user's home, and a link may lead from one to the other.
  const auto add = [&](const Result<ClaudeFolder>& place) {
    if (!place || !exists(place->settings())) return;
    const std::string settings = real_path(place->settings()).value_or(place->settings());
    for (const ClaudeFolder& other : places)
      if (real_path(other.settings()).value_or(other.settings()) == settings) return;
    places.push_back(*place);
  };
  add(claude_folder_of_project(given, Scope::project));
  add(claude_folder_of_project(given, Scope::local));
  add(claude_folder_of_user());
  return places;
}

Result<void> install_hook(const ClaudeFolder& place, const std::string& program, const Tell& tell) {
  const std::string path = TRY(settings_path(place));
  const std::string command = program + " hook stop";
  const auto before = TRY(read_settings(path));
  std::string after = fresh_settings(command);
  if (before) {
    auto changed = with_hook(*before, command);
    if (!changed) return tl::unexpected(about(changed.error(), path));
    after = *std::move(changed);
  }
  Change change(tell);
  change.say((after == before ? "already installed: " : "installed: ") + printable(path) +
             " calls " + printable(command));
  if (after != before && before) TRY_VOID(change.back_up(path, *before));
  // The commands alone do nothing, the hook alone would be half of it: it comes last.
  TRY_VOID(install_commands(place, program, change));
  if (after != before) TRY_VOID(change.write(path, before, after));
  change.keep();
  return {};
}

Result<void> uninstall_hook(const ClaudeFolder& place, const std::string& program,
                            const Tell& tell) {
  const std::string path = TRY(settings_path(place));
  const auto before = TRY(read_settings(path));
  Change change(tell);
  bool changed = false;
  if (before) {
    const auto after = without_hook(*before);
    if (!after) return tl::unexpected(about(after.error(), path));
    changed = *after != before;
    if (changed) {
      change.say("uninstalled: " + printable(path));
      TRY_VOID(change.back_up(path, *before));
      if (*after)
        TRY_VOID(change.write(path, before, **after));
      else
        TRY_VOID(change.remove(path, *before));
    }
  }
  if (!is_shared(place)) TRY_VOID(uninstall_commands(place, program, change, changed));
  if (!changed) change.say("not installed in " + printable(place.settings()));
  change.keep();
  ::rmdir((place.folder + "/commands").c_str());  // when nothing else is in it
  return {};
}

HookState hook_state(const ClaudeFolder& place) {
  HookState found;
  auto commands = commands_in(place);
  if (commands)
    found.commands = *std::move(commands);
  else
    found.fault = commands.error().message;
  for (const char* name : kCommandFiles)
    if (exists(place.command(name))) ++found.slash_commands;
  return found;
}

Doubled doubled_hook(const std::vector<ClaudeFolder>& places) {
  Doubled doubled;
  std::size_t calls = 0;
  std::string where;
  for (const ClaudeFolder& place : places) {
    const std::size_t count = hook_programs({place}).size();
    if (count == 0) continue;
    // The first one stays, once.
    const std::string option = " --" + std::string(name_of(place.scope));
    if (calls > 0)
      doubled.mend.push_back("capsule hook uninstall" + option);
    else if (count > 1)
      doubled.mend.push_back("capsule hook install" + option);
    calls += count;
    where += (where.empty() ? "" : " and in ") + printable(place.settings());
  }
  if (calls < 2) return {};
  doubled.sentence = "the Stop hook is installed " +
                     (calls == 2 ? std::string("twice") : std::to_string(calls) + " times") +
                     ", in " + where + ": the client calls it as often at every stop";
  return doubled;
}

std::vector<std::string> hook_programs(const std::vector<ClaudeFolder>& places) {
  std::vector<std::string> programs;
  for (const ClaudeFolder& place : places)
    for (const std::string& command : commands_in(place).value_or(std::vector<std::string>()))
      programs.push_back(*own_program(command));
  return programs;
}

bool another_answers(const std::vector<std::string>& programs, std::string_view program) {
  const auto is_there = [](const std::string& name) {
    return name.find('/') != name.npos ? ::access(name.c_str(), X_OK) == 0 : world::on_path(name);
  };
  if (std::find(programs.begin(), programs.end(), program) == programs.end()) return false;
  const auto first = std::find_if(programs.begin(), programs.end(), is_there);
  return first != programs.end() && *first != program;
}

Result<HookPlaces> hook_places(const std::string& given) {
  HookPlaces places;
  for (ClaudeFolder& folder : std::vector{TRY(claude_folder_of_project(given)),
                                          TRY(claude_folder_of_project(given, Scope::local)),
                                          TRY(claude_folder_of_user())}) {
    HookState state = hook_state(folder);
    places.push_back({std::move(folder), std::move(state)});
  }
  return places;
}

bool installed_in(const HookPlaces& places) {
  return std::any_of(places.begin(), places.end(),
                     [](const HookPlace& place) { return !place.state.commands.empty(); });
}

std::string places_text(const HookPlaces& places) {
  std::string text;
  for (const auto& [folder, state] : places)
    text += padded(name_of(folder.scope), 9) +
            printable(!state.fault.empty()     ? state.fault
                      : state.commands.empty() ? "not installed"
                                               : "installed, calls " + state.commands.front()) +
            "  (" + printable(folder.settings()) + ", " + std::to_string(state.slash_commands) +
            " of " + std::to_string(kSlashCommands) + " slash commands)\n";
  if (!installed_in(places)) text += "Install it: capsule hook install [--local|--user]\n";
  return text;
}

std::string places_json(const HookPlaces& places) {
  using Json = json::Value;
  Json json = Json::object();
  for (const auto& [folder, state] : places)
    json[std::string(name_of(folder.scope))] = {
        {"settings", folder.settings()},
        {"installed", !state.commands.empty()},
        {"command", state.commands.empty() ? Json() : Json(state.commands.front())},
        {"slash_commands", state.slash_commands},
        {"fault", state.fault.empty() ? Json() : Json(state.fault)}};
  return json.compact() + "\n";
}

}  // namespace capsule::client
