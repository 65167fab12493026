#include "workflow/phases/phases.h"

namespace capsule::phases {
namespace {

PhaseRule phase(const char* name, int stage, std::vector<std::string> checks) {
  PhaseRule rule;
  rule.name = name;
  rule.prompt = "prompts/" + rule.name + ".md";
  rule.stage = stage;
  rule.checks = std::move(checks);
  return rule;
}

Definition made() {
  PhaseRule test_writer = phase("test-writer", 2, {"only-tests", "red"});
  test_writer.writes_tests = true;
  PhaseRule test_review = phase("test-review", 2, {"only-tests", "red"});
  test_review.needs_work = {"test-writer", "", 0};
  PhaseRule execute = phase("execute", 3, {"tests-untouched", "build", "lint", "green"});
  PhaseRule execute_review = phase("execute-review", 3, execute.checks);
  execute_review.needs_work = {"execute", "", 0};
  PhaseRule sign_off = phase("sign-off", 4, execute.checks);
  sign_off.clean = true;
  sign_off.signs_off = true;
  sign_off.needs_work = {"execute", "sign-off", 0};
  PhaseRule merge = phase("merge", 5, {"as-signed-off"});
  merge.needs = {"signed-off"};
  merge.commits = true;
  Definition definition;
  definition.name = kPipeline;
  definition.summary = "Tests first, then code, each of them reviewed; signed off, and merged";
  definition.phases = {test_writer, test_review, execute, execute_review, sign_off, merge};
  definition.finish = event::Finish::merge;
  return definition;
}

}  // namespace

const Definition& pipeline() {
  static const Definition definition = made();
  return definition;
}

}  // namespace capsule::phases
