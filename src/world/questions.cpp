#include "world/questions.h"

#include <charconv>

#include "base/listed.h"
#include "base/text.h"
#include "world/answers.h"

namespace capsule::world {
namespace {

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

}  // namespace capsule::world
