// Folds facts into what is shown. Pure: no clock, disk or process; one caller at a time.
//
// What no fact tells (who works on a run, what an agent does, which answers lie there) is told from
// outside, as often as it changes; without it a run that has not ended is cut off.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/journal.h"
#include "event/fact.h"
#include "ui/view/view.h"

namespace capsule::view {

class RunFold;

// The word by which commands find a run, not quoted: "demo-1", "/p/PLAN.md", "auto".
std::string name_for(const engine::RunHead& head);

class Fold {
 public:
  Fold();
  ~Fold();
  Fold(Fold&&) noexcept;
  Fold& operator=(Fold&&) noexcept;
  Fold(const Fold&) = delete;
  Fold& operator=(const Fold&) = delete;

  // Makes a run known, or takes its newer head. A run is known in the order of the first call.
  void head(const engine::RunHead& head);
  // Requires: head() of its run came before; facts of a run come in their order. One that cannot be
  // read makes the run unreadable; the others go on.
  void apply(const event::Fact& fact);

  // Why the facts of a run cannot be had at all.
  void unreadable(const std::string& run, const std::string& why);
  // Who works on it; nullopt: nobody.
  void holder(const std::string& run, const std::optional<engine::Holder>& holder);
  // What its agents do, by their numbers; replaces what was told before.
  void activities(const std::string& run, std::map<int, dialect::Activity> doing,
                  std::map<int, std::int64_t> printed = {});
  // Questions of it for which an answer lies there.
  void answered(const std::string& run, const std::set<int>& questions);

  // The state file of auto mode, when it is a session's; empty: there is none. Counts for the
  // newest run of auto mode, if it is of that session, until that has another fact. Whether it says
  // something else than before.
  bool session(const std::string& state);

  // What all of that comes to. Costs what has changed since the last call; stays as it is until the
  // next call.
  const Project& project();

  // One agent of a run, as its row is there but for its claims: at the cost of that row alone.
  // nullopt: the run has none of that number. Requires: the run is known.
  std::optional<Attempt> attempt(const std::string& run, int agent) const;

  // The newest fact of a run that was applied; 0: none.
  std::uint64_t applied(const std::string& run) const;
  // The summary of a run, and why its facts tell nothing (empty: they were read), for what is made
  // of these. Costs no more than the run. Requires: it is known.
  workflow::RunSummary summary(const std::string& run) const;
  const std::string& trouble_of(const std::string& run) const;

 private:
  struct Entry;
  RunFold& run_of(const std::string& run);

  std::vector<Entry> runs_;                    // oldest first
  std::map<std::string, std::size_t> index_;   // by run
  std::map<std::string, std::size_t> newest_;  // by subject
  Project project_;
  Moment project_newest_;
  bool stale_ = false;
};

}  // namespace capsule::view
