#include "engine/work.h"

#include <gtest/gtest.h>

namespace capsule::engine {
namespace {

TEST(WorkerStates, AreReadByTheNamesThatTheyAreWrittenWith) {
  for (const WorkerState state : {WorkerState::active, WorkerState::draining, WorkerState::gone})
    EXPECT_EQ(worker_state_named(name_of(state)), state);
  EXPECT_EQ(name_of(WorkerState::draining), "draining");
  EXPECT_FALSE(worker_state_named("Active"));
  EXPECT_FALSE(worker_state_named(""));
}

TEST(WorkLabels, AreWordsThatACommandLineAndADatabaseCanHold) {
  EXPECT_TRUE(valid_label("os:linux"));
  EXPECT_TRUE(valid_label(std::string(100, 'a')));
  EXPECT_FALSE(valid_label(std::string(101, 'a')));
  EXPECT_FALSE(valid_label(""));
  EXPECT_FALSE(valid_label("a,b"));
  EXPECT_FALSE(valid_label("a b"));
}

}  // namespace
}  // namespace capsule::engine
