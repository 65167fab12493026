// The worst that agents can do without asking a person: every limit is used up to its last unit.
// The bound must hold, and must not be far from it.
#include <gtest/gtest.h>

#include <iostream>

#include "plan/plan.h"
#include "workflow/delivery/delivery.h"

namespace capsule::simulation {
namespace {

using namespace delivery;  // NOLINT: its vocabulary

class Worst {
 public:
  Worst(const std::vector<Task>& tasks, Limits limits, bool experts) : limits_(limits) {
    DeliveryStarted start;
    start.tasks = tasks;
    start.limits = limits;
    start.slots = {2, 2, 2};
    start.experts = experts;
    plan_.tasks = tasks;
    bound_ = plan::bound_of(plan_, limits, experts).runs;
    take(advance(state_, {start}));
    while (!todo_.empty()) {
      const Command command = todo_.front();
      todo_.erase(todo_.begin());
      do_worst(command);
    }
  }

  double share() const {
    return static_cast<double>(state_.dispatched) / static_cast<double>(bound_);
  }
  const State& state() const { return state_; }

 private:
  void take(const Turn& turn) {
    todo_.insert(todo_.end(), turn.commands.begin(), turn.commands.end());
  }
  void see(const Observation& observation) { take(advance(state_, {}, {observation})); }

  void do_worst(const Command& command) {
    if (const auto* c = std::get_if<Check>(&command)) {
      workflow::Checked checked;
      checked.number = c->number;
      return see(checked);
    }
    if (const auto* c = std::get_if<Merge>(&command)) {
      const bool repair = !state_.index.contains(c->tree);
      if (!repair && left(c->tree, FailureKind::merge, limits_.merge_rework))
        return see(workflow::MergeRefused{c->tree, MergeRefusal::conflict, "", {}});
      return see(workflow::Merged{c->tree, "c", {}, false, false, {}, {}});
    }
    if (const auto* c = std::get_if<RemoveTree>(&command))
      return see(workflow::TreeRemoved{c->tree});
    if (const auto* c = std::get_if<StartAgent>(&command)) {
      workflow::AgentFinished f;
      f.agent = c->agent;
      workflow::LineWords words;
      answer(*c, f, words);
      f.words = std::move(words);
      see(f);
    }
  }

  Role role_of(const StartAgent& c) const { return state_.agents.at(c.agent).role; }
  const TaskState& task(const std::string& id) const { return state_.tasks[state_.index.at(id)]; }
  bool left(const std::string& id, FailureKind kind, int limit) const {
    return task(id).failures[static_cast<std::size_t>(kind)] < limit - 1;
  }

  // Prints nothing of use as long as that costs nothing but another run.
  bool wastes(const StartAgent& c, workflow::LineWords& words) {
    const Talk& talk = talk_of(c);
    if (talk.requests >= limits_.signal_requests) return false;
    if (talk.unknowns < 2) return words.signal = Signal::unknown, true;
    if (role_of(c) != Role::developer || talk.checkpointed) return false;
    return words.signal = Signal::checkpoint, true;
  }
  const Talk& talk_of(const StartAgent& c) const {
    if (role_of(c) == Role::plan_analyst) return state_.analyst_talk;
    if (role_of(c) == Role::expert)
      return state_.delegations[state_.agents.at(c.agent).delegation - 1].talk;
    if (c.task.empty()) return state_.remediation.talk;
    return task(c.task).talk;
  }

  void answer(const StartAgent& c, workflow::AgentFinished& f, workflow::LineWords& words) {
    if (wastes(c, words)) return;
    const Role role = role_of(c);
    const auto ask_expert = [&] {
      words.signal = Signal::expert_request;
      words.fields = {{"Target Agent", "e"}};
    };
    const bool experts = !state_.experts.empty();
    switch (role) {
      case Role::plan_analyst:
        words.signal = Signal::expert_created;
        words.argument = "e";
        return;
      case Role::expert:
        words.signal = Signal::expert_advice;
        return;
      case Role::remediation:
        if (experts && state_.remediation.expert_requests < limits_.expert_requests)
          return ask_expert();
        words.signal = Signal::remediation_complete;
        return;
      case Role::health_auditor:
        words.signal = state_.remediation.attempt < limits_.remediation_attempts
                           ? Signal::health_unhealthy
                           : Signal::health_healthy;
        return;
      case Role::business_analyst:
        words.signal = Signal::expanded_spec;
        words.fields = {{"Confidence", "HIGH"}};
        return;
      case Role::critic:
        if (task(c.task).critic_timeouts < limits_.critic_timeouts - 1) {
          f.fault = Fault::timed_out;
          return;
        }
        words.signal = left(c.task, FailureKind::review, limits_.task_failures)
                           ? Signal::review_failed
                           : Signal::review_passed;
        return;
      case Role::auditor:
        words.signal = left(c.task, FailureKind::audit, limits_.task_failures)
                           ? Signal::audit_failed
                           : Signal::audit_passed;
        return;
      case Role::developer:
        break;
    }
    if (experts && task(c.task).expert_requests < limits_.expert_requests) return ask_expert();
    if (left(c.task, FailureKind::blocked, limits_.task_failures)) {
      words.signal = Signal::infra_blocked;
    } else if (left(c.task, FailureKind::restart, limits_.restarts)) {
      f.fault = Fault::timed_out;
    } else if (left(c.task, FailureKind::claims, limits_.task_failures)) {
      f.fault = Fault::refuted;
    } else if (left(c.task, FailureKind::unknown, limits_.unknown_redispatches)) {
      words.signal = Signal::unknown;
    } else if (left(c.task, FailureKind::incomplete, limits_.task_failures) && !done().empty()) {
      words.signal = Signal::task_incomplete;
      words.fields = {{"Needed", "task " + done()}};
    } else if (task(c.task).file_conflicts < limits_.file_waits - 1) {
      words.signal = Signal::file_conflict;
      words.argument = "file of " + c.task;
      words.fields = {{"Can Wait", "YES"}};
    } else {
      words.signal = Signal::ready_for_review;
    }
  }
  std::string done() const {
    const Summary summary = summary_of(state_);
    return summary.completed.empty() ? "" : summary.completed.front();
  }

  State state_;
  Limits limits_;
  plan::Plan plan_;
  std::int64_t bound_ = 0;
  std::vector<Command> todo_;
};

std::vector<Task> tasks(int count) {
  std::vector<Task> list;
  for (int i = 0; i < count; ++i) {
    Task task;
    task.id = "T" + std::to_string(i);
    task.unclear = i % 2 == 0;
    if (i > 0) task.blocked_by = {"T" + std::to_string(i / 2)};
    list.push_back(std::move(task));
  }
  return list;
}

void expect_close(const Worst& worst, const std::string& what) {
  EXPECT_TRUE(worst.state().questions.empty()) << what;
  EXPECT_EQ(worst.state().outcome, Outcome::complete) << what;
  EXPECT_LE(worst.share(), 1.0) << what;
  EXPECT_GE(worst.share(), 0.8) << what;
  std::cout << what << ": " << worst.state().dispatched << " runs, "
            << static_cast<int>(worst.share() * 1000) / 10.0 << " % of the bound\n";
}

TEST(DeliveryBound, AWorstPlanReachesFourFifthsOfItAndNeverMore) {
  for (const bool experts : {false, true}) {
    expect_close(Worst(tasks(12), {}, experts), experts ? "default with experts" : "default");
    Limits one;
    one.task_failures = one.merge_rework = one.restarts = one.unknown_redispatches = 1;
    one.remediation_attempts = one.file_waits = one.critic_timeouts = one.expert_requests = 1;
    expect_close(Worst(tasks(40), one, experts), "limits of one");
    Limits five;
    five.task_failures = five.merge_rework = five.restarts = five.unknown_redispatches = 5;
    five.remediation_attempts = five.file_waits = five.critic_timeouts = five.expert_requests = 5;
    five.signal_requests = 5;
    expect_close(Worst(tasks(9), five, experts), "limits of five");
    Limits none = five;
    none.signal_requests = 0;
    expect_close(Worst(tasks(9), none, experts), "no requests for signals");
  }
}

TEST(DeliveryBound, EveryLimitCounts) {
  plan::Plan plan;
  plan.tasks = tasks(4);
  const Limits limits;
  const std::int64_t before = plan::bound_of(plan, limits, true).runs;
  int Limits::*const members[] = {
      &Limits::task_failures, &Limits::unknown_redispatches, &Limits::signal_requests,
      &Limits::restarts,      &Limits::critic_timeouts,      &Limits::expert_requests,
      &Limits::merge_rework,  &Limits::file_waits,           &Limits::remediation_attempts};
  for (int Limits::*const member : members) {
    Limits more = limits;
    ++(more.*member);
    EXPECT_GT(plan::bound_of(plan, more, true).runs, before);
  }
}

}  // namespace
}  // namespace capsule::simulation
