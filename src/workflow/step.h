// What any workflow can ask of the world (commands) and what the world can tell it (observations):
// one vocabulary for all of them. Values only: whoever carries a command out never sees a
// workflow's state, and a workflow never sees a clock, disk, process or repository.
//
// Each command but EndAgent, Park and Unpark is answered by exactly one observation, sooner or
// later: the one that is named beside it, or CommandFailed. Every command may be given again after
// a crash; the world then finds what is done already and says so.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/one_of.h"
#include "base/result.h"
#include "event/common.h"
#include "event/supply.h"
#include "signal/contract.h"
#include "signal/vocabulary.h"

namespace capsule::workflow {

// ---- What commands are made of

// `{{NAME}}` in a prompt.
struct Variable {
  std::string name, text;
  bool operator==(const Variable&) const = default;
};

struct Prompt {
  std::string file;              // "prompts/execute.md"
  std::vector<Variable> values;  // the world adds what it alone knows: VERIFY, BASE, HISTORY, …
  std::string feedback;          // of the attempt before; a section of its own at the end
  // What a session that goes on is told in place of the whole prompt, where the client keeps
  // sessions; empty: the whole prompt.
  std::string follow_up;
  std::string appended;  // text after the prompt, as it is
  bool operator==(const Prompt&) const = default;
};

// How the words of an agent are read.
enum class Dialect {
  contract,  // the last JSON object
  line,      // a name in column 0, with labelled sections
  block,     // SIGNAL: NAME between lines of ---
  verdict,   // VERDICT: X in column 0, list items above it
};

// What becomes of what an agent changed in its tree, once it has ended.
enum class Settle {
  leave,  // a Keep follows
  // A snapshot, named after its role: the state that counts from now on. Not of an agent that was
  // ended by a person: what it left is taken back before it starts again.
  keep,
  take_back,  // it may only look: kept aside, and taken back
};

enum class BringMain {
  no,
  mark,         // merge the newest main into the tree; files that conflict get markers
  if_no_clash,  // the same, but nothing is done when there are conflicts
};

// Which set of the configuration names its provider, model and time limit.
enum class Settings { phase, role };

// ---- Commands

// → AgentFinished; AgentIdle before it, when `watched`.
struct StartAgent {
  int agent = 0;           // its number in the run, from 1; comes back in what is observed
  std::string role;        // "execute", "developer", "planning", "review-security": names its log
  std::string configured;  // its name in the configuration; empty: `role`
  Settings settings{};
  std::string provider, model;  // in place of the configured ones; empty: those
  int timeout_seconds = 0;      // the same; 0: the configured one
  std::string task;             // of a plan, or the bead; empty: none
  int attempt = 1;
  std::string tree;  // opened, from the newest main, when there is none
  Settle settle{};
  bool judges = false;  // others' work is its matter: beside the worklog it has nothing to change
  BringMain bring_main{};
  bool watched = false;  // tell when it does nothing for the checkpoint interval
  Dialect dialect{};
  Prompt prompt;
  std::string session;  // its id for the client; empty: none
  bool resume = false;  // goes on with that session
  // Set by workflow/supply: it was called before, and cut short; by which id the client knows the
  // session, where that is another; and whether it has that no more: then it begins one under this
  // id, and is told the history as text.
  bool again = false;
  std::string client_session = {};
  bool anew = false;
  std::map<std::string, std::string> env;  // CAPSULE_… beyond those that every agent gets
  std::string expert;                      // whose file of expertise it is given
  bool short_limit = false;                // the time limit of a delegation
  // Of those who share a lane so many may work at once; empty: it has none.
  std::string lane = {};
  int at_once = 0;
  bool operator==(const StartAgent&) const = default;
};

// Ends its process tree; its AgentFinished (fault idle) follows. No answer of its own.
struct EndAgent {
  int agent = 0;
  bool operator==(const EndAgent&) const = default;
};

// → TreePlanned: where the tree of the subject will be and where it starts from.
// CommandFailed{exists} when something is there already.
struct PlanTree {
  std::string tree;
  std::string from;  // a branch to look at; empty: HEAD
  bool operator==(const PlanTree&) const = default;
};

// → TreeOpened.
struct OpenTree {
  std::string tree;
  std::string folder, branch,
      base;  // as planned; empty: the world's own names, from the newest main
  bool operator==(const OpenTree&) const = default;
};

// An entry of the worklog for a phase that left none; or, with `checked`, what the checks found
// after it; or, with `waits`, that a person is asked what the summary says.
struct WorklogEntry {
  std::string phase;
  int attempt = 1;
  signal::Status status{};
  std::string summary, feedback;
  std::string checked = {};  // "2 tests fail: a, b"; the feedback is then what was told about it
  bool refused = false;
  bool waits = false;
  bool operator==(const WorklogEntry&) const = default;
};

// → Kept: a snapshot, the state that counts from now on.
struct Keep {
  std::string tree;
  std::string label;    // "3-execute": refs/capsule/<run>/<label>; without a number one is given
  std::string message;  // of its commit
  std::string parent;   // the snapshot before, or the base
  std::vector<WorklogEntry> notes;  // added to worklog.md first, as far as they are missing
  std::string same_as;              // a tree that counts as the same when only worklog.md differs
  bool operator==(const Keep&) const = default;
};

// → TakenBack: what differs from the state that counts is kept aside, and the tree put back.
struct TakeBack {
  std::string tree;
  std::string label;  // "3-execute-unfinished"
  // The snapshot that counts; empty: the newest that was kept, or else as the tree began.
  std::string to;
  std::string folder, branch, base;  // to make it anew with, when it is gone
  bool keep_only = false;            // keep what there is, put nothing back
  bool operator==(const TakeBack&) const = default;
};

// → Checked.
struct Check {
  int number = 0;  // of what is checked; comes back
  std::string tree;
  // "red", "green", "only-tests", "tests-untouched", "build", "lint", "signed-off",
  // "as-signed-off", or any command of the configuration; "all": every one that there is.
  // "baseline", alone: all of them on `commit`, before anybody works.
  std::vector<std::string> names;
  bool clean = false;         // in a fresh checkout of `commit`; an empty commit is the newest main
  bool passed_claim = true;   // the agent said that all is well
  bool claims_files = false;  // `files_changed` is held against git
  std::vector<std::string> files_changed;
  std::string phase;  // who is checked, for the texts
  // Snapshots to compare with; empty: there is none. A check of a worktree without `base` is one of
  // the state that counts, held against where the tree began.
  std::string commit, previous, base, tests, signed_off, head;
  std::string accepted;  // the newest state that a phase passed with: what came since is its own
  std::string request;   // what the task asks for: files that it names may be changed
  std::vector<std::string> allowed = {};  // guarded files, by path, that a person let pass
  bool red_allowed = false;               // what failed before anybody worked may fail
  bool operator==(const Check&) const = default;
};

// → Merged, MergeRefused or MainMoved: one try on the newest main, tested before main moves.
struct Merge {
  std::string tree;
  std::string task, title;  // of the commits' messages
  // What is merged: the commits of the branch, or the state that counts.
  enum class Of { branch, kept } of{};
  std::string branch, base;       // of the branch
  std::string signed_off, tests;  // snapshots that must be in it; empty: none was asked for
  bool was_signed_off = false;
  std::vector<std::string> claimed;                // files that agents say they changed
  enum class Test { always, when_unseen } test{};  // unseen: nobody has tested these very files
  std::vector<std::string> known;                  // checks that failed before, and may again
  std::string request;                             // what the task asks for
  bool guarded = false;  // nobody has looked yet whether it changes what the checks mean
  // main; a branch: one commit on the newest main, under the name of the tree's branch; nowhere: it
  // is only tried, as it would be merged (→ MergeTried).
  enum class Into { main, branch, nowhere } into{};
  // A person was asked, or went on with what was refused: what they changed in the tree is kept
  // first, belongs to it and is tested. Of::branch: what differs from the snapshot `shown`.
  bool edited = false;
  std::string shown;
  std::string go_on;  // what a person calls once they have mended it, for the texts
  std::vector<std::string> trailers = {};  // "Capsule-Model: …", of the commit on main
  std::vector<std::string> allowed = {};   // as in Check
  bool operator==(const Merge&) const = default;
};

// → TreeArchived: worklog and logs, to where they outlive the tree.
struct Archive {
  std::string tree, folder, task;
  std::vector<WorklogEntry> notes = {};  // that worklog.md lacks
  bool operator==(const Archive&) const = default;
};

// → TreeRemoved. Snapshots stay.
struct RemoveTree {
  std::string tree, folder, branch;
  bool keep_branch = false;
  bool operator==(const RemoveTree&) const = default;
};

// → TaskClosed, in the tracker.
struct CloseTask {
  std::string task, reason;
  bool operator==(const CloseTask&) const = default;
};

// → Answered.
struct Ask {
  int question = 0;  // counts from 1
  std::string task, text, context;
  std::vector<std::string> options;  // not empty: the answer is one of these
  bool may_be_closed = false;  // answered by "remove" when a person has closed the task meanwhile
  std::string tree = {};       // in whose worklog.md the notes are put; empty: nowhere
  std::vector<WorklogEntry> notes = {};
  bool operator==(const Ask&) const = default;
};

// → TimerFired, after the configured time.
struct SetTimer {
  std::string task;
  int wait = 0;  // comes back: an old timer means nothing
  bool operator==(const SetTimer&) const = default;
};

// What workflow/supply asks for, and no workflow. None of these is answered by CommandFailed.

// → Woken, at that time by the wall clock, or at once when it is over.
struct WakeAt {
  int id = 0;
  std::int64_t epoch_ms = 0;
  bool operator==(const WakeAt&) const = default;
};
// Other runs of this machine, and later ones, heed it. No answer.
struct Park {
  std::string provider;
  std::int64_t until = 0;  // seconds since 1970; 0: until a person lifts it
  bool guessed = false;
  event::Fault fault{};
  std::string words;
  bool operator==(const Park&) const = default;
};
// It is over. No answer.
struct Unpark {
  std::string provider;
  bool operator==(const Unpark&) const = default;
};
// → Steered: words for an agent at work.
struct Steer {
  int agent = 0;
  std::string message, text;  // message: its id
  bool operator==(const Steer&) const = default;
};
struct SupplyOrder {
  std::variant<WakeAt, Park, Unpark, Steer> what;
  bool operator==(const SupplyOrder&) const = default;
};

struct Command : std::variant<StartAgent, EndAgent, PlanTree, OpenTree, Keep, TakeBack, Check,
                              Merge, Archive, RemoveTree, CloseTask, Ask, SetTimer, SupplyOrder> {
  CAPSULE_COMPILED_ONCE(Command);
};
std::string_view name_of(const Command& command);  // "start_agent", …: for probes and failures

// ---- Observations

// The words of an agent, by its dialect.
struct ContractWords {
  signal::ContractSignal signal;  // the synthetic ERROR when there was none
};
struct Field {
  std::string label, text;
};
struct LineWords {
  signal::Signal signal = signal::Signal::unknown;
  std::string argument;
  std::vector<std::string> more;
  std::vector<Field> fields;
};
struct BlockWords {
  // Completions, AUTO_COMPLETE and PHASE_ERROR, in order; a transition that stands alone.
  std::vector<std::string> signals;
  std::string error;  // of the last PHASE_ERROR
  bool recoverable = false;
  std::string text;  // all that was said, decoded; bounded
};
struct VerdictWords {
  std::string text;
};
using Words = std::variant<ContractWords, LineWords, BlockWords, VerdictWords>;

// Who an agent was and what it used, as far as its client says so.
struct AgentFacts {
  std::string provider, client, asked_model, model, session;  // see event::supply::AgentUsed
  event::TokenUse use = {};
  std::string words = {};     // the client's own last line, when it failed
  std::int64_t reset_at = 0;  // usage_limit: when it ends, in seconds since 1970; 0: not said
  int redacted = 0;
};

struct AgentFinished {
  int agent = 0;
  event::Fault fault{};
  std::string detail;  // for people: which limit, which exit status, which signal
  int exit_code = 0;   // 128 + n when signal n ended it
  Words words;
  signal::Missed missed = {};  // why these hold no signal that counts
  std::string preview;         // of the output, at most 200 characters
  std::string log;
  std::string began_at, ended_at;
  std::int64_t duration_ms = 0;
  std::int64_t cost_micros = 0;
  std::string snapshot;                // Settle::keep: its ref
  std::vector<std::string> took_back;  // paths that it changed, or tried to, and may only look at
  // Settle::keep: files that BringMain marked, now or for an agent before, and that still hold
  // conflict markers.
  std::vector<std::string> unresolved;
  AgentFacts facts = {};
  // Told by workflow/supply of an agent that did not work, because it waited for its provider or a
  // budget, when the run was to stop or nobody wanted it any more.
  bool held = false;
};
// Its detail; of one that failed, with its client's own last line.
std::string in_words(const AgentFinished& finished);

// From workflow/supply, of an agent with a lane: it waits to be started, or does not any more.
// Nobody works in its place of the lane meanwhile but those who are not kept waiting by the same:
// others of its role are, unless it waits `alone`, for what concerns its task and no other.
struct AgentWaits {
  int agent = 0;
  bool waits = false, alone = false;
  bool operator==(const AgentWaits&) const = default;
};
struct AgentIdle {
  int agent = 0;
};
struct TreePlanned {
  std::string tree, folder, branch, base;
};
struct TreeOpened {
  std::string tree, folder, branch, base;
};
struct Kept {
  std::string tree, ref, commit, tree_id, head;  // head: where the tree's branch stands
};
struct TakenBack {
  std::string tree;
  std::vector<std::string> paths;
};
struct Checked {
  int number = 0;
  std::vector<event::Claim> claims;
  std::string feedback;             // for who mends it; empty: all that was claimed holds
  std::vector<std::string> failed;  // names of the commands that do not pass
  bool any = true;                  // whether there was a command to run at all
  std::vector<event::CheckRun> runs;
  // Files that say what checks do, changed without being asked for, and by how many lines.
  std::vector<std::string> guarded = {};
  std::string guard_stat = {};
  event::Baseline baseline{};  // of a check of the baseline; its detail is the feedback
};
struct Merged {
  std::string tree, commit;
  std::vector<std::string> files;     // that it changed
  bool adopted = false;               // found done
  bool nothing = false;               // there was nothing to merge: commit is where main stands
  std::vector<std::string> left_out;  // excluded files
  std::vector<std::string> failed;    // of Merge::known, those that failed again
  std::vector<event::CheckRun> runs = {};  // what the merged files were checked by
  std::string onto = {};                   // where main was until then
  std::vector<event::Claim> claims = {};   // that differ: what a person should know of it
  event::TestEvidence evidence = {};       // what the tests of the merged files say
  std::vector<event::SelfRunning> self_running = {};  // files of that kind that it changed
};
struct MergeRefused {
  std::string tree;
  event::MergeRefusal why{};
  std::string detail;
  std::vector<std::string> failed;        // verify_failed, main_red: the commands
  std::vector<std::string> guarded = {};  // as Checked::guarded
  std::string guard_stat = {};
  std::string main = {};  // main_red: the commit that main is at
};
// As Merged, but main is where it was.
struct MergeTried {
  std::string tree, folder, onto;
  std::vector<std::string> files;
  std::vector<event::CheckRun> runs;
  std::vector<event::SelfRunning> self_running = {};
};
struct MainMoved {  // by somebody else: nothing was done
  std::string tree;
};
struct TreeArchived {
  std::string tree, folder;
};
struct TreeRemoved {
  std::string tree;
};
struct TaskClosed {
  std::string task;
};
struct Answered {
  int question = 0;
  std::string text, by;
};
// A person wants an answer back that is recorded: the question is open again where no agent has
// been told yet. workflow/supply says which agents were asked for and have never been called.
struct TakeBackAsked {
  int question = 0;
  std::set<int> unbegun = {};
};
struct TimerFired {
  std::string task;
  int wait = 0;
};
// A failure of ours, not of an agent.
struct CommandFailed {
  Command command;
  Reason reason{};
  std::string detail;  // for people
};

CommandFailed failed(Command command, const Error& error);

// Something around the run changed that Capsule did not do; see event/common.h. Told when it is
// seen: before and after each agent, and before a merge.
using event::GroundMoved;

// A person wants the run to stop: told once for each kind. Agents that run are being ended, but for
// a pause.
enum class Stop { interrupted, paused, aborted };
struct StopAsked {
  Stop how{};
};

// The run is taken up by this process: what an earlier one left half done is to be put right.
struct TakenUp {
  // Told by workflow/supply: agents that were not at work then, but waited to be called once more;
  // and those that had never been answered. Nothing of theirs is half done.
  std::set<int> held = {}, unbegun = {};
};

// What only workflow/supply is told of; it hands none of this to a workflow.
struct Woken {
  int id = 0;
};
// Met by another run of this machine, or by an earlier one; told when a run is taken up, and when
// it changes.
struct ParkedElsewhere {
  std::string provider;
  std::int64_t until = 0;
  bool guessed = false;
  event::Fault fault{};
  std::string words;
};
struct FreedElsewhere {
  std::string provider, by;
};
// What an agent at work has used so far; now and then, and only where a budget asks for it.
struct AgentSpends {
  int agent = 0;
  event::TokenUse use;
  std::string model = {};  // that answers; empty: not known
};
// What other runs of the project have spent today: told when a run is taken up, before the end of
// an agent and before Woken.
struct SpentElsewhere {
  std::int64_t cost_micros = 0;
  std::string day;            // 2026-01-31, in the machine's time zone
  std::int64_t day_ends = 0;  // seconds since 1970; 0: not known
};
// A call that was cut off with the process of Capsule that made it: nobody recorded what it used,
// but its log says it. Told when a run is taken up, once for each.
struct CutOff {
  int agent = 0;
  std::string task, role;
  int attempt = 1;
  AgentFacts facts;
  std::string log;
  std::string ended_at, day;  // when it printed last; see event::supply::AgentUsed
};
struct Told {  // a person has words for an agent
  std::string message, task, text, by;
  bool for_next = false;  // for the next prompt alone: nobody at work is told
};
struct Steered {
  int agent = 0;
  std::string message;
  bool delivered = false;  // false: this client cannot be steered, or it has ended
};
struct AgentStands {  // it does nothing; or no longer
  int agent = 0;
  bool still = false;
};
// Told when it changes, and when a run is taken up where it is too little.
using DiskStands = event::supply::DiskStood;
using event::Contained;     // told of each that starts
using event::HostsRefused;  // told at the end, before AgentFinished or the answer
struct SupplyNews {
  std::variant<Woken, ParkedElsewhere, FreedElsewhere, AgentSpends, SpentElsewhere, CutOff, Told,
               Steered, AgentStands, Contained, HostsRefused, DiskStands>
      what;
};

struct Observation
    : std::variant<AgentFinished, AgentWaits, AgentIdle, TreePlanned, TreeOpened, Kept, TakenBack,
                   Checked, Merged, MergeRefused, MainMoved, TreeArchived, TreeRemoved, TaskClosed,
                   Answered, TimerFired, CommandFailed, StopAsked, TakenUp, GroundMoved, MergeTried,
                   SupplyNews, TakeBackAsked> {
  CAPSULE_COMPILED_ONCE(Observation);
};
std::string_view name_of(const Observation& observation);  // "agent_finished", …

// The N-th time that agents of a phase fail by themselves ends it, where the workflow has no limit
// of its own for that.
inline constexpr int kOwnFaults = 3;

// Main may be moved by others while we merge; every try merges anew on the newest main. One rule
// for all workflows.
inline constexpr int kMergeTries = 20;

// The id of a session for an agent's client, in the form of a random UUID; it follows from the run
// and the agent that began it, so that it is known again after a crash.
std::string session_id(std::string_view run, int agent);

}  // namespace capsule::workflow
