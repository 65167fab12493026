#include "workflow/phases/check.h"

#include <gtest/gtest.h>

namespace capsule::phases {
namespace {

PhaseRule phase(const std::string& name) {
  PhaseRule phase;
  phase.name = name;
  phase.stage = 1;
  return phase;
}
Definition of(std::vector<PhaseRule> phases, event::Finish finish = event::Finish::nothing) {
  Definition definition;
  definition.name = "mine";
  definition.phases = std::move(phases);
  definition.finish = finish;
  return definition;
}
bool says(const Definition& definition, std::string_view words) {
  for (const Problem& problem : check(definition))
    if (problem.text.find(words) != std::string::npos) return true;
  return false;
}

TEST(DefinitionCheck, ThePipelineHasNoProblem) { EXPECT_TRUE(check(pipeline()).empty()); }

TEST(DefinitionCheck, ThePipelineCostsAtMostThreeOfEachAndWhatSignOffSendsBack) {
  // Three attempts of both pairs, sign-off with two mended executes, and the merge; each attempt
  // that a check refutes is spent, not added.
  EXPECT_EQ(most_runs(pipeline(), 1), 6);
  EXPECT_EQ(most_runs(pipeline(), 3), 3 + 3 + 3 + 3 + 1 + 4 + 1);
}

TEST(DefinitionCheck, UnknownNamesAreFound) {
  PhaseRule code = phase("code");
  code.needs_work.to = "coder";
  EXPECT_TRUE(says(of({code}), "'coder', which is not a phase"));
  code = phase("code");
  code.checks = {"greeen"};
  EXPECT_TRUE(says(of({code}), "no check 'greeen'"));
  code = phase("code");
  code.needs_work = {"code", "later", 0};
  EXPECT_TRUE(says(of({code}), "'later', which is not a phase"));
}

TEST(DefinitionCheck, APhaseThatNothingLeadsToIsFound) {
  PhaseRule first = phase("first");
  first.pass.to = "third";
  EXPECT_TRUE(says(of({first, phase("second"), phase("third")}), "never reached"));
}

TEST(DefinitionCheck, LoopsWithoutALimitAreFound) {
  PhaseRule second = phase("second");
  second.pass.to = "first";
  EXPECT_TRUE(says(of({phase("first"), second}), "a loop without a limit"));
  second = phase("second");
  second.needs_work = {"first", "", -1};
  EXPECT_TRUE(says(of({phase("first"), second}), "a loop without a limit"));
}

TEST(DefinitionCheck, WhatRunsAtOnceMayOnlyLook) {
  PhaseRule a = phase("a"), b = phase("b");
  a.group = b.group = 1;
  EXPECT_TRUE(says(of({a, b}), "only look"));
  a.writes = b.writes = false;
  EXPECT_TRUE(check(of({a, b})).empty());
  EXPECT_TRUE(says(of({a}), "at least two phases"));
}

TEST(DefinitionCheck, NothingLeadsFromAPhaseToThoseThatRunWithIt) {
  PhaseRule a = phase("a"), b = phase("b"), c = phase("c");
  a.group = b.group = 1;
  a.writes = b.writes = false;
  c.needs_work = {"a", "b", 0};
  EXPECT_TRUE(says(of({a, b, c}), "'then' must come after"));
  c.needs_work = {"b", "c", 0};
  EXPECT_TRUE(runnable(check(of({a, b, c}))));
  a.pass.to = "b";
  EXPECT_TRUE(says(of({a, b, c}), "a loop without a limit never ends"));
}

TEST(DefinitionCheck, NamesThatCouldBePathsOrOptionsAreRefused) {
  for (const char* name : {"", "-x", "../x", "a b", "a/b"})
    EXPECT_TRUE(says(of({phase(name)}), "cannot be the name")) << name;
  EXPECT_TRUE(says(of({phase("a"), phase("a")}), "two phases of this name"));
}

TEST(DefinitionCheck, SignOffAndTestsMustComeFromSomewhere) {
  PhaseRule merge = phase("merge");
  merge.needs = {"signed-off"};
  EXPECT_TRUE(says(of({merge}), "signs off"));
  merge = phase("merge");
  merge.checks = {"tests-untouched"};
  EXPECT_TRUE(says(of({merge}), "tests: true"));
}

TEST(DefinitionCheck, OnlyAPhaseThatCommitsCanBeComparedWithWhatWasSignedOff) {
  PhaseRule sign_off = phase("sign-off"), last = phase("last");
  sign_off.signs_off = true;
  last.checks = {"as-signed-off"};
  EXPECT_TRUE(says(of({sign_off, last}), "'commits: true'"));
  last.commits = true;
  EXPECT_FALSE(says(of({sign_off, last}), "'commits: true'"));
}

TEST(DefinitionCheck, TheCostOfAPanelCountsAllWhoRunAtOnce) {
  std::vector<PhaseRule> phases = {phase("code")};
  for (const char* name : {"a", "b", "c"}) {
    PhaseRule review = phase(name);
    review.group = 1;
    review.writes = false;
    review.needs_work = {"code", "", 2};
    phases.push_back(review);
  }
  EXPECT_EQ(most_runs(of(phases), 3), 8);
}

TEST(DefinitionCheck, AVeryLongWayIsEstimatedAndNotPlayed) {
  std::vector<PhaseRule> phases;
  for (int i = 0; i < 60; ++i) phases.push_back(phase("p" + std::to_string(i)));
  PhaseRule review = phase("review");
  review.writes = false;
  review.needs_work = {"p0", "", 100};
  phases.push_back(review);
  EXPECT_EQ(most_runs(of(phases), 3), 6100);
  // Loops within loops: more ways than can be played.
  phases.clear();
  for (const char* name : {"a", "b", "c", "d"}) {
    review.name = name;
    review.needs_work = {"a", "", 100};
    phases.push_back(review);
  }
  const int most = most_runs(of(phases), 3);
  EXPECT_GE(most, 100);
  EXPECT_LE(most, 100'000);
  for (int i = 0; i < 900; ++i) phases.push_back(phase("q" + std::to_string(i)));
  EXPECT_GT(most_runs(of(phases), 3), 900);
}

TEST(DefinitionCheck, ThePictureShowsWhereAStatusLeads) {
  const std::string text = picture(pipeline(), 3);
  EXPECT_NE(text.find("NEEDS_WORK → execute → sign-off (3 attempts in all)"), std::string::npos)
      << text;
  EXPECT_NE(text.find("merged to main"), std::string::npos);
}

}  // namespace
}  // namespace capsule::phases
