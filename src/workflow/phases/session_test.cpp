// Which session an agent works in.
#include <gmock/gmock.h>

#include "workflow/phases/test_support.h"

namespace capsule::phases {
namespace {

using ::testing::HasSubstr;

TEST(PhaseSession, AWriterThatIsSentBackGoesOnInItsOwnSessionWithOnlyWhatIsNew) {
  Play play;
  play.s.run = "run-1";
  play.prepare();
  const std::string writer = play.command<flow::StartAgent>().session;
  EXPECT_NE(writer, "");
  EXPECT_FALSE(play.command<flow::StartAgent>().resume);
  play.phase("test-writer", Status::pass);
  const std::string reviewer = play.command<flow::StartAgent>().session;
  EXPECT_NE(reviewer, writer);
  play.phase("test-review", Status::needs_work, "cover empty input");
  const auto& again = play.command<flow::StartAgent>();
  EXPECT_EQ(again.role, "test-writer");
  EXPECT_EQ(again.attempt, 2);
  EXPECT_TRUE(again.resume);
  EXPECT_EQ(again.session, writer);
  EXPECT_THAT(again.prompt.follow_up, HasSubstr("sent back"));
  EXPECT_EQ(again.prompt.feedback, "cover empty input");
  play.phase("test-writer", Status::pass);
  EXPECT_FALSE(play.command<flow::StartAgent>().resume) << "a reviewer looks anew";
  EXPECT_NE(play.command<flow::StartAgent>().session, reviewer);
  play.phase("test-review", Status::pass);
  EXPECT_FALSE(play.command<flow::StartAgent>().resume) << "another writer has its own";
}

TEST(PhaseSession, TheWorkflowAndThenTheConfigurationMayHaveItBeginAnew) {
  for (const bool by_rule : {true, false}) {
    Definition definition = pipeline();
    definition.name = "mine";
    if (by_rule) definition.phases[0].session = Session::fresh;
    Play play(definition);
    play.s.run = "run-1";
    if (!by_rule) play.s.present.agents["test-writer"].session = Session::fresh;
    play.prepare();
    const std::string first = play.command<flow::StartAgent>().session;
    play.phase("test-writer", Status::pass);
    play.phase("test-review", Status::needs_work);
    EXPECT_FALSE(play.command<flow::StartAgent>().resume);
    EXPECT_NE(play.command<flow::StartAgent>().session, first);
    EXPECT_EQ(play.command<flow::StartAgent>().prompt.follow_up, "");
  }
}

TEST(PhaseSession, OneThatWasCutOffBeginsAnewOnWhatItStartedFrom) {
  Play play;
  play.s.run = "run-1";
  play.prepare();
  play.phase("test-writer", Status::pass);
  play.phase("test-review", Status::needs_work);
  const flow::StartAgent cut_off = play.command<flow::StartAgent>();
  EXPECT_TRUE(cut_off.resume);
  play.s = replayed(play.facts);
  play.s.run = "run-1";
  play.see({flow::TakenUp{}});
  play.see({flow::TakenBack{"demo-1", {}}});
  const auto& again = play.command<flow::StartAgent>();
  EXPECT_EQ(again.agent, cut_off.agent);
  EXPECT_FALSE(again.resume);
  EXPECT_NE(again.session, cut_off.session) << "the client may know that one";
}

// It was not at work: what it had done is all there, and its client has its session.
TEST(PhaseSession, OneThatWaitedToBeCalledOnceMoreGoesOnInItsSessionWithItsWork) {
  Play play;
  play.s.run = "run-1";
  play.prepare();
  const flow::StartAgent waits = play.command<flow::StartAgent>();
  play.s = replayed(play.facts);
  play.s.run = "run-1";
  play.see({flow::TakenUp{{waits.agent}, {}}});
  const auto& again = play.command<flow::StartAgent>();
  EXPECT_EQ(again.agent, waits.agent);
  EXPECT_TRUE(again.resume);
  EXPECT_EQ(again.session, waits.session);
  EXPECT_THAT(again.prompt.follow_up, HasSubstr("cut short"));
}

TEST(PhaseSession, OneThatWaitedToBeCalledForTheFirstTimeIsCalledAsItWouldHaveBeen) {
  Play play;
  play.s.run = "run-1";
  play.prepare();
  play.phase("test-writer", Status::pass);
  play.phase("test-review", Status::needs_work, "cover empty input");
  const flow::StartAgent waits = play.command<flow::StartAgent>();
  play.s = replayed(play.facts);
  play.s.run = "run-1";
  play.see({flow::TakenUp{{}, {waits.agent}}});
  const auto& again = play.command<flow::StartAgent>();
  EXPECT_EQ(again.session, waits.session);
  EXPECT_TRUE(again.resume) << "a writer that is sent back";
  EXPECT_EQ(again.prompt.follow_up, waits.prompt.follow_up);
  EXPECT_EQ(again.prompt.feedback, "cover empty input");
}

TEST(PhaseSession, OneThatHadBeenAtWorkIsStillCutOffThoughAnotherWaited) {
  Play play;
  play.s.run = "run-1";
  play.prepare();
  const int works = play.command<flow::StartAgent>().agent;
  play.s = replayed(play.facts);
  play.see({flow::TakenUp{{works + 1}, {}}});
  EXPECT_EQ(play.command<flow::TakeBack>().tree, "demo-1");
}

}  // namespace
}  // namespace capsule::phases
