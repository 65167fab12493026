#include "world/assets.h"

#include <filesystem>

#include "base/files.h"
#include "base/text.h"

namespace capsule::world {
namespace fs = std::filesystem;

std::string own_program() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? "capsule" : program.string();
}

Assets::Assets(std::string_view scripts_dir, std::string_view project) {
  if (!scripts_dir.empty())
    folders_.push_back(fs::path(absolute_path(scripts_dir)).parent_path().string());
  if (!project.empty()) folders_.emplace_back(project);
  fs::path folder = fs::path(own_program()).parent_path();
  folders_.push_back((folder.parent_path() / "share/capsule").string());
  // A build folder lies at most a few levels below its source tree.
  for (int i = 0; i < 4 && folder.has_relative_path(); ++i, folder = folder.parent_path())
    if (is_folder((folder / "prompts").string()) && is_folder((folder / "src").string()))
      folders_.push_back(folder.string());
}

Result<std::string> Assets::find(std::string_view name) const {
  std::string searched;
  for (const std::string& folder : folders_) {
    const std::string path = folder + "/" + std::string(name);
    if (exists(path)) return path;
    searched += (searched.empty() ? "" : ", ") + folder;
  }
  return fail(
      Reason::not_found, "missing file " + printable(name),
      "searched in " + printable(searched) + "; 'capsule init' puts the usual ones into a project");
}

Result<std::string> Assets::read(std::string_view name) const { return read_file(TRY(find(name))); }

}  // namespace capsule::world
