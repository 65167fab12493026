// Which test command a project probably has, told from the files that it is made of. A proposal is
// for a person to accept. Pure: the caller reads the files.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gate/verify.h"

namespace capsule::gate {

// A file of the project: "go.mod", or "src/go.mod" one folder below.
struct SeenFile {
  std::string path;
  std::string text;  // its first bytes; needed for the names that telling_files() lists as such
};

// The names that propose() looks at, and whether it reads the file's text.
struct TellingFile {
  std::string_view name;
  bool reads_text;
};
std::span<const TellingFile> telling_files();
// Folders ("": the root) whose tests in Python tell by themselves what runs them: files of which
// is_python_test() holds, with their text, and __init__.py.
std::span<const std::string_view> test_folders();
bool is_python_test(std::string_view path);  // test*.py

struct Proposal {
  Command test;
  std::string dir;      // where they run, below the project; empty: at its root
  std::string because;  // the file that tells
};

// What stands at the root comes before what stands in a folder, folders by name; within one folder
// go.mod, package.json, pyproject.toml and other files of Python, Cargo.toml, pom.xml,
// build.gradle, CMakeLists.txt, Makefile, in this order; last, at the root, tests in Python.
std::optional<Proposal> propose(std::span<const SeenFile> files);

}  // namespace capsule::gate
