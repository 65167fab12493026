// A plan delivered by real clients: several at once, and a developer whose session goes on with
// what the critic found.
#include <algorithm>
#include <set>

#include "tests/client/client.h"

namespace capsule::test {
namespace {

using ::testing::HasSubstr;

class ClientDelivery : public ClientTest {
 protected:
  static std::string task(const std::string& id) {
    return "#### Task " + id + ": Write " + id + ".txt\n\n**Work**: Write `" + id +
           ".txt` at the top.\n\n**Acceptance Criteria**:\n- [ ] " + id + ".txt holds " + id +
           "\n\n**Blocked By**: none\n\n**Files**: " + id + ".txt\n\n---\n\n";
  }
  // Agents are told apart by the first line of their prompt, and find their task in their
  // environment.
  void script(const std::string& heading, std::vector<Say> answers) {
    model().when("# " + heading + "\n", std::move(answers));
  }
};

TEST_F(ClientDelivery, ADeveloperGoesOnInItsSessionWithWhatTheCriticFound) {
  write_file(path("PLAN.md"),
             "# The plan\n\n## Overview\n\nFiles.\n\n## Phases\n\n### Phase 1: All\n\n" +
                 task("T-1") + task("T-2"));
  const std::string signal = "\"$CAPSULE_TASK\"";
  model().when("no greeting in it", {bash("echo hello >>T-1.txt; cat T-1.txt"),
                                     say("READY_FOR_REVIEW: T-1\n\nSummary: it greets now")});
  script("Developer",
         {bash("echo $CAPSULE_TASK >$CAPSULE_TASK.txt"),
          bash("printf 'READY_FOR_REVIEW: %s\\n\\nSummary: done\\n' " + signal), repeat_tool()});
  script(
      "Critic",
      {bash("if [ \"$CAPSULE_TASK\" = T-1 ] && ! grep -q hello T-1.txt; then\n"
            "printf 'REVIEW_FAILED: T-1\\n\\nIssues Found:\\n- T-1.txt:1: no greeting in it\\n\\n"
            "Required Fixes:\\n- greet\\n\\nPriority: HIGH\\n'\n"
            "else printf 'REVIEW_PASSED: %s\\n\\nSummary: fine\\n' " +
            signal + "; fi"),
       repeat_tool()});
  script("Auditor",
         {bash("printf 'AUDIT_PASSED: %s\\n\\nSummary: verified\\n' " + signal), repeat_tool()});
  const Outcome outcome = command("deliver", {path("PLAN.md")});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(git_out({"show", "main:T-1.txt"}), "T-1\nhello");
  EXPECT_EQ(git_out({"show", "main:T-2.txt"}), "T-2");

  const std::vector<Turn> turns = model().turns();
  const auto rework = std::find_if(
      turns.begin(), turns.end(), [](const Turn& turn) { return turn.key == "no greeting in it"; });
  ASSERT_NE(rework, turns.end());
  EXPECT_EQ(rework->user_texts, 2U) << "the task, and then what was found";
  EXPECT_THAT(rework->prompt, ::testing::Not(HasSubstr("# Developer")));
  const auto begun = std::find_if(turns.begin(), turns.end(), [&](const Turn& turn) {
    return turn.key == "# Developer\n" && turn.session == rework->session;
  });
  ASSERT_NE(begun, turns.end()) << "another session";
  EXPECT_THAT(begun->prompt, HasSubstr("T-1: Write T-1.txt"));
  std::set<std::string> developers;
  for (const Turn& turn : turns)
    if (turn.key == "# Developer\n" || turn.key == rework->key) developers.insert(turn.session);
  EXPECT_EQ(developers.size(), 2U) << "one for each task";
}

}  // namespace
}  // namespace capsule::test
