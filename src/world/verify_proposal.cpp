#include "world/verify_proposal.h"

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/listed.h"
#include "base/text.h"
#include "gate/report_run.h"

namespace capsule::world {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFolders = 200;
constexpr std::size_t kMaxTellingBytes = 1024 * 1024;
constexpr std::size_t kMaxTests = 50;
// Folders whose files are somebody else's, or made.
constexpr std::string_view kPassedOver[] = {"node_modules", "vendor", "third_party", "target",
                                            "build",        "dist",   "venv"};

std::vector<std::string> folders_of(const std::string& root) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(root, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.') || entry.is_symlink(error) || !entry.is_directory(error)) continue;
    // A name that would not be safe in a file that a person reads is no proposal.
    if (printable(name) != name || name.find_first_of("\"'\\") != name.npos) continue;
    if (std::find(std::begin(kPassedOver), std::end(kPassedOver), name) == std::end(kPassedOver))
      names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  names.resize(std::min(names.size(), kMaxFolders));
  return names;
}

void look_into(const std::string& root, const std::string& dir,
               std::vector<gate::SeenFile>& files) {
  for (const gate::TellingFile& telling : gate::telling_files()) {
    const std::string path = (dir.empty() ? "" : dir + "/") + std::string(telling.name);
    if (!exists(root + "/" + path)) continue;
    gate::SeenFile seen{path, {}};
    if (telling.reads_text) {
      const auto text = read_file_beneath(root, path, kMaxTellingBytes);
      if (!text) continue;
      seen.text = *text;
    }
    files.push_back(std::move(seen));
  }
}

// Tests in Python that stand in a folder, the first by their names.
void look_for_tests(const std::string& root, const std::string& dir,
                    std::vector<gate::SeenFile>& files) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(dir.empty() ? root : root + "/" + dir, error)) {
    const std::string name = entry.path().filename().string();
    if (name == "__init__.py" || gate::is_python_test(name)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  names.resize(std::min(names.size(), kMaxTests));
  for (const std::string& name : names) {
    const std::string path = (dir.empty() ? "" : dir + "/") + name;
    const auto text = read_file_beneath(root, path, kMaxTellingBytes);
    if (text && printable(path) == path) files.push_back({path, *text});
  }
}

config::Value value_of(const gate::Command& command) {
  if (!command.argv.empty()) return command.argv;
  return command.shell;
}

}  // namespace

std::optional<gate::Proposal> proposal_for(const std::string& root) {
  std::vector<gate::SeenFile> files;
  look_into(root, "", files);
  for (const std::string& dir : folders_of(root)) look_into(root, dir, files);
  for (const std::string_view dir : gate::test_folders())
    if (dir.empty() || is_folder(root + "/" + std::string(dir)))
      look_for_tests(root, std::string(dir), files);
  return gate::propose(files);
}

std::vector<config::Assignment> assignments_of(const gate::Proposal& proposal) {
  std::vector<config::Assignment> result{{"verify.test", value_of(proposal.test)}};
  if (!proposal.dir.empty()) result.push_back({"verify.dir", proposal.dir});
  return result;
}

std::string yaml_of(const gate::Proposal& proposal) {
  const auto written = [](const config::Assignment& assignment) {
    return assignment.path.substr(assignment.path.find('.') + 1) + ": " +
           config::written(config::key(assignment.path), assignment.value);
  };
  return "verify: {" + listed(assignments_of(proposal), written) + "}";
}

std::string naming_of(const gate::Proposal& proposal, const std::string& root) {
  const auto format = gate::planned_format(proposal.test, "auto",
                                           proposal.dir.empty() ? root : root + "/" + proposal.dir);
  if (format == gate::ReportFormat::none)
    return "; its tests are not read by name: see verify.test_report";
  return "; its tests are read by name (" + std::string(name_of(format)) + ")";
}

}  // namespace capsule::world
