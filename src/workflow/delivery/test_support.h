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
         std::to_string(s.remediation.attempt) + " runs " + std::to_string(s.dispatched) + " of " +
         std::to_string(s.history.size()) + "\n";
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
  out += "\ntrees";
  for (const std::string& tree : s.trees) out += " " + tree;
  out += " unclosed";
  for (const std::string& id : unclosed(s)) out += " " + id;
  out += " to settle";
  for (const auto& [tree, role] : s.to_settle)
    out += " " + tree + "/" + std::string(signal::name_of(role));
  return out;
}

// How the world tells of what a test states as a fact. Not of facts that a person gives.
inline Observation observation_of(const State& s, const DeliveryFact& fact) {
  if (const auto* f = std::get_if<AgentFinished>(&fact)) {
    workflow::AgentFinished o;
    o.agent = f->agent;
    o.fault = f->fault;
    o.detail = f->detail;
    o.preview = f->preview;
    o.log = f->log;
    o.missed = {f->miss, f->missed_line};
    o.duration_ms = f->duration_ms;
    o.cost_micros = f->cost_micros;
    if (f->wrote) o.took_back = {"a.c"};
    workflow::LineWords words{f->signal, f->argument, f->more, {}};
    for (const Field& field : f->fields) words.fields.push_back({field.label, field.text});
    o.words = std::move(words);
    return o;
  }
  if (const auto* f = std::get_if<AgentIdle>(&fact)) return workflow::AgentIdle{f->agent};
  if (const auto* f = std::get_if<MergeDone>(&fact))
    return workflow::Merged{f->task, f->commit, f->files, f->adopted, false, {}, {}};
  if (const auto* f = std::get_if<MergeRefused>(&fact))
    return workflow::MergeRefused{f->task,    f->why,        f->detail, f->failed,
                                  f->guarded, f->guard_stat, f->main};
  if (const auto* f = std::get_if<QuestionAnswered>(&fact))
    return workflow::Answered{f->question, f->text, f->by};
  if (const auto* f = std::get_if<FileWaitExpired>(&fact))
    return workflow::TimerFired{f->task, f->wait};
  const auto& f = std::get<VerifyFinished>(fact);
  const bool baseline = f.purpose == VerifyPurpose::baseline;
  if (!baseline && s.remediation.step == Remediation::Step::merging) {
    const std::string tree = "+remediation-" + std::to_string(s.remediation.round);
    if (introduced(s, f.failures).empty())
      return workflow::Merged{tree, "repair", {}, false, false, {}, f.failures};
    return workflow::MergeRefused{tree, MergeRefusal::verify_failed, f.detail, f.failures};
  }
  workflow::Checked checked;
  checked.number = baseline ? kBaselineCheck : kHealthCheck;
  checked.failed = f.failures;
  checked.baseline = f.state;
  checked.feedback = f.detail;
  return checked;
}

// A StartAgent with what the fact beside it says.
struct Start : StartAgent {
  Why why{};
  int continue_session_of = 0;  // 0: a new session
  std::string context, notices, request;
};

struct Desk {
  State state;
  std::vector<DeliveryFact> journal;
  std::vector<Command> commands;  // of the newest turn, but those that answer themselves
  bool answers_itself = true;     // beads are closed, and trees settled and removed, at once

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
    std::vector<DeliveryFact> given;
    std::vector<Observation> observations;
    for (const DeliveryFact& fact : facts) {
      const bool persons = std::holds_alternative<DeliveryStarted>(fact) ||
                           std::holds_alternative<DeliveryResumed>(fact) ||
                           std::holds_alternative<PlanChanged>(fact);
      if (persons)
        given.push_back(fact);
      else
        observations.push_back(observation_of(state, fact));
    }
    commands.clear();
    take(given, observations);
  }
  void see(const Observation& observation) {
    commands.clear();
    take({}, {observation});
  }
  void take(const std::vector<DeliveryFact>& given, const std::vector<Observation>& observations) {
    Turn turn = advance(state, given, observations);
    journal.insert(journal.end(), turn.facts.begin(), turn.facts.end());
    EXPECT_EQ(picture(replayed()), picture(state));
    std::vector<Observation> answers;
    for (Command& command : turn.commands)
      if (!answers_itself || !answer_to(command, answers)) commands.push_back(std::move(command));
    if (!answers.empty()) take({}, answers);
  }
  static bool answer_to(const Command& command, std::vector<Observation>& answers) {
    if (const auto* close = std::get_if<CloseTask>(&command)) {
      answers.emplace_back(workflow::TaskClosed{close->task});
    } else if (const auto* remove = std::get_if<RemoveTree>(&command)) {
      answers.emplace_back(workflow::TreeRemoved{remove->tree});
    } else if (const auto* keep = std::get_if<Keep>(&command)) {
      answers.emplace_back(workflow::Kept{keep->tree, "", "", "", ""});
    } else if (const auto* back = std::get_if<TakeBack>(&command)) {
      answers.emplace_back(workflow::TakenBack{back->tree, {}});
    } else {
      return false;
    }
    return true;
  }
  State replayed() const {
    State again;
    again.run = state.run;
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
  // One that waits for a person: what it was asked again is no news.
  bool is_silent() const {
    return std::all_of(commands.begin(), commands.end(),
                       [](const Command& each) { return std::holds_alternative<Ask>(each); });
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
  std::vector<Start> starts() const {
    std::vector<Start> all;
    for (const StartAgent& command : of<StartAgent>()) {
      Start start{command,
                  {},
                  0,
                  value(command, "CONTEXT"),
                  value(command, "NOTICES"),
                  value(command, "REQUEST")};
      for (const AgentDispatched& fact : facts<AgentDispatched>()) {
        if (fact.agent != command.agent) continue;
        start.why = fact.why;
        start.continue_session_of = fact.session == fact.agent ? 0 : fact.session;
        EXPECT_EQ(command.resume, start.continue_session_of != 0);
        EXPECT_EQ(command.session, workflow::session_id(state.run, fact.session));
      }
      all.push_back(std::move(start));
    }
    return all;
  }
  static std::string value(const StartAgent& command, std::string_view name) {
    for (const workflow::Variable& each : command.prompt.values)
      if (each.name == name) return each.text;
    ADD_FAILURE() << "no " << name;
    return {};
  }
  // Who is started by the newest turn: "developer T1", …
  std::vector<std::string> started() const {
    std::vector<std::string> who;
    for (const StartAgent& start : of<StartAgent>())
      who.push_back(start.role + (start.task.empty() ? "" : " " + start.task));
    return who;
  }
  Start start() const {
    const auto all = starts();
    EXPECT_EQ(all.size(), 1u) << picture(state);
    return all.empty() ? Start{} : all.back();
  }
};

using Words = std::vector<std::string>;

inline int lines(const std::string& text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace capsule::delivery
