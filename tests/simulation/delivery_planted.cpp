#include "tests/simulation/delivery_planted.h"

#include <iterator>

#include "workflow/delivery/parts.h"

namespace capsule::simulation {
namespace {

using namespace delivery;
using workflow::Observation;

// What the workflow is given in place of what was observed.
void falsify(Observation& observation) {
  if (auto* o = std::get_if<workflow::AgentFinished>(&observation)) {
    auto& words = std::get<workflow::LineWords>(o->words);
    if (DeliveryPlanted::bug == DeliveryBug::failed_audit_passes &&
        words.signal == Signal::audit_failed)
      words.signal = Signal::audit_passed;
    if (DeliveryPlanted::bug == DeliveryBug::failed_review_passes &&
        words.signal == Signal::review_failed)
      words.signal = Signal::review_passed;
    if (DeliveryPlanted::bug == DeliveryBug::fault_costs_an_attempt &&
        o->fault == Fault::exit_status)
      o->fault = Fault::refuted;
    if (DeliveryPlanted::bug == DeliveryBug::finished_agent_forgotten &&
        DeliveryPlanted::random->chance(5))
      o->agent = -1;
  }
  if (const auto* o = std::get_if<workflow::MergeRefused>(&observation);
      o != nullptr && DeliveryPlanted::bug == DeliveryBug::refused_merge_counts_as_merged)
    observation = workflow::Merged{o->tree, "c", {}, false, false, {}, {}};
  if (auto* o = std::get_if<workflow::Answered>(&observation);
      o != nullptr && DeliveryPlanted::bug == DeliveryBug::answer_lost)
    o->question = -1;
}

// The journal has what really happened.
void tell_truth(const Observation& truth, std::vector<DeliveryFact>& facts) {
  for (DeliveryFact& fact : facts) {
    if (const auto* o = std::get_if<workflow::AgentFinished>(&truth)) {
      auto* f = std::get_if<AgentFinished>(&fact);
      if (f == nullptr || (f->agent != o->agent && f->agent != -1)) continue;
      f->agent = o->agent;
      f->signal = std::get<workflow::LineWords>(o->words).signal;
      if (DeliveryPlanted::bug == DeliveryBug::fault_costs_an_attempt &&
          o->fault == Fault::exit_status)
        f->fault = o->fault;
    } else if (const auto* refused = std::get_if<workflow::MergeRefused>(&truth)) {
      if (const auto* f = std::get_if<MergeDone>(&fact); f != nullptr && f->task == refused->tree)
        fact = MergeRefused{refused->tree, refused->why, refused->detail};
    } else if (const auto* answered = std::get_if<workflow::Answered>(&truth)) {
      if (auto* f = std::get_if<QuestionAnswered>(&fact); f != nullptr && f->question == -1)
        f->question = answered->question;
    }
  }
}

void break_state(State& s) {
  switch (DeliveryPlanted::bug) {
    case DeliveryBug::audit_alone_completes:
      if (!s.merges.empty()) complete(s, s.merges.begin()->second);
      break;
    case DeliveryBug::one_developer_too_many:
      s.slots.developers = 6;
      break;
    case DeliveryBug::begins_while_blocked:
      for (std::size_t i = 0; i < s.tasks.size(); ++i)
        if (s.tasks[i].stage == Stage::blocked && s.tasks[i].open_blockers == 1 &&
            DeliveryPlanted::random->chance(20))
          make_ready(s, static_cast<int>(i));
      break;
    case DeliveryBug::dispatches_in_remediation:
      if (s.remediation.step == Remediation::Step::mending)
        s.remediation.step = Remediation::Step::none;
      break;
    case DeliveryBug::failures_never_end:
      for (TaskState& t : s.tasks) t.failures = {};
      break;
    case DeliveryBug::second_holder_of_a_file:
      for (TaskState& t : s.tasks)
        if (!t.held.empty() && DeliveryPlanted::random->chance(5))
          s.tasks.front().held.push_back(t.held.front());
      break;
    case DeliveryBug::two_merges_at_once:
      s.merging = -1;
      break;
    case DeliveryBug::expert_without_limit:
      for (auto& [name, expert] : s.experts) expert.running = 0;
      break;
    case DeliveryBug::waits_for_nobody:
      for (TaskState& t : s.tasks)
        if (t.hold == Hold::expert && DeliveryPlanted::random->chance(20))
          t.hold = Hold::dependency;
      break;
    case DeliveryBug::close_forgotten:
      s.to_close.clear();
      s.closing.clear();
      s.not_closed.clear();
      break;
    case DeliveryBug::merges_without_approval:
      for (int i = 0; i < s.tasks.count(); ++i)
        if (TaskState& t = s.tasks[i]; t.stage == Stage::merge && t.hold == Hold::person &&
                                       s.integrate == event::Integrate::ask && !t.doubted) {
          t.approved = true;
          enqueue_merge(s, i);
        }
      break;
    default:
      break;
  }
}

}  // namespace

DeliveryPlanted::Turn DeliveryPlanted::advance(State& state, std::vector<Fact> given,
                                               const std::vector<Observation>& observations,
                                               const std::string& at) {
  if (bug == DeliveryBug::none)
    return delivery::Rules::advance(state, std::move(given), observations, at);
  std::vector<Observation> seen = observations;
  for (Observation& one : seen) falsify(one);
  Turn turn = delivery::Rules::advance(state, std::move(given), seen, at);
  break_state(state);
  Turn more = delivery::advance(state, {});
  std::move(more.facts.begin(), more.facts.end(), std::back_inserter(turn.facts));
  std::move(more.commands.begin(), more.commands.end(), std::back_inserter(turn.commands));
  for (const Observation& one : observations) tell_truth(one, turn.facts);
  return turn;
}

std::string_view name_of(DeliveryBug bug) {
  constexpr std::string_view kNames[] = {
      "none",
      "failed_audit_passes",
      "failed_review_passes",
      "refused_merge_counts_as_merged",
      "audit_alone_completes",
      "one_developer_too_many",
      "begins_while_blocked",
      "dispatches_in_remediation",
      "failures_never_end",
      "second_holder_of_a_file",
      "finished_agent_forgotten",
      "answer_lost",
      "fact_lost",
      "two_merges_at_once",
      "expert_without_limit",
      "waits_for_nobody",
      "close_forgotten",
      "merges_without_approval",
      "fault_costs_an_attempt",
  };
  static_assert(std::size(kNames) == kDeliveryBugs);
  return kNames[static_cast<std::size_t>(bug)];
}

}  // namespace capsule::simulation
