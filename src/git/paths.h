// What base/files.h does not have. Nothing here follows a link at the last part of a path.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace capsule::git {

// The error of the system call that just failed; io_error with errno.
Error system_error(std::string_view doing, std::string_view name);

bool is_plain_folder(const std::string& path);  // not a link to one
bool is_plain_file(const std::string& path);
bool is_plain_file_with(const std::string& path, std::string_view content);

// Creates a file that must not exist. Not synced.
Result<void> create_file(const std::string& path, std::string_view content);

// Over what is there. Not synced.
Result<void> copy_file(const std::string& from, const std::string& to);

Result<void> sync_folder(const std::string& path);

// Names in a folder, without . and .., in no order; none when there is no such folder.
std::vector<std::string> names_in(const std::string& path);

std::string within(const std::string& folder, std::string_view name);

// The folder part of an absolute path without a trailing slash, and the last name.
std::string parent_of(const std::string& path);
std::string name_of(const std::string& path);

}  // namespace capsule::git
