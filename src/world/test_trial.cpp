#include "world/test_trial.h"

#include <optional>

#include "base/text.h"
#include "gate/checks.h"
#include "gate/clean_checkout.h"
#include "git/branch.h"
#include "world/contain_findings.h"
#include "world/interrupt.h"
#include "world/verify.h"
#include "world/walls.h"

namespace capsule::world {
namespace {

std::string seconds_of(std::int64_t milliseconds) {
  return std::to_string(milliseconds / 1000) + "." + std::to_string(milliseconds / 100 % 10) + " s";
}

std::vector<std::string> failing(const gate::TestReport& report) {
  std::vector<std::string> names;
  for (const gate::TestResult& test : report.tests)
    if (test.state == gate::TestState::failed) names.push_back(test.name);
  return names;
}

// "131 tests by name (go test -json), 2 skipped", or that there are none.
std::string named(const gate::Verdict& verdict) {
  if (!verdict.tests)
    return verdict.report_problem.empty()
               ? "its tests are not named, so that only its exit status counts"
               : "its tests could not be read by name: " + verdict.report_problem;
  const std::size_t skipped = verdict.tests->count(gate::TestState::skipped);
  return counted(verdict.tests->tests.size(), "test") + " by name (" +
         std::string(name_of(verdict.report_format)) + ")" +
         (skipped == 0 ? "" : ", " + std::to_string(skipped) + " skipped");
}

}  // namespace

Result<gate::Verdict> try_tests(const Project& project) {
  const auto tips = TRY(git::find_tips(project.repository, project.config.main_branch, ""));
  const auto loop = TRY(process::Loop::create());
  const auto interrupt = TRY(Interrupt::create(*loop));
  gate::Checks checks(*loop, verify_of(project.config), [&] { return interrupt->requested(); });
  checks.contained_by(
      {.wish = [&](const std::string& folder) { return walls_of_checks(project, folder); },
       .lacks = checks_lack(project),
       .repository = project.repository});
  std::optional<Result<std::vector<gate::Verdict>>> result;
  gate::run_clean(project.repository, checks, tips.main, {std::string(gate::kTest)},
                  [&](const auto& verdicts) { result = verdicts; });
  loop->run_while([&] { return !result; });
  return TRY(*result).front();
}

Finding finding_of(const gate::Verdict& verdict) {
  const std::string took = seconds_of(verdict.duration_ms);
  std::vector<std::string> words;  // its last lines
  const std::string end = gate::useful_end(verdict.output, 400);
  for (const std::string_view line : split(end, '\n'))
    if (!line.empty()) words.emplace_back(line);
  if (!verdict.walls.empty()) words.push_back(verdict.walls);
  switch (verdict.ending) {
    case gate::Ending::not_run:
      return {Health::bad, "test run", "the test command " + describe(verdict), words};
    case gate::Ending::timed_out:
      return {Health::bad,
              "test run",
              "the test command timed out after " + took,
              {"in .capsule/config.yaml: verify: {timeout: 30m}"}};
    case gate::Ending::ended_badly:
      return {Health::bad, "test run", "the test command " + describe(verdict), words};
    case gate::Ending::failed: {
      const auto names = verdict.tests ? failing(*verdict.tests) : std::vector<std::string>{};
      return {Health::doubtful, "test run",
              "main is red (" + describe(verdict) + ", " + took + "): " + named(verdict) +
                  (names.empty() ? "" : "; failing: " + short_list(names, 5)),
              words};
    }
    case gate::Ending::passed:
      break;
  }
  if (verdict.tests && verdict.tests->tests.empty())
    return {Health::doubtful, "test run",
            "the test command passes in " + took + " and found no tests"};
  if (!verdict.tests)
    return {Health::doubtful,
            "test run",
            "the test command passes in " + took + "; " + named(verdict),
            {"in .capsule/config.yaml: verify: {test_report: \"junit:PATH\"}, for a command that "
             "writes a JUnit file"}};
  return {Health::good, "test run", named(verdict) + ", all that ran pass, " + took};
}

}  // namespace capsule::world
