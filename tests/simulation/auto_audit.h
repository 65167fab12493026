// What must hold of every headless run of auto mode, read from its facts and from what really
// happened, without the workflow's own state.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "event/auto.h"
#include "workflow/auto/run.h"

namespace capsule::simulation {

struct AutoAudit {
  using Phase = signal::Phase;

  std::string broken;
  std::map<int, std::vector<std::string>> said;      // signals, by agent
  std::map<int, event::auto_run::Verdict> verdicts;  // by reviewer
  std::map<int, bool> checks;                        // by how many turns there were
  bool check_passed = false;                         // the newest, really
  event::auto_run::Started begun;
  bool planned = false, turn_open = false, checking = false, reviewing = false, merging = false,
       merged = false;
  bool approved = false, said_yes = false;  // by a person, before the merge
  int question = 0;
  event::Approval about{};
  bool ended = false, taken_up = false, rejected = false, nothing = false;
  int attempt = 0;  // of the newest turn; 0: a person took it up since, or there was none
  int last_number = 0, first_reviewer = 0, rounds = 0;
  int turns = 0, turns_now = 0, rounds_now = 0;  // _now: since a person last took it up
  Phase phase{};
  std::map<std::string, int> finished;     // turns, by phase
  std::map<Phase, std::set<int>> retries;  // the numbers of the turns
  std::set<int> mended, go_ons, restarts, recorded;
  std::string path;
  int called = 0;                                  // agents that were really started
  std::shared_ptr<const AutoAudit> before_answer;  // the newest

  void claim(bool holds, const char* what) {
    if (!holds && broken.empty()) broken = what;
  }
  // Limits count from here.
  void person() {
    retries.clear();
    mended.clear();
    go_ons.clear();
    restarts.clear();
    turns_now = rounds_now = 0;
    attempt = 0;
    taken_up = true;
  }

  void read(const event::auto_run::Fact& one) {
    std::visit([this](const auto& typed) { on(typed); }, one);
    // A fix begins anew with each round.
    for (const auto& [of, numbers] : retries)
      claim(numbers.size() <= (of == Phase::fix ? 2U : 1U), "a phase is retried once");
    claim(mended.size() <= 2, "qa has two cycles");
    claim(static_cast<std::int64_t>(go_ons.size()) <= begun.max_iterations,
          "nobody is told to go on more often than the limit");
    claim(static_cast<std::int64_t>(restarts.size()) <= begun.max_iterations,
          "nobody that failed is called anew more often than the limit");
    const int limit = static_cast<int>(begun.max_iterations);
    // Nine phases, two more fixes and two cycles of qa, each with a retry; as many turns may fail.
    claim(turns_now <= (9 + 2 + 2) * (2 * limit + 2), "every run keeps to its bound");
    claim(rounds_now <= auto_mode::kReviewRounds, "three rounds of review are enough");
  }
  template <class Other>
  void on(const Other&) {
    claim(!ended, "nothing happens after the end of a run");
  }
  void on(const event::auto_run::Started& f) { begun = f; }
  void on(const event::auto_run::PlaceIntended&) {
    claim(!ended && !begun.in_place, "only who has a tree of its own intends one");
    claim(!planned, "that a tree is made is intended once");
    planned = true;
  }
  void on(const event::auto_run::PlaceReady&) {
    claim(!ended && (planned || begun.in_place), "no tree is there before that is in the journal");
  }
  void on(const event::auto_run::TurnStarted& f) {
    claim(!ended, "nothing happens after the end of a run");
    claim(f.number == last_number ? turn_open : f.number > last_number && !turn_open,
          "a turn that was cut off keeps its number");
    claim(f.phase >= phase || (f.phase == Phase::review && phase == Phase::fix),
          "no phase goes backwards");
    claim(!rejected || f.phase == Phase::fix, "nobody goes on without three approvals");
    rejected = false;
    approved = false;
    phase = f.phase;
    if (f.number != last_number) ++turns_now;
    last_number = f.number;
    turn_open = true;
    // The phase begins.
    const bool same =
        f.why == event::auto_run::Why::go_on || f.why == event::auto_run::Why::restart;
    if (f.attempt == 1 && !same) go_ons.clear(), restarts.clear();
    claim(!same || attempt == 0 || f.attempt == attempt, "a fault costs no attempt");
    attempt = f.attempt;
    if (taken_up) return;  // what a person asked for is no retry
    if (f.why == event::auto_run::Why::retry) retries[f.phase].insert(f.number);
    if (f.why == event::auto_run::Why::go_on) go_ons.insert(f.number);
    if (f.why == event::auto_run::Why::restart) restarts.insert(f.number);
    if (f.why == event::auto_run::Why::mend && f.phase == Phase::qa) mended.insert(f.number);
  }
  void on(const event::auto_run::TurnFinished& f) {
    claim(turn_open && f.number == last_number, "a turn ends only after it was started");
    claim(recorded.insert(f.number).second, "no turn is recorded twice");
    claim(f.fault != event::Fault::none || said[f.number] == f.signals,
          "what an agent said is recorded");
    turn_open = taken_up = false;
    if (f.fault != event::Fault::none) return;
    ++turns;
    ++finished[std::string(signal::name_of(f.phase))];
    path += std::string(signal::name_of(f.phase)) + " " + std::to_string(f.signals.size()) + "\n";
  }
  void on(const event::auto_run::ChecksStarted&) {
    claim(!rejected && !turn_open, "nobody goes on without three approvals");
    checking = true;
  }
  void on(const event::auto_run::ChecksDone& f) {
    claim(checking && f.passed == check_passed, "what a check found is recorded");
    checking = false;
  }
  void on(const event::auto_run::ReviewStarted& f) {
    claim(phase <= Phase::fix && !turn_open, "no phase goes backwards");
    claim(f.agent > last_number, "every agent has a number of its own");
    phase = Phase::review;
    reviewing = true;
    first_reviewer = f.agent;
    last_number = f.agent + 2;
    ++rounds_now;
  }
  void on(const event::auto_run::Reviewed& f) {
    claim(reviewing && f.verdicts.size() == 3, "a round has three verdicts");
    reviewing = false;
    rejected = false;
    for (const event::auto_run::ReviewVerdict& verdict : f.verdicts) {
      claim(verdicts.contains(verdict.agent) && verdicts[verdict.agent] == verdict.verdict,
            "what a reviewer said is recorded");
      rejected |= verdict.verdict != event::auto_run::Verdict::approved;
      path += std::string(event::auto_run::name_of(verdict.verdict)) + "\n";
    }
    ++rounds;
  }
  void on(const event::auto_run::MergeIntended&) {
    claim(!ended && !merged, "nothing is merged twice");
    claim(!rejected, "nobody goes on without three approvals");
    claim(begun.integrate != event::Integrate::ask || approved,
          "nothing is merged that a person has not approved");
    merging = true;
  }
  void on(const event::auto_run::MergeDone& f) {
    claim(merging && !merged, "nothing is merged twice");
    merging = false;
    merged = true;
    nothing = f.nothing;
  }
  void on(const event::auto_run::ApprovalAsked& f) {
    claim(f.question > 0 && f.question >= question, "questions are counted");
    question = f.question;
    about = f.about;
  }
  void on(const event::auto_run::ApprovalGiven& f) {
    claim(f.approved == said_yes, "what a person said is recorded");
    before_answer.reset();
    before_answer = std::make_shared<AutoAudit>(*this);
    if (about == event::Approval::merge) approved = f.approved;
    if (f.approved) return;
    person();
    phase = Phase::expansion;
  }
  void on(const event::auto_run::AnswerTakenBack& f) {
    claim(!ended && !merging && !merged && before_answer != nullptr && f.question == question,
          "only what was answered, and not merged, is taken back");
    if (before_answer == nullptr) return;
    claim(called == before_answer->called, "an answer that an agent was told is not taken back");
    claim(turn_open, "an agent was asked for");
    turn_open = false;
    const AutoAudit& before = *before_answer;
    approved = before.approved;
    taken_up = before.taken_up;
    rejected = before.rejected;
    turns_now = before.turns_now;
    rounds_now = before.rounds_now;
    phase = before.phase;
    retries = before.retries;
    mended = before.mended;
    go_ons = before.go_ons;
    before_answer.reset();
  }
  void on(const event::auto_run::Ended& f) {
    claim(!f.approval_stands || approved, "only an approval that was given can stand");
    approved = approved && f.approval_stands;
    ended = true;
    planned = checking = reviewing = merging = false;
  }
  void on(const event::auto_run::Resumed&) {
    claim(ended, "only what has ended is resumed");
    ended = rejected = false;
    person();
  }
};

}  // namespace capsule::simulation
