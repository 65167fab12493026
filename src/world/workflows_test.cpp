#include "world/workflows.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "config/key.h"
#include "config/workflow_file.h"
#include "signal/vocabulary.h"
#include "workflow/phases/check.h"

namespace capsule::world {
namespace {

event::Definition shipped(const std::string& name) {
  const std::string path = std::string(CAPSULE_SOURCE_DIR) + "/workflows/" + name + ".yaml";
  const auto read = config::read_workflow(read_file(path).value(), name, path);
  EXPECT_TRUE(read) << read.error().message;
  return read.value_or(event::Definition{});
}
std::string error_of(std::string_view text) {
  const auto read = config::read_workflow(text, "mine", "mine.yaml");
  return read ? "" : read.error().message;
}

// config may not include signal, so it has the names once more.
TEST(ConfiguredNames, AreThoseOfTheSignals) {
  ASSERT_EQ(config::roles().size(), signal::kRoleCount);
  for (std::size_t i = 0; i < signal::kRoleCount; ++i)
    EXPECT_EQ(config::roles()[i], signal::name_of(static_cast<signal::Role>(i)));
  ASSERT_EQ(config::auto_phases().size() + 1, signal::kPhaseCount) << "complete is none to work in";
  for (std::size_t i = 0; i + 1 < signal::kPhaseCount; ++i)
    EXPECT_EQ(config::auto_phases()[i], signal::name_of(static_cast<signal::Phase>(i)));
}

TEST(WorkflowFile, ThePipelineThatShipsIsTheOneThatIsBuiltIn) {
  EXPECT_EQ(shipped("pipeline"), phases::pipeline());
}

TEST(WorkflowFile, TheExamplesCanBeRun) {
  for (const char* name : {"pipeline", "spike", "review-panel"}) {
    const event::Definition definition = shipped(name);
    EXPECT_TRUE(phases::check(definition).empty()) << name;
    EXPECT_GT(phases::most_runs(definition, 3), 0) << name;
    for (const event::PhaseRule& phase : definition.phases)
      EXPECT_TRUE(exists(std::string(CAPSULE_SOURCE_DIR) + "/" + phase.prompt)) << phase.prompt;
  }
}

TEST(WorkflowFile, WhatIsOffIsNamedWithItsLine) {
  EXPECT_NE(error_of("phases:\n  - name: a\n    wirte: true\n").find("mine.yaml:3: "),
            std::string::npos);
  EXPECT_NE(error_of("phases: []\nend: never\n").find("merge, branch, nothing"), std::string::npos);
  EXPECT_NE(error_of("phases:\n  - write: true\n").find("needs a 'name'"), std::string::npos);
  EXPECT_NE(error_of("phases:\n  - name: a\n    prompt: /etc/passwd\n").find("below prompts/"),
            std::string::npos);
  EXPECT_NE(error_of("phases:\n  - name: a\n    prompt: prompts/../../x\n").find("below prompts/"),
            std::string::npos);
  EXPECT_NE(error_of("phases:\n  - name: a\n    timeout: -1\n").find("whole number"),
            std::string::npos);
  EXPECT_NE(error_of("- a\n").find("has no 'phases'"), std::string::npos);
  EXPECT_NE(error_of("phases: {").find("mine.yaml:"), std::string::npos);
}

TEST(WorkflowFile, AllThatIsOffIsNamedAtOnce) {
  EXPECT_EQ(error_of("smmary: x\nphases:\n  - name: a\n    wirte: true\n    tests: maybe\n"
                     "  - parallel: some\n    phases: [{name: b, needs: [test]}]\nend: never\n"),
            "mine.yaml:1: unknown key 'smmary'; valid: summary, works_on, phases, end, integrate; "
            "line 4: unknown key 'wirte' in a phase; "
            "line 5: 'tests' must be true or false; "
            "line 6: 'parallel' must be one of: all, any; "
            "line 7: 'needs' belongs to the parallel step, not to its phases; "
            "line 8: 'end' must be one of: merge, branch, nothing");
  std::string many = "phases:\n";
  for (int i = 0; i < 30; ++i) many += "  - nmae: x\n";
  EXPECT_TRUE(error_of(many).ends_with("; and 40 more"));
}

TEST(WorkflowFile, WhatFollowsAParallelStepIsNotSaidByItsPhases) {
  EXPECT_NE(error_of("phases:\n  - parallel: all\n    phases:\n      - name: a\n"
                     "        needs_work: a\n")
                .find("belongs to the parallel step"),
            std::string::npos);
}

TEST(WorkflowFile, AParallelStepGivesItsRulesToAllOfItsPhases) {
  const auto read = config::read_workflow(
      "phases:\n  - name: code\n  - parallel: any\n    needs_work: {retry: code, limit: 2}\n"
      "    phases: [{name: a, write: false}, {name: b, write: false}]\nend: nothing\n",
      "mine", "mine.yaml");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->phases.size(), 3U);
  for (const std::size_t i : {1U, 2U}) {
    EXPECT_EQ(read->phases[i].group, 1);
    EXPECT_TRUE(read->phases[i].any);
    EXPECT_EQ(read->phases[i].needs_work.limit, 2);
  }
}

}  // namespace
}  // namespace capsule::world
