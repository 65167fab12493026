// capsule doctor: what a run would need here, what is missing, and the command that mends it.
#include <unistd.h>

#include "base/print.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "ui/setup_text.h"
#include "ui/terminal.h"

namespace capsule::cli {
namespace {

constexpr Option kDoctorOptions[] = {kProjectDir, kProvider, {"json", "", "Print one JSON object"}};

Result<int> doctor(const Args& args) {
  const world::Findings findings = world::examine(project_words(args));
  print(args.flag("json") ? ui::findings_json(findings)
                          : ui::findings_text(findings, ui::style_for(STDOUT_FILENO)));
  return is_ready(findings) ? 0 : 1;
}

}  // namespace

Command doctor_command() {
  return {.path = "doctor",
          .summary = "Say what is missing for a run here, and what mends it",
          .details =
              "Looks at git, the repository and its configuration, the agents that the phases use, "
              "the tracker in force and why, prompts and templates, the test command, the journal "
              "and worktrees that are left from before. Changes nothing.\n\n"
              "Exit codes: 0 a run could start, perhaps with warnings; 1 it could not.",
          .positionals = {},
          .options = kDoctorOptions,
          .run = doctor,
          .examples =
              "  capsule doctor\n  capsule doctor --provider=rehearsal\n"
              "  capsule doctor --json | jq '.checks[] | select(.state != \"ok\")'"};
}

}  // namespace capsule::cli
