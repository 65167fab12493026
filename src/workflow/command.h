// What any workflow can ask of the world: see step.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/one_of.h"
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

}  // namespace capsule::workflow
