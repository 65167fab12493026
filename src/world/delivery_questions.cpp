// Questions of a delivery to a person: answered from a file that was given beforehand, by `capsule
// answer` from another process, or on the terminal. The first answer wins.
#include <sys/inotify.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"
#include "world/delivery_world.h"

namespace capsule::world {
namespace {

constexpr std::size_t kMaxTypedBytes = 64UL * 1024;

}  // namespace

void DeliveryHands::ask(int number, const delivery::State& state) {
  const delivery::Question& question = state.questions[static_cast<std::size_t>(number - 1)];
  const std::string task =
      question.task < 0 ? "" : state.tasks[static_cast<std::size_t>(question.task)].task.id;
  open_questions_[number] = {task, question.options};
  listen_for_answers();
  collect_answers();  // what a person said before goes before what is said for all cases
  if (!open_questions_.contains(number)) return;
  if (question.kind == event::delivery::QuestionKind::removed_task && closed(task))
    return answered(number, "remove", "the tracker");
  if (options_.answers) {
    const auto text = options_.answers->answer(number, task);
    if (text && delivery::accepts(question, *text)) return answered(number, *text, "answers file");
  }
  if (!options_.terminal) return;
  std::string text = "\nQuestion " + std::to_string(number) +
                     (task.empty() ? "" : " (" + task + ")") + ": " + printable(question.text);
  if (!question.options.empty()) {
    text += " [";
    for (std::size_t i = 0; i < question.options.size(); ++i)
      text += (i == 0 ? "" : ", ") + question.options[i];
    text += "]";
  }
  tell(text + "\nType the answer, or: capsule answer " + std::to_string(number) + " TEXT\n");
  if (!terminal_watch_)
    if (auto watch = loop_.watch(STDIN_FILENO, [this] { read_terminal(); }); watch)
      terminal_watch_ = *watch;
}

void DeliveryHands::ask_again(const delivery::State& state) {
  for (int number : delivery::open_questions(state))
    if (!open_questions_.contains(number)) ask(number, state);
}

// Woken when a file appears; no polling.
void DeliveryHands::listen_for_answers() {
  if (inotify_) return;
  const std::string folder = answers_folder(project_.root(), options_.run);
  if (!make_folders(folder)) return;
  inotify_ = File(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!inotify_ || ::inotify_add_watch(inotify_.fd(), folder.c_str(), IN_CREATE | IN_MOVED_TO) < 0)
    return;
  const auto watch = loop_.watch(inotify_.fd(), [this] {
    char buffer[4096];
    while (::read(inotify_.fd(), buffer, sizeof buffer) > 0) continue;
    collect_answers();
  });
  if (watch) inotify_watch_ = *watch;
}

void DeliveryHands::collect_answers() {
  std::vector<std::pair<int, std::string>> found;
  for (const auto& [number, open] : open_questions_)
    if (auto text = pending_answer(project_.root(), options_.run, number))
      found.emplace_back(number, *std::move(text));
  for (const auto& [number, text] : found) answered(number, text, "capsule answer");
}

void DeliveryHands::answered(int number, const std::string& text, const std::string& by) {
  const auto open = open_questions_.find(number);
  if (open == open_questions_.end()) return;
  delivery::Question question;
  question.options = open->second.options;
  if (text.empty() || !delivery::accepts(question, text)) {
    ::unlink(
        (answers_folder(project_.root(), options_.run) + "/" + std::to_string(number)).c_str());
    return tell("That is no answer to question " + std::to_string(number) + ".\n");
  }
  open_questions_.erase(open);
  happened(event::delivery::QuestionAnswered{number, text, by});
}

// Whole lines; each answers the oldest open question.
void DeliveryHands::read_terminal() {
  char buffer[4096];
  const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
  if (count <= 0) {
    loop_.unwatch(*terminal_watch_);
    terminal_watch_.reset();
    options_.terminal = false;
    return;
  }
  typed_.append(buffer, static_cast<std::size_t>(count));
  if (typed_.size() > kMaxTypedBytes) typed_.clear();
  for (std::size_t end; (end = typed_.find('\n')) != typed_.npos; typed_.erase(0, end + 1)) {
    const std::string line(trimmed(typed_.substr(0, end)));
    if (!line.empty() && !open_questions_.empty())
      answered(open_questions_.begin()->first, line, "terminal");
  }
}

}  // namespace capsule::world
