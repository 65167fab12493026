// The steps of the schema, oldest first. A step that was released is never changed. Internal to
// cluster.
#pragma once

#include <span>

namespace capsule::cluster {

std::span<const char* const> schema_steps();

extern const char* const kBranchesStep;
extern const char* const kWorkStep;

}  // namespace capsule::cluster
