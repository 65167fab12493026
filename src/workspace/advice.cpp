#include "workspace/advice.h"

#include "base/files.h"
#include "base/text.h"

namespace capsule::workspace {
namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += "- " + printable(name) + "\n";
  return text;
}

// Agents of auto mode commit nothing, and git does not merge over what is not committed.
std::string how_to_merge(const TreeText& tree, const std::string& task) {
  return "merge it there: cd " + shell_word(tree.folder) +
         " && git add -A && git commit --allow-empty -m work && git merge " +
         shell_word(tree.main) + "\n" + task +
         ", then: git add -A && git commit --allow-empty -m work && cd " +
         shell_word(tree.project) + " && capsule auto continue";
}

}  // namespace

Error tree_exists(const TreeText& tree) {
  return {Reason::exists, "worktree " + printable(tree.folder) + " already exists",
          tree.advice == Advice::bead
              ? "'capsule status " + tree.name +
                    "' says what it is; --resume goes on with it, --clean starts over"
              : "move it away"};
}

Error tree_gone(const TreeText& tree) {
  return {Reason::not_found,
          "the worktree " + printable(tree.folder) + " is gone" +
              (exists(tree.folder) ? ": something else is in its place" : ""),
          tree.advice == Advice::bead
              ? "the work of finished phases is kept; bring it back and go on: capsule run " +
                    tree.name + " --resume"
              : "what it held is kept as " + tree.snapshots + "/…"};
}

Error tree_vanished(const TreeText& tree) {
  return {Reason::damaged,
          "the worktree " + printable(tree.folder) +
              " was removed while the run went on. The run has stopped here; what finished steps "
              "left there is kept as snapshots, " +
              tree.snapshots + "/…",
          "start the same command again: the run brings it back from them and goes on where it "
          "was"};
}

std::string nothing_to_merge(const TreeText& tree) {
  return "there is nothing to merge: the branch " + tree.branch + " has no commit beyond " +
         tree.main + "\ncommit the work in " + tree.folder + ", then: capsule merge " + tree.name;
}

std::string foreign_commits(const TreeText& tree, std::size_t count) {
  return "the merge would bring " + counted(count, "commit") +
         " to main that the run did not make (the worktree was made from another branch)\n"
         "merge that branch first, then: capsule merge " +
         tree.name;
}

std::string merge_conflict(const TreeText& tree, const std::vector<std::string>& files) {
  if (tree.advice == Advice::plan)
    return "The work conflicts with the newest main branch in:\n" + listed(files);
  const std::string what = "conflict with " + tree.main + " in " + short_list(files) + "\n";
  if (tree.advice == Advice::auto_run) return what + how_to_merge(tree, "resolve it");
  return what + "resolve it there, and commit: cd " + shell_word(tree.folder) + " && git merge " +
         tree.main + "\nthen: capsule merge " + tree.name;
}

std::string work_missing(const TreeText& tree, const std::vector<std::string>& files) {
  return "the commit lacks what was signed off: " + short_list(files) + "\ncommit it in " +
         shell_word(tree.folder) + ", or have the work signed off as it is, then: capsule merge " +
         tree.name;
}

std::string spoilt_after_sign_off(const TreeText& tree, const std::vector<std::string>& files) {
  return "the commit changes tests, or what the checks do, after sign-off: " + short_list(files) +
         "\nput them back in " + shell_word(tree.folder) +
         ", or have the work signed off as it is, then: capsule merge " + tree.name;
}

std::string merged_files_fail(const TreeText& tree, const std::string& failures) {
  if (tree.advice == Advice::plan)
    return "The checks fail on the files as they are after the merge:\n\n" + failures + "\n\n";
  const std::string text =
      "the checks fail on the merged files, which nobody has tested yet\n" + failures;
  return tree.advice == Advice::bead ? text : text + "\n" + how_to_merge(tree, "fix it");
}

std::string main_is_red(const TreeText& tree, const RedMain& red) {
  constexpr std::size_t kShort = 12, kTitle = 80;
  const std::string& since = red.since.empty() ? red.main : red.since;
  std::string text = "the checks fail on " + tree.main +
                     " itself, without this work, which is not to blame: " + tree.main +
                     " is red since " + since.substr(0, kShort);
  if (!red.since_title.empty()) text += " (" + printable(cut(red.since_title, kTitle)) + ")";
  if (red.later > 0) text += ", or " + counted(red.later, "commit") + " after it";
  if (red.since.empty())
    text += " at the latest";
  else
    text += "; " + red.passed.substr(0, kShort) + " before it passed";
  text += "\nnothing was merged";
  if (tree.advice == Advice::plan) return text + "\n\n" + red.failures + "\n";
  return text + ", and the work is kept; once " + tree.main + " is mended: " +
         (tree.advice == Advice::bead ? "capsule merge " + tree.name : "capsule auto continue") +
         "\n\n" + red.failures;
}

std::string in_the_way(const TreeText& tree, const std::string& checkout,
                       const std::vector<std::string>& files) {
  if (tree.advice == Advice::plan)
    return "The merge would overwrite files in " + printable(checkout) + ":\n" + listed(files);
  return "the merge would overwrite files in " + printable(checkout) + ": " + short_list(files) +
         "\ncommit or move them, then" +
         (tree.advice == Advice::bead ? " merge again" : ": capsule auto continue");
}

}  // namespace capsule::workspace
