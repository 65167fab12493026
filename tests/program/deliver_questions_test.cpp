// What a delivery asks a person, and what becomes of the answers.
#include <filesystem>

#include "tests/program/deliver_project.h"

namespace capsule::test {
namespace {

using Names = std::vector<std::string>;

TEST_F(DeliveryTest, MissingInformationWaitsForAPersonWhoAnswersFromAnotherProcess) {
  write_plan({{"T-1"}, {"T-2"}});
  on("developer", "T-1", 1,
     "printf 'TASK_INCOMPLETE: T-1\\n\\nBlocker: which colour\\nNeeded: a colour\\n'");
  on("developer", "T-1", 2, "good");
  Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_EQ(done.list("waiting"), Names{"T-1"});
  EXPECT_EQ(done.list("completed"), Names{"T-2"});
  const Outcome asked = capsule_in({"questions"});
  EXPECT_EQ(asked.exit_code, 0);
  EXPECT_HAS(asked.out, "which colour");
  EXPECT_EQ(capsule_in({"answer", "7", "x"}).exit_code, 1);
  EXPECT_EQ(capsule_in({"answer", "1", "blue"}).exit_code, 0);
  EXPECT_EQ(capsule_in({"answer", "1", "red"}).exit_code, 1) << "the first answer wins";
  done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.list("completed"), (Names{"T-1", "T-2"}));
  EXPECT_HAS(agent_call("developer", "T-1", 2).prompt, "blue");
  EXPECT_EQ(calls("developer", "T-2"), 1) << "what is finished stays finished";
  EXPECT_HAS(capsule_in({"questions"}).out, "No open questions");
  EXPECT_HAS(report_text(), "blue");
}

TEST_F(DeliveryTest, AnAnswerThatNoRunHasTakenUpCanBeTakenBack) {
  write_plan({{"T-1"}});
  on("developer", "T-1", 1,
     "printf 'TASK_INCOMPLETE: T-1\\n\\nBlocker: which colour\\nNeeded: a colour\\n'");
  on("developer", "T-1", 2, "good");
  EXPECT_EQ(deliver().exit_code, 1);
  EXPECT_EQ(capsule_in({"answer", "1", "--take-back"}).exit_code, 1) << "there is none yet";
  ASSERT_EQ(capsule_in({"answer", "1", "blue"}).exit_code, 0);
  const Outcome second = capsule_in({"answer", "1", "red"});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_HAS(second.err, "capsule answer 1 --take-back");
  EXPECT_EQ(capsule_in({"answer", "1", "--take-back"}).exit_code, 0);
  EXPECT_EQ(capsule_in({"answer", "1", "red"}).exit_code, 0);
  EXPECT_EQ(deliver().exit_code, 0);
  EXPECT_HAS(agent_call("developer", "T-1", 2).prompt, "red");
  EXPECT_LACKS(agent_call("developer", "T-1", 2).prompt, "blue");
  const Outcome late = capsule_in({"answer", "1", "--take-back"});
  EXPECT_EQ(late.exit_code, 1);
  EXPECT_HAS(late.err, "cannot be taken back");
  EXPECT_EQ(capsule_in({"answer", "1"}).exit_code, 2);
}

TEST_F(DeliveryTest, AnAnswerReachesACoordinatorThatRuns) {
  write_plan({{"T-1"}});
  on("developer", "T-1", 1,
     "printf 'SEEKING_DIVINE_CLARIFICATION\\n\\nTask: T-1\\n\\nQuestion: blue or red?\\n'");
  on("developer", "T-1", 2, "good");
  Running running(calling({"deliver", plan_file(), "--json", "--wait"}));
  ASSERT_TRUE(
      eventually([&] { return running.out_so_far().find("question_asked") != std::string::npos; }));
  EXPECT_EQ(capsule_in({"answer", "1", "the", "--project-dir=" + project()}).exit_code, 0);
  EXPECT_EQ(running.wait().exit_code, 0);
  EXPECT_HAS(agent_call("developer", "T-1", 2).prompt, "the");
}

// The run goes on, and has recorded the answer; the task waits for the only developer's slot.
TEST_F(DeliveryTest, AnAnswerThatNoAgentHasSeenCanBeTakenBackFromARunThatGoesOn) {
  write_plan({{"T-1"}, {"T-2"}});
  on("developer", "T-1", 1,
     "printf 'SEEKING_DIVINE_CLARIFICATION\\n\\nTask: T-1\\n\\nQuestion: blue or red?\\n'");
  on("developer", "T-1", 2, "good");
  on("developer", "T-2", 1, "until test -e " + path("go") + "; do sleep 0.05; done; good");
  Running running(calling({"deliver", plan_file(), "--json", "--wait", "--developers=1"}));
  const auto happens = [&](const char* what) {
    return eventually([&] { return running.out_so_far().find(what) != std::string::npos; });
  };
  ASSERT_TRUE(happens("question_asked"));
  ASSERT_EQ(capsule_in({"answer", "1", "indigo"}).exit_code, 0);
  ASSERT_TRUE(happens("question_answered"));
  const Outcome back = capsule_in({"answer", "1", "--take-back"});
  EXPECT_EQ(back.exit_code, 0) << back.err;
  EXPECT_HAS(back.out, "open again");
  EXPECT_HAS(capsule_in({"questions"}).out, "blue or red?");
  EXPECT_EQ(capsule_in({"answer", "1", "crimson"}).exit_code, 0);
  write_file(path("go"), "");
  EXPECT_EQ(running.wait().exit_code, 0);
  EXPECT_HAS(agent_call("developer", "T-1", 2).prompt, "crimson");
  EXPECT_LACKS(agent_call("developer", "T-1", 2).prompt, "indigo");
}

TEST_F(DeliveryTest, AnAnswerThatAnAgentWorksWithCannotBeTakenBack) {
  write_plan({{"T-1"}});
  on("developer", "T-1", 1,
     "printf 'SEEKING_DIVINE_CLARIFICATION\\n\\nTask: T-1\\n\\nQuestion: blue or red?\\n'");
  on("developer", "T-1", 2, "until test -e " + path("go") + "; do sleep 0.05; done; good");
  Running running(calling({"deliver", plan_file(), "--json", "--wait"}));
  const auto happens = [&](const char* what) {
    return eventually([&] { return running.out_so_far().find(what) != std::string::npos; });
  };
  ASSERT_TRUE(happens("question_asked"));
  ASSERT_EQ(capsule_in({"answer", "1", "indigo"}).exit_code, 0);
  ASSERT_TRUE(happens("question_answered"));
  const Outcome late = capsule_in({"answer", "1", "--take-back"});
  EXPECT_EQ(late.exit_code, 1) << late.out;
  EXPECT_HAS(late.err, "cannot be taken back");
  write_file(path("go"), "");
  EXPECT_EQ(running.wait().exit_code, 0);
}

TEST_F(DeliveryTest, AFileAnswersWhereNobodyWatches) {
  write_plan({{"T-1"}});
  on("critic", "T-1", 1, "printf 'SEEKING_DIVINE_CLARIFICATION\\n\\nQuestion: tabs?\\n'");
  on("critic", "T-1", 2, "good");
  write_file(path("answers.txt"), "# what we know\nT-1: spaces of course\n");
  const Delivered done = deliver({"--answers=" + path("answers.txt")});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_HAS(agent_call("critic", "T-1", 2).prompt, "spaces of course");
}

TEST_F(DeliveryTest, LowConfidenceAsksAPerson) {
  write_plan({{"T-1", "none", "", "-"}});
  on("business-analyst", "T-1", 1,
     "printf 'EXPANDED_TASK_SPECIFICATION: T-1\\nConfidence: LOW\\n\\nExpanded "
     "Specification:\\nperhaps this\\n\\nAcceptance Criteria:\\n- [ ] perhaps\\n'");
  Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_EQ(done.list("waiting"), Names{"T-1"});
  EXPECT_EQ(calls("developer", "T-1"), 0);
  EXPECT_HAS(capsule_in({"questions"}).out, "perhaps this");
  EXPECT_EQ(capsule_in({"answer", "1", "rather that"}).exit_code, 0);
  done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  for (const char* role : {"developer", "critic", "auditor"}) {
    const std::string prompt = agent_call(role, "T-1", 1).prompt;
    for (const char* part : {"Write `T-1.txt` at the top.", "perhaps this", "rather that"})
      EXPECT_HAS(prompt, part);
  }
}

TEST_F(DeliveryTest, AFileOfTheUsersInTheWayIsForAPerson) {
  write_plan({{"T-1"}, {"T-2"}});
  write_file(project() + "/T-1.txt", "my own notes\n");
  Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_EQ(done.list("waiting"), Names{"T-1"});
  EXPECT_EQ(done.list("completed"), Names{"T-2"});
  EXPECT_EQ(calls("developer", "T-1"), 1) << "no developer can move it away";
  EXPECT_EQ(read_file(project() + "/T-1.txt"), "my own notes\n");
  EXPECT_HAS(capsule_in({"questions"}).out, "T-1.txt");
  EXPECT_EQ(capsule_in({"answer", "1", "perhaps"}).exit_code, 2) << "retry or rework";
  std::filesystem::rename(project() + "/T-1.txt", path("kept.txt"));
  ASSERT_EQ(capsule_in({"answer", "1", "retry"}).exit_code, 0);
  done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(calls("developer", "T-1") + calls("critic", "T-1") + calls("auditor", "T-1"), 3);
  expect_delivered({"T-1", "T-2"});
}

TEST_F(DeliveryTest, AnAgentCanNeitherAnswerNorDeliver) {
  write_plan({{"T-1"}});
  on("developer", "T-1", 1, "printf 'SEEKING_DIVINE_CLARIFICATION\\n\\nQuestion: may I?\\n'");
  EXPECT_EQ(deliver().exit_code, 1);
  on("developer", "T-1", 2, "good");
  write_plan({{"T-1"}, {"T-2"}});
  on("developer", "T-2", 1,
     "capsule answer 1 yes --project-dir='" + project() +
         "' >>\"$M/tried\" 2>&1 || echo refused >>\"$M/tried\"; good");
  const Delivered done = deliver();
  EXPECT_EQ(done.list("waiting"), Names{"T-1"});
  EXPECT_HAS(read_file(path("mock/tried")), "refused");
}

}  // namespace
}  // namespace capsule::test
