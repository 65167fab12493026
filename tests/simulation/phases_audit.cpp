#include "tests/simulation/phases_audit.h"

#include <algorithm>

#include "workflow/approval.h"

namespace capsule::simulation {

using namespace event;
using signal::Status;

const PhaseRule& PhasesAudit::rule(const std::string& phase) const {
  return *phases::group_of(definition_, phase).front();
}

PhasesAudit::Verdict PhasesAudit::verdict() const {
  const auto group = phases::group_of(definition_, current_);
  Verdict verdict;
  verdict.complete = results_.size() == group.size();
  int passes = 0, errors = 0;
  for (const auto& [phase, status] : results_) {
    passes += status == Status::pass ? 1 : 0;
    errors += status == Status::error ? 1 : 0;
  }
  const int count = static_cast<int>(group.size());
  const bool any = group.front()->any && count > 1;
  if (any ? passes > 0 : passes == count)
    verdict.status = Status::pass;
  else if (any ? errors == count : errors > 0)
    verdict.status = Status::error;
  else
    verdict.status = Status::needs_work;
  if (verdict.status == Status::pass && (check_failed_ || sent_back_)) {
    verdict.status = Status::needs_work;
    verdict.sent_back = true;
  }
  return verdict;
}

// Whether a phase may come next, by the definition alone.
bool PhasesAudit::follows(const Verdict& verdict, const std::string& next) const {
  const PhaseRule& from = rule(current_);
  const auto first = [&](const std::string& phase) { return rule(phase).name; };
  if (verdict.status == Status::pass) {
    if (from.approval && !approved_) return false;
    // Sent back, it leads where its judge said.
    for (const PhaseRule& other : definition_.phases)
      for (const Route* route : {&other.needs_work, &other.error})
        if (!route->then.empty() && first(route->to) == current_ && first(route->then) == next)
          return true;
    if (!from.pass.to.empty()) return first(from.pass.to) == next;
    const auto group = phases::group_of(definition_, current_);
    const auto after = static_cast<std::size_t>(group.back() - definition_.phases.data()) + 1;
    return after < definition_.phases.size() && definition_.phases[after].name == next;
  }
  if (verdict.status == Status::error)
    return !from.error.to.empty() && first(from.error.to) == next;
  if (from.commits && !sent_back_) return false;
  if (!from.needs_work.to.empty()) return first(from.needs_work.to) == next;
  return verdict.sent_back && (from.writes || sent_back_) && next == current_;
}

bool PhasesAudit::repeats() const {
  return !faults_.empty() && std::all_of(faults_.begin(), faults_.end(), [](const auto& one) {
    return one.second == AfterFault::again;
  });
}

void PhasesAudit::started(const PhaseStarted& f) {
  const bool again = open_.contains(f.number);
  claim(again || f.number == last_ + 1, "phases are numbered without gaps");
  claim(!finished_.contains(f.number), "a finished phase is not started again");
  const std::string first = rule(f.phase).name;
  for (const auto& [number, phase] : open_)
    claim(number == f.number || rule(phase).name == first,
          "a phase that was cut off is done again before another begins");
  claim(!again || open_[f.number] == f.phase, "a phase keeps its number");
  int limit = limit_;
  for (const PhaseRule& phase : definition_.phases)
    limit = std::max({limit, phase.needs_work.limit, phase.error.limit});
  claim(f.attempt <= limit, "attempts never exceed the limit");
  if (!again) {
    ++runs_;
    // A person who goes on may do so where no run begins: that has a bound too, which nobody
    // states.
    claim(most_runs == 0 || runs_ <= (resumed_ ? 4 * most_runs : most_runs),
          "every run keeps to its bound");
    // One that was cut off may leave its number for the next, but not in the same life.
    for (const auto& [number, phase] : open_)
      claim(phase != f.phase, "a phase that was cut off starts again under its number");
  }
  last_ = std::max(last_, f.number);
  merge_approved_ = false;
  if (!results_.empty()) {
    const Verdict now = verdict();
    if (now.complete && now.status == Status::error && repeats()) {
      claim(first == current_ && f.attempt == attempt_, "a fault costs no attempt");
      for (const auto& [phase, after] : std::exchange(faults_, {})) results_.erase(phase);
    } else if (now.complete) {
      claim(follows(now, first), "the next phase is the one that the verdict asks for");
      results_.clear();
    } else {
      claim(first == current_, "phases that run together end together");
    }
  }
  if (results_.empty()) check_failed_ = approved_ = sent_back_ = false;
  current_ = first;
  attempt_ = f.attempt;
  for (const std::string& need : rule(f.phase).needs)
    claim(need != "signed-off" || signed_off_, "no merge without sign-off");
  open_[f.number] = f.phase;
}

void PhasesAudit::finished(const PhaseFinished& f) {
  claim(finished_.insert(f.number).second, "no phase is recorded twice");
  claim(open_.erase(f.number) == 1, "a phase ends only after it was started");
  const auto truth = said.find(f.number);
  claim(truth != said.end() && truth->second == f.status, "what an agent said is recorded");
  results_[f.phase] = f.status;
  // Those of the phases before are over, however they ended.
  std::erase_if(faults_, [&](const auto& one) { return !results_.contains(one.first); });
  faults_.erase(f.phase);
  if (f.status == Status::error) faults_[f.phase] = f.after_fault;
  ++times_[f.phase];
  (path_[f.phase] += ' ') += signal::name_of(f.status);
  if (rule(f.phase).signs_off) worklog_ = signed_off_ = f.status == Status::pass;
}

void PhasesAudit::given(const ApprovalGiven& f) {
  before_answer_.reset();
  before_answer_ = std::make_shared<PhasesAudit>(*this);
  answer_ = f.question;
  const auto truth = answered.find(f.question);
  claim(truth != answered.end() && (truth->second == "approve") == f.approved,
        "what a person said is recorded");
  if (about_ == Approval::guard) return;
  if (about_ == Approval::merge) {
    merge_approved_ = f.approved;
    if (f.approved) return;
    // What people ask for has no limit but their patience.
    signed_off_ = false;
    results_.clear();
    runs_ = 0;
    return;
  }
  approved_ = f.approved;
  sent_back_ = !f.approved;
  // Who does not approve what was signed off has taken that back.
  if (!f.approved && rule(current_).signs_off) signed_off_ = false;
}

void PhasesAudit::taken_back(const AnswerTakenBack& f) {
  const bool known = before_answer_ != nullptr && answer_ == f.question;
  claim(known, "only what was answered is taken back");
  if (!known) return;
  claim(called == before_answer_->called, "an answer that an agent was told is not taken back");
  claim(!merging_ && !merged_, "what is merged is not taken back");
  answer_ = 0;
  open_.clear();
  const PhasesAudit& before = *before_answer_;
  results_ = before.results_;
  faults_ = before.faults_;
  current_ = before.current_;
  check_failed_ = before.check_failed_;
  approved_ = before.approved_;
  sent_back_ = before.sent_back_;
  signed_off_ = before.signed_off_;
  merge_approved_ = before.merge_approved_;
  about_ = before.about_;
  runs_ = before.runs_;
}

std::string PhasesAudit::path() const {
  std::string text;
  for (const auto& [phase, words] : path_) text += phase + words + "\n";
  return text;
}

void PhasesAudit::read(const PipelineFact& fact, int merges) {
  if (const auto* f = std::get_if<RunStarted>(&fact)) {
    claim(!begun_, "a run begins once");
    begun_ = true;
    limit_ = f->max_retries;
    definition_ = f->definition.phases.empty() ? phases::pipeline() : f->definition;
    integrate_ = f->integrate;
    return;
  }
  claim(begun_, "nothing is recorded before the start of the run");
  if (const auto* f = std::get_if<RunResumed>(&fact)) {
    limit_ = f->max_retries;
    ended_ = false;
    runs_ = 0;
    resumed_ = true;
    open_.clear();
    // What some of those that run together have said still counts.
    if (!results_.empty() && (f->at_merge || verdict().complete)) results_.clear();
    return;
  }
  claim(!ended_, "nothing happens after the end of a run");
  if (std::holds_alternative<WorktreeIntended>(fact)) planned_ = true;
  if (const auto* f = std::get_if<PhaseStarted>(&fact)) started(*f);
  if (const auto* f = std::get_if<PhaseFinished>(&fact)) finished(*f);
  if (const auto* f = std::get_if<PhaseChecked>(&fact)) {
    claim(checked.contains(f->number) && checked[f->number] == f->passed,
          "what a check found is recorded");
    check_failed_ = !f->passed;
    if (rule(f->phase).signs_off && !f->passed) signed_off_ = false;
  }
  if (const auto* f = std::get_if<ApprovalAsked>(&fact)) {
    questions_.insert(f->question);
    about_ = f->about;
    if (results_.empty() || f->about == Approval::guard) return;
    if (f->about == Approval::merge)
      return claim(verdict().status == Status::pass, "a person is asked only about what passed");
    claim(rule(f->phase).approval && verdict().status == Status::pass,
          "a person is asked only about what passed");
  }
  if (const auto* f = std::get_if<ApprovalGiven>(&fact)) given(*f);
  if (const auto* f = std::get_if<AnswerTakenBack>(&fact)) taken_back(*f);
  if (const auto* f = std::get_if<IntegrationChosen>(&fact)) integrate_ = f->integrate;
  if (std::holds_alternative<MergeIntended>(fact)) {
    claim(integrate_ != Integrate::ask || merge_approved_,
          "nothing is merged that a person has not approved");
    claim(!merged_, "nothing is merged twice");
    if (!results_.empty())
      claim(verdict().status == Status::pass && (!rule(current_).approval || approved_),
            "only what passed and is approved is merged");
    merging_ = true;
  }
  if (std::holds_alternative<MergeDone>(fact)) {
    claim(merging_ && !merged_, "nothing is merged twice");
    claim(merges == 1 || !to_main(), "a recorded merge is on main, once");
    merged_ = true;
    merging_ = false;
  }
  if (const auto* f = std::get_if<MergeRefused>(&fact)) {
    merging_ = false;
    if (workflow::voids_approval(f->why)) merge_approved_ = false;
  }
  if (std::holds_alternative<BeadClosing>(fact)) {
    claim(merged_, "only a bead whose work is merged is closed");
    claim(!closing_, "that a bead is closed is intended once");
    closing_ = true;
  }
  if (std::holds_alternative<BeadClosed>(fact))
    claim(closing_, "no bead is closed before that is in the journal");
  if (const auto* f = std::get_if<RunEnded>(&fact)) {
    ended_ = true;
    open_.clear();
    claim(f->outcome != Outcome::merged || merged_, "what is reported as merged is on main");
  }
}

}  // namespace capsule::simulation
