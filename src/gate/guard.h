// What a check means: the files that say what the project's commands do. Who changes them can make
// any check pass without doing any work. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace capsule::gate {

// `patterns` replace the usual ones when there are any; "none" alone: nothing is guarded.
bool is_guarded(std::string_view path, const std::vector<std::string>& patterns);

// Whether a change of such a file changes what a check means. Of package.json only the scripts and
// the settings of test runners count, of pyproject.toml, setup.cfg, Cargo.toml and CMakeLists.txt
// only what is about tests, so that a new dependency or source file is nobody's business; of all
// others every change does. Texts are empty where the file is not there.
bool changes_meaning(std::string_view path, std::string_view before, std::string_view now);

// Whether the words of a task name the file: its path, or its last part, as a word of its own.
bool is_asked_for(std::string_view path, std::string_view request);

// "Makefile: 1 line added, 2 removed\n", for people.
std::string line_stat(std::string_view path, std::string_view before, std::string_view now);

}  // namespace capsule::gate
