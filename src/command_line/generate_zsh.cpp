#include "base/text.h"
#include "command_line/generate.h"

namespace capsule::command_line {
namespace {

std::string zsh_quoted(std::string_view text) {
  return "'" + replace_all(text, "'", "'\\''") + "'";
}

// Text inside a specification: its own marks are brackets, colons and backslashes.
std::string zsh_marked(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string action(std::string_view name, std::string_view choices) {
  switch (offer_for(name, choices)) {
    case Offer::words:
      return "(" + replace_all(choices, "|", " ") + ")";
    case Offer::files:
      return "_files";
    case Offer::folders:
      return "_files -/";
    case Offer::nothing:
      break;
  }
  return " ";
}

void command_case(std::string& out, const Row& row) {
  const auto& [path, shown, words] = row;
  const Command& command = *shown;
  const std::string name(path);
  const std::string depth = std::to_string(split(path, ' ').size());
  out += "    '" + name + "' | '" + name + " '*)\n";
  out += "      shift " + depth + " words && ((CURRENT -= " + depth + "))\n";
  out += "      _arguments -S";
  for (const Option& option : command.options) {
    if (option.hidden) continue;
    std::string text = "--" + std::string(option.name);
    if (!option.value.empty()) text += "=";
    text += "[" + zsh_marked(option.help) + "]";
    if (!option.value.empty())
      text += ":" + zsh_marked(option.value) + ":" + action(option.value, option.choices);
    out += " \\\n        " + zsh_quoted(text);
  }
  out += " \\\n        " + zsh_quoted("--help[" + zsh_marked(kHelpOption.help) + "]");
  for (std::size_t i = 0; i < command.positionals.size(); ++i) {
    const Positional& positional = command.positionals[i];
    out += " \\\n        " + zsh_quoted(std::to_string(i + 1) + (positional.required ? ":" : "::") +
                                        zsh_marked(positional.name) + ":" +
                                        action(positional.name, positional.choices));
  }
  if (command.positionals.empty() && !words.empty())
    out += " \\\n        " + zsh_quoted("1::command:" + action("", words));
  out += "\n      ;;\n";
}

}  // namespace

std::string zsh_completion(Table table) {
  std::string out =
      "#compdef capsule\n"
      "# Made by 'capsule generate zsh' from the command table; do not edit.\n\n"
      "_capsule() {\n"
      "  local -a names\n"
      "  case \"${(j: :)words[2,CURRENT-1]}\" in\n";
  for (const Row& row : completion_rows(table)) command_case(out, row);
  const std::vector<Subcommand> words = subcommands(table);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0 && words[i].group == words[i - 1].group) continue;
    out += words[i].group.empty() ? "    '' | help)\n" : "    '" + words[i].group + "')\n";
    out += "      names=(\n";
    for (const Subcommand& one : words)
      if (one.group == words[i].group)
        out += "        " + zsh_quoted(zsh_marked(one.word) + ":" + zsh_marked(one.help)) + "\n";
    out += "      )\n      _describe command names\n      ;;\n";
  }
  // Sourced by hand it only defines the function; found by compinit it is the function's body.
  out +=
      "  esac\n}\n\n"
      "if [[ $funcstack[1] == _capsule ]]; then _capsule \"$@\"; else compdef _capsule capsule; "
      "fi\n";
  return out;
}

}  // namespace capsule::command_line
