// What a person, or an agent, is told when a tree is gone or its work cannot be merged. Sentences
// only: nothing branches on them. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace capsule::workspace {

// Who has to go on, and by which command.
enum class Advice {
  bead,      // a person: capsule run, capsule merge
  plan,      // an agent, whose next attempt gets the text
  auto_run,  // a person: capsule auto continue
};

struct TreeText {
  Advice advice{};
  std::string name;  // the bead
  std::string folder, branch;
  std::string snapshots;  // "refs/capsule/…"
  std::string project;    // its top folder
  std::string main;       // "main"
};

Error tree_exists(const TreeText& tree);
Error tree_gone(const TreeText& tree);
// Somebody removed it while the run went on, which has stopped for that.
Error tree_vanished(const TreeText& tree);

std::string nothing_to_merge(const TreeText& tree);
std::string foreign_commits(const TreeText& tree, std::size_t count);
std::string merge_conflict(const TreeText& tree, const std::vector<std::string>& files);
std::string spoilt_after_sign_off(const TreeText& tree, const std::vector<std::string>& files);
std::string work_missing(const TreeText& tree, const std::vector<std::string>& files);
// `failures`: one paragraph for each command.
std::string merged_files_fail(const TreeText& tree, const std::string& failures);
// The checks fail on main itself. `since`: the commit by which, or "" when no earlier one is known
// to pass; `passed`: the newest that is.
struct RedMain {
  std::string main, since, since_title, passed;  // commits
  std::size_t later = 0;                         // commits of main after `since`
  std::string failures;
};
std::string main_is_red(const TreeText& tree, const RedMain& red);
std::string in_the_way(const TreeText& tree, const std::string& checkout,
                       const std::vector<std::string>& files);

}  // namespace capsule::workspace
