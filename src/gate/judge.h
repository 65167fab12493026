// What the verdicts of the project's commands say about a claim: RED, GREEN, and what the work
// began with. By the names of tests where they are known, else by exit codes, as far as these go.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gate/compare.h"
#include "gate/verify.h"
#include "workflow/step.h"
#include "workflow/summary.h"

namespace capsule::gate {

// Adds a claim that must hold; `feedback` tells the next attempt what to do when it does not.
// `detail` is for people: why it does not, or the evidence that it does.
void hold(workflow::Checked& result, const std::string& what, bool holds, const std::string& detail,
          const std::string& feedback);
void say(workflow::Checked& result, std::string what, event::Verdict verdict, std::string detail);

// What a verdict is held against.
struct Evidence {
  const Verdict* base = nullptr;   // of the same command, before anybody worked; null: not known
  const Verdict* tests = nullptr;  // when these had been written; null: not known
  bool test_first = false;         // somebody wrote tests that others have to meet
  bool changed = true;             // anything at all, since then
  bool rewritten = false;          // tests of before were changed or removed by who writes tests
  std::vector<std::string> rewritten_files;
  std::vector<std::string> vanished;  // words that are gone from the files of tests with that
};

void judge_red(workflow::Checked& result, const Verdict& now, const Evidence& evidence);
void judge_green(workflow::Checked& result, const workflow::Check& check, const Verdict& now,
                 const Evidence& evidence);
// The tests that were written fail without the work, whenever they are run. `without`: a later run
// of them on the files as they were when they had been written.
void judge_without(workflow::Checked& result, const Verdict& now, const Verdict& without,
                   const Evidence& evidence);
// All commands on the commit that the work begins with: sets result.baseline, and the feedback when
// that is no ground to work on.
void judge_baseline(workflow::Checked& result, const workflow::Check& check,
                    const std::vector<Verdict>& verdicts);

// How a state of the files compares with the one before it, by the names of its tests.
// `old_failures`: what failed before may fail.
struct Regress {
  std::string problem;  // for who mends it; empty: there is none
  std::string detail;   // the same for people, a line
  std::size_t fresh = 0, still_passing = 0, still_failing = 0;  // tests
};
// `seen_failing`: the new ones were.
event::TestEvidence evidence_in(const Regress& regress, bool seen_failing);

// `request` and `vanished`: a test that is gone is no problem when its source was taken away, and
// the task names it.
Regress regress_of(const Verdict& before, const Verdict& now, bool old_failures,
                   const std::vector<std::string>& vanished, std::string_view request);

// The fact of it.
event::CheckRun run_of(const Verdict& verdict, bool clean, bool known);

// "The command, its result and its output", below a sentence.
std::string with_output(std::string text, const Verdict& verdict);

}  // namespace capsule::gate
