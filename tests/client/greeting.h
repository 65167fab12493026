// One small work for real clients in a delivery and in auto mode: a file that greets. What it came
// to is looked at here; who did it, and what they told, is each test's own.
#pragma once

#include <algorithm>

#include "tests/client/agents.h"
#include "tests/client/client.h"

namespace capsule::test {

class GreetingTest : public AgentTest {
 protected:
  // Its only task has these lines, too. A critic misses the greeting at first.
  Outcome deliver_a_greeting(const std::string& criteria) {
    write_file(path("PLAN.md"),
               "# The plan\n\n## Overview\n\nFiles.\n\n## Phases\n\n### Phase 1: All\n\n"
               "#### Task T-1: Write T-1.txt\n\n**Work**: Write `T-1.txt`.\n\n" +
                   criteria + "**Blocked By**: none\n\n**Files**: T-1.txt\n\n---\n\n");
    model().when("no greeting in it", {bash("echo hello >>T-1.txt"),
                                       say("READY_FOR_REVIEW: T-1\n\nSummary: it greets now")});
    model().when("# Developer\n",
                 {bash("echo T-1 >T-1.txt"), say("READY_FOR_REVIEW: T-1\n\nSummary: done")});
    // Some clients put a word of theirs before what a tool prints: the signal has a line of its
    // own.
    model().when(
        "# Critic\n",
        {bash("echo I have looked.; if grep -q hello T-1.txt; then printf 'REVIEW_PASSED: "
              "T-1\\n\\nSummary: fine\\n'; "
              "else "
              "printf 'REVIEW_FAILED: T-1\\n\\nIssues Found:\\n- T-1.txt:1: no greeting in it\\n\\n"
              "Required Fixes:\\n- greet\\n\\nPriority: HIGH\\n'; fi"),
         repeat_tool()});
    model().when("# Auditor\n",
                 {bash("cat T-1.txt"), say("AUDIT_PASSED: T-1\n\nSummary: verified")});
    const Outcome outcome = run(patiently("deliver", {path("PLAN.md"), "--json"}));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    EXPECT_EQ(git_out({"show", "main:T-1.txt"}), "T-1\nhello");
    const std::vector<Turn> turns = model().turns();
    const auto rework = std::find_if(turns.begin(), turns.end(), [](const Turn& turn) {
      return turn.key == "no greeting in it";
    });
    EXPECT_TRUE(rework != turns.end() && rework->user_texts == 2U)
        << "in the developer's own session";
    return outcome;
  }

  // Three reviewers look; nobody is asked twice, and the session goes on from phase to phase.
  Outcome greet_in_auto_mode() {
    for (const char* reviewer : {"functional", "security", "quality"})
      model().when("**" + std::string(reviewer) + "** reviewer",
                   {say("Nothing to mend.\n\nVERDICT: APPROVED")});
    model().when("phase 2 of 9: init", {say(completion("INIT_COMPLETE"))});
    model().when("phase 3 of 9: planning", {say(completion("PLANNING_COMPLETE"))});
    model().when("phase 4 of 9: execution",
                 {bash("echo hello >greeting.txt"), say(completion("EXECUTION_COMPLETE"))});
    model().when("phase 8 of 9: check", {say(completion("CHECK_COMPLETE"))});
    const Outcome outcome = run(patiently(
        "auto", {"run", "Add a greeting", "--skip-expansion", "--skip-reflect", "--json"}));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    EXPECT_EQ(git_out({"show", "main:greeting.txt"}), "hello");
    const std::vector<Turn> turns = model().turns();
    const Turn last = turns.empty() ? Turn() : turns.back();
    EXPECT_EQ(last.key, "phase 8 of 9: check");
    EXPECT_EQ(last.user_texts, 4U) << "it remembers all phases before";
    return outcome;
  }
};

}  // namespace capsule::test
