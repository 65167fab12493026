// The delivery of a plan as it is shown.
#include <algorithm>

#include "plan/plan.h"
#include "ui/view/run_fold.h"
#include "workflow/delivery/delivery.h"

namespace capsule::view {
namespace {

static_assert(kStages == static_cast<int>(delivery::Stage::removed) + 1);
Stage stage_of(delivery::Stage stage) { return static_cast<Stage>(stage); }

bool is_over(delivery::Stage stage) {
  return stage == delivery::Stage::complete || stage == delivery::Stage::failed ||
         stage == delivery::Stage::removed;
}

struct DeliveryNotes {
  Seen& seen;
  const delivery::State& state;  // after the fact
  const event::Fact& fact;

  std::string id_of(int task) const {
    return task >= 0 && task < state.tasks.count() ? state.tasks[task].task.id : std::string();
  }
  std::string task_of(int agent) const {
    return agent > 0 && agent <= state.history.count() ? id_of(state.history[agent - 1].task)
                                                       : std::string();
  }
  Seen::Work* touch(const std::string& id) {
    const auto found = state.index.find(id);
    if (found == state.index.end()) return nullptr;
    Seen::Work& work = seen.tasks[id];
    work.since = fact.at;
    const bool over = is_over(state.tasks[found->second].stage);
    if (over && work.ended.empty()) work.ended = fact.at;
    if (!over) work.ended.clear();
    return &work;
  }
  // Whoever waited for this one can begin now, or never.
  void touch_dependants(const std::string& id) {
    const auto found = state.index.find(id);
    if (found == state.index.end()) return;
    for (const int other : state.tasks[found->second].unblocks)
      if (state.tasks[other].open_blockers == 0 || is_over(state.tasks[other].stage))
        touch(id_of(other));
  }

  void operator()(const event::delivery::DeliveryStarted& f) {
    seen.mark(Mark::Kind::started, fact, "", f.title);
  }
  void operator()(const event::delivery::DeliveryResumed& f) {
    seen.resumed(fact);
    for (auto& [id, work] : seen.tasks)
      if (f.retry_failed) touch(id);
  }
  void operator()(const event::delivery::PlanChanged& f) {
    for (const event::delivery::Task& task : f.added) touch(task.id);
    for (const std::string& id : f.removed) touch(id);
  }
  void operator()(const event::delivery::AgentDispatched& f) {
    Seen::Agent& agent = seen.agents[f.agent];
    agent = {};
    agent.began = fact.at;
    agent.why = event::delivery::name_of(f.why);
    if (Seen::Work* work = touch(f.task); work != nullptr && work->began.empty())
      work->began = fact.at;
  }
  void operator()(const event::delivery::AgentFinished& f) {
    Seen::Agent& agent = seen.agents[f.agent];
    agent.ended = fact.at;
    agent.snapshot = f.snapshot;
    seen.still(f.agent, false, fact.at);
    touch(task_of(f.agent));
  }
  void operator()(const event::delivery::AgentIdle& f) { seen.still(f.agent, true, fact.at); }
  void operator()(const event::delivery::MergeDone& f) {
    if (Seen::Work* work = touch(f.task)) {
      work->checks = f.runs;
      work->files = f.files;
    }
    touch_dependants(f.task);
    seen.mark(Mark::Kind::merged, fact, f.task, f.commit);
  }
  void operator()(const event::delivery::MergeRefused& f) {
    touch(f.task);
    seen.mark(Mark::Kind::refused, fact, f.task, f.detail);
  }
  void operator()(const event::delivery::MergeTried& f) {
    if (Seen::Work* work = touch(f.task)) work->checks = f.runs;
  }
  void operator()(const event::delivery::VerifyFinished& f) {
    if (f.purpose == event::delivery::VerifyPurpose::baseline) {
      seen.baseline = f.state;
      seen.baseline_checks = f.runs;
    }
    seen.mark(Mark::Kind::checked, fact, "", f.detail);
  }
  void operator()(const event::delivery::QuestionAsked& f) {
    touch(f.task);
    seen.asked(f.question, f.agent, f.task, f.text, fact);
  }
  void operator()(const event::delivery::QuestionAnswered& f) {
    const bool known = f.question > 0 && f.question <= state.questions.count();
    const std::string task = known ? id_of(state.questions[f.question - 1].task) : "";
    touch(task);
    seen.answered(f.question, task, f.text, fact);
  }
  void operator()(const event::delivery::AnswerTakenBack& f) {
    const bool known = f.question > 0 && f.question <= state.questions.count();
    if (known && !state.questions[f.question - 1].closed)
      seen.begin(Band::Kind::person, fact.at, id_of(state.questions[f.question - 1].task),
                 f.question);
  }
  void operator()(const event::delivery::FileWaitStarted& f) { touch(f.task); }
  void operator()(const event::delivery::TaskCompleted& f) {
    touch(f.task);
    touch_dependants(f.task);
    seen.mark(Mark::Kind::completed, fact, f.task, f.commit);
  }
  void operator()(const event::delivery::TaskFailed& f) {
    touch(f.task);
    touch_dependants(f.task);
    seen.mark(Mark::Kind::failed, fact, f.task, f.detail);
  }
  void operator()(const event::delivery::TaskReworked& f) {
    seen.mark(Mark::Kind::reworked, fact, f.task, std::string(event::delivery::name_of(f.kind)));
  }
  void operator()(const event::delivery::RemediationEntered& f) {
    seen.begin(Band::Kind::remediation, fact.at, "");
    touch(f.task);
  }
  void operator()(const event::delivery::RemediationLeft&) {
    seen.end(Band::Kind::remediation, fact.at);
  }
  void operator()(const event::GroundMoved& f) {
    seen.mark(Mark::Kind::ground, fact, "", f.what.empty() ? "" : f.what.front());
  }
  void operator()(const event::delivery::DeliveryPaused&) { seen.mark(Mark::Kind::paused, fact); }
  void operator()(const event::delivery::DeliveryEnded& f) {
    seen.ended = fact.at;
    for (Band& band : seen.bands)
      if (band.ended.empty()) band.ended = fact.at;
    seen.mark(Mark::Kind::ended, fact, "", std::string(event::delivery::name_of(f.outcome)));
  }
  void operator()(const auto&) {}

  // A question is also settled when its task is gone.
  void end_bands() {
    for (Band& band : seen.bands)
      if (band.kind == Band::Kind::person && band.ended.empty() && band.question > 0 &&
          band.question <= state.questions.count() && state.questions[band.question - 1].closed)
        band.ended = fact.at;
  }
};

class DeliveryFold final : public RunFold {
 public:
  explicit DeliveryFold(const engine::RunHead& its) : RunFold(its) { state_.run = its.run; }

 private:
  Result<void> take(const event::Fact& fact) override {
    const event::delivery::DeliveryFact read =
        TRY(event::delivery::read_fact(fact.kind, fact.body));
    state_.at = fact.at;
    delivery::apply(state_, read);
    DeliveryNotes notes{seen_, state_, fact};
    std::visit(notes, read);
    notes.end_bands();
    return {};
  }
  workflow::RunSummary own_summary() const override { return delivery::run_summary(state_); }
  std::optional<workflow::AgentSummary> own_agent(int number) const override {
    return delivery::agent_summary(state_, number);
  }
  bool over() const override { return state_.outcome != delivery::Outcome::none; }

  void add(Run& run, const workflow::RunSummary& summary) const override {
    run.exit_code = delivery::exit_code(state_);
    run.tolerated = state_.baseline;
    run.no_ground = state_.no_ground;
    for (int i = 0; i < state_.tasks.count(); ++i)
      add_task(run, i, summary.tasks[static_cast<std::size_t>(i)]);
    for (std::size_t i = 0; i < run.attempts.size(); ++i) {
      const auto found = state_.index.find(run.attempts[i].task);
      if (found == state_.index.end()) continue;
      Task& task = run.tasks[static_cast<std::size_t>(found->second)];
      task.attempts.push_back(static_cast<int>(i));
      task.cost_micros += run.attempts[i].use.cost_micros;
    }
    for (const Wait& wait : run.waits)
      if (const auto found = state_.index.find(wait.task); found != state_.index.end())
        run.tasks[static_cast<std::size_t>(found->second)].waits.push_back(wait);
    run.all = state_.tasks.count();
    add_plan(run);
    add_queues(run);
  }

  void add_task(Run& run, int number, const workflow::TaskSummary& known) const {
    const delivery::TaskState& state = state_.tasks[number];
    Task task;
    task.id = state.task.id;
    task.title = state.task.title;
    task.number = number;
    task.stage = stage_of(state.stage);
    task.standing = known.standing;
    task.words = known.words;
    task.commit = state.commit;
    task.detail = state.detail;
    task.evidence = state.evidence;
    for (const std::string& id : state.task.blocked_by)
      if (const auto found = state_.index.find(id); found != state_.index.end())
        task.needs.push_back(found->second);
    if (const auto found = seen_.tasks.find(task.id); found != seen_.tasks.end()) {
      task.began = found->second.began;
      task.since = found->second.since;
      task.ended = found->second.ended;
      task.checks = found->second.checks;
      task.files = found->second.files;
    }
    if (task.since.empty()) task.since = run.started;
    run.done += state.stage == delivery::Stage::complete;
    run.failed += state.stage == delivery::Stage::failed;
    run.tasks.push_back(std::move(task));
  }

  void add_plan(Run& run) const {
    plan::Plan plan;
    for (const delivery::TaskState& state : state_.tasks) {
      plan::Task task;
      task.id = state.task.id;
      task.blocked_by = state.task.blocked_by;
      plan.tasks.push_back(std::move(task));
    }
    const plan::Schedule schedule = plan::schedule_of(plan);
    run.waves = static_cast<int>(schedule.waves.size());
    for (std::size_t wave = 0; wave < schedule.waves.size(); ++wave)
      for (const std::size_t task : schedule.waves[wave])
        run.tasks[task].wave = static_cast<int>(wave) + 1;
    for (const std::size_t task : schedule.critical_path) {
      run.tasks[task].critical = true;
      run.critical_path.push_back(run.tasks[task].id);
    }
  }

  void add_queues(Run& run) const {
    if (state_.merging >= 0) run.merging = state_.tasks[state_.merging].task.id;
    if (!run.merging.empty()) run.merge_queue.push_back(run.merging);
    for (const auto& [rank, task] : state_.merges)
      if (task != state_.merging) run.merge_queue.push_back(state_.tasks[task].task.id);
    const int all[] = {state_.slots.developers, state_.slots.critics, state_.slots.auditors};
    const char* const names[] = {"developers", "critics", "auditors"};
    // Who only waits may be there beyond them.
    for (std::size_t i = 0; i < 3; ++i)
      run.slots.push_back({names[i], std::min(state_.busy[i], all[i]), all[i]});
    if (state_.remediation.step != delivery::Remediation::Step::none)
      run.remediation = state_.remediation.round;
  }

  delivery::State state_;
};

}  // namespace

std::unique_ptr<RunFold> delivery_fold(const engine::RunHead& head) {
  return std::make_unique<DeliveryFold>(head);
}

}  // namespace capsule::view
