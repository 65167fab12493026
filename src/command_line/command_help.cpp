// The texts of --help, filled to 80 columns.
#include <algorithm>

#include "base/fill.h"
#include "base/text.h"
#include "command_line/command.h"

namespace capsule::command_line {
namespace {

constexpr std::size_t kHelpColumns = 80;
constexpr std::size_t kTermWidth = 24;  // the left column of lists

// "  term      text", the text filled beside the term, or below it when the term is long.
void row(std::string& out, std::string_view term, std::string_view text,
         std::size_t width = kTermWidth) {
  out += "  ";
  out += term;
  if (columns_of(term) + 1 > width) {
    out += "\n" + std::string(2 + width, ' ');
  } else {
    out.append(width - columns_of(term), ' ');
  }
  out += filled(text, kHelpColumns, 2 + width, 2 + width) + "\n";
}

void paragraphs(std::string& out, std::string_view text) {
  std::string paragraph;
  const auto flush = [&] {
    if (!paragraph.empty()) out += filled(paragraph, kHelpColumns) + "\n";
    paragraph.clear();
  };
  for (std::string_view line : split(text, '\n')) {
    if (line.empty() || line.front() == ' ') {
      flush();
      out += line;
      out += '\n';
    } else {
      if (!paragraph.empty()) paragraph += ' ';
      paragraph += line;
    }
  }
  flush();
}

std::string with_choices(std::string_view help, std::string_view choices,
                         std::string_view initial) {
  std::string text(help);
  if (!choices.empty()) text += ": " + replace_all(choices, "|", ", ");
  if (!initial.empty()) text += " (default: " + std::string(initial) + ")";
  return text;
}

void list_commands(Table table, std::string& out, std::string_view group) {
  for (const Command& command : table)
    if (!command.hidden && command.path.starts_with(group))
      row(out, command.path, command.summary, 20);
}

}  // namespace

std::string spelled(const Option& option) {
  std::string text;
  if (option.letter != 0) text = std::string{'-', option.letter} + ", ";
  text += "--" + std::string(option.name);
  if (!option.value.empty()) text += "=" + std::string(option.value);
  return text;
}

std::string synopsis(const Command& command) {
  std::string text = "capsule " + std::string(command.path);
  const auto is_rest = [](const Positional& positional) { return positional.rest; };
  const bool rest = std::any_of(command.positionals.begin(), command.positionals.end(), is_rest);
  // Behind words of somebody else's command ours would not be found.
  if (rest) text += " [options] --";
  for (const Positional& positional : command.positionals) {
    const std::string name = std::string(positional.name) + (positional.rest ? "..." : "");
    text += positional.required ? " " + name : " [" + name + "]";
  }
  if (rest) return text;
  for (const Option& option : command.options)
    if (!option.hidden) return text + " [options]";
  return text;
}

std::string help_text(const Command& command) {
  std::string text = filled(std::string(command.summary) + ".", kHelpColumns);
  text += "\n\nUsage: " + synopsis(command) + "\n";
  if (!command.alias.empty()) text += "Also:  capsule " + std::string(command.alias) + "\n";
  if (!command.details.empty()) {
    text += "\n";
    paragraphs(text, trimmed(command.details));
  }
  if (!command.positionals.empty()) {
    text += "\nArguments:\n";
    for (const Positional& positional : command.positionals)
      row(text, positional.name, with_choices(positional.help, positional.choices, {}));
  }
  text += "\nOptions:\n";
  for (const Option& option : command.options)
    if (!option.hidden)
      row(text, spelled(option), with_choices(option.help, option.choices, option.initial));
  row(text, spelled(kHelpOption), kHelpOption.help);
  if (!command.examples.empty()) {
    text += "\nExamples:\n";
    for (std::string_view line : split(trimmed(command.examples), '\n'))
      text += line.empty() ? "\n" : "  " + std::string(trimmed(line)) + "\n";
  }
  return text;
}

std::string help_text(Table table) {
  std::string text = filled(
      "Capsule drives headless coding agents through workflows in which every step ends in a "
      "structured signal; the orchestrator, never a model, decides what happens next.",
      kHelpColumns);
  text += "\n\nUsage: capsule COMMAND [arguments] [options]\n\nCommands:\n";
  list_commands(table, text, "");
  text += "\nOptions:\n";
  row(text, "--version", "Print the version and exit", 20);
  row(text, "--help", "Show this help and exit", 20);
  text += "\n'capsule COMMAND --help' explains one command, with examples.\n";
  return text;
}

std::string help_text_of_group(Table table, std::string_view group) {
  const std::string prefix = std::string(group) + " ";
  std::string rows;
  if (!group.empty()) list_commands(table, rows, prefix);
  if (rows.empty()) return rows;
  return "Usage: capsule " + prefix + "COMMAND [arguments] [options]\n\nCommands:\n" + rows +
         "\n'capsule " + prefix + "COMMAND --help' explains one command, with examples.\n";
}

}  // namespace capsule::command_line
