// capsule doctor: what a run would need here, what is missing, and the command that mends it.
#include <unistd.h>

#include "base/print.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "client/hook_install.h"
#include "ui/setup_text.h"
#include "ui/terminal.h"
#include "world/test_trial.h"

namespace capsule::cli {
namespace {

constexpr Option kDoctorOptions[] = {
    kProjectDir, kProvider, kContain, kJsonObject, {"no-tests", "", "Do not run the test command"}};

// Where everything else is in order: the test command, once, with a line meanwhile.
Result<void> run_tests_once(const Args& args, world::Findings& findings) {
  const auto project = TRY(open_project(args));
  if (args.flag("no-tests") || !project.config.verify.test) return {};
  const bool on_terminal = ::isatty(STDERR_FILENO) == 1;
  if (on_terminal) print_error("Running the tests once (Ctrl-C ends them) …");
  const auto verdict = world::try_tests(project);
  if (on_terminal) print_error("\r\033[K");
  if (!verdict && verdict.error().reason == Reason::interrupted)
    return tl::unexpected(verdict.error());
  findings.push_back(verdict ? world::finding_of(*verdict)
                             : world::trouble("test run", verdict.error()));
  return {};
}

Result<int> doctor(const Args& args) {
  world::Findings findings = world::examine(project_words(args));
  if (auto doubled = client::doubled_hook(client::claude_folders(project_words(args).folder));
      !doubled.sentence.empty())
    findings.push_back({world::Health::doubtful, "stop hook", std::move(doubled.sentence),
                        std::move(doubled.mend)});
  if (is_ready(findings)) TRY_VOID(run_tests_once(args, findings));
  print(args.flag("json") ? ui::findings_json(findings)
                          : ui::findings_text(findings, ui::style_for(STDOUT_FILENO)));
  return is_ready(findings) ? 0 : 1;
}

}  // namespace

constexpr Command kDoctorCommand{
    .path = "doctor",
    .summary = "Say what a run would lack here, and how to fix it",
    .details =
        "Looks at git, the repository and its configuration, the agents that the phases "
        "use, the tracker in use and why, prompts and templates, the test command, the "
        "journal, worktrees that are left from before, and what the kernel has to contain "
        "commands with. Where all that is in order, the test command is run once, in a "
        "folder of its own with the files of the main branch: how many tests it names, in "
        "which way, and how long it takes. Changes nothing.\n\n"
        "Exit codes: 0 a run could start, perhaps with warnings; 1 it could not.",
    .options = kDoctorOptions,
    .run = doctor,
    .examples =
        "  capsule doctor\n  capsule doctor --provider=rehearsal --no-tests\n"
        "  capsule doctor --json | jq '.checks[] | select(.state != \"ok\")'",
};

}  // namespace capsule::cli
