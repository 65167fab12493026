// capsule agents: which providers are free, which are parked, and who works. capsule agents resume
// lifts a parking, for all runs of the machine.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "ui/agents_text.h"
#include "ui/terminal.h"
#include "world/wall_clock.h"

namespace capsule::cli {
namespace {

constexpr Positional kResumePositionals[] = {
    {"NAME", "The provider, as 'capsule agents' shows it"}};

std::string machine_parkings() { return world::parkings_folder(::getenv); }
std::int64_t now_seconds() { return world::epoch_ms() / 1000; }

Result<std::vector<world::ProviderState>> states_of(const world::Project& project) {
  const auto store = TRY(world::journal_of(project));
  return world::provider_states(project, store.get(), machine_parkings(), now_seconds());
}

Result<int> show_agents(const Args& args) {
  const auto states = TRY(states_of(TRY(open_project(args))));
  print(args.flag("json") ? ui::agents_json(states)
                          : ui::agents_table(states, ui::style_for(STDOUT_FILENO)));
  return 0;
}

Result<int> resume_agents(const Args& args) {
  const std::string name(args.positional(0).value_or(""));
  const world::Project project = TRY(open_project(args));
  const auto states = TRY(states_of(project));
  const auto found =
      std::find_if(states.begin(), states.end(), [&](const auto& one) { return one.name == name; });
  if (found == states.end()) {
    std::vector<std::string> names;
    std::transform(states.begin(), states.end(), std::back_inserter(names),
                   [](const auto& one) { return one.name; });
    return fail(Reason::not_found, "there is no provider '" + printable(name.substr(0, 120)) + "'",
                "valid: " + short_list(names, 40));
  }
  if (!found->parked() && found->waiting.empty()) {
    print(name + " is not parked.\n");
    return 0;
  }
  const std::string folder = machine_parkings();
  if (folder.empty())
    return fail(Reason::io, "neither XDG_STATE_HOME nor HOME names a folder: no run can hear of it",
                "answer its question instead: capsule questions" + project.option);
  TRY_VOID(world::lift_parking(folder, name, "a person", now_seconds()));
  print(ui::lifted_text(*found));
  return 0;
}

constexpr auto kShownAlso =
    "The providers that the configuration and the workflows of the project name, and known clients "
    "that are installed: free, or parked until when and why; how many agents work or wait, in "
    "which runs of the project; and what was used today. A provider is parked when its service "
    "says that a usage limit is reached, no credit is left, or the key is wrong: no run of this "
    "machine starts an agent of it until then. What a single run has found out, such as a service "
    "that failed it ten times, is parked in that run alone. Only reads.\n\nExit codes: 0 shown; 2 "
    "an error.";

constexpr Command kAgentsRows[] = {
    {.path = "agents",
     .summary = "Show which providers are free, parked or at work",
     .details = kShownAlso,
     .options = kProjectAndJson,
     .run = show_agents,
     .errors = Errors::two,
     .examples = "  capsule agents\n  capsule agents --json | jq '.[] | select(.state == "
                 "\"parked\") | .provider'"},
    {.path = "agents resume",
     .summary = "Lift the parking of a provider, or the pause after a fault",
     .details = "Once a key is right again, credit is bought, or a limit is known to be over: "
                "all runs of this machine that wait for the provider go on, and a question "
                "about it counts as answered with 'go on'. A run that has stopped hears of it "
                "when it is started again. An agent that waits for a while after an overload, a "
                "rate limit or a lost connection tries at once. When the service fails the next "
                "agent again, the provider is parked again.\n\n"
                "Exit codes: 0 it is free; 1 there is no such provider; 2 an error.",
     .positionals = kResumePositionals,
     .options = kProjectOnly,
     .run = resume_agents,
     .examples = "  capsule agents resume claude",
     .people_only = true},
};

}  // namespace

std::span<const Command> agents_commands() { return kAgentsRows; }

}  // namespace capsule::cli
