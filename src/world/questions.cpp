#include "world/questions.h"

#include <charconv>
#include <chrono>
#include <thread>

#include "base/listed.h"
#include "base/text.h"
#include "world/answers.h"
#include "world/requests.h"

namespace capsule::world {
namespace {

// How long a run is waited for that is to take an answer back.
constexpr std::chrono::milliseconds kTakeBackLook{50};
constexpr int kTakeBackLooks = 200;

// "3" or "Q3"; 0: it is no number.
int number_in(std::string_view text) {
  if (text.starts_with('Q')) text.remove_prefix(1);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number > 0 ? number : 0;
}

// "RUN/3" names both, where no run is named before it.
void part(std::string& run, std::string& word) {
  if (const std::size_t slash = word.rfind('/'); run.empty() && slash != word.npos) {
    run = word.substr(0, slash);
    word.erase(0, slash + 1);
  }
}

}  // namespace

Result<std::vector<OpenQuestion>> open_questions(const Project& project, engine::Records* store) {
  std::vector<OpenQuestion> list;
  if (store == nullptr) return list;
  for (const Run& run : TRY(newest_runs(*store))) {
    if (engine::state_of(run) == engine::RunState::ended) continue;
    for (const workflow::Waiting& wait : run.summary.waits) {
      if (wait.question == 0) continue;
      list.push_back(
          {run, wait, pending_answer(project.root(), run.head.run, wait.question).has_value()});
    }
  }
  return list;
}

Result<AskedBefore> find_asked(const Project& project, engine::Records* store,
                               const std::string& named_run, const std::string& number) {
  std::string run = named_run, word = number;
  part(run, word);
  const int wanted = number_in(word);
  if (wanted == 0 || store == nullptr)
    return fail(Reason::not_found, "there is no open question " + printable(word.substr(0, 80)),
                "see: capsule questions" + project.option);
  if (!run.empty()) return AskedBefore{TRY(find_run(project, store, {run})).run, wanted};
  std::vector<Run> found;
  for (Run& one : TRY(newest_runs(*store)))
    if (engine::state_of(one) != engine::RunState::ended) found.push_back(std::move(one));
  if (found.size() == 1) return AskedBefore{std::move(found.front()), wanted};
  if (found.empty())
    return fail(Reason::not_found, "there is no open question " + std::to_string(wanted),
                "an answer that an agent was told cannot be taken back");
  return fail(Reason::usage, "several runs have not ended",
              "name the run before the question's number" + project.option);
}

Result<OpenQuestion> find_question(const Project& project, engine::Records* store,
                                   const std::string& named_run, const std::string& number) {
  std::string run = named_run, word = number;
  part(run, word);
  const int wanted = number_in(word);
  if (wanted == 0 && !run.empty())
    return fail(Reason::usage,
                "'" + printable(word.substr(0, 80)) + "' is not the number of a question",
                "capsule answer RUN N TEXT; see: capsule questions" + project.option);
  if (!run.empty()) run = TRY(find_run(project, store, {run})).run.head.run;
  std::vector<OpenQuestion> found;
  for (OpenQuestion& open : TRY(open_questions(project, store)))
    if (open.wait.question == wanted && (run.empty() || open.run.head.run == run))
      found.push_back(std::move(open));
  if (found.empty())
    return fail(Reason::not_found, "there is no open question " + printable(word.substr(0, 80)),
                "see: capsule questions" + project.option);
  if (found.size() == 1) return std::move(found.front());
  const std::string runs =
      listed(found, [](const OpenQuestion& open) { return word_for(open.run); });
  return fail(Reason::usage, "several runs ask a question " + std::to_string(wanted) + ": " + runs,
              "name the run before it: capsule answer " + word_for(found.front().run) + " " +
                  std::to_string(wanted) + " TEXT" + project.option);
}

Result<workflow::Waiting> find_approval(const Project& project, const Found& found) {
  std::vector<workflow::Waiting> waits;
  std::vector<std::string> tasks;
  for (const workflow::Waiting& wait : found.run.summary.waits) {
    if (wait.what != workflow::Waiting::For::approval) continue;
    if (!found.task.empty() && wait.task != found.task) continue;
    waits.push_back(wait);
    tasks.push_back(wait.task);
  }
  const std::string name = word_for(found.run) + (found.task.empty() ? "" : " ") + found.task;
  if (waits.empty())
    return fail(Reason::not_found, name + " does not wait for approval",
                "see: capsule status " + name + project.option);
  if (waits.size() == 1) return waits.front();
  return fail(Reason::usage, "several tasks wait for approval: " + short_list(tasks),
              "name one of them: capsule approve " + name + " " + printable(tasks.front()) +
                  project.option);
}

Result<TakenBack> ask_back(const Project& project, engine::Records* store,
                           const AskedBefore& asked) {
  TRY_VOID(check_home(asked.run.head));
  const std::string& run = asked.run.head.run;
  TRY_VOID(leave_take_back(project.root(), run, asked.question));
  if (!asked.run.live()) return TakenBack::later;
  const auto pending = [&] { return take_back_pending(project.root(), run, asked.question); };
  for (int i = 0; i < kTakeBackLooks && pending(); ++i) std::this_thread::sleep_for(kTakeBackLook);
  if (pending())
    return fail(Reason::blocked, "the run has not looked at it yet",
                "see whether the question is open again: capsule questions" + project.option);
  for (const OpenQuestion& open : TRY(open_questions(project, store)))
    if (open.run.head.run == run && open.wait.question == asked.question)
      return TakenBack::reopened;
  return fail(Reason::blocked,
              "the answer to question " + std::to_string(asked.question) + " cannot be taken back",
              "an agent was told, or something else has followed from it; to correct it: capsule "
              "abort, change the task, and start the same command again");
}

}  // namespace capsule::world
