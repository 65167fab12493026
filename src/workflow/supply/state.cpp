#include "workflow/supply/state.h"

#include <algorithm>

#include "workflow/supply/policy.h"

namespace capsule::supply {
namespace {

constexpr std::size_t kMostAuthors = 8;

void add_author(std::vector<std::string>& to, const std::string& name) {
  if (name.empty() || to.size() >= kMostAuthors) return;
  if (std::find(to.begin(), to.end(), name) == to.end()) to.push_back(name);
}

// The version of a client may be known only after its first call: that is no second client.
void add_client(std::vector<std::string>& to, const std::string& name) {
  for (std::string& before : to) {
    if (before.starts_with(name + " ")) return;
    if (!before.empty() && name.starts_with(before + " ")) {
      before = name;
      return;
    }
  }
  add_author(to, name);
}

// What is not known counts for nothing, and is counted apart.
void add(TokenUse& sum, const TokenUse& use) {
  event::add_known(sum, use);
  sum.tokens_known |= use.tokens_known;
  sum.cost_known |= use.cost_known;
}
void add(Spent& sum, const TokenUse& use) {
  if (use.cost_known) sum.micros += use.cost_micros;
  if (use.tokens_known) sum.tokens += counted_tokens(use);
}

// It is tried again as the same agent.
bool comes_again(Fault fault) {
  return of_service(fault) || ended_for_want(fault) || fault == Fault::interrupted;
}

// Whoever was ended by a person or for money has a session as good as it was, and so has one whose
// service said nothing at all.
bool breaks_session(const fact::AgentUsed& used) {
  if (ended_for_want(used.fault) || used.fault == Fault::interrupted) return false;
  return !of_service(used.fault) || replied(used.use) != Replied::no;
}

struct Fold {
  State& s;

  void operator()(const fact::AgentUsed& f) {
    AgentRecord& agent = s.agents[f.agent];
    agent.task = f.task;
    agent.role = f.role;
    agent.provider = f.provider;
    agent.client = f.client;
    agent.asked_model = f.asked_model;
    agent.model = f.model;
    if (agent.mistaken.empty() && !f.asked_model.empty() && !f.model.empty() &&
        !same_model(f.asked_model, f.model)) {
      agent.mistaken = f.model;
      agent.mistaken_for = f.asked_model;
    }
    add(agent.use, f.use);
    add(s.use, f.use);
    add(s.spent, f.use);
    add(s.by_task[f.task], f.use);
    add(s.by_day[f.day], f.use);
    agent.fault = f.fault;
    agent.redacted += f.redacted;
    ++agent.calls, ++s.calls;
    agent.calls_ms += f.duration_ms;
    if (!f.use.tokens_known) ++agent.without_tokens, ++s.without_tokens;
    if (!f.use.cost_known) ++agent.without_cost, ++s.without_cost;
    agent.hold = Hold::none;
    if (!of_service(f.fault)) agent.failures.erase(f.provider);
    if (f.fault == Fault::none || f.fault == Fault::no_signal || replied(f.use) == Replied::yes)
      s.on_trial.erase(f.provider);
    if (f.fault == Fault::none || f.fault == Fault::no_signal) {
      s.guesses.erase(f.provider);
      s.lifts.erase(f.provider);
    }
    if (!f.conversation.empty()) {
      SessionRecord& known = s.sessions[f.conversation];
      if (known.provider != f.provider || known.session != f.session)
        known = {f.provider, f.session};
      const bool well = f.fault == Fault::none || f.fault == Fault::no_signal;
      known.answered |= well || replied(f.use) == Replied::yes;
      known.faults = well ? 0 : known.faults + (breaks_session(f) ? 1 : 0);
      s.unbegun.erase(f.conversation);
    }
    if (!f.tree.empty()) {
      Authors& authors = s.authors[f.tree];
      add_author(authors.models, f.model);
      add_client(authors.clients, f.client.empty() ? f.provider : f.client);
    }
    if (!comes_again(f.fault))
      for (Message& message : s.messages) message.heard |= message.agent == f.agent;
  }
  void operator()(const fact::AgentFaulted& f) {
    AgentRecord& agent = s.agents[f.agent];
    agent.task = f.task;
    agent.role = f.role;
    agent.provider = f.provider;
    if (of_service(f.fault)) ++agent.faults;
    agent.failures[f.provider] = {f.tries, f.until};
    if (f.fault == Fault::context_full) agent.began_anew = true;
  }
  void operator()(const fact::AgentHeld& f) {
    AgentRecord& agent = s.agents[f.agent];
    agent.task = f.task;
    agent.role = f.role;
    if (agent.hold == Hold::none) agent.held_since = s.at;
    agent.hold = f.why;
    agent.until = f.until;
    agent.held_by = f.provider;
    if (!f.unbegun.empty()) s.unbegun.insert(f.unbegun);
  }
  void operator()(const fact::AgentReleased& f) {
    AgentRecord& agent = s.agents[f.agent];
    agent.hold = Hold::none;
    agent.provider = f.provider;
    agent.asked_model = f.model;
    s.unbegun.erase(f.begins);
  }
  void operator()(const fact::ProviderParked& f) {
    s.parked[f.provider] = {f.until, f.guessed, f.fault, f.words, f.elsewhere};
    if (f.guessed && !f.elsewhere) ++s.guesses[f.provider];
  }
  void operator()(const fact::ProviderFree& f) {
    s.parked.erase(f.provider);
    if (!f.by.empty()) {
      s.guesses.erase(f.provider);
      ++s.lifts[f.provider];
    }
    s.not_before[f.provider] = f.after;
    s.on_trial.insert(f.provider);
    for (auto& [number, agent] : s.agents) agent.failures.erase(f.provider);
  }
  void operator()(const fact::BudgetReached& f) {
    BudgetRecord& budget = s.budgets[{f.scope, f.task}];
    (f.all ? budget.reached : budget.noticed) = f.limit;
  }
  void operator()(const fact::BudgetRaised& f) { s.budgets[{f.scope, f.task}].raised = f.limit; }
  void operator()(const fact::PersonAsked& f) {
    s.questions[f.question] = {f.provider, f.scope, f.task, f.text, f.options, true, "", s.at};
  }
  void operator()(const fact::PersonAnswered& f) {
    if (const auto found = s.questions.find(f.question); found != s.questions.end())
      found->second.open = false, found->second.answer = f.text;
  }
  void operator()(const fact::MessageGiven& f) {
    s.messages.push_back({f.id, f.task, f.text, f.by, 0, false, false, f.for_next});
  }
  void operator()(const fact::SelfRunningChanged& f) { s.self_running[f.tree] = f; }
  void operator()(const event::Contained& f) { s.contained.push_back(f); }
  void operator()(const event::HostsRefused& f) {
    const auto same = std::find_if(s.refused.begin(), s.refused.end(), [&](const auto& one) {
      return one.agent == f.agent && one.task == f.task && one.role == f.role;
    });
    if (same == s.refused.end())
      s.refused.push_back(f);
    else
      workflow::add_refused(same->hosts, same->others, f);
  }
  void operator()(const fact::WordsGiven& f) { s.given = f.words; }
  void operator()(const fact::DiskStood& f) {
    const bool goes_on = s.disk.room != fact::Room::enough && f.room != fact::Room::enough;
    s.disk = {f.room, f.folder, f.free, f.reserve, goes_on ? s.disk.since : s.at};
  }
  void operator()(const fact::AgentStill&) {}  // for those who look on
  void operator()(const fact::MessageDelivered& f) {
    for (Message& message : s.messages)
      if (message.id == f.id) message.agent = f.agent, message.heard = false, message.live = f.live;
  }
};

}  // namespace

void apply(State& state, const fact::Fact& fact) { std::visit(Fold{state}, fact); }

const AgentRecord& record_of(const State& state, int agent) {
  static const AgentRecord kNobody;
  const auto found = state.agents.find(agent);
  return found == state.agents.end() ? kNobody : found->second;
}

Failures failures_of(const State& state, int agent, const std::string& provider) {
  const auto& all = record_of(state, agent).failures;
  const auto found = all.find(provider);
  return found == all.end() ? Failures{} : found->second;
}

Replied replied(const TokenUse& use) {
  if (use.output > 0) return Replied::yes;
  if (use.tokens_known) return Replied::no;
  return use.turns > 0 ? Replied::yes : Replied::perhaps;
}

}  // namespace capsule::supply
