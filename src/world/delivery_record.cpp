#include "world/delivery_record.h"

#include <algorithm>
#include <set>

#include "engine/run.h"

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

Result<DeliveryRecord> read_record(store::Store& store, const std::string& run) {
  DeliveryRecord record{run, {}, {}};
  record.state.run = run;
  for (const event::Fact& fact : TRY(store.read(run, 0))) {
    record.facts.push_back(TRY(event::delivery::read_fact(fact.kind, fact.body)));
    delivery::apply(record.state, record.facts.back());
  }
  return record;
}

// Work that is on main although its bead is open: the delivery is not over before that is closed.
bool left_open(const delivery::State& state, const std::vector<Task>& open_beads) {
  const std::vector<std::string> completed = delivery::summary_of(state).completed;
  return std::any_of(open_beads.begin(), open_beads.end(), [&](const Task& task) {
    return std::find(completed.begin(), completed.end(), task.id) != completed.end();
  });
}

}  // namespace

Result<EarlierDeliveries> earlier_deliveries(store::Store& store, const PlanSource& source,
                                             const std::vector<Task>& tasks) {
  EarlierDeliveries earlier;
  for (const engine::RunHead& head : TRY(store.runs_of(source.subject))) {
    if (head.workflow != engine::kDelivery) continue;
    DeliveryRecord record = TRY(read_record(store, head.run));
    earlier.unfinished.reset();
    const event::delivery::Outcome outcome = record.state.outcome;
    const bool beads_open = !source.bead.empty() && left_open(record.state, tasks);
    if (outcome == event::delivery::Outcome::none || outcome == event::delivery::Outcome::halted ||
        beads_open || !delivery::unclosed(record.state).empty()) {
      earlier.unfinished = std::move(record);
      continue;
    }
    for (const std::string& id : delivery::summary_of(record.state).completed)
      earlier.completed.push_back(id);
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
