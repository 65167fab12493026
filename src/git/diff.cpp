#include "git/diff.h"

#include "base/text.h"
#include "git/command.h"

namespace capsule::git {

Result<std::vector<Change>> parse_raw_diff(std::string_view text) {
  std::vector<Change> changes;
  const auto take = [&](char end) {
    const std::size_t length = text.find(end);
    const std::string_view part = text.substr(0, length);
    text.remove_prefix(length == text.npos ? text.size() : length + 1);
    return part;
  };
  while (!text.empty()) {
    if (text.front() != ':')
      return fail(Reason::damaged, "git diff-tree printed something unexpected");
    text.remove_prefix(1);
    Change change;
    change.old_mode = take(' ');
    change.new_mode = take(' ');
    change.old_id = take(' ');
    change.new_id = take(' ');
    const std::string_view status = take('\0');  // with a score behind R
    if (status.empty()) return fail(Reason::damaged, "git diff-tree printed something unexpected");
    change.status = status.front();
    if (change.status == 'R' || change.status == 'C') change.from = take('\0');
    change.path = take('\0');
    if (change.path.empty())
      return fail(Reason::damaged, "git diff-tree printed something unexpected");
    changes.push_back(std::move(change));
  }
  return changes;
}

Result<std::vector<Change>> diff_trees(const Repository& repository, const std::string& a,
                                       const std::string& b, Renames renames) {
  return parse_raw_diff(TRY(
      tell(repository, {.args = {"diff-tree", "-r", "-z", "--raw", "--no-abbrev",
                                 renames == Renames::found ? "-M" : "--no-renames", a, b, "--"}})));
}

}  // namespace capsule::git
