#include "git/pin.h"

#include <cstdlib>

#include "base/text.h"
#include "git/command.h"
#include "git/lock.h"
#include "git/paths.h"
#include "git/refs.h"
#include "git/worktree.h"

namespace capsule::git {
namespace {

// The path in a file that names one, relative to `folder` unless it is absolute, with links
// followed; empty: it names nothing that is there.
std::string target_of(const std::string& file, std::string_view label, const std::string& folder) {
  if (!is_plain_file(file)) return {};
  const std::string text = read_file(file).value_or("");
  if (!text.starts_with(label)) return {};
  const std::string name(trimmed(std::string_view(text).substr(label.size())));
  if (name.empty()) return {};
  return real_path(name.starts_with('/') ? name : within(folder, name)).value_or("");
}

struct Bond {
  std::string record;               // of git, that `.git` names; empty: none of this worktree
  std::vector<std::string> faults;  // in words
};

Bond look_at(const Repository& repository, const std::string& place, const std::string& branch) {
  Bond bond;
  const std::string records = real_path(repository.common_dir + "/worktrees").value_or("");
  const std::string entry = place + "/.git";
  const std::string record = target_of(entry, "gitdir:", place);
  if (!exists(entry)) {
    bond.faults.emplace_back("its .git was gone");
    return bond;
  }
  if (records.empty() || record.empty() || parent_of(record) != records ||
      target_of(record + "/gitdir", "", record) != real_path(entry).value_or("")) {
    bond.faults.emplace_back("its .git did not lead to its own git dir any more");
    return bond;
  }
  bond.record = record;
  if (target_of(record + "/commondir", "", record) != real_path(repository.common_dir).value_or(""))
    bond.faults.emplace_back("its git dir did not belong to the project's repository any more");
  if (branch_of_head(record) != "refs/heads/" + branch)
    bond.faults.emplace_back("it was not on its own branch any more");
  else if (read_ref(repository, "refs/heads/" + branch).empty())
    bond.faults.emplace_back("its branch was gone");
  if (!is_plain_file(record + "/index")) bond.faults.emplace_back("its index was gone");
  return bond;
}

// The branch goes where the agent's commits are, when they are in front of it.
Result<void> follow(const Repository& repository, const std::string& ref, const std::string& was,
                    const std::string& head) {
  const std::string tip = read_ref(repository, ref);
  std::string to = tip.empty() ? head : "";
  if (!was.empty() && was != tip) {
    const Call ahead{.args = {"merge-base", "--is-ancestor", tip.empty() ? head : tip, was}};
    const bool known = is_object_id(repository, tip.empty() ? head : tip);
    if (known && TRY(ask(repository, ahead)).code == 0) to = was;
  }
  if (to.empty()) return {};
  return put_ref(repository, ref, to, "capsule: put back");
}

}  // namespace

std::optional<std::string> ceiling_of(const std::string& folder) {
  if (folder.find("/.capsule/") == folder.npos) return std::nullopt;
  std::string ceiling = parent_of(folder);
  const char* callers = std::getenv(kCeilingVariable);
  if (callers != nullptr && *callers != '\0') ceiling += std::string(":") + callers;
  return ceiling;
}

Result<std::vector<std::string>> pin_worktree(const Repository& repository, const std::string& path,
                                              const std::string& branch, const std::string& head) {
  if (!is_plain_folder(path)) return std::vector<std::string>{};
  const std::string place = TRY(real_path(path));
  Bond bond = look_at(repository, place, branch);
  if (bond.faults.empty()) return bond.faults;
  const bool ours = !worktree_head(repository, place).empty() || !bond.record.empty() ||
                    find_worktree(repository, place).has_value();
  if (!ours) return std::vector<std::string>{};
  const RepositoryLock lock = TRY(RepositoryLock::take(repository));
  const std::string was = worktree_head(repository, place);
  const std::string record = TRY(mend_worktree(repository, place, branch));
  const std::string ref = "refs/heads/" + branch;
  TRY_VOID(follow(repository, ref, was, head));
  if (!is_plain_file(record + "/index")) {
    const std::string tip = read_ref(repository, ref);
    if (!tip.empty())
      TRY_VOID(tell(repository, {.args = {"read-tree", tip}, .index = record + "/index"}));
  }
  const Bond now = look_at(repository, place, branch);
  if (now.faults.empty()) return bond.faults;
  return fail(Reason::failed, printable(place) + " cannot be worked in: " + joined(now.faults),
              "remove it and let it be made anew; its snapshots are below refs/capsule/");
}

}  // namespace capsule::git
