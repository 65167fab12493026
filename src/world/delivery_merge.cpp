// The merge queue and the checks of a delivery: a task's work is merged on the newest main, the
// project's checks run on the merged files, and only then main moves, by compare-and-swap.
#include <algorithm>

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "git/remove_tree.h"
#include "git/snapshot.h"
#include "world/delivery_world.h"

namespace capsule::world {
namespace {

using event::delivery::MergeRefusal;
using event::delivery::VerifyFinished;
using event::delivery::VerifyPurpose;

// Main may be moved by others while we merge; every try merges anew on the newest main.
constexpr int kMergeTries = 20;

std::string told(const Error& error) {
  return error.message + (error.hint.empty() ? "" : "\n" + error.hint);
}

std::string told(const gate::FailedCheck& failed) {
  return failed.name + " (" + failed.verdict.command + "): " + describe(failed.verdict) + "\n" +
         failed.verdict.tail;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += "- " + printable(name) + "\n";
  return text;
}

}  // namespace

void DeliveryHands::refuse(const std::string& task, MergeRefusal why, std::string detail) {
  happened(event::delivery::MergeRefused{task, why, std::move(detail)});
}

void DeliveryHands::merge(const std::string& task, const std::string& title) {
  try_merge(task, title, kMergeTries);
}

void DeliveryHands::try_merge(const std::string& task, const std::string& title, int tries) {
  if (tries == 0)
    return refuse(task, MergeRefusal::error, "main was moved by others again and again");
  const auto tried = trees_.plan_merge(task, title);
  if (!tried) return refuse(task, MergeRefusal::error, told(tried.error()));
  if (const auto* done = std::get_if<workspace::MergedAlready>(&*tried)) {
    happened(event::delivery::MergeDone{task, done->commit, {}, !done->nothing});
    return;
  }
  if (const auto* conflict = std::get_if<workspace::MergeConflict>(&*tried))
    return refuse(task, MergeRefusal::conflict,
                  "The work conflicts with the newest main branch in:\n" + listed(conflict->files));
  const auto& planned = std::get<workspace::PlannedMerge>(*tried);
  check(planned.plan.commit, [this, task, title, tries, planned](const auto& failures) {
    if (interrupt_.requested()) return;
    if (!failures) return refuse(task, MergeRefusal::error, told(failures.error()));
    std::string detail;
    for (const gate::FailedCheck& failed : *failures)
      if (!baseline_.contains(failed.name)) detail += told(failed) + "\n\n";
    if (!detail.empty())
      return refuse(task, MergeRefusal::verify_failed,
                    "The checks fail on the files as they are after the merge:\n\n" + detail);
    const auto published = trees_.publish(planned);
    if (!published) return refuse(task, MergeRefusal::error, told(published.error()));
    switch (published->outcome) {
      case git::Publishing::main_moved:
        return try_merge(task, title, tries - 1);
      case git::Publishing::in_the_way:
        return refuse(task, MergeRefusal::refused,
                      "The merge would overwrite files in " + printable(published->checkout) +
                          ":\n" + listed(published->in_the_way));
      case git::Publishing::done:
        break;
    }
    happened(event::delivery::MergeDone{task, planned.plan.commit, planned.files, false});
  });
}

bool DeliveryHands::failed_before(const std::vector<std::string>& failures) const {
  return std::all_of(failures.begin(), failures.end(),
                     [&](const std::string& name) { return baseline_.contains(name); });
}

// All of the project's checks in a clean checkout of a commit.
void DeliveryHands::check(const std::string& commit, gate::BackgroundChecks::Done done) {
  if (!checks_.any()) return done(std::vector<gate::FailedCheck>());
  const std::string folder = project_.root() + "/.capsule/tmp/" + random_hex(6);
  const auto made = [&]() -> Result<void> {
    TRY_VOID(make_folders(project_.root() + "/.capsule/tmp"));
    return git::restore_snapshot(project_.repository, commit, folder);
  }();
  if (!made) return done(tl::unexpected(made.error()));
  checks_.start(folder, [folder, done = std::move(done)](const auto& failures) {
    (void)git::remove_tree(folder);
    done(failures);
  });
}

void DeliveryHands::verify(VerifyPurpose purpose, const delivery::State& state) {
  const auto answer = [this, purpose](const Result<std::vector<gate::FailedCheck>>& failures) {
    if (interrupt_.requested()) return;
    VerifyFinished fact;
    fact.purpose = purpose;
    if (!checks_.any()) {
      fact.detail = "no checks are set (verify.test, verify.lint, …), so merges are not checked";
    } else if (!failures) {
      fact.failures = {"checks"};
      fact.detail = told(failures.error());
    } else {
      for (const gate::FailedCheck& failed : *failures) {
        fact.failures.push_back(failed.name);
        fact.detail += told(failed) + "\n\n";
      }
    }
    const bool healthy = purpose == VerifyPurpose::health && failed_before(fact.failures);
    if (healthy) done_with_.push_back("+remediation-" + std::to_string(remediation_round_));
    if (healthy || purpose == VerifyPurpose::baseline)
      baseline_ = {fact.failures.begin(), fact.failures.end()};
    happened(fact);
  };
  const auto broken = [this, purpose](const Error& error) {
    happened(VerifyFinished{purpose, {"repository"}, told(error)});
  };
  if (purpose == VerifyPurpose::baseline) {
    if (!checks_.any()) return answer(std::vector<gate::FailedCheck>());
    const auto main = trees_.main_commit();
    return main ? check(*main, answer) : broken(main.error());
  }
  // Health: what remediation made, merged on the newest main. It lands when all checks pass
  // that passed at the start.
  const std::string tree = "+remediation-" + std::to_string(state.remediation.round);
  if (!trees_.has(tree)) {
    const auto main = trees_.main_commit();
    return main ? check(*main, answer) : broken(main.error());
  }
  const auto tried = trees_.plan_merge(tree, "Remediation");
  if (!tried) return broken(tried.error());
  if (const auto* conflict = std::get_if<workspace::MergeConflict>(&*tried)) {
    happened(VerifyFinished{
        purpose,
        {"merge"},
        "The repair conflicts with the newest main branch in:\n" + listed(conflict->files)});
    return;
  }
  if (const auto* done = std::get_if<workspace::MergedAlready>(&*tried))
    return check(done->commit, answer);
  const auto& planned = std::get<workspace::PlannedMerge>(*tried);
  check(planned.plan.commit, [this, answer, broken, planned](const auto& failures) {
    if (!failures || interrupt_.requested()) return answer(failures);
    std::vector<std::string> names;
    for (const gate::FailedCheck& failed : *failures) names.push_back(failed.name);
    if (!failed_before(names)) return answer(failures);
    const auto published = trees_.publish(planned);
    if (!published) return broken(published.error());
    if (published->outcome == git::Publishing::done) return answer(failures);
    happened(VerifyFinished{VerifyPurpose::health,
                            {"merge"},
                            published->outcome == git::Publishing::main_moved
                                ? "The main branch was moved by others meanwhile"
                                : "The repair would overwrite files in " +
                                      printable(published->checkout) + ":\n" +
                                      listed(published->in_the_way)});
  });
}

}  // namespace capsule::world
