// What the facts of all workflows are made of. Pure values; the names are their wire form, so new
// ones are added at the end and none is ever renamed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace capsule::event {

// Why an agent's run ended without words that count.
enum class Fault {
  none,         // what it said is its own
  no_signal,    // the output held no valid signal
  exit_status,  // its program ended with a failure, or was ended by a signal, whatever it printed
  timed_out,    // our limit
  not_started,  // the program could not be run
  interrupted,  // a person ended it
  lost,         // its supervisor vanished
  idle,         // ended by the workflow, because it did nothing
  refuted,      // it claims what git or the gates deny
  // Faults of the model's service, not of the agent; see of_service().
  rate_limited,  // too many requests; it can be tried again soon
  overloaded,    // the service is, or fails by itself
  usage_limit,   // a quota is used up until some time
  no_credit,
  unauthorised,
  unreachable,  // no connection, or one that was cut
  // The service works, and does not do what was asked of it.
  policy,        // the model, or its service, refuses the request
  context_full,  // the conversation is too long for the model
  no_words,      // the client ended well and said nothing
  over_budget,   // ended by us: what may be spent is spent
  no_answer,     // ended by us: its service, by all that is seen, had said nothing for long
  over_limit,    // ended by us, or the kernel: its processes were too many, or used too much memory
  no_space,      // ended by us: the disk was about to be full
};
inline constexpr int kFaults = 22;
std::string_view name_of(Fault fault);
// Whether it says nothing about the agent: it costs no attempt, iteration or round of review.
bool of_service(Fault fault);
// Ended by us for want of money or room: it is called again once there is more, at no cost either.
inline bool ended_for_want(Fault fault) {
  return fault == Fault::over_budget || fault == Fault::no_space;
}

// What agents used, as far as their clients say so. Unknown is never 0: where `tokens_known` or
// `cost_known` is false, the numbers hold what is known of the rest.
struct TokenUse {
  bool tokens_known = false;
  std::int64_t input = 0, output = 0, cache_read = 0, cache_written = 0;
  bool cost_known = false;
  std::int64_t cost_micros = 0;  // millionths of the currency that prices are in
  int turns = 0;                 // requests to the model
  int compactions = 0;           // how often the client shortened the conversation
  int cache_rewrites = 0;        // requests for which the cache had lost the conversation
  // Some client tells nothing of that: a 0 there says nothing, another number is the least.
  bool cache_untold = false, compactions_untold = false, rewrites_untold = false;
  bool written_untold = false;  // of a cache what was put there alone
  bool operator==(const TokenUse&) const = default;
};
// The sum; known only when both are.
TokenUse operator+(TokenUse a, const TokenUse& b);
// Adds what is known of `use`, as far as it is; whether the sum is known then is the caller's to
// say.
void add_known(TokenUse& sum, const TokenUse& use);

// Why work may not be merged, or could not be.
enum class MergeRefusal {
  no_sign_off,
  nothing_to_merge,
  conflict,
  foreign_commits,
  checkout_in_the_way,
  verify_failed,
  work_missing,  // of what was signed off
  refused,       // as checkout_in_the_way; journals of version 1 have it in deliveries
  error,
  main_moved,  // by an agent, it may be: a person looks first
  main_red,    // the checks fail on main without the work: nobody's fault here
};
inline constexpr int kMergeRefusals = 11;
std::string_view name_of(MergeRefusal refusal);

// What becomes of work that is ready: tested as it would be merged, on the newest main.
enum class Integrate {
  unsaid,  // in a fact of an earlier version, or in a file that leaves it to the project
  merge,   // it reaches main
  ask,     // the same, once a person has approved it
  branch,  // main is left alone; the work waits on a branch, ready for a pull request
};
inline constexpr int kIntegrates = 4;
std::string_view name_of(Integrate integrate);

// What a person is asked to approve.
enum class Approval {
  phase,  // what a phase left
  merge,  // the work, before it reaches main
  guard,  // changes of files that say what the project's checks do
};
inline constexpr int kApprovals = 3;

// What follows when two reviews in a row say the same about the same tree.
enum class Convergence { stop, warn, off };

enum class Verdict {
  held,       // "true"
  broken,     // "false": the work goes back
  differs,    // no harm done
  unchecked,  // there is no command for it, or nothing to compare with
};
inline constexpr int kVerdicts = 4;
std::string_view name_of(Verdict verdict);

// What the tests say, by their names, compared with how they were before anybody worked.
struct TestEvidence {
  bool by_name = false;        // only then do the counts mean something
  int failing = 0;             // new or changed tests that fail, as they should (RED)
  int passing = 0;             // new or mended tests that pass (GREEN)
  bool failed_before = false;  // those were seen failing when they had been written
  int others_pass = 0;         // that passed before, and still do
  int others_fail = 0;         // that failed before, and still do, as is allowed
  bool operator==(const TestEvidence&) const = default;
};

// One thing an agent said, or that must hold, and what Capsule found when it looked.
struct Claim {
  std::string what;  // "tests fail (RED)", "files_changed", …
  Verdict verdict{};
  std::string detail;
  TestEvidence evidence = {};  // of a claim about tests
  bool operator==(const Claim&) const = default;
};

// A file that runs by itself once it is in a checkout, and who runs it, for people.
struct SelfRunning {
  std::string path, by;
  bool operator==(const SelfRunning&) const = default;
};

// Which walls somebody really had.
struct Contained {
  std::string who;      // "writer", "reviewer", "gate", "setup", a role; "all": nobody has any
  std::string preset;   // "worktree", "strict"; "off": there are none, and gaps may say why
  std::string network;  // "open", "proxy", "off"
  bool namespaces = false;
  int landlock = 0;  // the version of its interface; 0: not in force
  bool seccomp = false;
  bool broker = false;            // the model's key stays outside
  std::vector<std::string> gaps;  // what is not in force and could matter, in sentences
  bool operator==(const Contained&) const = default;
};

// A host that somebody asked for in vain, and the line of `contain` that would allow it.
struct RefusedHost {
  std::string host;  // with its port
  int count = 0;
  std::string leads_to;    // the address of its name, when that is the reason
  std::string allowed_by;  // empty: nothing does
  bool operator==(const RefusedHost&) const = default;
};
// All of one agent, or of one command of the project, when it has ended.
struct HostsRefused {
  int agent = 0;                   // 0: a command
  std::string task, role;          // of a command its name
  std::vector<RefusedHost> hosts;  // bounded
  int others = 0;                  // requests for hosts that found no place there
  bool operator==(const HostsRefused&) const = default;
};

// How a command of the project ended.
enum class CheckEnding {
  passed,
  failed,       // it ran and said no
  not_run,      // 126 or 127: it, or what it needs, is not installed
  ended_badly,  // by a signal
  timed_out,
};
inline constexpr int kCheckEndings = 5;
std::string_view name_of(CheckEnding ending);

// What one command of the project said about one state of the files.
struct CheckRun {
  std::string name;     // "test"
  std::string command;  // as the configuration spells it
  CheckEnding ending{};
  int exit_code = 0;
  bool clean = false;  // in a fresh checkout
  bool known = false;  // it had seen these very files before, and was not run again
  std::int64_t duration_ms = 0;
  // By name, where the command names its tests: with `by_name`, and only then, the counts mean
  // something.
  bool by_name = false;
  int passed = 0, failed = 0, skipped = 0;
  std::vector<std::string> failing;  // names, the first of them
  std::string output;                // the end of what it printed, when it did not pass
  bool operator==(const CheckRun&) const = default;
};

// What the project's commands say about the files that the work begins with.
enum class Baseline {
  none,        // not known, or there is no command
  green,       // all of them pass
  red,         // some fail
  cannot_run,  // some cannot be run, take too long, or find no test
};
inline constexpr int kBaselines = 4;
std::string_view name_of(Baseline baseline);

// What changed around a run and was not done by Capsule: refs, the user's checkout, git's settings,
// or what binds a worktree to its git dir.
struct GroundMoved {
  std::vector<std::string> what;  // sentences for people, without a full stop
  std::vector<int> agents;        // that ran meanwhile; empty: none of this run
  // The main branch, when it was moved while they ran: a person has to look before anything is
  // merged. Empty: it was not.
  std::string main, from, to;
  bool operator==(const GroundMoved&) const = default;
};

}  // namespace capsule::event
