// capsule run-phase: one phase by hand, in any folder.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "agent/run.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/ids.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "worklog/prompt.h"
#include "world/environment.h"
#include "world/hand_run.h"
#include "world/interrupt.h"
#include "world/providers.h"

namespace capsule::cli {
namespace {

constexpr Positional kRunPhasePositionals[] = {
    {"PHASE", "The name of a prompt, such as test-writer"},
    {"WORKTREE", "The folder in which the agent works"}};
constexpr Option kRunPhaseOptions[] = {
    {"feedback", "TEXT", "Feedback of the last review, appended to the prompt"},
    kProjectDir,
    kProvider,
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
  const std::string prompt_file = "prompts/" + phase + ".md";
  const auto prompt = project.assets.read(prompt_file);
  if (!prompt && prompt.error().reason == Reason::not_found)
    return fail(Reason::not_found, "phase '" + phase + "' not found: there is no " + prompt_file,
                prompt.error().hint);

  agent::Assignment assignment;
  assignment.phase = phase;
  assignment.folder = folder;
  assignment.prompt = worklog::compose_prompt(TRY(prompt), args.option("feedback").value_or(""));
  assignment.stamp = utc_stamp();
  // Outside a run there is none, and no bead, even when an agent's own environment says otherwise.
  workflow::StartAgent start;
  start.role = phase;
  assignment.env = world::environment_of("", start, folder);
  const std::string bead = world::bead_of_worktree(folder).value_or("");
  const agent::PhaseSettings settings = TRY(world::settings_of(project, phase, bead));
  assignment.timeout = settings.timeout;

  const auto loop = TRY(process::Loop::create());
  const auto interrupt = TRY(world::Interrupt::create(*loop));
  assignment.interrupted = [&] { return interrupt->requested(); };
  agent::Watch nobody;
  const std::int64_t began = monotonic_ms();
  const agent::Report report = TRY(agent::run_agent(*loop, settings.provider, assignment, nobody));
  print(report.signal.json + "\n");
  if (report.fault == event::Fault::interrupted) return interrupt->exit_code();
  if (const auto noted = world::note_hand_run(project, bead, phase, report, monotonic_ms() - began);
      !noted)
    print_error("capsule: warning: the phase was not noted for --resume: " + noted.error().message +
                "\n");
  if (report.fault == event::Fault::exit_status)
    print_error("capsule: the agent " + report.detail + "\n");
  if (report.fault != event::Fault::none) {
    print_error("  its output: " + printable(report.log) + "\n");
    return 2;
  }
  return static_cast<int>(report.signal.status);
}

}  // namespace

Command run_phase_command() {
  return {"run-phase",
          "Run one phase in a folder and print its signal",
          "The prompt is prompts/PHASE.md. The agent's output goes to .capsule/output/ in the "
          "folder; the signal is "
          "printed as one line.\n\n"
          "Exit codes: 0 PASS; 1 NEEDS_WORK; 2 ERROR, or the phase could not run.",
          kRunPhasePositionals,
          kRunPhaseOptions,
          run_phase,
          Errors::two,
          "",
          "  capsule run-phase test-writer .capsule/worktrees/demo-1.1.1\n"
          "  capsule run-phase execute . --feedback=\"handle empty input\"",
          false,
          true};
}

}  // namespace capsule::cli
