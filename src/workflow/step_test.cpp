#include "workflow/step.h"

#include <gtest/gtest.h>

namespace capsule::workflow {
namespace {

// A run that an earlier version began goes on in the sessions that its agents have.
TEST(SessionId, IsTheSameInEveryVersion) {
  EXPECT_EQ(session_id("20260131-235959-123456", 7), "9018236d-800f-4a2c-9df3-acec585c3bcd");
  EXPECT_EQ(session_id("run", 12), "83653c89-79c4-4d15-996d-886c04506665");
}

}  // namespace
}  // namespace capsule::workflow
