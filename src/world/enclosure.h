// What a contained agent gets of its own, and what is taken over from it afterwards.
//
// A writer: the worktree, a repository of its own that borrows the project's objects, a home. Its
// commits are imported when it has ended. Who only looks: the same repository, thrown away; a layer
// over the worktree that catches what it writes; instructions for its client as they were before
// the work; a home that nobody had before, or that has its own session and nothing else. Of that
// its worklog is taken over, and the list of what else it tried to change.
//
// Everything but homes lies in one temporary folder, which goes with the value, or by the next
// sweep. Single-threaded; git runs while a call waits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/clients.h"
#include "agent/scratch.h"
#include "base/result.h"
#include "contain/policy.h"
#include "git/private_repository.h"
#include "git/repository.h"
#include "git/temporary_folder.h"
#include "world/instructions.h"

namespace capsule::world {

// Who is to be enclosed, and where.
struct Occupant {
  std::string role;
  std::string folder;                     // of its tree; the repository's top: the user's checkout
  std::string base = {};                  // the commit that the work is compared with; empty: main
  std::string main_branch = {};           // as configured
  const agent::Client* client = nullptr;  // null: none that we know
  bool leaves_worklog = true;             // what it wrote there counts
  // Of who only looks: its session, by our id, and whether it goes on with that. Empty: none, and
  // nothing of its home stays.
  std::string session = {};
  bool resumes = false;
};

// What came of it.
struct Released {
  std::vector<std::string> tried;  // paths that it changed although it only looks; a bounded list
  std::vector<std::string> odd;    // sentences without a subject: what was wrong in its repository
};

// Movable, not copyable. Must not outlive the repository's folder.
class Enclosure {
 public:
  // Adds to `wish` (which has role and folder) what is of this agent alone. `instructions` is used
  // during the call. Errors: refused, not_found (no worktree is there), failed, io.
  static Result<Enclosure> make(const git::Repository& repository, const Occupant& occupant,
                                Instructions& instructions, contain::Wish& wish);
  Enclosure(Enclosure&&) noexcept = default;

  // Once, when the agent and all that it started have ended. Error: what it left could not be read
  // (io, failed). Commits that cannot be taken over are odd, and no error.
  Result<Released> release();

 private:
  Enclosure(const git::Repository& repository, const Occupant& occupant, git::TemporaryFolder own)
      : repository_(repository), occupant_(occupant), own_(std::move(own)) {}
  bool is_checkout() const { return occupant_.folder == repository_.top; }
  std::string homes() const;  // in the area of homes, those of this tree
  Result<void> add_home(contain::Wish& wish);
  Result<void> add_repository(contain::Wish& wish);
  Result<void> add_layer(Instructions& instructions, contain::Wish& wish);
  Result<void> hide_own_area(contain::Wish& wish) const;
  Result<void> take_commits(Released& released) const;
  Result<void> take_layer(Released& released) const;
  Result<bool> take_worklog() const;

  git::Repository repository_;
  Occupant occupant_;
  git::TemporaryFolder own_;
  std::string main_ref_;
  std::optional<git::PrivateRepository> private_;  // none: there is no git where it works
  bool writes_ = true;
  std::string home_;  // of who only looks and has a session: whose
  std::string layer_, cover_;
  std::optional<agent::Scratch> outside_;  // of the user's checkout, which has our folder in it
};

}  // namespace capsule::world
