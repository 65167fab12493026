#!/usr/bin/env bash
# The lint script finds what it promises to find.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

# A repository with one clean file of each kind; each case plants one thing.
plant() {
  rm -rf "$tmp/repo"
  mkdir -p "$tmp/repo/src/base"
  cp -r "$source_dir/tools" "$source_dir/.clang-format" "$tmp/repo"
  echo /tools/ >"$tmp/repo/.gitignore" # these are linted where they belong
  printf 'base | Small values |\nrunner | Runs | base\nshell | runner/shell.cpp\n' >"$tmp/repo/src/LAYERS"
  # shellcheck disable=SC2016 # the marks of a block
  printf '```text\nrunner  runs\nbase    small values\n```\n' >"$tmp/repo/ARCHITECTURE.md"
  printf 'int answer() { return 42; }\n' >"$tmp/repo/src/base/answer.cpp"
  git -C "$tmp/repo" init -q
}
lint() {
  git -C "$tmp/repo" add -A
  "$tmp/repo/tools/lint" --quick "$@"
}

plant
expect 0 "No findings" "a clean tree has none" lint

plant && printf 'int  answer();\n' >"$tmp/repo/src/base/answer.h"
expect 1 "src/base/answer.h:1:4: error: code should be clang-formatted" "format" lint

plant && printf '#include "runner/x.h"\n' >"$tmp/repo/src/base/answer.h"
expect 1 "base may not include runner" "layers" lint

# shellcheck disable=SC2016
plant && printf '#!/bin/sh\nrm $1\n' >"$tmp/repo/clean-up"
expect 1 "SC2086" "a shell file is found by its first line" lint

for line in 'int x = system("ls");' 'auto* f = ::popen("ls", "r");' 'int x = std::system (c);' \
  'const char* argv[] = {"sh", "-c", text};' 'const char* shell = "/bin/sh";' 'auto s = "sh -c ls";'; do
  plant && printf '%s\n' "$line" >"$tmp/repo/src/base/answer.cpp"
  expect 1 "src/base/answer.cpp:1:" "no shell: $line" lint
done
for line in 'auto s = file_system(x);' 'int x = io.system(1);' 'int x;  // not by system() or sh -c' \
  'auto s = "flash -c";'; do
  plant && printf '%s\n' "$line" >"$tmp/repo/src/base/answer.cpp"
  expect 0 "" "no shell in: $line" lint
done
plant && mkdir "$tmp/repo/src/runner" && printf 'const char* shell = "/bin/sh";\n' >"$tmp/repo/src/runner/shell.cpp"
expect 0 "" "one file may run a shell" lint
plant && printf 'const char* shell = "/bin/sh";\n' >"$tmp/repo/src/base/test_support.h"
expect 0 "" "tests may name a shell" lint

home=/home
plant && echo "see $home/me/notes" >"$tmp/repo/README.md"
expect 1 "README.md:1:see $home/me/notes" "paths of one machine" lint

plant && mkdir "$tmp/repo/tests" && echo "$home/me" >"$tmp/repo/tests/x.txt" && echo "$tmp/repo/x" >"$tmp/repo/NOTES"
expect 1 "NOTES:1:$tmp/repo/x" "the path of this very repository" lint
rm "$tmp/repo/NOTES"
expect 0 "" "a home in a test is somebody's" lint

plant && printf '<<<<<<< ours\n' >"$tmp/repo/README.md"
expect 1 "README.md:1:<<<<<<< ours" "left-over conflict marks" lint

plant && for ((i = 0; i < 501; i++)); do echo '// A line.'; done >"$tmp/repo/src/base/long.cpp"
expect 0 "note: src/base/long.cpp has 501 lines" "long files are named" lint

# A build of two files as one unit, which hides what the second lacks.
plant_build() {
  plant
  mkdir "$tmp/repo/cmake" "$tmp/repo/tests" && cp "$source_dir/.clang-tidy" "$tmp/repo"
  echo /build/ >>"$tmp/repo/.gitignore"
  cat >"$tmp/repo/CMakePresets.json" <<'END'
{ "version": 6,
  "configurePresets": [{ "name": "dev", "generator": "Ninja", "binaryDir": "build/dev",
    "cacheVariables": { "CMAKE_EXPORT_COMPILE_COMMANDS": "ON", "CMAKE_UNITY_BUILD": "ON" } }] }
END
  cat >"$tmp/repo/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(planted CXX)
add_library(capsule_base src/base/answer.cpp src/base/question.cpp)
set(embedded ${PROJECT_BINARY_DIR}/generated/assets/embedded_files.cpp)
add_custom_command(OUTPUT ${embedded} COMMAND ${CMAKE_COMMAND} -E touch ${embedded})
add_custom_target(assets DEPENDS ${embedded})
END
  printf '#include <string>\n\nstd::string answer() { return "42"; }\n' >"$tmp/repo/src/base/answer.cpp"
  printf '#include <string>\n\nstd::string question() { return "6 * 9"; }\n' >"$tmp/repo/src/base/question.cpp"
}
lint_all() { git -C "$tmp/repo" add -A && "$tmp/repo/tools/lint"; }

plant_build
expect 0 "No findings" "what is complete and clean passes" lint_all
printf 'std::string question() { return "6 * 9"; }\n' >"$tmp/repo/src/base/question.cpp"
expect 1 "src/base/question.cpp:1:" "a missing include that a neighbour hides" lint_all
printf '#include <string>\n\nint question(std::string text) { return text.empty() ? 1 : 2; }\n' \
  >"$tmp/repo/src/base/question.cpp"
expect 1 "performance-unnecessary-value-param" "a finding in a file that is not the unit's first" lint_all

# The hook looks at what is staged, and nothing else.
staged() { "$tmp/repo/tools/lint" --staged --quick; }
plant && git -C "$tmp/repo" add -A && printf 'int  x;\n' >"$tmp/repo/src/base/other.cpp"
expect 0 "No findings" "a file that is not staged does not count" staged
git -C "$tmp/repo" add -A
expect 1 "other.cpp" "a staged file does" staged

finish
