// The beads of a project as people work on them: in our own store, or in bd, which is handed their
// words. See docs/decisions/0036-which-tracker.md.
#pragma once

#include <string>

#include "task/bd_tracker.h"
#include "task/bead_words.h"
#include "task/native_store.h"

namespace capsule::world {

// A folder that keeps beads from now on. Errors: those of task::NativeStore::init() and bd.
Result<void> begin_beads(const std::string& folder, const std::string& prefix);

class BeadDesk {
 public:
  // Asks the folder's configuration, and where that leaves it open, what there is.
  static Result<BeadDesk> open(const std::string& folder);

  bool is_bd() const { return bd_; }
  // Only of bd.
  Result<task::Forwarded> hand_over(task::Words words, bool json) const {
    return task::forward(folder_, std::move(words), json);
  }
  // Only of our own. Damaged lines are told by it, and do not hide the others.
  task::NativeStore& store() { return store_; }

 private:
  BeadDesk(std::string folder, bool bd);

  std::string folder_;
  bool bd_;
  task::NativeStore store_;
};

}  // namespace capsule::world
