// From the state to the next command.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "workflow/phases/decider.h"

namespace capsule::phases {
namespace {

using namespace event;
namespace flow = capsule::workflow;
using flow::Stop;

// A pause waits until the phase is kept and checked. What follows a merge is not worth a pause, and
// a verdict that is found is recorded.
bool heeds(const State& s, Stop stop) {
  if (stop != Stop::paused) return s.step != Step::end;
  return s.step == Step::prepare || s.step == Step::run_phase || s.step == Step::integrate;
}

// What a writer is told whose session goes on: the feedback follows, and nothing else.
constexpr const char* kSentBack =
    "Your work in this phase was sent back. Settle every point of the feedback below, and keep "
    "what "
    "it did not object to. The rules of your phase still hold: note what you did in worklog.md, as "
    "a "
    "new entry below the earlier ones, and end with one JSON object on a line of its own, as "
    "before.";

// The same for one that failed by itself.
constexpr const char* kCutShort =
    "Your last run was cut short before this phase was complete, and not by anything that you "
    "said. Look at what you have done so far, go on where you were, and end with one JSON object "
    "on a line of its own, as you were told.";
constexpr const char* kNoSignal =
    "Your last answer held no signal that counts. If the work of this phase is done, print the "
    "signal now: one JSON object on a line of its own, as you were told. Otherwise go on, and end "
    "with it. What was wrong: ";

}  // namespace

void Decider::decide() {
  if (s_.step == Step::start || s_.step == Step::ended) return;
  if (now().waiting || !now().running.empty()) return;
  if (now().failure && std::exchange(now().undo, false)) return ask(take_back());
  if (now().failure) return record(*std::exchange(now().failure, std::nullopt));
  if (now().cut) {
    flow::TakeBack keep = take_back();
    keep.keep_only = true;
    return ask(std::move(keep));
  }
  if (s_.step == Step::end) return record(RunEnded{s_.outcome, s_.detail});
  if (now().stop && s_.step == Step::approve) return;
  if (now().stop && heeds(s_, *now().stop)) return record(RunEnded{outcome_of(*now().stop), ""});
  if (now().only_prepare && s_.step == Step::run_phase)
    return record(RunEnded{Outcome::prepared, ""});
  // The worktree is gone: what counts is put back before anything goes on there.
  const bool at_work = s_.step == Step::run_phase || s_.step == Step::snapshot ||
                       s_.step == Step::check || s_.step == Step::approve;
  if (now().bring_back && at_work) return ask(take_back());
  do_step();
}

int Decider::number_of_phase() const {
  const auto found = s_.results.find(s_.phase);
  return found == s_.results.end() ? s_.number : found->second.number;
}

std::string Decider::who_ran() const {
  const auto group = group_of(s_.definition, s_.phase);
  std::string names;
  for (std::size_t i = 0; i < group.size(); ++i)
    names += (i == 0 ? "" : i + 1 == group.size() ? " or " : ", ") + group[i]->name;
  return names;
}

flow::TakeBack Decider::take_back() {
  flow::TakeBack command;
  command.tree = s_.bead;
  command.label = std::to_string(s_.number) + "-" + s_.phase + "-unfinished";
  command.to = s_.snapshot.commit;
  command.folder = s_.worktree;
  command.branch = s_.branch;
  command.base = s_.base;
  return command;
}

void Decider::do_step() {
  switch (s_.step) {
    case Step::prepare:
      if (s_.worktree.empty()) return ask(flow::PlanTree{s_.bead, s_.on_branch});
      if (wants_baseline() && !now().only_prepare) return check_baseline();
      return ask(flow::OpenTree{s_.bead, s_.worktree, s_.branch, s_.base});
    case Step::run_phase:
      return run_phase();
    case Step::snapshot:
      return keep();
    case Step::check:
      // The commands of a check that was cut off may have left anything: only the snapshot
      // counts.
      if (now().taken_up) return ask(take_back());
      return check();
    case Step::approve:
      return approve();
    case Step::integrate:
      return merge();
    case Step::archive:
      return archive();
    case Step::remove_worktree:
      return ask(
          flow::RemoveTree{s_.bead, s_.worktree, s_.branch, s_.integrate == Integrate::branch});
    case Step::close_bead:
      if (!s_.closing) record(BeadClosing{});
      return ask(flow::CloseTask{s_.bead, "Merged by Capsule"});
    case Step::start:
    case Step::end:
    case Step::ended:
      break;
  }
}

void Decider::run_phase() {
  // An open phase was cut off: it starts again under its own number, on what it started from.
  // Where all who had begun waited to be called again, nothing is half done.
  const bool waited = std::all_of(s_.open.begin(), s_.open.end(), [this](const auto& one) {
    return now().held.contains(one.second) || now().unbegun.contains(one.second);
  });
  if (now().taken_up && !waited) return ask(take_back());
  now().taken_up = false;
  if (wants_baseline()) return check_baseline();
  // What cannot be merged anyway is found before an agent is paid.
  if (rule().commits && main_doubted()) return;
  if (!rule().needs.empty() && !now().passed_gate) {
    flow::Check gate;
    gate.number = s_.number;
    gate.tree = s_.bead;
    gate.names = rule().needs;
    gate.phase = s_.phase;
    gate.commit = s_.snapshot.commit;
    return ask(std::move(gate));
  }
  for (const PhaseRule* phase : group_of(s_.definition, s_.phase))
    if (!s_.results.contains(phase->name)) start(*phase);
}

bool Decider::wants_baseline() const {
  return !s_.baselined && s_.number == 0 && needs_baseline(s_.definition);
}

void Decider::check_baseline() {
  flow::Check command;
  command.number = kBaselineCheck;
  command.tree = s_.bead;
  command.names = {"baseline"};
  command.clean = true;
  command.commit = s_.base;
  command.red_allowed = s_.red_allowed;
  ask(std::move(command));
}

bool Decider::resumes(const PhaseRule& phase, const Agent& agent) const {
  const bool sent_back = phase.writes && !phase.commits && !judges(phase) && !s_.feedback.empty();
  if (!sent_back && !s_.cut_short.contains(phase.name)) return false;
  const Session use = phase.session == Session::unsaid ? agent.session : phase.session;
  return use != Session::fresh && s_.sessions.contains(phase.name);
}

std::string Decider::follow_up(const PhaseRule& phase) const {
  if (!s_.cut_short.contains(phase.name)) return kSentBack;
  if (s_.last.phase != phase.name || s_.last.fault != Fault::no_signal) return kCutShort;
  return kNoSignal + s_.last.feedback;
}

void Decider::start(const PhaseRule& phase) {
  const auto open = s_.open.find(phase.name);
  const int number = open != s_.open.end() ? open->second : s_.number + 1;
  const Agent& agent = now().agents[phase.name];
  // One that waited when the run was left goes on where it was, as it would have then.
  const bool waited = now().held.erase(number) > 0 && s_.sessions.contains(phase.name);
  const bool never_called = now().unbegun.erase(number) > 0;
  const bool goes_on = waited || ((open == s_.open.end() || never_called) && resumes(phase, agent));
  const int session = goes_on ? s_.sessions.at(phase.name) : s_.starts + 1;
  record(PhaseStarted{phase.name, number, s_.attempt, s_.feedback, agent.provider, agent.model,
                      false, session});
  flow::StartAgent command;
  command.agent = number;
  command.role = phase.name;
  command.settings = flow::Settings::phase;
  command.provider = phase.provider;
  command.model = phase.model;
  command.timeout_seconds = phase.timeout_seconds;
  command.task = s_.bead;
  command.attempt = s_.attempt;
  command.tree = s_.bead;
  command.settle = phase.writes ? flow::Settle::leave : flow::Settle::take_back;
  command.judges = !phase.writes || (judges(phase) && !phase.edits);
  command.dialect = flow::Dialect::contract;
  command.prompt.file = phase.prompt;
  command.prompt.feedback = s_.feedback;
  command.session = flow::session_id(s_.run, session);
  command.resume = goes_on;
  if (goes_on) command.prompt.follow_up = waited ? kCutShort : follow_up(phase);
  if (phase.commits) command.env["CAPSULE_COMMIT_MSG"] = s_.bead + ": " + s_.title;
  if (!s_.on_branch.empty()) command.env["CAPSULE_BRANCH"] = s_.on_branch;
  now().running[number] = phase.name;
  turn_.commands.emplace_back(std::move(command));
}

void Decider::keep() {
  flow::Keep command;
  command.tree = s_.bead;
  command.label = std::to_string(number_of_phase()) + "-" + s_.phase;
  command.message = s_.phase + ": " + printable(s_.last.summary);
  command.parent = s_.snapshot.commit.empty() ? s_.base : s_.snapshot.commit;
  for (const PhaseRule* phase : group_of(s_.definition, s_.phase))
    if (const auto found = s_.results.find(phase->name); found != s_.results.end())
      command.notes.push_back({phase->name, found->second.attempt, found->second.status,
                               found->second.summary, found->second.feedback});
  // Last: whether a phase left an entry is seen by what is new in its section.
  if (s_.newest_check) command.notes.push_back(*s_.newest_check);
  // The worklog grows with every review. Two trees that differ in it alone are the same for a
  // review that repeats its words.
  const bool repeats = !judges(rule()) || (s_.last.status == Status::needs_work &&
                                           s_.reviewed_feedback == s_.last.feedback);
  if (s_.reviewed_by == s_.phase && repeats) command.same_as = s_.reviewed_tree;
  ask(std::move(command));
}

void Decider::archive() {
  flow::Archive command{s_.bead, s_.worktree, s_.bead};
  if (s_.newest_check) command.notes.push_back(*s_.newest_check);
  ask(std::move(command));
}

void Decider::check() {
  flow::Check command;
  command.number = number_of_phase();
  command.tree = s_.bead;
  command.names = rule().checks;
  command.clean = rule().clean;
  command.phase = s_.phase;
  command.passed_claim = std::all_of(s_.results.begin(), s_.results.end(), [](const auto& result) {
    return result.second.status == Status::pass;
  });
  if (rule().any)
    command.passed_claim = std::any_of(s_.results.begin(), s_.results.end(), [](const auto& r) {
      return r.second.status == Status::pass;
    });
  command.claims_files = group_of(s_.definition, s_.phase).size() == 1;
  command.files_changed = s_.last.files_changed;
  command.commit = s_.snapshot.commit;
  command.previous = rule().commits ? s_.base : s_.previous_commit;
  command.base = s_.base;
  command.tests = s_.tests_commit;
  command.signed_off = s_.signed_commit;
  command.accepted = s_.accepted_commit;
  // Who wrote which test is not known.
  if (s_.by_hand && s_.tests_commit.empty()) std::erase(command.names, "tests-untouched");
  command.request = request();
  command.allowed = s_.allowed;
  command.red_allowed = s_.red_allowed;
  if (rule().commits) command.head = s_.snapshot.head;
  ask(std::move(command));
}

void Decider::approve() {
  if (s_.question == 0) {
    ApprovalAsked fact{s_.phase, number_of_phase(), s_.questions + 1, s_.about};
    if (s_.about == Approval::guard) fact.files = s_.guard.files, fact.detail = s_.guard.detail;
    record(std::move(fact));
  }
  const flow::Waiting wait = waiting_of(s_);
  flow::Ask command;
  command.question = wait.question;
  command.task = wait.task;
  command.text = wait.text;
  command.context = wait.context;
  command.tree = s_.bead;
  if (s_.newest_check) command.notes.push_back(*s_.newest_check);
  flow::WorklogEntry asks;
  asks.phase = s_.phase;
  asks.summary = wait.text;
  asks.waits = true;
  command.notes.push_back(std::move(asks));
  ask(std::move(command));
}

bool Decider::main_doubted() {
  if (!s_.ground.doubted() || s_.integrate == Integrate::branch) return false;
  const auto name = [this](int agent) { return flow::agent_words(s_.agents, agent); };
  record(MergeRefused{MergeRefusal::main_moved, flow::main_moved_text(s_.ground.main.front(), name,
                                                                      "capsule merge " + s_.bead)});
  return true;
}

std::string Decider::request() const { return s_.title + "\n" + s_.request; }

void Decider::merge() {
  if (main_doubted()) return;
  const bool asks = s_.integrate == Integrate::ask && !s_.approved;
  if (!asks) record(MergeIntended{});
  flow::Merge command;
  command.tree = s_.bead;
  command.task = s_.bead;
  command.title = s_.title;
  const bool commits = std::any_of(s_.definition.phases.begin(), s_.definition.phases.end(),
                                   [](const PhaseRule& phase) { return phase.commits; });
  command.of = commits ? flow::Merge::Of::branch : flow::Merge::Of::kept;
  command.branch = s_.branch;
  command.base = s_.base;
  command.was_signed_off = s_.signed_off;
  command.signed_off = s_.signed_commit;
  command.tests = s_.tests_commit;
  command.claimed.assign(s_.claimed.begin(), s_.claimed.end());
  command.request = request();
  command.allowed = s_.allowed;
  // What was signed off in a fresh checkout was tested as it will be on main. What is only to
  // stand on its branch was checked as its workflow says.
  const bool clean =
      std::any_of(s_.definition.phases.begin(), s_.definition.phases.end(),
                  [](const PhaseRule& phase) { return phase.signs_off && phase.clean; });
  command.test = clean || s_.definition.finish == Finish::branch ? flow::Merge::Test::when_unseen
                                                                 : flow::Merge::Test::always;
  command.into = asks                                ? flow::Merge::Into::nowhere
                 : s_.integrate == Integrate::branch ? flow::Merge::Into::branch
                                                     : flow::Merge::Into::main;
  command.edited = s_.approved;
  command.shown = s_.snapshot.commit;
  ask(std::move(command));
}

Turn advance(State& s, std::vector<PipelineFact> given,
             const std::vector<flow::Observation>& observations, const std::string&, Apply apply) {
  Turn turn;
  Decider decider(s, turn, apply);
  for (PipelineFact& fact : given) decider.record(std::move(fact));
  for (const flow::Observation& observation : observations) std::visit(decider, observation);
  // Deciding may end the run, which leaves nothing more to do, or reach a step that needs no
  // command.
  for (std::size_t facts = turn.facts.size() + 1; facts != turn.facts.size();) {
    facts = turn.facts.size();
    decider.decide();
  }
  return turn;
}

}  // namespace capsule::phases
