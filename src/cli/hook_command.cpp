// capsule hook install | uninstall | status | stop: the Stop hook of auto mode in Claude Code.
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "client/hook_install.h"
#include "client/hook_stop.h"
#include "json/value.h"
#include "world/programs.h"

namespace capsule::cli {
namespace {

using Json = json::Value;

constexpr Option kScopeOptions[] = {
    {"project", "", "In this project's .claude folder (the default)"},
    {"user", "", "In your own .claude folder, for every project"},
    kProjectDir,
};
constexpr Option kHookStatusOptions[] = {kProjectDir, kJson};

Result<client::ClaudeFolder> project_place(const Args& args) {
  return client::claude_folder_of_project(std::string(args.option("project-dir").value_or(".")));
}

Result<client::ClaudeFolder> place_of(const Args& args) {
  if (args.flag("user") && args.flag("project"))
    return fail(Reason::usage, "give either --user or --project, not both");
  return args.flag("user") ? client::claude_folder_of_user() : project_place(args);
}

void print_line(const std::string& line) { print(line + "\n"); }

Result<int> install(const Args& args) {
  TRY_VOID(client::install_hook(TRY(place_of(args)), world::own_word(), print_line));
  return 0;
}

Result<int> uninstall(const Args& args) {
  TRY_VOID(client::uninstall_hook(TRY(place_of(args)), world::own_word(), print_line));
  return 0;
}

Result<int> hook_status(const Args& args) {
  bool installed = false;
  Json json = Json::object();
  std::string text;
  for (const client::ClaudeFolder& place :
       {TRY(project_place(args)), TRY(client::claude_folder_of_user())}) {
    const client::HookState state = client::hook_state(place);
    const char* scope = place.of_user ? "user" : "project";
    installed |= !state.command.empty();
    json[scope] = {{"settings", place.settings()},
                   {"installed", !state.command.empty()},
                   {"command", state.command.empty() ? Json() : Json(state.command)},
                   {"slash_commands", state.slash_commands},
                   {"fault", state.fault.empty() ? Json() : Json(state.fault)}};
    text += padded(scope, 9) +
            printable(!state.fault.empty()    ? state.fault
                      : state.command.empty() ? "not installed"
                                              : "installed, calls " + state.command) +
            "  (" + printable(place.settings()) + ", " + std::to_string(state.slash_commands) +
            " of " + std::to_string(client::kSlashCommands) + " slash commands)\n";
  }
  if (!installed) text += "Install it: capsule hook install [--user]\n";
  print(args.flag("json") ? json.compact() + "\n" : text);
  return installed ? 0 : 1;
}

constexpr Command kHookRows[] = {
    {.path = "hook install",
     .summary = "Keep auto mode on course inside Claude Code",
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
     .summary = "Remove the Stop hook and the slash commands",
     .details = "Removes exactly what install added; slash commands that you have changed are "
                "kept.\n\nExit codes: 0 no longer installed; 1 the settings cannot be read; 2 "
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
