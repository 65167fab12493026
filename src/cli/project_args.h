// Which project and which bead the words of a command mean.
#pragma once

#include <string>

#include "cli/commands.h"
#include "world/project.h"

namespace capsule::cli {

// Rows that most commands share.
inline constexpr Option kProjectDir{"project-dir", "DIR", "The project's folder", "", "."};
inline constexpr Option kProvider{"provider", "NAME", "Which agent to use", "", "claude"};
inline constexpr Option kContain{"contain", "PRESET",
                                 "Which walls all agents and checks work in, whatever files say",
                                 "off|worktree|strict"};
inline constexpr Option kIntegrate{"integrate", "HOW",
                                   "What becomes of work that is ready: merge, ask or branch"};
inline constexpr Option kRecheck{
    "recheck", "", "Run the project's checks again, also on files that they have seen"};
inline constexpr Option kJson{"json", "", "Print JSON"};
inline constexpr Option kJsonObject{"json", "", "Print one JSON object"};
inline constexpr Option kJsonEvents{"json", "", "One event per line on stdout, nothing else"};
inline constexpr Option kScriptsDir{
    .name = "scripts-dir",
    .value = "DIR",
    .help = "The scripts/ folder that called; prompts/ and templates/ beside it come first",
    .hidden = true};
inline constexpr Option kProjectOnly[] = {kProjectDir};
inline constexpr Option kProjectAndJson[] = {kProjectDir, kJson};

// --project-dir (here by default), --provider, --max-retries, --contain and --scripts-dir.
world::ProjectWords project_words(const Args& args);
// world::open_project() and the like for these.
Result<world::Project> open_project(const Args& args);
// The same for a command with kRecheck.
Result<world::Project> open_checked_project(const Args& args);
Result<world::Project> open_loose_project(const Args& args, const std::string& folder);
std::string project_folder(const Args& args);

// --integrate; unsaid: it is not given. Error usage: it is none of the three.
Result<event::Integrate> integrate_argument(const Args& args);

// The bead that a command names first. Error usage: it is no id.
Result<std::string> bead_argument(const Args& args);

}  // namespace capsule::cli
