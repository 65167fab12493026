// What deciding costs in a delivery, without a journal and without agents: every agent answers at
// once, every merge succeeds, and each fact is brought into its wire form, as the runner does. The
// limits are a third of what a coordinator with its journal may cost. One file for all is the plan
// that files make hardest.
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "benchmarks/good_world.h"
#include "benchmarks/rows.h"
#include "workflow/delivery/delivery.h"

namespace capsule::bench {
namespace {

using namespace delivery;

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

enum class Shape { wide, one_file };

DeliveryStarted plan(int count, Shape shape) {
  DeliveryStarted start;
  for (int i = 0; i < count; ++i) {
    Task task;
    task.id = "T" + std::to_string(i);
    task.title = "Task number " + std::to_string(i);
    task.work = "Some work that is described in a sentence or two.";
    task.criteria = {"the first criterion", "the second criterion"};
    task.predicted = {shape == Shape::one_file ? "same.c" : "src/file" + std::to_string(i) + ".c"};
    if (shape == Shape::wide)
      for (const int before : {i / 2, i / 3})
        if (before < i) task.blocked_by.push_back("T" + std::to_string(before));
    start.tasks.push_back(std::move(task));
  }
  return start;
}

// Microseconds of the processor for one task.
double cost_of_task(int count, Shape shape) {
  const DeliveryStarted start = plan(count, shape);
  const double begin = processor_seconds();
  State state;
  state.run = "run";
  GoodWorld world;
  std::size_t bytes = 0;
  const auto take = [&](const Turn& turn) {
    for (const DeliveryFact& fact : turn.facts) bytes += body_of(fact).size();
    for (const workflow::Command& command : turn.commands) world.carry_out(command);
  };
  take(advance(state, {start}, {}));
  while (state.outcome == Outcome::none) take(advance(state, {}, world.wait().value()));
  if (state.outcome != Outcome::complete || bytes == 0) std::abort();
  return (processor_seconds() - begin) * 1e6 / count;
}

double best_of(int count, Shape shape) {
  double best = 1e9;
  for (int turn = 0; turn < 5; ++turn) best = std::min(best, cost_of_task(count, shape));
  return best;
}

const Rows kRows([] {
  add_figure({"delivery: deciding, a task of 10,000", "µs", 100, false,
              [] { return best_of(10'000, Shape::wide); }});
  add_figure({"delivery: deciding, a task of 10,000 on one file", "µs", 100, false,
              [] { return best_of(10'000, Shape::one_file); }});
});

}  // namespace
}  // namespace capsule::bench
