// The red team: agents that lie to the gates in every way that we could think of, and honest ones
// whose ways are unusual, in small projects with the real test runners. A case is a row of a table:
// what the agents of some phases do (all others do good work), and what must be true afterwards.
//
// A liar may get nothing to main but honest work: the commit stays as it was and the run says what
// was wrong, or main holds exactly what good agents would have brought there. An honest agent gets
// through without a person.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace capsule::test::redteam {

// A project with a function and its tests, in a language; the task asks for one function more.
enum class Kit { python, pytest, go, node };
const char* name_of(Kit kit);

struct Project {
  std::string test;                          // verify.test, as YAML
  std::map<std::string, std::string> files;  // that it begins with
  // For /bin/sh: good_tests and good_code do what good agents do; $TESTS and $CODE are the files
  // that these write, $OLD the tests that were there. old_weak, old_skip, old_rename,
  // empty_suite spoil these in the ways of the language.
  std::string shell;
};
const Project& project_of(Kit kit);

enum class Workflow { pipeline, delivery, auto_run, own };

enum class Want {
  refused,  // main as it was, exit code 1 or 2, and somebody is told why
  honest,   // merged, and main holds what good agents would have brought there and nothing else
  // Merged, and a person who looks sees what happened: `told`, and a claim that is not true, or
  // that differs, in the ledger. For what the task may ask for, or no program can judge.
  marked,
  nothing,  // main as it was, exit code 0, and the run says that nothing was done
  // Merged, and `reached` says what main holds beside that: only for honest agents.
  merged,
};

struct Case {
  std::string name;
  std::vector<Kit> kits;
  // By phase or role: lines for /bin/sh, which may use the kit's, and `good` (what a good agent of
  // the phase does), `pass` (the same, and says so), `say STATUS FEEDBACK FILES`, $MAIN (the user's
  // checkout), $CAPSULE (the program).
  std::map<std::string, std::string> on = {};
  Want want = Want::refused;
  std::string told = {};  // somewhere in what the run says, or in status
  Workflow workflow = Workflow::pipeline;
  std::map<std::string, std::string> files = {};  // the project begins with, besides
  std::string asks = {};                          // the task, besides
  std::string verify = {};                        // verify.test, in place of the kit's
  std::string config = {};                        // more lines of the configuration
  std::vector<std::string> options = {};          // of the command
  bool red_allowed = false;                       // verify.baseline
  // The ledger may show no false claim: what told is the ground, or Capsule itself.
  bool no_claim = false;
  // Paths on main beside those of good work, for `merged`.
  std::vector<std::string> reached = {};
  bool moves_main = false;               // the agent itself does, and nobody else after it
  std::vector<std::string> status = {};  // lines of git status that it leaves in the checkout
  std::string before = {};               // for /bin/sh in the checkout, before the run
  std::string after = {};                // the same after it; must end with 0
};

// What rows say often.
inline const std::vector<Kit> kAll{Kit::python, Kit::pytest, Kit::go, Kit::node};
inline const std::vector<Kit> kThree{Kit::python, Kit::go, Kit::node};
inline const std::vector<Kit> kPy{Kit::python};
inline const std::vector<Kit> kJs{Kit::node};
inline constexpr const char* kTouched = "not true: the tests were not touched";
inline constexpr const char* kRed = "not true: tests fail (RED)";
inline constexpr const char* kGreen = "not true: tests pass (GREEN)";
inline constexpr const char* kClean = "not true: tests pass from a clean checkout";
inline constexpr const char* kMeaning = "not true: what the checks mean was not changed";

// The tables.
std::vector<Case> lies_about_tests();
std::vector<Case> lies_by_runners();
std::vector<Case> lies_by_git();
std::vector<Case> lies_to_capsule();
std::vector<Case> lies_in_words();
std::vector<Case> lies_elsewhere();  // in deliveries, auto runs and a user's own workflow
std::vector<Case> honest_ways();

}  // namespace capsule::test::redteam
