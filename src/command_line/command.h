// The command table: every command with its arguments, options and texts, as plain rows. Parsing,
// --help, the man page and the shell completions are all made from these rows, so they cannot
// drift. Rows are static data: building the table costs nothing at start-up.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace capsule::command_line {

struct Option {
  std::string_view name;          // without dashes
  std::string_view value;         // what the value is called ("DIR"); empty: a flag
  std::string_view help;          // one sentence, no full stop
  std::string_view choices = {};  // "a|b|c": the only values, also offered by completions
  std::string_view initial = {};  // the default, for the reader
  char letter = 0;                // "-i" for short; 0: none
  bool hidden = false;            // not for people: taken, but in no help, man page or completion
};

// Completions offer files for a value or argument that is called FILE, folders for DIR and
// WORKTREE.
struct Positional {
  std::string_view name;
  std::string_view help;
  bool required = true;
  std::string_view choices = {};  // as in Option
  // The last one only: it takes all words that are left, dashes and all, from the first that is no
  // option.
  bool rest = false;
};

class Args;

// The whole number, without anything else, that a word is; nullopt: it is none of these.
std::optional<std::int64_t> number_in(std::string_view word, std::int64_t least,
                                      std::int64_t most = std::numeric_limits<int>::max());

// What errors of a command exit with; exit_code has the table.
enum class Errors {
  by_reason,  // 1: the answer is no; 2: there is no answer
  one,        // 1, all of them: it stands for a script that knows no other code
  two,        // 2, all of them: its 1 is what it found out, such as "needs work"
  // It ends as the command does that it runs, so its own are what shells and env have for it: 127
  // is not there, 126 cannot be executed, 125 nothing was run for another reason.
  beside,
};
int exit_code(Reason reason, Errors errors);

struct Command {
  std::string_view path;     // "parse-signal", "signal parse": words parted by one space
  std::string_view summary;  // one line, no full stop
  // Paragraphs for --help and the man page, parted by empty lines; may be empty. They are filled
  // anew, except for lines that begin with a blank, which are shown as they are.
  std::string_view details = {};
  std::span<const Positional> positionals = {};
  std::span<const Option> options = {};
  Result<int> (*run)(const Args&) = nullptr;  // the exit code
  Errors errors = Errors::by_reason;
  std::string_view alias = {};     // another path that means the same
  std::string_view examples = {};  // lines, each a command that can be pasted
  bool hidden = false;             // not for people: not in help, man page or completions
  bool people_only =
      false;  // changes runs, beads or merges: refused inside an agent's process tree
};

// The words of one call, checked against the rows of its command. Views point into argv.
class Args {
 public:
  // A positional by its place; nullopt when it was left out.
  std::optional<std::string_view> positional(std::size_t index) const;
  // The value of an option; the last one wins.
  std::optional<std::string_view> option(std::string_view name) const;
  bool flag(std::string_view name) const;
  // Every value of an option that may be given more than once, in order.
  std::vector<std::string_view> every(std::string_view name) const;
  // The positionals from one that takes the rest.
  std::vector<std::string_view> rest(std::size_t index) const;

 private:
  friend Result<Args> parse_args(const Command&, std::span<const char* const>);
  std::vector<std::string_view> positionals_;
  std::map<std::string_view, std::vector<std::string_view>> options_;
};

// Reads the words after the command's path. `--name=value` and `--name value` mean the same, and
// `-n value` and `-nvalue` where the option has a letter; `--` ends the options. Error reason is
// always usage, its message one line, its hint what would be valid.
Result<Args> parse_args(const Command& command, std::span<const char* const> words);

// The rows of a whole program, in the order in which help shows them.
using Table = std::span<const Command>;

// Which command `words` begin with, and how many words its path took. nullptr when none does.
struct Match {
  const Command* command = nullptr;
  std::size_t words = 0;
};
Match match_command(Table table, std::span<const char* const> words);

// The known name that is nearest to `word` by edit distance, or empty when none is near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> names);

std::string help_text(Table table);     // of the program
std::string help_text(const Command&);  // of one command
// Of "signal"; empty: no such group.
std::string help_text_of_group(Table table, std::string_view group);

// "capsule signal parse [FILE] [options]"
std::string synopsis(const Command&);
// "--dialect=NAME"
std::string spelled(const Option&);
// Every command has it; it is in no row.
inline constexpr Option kHelpOption{"help", "", "Show this help and exit"};

// The whole program: finds the command, parses its words, runs it. Returns the exit code.
int run_program(Table table, std::span<const char* const> words);

// Prints "capsule: <message>" on stderr, with the hint on the same line when the caller's words
// were off (usage, not_found) and on a line of its own otherwise. Control characters are shown
// escaped.
void report(const Error& error);

}  // namespace capsule::command_line
