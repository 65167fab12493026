// What is shown of logs that are there. That a run is followed is shown through the binary, in
// tests/program.
#include "run/show_log.h"

#include <gmock/gmock.h>

#include "world/test_support.h"

namespace capsule::run {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ShowLog : public world::ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    const std::string folder = project_ + "/.capsule/logs/demo-1/";
    write(folder + "test-writer-20260131-115959-40.log", "tests are there\n");
    write(folder + "execute-20260131-120000-41.log", "green\x1b[2J\n");
    order_.words = {"demo-1"};
  }
  Result<void> show() {
    out_.clear();
    return show_log(*project, store.get(), order_, [&](std::string_view bytes) -> Result<void> {
      out_ += bytes;
      return {};
    });
  }

  LogOrder order_;
  std::string out_;
};

TEST_F(ShowLog, OfABeadWhosePhasesWereRunByHandIsWhatLiesInItsArchive) {
  MUST_VOID(show());
  EXPECT_THAT(out_, HasSubstr("tests are there\n"));
  EXPECT_THAT(out_, HasSubstr("green\x1b[2J\n")) << "a pipe or file gets the bytes";
  EXPECT_LT(out_.find("tests are there"), out_.find("green"));
  order_.look.terminal = true;
  MUST_VOID(show());
  EXPECT_THAT(out_, Not(HasSubstr("\x1b")));
}

TEST_F(ShowLog, ARoleLeavesTheOthersOut) {
  pipeline("run-1", "demo-1", event::Outcome::merged);
  order_.role = "execute";
  MUST_VOID(show());
  EXPECT_THAT(out_, HasSubstr("green"));
  EXPECT_THAT(out_, Not(HasSubstr("tests are there")));
}

TEST_F(ShowLog, SaysWhatThereIsNothingOf) {
  order_.role = "merge";
  EXPECT_EQ(show().error().message, "there is no output of demo-1 in merge");
  order_.role.clear();
  order_.agent = 7;
  EXPECT_EQ(show().error().message, "there is no output of demo-1 by its agent 7");
  EXPECT_EQ(out_, "");
}

TEST_F(ShowLog, WhatIsNoRunAndNoBeadIsAnError) {
  order_.words = {"demo-1", "T-1"};
  EXPECT_EQ(show().error().reason, Reason::not_found);
  order_.words = {"a/b"};
  EXPECT_FALSE(show());
}

TEST_F(ShowLog, WhatCannotBeWrittenEndsIt) {
  const auto shown = show_log(*project, store.get(), order_, [](std::string_view) {
    return Result<void>(fail(Reason::io, "the pipe is closed"));
  });
  ASSERT_FALSE(shown);
  EXPECT_EQ(shown.error().message, "the pipe is closed");
}

}  // namespace
}  // namespace capsule::run
