// capsule questions and capsule answer: what runs ask people, whatever their workflow.
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/run_args.h"
#include "ui/question_text.h"
#include "world/answers.h"

namespace capsule::cli {
namespace {

constexpr Option kAnswerOptions[] = {
    kProjectDir, {"take-back", "", "Take back an answer that no agent has been told yet"}};
constexpr Positional kAnswerWords[] = {
    {"ID", "The question's number; before it, when several runs ask, the run, bead or plan"},
    {"TEXT", "The answer", false},
    {"ANSWER", "The answer, when a run and a number come before it", false}};

Result<int> show_questions(const Args& args) {
  const world::Project project = TRY(open_project(args));
  const auto store = TRY(world::journal_of(project));
  const std::vector<world::OpenQuestion> list = TRY(world::open_questions(project, store.get()));
  print(args.flag("json") ? ui::questions_json(list) : ui::question_lines(list));
  return 0;
}

Result<int> ask_run_back(const world::Project& project, engine::Records* store,
                         const world::AskedBefore& asked) {
  const world::TakenBack how = TRY(world::ask_back(project, store, asked));
  print("The answer to question " + std::to_string(asked.question) +
        (how == world::TakenBack::reopened
             ? " is taken back; no agent was told. It is open again.\n"
             : " is taken back when the run goes on, if no agent was told: " +
                   world::go_on_command(project, asked.run) + "\n"));
  return 0;
}

Result<int> take_back(const Args& args, const std::vector<std::string>& words) {
  const world::Project project = TRY(open_project(args));
  const auto store = TRY(world::journal_of(project));
  if (words.size() > 2)
    return fail(Reason::usage, "--take-back takes a question, and no answer",
                "capsule answer [RUN] N --take-back");
  const auto open = world::find_question(project, store.get(),
                                         words.size() > 1 ? words.front() : "", words.back());
  if (!open && open.error().reason == Reason::not_found)
    return ask_run_back(
        project, store.get(),
        TRY(world::find_asked(project, store.get(), words.size() > 1 ? words.front() : "",
                              words.back())));
  if (!open) return tl::unexpected(open.error());
  if (open->run.live() && open->answered)  // it is being taken up
    return ask_run_back(project, store.get(), {open->run, open->wait.question});
  TRY_VOID(world::check_home(open->run.head));
  TRY_VOID(world::take_back_answer(project.root(), open->run.head.run, open->wait.question));
  print("The answer to question " + words.back() + " is taken back.\n");
  return 0;
}

Result<int> answer(const Args& args) {
  std::vector<std::string> words = words_of(args);
  if (args.flag("take-back")) return take_back(args, words);
  if (words.size() < 2)
    return fail(Reason::usage, "what is the answer?", "capsule answer [RUN] N TEXT");
  const std::string text(trimmed(words.back()));
  const world::Project project = TRY(open_project(args));
  if (text.empty()) return fail(Reason::usage, "the answer is empty");
  const auto store = TRY(world::journal_of(project));
  const std::string run = words.size() > 2 ? words.front() : "";
  const std::string id = words[words.size() - 2];
  const world::OpenQuestion open = TRY(world::find_question(project, store.get(), run, id));
  TRY_VOID(world::check_home(open.run.head));
  if (!workflow::accepts(open.wait, text))
    return fail(Reason::usage, "'" + printable(text) + "' does not answer question " + id,
                "valid: " + short_list(open.wait.options));
  TRY_VOID(world::leave_answer(project.root(), open.run.head.run, open.wait.question, text));
  print("Question " + id + " is answered. " +
        (open.run.live() ? "The run goes on with it.\n"
                         : "Go on with: " + world::go_on_command(project, open.run) + "\n"));
  return 0;
}

}  // namespace

constexpr Command kQuestionsCommand{
    .path = "questions",
    .summary = "Show what runs are asking",
    .details =
        "Questions of the agents of deliveries, and phases that wait for approval. Only "
        "reads, also while a run goes on. Exit codes: 0 shown; 2 an error.",
    .options = kProjectAndJson,
    .run = show_questions,
    .examples = "  capsule questions\n  capsule answer 1 \"Use UTC everywhere\"",
};

constexpr Command kAnswerCommand{
    .path = "answer",
    .summary = "Answer a question of a run",
    .details =
        "ID is the number that 'capsule questions' shows. When several runs ask, the run, "
        "bead or plan comes before it: capsule answer PLAN.md 1 TEXT.\n\n"
        "A phase that waits for approval goes on with 'approve', ends with 'reject', and "
        "is run again with any other text as its feedback.\n\n"
        "The first answer wins. A run that goes on takes it up at once; one that has "
        "stopped, when it is started again. --take-back takes it back, an approval or a "
        "rejection too, as long as no agent was told: until then, and while whoever would "
        "be told waits for its provider or a budget, in a delivery also for a slot or a "
        "file. An approved merge is done at once, and stays. Exit codes: 0 answered; 1 no "
        "such question, or answered before; 2 an error, or no valid answer.",
    .positionals = kAnswerWords,
    .options = kAnswerOptions,
    .run = answer,
    .examples =
        "  capsule answer 1 \"Use UTC everywhere\"\n"
        "  capsule answer demo-1.1.1 1 approve\n  capsule answer 1 --take-back",
    .people_only = true,
};

}  // namespace capsule::cli
