#include "world/people.h"

#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "signal/vocabulary.h"

namespace capsule::world {
namespace {

constexpr std::size_t kMaxTypedBytes = 64UL * 1024;

// One of the options, in any case, when there are some.
bool accepts(const workflow::Ask& question, std::string_view text) {
  if (text.empty()) return false;
  if (question.options.empty()) return true;
  return std::any_of(
      question.options.begin(), question.options.end(),
      [&](const std::string& option) { return signal::same_letters(trimmed(text), option); });
}

std::string question_text(const workflow::Ask& question) {
  std::string text = "\nQuestion " + std::to_string(question.question) +
                     (question.task.empty() ? "" : " (" + printable(question.task) + ")") + ": " +
                     printable(question.text);
  for (std::size_t i = 0; i < question.options.size(); ++i)
    text += (i == 0 ? " [" : ", ") + question.options[i];
  if (!question.options.empty()) text += "]";
  return text + "\nType the answer, or: capsule answer " + std::to_string(question.question) +
         " TEXT\n";
}

}  // namespace

People::People(process::Loop& loop, PeopleParts parts,
               std::function<void(workflow::Answered)> answered)
    : loop_(loop), parts_(std::move(parts)), answered_(std::move(answered)), watch_(loop) {}

People::~People() {
  if (terminal_watch_) loop_.unwatch(*terminal_watch_);
}

void People::ask(const workflow::Ask& question) {
  const int number = question.question;
  if (!open_.emplace(number, question).second) return;
  watch_.watch(answers_folder(parts_.project, parts_.run), [this] { collect(); });
  collect();  // what a person said before goes before what is said for all cases
  if (!open_.contains(number)) return;
  if (question.may_be_closed && parts_.closed(question.task))
    return answer(number, "remove", "the tracker");
  if (parts_.answers) {
    const auto text = parts_.answers->answer(number, question.task);
    if (text && accepts(question, *text)) return answer(number, *text, "answers file");
  }
  if (!parts_.terminal) return;
  parts_.tell(question_text(question));
  if (!terminal_watch_)
    if (auto watch = loop_.watch(STDIN_FILENO, [this] { read_terminal(); }); watch)
      terminal_watch_ = *watch;
}

void People::collect() {
  std::vector<std::pair<int, std::string>> found;
  for (const auto& [number, question] : open_)
    if (auto text = pending_answer(parts_.project, parts_.run, number))
      found.emplace_back(number, *std::move(text));
  for (const auto& [number, text] : found) answer(number, text, "capsule answer");
}

void People::answer(int number, const std::string& text, const std::string& by) {
  const auto open = open_.find(number);
  if (open == open_.end()) return;
  if (!accepts(open->second, text)) {
    const std::string file =
        answers_folder(parts_.project, parts_.run) + "/" + std::to_string(number);
    ::unlink(file.c_str());
    return parts_.tell("That is no answer to question " + std::to_string(number) + ".\n");
  }
  open_.erase(open);
  answered_({number, text, by});
}

// Whole lines; each answers the oldest open question.
void People::read_terminal() {
  char buffer[4096];
  const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
  if (count <= 0) {
    loop_.unwatch(*terminal_watch_);
    terminal_watch_.reset();
    parts_.terminal = false;
    return;
  }
  typed_.append(buffer, static_cast<std::size_t>(count));
  if (typed_.size() > kMaxTypedBytes) typed_.clear();
  for (std::size_t end; (end = typed_.find('\n')) != typed_.npos; typed_.erase(0, end + 1)) {
    const std::string line(trimmed(std::string_view(typed_).substr(0, end)));
    if (!line.empty() && !open_.empty()) answer(open_.begin()->first, line, "terminal");
  }
}

}  // namespace capsule::world
