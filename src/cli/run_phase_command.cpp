// capsule run-phase: one phase by hand, in any folder.
#include "base/files.h"
#include "base/ids.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "world/hand_run.h"

namespace capsule::cli {
namespace {

constexpr Positional kRunPhasePositionals[] = {
    {"PHASE", "The name of a prompt, such as test-writer"},
    {"WORKTREE", "The folder in which the agent works"}};
constexpr Option kRunPhaseOptions[] = {
    {"feedback", "TEXT", "Feedback of the last review, appended to the prompt"},
    kProjectDir,
    kProvider,
    kContain,
    kScriptsDir,
};

// The folder may be no repository at all; then only the user's own configuration holds.
Result<world::Project> project_around(const Args& args, const std::string& folder) {
  if (args.option(kProjectDir.name).has_value()) return open_project(args);
  return open_loose_project(args, world::owner_of_worktree(folder).value_or(absolute_path(".")));
}

Result<int> run_phase(const Args& args) {
  const std::string phase(*args.positional(0));
  if (!valid_id(phase))
    return fail(Reason::usage,
                "phase not found: '" + printable(phase.substr(0, 120)) + "' is not a phase name",
                "phases: test-writer, test-review, execute, execute-review, sign-off, merge");
  const std::string given(*args.positional(1));
  if (!is_folder(given)) return fail(Reason::not_found, "folder not found: " + printable(given));
  const std::string folder = TRY(real_path(given));
  const world::Project project = TRY(project_around(args, folder));
  const event::PhaseRule rule = TRY(world::phase_by_hand(project, phase));
  const auto prompt = project.assets.read(rule.prompt);
  if (!prompt && prompt.error().reason == Reason::not_found)
    return fail(Reason::not_found, "phase '" + phase + "' not found: there is no " + rule.prompt,
                prompt.error().hint);

  const world::HandRun run = TRY(
      world::run_by_hand(project, rule, folder, TRY(prompt), args.option("feedback").value_or("")));
  const agent::Report& report = run.report;
  print(report.signal.json + "\n");
  if (report.fault == event::Fault::interrupted) return run.exit_code;
  if (!run.not_noted.empty())
    print_error("capsule: warning: the phase was not recorded for --resume: " + run.not_noted +
                "\n");
  for (const std::string& sentence : run.odd)
    print_error("capsule: warning: " + printable(sentence) + "\n");
  if (report.fault == event::Fault::exit_status)
    print_error("capsule: the agent " + report.detail + "\n");
  if (report.fault != event::Fault::none) {
    print_error("  its output: " + printable(report.log) + "\n");
    return 2;
  }
  return static_cast<int>(report.signal.status);
}

}  // namespace

constexpr Command kRunPhaseCommand{
    .path = "run-phase",
    .summary = "Run one phase in a folder and print its signal",
    .details =
        "The prompt is prompts/PHASE.md. The agent's output goes to .capsule/output/ in "
        "the folder; the signal is printed as one line.\n\n"
        "Exit codes: 0 PASS; 1 NEEDS_WORK; 2 ERROR, or the phase could not run.",
    .positionals = kRunPhasePositionals,
    .options = kRunPhaseOptions,
    .run = run_phase,
    .errors = Errors::two,
    .examples =
        "  capsule run-phase test-writer .capsule/worktrees/demo-1.1.1\n"
        "  capsule run-phase execute . --feedback=\"handle empty input\"",
    .people_only = true,
};

}  // namespace capsule::cli
