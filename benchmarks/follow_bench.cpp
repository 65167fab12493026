// Following a project: how long after a fact its face knows, and what waiting costs.
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/files.h"
#include "benchmarks/folder.h"
#include "benchmarks/rows.h"
#include "event/pipeline.h"
#include "follow/follower.h"
#include "git/create.h"
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
  if (!write_file(folder.path() + "/a.txt", "a\n") ||
      !git::create_repository(folder.path(), "Bench", "bench@example.com") ||
      !git::commit_everything(folder.path(), "Begin"))
    std::abort();
  world::ProjectWords words;
  words.folder = folder.path();
  return world::open_project(words).value();
}

std::unique_ptr<process::Loop> followed_loop() {
  process::Loop::Options options;
  options.guardian = CAPSULE_BINARY;
  return process::Loop::create(options).value();
}

// Another process appends facts, ten milliseconds apart, each with the time at which it began to:
// commit and sync count, too.
pid_t append_elsewhere(const std::string& root) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  const auto store = store::Store::open(root, store::Access::read_write).value();
  std::uint64_t last = store->head("run").value().last_seq;
  for (int i = 1; i <= kFollowedFacts; ++i) {
    constexpr timespec kPause{0, 10'000'000};
    ::nanosleep(&kPause, nullptr);
    event::PhaseStarted started;
    started.phase = "execute";
    started.number = i;
    event::NewFact fact = followed(started);
    fact.at = std::to_string(follow_clock_us());
    last = store->append("run", last, {&fact, 1}, std::nullopt).value();
  }
  ::_exit(0);
}

double fact_to_face_ms() {
  const Folder folder;
  const world::Project project = followed_project(folder);
  {
    const auto store = store::Store::open(project.root(), store::Access::read_write).value();
    event::RunStarted started;
    started.bead = "bead";
    const event::NewFact fact = followed(started);
    (void)store->begin({"run", "pipeline", "bead", "now"}, {&fact, 1}).value();
  }
  const auto loop = followed_loop();
  std::vector<std::int64_t> delays;
  std::size_t seen = 0;
  const auto follower = follow::Follower::start(*loop, project, [&](const view::Project& shown) {
                          const std::int64_t now = follow_clock_us();
                          const auto& attempts = shown.runs.front().attempts;
                          for (; seen < attempts.size(); ++seen)
                            delays.push_back(now - std::atoll(attempts[seen].began.c_str()));
                        }).value();
  const pid_t child = append_elsewhere(project.root());
  loop->run_while([&] { return delays.size() < kFollowedFacts; });
  ::waitpid(child, nullptr, 0);
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
  add_figure({"follow: from a fact of another process to a face, commit included, median", "ms", 20,
              false, fact_to_face_ms});
  add_figure({"follow: wake-ups a second while nothing happens", "wakes", 0, false, idle_wakes});
});

}  // namespace
}  // namespace capsule::bench
