#include "workflow/auto/workflow.h"

#include "base/text.h"
#include "workflow/approval.h"
#include "workflow/auto/advance.h"
#include "workflow/auto/texts.h"

namespace capsule::auto_mode {
namespace {

using event::Fault;
using workflow::Stop;

constexpr const char* kGoOn = "capsule auto continue";
constexpr const char* kCutShort =
    "Your last run was cut short before this phase was complete, and not by anything that you "
    "said. Look at what you have done so far, go on where you were, and end as you were told to, "
    "with the signal of the phase.";

// One line, as commits have it.
std::string title_of(const Run& run) { return run.begun.task.substr(0, run.begun.task.find('\n')); }

Outcome outcome_of(Stop stop) {
  switch (stop) {
    case Stop::interrupted:
      return Outcome::interrupted;
    case Stop::paused:
      return Outcome::paused;
    case Stop::aborted:
      break;
  }
  return Outcome::aborted;
}

// The further-reaching wish counts: an end over an interruption, that over a pause.
int reach_of(Stop stop) { return stop == Stop::paused ? 0 : stop == Stop::interrupted ? 1 : 2; }

// What it leaves when it is cut off is in the tree.
bool changes_files(Step step) {
  return step == Step::turn || step == Step::checks || step == Step::review;
}

event::TestEvidence evidence_of(const workflow::Checked& checked) {
  for (const event::Claim& claim : checked.claims)
    if (claim.verdict == event::Verdict::held && claim.evidence.by_name) return claim.evidence;
  return {};
}

// Signals of other phases are signals, and do not end this one.
signal::Miss missed_in(Phase phase, const std::vector<std::string>& signals, signal::Miss why) {
  const std::string_view wanted = signal::row(signal::expected_signal(phase)).wire;
  for (const std::string& name : signals) {
    const signal::Row* row = signal::find_signal(name);
    if (name == wanted || row == nullptr || row->signal == signal::Signal::phase_error ||
        row->signal == signal::Signal::auto_complete)
      return signal::Miss::none;
  }
  return signals.empty() ? why : signal::Miss::wrong_phase;
}

}  // namespace

void Advance::end_by_person() {
  const Stop how = now_.stop.value_or(Stop::interrupted);
  if (how == Stop::aborted) return end(outcome_of(how), "");
  end_all_the_same(outcome_of(how), "");
}

void Advance::given(fact::Fact fact) {
  if (!std::holds_alternative<fact::Resumed>(fact)) return record(std::move(fact));
  if (run_.step != Step::ended) return;
  now_ = {};
  // What a person did there since counts, so that one state is checked, reviewed and merged.
  // First: cut off in between, the run has still ended, and this is done again.
  const bool at_work =
      changes_files(run_.after) || run_.after == Step::merge || run_.after == Step::approve;
  if (!at_work || run_.open == Step::turn) return record(fact::Resumed{});
  now_.what = What::keeping;
  workflow::Keep keep;
  keep.tree = tree();
  keep.label = "continued";
  keep.message = "auto: continued";
  command(std::move(keep));
}

void Advance::on(const workflow::TreeOpened& opened) {
  if (!done(What::opening)) return;
  record(fact::PlaceReady{opened.folder, opened.branch, ""});
}

void Advance::on(const workflow::AgentFinished& ended) {
  if (now_.what == What::review) return reviewer_ended(ended);
  if (ended.agent != run_.number || done(What::regretting) || !done(What::turn)) return;
  turn_ended(ended);
}

void Advance::on(const workflow::Checked& checked) {
  if (done(What::baseline))
    return record(fact::BaselineChecked{checked.baseline, checked.feedback, checked.runs, ""});
  if (!done(What::checks)) return;
  record(fact::ChecksDone{checked.feedback.empty() && checked.failed.empty(),
                          checked.feedback.empty() ? short_list(checked.failed) : checked.feedback,
                          "", checked.runs, evidence_of(checked)});
}

void Advance::on(const workflow::TakenBack& taken) {
  if (done(What::after_review)) return reviewed(taken.paths);
  if (done(What::putting_back)) now_.put_back = true;
}

void Advance::on(const workflow::Kept&) {
  // Stopped meanwhile, it has still ended.
  if (done(What::keeping) && !now_.stop) record(fact::Resumed{});
}

void Advance::on(const workflow::Merged& merged) {
  if (!done(What::merge)) return;
  if (merged.nothing)
    return end(Outcome::merge_refused,
               "there is nothing to merge: no file differs from the main branch");
  record(fact::MergeDone{merged.commit, merged.nothing, merged.adopted, "", merged.onto,
                         merged.runs, merged.claims, merged.evidence});
}

void Advance::on(const workflow::MergeTried& tried) {
  if (!done(What::merge)) return;
  fact::MergeTried recorded{tried.onto, tried.files, static_cast<int>(tried.files.size()),
                            tried.runs, ""};
  if (recorded.files.size() > workflow::kFilesNamed) recorded.files.resize(workflow::kFilesNamed);
  record(std::move(recorded));
}

void Advance::on(const workflow::Answered& answered) {
  if (run_.step != Step::approve || answered.question != run_.asked.question || !done(What::asking))
    return;
  const workflow::Approved given = workflow::approved_by(answered.text);
  record(fact::ApprovalGiven{answered.question, given.yes, given.words, answered.by, ""});
}

// What a person approved is merged in the turn that records it. Only an agent that their words are
// for can still be held.
void Advance::on(const workflow::TakeBackAsked& asked) {
  if (now_.what != What::turn || !run_.before_answer ||
      run_.before_answer->asked.question != asked.question)
    return;
  // One that was started before may have been called, and cut off.
  if (run_.turns != run_.before_answer->turns + 1 || !asked.unbegun.contains(run_.number)) return;
  now_.what = What::regretting;
  command(workflow::EndAgent{run_.number});
  record(fact::AnswerTakenBack{asked.question, ""});
}

void Advance::on(const workflow::MergeRefused& refused) {
  if (!done(What::merge)) return;
  const bool person = run_.attended || run_.integrate == event::Integrate::ask;
  if (!refused.guarded.empty() && person)
    return record(fact::ApprovalAsked{run_.questions + 1, event::Approval::guard, refused.guarded,
                                      refused.guard_stat, ""});
  const bool error = refused.why == event::MergeRefusal::error;
  const Outcome outcome = error ? Outcome::error : Outcome::merge_refused;
  if (workflow::voids_approval(refused.why)) return end(outcome, refused.detail);
  end_all_the_same(outcome, refused.detail);
}

void Advance::on(const workflow::MainMoved&) {
  if (!done(What::merge) || now_.tries < workflow::kMergeTries) return;
  std::string detail = "main kept moving while merging\ntry again later: ";
  detail += kGoOn;
  end_all_the_same(Outcome::merge_refused, std::move(detail));
}

void Advance::on(const workflow::TreeRemoved&) {
  if (done(What::removing)) record(fact::PlaceRemoved{});
}

void Advance::on(const workflow::StopAsked& asked) {
  if (!now_.stop || reach_of(asked.how) > reach_of(*now_.stop)) now_.stop = asked.how;
}

// The open step says what else is to be put right.
void Advance::on(const workflow::TakenUp& taken_up) {
  now_.held = taken_up.held;
  now_.unbegun = taken_up.unbegun;
}

// The agent of the open turn was not at work when the run was left: nothing of it is half done.
bool Advance::waited() const {
  return run_.step == Step::turn && run_.open == Step::turn &&
         (now_.held.contains(run_.number) || now_.unbegun.contains(run_.number));
}

void Advance::on(const workflow::CommandFailed& failed) {
  if (const auto* start = std::get_if<workflow::StartAgent>(&failed.command);
      start != nullptr && now_.what == What::review)
    return reviewer_failed(start->agent, failed);
  if (now_.what == What::nothing) return;
  const bool was_ended = done(What::keeping);
  now_.what = What::nothing;
  if (failed.reason != Reason::interrupted) return end_all_the_same(Outcome::error, failed.detail);
  if (!was_ended) end_by_person();
}

void Advance::proceed() {
  if (now_.what != What::nothing) return;
  const Step step = run_.step;
  if (step == Step::start || step == Step::ended) return;
  if (step == Step::end) return end(run_.outcome, run_.detail);
  // Who is asked can answer later: it stays open.
  if (now_.stop && step == Step::approve) return;
  // Merged is merged: only the worktree is left to remove.
  if (now_.stop && step != Step::remove_place) return end_by_person();
  if (run_.open == step && changes_files(step) && !now_.put_back && !waited()) {
    now_.what = What::putting_back;
    workflow::TakeBack take_back;
    take_back.tree = tree();
    take_back.label = "cut-off";
    return command(std::move(take_back));
  }
  now_.put_back = false;
  switch (step) {
    case Step::prepare: {
      // Before anybody is paid. In place there is no other state of the files to look at.
      if (run_.begun.has_checks && !run_.begun.in_place && !run_.baselined) {
        now_.what = What::baseline;
        workflow::Check check;
        check.names = {"baseline"};
        check.clean = true;
        check.red_allowed = run_.begun.red_allowed;
        return command(std::move(check));
      }
      now_.what = What::opening;
      if (!run_.begun.in_place && run_.open != Step::prepare) record(fact::PlaceIntended{});
      workflow::OpenTree open;
      open.tree = tree();
      return command(std::move(open));
    }
    case Step::turn:
      return start_turn();
    case Step::checks: {
      now_.what = What::checks;
      if (run_.open != Step::checks) record(fact::ChecksStarted{});
      workflow::Check check;
      check.number = run_.number;
      check.tree = tree();
      check.names = {"all"};
      check.phase = signal::name_of(run_.phase);
      check.request = run_.begun.task;
      check.red_allowed = run_.begun.red_allowed;
      return command(std::move(check));
    }
    case Step::review:
      return start_review();
    case Step::merge:
      return merge();
    case Step::approve:
      return approve();
    case Step::remove_place: {
      now_.what = What::removing;
      workflow::RemoveTree remove;
      remove.tree = tree();
      remove.keep_branch = run_.integrate == event::Integrate::branch;
      return command(std::move(remove));
    }
    case Step::start:
    case Step::end:
    case Step::ended:
      break;
  }
}

workflow::StartAgent Advance::agent_for(int number, std::string role, int attempt,
                                        std::string_view reviewer) const {
  workflow::StartAgent start;
  start.agent = number;
  start.role = std::move(role);
  start.settings = workflow::Settings::phase;
  start.attempt = attempt;
  start.tree = tree();
  start.prompt.file = prompt_file(run_.phase);
  start.prompt.values = variables_of({run_.phase, run_.file.config.skips(), run_.begun.task,
                                      run_.feedback, reviewer, true, run_.begun.parallel});
  return start;
}

const Run::Worker& Advance::worker() const {
  static const Run::Worker kUnsaid;
  const auto found = run_.workers.find(std::string(signal::name_of(run_.phase)));
  return found == run_.workers.end() ? kUnsaid : found->second;
}

void Advance::start_turn() {
  const bool again = run_.open == Step::turn;
  fact::TurnStarted started;
  started.phase = run_.phase;
  started.number = again ? run_.number : run_.number + 1;
  // Whoever failed, or forgot its signal, is still at the same attempt.
  const bool repeats = again || run_.why == Why::restart || run_.why == Why::go_on;
  started.attempt = run_.attempt + (repeats && run_.attempt > 0 ? 0 : 1);
  started.why = run_.why;
  // One that waited when the run was left goes on where it was, as it would have then.
  const bool goes_on = again && now_.held.erase(started.number) > 0;
  const bool never_called = again && now_.unbegun.erase(started.number) > 0;
  started.resumes = goes_on ? !run_.session.empty()
                    : never_called
                        ? run_.resumes
                        : run_.session_alive && worker().session != event::Session::fresh;
  // A new one for each start: the client may know that of a turn that was cut off.
  if (started.resumes || goes_on || never_called)
    started.session = run_.session;
  else if (run_.begun.sessions)
    started.session = workflow::session_id(run_.id, run_.turns + 1);
  started.provider = worker().provider;
  started.model = worker().model;
  workflow::StartAgent start =
      agent_for(started.number, std::string(signal::name_of(run_.phase)), started.attempt, "");
  start.dialect = workflow::Dialect::block;
  start.settle = workflow::Settle::keep;
  start.session = started.session;
  start.resume = started.resumes;
  if (goes_on || (run_.why == Why::restart && started.resumes)) {
    (started.resumes ? start.prompt.follow_up : start.prompt.appended) = kCutShort;
  } else if (run_.why == Why::go_on) {
    const std::string missed = signal::sentence({run_.last.miss, run_.last.missed_line});
    const std::string continuation =
        continuation_prompt({run_.phase, run_.file.iteration, run_.file.max_iterations,
                             run_.begun.task, run_.file.config.skips(), missed});
    if (started.resumes)
      start.prompt.follow_up = continuation;
    else
      start.prompt.appended = "\n" + continuation;
  }
  now_.what = What::turn;
  record(std::move(started));
  command(std::move(start));
}

void Advance::turn_ended(const workflow::AgentFinished& ended) {
  // The turn stays open, so that it is done again when the run goes on.
  if (by_person(ended.fault)) return end_by_person();
  if (ended.fault == Fault::not_started) return end(Outcome::error, ended.detail + "\n" + kDoctor);
  fact::TurnFinished finished;
  finished.phase = run_.phase;
  finished.number = ended.agent;
  // Without a signal the agent is told to go on: no failure of its program.
  finished.fault = ended.fault == Fault::no_signal ? Fault::none : ended.fault;
  if (finished.fault != Fault::none) finished.detail = workflow::in_words(ended);
  finished.exit_code = ended.exit_code;
  finished.log = ended.log;
  finished.duration_ms = ended.duration_ms;
  finished.cost_micros = ended.cost_micros;
  if (const auto* words = std::get_if<workflow::BlockWords>(&ended.words)) {
    finished.signals = words->signals;
    finished.error = words->error;
    finished.recoverable = words->recoverable;
    finished.miss = missed_in(run_.phase, words->signals, ended.missed.why);
    finished.missed_line = ended.missed.line;
    if (run_.phase == Phase::reflect) finished.learnings = learnings_in(words->text);
  }
  const std::string error(signal::row(signal::Signal::phase_error).wire);
  if (finished.error.empty() && !finished.signals.empty() && finished.signals.back() == error)
    finished.error = "the agent gave no reason";
  record(std::move(finished));
}

void Advance::on(const workflow::GroundMoved& moved) {
  if (run_.step == Step::start || run_.step == Step::ended) return;
  record(fact::GroundMoved{moved.what, moved.agents, moved.main, moved.from, moved.to, ""});
}

void Advance::merge() {
  // Main was moved while agents ran: a person looks before anything is put on it.
  const bool to_branch = run_.integrate == event::Integrate::branch;
  const bool asks = run_.integrate == event::Integrate::ask && !run_.approved;
  if (run_.ground.doubted() && !to_branch)
    return end_all_the_same(
        Outcome::merge_refused,
        workflow::main_moved_text(
            run_.ground.main.front(),
            [this](int agent) { return workflow::agent_words(run_.agents, agent); }, kGoOn));
  if (!asks && run_.open != Step::merge) {
    now_.tries = 0;
    record(fact::MergeIntended{});
  }
  ++now_.tries;
  now_.what = What::merge;
  workflow::Merge merge;
  merge.tree = tree();
  merge.title = title_of(run_);
  merge.of = workflow::Merge::Of::kept;
  merge.test = workflow::Merge::Test::when_unseen;
  merge.go_on = kGoOn;
  merge.request = run_.begun.task;
  merge.allowed = run_.allowed;
  // What a person has seen, and changed, is as they want it.
  merge.guarded = !run_.approved;
  merge.edited = run_.edited;
  merge.into = asks        ? workflow::Merge::Into::nowhere
               : to_branch ? workflow::Merge::Into::branch
                           : workflow::Merge::Into::main;
  command(std::move(merge));
}

void Advance::approve() {
  if (run_.asked.question == 0) {
    fact::ApprovalAsked asked = run_.asked;
    asked.question = run_.questions + 1;
    record(std::move(asked));
  }
  now_.what = What::asking;
  const workflow::Waiting wait = waiting_of(run_);
  workflow::Ask ask;
  ask.question = wait.question;
  ask.text = wait.text;
  ask.context = wait.context;
  command(std::move(ask));
}

Rules::Turn Rules::advance(Run& run, std::vector<Fact> given,
                           const std::vector<workflow::Observation>& observations,
                           const std::string& at, Apply apply) {
  Advance advance(run, at, apply);
  for (Fact& fact : given) advance.given(std::move(fact));
  // The wish of a person says what the end of an agent means, in whatever order both were seen.
  for (const workflow::Observation& observation : observations)
    if (const auto* asked = std::get_if<workflow::StopAsked>(&observation)) advance.on(*asked);
  for (const workflow::Observation& observation : observations)
    std::visit([&](const auto& typed) { advance.on(typed); }, observation);
  // After all of them: what a person asked for meanwhile is heeded before the next step.
  advance.proceed();
  return std::move(advance.turn);
}

}  // namespace capsule::auto_mode
