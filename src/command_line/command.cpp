#include "command_line/command.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "base/text.h"
#include "process/children.h"

namespace capsule::command_line {
namespace {

// A word of the caller as messages show it: harmless on a terminal, and not longer than a line.
std::string short_word(std::string_view word) {
  constexpr std::size_t kLongest = 60;
  return printable(cut(word, kLongest)) + (word.size() > kLongest ? "…" : "");
}

const Option* find_option(const Command& command, std::string_view name) {
  if (name == kHelpOption.name) return &kHelpOption;
  for (const Option& option : command.options)
    if (option.name == name) return &option;
  return nullptr;
}

// "-iFILE": the option whose letter it is, if any.
const Option* find_letter(const Command& command, std::string_view word) {
  for (const Option& option : command.options)
    if (!word.starts_with("--") && option.letter == word[1]) return &option;
  return nullptr;
}

tl::unexpected<Error> usage(const Command& command, std::string message, std::string hint = {}) {
  if (hint.empty()) hint = "see: capsule " + std::string(command.path) + " --help";
  return fail(Reason::usage, std::move(message), std::move(hint));
}

tl::unexpected<Error> unknown_option(const Command& command, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Option& option : command.options)
    if (!option.hidden) names.push_back(option.name);
  names.push_back(kHelpOption.name);
  std::string hint;
  const std::string_view near = nearest(name, names);
  if (!near.empty()) hint = "did you mean --" + std::string(near) + "? ";
  hint += "valid:";
  for (std::string_view known : names) hint += " --" + std::string(known);
  return usage(command, "unknown option --" + short_word(name), std::move(hint));
}

Result<void> check_choice(const Command& command, std::string_view value, std::string_view choices,
                          const std::string& whose) {
  if (choices.empty()) return {};
  const auto names = split(choices, '|');
  if (std::find(names.begin(), names.end(), value) != names.end()) return {};
  std::string hint;
  const std::string_view near = nearest(value, names);
  if (!near.empty()) hint = "did you mean " + std::string(near) + "? ";
  return usage(command, "unknown value '" + short_word(value) + "' for " + whose,
               hint + "valid: " + replace_all(choices, "|", ", "));
}

// The words that may follow `group` ("bead comments", or nothing), in order, each once.
std::vector<std::string_view> words_after(Table table, std::string_view group) {
  const std::string prefix = group.empty() ? "" : std::string(group) + " ";
  std::vector<std::string_view> names;
  for (const Command& command : table) {
    if (command.hidden || !command.path.starts_with(prefix)) continue;
    const std::string_view word = split(command.path.substr(prefix.size()), ' ').front();
    if (std::find(names.begin(), names.end(), word) == names.end()) names.push_back(word);
  }
  return names;
}

// `words` begin with no command's path: the name of a group, or nothing that is known.
Result<int> run_without_command(Table table, std::span<const char* const> words) {
  std::string group;
  std::vector<std::string_view> names = words_after(table, group);
  for (const std::string_view word : words) {
    if (std::find(names.begin(), names.end(), word) == names.end()) {
      if (!group.empty() && (word == "--help" || word == "-h")) {
        std::fputs(help_text_of_group(table, group).c_str(), stdout);
        return 0;
      }
      const std::string prefix = group.empty() ? "" : group + " ";
      const std::string_view near = nearest(word, names);
      std::string hint = near.empty() ? "" : "did you mean '" + prefix + std::string(near) + "'? ";
      hint += "valid: " + joined(names);
      return fail(Reason::usage, "unknown command '" + prefix + short_word(word) + "'", hint);
    }
    group += (group.empty() ? "" : " ") + std::string(word);
    names = words_after(table, group);
  }
  return fail(Reason::usage, "'" + group + "' needs a command", "valid: " + joined(names));
}

// `capsule help [words]`
Result<int> run_help(Table table, std::span<const char* const> words) {
  if (words.empty()) {
    std::fputs(help_text(table).c_str(), stdout);
    return 0;
  }
  const Match asked = match_command(table, words);
  if (asked.command != nullptr) {
    std::fputs(help_text(*asked.command).c_str(), stdout);
    return 0;
  }
  std::vector<const char*> group(words.begin(), words.end());
  group.push_back("--help");
  return run_without_command(table, group);
}

Result<int> run_command(const Command& command, std::span<const char* const> words) {
  const Args args = TRY(parse_args(command, words));
  if (args.flag(kHelpOption.name)) {
    std::fputs(help_text(command).c_str(), stdout);
    return 0;
  }
  if (command.people_only && process::inside_agent_tree())
    return fail(Reason::refused,
                "'capsule " + std::string(command.path) + "' is for people; agents may not call it",
                "an agent ends its work with a signal, and says there what should change; Capsule "
                "and its people decide what follows");
  return command.run(args);
}

int run_words(Table table, std::span<const char* const> words) {
  const auto ended = [](const Result<int>& code, Errors errors) {
    if (code) return *code;
    report(code.error());
    return exit_code(code.error().reason, errors);
  };
  if (words.empty()) {
    std::fputs(help_text(table).c_str(), stderr);
    return 2;
  }
  const std::string_view first = words[0];
  if (first == "--version" || first == "version") {
    std::puts("capsule " CAPSULE_VERSION);
    return 0;
  }
  if (first == "--help" || first == "-h" || first == "help")
    return ended(run_help(table, words.subspan(1)), Errors::by_reason);
  const Match match = match_command(table, words);
  if (match.command == nullptr) return ended(run_without_command(table, words), Errors::by_reason);
  return ended(run_command(*match.command, words.subspan(match.words)), match.command->errors);
}

}  // namespace

std::optional<std::string_view> Args::positional(std::size_t index) const {
  if (index >= positionals_.size()) return std::nullopt;
  return positionals_[index];
}

std::optional<std::string_view> Args::option(std::string_view name) const {
  const auto found = options_.find(name);
  if (found == options_.end()) return std::nullopt;
  return found->second.back();
}

bool Args::flag(std::string_view name) const { return options_.contains(name); }

std::vector<std::string_view> Args::every(std::string_view name) const {
  const auto found = options_.find(name);
  return found == options_.end() ? std::vector<std::string_view>() : found->second;
}

std::vector<std::string_view> Args::rest(std::size_t index) const {
  if (index >= positionals_.size()) return {};
  return {positionals_.begin() + static_cast<std::ptrdiff_t>(index), positionals_.end()};
}

Result<Args> parse_args(const Command& command, std::span<const char* const> words) {
  Args args;
  bool options_ended = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (options_ended || word.size() < 2 || word.front() != '-') {
      const std::size_t count = command.positionals.size();
      std::size_t place = args.positionals_.size();
      if (count > 0 && command.positionals.back().rest && place + 1 >= count) {
        place = count - 1;
        options_ended = true;
      }
      if (place == count) return usage(command, "unexpected argument '" + short_word(word) + "'");
      const Positional& positional = command.positionals[place];
      TRY_VOID(check_choice(command, word, positional.choices, std::string(positional.name)));
      args.positionals_.push_back(word);
      continue;
    }
    if (word == "--") {
      options_ended = true;
      continue;
    }
    if (word == "-h") {
      args.options_[kHelpOption.name].push_back("");
      continue;
    }
    const Option* option = find_letter(command, word);
    if (option == nullptr && !word.starts_with("--"))
      return usage(command, "unknown option " + short_word(word),
                   "put an argument that begins with a dash after --");
    std::size_t equals = word.find('=');  // or the letter, when the value follows it at once
    std::string_view name = word.substr(2, equals == word.npos ? word.npos : equals - 2);
    if (option != nullptr) {
      name = option->name;
      equals = word.size() == 2 ? word.npos : equals == 2 ? 2 : 1;
    } else {
      option = find_option(command, name);
    }
    if (option == nullptr) return unknown_option(command, name);
    if (option->value.empty()) {
      if (equals != word.npos) return usage(command, "--" + std::string(name) + " takes no value");
      args.options_[option->name].push_back("");
      continue;
    }
    std::string_view value;
    if (equals != word.npos) {
      value = word.substr(equals + 1);
    } else if (i + 1 < words.size()) {
      value = words[++i];
    } else {
      return usage(command, "--" + std::string(name) + " needs a value",
                   "write " + spelled(*option));
    }
    TRY_VOID(check_choice(command, value, option->choices, "--" + std::string(name)));
    args.options_[option->name].push_back(value);
  }
  if (args.flag(kHelpOption.name)) return args;
  for (std::size_t i = args.positionals_.size(); i < command.positionals.size(); ++i)
    if (command.positionals[i].required)
      return usage(command, "missing argument " + std::string(command.positionals[i].name),
                   "usage: " + synopsis(command));
  return args;
}

std::optional<std::int64_t> number_in(std::string_view word, std::int64_t least,
                                      std::int64_t most) {
  std::int64_t number = 0;
  const char* const end = word.data() + word.size();
  const auto read = std::from_chars(word.data(), end, number);
  const bool whole = read.ec == std::errc() && read.ptr == end;
  return whole && number >= least && number <= most ? std::optional(number) : std::nullopt;
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> names) {
  constexpr std::size_t kLongest = 64;
  if (word.empty() || word.size() > kLongest) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (std::string_view name : names) {
    const std::size_t distance = edit_distance(word, name);
    // As many edits as letters would turn any word into any other.
    if (distance < best_distance && distance < std::max(word.size(), name.size())) {
      best = name;
      best_distance = distance;
    }
  }
  return best;
}

Match match_command(Table table, std::span<const char* const> words) {
  Match best;
  for (const Command& command : table) {
    for (std::string_view path : {command.path, command.alias}) {
      const auto parts = split(path, ' ');
      if (path.empty() || parts.size() > words.size() || parts.size() <= best.words) continue;
      if (std::equal(parts.begin(), parts.end(), words.begin(),
                     [](std::string_view part, const char* word) { return part == word; }))
        best = {&command, parts.size()};
    }
  }
  return best;
}

int exit_code(Reason reason, Errors errors) {
  switch (errors) {
    case Errors::one:
      return 1;
    case Errors::two:
      return 2;
    case Errors::beside:
      return reason == Reason::missing_program ? 127 : reason == Reason::failed ? 126 : 125;
    case Errors::by_reason:
      break;
  }
  switch (reason) {
    case Reason::not_found:
    case Reason::exists:
    case Reason::refused:
    case Reason::blocked:
    case Reason::conflict:
      return 1;
    case Reason::usage:
    case Reason::damaged:
    case Reason::io:
    case Reason::missing_program:
    case Reason::failed:
    case Reason::timed_out:
    case Reason::interrupted:
      return 2;
  }
  return 2;
}

void report(const Error& error) {
  std::string text = "capsule: " + printable(error.message);
  if (!error.hint.empty()) {
    const bool one_line = error.reason == Reason::usage || error.reason == Reason::not_found;
    text += (one_line ? "; " : "\n  ") + printable(error.hint);
  }
  text += '\n';
  std::fputs(text.c_str(), stderr);
}

int run_program(Table table, std::span<const char* const> words) {
  const int code = run_words(table, words);
  // What was printed counts only once it has arrived.
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  report({Reason::io, std::string("cannot write to stdout: ") + std::strerror(errno)});
  return 2;
}

}  // namespace capsule::command_line
