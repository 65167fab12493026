#include "gate/gates.h"

#include <algorithm>
#include <set>

#include "base/files.h"
#include "base/text.h"
#include "worklog/signoff.h"

namespace capsule::gate {
namespace {

using workflow::Check;
using workflow::Checked;

constexpr const char* kWorklog = "worklog.md";

void say(Checked& result, std::string what, event::Verdict verdict, std::string detail) {
  result.claims.push_back({std::move(what), verdict, std::move(detail)});
}

// A claim that must hold; `feedback` tells the next attempt what to do when it does not.
void hold(Checked& result, const std::string& what, bool holds, const std::string& detail,
          const std::string& feedback) {
  say(result, what, holds ? event::Verdict::held : event::Verdict::broken, holds ? "" : detail);
  if (holds) return;
  result.feedback += (result.feedback.empty() ? "" : "\n\n") + feedback;
}

// Long enough that an agent can put all of it right at once.
constexpr std::size_t kListed = 20;

bool named(const Check& check, std::string_view name) {
  return std::find(check.names.begin(), check.names.end(), name) != check.names.end();
}

std::string with_output(std::string text, const Verdict& verdict) {
  text += "\n\nCommand: " + verdict.command + "\nResult: " + describe(verdict);
  if (!verdict.output.empty()) text += "\nIts output:\n\n" + verdict.output;
  return text;
}

void red(Checked& result, const Verdict& verdict) {
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

void green(Checked& result, const Check& check, const Verdict& verdict) {
  const bool tests = verdict.name == kTest;
  const std::string how = check.clean ? " from a clean checkout" : tests ? " (GREEN)" : "";
  // Where nobody wrote the tests for others to meet, whoever mends the work may change them.
  const std::string keep = check.tests.empty() ? ""
                           : tests             ? " without changing them"
                                               : " without changing the tests";
  const bool passed = verdict.ending == Ending::passed;
  if (!passed) result.failed.push_back(verdict.name);
  hold(result, (tests ? "tests pass" : verdict.name + " passes") + how, passed,
       "the " + verdict.name + " command: " + describe(verdict),
       with_output("The " + verdict.name + " command does not pass. " +
                       (tests ? "Make all tests pass" : "Put right what it finds") + keep + ".",
                   verdict));
}

void judge(Checked& result, const Check& check, const std::vector<Verdict>& verdicts) {
  for (const Verdict& verdict : verdicts) {
    const bool tests = verdict.name == kTest;
    if (tests && named(check, "red")) red(result, verdict);
    if (!tests || !named(check, "red") || named(check, "green")) green(result, check, verdict);
  }
}

// A project need not have a build or a lint; what else was asked for and is not there, is said.
void say_missing(Checked& result, const Names& missing) {
  for (const std::string& name : missing) {
    if (name == "build" || name == "lint") continue;
    say(result, name == kTest ? "the tests" : name + " passes", event::Verdict::unchecked,
        "no " + name + " command is configured");
  }
}

}  // namespace

bool Gates::has(std::string_view command) const {
  return std::find(world_.commands.begin(), world_.commands.end(), command) !=
         world_.commands.end();
}

// The commands that the check is about, whether there are such or not.
Names Gates::commands_in(const Check& check) const {
  constexpr std::string_view kOthers[] = {"only-tests", "tests-untouched", "signed-off",
                                          "as-signed-off"};
  std::set<std::string> names;
  for (const std::string& name : check.names) {
    if (std::find(std::begin(kOthers), std::end(kOthers), name) != std::end(kOthers)) continue;
    if (name == "red" || name == "green" || name == "all") names.emplace(kTest);
    if (name == "all") names.insert(world_.commands.begin(), world_.commands.end());
    if (name != "red" && name != "green" && name != "all") names.insert(name);
  }
  return {names.begin(), names.end()};
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

// Leaving a file out, or naming one too many, does no harm: it is recorded and shown.
Result<void> Gates::files_changed(Checked& result, const Check& check) {
  // Who merges names what it committed: the work of the whole run.
  const std::vector<Changed> changed =
      check.head.empty() ? TRY(changes(check.previous, check.commit))
                         : TRY(changes_in_all(check.base, check.tests, check.head));
  std::set<std::string> really, claimed(check.files_changed.begin(), check.files_changed.end());
  for (const Changed& change : changed) really.insert(change.path);
  claimed.erase(kWorklog);
  std::vector<std::string> left_out, invented;
  std::set_difference(really.begin(), really.end(), claimed.begin(), claimed.end(),
                      std::back_inserter(left_out));
  std::set_difference(claimed.begin(), claimed.end(), really.begin(), really.end(),
                      std::back_inserter(invented));
  std::string detail;
  if (!left_out.empty()) detail = "left out: " + short_list(left_out, kListed);
  if (!invented.empty())
    detail +=
        (detail.empty() ? "" : "; ") + std::string("not changed: ") + short_list(invented, kListed);
  say(result, "files_changed", detail.empty() ? event::Verdict::held : event::Verdict::differs,
      detail);
  return {};
}

// What the merge agent brings beyond what was signed off is shown; the merge itself tests it where
// there are commands for that. What it leaves behind is the merge's to judge.
Result<void> Gates::as_signed_off(Checked& result, const Check& check) {
  constexpr const char* kClaim = "the commit of what was signed off";
  if (check.signed_off.empty() || check.head.empty()) {
    say(result, kClaim, event::Verdict::unchecked,
        check.head.empty() ? "the worktree has no commit" : "nothing was signed off");
    return {};
  }
  std::set<std::string> brought;
  const auto differences = TRY(changes(check.signed_off, check.head));
  if (!differences.empty())
    for (const Changed& change : TRY(changes(check.base, check.head))) {
      brought.insert(change.path);
      brought.insert(change.from);
    }
  std::vector<std::string> others;
  for (const Changed& change : differences)
    for (const std::string& path : {change.path, change.from})
      if (!path.empty() && brought.contains(path)) others.push_back(path);
  say(result, kClaim, others.empty() ? event::Verdict::held : event::Verdict::differs,
      others.empty() ? "" : "it differs in " + short_list(others, kListed));
  return {};
}

// A rename shows up under its old name too: moving a test away is touching it.
Result<void> Gates::tests_untouched(Checked& result, const Check& check) {
  constexpr const char* kClaim = "the tests were not touched";
  if (check.tests.empty()) {
    say(result, kClaim, event::Verdict::unchecked, "no phase has written tests");
    return {};
  }
  std::set<std::string> written;
  for (const Changed& change : TRY(changes(check.base, check.tests)))
    if (change.status != 'D') written.insert(change.path);
  std::vector<std::string> touched;
  for (const Changed& change : TRY(changes(check.tests, check.commit))) {
    if (written.contains(change.path) && change.status != 'A') touched.push_back(change.path);
    if (!change.from.empty() && written.contains(change.from)) touched.push_back(change.from);
  }
  hold(result, kClaim, touched.empty(), short_list(touched, kListed),
       "The tests that test-writer wrote must stay as they are, but these were changed, "
       "moved or deleted: " +
           short_list(touched, kListed) + ". Put them back and make them pass.");
  return {};
}

Result<void> Gates::only_tests(Checked& result, const Check& check) {
  std::vector<std::string> others;
  for (const Changed& change : TRY(changes(check.base, check.commit)))
    if (!world_.is_test_file(change.path)) others.push_back(change.path);
  hold(result, "only test files changed", others.empty(), short_list(others, kListed),
       "This phase may only write test files, but it changed " + short_list(others, kListed) +
           ". Take these changes back: the implementation is written later.");
  return {};
}

Result<void> Gates::signed_off(Checked& result, const Check& check) {
  const std::string folder = TRY(world_.folder_of(check.tree));
  const auto found = worklog::sign_off_of(read_file_beneath(folder, kWorklog).value_or(""));
  const std::string why(worklog::describe(found));
  hold(result, "worklog.md is signed off", found == worklog::SignOff::passed, why,
       "worklog.md has no sign-off: " + why);
  return {};
}

Result<void> Gates::look(Checked& result, const Check& check) {
  if (named(check, "as-signed-off")) TRY_VOID(as_signed_off(result, check));
  if (check.claims_files) TRY_VOID(files_changed(result, check));
  // Only a PASS claims that the work is as it should be.
  if (!check.passed_claim) return {};
  if (named(check, "signed-off")) TRY_VOID(signed_off(result, check));
  if (named(check, "only-tests")) TRY_VOID(only_tests(result, check));
  if (named(check, "tests-untouched")) TRY_VOID(tests_untouched(result, check));
  return {};
}

void Gates::check(const Check& check, std::function<void(workflow::Observation)> done) {
  Checked result;
  result.number = check.number;
  if (const auto looked = look(result, check); !looked)
    return done(workflow::failed(check, looked.error()));
  const Names wanted = check.passed_claim ? commands_in(check) : Names{};
  Names names, missing;
  for (const std::string& name : wanted) (has(name) ? names : missing).push_back(name);
  result.any = wanted.empty() || !names.empty();
  const Checks::Done finish = [check, missing, result = std::move(result),
                               done = std::move(done)](const auto& verdicts) mutable {
    if (!verdicts) return done(workflow::failed(check, verdicts.error()));
    judge(result, check, *verdicts);
    say_missing(result, missing);
    done(std::move(result));
  };
  if (names.empty()) return finish(std::vector<Verdict>());
  const auto where = !check.clean           ? world_.folder_of(check.tree)
                     : check.commit.empty() ? world_.newest_main()
                                            : Result<std::string>(check.commit);
  if (!where) return finish(tl::unexpected(where.error()));
  if (check.clean)
    world_.in_clean(*where, names, finish);
  else
    world_.in_tree(*where, check.commit, names, finish);
}

}  // namespace capsule::gate
