// The dashboard with a big plan: a key, the screen, and the bytes that show it.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/rows.h"
#include "canvas/diff.h"
#include "ui/tui/draw.h"
#include "ui/tui/press.h"
#include "ui/tui/sample.h"

namespace capsule::bench {
namespace {

constexpr int kTasks = 10'000;
constexpr int kFrames = 200;

view::Project big_project() {
  view::Project project = tui::testing::project();
  view::Run& run = project.runs[1];
  const view::Task sample = run.tasks[1];
  while (run.tasks.size() < kTasks) {
    view::Task task = sample;
    task.number = static_cast<int>(run.tasks.size());
    task.id = "C-" + std::to_string(task.number + 1);
    task.wave = 1 + task.number / 100;
    run.tasks.push_back(std::move(task));
  }
  run.all = kTasks;
  return project;
}

// The median of frames while somebody scrolls, in milliseconds. `keys` lead to the screen.
double milliseconds_a_frame(std::string_view keys) {
  tui::testing::Sample sample;
  sample.view = big_project();
  tui::Focus focus;
  for (const char key : keys)
    focus = tui::press(std::move(focus), {canvas::Key::Kind::text, std::string(1, key)},
                       sample.shown, 200, 60)
                .focus;
  canvas::Canvas before;
  std::vector<double> times;
  for (int i = 0; i < kFrames; ++i) {
    const auto began = std::chrono::steady_clock::now();
    focus =
        tui::press(std::move(focus), {canvas::Key::Kind::page_down}, sample.shown, 200, 60).focus;
    canvas::Canvas after = tui::draw(focus, sample.shown, 200, 60, {});
    benchmark::DoNotOptimize(canvas::bytes_between(before, after));
    before = std::move(after);
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began)
            .count());
  }
  std::nth_element(times.begin(), times.begin() + kFrames / 2, times.end());
  return times[kFrames / 2];
}

const Rows kDashboard([] {
  add_figure({"dashboard: a key, the board of 10,000 tasks at 200×60, and its bytes", "ms", 4,
              false, [] { return milliseconds_a_frame("b"); }});
  add_figure({"dashboard: a key, the timeline of 10,000 tasks at 200×60, and its bytes", "ms", 4,
              false, [] { return milliseconds_a_frame("bgt"); }});
  add_figure({"dashboard: a key, the plan of 10,000 tasks at 200×60, and its bytes", "ms", 4, false,
              [] { return milliseconds_a_frame("bgp"); }});
});

}  // namespace
}  // namespace capsule::bench
