// The tracker bd (beads), run as a program: never through a shell, in the project's folder, without
// its background daemon. Only the commands that the pipeline's documents name are used, so that any
// program that answers `bd show ID --json` and `bd close ID` will do. One thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/tracker.h"
#include "process/command.h"

namespace capsule::task {

// What answers to the name bd.
enum class BdKind {
  missing,  // nothing on PATH
  beads,    // `bd version` answers as beads does
  silent,   // it fails or says nothing: perhaps a stand-in that knows only what it needs
  other,    // it says something else, as Debian's package of that name does
};

// Asks `bd version`.
Result<BdKind> identify_bd(const std::string& project_dir);

// Whether this is what beads prints for `bd version`.
bool sounds_like_beads(std::string_view version_output);

// Runs `bd` with these words to its end. Reasons: those of process::run, timed_out.
Result<process::Output> run_bd(const std::string& project_dir, std::vector<std::string> words);

struct Forwarded {
  bool ok = false;
  std::string out, err;
};
// A command of a person, handed to bd, and what it answered: JSON as it is, all else as text that
// is harmless on a terminal.
Result<Forwarded> forward(const std::string& project_dir, std::vector<std::string> words,
                          bool json);

class BdTracker : public engine::Tracker {
 public:
  explicit BdTracker(std::string project_dir) : project_dir_(std::move(project_dir)) {}

  std::string_view name() const override { return "bd"; }

  // A bd that fails does not know the bead (not_found; what it says is in the message); one that
  // answers with something else than JSON is damaged.
  Result<engine::Bead> show(std::string_view id) override;
  Result<std::vector<engine::Bead>> list(const engine::BeadFilter& filter) override;
  // bd is told the id alone: `bd close ID`.
  Result<void> close(std::string_view id, std::string_view reason) override;

 private:
  std::string project_dir_;
};

}  // namespace capsule::task
