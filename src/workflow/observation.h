// What the world can tell any workflow: see step.h.
#pragma once

#include <cstdint>
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
#include "workflow/command.h"

namespace capsule::workflow {

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
struct MessageLeft {  // a person has words for an agent
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
  std::variant<Woken, ParkedElsewhere, FreedElsewhere, AgentSpends, SpentElsewhere, CutOff,
               MessageLeft, Steered, AgentStands, Contained, HostsRefused, DiskStands>
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

}  // namespace capsule::workflow
