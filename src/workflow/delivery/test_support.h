// A delivery at a table: the test plays the world. Every turn is checked: the facts replayed from
// their wire form give the same state, as far as anybody can see. Tests only.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "workflow/delivery/delivery.h"

namespace capsule::delivery {

inline Task task(std::string id, std::vector<std::string> blocked_by = {},
                 std::vector<std::string> files = {}) {
  Task t;
  t.title = "Title of " + id;
  t.id = std::move(id);
  t.work = "work";
  t.criteria = {"a criterion"};
  t.blocked_by = std::move(blocked_by);
  t.predicted = std::move(files);
  return t;
}

// What a state shows: everything but the order in which queues are kept.
inline std::string picture(const State& s) {
  std::string out = std::string(name_of(s.outcome)) + " agents";
  for (const auto& [number, agent] : s.agents)
    out += " " + std::to_string(number) + std::string(signal::name_of(agent.role)) +
           std::to_string(agent.task) + "s" + std::to_string(agent.session);
  out += " merging " + std::to_string(s.merging) + " round " + std::to_string(s.remediation.round) +
         "/" + std::to_string(static_cast<int>(s.remediation.step)) + "/" +
         std::to_string(s.remediation.attempt) + " runs " + std::to_string(s.dispatched) + "\n";
  for (const TaskState& t : s.tasks) {
    out += t.task.id + " " + std::string(name_of(t.stage)) + " " + std::string(name_of(t.hold)) +
           " " + std::to_string(t.agent) + " " + std::string(name_of(t.why)) + " [" + t.context +
           "] q" + std::to_string(t.questions) + " blockers " + std::to_string(t.open_blockers);
    for (const int failures : t.failures) out += " " + std::to_string(failures);
    for (const int file : t.held) out += " " + s.files[file].name;
    out += "\n";
  }
  for (const Question& q : s.questions)
    out += std::to_string(q.number) + q.text + (q.closed ? " closed\n" : " open\n");
  for (int busy : s.busy) out += std::to_string(busy) + " ";
  return out;
}

struct Desk {
  State state;
  std::vector<DeliveryFact> journal;
  std::vector<Command> commands;  // of the newest turn

  explicit Desk(std::vector<Task> tasks, Slots slots = {}, Limits limits = {},
                std::vector<std::string> experts = {}) {
    DeliveryStarted start;
    start.tasks = std::move(tasks);
    start.slots = slots;
    start.limits = limits;
    start.known_experts = std::move(experts);
    give(start);
    give(VerifyFinished{VerifyPurpose::baseline, {}, ""});
  }
  // Starts nothing: for tests that begin by themselves.
  Desk() = default;

  void give(const DeliveryFact& fact) { give_all({fact}); }
  void give_all(const std::vector<DeliveryFact>& facts) {
    Turn turn = advance(state, facts);
    journal.insert(journal.end(), turn.facts.begin(), turn.facts.end());
    commands = std::move(turn.commands);
    EXPECT_EQ(picture(replayed()), picture(state));
  }
  State replayed() const {
    State again;
    for (const DeliveryFact& fact : journal) {
      const auto read = read_fact(kind_of(fact), body_of(fact));
      EXPECT_TRUE(read) << kind_of(fact);
      if (read) delivery::apply(again, *read);
    }
    again.announcements.clear();
    return again;
  }
  // The coordinator dies, and is started again.
  void crash() {
    state = replayed();
    give(DeliveryResumed{state.slots, state.limits, false});
  }

  const TaskState& operator[](const std::string& id) const {
    return state.tasks[state.index.at(id)];
  }
  int agent_of(const std::string& id) const { return (*this)[id].agent; }
  // The agent without a task (remediation, health auditor, plan analyst) or an expert; 0: none.
  int agent_of(Role role) const {
    for (const auto& [number, agent] : state.agents)
      if (agent.role == role) return number;
    return 0;
  }

  static AgentFinished output(int agent, Signal signal, std::vector<Field> fields = {},
                              std::string argument = "") {
    AgentFinished f;
    f.agent = agent;
    f.signal = signal;
    f.argument = std::move(argument);
    f.fields = std::move(fields);
    f.preview = "what it printed";
    return f;
  }
  void says(const std::string& id, Signal signal, std::vector<Field> fields = {},
            std::string argument = "") {
    ASSERT_NE(agent_of(id), 0) << "no agent works on " << id << "\n" << picture(state);
    give(output(agent_of(id), signal, std::move(fields), std::move(argument)));
  }
  void says(Role role, Signal signal, std::vector<Field> fields = {}, std::string argument = "") {
    ASSERT_NE(agent_of(role), 0) << picture(state);
    give(output(agent_of(role), signal, std::move(fields), std::move(argument)));
  }
  void dies(const std::string& id, Fault fault = Fault::timed_out) {
    AgentFinished f = output(agent_of(id), Signal::unknown);
    f.fault = fault;
    f.detail = "it died";
    give(f);
  }
  void merges(const std::string& id) { give(MergeDone{id, "commit-of-" + id, {}, false}); }
  void answer(int question, const std::string& text) {
    give(QuestionAnswered{question, text, "somebody"});
  }
  // From wherever its developer is to the merge queue.
  void passes(const std::string& id) {
    says(id, Signal::ready_for_review);
    says(id, Signal::review_passed);
    says(id, Signal::audit_passed);
  }
  void completes(const std::string& id) {
    passes(id);
    merges(id);
  }

  template <class T>
  std::vector<T> of() const {
    std::vector<T> found;
    for (const Command& command : commands)
      if (const T* typed = std::get_if<T>(&command)) found.push_back(*typed);
    return found;
  }
  template <class T>
  std::vector<T> facts() const {
    std::vector<T> found;
    for (const DeliveryFact& fact : journal)
      if (const T* typed = std::get_if<T>(&fact)) found.push_back(*typed);
    return found;
  }
  // Who is started by the newest turn: "developer T1", …
  std::vector<std::string> started() const {
    std::vector<std::string> who;
    for (const StartAgent& start : of<StartAgent>())
      who.push_back(std::string(signal::name_of(start.role)) +
                    (start.task.empty() ? "" : " " + start.task));
    return who;
  }
  StartAgent start() const {
    const auto starts = of<StartAgent>();
    EXPECT_EQ(starts.size(), 1u) << picture(state);
    return starts.empty() ? StartAgent{} : starts.back();
  }
};

using Words = std::vector<std::string>;

}  // namespace capsule::delivery
