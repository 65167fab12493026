// A workflow of phases as data: what a user's file states, and what the journal keeps of it, so
// that a run goes by the rules that it began with. Pure values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "event/common.h"

namespace capsule::event {

// Where a run goes after a status. Empty `to`: nowhere, the run ends.
struct Route {
  std::string to;    // a phase; the first of its group stands for all of a group
  std::string then;  // once `to` has passed: this phase, in place of what follows `to`
  int limit = 0;     // attempts in all; 0: those of the run
  bool operator==(const Route&) const = default;
};

// Whether a phase whose work is sent back goes on in its agent's session, where the client keeps
// sessions.
enum class Session {
  unsaid,  // as the configuration says, or else it does
  fresh,   // "new": it begins anew each time
  resume,
};
inline constexpr int kSessions = 3;
std::string_view name_of(Session session);  // "unsaid", "new", "resume"

struct PhaseRule {
  std::string name;
  std::string prompt;               // "prompts/execute.md"
  std::string provider, model;      // empty: as configured
  int timeout_seconds = 0;          // 0: as configured
  bool writes = true;               // false: what it changes is taken back
  bool edits = false;               // it judges, and is to change files all the same
  bool writes_tests = false;        // what it leaves are the tests that nobody may touch
  bool signs_off = false;           // what it passes is what may be merged
  bool commits = false;             // it commits the work itself
  bool approval = false;            // a person approves what it leaves
  bool clean = false;               // its checks run in a fresh checkout
  int group = 0;                    // phases of one group run at the same time; 0: alone
  bool any = false;                 // one PASS of the group is enough
  int stage = 0;                    // the step that people see, from 1
  std::vector<std::string> needs;   // checks that must hold before it starts
  std::vector<std::string> checks;  // that must hold after it said PASS
  Route pass;                       // empty `to`: the phase after it, or the end
  Route needs_work;                 // empty `to`: the run ends
  Route error;                      // the same
  Session session{};
  bool operator==(const PhaseRule&) const = default;
};

enum class Finish {
  merge,    // it is integrated, as `integrate` or the project says
  branch,   // the same as integrate: branch
  nothing,  // nothing is kept but snapshots and logs
};
inline constexpr int kFinishes = 3;
std::string_view name_of(Finish finish);

struct Definition {
  std::string name, summary;
  bool on_branch = false;         // it looks at a branch that exists, named by the caller
  std::vector<PhaseRule> phases;  // in their order; no name twice
  Finish finish{};
  Integrate integrate{};  // unsaid: as the project says
  bool operator==(const Definition&) const = default;
};

}  // namespace capsule::event
