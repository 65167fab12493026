// The delivery workflow, as a pure function of what has happened: no clock, disk, process,
// environment or randomness. A whole plan goes Developer, Critic, Auditor, merge, with rework,
// remediation, experts, file conflicts, checkpoints and questions; rules:
// docs/contracts/delivery.md.
//
// - `advance` folds what is given and what was observed, then decides until nothing is left to
//   decide. Its facts are in the order in which they must be journaled; its commands are to be
//   carried out only once the facts are safe.
// - What does not fit any more (an agent that is no longer known, a second answer, an old timer) is
//   passed over, so nothing has to be filtered.
// - Given facts are a person's: DeliveryStarted, DeliveryResumed, PlanChanged. After a crash, a
//   stop, or an end that can be gone on from, DeliveryResumed takes the delivery up: what agents
//   left half done is kept or taken back first, reviews and audits begin again, developers go on
//   (Why::taken_up), and merges, checks, closings, removals, questions and timers that were open
//   are commanded again. TakenUp alone changes nothing.
// - Time comes in only as AgentIdle, TimerFired and the fault timed_out.
// - A task of a tracked delivery is closed once its merge is recorded. The delivery is complete
//   only when all of them are; one that could not be closed leaves it incomplete, and
//   DeliveryResumed tries again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/numbered.h"
#include "event/delivery.h"
#include "workflow/ground.h"
#include "workflow/step.h"
#include "workflow/summary.h"

namespace capsule::delivery {

using namespace event::delivery;  // NOLINT: the facts are this folder's vocabulary

using workflow::Ask;
using workflow::Check;
using workflow::CloseTask;
using workflow::Command;
using workflow::EndAgent;
using workflow::Keep;
using workflow::Merge;
using workflow::Observation;
using workflow::RemoveTree;
using workflow::SetTimer;
using workflow::StartAgent;
using workflow::TakeBack;

// Check::number of the two sorts of checks.
inline constexpr int kBaselineCheck = 1;
inline constexpr int kHealthCheck = 2;

// ---- State

enum class Stage {
  blocked,   // by tasks that are not complete
  analysis,  // the business analyst makes it clear
  development,
  review,
  audit,
  merge,  // in the queue, or being merged
  complete,
  failed,   // by a limit, or because a task that it needs failed
  removed,  // from the plan, by a person
};
std::string_view name_of(Stage stage);

// What keeps a task of an open stage from being worked on.
enum class Hold {
  none,         // works, or is queued for a slot
  person,       // a question is open
  expert,       // its agent waits for advice
  file,         // for a file that another task holds
  dependency,   // TASK_INCOMPLETE named a task that is not complete
  remediation,  // its agent was blocked by the infrastructure
};
std::string_view name_of(Hold hold);

// One run of an agent that ended, for the report.
struct Run {
  int agent = 0;
  Role role{};
  int attempt = 0;
  Signal signal = Signal::unknown;
  Fault fault = Fault::none;
  bool wrote = false;
  std::int64_t duration_ms = 0;
  std::int64_t cost_micros = 0;
};

// A conversation with agents of one purpose: how often they were asked for their signal.
struct Talk {
  int requests = 0;           // in this stint
  int unknowns = 0;           // in a row
  bool checkpointed = false;  // the newest answer was a CHECKPOINT
  signal::Missed missed;      // why the newest answer did not count
};

// Where what is kept by role stands.
inline std::size_t at(signal::Role role) { return static_cast<std::size_t>(role); }

struct TaskState {
  Task task;  // as expanded by the business analyst, when it was
  Stage stage = Stage::blocked;
  Hold hold = Hold::none;
  int agent = 0;  // that works on it now; 0: none. Experts do not count
  int open_blockers = 0;
  std::vector<int> unblocks;    // direct dependants
  std::vector<int> awaited_by;  // tasks that hold for this one

  std::array<int, kFailureKinds> failures{};  // and, beside them, agents that failed by themselves
  std::array<int, signal::kRoleCount> attempts{};
  std::array<int, signal::kRoleCount> sessions{};  // newest session of each role; 0: none
  Talk talk;
  int critic_timeouts = 0;  // in this review
  int expert_requests = 0;
  int questions = 0;       // that its agents asked
  std::vector<int> asked;  // numbers of all questions about it
  int file_conflicts = 0;
  int file_waits = 0;  // that expired

  std::string confidence;              // of the business analyst; empty: was not needed
  Why why = Why::fresh;                // of the run that comes next
  std::string context;                 // for it
  int answer = 0;                      // the question that this answers; 0: none
  int told = 0;                        // agents that were dispatched with it
  std::vector<std::string> unsettled;  // findings, answers and advice since the last review
  bool resume = false;                 // in the newest session of its role
  bool repeats = false;                // it is the attempt of before: that said nothing that counts
  std::vector<std::string> notices;

  bool again =
      false;  // it had failed, and nobody has worked on it since a person had it tried again
  bool doubted = false;    // the plan has it no more: a person says first whether it stays
  bool begun = false;      // a developer was started: it holds files
  std::vector<int> files;  // that it will probably touch
  std::vector<int> held;
  std::vector<int> wanted;  // by FILE CONFLICT, and not held yet; it waits for the first
  int wait = 0;             // number of the newest file wait
  long long queued = -1;    // its place in the merge queue
  int slot = -1;            // the queue it stands in; -1: none
  long long rank = 0;       // there
  int behind = -1;          // or the file that it would begin but for
  int awaits = -1;          // the task that it holds for
  std::string since;        // UTC: when it began to wait for what it waits for
  FailCause cause{};        // when failed
  std::string detail;       // why it failed, for people
  std::string commit;       // on main; empty: it changed nothing
  event::TestEvidence evidence;
  int merge_tries = 0;    // of this merge, that others were quicker than
  bool approved = false;  // a person has approved the merge, and nobody has worked on it since
  bool to_merge = false;  // it failed at its merge: who has it tried again begins with that
  bool mended = false;    // such a try
  bool edited = false;    // a person was asked about it: they may have changed files
  std::vector<std::string> guarded;  // of the newest question about such files
  std::vector<std::string> allowed;  // those that a person let pass
  bool closed = false;               // in the tracker
  std::vector<std::string> merged_files;
  std::vector<event::Claim> merge_claims;  // that differ: what a person should know of it
  std::vector<Run> runs;
};

struct Agent {
  int number = 0;
  Role role{};
  int task = -1;  // index; -1: none
  int attempt = 1;
  int session = 0;
  Why why{};
  int delegation = 0;    // experts: what they work for
  bool ending = false;   // EndAgent was decided
  bool repeats = false;  // the attempt of an agent before it
  std::string tree;
  int regretted = 0;  // the question whose answer it has not heard, and will not
};

// Every agent that was ever started, in the order of their numbers.
struct AgentRecord {
  int number = 0;
  Role role{};
  int task = -1;
  int attempt = 1;
  bool running = true;
  Signal signal = Signal::unknown;
  Fault fault = Fault::none;
  std::string detail, log;
  std::string provider, model;  // empty: not known
  std::int64_t duration_ms = 0;
  // What became of its claim: by the trees when it ended, by the checks when it was merged.
  workflow::Finding checked{};
  std::string found, why;
};

struct Question {
  int number = 0;
  QuestionKind kind{};
  int task = -1;
  int agent = 0;
  std::string text, context;
  std::vector<std::string> options;
  bool closed = false;  // answered, or its task is gone
  std::string answer, by;
  // Of its task before the answer: how long its text was, and its stage.
  std::size_t work_bytes = 0;
  Stage stage{};
  std::string since = {};  // UTC
};

using Ranked = std::set<std::pair<long long, int>>;  // best first

struct File {
  std::string name;
  int holder = -1;           // a task
  Ranked waiters;            // tasks that could begin but for this file
  std::vector<int> queue;    // tasks that asked for it by FILE CONFLICT
  long long contended = -1;  // its rank in State::contended; -1: not there
};

struct Delegation {
  int number = 0;
  std::string expert, prompt, question;
  int task = -1;  // -1: remediation asked
  int session = 0;
  int attempts = 0;
  Talk talk;
  Why why = Why::fresh;
  bool running = false, done = false;
};

struct Expert {
  std::string supports, gap;
  int running = 0;
  std::vector<int> queue;  // delegations
};

struct Remediation {
  enum class Step {
    none,
    mend,
    mending,
    judge,
    judging,
    verify,     // healthy, the agents say: the repair is merged, which tests it, or main is checked
    merging,    // the repair
    verifying,  // main
    expert,
    person,
  };
  Step step = Step::none;
  int round = 0;
  int attempt = 0;   // in this round
  int restarts = 0;  // in this round, of agents that failed by themselves
  std::array<int, signal::kRoleCount> attempts{}, sessions{};
  Talk talk;
  int expert_requests = 0, questions = 0;
  Step after = Step::none;  // which of mend and judge goes on after expert or person
  Why why{};
  bool resume = false;
  std::string issue, context;
  std::vector<int> blocked;  // tasks that wait for its end
  bool on_main = false;      // the repair, but main was not checked with it
  int merge_tries = 0;
};

// Everything that board, status, report and replay need. Tasks, questions, files and delegations
// are named by their index or number, so that a state can be copied.
struct State {
  std::string run;  // its id, from whoever makes the state: no fact holds it
  std::string at;   // of the facts that are folded now
  bool started = false;
  Outcome outcome = Outcome::none;
  std::string plan, title, overview, provider;
  Slots slots;
  Limits limits;
  std::vector<RoleAgent> roles;  // who works in them now
  bool with_experts = false;
  bool tracked = false;  // tasks are beads, to be closed

  Numbered<TaskState> tasks;                   // in the order of the plan
  std::unordered_map<std::string, int> index;  // id to task
  std::map<int, Agent> agents;                 // that run now, by number
  Numbered<Question> questions;                // number - 1
  Numbered<File> files;
  std::unordered_map<std::string, int> file_index;
  Numbered<Delegation> delegations;  // number - 1
  std::map<std::string, Expert> experts;
  Remediation remediation;
  std::vector<std::string> baseline;  // checks that failed at the start, and still do
  bool red_allowed = false;           // they may
  event::Integrate integrate = event::Integrate::merge;  // never unsaid
  std::string branch;           // integrate: branch: that takes the tasks in turn
  std::string no_ground;        // why nobody can work on what main is; empty: they can
  std::set<std::string> trees;  // that agents were given, until they are removed
  Numbered<AgentRecord> history;
  std::string newest_commit;  // that a task became; empty: none
  workflow::GroundState ground;
  // Main fails by itself at this commit: nothing is merged until a person has looked, or
  // remediation has mended it. Empty: it does not, as far as is known.
  std::string red_main;
  int red_main_asked = 0;  // how often in a row
  bool can_ask = true;     // somebody is there to answer, or has left answers; as recorded
  std::int64_t checks_ms = 0;

  int next_agent = 1;
  int dispatched = 0;       // agent runs so far: what the bound limits
  int cut_off = 0;          // runs that ended with a coordinator; they begin again, and count once
  int busy[3] = {0, 0, 0};  // developers with business analysts, critics, auditors at work
  int finished = 0;         // tasks that are complete, failed or removed
  int merging = -1;
  std::int64_t cost_micros = 0;

  // Private to the workflow.
  Ranked queue[3];   // tasks that want a developer, critic or auditor
  Ranked contended;  // files that developers hold and others want, by the best who waits
  Ranked merges;     // in the order of arrival
  int delegations_queued = 0;
  std::vector<int> to_ask, to_wait, to_end;  // questions, tasks and agents: decided next
  long long arrivals = 0;
  enum class Prelude { none, baseline, verifying, refused, analyst, analysing, done };
  Prelude prelude = Prelude::none;
  Talk analyst_talk;
  int analyst_attempts = 0, analyst_session = 0;
  Why analyst_why = Why::fresh;
  bool halted = false;
  bool paused = false;                                     // that is the newest fact
  std::set<int> to_close, closing, not_closed;             // tasks; not_closed: it failed
  std::set<std::string> to_remove, removing, not_removed;  // trees
  std::map<std::string, Role> to_settle;  // trees, and whose agent left them half done
  std::set<std::string> settling;
  // Of this process: no fact tells of it.
  std::map<int, bool> waiting;  // agents that do not work yet; true: for their task's sake alone
  bool attended = false;        // a person is there to be asked
  std::optional<workflow::Stop> stop;
  // Agents or commands were: a stop that is more than a pause is on its way.
  bool ended_by_person = false;
  std::vector<DeliveryFact> announcements;  // of the newest apply; taken by advance
};

// Folds one fact into the state. Facts that do not fit are passed over.
void apply(State& state, const DeliveryFact& fact);

struct Turn {
  std::vector<DeliveryFact> facts;
  std::vector<Command> commands;
};
// Requires: what is given is a person's, as said above.
Turn advance(State& state, const std::vector<DeliveryFact>& given,
             const std::vector<Observation>& observations = {});

// ---- What people and programs ask

// Nothing runs, nothing can be started, and at least one question is open.
bool waits_for_person(const State& state);
// A person asked to stop, and what had to end for that has ended; the delivery has not.
bool stopped(const State& state);
std::vector<int> open_questions(const State& state);  // numbers
// Whether a text may answer the question: one of its options, in any case, when it has some.
bool accepts(const Question& question, std::string_view text);

// "developer of T-1 (agent 4)".
std::string agent_words(const State& state, int number);

struct Summary {
  std::vector<std::string> completed, failed, waiting;  // ids, in the order of the plan
};
Summary summary_of(const State& state);
// Ids of tasks that are complete and that the tracker still has as open, as far as is known. Not
// empty: the delivery has to be taken up, also one that had ended.
std::vector<std::string> unclosed(const State& state);
// Whether DeliveryResumed brings it on.
bool can_go_on(const State& state);
workflow::RunSummary run_summary(const State& state);
// Of one agent, the same as stands there; nullopt: there is none of that number.
std::optional<workflow::AgentSummary> agent_summary(const State& state, int number);
// 0: all complete, and closed; 1: some failed, wait for a person or could not be closed; 2: the
// checks say that nobody can work on what main is.
int exit_code(const State& state);

// Failures that were not there at the start.
std::vector<std::string> introduced(const State& state, const std::vector<std::string>& failures);

}  // namespace capsule::delivery
