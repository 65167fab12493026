// The facts of a headless run of auto mode, and of sessions that the Stop hook held on course. A
// fact says what happened and when; it is appended to the journal before anything builds on it, and
// never edited. Pure values.
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

namespace capsule::event::auto_run {

using signal::Phase;

// Why a phase's agent is started.
enum class Why {
  fresh,    // the phase begins
  go_on,    // it ended without its signal
  retry,    // it said PHASE_ERROR, which it called recoverable
  mend,     // checks failed, or reviewers raised issues
  restart,  // the agent before failed
};

enum class Verdict { approved, needs_fix, rejected };
inline constexpr std::string_view kReviewers[] = {"functional", "security", "quality"};

enum class Outcome {
  none,
  complete,        // all phases, merged unless it worked in place
  max_iterations,  // a phase was told to go on too often
  needs_person,    // PHASE_ERROR that a retry did not settle
  checks_failed,   // the project's own checks, after two cycles or before the merge
  not_approved,    // three rounds of review
  merge_refused,   // conflict, or something in the way
  error,           // something of ours failed
  interrupted,
  cancelled,
  paused,   // a person asked for it; it goes on when it is taken up
  aborted,  // a person ended it
};
inline constexpr int kOutcomes = 12;
std::string_view name_of(Outcome outcome);
std::string_view name_of(Verdict verdict);  // "APPROVED", …
std::string_view name_of(Why why);

struct ReviewVerdict {
  std::string type;  // one of kReviewers
  Verdict verdict{};
  std::vector<std::string> issues;
  std::string timestamp;             // when it ended
  std::string started_at, ended_at;  // with milliseconds: they show that reviewers overlap
  std::string log;
  int agent = 0;  // its number in the run; journals of version 1 have none
  std::int64_t duration_ms = 0, cost_micros = 0;
  Fault fault{};        // of a reviewer whose program failed: it approves nothing
  signal::Miss miss{};  // why its words hold no verdict
  std::vector<std::string> tried =
      {};  // what it changed although it may only look; nothing was kept
  bool operator==(const ReviewVerdict&) const = default;
};

struct Started {
  std::string task, provider;
  bool in_place = false;
  bool has_checks = false;  // the project has verify commands
  bool skip_expansion = false, skip_qa = false, skip_review = false, skip_reflect = false;
  bool parallel = true;
  std::int64_t max_iterations = 20;
  bool sessions = true;  // the client keeps sessions
  std::string at;
  bool red_allowed = false;  // the project's checks may fail before anybody works
  Integrate integrate{};     // unsaid, in earlier versions: merge
  bool operator==(const Started&) const = default;
};
struct PlaceIntended {  // a worktree is about to be made; in place nothing is
  std::string at;
  bool operator==(const PlaceIntended&) const = default;
};
struct PlaceReady {
  std::string folder;
  std::string branch;  // empty: not known, or it works in place
  std::string at;
  bool operator==(const PlaceReady&) const = default;
};
struct TurnStarted {
  Phase phase{};
  // Counts the agents of the run (in journals of version 1 the turns alone); a turn that was cut
  // off keeps its number.
  int number = 0;
  // Within the phase. One that goes on without its signal, or that failed, keeps its own; in
  // journals before version 5 it counts the turns.
  int attempt = 1;
  Why why{};
  std::string session;   // of the agent's client; empty: it has none
  bool resumes = false;  // goes on with that session
  std::string at;
  std::string provider, model;  // as configured; empty: as the run began
  bool operator==(const TurnStarted&) const = default;
};
struct TurnFinished {
  Phase phase{};
  int number = 0;
  std::vector<std::string> signals;  // completions, AUTO_COMPLETE and PHASE_ERROR, in order
  std::string error;                 // of the last PHASE_ERROR
  bool recoverable = false;
  Fault fault{};
  int exit_code = 0;
  std::string log;
  std::int64_t duration_ms = 0;
  std::int64_t cost_micros = 0;
  std::string learnings;  // of reflect
  std::string at;
  signal::Miss miss{};           // why what it printed does not end the phase
  std::string missed_line = {};  // that was perhaps meant to; see signal/miss.h
  std::string detail = {};       // how its program failed, with the client's own last line
  bool operator==(const TurnFinished&) const = default;
};
struct ChecksDone {
  bool passed = true;
  std::string feedback;  // what failed
  std::string at;
  std::vector<CheckRun> runs = {};
  TestEvidence evidence = {};
  bool operator==(const ChecksDone&) const = default;
};
struct BaselineChecked {
  Baseline state{};
  std::string detail;  // for people: what is wrong, with the words of the command
  std::vector<CheckRun> runs;
  std::string at;
  bool operator==(const BaselineChecked&) const = default;
};
struct Reviewed {
  std::vector<ReviewVerdict> verdicts;  // three
  std::string note;                     // what a reviewer changed, which was taken back
  std::string at;
  bool operator==(const Reviewed&) const = default;
};
struct MergeDone {
  std::string commit;
  bool nothing = false;  // there was nothing to merge
  bool adopted = false;  // it was found done
  std::string at;
  std::string onto = {};            // the main that it was tested on
  std::vector<CheckRun> runs = {};  // what the merged files were checked by
  std::vector<Claim> claims = {};   // that differ: what a person should know of it
  TestEvidence evidence = {};       // of these
  bool operator==(const MergeDone&) const = default;
};
struct PlaceRemoved {
  std::string at;
  bool operator==(const PlaceRemoved&) const = default;
};
struct Ended {
  Outcome outcome{};
  std::string detail;
  std::string at;
  bool approval_stands = false;  // nothing was said against what a person has approved
  bool operator==(const Ended&) const = default;
};
struct Resumed {
  std::string at;
  bool operator==(const Resumed&) const = default;
};
// The state file of a session as an `auto` command found it.
struct SessionSeen {
  std::string state;  // its JSON
  std::string at;
  bool operator==(const SessionSeen&) const = default;
};
// The project's own commands are about to run.
struct ChecksStarted {
  std::string at;
  bool operator==(const ChecksStarted&) const = default;
};
// Three reviewers are about to be started.
struct ReviewStarted {
  int round = 1;  // since the run was last taken up
  int agent = 0;  // the number of the first of them
  std::string at;
  std::string provider, model;  // as configured; empty: as the run began
  bool operator==(const ReviewStarted&) const = default;
};
struct MergeIntended {
  std::string at;
  bool operator==(const MergeIntended&) const = default;
};
// As event::GroundMoved.
struct GroundMoved {
  std::vector<std::string> what;
  std::vector<int> agents;
  std::string main, from, to;
  std::string at;
  bool operator==(const GroundMoved&) const = default;
};

// As those of a run of phases.
struct MergeTried {
  std::string onto;
  std::vector<std::string> files;
  int changed = 0;
  std::vector<CheckRun> runs;
  std::string at;
  bool operator==(const MergeTried&) const = default;
};
struct IntegrationChosen {
  Integrate integrate{};
  std::string at;
  bool operator==(const IntegrationChosen&) const = default;
};
struct ApprovalAsked {
  int question = 0;  // counts from 1
  Approval about{};
  std::vector<std::string> files;  // guard: that were changed
  std::string detail;              // guard: by how many lines
  std::string at;
  bool operator==(const ApprovalAsked&) const = default;
};
struct ApprovalGiven {
  int question = 0;
  bool approved = false;
  std::string text, by;  // not approved: what to do otherwise
  std::string at;
  bool operator==(const ApprovalGiven&) const = default;
};
struct AnswerTakenBack {
  int question = 0;
  std::string at;
  bool operator==(const AnswerTakenBack&) const = default;
};

struct Fact
    : std::variant<Started, PlaceReady, TurnStarted, TurnFinished, ChecksDone, Reviewed, MergeDone,
                   PlaceRemoved, Ended, Resumed, SessionSeen, MergeIntended, ChecksStarted,
                   ReviewStarted, BaselineChecked, GroundMoved, MergeTried, IntegrationChosen,
                   ApprovalAsked, ApprovalGiven, AnswerTakenBack, PlaceIntended> {
  CAPSULE_COMPILED_ONCE(Fact);
};

std::string_view kind_of(const Fact& fact);                            // "auto_started", …
std::string body_of(const Fact& fact);                                 // compact JSON
Result<Fact> read_fact(std::string_view kind, std::string_view body);  // damaged: it is none
const std::string& time_of(const Fact& fact);

}  // namespace capsule::event::auto_run
