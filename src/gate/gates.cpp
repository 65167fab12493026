#include "gate/gates.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/files.h"
#include "base/text.h"
#include "gate/guard.h"
#include "gate/telltale.h"
#include "worklog/signoff.h"

namespace capsule::gate {
namespace {

using workflow::Check;
using workflow::Checked;

constexpr const char* kWorklog = "worklog.md";

// A suite that takes longer is not run once more only to see its new tests fail again.
constexpr std::int64_t kSoonMs = 20'000;

// Long enough that an agent can put all of it right at once.
constexpr std::size_t kListed = 20;

bool named(const Check& check, std::string_view name) {
  return std::find(check.names.begin(), check.names.end(), name) != check.names.end();
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

// A rename shows up under its old name too: moving a test away is touching it. A test file more is
// no better: it can take the place of what it should test.
Result<void> Gates::tests_untouched(Checked& result, const Check& check) {
  const std::string& from = !check.accepted.empty() ? check.accepted
                            : !check.tests.empty()  ? check.tests
                                                    : check.base;
  if (from.empty()) {
    say(result, "the tests were not touched", event::Verdict::unchecked, "nothing to compare with");
    return {};
  }
  std::set<std::string> written;
  if (!check.tests.empty())
    for (const Changed& change : TRY(changes(check.base, check.tests)))
      if (change.status != 'D') written.insert(change.path);
  const auto is_test = [&](const std::string& path) {
    return !path.empty() && (written.contains(path) || world_.is_test_file(path));
  };
  std::set<std::string> touched;
  for (const Changed& change : TRY(changes(from, check.commit)))
    for (const std::string& path : {change.path, change.from})
      if (is_test(path)) touched.insert(path);
  const Names paths(touched.begin(), touched.end());
  hold(result, "the tests were not touched", paths.empty(), short_list(paths, kListed),
       "The tests must stay as they are in this phase, but these files were added, changed, moved "
       "or deleted: " +
           short_list(paths, kListed) + ". They were put back. Make them pass as they are.");
  if (paths.empty()) return {};
  return world_.put_back(TRY(world_.folder_of(check.tree)), {from, paths});
}

Result<void> Gates::only_tests(Checked& result, const Check& check) {
  std::vector<std::string> others;
  for (const Changed& change : TRY(changes(check.base, check.commit)))
    for (const std::string& path : {change.path, change.from})
      if (!path.empty() && !world_.is_test_file(path)) others.push_back(path);
  hold(result, "only test files changed", others.empty(), short_list(others, kListed),
       "This phase may only write test files, but it changed " + short_list(others, kListed) +
           ". Undo these changes: the implementation is written later.");
  return {};
}

Result<void> Gates::signed_off(Checked& result, const Check& check) {
  const std::string folder = TRY(world_.folder_of(check.tree));
  const auto found = worklog::sign_off_of(read_file_beneath(folder, kWorklog).value_or(""));
  const std::string why(worklog::describe(found));
  const bool passed = found == worklog::SignOff::passed;
  hold(result, "worklog.md is signed off", passed, passed ? "" : why,
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

Result<Names> Gates::guard(Checked& result, const Check& check) {
  const std::string& from = check.tests.empty() ? check.base : check.tests;
  if (from.empty() || check.commit.empty()) return Names{};
  // Files of tests have a rule of their own, where there are tests to keep.
  const bool tests_kept = named(check, "tests-untouched");
  auto [asked, unasked] = TRY(meaning_changes(
      TRY(changes(from, check.commit)), from, check.commit, {check.request, check.allowed},
      {world_.is_guarded,
       [&](std::string_view path) { return tests_kept && world_.is_test_file(path); },
       world_.command_text, world_.text_of}));
  for (const std::string& path : unasked)
    result.guard_stat +=
        line_stat(path, TRY(world_.text_of(from, path)), TRY(world_.text_of(check.commit, path)));
  if (!asked.empty())
    say(result, "what the checks mean was not changed", event::Verdict::differs,
        "the task asks for it: " + short_list(asked, kListed));
  if (!unasked.empty())
    hold(
        result, "what the checks mean was not changed", false, short_list(unasked, kListed),
        "These files say what the project's checks do, and the task does not ask to change them: " +
            short_list(unasked, kListed) +
            ". Put them back as they were. The checks below were run with these files as they "
            "were.");
  result.guarded = unasked;
  return std::move(unasked);
}

// Code that knows of its tests can tell that it is tested, and what is to be said then. That may
// have a good reason, which only a person can see.
Result<void> Gates::telltales(Checked& result, const Check& check, const TestReport* tests) {
  // Each phase answers for what it did itself.
  const std::string& from = check.previous.empty() ? check.base : check.previous;
  const Names found = TRY(telltales_in(TRY(changes(from, check.commit)), from, check.commit,
                                       world_.is_test_file, world_.text_of, tests));
  if (!found.empty())
    say(result, "the code does not look at its tests", event::Verdict::differs,
        short_list(found, kListed));
  return {};
}

// What who writes tests did to the tests that were there before.
Result<Evidence> Gates::evidence(const Check& check) {
  Evidence evidence;
  if (check.base.empty() || check.commit.empty()) return evidence;
  evidence.test_first = !check.tests.empty() && check.tests != check.commit;
  evidence.changed = !TRY(changes(check.base, check.commit)).empty();
  const std::string& now = check.tests.empty() ? check.commit : check.tests;
  RewrittenTests rewritten = TRY(rewritten_tests(TRY(changes(check.base, now)), check.base, now,
                                                 world_.is_test_file, world_.text_of));
  evidence.rewritten = !rewritten.files.empty();
  evidence.rewritten_files = std::move(rewritten.files);
  evidence.vanished = std::move(rewritten.vanished);
  return evidence;
}

// One check on its way from question to answer.
struct Gates::Inquiry {
  workflow::Check check;
  std::function<void(workflow::Observation)> done;
  Checked result;
  Names names, missing;
  std::string where;  // the folder of the tree, or the commit
  Files files;        // that the commands look at
  AsBefore as_before;
  std::vector<Verdict> verdicts;
  std::vector<std::string> known;  // of them, by name: not run again
  std::optional<Verdict> base, tests;
  std::optional<Verdict> without;  // the tests that were written, once more without the work

  void failed(const Error& error) const { done(workflow::failed(check, error)); }
};

void Gates::check(const Check& check, std::function<void(workflow::Observation)> done) {
  auto inquiry = std::make_shared<Inquiry>();
  inquiry->check = check;
  inquiry->done = std::move(done);
  inquiry->result.number = check.number;
  if (named(check, "baseline")) return baseline(inquiry);
  if (const auto looked = look(inquiry->result, check); !looked)
    return inquiry->failed(looked.error());
  const Names wanted = check.passed_claim ? commands_in(check) : Names{};
  for (const std::string& name : wanted)
    (has(name) ? inquiry->names : inquiry->missing).push_back(name);
  inquiry->result.any = wanted.empty() || !inquiry->names.empty();
  if (inquiry->names.empty()) return judge(inquiry);
  const auto where = !check.clean           ? world_.folder_of(check.tree)
                     : check.commit.empty() ? world_.newest_main()
                                            : Result<std::string>(check.commit);
  if (!where) return inquiry->failed(where.error());
  inquiry->where = *where;
  if (!named(check, "red")) {
    auto changed = guard(inquiry->result, check);
    if (!changed) return inquiry->failed(changed.error());
    if (!changed->empty()) inquiry->as_before = {check.base, *std::move(changed)};
  }
  // Put back, the tests are not those of the commit.
  const bool as_committed = inquiry->as_before.paths.empty() && inquiry->result.feedback.empty();
  if (as_committed) inquiry->files = {key_of(check.commit, "").first, check.clean};
  ask(inquiry);
}

// The commands, as far as they have not seen these very files.
void Gates::ask(const std::shared_ptr<Inquiry>& inquiry) {
  Names names;
  for (const std::string& name : inquiry->names) {
    auto known = seen_.instead(inquiry->files, name);
    if (!known) {
      names.push_back(name);
      continue;
    }
    inquiry->known.push_back(name);
    inquiry->verdicts.push_back(*std::move(known));
  }
  const Checks::Done next = [this, inquiry](const Result<std::vector<Verdict>>& verdicts) {
    if (!verdicts) return inquiry->failed(verdicts.error());
    for (const Verdict& verdict : *verdicts) {
      seen_.put(inquiry->files, verdict);
      inquiry->verdicts.push_back(verdict);
    }
    ask_base(inquiry);
  };
  if (names.empty()) return next(std::vector<Verdict>());
  if (inquiry->check.clean)
    world_.in_clean(inquiry->where, names, inquiry->as_before, next);
  else
    world_.in_tree(inquiry->where, inquiry->check.commit, names, inquiry->as_before, next);
}

// Where tests are known by name, it is worth knowing how they were before anybody worked.
void Gates::ask_base(const std::shared_ptr<Inquiry>& inquiry) {
  const Check& check = inquiry->check;
  const auto test = std::find_if(inquiry->verdicts.begin(), inquiry->verdicts.end(),
                                 [](const Verdict& verdict) { return verdict.name == kTest; });
  if (check.base.empty() || test == inquiry->verdicts.end()) return judge(inquiry);
  if (!check.tests.empty() && check.tests != check.commit)
    inquiry->tests = seen_.find({key_of(check.tests, "").first, false}, kTest);
  const Files base{check.base, true};
  inquiry->base = seen_.find(base, kTest);
  if (inquiry->base || !test->tests) return ask_without(inquiry);
  const Watch::Scope scope(world_.watch(), workflow::CheckFor::before);
  world_.in_clean(check.base, {std::string(kTest)}, {},
                  [this, inquiry, base](const Result<std::vector<Verdict>>& verdicts) {
                    if (!verdicts) return inquiry->failed(verdicts.error());
                    inquiry->base = verdicts->front();
                    seen_.put(base, verdicts->front());
                    ask_without(inquiry);
                  });
}

// Tests that fail once and then never again prove nothing: before the work is signed off, they fail
// without it once more. Not where that would take long.
void Gates::ask_without(const std::shared_ptr<Inquiry>& inquiry) {
  const Check& check = inquiry->check;
  const auto test = std::find_if(inquiry->verdicts.begin(), inquiry->verdicts.end(),
                                 [](const Verdict& verdict) { return verdict.name == kTest; });
  if (!check.clean || check.tests.empty() || check.tests == check.commit ||
      test->ending != Ending::passed || test->duration_ms > kSoonMs)
    return judge(inquiry);
  const Files tests{key_of(check.tests, "").first, true};
  inquiry->without = seen_.instead(tests, kTest);
  if (inquiry->without) return judge(inquiry);
  const Watch::Scope scope(world_.watch(), workflow::CheckFor::without);
  world_.in_clean(check.tests, {std::string(kTest)}, {},
                  [this, inquiry, tests](const Result<std::vector<Verdict>>& verdicts) {
                    if (!verdicts) return inquiry->failed(verdicts.error());
                    inquiry->without = verdicts->front();
                    seen_.put(tests, verdicts->front());
                    judge(inquiry);
                  });
}

void Gates::judge(const std::shared_ptr<Inquiry>& inquiry) {
  const Check& check = inquiry->check;
  Checked& result = inquiry->result;
  if (!inquiry->verdicts.empty()) {
    auto evidence = this->evidence(check);
    if (!evidence) return inquiry->failed(evidence.error());
    // Who writes tests may change those of before; so may who does all the work. A person sees it.
    if (evidence->rewritten && (check.tests.empty() || named(check, "only-tests"))) {
      // Said once: a review that changed nothing has nothing to do with it.
      const auto own = changes(check.previous.empty() ? check.base : check.previous, check.commit);
      if (!own) return inquiry->failed(own.error());
      if (!own->empty())
        say(result, "the tests that were there before are as they were", event::Verdict::differs,
            "changed or removed: " + short_list(evidence->rewritten_files, kListed));
    }
    if (!named(check, "red") && !check.base.empty() && !check.commit.empty()) {
      const bool named_tests = inquiry->base && inquiry->base->tests;
      const auto looked = telltales(result, check, named_tests ? &*inquiry->base->tests : nullptr);
      if (!looked) return inquiry->failed(looked.error());
    }
    for (const Verdict& verdict : inquiry->verdicts) {
      const bool tests = verdict.name == kTest;
      Evidence held = *evidence;
      std::optional<Verdict> before;
      if (!tests) before = seen_.find({check.base, true}, verdict.name);
      if (tests && inquiry->base) held.base = &*inquiry->base;
      if (!tests && before) held.base = &*before;
      if (tests && inquiry->tests) held.tests = &*inquiry->tests;
      if (tests && inquiry->without) judge_without(result, verdict, *inquiry->without, held);
      if (tests && named(check, "red")) judge_red(result, verdict, held);
      if (!tests || !named(check, "red") || named(check, "green"))
        judge_green(result, check, verdict, held);
      const bool known = std::find(inquiry->known.begin(), inquiry->known.end(), verdict.name) !=
                         inquiry->known.end();
      result.runs.push_back(run_of(verdict, check.clean, known));
    }
  }
  say_missing(result, inquiry->missing);
  inquiry->done(std::move(result));
}

// All commands, on the files that the work begins with. What is known from an earlier run costs
// nothing.
void Gates::baseline(const std::shared_ptr<Inquiry>& inquiry) {
  inquiry->names = world_.commands;
  inquiry->result.any = !inquiry->names.empty();
  const auto finish = [this, inquiry] {
    judge_baseline(inquiry->result, inquiry->check, inquiry->verdicts);
    for (const Verdict& verdict : inquiry->verdicts) {
      const bool known = std::find(inquiry->known.begin(), inquiry->known.end(), verdict.name) !=
                         inquiry->known.end();
      inquiry->result.runs.push_back(run_of(verdict, true, known));
      // What stops a run is looked at again the next time: it may be the machine that was mended.
      if (verdict.ending != Ending::passed && !inquiry->check.red_allowed)
        seen_.forget(inquiry->files, verdict.name);
      seen_.put({inquiry->where, true}, verdict);
    }
    inquiry->done(std::move(inquiry->result));
  };
  if (inquiry->names.empty()) return finish();
  const auto where = inquiry->check.commit.empty() ? world_.newest_main()
                                                   : Result<std::string>(inquiry->check.commit);
  if (!where) return inquiry->failed(where.error());
  inquiry->where = *where;
  const auto tree = world_.tree_of(*where);
  if (!tree) return inquiry->failed(tree.error());
  inquiry->files = {*tree, true};
  Names names;
  for (const std::string& name : inquiry->names) {
    auto known = seen_.recall(inquiry->files, name);
    if (!known) {
      names.push_back(name);
      continue;
    }
    inquiry->known.push_back(name);
    inquiry->verdicts.push_back(*std::move(known));
  }
  if (names.empty()) return finish();
  world_.in_clean(*where, names, {},
                  [this, inquiry, finish](const Result<std::vector<Verdict>>& verdicts) {
                    if (!verdicts) return inquiry->failed(verdicts.error());
                    for (const Verdict& verdict : *verdicts) {
                      seen_.keep(inquiry->files, verdict);
                      inquiry->verdicts.push_back(verdict);
                    }
                    finish();
                  });
}

}  // namespace capsule::gate
