// Sessions of an agent's client that the Stop hook holds on course.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auto_state/document.h"
#include "engine/run.h"
#include "event/auto.h"
#include "ui/view/fold.h"
#include "workflow/auto/state.h"

namespace capsule::view {
namespace {

using testing::IsEmpty;

constexpr const char* kRun = "run-1";

auto_mode::State state_of(const std::string& task) {
  return auto_mode::started(task, {}, 10, "2026-01-01T00:00:00Z");
}
std::string text_of(const auto_mode::State& state) { return auto_state::write_document({}, state); }

class Session : public testing::Test {
 protected:
  void begin(const std::string& run) {
    engine::RunHead head;
    head.run = run;
    head.workflow = engine::kAutoSession;
    head.subject = engine::kAutoSubject;
    head.started_at = "2026-01-01T00:00:00.000Z";
    fold.head(head);
  }
  void found(const std::string& run, const auto_mode::State& state) {
    const event::auto_run::Fact seen =
        event::auto_run::SessionSeen{text_of(state), "2026-01-01T00:01:00Z"};
    fold.apply({++seq_, run, std::string(event::auto_run::kind_of(seen)),
                "2026-01-01T00:01:00.000Z", event::auto_run::body_of(seen)});
  }
  const view::Run& run() { return fold.project().runs.front(); }

  Fold fold;

 private:
  std::uint64_t seq_ = 0;
};

TEST_F(Session, GoesOnWhereItsClientIsAndByNoCommand) {
  begin(kRun);
  auto_mode::State state = state_of("Greet");
  found(kRun, state);
  EXPECT_EQ(run().life, Life::working);
  ASSERT_EQ(run().actions.size(), 1u);
  EXPECT_EQ(run().actions[0].verb, Verb::show);
  state.active = false;
  state.exit_reason = auto_mode::ExitReason::max_iterations_reached;
  found(kRun, state);
  ASSERT_EQ(fold.project().inbox.size(), 1u);
  const Item& item = fold.project().inbox[0];
  EXPECT_THAT(item.context, testing::HasSubstr("capsule auto continue"));
  for (const Action& action : item.actions) EXPECT_FALSE(can_detach(action)) << command_of(action);
}

TEST_F(Session, ItsStateFileIsAheadOfItsFacts) {
  begin(kRun);
  auto_mode::State state = state_of("Greet");
  found(kRun, state);
  EXPECT_EQ(run().now, "expansion");
  state.phase = "planning";
  EXPECT_TRUE(fold.session(text_of(state)));
  EXPECT_EQ(run().now, "planning");
  EXPECT_EQ(run().course->phase, "planning");
  EXPECT_FALSE(fold.session(text_of(state)));
  state.phase = "execution";
  found(kRun, state);
  EXPECT_EQ(run().now, "execution") << "the newest fact is newer than what was told before";
  state.phase = "qa";
  EXPECT_TRUE(fold.session(text_of(state)));
  EXPECT_TRUE(fold.session("")) << "it is gone";
  EXPECT_EQ(run().now, "execution");
}

TEST_F(Session, TheStateOfAnotherTaskSaysNothingOfIt) {
  begin(kRun);
  found(kRun, state_of("Greet"));
  auto_mode::State other = state_of("Something else");
  other.phase = "qa";
  EXPECT_FALSE(fold.session(text_of(other)));
  EXPECT_FALSE(fold.session("{half"));
  EXPECT_EQ(run().now, "expansion");
  begin("run-2");
  found("run-2", state_of("Something else"));
  EXPECT_TRUE(fold.session(text_of(other)));
  EXPECT_EQ(run().now, "expansion");
  EXPECT_EQ(fold.project().runs[1].now, "qa");
}

TEST_F(Session, OutsideOfOneAStateFileIsNobodys) {
  EXPECT_FALSE(fold.session(text_of(state_of("Greet"))));
  EXPECT_THAT(fold.project().runs, IsEmpty());
}

}  // namespace
}  // namespace capsule::view
