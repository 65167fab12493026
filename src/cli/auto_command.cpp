// capsule auto start | status | cancel | continue: auto mode inside an agent's session.
#include <signal.h>
#include <unistd.h>

#include "auto_state/state_file.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/auto_project.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "run/auto_run.h"
#include "ui/auto_narrator.h"
#include "ui/style.h"
#include "ui/terminal.h"
#include "world/auto_files.h"
#include "world/auto_prompt.h"
#include "world/held_session.h"
#include "world/runs.h"

namespace capsule::cli {
namespace {

using auto_mode::Phase;
using auto_mode::State;

constexpr Option kStartOptions[] = {
    kSkipExpansion,
    kSkipQa,
    kSkipReview,
    kSkipReflect,
    kMaxIterationsOption,
    kNoParallelValidation,
    {"session", "ID", "Bind it to this session, not to the first one that stops"},
    {"force", "", "Replace a state that is active"},
    kProjectDir,
};
constexpr Option kAutoStatusOptions[] = {kProjectDir, kJson};
constexpr Option kPlainOptions[] = {kProjectDir};

tl::unexpected<Error> no_state(const std::string& folder) {
  return fail(Reason::not_found, "there is no auto mode in " + printable(folder),
              "start it: capsule auto start \"TASK\"");
}

// A damaged state has been set aside by now: that is told, and a new one may be made.
Result<std::optional<auto_state::Document>> load_or_tell(const std::string& folder) {
  auto document = auto_state::load(folder);
  if (document || document.error().reason != Reason::damaged) return document;
  print_error("capsule: " + document.error().message + "; " + document.error().hint + "\n");
  return std::nullopt;
}

Result<int> start(const Args& args) {
  const std::string task = TRY(task_argument(args));
  const AutoWords words = TRY(auto_words(args));
  const std::string folder = TRY(auto_folder(args));
  TRY_VOID(make_folders_beneath(folder, auto_state::kFolder));
  const auto lock = TRY(auto_state::Lock::take(folder));
  const auto before = TRY(load_or_tell(folder));
  if (before && before->state.active && !args.flag("force"))
    return fail(Reason::refused,
                "auto mode is active already, in phase " + printable(before->state.phase) + ": " +
                    printable(before->state.task.substr(0, 200)),
                "end it: capsule auto cancel; or replace it with --force");
  State state = auto_mode::started(task, words.config, words.max_iterations, second_now());
  state.session = args.option("session").value_or("");
  TRY_VOID(world::record_session(folder));
  TRY_VOID(auto_state::save(folder, {}, state));
  TRY_VOID(world::record_session(folder));
  print(world::next_phase_prompt(folder, state, *auto_mode::current_phase(state)));
  return 0;
}

std::string status_line(const State& state, Phase phase, const ui::Style& style) {
  const auto_mode::PhaseRecord& record = state.phases[auto_mode::index_of(phase)];
  const std::string line = "  " + ui::phase_line(phase, record, style) + "\n";
  if (record.signal_detected || record.skipped) return line;
  const std::string head = line.substr(
      0, line.find(std::string(signal::name_of(phase))) + signal::name_of(phase).size());
  if (!state.active || auto_mode::current_phase(state) != phase) return head + "\n";
  return head + " … iteration " + std::to_string(state.iteration) + "/" +
         std::to_string(state.max_iterations) + "\n";
}

std::string told(const State& state) {
  const ui::Style style = ui::style_for(1);
  std::string text = printable(state.task) + "\n";
  if (state.active)
    text += "active in phase " + printable(state.phase) +
            (state.session.empty() ? ", for the first session that stops"
                                   : ", session " + printable(state.session)) +
            "\n";
  else
    text += "ended: " + printable(state.phase) + ", " +
            std::string(auto_mode::name_of(state.exit_reason)) + "\n";
  for (std::size_t i = 0; i < auto_mode::kPhases; ++i)
    text += status_line(state, static_cast<Phase>(i), style);
  if (!state.last_error.empty()) text += "last error: " + printable(state.last_error) + "\n";
  return text;
}

// What the journal says of a headless run whose state file is gone.
Result<std::optional<State>> journalled(const Args& args) {
  const auto project = open_project(args);
  if (!project) return std::nullopt;
  const auto store = TRY(world::journal_of(*project));
  if (store == nullptr) return std::nullopt;
  std::optional<State> state;
  for (const engine::RunHead& head : TRY(store->runs_of(engine::kAutoSubject)))
    if (head.workflow == engine::kAuto)
      state = TRY(world::replayed<auto_mode::Rules>(*store, head.run)).state().file;
  return state;
}

Result<int> auto_status(const Args& args) {
  const std::string folder = TRY(auto_folder(args));
  const auto document = TRY(load_or_tell(folder));
  if (!document) {
    const auto state = TRY(journalled(args));
    if (!state) return no_state(folder);
    print(args.flag("json")
              ? json::Object::parse(auto_state::write_document({}, *state))->compact() + "\n"
              : told(*state));
    return 0;
  }
  TRY_VOID(world::record_session(folder));
  print(args.flag("json") ? document->json.compact() + "\n" : told(document->state));
  return 0;
}

// A headless run is ended in the journal; one that another process carries on is told to stop.
Result<int> cancel_run(const Args& args) {
  const auto run = TRY(run::AutoRun::open(TRY(open_project(args)), ui::Look::plain));
  const auto newest = TRY(run->newest());
  if (!newest || newest->ended()) {
    print("auto mode is not active\n");
    return 0;
  }
  if (const auto holder = TRY(run->conductor().store().holder(engine::kAutoSubject))) {
    if (::kill(static_cast<pid_t>(holder->process.pid), SIGTERM) != 0)
      return fail(Reason::blocked, "pid " + std::to_string(holder->process.pid) +
                                       " carries it on and cannot be told");
    print("told pid " + std::to_string(holder->process.pid) + " to stop\n");
    return 0;
  }
  TRY_VOID(run->take(newest->run));
  TRY_VOID(run->give(event::auto_run::Ended{auto_mode::Outcome::cancelled, "", ""}));
  print("auto mode is cancelled; to take it up again: capsule auto continue\n");
  return 0;
}

Result<int> cancel(const Args& args) {
  const std::string folder = TRY(auto_folder(args));
  if (!auto_state::has_state(folder)) return no_state(folder);
  if (!world::run_of_state(folder).empty()) return cancel_run(args);
  {
    const auto lock = TRY(auto_state::Lock::take(folder));
    const auto document = TRY(load_or_tell(folder));
    if (!document) return no_state(folder);
    if (!document->state.active) {
      print("auto mode is not active\n");
      return 0;
    }
    TRY_VOID(auto_state::save(folder, document->json,
                              auto_mode::cancelled(document->state, second_now())));
  }
  TRY_VOID(world::record_session(folder));
  print("auto mode is cancelled; to take it up again: capsule auto continue\n");
  return 0;
}

constexpr Command kAutoRows[] = {
    {.path = "auto start",
     .summary = "Start auto mode for a session that has the Stop hook",
     .details = "Nine phases: expansion, init, planning, execution, qa, review, fix, check, "
                "reflect. Only writes .caw/auto-state.json and prints the instructions of the "
                "first phase; the hook (capsule hook install) does the rest.\n\n"
                "Exit codes: 0 started; 1 it is active already; 2 an error.",
     .positionals = kAutoTask,
     .options = kStartOptions,
     .run = start,
     .examples = "  capsule auto start \"Validate phone numbers\" --skip-reflect"},
    {.path = "auto status",
     .summary = "Show which phase auto mode is in",
     .details = "Exit codes: 0 shown; 1 there is none; 2 an error.",
     .positionals = {},
     .options = kAutoStatusOptions,
     .run = auto_status},
    {.path = "auto cancel",
     .summary = "End auto mode; the session may stop",
     .details = "Exit codes: 0 it is not active any more; 1 there is none; 2 an error.",
     .positionals = {},
     .options = kPlainOptions,
     .run = cancel},
};

}  // namespace

std::span<const Command> auto_commands() { return kAutoRows; }

}  // namespace capsule::cli
