// A world of values for the tests of the gates: what changed between two commits, and how the
// commands end.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gate/gates.h"
#include "gate/guard.h"

namespace capsule::gate::test {

using workflow::Check;
using workflow::Checked;

struct Fake {
  // By "from..to". The phase did something: a snapshot without a change is its predecessor.
  std::map<std::string, std::vector<Changed>> changes{{"before..now", {{'M', "a_test.go", ""}}},
                                                      {"base..tests", {{'A', "a_test.go", ""}}},
                                                      {"base..now", {{'A', "a_test.go", ""}}}};
  Verdict verdict, clean, base;                                 // of the test command
  Verdict without{Ending::failed, 1, "make test", "", "test"};  // on the tests alone
  std::map<std::string, std::string> texts;                     // by "commit:path"
  Names put_back, as_before;
  std::vector<Verdict> others;  // of build, lint, …
  int tested = 0;
  bool has_test = true;
  std::string where;  // the commands ran, last
  std::optional<Error> error;
  Watch watch;
  std::vector<workflow::CheckFor> run_for;  // each that ran in a folder of its own

  void answer(const Names& names, const Verdict& test, const Checks::Done& done) {
    if (error) return done(tl::unexpected(*error));
    const auto asked = [&](const std::string& name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    std::vector<Verdict> verdicts;
    for (const Verdict& other : others)
      if (asked(other.name)) verdicts.push_back(other);
    if (asked("test")) ++tested, verdicts.push_back(test);
    done(verdicts);
  }
  World world() {
    World world;
    for (const Verdict& other : others) world.commands.push_back(other.name);
    if (has_test) world.commands.emplace_back("test");
    world.changes = [this](const std::string& from,
                           const std::string& to) -> Result<std::vector<Changed>> {
      return changes[from + ".." + to];
    };
    world.is_test_file = [](std::string_view path) { return is_test_file(path, {}); };
    world.folder_of = [](const std::string& tree) -> Result<std::string> { return "/" + tree; };
    world.newest_main = []() -> Result<std::string> { return "main"; };
    world.is_guarded = [](std::string_view path) { return is_guarded(path, {}); };
    world.text_of = [this](const std::string& commit,
                           const std::string& path) -> Result<std::string> {
      return texts[commit + ":" + path];
    };
    world.tree_of = [](const std::string& commit) -> Result<std::string> { return "t" + commit; };
    world.put_back = [this](const std::string&, const AsBefore& files) -> Result<void> {
      put_back = files.paths;
      return {};
    };
    world.watch = [this] { return &watch; };
    world.in_tree = [this](const std::string& folder, const std::string&, const Names& names,
                           const AsBefore& files, const Checks::Done& done) {
      as_before = files.paths;
      where = folder;
      answer(names, verdict, done);
    };
    world.in_clean = [this](const std::string& commit, const Names& names, const AsBefore& files,
                            const Checks::Done& done) {
      as_before = files.paths;
      run_for.push_back(watch.about().what);
      if (commit == "base") return answer(names, base, done);
      if (commit == "tests") return answer(names, without, done);
      where = commit;
      answer(names, clean, done);
    };
    return world;
  }
};

inline Check check_of(std::vector<std::string> names) {
  Check check;
  check.number = 7;
  check.tree = "bead";
  check.names = std::move(names);
  check.claims_files = true;
  check.base = "base";
  check.previous = "before";
  check.tests = "tests";
  check.commit = "now";
  return check;
}
// What the pipeline asks for after its phases.
inline Check after_tests() { return check_of({"only-tests", "red"}); }
inline Check after_code() { return check_of({"tests-untouched", "all"}); }
inline Check after_sign_off() {
  Check check = after_code();
  check.clean = true;
  return check;
}
inline Check after_merge() {
  Check check = check_of({"as-signed-off"});
  check.signed_off = "signed";
  check.head = "head";
  return check;
}

inline workflow::Observation observed(Fake& fake, const Check& check) {
  Seen seen("", {}, "");
  Gates gates(fake.world(), seen);
  std::optional<workflow::Observation> answer;
  gates.check(check, [&](workflow::Observation observation) { answer = std::move(observation); });
  EXPECT_TRUE(answer);
  return std::move(*answer);
}

inline Checked checked(Fake& fake, const Check& check) {
  const auto observation = observed(fake, check);
  EXPECT_TRUE(std::holds_alternative<Checked>(observation));
  return std::get<Checked>(observation);
}

inline bool passes(Fake& fake, const Check& check) { return checked(fake, check).feedback.empty(); }

inline const Verdict kFailed{Ending::failed, 1, "make test", "2 tests fail", "test"};
inline const Verdict kPassed{Ending::passed, 0, "make test", "", "test"};

inline TestReport report(std::vector<TestResult> tests) { return {std::move(tests)}; }

}  // namespace capsule::gate::test
