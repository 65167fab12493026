#include "cli/command.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/text.h"

namespace capsule::cli {
namespace {

constexpr Option kHelp{"help", "", "Show this help and exit"};

const Option* find_option(const Command& command, std::string_view name) {
  if (name == kHelp.name) return &kHelp;
  for (const Option& option : command.options)
    if (option.name == name) return &option;
  return nullptr;
}

tl::unexpected<Error> usage(const Command& command, std::string message, std::string hint = {}) {
  if (hint.empty()) hint = "see: capsule " + std::string(command.path) + " --help";
  return fail(Reason::usage, std::move(message), std::move(hint));
}

tl::unexpected<Error> unknown_option(const Command& command, std::string_view name) {
  std::vector<std::string_view> names{kHelp.name};
  for (const Option& option : command.options) names.push_back(option.name);
  const std::string_view near = nearest(name, names);
  std::string hint;
  if (!near.empty()) {
    hint = "did you mean --" + std::string(near) + "?";
  } else {
    hint = "valid options:";
    for (std::string_view known : names) hint += " --" + std::string(known);
  }
  return usage(command, "unknown option --" + printable(name), hint);
}

bool is_choice(const Option& option, std::string_view value) {
  const auto choices = split(option.choices, '|');
  return std::find(choices.begin(), choices.end(), value) != choices.end();
}

std::string spelled(const Option& option) {
  std::string text = "--" + std::string(option.name);
  if (!option.value.empty()) text += "=" + std::string(option.value);
  return text;
}

std::string synopsis(const Command& command) {
  std::string text = "capsule " + std::string(command.path);
  for (const Positional& positional : command.positionals) {
    const std::string name(positional.name);
    text += positional.required ? " " + name : " [" + name + "]";
  }
  if (!command.options.empty()) text += " [options]";
  return text;
}

}  // namespace

std::optional<std::string_view> Args::positional(std::size_t index) const {
  if (index >= positionals_.size()) return std::nullopt;
  return positionals_[index];
}

std::optional<std::string_view> Args::option(std::string_view name) const {
  const auto found = options_.find(name);
  if (found == options_.end()) return std::nullopt;
  return found->second;
}

bool Args::flag(std::string_view name) const { return options_.contains(name); }

Result<Args> parse_args(const Command& command, std::span<const char* const> words) {
  Args args;
  bool options_ended = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (options_ended || word.size() < 2 || word.front() != '-') {
      if (args.positionals_.size() == command.positionals.size())
        return usage(command, "unexpected argument '" + printable(word) + "'");
      args.positionals_.push_back(word);
      continue;
    }
    if (word == "--") {
      options_ended = true;
      continue;
    }
    if (word == "-h") {
      args.options_[kHelp.name] = "";
      continue;
    }
    if (!word.starts_with("--"))
      return usage(command, "unknown option " + printable(word),
                   "an argument that begins with a dash goes after --");
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(2, equals == word.npos ? word.npos : equals - 2);
    const Option* option = find_option(command, name);
    if (option == nullptr) return unknown_option(command, name);
    if (option->value.empty()) {
      if (equals != word.npos) return usage(command, "--" + std::string(name) + " takes no value");
      args.options_[option->name] = "";
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
    if (!option->choices.empty() && !is_choice(*option, value))
      return usage(command, "unknown value '" + printable(value) + "' for --" + std::string(name),
                   "valid: " + replace_all(option->choices, "|", ", "));
    args.options_[option->name] = value;
  }
  if (args.flag(kHelp.name)) return args;
  for (std::size_t i = args.positionals_.size(); i < command.positionals.size(); ++i)
    if (command.positionals[i].required)
      return usage(command, "missing argument " + std::string(command.positionals[i].name),
                   "usage: " + synopsis(command));
  return args;
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> names) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (std::string_view name : names) {
    const std::size_t distance = edit_distance(word.substr(0, 64), name);
    if (distance < best_distance) {
      best = name;
      best_distance = distance;
    }
  }
  return best;
}

Match match_command(std::span<const char* const> words) {
  Match best;
  for (const Command& command : commands()) {
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

std::string help_text(const Command& command) {
  std::string text = std::string(command.summary) + ".\n\nUsage: " + synopsis(command) + "\n";
  if (!command.details.empty()) text += "\n" + std::string(command.details) + "\n";
  if (!command.positionals.empty()) {
    text += "\nArguments:\n";
    for (const Positional& positional : command.positionals)
      text += "  " + padded(positional.name, 24) + std::string(positional.help) + "\n";
  }
  text += "\nOptions:\n";
  for (const Option& option : command.options) {
    text += "  " + padded(spelled(option), 24) + std::string(option.help);
    if (!option.choices.empty()) text += ": " + replace_all(option.choices, "|", ", ");
    if (!option.initial.empty()) text += " (default: " + std::string(option.initial) + ")";
    text += "\n";
  }
  text += "  " + padded(spelled(kHelp), 24) + std::string(kHelp.help) + "\n";
  if (!command.examples.empty()) text += "\nExamples:\n" + std::string(command.examples) + "\n";
  return text;
}

std::string help_text() {
  std::string text =
      "capsule drives headless coding agents through workflows in which every step ends in a\n"
      "structured signal, and decides itself what happens next.\n\n"
      "Usage: capsule COMMAND [arguments] [options]\n\nCommands:\n";
  for (const Command& command : commands())
    if (!command.hidden)
      text += "  " + padded(command.path, 20) + std::string(command.summary) + "\n";
  text +=
      "\n'capsule COMMAND --help' explains one command. 'capsule --version' prints the version.\n";
  return text;
}

int report(const Error& error, int exit_code) {
  const std::string message = "capsule: " + printable(error.message) + "\n";
  std::fputs(message.c_str(), stderr);
  if (!error.hint.empty()) std::fputs(("  " + printable(error.hint) + "\n").c_str(), stderr);
  return exit_code;
}

int run_program(std::span<const char* const> words) {
  if (words.empty()) {
    std::fputs(help_text().c_str(), stderr);
    return 2;
  }
  const std::string_view first = words[0];
  if (first == "--version" || first == "version") {
    std::puts("capsule " CAPSULE_VERSION);
    return 0;
  }
  if (first == "--help" || first == "-h" || first == "help") {
    const auto rest = words.subspan(1);
    const Match asked = first == "help" ? match_command(rest) : Match{};
    std::fputs(asked.command != nullptr ? help_text(*asked.command).c_str() : help_text().c_str(),
               stdout);
    return 0;
  }
  const Match match = match_command(words);
  if (match.command == nullptr) {
    std::vector<std::string_view> names;
    bool is_group = false;
    for (const Command& command : commands()) {
      if (command.hidden) continue;
      names.push_back(command.path);
      is_group |= command.path.starts_with(std::string(first) + " ");
    }
    if (is_group) {
      std::string valid;
      for (std::string_view name : names)
        if (name.starts_with(std::string(first) + " "))
          valid += (valid.empty() ? "" : ", ") + std::string(name);
      const std::string asked =
          words.size() > 1 ? "unknown command '" + std::string(first) + " " + words[1] + "'"
                           : "'" + std::string(first) + "' needs a subcommand";
      return report({Reason::usage, asked, "valid: " + valid}, 2);
    }
    const std::string_view near = nearest(first, names);
    return report({Reason::usage, "unknown command '" + std::string(first) + "'",
                   near.empty() ? "'capsule --help' lists the commands"
                                : "did you mean 'capsule " + std::string(near) + "'?"},
                  2);
  }
  const auto args = parse_args(*match.command, words.subspan(match.words));
  if (!args) return report(args.error(), match.command->usage_exit);
  if (args->flag(kHelp.name)) {
    std::fputs(help_text(*match.command).c_str(), stdout);
    return 0;
  }
  return match.command->run(*args);
}

}  // namespace capsule::cli
