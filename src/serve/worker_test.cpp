#include "serve/worker.h"

#include <gtest/gtest.h>

#include <atomic>

namespace capsule::serve {
namespace {

using namespace std::chrono_literals;

std::unique_ptr<process::Loop> make_loop() {
  auto loop = process::Loop::create({CAPSULE_BINARY, 6s});
  EXPECT_TRUE(loop);
  return std::move(*loop);
}

TEST(Worker, HandsResultsBackInTheirOrderOnTheLoopsThread) {
  const auto loop = make_loop();
  const auto worker = Worker::create(*loop);
  ASSERT_TRUE(worker);
  std::vector<int> done;
  const auto here = std::this_thread::get_id();
  for (int i = 0; i < 50; ++i)
    ASSERT_TRUE((*worker)->add([&, i] {
      EXPECT_NE(std::this_thread::get_id(), here);
      return [&, i] {
        EXPECT_EQ(std::this_thread::get_id(), here);
        done.push_back(i);
      };
    }));
  loop->run_while([&] { return done.size() < 50; });
  for (int i = 0; i < 50; ++i) EXPECT_EQ(done[static_cast<std::size_t>(i)], i);
}

TEST(Worker, TakesNoMoreThanItSays) {
  const auto loop = make_loop();
  std::atomic<bool> go = false;
  std::size_t done = 0;
  const auto worker = Worker::create(*loop);
  ASSERT_TRUE(worker);
  const auto wait = [&] {
    while (!go) std::this_thread::yield();
    return [&] { ++done; };
  };
  std::size_t added = 0;
  while (added < 1000 && (*worker)->add(wait)) ++added;
  EXPECT_GE(added, Worker::kMostWaiting);
  EXPECT_LE(added, Worker::kMostWaiting + 1);
  go = true;
  loop->run_while([&] { return done < added; });
}

TEST(Worker, EndsWithoutCallingAnybody) {
  const auto loop = make_loop();
  {
    auto worker = Worker::create(*loop);
    ASSERT_TRUE(worker);
    for (int i = 0; i < 10; ++i)
      (*worker)->add([] { return [] { ADD_FAILURE() << "called after its end"; }; });
  }
  loop->turn(process::Clock::now());
}

}  // namespace
}  // namespace capsule::serve
