// Which files of the machine a contained command sees, and how they are pinned.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "contain/policy.h"

namespace capsule::contain {

// Follows links once, then opens what it found without any. Errors: not_found, io; refused for what
// is neither a folder nor a regular file.
Result<Place> pin(const std::string& path, Access access);

// `name` in a place that may be written to. Error refused when it is a link.
Result<Place> pin_beneath(const Place& folder, const std::string& name, Access access);

// Opens `path` without following any link, only to be named (O_PATH).
Result<File> open_place(const std::string& path);

// What was pinned once more, in the namespace of this process. Error refused when something else
// has been put there since: while the pin is open no other file can have its number.
Result<File> open_again(const std::string& path, const File& pinned);
Result<File> open_again(const Place& place);

struct Ground {
  std::vector<Place> places;
  std::vector<Link> links;
};
// Files and folders of /etc that are not for everybody and that this process may read all the same.
std::vector<std::string> guarded_settings();
// Programs, libraries and settings of the system, to read, but for these guarded ones, which are
// hidden, also from root.
Result<Ground> system_ground(const std::vector<std::string>& guarded);

// Adds the folders of a PATH that exist and are not seen yet, and returns the PATH that is left.
// Folders that hold the home or the worktree are left out: they would show more than programs.
std::string add_search_places(std::vector<Place>& places, const std::string& search,
                              const std::string& home, const std::string& folder);

}  // namespace capsule::contain
