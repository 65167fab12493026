// The merged files are tested before main moves, and held against main as it was.
#include "workspace/trial.h"

#include <algorithm>

#include "base/text.h"
#include "gate/clean_checkout.h"
#include "gate/gates.h"
#include "gate/guard.h"
#include "gate/judge.h"
#include "gate/self_running.h"
#include "gate/telltale.h"
#include "git/blob.h"
#include "git/branch.h"
#include "git/commit.h"
#include "git/snapshot.h"
#include "workspace/advice.h"

namespace capsule::workspace {
namespace {

using event::MergeRefusal;
using workflow::Merge;
using workflow::Merged;
using workflow::MergeRefused;

std::string failure_text(const gate::Verdict& verdict) {
  return verdict.name + " (" + verdict.command + "): " + describe(verdict) + "\n" + verdict.output;
}

// People are told that it is main that is looked at, and for whom.
gate::Watch::About about_main(const Merge& merge) {
  return {merge.task, workflow::CheckFor::health};
}

std::vector<gate::Changed> changes_of(const git::MergePlan& plan) {
  std::vector<gate::Changed> changes;
  for (const git::Change& change : plan.changes)
    changes.push_back({change.status, change.path, change.from});
  return changes;
}

}  // namespace

// Changes of what the checks mean that the task does not ask for; without files: none.
Result<MergeRefused> Merges::unasked_changes(const Merge& merge, const Planned& planned) const {
  MergeRefused refused{merge.tree, MergeRefusal::verify_failed, "", {"guard"}};
  const std::string &from = planned.plan.from, &to = planned.plan.commit;
  auto changed = TRY(gate::meaning_changes(changes_of(planned.plan), from, to,
                                           {merge.request, merge.allowed}, meaning_rules()));
  if (changed.unasked.empty()) return refused;
  for (const std::string& path : changed.unasked)
    refused.guard_stat += gate::line_stat(path, TRY(text_of_(from, path)), TRY(text_of_(to, path)));
  refused.detail = "It changes what the project's checks do, and the task does not ask for that: " +
                   short_list(changed.unasked) +
                   ". Put these files back as they are on the main branch.";
  refused.guarded = std::move(changed.unasked);
  return refused;
}

// What a person should know of the work although it may be merged.
Result<std::vector<event::Claim>> Merges::worth_a_look(const Trial& trial) const {
  const Planned& planned = trial.planned;
  std::vector<event::Claim> claims;
  const auto say = [&](const char* what, const std::vector<std::string>& where) {
    if (!where.empty()) claims.push_back({what, event::Verdict::differs, short_list(where)});
  };
  say("the tests that were there before are as they were", trial.rewritten.files);
  const bool by_name = trial.before && trial.before->tests;
  say("the code does not look at its tests",
      TRY(gate::telltales_in(changes_of(planned.plan), planned.plan.from, planned.plan.commit,
                             is_test_, text_of_, by_name ? &*trial.before->tests : nullptr)));
  return claims;
}

void Merges::try_merged(const std::shared_ptr<Trial>& trial) {
  const Merge& merge = trial->merge;
  const Planned& planned = trial->planned;
  if (merge.guarded) {
    const auto unasked = unasked_changes(merge, planned);
    if (!unasked) return trial->failed(unasked.error());
    if (!unasked->guarded.empty()) return trial->done(*unasked);
  }
  if (!checks_.any()) return judge_merged(trial);
  if (merge.test == Merge::Test::when_unseen && !planned.unseen && !seen_.runs_again()) {
    // The same files, under the id of another tree: who begins with this main need not test it.
    for (const std::string& name : checks_.names())
      if (const auto known = seen_.find({merge.signed_off, true}, name)) {
        seen_.keep({planned.plan.tree, true}, *known);
        trial->earlier.push_back(gate::run_of(*known, true, true));
      }
    return judge_merged(trial);
  }
  // What this process tried before it asked a person need not be run again.
  std::vector<std::string> names;
  for (const std::string& name : checks_.names()) {
    auto known = merge.edited ? seen_.find({planned.plan.tree, true}, name) : std::nullopt;
    if (known && known->ending == gate::Ending::passed)
      trial->verdicts.push_back(*std::move(known));
    else
      names.push_back(name);
  }
  if (names.empty()) {
    for (const gate::Verdict& verdict : trial->verdicts)
      trial->earlier.push_back(gate::run_of(verdict, true, true));
    trial->verdicts.clear();
    return judge_merged(trial);
  }
  gate::run_clean(
      trees_.repository(), checks_, planned.plan.commit, names,
      [this, trial](const Result<std::vector<gate::Verdict>>& verdicts) {
        if (!verdicts) return trial->failed(verdicts.error());
        trial->verdicts.insert(trial->verdicts.end(), verdicts->begin(), verdicts->end());
        const gate::Files main{trial->planned.plan.from, true};
        trial->before = seen_.find(main, gate::kTest);
        const bool by_name =
            std::any_of(verdicts->begin(), verdicts->end(),
                        [](const gate::Verdict& verdict) { return verdict.tests.has_value(); });
        if (trial->before || !by_name) return judge_merged(trial);
        const gate::Watch::Scope scope(checks_.watch(), about_main(trial->merge));
        gate::run_clean(trees_.repository(), checks_, main.id, {std::string(gate::kTest)},
                        [this, trial, main](const auto& before) {
                          if (!before) return trial->failed(before.error());
                          trial->before = before->front();
                          seen_.put(main, before->front());
                          judge_merged(trial);
                        });
      });
}

void Merges::judge_merged(const std::shared_ptr<Trial>& trial) {
  const Merge& merge = trial->merge;
  const git::MergePlan& plan = trial->planned.plan;
  auto rewritten =
      gate::rewritten_tests(changes_of(plan), plan.from, plan.commit, is_test_, text_of_);
  if (!rewritten) return trial->failed(rewritten.error());
  trial->rewritten = *std::move(rewritten);
  const auto claims = merge.guarded ? worth_a_look(*trial) : Result<std::vector<event::Claim>>();
  if (!claims) return trial->failed(claims.error());
  auto self_running = gate::self_running(plan.changes, plan.from, plan.commit, text_of_);
  if (!self_running) return trial->failed(self_running.error());
  MergeRefused refused{merge.tree, MergeRefusal::verify_failed, "", {}};
  std::string failures;
  std::vector<std::string> tolerated;
  event::TestEvidence evidence;
  const auto refuse = [&](const gate::Verdict& verdict, const std::string& text) {
    refused.failed.push_back(verdict.name);
    failures += (failures.empty() ? "" : "\n\n") + text;
  };
  for (const gate::Verdict& verdict : trial->verdicts) {
    const bool passed = verdict.ending == gate::Ending::passed;
    const bool known =
        std::find(merge.known.begin(), merge.known.end(), verdict.name) != merge.known.end();
    const bool by_name = verdict.tests && trial->before && trial->before->tests;
    if (by_name && (passed || (known && verdict.ending == gate::Ending::failed))) {
      const gate::Regress regress = gate::regress_of(*trial->before, verdict, known,
                                                     trial->rewritten.vanished, merge.request);
      evidence = gate::evidence_in(regress, false);
      if (!regress.problem.empty())
        refuse(verdict, regress.problem + "\n" + failure_text(verdict));
      else if (!passed)
        tolerated.push_back(verdict.name);
      continue;
    }
    if (passed && verdict.name == gate::kTest && trial->before && trial->before->tests) {
      refuse(verdict, "The test command passes, but it no longer says which tests it ran.\n" +
                          failure_text(verdict));
      continue;
    }
    if (passed) continue;
    if (known)
      tolerated.push_back(verdict.name);
    else
      refuse(verdict, failure_text(verdict));
  }
  if (!refused.failed.empty()) {
    TreeText text = trees_.text_of(merge.tree);
    text.main = plan.main_ref.substr(std::string_view("refs/heads/").size());
    refused.detail = merged_files_fail(text, failures);
    return blame(trial, std::move(refused));
  }
  std::vector<event::CheckRun> runs = trial->earlier;
  for (const gate::Verdict& verdict : trial->verdicts)
    runs.push_back(gate::run_of(verdict, true, false));
  if (merge.into == Merge::Into::nowhere) {
    for (const gate::Verdict& verdict : trial->verdicts) seen_.put({plan.tree, true}, verdict);
    workflow::MergeTried tried{merge.tree, "", plan.from, {}, std::move(runs)};
    tried.self_running = *std::move(self_running);
    tried.folder = trees_.folder_of(merge.tree).value_or("");
    for (const git::Change& change : plan.changes) tried.files.push_back(change.path);
    return trial->done(std::move(tried));
  }
  auto published = merge.into == Merge::Into::branch ? put_on_branch(merge, trial->planned)
                                                     : publish(merge, trial->planned);
  if (!published) return trial->failed(published.error());
  if (auto* merged = std::get_if<Merged>(&*published)) {
    merged->failed = std::move(tolerated);
    merged->evidence = evidence;
    merged->runs = std::move(runs);
    merged->claims = *claims;
    merged->self_running = *std::move(self_running);
    for (const gate::Verdict& verdict : trial->verdicts) {
      seen_.put({plan.commit, true}, verdict);
      seen_.keep({plan.tree, true}, verdict);
    }
  }
  trial->done(*std::move(published));
}

// Whether the command failed on what the work began with, which is then nobody's news.
bool Merges::failed_before(const Merge& merge, const std::string& name) {
  if (std::find(merge.known.begin(), merge.known.end(), name) != merge.known.end()) return true;
  const std::string base = merge.base.empty() ? trees_.base_of(merge.tree) : merge.base;
  if (base.empty()) return false;
  auto known = seen_.find({base, true}, name);
  if (!known)
    if (const auto tree = git::tree_of(trees_.repository(), base))
      known = seen_.recall({*tree, true}, name);
  return known && known->ending != gate::Ending::passed;
}

void Merges::blame(const std::shared_ptr<Trial>& trial, MergeRefused refused) {
  // The work began with this very main: nobody has changed it since.
  if (!trial->planned.plan.main_moved) return trial->done(std::move(refused));
  const gate::Files main{trial->planned.plan.from, true};
  std::vector<std::string> unknown;
  std::vector<std::string> asked;
  for (const std::string& name : refused.failed)
    if (!failed_before(trial->merge, name)) asked.push_back(name);
  for (const std::string& name : asked)
    if (!seen_.find(main, name)) unknown.push_back(name);
  const auto judge = [this, trial, main, refused,
                      asked](const Result<std::vector<gate::Verdict>>& ran) {
    if (!ran) return trial->failed(ran.error());
    std::vector<gate::Verdict> red;
    for (const std::string& name : asked) {
      auto verdict = seen_.find(main, name);
      for (const gate::Verdict& one : *ran)
        if (one.name == name) verdict = one;
      if (verdict && verdict->ending != gate::Ending::passed) red.push_back(*std::move(verdict));
    }
    trial->done(red.empty() ? refused : main_red(*trial, red));
  };
  if (unknown.empty()) return judge(std::vector<gate::Verdict>());
  const gate::Watch::Scope scope(checks_.watch(), about_main(trial->merge));
  gate::run_clean(trees_.repository(), checks_, main.id, unknown,
                  [this, main, judge](const Result<std::vector<gate::Verdict>>& verdicts) {
                    if (verdicts)
                      for (const gate::Verdict& verdict : *verdicts) seen_.put(main, verdict);
                    judge(verdicts);
                  });
}

MergeRefused Merges::main_red(const Trial& trial, const std::vector<gate::Verdict>& red) {
  constexpr int kMostCommits = 100;
  RedMain words;
  words.main = trial.planned.plan.from;
  MergeRefused refused{trial.merge.tree, MergeRefusal::main_red, "", {}};
  refused.main = words.main;
  for (const gate::Verdict& verdict : red) {
    refused.failed.push_back(verdict.name);
    words.failures += (words.failures.empty() ? "" : "\n\n") + failure_text(verdict);
  }
  // The newest commit that is known to pass; the one after it is where it began.
  const auto passes = [&](const git::Commit& commit) {
    return std::all_of(red.begin(), red.end(), [&](const gate::Verdict& verdict) {
      auto known = seen_.find({commit.id, true}, verdict.name);
      if (!known) known = seen_.recall({commit.tree, true}, verdict.name);
      return known && known->ending == gate::Ending::passed;
    });
  };
  if (const auto commits = git::first_parents(trees_.repository(), words.main, kMostCommits)) {
    std::size_t at = 0;
    while (at < commits->size() && !passes((*commits)[at])) ++at;
    const git::Commit* since = commits->empty() ? nullptr : &commits->front();
    if (at > 0 && at < commits->size()) {
      since = &(*commits)[at - 1];
      words.since = since->id;
      words.passed = (*commits)[at].id;
      words.later = at - 1;
    }
    if (since != nullptr) words.since_title = since->message.substr(0, since->message.find('\n'));
  }
  TreeText text = trees_.text_of(trial.merge.tree);
  text.main = trial.planned.plan.main_ref.substr(std::string_view("refs/heads/").size());
  refused.detail = main_is_red(text, words);
  return refused;
}

}  // namespace capsule::workspace
