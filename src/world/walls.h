// Which walls an agent, a check or a set-up gets: what the configuration says of it, what its
// client needs, and what this machine has. Deciding is here; contain/ enforces it.
//
// What a wish holds is for the command alone. Whoever starts it adds what is of the place and the
// moment: a home, a repository, and in `set` the variables of the task.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/clients.h"
#include "agent/provider.h"
#include "base/result.h"
#include "contain/policy.h"
#include "workflow/step.h"
#include "world/project.h"

namespace capsule::world {

// Whether it works in a layer that vanishes: it judges, what it changes is taken back anyway, or
// the configuration has it read-only.
bool only_looks(const Project& project, const workflow::StartAgent& start);

// As the configuration says of it, whatever this machine has.
config::Walls walls_for(const Project& project, const workflow::StartAgent& start);

// nullopt: none, as the configuration says, or as no_walls() does. `folder` is where it works.
// Error usage: the key is to stay outside (contain.broker), and cannot.
Result<std::optional<contain::Wish>> walls_of_agent(const Project& project,
                                                    const workflow::StartAgent& start,
                                                    const agent::Provider& provider,
                                                    const std::string& folder);

// The project's own commands: nothing that they write stays, and they have no network, unless the
// configuration says otherwise.
std::optional<contain::Wish> walls_of_checks(const Project& project, const std::string& folder);

// Whether somebody has chosen a preset, be it for a single phase or role, or that nothing runs
// where the kernel lacks one, in whatever file, variable or option.
bool walls_chosen(const config::Config& config);
// The same, and where that is said first; null: nowhere.
const config::Entry* choice_of_walls(const config::Config& config);

// The tightest preset that anybody has, as the configuration says.
config::ContainPreset tightest_preset(const config::Config& config);
// Whether anybody in a run has walls: then it is told who has none.
bool any_walls(const Project& project);

// What readies a tree: it writes there, and has the network that agents have.
std::optional<contain::Wish> walls_of_setup(const Project& project, const std::string& folder);

// Files that the project's own commands name by their whole paths, and that are not there inside:
// its own file names them, and not every user of the machine may read them.
struct NamedFile {
  std::string key;  // of the configuration, that names it
  std::string path;
};
std::vector<NamedFile> named_and_unseen(const Project& project);

// A command that a person runs in `folder`: at least those of the preset worktree. The network is
// that of the preset and the role, unless the configuration names one.
contain::Wish walls_of_command(const config::Config& config, contain::Role role,
                               const std::string& folder);

// What whoever has walls may use up, whatever the preset.
contain::Limits walls_limits(const config::Contain& contain);

// Nobody has chosen a preset, and this kernel lacks what the default needs: why. Then there are no
// walls, which has to be said wherever a run is shown. Asked of the kernel once.
std::optional<Error> no_walls(const Project& project);

// Whether an agent that is started has a root of its own around it, in which what it changes
// although it only looks vanishes. Not where it goes without namespaces.
bool walls_hold(const Project& project, const workflow::StartAgent& start);
// The same, and that layer can be had for certain: whoever only looks need not be told to.
bool layer_holds(const Project& project, const workflow::StartAgent& start);

// The client that a provider calls, be it by a command of the user's; null: none that we know.
const agent::Client* client_behind(const agent::Provider& provider);

}  // namespace capsule::world
