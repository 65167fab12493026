#include "world/people.h"

#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "base/text.h"
#include "signal/vocabulary.h"

namespace capsule::world {
namespace {

constexpr std::size_t kMaxTypedBytes = 64UL * 1024;
constexpr const char* kTerminal = "terminal";
constexpr std::size_t kMostContextLines = 20;

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
  std::size_t lines = 0;
  for (const std::string_view line : split(trimmed(question.context), '\n'))
    if (!trimmed(line).empty() && ++lines <= kMostContextLines) text += "\n  " + printable(line);
  return text + "\nType the answer, or: capsule answer " + std::to_string(question.question) +
         " TEXT\n";
}

// "2: text" or "Q2: text": its number, and the rest in `text`; 0: the line is no such thing.
int picked(std::string_view line, std::string_view& text) {
  std::string_view word = line.substr(0, line.find(':'));
  if (word.size() == line.size()) return 0;
  if (word.starts_with('Q')) word.remove_prefix(1);
  int number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || number <= 0) return 0;
  text = trimmed(line.substr(line.find(':') + 1));
  return number;
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
  highest_ = std::max(highest_, number);
  parts_.tell(question_text(question));
  if (!terminal_watch_)
    if (auto watch = loop_.watch(STDIN_FILENO, [this] { read_terminal(); }); watch)
      terminal_watch_ = *watch;
  prompt();
}

void People::prompt() {
  const int before = prompted_;
  prompted_ = open_.empty() ? 0 : open_.begin()->first;
  if (!parts_.terminal || prompted_ == 0) return;
  // Whoever began to type when another question stood there, or none, did not mean this one.
  if (prompted_ != before) forget_typed();
  const std::string& task = open_.begin()->second.task;
  std::string text = "Answer to question " + std::to_string(prompted_) +
                     (task.empty() ? "" : " (" + printable(task) + ")");
  if (open_.size() > 1) {
    const std::string other = std::to_string(std::next(open_.begin())->first);
    text += "; '" + other + ": TEXT' answers question " + other;
  }
  parts_.tell(text + " > ");
}

void People::forget_typed() {
  typed_.clear();
  ::tcflush(STDIN_FILENO, TCIFLUSH);
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
    parts_.tell("That does not answer question " + std::to_string(number) + ".\n");
    return prompt();
  }
  open_.erase(open);
  answered_({number, text, by});
  // The line may be about another question now, and what was typed has left the prompt behind.
  if (number == prompted_ || by == kTerminal) prompt();
}

void People::take_line(std::string_view line) {
  if (line.empty() || prompted_ == 0) return;
  std::string_view text = line;
  int number = picked(line, text);
  if (number > highest_) number = 0;  // no question has that number: it belongs to the answer
  if (number == 0) return answer(prompted_, std::string(line), kTerminal);
  if (open_.contains(number)) return answer(number, std::string(text), kTerminal);
  parts_.tell("Question " + std::to_string(number) + " is answered already.\n");
  prompt();
}

// Whole lines; each answers the question that the prompt names, or the one that it names itself.
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
    take_line(line);
    if (typed_.size() <= end) return;  // what was typed for another question is gone
  }
}

}  // namespace capsule::world
