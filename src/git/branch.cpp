#include "git/branch.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "git/command.h"
#include "git/diff.h"
#include "git/exclusion.h"
#include "git/refs.h"

namespace capsule::git {
namespace {

constexpr std::string_view kHeads = "refs/heads/";

// `base` and what is below it, as far as main does not have it.
std::vector<std::string> before_the_run(const std::vector<Commit>& commits,
                                        const std::string& base) {
  std::map<std::string_view, const Commit*> known;
  for (const Commit& commit : commits) known.emplace(commit.id, &commit);
  std::vector<std::string> found;
  std::set<std::string> seen;
  std::vector<std::string> open{base};
  while (!open.empty()) {
    const std::string id = std::move(open.back());
    open.pop_back();
    const auto it = known.find(id);
    if (it == known.end() || !seen.insert(id).second) continue;
    found.push_back(id);
    for (const std::string& parent : it->second->parents) open.push_back(parent);
  }
  return found;
}

// Only a merge commit can be Capsule's: an agent may write the trailer into its own commits.
bool is_merge_of(const Commit& commit, const std::string& run) {
  return commit.parents.size() == 2 && has_run_trailer(commit.message, run);
}

// Where main may be, the likeliest first.
std::vector<std::string> candidates_for(const std::string& configured_main) {
  if (configured_main.empty()) return {"refs/heads/main", "refs/heads/master"};
  return {(configured_main.starts_with(kHeads) ? "" : std::string(kHeads)) + configured_main};
}

}  // namespace

std::string main_ref_of(const Repository& repository, const std::string& configured_main) {
  const std::vector<std::string> candidates = candidates_for(configured_main);
  for (const std::string& candidate : candidates)
    if (!read_ref(repository, candidate).empty()) return candidate;
  return candidates.front();
}

Result<Tips> find_tips(const Repository& repository, const std::string& configured_main,
                       const std::string& branch) {
  const std::vector<std::string> candidates = candidates_for(configured_main);
  std::vector<std::string> wanted = candidates;
  Tips tips;
  tips.branch_ref = std::string(kHeads) + branch;
  if (!branch.empty()) wanted.push_back(tips.branch_ref);
  const auto found = TRY(resolve_refs(repository, wanted));
  for (const std::string& candidate : candidates) {
    const auto it = found.find(candidate);
    if (it == found.end() || !tips.main_ref.empty()) continue;
    tips.main_ref = it->first;
    tips.main = it->second;
  }
  if (tips.main_ref.empty()) {
    return configured_main.empty()
               ? fail(Reason::not_found,
                      printable(repository.top) + " has no branch called main or master",
                      "name the branch to merge into as main_branch in .capsule/config.yaml")
               : fail(Reason::not_found,
                      "there is no branch called " + printable(configured_main) + " in " +
                          printable(repository.top),
                      "correct main_branch in the configuration, or create the branch");
  }
  if (const auto it = found.find(tips.branch_ref); it != found.end()) tips.tip = it->second;
  return tips;
}

Result<BranchState> branch_state(const Repository& repository, const Tips& tips,
                                 const std::string& base, const std::string& run) {
  BranchState state;
  state.tips = tips;
  std::vector<std::string> boundary;
  bool main_has_more = false;
  for (Commit& commit : parse_commits(
           TRY(tell(repository, {.args = {"rev-list", "--header", "--left-right", "--boundary",
                                          tips.main + "..." + tips.tip, "--"}})))) {
    if (commit.side == '-') boundary.push_back(commit.id);
    if (commit.side == '<') {
      main_has_more = true;
      if (is_merge_of(commit, run)) state.merges.push_back(commit);
    }
    if (commit.side == '>') state.commits.push_back(std::move(commit));
  }
  if (!state.merges.empty()) state.merged_as = state.merges.front().id;
  if (!main_has_more) {
    state.fork = tips.main;
  } else if (state.commits.empty()) {
    state.fork = tips.tip;
  } else if (boundary.size() == 1) {
    state.fork = boundary.front();
  } else {
    // Several meeting points: git knows which one is the newest.
    const Answer answer = TRY(ask(repository, {.args = {"merge-base", tips.main, tips.tip}}));
    if (answer.code != 0) {
      return fail(Reason::refused, printable(tips.branch_ref) + " and " + printable(tips.main_ref) +
                                       " have no common history");
    }
    state.fork = trimmed(answer.out);
  }
  if (!base.empty()) state.foreign = before_the_run(state.commits, base);
  return state;
}

Result<bool> brings(const Repository& repository, const Commit& merge, const std::string& tip,
                    const std::vector<std::string>& exclude) {
  if (merge.parents.size() != 2) return false;
  const std::string& work = merge.parents[1];
  const Answer merged =
      TRY(ask(repository,
              {.args = {"merge-tree", "--write-tree", "--no-messages", merge.parents[0], work}}));
  if (merged.code != 0 || trimmed(merged.out) != merge.tree) return false;
  if (work == tip) return true;
  const std::vector<Change> changes = TRY(diff_trees(repository, work, tip, Renames::ignored));
  return std::all_of(changes.begin(), changes.end(),
                     [&](const Change& change) { return is_excluded(change.path, exclude); });
}

Result<std::string> find_merge(const Repository& repository, const std::string& main,
                               const std::string& base, const std::string& run) {
  for (const Commit& commit : parse_commits(
           TRY(tell(repository, {.args = {"rev-list", "--header", main, "^" + base, "--"}})))) {
    if (is_merge_of(commit, run)) return commit.id;
  }
  return std::string();
}

Result<std::vector<Commit>> first_parents(const Repository& repository, const std::string& tip,
                                          int most) {
  return parse_commits(
      TRY(tell(repository, {.args = {"rev-list", "--header", "--first-parent",
                                     "--max-count=" + std::to_string(most), tip, "--"}})));
}

}  // namespace capsule::git
