#include "world/experts.h"

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"

namespace capsule::world {
namespace {

constexpr const char* kFolder = ".claude/agents/experts";
constexpr std::size_t kMaxExpertBytes = std::size_t{256} << 10;

std::string field(const signal::Fields& fields, std::string_view label) {
  for (const signal::Field& one : fields)
    if (one.label == label) return one.text;
  return {};
}

std::string file_text(const std::string& name, const signal::Fields& fields) {
  std::string gap = field(fields, "Gap Filled");
  // The front matter is one line a key: nothing of the text may end it.
  std::string text = "---\nname: " + name + "\ndescription: " + printable(gap) + "\n---\n\n# " +
                     name + "\n\n" + gap + "\n";
  for (std::string_view label : {"Supports", "Tasks", "Expertise Encoded", "Delegation Triggers"})
    if (const std::string part = field(fields, label); !part.empty())
      text += "\n## " + std::string(label) + "\n\n" + part + "\n";
  return text;
}

}  // namespace

Result<bool> write_experts(const git::Repository& repository, signal::LineResult& created) {
  // The first that can be asked by its name takes the place of one that cannot.
  std::erase_if(created.more, [](const signal::Extra& extra) { return !valid_id(extra.id); });
  if (!valid_id(created.task_id.value_or(""))) {
    if (created.more.empty()) return false;
    created.task_id = std::move(created.more.front().id);
    created.fields = std::move(created.more.front().fields);
    created.more.erase(created.more.begin());
  }
  TRY_VOID(git::exclude_capsule_dir(repository, {std::string(kFolder) + "/"}));
  TRY_VOID(make_folders_beneath(repository.top, kFolder));
  const auto add = [&](const std::string& name, const signal::Fields& fields) -> Result<void> {
    const std::string path = repository.top + "/" + kFolder + "/" + name + ".md";
    if (!exists(path)) TRY_VOID(write_file(path, file_text(name, fields)));
    return {};
  };
  TRY_VOID(add(*created.task_id, created.fields));
  for (const signal::Extra& extra : created.more) TRY_VOID(add(extra.id, extra.fields));
  return true;
}

std::vector<std::string> known_experts(const std::string& project) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(project + "/" + std::string(kFolder), error))
    if (entry.path().extension() == ".md" && valid_id(entry.path().stem().string()))
      names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string read_expert(const std::string& project, const std::string& name) {
  if (!valid_id(name)) return {};
  return read_file_beneath(project, std::string(kFolder) + "/" + name + ".md", kMaxExpertBytes)
      .value_or("");
}

}  // namespace capsule::world
