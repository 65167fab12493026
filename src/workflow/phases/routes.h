// Where a run of phases goes when a phase has ended, was judged, or a person has said something of
// it. Internal to this folder: apply() is made of it.
#pragma once

#include <string>
#include <string_view>

#include "workflow/phases/phases.h"

namespace capsule::phases::routes {

// The first one of the definition for a name that it does not have.
const PhaseRule& rule_of(const State& s, std::string_view phase);

void end(State& s, Outcome outcome, std::string detail, Step after);
void go_to(State& s, const std::string& phase, int attempt, std::string feedback);
// PASS: the next phase, in a new loop unless it belongs to this one.
void pass(State& s);
// NEEDS_WORK of a review, of a check or of a person: the writer goes again while attempts are left.
void retry(State& s, const event::Route& route, const std::string& feedback,
           bool checked_false = false);
// A person did not approve what would be merged: whoever the last judge sends work back to begins
// anew, with their words. What people ask for has no limit but their patience.
void send_back(State& s, const std::string& words);

// What phases that ran together come to. One alone: its own words.
struct Joined {
  Status status{};
  std::string feedback;
};
Joined joined(const State& s);
// Goes on by that, and by what the definition says of such a status.
void judge(State& s, Status status, const std::string& feedback, bool checked_false);
// A phase that a person ran by hand, outside a run: it counts for where a resumed run goes on.
void count_by_hand(State& s);

}  // namespace capsule::phases::routes
