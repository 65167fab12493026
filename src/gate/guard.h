// What a check means: the files that say what the project's commands do. Who changes them can make
// any check pass without doing any work. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gate/rewritten.h"

namespace capsule::gate {

// `patterns` replace the usual ones when there are any; "none" alone: nothing is guarded.
bool is_guarded(std::string_view path, const std::vector<std::string>& patterns);

// Whether a change of such a file changes what a check means. Of package.json only the scripts and
// the settings of test runners count, of pyproject.toml, setup.cfg, Cargo.toml and CMakeLists.txt
// only what is about tests, so that a new dependency or source file is nobody's business; of all
// others every change does. Texts are empty where the file is not there.
bool changes_meaning(std::string_view path, std::string_view before, std::string_view now);

// Whether the text of commands names the file as one that they run: a script, or what is called
// after tests or checks. A source that a command names, as in "cc main.c", is nobody's business.
bool is_run_by(std::string_view path, std::string_view commands);

struct MeaningRules {
  std::function<bool(std::string_view path)> is_guarded;
  std::function<bool(std::string_view path)> is_someone_elses;  // another rule is about it
  std::string commands;  // the text of all; what package.json and Makefiles say is added to it
  TextOf text_of;
};
struct MeaningChanges {
  std::vector<std::string> asked, unasked;  // paths
};
// What may be changed: files that the words of the task name, and those that a person has allowed,
// which are no others than the ones with these paths.
struct Permitted {
  std::string_view request;
  const std::vector<std::string>& allowed;
};
// Of the changes between two commits those that change what a check means.
Result<MeaningChanges> meaning_changes(const std::vector<Changed>& changes, const std::string& from,
                                       const std::string& to, const Permitted& permitted,
                                       const MeaningRules& rules);

// Whether the words of a task name the file: its path, or its last part, as a word of its own.
bool is_asked_for(std::string_view path, std::string_view request);

// "Makefile: 1 line added, 2 removed\n", for people.
std::string line_stat(std::string_view path, std::string_view before, std::string_view now);

}  // namespace capsule::gate
