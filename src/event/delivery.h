// The facts of a delivery, and their wire form: what the journal holds about a whole plan. Pure
// values.
//
// Three sorts of facts. *Observations* come from the world, by the runner. *Decisions* come from
// the workflow and are journaled before they are carried out: who is started, what is merged, who
// is asked. *Announcements* are consequences that people and programs want to read (a task failed,
// a signal was not recognised); the state follows from the others, so replay passes them over.
//
// The wire form is a JSON object a fact; readers ignore members they do not know.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/one_of.h"
#include "base/result.h"
#include "event/common.h"
#include "signal/miss.h"
#include "signal/vocabulary.h"

namespace capsule::event::delivery {

using event::Fault;
using event::GroundMoved;
using event::MergeRefusal;
using event::name_of;
using signal::Role;
using signal::Signal;

// Every loop of a delivery has its limit here. "The N-th" means: N-1 times it goes on, the N-th
// time ends it.
struct Limits {
  int task_failures = 3;         // the N-th of one kind (see FailureKind) fails the task
  int unknown_redispatches = 3;  // the N-th agent without a recognisable signal fails the task
  int signal_requests = 3;  // how often one agent is asked for its signal, CHECKPOINTs included
  int restarts = 3;         // the N-th agent that died, timed out or was idle fails the task
  int critic_timeouts = 3;  // the N-th in one review: on to the audit
  int expert_requests = 3;  // of one task that are carried out; one more asks a person
  int questions = 5;        // of one task; one more fails it
  int merge_rework = 3;     // the N-th refused merge fails the task
  int file_waits = 3;       // the N-th FILE CONFLICT, or expired wait, asks a person
  int remediation_attempts = 10;  // of one round; then a person chooses
  bool operator==(const Limits&) const = default;
};

struct Slots {
  int developers = 5;
  int critics = 5;
  int auditors = 5;
  bool operator==(const Slots&) const = default;
};

// A task, as the plan or a bead states it.
struct Task {
  std::string id, title, phase;  // phase: the heading it stands under, for people
  std::string work;
  std::vector<std::string> criteria;
  std::vector<std::string> blocked_by;
  std::vector<std::string> reading;
  std::vector<std::string> files;      // stated
  std::vector<std::string> predicted;  // files that it will probably touch, stated ones first
  std::string environment;
  bool unclear = false;  // without criteria, scope or place: the business analyst goes first
  int line = 0;          // in the plan file; 0 when it is not from one
  bool operator==(const Task&) const = default;
};

struct Field {
  std::string label, text;
  bool operator==(const Field&) const = default;
};
// Of a signal that stands several times: the fields of each but the first follow one with this
// label, whose text is its argument.
inline constexpr std::string_view kAlso = "Also";

enum class FailureKind {
  review,
  audit,
  claims,
  incomplete,
  blocked,
  merge,
  unknown,
  restart,
  questions,
};
inline constexpr std::size_t kFailureKinds = 9;

// Why an agent is started, so that its prompt can say so.
enum class Why {
  fresh,
  review_failed,  // context: findings, required fixes, priority
  audit_failed,
  merge_failed,  // context: the conflict, or what verify printed
  refuted,
  restarted,           // the one before died, timed out or was idle
  signal_failed,       // the one before printed no signal three times: explicit formats
  signal_request,      // the same session: print the signal, in its exact format
  checkpoint_request,  // the same session, which printed nothing that counts: CHECKPOINT, or the
                       // signal
  answered,            // context: the question and the person's answer
  advised,             // context: the expert's advice
  file_free,           // the file it waited for is its own now
  coordinated,         // it goes on although a file is held by another; see the notices
  dependency_done,     // the task that it waited for is complete
  remediated,          // the infrastructure was mended
  taken_up,            // the coordinator was cut off; half-done work is in the worktree
  retried,             // it had failed; what was done then is in the worktree. context: why
  not_approved,        // by a person, before the merge. context: their words
};

enum class QuestionKind {
  clarification,        // an agent's own; the answer goes to its session
  missing_information,  // TASK_INCOMPLETE
  low_confidence,       // the business analyst's expansion; the answer goes to the developer
  expert,               // unknown or unsuccessful expert, or too many requests
  file_wait,
  remediation,   // answers: retry, override, halt
  removed_task,  // answers: keep, remove
  merge,         // something that no developer can change is in the way; answers: retry, rework
  main_moved,    // while agents ran, and not by Capsule; the answer: keep
  approval,      // before the merge; answers: approve, or what to do otherwise
  guard,         // it changes what checks do; answers: allow, or what to do otherwise
  main_red,      // the checks fail on main, whatever is merged; answers: retry, remedy, halt
};

enum class VerifyPurpose { baseline, health };
enum class Outcome { none, complete, incomplete, halted };  // incomplete: some failed or removed
enum class FailCause { limit, dependency, removed };

// Who works in a role, as configured when the delivery began or was taken up.
struct RoleAgent {
  Role role{};
  std::string provider, model;  // model empty: the provider's default
  bool operator==(const RoleAgent&) const = default;
};

// ---- Observations

struct DeliveryStarted {
  std::string plan, title, overview, provider;
  std::vector<Task> tasks;  // checked: unique ids, known references, no cycle
  Slots slots;
  Limits limits;
  bool experts = false;                    // a plan analyst goes first
  std::vector<std::string> known_experts;  // that are there already
  bool tracked = false;                    // tasks are beads: each is closed once it is complete
  bool red_allowed = false;                // the project's checks may fail before anybody works
  std::vector<RoleAgent> agents = {};      // empty: not known
  Integrate integrate{};                   // unsaid, in earlier versions: merge
  std::string branch = {};                 // integrate: branch: that takes the tasks in turn
  bool attended = true;                    // somebody is there to answer, or has answered before
  bool operator==(const DeliveryStarted&) const = default;
};
// The same plan is taken up again, after a crash, a stop, or while tasks wait for a person.
struct DeliveryResumed {
  Slots slots;
  Limits limits;
  bool retry_failed = false;  // failed tasks begin again, with limits of their own
  // Tasks are beads, also where the start does not say so: journals of version 1 never do, and
  // have no facts of what was closed.
  bool tracked = false;
  bool red_allowed = false;
  std::vector<RoleAgent> agents = {};  // empty: as before
  Integrate integrate{};               // unsaid: as before
  bool attended = true;
  bool operator==(const DeliveryResumed&) const = default;
};
struct PlanChanged {
  std::vector<Task> added;
  std::vector<Task> changed;  // not begun yet; those that were begun keep what they have
  std::vector<std::string> removed;
  bool operator==(const PlanChanged&) const = default;
};
struct AgentFinished {
  int agent = 0;
  Signal signal = Signal::unknown;
  std::string argument;           // what stands after the signal's colon; a file, expert or request
  std::vector<std::string> more;  // of signals that may stand several times
  std::vector<Field> fields;
  std::string preview;        // of the output, at most 200 characters
  Fault fault = Fault::none;  // none: `signal` counts, `unknown` included
  std::string detail;         // for people: which limit, which exit status, what was refuted
  std::string snapshot;       // ref of what it left
  bool wrote = false;         // a reader changed the worktree; the change was discarded
  std::int64_t duration_ms = 0;
  std::int64_t cost_micros = 0;
  int exit_code = 0;        // 128 + n when signal n ended it
  std::string log;          // empty: not known
  signal::Miss miss{};      // of an unknown signal: why what it printed does not count
  std::string missed_line;  // that was perhaps meant as the signal; see signal/miss.h
  bool operator==(const AgentFinished&) const = default;
};
// A developer was silent for the checkpoint interval, and is really idle: process, output and files
// stand still. Those that only think are not told.
struct AgentIdle {
  int agent = 0;
  bool operator==(const AgentIdle&) const = default;
};
struct MergeDone {
  std::string task, commit;
  std::vector<std::string> files;
  bool adopted = false;             // found done when the delivery was taken up again
  bool nothing = false;             // no file differs from main: there was nothing to merge
  std::vector<CheckRun> runs = {};  // what the merged files were checked by
  std::vector<Claim> claims = {};   // that differ: what a person should know of it
  TestEvidence evidence = {};
  bool operator==(const MergeDone&) const = default;
};
struct MergeRefused {
  std::string task;
  MergeRefusal why{};
  std::string detail;
  std::vector<std::string> guarded = {};  // files that say what checks do, changed unasked
  std::string guard_stat = {};            // by how many lines
  bool asks = false;                      // a person is there, and is asked about them
  std::vector<std::string> failed = {};   // verify_failed, main_red: the commands
  std::string main = {};                  // main_red: the commit that main was at
  bool operator==(const MergeRefused&) const = default;
};
// The work was merged and tested as a trial: main is where it was, and a person is asked.
struct MergeTried {
  std::string task;
  std::string folder;              // where a person may still change files
  std::string onto;                // the main that it was tried on
  std::vector<std::string> files;  // that it changes, the first of them
  int changed = 0;                 // how many these are in all
  std::vector<CheckRun> runs;
  bool operator==(const MergeTried&) const = default;
};
struct VerifyFinished {
  VerifyPurpose purpose{};
  std::vector<std::string> failures;  // one name a failing command; empty: healthy, or none is set,
                                      // as detail says then
  std::string detail;
  Baseline state{};  // of the baseline
  std::vector<CheckRun> runs = {};
  bool operator==(const VerifyFinished&) const = default;
};
struct QuestionAnswered {
  int question = 0;
  std::string text, by;
  bool operator==(const QuestionAnswered&) const = default;
};
// No agent had been told the answer: the question is open again.
struct AnswerTakenBack {
  int question = 0;
  bool operator==(const AnswerTakenBack&) const = default;
};
struct FileWaitExpired {
  std::string task;
  int wait = 0;  // the number that SetTimer carried: an old timer means nothing
  bool operator==(const FileWaitExpired&) const = default;
};
struct TaskClosed {  // in the tracker
  std::string task;
  bool operator==(const TaskClosed&) const = default;
};
struct TaskCloseFailed {  // it is tried again when the delivery is taken up
  std::string task, detail;
  bool operator==(const TaskCloseFailed&) const = default;
};
struct TreeRemoved {
  std::string tree;  // a task's id, "+analysis" or "+remediation-2"
  bool operator==(const TreeRemoved&) const = default;
};
struct TreeRemoveFailed {  // it is tried again when the delivery is taken up
  std::string tree, detail;
  bool operator==(const TreeRemoveFailed&) const = default;
};
// What an agent left that ended with its coordinator is kept, or taken back.
struct TreeSettled {
  std::string tree;
  std::vector<std::string> took_back;  // paths
  std::string detail;                  // why it could not be
  bool operator==(const TreeSettled&) const = default;
};
struct MainMoved {  // by somebody else, while this tree was being merged: nothing was done
  std::string tree;
  bool operator==(const MainMoved&) const = default;
};
struct RepairDone {  // what remediation made is on main
  int round = 0;
  std::string commit;
  std::vector<std::string> files;
  bool adopted = false;  // found done, or there was nothing to merge: main is still to be checked
  bool operator==(const RepairDone&) const = default;
};

// ---- Decisions

struct AgentDispatched {
  int agent = 0;  // counts from 1
  Role role{};
  std::string task;  // empty for the plan analyst, remediation and the health auditor
  int attempt = 1;   // of this role on this task
  int session = 0;   // the agent that began the session; its own number: a new one
  Why why{};
  std::string expert;   // the expert's name
  std::string request;  // "request-7"; what EXPERT_ADVICE has to name
  bool operator==(const AgentDispatched&) const = default;
};
struct MergeIntended {
  std::string task;
  bool operator==(const MergeIntended&) const = default;
};
struct RepairIntended {
  int round = 0;
  bool operator==(const RepairIntended&) const = default;
};
struct TaskClosing {  // complete: to be closed in the tracker
  std::string task;
  bool operator==(const TaskClosing&) const = default;
};
struct VerifyStarted {
  VerifyPurpose purpose{};
  bool operator==(const VerifyStarted&) const = default;
};
struct QuestionAsked {
  int question = 0;  // counts from 1
  QuestionKind kind{};
  std::string task;  // empty: remediation
  int agent = 0;     // who asked; 0: the workflow
  std::string text, context;
  std::vector<std::string> options;  // not empty: the answer is one of these
  bool operator==(const QuestionAsked&) const = default;
};
struct FileWaitStarted {
  std::string task, file, holder;
  int wait = 0;
  bool operator==(const FileWaitStarted&) const = default;
};
struct AgentEnded {  // the workflow wants it ended; its AgentFinished follows
  int agent = 0;
  bool operator==(const AgentEnded&) const = default;
};
struct DeliveryEnded {
  Outcome outcome{};
  bool operator==(const DeliveryEnded&) const = default;
};

// ---- Announcements

struct TaskCompleted {
  std::string task, commit;
  bool operator==(const TaskCompleted&) const = default;
};
struct TaskFailed {
  std::string task;
  FailCause cause{};
  FailureKind kind{};   // when the cause is a limit
  std::string blocker;  // when it is a dependency
  std::string detail;
  bool operator==(const TaskFailed&) const = default;
};
struct TaskReworked {
  std::string task;
  FailureKind kind{};
  int times = 0;
  bool operator==(const TaskReworked&) const = default;
};
struct ReviewSkipped {  // the critic timed out too often: on to the audit
  std::string task;
  bool operator==(const ReviewSkipped&) const = default;
};
struct TaskExpanded {
  std::string task, confidence;
  bool operator==(const TaskExpanded&) const = default;
};
struct UnknownSignalRecovery {  // "unknown_signal_recovery"
  std::string task_id;
  int agent_id = 0;
  int attempt = 0;
  std::string level;  // "warning" the first time, "error" the second
  std::string output_preview;
  bool operator==(const UnknownSignalRecovery&) const = default;
};
struct AgentSignalFailure {  // "agent_signal_failure"
  std::string task_id;
  int agent_id = 0;
  std::string reason;  // "3_consecutive_unknown_signals"
  bool operator==(const AgentSignalFailure&) const = default;
};
struct CheckpointReceived {
  std::string task;
  int agent = 0;
  std::string progress, activity, blockers;
  bool operator==(const CheckpointReceived&) const = default;
};
struct RemediationEntered {
  int round = 0;
  std::string task, issue;
  bool operator==(const RemediationEntered&) const = default;
};
struct RemediationLeft {
  int round = 0;
  bool overridden = false;
  bool operator==(const RemediationLeft&) const = default;
};
struct ExpertDelegated {
  std::string expert, task, request;
  int asker = 0;
  bool operator==(const ExpertDelegated&) const = default;
};
struct ExpertRegistered {
  std::string expert, supports, gap;
  bool operator==(const ExpertRegistered&) const = default;
};
struct FileCoordinated {  // runs although the holder has the file
  std::string task, file, holder;
  bool operator==(const FileCoordinated&) const = default;
};

// A person had it stop where nothing is lost. It has not ended: DeliveryResumed brings it on.
struct DeliveryPaused {
  bool operator==(const DeliveryPaused&) const = default;
};

struct DeliveryFact
    : std::variant<DeliveryStarted, DeliveryResumed, PlanChanged, AgentFinished, AgentIdle,
                   MergeDone, MergeRefused, VerifyFinished, QuestionAnswered, FileWaitExpired,
                   AgentDispatched, MergeIntended, VerifyStarted, QuestionAsked, FileWaitStarted,
                   AgentEnded, DeliveryEnded, TaskCompleted, TaskFailed, TaskReworked,
                   ReviewSkipped, TaskExpanded, UnknownSignalRecovery, AgentSignalFailure,
                   CheckpointReceived, RemediationEntered, RemediationLeft, ExpertDelegated,
                   ExpertRegistered, FileCoordinated, TaskClosing, TaskClosed, TaskCloseFailed,
                   TreeRemoved, TreeRemoveFailed, TreeSettled, MainMoved, RepairIntended,
                   RepairDone, GroundMoved, MergeTried, AnswerTakenBack, DeliveryPaused> {
  CAPSULE_COMPILED_ONCE(DeliveryFact);
};

std::string_view kind_of(const DeliveryFact& fact);  // "delivery_started", …
std::string body_of(const DeliveryFact& fact);       // compact JSON
Result<DeliveryFact> read_fact(std::string_view kind, std::string_view body);  // or damaged
bool is_kind(std::string_view kind);  // whether a fact of the journal belongs to a delivery

std::string_view name_of(FailureKind);
std::string_view name_of(Why);
std::string_view name_of(QuestionKind);
std::string_view name_of(VerifyPurpose);
std::string_view name_of(Outcome);
std::string_view name_of(FailCause);

}  // namespace capsule::event::delivery
