#include "gate/judge.h"

#include <algorithm>

#include "base/text.h"

namespace capsule::gate {
namespace {

using workflow::Check;
using workflow::Checked;

constexpr std::size_t kMostNamed = 20;
constexpr std::size_t kFailingNames = 50;
constexpr std::size_t kFactOutputBytes = 2000;

bool by_name(const Verdict* verdict) { return verdict != nullptr && verdict->tests.has_value(); }

// "3 new tests", "1 new test".
std::string tests_text(std::size_t count, std::string_view kind) {
  return counted(count, std::string(kind) + (kind.empty() ? "" : " ") + "test");
}

void add(std::string& text, const std::string& more, std::string_view between) {
  if (more.empty()) return;
  text += (text.empty() ? "" : std::string(between)) + more;
}

// Those that are gone, without those whose source was taken away as the task asks.
std::vector<std::string> missed(const std::vector<std::string>& gone,
                                const std::vector<std::string>& vanished,
                                std::string_view request) {
  const std::vector<std::string> asked = words_in(request);
  std::vector<std::string> explaining;
  std::set_intersection(vanished.begin(), vanished.end(), asked.begin(), asked.end(),
                        std::back_inserter(explaining));
  std::vector<std::string> left;
  for (const std::string& test : gone)
    if (!explained_by(test, explaining)) left.push_back(test);
  return left;
}

void judge_red_by_name(Checked& result, const Verdict& now, const Evidence& evidence) {
  const Compared compared = compare(*evidence.base->tests, *now.tests);
  // What cannot be built or loaded runs no test at all: the code under test does not exist yet.
  const bool did_not_run = !compared.gone.empty() || now.tests->tests.empty();
  std::vector<std::string> failing = compared.new_failing;
  if (evidence.rewritten)
    failing.insert(failing.end(), compared.broken.begin(), compared.broken.end());
  if (failing.empty() && !did_not_run)
    return hold(result, "tests fail (RED)", false, "no new or changed test fails",
                with_output("No new or changed test fails: what fails here failed before anybody "
                            "worked on this task. Write tests that fail until the acceptance "
                            "criteria are met.",
                            now));
  if (!evidence.rewritten && !compared.broken.empty())
    return hold(
        result, "tests fail (RED)", false,
        "tests that passed before fail: " + short_list(compared.broken, kMostNamed),
        with_output("Tests that passed before fail now, although their files were not changed: " +
                        short_list(compared.broken, kMostNamed) +
                        ". Only new or changed tests may fail.",
                    now));
  std::string evidence_text =
      failing.empty()
          ? "the tests cannot run yet"
          : tests_text(failing.size(), compared.new_failing.empty() ? "changed" : "new") +
                (failing.size() == 1 ? " fails" : " fail");
  if (compared.still_passing > 0)
    evidence_text += "; " + counted(compared.still_passing, "other") + " still " +
                     (compared.still_passing == 1 ? "passes" : "pass");
  hold(result, "tests fail (RED)", true, evidence_text, "");
  event::TestEvidence& proof = result.claims.back().evidence;
  proof.by_name = true;
  proof.failing = static_cast<int>(failing.size());
  proof.others_pass = static_cast<int>(compared.still_passing);
}

// Parameters that are drawn anew in each run make another name of the same test.
bool passes_with_others(const TestReport& tests, std::string_view name) {
  const std::string_view stem = without_parameters(name);
  if (stem.empty()) return false;
  bool any = false;
  for (const TestResult& test : tests.tests) {
    if (without_parameters(test.name) != stem) continue;
    if (test.state != TestState::passed) return false;
    any = true;
  }
  return any;
}

// New tests that failed when they were written, and do not pass now.
std::vector<std::string> unmet(const Evidence& evidence, const Verdict& now) {
  std::vector<std::string> names;
  if (!by_name(evidence.tests) || !by_name(evidence.base)) return names;
  for (const TestResult& test : evidence.tests->tests->tests) {
    if (test.state != TestState::failed) continue;
    const TestState* before = evidence.base->tests->find(test.name);
    if (before != nullptr && *before == TestState::failed) continue;
    const TestState* state = now.tests->find(test.name);
    // A package or file that could not be built failed as a whole; its tests have names now.
    const bool whole =
        state == nullptr &&
        std::any_of(now.tests->tests.begin(), now.tests->tests.end(),
                    [&](const TestResult& part) { return is_part_of(part.name, test.name); });
    const bool given_others = state == nullptr && passes_with_others(*now.tests, test.name);
    if (!whole && !given_others && (state == nullptr || *state != TestState::passed))
      names.push_back(test.name);
  }
  return names;
}

}  // namespace

void say(Checked& result, std::string what, event::Verdict verdict, std::string detail) {
  result.claims.push_back({std::move(what), verdict, std::move(detail), {}});
}

void hold(Checked& result, const std::string& what, bool holds, const std::string& detail,
          const std::string& feedback) {
  say(result, what, holds ? event::Verdict::held : event::Verdict::broken, detail);
  if (!holds) add(result.feedback, feedback, "\n\n");
}

std::string with_output(std::string text, const Verdict& verdict) {
  text += "\n\nCommand: " + verdict.command + "\nResult: " + describe(verdict);
  if (!verdict.output.empty()) text += "\nIts output:\n\n" + verdict.output;
  return text;
}

event::CheckRun run_of(const Verdict& verdict, bool clean, bool known) {
  event::CheckRun run;
  run.name = verdict.name;
  run.command = verdict.command;
  run.ending = verdict.ending;
  run.exit_code = verdict.exit_code;
  run.clean = clean;
  run.known = known;
  run.duration_ms = verdict.duration_ms;
  if (verdict.ending != Ending::passed) run.output = useful_end(verdict.output, kFactOutputBytes);
  if (!verdict.tests) return run;
  run.by_name = true;
  run.passed = static_cast<int>(verdict.tests->count(TestState::passed));
  run.failed = static_cast<int>(verdict.tests->count(TestState::failed));
  run.skipped = static_cast<int>(verdict.tests->count(TestState::skipped));
  for (const TestResult& test : verdict.tests->tests)
    if (test.state == TestState::failed && run.failing.size() < kFailingNames)
      run.failing.push_back(test.name);
  return run;
}

void judge_red(Checked& result, const Verdict& now, const Evidence& evidence) {
  // A build error that names a missing symbol is a failure like any other: the code does not exist
  // yet.
  if (now.ending != Ending::failed) {
    const std::string why =
        now.ending == Ending::passed
            ? "The tests pass although nothing is implemented yet: they test nothing new. "
              "Write tests that fail until the acceptance criteria are met."
            : "The tests have to fail because the implementation is missing, but the test "
              "command " +
                  describe(now) + ". Make the tests run.";
    return hold(result, "tests fail (RED)", false, "the test command: " + describe(now),
                with_output(why, now));
  }
  if (!evidence.changed)
    return hold(result, "tests fail (RED)", false, "no file was changed",
                with_output("No test was written: the test command fails, but no file differs from "
                            "what this task began with. Write tests that fail until the acceptance "
                            "criteria are met.",
                            now));
  if (by_name(&now) && by_name(evidence.base)) return judge_red_by_name(result, now, evidence);
  const bool red_before = evidence.base != nullptr && evidence.base->ending != Ending::passed;
  hold(result, "tests fail (RED)", true,
       red_before ? "known by the exit status alone, which was the same before"
                  : "known by the exit status alone",
       "");
}

void judge_without(Checked& result, const Verdict& now, const Verdict& without,
                   const Evidence& evidence) {
  constexpr const char* kWhat = "the new tests fail without the work";
  std::vector<std::string> passing;
  if (by_name(&now) && by_name(&without) && by_name(evidence.tests) && by_name(evidence.base))
    for (const TestResult& test : evidence.tests->tests->tests) {
      const TestState* before = evidence.base->tests->find(test.name);
      const TestState* again = without.tests->find(test.name);
      if (test.state == TestState::failed && before == nullptr && again != nullptr &&
          *again == TestState::passed)
        passing.push_back(test.name);
    }
  if (without.ending != Ending::passed && passing.empty()) return;
  hold(result, kWhat, false, passing.empty() ? "they pass" : short_list(passing, 5),
       with_output("The tests that were written for this task failed once, and now pass without "
                   "any of the work" +
                       (passing.empty() ? "" : ": " + short_list(passing, kMostNamed)) +
                       ". They hang on something else than the code: mend that.",
                   without));
  result.failed.push_back(now.name);
}

Regress regress_of(const Verdict& before, const Verdict& now, bool old_failures,
                   const std::vector<std::string>& vanished, std::string_view request) {
  const Compared compared = compare(*before.tests, *now.tests);
  const std::vector<std::string> gone = missed(compared.gone, vanished, request);
  Regress regress;
  const auto problem = [&](const std::vector<std::string>& tests, const std::string& what,
                           const std::string& short_what) {
    if (tests.empty()) return;
    add(regress.problem, what + short_list(tests, kMostNamed) + ".", "\n");
    add(regress.detail, short_what + short_list(tests, 5), "; ");
  };
  problem(compared.broken, "These tests passed before, and fail now: ", "broken: ");
  problem(compared.new_failing, "These tests are new, and fail: ", "new, and failing: ");
  if (!old_failures) problem(compared.still_failing, "These tests still fail: ", "still failing: ");
  problem(gone, "These tests ran before, and are gone: ", "gone: ");
  problem(compared.skipped, "These tests ran before, and are skipped now: ", "skipped: ");
  regress.fresh = compared.new_passing.size() + compared.mended.size();
  regress.still_passing = compared.still_passing;
  regress.still_failing = compared.still_failing.size();
  return regress;
}

event::TestEvidence evidence_in(const Regress& regress, bool seen_failing) {
  event::TestEvidence evidence;
  evidence.by_name = true;
  evidence.passing = static_cast<int>(regress.fresh);
  evidence.failed_before = seen_failing;
  evidence.others_pass = static_cast<int>(regress.still_passing);
  evidence.others_fail = static_cast<int>(regress.still_failing);
  return evidence;
}

void judge_green(Checked& result, const Check& check, const Verdict& now,
                 const Evidence& evidence) {
  const bool tests = now.name == kTest;
  const std::string how = check.clean ? " from a clean checkout" : tests ? " (GREEN)" : "";
  const std::string what = (tests ? "tests pass" : now.name + " passes") + how;
  // Where nobody wrote the tests for others to meet, whoever mends the work may change them.
  const std::string keep = check.tests.empty() ? ""
                           : tests             ? " without changing them"
                                               : " without changing the tests";
  const bool passed = now.ending == Ending::passed;
  const bool failed_before =
      check.red_allowed && evidence.base != nullptr && evidence.base->ending == Ending::failed;
  if (tests && by_name(&now) && by_name(evidence.base) &&
      (passed || (failed_before && now.ending == Ending::failed))) {
    // What who writes tests took away is listed, and was reviewed.
    const std::string request =
        check.request + "\n" + (evidence.test_first ? joined(evidence.vanished, " ") : "");
    Regress regress = regress_of(*evidence.base, now, failed_before, evidence.vanished, request);
    const std::vector<std::string> still = unmet(evidence, now);
    if (!still.empty()) {
      add(regress.problem,
          "These tests failed when they were written, and do not pass now: " +
              short_list(still, kMostNamed) + ".",
          "\n");
      add(regress.detail, "not met: " + short_list(still, 5), "; ");
    }
    if (evidence.test_first && !evidence.rewritten && regress.fresh == 0 &&
        regress.problem.empty()) {
      regress.problem = "None of the tests that were written for this task runs.";
      regress.detail = "no new test runs";
    }
    // It ended in failure, and no test that may not fail did: something else is wrong.
    if (!passed && regress.problem.empty() && regress.still_failing == 0) {
      regress.problem = "The test command fails although no test does.";
      regress.detail = "the test command: " + describe(now);
    }
    if (!regress.problem.empty()) result.failed.push_back(now.name);
    const event::TestEvidence proof = evidence_in(regress, evidence.test_first);
    hold(result, what, regress.problem.empty(),
         regress.problem.empty() ? workflow::evidence_words(proof) : regress.detail,
         with_output(regress.problem + "\nMake all tests pass" + keep + ".", now));
    result.claims.back().evidence = proof;
    return;
  }
  // Whoever can take their names away could take the tests away, too.
  if (tests && passed && by_name(evidence.base) && !by_name(&now)) {
    result.failed.push_back(now.name);
    return hold(result, what, false, "its tests are no longer known by name",
                with_output("The test command passes, but it no longer says which tests it ran, as "
                            "it did before. Let it run as it did.",
                            now));
  }
  if (!tests && !passed && failed_before) {
    say(result, what, event::Verdict::differs, "it failed before anybody worked, too");
    return;
  }
  if (!passed) result.failed.push_back(now.name);
  hold(result, what, passed,
       !passed                   ? "the " + now.name + " command: " + describe(now)
       : tests && !by_name(&now) ? "known by the exit status alone"
                                 : "",
       with_output("The " + now.name + " command does not pass. " +
                       (tests ? "Make all tests pass" : "Fix what it reports") + keep + ".",
                   now));
  // The names of those that fail are in the fact of the run.
  if (!passed) result.claims.back().evidence.by_name = by_name(&now);
}

namespace {

// Before anybody has worked it is for a person to say what a command needs.
std::string for_a_person(std::string text, const Verdict& verdict) {
  text = with_output(std::move(text), verdict);
  return verdict.walls.empty() ? text : text + "\n\n" + verdict.walls;
}

}  // namespace

void judge_baseline(Checked& result, const Check& check, const std::vector<Verdict>& verdicts) {
  using event::Baseline;
  result.baseline = verdicts.empty() ? Baseline::none : Baseline::green;
  std::string cannot, red;
  for (const Verdict& verdict : verdicts) {
    if (verdict.ending == Ending::passed) continue;
    const bool no_tests = verdict.name == kTest && verdict.tests && verdict.tests->tests.empty();
    if (verdict.ending == Ending::failed && !(no_tests && !check.red_allowed)) {
      std::string failing;
      if (verdict.tests)
        for (const TestResult& test : verdict.tests->tests)
          if (test.state == TestState::failed) failing += (failing.empty() ? "" : ", ") + test.name;
      add(red,
          for_a_person("The " + verdict.name +
                           " command fails before anybody has worked on the task" +
                           (failing.empty() ? "." : ": " + failing + "."),
                       verdict),
          "\n\n");
      result.failed.push_back(verdict.name);
      continue;
    }
    add(cannot,
        for_a_person(
            "The " + verdict.name + " command " +
                (no_tests ? "finds no test" : "cannot be run on the files of the project") + ".",
            verdict),
        "\n\n");
    result.failed.push_back(verdict.name);
  }
  if (!red.empty()) result.baseline = Baseline::red;
  if (!cannot.empty()) result.baseline = Baseline::cannot_run;
  if (!cannot.empty()) {
    result.feedback = cannot +
                      "\n\nNobody was paid. Mend the command (verify in .capsule/config.yaml), or "
                      "what a fresh checkout needs for it (worktree.setup); 'capsule doctor' tries "
                      "it. A project without tests yet: verify.baseline: red-allowed";
  } else if (!red.empty()) {
    result.feedback = red;
    if (!check.red_allowed)
      result.feedback +=
          "\n\nNobody was paid. Mend it first; or, to let what fails now go on failing: "
          "verify.baseline: red-allowed in .capsule/config.yaml";
  }
}

}  // namespace capsule::gate
