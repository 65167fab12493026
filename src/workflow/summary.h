// What every command and every face wants to know of a run, whatever its workflow. Made by the
// workflow from its state; pure values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "event/common.h"

namespace capsule::workflow {

enum class Standing {
  open,       // not ended: some process works on it, or it was cut off
  waiting,    // only a person can bring it on: it asks, or it ended with what it could not settle
  succeeded,  // ended as it should
  failed,     // ended otherwise; `can_go_on` says whether it can be taken up again
  stopped,    // a person ended it
};
std::string_view name_of(Standing standing);  // "open", …

struct Waiting {
  enum class For {
    answer,
    approval,
    file,
    dependency,
    expert,
    remediation,
    slot,
    provider,  // `on`: it is parked, or its service failed a moment ago
    budget,    // a person allows more
    disk,      // `on`: there is too little room where this folder lies
  } what{};
  std::string task;  // empty: the whole run
  int question = 0;  // answer and approval: its number
  std::string on;    // the file, task or expert
  std::string by;    // who holds it
  std::string text;  // of the question
  std::vector<std::string> options;
  std::string kind;  // of the question, the workflow's own word: "clarification"
  // Of the question, where it is about one of these; answer: a merge that was refused.
  std::optional<event::Approval> about = {};
  std::string context;  // what one should know to answer it
  std::int64_t until =
      0;                 // provider: when it goes on by itself, in seconds since 1970; 0: not known
  event::Fault fault{};  // provider: why
  std::string since = {};  // UTC; empty: not known
};
std::string_view name_of(Waiting::For what);
// Whether a text may answer it: one of its options, in any case, when it has some.
bool accepts(const Waiting& waiting, std::string_view text);

struct TreeSummary {
  std::string task;            // empty: the run's own
  std::string folder, branch;  // of a delivery's they are known to whoever reads it from the disk
};

// What came of holding what an agent said against git and the project's own commands.
enum class Finding {
  none,     // nobody has looked, or there was nothing to look at
  held,     // it is so
  refused,  // it is not: the work went back
};
std::string_view name_of(Finding finding);  // "none", …

struct AgentSummary {
  int number = 0;
  std::string task, role;
  int attempt = 1;
  std::string provider, model;
  bool running = false;
  event::Fault fault{};
  std::string said;    // "PASS", "READY_FOR_REVIEW", …; empty: nothing that counts
  std::string detail;  // for people
  std::string log;     // empty: not known
  std::int64_t duration_ms = 0;
  Finding checked{};
  std::string found;  // by that, on a line for people: "2 tests fail: a, b"; empty: nothing to say
  // Why it sent work back: the findings of a review or audit, or why what it printed does not
  // count. For people; several lines, bounded.
  std::string why;
  std::string client;        // name and version; empty: not known
  std::string answered;      // the model that answered; empty: not known
  event::TokenUse use = {};  // of all its calls
  // Calls of its program that have ended, as far as they are recorded, and how long they took.
  int calls = 0, calls_without_tokens = 0, calls_without_cost = 0;
  std::int64_t calls_ms = 0;
  int faults = 0;    // of the service that it met on the way
  int redacted = 0;  // secrets that were replaced in what it printed
};

struct ClaimSummary {
  int agent = 0;  // who made it; 0: not known
  std::string task, role;
  event::Claim claim;
};

struct TaskSummary {
  std::string id, title;
  Standing standing{};  // stopped: a person took it out of the plan
  std::string stage;    // "development", "complete", … ; the workflow's own word
  std::string words;    // the same for people: "waits for a file"
  int agent_runs = 0;
  std::string commit, detail;
  event::TestEvidence evidence = {};  // of the merged files
};

struct Usage {
  int agent_runs = 0;
  std::int64_t duration_ms = 0, cost_micros = 0;  // of agents
  std::int64_t checks_ms = 0;                     // of the project's own commands, as measured
  // Of agents whose clients say so, and how many calls there were that did not.
  event::TokenUse tokens = {};
  int calls = 0;  // of agents' programs: one for each start, faults included
  int calls_without_tokens = 0, calls_without_cost = 0;
  bool operator==(const Usage&) const = default;
};

// What a person told the agents of a run.
struct MessageSummary {
  std::string id, task, text, by;  // an empty task: whoever works
  int agent = 0;                   // that was told; 0: nobody yet
  std::string role;                // of that agent
  bool live = false;               // it was at work; else it stands in its prompt
  bool heard = false;              // that agent has worked with it to its end
  bool recorded = true;            // false: it is left for a run that has not taken it up
};

// Files that will run by themselves at the user's, and that the work of a tree changed.
struct SelfRunningSummary {
  std::string task;  // empty: the run's own
  std::vector<event::SelfRunning> files;
  int count = 0;
};

struct RunSummary {
  std::string workflow;  // "pipeline", "delivery", "auto", or the name of a user's own
  std::string subject;   // a bead, a plan, or a task in words
  std::string title, provider;
  Standing standing{};
  std::string outcome;  // its name in the journal; empty: not ended
  std::string detail;   // of the outcome, for people
  std::string now;      // where an open run is: "execute (attempt 2/3)"
  bool can_go_on = false;
  std::string merged_as;  // commit; empty: nothing of it is on main
  std::string on_branch;  // that holds the work, ready for a pull request; empty: none
  std::vector<Waiting> waits;
  std::vector<TaskSummary> tasks;    // of a plan
  std::vector<TreeSummary> trees;    // that it has, or will have again when it goes on
  std::vector<AgentSummary> agents;  // all that were started, in their order
  std::vector<ClaimSummary> claims;
  event::TestEvidence evidence;  // the newest about the work as a whole
  std::vector<MessageSummary> messages;
  std::vector<SelfRunningSummary> self_running;
  std::vector<event::Contained> contained;  // all walls that there were, in their order
  std::vector<event::RefusedHost> refused;  // of the whole run; bounded
  int refused_others = 0;                   // requests for other hosts
  std::vector<std::string> ground;  // what changed around it and Capsule did not do, in sentences
  Usage usage;
};

// ---- What was found, in words. One wording for all workflows and faces.

// "3 new tests failed before, pass now; 131 others still pass"; empty: nothing is known by name.
std::string evidence_words(const event::TestEvidence& evidence);
// "2 tests fail: a, b; worklog.md is signed off: no sign-off line"; of claims that hold their
// evidence. A line, printable.
std::string found_words(const std::vector<event::Claim>& claims,
                        const std::vector<event::CheckRun>& runs);
// Of somebody who may only look. `who` comes before the words; may be empty.
event::Claim tried_to_change(const std::vector<std::string>& paths, const std::string& who = {});
Finding finding_of(const std::vector<event::Claim>& claims);
// "agents changed files that run by themselves: .envrc (a shell that enters the folder), …"
std::string self_running_words(const SelfRunningSummary& changed);
// "worktree (namespaces, Landlock 7, seccomp; network open) for writer, reviewer"; empty: none.
std::string walls_words(const std::vector<event::Contained>& contained);
// Why they are less than they could be; empty: they are not.
std::string weaker_words(const std::vector<event::Contained>& contained);
// Adds what one asked for to what others did; bounded.
void add_refused(std::vector<event::RefusedHost>& hosts, int& others,
                 const event::HostsRefused& more);
// "a.example.com:443 3 times (contain: {allow: [\"a.example.com:443\"]})"
std::string refused_words(const std::vector<event::RefusedHost>& hosts, int others);
// How long they took, without those that were known.
std::int64_t time_of(const std::vector<event::CheckRun>& runs);
// The end of a text of an agent or a command, for `why`.
std::string bounded_end(std::string_view text);

// The agents of a run whose answer is taken back: those that were asked for since `before` have
// never begun, and stay in their places.
std::vector<AgentSummary> never_begun_since(const std::vector<AgentSummary>& before,
                                            std::vector<AgentSummary> now);

}  // namespace capsule::workflow
