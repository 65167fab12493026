// The view of the one run that this process shows, for whoever hears of its facts as they are
// recorded: lines, picture, --json and notifications are all drawn from here, so that no fact is
// folded twice. One caller at a time.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ui/view/fold.h"

namespace capsule::view {

class OneRun {
 public:
  // A process works on it.
  explicit OneRun(const engine::RunHead& head);

  // What was recorded before, once and first.
  void recall(const std::vector<event::Fact>& facts);
  void take(std::span<const event::NewFact> facts);
  // Nobody works on it any more.
  void leave();

  // All of it, and what it asks of people. Costs what the run is large, once after each change.
  const Run& run() { return project().runs.front(); }
  const Project& project() { return fold_.project(); }
  // One of its agents, without its claims, at the cost of that row alone; nullopt: there is none.
  std::optional<Attempt> attempt(int agent) const { return fold_.attempt(run_, agent); }

 private:
  std::string run_;
  Fold fold_;
  std::uint64_t seq_ = 0;
};

}  // namespace capsule::view
