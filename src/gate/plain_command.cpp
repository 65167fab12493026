#include "gate/plain_command.h"

#include <algorithm>

#include "base/text.h"

namespace capsule::gate {
namespace {

std::string_view base_name(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == word.npos || equals == 0 || is_digit(word.front())) return false;
  return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                     [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

// Programs that only start another one, with the word that must follow.
struct Starter {
  std::string_view program, word;
};
constexpr Starter kStarters[] = {
    {"env", ""},       {"npx", ""},       {"bunx", ""},     {"uv", "run"},
    {"poetry", "run"}, {"pipenv", "run"}, {"hatch", "run"}, {"pdm", "run"},
    {"pnpm", "exec"},  {"yarn", "exec"},  {"yarn", "run"},  {"bundle", "exec"},
};

// How many words from `at` on only start another program; 0: it is the program itself.
std::size_t starter_words(const std::vector<std::string>& words, std::size_t at) {
  if (is_assignment(words[at])) return 1;
  const std::string_view program = base_name(words[at]);
  const std::string_view next = at + 1 < words.size() ? std::string_view(words[at + 1]) : "";
  if (program.starts_with("python") && next == "-m") return 2;
  for (const Starter& starter : kStarters) {
    if (program != starter.program) continue;
    if (starter.word.empty()) return 1;
    if (next == starter.word) return 2;
  }
  return 0;
}

PlainCommand of_words(std::vector<std::string> words) {
  PlainCommand plain{std::move(words)};
  while (plain.at + 1 < plain.words.size()) {
    const std::size_t more = starter_words(plain.words, plain.at);
    if (more == 0) break;
    plain.at = std::min(plain.at + more, plain.words.size() - 1);
  }
  return plain;
}

// The words of a text that a shell only parts at its blanks.
std::optional<std::vector<std::string>> plain_words_in(std::string_view text) {
  constexpr std::string_view kSpecial = "\"'`$&|;<>()[]{}*?~#!\\\n\r";
  text = trimmed(text);
  if (text.empty() || text.find_first_of(kSpecial) != text.npos) return std::nullopt;
  std::vector<std::string> words;
  for (const std::string_view part : split(text, ' '))
    for (const std::string_view word : split(part, '\t'))
      if (!word.empty()) words.emplace_back(word);
  return words;
}

}  // namespace

std::string_view PlainCommand::program() const {
  return at < words.size() ? base_name(words[at]) : std::string_view();
}

std::string_view PlainCommand::argument(std::size_t i) const {
  return at + 1 + i < words.size() ? std::string_view(words[at + 1 + i]) : std::string_view();
}

bool PlainCommand::has(std::string_view word) const {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool PlainCommand::has_option(std::string_view start) const {
  return std::any_of(words.begin(), words.end(),
                     [start](const std::string& word) { return word.starts_with(start); });
}

Command PlainCommand::with(std::vector<std::string> added, std::size_t place) const {
  std::vector<std::string> all = words;
  if (shell)
    for (std::string& word : added) word = shell_word(word);
  place = std::min(place, all.size());
  all.insert(all.begin() + static_cast<std::ptrdiff_t>(place), added.begin(), added.end());
  if (!shell) return {all, {}};
  std::string text;
  for (const PlainCommand& before : commands_before) text += joined(before.words, " ") + " && ";
  return {{}, text + joined(all, " ")};
}

std::optional<PlainCommand> plain_command(const Command& command) {
  if (command.empty()) return std::nullopt;
  if (command.shell.empty()) return of_words(command.argv);
  constexpr std::string_view kAnd = "&&";
  std::vector<PlainCommand> commands;
  for (std::string_view rest = command.shell;;) {
    const std::size_t end = rest.find(kAnd);
    auto words = plain_words_in(rest.substr(0, end));
    if (!words) return std::nullopt;
    commands.push_back(of_words(std::move(*words)));
    if (end == rest.npos) break;
    rest.remove_prefix(end + kAnd.size());
  }
  PlainCommand last = std::move(commands.back());
  commands.pop_back();
  last.shell = true;
  last.commands_before = std::move(commands);
  return last;
}

bool mentions(std::string_view text, std::string_view phrase) {
  const auto in_word = [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-'; };
  for (std::size_t at = text.find(phrase); at != text.npos; at = text.find(phrase, at + 1)) {
    const std::size_t end = at + phrase.size();
    if ((at == 0 || !in_word(text[at - 1])) && (end == text.size() || !in_word(text[end])))
      return true;
  }
  return false;
}

}  // namespace capsule::gate
