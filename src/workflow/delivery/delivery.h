// The delivery workflow, as a pure function of what has happened: no clock, disk, process,
// environment or randomness. A whole plan goes Developer, Critic, Auditor, merge, with rework,
// remediation, experts, file conflicts, checkpoints and questions; rules:
// docs/contracts/delivery.md.
//
// The loop, for the one who writes the runner:
//
//   State state;                                   // empty, or replayed: apply() every fact
//   Turn turn = advance(state, {DeliveryStarted{…}});   // or DeliveryResumed, after a replay
//   for (;;) {
//     journal(turn.facts);                         // one append; if it fails, throw the state away
//     for (const Command& c : turn.commands) carry_out(c);
//     if (state.outcome != Outcome::none) break;   // DeliveryEnded is journaled: report, exit
//     turn = advance(state, wait_for_the_world()); // AgentFinished, MergeDone, QuestionAnswered, …
//   }
//
// - `advance` applies the observations, then decides until nothing is left to decide. Its facts are
//   the observations, the decisions and the announcements, in the order in which they must be
//   journaled; its commands are to be carried out only once the facts are safe.
// - Each StartAgent, Merge, RunVerify and SetTimer is answered by exactly one observation
//   (AgentFinished, MergeDone or MergeRefused, VerifyFinished, FileWaitExpired); several
//   observations may be given at once. What does not fit any more (an agent that is no longer
//   known, a second answer, an old timer) is passed over, so nothing has to be filtered.
// - EndAgent: end its process tree; its AgentFinished (fault idle) is awaited as usual.
// - Time comes in only as AgentIdle, FileWaitExpired and the fault timed_out.
// - When `waits_for_person(state)` nothing runs and only an answer brings the delivery on: an
//   unattended runner stops there (exit 1), one with a terminal waits.
// - After a crash: apply() all facts, then advance(state, {DeliveryResumed}) (with PlanChanged when
//   the file changed). Reviews and audits that were in flight are started again, developers go on
//   (Why::taken_up), an open merge is asked for again: the runner looks whether main has it already
//   and says MergeDone{adopted}. Timers are set again. Before it, snapshot what is half done.
// - A stop by a person: end the agents, give AgentFinished{fault interrupted} for each or nothing
// at
//   all, and leave; it is taken up like a crash.
// - RunVerify{health}: run the verify commands where remediation worked; when they are green land
//   its commits on main first, and report a failure to land as a failure.
// - RunVerify{baseline} is the first command of all; without verify commands answer at once.
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

#include "event/delivery.h"

namespace capsule::delivery {

using namespace event::delivery;  // NOLINT: the facts are this folder's vocabulary

// ---- Commands

struct StartAgent {
  int agent = 0;
  Role role{};
  std::string task;  // empty for the plan analyst, remediation and the health auditor
  int attempt = 1;
  Why why{};
  std::string context;               // for the prompt: findings, answer, advice, conflict …
  std::vector<std::string> notices;  // coordination: files that others hold
  int continue_session_of = 0;       // 0: a new session
  std::string expert;                // its name, role expert
  std::string request;               // its id, role expert
};
struct EndAgent {
  int agent = 0;
};
struct Merge {
  std::string task;
};
struct RunVerify {
  VerifyPurpose purpose{};
};
struct AskPerson {
  int question = 0;  // see State::questions
};
struct SetTimer {  // for the file wait; give FileWaitExpired{task, wait} when it fires
  std::string task;
  int wait = 0;
};
using Command = std::variant<StartAgent, EndAgent, Merge, RunVerify, AskPerson, SetTimer>;

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
};

struct TaskState {
  Task task;  // as expanded by the business analyst, when it was
  Stage stage = Stage::blocked;
  Hold hold = Hold::none;
  int agent = 0;  // that works on it now; 0: none. Experts do not count
  int open_blockers = 0;
  std::vector<int> unblocks;    // direct dependants
  std::vector<int> awaited_by;  // tasks that hold for this one

  std::array<int, kFailureKinds> failures{};
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
  std::vector<std::string> unsettled;  // findings, answers and advice since the last review
  bool resume = false;                 // in the newest session of its role
  std::vector<std::string> notices;

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
  FailCause cause{};        // when failed
  std::string detail;       // why it failed, for people
  std::string commit;       // on main
  std::vector<std::string> merged_files;
  std::vector<Run> runs;
};

struct Agent {
  int number = 0;
  Role role{};
  int task = -1;  // index; -1: none
  int attempt = 1;
  int session = 0;
  Why why{};
  int delegation = 0;   // experts: what they work for
  bool ending = false;  // EndAgent was decided
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
  enum class Step { none, mend, mending, judge, judging, verify, verifying, expert, person };
  Step step = Step::none;
  int round = 0;
  int attempt = 0;  // in this round
  std::array<int, signal::kRoleCount> attempts{}, sessions{};
  Talk talk;
  int expert_requests = 0, questions = 0;
  Step after = Step::none;  // which of mend and judge goes on after expert or person
  Why why{};
  bool resume = false;
  std::string issue, context;
  std::vector<int> blocked;  // tasks that wait for its end
};

// Everything that board, status, report and replay need. Tasks, questions, files and delegations
// are named by their index or number, so that a state can be copied.
struct State {
  bool started = false;
  Outcome outcome = Outcome::none;
  std::string plan, title, overview, provider;
  Slots slots;
  Limits limits;
  bool with_experts = false;

  std::vector<TaskState> tasks;                // in the order of the plan
  std::unordered_map<std::string, int> index;  // id to task
  std::map<int, Agent> agents;                 // that run now, by number
  std::vector<Question> questions;             // number - 1
  std::vector<File> files;
  std::unordered_map<std::string, int> file_index;
  std::vector<Delegation> delegations;  // number - 1
  std::map<std::string, Expert> experts;
  Remediation remediation;
  std::vector<std::string> baseline;  // verify commands that failed at the start

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
  enum class Prelude { none, baseline, verifying, analyst, analysing, done };
  Prelude prelude = Prelude::none;
  Talk analyst_talk;
  int analyst_attempts = 0, analyst_session = 0;
  Why analyst_why = Why::fresh;
  bool halted = false;
  std::vector<DeliveryFact> announcements;  // of the newest apply; taken by advance
};

// Folds one fact into the state. Facts that do not fit are passed over.
void apply(State& state, const DeliveryFact& fact);

struct Turn {
  std::vector<DeliveryFact> facts;
  std::vector<Command> commands;
};
// Requires: observations only, or nothing (then it decides what is left to decide).
Turn advance(State& state, const std::vector<DeliveryFact>& observations);

// ---- What people and programs ask

// Nothing runs, nothing can be started, and at least one question is open.
bool waits_for_person(const State& state);
std::vector<int> open_questions(const State& state);  // numbers
// Whether a text may answer the question: one of its options, in any case, when it has some.
bool accepts(const Question& question, std::string_view text);

struct Summary {
  std::vector<std::string> completed, failed, waiting;  // ids, in the order of the plan
};
Summary summary_of(const State& state);
// 0: all complete; 1: some failed or wait for a person.
int exit_code(const State& state);

// Failures that were not there at the start.
std::vector<std::string> introduced(const State& state, const std::vector<std::string>& failures);

}  // namespace capsule::delivery
