#include "gate/gates.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "git/exclusion.h"

namespace capsule::gate {
namespace {

using engine::State;
using event::Phase;
using signal::Status;

constexpr const char* kUsualTestFiles[] = {
    // Go, C and C++, Rust, Python, Ruby, Elixir
    "*_test.*",
    "*_tests.*",
    "test_*",
    "*_spec.*",
    "conftest.py",
    // JavaScript and TypeScript
    "*.test.*",
    "*.spec.*",
    "__tests__/",
    "__snapshots__/",
    "__mocks__/",
    // Java, Kotlin, Scala, C#, Swift, PHP
    "*Test.*",
    "*Tests.*",
    "*Spec.*",
    "*IT.java",
    // folders
    "test/",
    "tests/",
    "spec/",
    "specs/",
    "testdata/",
    "fixtures/",
    "features/",
};

void say(event::PhaseChecked& result, std::string what, std::string verdict, std::string detail) {
  result.claims.push_back({std::move(what), std::move(verdict), std::move(detail)});
}

// A claim that must hold; `feedback` tells the next attempt what to do when it does not.
void hold(event::PhaseChecked& result, const std::string& what, bool holds,
          const std::string& detail, const std::string& feedback) {
  say(result, what, holds ? "true" : "false", holds ? "" : detail);
  if (holds) return;
  result.passed = false;
  result.feedback += (result.feedback.empty() ? "" : "\n\n") + feedback;
}

// Long enough that an agent can put all of it right at once.
std::string listed(const std::vector<std::string>& names) { return short_list(names, 20); }

std::string with_output(std::string text, const Verdict& verdict) {
  text += "\n\nCommand: " + verdict.command + "\nResult: " + describe(verdict);
  if (!verdict.tail.empty()) text += "\nThe end of its output:\n\n" + verdict.tail;
  return text;
}

void only_test_files(event::PhaseChecked& result, const World& world,
                     const std::vector<Changed>& changes) {
  std::vector<std::string> others;
  for (const Changed& change : changes)
    if (!world.is_test_file(change.path)) others.push_back(change.path);
  hold(result, "only test files changed", others.empty(), listed(others),
       "This phase may only write test files, but it changed " + listed(others) +
           ". Take these changes back: the implementation is written later.");
}

void red(event::PhaseChecked& result, const Verdict& verdict) {
  // A build error that names a missing symbol is a failure like any other: the code does not exist
  // yet.
  const bool fails = verdict.ending == Ending::failed;
  const std::string why =
      verdict.ending == Ending::passed
          ? "The tests pass although nothing is implemented yet: they test nothing new. "
            "Write tests that fail until the acceptance criteria are met."
          : "The tests have to fail because the implementation is missing, but the test command " +
                describe(verdict) + ". Make the tests run.";
  hold(result, "tests fail (RED)", fails, "the test command: " + describe(verdict),
       with_output(why, verdict));
}

void green(event::PhaseChecked& result, const std::vector<Verdict>& verdicts, bool clean) {
  for (const Verdict& verdict : verdicts) {
    const std::string name(name_of(verdict.kind));
    const bool tests = verdict.kind == Kind::test;
    const std::string how = clean ? " from a clean checkout" : tests ? " (GREEN)" : "";
    hold(result, (tests ? "tests pass" : name + " passes") + how, verdict.ending == Ending::passed,
         "the " + name + " command: " + describe(verdict),
         with_output("The " + name + " command does not pass. " +
                         (tests ? "Make all tests pass without changing them."
                                : "Put right what it finds without changing the tests."),
                     verdict));
  }
}

// Leaving a file out, or naming one too many, does no harm: it is recorded and shown.
void files_changed(event::PhaseChecked& result, const State& state,
                   const std::vector<Changed>& changes) {
  std::set<std::string> really,
      claimed(state.last.files_changed.begin(), state.last.files_changed.end());
  for (const Changed& change : changes) really.insert(change.path);
  claimed.erase("worklog.md");
  std::vector<std::string> left_out, invented;
  std::set_difference(really.begin(), really.end(), claimed.begin(), claimed.end(),
                      std::back_inserter(left_out));
  std::set_difference(claimed.begin(), claimed.end(), really.begin(), really.end(),
                      std::back_inserter(invented));
  std::string detail;
  if (!left_out.empty()) detail = "left out: " + listed(left_out);
  if (!invented.empty())
    detail += (detail.empty() ? "" : "; ") + std::string("not changed: ") + listed(invented);
  say(result, "files_changed", detail.empty() ? "true" : "differs", detail);
}

}  // namespace

bool is_test_file(std::string_view path, const std::vector<std::string>& patterns) {
  if (!patterns.empty())
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
      return git::matches_pattern(pattern, path);
    });
  return std::any_of(std::begin(kUsualTestFiles), std::end(kUsualTestFiles),
                     [&](const char* pattern) { return git::matches_pattern(pattern, path); });
}

Gates::Pair Gates::key_of(const std::string& from, const std::string& to) const {
  const auto representative = [&](const std::string& commit) {
    const auto found = same_as_.find(commit);
    return found == same_as_.end() ? commit : found->second;
  };
  return {representative(from), representative(to)};
}

Result<std::vector<Changed>> Gates::changes(const std::string& from, const std::string& to) {
  const Pair key = key_of(from, to);
  if (key.first == key.second) return std::vector<Changed>{};
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  std::vector<Changed> answer = TRY(world_.changes(key.first, key.second));
  if (answer.empty()) same_as_[key.second] = key.first;
  return known_.emplace(key, std::move(answer)).first->second;
}

Result<std::vector<Changed>> Gates::changes_in_all(const std::string& from,
                                                   const std::string& middle,
                                                   const std::string& to) {
  if (middle.empty() || known_.contains(key_of(from, to))) return changes(from, to);
  std::vector<Changed> all;
  std::set<std::string> paths;
  for (const auto& [a, b] : {std::pair(from, middle), {middle, to}})
    for (const Changed& change : TRY(changes(a, b))) {
      // A deletion may be half of a move, and a file that changed twice may be what it was.
      const bool plain = change.status == 'A' || change.status == 'M';
      if (!plain || !paths.insert(change.path).second) return changes(from, to);
      all.push_back(change);
    }
  return all;
}

// What the merge agent brings beyond what was signed off is shown; the merge itself tests it where
// there are commands for that. What it leaves behind is the merge's to judge.
Result<void> Gates::as_signed_off(event::PhaseChecked& result, const State& state) {
  if (state.signed_commit.empty()) return {};
  std::set<std::string> brought;
  const auto differences = TRY(changes(state.signed_commit, state.snapshot.head));
  if (!differences.empty())
    for (const Changed& change : TRY(changes(state.base, state.snapshot.head))) {
      brought.insert(change.path);
      brought.insert(change.from);
    }
  std::vector<std::string> others;
  for (const Changed& change : differences)
    for (const std::string& path : {change.path, change.from})
      if (!path.empty() && brought.contains(path)) others.push_back(path);
  say(result, "the commit of what was signed off", others.empty() ? "true" : "differs",
      others.empty() ? "" : "it differs in " + listed(others));
  return {};
}

// A rename shows up under its old name too: moving a test away is touching it.
Result<void> Gates::tests_untouched(event::PhaseChecked& result, const State& state) {
  if (state.tests_commit.empty()) return {};
  std::set<std::string> written;
  for (const Changed& change : TRY(changes(state.base, state.tests_commit)))
    if (change.status != 'D') written.insert(change.path);
  std::vector<std::string> touched;
  for (const Changed& change : TRY(changes(state.tests_commit, state.snapshot.commit))) {
    if (written.contains(change.path) && change.status != 'A') touched.push_back(change.path);
    if (!change.from.empty() && written.contains(change.from)) touched.push_back(change.from);
  }
  hold(result, "the tests were not touched", touched.empty(), listed(touched),
       "The tests that test-writer wrote must stay as they are, but these were changed, "
       "moved or deleted: " +
           listed(touched) + ". Put them back and make them pass.");
  return {};
}

Result<event::PhaseChecked> Gates::check(const std::string&, const State& state) {
  event::PhaseChecked result;
  result.phase = state.phase;
  result.number = state.number;
  const std::string& now = state.snapshot.commit;
  // The merge agent names what it committed: the work of the whole run.
  const bool merges = state.phase == Phase::merge && !state.snapshot.head.empty();
  if (merges) {
    TRY_VOID(as_signed_off(result, state));
    files_changed(result, state,
                  TRY(changes_in_all(state.base, state.tests_commit, state.snapshot.head)));
  } else {
    const std::string& since = state.phase == Phase::merge ? state.base : state.previous_commit;
    files_changed(result, state, TRY(changes(since, now)));
  }
  // Only a PASS claims that the work is as it should be.
  if (state.last.status != Status::pass) return result;
  switch (state.phase) {
    case Phase::test_writer:
    case Phase::test_review:
      only_test_files(result, world_, TRY(changes(state.base, now)));
      if (world_.has_test) red(result, TRY(world_.test(state.worktree, now)));
      break;
    case Phase::execute:
    case Phase::execute_review:
      TRY_VOID(tests_untouched(result, state));
      green(result, TRY(world_.verify(state.worktree, now)), false);
      break;
    case Phase::sign_off:
      TRY_VOID(tests_untouched(result, state));
      green(result, TRY(world_.verify_clean(now)), true);
      break;
    case Phase::merge:
      break;
  }
  if (!world_.has_test && state.phase != Phase::merge)
    say(result, "the tests", "unchecked", "no test command is configured");
  return result;
}

}  // namespace capsule::gate
