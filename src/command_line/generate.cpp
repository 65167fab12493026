#include "command_line/generate.h"

#include <algorithm>

namespace capsule::command_line {

Offer offer_for(std::string_view name, std::string_view choices) {
  if (!choices.empty()) return Offer::words;
  if (name == "FILE") return Offer::files;
  if (name == "DIR" || name == "WORKTREE") return Offer::folders;
  return Offer::nothing;
}

std::vector<Subcommand> subcommands(Table table) {
  std::vector<Subcommand> result;
  for (const Command& command : table) {
    if (command.hidden) continue;
    // "bead comments add" is a word after "bead comments", which is a word after "bead", …
    for (std::size_t end = 0; end != command.path.npos;) {
      const std::string group(command.path.substr(0, end == 0 ? 0 : end - 1));
      const std::size_t blank = command.path.find(' ', end);
      const std::string path(command.path.substr(0, blank));
      const std::string word = path.substr(end);
      const bool known = std::any_of(result.begin(), result.end(), [&](const Subcommand& one) {
        return one.group == group && one.word == word;
      });
      if (!known)
        result.push_back({group, word,
                          blank == command.path.npos ? std::string(command.summary)
                                                     : "Commands: capsule " + path + " --help"});
      end = blank == command.path.npos ? blank : blank + 1;
    }
  }
  result.push_back({"", "help", "Explain a command"});
  result.push_back({"", "version", "Print the version"});
  std::stable_sort(result.begin(), result.end(),
                   [](const Subcommand& a, const Subcommand& b) { return a.group < b.group; });
  return result;
}

std::vector<Row> completion_rows(Table table) {
  std::vector<Row> rows;
  for (const Command& command : table) {
    if (command.hidden) continue;
    for (const std::string_view path : {command.path, command.alias})
      if (!path.empty()) rows.push_back({path, &command});
  }
  for (const Subcommand& one : subcommands(table))
    for (Row& row : rows)
      if (row.path == one.group) row.words += (row.words.empty() ? "" : "|") + one.word;
  const auto depth = [](const Row& row) { return std::ranges::count(row.path, ' '); };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const Row& a, const Row& b) { return depth(a) > depth(b); });
  return rows;
}

}  // namespace capsule::command_line
