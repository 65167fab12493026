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

#include "base/result.h"
#include "signal/vocabulary.h"

namespace capsule::event::auto_run {

using signal::Phase;

// Why a phase's agent is started.
enum class Why {
  fresh,    // the phase begins
  go_on,    // it ended without its signal
  retry,    // it said PHASE_ERROR, which it called recoverable
  mend,     // checks failed, or reviewers raised issues
  restart,  // the agent before failed: a new session
};

enum class Fault { none, exit_status, timed_out, not_started, interrupted, lost };

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
};
std::string_view name_of(Outcome outcome);
std::string_view name_of(Verdict verdict);  // "APPROVED", …
std::string_view name_of(Why why);
std::string_view name_of(Fault fault);

struct ReviewVerdict {
  std::string type;  // one of kReviewers
  Verdict verdict{};
  std::vector<std::string> issues;
  std::string timestamp;             // when it ended
  std::string started_at, ended_at;  // with milliseconds: they show that reviewers overlap
  std::string log;
};

struct Started {
  std::string task, provider;
  bool in_place = false;
  bool has_checks = false;  // the project has verify commands
  bool skip_expansion = false, skip_qa = false, skip_review = false, skip_reflect = false;
  bool parallel = true;
  std::int64_t max_iterations = 20;
  std::string at;
};
struct PlaceReady {
  std::string folder;
  std::string at;
};
struct TurnStarted {
  Phase phase{};
  int number = 0;   // counts the turns of the run; a turn that was cut off keeps its number
  int attempt = 1;  // within the phase
  Why why{};
  std::string session;   // of the agent's client; empty: it has none
  bool resumes = false;  // goes on with that session
  std::string at;
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
  std::string at;
};
struct ChecksDone {
  bool passed = true;
  std::string feedback;  // what failed
  std::string at;
};
struct Reviewed {
  std::vector<ReviewVerdict> verdicts;  // three
  std::string note;                     // what a reviewer changed, which was taken back
  std::string at;
};
struct MergeDone {
  std::string commit;
  bool nothing = false;  // there was nothing to merge
  std::string at;
};
struct PlaceRemoved {
  std::string at;
};
struct Ended {
  Outcome outcome{};
  std::string detail;
  std::string at;
};
struct Resumed {
  std::string at;
};
// The state file of a session as an `auto` command found it.
struct SessionSeen {
  std::string state;  // its JSON
  std::string at;
};

using Fact = std::variant<Started, PlaceReady, TurnStarted, TurnFinished, ChecksDone, Reviewed,
                          MergeDone, PlaceRemoved, Ended, Resumed, SessionSeen>;

std::string_view kind_of(const Fact& fact);                            // "auto_started", …
std::string body_of(const Fact& fact);                                 // compact JSON
Result<Fact> read_fact(std::string_view kind, std::string_view body);  // damaged: it is none
const std::string& time_of(const Fact& fact);

}  // namespace capsule::event::auto_run
