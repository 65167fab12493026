// capsule auto start | status | cancel | continue: auto mode inside an agent's session.
#include <unistd.h>

#include "auto_state/document.h"
#include "base/print.h"
#include "cli/auto_args.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "run/auto_run.h"
#include "ui/auto_text.h"
#include "ui/view/session.h"
#include "world/runs.h"

namespace capsule::cli {
namespace {

constexpr Option kStartOptions[] = {
    kSkipExpansion,
    kSkipQa,
    kSkipReview,
    kSkipReflect,
    kMaxIterationsOption,
    kNoParallelValidation,
    {"session", "ID", "Bind it to this session, not to the one that it is started in"},
    {"force", "", "Replace an active state"},
    kProjectDir,
};

Result<int> start(const Args& args) {
  world::SessionStart session;
  session.task = TRY(task_argument(args));
  const AutoWords words = TRY(auto_words(args));
  session.config = words.config;
  session.max_iterations = words.max_iterations;
  session.session = TRY(session_argument(args));
  session.force = args.flag("force");
  const std::string folder = TRY(auto_folder(args));
  print(TRY(world::start_session(folder, session, warn_of)));
  warn_of_doubled_hook(folder);
  return 0;
}

// What the journal says of a headless run whose state file is gone.
Result<std::optional<auto_mode::State>> journalled(const Args& args) {
  const auto project = open_project(args);
  if (!project) return std::nullopt;
  const auto store = TRY(world::journal_of(*project));
  const std::string run = store == nullptr ? "" : TRY(world::newest_auto_run(*store));
  if (run.empty()) return std::nullopt;
  return TRY(world::replayed<auto_mode::Rules>(*store, run)).state().file;
}

Result<int> auto_status(const Args& args) {
  const std::string folder = TRY(auto_folder(args));
  auto document = TRY(world::load_state(folder, warn_of));
  if (document) {
    TRY_VOID(world::record_session(folder));
  } else {
    const auto state = TRY(journalled(args));
    if (!state) return world::no_auto_mode(folder);
    document = TRY(auto_state::read_document(auto_state::write_document({}, *state)));
  }
  print(args.flag("json")
            ? document->json.compact() + "\n"
            : ui::auto_page(view::session_of(document->state), ui::style_for(STDOUT_FILENO)));
  if (document->state.active) warn_of_doubled_hook(folder);
  return 0;
}

Result<int> cancel(const Args& args) {
  const std::string folder = TRY(auto_folder(args));
  if (!auto_state::has_state(folder)) return world::no_auto_mode(folder);
  if (!world::run_of_state(folder).empty()) {
    const auto run = TRY(run::AutoRun::open(TRY(open_project(args)), ui::Look::plain));
    print(TRY(run::cancel_auto(*run)) + "\n");
    return 0;
  }
  print(TRY(world::cancel_session(folder, warn_of))
            ? "auto mode is cancelled; to take it up again: capsule auto continue\n"
            : "auto mode is not active\n");
  return 0;
}

constexpr Command kAutoRows[] = {
    {.path = "auto start",
     .summary = "Start auto mode for a session that has the Stop hook",
     .details = "Nine phases: expansion, init, planning, execution, qa, review, fix, check, "
                "reflect. Only writes .caw/auto-state.json and prints the instructions of the "
                "first phase; the hook (capsule hook install) does the rest. It belongs to the "
                "session that it is started in (CLAUDE_CODE_SESSION_ID); started outside of any, "
                "to the first one that stops.\n\n"
                "Exit codes: 0 started; 1 already active; 2 an error.",
     .positionals = kAutoTask,
     .options = kStartOptions,
     .run = start,
     .examples = "  capsule auto start \"Validate phone numbers\" --skip-reflect"},
    {.path = "auto status",
     .summary = "Show which phase auto mode is in",
     .details = "Exit codes: 0 shown; 1 there is none; 2 an error.",
     .options = kProjectAndJson,
     .run = auto_status},
    {.path = "auto cancel",
     .summary = "End auto mode; the session may stop",
     .details = "Exit codes: 0 no longer active; 1 there is none; 2 an error.",
     .options = kProjectOnly,
     .run = cancel},
};

}  // namespace

std::span<const Command> auto_commands() { return kAutoRows; }

}  // namespace capsule::cli
