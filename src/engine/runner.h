// Runs any workflow: what happened in the world goes to the workflow, what it decides is recorded,
// all of one step in one append, and only then carried out. A crash between any two of these is
// mended by replay() and take_up().
#pragma once

#include "engine/log.h"
#include "engine/workflow.h"
#include "engine/world.h"

namespace capsule::engine {

enum class End {
  over,          // the run has ended; its summary says how
  for_a_person,  // only an answer brings it on, and nobody is there to give one
  stopped,       // a person asked to stop; everything is kept, and it goes on when started again
};

struct Ports {
  Clock& clock;
  Log& log;
  World& world;
  Listener& listener;
  Probe* probe = nullptr;
};

class Runner {
 public:
  // Everything must outlive the runner.
  Runner(Workflow& workflow, Ports ports) : workflow_(workflow), ports_(ports) {}

  // What the journal says of the run so far. False: there is no such run yet.
  Result<bool> replay();
  // Records and carries out what was decided outside the loop: a start, a resumption. Requires: the
  // turn is the workflow's newest.
  Result<void> take(const Turn& turn);
  // After replay(), in a run that has not ended: an earlier process may have left things half done.
  Result<void> take_up();
  // Carries the run on. On an error nothing that was not recorded has happened for the workflow:
  // the run counts as cut off.
  Result<End> carry_on();

 private:
  void reached(std::string_view what, std::string_view name);
  Result<void> observe(std::vector<workflow::Observation> observations);

  Workflow& workflow_;
  Ports ports_;
};

}  // namespace capsule::engine
