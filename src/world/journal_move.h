// Moves the runs of a clone from the journal in its folder into the database in use, or back. Both
// may be given again after they were cut off: a run goes on in one place at any time, never in
// both.
#pragma once

#include "base/result.h"
#include "world/project.h"

namespace capsule::world {

struct Moved {
  std::size_t runs = 0;
  std::uint64_t facts = 0;  // that were not there yet
};

// Both require: journal_address() is not empty. Error blocked: somebody works on one of the runs.
// Error conflict: a run has gone on in both places, which only other hands can have done.
Result<Moved> import_journal(const Project& project);
Result<Moved> export_journal(const Project& project);

}  // namespace capsule::world
