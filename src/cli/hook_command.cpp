// capsule hook install | uninstall | status | stop: the Stop hook of auto mode in Claude Code.
#include "base/print.h"
#include "cli/auto_args.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "client/hook_install.h"
#include "client/hook_stop.h"
#include "git/repository.h"
#include "world/programs.h"

namespace capsule::cli {
namespace {

constexpr Option kScopeOptions[] = {
    {"project", "", "In this project's .claude folder (the default)"},
    {"local", "", "In this project, for you alone (settings.local.json)"},
    {"user", "", "In your own .claude folder, for every project"},
    kProjectDir,
};

using client::Scope;

std::string project_folder(const Args& args) {
  return std::string(args.option("project-dir").value_or("."));
}

Result<client::ClaudeFolder> place_of(const Args& args) {
  if (args.flag("user") + args.flag("project") + args.flag("local") > 1)
    return fail(Reason::usage, "give one of --project, --local and --user");
  if (args.flag("user")) return client::claude_folder_of_user();
  return client::claude_folder_of_project(project_folder(args),
                                          args.flag("local") ? Scope::local : Scope::project);
}

void print_line(const std::string& line) { print(line + "\n"); }

Result<int> install(const Args& args) {
  const client::ClaudeFolder place = TRY(place_of(args));
  TRY_VOID(client::install_hook(place, world::own_word(), print_line));
  // One's own settings are nobody else's: the project's history does not get them.
  if (place.scope == Scope::local)
    if (const auto repository = git::open_repository(project_folder(args)))
      TRY_VOID(git::exclude_capsule_dir(*repository, {".claude/settings.local.json*"}));
  warn_of_doubled_hook(project_folder(args));
  return 0;
}

Result<int> uninstall(const Args& args) {
  TRY_VOID(client::uninstall_hook(TRY(place_of(args)), world::own_word(), print_line));
  return 0;
}

Result<int> hook_status(const Args& args) {
  const std::string folder = project_folder(args);
  const client::HookPlaces places = TRY(client::hook_places(folder));
  print(args.flag("json") ? client::places_json(places) : client::places_text(places));
  warn_of_doubled_hook(folder);
  return client::installed_in(places) ? 0 : 1;
}

constexpr Command kHookRows[] = {
    {.path = "hook install",
     .summary = "Keep auto mode on course inside Claude Code",
     .details =
         "Adds a Stop hook to .claude/settings.json and the slash commands /capsule-auto, "
         "/capsule-status and /capsule-run. Everything else in the settings stays as it is, "
         "and the file is kept as a backup. Doing it again changes nothing. Settings that "
         "are not valid JSON are reported and left alone; where something cannot be written, "
         "nothing is. One place is enough: where several have the hook, that is told.\n\n"
         "Exit codes: 0 installed; 1 not; 2 an error.",
     .options = kScopeOptions,
     .run = install,
     .examples = "  capsule hook install\n  capsule hook install --local\n"
                 "  capsule hook install --user",
     .people_only = true},
    {.path = "hook uninstall",
     .summary = "Remove the Stop hook and the slash commands",
     .details = "Removes exactly what install added; slash commands that you have changed are "
                "kept.\n\nExit codes: 0 no longer installed; 1 the settings cannot be read; 2 "
                "wrong usage.",
     .options = kScopeOptions,
     .run = uninstall,
     .people_only = true},
    {.path = "hook status",
     .summary = "Show where the Stop hook is installed",
     .details = "Exit codes: 0 it is installed somewhere; 1 nowhere; 2 an error.",
     .options = kProjectAndJson,
     .run = hook_status},
    {.path = "hook stop",
     .summary = "The Stop hook itself: Claude Code calls it, people do not",
     .details = "Reads the client's event from stdin. When auto mode is active for this session "
                "and its phase is not complete, prints {\"decision\":\"block\",\"reason\":…} so "
                "that the session goes on. What a person should know, such as the phase that "
                "begins, is a \"systemMessage\" in the same object. Otherwise prints nothing. "
                "Ends with 0 whatever happens: a fault of its own allows the stop, and is told.",
     .run = [](const Args&) -> Result<int> { return client::hook_stop(); },
     .errors = Errors::one},
};

}  // namespace

std::span<const Command> hook_commands() { return kHookRows; }

}  // namespace capsule::cli
