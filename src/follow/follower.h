// Follows a project: its journal, who works on its runs, what their agents do and which answers lie
// there, all as other processes change them. Reads only, so that any number may follow, and closing
// one ends nothing.
//
// It sleeps until something happens: inotify tells of commits, answers and logs that grow, a pidfd
// of a process that ends. Only where these are blind (a network's disk, a holder on another
// machine, no watches left) it looks once a second. Single-threaded, on the thread of the Loop,
// which must outlive it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "engine/journal.h"
#include "process/tree.h"
#include "ui/view/view.h"
#include "world/project.h"
#include "world/runs.h"

namespace capsule::follow {

struct Options {
  bool activities = true;  // reads the logs of agents at work
  bool blind = false;      // as if nothing could be watched; for tests
  // Called when .capsule was not there, before what it would come to is watched; for tests.
  std::function<void()> between_watches = {};
};

class Follower {
 public:
  // Called from the Loop after something has changed, with what is so now.
  using Changed = std::function<void(const view::Project&)>;

  // Reads everything once; `changed` is not called for that. A project without a journal is
  // empty, and followed until it has one. Error: the journal cannot be opened.
  static Result<std::unique_ptr<Follower>> start(process::Loop& loop, const world::Project& project,
                                                 Changed changed, Options options = {});
  ~Follower();
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  const view::Project& project() const;
  // A run as functions of `world` take it, out of what is folded: head, holder and summary. Error
  // not_found: there is none.
  Result<world::Run> run(const std::string& id) const;
  // Whether it hears of changes by itself, or has to look once a second.
  bool blind() const;
  // Why the journal could not be read when it was looked at last, for people; empty: it could.
  const std::string& trouble() const;
  // For what the view does not hold, such as the facts of a replay; null: there is none yet. Valid
  // until the loop turns.
  engine::Records* journal() const;
  // How many journals were followed and are no more, since another is in their place, or none: with
  // each of them the numbers of facts begin anew.
  int journals_gone() const;
  // How often it was woken since its start: 0 while nothing happens.
  std::int64_t wakes() const;

 private:
  class Impl;
  explicit Follower(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// One look at the newest run of each subject, for commands that show and end.
Result<view::Project> look(const world::Project& project, engine::Records* store);

// What a journal had come to at a moment: all facts up to `seq`. Runs that began later are not
// there; whoever has not ended by then is shown as at work. `run`: that one alone, whatever the
// others were; costs no more than its facts.
Result<view::Project> replayed(engine::Records& store, std::uint64_t seq,
                               const std::string& run = {});

}  // namespace capsule::follow
