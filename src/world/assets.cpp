#include "world/assets.h"

#include <filesystem>

#include "assets/embedded.h"
#include "base/files.h"
#include "base/text.h"

namespace capsule::world {
namespace fs = std::filesystem;

std::string own_program() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return "capsule";
  // The one with the database part calls itself only where it says so.
  if (program.filename() == kDatabaseProgram)
    if (const fs::path beside = program.parent_path() / "capsule"; fs::exists(beside, error))
      return beside.string();
  return program.string();
}

std::vector<std::string> files_for_projects() {
  std::vector<std::string> pipeline, others;
  for (const assets::Embedded& file : assets::embedded_below("prompts")) {
    const bool top = file.name.find('/') == file.name.rfind('/');
    if (top) pipeline.emplace_back(file.name);
    if (file.name.starts_with("prompts/delivery/") || file.name.starts_with("prompts/auto/"))
      others.emplace_back(file.name);
  }
  pipeline.insert(pipeline.end(), others.begin(), others.end());
  pipeline.emplace_back("templates/worklog.md.template");
  return pipeline;
}

namespace {

bool leads_out_of(const std::string& folder, const std::string& path) {
  std::error_code error;
  const std::string inside = fs::canonical(folder, error).string() + "/";
  return error || !fs::canonical(path, error).string().starts_with(inside) || error;
}

}  // namespace

Assets::Assets(std::string_view scripts_dir, std::string_view project) : project_(project) {
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

std::optional<std::string> Assets::beside(std::string_view name) const {
  for (const std::string& folder : folders_)
    if (std::string path = folder + "/" + std::string(name); exists(path)) return path;
  return std::nullopt;
}

Result<std::string> Assets::read(std::string_view name) const {
  if (const auto path = beside(name)) {
    const std::string own = project_ + "/" + std::string(name);
    if (!project_.empty() && *path == own && leads_out_of(project_, own))
      return fail(Reason::refused, printable(name) + " is a link that leads out of the project",
                  "put the file itself there: what it holds is told to agents");
    return read_file(*path);
  }
  if (const assets::Embedded* file = assets::find_embedded(name)) return std::string(file->bytes);
  std::string searched;
  for (const std::string& folder : folders_) searched += printable(folder) + ", ";
  return fail(Reason::not_found, "missing file " + printable(name),
              "searched in " + searched + "and in Capsule itself");
}

}  // namespace capsule::world
