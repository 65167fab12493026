// What takes git to show. Runs beside the loop.
#pragma once

#include <string>

#include "base/result.h"
#include "git/repository.h"

namespace capsule::serve {

inline constexpr std::size_t kMaxDiffBytes = std::size_t{512} * 1024;

// {"text":"diff --git …","truncated":true} between two commits or refs of ours. Requires: both were
// made by us, not by whoever asks.
Result<std::string> diff_json(const git::Repository& repository, const std::string& from,
                              const std::string& to);

}  // namespace capsule::serve
