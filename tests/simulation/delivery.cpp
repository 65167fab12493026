#include "tests/simulation/delivery.h"

#include <algorithm>
#include <iterator>
#include <memory>

#include "plan/plan.h"
#include "tests/simulation/delivery_audit.h"
#include "tests/simulation/delivery_planted.h"
#include "workflow/delivery/parts.h"
#include "workflow/delivery/workflow.h"

namespace capsule::simulation {
namespace {

using namespace delivery;
using workflow::Observation;

constexpr Signal kLineSignals[] = {
    Signal::ready_for_review,     Signal::task_incomplete, Signal::infra_blocked,
    Signal::review_passed,        Signal::review_failed,   Signal::audit_passed,
    Signal::audit_failed,         Signal::audit_blocked,   Signal::expanded_spec,
    Signal::remediation_complete, Signal::health_healthy,  Signal::health_unhealthy,
    Signal::divine_clarification, Signal::expert_request,  Signal::expert_advice,
    Signal::expert_unsuccessful,  Signal::expert_created,  Signal::file_conflict,
    Signal::checkpoint,           Signal::unknown,
};

// What leads a task away from its straight way.
constexpr Signal kDetours[] = {Signal::file_conflict, Signal::expert_request, Signal::infra_blocked,
                               Signal::task_incomplete, Signal::divine_clarification};

Signal good_signal(Role role) {
  switch (role) {
    case Role::developer:
      return Signal::ready_for_review;
    case Role::critic:
      return Signal::review_passed;
    case Role::auditor:
      return Signal::audit_passed;
    case Role::business_analyst:
      return Signal::expanded_spec;
    case Role::remediation:
      return Signal::remediation_complete;
    case Role::health_auditor:
      return Signal::health_healthy;
    case Role::expert:
      return Signal::expert_advice;
    case Role::plan_analyst:
      return Signal::expert_created;
  }
  return Signal::unknown;
}

Role role_named(std::string_view name) {
  for (std::size_t i = 0; i < signal::kRoleCount; ++i)
    if (signal::name_of(static_cast<Role>(i)) == name) return static_cast<Role>(i);
  return Role::developer;
}

using Rules = Tap<DeliveryPlanted>;

class DeliveryRun : public Simulation {
 public:
  DeliveryRun(std::uint64_t seed, const Weather& weather, WorldBug bug)
      : Simulation(seed, weather, bug) {
    DeliveryPlanted::random = &random();
    Rules::begin(seed % kByWire == 0);
    scripted() ? make_simple() : make();
    set_bound();
  }
  DeliveryFinding result(bool all) {
    DeliveryFinding result;
    static_cast<Finding&>(result) = run(all);
    const State& s = workflow_->state();
    result.tasks = s.tasks.count();
    result.rounds = s.remediation.round;
    result.delegations = s.delegations.count();
    result.file_waits = file_waits_;
    return result;
  }

 private:
  Task make_task(int number) {
    Task task;
    task.id = "T" + std::to_string(number);
    task.title = "t";
    task.unclear = random().chance(10);
    for (int tries = random().below(4); tries > 0 && number > 0; --tries)
      task.blocked_by.push_back("T" + std::to_string(random().below(number)));
    for (int i = random().below(4); i > 0; --i)
      task.predicted.push_back("f" + std::to_string(random().below(files_)));
    return task;
  }
  void make() {
    pass_ = 10 + random().below(90);
    favourite_ = random().chance(50) ? random().one_of(kDetours) : random().one_of(kLineSignals);
    files_ = 1 + random().below(12);
    const int count = random().below(400) == 0 ? 60 + random().below(100)
                      : random().chance(10)    ? 8 + random().below(13)
                                               : 1 + random().below(6);
    for (int i = 0; i < count; ++i) start_.tasks.push_back(make_task(i));
    start_.slots = {1 + random().below(5), 1 + random().below(3), 1 + random().below(3)};
    start_.limits.task_failures = 1 + random().below(3);
    start_.limits.signal_requests = random().below(4);
    start_.limits.expert_requests = random().below(4);
    start_.limits.remediation_attempts = 1 + random().below(4);
    start_.limits.questions = random().below(6);
    start_.limits.file_waits = 1 + random().below(3);
    start_.experts = random().chance(50);
    if (random().chance(30) || DeliveryPlanted::bug == DeliveryBug::merges_without_approval)
      start_.integrate = event::Integrate::ask;
    start_.tracked = random().chance(50);
    if (random().chance(30)) start_.known_experts = {"e1", "e2"};
    if (DeliveryPlanted::bug != DeliveryBug::expert_without_limit) return;
    // Else it would take thousands of plans.
    start_.known_experts = {"e1", "e2"};
    start_.slots.developers = 5;
    favourite_ = Signal::expert_request;
    pass_ = 40;
  }
  // Tasks that touch nothing of each other: what becomes of one is its own.
  void make_simple() {
    for (int i = 1 + random().below(6); i > 0; --i) {
      Task task;
      task.id = "T" + std::to_string(start_.tasks.size());
      task.title = "t";
      if (!start_.tasks.empty() && random().chance(40))
        task.blocked_by = {random().one_of(start_.tasks).id};
      start_.tasks.push_back(std::move(task));
    }
    start_.slots = {1 + random().below(3), 1 + random().below(3), 1 + random().below(3)};
    start_.tracked = true;
  }
  void set_bound() {
    plan::Plan plan;
    plan.tasks = start_.tasks;
    audit_.bound =
        plan::bound_of(plan, start_.limits, start_.experts || !start_.known_experts.empty()).runs;
  }

  engine::Workflow& boot() override {
    State state;
    state.run = kRun;
    workflow_ = std::make_unique<engine::WorkflowOf<Rules, SupplyTap>>(std::move(state), policy());
    return *workflow_;
  }
  const State& state() const { return workflow_->state(); }

  Result<bool> set_going(engine::Runner& runner, bool known) override {
    std::vector<DeliveryFact> facts;
    if (!known) {
      facts.emplace_back(start_);
    } else if (!workflow_->ended()) {
      facts.emplace_back(DeliveryResumed{start_.slots, start_.limits, false, false});
      if (!scripted() && random().chance(15)) facts.emplace_back(changed_plan());
    } else {
      const workflow::RunSummary summary = workflow_->summary();
      finding().outcome = summary.outcome;
      finding().succeeded = summary.standing == workflow::Standing::succeeded;
      const bool halted = state().outcome == delivery::Outcome::halted;
      // A person may let failed tasks begin again, or go on after a halt.
      const bool again = state().outcome == delivery::Outcome::incomplete || halted;
      if (!again || (scripted() ? !halted : resumes_-- <= 0 || !random().chance(40))) return false;
      const bool retry = !scripted() && random().chance(50);
      facts.emplace_back(DeliveryResumed{start_.slots, start_.limits, retry, false});
      if (retry && random().chance(30)) facts.emplace_back(changed_plan());
    }
    TRY_VOID(runner.take(workflow_->given(std::move(facts), utc_now(), standing())));
    return true;
  }
  PlanChanged changed_plan() {
    PlanChanged change;
    if (random().chance(50)) change.removed.push_back(random().one_of(start_.tasks).id);
    if (random().chance(50)) {
      change.added.push_back(make_task(static_cast<int>(start_.tasks.size())));
      start_.tasks.push_back(change.added.back());
    }
    set_bound();
    return change;
  }

  void speak(const Job& job, workflow::AgentFinished& finished, Random& random) override {
    const Role role = role_named(job.role);
    workflow::LineWords words;
    if (scripted()) {
      const bool good = random.chance(75);
      words.signal = good                    ? good_signal(role)
                     : role == Role::critic  ? Signal::review_failed
                     : role == Role::auditor ? Signal::audit_failed
                                             : good_signal(role);
    } else {
      words.signal = random.chance(pass_) ? good_signal(role)
                     : random.chance(40)  ? favourite_
                                          : random.one_of(kLineSignals);
      if (finished.fault == Fault::no_signal) words.signal = Signal::unknown;
      add_fields(words, random);
      if (finished.fault == Fault::none && random.chance(1)) finished.fault = Fault::refuted;
    }
    if (role == Role::auditor && words.signal == Signal::audit_passed &&
        finished.fault == Fault::none)
      audited_[job.task] = tree(job.tree).kept;
    finished.words = std::move(words);
  }
  void add_fields(workflow::LineWords& words, Random& random) const {
    constexpr const char* kConfidence[] = {"HIGH", "MEDIUM", "LOW", ""};
    constexpr const char* kExperts[] = {"e1", "e2", "e3"};
    const auto file = [&] { return "f" + std::to_string(random.below(files_)); };
    switch (words.signal) {
      case Signal::expanded_spec:
        words.fields = {{"Confidence", random.one_of(kConfidence)},
                        {"Target Files", "- " + file()}};
        break;
      case Signal::expert_request:
        words.fields = {{"Target Agent", random.one_of(kExperts)}};
        break;
      case Signal::expert_created:
        words.argument = "e1";
        words.more = {"e2"};
        break;
      case Signal::file_conflict:
        words.argument = file();
        if (random.chance(30)) words.more = {file()};
        words.fields = {{"Can Wait", random.chance(70) ? "YES" : "NO"}};
        break;
      case Signal::task_incomplete:
        words.fields = {{"Blocker", random.chance(50)
                                        ? "task " + random.one_of(start_.tasks).id + " is missing"
                                    : random.chance(50) ? "the network is down"
                                                        : "what is wanted"}};
        break;
      default:
        break;
    }
  }
  void examine(const Job& job, workflow::Checked& checked, Random& random) override {
    if (scripted()) return;
    if (random.chance(30)) checked.failed.emplace_back("old");
    if (job.number == kHealthCheck && random.chance(20)) checked.failed.emplace_back("new");
  }
  std::string answer(const Job& job, Random& random) override {
    if (job.options.empty())
      return random.chance(60) ? "approve" : random.chance(10) ? "reject" : "because";
    const std::string& text = random.one_of(job.options);
    return text == "halt" && random.chance(80) ? "retry" : text;
  }

  bool intended(const workflow::Command& command) override { return audit_.intends(command); }
  void before(const workflow::Command& command) override {
    if (const auto* start = std::get_if<workflow::StartAgent>(&command);
        start != nullptr && start->expert.empty())
      audit_.begins(start->task);
    if (const auto* merge = std::get_if<workflow::Merge>(&command))
      claim(!audit_.is_merged(merge->task), "nothing is merged twice");
    if (const auto* close = std::get_if<workflow::CloseTask>(&command))
      claim(is_on_main(close->task) || tree(close->task).kept == 0,
            "a task is closed only when its work is on main");
    if (const auto* remove = std::get_if<workflow::RemoveTree>(&command))
      claim(remove->tree.starts_with('+') || audit_.is_merged(remove->tree),
            "a tree is removed once its work is merged");
  }
  bool notes_pauses() const override { return true; }
  void on_merged(const Job& job, int version) override {
    if (job.tree.starts_with('+')) return;
    claim(audit_.may_land(job.tree), "nothing is merged that a person has not approved");
    const auto audited = audited_.find(job.tree);
    claim(audited != audited_.end() && audited->second == version,
          "what is merged is what the auditor passed");
  }
  void on_recorded() override {
    for (const DeliveryFact& fact : Rules::newest) {
      audit_.read(fact);
      if (std::holds_alternative<FileWaitStarted>(fact)) ++file_waits_;
      if (std::holds_alternative<AnswerTakenBack>(fact)) ++finding().taken_back;
      if (const auto* done = std::get_if<MergeDone>(&fact))
        claim(is_on_main(done->task) || tree(done->task).kept == 0, "a recorded merge is on main");
    }
    audit_.turn_recorded(SupplyTap::newest);
    if (!audit_.broken.empty()) claim(false, audit_.broken.c_str());
  }
  void on_turn() override {
    audit_.between(state());
    if (!audit_.broken.empty()) claim(false, audit_.broken.c_str());
  }

  std::string fingerprint() const override {
    const State& s = state();
    std::string out = simulation::text_of(run_summary(s));
    const auto add = [&](long long value) { (out += std::to_string(value)) += ','; };
    add(static_cast<int>(s.outcome)), add(s.dispatched), add(s.finished), add(s.merging);
    add(s.remediation.round), add(static_cast<int>(s.remediation.step)), add(s.remediation.attempt);
    for (const auto& [number, agent] : s.agents) add(number), add(agent.session);
    for (const TaskState& t : s.tasks) {
      add(static_cast<int>(t.stage)), add(static_cast<int>(t.hold)), add(t.agent);
      add(t.questions), add(static_cast<int>(t.why)), add(t.talk.requests), add(t.talk.unknowns);
      add(t.open_blockers), add(t.merge_tries), add(t.closed ? 1 : 0);
      for (const int failures : t.failures) add(failures);
      for (const int file : t.held) add(file);
    }
    for (const Question& q : s.questions) add(q.closed ? 1 : 0);
    for (const int busy : s.busy) add(busy);
    for (const std::string& id : unclosed(s)) out += id;
    for (const auto& [tree, role] : s.to_settle) out += tree, add(static_cast<int>(role));
    return out;
  }

  void at_end() override {
    const State& s = state();
    claim(s.outcome != delivery::Outcome::none, "every plan ends or waits for a person");
    claim(s.agents.empty() || s.outcome == delivery::Outcome::none,
          "nobody works when a delivery has ended");
    if (s.outcome != delivery::Outcome::complete) return;
    for (const TaskState& t : s.tasks)
      claim(
          t.stage == Stage::removed || (t.stage == Stage::complete && audit_.is_merged(t.task.id) &&
                                        (!start_.tracked || is_closed(t.task.id))),
          "a complete delivery has all its tasks on main, and closed");
  }
  std::string path() const override {
    const State& s = state();
    std::string text(event::delivery::name_of(s.outcome));
    for (const TaskState& t : s.tasks) {
      text += "\n" + t.task.id + " " + std::string(delivery::name_of(t.stage));
      // Agents that failed by themselves are no failures of the task.
      for (std::size_t kind = 0; kind < t.failures.size(); ++kind)
        if (kind != static_cast<std::size_t>(FailureKind::restart))
          text += " " + std::to_string(t.failures[kind]);
      for (const Run& one : t.runs)
        if (one.fault == Fault::none) text += " " + std::string(signal::row(one.signal).wire);
    }
    return text;
  }
  std::string text_of(const event::Fact& fact) const override { return Rules::text_of(fact); }
  std::string key_of(const Job& job) const override {
    return job.task + "/" + job.role + "/" + std::to_string(job.attempt);
  }
  bool may_fail(const Job& job) override {
    return !job.task.empty() && ++failed_[job.task] < start_.limits.restarts;
  }

  DeliveryStarted start_;
  std::unique_ptr<engine::WorkflowOf<Rules, SupplyTap>> workflow_;
  DeliveryAudit audit_;
  Signal favourite_ = Signal::unknown;  // what these agents print too often
  std::map<std::string, int> failed_;   // agents that failed by themselves, by task
  std::map<std::string, int> audited_;  // the version of its files, by task
  int pass_ = 75, files_ = 1, file_waits_ = 0, resumes_ = 2;
};

}  // namespace

DeliveryFinding simulate_delivery(std::uint64_t seed, DeliveryBug bug, bool all, bool supplied) {
  DeliveryPlanted::bug = bug;
  Random choose(seed ^ 0x5EEDULL);
  Weather weather;
  // The journal has what really happened: what is broken must show without a replay of it.
  weather.one_process = bug != DeliveryBug::none && bug != DeliveryBug::fact_lost;
  if (!weather.one_process) {
    weather.crashes = choose.below(4);
    weather.crash_one_in = 20 + choose.below(200);
    weather.stops = choose.below(3);
    weather.stop_one_in = 20 + choose.below(100);
    weather.journal_faults = choose.below(3) * 2;
  }
  weather.command_faults = choose.below(3) * 4;
  weather.agent_faults = 4;
  weather.main_moves = 10;
  weather.ground_moves = 2;
  weather.refusals = 12;
  if (supplied) add_supply(weather, seed);
  const WorldBug world = bug == DeliveryBug::fact_lost ? WorldBug::lost_fact : WorldBug::none;
  return DeliveryRun(seed, weather, world).result(all);
}

Finding simulate_delivery_script(std::uint64_t seed, int crashes, int stops, bool supplied) {
  DeliveryPlanted::bug = DeliveryBug::none;
  Weather weather;
  weather.scripted = true;
  weather.crashes = crashes;
  weather.stops = stops;
  weather.crash_one_in = weather.stop_one_in = 15;
  if (supplied) add_supply(weather, seed);
  return DeliveryRun(seed, weather, WorldBug::none).run();
}

}  // namespace capsule::simulation
