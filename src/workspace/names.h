// Names for trees whose keys may hold anything. Pure.
#pragma once

#include <string>
#include <string_view>

namespace capsule::workspace {

// Where a key is too long, or is no name.
std::string short_hash(std::string_view text);

// The name of a tree among those of all runs: one part of a path, and of a branch.
std::string own_name(std::string_view run, std::string_view key);

// Where other machines find what counts in a tree, on the remote that they share.
std::string shared_ref(std::string_view run, std::string_view key);

// The branch that takes the tasks of a plan in turn. `plan`: as its caller named it; `subject`:
// what tells it from all others.
std::string plan_branch(std::string_view plan, std::string_view subject);

}  // namespace capsule::workspace
