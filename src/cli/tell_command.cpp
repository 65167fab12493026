// capsule tell and capsule note: a person's words for an agent at work, or for the next one.
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/run_args.h"
#include "ui/message_text.h"

namespace capsule::cli {
namespace {

constexpr Positional kTellPositionals[] = {
    kRun,
    {"TASK", "One task of the plan; left out: whoever works", false},
    {"TEXT", "What to tell", false}};
constexpr std::size_t kMostBytes = std::size_t{64} << 10;

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
  const world::LeftMessage left = TRY(world::leave_words(project, *store, found, {text, for_next}));
  const std::string go_on = world::go_on_command(project, found.run);
  print(args.flag("json") ? ui::message_json(left, found)
                          : ui::message_text(left, found, go_on, for_next));
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
    .options = kProjectAndJson,
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
    .options = kProjectAndJson,
    .run = note,
    .examples =
        "  capsule note demo-1.1.1 \"Use UTC everywhere\"\n"
        "  capsule note PLAN.md T-3 \"The table is called users, not user\"",
    .people_only = true,
};

}  // namespace capsule::cli
