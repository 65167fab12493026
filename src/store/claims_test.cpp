#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

#include "store/identity.h"
#include "store/subject_lock.h"
#include "tests/store/journal_folder.h"

namespace capsule::store {
namespace {

namespace fs = std::filesystem;

class StoreClaims : public test::JournalFolder {
 protected:
  // What a holder leaves behind: nothing, or a child that keeps the lock.
  enum class Leaves { nothing, until_tried_twice, until_the_test_ends };

  void SetUp() override { ASSERT_EQ(::pipe2(test_, O_CLOEXEC), 0); }
  void TearDown() override {
    for (const int fd : test_) ::close(fd);
  }

  // A child that takes the claim, says so (or what it leaves does), and waits to be killed.
  pid_t holder_process(Leaves leaves = Leaves::nothing) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    const pid_t pid = ::fork();
    if (pid == 0) {
      auto store = Store::open(dir_, Access::read_write);
      if (!store) ::_exit(1);
      const auto claim = (*store)->claim("demo-1", "theirs", "then");
      if (!claim) ::_exit(2);
      if (leaves == Leaves::nothing && ::write(ends[1], "x", 1) != 1) ::_exit(3);
      if (leaves != Leaves::nothing && ::fork() == 0) keep_lock(leaves, ends[1]);
      ::close(ends[1]);
      for (;;) ::pause();
    }
    ::close(ends[1]);
    char byte = 0;
    EXPECT_EQ(::read(ends[0], &byte, 1), 1);
    ::close(ends[0]);
    return pid;
  }
  [[noreturn]] void keep_lock(Leaves leaves, int ready) const {
    const int opened = ::inotify_init();
    const std::string file = dir_ + "/.capsule/locks/demo-1.lock";
    if (::inotify_add_watch(opened, file.c_str(), IN_OPEN) < 0) ::_exit(1);
    if (::write(ready, "x", 1) != 1) ::_exit(2);
    ::close(ready);
    ::close(test_[1]);
    char bytes[sizeof(inotify_event) + NAME_MAX + 1];
    if (leaves == Leaves::until_the_test_ends) ::_exit(::read(test_[0], bytes, 1) == 0 ? 0 : 3);
    for (int tries = 0; tries < 2; ++tries)
      if (::read(opened, bytes, sizeof bytes) <= 0) ::_exit(4);
    ::_exit(0);
  }
  static void end(pid_t pid) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
  // Writes a row as another process would have left it.
  void plant(const engine::ProcessIdentity& process) {
    { open(); }
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(file().c_str(), &database), SQLITE_OK);
    const std::string sql = "INSERT OR REPLACE INTO claims VALUES('demo-1', 'theirs', " +
                            std::to_string(process.pid) + ", " +
                            std::to_string(process.start_time) + ", '" + process.boot_id + "', '" +
                            process.machine + "', '" + process.host + "', 'then')";
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
  }

  int test_[2] = {-1, -1};  // a pipe on which nothing is written; it ends with the test
};

TEST_F(StoreClaims, ASubjectIsHeldOnceAndFreeAgainAfterwards) {
  const auto store = open();
  {
    const auto claim = store->claim("demo-1", "mine", "now");
    ASSERT_TRUE(claim);
    EXPECT_FALSE(open()->claim("demo-1", "other", "now"));
    EXPECT_TRUE(open()->claim("demo-2", "other", "now"));
    const auto holder = store->holder("demo-1");
    ASSERT_TRUE(holder && *holder);
    EXPECT_EQ((*holder)->run, "mine");
    EXPECT_EQ((*holder)->process, this_process());
  }
  EXPECT_EQ(*store->holder("demo-1"), std::nullopt);
  EXPECT_TRUE(store->claim("demo-1", "next", "now"));
  EXPECT_TRUE(fs::is_empty(dir_ + "/.capsule/locks"));
}

TEST_F(StoreClaims, ALivingHolderIsNamedWithPidAndHost) {
  const pid_t pid = holder_process();
  const auto store = open();
  const auto refused = store->claim("demo-1", "mine", "now");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, Reason::blocked);
  EXPECT_NE(
      refused.error().message.find("process " + std::to_string(pid) + " on " + this_process().host),
      std::string::npos)
      << refused.error().message;
  EXPECT_EQ(store->holder("demo-1").value()->process.pid, pid);
  end(pid);
}

TEST_F(StoreClaims, AKilledHolderFreesTheSubjectAtOnce) {
  const pid_t pid = holder_process();
  end(pid);
  const auto store = open(Access::read_write, {.take_over_milliseconds = 0});
  EXPECT_EQ(*store->holder("demo-1"), std::nullopt);
  EXPECT_TRUE(store->claim("demo-1", "mine", "now"));
}

TEST_F(StoreClaims, AZombieHoldsNothing) {
  const pid_t pid = holder_process();
  ::kill(pid, SIGKILL);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(open()->claim("demo-1", "mine", "now"));
  ::waitpid(pid, nullptr, 0);
}

TEST_F(StoreClaims, WhatADeadHolderLeftRunningIsWaitedFor) {
  const pid_t pid = holder_process(Leaves::until_tried_twice);
  end(pid);
  const auto store = open(Access::read_write, {.take_over_milliseconds = 60'000});
  EXPECT_TRUE(store->claim("demo-1", "mine", "now"));
}

// It still tells people, and gives back what it had: whoever goes on in that moment is not refused.
TEST_F(StoreClaims, AHolderWhoseRunHasEndedIsWaitedFor) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    auto store = Store::open(dir_, Access::read_write);
    const auto claim = (*store)->claim("demo-1", "theirs", "then");
    const auto last =
        (*store)->begin({"theirs", "pipeline", "demo-1", "then"}, std::vector{test::fact(1)});
    if (!claim || !last) ::_exit(1);
    if (!(*store)->append("theirs", *last, std::vector{test::fact(2)},
                          engine::Ending{"now", "complete"}))
      ::_exit(2);
    keep_lock(Leaves::until_tried_twice, ends[1]);
  }
  ::close(ends[1]);
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 1);
  ::close(ends[0]);
  const auto store = open(Access::read_write, {.take_over_milliseconds = 60'000});
  EXPECT_TRUE(store->claim("demo-1", "mine", "now"));
  end(pid);
}

TEST_F(StoreClaims, WhatADeadHolderLeftRunningForeverIsToldAfterAWhile) {
  const pid_t pid = holder_process(Leaves::until_the_test_ends);
  end(pid);
  const auto store = open(Access::read_write, {.take_over_milliseconds = 100});
  const auto refused = store->claim("demo-1", "mine", "now");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, Reason::blocked);
}

TEST_F(StoreClaims, APidThatWasGivenToAnotherProcessIsNoHolder) {
  engine::ProcessIdentity process = this_process();
  process.pid = 1;  // lives, but began at another time
  process.start_time += 12345;
  plant(process);
  EXPECT_TRUE(open()->claim("demo-1", "mine", "now"));
}

TEST_F(StoreClaims, AClaimOfBeforeTheRestartIsDead) {
  engine::ProcessIdentity process = this_process();
  process.boot_id = "another";
  plant(process);
  EXPECT_TRUE(open()->claim("demo-1", "mine", "now"));
}

TEST_F(StoreClaims, ALivingProcessKeepsItsClaimEvenWithoutTheLockFile) {
  const pid_t pid = holder_process();
  fs::remove_all(dir_ + "/.capsule/locks");
  EXPECT_FALSE(open()->claim("demo-1", "mine", "now"));
  end(pid);
  EXPECT_TRUE(open()->claim("demo-1", "mine", "now"));
}

TEST_F(StoreClaims, AHolderOnAnotherMachineIsBelieved) {
  engine::ProcessIdentity process = this_process();
  process.host = "elsewhere";
  process.machine = "its number";
  process.boot_id = "another";
  plant(process);
  const auto refused = open()->claim("demo-1", "mine", "now");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("elsewhere"), std::string::npos);
}

TEST_F(StoreClaims, AMachineThatGotAnotherNameIsStillTheSame) {
  engine::ProcessIdentity process = this_process();
  process.boot_id = "another";
  process.host = "its old name";
  EXPECT_EQ(life_of(process), process.machine.empty() ? Life::unknown : Life::dead);
}

TEST_F(StoreClaims, AContainerOfThisMachineThatGaveUpTheLockIsDead) {
  engine::ProcessIdentity process = this_process();
  process.host = "container";  // the same boot id
  plant(process);
  EXPECT_TRUE(open()->claim("demo-1", "mine", "now"));
}

TEST_F(StoreClaims, OfManyAtOnceExactlyOneGetsIt) {
  { open(); }
  const int rounds = test::full() ? 100 : 10;
  for (int round = 0; round < rounds; ++round) {
    int start[2], told[2], done[2];
    for (int* ends : {start, told, done}) ASSERT_EQ(::pipe(ends), 0);
    std::vector<pid_t> pids;
    for (int i = 0; i < 4; ++i) {
      const pid_t pid = ::fork();
      if (pid == 0) {
        ::close(start[1]);
        ::close(done[1]);
        auto store = Store::open(dir_, Access::read_write);
        char byte = 0;
        (void)!::read(start[0], &byte, 1);
        const auto claim = (*store)->claim("demo-1", "run-" + std::to_string(i), "now");
        byte = claim ? 'w' : claim.error().reason == Reason::blocked ? 'b' : 'e';
        if (::write(told[1], &byte, 1) != 1) ::_exit(1);
        (void)!::read(done[0], &byte, 1);  // whoever won keeps it until all have tried
        ::_exit(0);
      }
      pids.push_back(pid);
    }
    for (const int fd : {start[0], told[1], done[0], start[1]}) ::close(fd);  // the last says: go
    std::string answers(pids.size(), '-');
    for (char& answer : answers) EXPECT_EQ(::read(told[0], &answer, 1), 1);
    for (const int fd : {told[0], done[1]}) ::close(fd);
    for (const pid_t pid : pids) ::waitpid(pid, nullptr, 0);
    std::sort(answers.begin(), answers.end());
    ASSERT_EQ(answers, "bbbw");
  }
}

TEST_F(StoreClaims, ASubjectMayBeAnyText) {
  const auto store = open();
  for (const char* subject : {"plans/../../x.md", "", "a b", "-rf", "ä/ö", "x\ny"}) {
    const auto claim = store->claim(subject, "mine", "now");
    EXPECT_TRUE(claim) << subject;
    EXPECT_FALSE(store->claim(subject, "mine", "now")) << subject;
  }
  EXPECT_FALSE(fs::exists(dir_ + "/x.md.lock"));
}

TEST_F(StoreClaims, APlantedLinkIsNoLockFile) {
  fs::create_directories(dir_ + "/.capsule/locks");
  fs::create_symlink(dir_ + "/victim", dir_ + "/.capsule/locks/demo-1.lock");
  EXPECT_FALSE(open()->claim("demo-1", "mine", "now"));
  EXPECT_FALSE(fs::exists(dir_ + "/victim"));
}

}  // namespace
}  // namespace capsule::store
