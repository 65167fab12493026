// How the process tree of an agent ended, and what that means: one mapping to a fault and one
// wording for all workflows. Pure values.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "base/result.h"
#include "contain/report.h"
#include "event/common.h"

namespace capsule::agent {

struct Ending {
  enum class How {
    exited,         // exit_code: its status
    signalled,      // signal: which; exit_code: 128 + signal
    timed_out,      // our limit
    unanswered,     // by end(): its service owed it an answer for too long
    lost,           // its guardian was killed; so was the tree
    not_started,    // error: why
    not_contained,  // error: why its walls could not be put up; nothing of it ran
    not_logged,     // error: why what it printed could not be kept; it was ended at once
    over_limit,     // excess: what its processes used too much of; we ended it
    ended,          // by end()
    interrupted,    // a person asked to stop
  };
  How how = How::exited;
  int exit_code = 0;
  int signal = 0;
  std::chrono::milliseconds limit{};   // the one that it had
  std::chrono::milliseconds silent{};  // unanswered: for how long
  std::string log;                     // path of what it printed; empty: there is none
  std::optional<Error> error = {};
  std::optional<contain::Excess> excess = {};
  // The ends of what it printed on stdout and stderr, at most kEndBytes each.
  std::string out_end = {}, err_end = {};
  int redacted = 0;  // secrets that were replaced in what it printed
};
inline constexpr std::size_t kEndBytes = 4096;

// Ensures: none exactly when it exited with status 0.
event::Fault fault_of(const Ending& ending);

// For people, after "the agent": "was ended by signal 9 (SIGKILL)", "ended with exit status 7".
// Empty when it exited with status 0.
std::string describe(const Ending& ending);

// "600 s"
std::string limit_text(std::chrono::milliseconds limit);
// The same for what was measured: whole seconds, from one on.
std::string silence_text(std::chrono::milliseconds silent);

}  // namespace capsule::agent
