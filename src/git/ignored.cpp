#include "git/ignored.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "git/command.h"
#include "git/settings.h"
#include "git/setup_files.h"
#include "git/worktree.h"

namespace capsule::git {

std::vector<std::string> without_ignored(const Repository& repository, const std::string& worktree,
                                         std::vector<std::string> paths) {
  const SetupNotes notes = read_setup(repository, worktree);
  std::erase_if(paths, [&](const std::string& path) {
    return std::any_of(notes.left.begin(), notes.left.end(), [&](const std::string& left) {
      return path == left || (left.ends_with('/') && path.starts_with(left));
    });
  });
  if (paths.empty()) return paths;
  Call call{.args = {"check-ignore", "-z", "--stdin"},
            .work_tree = worktree,
            .index = own_index(repository, worktree),
            .settings = settings_of(repository).conversions,
            .magic = true};
  // It knows no names that are taken as they are; behind this they have no magic.
  constexpr std::string_view kHere = "./";
  for (const std::string& path : paths) call.input += std::string(kHere) + path + '\0';
  // Where git cannot tell (a file below what is a link), all of them count.
  const Result<Answer> answer = ask(repository, call);
  if (!answer || answer->code != 0) return paths;
  std::set<std::string, std::less<>> ignored;
  for (const std::string_view path : split(answer->out, '\0'))
    if (path.starts_with(kHere)) ignored.emplace(path.substr(kHere.size()));
  std::erase_if(paths, [&](const std::string& path) { return ignored.contains(path); });
  return paths;
}

}  // namespace capsule::git
