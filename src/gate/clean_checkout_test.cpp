#include "gate/clean_checkout.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "git/test_support.h"

namespace capsule::gate {
namespace {

namespace fs = std::filesystem;

class CleanCheckoutTest : public git::GitTest {
 protected:
  std::string tmp() const { return project_ + "/.capsule/tmp"; }
  // Made by a process that is killed afterwards.
  void leave_one_behind() {
    const git::Repository repository = open();
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      const auto made = CleanCheckout::make(repository, repository.head);
      (void)!::write(ready[1], made ? "y" : "n", 1);
      for (;;) ::pause();
    }
    char answer = 0;
    ASSERT_EQ(::read(ready[0], &answer, 1), 1);
    ASSERT_EQ(answer, 'y');
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    ::close(ready[0]);
    ::close(ready[1]);
  }
};

TEST_F(CleanCheckoutTest, HoldsTheFilesOfTheCommitAndGoesWithItsValue) {
  const git::Repository repository = open();
  std::string path;
  {
    const CleanCheckout checkout = MUST(CleanCheckout::make(repository, repository.head));
    path = checkout.path();
    EXPECT_EQ(read(path + "/README"), "hello\n");
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(fs::is_empty(tmp()));
}

TEST_F(CleanCheckoutTest, WhatCannotBeMadeLeavesNothing) {
  EXPECT_FALSE(CleanCheckout::make(open(), std::string(40, '0')));
  EXPECT_TRUE(fs::is_empty(tmp()));
}

TEST_F(CleanCheckoutTest, ASweepRemovesWhatAKilledMakerLeftAndNothingOfALivingOne) {
  leave_one_behind();
  EXPECT_EQ(std::distance(fs::directory_iterator(tmp()), {}), 2);  // folder and lock
  const git::Repository repository = open();
  const CleanCheckout living = MUST(CleanCheckout::make(repository, repository.head));
  git::sweep_temporary_folders(repository);
  EXPECT_EQ(std::distance(fs::directory_iterator(tmp()), {}), 2);
  EXPECT_EQ(read(living.path() + "/README"), "hello\n");
}

TEST_F(CleanCheckoutTest, AFolderOfAnOlderVersionGoesWhenItIsOld) {
  write(tmp() + "/0123456789ab/x", "x");
  write(tmp() + "/ba9876543210/x", "x");
  fs::last_write_time(tmp() + "/0123456789ab",
                      fs::file_time_type::clock::now() - std::chrono::hours(48));
  git::sweep_temporary_folders(open());
  EXPECT_FALSE(fs::exists(tmp() + "/0123456789ab"));
  EXPECT_TRUE(fs::exists(tmp() + "/ba9876543210"));
}

TEST_F(CleanCheckoutTest, ASweepTouchesNothingElseAndFollowsNoLink) {
  write(tmp() + "/warm/x", "x");
  write(root_ + "/other/0123456789ab/x", "x");
  write(root_ + "/other/0123456789ab.lock", "");
  git::sweep_temporary_folders(open());
  EXPECT_TRUE(fs::exists(tmp() + "/warm/x"));
  fs::remove_all(tmp());
  fs::create_directory_symlink(root_ + "/other", tmp());
  git::sweep_temporary_folders(open());
  EXPECT_TRUE(fs::exists(root_ + "/other/0123456789ab/x"));
}

}  // namespace
}  // namespace capsule::gate
