// Answers of the database, as rows, without a database.
#include <gtest/gtest.h>

#include "cluster/work.h"

namespace capsule::cluster {
namespace {

TEST(ClusterRows, AWorkerStandsInAStateOfAClosedSet) {
  const auto read = workers_in({{"7", "h", "draining", "gpu,os:linux", "2", "1", "3000"}});
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 1U);
  EXPECT_EQ(read->front().state, engine::WorkerState::draining);
  EXPECT_EQ(read->front().labels, (std::vector<std::string>{"gpu", "os:linux"}));
  EXPECT_EQ(read->front().silent_seconds, 3);

  const auto unknown = workers_in({{"7", "h", "as\x1bleep", "", "2", "1", "0"}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().reason, Reason::damaged);
  EXPECT_EQ(unknown.error().message, "the database has a worker in an unknown state: as\\x1bleep");
}

}  // namespace
}  // namespace capsule::cluster
