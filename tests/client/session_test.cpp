// What the client does with sessions, hooks apart: the facts on which provider claude relies.
#include <unistd.h>

#include "agent/clients.h"
#include "agent/provider.h"
#include "tests/client/client.h"

namespace capsule::test {
namespace {

using ::testing::HasSubstr;

const std::string kSession = "0b1e7c54-6a4f-4f52-9c1a-5d6f0e2a7b31";

class ClientSession : public ClientTest {
 protected:
  // The client, called in the words of our provider.
  Outcome in_session(agent::SessionUse use, const std::string& prompt) const {
    const auto call =
        agent::call_of(agent::in_session(agent::claude_provider(""), kSession, use), prompt);
    EXPECT_TRUE(call);
    return client({call->argv.begin() + 1, call->argv.end()}, call->input.value_or(""));
  }
};

TEST_F(ClientSession, ASessionBegunUnderOurIdGoesOnWithFeedback) {
  model().when("Write the greeting",
               {bash("echo hello >greeting.txt"), say("READY_FOR_REVIEW: T-1")});
  model().when("Say it in French",
               {bash("echo bonjour >greeting.txt; cat greeting.txt"), repeat_tool()});
  const Outcome first = client(
      {"-p", "Write the greeting", "--dangerously-skip-permissions", "--session-id", kSession});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(first.out, "READY_FOR_REVIEW: T-1\n");
  const Outcome second = in_session(agent::SessionUse::resume, "Say it in French");
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_EQ(second.out, "bonjour\n");
  for (const Turn& turn : model().turns()) EXPECT_EQ(turn.session, kSession);
  EXPECT_EQ(model().turns().back().user_texts, 2U) << "the model is told the history again";
  announce({"?? greeting.txt"});
}

TEST_F(ClientSession, ALongPromptGoesOnWithASessionFromStdin) {
  const std::string history = std::string(200'000, 'x') + " that is all";
  model().when("that is all", {say("READY_FOR_REVIEW: T-2")});
  const Outcome outcome = in_session(agent::SessionUse::begin, history);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "READY_FOR_REVIEW: T-2\n");
  ASSERT_EQ(model().turns().size(), 1U);
  EXPECT_EQ(model().turns()[0].session, kSession);
}

TEST_F(ClientSession, ASessionThatIsNotThereIsRefusedAtOnce) {
  const Outcome outcome = in_session(agent::SessionUse::resume, "Go on");
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out + outcome.err, HasSubstr(kSession));
  EXPECT_TRUE(model().turns().empty());
}

TEST_F(ClientSession, AsRootItRefusesToWorkOutsideASandbox) {
  if (geteuid() != 0) GTEST_SKIP() << "this is about root";
  env()["IS_SANDBOX"] = std::nullopt;
  ASSERT_EQ(command("prep", {kBead}).exit_code, 0);
  const Outcome outcome = command("run-phase", {"execute", worktree()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.out, HasSubstr("No signal JSON found in phase output"));
  const std::vector<std::string> logs = logs_in(worktree() + "/.capsule/output");
  ASSERT_EQ(logs.size(), 2U);
  EXPECT_THAT(read_file(worktree() + "/.capsule/output/" + logs[1]), HasSubstr("root"));
  EXPECT_THAT(command("doctor", {}).out, HasSubstr("export IS_SANDBOX=1"));
}

}  // namespace
}  // namespace capsule::test
