// Projects with scripted agents, for the tests that kill Capsule, fail its disk or run several of
// it. What the agent does follows from its phase, attempt and bead alone, so a phase that is
// repeated does the same again. After every test: `git fsck` and the journal are clean, no
// checkout shows a change, and nothing survives.
#pragma once

#include "event/pipeline.h"
#include "tests/program/harness.h"

namespace capsule::test {

// One project on disk.
struct Place {
  std::string folder;
  std::string worktree(const std::string& bead) const {
    return folder + "/.capsule/worktrees/" + bead;
  }
};

class RecoveryTest : public ProgramTest {
 protected:
  // Its test-review asks for one more attempt; the others' do not.
  static constexpr const char* kRetried = "retried-1";
  static constexpr const char* kPlain = "plain-1";

  void SetUp() override;
  void TearDown() override;

  // A new project `name` with the beads above and plain-2 to plain-4, gates on.
  Place make_place(const std::string& name, const std::string& more_config = {});

  Call calling(const Place& place, std::vector<std::string> args) const;
  Outcome capsule_in(const Place& place, std::vector<std::string> args) const {
    return run(calling(place, std::move(args)));
  }
  // Until the run has ended by itself: goes on with --resume where that is what it takes.
  Outcome run_to_end(const Place& place, const std::string& bead) const;

  // Everything from now on works inside walls; agents may leave notes all the same.
  void inside_walls_with_notes();

  // Lines for the agent's shell that come before what it does in `phase`, in every project.
  void before(const std::string& phase, const std::string& script) const;
  // An agent that waits in `phase` until `release()`; `waiting()` when it has come that far.
  void hold(const std::string& phase) const;
  bool waiting() const;
  void release() const;

  std::string git(const Place& place, const std::vector<std::string>& args) const;

  // Everything that must be the same however often a run was cut off: the bead, main's history
  // and files, the archive, the names of the snapshots and what was recorded. No ids, no times.
  std::string final_state(const Place& place, const std::string& bead) const;
  std::vector<event::PipelineFact> facts(const Place& place, const std::string& bead) const;
  // The journal reads whole and agrees with its checksums, the repository with `git fsck`, and the
  // user's checkout is clean.
  void expect_sound(const Place& place) const;

  // For an agent's hook: where tests and agents leave notes for each other.
  std::string note(const std::string& name) const { return path("notes/" + name); }
  std::map<std::string, std::optional<std::string>>& env() { return env_; }

 private:
  std::map<std::string, std::optional<std::string>> env_;
  std::vector<Place> places_;
};

bool full_tests();  // CAPSULE_TEST_FULL=1
// A number that differs from run to run, printed by whoever uses it; CAPSULE_TEST_SEED sets it.
unsigned rotation();
std::vector<std::string> lines_in(const std::string& text);

#define EXPECT_HAS(text, part) \
  EXPECT_NE((text).find(part), std::string::npos) << "in: " << (text) << "\nexpected: " << (part)

}  // namespace capsule::test
