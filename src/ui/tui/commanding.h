// The command line of the dashboard: what it proposes, what keys do in it, what is not run there,
// and what a command has printed. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command_line/complete.h"
#include "ui/tui/press.h"

namespace capsule::tui {

void ask_command(Focus& focus);

// What the word at the cursor may become: by the table of commands, and by the runs, tasks, beads
// and providers that are shown.
command_line::Completion completion_of(std::string_view before_cursor, const Shown& shown);

// What a line comes to. Neither words nor why_not: nothing was typed.
struct Meant {
  std::vector<std::string> words;  // of our own program; what can go on alone is told to
  std::string why_not;             // for people, with what to do instead; empty: it is run
};
Meant meant(std::string_view line, const Shown& shown);

// A command that has no place in the dashboard; where an option is named, only with that.
struct Elsewhere {
  std::string_view path, option, instead;
};
std::span<const Elsewhere> elsewhere();

// Requires: the dialog is a command line, or what a command has printed.
Step press_command(Focus focus, const canvas::Key& key, const Shown& shown);
Step press_output(Focus focus, const canvas::Key& key);

// The command of that number has ended. Who does not look at it any more gets one line.
void show_output(Focus& focus, int number, const std::string& command,
                 std::vector<std::string> lines, int exit_code);

}  // namespace capsule::tui
