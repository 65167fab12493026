#include "event/pipeline.h"

#include <gtest/gtest.h>

namespace capsule::event {
namespace {

PhaseFinished sample() {
  PhaseFinished fact;
  fact.phase = "execute-review";
  fact.number = 7;
  fact.attempt = 2;
  fact.status = signal::Status::needs_work;
  fact.feedback = "line 1\nline \"2\" → é";
  fact.summary = "s";
  fact.files_changed = {"a.go", "dir/b.go"};
  fact.signal = R"({"status":"NEEDS_WORK"})";
  fact.fault = Fault::exit_status;
  fact.exit_code = 3;
  fact.log = "x.log";
  fact.duration_ms = 12345678901;
  return fact;
}

TEST(PipelineFacts, EveryKindIsReadBackAsItWasWritten) {
  const std::vector<PipelineFact> facts = {
      RunStarted{"b", "t", "claude", 5, Convergence::warn, {}, "", "words", true, Integrate::ask},
      WorktreeIntended{"w", "b", "c"},
      WorktreeReady{"w", "b", "c"},
      PhaseStarted{"sign-off", 5, 2, "fb", "mine", "m", true},
      sample(),
      SnapshotTaken{"merge", 6, "r", "c", "t", "h"},
      PhaseChecked{
          "execute", 3, false, "fb", {{"RED", Verdict::held, "d"}, {"x", Verdict::broken, ""}}},
      MergeIntended{"main", "abc"},
      MergeDone{"abc", true, "def", {}},
      MergeRefused{MergeRefusal::foreign_commits, "d"},
      RunArchived{"logs"},
      WorktreeRemoved{},
      BeadClosed{},
      RunEnded{Outcome::prepared, "d"},
      RunResumed{4, true},
      ApprovalAsked{"plan", 2, 1, Approval::guard, {"Makefile"}, "stat"},
      ApprovalGiven{1, true, "x", "y"},
      BaselineChecked{
          Baseline::cannot_run,
          "c",
          "why",
          {{"test", "make", CheckEnding::not_run, 2, true, true, 9, true, 1, 2, 3, {"a"}, "o"}}},
      GroundMoved{{"a", "b"}, {1, 2}, "refs/heads/main", "c", "d"},
      MergeTried{"abc", {"a", "b"}, 7, {}},
      IntegrationChosen{Integrate::branch},
      AnswerTakenBack{2},
      BeadClosing{}};
  ASSERT_EQ(facts.size(), std::variant_size_v<PipelineFact::variant>)
      << "a new fact needs a row here";
  for (std::size_t i = 0; i < facts.size(); ++i) {
    EXPECT_EQ(facts[i].index(), i);
    const auto back = read_fact(kind_of(facts[i]), body_of(facts[i]));
    ASSERT_TRUE(back.has_value()) << kind_of(facts[i]);
    EXPECT_EQ(back->index(), i);
    EXPECT_EQ(body_of(*back), body_of(facts[i]));
    EXPECT_EQ(*back, facts[i]);
  }
}

TEST(PipelineFacts, MembersThatAreNotKnownAreIgnoredAndMissingOnesHaveTheirDefault) {
  const auto fact = read_fact("run_started", R"({"bead":"b","later":[1]})");
  ASSERT_TRUE(fact.has_value());
  EXPECT_EQ(std::get<RunStarted>(*fact).bead, "b");
  EXPECT_EQ(std::get<RunStarted>(*fact).max_retries, 3);
}

TEST(PipelineFacts, AMemberOfAnotherTypeOrAnUnknownNameIsDamage) {
  for (const char* body : {R"({"phase":3})", R"({"number":"3"})", "[]", "{", ""})
    EXPECT_FALSE(read_fact("phase_started", body).has_value()) << body;
  EXPECT_FALSE(read_fact("no_such_fact", "{}").has_value());
}

TEST(PipelineFacts, BytesThatAreNotUtf8AreStoredAsReplacementCharacters) {
  EXPECT_EQ(body_of(RunArchived{"a\xff"}), "{\"folder\":\"a\xef\xbf\xbd\"}");
}

}  // namespace
}  // namespace capsule::event
