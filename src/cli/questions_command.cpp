// capsule questions and capsule answer: what agents of deliveries ask people.
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "ui/run_view.h"
#include "ui/view.h"
#include "world/answers.h"
#include "world/delivery_plan.h"

namespace capsule::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr Option kOptions[] = {kProjectDir, kJson};
constexpr Option kAnswerOptions[] = {kProjectDir};
constexpr Positional kAnswerWords[] = {{"ID", "The question's id, as 'capsule questions' shows it"},
                                       {"TEXT", "The answer"}};

struct OpenQuestion {
  std::string id;  // "3", or "RUN/3" where several deliveries ask
  std::string run, task, plan;
  delivery::Question question;
  bool answered = false;  // but not taken up yet
};

Result<std::vector<OpenQuestion>> open_questions(const world::Project& project) {
  std::vector<OpenQuestion> list;
  const auto store = TRY(world::journal_of(project));
  if (store == nullptr) return list;
  std::set<std::string> runs;
  for (const engine::RunHead& head : TRY(engine::deliveries(*store, ""))) {
    if (!head.ended_at.empty()) continue;
    const engine::DeliveryRecord record = TRY(engine::read_delivery(*store, head));
    for (int number : delivery::open_questions(record.state)) {
      OpenQuestion open;
      open.question = record.state.questions[static_cast<std::size_t>(number - 1)];
      open.run = head.run;
      open.plan = head.subject;
      if (open.question.task >= 0)
        open.task = record.state.tasks[static_cast<std::size_t>(open.question.task)].task.id;
      open.answered = world::pending_answer(project.root(), head.run, number).has_value();
      runs.insert(head.run);
      list.push_back(std::move(open));
    }
  }
  for (OpenQuestion& open : list)
    open.id = (runs.size() > 1 ? open.run + "/" : "") + std::to_string(open.question.number);
  return list;
}

Result<int> show(const Args& args) {
  const world::Project project = TRY(open_project(args));
  const std::vector<OpenQuestion> list = TRY(open_questions(project));
  if (args.flag("json")) {
    Json rows = Json::array();
    for (const OpenQuestion& open : list)
      rows.push_back({{"id", open.id},
                      {"task", open.task.empty() ? Json() : Json(open.task)},
                      {"kind", std::string(event::delivery::name_of(open.question.kind))},
                      {"question", open.question.text},
                      {"context", open.question.context},
                      {"options", open.question.options},
                      {"run", open.run},
                      {"plan", open.plan},
                      {"answered", open.answered}});
    print(rows.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
    return 0;
  }
  if (list.empty()) print("No open questions.\n");
  for (const OpenQuestion& open : list) {
    std::string text = padded(open.id, 6) + padded(open.task.empty() ? "plan" : open.task, 14) +
                       printable(open.question.text) + "\n";
    for (std::string_view line : split(open.question.context, '\n'))
      if (!trimmed(line).empty()) text += "      " + printable(line) + "\n";
    for (const std::string& option : open.question.options)
      text += "      - " + printable(option) + "\n";
    if (open.answered) text += "      (answered; the delivery has not taken it up yet)\n";
    print(text);
  }
  return 0;
}

Result<int> answer(const Args& args) {
  const std::string id(args.positional(0).value_or(""));
  const std::string text(trimmed(args.positional(1).value_or("")));
  const world::Project project = TRY(open_project(args));
  if (text.empty()) return fail(Reason::usage, "the answer is empty");
  for (const OpenQuestion& open : TRY(open_questions(project))) {
    const std::string number = std::to_string(open.question.number);
    if (id != open.id && id != open.run + "/" + number && id != "Q" + open.id) continue;
    if (!delivery::accepts(open.question, text)) {
      std::string valid;
      for (const std::string& option : open.question.options)
        valid += (valid.empty() ? "" : ", ") + printable(option);
      return fail(Reason::usage, "'" + printable(text) + "' is no answer to question " + id,
                  "valid: " + valid);
    }
    TRY_VOID(world::leave_answer(project.root(), open.run, open.question.number, text));
    const auto store = TRY(world::journal_of(project));
    const auto holder = TRY(store->holder(open.plan));
    print("Question " + id + " is answered. " +
          (holder ? "The delivery goes on with it.\n"
                  : "Go on with: capsule deliver " +
                        shell_word(open.plan.starts_with("delivery:") ? open.plan.substr(9)
                                                                      : open.plan) +
                        project.option + "\n"));
    return 0;
  }
  return fail(Reason::not_found, "there is no open question " + printable(id.substr(0, 80)),
              "see: capsule questions" + project.option);
}

int exit_for(const Error& error) {
  return report(error, error.reason == Reason::not_found || error.reason == Reason::exists ? 1 : 2);
}
int questions_main(const Args& args) {
  const auto code = show(args);
  return code ? *code : exit_for(code.error());
}
int answer_main(const Args& args) {
  const auto code = answer(args);
  return code ? *code : exit_for(code.error());
}

}  // namespace

Command questions_command() {
  return {.path = "questions",
          .summary = "Show what the agents of deliveries ask people",
          .details = "Only reads, also while a delivery runs. Exit codes: 0 shown; 2 an error.",
          .positionals = {},
          .options = kOptions,
          .run = questions_main,
          .examples = "  capsule questions\n  capsule answer 1 \"Use UTC everywhere\""};
}

Command answer_command() {
  return {.path = "answer",
          .summary = "Answer a question of a delivery",
          .details =
              "The first answer wins. A delivery that runs goes on with it at once; one that has "
              "stopped, when it is started again. Exit codes: 0 answered; 1 no such question, or "
              "answered before; 2 an error, or no valid answer.",
          .positionals = kAnswerWords,
          .options = kAnswerOptions,
          .run = answer_main,
          .examples = "  capsule answer 1 \"Use UTC everywhere\"",
          .people_only = true};
}

}  // namespace capsule::cli
