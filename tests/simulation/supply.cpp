#include "tests/simulation/supply.h"

#include <algorithm>
#include <iterator>

namespace capsule::simulation {

namespace fact = event::supply;
using event::Fault;

std::string_view name_of(SupplyBug bug) {
  constexpr std::string_view kNames[] = {"None",
                                         "ParkingForgotten",
                                         "FreedTooSoon",
                                         "PauseForgotten",
                                         "TriesWithoutEnd",
                                         "SpendingForgotten",
                                         "FaultReachesTheWorkflow",
                                         "AlarmLost",
                                         "MessageGivenAgain",
                                         "AnswerForgotten",
                                         "RaiseForgotten",
                                         "AllAtOnce",
                                         "WallsForgotten",
                                         "RefusalForgotten",
                                         "LaneForgotten",
                                         "DiskForgotten",
                                         "FallbackTooSoon"};
  static_assert(std::size(kNames) == kSupplyBugs);
  return kNames[static_cast<std::size_t>(bug)];
}

void SupplyTap::begin(bool by_wire) {
  wire = by_wire;
  kept.clear();
  newest.clear();
}

void SupplyTap::apply(supply::State& state, const Fact& given) {
  Fact fact = given;
  if (auto* parked = std::get_if<fact::ProviderParked>(&fact)) {
    if (bug == SupplyBug::parking_forgotten) return;
    if (bug == SupplyBug::freed_too_soon && parked->until > 0) parked->until -= 300;
  } else if (auto* faulted = std::get_if<fact::AgentFaulted>(&fact)) {
    if (bug == SupplyBug::pause_forgotten) faulted->until = 0;
    if (bug == SupplyBug::tries_without_end) faulted->tries = 0;
  } else if (auto* used = std::get_if<fact::AgentUsed>(&fact)) {
    if (bug == SupplyBug::spending_forgotten) used->use = {};
  } else if (std::holds_alternative<fact::MessageDelivered>(fact)) {
    if (bug == SupplyBug::message_given_again) return;
  } else if (const auto* free = std::get_if<fact::ProviderFree>(&fact)) {
    if (bug == SupplyBug::answer_forgotten && !free->by.empty()) return;
  } else if (std::holds_alternative<fact::BudgetRaised>(fact)) {
    if (bug == SupplyBug::raise_forgotten) return;
  } else if (std::holds_alternative<event::Contained>(fact)) {
    if (bug == SupplyBug::walls_forgotten) return;
  } else if (std::holds_alternative<event::HostsRefused>(fact)) {
    if (bug == SupplyBug::refusal_forgotten) return;
  } else if (std::holds_alternative<fact::DiskStood>(fact)) {
    if (bug == SupplyBug::disk_forgotten) return;
  }
  supply::apply(state, fact);
  // A pause of seconds is taken for a parking.
  if (const auto* faulted = std::get_if<fact::AgentFaulted>(&fact);
      faulted != nullptr && bug == SupplyBug::fallback_too_soon && faulted->until > 0)
    state.parked.try_emplace(faulted->provider).first->second.until = faulted->until;
  if (bug == SupplyBug::all_at_once) state.on_trial.clear();
}

std::vector<workflow::Observation> SupplyTap::hear(
    supply::Turn& turn, const std::vector<workflow::Observation>& observations) {
  ++turns;
  newest.clear();
  if (bug != SupplyBug::fault_reaches_the_workflow) return turn.hear(observations);
  std::vector<workflow::Observation> seen = observations;
  for (workflow::Observation& one : seen)
    if (auto* finished = std::get_if<workflow::AgentFinished>(&one);
        finished != nullptr && finished->fault == Fault::overloaded)
      finished->fault = Fault::exit_status;
  return turn.hear(seen);
}

std::vector<workflow::Observation> SupplyTap::settle(supply::Turn& turn,
                                                     std::vector<workflow::Command> asked) {
  if (bug == SupplyBug::lane_forgotten)
    for (workflow::Command& command : asked)
      if (auto* start = std::get_if<workflow::StartAgent>(&command)) start->at_once = 1000;
  auto heard = turn.settle(std::move(asked));
  if (bug == SupplyBug::alarm_lost)
    std::erase_if(turn.commands, [](const workflow::Command& command) {
      const auto* order = std::get_if<workflow::SupplyOrder>(&command);
      return order != nullptr && std::holds_alternative<workflow::WakeAt>(order->what);
    });
  return heard;
}

std::string SupplyTap::body_of(const Fact& fact) {
  newest.push_back(fact);
  if (wire) return fact::body_of(fact);
  kept.push_back(fact);
  return std::to_string(kept.size() - 1);
}
Result<SupplyTap::Fact> SupplyTap::read_fact(std::string_view kind, std::string_view body) {
  if (wire) return fact::read_fact(kind, body);
  return kept.at(std::stoul(std::string(body)));
}
std::string SupplyTap::text_of(const event::Fact& fact) {
  return fact.kind + " " + (wire ? fact.body : fact::body_of(kept.at(std::stoul(fact.body))));
}

// ---- What must hold

std::string SupplyAudit::provider_of(const workflow::StartAgent& start) const {
  return start.provider.empty() ? supply::choices_for(policy, start).front().provider
                                : start.provider;
}

std::int64_t SupplyAudit::limit(supply::Scope scope, const std::string& key) const {
  const std::int64_t configured = supply::limit_of(policy.budget, scope);
  const auto found = raised_.find({scope, key});
  return configured == 0 || found == raised_.end() ? configured
                                                   : std::max(configured, found->second);
}

bool SupplyAudit::is_parked(const std::string& provider, std::int64_t seconds) const {
  const auto parked = parked_.find(provider);
  return parked != parked_.end() && (parked->second == 0 || parked->second > seconds);
}

bool SupplyAudit::has_its_turn(const workflow::StartAgent& start, std::int64_t seconds) const {
  // No workflow here names a provider: one that is named is a fallback.
  workflow::StartAgent asked = start;
  asked.provider.clear();
  asked.model.clear();
  const std::vector<supply::Choice> choices = supply::choices_for(policy, asked);
  const std::string provider = provider_of(start);
  for (const supply::Choice& before : choices) {
    if (before.provider == provider) return true;
    if (!is_parked(before.provider, seconds)) return false;
  }
  return false;
}

void SupplyAudit::told(const workflow::AgentFinished& finished, const std::string& provider) {
  finished_.push_back({finished, provider});
  trying_.erase(finished.agent);
}

void SupplyAudit::told(const workflow::AgentSpends& spends) {
  if (const auto found = trying_.find(spends.agent); found != trying_.end())
    found->second.answered = spends.use.output > 0;
}

void SupplyAudit::recorded(const std::vector<SupplyTap::Fact>& facts, std::int64_t seconds,
                           const std::string&) {
  for (const SupplyTap::Fact& one : facts)
    std::visit([this](const auto& typed) { read(typed); }, one);
  for (const event::Contained& one : std::exchange(told_walls_, {}))
    claim(std::find(walls_.begin(), walls_.end(), one) != walls_.end(), "walls are recorded");
  claim(std::exchange(told_requests_, 0) == 0, "what was refused is recorded");
  if (const auto room = std::exchange(told_room_, std::nullopt))
    claim(*room == room_, "how much room the disk has is recorded");
  for (const Told& told : std::exchange(finished_, {})) {
    const workflow::AgentFinished& f = told.finished;
    if (f.fault == Fault::not_started) continue;
    const auto used = std::find_if(facts.begin(), facts.end(), [&](const SupplyTap::Fact& one) {
      const auto* typed = std::get_if<fact::AgentUsed>(&one);
      return typed != nullptr && typed->agent == f.agent && typed->fault == f.fault;
    });
    claim(used != facts.end() || SupplyTap::bug == SupplyBug::fault_reaches_the_workflow,
          "what an agent used is recorded");
    if (used != facts.end())
      claim(std::get<fact::AgentUsed>(*used).use.cost_micros == f.facts.use.cost_micros,
            "what an agent used is recorded");
    if (!of_service(f.fault) || ending_.contains(f.agent)) continue;
    const auto faulted = std::find_if(facts.begin(), facts.end(), [&](const SupplyTap::Fact& one) {
      const auto* typed = std::get_if<fact::AgentFaulted>(&one);
      return typed != nullptr && typed->agent == f.agent && typed->fault == f.fault;
    });
    claim(faulted != facts.end(), "a fault of the service is recorded as one");
    // What a person says after it counts for more.
    const bool lifted = std::any_of(faulted, facts.end(), [&](const SupplyTap::Fact& one) {
      const auto* typed = std::get_if<fact::ProviderFree>(&one);
      return typed != nullptr && typed->provider == told.provider && !typed->by.empty();
    });
    if (f.fault == Fault::usage_limit && !lifted) {
      const auto parked = parked_.find(told.provider);
      claim(parked != parked_.end() &&
                (parked->second == 0 || parked->second >= f.facts.reset_at) &&
                (parked->second == 0 || parked->second > seconds),
            "a usage limit parks its provider until it ends");
    }
  }
}

void SupplyAudit::read(const event::Contained& f) {
  claim(std::find(walls_.begin(), walls_.end(), f) == walls_.end(), "walls are recorded once");
  walls_.push_back(f);
}

void SupplyAudit::read(const event::HostsRefused& f) {
  told_requests_ -= f.hosts.front().count;
  requests_ += f.hosts.front().count;
}

void SupplyAudit::read(const fact::AgentUsed& f) {
  if (f.use.cost_known) {
    micros_ += f.use.cost_micros;
    by_task_[f.task] += f.use.cost_micros;
    by_day_[f.day] += f.use.cost_micros;
  }
  if (f.use.tokens_known) tokens_ += supply::counted_tokens(f.use);
  if (!of_service(f.fault)) tries_.erase({f.agent, f.provider});
  pauses_.erase({f.agent, f.provider});
  if (f.fault == Fault::none || f.fault == Fault::no_signal || f.use.output > 0)
    unproven_.erase(f.provider);
  const bool again =
      of_service(f.fault) || event::ended_for_want(f.fault) || f.fault == Fault::interrupted;
  if (!again) done_.insert(f.agent);
}

void SupplyAudit::read(const fact::AgentFaulted& f) {
  done_.erase(f.agent);
  const bool soon = f.fault == Fault::rate_limited || f.fault == Fault::overloaded ||
                    f.fault == Fault::unreachable || f.fault == Fault::no_answer;
  if (soon) {
    claim(++tries_[{f.agent, f.provider}] <= policy.tries, "tries in a row are bounded");
    if (f.until > 0) pauses_[{f.agent, f.provider}] = f.until;
  }
}

void SupplyAudit::read(const fact::ProviderFree& f) {
  parked_.erase(f.provider);
  unproven_.insert(f.provider);
  std::erase_if(tries_, [&](const auto& one) { return one.first.second == f.provider; });
  std::erase_if(pauses_, [&](const auto& one) { return one.first.second == f.provider; });
}

void SupplyAudit::read(const fact::PersonAsked& f) {
  claim(questions_.insert(f.question).second, "every question has a number of its own");
}

void SupplyAudit::read(const fact::MessageGiven& f) {
  claim(given_to_.emplace(f.id, 0).second, "a message is recorded once");
}

void SupplyAudit::read(const fact::MessageDelivered& f) {
  claim(given_to_.contains(f.id), "what is delivered was given");
  int& agent = given_to_[f.id];
  // Who was cut off has not heard it.
  claim(agent != f.agent && (agent == 0 || !done_.contains(agent)), "a message is delivered once");
  agent = f.agent;
  // In its prompt: it begins, once more if it had ended, and a crash may come before it does.
  if (!f.live) done_.erase(f.agent);
}

void SupplyAudit::before_start(const workflow::StartAgent& start, std::int64_t seconds,
                               const std::string& day, std::int64_t elsewhere) {
  const std::string provider = provider_of(start);
  claim(!is_parked(provider, seconds), "no agent starts while its provider is parked");
  claim(has_its_turn(start, seconds),
        "a fallback starts only while those before it in order are parked");
  claim(room_ == fact::Room::enough, "no agent starts while the disk has too little room");
  const auto pause = pauses_.find({start.agent, provider});
  claim(pause == pauses_.end() || pause->second <= seconds, "a fault is followed by a pause");
  if (unproven_.contains(provider)) {
    bool first = true, known = false;
    for (const auto& [agent, trial] : trying_) {
      if (trial.provider != provider) continue;
      first = false;
      known |= trial.answered || trial.since + policy.trial_s <= seconds;
    }
    claim(first || known, "one agent tries first whether a provider that was parked is free");
    trying_[start.agent] = {provider, seconds};
  }
  using supply::Scope;
  const auto within = [&](Scope scope, const std::string& key, std::int64_t spent) {
    const std::int64_t most = limit(scope, key);
    claim(most == 0 || spent < most, "no agent starts when a budget is spent");
  };
  within(Scope::run, "", micros_);
  within(Scope::tokens, "", tokens_);
  within(Scope::task, start.task, by_task_[start.task]);
  within(Scope::day, day, by_day_[day] + elsewhere);
  if (const auto before = faulted_.find(start.agent); before != faulted_.end())
    claim(before->second == start.attempt, "a fault costs no attempt");
  faulted_[start.agent] = start.attempt;
  ending_.erase(start.agent);
  done_.erase(start.agent);  // what it did was lost with its process
}

bool SupplyAudit::may_end(int) const { return policy.budget.hard || room_ == fact::Room::none; }

void SupplyAudit::at_end(const workflow::RunSummary& summary) {
  for (const workflow::AgentSummary& agent : summary.agents)
    claim(!of_service(agent.fault) && !event::ended_for_want(agent.fault),
          "no workflow hears of a fault of the service");
  claim(summary.contained == walls_, "the summary has all walls");
  int requests = summary.refused_others;
  for (const event::RefusedHost& one : summary.refused) requests += one.count;
  claim(requests == requests_, "the summary has all refusals");
}

}  // namespace capsule::simulation
