#include "world/run_watch.h"

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <filesystem>

#include "base/clock.h"

namespace capsule::world {
namespace {

namespace fs = std::filesystem;

class RunWatchTest : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(dir_); }
  void TearDown() override { fs::remove_all(dir_); }
  bool heard() const {
    char bytes[4096];
    return ::read(inotify_.fd(), bytes, sizeof bytes) > 0;
  }
  const std::string dir_ = ::testing::TempDir() + "capsule-watch-" + random_hex(6);
  const File inotify_{::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
};

TEST_F(RunWatchTest, OfAFolderThatIsNotThereTheWayToItIsWatched) {
  const std::string folder = dir_ + "/logs/run";
  EXPECT_FALSE(watch_on_the_way(inotify_.fd(), folder, IN_CREATE, dir_));
  EXPECT_FALSE(heard());
  fs::create_directory(dir_ + "/logs");
  EXPECT_TRUE(heard());
  EXPECT_FALSE(watch_on_the_way(inotify_.fd(), folder, IN_CREATE, dir_));
  fs::create_directory(folder);
  EXPECT_TRUE(heard());
  EXPECT_TRUE(watch_on_the_way(inotify_.fd(), folder, IN_CREATE, dir_));
  fs::create_directory(folder + "/file");
  EXPECT_TRUE(heard());
}

TEST_F(RunWatchTest, NothingAboveTheTopIsWatched) {
  EXPECT_FALSE(watch_on_the_way(inotify_.fd(), dir_ + "/a/b/c", IN_CREATE, dir_ + "/a"));
  fs::create_directory(dir_ + "/a");
  EXPECT_FALSE(heard());
}

TEST_F(RunWatchTest, WhoHasHadEnoughDoesNotSleep) {
  fs::create_directory(dir_ + "/.capsule");
  RunWatch watch(dir_);
  watch.wait([] { return true; });
  fs::create_directory(dir_ + "/.capsule/journal.db");
  watch.wait();  // it was written while nobody waited
}

}  // namespace
}  // namespace capsule::world
