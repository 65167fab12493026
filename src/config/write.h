// Writes single values into a project's .capsule/config.yaml, for `init` and `setup-template`.
// A file that exists is the user's: it is kept as it is, except that missing values are appended
// where that is safe. Writing is atomic: the file is either the old or the new one.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/key.h"

namespace capsule::config {

struct Assignment {
  std::string path;  // "tracker", "verify.test", "providers.mine.command"
  Value value;       // of the kind that the key has
};

enum class Recorded { created, appended, unchanged };

// Creates .capsule/ and the file as needed. A fresh file holds every key that a project can set:
// the given ones set, the others as comments.
// Error exists: the file sets one of these to another value, or already has the group that a value
// would have to join; nothing was written, and the hint says what to write. Error damaged: the file
// has problems of its own. Requires: every path is a key, every value is valid for it.
Result<Recorded> record(const std::string& project_dir, std::span<const Assignment> assignments);

// The text of a fresh file.
std::string fresh_file(std::span<const Assignment> assignments);

}  // namespace capsule::config
