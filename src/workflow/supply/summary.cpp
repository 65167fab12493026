#include <algorithm>

#include "base/size.h"
#include "base/text.h"
#include "workflow/supply/policy.h"
#include "workflow/supply/state.h"

namespace capsule::supply {
namespace {

using workflow::Standing;
using workflow::Waiting;

bool is_held(const State& s, const workflow::AgentSummary& agent) {
  if (!agent.running) return false;
  const auto found = s.agents.find(agent.number);
  return found != s.agents.end() && found->second.hold != Hold::none;
}

void add_facts(workflow::AgentSummary& agent, const AgentRecord& known) {
  if (!known.provider.empty()) {
    if (agent.provider != known.provider || !known.asked_model.empty())
      agent.model = known.asked_model;
    agent.provider = known.provider;
  }
  agent.client = known.client;
  agent.answered = known.model;
  agent.use = known.use;
  if (known.without_tokens > 0) agent.use.tokens_known = false;
  if (known.without_cost > 0) agent.use.cost_known = false;
  // Where nobody recorded its end: whoever has used something was started.
  if (agent.fault == Fault::not_started && known.calls > 0 && !of_service(known.fault))
    agent.fault = known.fault;
  agent.calls = known.calls;
  agent.calls_without_tokens = known.without_tokens;
  agent.calls_without_cost = known.without_cost;
  agent.calls_ms = known.calls_ms;
  agent.faults = known.faults;
  agent.redacted = known.redacted;
}

Waiting waiting_for(const Disk& disk, const std::string& task) {
  Waiting wait;
  wait.what = Waiting::For::disk;
  wait.task = task;
  wait.on = disk.folder;
  wait.text = words_of(disk);
  wait.since = disk.since;
  return wait;
}

Waiting waiting_for(const State& s, const workflow::AgentSummary& agent) {
  const AgentRecord& known = s.agents.at(agent.number);
  Waiting wait;
  wait.task = agent.task;
  wait.until = known.until;
  wait.since = known.held_since;
  if (known.hold == Hold::disk) return waiting_for(s.disk, agent.task);
  wait.what = known.hold == Hold::budget ? Waiting::For::budget : Waiting::For::provider;
  if (wait.what == Waiting::For::budget) return wait;
  wait.on = known.held_by;
  if (const auto parked = s.parked.find(known.held_by); parked != s.parked.end()) {
    wait.fault = parked->second.fault;
    wait.context = parked->second.words;
  }
  return wait;
}

std::string hold_words(const AgentRecord& known) {
  if (known.hold == Hold::slot) return "waits for its turn";
  if (known.hold == Hold::disk) return "waits for room on the disk";
  return known.hold == Hold::budget ? "waits for a larger budget"
                                    : "waits for " + printable(known.held_by);
}

// What is asked stands once, with its number; whoever waits for the same answer is part of it.
void add_waits(workflow::RunSummary& summary, const State& s) {
  for (const auto& [number, question] : s.questions) {
    if (!question.open) continue;
    Waiting wait;
    wait.question = number;
    wait.text = question.text;
    wait.options = question.options;
    wait.kind = question.provider.empty() ? "budget" : "provider";
    wait.what = question.provider.empty() ? Waiting::For::budget : Waiting::For::provider;
    wait.on = question.provider;
    wait.since = question.since;
    if (question.scope == Scope::task) wait.task = question.task;
    if (const auto parked = s.parked.find(question.provider); parked != s.parked.end()) {
      wait.fault = parked->second.fault;
      wait.context = parked->second.words;
    }
    summary.waits.push_back(std::move(wait));
  }
  // Also when nobody is there who would start: a check may wait for it.
  if (s.disk.room != fact::Room::enough) summary.waits.push_back(waiting_for(s.disk, ""));
  for (const workflow::AgentSummary& agent : summary.agents) {
    // Of its turn nobody need be told.
    if (!is_held(s, agent) || s.agents.at(agent.number).hold == Hold::slot) continue;
    Waiting wait = waiting_for(s, agent);
    const bool asked =
        std::any_of(summary.waits.begin(), summary.waits.end(), [&](const Waiting& other) {
          return other.question != 0 && other.what == wait.what && other.on == wait.on;
        });
    if (wait.until == 0 && asked) continue;
    if (wait.what == Waiting::For::disk && wait.task.empty()) continue;
    summary.waits.push_back(std::move(wait));
  }
}

}  // namespace

std::string words_of(const Disk& disk) {
  return "The disk of " + printable(disk.folder) + " has " +
         size_words(static_cast<std::uint64_t>(disk.free)) + " left, and " +
         size_words(static_cast<std::uint64_t>(disk.reserve)) +
         " are to stay free (disk.reserve): " +
         (disk.room == fact::Room::none ? "agents are ended, and begin again once there is more. "
                                        : "nothing new starts until there is more. ") +
         "Make room there; it goes on by itself.";
}

void complete(workflow::AgentSummary& agent, const State& s) {
  if (const auto found = s.agents.find(agent.number); found != s.agents.end())
    add_facts(agent, found->second);
}

void complete(workflow::RunSummary& summary, const State& s) {
  bool held = false, all_for_a_person = true;
  for (workflow::AgentSummary& agent : summary.agents) {
    complete(agent, s);
    if (!agent.running) continue;
    if (!is_held(s, agent)) {
      all_for_a_person = false;
      continue;
    }
    const AgentRecord& known = s.agents.at(agent.number);
    held = true;
    all_for_a_person &= known.until == 0 && known.hold != Hold::disk;
    for (workflow::TaskSummary& task : summary.tasks)
      if (task.id == agent.task && task.standing == Standing::open) task.words = hold_words(known);
  }
  for (const auto& [number, agent] : s.agents)
    if (!agent.mistaken.empty())
      summary.claims.push_back(
          {number,
           agent.task,
           agent.role,
           {"model", event::Verdict::broken,
            "asked for " + agent.mistaken_for + ", answered by " + agent.mistaken}});
  for (const auto& [tree, changed] : s.self_running)
    if (!changed.files.empty())
      summary.self_running.push_back(
          {summary.tasks.empty() ? std::string() : tree, changed.files, changed.count});
  summary.contained = s.contained;
  for (const event::HostsRefused& one : s.refused) {
    workflow::add_refused(summary.refused, summary.refused_others, one);
    summary.claims.push_back({one.agent,
                              one.task,
                              one.role,
                              {"it asked for allowed hosts", event::Verdict::differs,
                               "refused: " + workflow::refused_words(one.hosts, one.others)}});
  }
  if (summary.outcome.empty()) add_waits(summary, s);
  for (const Message& message : s.messages) {
    workflow::MessageSummary told{message.id,   message.task,  message.text,
                                  message.by,   message.agent, "",
                                  message.live, message.heard, true};
    for (const workflow::AgentSummary& agent : summary.agents)
      if (agent.number == message.agent) told.role = agent.role;
    summary.messages.push_back(std::move(told));
  }
  if (held && all_for_a_person && summary.standing == Standing::open)
    summary.standing = Standing::waiting;
  if (s.calls == 0) return;
  summary.usage.tokens = s.use;
  summary.usage.tokens.tokens_known = s.without_tokens == 0;
  summary.usage.tokens.cost_known = s.without_cost == 0;
  summary.usage.cost_micros = s.use.cost_micros;
  summary.usage.calls = s.calls;
  summary.usage.calls_without_tokens = s.without_tokens;
  summary.usage.calls_without_cost = s.without_cost;
}

}  // namespace capsule::supply
