// capsule(1), in the man macros that every formatter knows.
#include <algorithm>
#include <cstdio>

#include "base/fill.h"
#include "base/text.h"
#include "command_line/generate.h"

namespace capsule::command_line {
namespace {

// A sequence of UTF-8 as the number of its character.
unsigned long code_point(std::string_view sequence) {
  constexpr unsigned kLeadBits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  unsigned long value = static_cast<unsigned char>(sequence[0]) & kLeadBits[sequence.size()];
  for (char c : sequence.substr(1)) value = value << 6 | (static_cast<unsigned char>(c) & 0x3FU);
  return value;
}

// Text as roff shows it letter by letter: nothing in it is a request or an escape, and what can be
// pasted stays ASCII.
std::string roff(std::string_view text) {
  std::string result;
  bool line_start = true;
  while (!text.empty()) {
    const char c = text.front();
    if (line_start && (c == '.' || c == '\'')) result += "\\&";
    line_start = c == '\n';
    const std::size_t length = utf8_length(text);
    if (length > 1) {
      char escape[16];
      std::snprintf(escape, sizeof escape, "\\[u%04lX]", code_point(text.substr(0, length)));
      result += escape;
      text.remove_prefix(length);
      continue;
    }
    switch (c) {
      case '\\':
        result += "\\e";
        break;
      case '-':
        result += "\\-";
        break;
      case '\'':
        result += "\\(aq";
        break;
      case '"':
        result += "\\(dq";
        break;
      case '`':
        result += "\\(ga";
        break;
      case '^':
        result += "\\(ha";
        break;
      case '~':
        result += "\\(ti";
        break;
      default:
        result += c;
    }
    text.remove_prefix(1);
  }
  return result;
}

// A paragraph: short lines, each sentence on its own, as roff wants them.
std::string prose(std::string_view text) {
  constexpr std::size_t kColumns = 76;
  const std::string sentences = replace_all(roff(text), ". ", ".\n");
  std::string result;
  for (std::string_view sentence : split(sentences, '\n')) {
    if (!result.empty()) result += '\n';
    result += filled(sentence, kColumns);
  }
  return replace_all(result, "\n.", "\n\\&.");
}

void literal(std::string& out, std::string_view lines) {
  out += ".PP\n.RS 4\n.nf\n";
  for (std::string_view line : split(lines, '\n'))
    out += (line.empty() ? "\\&" : roff(line)) + "\n";
  out += ".fi\n.RE\n";
}

// Details: filled paragraphs, and lines that begin with a blank as they are.
void details(std::string& out, std::string_view text) {
  std::string filled;
  std::string kept;
  const auto flush = [&] {
    if (!filled.empty()) out += ".PP\n" + prose(filled) + "\n";
    if (!kept.empty()) literal(out, kept);
    filled.clear();
    kept.clear();
  };
  for (std::string_view line : split(text, '\n')) {
    if (line.empty()) {
      flush();
    } else if (line.front() == ' ') {
      if (!filled.empty()) flush();
      const std::size_t indent = std::min<std::size_t>(2, line.find_first_not_of(' '));
      kept += (kept.empty() ? "" : "\n") + std::string(line.substr(indent));
    } else {
      if (!kept.empty()) flush();
      filled += (filled.empty() ? "" : " ") + std::string(line);
    }
  }
  flush();
}

void term(std::string& out, const std::string& name, const std::string& text) {
  out += ".TP\n" + name + "\n" + prose(text + ".") + "\n";
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

std::string option_term(const Option& option) {
  std::string text = bold("--" + std::string(option.name));
  if (!option.value.empty()) text += "=" + italic(option.value);
  return text;
}

std::string described(std::string_view help, std::string_view choices, std::string_view initial) {
  std::string text(help);
  if (!choices.empty()) text += ": " + replace_all(choices, "|", ", ");
  if (!initial.empty()) text += " (default: " + std::string(initial) + ")";
  return text;
}

void command_section(std::string& out, const Command& command) {
  out += ".SS " + roff(replace_all(synopsis(command), " [options]", "")) + "\n";
  out += prose(std::string(command.summary) + ".") + "\n";
  if (!command.alias.empty())
    out += ".PP\nAlso called as " + bold("capsule " + std::string(command.alias)) + ".\n";
  details(out, trimmed(command.details));
  for (const Positional& positional : command.positionals)
    term(out, italic(positional.name), described(positional.help, positional.choices, {}));
  for (const Option& option : command.options)
    if (!option.hidden)
      term(out, option_term(option), described(option.help, option.choices, option.initial));
  if (!command.examples.empty()) {
    out += ".PP\nExamples:\n";
    std::string lines;
    for (std::string_view line : split(trimmed(command.examples), '\n'))
      lines += (lines.empty() ? "" : "\n") + std::string(trimmed(line));
    literal(out, lines);
  }
}

}  // namespace

std::string man_page(Table table) {
  std::string out =
      ".\\\" Made by 'capsule generate man' from the command table; do not edit.\n"
      ".TH CAPSULE 1 " CAPSULE_RELEASE_DATE " \"Capsule " CAPSULE_VERSION
      "\" \"User Commands\"\n"
      ".SH NAME\ncapsule \\- orchestrator for headless coding agents\n"
      ".SH SYNOPSIS\n.B capsule\n.I COMMAND\n[arguments] [options]\n"
      ".SH DESCRIPTION\n";
  out += prose(
      "Capsule drives headless coding agents through workflows in which every step ends in a "
      "structured signal. The orchestrator, never a model, decides what happens next.");
  out +=
      "\n.PP\n"
      "An option's value is written \\fB\\-\\-name=value\\fR or \\fB\\-\\-name value\\fR;\n"
      "after \\fB\\-\\-\\fR every word is an argument.\n"
      ".SH OPTIONS\n";
  term(out, bold("--help"), "Explain Capsule, or the command that stands before it");
  term(out, bold("--version"), "Print the version");
  out += ".SH COMMANDS\n";
  for (const Command& command : table)
    if (!command.hidden) command_section(out, command);
  out += ".SH EXIT STATUS\n";
  out += prose(
      "0 when the command did what was asked, 1 when it says no (no signal, not passed, refused), "
      "2 when it could not be carried out, which includes wrong usage. A command "
      "whose codes differ says so above.");
  out += "\n.SH SEE ALSO\n.BR git (1)\n";
  return out;
}

}  // namespace capsule::command_line
