#include "world/delivery_record.h"

#include <algorithm>
#include <set>

#include "engine/run.h"
#include "event/supply.h"

namespace capsule::world {
namespace {

using event::delivery::DeliveryFact;
using event::delivery::Task;

// The tasks as the plan had them when it was last read, whatever became of them.
std::vector<Task> tasks_before(const std::vector<DeliveryFact>& facts) {
  std::vector<Task> tasks;
  for (const DeliveryFact& fact : facts) {
    if (const auto* started = std::get_if<event::delivery::DeliveryStarted>(&fact))
      tasks = started->tasks;
    if (const auto* changed = std::get_if<event::delivery::PlanChanged>(&fact)) {
      std::erase_if(tasks, [&](const Task& task) {
        return std::find(changed->removed.begin(), changed->removed.end(), task.id) !=
               changed->removed.end();
      });
      for (const Task& task : changed->changed)
        for (Task& old : tasks)
          if (old.id == task.id) old = task;
      tasks.insert(tasks.end(), changed->added.begin(), changed->added.end());
    }
  }
  return tasks;
}

Result<DeliveryRecord> read_record(engine::Records& store, const std::string& run) {
  DeliveryRecord record{run, {}, {}};
  record.state.run = run;
  for (const event::Fact& fact : TRY(store.read(run, 0))) {
    if (event::supply::is_supply(fact.kind)) continue;
    record.facts.push_back(TRY(event::delivery::read_fact(fact.kind, fact.body)));
    delivery::apply(record.state, record.facts.back());
  }
  return record;
}

// Tasks of the plan that the run has at this stage.
std::vector<const delivery::TaskState*> at_stage(const delivery::State& state,
                                                 const std::vector<Task>& tasks,
                                                 delivery::Stage stage) {
  std::vector<const delivery::TaskState*> found;
  for (const Task& task : tasks)
    if (const auto place = state.index.find(task.id);
        place != state.index.end() && state.tasks[place->second].stage == stage)
      found.push_back(&state.tasks[place->second]);
  return found;
}

}  // namespace

Result<EarlierDeliveries> earlier_deliveries(engine::Records& store, const PlanSource& source,
                                             const std::vector<Task>& tasks) {
  EarlierDeliveries earlier;
  for (const engine::RunHead& head : TRY(store.runs_of(source.subject))) {
    if (head.workflow != engine::kDelivery) continue;
    const auto done_in = [&](const delivery::State& state) {
      for (const std::string& id : delivery::summary_of(state).completed)
        earlier.completed.push_back(id);
    };
    if (earlier.unfinished) done_in(earlier.unfinished->state);
    earlier.unfinished.reset();
    earlier.retry = false;
    DeliveryRecord record = TRY(read_record(store, head.run));
    // Beads that are open although their work is on main: never closed, and then the delivery is
    // not over before that is done; or opened again by a person, and then they are new work.
    bool left_open = false;
    std::vector<std::string> reopened;
    if (!source.bead.empty())
      for (const auto* task : at_stage(record.state, tasks, delivery::Stage::complete)) {
        if (task->closed)
          reopened.push_back(task->task.id);
        else
          left_open = true;
      }
    const auto forget_reopened = [&] {
      std::erase_if(earlier.completed, [&](const std::string& id) {
        return std::find(reopened.begin(), reopened.end(), id) != reopened.end();
      });
    };
    forget_reopened();
    const event::delivery::Outcome outcome = record.state.outcome;
    if (outcome == event::delivery::Outcome::none || outcome == event::delivery::Outcome::halted ||
        left_open || !delivery::unclosed(record.state).empty()) {
      earlier.unfinished = std::move(record);
      continue;
    }
    if (reopened.empty() && !at_stage(record.state, tasks, delivery::Stage::failed).empty()) {
      earlier.retry = true;
      earlier.unfinished = std::move(record);
      continue;
    }
    done_in(record.state);
    forget_reopened();
    earlier.ended = std::move(record);
  }
  return earlier;
}

void leave_out(std::vector<Task>& tasks, const std::vector<std::string>& completed) {
  const std::set<std::string> done(completed.begin(), completed.end());
  std::erase_if(tasks, [&](const Task& task) { return done.contains(task.id); });
  for (Task& task : tasks)
    std::erase_if(task.blocked_by, [&](const std::string& id) { return done.contains(id); });
}

std::vector<DeliveryFact> facts_to_go_on(const DeliveryRecord& record,
                                         const std::vector<Task>& tasks,
                                         const event::delivery::DeliveryResumed& resumed) {
  plan::Changes changes = plan::compare(tasks_before(record.facts), tasks);
  // Beads that are complete were closed by us: they are not removed from the plan.
  const std::vector<std::string> done = delivery::summary_of(record.state).completed;
  if (resumed.tracked)
    std::erase_if(changes.removed, [&](const std::string& id) {
      return std::find(done.begin(), done.end(), id) != done.end();
    });
  std::vector<DeliveryFact> facts{resumed};
  if (changes.any())
    facts.emplace_back(
        event::delivery::PlanChanged{changes.added, changes.changed, changes.removed});
  return facts;
}

}  // namespace capsule::world
