// Walls around the project's own commands: what they run is what agents wrote.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "contain/policy.h"
#include "contain/report.h"
#include "gate/private_folder.h"
#include "git/private_repository.h"
#include "git/repository.h"
#include "git/temporary_folder.h"

namespace capsule::gate {

struct Walls {
  // What the configuration wishes around a command in that folder; none: no walls.
  std::function<std::optional<contain::Wish>(const std::string& folder)> wish = {};
  // What a command that fails inside may lack, and the line that gives it, for people.
  std::string lacks = {};
  git::Repository repository = {};  // layers lie below its .capsule/tmp
  std::string main_ref = {};        // "refs/heads/main"
  // What is really in force around a command, as it starts; the hosts that it asked for in vain.
  std::function<void(const contain::Report&)> on_contained = [](const auto&) {};
  std::function<void(const std::string& command, const contain::Refusals&)> on_refused =
      [](const auto&, const auto&) {};
};

// What becomes of what a command writes into its folder.
enum class Writes {
  vanish,  // they go to a layer over it
  stay,    // the folder may be changed: it is a set-up's, or ours and goes anyway
};

// Why a command did not start inside its walls, where that is its own fault: it is not there
// (missing_program), or cannot be executed (refused). None: the walls could not be put up.
std::optional<Error> fault_of_command(const Error& why);

// How a private repository appears inside, by the paths of the real one.
std::vector<contain::Mount> mounts_of(const git::PrivateRepository& made,
                                      const git::Repository& repository);

// Around the commands of one job, which see what the ones before them wrote. In a worktree they get
// a repository of their own, so that git can be asked there; it goes with the room. Movable.
class Room {
 public:
  // Errors: those of git::TemporaryFolder, PrivateFolder and git::make_private_repository.
  static Result<Room> make(const Walls& walls, const std::string& folder, Writes writes);

  const std::optional<contain::Wish>& wish() const { return wish_; }
  // Where that is what the commands wrote into the folder. It is theirs: no link may be followed.
  const std::string& written() const { return written_; }

 private:
  Room() = default;
  Result<std::string> place_for(const Walls& walls, const std::string& folder);

  std::optional<contain::Wish> wish_;
  std::string written_;
  std::optional<git::TemporaryFolder> temporary_;
  std::optional<PrivateFolder> elsewhere_;
};

}  // namespace capsule::gate
