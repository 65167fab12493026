#include "world/template_project.h"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <vector>

#include "assets/embedded.h"
#include "base/files.h"
#include "base/text.h"
#include "config/write.h"
#include "git/create.h"
#include "git/remove_tree.h"
#include "git/repository.h"
#include "task/open_tracker.h"
#include "world/project.h"

namespace capsule::world {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTemplate = "templates/demo-capsule";
constexpr const char* kCopied[] = {"src", "CLAUDE.md", "README.md"};
constexpr const char* kIssues = "issues.jsonl";

Result<std::string> temporary_folder() {
  std::error_code error;
  // Without "capsule-": by that, scripts know a worktree of a bead in what git lists.
  std::string name = (fs::temp_directory_path(error) / "demo-XXXXXX").string();
  if (error || ::mkdtemp(name.data()) == nullptr)
    return tl::unexpected(io_error("make a folder in", "the folder for temporary files", errno));
  return name;
}

// The template as a folder. What the program brings along is written out for as long as this lives.
class Template {
 public:
  static Result<std::unique_ptr<Template>> open(const Assets& assets);
  Template() = default;
  Template(const Template&) = delete;
  Template& operator=(const Template&) = delete;
  ~Template() {
    if (!written_.empty()) (void)git::remove_tree(written_);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_, written_;
};

Result<std::unique_ptr<Template>> Template::open(const Assets& assets) {
  auto source = std::make_unique<Template>();
  if (auto beside = assets.beside(kTemplate)) {
    source->path_ = *std::move(beside);
  } else {
    source->path_ = source->written_ = TRY(temporary_folder());
    TRY_VOID(assets::write_embedded(kTemplate, source->path_));
  }
  for (const char* name : {kCopied[0], kCopied[1], kCopied[2], kIssues})
    if (!exists(source->path_ + "/" + name))
      return fail(Reason::not_found,
                  "the template " + printable(source->path_) + " is incomplete: it has no " + name,
                  "put it back, or remove it: Capsule has one of its own");
  return source;
}

Result<void> refuse_what_is_there(const std::string& folder) {
  if (!exists(folder)) return {};
  if (!is_folder(folder)) return fail(Reason::exists, printable(folder) + " is not a folder");
  if (git::holds_repository(folder))
    return fail(Reason::exists, printable(folder) + " already contains a git repository",
                "name a folder that is new or empty");
  for (const char* name : {kCopied[0], kCopied[1], kCopied[2], ".beads", ".capsule"})
    if (exists(folder + "/" + name))
      return fail(Reason::exists, printable(folder) + "/" + name + " already exists",
                  "name a folder that is new or empty");
  return {};
}

Result<void> copy_files(const std::string& source, const std::string& folder) {
  for (const char* name : kCopied) {
    std::error_code error;
    fs::copy(source + "/" + name, folder + "/" + name,
             fs::copy_options::recursive | fs::copy_options::copy_symlinks, error);
    if (error) return tl::unexpected(io_error("copy", source + "/" + name, error.value()));
  }
  return {};
}

Result<void> fill(const std::string& source, const std::string& folder, config::Tracker tracker) {
  TRY_VOID(git::create_repository(folder, "Capsule Demo", "demo@example.com"));
  TRY_VOID(copy_files(source, folder));
  const task::Choice used = TRY(task::set_up_tracker(folder, choice_of(tracker), "demo",
                                                     TRY(real_path(source + "/" + kIssues))));
  TRY_VOID(git::commit_everything(folder, "Add template project and bead fixtures"));
  TRY_VOID(git::exclude_capsule_dir(TRY(git::open_repository(folder))));
  const config::Assignment written{"tracker", used == task::Choice::bd ? "bd" : "native"};
  TRY_VOID(config::record(folder, {&written, 1}));
  return {};
}

}  // namespace

Result<std::string> make_template_project(const Assets& assets, std::string folder,
                                          config::Tracker tracker) {
  const auto source = TRY(Template::open(assets));
  TRY_VOID(refuse_what_is_there(folder));
  const bool new_folder = !exists(folder);
  if (folder.empty())
    folder = TRY(temporary_folder());
  else
    TRY_VOID(make_folders(folder));
  if (const auto filled = fill(source->path(), folder, tracker); !filled) {
    // A folder that was there before may hold files of the user's: only what we made goes.
    if (new_folder) {
      (void)git::remove_tree(folder);
    } else {
      for (const char* name : {".git", kCopied[0], kCopied[1], kCopied[2], ".beads", ".capsule"})
        (void)git::remove_tree(folder + "/" + name);
    }
    return tl::unexpected(filled.error());
  }
  return folder;
}

}  // namespace capsule::world
