// Following a project: how long after a fact it is on the screen, and what waiting costs.
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "benchmarks/face.h"
#include "benchmarks/folder.h"
#include "benchmarks/repository.h"
#include "benchmarks/rows.h"
#include "event/pipeline.h"
#include "follow/follower.h"
#include "store/store.h"

namespace capsule::bench {
namespace {

constexpr int kFollowedFacts = 200;

std::int64_t follow_clock_us() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

event::NewFact followed(const event::PipelineFact& fact) {
  return {std::string(event::kind_of(fact)), "2026-01-31T23:59:59.123Z", event::body_of(fact)};
}

world::Project followed_project(const Folder& folder) {
  make_repository(folder.path());
  world::ProjectWords words;
  words.folder = folder.path();
  return world::open_project(words).value();
}

std::unique_ptr<process::Loop> followed_loop() {
  process::Loop::Options options;
  options.guardian = CAPSULE_BINARY;
  return process::Loop::create(options).value();
}

// Until the terminal says nothing for a while: what it has drawn is drawn.
void until_silent(int terminal) {
  pollfd look{terminal, POLLIN, 0};
  char bytes[65536];
  while (::poll(&look, 1, 30) > 0 && ::read(terminal, bytes, sizeof bytes) > 0) continue;
}

// From when a fact is about to be appended, commit and sync included, until `capsule ui` has drawn
// it: the first bytes on its terminal. Nobody works on the run, so no clock of the screen ticks.
double fact_to_screen_ms() {
  const Folder folder;
  const world::Project project = followed_project(folder);
  const auto store = store::Store::open(project.root(), store::Access::read_write).value();
  event::RunStarted began;
  began.bead = "bead";
  const event::NewFact first = followed(began);
  std::uint64_t last = store->begin({"run", "pipeline", "bead", "now"}, {&first, 1}).value();
  Face face({"ui", "--project-dir=" + project.root()});
  pollfd look{face.terminal(), POLLIN, 0};
  (void)::poll(&look, 1, 10'000);
  ::sleep(1);  // it reads what there is, and draws
  (void)!::write(face.terminal(), "b", 1);
  std::vector<std::int64_t> delays;
  for (int i = 1; i <= kFollowedFacts; ++i) {
    until_silent(face.terminal());
    event::PhaseStarted started;
    started.phase = i % 2 == 0 ? "execute" : "test-writer";
    started.number = i;
    const event::NewFact fact = followed(started);
    const std::int64_t before = follow_clock_us();
    last = store->append("run", last, {&fact, 1}, std::nullopt).value();
    if (::poll(&look, 1, 5'000) != 1) std::abort();  // it is not on the screen
    delays.push_back(follow_clock_us() - before);
  }
  std::sort(delays.begin(), delays.end());
  return static_cast<double>(delays[delays.size() / 2]) / 1000;
}

double idle_wakes() {
  const Folder folder;
  const world::Project project = followed_project(folder);
  (void)store::Store::open(project.root(), store::Access::read_write).value();
  const auto loop = followed_loop();
  const auto follower =
      follow::Follower::start(*loop, project, [](const view::Project&) {}).value();
  loop->turn(process::Clock::now() + std::chrono::milliseconds(200));
  const std::int64_t before = follower->wakes();
  const auto end = process::Clock::now() + std::chrono::seconds(2);
  while (process::Clock::now() < end) loop->turn(end);
  return static_cast<double>(follower->wakes() - before) / 2;
}

const Rows kFollow([] {
  add_figure(
      {"follow: from a fact of another process to bytes on a terminal, commit included, median",
       "ms", 20, false, fact_to_screen_ms});
  add_figure({"follow: wake-ups a second while nothing happens", "wakes", 0, false, idle_wakes});
});

}  // namespace
}  // namespace capsule::bench
