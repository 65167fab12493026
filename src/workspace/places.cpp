#include "workspace/places.h"

namespace capsule::workspace {

std::string worktree_path(const std::string& project, std::string_view name) {
  return project + "/.capsule/worktrees/" + std::string(name);
}
std::string worktree_path(const git::Repository& repository, std::string_view bead) {
  return worktree_path(repository.top, bead);
}
std::string branch_name(std::string_view bead) { return "capsule-" + std::string(bead); }
std::string archive_path(const git::Repository& repository, std::string_view bead) {
  return repository.top + "/.capsule/logs/" + std::string(bead);
}

}  // namespace capsule::workspace
