// What agents find in their worktrees and what they leave there: the newest main where they were
// told of it, conflicts that are still open, and writes of those who may only look.
#include "base/files.h"
#include "base/text.h"
#include "git/command.h"
#include "world/delivery_world.h"

namespace capsule::world {
namespace {

using event::delivery::AgentFinished;
using event::delivery::Fault;
using event::delivery::Why;
using signal::Role;
using signal::Signal;

// They may change their worktree; all others only look at it.
bool writes(Role role) { return role == Role::developer || role == Role::remediation; }

// What the agent waited for is on main, so it has to be in its worktree too.
bool tells_of_main(Why why) {
  return why == Why::merge_failed || why == Why::remediated || why == Why::dependency_done ||
         why == Why::file_free;
}

// Files with conflict markers as a merge of main leaves them: with the ids of its two sides.
Result<std::vector<std::string>> marked_files(const git::Repository& repository,
                                              const std::string& folder) {
  const git::Call call{.args = {"grep", "--no-index", "--exclude-standard", "-l", "-z", "-I", "-E",
                                "-e", "^<<<<<<< [0-9a-f]{40}", "--", "."},
                       .work_tree = folder};
  const git::Answer answer = TRY(git::ask(repository, call));
  if (answer.code > 1) return tl::unexpected(git::git_failed(call, answer));
  std::vector<std::string> files;
  for (const std::string_view name : split(answer.out, '\0'))
    if (!name.empty()) files.emplace_back(name);
  return files;
}

}  // namespace

// Names that are no task ids, so that no task can have them.
std::string DeliveryHands::tree_of(const delivery::StartAgent& start) const {
  if (!start.task.empty()) return start.task;
  if (start.role == Role::plan_analyst) return "+analysis";
  return "+remediation-" + std::to_string(remediation_round_);
}

Result<std::string> DeliveryHands::prepare(const delivery::StartAgent& start,
                                           const std::string& tree) {
  const bool was_there = trees_.has(tree);
  const std::string folder = TRY(trees_.open(tree));
  // The first look of a process that took the delivery up: what a writer left half done is kept
  // and gone on with; what a reader may have written is taken back.
  if (taken_up_ && was_there && seen_trees_.insert(tree).second) {
    if (writes(start.role))
      TRY_VOID(trees_.keep(tree, std::string(signal::name_of(start.role)) + "-unfinished"));
    else
      TRY_VOID(trees_.take_back(tree, signal::name_of(start.role)));
    add_conflicts(tree, TRY(marked_files(project_.repository, folder)));
  }
  if (tells_of_main(start.why) && was_there && !start.task.empty()) {
    const workspace::BroughtIn in = TRY(
        trees_.bring_main_in(tree, start.role == Role::developer ? workspace::Conflicts::mark
                                                                 : workspace::Conflicts::leave));
    if (in.moved) add_conflicts(tree, in.conflicts);
  }
  return folder;
}

// What the agent left: kept when it may write, taken back when it may not.
Result<void> DeliveryHands::settle_tree(const Running& running, AgentFinished& fact) {
  const std::string role(signal::name_of(running.start.role));
  if (!writes(running.start.role)) {
    const std::vector<std::string> paths = TRY(trees_.take_back(running.tree, role));
    if (paths.empty()) return {};
    fact.wrote = true;
    fact.detail += (fact.detail.empty() ? "" : "; ") + std::string("may not write, and changed ") +
                   printable(paths.front()) + (paths.size() > 1 ? " and others" : "") +
                   ", which was taken back";
    return {};
  }
  TRY_VOID(trees_.keep(running.tree, role));
  fact.snapshot = trees_.snapshots_of(running.tree);
  if (fact.fault != Fault::none || fact.signal != Signal::ready_for_review) return {};
  const std::vector<std::string> left = unresolved(running.tree, running.folder);
  if (left.empty()) return {};
  fact.fault = Fault::refuted;
  fact.detail = "there are still conflict markers in " + printable(left.front());
  return {};
}

void DeliveryHands::add_conflicts(const std::string& tree, const std::vector<std::string>& files) {
  conflicts_[tree].insert(files.begin(), files.end());
}

// Of the files that conflicted with main, those that still have markers.
std::vector<std::string> DeliveryHands::unresolved(const std::string& task,
                                                   const std::string& folder) {
  std::vector<std::string> left;
  const auto found = conflicts_.find(task);
  if (found == conflicts_.end()) return left;
  for (const std::string& path : found->second) {
    const std::string text = "\n" + read_file_beneath(folder, path).value_or("");
    if (text.find("\n<<<<<<< ") != text.npos && text.find("\n>>>>>>> ") != text.npos)
      left.push_back(path);
  }
  return left;
}

// Worktrees go when the facts that make them superfluous are recorded; their snapshots stay.
void DeliveryHands::clean_up() {
  for (const std::string& tree : std::exchange(done_with_, {}))
    if (trees_.has(tree)) (void)trees_.remove(tree);
}

}  // namespace capsule::world
