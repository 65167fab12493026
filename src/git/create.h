// Making a repository, for the demo project.
#pragma once

#include <string>

#include "git/repository.h"

namespace capsule::git {

// Whether `folder` itself is, or holds, a repository; one further up does not count.
bool holds_repository(const std::string& folder);

// An empty repository in `folder`, which exists, with the branch `main` and an identity of its own.
// Nothing of the user's configuration has a say: no template, no hook, no signing. Four processes.
Result<void> create_repository(const std::string& folder, const std::string& name,
                               const std::string& email);

// Commits everything that is there and not ignored. Two processes. Requires: create_repository.
Result<void> commit_everything(const std::string& folder, const std::string& message);

}  // namespace capsule::git
