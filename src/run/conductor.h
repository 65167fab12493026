// Everything that carrying a run on needs, connected: journal, claim, world, face and runner, for
// any workflow. Whoever carries a run on opens a conductor, claims the subject, connects the run
// and lets the runner go. One thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/journal.h"
#include "engine/runner.h"
#include "ui/view/one_run.h"
#include "world/world.h"

namespace capsule::run {

class Notifying;

// Of a run that this process carries on.
engine::RunHead head_of(std::string run, std::string_view workflow, std::string_view subject);

class Conductor {
 public:
  // Opens the journal. Nothing is written but an empty journal. `hidden`: what else of ours the
  // user's checkout must not show.
  static Result<std::unique_ptr<Conductor>> open(world::Project project,
                                                 const std::vector<std::string>& hidden = {});
  ~Conductor();
  Conductor(const Conductor&) = delete;
  Conductor& operator=(const Conductor&) = delete;

  const world::Project& project() const { return project_; }
  engine::Records& store() { return *store_; }
  process::Loop& loop() { return *loop_; }
  world::Interrupt& interrupt() { return *interrupt_; }
  // By the clock that the facts of its run have.
  std::string now();

  // Nobody else works on the subject until this goes away. Error blocked: another process does.
  Result<void> claim(const std::string& subject, const std::string& run);
  // Has a run whose home is elsewhere go on here, if nobody works on it there any more and what it
  // recorded last is on the remote that the clones share: then `snapshot` (empty: it has none yet)
  // is in this repository. False: it is not. Error blocked: somebody works on it.
  Result<bool> bring_here(const std::string& run, const std::string& tree,
                          const std::string& snapshot);
  // Makes the subject's tree from that snapshot, unless it is known here by its ref. Nothing where
  // the remote has none of it. Requires: connect().
  Result<void> arrive(const std::string& tree, const std::string& base, const std::string& ref,
                      const std::string& snapshot);
  // What the caller of an earlier process said about that run holds for this one as well, where its
  // caller says nothing else: the project is read anew. Before anything is made of its
  // configuration.
  Result<void> keep_words(const std::string& run);

  struct Parts {
    engine::Workflow& workflow;
    engine::Listener& listener;
    view::OneRun& shown;  // by the listener: what people are told of
    std::string name;     // of the workflow, in the journal
    std::string subject;  // what was claimed
    world::WorldSettings settings;
  };
  // Makes the world and the runner, and replays what the journal has of the run. False: it is new.
  // The parts must outlive the conductor's use. Requires: claim().
  Result<bool> connect(Parts parts);
  world::RealWorld& world() { return *world_; }
  engine::Runner& runner() { return *runner_; }
  // Carries the run on; whoever waits for a detached one hears of it first. Requires: connect(),
  // and its start or its resumption is recorded.
  Result<engine::End> carry_on();

 private:
  explicit Conductor(world::Project project);
  // Null: main is this clone's own.
  Result<std::shared_ptr<workspace::SharedMain>> shared_main(
      const std::string& run, const std::function<void(const std::string&)>& tell);
  void recall_sessions(const std::vector<event::Fact>& facts);

  struct SystemClock;
  world::Project project_;
  std::string run_;
  std::unique_ptr<engine::Records> store_;
  std::unique_ptr<process::Loop> loop_;
  std::unique_ptr<world::Interrupt> interrupt_;
  std::unique_ptr<engine::Claim> claim_;
  std::unique_ptr<SystemClock> clock_;
  std::unique_ptr<engine::Probe> probe_;
  std::unique_ptr<engine::Log> log_;
  std::unique_ptr<Notifying> notifying_;  // null: nobody is to be told
  std::shared_ptr<workspace::SharedMain> shared_;
  bool arrived_ = false;  // the run was elsewhere
  std::unique_ptr<world::RealWorld> world_;
  std::unique_ptr<engine::Runner> runner_;
};

}  // namespace capsule::run
