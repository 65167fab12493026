#include "git/work_commit.h"

#include <unistd.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "git/command.h"
#include "git/commit.h"
#include "git/exclusion.h"
#include "git/private_dir.h"

namespace capsule::git {
namespace {

constexpr std::string_view kNoFile = "000000";

bool at_top(const Change& change) { return change.path.find('/') == change.path.npos; }

bool has_message(const Commit& commit, const std::string& message) {
  const std::string_view text = trimmed(commit.message);
  const std::size_t end = text.find('\n');
  if (trimmed(text.substr(0, end)) != trimmed(message)) return false;
  return end == text.npos || text.substr(end).starts_with("\n\n");
}

// Files at the top alone: the top tree is read and written anew, however many files are below it.
Result<std::string> undone_at_top(const Repository& repository, const std::string& tree,
                                  const std::vector<Change>& undo) {
  std::map<std::string_view, const Change*> wanted;
  for (const Change& change : undo) wanted.emplace(change.path, &change);
  const std::string listing =
      TRY(tell(repository, {.args = {"ls-tree", "-z", "--full-tree", tree}}));
  std::string input;
  for (const std::string_view entry : split(listing, '\0')) {
    const std::size_t tab = entry.find('\t');
    if (tab == entry.npos || wanted.contains(entry.substr(tab + 1))) continue;
    input += std::string(entry) + '\0';
  }
  for (const Change& change : undo) {
    if (change.old_mode == kNoFile) continue;
    const char* type = change.old_mode == "160000" ? "commit" : "blob";
    input += change.old_mode + " " + type + " " + change.old_id + "\t" + change.path + '\0';
  }
  return std::string(
      trimmed(TRY(tell(repository, {.args = {"mktree", "-z"}, .input = std::move(input)}))));
}

Result<std::string> undone_anywhere(const Repository& repository, const std::string& tree,
                                    const std::vector<Change>& undo) {
  const std::string index = TRY(spare_file(repository));
  const auto steps = [&]() -> Result<std::string> {
    TRY_VOID(tell(repository, {.args = {"read-tree", tree}, .index = index}));
    std::string input;
    // Removals first, so that a file can take the place of a folder.
    for (const Change& change : undo) {
      input += "0 " + zero_id(repository) + "\t" + change.path + '\0';
    }
    for (const Change& change : undo) {
      if (change.old_mode == kNoFile) continue;
      input += change.old_mode + " " + change.old_id + "\t" + change.path + '\0';
    }
    TRY_VOID(tell(repository, {.args = {"update-index", "-z", "--index-info"},
                               .input = std::move(input),
                               .index = index}));
    return std::string(trimmed(TRY(tell(repository, {.args = {"write-tree"}, .index = index}))));
  };
  Result<std::string> result = steps();
  ::unlink(index.c_str());
  return result;
}

const Person& author_of(const std::vector<Commit>& commits) {
  const auto own = std::find_if(commits.begin(), commits.end(),
                                [](const Commit& commit) { return commit.parents.size() < 2; });
  return own == commits.end() ? commits.front().author : own->author;
}

}  // namespace

Result<std::string> with_changes(const Repository& repository, const std::string& commit,
                                 const std::vector<Change>& changes) {
  // To undo the way back is to make them.
  std::vector<Change> back = changes;
  for (Change& change : back) {
    std::swap(change.old_mode, change.new_mode);
    std::swap(change.old_id, change.new_id);
  }
  return undone_anywhere(repository, commit, back);
}

Result<WorkCommit> work_commit(const Repository& repository, const BranchState& state,
                               const std::string& message,
                               const std::vector<std::string>& exclude) {
  const std::string branch = printable(state.tips.branch_ref.substr(11));
  const std::string main = printable(state.tips.main_ref.substr(11));
  if (state.commits.empty()) {
    return fail(Reason::refused, "nothing to merge: " + branch + " has no commit beyond " + main);
  }
  if (!state.foreign.empty()) {
    return fail(Reason::refused,
                "merging " + branch + " would bring " + std::to_string(state.foreign.size()) +
                    " commit(s) to " + main + " that this run did not make, such as " +
                    state.foreign.front(),
                "merge the branch that the work started from into " + main + " first");
  }
  WorkCommit work;
  std::vector<Change> undo;
  for (Change& change : TRY(diff_trees(repository, state.fork, state.tips.tip, Renames::ignored))) {
    const bool excluded = is_excluded(change.path, exclude);
    if (excluded) work.excluded.push_back(change.path);
    (excluded ? undo : work.changes).push_back(std::move(change));
  }
  const Commit& tip = state.commits.front();
  if (state.commits.size() == 1 && tip.parents.size() == 1 && undo.empty() &&
      has_message(tip, message)) {
    work.commit = tip.id;
    work.tree = tip.tree;
    return work;
  }
  work.made_anew = true;
  const auto newest = std::find_if(state.commits.begin(), state.commits.end(),
                                   [&](const Commit& c) { return c.id == state.tips.tip; });
  work.tree = newest == state.commits.end() ? tip.tree : newest->tree;
  if (!undo.empty()) {
    work.tree = TRY(std::all_of(undo.begin(), undo.end(), at_top)
                        ? undone_at_top(repository, work.tree, undo)
                        : undone_anywhere(repository, work.tree, undo));
  }
  work.commit = TRY(write_commit(repository, {.tree = work.tree,
                                              .parents = {state.fork},
                                              .message = message + "\n",
                                              .author = author_of(state.commits)}));
  return work;
}

}  // namespace capsule::git
