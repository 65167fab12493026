// Questions of a delivery on a terminal, with a person who types too early, too late, or something
// else than what was asked first.
#include "tests/program/deliver_project.h"
#include "tests/program/terminal.h"

namespace capsule::test {
namespace {

class DeliveryTerminalTest : public DeliveryTest {
 protected:
  Call at_terminal() const {
    Call call = calling({"deliver", plan_file()});
    call.env["TERM"] = "xterm";
    call.env["NO_COLOR"] = "1";
    return call;
  }
  // Asks, once the test has made the file `when`.
  void asks(const std::string& task, const std::string& when, const std::string& question) const {
    on("developer", task, 1,
       "while [ ! -e \"$M/" + when +
           "\" ]; do sleep 0.05; done\nprintf 'SEEKING_DIVINE_CLARIFICATION\\n\\nTask: %s\\n\\n"
           "Question: " +
           question + "\\n' \"$T\"");
    on("developer", task, 2, "good");
  }
  void go(const std::string& when) const { write_file(path("mock/" + when), ""); }
  // Two tasks that ask; the second when the first question stands there.
  auto two_questions() {
    write_plan({{"T-1"}, {"T-2"}});
    asks("T-1", "first", "blue or red?");
    asks("T-2", "second", "tea or coffee?");
    return at_terminal();
  }
  void both_stand(AtTerminal& person) const {
    go("first");
    ASSERT_TRUE(person.shows("Answer to question 1 (T-1) > ")) << person.screen();
    go("second");
    ASSERT_TRUE(person.shows("Answer to question 1 (T-1); '2: TEXT' answers question 2 > "))
        << person.screen();
  }
  std::string told(const std::string& task) const {
    return agent_call("developer", task, 2).prompt;
  }
};

TEST_F(DeliveryTerminalTest, WhatWasTypedBeforeTheQuestionIsNoAnswer) {
  write_plan({{"T-1"}});
  asks("T-1", "go", "blue or red?");
  AtTerminal person(at_terminal());
  ASSERT_TRUE(person.shows("developer")) << person.screen();
  person.type("git status\nrm -r");
  go("go");
  ASSERT_TRUE(person.shows("Answer to question 1 (T-1) > ")) << person.screen();
  person.type("blue\n");
  EXPECT_EQ(person.wait(), 0) << person.screen();
  EXPECT_HAS(person.screen(), "answered (terminal): blue");
  EXPECT_HAS(told("T-1"), "blue");
  EXPECT_LACKS(told("T-1"), "git status");
  EXPECT_LACKS(told("T-1"), "rm -r");
}

TEST_F(DeliveryTerminalTest, ALineNamesTheQuestionThatItAnswersAndMayNameAnother) {
  AtTerminal person(two_questions());
  ASSERT_NO_FATAL_FAILURE(both_stand(person));
  person.type("2: tea\n");
  ASSERT_TRUE(eventually([&] { return calls("developer", "T-2") == 2; })) << person.screen();
  person.type("2: cocoa\n");
  ASSERT_TRUE(person.shows("Question 2 is answered already.")) << person.screen();
  person.type("7: it is blue\n");
  EXPECT_EQ(person.wait(), 0) << person.screen();
  EXPECT_HAS(told("T-2"), "tea");
  EXPECT_LACKS(told("T-2"), "cocoa");
  EXPECT_HAS(told("T-1"), "7: it is blue");
}

TEST_F(DeliveryTerminalTest, AnAnswerFromElsewhereMovesTheLineToTheNextQuestion) {
  AtTerminal person(two_questions());
  ASSERT_NO_FATAL_FAILURE(both_stand(person));
  person.type("half an answer to the first");
  ASSERT_EQ(capsule_in({"answer", "1", "blue"}).exit_code, 0);
  ASSERT_TRUE(person.shows("Answer to question 2 (T-2) > ")) << person.screen();
  person.type("tea\n");
  EXPECT_EQ(person.wait(), 0) << person.screen();
  EXPECT_HAS(told("T-1"), "blue");
  EXPECT_HAS(told("T-2"), "tea");
  EXPECT_LACKS(told("T-2"), "half an answer");
}

}  // namespace
}  // namespace capsule::test
