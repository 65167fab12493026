#include "follow/folder_watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "base/files.h"

namespace capsule::follow {
namespace {

namespace fs = std::filesystem;
using Change = FolderWatch::Change;

class FolderWatchTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/capsule-folder-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    root_ = name;
    inotify_ = File(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    ASSERT_TRUE(inotify_);
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string folder() const { return root_ + "/.beads"; }
  void make() const { fs::create_directory(folder()); }
  void write(const char* name) const { std::ofstream(folder() + "/" + name) << "x"; }
  // All that was heard since; what is not about the folder is left out.
  std::vector<Change> heard(const FolderWatch& watch) const {
    std::vector<Change> all;
    read_events(inotify_.fd(), [&](const inotify_event& event) {
      if (const Change one = watch.change_of(event); one != Change::nothing) all.push_back(one);
    });
    return all;
  }

  std::string root_;
  File inotify_;
};

TEST_F(FolderWatchTest, HearsThatItComesWhatIsInItAndThatItGoes) {
  FolderWatch watch(folder(), IN_CREATE);
  ASSERT_TRUE(watch.renew(inotify_.fd()));
  fs::create_directory(root_ + "/another");
  EXPECT_EQ(heard(watch), std::vector<Change>{});
  make();
  EXPECT_EQ(heard(watch), std::vector<Change>{Change::other});
  ASSERT_TRUE(watch.renew(inotify_.fd()));
  (void)heard(watch);
  write("a");
  EXPECT_EQ(heard(watch), std::vector<Change>{Change::inside});
  fs::create_directory(root_ + "/a third");
  EXPECT_EQ(heard(watch), std::vector<Change>{}) << "what it is in is no longer watched";
  fs::remove_all(folder());
  const std::vector<Change> gone = heard(watch);
  ASSERT_FALSE(gone.empty());
  EXPECT_EQ(gone.back(), Change::other);
  ASSERT_TRUE(watch.renew(inotify_.fd()));
  make();
  EXPECT_EQ(heard(watch), std::vector<Change>{Change::other}) << "and comes again";
}

TEST_F(FolderWatchTest, HearsWhatIsInAFolderThatCameBetweenTwoWatches) {
  FolderWatch watch(folder(), IN_CREATE, [this] { make(); });
  ASSERT_TRUE(watch.renew(inotify_.fd()));
  (void)heard(watch);
  write("a");
  EXPECT_EQ(heard(watch), std::vector<Change>{Change::inside});
}

TEST_F(FolderWatchTest, SaysWhenNothingWillBeHeard) {
  FolderWatch watch(root_ + "/none/.beads", IN_CREATE);
  EXPECT_FALSE(watch.renew(inotify_.fd()));
}

}  // namespace
}  // namespace capsule::follow
