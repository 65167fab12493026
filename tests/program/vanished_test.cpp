// The journal goes away while a delivery or auto mode works: the same stop as in a run of a bead,
// which tests/recovery/vanished_test.cpp looks at closely.
#include <filesystem>

#include "tests/program/deliver_project.h"
#include "tests/program/demo_project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

class VanishedInADelivery : public DeliveryTest {};

TEST_F(VanishedInADelivery, StopsAllAgentsMergesNothingMoreAndGoesOn) {
  write_plan({{"T-1"}, {"T-2"}, {"T-3", "T-1"}});
  // Not before the other is at work: who never began would do as a first agent does when it goes
  // on.
  on("developer", "T-1", 1,
     "until test -e '" + path("began") + "'; do sleep 0.05; done; rm -f '" + project() +
         "/.capsule/'journal.db*; good");
  on("developer", "T-2", 1, ": >'" + path("began") + "'; " + kStay);
  const Delivered stopped = deliver();
  EXPECT_EQ(stopped.exit_code, 2) << stopped.err;
  EXPECT_HAS(stopped.err, ".capsule/journal.db was removed while the run went on");
  ASSERT_FALSE(stopped.events.empty());
  EXPECT_EQ(stopped.events.back()["event"], "run_finished");
  EXPECT_EQ(stopped.events.back()["exit_code"], 2);
  EXPECT_EQ(git_out({"log", "--merges", "--format=%s", "main"}), "");
  on("developer", "T-1", 2, "good");
  on("developer", "T-2", 2, "good");
  const Delivered again = deliver();
  EXPECT_EQ(again.exit_code, 0) << again.err;
  expect_delivered({"T-1", "T-2", "T-3"});
}

class VanishedInAnAutoRun : public DemoProject {};

TEST_F(VanishedInAnAutoRun, StopsAndGoesOn) {
  make_project();
  const std::string once = path("once");
  auto_agent("[ \"$CAPSULE_PHASE\" != execution ] || [ -e '" + once + "' ] || { : >'" + once +
             "'; rm -f '" + project() + "/.capsule/'journal.db*; }\n");
  const Outcome stopped = in({"auto", "run", "Say hello", "--skip-expansion", "--skip-reflect"});
  EXPECT_EQ(stopped.exit_code, 2) << stopped.out;
  EXPECT_THAT(stopped.err, ::testing::HasSubstr("was removed while the run went on"));
  EXPECT_EQ(git({"log", "--merges", "--format=%s", "main"}).out, "");
  const Outcome again = in({"auto", "run", "Say hello", "--skip-expansion", "--skip-reflect"});
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
  EXPECT_EQ(git({"log", "--merges", "--format=%s", "main"}).out, "Merge auto: Say hello\n");
}

}  // namespace
}  // namespace capsule::test
