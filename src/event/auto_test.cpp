#include "event/auto.h"

#include <gtest/gtest.h>

namespace capsule::event::auto_run {
namespace {

std::vector<Fact> samples() {
  ReviewVerdict verdict{"security", Verdict::rejected, {"a", "b"}, "t", "s", "e", "log"};
  return {Started{"task", "claude", true, true, true, false, true, false, false, 7, "now"},
          PlaceReady{"folder", "now"},
          TurnStarted{Phase::qa, 3, 2, Why::mend, "id", true, "now"},
          TurnFinished{
              Phase::fix, 4, {"FIX_COMPLETE"}, "e", true, Fault::timed_out, 3, "log", 12, "now"},
          ChecksDone{false, "why", "now"},
          Reviewed{{verdict, verdict}, "note", "now"},
          MergeDone{"commit", true, "now"},
          PlaceRemoved{"now"},
          Ended{Outcome::not_approved, "detail", "now"},
          Resumed{"now"},
          SessionSeen{"{\"a\":1}", "now"}};
}

TEST(AutoFacts, EveryKindComesBackAsItWas) {
  EXPECT_EQ(samples().size(), std::variant_size_v<Fact>);
  for (const Fact& fact : samples()) {
    const auto read = read_fact(kind_of(fact), body_of(fact));
    ASSERT_TRUE(read) << kind_of(fact);
    EXPECT_EQ(read->index(), fact.index());
    EXPECT_EQ(body_of(*read), body_of(fact));
    EXPECT_EQ(time_of(*read), "now");
  }
}

TEST(AutoFacts, UnknownMembersAreIgnoredAndDamagedFactsReported) {
  EXPECT_TRUE(read_fact("auto_resumed", R"({"at":"x","more":[1]})"));
  for (const char* body : {"", "[]", R"({"at":5})"}) EXPECT_FALSE(read_fact("auto_resumed", body));
  EXPECT_FALSE(read_fact("auto_turn_started", R"({"phase":"nonsense"})"));
  EXPECT_FALSE(read_fact("phase_started", "{}"));
}

}  // namespace
}  // namespace capsule::event::auto_run
