// What may be typed next on a line of our own commands, and the words of such a line. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "command_line/command.h"

namespace capsule::command_line {

// The words of a line: blanks part them, quotes and backslashes keep what they hold, as in a shell;
// nothing is expanded. Error usage: a quote is not closed.
Result<std::vector<std::string>> words_of_line(std::string_view line);

struct Proposal {
  std::string word;  // as it is typed, in place of the word that is there
  std::string help;
  bool operator==(const Proposal&) const = default;
};

// What the end of a line may become.
struct Completion {
  std::size_t from = 0;              // where its last word begins
  std::string typed;                 // that word, without quotes; may be empty
  const Command* command = nullptr;  // that the words before it name
  std::vector<std::string> words;    // of the line before it, without the command's path
  std::vector<Proposal> proposals;   // that begin with what is typed, in the order of the table
  std::string_view wanted = {};      // the argument or value that it is: "RUN"; empty: not known
};
// `line` may begin with "capsule". Hidden commands and options are not proposed.
Completion complete(Table table, std::string_view line);

}  // namespace capsule::command_line
