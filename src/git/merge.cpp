#include "git/merge.h"

#include "base/text.h"
#include "git/checkout.h"
#include "git/command.h"
#include "git/commit.h"
#include "git/lock.h"
#include "git/refs.h"

namespace capsule::git {
namespace {

constexpr int kForwardTries = 10;

// merge-tree prints the tree and, when there are conflicts, the names of their files.
Result<void> merge_trees(const Repository& repository, const std::string& work, MergePlan& plan) {
  const Call call{.args = {"merge-tree", "--write-tree", "-z", "--name-only", "--no-messages",
                           plan.from, work}};
  const Answer answer = TRY(ask(repository, call));
  if (answer.code > 1) return tl::unexpected(git_failed(call, answer));
  const std::vector<std::string_view> parts = split(answer.out, '\0');
  plan.tree = trimmed(parts.front());
  if (answer.code == 0) return {};
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (!parts[i].empty()) plan.conflicts.emplace_back(parts[i]);
  }
  if (plan.conflicts.empty()) return tl::unexpected(git_failed(call, answer));
  return {};
}

// Somebody may have moved main under the checkout: then it goes all the way.
Result<Forwarded> bring_along(const Repository& repository, const Checkout& checkout,
                              const MergePlan& plan) {
  const std::string shown = TRY(shown_in(repository, checkout, plan.from));
  if (shown == plan.from)
    return forward_checkout(repository, checkout, plan.from, plan.commit, plan.changes);
  return forward_checkout(repository, checkout, shown, plan.commit,
                          TRY(diff_trees(repository, shown, plan.commit, Renames::ignored)));
}

}  // namespace

Result<bool> has_all_of(const Repository& repository, const std::string& commit,
                        const std::string& older) {
  const Call call{.args = {"merge-base", "--is-ancestor", older, commit}};
  const Answer answer = TRY(ask(repository, call));
  if (answer.code > 1) return tl::unexpected(git_failed(call, answer));
  return answer.code == 0;
}

Result<MergePlan> plan_merge(const Repository& repository, const BranchState& state,
                             const WorkCommit& work, const std::string& message) {
  MergePlan plan;
  plan.main_ref = state.tips.main_ref;
  plan.from = state.tips.main;
  plan.main_moved = state.fork != plan.from;
  if (plan.main_moved) {
    TRY_VOID(merge_trees(repository, work.commit, plan));
    if (!plan.conflicts.empty()) return plan;
    plan.changes = TRY(diff_trees(repository, plan.from, plan.tree, Renames::ignored));
  } else {
    plan.tree = work.tree;
    plan.changes = work.changes;
  }
  plan.commit = TRY(write_commit(
      repository, {.tree = plan.tree, .parents = {plan.from, work.commit}, .message = message}));
  return plan;
}

Result<Published> publish_merge(const Repository& repository, const MergePlan& plan) {
  const RepositoryLock lock = TRY(RepositoryLock::take(repository));
  Published published;
  // Found before a checkout is touched; the swap below decides.
  if (const std::string now = read_ref(repository, plan.main_ref);
      !now.empty() && now != plan.from) {
    published.outcome = Publishing::main_moved;
    return published;
  }
  std::vector<Checkout> moved;
  const auto move_back = [&] {
    for (const Checkout& checkout : moved)
      back_checkout(repository, checkout, plan.commit, plan.from);
  };
  // The checkouts first: should we die between the two, the user finds the merge's files staged,
  // and the next attempt finds them in place. The other way round, main would have moved under a
  // checkout whose next commit takes the merge back.
  for (const Checkout& checkout : checkouts_of(repository, plan.main_ref)) {
    Result<Forwarded> done = bring_along(repository, checkout, plan);
    if (!done || !done->in_the_way.empty()) {
      move_back();
      if (!done) return tl::unexpected(done.error());
      published.outcome = Publishing::in_the_way;
      published.checkout = checkout.top;
      published.in_the_way = std::move(done->in_the_way);
      return published;
    }
    moved.push_back(checkout);
    for (std::string& path : done->kept) published.kept.push_back(std::move(path));
  }
  const Result<bool> swapped =
      move_ref(repository, plan.main_ref, plan.from, plan.commit, "capsule: merge");
  if (!swapped || !*swapped) move_back();
  if (!swapped) return tl::unexpected(swapped.error());
  if (!*swapped) {
    published.outcome = Publishing::main_moved;
    return published;
  }
  for (const Checkout& checkout : moved) note_move(repository, checkout, plan.from, plan.commit);
  return published;
}

Result<Published> look_ahead(const Repository& repository, const MergePlan& plan) {
  const RepositoryLock lock = TRY(RepositoryLock::take(repository));
  Published published;
  for (const Checkout& checkout : checkouts_of(repository, plan.main_ref)) {
    const std::string shown = TRY(shown_in(repository, checkout, plan.from));
    published.in_the_way = TRY(checkout_blockers(
        repository, checkout, shown, plan.commit,
        shown == plan.from ? plan.changes
                           : TRY(diff_trees(repository, shown, plan.commit, Renames::ignored))));
    if (published.in_the_way.empty()) continue;
    published.outcome = Publishing::in_the_way;
    published.checkout = checkout.top;
    break;
  }
  return published;
}

Result<Published> forward_main(const Repository& repository, const std::string& main_ref,
                               const std::string& commit) {
  MergePlan plan;
  plan.main_ref = main_ref;
  plan.commit = commit;
  // Others may move it meanwhile, forward too.
  for (int tries = 0; tries < kForwardTries; ++tries) {
    plan.from = read_ref(repository, main_ref);
    if (plan.from == commit || TRY(has_all_of(repository, plan.from, commit))) return Published{};
    if (!TRY(has_all_of(repository, commit, plan.from)))
      return fail(Reason::refused, printable(main_ref) + " has commits here that were not shared");
    plan.changes = TRY(diff_trees(repository, plan.from, commit, Renames::ignored));
    const Published published = TRY(publish_merge(repository, plan));
    if (published.outcome != Publishing::main_moved) return published;
  }
  return Published{.outcome = Publishing::main_moved};
}

}  // namespace capsule::git
