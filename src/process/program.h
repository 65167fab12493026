// What a child is started from: its words, its environment, and the file they name. Nothing here
// keeps state; the environment of this process is read, so nobody may change it at the same time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace capsule::process {

// Set `name` to `value`, or take it out of the environment when there is no value.
struct EnvChange {
  std::string name;
  std::optional<std::string> value;
};

// The inherited environment with the changes applied in order, as NAME=value.
Result<std::vector<std::string>> environment(const std::vector<EnvChange>& changes);

// The same for a program that works in a folder of its own: variables by which git is told that its
// repository is elsewhere (as it tells its hooks and aliases) are left out.
Result<std::vector<std::string>> environment_elsewhere(const std::vector<EnvChange>& changes);

// The value of `name` in such a list; empty when it is not there.
std::string_view env_value(const std::vector<std::string>& env, std::string_view name);

// The file that `name` stands for. A name with a slash is taken as it is, from the folder
// `folder_fd` (AT_FDCWD for the current one); others are looked up along `path`. Folders in `path`
// that are not absolute are passed over: a repository must not be able to supply our programs.
// Errors: missing_program (there is none), refused (there is one that may not be run).
Result<std::string> find_program(std::string_view name, std::string_view path, int folder_fd);

// The error for a start of `program` that the system refused with `error_number`; the same reasons
// as find_program, usage for arguments that are too long, io for everything else.
Error start_error(std::string_view program, int error_number);

// A NUL byte would silently cut a word short, so it is an error (usage).
Result<void> check_words(const std::vector<std::string>& argv);

// Pointers into `words` with a null at the end, as exec wants them.
std::vector<char*> pointers(const std::vector<std::string>& words);

}  // namespace capsule::process
