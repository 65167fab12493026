// The merged files are tested before main moves, and held against main as it was.
#include "workspace/trial.h"

#include <algorithm>

#include "base/text.h"
#include "gate/clean_checkout.h"
#include "gate/gates.h"
#include "gate/guard.h"
#include "gate/judge.h"
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

Result<std::string> text_in(const git::Repository& repository, const std::string& commit,
                            const std::string& path) {
  auto text = git::read_blob(repository, commit, path);
  if (!text && text.error().reason == Reason::not_found) return std::string();
  return text;
}

}  // namespace

// Changes of what the checks mean that the task does not ask for; without files: none.
Result<MergeRefused> Merges::unasked_changes(const Merge& merge, const Planned& planned) const {
  MergeRefused refused{merge.tree, MergeRefusal::verify_failed, "", {"guard"}};
  std::vector<std::string>& paths = refused.guarded;
  for (const git::Change& change : planned.plan.changes)
    for (const std::string& path : {change.path, change.from}) {
      if (path.empty() || !gate::is_guarded(path, guard_) ||
          gate::is_asked_for(path, merge.request) || gate::is_test_file(path, {}))
        continue;
      const std::string before = TRY(text_in(trees_.repository(), planned.plan.from, path));
      const std::string after = TRY(text_in(trees_.repository(), planned.plan.commit, path));
      if (!gate::changes_meaning(path, before, after)) continue;
      paths.push_back(path);
      refused.guard_stat += gate::line_stat(path, before, after);
    }
  if (paths.empty()) return refused;
  refused.detail = "It changes what the project's checks do, and the task does not ask for that: " +
                   short_list(paths) + ". Put these files back as they are on the main branch.";
  return refused;
}

// Words that are gone from the files of tests: the names of tests that were taken away.
Result<std::vector<std::string>> Merges::vanished_words(const Planned& planned) const {
  std::vector<std::string> before, after, vanished;
  for (const git::Change& change : planned.plan.changes) {
    const std::string& old = change.from.empty() ? change.path : change.from;
    if (change.status == 'A' || !gate::is_test_file(old, {})) continue;
    for (std::string& word :
         gate::words_in(TRY(text_in(trees_.repository(), planned.plan.from, old))))
      before.push_back(std::move(word));
    for (std::string& word :
         gate::words_in(TRY(text_in(trees_.repository(), planned.plan.commit, change.path))))
      after.push_back(std::move(word));
  }
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  std::set_difference(before.begin(), before.end(), after.begin(), after.end(),
                      std::back_inserter(vanished));
  return vanished;
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
  if (merge.test == Merge::Test::when_unseen && !planned.unseen) {
    // The same files, under the id of another tree: who begins with this main need not test it.
    for (const std::string& name : checks_.names())
      if (const auto known = seen_.find({merge.signed_off, true}, name))
        seen_.keep({planned.plan.tree, true}, *known);
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
      const auto vanished = vanished_words(trial->planned);
      if (!vanished) return trial->failed(vanished.error());
      const gate::Regress regress =
          gate::regress_of(*trial->before, verdict, known, *vanished, merge.request);
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
    text.main = trial->planned.plan.main_ref.substr(std::string_view("refs/heads/").size());
    refused.detail = merged_files_fail(text, failures);
    return blame(trial, std::move(refused));
  }
  std::vector<event::CheckRun> runs;
  for (const gate::Verdict& verdict : trial->verdicts)
    runs.push_back(gate::run_of(verdict, true, false));
  const git::MergePlan& plan = trial->planned.plan;
  if (merge.into == Merge::Into::nowhere) {
    for (const gate::Verdict& verdict : trial->verdicts) seen_.put({plan.tree, true}, verdict);
    workflow::MergeTried tried{merge.tree, "", plan.from, {}, std::move(runs)};
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
