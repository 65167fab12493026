// From observations to facts.
#include "workflow/approval.h"
#include "workflow/phases/decider.h"

namespace capsule::phases {
namespace {

using namespace event;
namespace flow = capsule::workflow;
using flow::Stop;

// A failure of ours, not of an agent, ends the run with this.
Outcome outcome_of_failure(const State& s, Reason reason) {
  if (reason == Reason::interrupted) return Outcome::interrupted;
  switch (s.step) {
    case Step::prepare:
      return Outcome::prep_failed;
    case Step::integrate:
    case Step::archive:
    case Step::remove_worktree:
    case Step::close_bead:
      return Outcome::merge_error;
    default:
      return Outcome::phase_error;
  }
}

// Only where ERROR leads somewhere: otherwise it ends the run, and whoever takes that up goes on at
// the same attempt.
AfterFault after_fault(const State& s, Fault fault) {
  if (fault == Fault::none || group_of(s.definition, s.phase).front()->error.to.empty())
    return AfterFault::unsaid;
  const bool again = fault != Fault::not_started && s.faults < flow::kOwnFaults - 1;
  return again ? AfterFault::again : AfterFault::end;
}

PhaseFinished finished(const State& s, const std::string& phase, const flow::AgentFinished& f) {
  PhaseFinished fact;
  fact.phase = phase;
  fact.number = f.agent;
  fact.attempt = s.attempt;
  if (const auto* words = std::get_if<flow::ContractWords>(&f.words)) {
    // A program that failed is an ERROR whatever it printed; what it printed is kept.
    fact.status = f.fault == Fault::none ? words->signal.status : Status::error;
    fact.feedback = words->signal.feedback;
    fact.summary = words->signal.summary;
    fact.files_changed = words->signal.files_changed;
    fact.signal = words->signal.json;
  }
  if (f.fault == Fault::exit_status || (f.fault != Fault::none && fact.feedback.empty()))
    fact.feedback = "the agent " + flow::in_words(f);
  fact.fault = f.fault;
  fact.after_fault = after_fault(s, f.fault);
  fact.exit_code = f.exit_code;
  fact.log = f.log;
  fact.duration_ms = f.duration_ms;
  fact.took_back = f.took_back;
  fact.miss = f.missed.why;
  // Everybody may write there; what it said is noted from its signal.
  std::erase(fact.took_back, "worklog.md");
  return fact;
}

}  // namespace

Outcome outcome_of(Stop stop) {
  switch (stop) {
    case Stop::paused:
      return Outcome::paused;
    case Stop::aborted:
      return Outcome::aborted;
    case Stop::interrupted:
      break;
  }
  return Outcome::interrupted;
}

void Decider::operator()(const flow::TakenUp& f) {
  now().taken_up = true;
  now().held = f.held;
  now().unbegun = f.unbegun;
}

void Decider::operator()(const flow::StopAsked& f) {
  if (now().stop != Stop::aborted) now().stop = f.how;
}

void Decider::operator()(const flow::TreePlanned& f) {
  if (answered(Step::prepare)) record(WorktreeIntended{f.folder, f.branch, f.base});
}

void Decider::operator()(const flow::TreeOpened& f) {
  if (answered(Step::prepare)) record(WorktreeReady{f.folder, f.branch, f.base});
}

void Decider::operator()(const flow::AgentFinished& f) {
  const auto found = now().running.find(f.agent);
  if (found == now().running.end()) return;
  const std::string phase = found->second;
  now().running.erase(found);
  if (phase.empty()) return;
  // Ended by a person, or with another that failed: the phase stays open, so that it is done
  // again when the run goes on.
  if (f.fault == Fault::interrupted || now().failure)
    now().cut = true;
  else
    record(finished(s_, phase, f));
}

void Decider::operator()(const flow::Kept& f) {
  if (!answered(Step::snapshot)) return;
  record(SnapshotTaken{s_.phase, number_of_phase(), f.ref, f.commit, f.tree_id, f.head});
}

void Decider::operator()(const flow::TakenBack&) {
  now().waiting = now().taken_up = now().bring_back = false;
  if (std::exchange(now().cut, false) && !now().failure)
    record(RunEnded{outcome_of(now().stop.value_or(Stop::interrupted)), ""});
}

void Decider::operator()(const flow::Checked& f) {
  now().waiting = false;
  if (f.number == kBaselineCheck) {
    if (s_.step == Step::prepare || s_.step == Step::run_phase)
      record(BaselineChecked{f.baseline, s_.base, f.feedback, f.runs});
  } else if (s_.step == Step::run_phase) {
    const bool not_signed = s_.asked_sign_off && !s_.signed_off;
    if (not_signed || !f.feedback.empty())
      record(MergeRefused{MergeRefusal::no_sign_off,
                          not_signed ? "sign-off did not pass" : f.feedback});
    else
      now().passed_gate = true;
  } else if (s_.step == Step::check) {
    if (!f.guarded.empty() && person_there() && !s_.guard_refused)
      return record(ApprovalAsked{s_.phase, number_of_phase(), s_.questions + 1, Approval::guard,
                                  f.guarded, f.guard_stat});
    PhaseChecked fact{s_.phase, number_of_phase(), f.feedback.empty(), f.feedback, f.claims,
                      f.runs,   f.guarded};
    if (!fact.passed && !s_.guard_words.empty())
      fact.feedback += "\n\nA person was asked about it, and says: " + s_.guard_words;
    for (const auto& [phase, result] : s_.results)
      if (!result.took_back.empty())
        fact.claims.push_back(flow::tried_to_change(result.took_back, who_ran()));
    record(std::move(fact));
  }
}

void Decider::operator()(const flow::Answered& f) {
  if (s_.step != Step::approve || f.question != s_.question) return;
  now().waiting = false;
  const flow::Approved given = flow::approved_by(f.text);
  record(ApprovalGiven{f.question, given.yes, given.words, f.by});
}

void Decider::operator()(const flow::Merged& f) {
  if (!answered(Step::integrate)) return;
  if (f.nothing)
    record(MergeRefused{MergeRefusal::nothing_to_merge,
                        "there is nothing to merge: no file differs from the main branch"});
  else
    record(MergeDone{f.commit, f.adopted, f.onto, f.runs, f.evidence});
}

void Decider::operator()(const flow::MergeTried& f) {
  if (!answered(Step::integrate)) return;
  MergeTried fact{f.onto, f.files, static_cast<int>(f.files.size()), f.runs};
  if (fact.files.size() > flow::kFilesNamed) fact.files.resize(flow::kFilesNamed);
  record(std::move(fact));
}

void Decider::operator()(const flow::MergeRefused& f) {
  if (answered(Step::integrate)) record(MergeRefused{f.why, f.detail, f.main});
}

void Decider::operator()(const flow::MainMoved&) {
  if (!answered(Step::integrate) || ++now().merge_tries < flow::kMergeTries) return;
  record(RunEnded{Outcome::merge_error,
                  "main moved " + std::to_string(flow::kMergeTries) +
                      " times while merging\ntry again when others have stopped pushing: capsule "
                      "merge " +
                      s_.bead});
}

void Decider::operator()(const flow::TreeArchived& f) {
  if (answered(Step::archive)) record(RunArchived{f.folder});
}

void Decider::operator()(const flow::TreeRemoved&) {
  if (answered(Step::remove_worktree)) record(WorktreeRemoved{});
}

void Decider::operator()(const flow::TaskClosed&) {
  if (answered(Step::close_bead)) record(BeadClosed{});
}

void Decider::operator()(const flow::TakeBackAsked& f) {
  if (!is_unseen(s_, f.question, f.unbegun)) return;
  for (auto& [agent, phase] : now().running) {
    phase.clear();
    turn_.commands.push_back(flow::EndAgent{agent});
  }
  record(AnswerTakenBack{f.question});
}

void Decider::operator()(const GroundMoved& f) {
  if (s_.step != Step::start && s_.step != Step::ended) record(f);
}

void Decider::operator()(const flow::CommandFailed& f) {
  if (s_.step == Step::ended) return;
  const Outcome outcome = f.reason == Reason::interrupted && now().stop
                              ? outcome_of(*now().stop)
                              : outcome_of_failure(s_, f.reason);
  if (const auto* start = std::get_if<flow::StartAgent>(&f.command)) {
    now().running.erase(start->agent);
    // It may have worked until then: nobody was told, so it is done again.
    now().undo |= f.reason == Reason::io;
  } else {
    now().waiting = false;
  }
  if (now().failure) return;
  now().failure = RunEnded{outcome, f.detail};
  for (const auto& [agent, phase] : now().running) turn_.commands.push_back(flow::EndAgent{agent});
}

}  // namespace capsule::phases
