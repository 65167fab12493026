// What every face of Capsule shows, as values: lines, board, dashboard, page, `status`, `inbox` and
// --json draw these and derive nothing. Made by Fold (fold.h) from facts and their times; the same
// facts always make the same values, and any prefix of a journal can be shown: that is replay.
//
// Names and words are apart: what a program may branch on is an enum or an id, what stands in a
// `text`, `words`, `detail` or `title` is for people. Texts of agents, plans and beads are as they
// came: whoever draws them makes them harmless. Times are UTC in ISO 8601, as the journal has them;
// an empty one is not known. Rows keep the order in which they were first seen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/activity.h"
#include "event/common.h"
#include "workflow/summary.h"

namespace capsule::view {

using workflow::Finding;
using workflow::Standing;

// A place in the journal.
struct Moment {
  std::uint64_t seq = 0;
  std::string at;
  bool operator==(const Moment&) const = default;
};

// ---- What can be done about something. Every verb is a command.

enum class Verb {
  answer,  // a question
  approve,
  reject,  // with what has to be different
  go_on,   // takes a run up that nobody works on
  retry,   // what failed is tried again
  merge,   // the merge alone is tried again
  pause,
  abort,
  tell,  // words for an agent at work, or the next one
  show,  // everything about it
  log,   // what its agent printed
  lift,  // lets agents of a parked provider start again
};
inline constexpr int kVerbs = 12;
std::string_view name_of(Verb verb);  // "answer", …

struct Action {
  Verb verb{};
  // The command without the program's name: {"answer", "/p/PLAN.md", "3", "retry"}. Words of their
  // own, not quoted: for a shell there is command_of().
  std::vector<std::string> words;
  // Not empty: the command ends with a text of the person's: of `answer` and `tell` a word of its
  // own; of `reject` behind "--because=". What stands here names it for people: "TEXT".
  std::string wants;
  bool operator==(const Action&) const = default;
};
// It has a run go on, with a command that takes --detach: who starts it from a face appends that,
// so that the run outlives the face.
bool can_detach(const Action& action);
// "capsule answer PLAN.md 3 TEXT", ready to be pasted; `options` such as " --project-dir=…" last.
std::string command_of(const Action& action, std::string_view options = {});
// The words to run it with what the person said; nothing is quoted, nothing is a shell's. Neither
// an option that an agent proposed nor a person's text is ever one of the command's own: "--"
// stands before those that begin with a dash. `options` such as "--project-dir=…" go where they
// count.
std::vector<std::string> words_with(const Action& action, const std::string& text,
                                    const std::vector<std::string>& options = {});

// ---- The inbox

// In the order of urgency.
enum class Attention {
  question,       // somebody asks, in words
  choice,         // one of some options
  approval,       // of a phase, a merge, or changed checks
  failed,         // a task or a run; it can be tried again
  refused_merge,  // the work is ready, and may not be merged
  stalled,        // an agent does nothing
  cut_off,        // not ended, and nobody works on it
  budget,         // is spent: nothing starts until a person allows more
  disk,           // has too little room: nothing starts until there is more
  quota,          // a provider is parked
};
inline constexpr int kAttentions = 10;
std::string_view name_of(Attention kind);  // "question", …

struct Item {
  std::string key;  // the same as long as it is the same thing: "RUN/question/3", "RUN/failed/C-9"
  Attention kind{};
  std::string run;      // its id
  std::string name;     // by which commands find the run: a bead, a plan's path, "auto"
  std::string task;     // of a plan; empty: the whole run
  int question = 0;     // its number; 0: none is asked
  int agent = 0;        // that asks, failed or stalls; 0: none
  std::string title;    // of the task or the run
  std::string text;     // what is asked, or what happened
  std::string context;  // what one should know; may be long
  std::string reason;   // why it came to a person, in a few words: "developer asks", "3 reviews"
  std::vector<std::string> options;  // not empty: the answer is one of these
  std::string since;
  std::int64_t until = 0;  // quota: goes on by itself then, in seconds since 1970; 0: not known
  bool answered = false;   // an answer lies there, and no run has taken it up yet
  std::vector<Action> actions;  // what settles it, the first choice first
  bool operator==(const Item&) const = default;
};

// ---- Runs

enum class Life {
  working,  // a process works on it
  waiting,  // only a person can bring it on
  cut_off,  // not ended, and nobody works on it
  paused,   // a person had it stop
  ended,
};
inline constexpr int kLives = 5;
std::string_view name_of(Life life);  // "working", …

// Of tasks of a plan, as delivery::Stage.
enum class Stage {
  blocked,
  analysis,
  development,
  review,
  audit,
  merge,
  complete,
  failed,
  removed
};
inline constexpr int kStages = 9;
std::string_view name_of(Stage stage);

// Why something does not go on, as data.
struct Wait {
  workflow::Waiting::For kind{};
  std::string task;    // empty: the whole run
  std::string what;    // the file, task, expert or provider; may be empty
  std::string holder;  // the task that holds it
  int question = 0;
  int agent = 0;           // that asked or is held; 0: none, or not known
  std::int64_t until = 0;  // goes on by itself then, in seconds since 1970
  std::string since;
  event::Fault fault = {};              // provider: why
  std::string text = {}, context = {};  // what is asked, and what one should know to answer it
  std::string word = {};                // of the question, the workflow's own: "clarification"
  std::optional<event::Approval> about = {};  // of the question; answer: a merge that was refused
  std::vector<std::string> options = {};      // not empty: the answer is one of these
  bool operator==(const Wait&) const = default;
};
// What it waits for: "the file src/calc.sh, held by C-7", "an answer to question 3".
std::string words_of(const Wait& wait);
// The same where there is little room: "file calc.sh (C-7)", "waits for you".
std::string short_words(const Wait& wait);

// One start of an agent, from its beginning to its end: a row of evidence, a bar of the timeline.
struct Attempt {
  int agent = 0;  // its number in the run
  std::string task, role;
  int attempt = 1;  // of this role on this task
  std::string why;  // it was started, the workflow's own word: "review_failed"; empty: not known
  std::string began, ended;  // ended empty: it works, or was cut off
  bool running = false;      // not ended, and its run is not either
  bool held = false;         // running, but waits for its provider or a budget
  std::string said;          // its signal: "READY_FOR_REVIEW", "PASS"; empty: nothing that counts
  event::Fault fault{};      // why what it said does not count
  std::string detail;        // for people
  Finding checked{};         // what came of holding it against git and the project's commands
  std::string found;         // by that, on a line
  std::string
      sent_back;  // the findings with which it sent work back, or why its words do not count
  std::vector<event::Claim> claims;     // what it said, beside what was found
  std::vector<event::CheckRun> checks;  // the commands behind that
  std::string snapshot;                 // ref of what it left; empty: none
  std::string log;
  std::string provider, model;  // asked for
  std::string client;           // name and version; empty: not known
  std::string answered;         // the model that answered
  event::TokenUse use = {};     // of its calls that have ended
  int calls = 0, calls_without_tokens = 0, calls_without_cost = 0;  // those; 0: none is recorded
  std::int64_t calls_ms = 0;                                        // that they took
  std::int64_t duration_ms = 0;
  int service_faults = 0, redacted = 0;
  std::string idle;                        // since when it does nothing; empty: it works
  std::optional<dialect::Activity> doing;  // now; no fact: told to the fold from outside
  std::int64_t printed = 0;  // how often its log was seen to grow while it runs; no fact either
  bool operator==(const Attempt&) const = default;
};

struct Task {
  std::string id, title;
  Stage stage{};
  Standing standing{};
  std::string words;          // where it stands, for people
  int number = 0;             // of a plan's tasks, from 0: what edges name
  int wave = 0;               // of the plan, from 1; 0: none
  bool critical = false;      // on the critical path
  std::vector<int> needs;     // numbers of the tasks that it waits for by the plan
  std::vector<int> attempts;  // places in Run::attempts
  std::vector<Wait> waits;
  std::string began;                    // its first agent
  std::string since;                    // the newest fact about it
  std::string ended;                    // complete, failed or removed
  std::string commit;                   // on main; empty: none
  std::string detail;                   // why it failed
  std::vector<std::string> files;       // that the merge changed
  std::vector<event::CheckRun> checks;  // of the merged files, or of the newest refused merge
  event::TestEvidence evidence = {};
  std::int64_t cost_micros = 0;
  bool operator==(const Task&) const = default;
};

// A phase of a run of phases or of auto mode, in the order of the workflow.
struct Phase {
  std::string name;
  enum class State { to_come, working, passed, sent_back, failed } state{};
  int stage = 0;              // the step that people see, from 1
  std::vector<int> attempts;  // places in Run::attempts
  int most = 0;               // attempts that it may have; 0: not limited by that
  // Of auto mode:
  std::int64_t iteration = 0;                // how often the one that works was told to go on
  std::string ended = {};                    // when it passed, or was left out
  std::optional<std::int64_t> seconds = {};  // that it took, once it has passed
  bool skipped = false;                      // it was left out
  bool operator==(const Phase&) const = default;
};
std::string_view name_of(Phase::State state);

// A step of a run of phases as people see it; the first one prepares, and has no phase.
struct Step {
  std::vector<int> phases;  // places in Run::phases
  bool together = false;    // they run at once
  Phase::State state{};
  std::string began, ended;  // of the newest time that the run was there; ended empty: it is
  bool operator==(const Step&) const = default;
};

// What auto mode alone has.
struct Course {
  std::string task;     // in words, all of them
  std::string session;  // that the Stop hook holds on course; empty: none yet, or it is headless
  std::string phase;    // as its state file names it, also once it has ended
  std::int64_t iteration = 0, most = 0;  // of that phase, and how many it may have
  std::string error;                     // the newest that it met
  int agent = 0;                         // whose turn ended last; 0: none of ours
  std::int64_t failures = 0;             // turns within the phase whose agent failed
  std::vector<Phase> left_out;           // phases that it does not go through
  bool operator==(const Course&) const = default;
};

// A stretch of time that the timeline shades.
struct Band {
  enum class Kind { remediation, person, provider, budget, disk } kind{};
  std::string task;  // empty: the whole run
  int question = 0;
  std::string began, ended;  // ended empty: it goes on
  bool operator==(const Band&) const = default;
};
std::string_view name_of(Band::Kind kind);

// A point that the timeline and the history name.
struct Mark {
  enum class Kind {
    started,
    resumed,
    asked,
    answered,
    merged,
    refused,  // a merge
    completed,
    failed,  // a task
    reworked,
    checked,  // main, before anybody works or after remediation
    ground,   // something changed that Capsule did not do
    told,     // a person told agents something
    paused,   // a person had it stop
    ended,
  } kind{};
  Moment when;
  std::string task;
  std::string text;  // for people; may be empty
  bool operator==(const Mark&) const = default;
};
std::string_view name_of(Mark::Kind kind);

struct Slot {
  std::string role;  // "developers"
  int busy = 0, all = 0;
  bool operator==(const Slot&) const = default;
};

using Spending = workflow::Usage;
// What was spent on one day of the machine's time zone.
struct Day {
  std::string day;  // 2026-01-31
  std::int64_t cost_micros = 0, tokens = 0;
  int calls = 0, calls_without_cost = 0;
  bool operator==(const Day&) const = default;
};

struct Message {
  std::string id, task, text, by, at;
  int agent = 0;      // that was told; 0: nobody yet
  std::string role;   // of that agent
  bool live = false;  // it was at work; else it stands in its prompt
  bool heard = false;
  bool operator==(const Message&) const = default;
};

struct Holder {
  std::int64_t pid = 0;
  std::string host, since;
  bool operator==(const Holder&) const = default;
};

struct Tree {
  std::string task;            // empty: the run's own
  std::string folder, branch;  // of a delivery's tasks they may be empty
  bool operator==(const Tree&) const = default;
};

// What people should know: a claim that was false or differs, secrets that were replaced, what
// changed around the run.
struct Remark {
  std::string task;  // empty: the whole run
  std::string text;
  bool operator==(const Remark&) const = default;
};

struct Run {
  std::string run, workflow;  // "pipeline", "delivery", "auto", "auto-session", or a user's own
  std::string subject;        // in the journal
  std::string name;           // by which commands find it
  std::string title, provider;
  Life life{};
  Standing standing{};
  std::string outcome, detail;  // of an ended one
  // With which its command ended, or would if nobody went on: 0 well · 1 not good enough, or a
  // person is needed · 2 something failed. Which signal interrupted it is not recorded.
  int exit_code = 2;
  std::string now;  // where an open one is, for people
  bool can_go_on = false;
  bool superseded =
      false;  // a later run is about the same subject: nothing of it waits for anybody
  std::optional<Holder> holder;  // the process that works on it; told from outside
  std::string started, ended;
  std::string since;                  // of `life`
  int done = 0, failed = 0, all = 0;  // tasks, or phases where there is no plan
  int at_work = 0;                    // agents that run, and are not held
  std::vector<Wait> waits;            // all of them, the tasks' too
  std::vector<Task> tasks;            // of a plan, in its order
  std::vector<Phase> phases;          // of the others
  std::vector<Step> steps;            // of a run of phases
  int step = 0;                       // that it is in, from 1; 0: it has none
  bool repeats = false;  // the newest review said the same twice about the same files; it goes on
  std::optional<Course> course;   // of auto mode
  std::vector<Attempt> attempts;  // in the order of their starts
  std::vector<Band> bands;
  std::vector<Mark> marks;
  std::vector<std::string> merge_queue;  // ids of tasks; the one that is being merged first
  std::string merging;                   // that one; empty: none is
  std::vector<Slot> slots;
  std::vector<std::string> critical_path;  // ids of tasks
  int waves = 0;
  int remediation = 0;         // the round that goes on; 0: none
  event::Baseline baseline{};  // what the project's commands said before anybody worked
  std::vector<event::CheckRun> baseline_checks;
  std::vector<event::Claim> claims;  // that no attempt has
  event::TestEvidence evidence = {};
  std::vector<std::string> tolerated;  // checks that failed before anybody worked, and may go on so
  std::string no_ground;               // why nobody can work on what main is; empty: they can
  std::string unchecked;               // what no gate could look at, and why; the newest
  std::string merged_as, on_branch;
  bool can_merge = false;  // its merge alone can be tried again
  std::string looks_at;    // the branch that it looks at; empty: at its own work
  std::string archive;     // the folder that keeps what it was about; empty: none yet
  std::vector<Tree> trees;
  std::vector<Message> messages;
  std::vector<std::string> ground;  // what changed around it, in sentences
  // What a person should know of its work before he runs it, in sentences.
  std::vector<std::string> to_know;
  std::vector<event::Contained> contained;  // the walls that its agents and commands had
  std::vector<event::RefusedHost> refused;  // that those asked for in vain; bounded
  int refused_others = 0;                   // requests for other hosts
  std::vector<Remark> remarks;
  Spending usage;
  std::vector<Day> days;
  std::vector<Action> actions;  // what can be done to the run now
  std::uint64_t facts = 0;
  Moment newest;
  std::string unreadable;  // why its facts tell nothing, for people; empty: they were read
  bool operator==(const Run&) const = default;
};

struct Project {
  std::vector<Run> runs;    // oldest first
  std::vector<Item> inbox;  // by urgency, then age
  Moment newest;            // of all facts
  std::vector<Day> days;    // of all runs, in their order
  Spending usage;           // of all runs
  bool operator==(const Project&) const = default;
};

const Run* find_run(const Project& project, std::string_view run);
const Task* find_task(const Run& run, std::string_view task);
const Attempt* find_attempt(const Run& run, int agent);
const Attempt* newest_ended(const Run& run);  // null: none has

// "a usage limit is reached": of a service, for people.
std::string_view service_words(event::Fault fault);
// "2026-01-31 23:59:59 UTC" of seconds since 1970.
std::string time_words(std::int64_t epoch_seconds);
// "2 secrets were replaced in what it printed"
std::string redacted_words(int secrets);
// Where a task stands, in a few words: what it waits for, who works on it, or its stage.
std::string state_words(const Run& run, const Task& task);
// What the calls of an agent used that have ended.
Spending usage_of(const Attempt& attempt);
// What some attempts used, as far as their calls have ended.
Spending usage_of(const std::vector<Attempt>& attempts, const std::vector<int>& places);
void add_usage(Spending& sum, const Attempt& attempt);
void add_usage(Spending& sum, const Spending& more);
// The run as far as it is about one of its tasks.
Run only(Run run, const std::string& task);
// A person is asked something.
bool asks(const Run& run);
// Since when nobody carries a run on that has not ended or was paused: whoever was at work is not
// any more, and time stands where it was left. Empty: it goes on, waits for a person, or has ended.
std::string left_since(const Run& run);

// What a summary says of an agent; times, evidence and what it does are not in it.
Attempt attempt_of(const workflow::AgentSummary& agent);
std::vector<Remark> remarks_of(const workflow::RunSummary& summary);

// ---- What differs

// A row that is new, differs or is gone. Keys: "run/ID" (the run without its tasks, phases and
// attempts), "run/ID/task/T", "run/ID/agent/N", "run/ID/phase/P", "inbox/KEY", "project" (newest,
// days and usage).
struct Change {
  enum class Row { project, item, run, task, phase, attempt } row{};
  std::string key;
  std::string run;  // its id, of a run and what belongs to one
  bool gone = false;
  bool operator==(const Change&) const = default;
};
std::vector<Change> changes(const Project& before, const Project& after);

}  // namespace capsule::view
