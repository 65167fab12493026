// Processes that are killed, and processes that write at the same time.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "tests/store/journal_folder.h"

namespace capsule::store {
namespace {

using test::fact;
using test::run_named;

class StoreCrash : public test::JournalFolder {
 protected:
  // Runs `work` in a child, which ends without cleaning up.
  template <class Work>
  static pid_t in_child(Work work) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      work();
      ::_exit(0);
    }
    return pid;
  }
  static int wait_for(pid_t pid) {
    int status = -1;
    EXPECT_EQ(::waitpid(pid, &status, 0), pid);
    return status;
  }
};

TEST_F(StoreCrash, AKilledWriterLosesNothingThatWasAcknowledged) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const int rounds = test::full() ? 500 : 25;
  int total = 0;
  for (int round = 0; round < rounds; ++round) {
    int pipe_ends[2];
    ASSERT_EQ(::pipe(pipe_ends), 0);
    const std::string run = "run-" + std::to_string(round);
    const pid_t writer = in_child([&] {
      auto store = Store::open(dir_, Access::read_write);
      if (!store) ::_exit(1);
      auto last = (*store)->begin(run_named(run), std::vector{fact(0)});
      for (int i = 1; last; ++i) {
        if (::write(pipe_ends[1], &i, sizeof i) != sizeof i) ::_exit(1);
        last = (*store)->append(run, *last, std::vector{fact(i, random() % 3000)}, std::nullopt);
      }
    });
    // Wait until it has got going, so that the blow lands somewhere in its work.
    int acknowledged = 0;
    const int at_least = 1 + static_cast<int>(random() % 60);
    while (acknowledged < at_least)
      ASSERT_EQ(::read(pipe_ends[0], &acknowledged, sizeof acknowledged), 4);
    ::kill(writer, SIGKILL);
    ::close(pipe_ends[1]);
    while (::read(pipe_ends[0], &acknowledged, sizeof acknowledged) == 4) {
    }
    ::close(pipe_ends[0]);
    EXPECT_TRUE(WIFSIGNALED(wait_for(writer)));
    const auto store = open();
    const auto facts = store->read(run, 0);
    ASSERT_TRUE(facts) << facts.error().message;
    ASSERT_GE(static_cast<int>(facts->size()), acknowledged);
    ASSERT_LE(static_cast<int>(facts->size()), acknowledged + 1);
    total += acknowledged;
  }
  EXPECT_GE(total, rounds);
  EXPECT_EQ(open()->runs()->size(), static_cast<std::size_t>(rounds));
  EXPECT_TRUE(open()->verify());
}

TEST_F(StoreCrash, TwoProcessesWriteAtTheSameTime) {
  { open(); }
  const int count = test::full() ? 2000 : 200;
  std::vector<pid_t> writers;
  for (const char* run : {"left", "right"})
    writers.push_back(in_child([&] {
      auto store = Store::open(dir_, Access::read_write);
      if (!store) ::_exit(1);
      auto last = (*store)->begin(run_named(run, run), std::vector{fact(0)});
      for (int i = 1; i < count && last; ++i)
        last = (*store)->append(run, *last, std::vector{fact(i)}, std::nullopt);
      ::_exit(last ? 0 : 2);
    }));
  for (const pid_t writer : writers) EXPECT_EQ(wait_for(writer), 0);
  const auto store = open();
  for (const char* run : {"left", "right"}) {
    const auto facts = store->read(run, 0);
    ASSERT_TRUE(facts) << facts.error().message;
    ASSERT_EQ(facts->size(), static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
      EXPECT_EQ((*facts)[static_cast<std::size_t>(i)].body, fact(i).body);
  }
  EXPECT_TRUE(store->verify());
}

TEST_F(StoreCrash, ManyProcessesMayMakeTheJournalAtOnce) {
  const int rounds = test::full() ? 100 : 5;
  for (int round = 0; round < rounds; ++round) {
    std::filesystem::remove_all(dir_ + "/.capsule");
    std::vector<pid_t> makers;
    for (int i = 0; i < 6; ++i)
      makers.push_back(in_child([&] {
        auto store = Store::open(dir_, Access::read_write);
        if (!store) {
          std::fprintf(stderr, "%s\n", store.error().message.c_str());
          ::_exit(1);
        }
        ::_exit((*store)->begin(run_named("run-" + std::to_string(i)), std::vector{fact(i)}) ? 0
                                                                                             : 2);
      }));
    for (const pid_t maker : makers) EXPECT_EQ(wait_for(maker), 0);
    EXPECT_EQ(open()->runs()->size(), 6U);
  }
}

TEST_F(StoreCrash, ProcessesThatComeAndGoAreNotInEachOthersWay) {
  { open(); }
  const int rounds = test::full() ? 500 : 60;
  std::vector<pid_t> pids;
  for (int i = 0; i < 4; ++i)
    pids.push_back(in_child([&] {
      const bool writes = i < 2;
      for (int round = 0; round < rounds; ++round) {
        auto store = Store::open(dir_, writes ? Access::read_write : Access::read_only);
        const std::string run = "run-" + std::to_string(i) + "-" + std::to_string(round);
        Error error{};
        if (!store) {
          error = store.error();
        } else if (writes) {
          if (auto done = (*store)->begin(run_named(run), std::vector{fact(round)}); !done)
            error = done.error();
        } else {
          auto runs = (*store)->runs();
          if (!runs) error = runs.error();
          for (std::size_t n = 0; runs && n < runs->size() && error.message.empty(); n += 7)
            if (auto read = (*store)->read((*runs)[n].run, 0); !read) error = read.error();
        }
        if (!error.message.empty()) {
          std::fprintf(stderr, "%s\n", error.message.c_str());
          ::_exit(1);
        }
      }
    }));
  for (const pid_t pid : pids) EXPECT_EQ(wait_for(pid), 0);
  EXPECT_EQ(open()->runs()->size(), static_cast<std::size_t>(rounds) * 2);
}

}  // namespace
}  // namespace capsule::store
