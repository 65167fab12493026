// Sessions of an agent's client that the Stop hook holds on course: what a person decides about
// them, and their place in the journal.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "auto_state/state_file.h"
#include "base/result.h"
#include "workflow/auto/state.h"

namespace capsule::world {

// Brings what the hook wrote into the journal, once for each state that is found. Does nothing for
// the state of a headless run, and where there is no repository.
Result<void> record_session(const std::string& folder);

// The state file as text, which may be ahead of the journal; empty: there is none, or it is a
// headless run's.
std::string session_state(const std::string& folder);
std::string state_folder(const std::string& folder);  // that holds it

// A sentence for the person that is no error.
using Warn = std::function<void(const std::string&)>;

// The state of auto mode in `folder`. A damaged one has been set aside by now: that is warned of,
// and there is none.
Result<std::optional<auto_state::Document>> load_state(const std::string& folder, const Warn& warn);

struct SessionStart {
  std::string task;
  auto_mode::Config config;
  std::int64_t max_iterations = auto_mode::kMaxIterations;
  std::string session;  // empty: the first one that stops
  bool force = false;   // replace a state that is active
};
// Returns the instructions of the first phase. Error refused: auto mode is active already.
Result<std::string> start_session(const std::string& folder, const SessionStart& start,
                                  const Warn& warn);
// Makes it active again where it is not, for `session`; empty: for the first one that stops.
// Returns the instructions of its phase. Errors: not_found, refused (it is complete, or active in
// another session).
Result<std::string> continue_session(const std::string& folder, const std::string& session);
// False: it was not active. Error not_found: there is none.
Result<bool> cancel_session(const std::string& folder, const Warn& warn);
// Error refused: a session that the hook holds on course would lose its state.
Result<void> refuse_active_session(const std::string& folder, const Warn& warn);

// What is said where there is none at all.
tl::unexpected<Error> no_auto_mode(const std::string& folder);

}  // namespace capsule::world
