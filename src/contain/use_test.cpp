#include "contain/use.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

namespace capsule::contain {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kMega = std::uint64_t{1} << 20;

TEST(Use, OfAProcessWhatIsItsOwnAndWhatItSharesIsRead) {
  const Memory whole = memory_in_status(
      "Name:\tx\nVmRSS:\t  900 kB\nRssAnon:\t     100 kB\nRssFile:\t 700 kB\n"
      "RssShmem:\t  30 kB\nVmSwap:\t 5 kB\n");
  EXPECT_EQ(whole.own, 105U * 1024) << "what is swapped out has to come back";
  EXPECT_EQ(whole.shared, 30U * 1024);
  const Memory part = memory_in_rollup(
      "00400000-7ff [rollup]\nRss: 900 kB\nPss: 500 kB\nPss_Anon:  50 kB\nPss_File: 400 kB\n"
      "Pss_Shmem: 10 kB\nSwap: 4 kB\nSwapPss: 2 kB\n");
  EXPECT_EQ(part.own, 52U * 1024);
  EXPECT_EQ(part.shared, 10U * 1024);
  EXPECT_EQ(memory_in_status("").own, 0U);
  EXPECT_EQ(memory_in_status("RssAnon:").own, 0U);
}

TEST(Use, TooMuchIsMoreThanTheLimitAndWhereThereIsNoneNothingIs) {
  const Limits limits{0, 100, 10};
  EXPECT_FALSE(excess_in({100, 10}, limits));
  EXPECT_EQ(excess_in({101, 10}, limits), (Excess{Excess::Of::memory, 100}));
  EXPECT_EQ(excess_in({100, 11}, limits), (Excess{Excess::Of::processes, 10}));
  EXPECT_FALSE(excess_in({1ULL << 40, 100'000}, Limits{0, 0, 0}));
}

TEST(Use, TheNearerTheLimitTheSoonerItIsLookedAtAgain) {
  const Limits limits{0, 4096 * kMega, 0};
  EXPECT_EQ(next_look({0, 1}, limits), milliseconds(500));
  EXPECT_EQ(next_look({3896 * kMega, 1}, limits), milliseconds(100));
  EXPECT_EQ(next_look({4095 * kMega, 1}, limits), milliseconds(20));
  EXPECT_EQ(next_look({5000 * kMega, 1}, limits), milliseconds(20));
  EXPECT_EQ(next_look({5000 * kMega, 1}, Limits{0, 0, 10}), milliseconds(500));
}

TEST(Use, SaysWhatWasTooMuchByTheNameOfItsKey) {
  EXPECT_EQ(sentence_of(Excess{Excess::Of::memory, 4096 * kMega}),
            "used more memory than contain.memory allows all of its processes together: 4 GB");
  EXPECT_EQ(sentence_of(Excess{Excess::Of::processes, 512}),
            "had more processes and threads at once than contain.processes allows: 512");
}

// A process below which others are, as the one between is.
class Below : public ::testing::Test {
 protected:
  // `work` in each of `count` children of `first_`; the pages of `shared_` are all of theirs.
  void start(int count, void (*work)(void*)) {
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    first_ = ::fork();
    if (first_ == 0) {
      std::memset(shared_, 1, kShared);
      for (int i = 0; i < count; ++i)
        if (::fork() == 0) {
          work(shared_);
          (void)!::write(ready[1], "x", 1);
          for (;;) ::pause();
        }
      for (;;) ::pause();
    }
    for (int i = 0; i < count; ++i) {
      char byte = 0;
      ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    }
    ::close(ready[0]), ::close(ready[1]);
  }
  void TearDown() override {
    std::vector<pid_t> all;
    if (first_ > 0) {
      ::kill(first_, SIGSTOP);
      const std::string path =
          "/proc/" + std::to_string(first_) + "/task/" + std::to_string(first_) + "/children";
      const std::string list = read_file(path).value_or("");
      for (const char* at = list.c_str(); *at != 0;) {
        char* end = nullptr;
        const long pid = std::strtol(at, &end, 10);
        if (end == at) break;
        ::kill(static_cast<pid_t>(pid), SIGKILL);
        at = *end == ' ' ? end + 1 : end;
      }
      ::kill(first_, SIGKILL);
      ::waitpid(first_, nullptr, 0);
    }
    ::munmap(shared_, kShared);
  }

  static constexpr std::size_t kShared = 32 * kMega;
  void* shared_ =
      ::mmap(nullptr, kShared, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pid_t first_ = -1;
};

TEST_F(Below, PagesThatWereForkedCountOnceAndOwnOnesForEach) {
  start(4, [](void*) {});
  // Below the sum of whole pages: parts are looked at.
  const UseWatch watch({0, kShared * 2, 0}, first_, {});
  const Use forked = watch.use_now();
  EXPECT_EQ(forked.processes, 4U) << "the process between is ours";
  EXPECT_LT(forked.memory, kShared) << "a fifth of them belongs to each, and one is not counted";
  EXPECT_GT(forked.memory, kShared / 2);
}

TEST_F(Below, WhatEachHasWrittenCountsForEach) {
  start(3, [](void* pages) { std::memset(pages, 2, kShared); });
  const UseWatch watch({0, kMega, 0}, first_, {});
  EXPECT_GT(watch.use_now().memory, 3 * kShared);
  EXPECT_LT(watch.use_now().memory, 4 * kShared);
}

TEST_F(Below, NothingIsSaidBeforeItIsTimeToLook) {
  start(1, [](void*) {});
  UseWatch watch({0, 0, 1}, first_, {});
  EXPECT_FALSE(watch.look());
  EXPECT_GT(watch.timeout_ms(), 0);
}

}  // namespace
}  // namespace capsule::contain
