// capsule tell and capsule note: a person's words for an agent at work, or for the next one.
#include <unistd.h>

#include <cstdlib>

#include "base/clock.h"
#include "base/ids.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/run_args.h"
#include "json/value.h"
#include "world/requests.h"

namespace capsule::cli {
namespace {

constexpr Positional kTellPositionals[] = {
    kRun,
    {"TASK", "One task of the plan; left out: whoever works", false},
    {"TEXT", "What to tell", false}};
constexpr Option kTellOptions[] = {kProjectDir, kJson};
// A run that goes on takes a message up at once, and a client mostly hears it soon.
constexpr int kTakenUpMilliseconds = 5'000;
constexpr int kHeardMilliseconds = 1'000;
constexpr std::size_t kMostBytes = std::size_t{64} << 10;

std::string person() {
  for (const char* name : {"USER", "LOGNAME"})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return value;
  return "a person";
}

Result<void> refuse_where_nobody_hears(const world::Project& project, const world::Found& found) {
  const std::string name = world::word_for(found.run);
  if (found.run.head.workflow == engine::kAutoSession)
    return fail(Reason::refused, "auto mode works in a session of its client",
                "say it there, in the session");
  const bool over = engine::state_of(found.run) == engine::RunState::ended;
  if (over && !found.run.summary.can_go_on)
    return fail(Reason::refused, "the run of " + name + " has ended: nobody would hear it",
                "see: capsule status " + name + project.option);
  return {};
}

// The message as the run has recorded it, as far as it got in a short time.
Result<workflow::MessageSummary> followed(engine::Records& store, const world::Run& run,
                                          const std::string& id, bool for_next) {
  const std::int64_t began = monotonic_ms();
  workflow::MessageSummary known;
  known.recorded = false;
  for (;;) {
    const world::Run now = TRY(world::read_run(store, run.head));
    for (const workflow::MessageSummary& message : now.summary.messages)
      if (message.id == id) known = message;
    const std::int64_t waited = monotonic_ms() - began;
    if (known.agent != 0 || !now.live() || (for_next && known.recorded)) return known;
    if (waited > (known.recorded ? kHeardMilliseconds : kTakenUpMilliseconds)) return known;
    ::usleep(50'000);
  }
}

// Who is at work on it, and whether their clients hear words meanwhile.
bool somebody_hears(const world::Project& project, const world::Found& found) {
  for (const workflow::AgentSummary& agent : found.run.summary.agents) {
    if (!agent.running || (!found.task.empty() && agent.task != found.task)) continue;
    const auto row = project.config.providers.find(agent.provider);
    if (row != project.config.providers.end() && row->second.steer) return true;
  }
  return false;
}

std::string what_follows(const world::Project& project, const world::Found& found,
                         const workflow::MessageSummary& message, bool for_next) {
  const std::string who = "agent " + std::to_string(message.agent) +
                          (message.role.empty() ? "" : " (" + printable(message.role) + ")");
  if (message.agent != 0 && message.live) return "Told: " + who + " has heard it.";
  if (message.agent != 0) return "Told: " + who + " has it in its prompt.";
  if (!found.run.live())
    return "Nobody works on " + world::word_for(found.run) +
           " now: the first agent has it in its prompt once it goes on: " +
           world::go_on_command(project, found.run);
  const std::string next =
      "the next agent" + (found.task.empty() ? "" : " of " + printable(found.task));
  if (!message.recorded) return "Left for the run, which has not taken it up yet.";
  if (for_next) return "Noted: " + next + " has it in its prompt.";
  return somebody_hears(project, found)
             ? "Noted: who works hears it at its next step, or else " + next +
                   " has it in its prompt."
             : "Noted: " + next +
                   " has it in its prompt. (Claude hears it while it works with "
                   "providers.claude.steer: true.)";
}

Result<int> leave(const Args& args, bool for_next) {
  std::vector<std::string> words = words_of(args);
  if (words.size() < 2)
    return fail(Reason::usage, "what is to be told?",
                for_next ? "capsule note RUN [TASK] TEXT" : "capsule tell RUN [TASK] TEXT");
  const std::string text(trimmed(words.back()));
  words.pop_back();
  if (text.empty()) return fail(Reason::usage, "the message is empty");
  if (text.size() > kMostBytes)
    return fail(Reason::usage, "the message has " + std::to_string(text.size()) + " bytes",
                "at most 65536; put the rest into a file that the agents can read");
  const world::Project project = TRY(open_project(args));
  const auto store = TRY(world::journal_of(project));
  world::Found found = TRY(world::find_run(project, store.get(), words));
  TRY_VOID(refuse_where_nobody_hears(project, found));
  TRY_VOID(world::check_home(found.run.head));
  const std::string run = found.run.head.run;
  const std::string id = utc_stamp() + "-" + random_hex(4);
  TRY_VOID(world::leave_message(project.root(), run, {id, found.task, text, person(), for_next}));
  workflow::MessageSummary message;
  message.recorded = false;
  if (found.run.live()) message = TRY(followed(*store, found.run, id, for_next));
  if (!message.recorded) {
    // It may have ended meanwhile.
    found.run = TRY(world::read_run(*store, TRY(store->head(run))));
    if (auto late = refuse_where_nobody_hears(project, found); !late) {
      world::drop_message(project.root(), run, id);
      return tl::unexpected(late.error());
    }
  }
  if (args.flag("json")) {
    const json::Value told{
        {"message", id},
        {"run", run},
        {"task", found.task.empty() ? json::Value() : json::Value(found.task)},
        {"recorded", message.recorded},
        {"delivered", message.agent == 0 ? "no"
                      : message.live     ? "live"
                                         : "prompt"},
        {"agent", message.agent > 0 ? json::Value(message.agent) : json::Value()}};
    print(told.compact() + "\n");
    return 0;
  }
  print(what_follows(project, found, message, for_next) + "\n");
  return 0;
}

Result<int> tell(const Args& args) { return leave(args, false); }
Result<int> note(const Args& args) { return leave(args, true); }

}  // namespace

constexpr Command kTellCommand{
    .path = "tell",
    .summary = "Tell an agent of a run something",
    .details =
        "The words reach an agent that is at work where its client can be steered "
        "(providers.claude.steer: true), at its next step; otherwise they stand in the "
        "prompt of the next agent that starts: the reviewer, say, who then holds the work "
        "against them. With a plan and one of its tasks only agents of that task are told. "
        "Each message is told once, also when the run is cut off meanwhile; 'capsule "
        "status RUN' shows those that nobody has worked with yet.\n\n"
        "A run that has stopped hears it when it goes on. Exit codes: 0 left, and it is "
        "said what came of it; 1 no such run, or it has ended; 2 an error.",
    .positionals = kTellPositionals,
    .options = kTellOptions,
    .run = tell,
    .examples =
        "  capsule tell demo-1.1.1 \"Use UTC everywhere\"\n"
        "  capsule tell PLAN.md T-3 \"The table is called users, not user\"\n"
        "  capsule tell auto \"Leave the README alone\"",
    .people_only = true,
};

constexpr Command kNoteCommand{
    .path = "note",
    .summary = "Leave words for the next agent of a run",
    .details =
        "As 'capsule tell', but nobody at work is told, also where a client can be "
        "steered: the words stand in the prompt of the next agent that starts, which is "
        "the next attempt or whoever reviews this one. With a plan and one of its tasks it "
        "is the next agent of that task.\n\n"
        "A run that has stopped hears it when it goes on. Exit codes: 0 left, and it is "
        "said what came of it; 1 no such run, or it has ended; 2 an error.",
    .positionals = kTellPositionals,
    .options = kTellOptions,
    .run = note,
    .examples =
        "  capsule note demo-1.1.1 \"Use UTC everywhere\"\n"
        "  capsule note PLAN.md T-3 \"The table is called users, not user\"",
    .people_only = true,
};

}  // namespace capsule::cli
