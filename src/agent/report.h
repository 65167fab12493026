// What an agent that speaks the contract dialect came to: its signal, or the synthetic ERROR that
// says why there is none. Pure.
#pragma once

#include <string>
#include <string_view>

#include "agent/ending.h"
#include "agent/outcome.h"
#include "signal/contract.h"

namespace capsule::agent {

struct Report {
  signal::ContractSignal signal;
  bool spoke = false;  // the signal is its own, not the synthetic ERROR
  event::Fault fault{};
  signal::Miss miss{};  // of no_signal: why
  std::string detail;  // for people, after "the agent"; of no_signal: what is wrong with the signal
  int exit_code = 0;   // 128 + n when signal n ended it
  std::string log;
};

// `found` is what was in its whole output, `phase` its name for people.
Report report_of(const Ending& ending, signal::ContractResult found, std::string_view phase);

// The same where more is known than how its program ended; `found` is what was in its last words.
Report report_of(const Ending& ending, const Outcome& outcome, signal::ContractResult found,
                 std::string_view phase);

}  // namespace capsule::agent
