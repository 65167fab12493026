// `capsule auto run` with the real client: one session through all phases, three reviewers at once.
#include <nlohmann/json.hpp>
#include <set>

#include "tests/client/client.h"

namespace capsule::test {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;

class ClientAuto : public ClientTest {};

// The Stop hook is installed too: it must leave sessions alone that Capsule drives.
TEST_F(ClientAuto, OneSessionGoesThroughThePhasesToMainAndThreeReviewersHaveTheirOwn) {
  install_hook();
  configure("verify: {baseline: red-allowed, test: \"grep -q hello greeting.txt\"}\n");
  model().when("**functional** reviewer",
               {bash("cat greeting.txt"), say("Nothing to mend.\n\nVERDICT: APPROVED")});
  model().when("**security** reviewer", {say("Nothing to mend.\n\nVERDICT: APPROVED")});
  model().when("**quality** reviewer", {say("Nothing to mend.\n\nVERDICT: APPROVED")});
  model().when("phase 2 of 9: init", {say(completion("INIT_COMPLETE"))});
  model().when("- Phase: planning", {say(completion("PLANNING_COMPLETE"))});
  model().when("phase 3 of 9: planning", {say("The plan is written.")});
  model().when("phase 4 of 9: execution",
               {bash("echo hello >greeting.txt"), say(completion("EXECUTION_COMPLETE"))});
  model().when("phase 5 of 9: qa", {say(completion("QA_COMPLETE"))});
  model().when("phase 8 of 9: check", {say(completion("CHECK_COMPLETE"))});
  const Outcome outcome =
      command("auto", {"run", "Add a greeting", "--skip-expansion", "--skip-reflect"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(git_out({"show", "main:greeting.txt"}), "hello");
  std::set<std::string> working, reviewing;
  for (const Turn& turn : model().turns())
    (turn.key.ends_with("reviewer") ? reviewing : working).insert(turn.session);
  EXPECT_EQ(working.size(), 1U) << "the same session is continued";
  EXPECT_EQ(reviewing.size(), 3U);
  EXPECT_THAT(model().keys(), Contains("- Phase: planning"));
  EXPECT_THAT(outcome.out, HasSubstr("planning: no signal, iteration 1/20"));
  EXPECT_THAT(outcome.out, HasSubstr("[7/9] fix … skipped"));
  EXPECT_EQ(model().turns().back().key, "phase 8 of 9: check");
  EXPECT_EQ(model().turns().back().user_texts, 5U) << "it remembers all phases before";
  const json rounds =
      json::parse(read_file(project() + "/.caw/validation-results.json")).at("rounds");
  ASSERT_EQ(rounds.size(), 1U);
  EXPECT_EQ(rounds[0]["verdicts"].size(), 3U);
  EXPECT_EQ(rounds[0]["all_approved"], true);
}

}  // namespace
}  // namespace capsule::test
