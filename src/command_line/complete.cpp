#include "command_line/complete.h"

#include <algorithm>

#include "base/text.h"
#include "command_line/generate.h"

namespace capsule::command_line {
namespace {

struct Word {
  std::string text;
  std::size_t from = 0;
};
struct Parted {
  std::vector<Word> words;
  bool closed = true;  // no quote is open at the end
  bool in_word = false;
};

Parted parted(std::string_view line) {
  Parted all;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char byte = line[i];
    if (quote == 0 && (byte == ' ' || byte == '\t')) {
      all.in_word = false;
      continue;
    }
    if (!all.in_word) all.words.push_back({"", i});
    all.in_word = true;
    std::string& text = all.words.back().text;
    if (quote != 0 && byte == quote)
      quote = 0;
    else if (quote == 0 && (byte == '\'' || byte == '"'))
      quote = byte;
    else if (byte == '\\' && quote != '\'' && i + 1 < line.size())
      text += line[++i];
    else
      text += byte;
  }
  all.closed = quote == 0;
  return all;
}

void propose(Completion& to, std::string word, std::string_view help) {
  if (word.starts_with(to.typed)) to.proposals.push_back({std::move(word), std::string(help)});
}

void propose_choices(Completion& to, const std::string& before, std::string_view choices) {
  if (choices.empty()) return;
  for (const std::string_view choice : split(choices, '|'))
    propose(to, before + std::string(choice), "");
}

const Option* option_named(const Command& command, std::string_view name) {
  for (const Option& option : command.options)
    if (option.name == name && !option.hidden) return &option;
  return nullptr;
}

// The option whose value the last word is, when it stands apart from it.
const Option* value_of(const Command& command, const std::vector<std::string>& words) {
  if (words.empty() || !words.back().starts_with("--") ||
      words.back().find('=') != std::string::npos)
    return nullptr;
  const Option* const option = option_named(command, std::string_view(words.back()).substr(2));
  return option == nullptr || option->value.empty() ? nullptr : option;
}

// How many arguments stand there already.
std::size_t arguments(const Command& command, const std::vector<std::string>& words) {
  std::size_t count = 0;
  bool plain = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!plain && words[i] == "--")
      plain = true;
    else if (plain || words[i].size() < 2 || words[i].front() != '-')
      ++count;
    else if (value_of(command, {words[i]}) != nullptr)
      ++i;
  }
  return count;
}

void propose_for(Completion& to, const Command& command) {
  const std::size_t equals = to.typed.find('=');
  if (to.typed.starts_with("--") && equals != to.typed.npos) {
    const Option* const option =
        option_named(command, std::string_view(to.typed).substr(2, equals - 2));
    if (option == nullptr) return;
    propose_choices(to, to.typed.substr(0, equals + 1), option->choices);
    to.wanted = option->value;
    return;
  }
  if (const Option* const option = value_of(command, to.words)) {
    propose_choices(to, "", option->choices);
    to.wanted = option->value;
    return;
  }
  const std::size_t place = arguments(command, to.words);
  if (place < command.positionals.size() && !to.typed.starts_with('-')) {
    propose_choices(to, "", command.positionals[place].choices);
    to.wanted = command.positionals[place].name;
  }
  // Options come when they are asked for, or when nothing else can.
  if (!to.typed.starts_with('-') && (!to.typed.empty() || !to.wanted.empty())) return;
  for (const Option& option : command.options)
    if (!option.hidden)
      propose(to, "--" + std::string(option.name) + (option.value.empty() ? "" : "="), option.help);
}

}  // namespace

Result<std::vector<std::string>> words_of_line(std::string_view line) {
  Parted all = parted(line);
  if (!all.closed) return fail(Reason::usage, "a quote is not closed");
  std::vector<std::string> words;
  for (Word& word : all.words) words.push_back(std::move(word.text));
  return words;
}

Completion complete(Table table, std::string_view line) {
  Parted all = parted(line);
  Completion to;
  to.from = line.size();
  if (all.in_word || !all.closed) {
    to.from = all.words.back().from;
    to.typed = std::move(all.words.back().text);
    all.words.pop_back();
  }
  if (!all.words.empty() && all.words.front().text == "capsule") all.words.erase(all.words.begin());
  std::vector<const char*> words;
  std::string group;
  for (const Word& word : all.words) {
    words.push_back(word.text.c_str());
    group += (group.empty() ? "" : " ") + word.text;
  }
  const Match match = match_command(table, words);
  to.command = match.command;
  for (std::size_t i = match.words; i < all.words.size(); ++i)
    to.words.push_back(std::move(all.words[i].text));
  for (const Subcommand& one : subcommands(table))
    if (one.group == group) propose(to, one.word, one.help);
  if (match.command != nullptr) propose_for(to, *match.command);
  return to;
}

}  // namespace capsule::command_line
