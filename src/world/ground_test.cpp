// What happened in the user's checkout is told of with the agents that ran meanwhile, also where
// nobody has looked at its files in between.
#include "world/ground.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <ctime>
#include <utility>

#include "git/test_support.h"

namespace capsule::world {
namespace {

using Agents = std::vector<int>;

class GroundWatchTest : public git::GitTest {
 protected:
  void SetUp() override {
    GitTest::SetUp();
    // Of folders that were changed just now a look cannot tell whether they will change unseen.
    for (const char* folder : {"", "/src"}) make_old(project_ + folder);
    GroundParts parts;
    parts.repository = open();
    parts.run = "run-1";
    watch_.emplace(std::move(parts));
    EXPECT_TRUE(watch_->look({}).empty());
  }
  static void make_old(const std::string& path) {
    const timespec then[2] = {{.tv_sec = 1'700'000'000, .tv_nsec = 0},
                              {.tv_sec = 1'700'000'000, .tv_nsec = 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), then, 0), 0);
  }
  static bool after(const timespec& a, const timespec& b) {
    return std::pair(a.tv_sec, a.tv_nsec) > std::pair(b.tv_sec, b.tv_nsec);
  }
  // By the clock that files are stamped with.
  static timespec stamping_now() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return now;
  }
  // Later than all that happened before, and earlier than all that comes: the file's own time
  // decides that, since newer kernels stamp a file that somebody looks at more finely than that
  // clock goes.
  void write_over(const std::string& name) {
    const std::string path = project_ + "/" + name;
    const timespec then = stamping_now();
    while (!after(stamping_now(), then)) continue;
    write(path, "changed\n");
    struct stat file {};
    ASSERT_EQ(::stat(path.c_str(), &file), 0);
    while (!after(stamping_now(), file.st_ctim)) continue;
  }
  std::optional<GroundWatch> watch_;
};

TEST_F(GroundWatchTest, WhatAPersonWroteBeforeAnAgentBeganIsNotTheAgents) {
  write_over("README");
  EXPECT_TRUE(watch_->look_before({}).empty());
  const auto moved = watch_->look({1});
  ASSERT_EQ(moved.size(), 1U);
  EXPECT_EQ(moved[0].agents, Agents{});
  EXPECT_EQ(moved[0].what, std::vector<std::string>{"files of the checkout changed: README"});
}

TEST_F(GroundWatchTest, WhatAnAgentWroteIsItsOwn) {
  EXPECT_TRUE(watch_->look_before({}).empty());
  write_over("README");
  const auto moved = watch_->look({1});
  ASSERT_EQ(moved.size(), 1U);
  EXPECT_EQ(moved[0].agents, Agents{1});
}

TEST_F(GroundWatchTest, EachFileIsToldWithThoseWhoRanWhenItWasWritten) {
  EXPECT_TRUE(watch_->look_before({}).empty());
  write_over("README");  // agent 1 is alone
  EXPECT_TRUE(watch_->look_before({1}).empty());
  write_over("src/main.c");  // agent 2 is here, too
  const auto moved = watch_->look({1, 2});
  ASSERT_EQ(moved.size(), 2U);
  EXPECT_EQ(moved[0].agents, Agents{1});
  EXPECT_EQ(moved[0].what, std::vector<std::string>{"files of the checkout changed: README"});
  EXPECT_EQ(moved[1].agents, (Agents{1, 2}));
  EXPECT_EQ(moved[1].what, std::vector<std::string>{"files of the checkout changed: src/main.c"});
}

TEST_F(GroundWatchTest, WhatIsSeenAtAGlanceIsToldAtOnce) {
  git(project_, {"branch", "side"});
  auto moved = watch_->look_before({3});
  ASSERT_EQ(moved.size(), 1U);
  EXPECT_EQ(moved[0].agents, Agents{3});
  write(project_ + "/new.c", "int n;\n");
  moved = watch_->look_before({3});
  ASSERT_EQ(moved.size(), 1U);
  EXPECT_EQ(moved[0].what, std::vector<std::string>{"files of the checkout changed: new.c"});
  EXPECT_TRUE(watch_->look({3}).empty());
}

TEST_F(GroundWatchTest, AMainThatMovesBeforeAMergeIsSeenBeforeIt) {
  EXPECT_TRUE(watch_->look_before({}).empty());
  git(project_, {"commit", "-q", "--allow-empty", "-m", "not Capsule's"});
  const auto moved = watch_->look_before({4});
  ASSERT_EQ(moved.size(), 1U);
  EXPECT_EQ(moved[0].main, "refs/heads/main");
}

}  // namespace
}  // namespace capsule::world
