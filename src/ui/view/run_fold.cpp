#include "ui/view/run_fold.h"

#include <algorithm>

namespace capsule::view {

namespace supplied_fact = event::supply;

// ---- Seen

void Seen::mark(Mark::Kind kind, const event::Fact& fact, std::string task, std::string text) {
  marks.push_back({kind, {fact.seq, fact.at}, std::move(task), std::move(text)});
}

void Seen::begin(Band::Kind kind, const std::string& at, std::string task, int question) {
  bands.push_back({kind, std::move(task), question, at, ""});
}

void Seen::end(Band::Kind kind, const std::string& at, int question) {
  for (Band& band : bands)
    if (band.kind == kind && band.question == question && band.ended.empty()) band.ended = at;
}

void Seen::asked(int question, int agent, const std::string& task, const std::string& text,
                 const event::Fact& fact) {
  questions[question] = {fact.at, agent};
  begin(Band::Kind::person, fact.at, task, question);
  mark(Mark::Kind::asked, fact, task, text);
}

void Seen::answered(int question, const std::string& task, const std::string& text,
                    const event::Fact& fact) {
  end(Band::Kind::person, fact.at, question);
  mark(Mark::Kind::answered, fact, task, text);
}

void Seen::still(int agent, bool still, const std::string& at) {
  std::string& since = agents[agent].idle;
  if (!still)
    since.clear();
  else if (since.empty())
    since = at;
}

void Seen::resumed(const event::Fact& fact) {
  for (auto& [number, agent] : agents) {
    if (agent.ended.empty()) agent.ended = newest.at;
    agent.idle.clear();
  }
  ended.clear();
  refused.clear();
  mark(Mark::Kind::resumed, fact);
}

// ---- The fold

RunFold::RunFold(engine::RunHead run) : head(std::move(run)) { supply_.run = head.run; }

void RunFold::apply(const event::Fact& fact) {
  supply_.at = fact.at;
  stale = true;
  if (unreadable.empty()) {
    if (event::supply::is_supply(fact.kind)) {
      const auto said = event::supply::read_fact(fact.kind, fact.body);
      if (!said) {
        unreadable = "its facts cannot be read: " + said.error().message;
      } else {
        supply::apply(supply_, *said);
        supplied(*said, fact);
      }
    } else if (const auto taken = take(fact); !taken) {
      unreadable = "its facts cannot be read: " + taken.error().message;
    }
  }
  if (seen_.started.empty()) seen_.started = fact.at;
  ++seen_.facts;
  seen_.newest = {fact.seq, fact.at};
}

// Of an agent that waits for something that no workflow knows of.
static constexpr Band::Kind kHeld[] = {Band::Kind::budget, Band::Kind::provider, Band::Kind::disk};

void RunFold::supplied(const event::supply::Fact& said, const event::Fact& fact) {
  if (const auto* still = std::get_if<supplied_fact::AgentStill>(&said)) {
    seen_.still(still->agent, still->still, fact.at);
  } else if (const auto* used = std::get_if<supplied_fact::AgentUsed>(&said)) {
    seen_.still(used->agent, false, fact.at);
    if (seen_.days.empty() || seen_.days.back().day != used->day) {
      seen_.days.push_back({});
      seen_.days.back().day = used->day;
    }
    Day& day = seen_.days.back();
    ++day.calls;
    day.cost_micros += used->use.cost_micros;
    day.tokens += used->use.input + used->use.output + used->use.cache_written;
    if (!used->use.cost_known) ++day.calls_without_cost;
  } else if (const auto* held = std::get_if<supplied_fact::AgentHeld>(&said)) {
    using supplied_fact::Hold;
    const Band::Kind kind = held->why == Hold::budget ? Band::Kind::budget
                            : held->why == Hold::disk ? Band::Kind::disk
                                                      : Band::Kind::provider;
    for (const Band::Kind before : kHeld) seen_.end(before, fact.at, -held->agent);
    if (held->why != supplied_fact::Hold::slot)
      seen_.begin(kind, fact.at, held->task, -held->agent);
  } else if (const auto* released = std::get_if<supplied_fact::AgentReleased>(&said)) {
    for (const Band::Kind before : kHeld) seen_.end(before, fact.at, -released->agent);
  } else if (const auto* asked = std::get_if<supplied_fact::PersonAsked>(&said)) {
    seen_.asked(asked->question, 0, asked->task, asked->text, fact);
  } else if (const auto* answer = std::get_if<supplied_fact::PersonAnswered>(&said)) {
    seen_.answered(answer->question, "", answer->text, fact);
  } else if (const auto* message = std::get_if<supplied_fact::MessageGiven>(&said)) {
    seen_.messages[message->id] = fact.at;
    seen_.mark(Mark::Kind::told, fact, message->task, message->text);
  }
}

workflow::RunSummary RunFold::summary() const {
  workflow::RunSummary summary;
  if (unreadable.empty()) {
    summary = own_summary();
    supply::complete(summary, supply_);
    return summary;
  }
  summary.workflow = head.workflow;
  summary.subject = head.subject;
  summary.outcome = head.outcome;
  // Who knows what it would still need.
  summary.can_go_on = true;
  return summary;
}

// ---- What is shown

namespace {

Life life_of(const RunFold& fold, const workflow::RunSummary& summary) {
  switch (engine::state_of(fold.head, summary, fold.holder.has_value(), fold.unreadable.empty())) {
    case engine::RunState::running:
      return Life::working;
    case engine::RunState::cut_off:
      return Life::cut_off;
    case engine::RunState::waiting:
      return Life::waiting;
    case engine::RunState::paused:
      return Life::paused;
    case engine::RunState::ended:
      break;
  }
  // A run of phases ends when a person has it stop.
  return summary.outcome == engine::kPaused ? Life::paused : Life::ended;
}

void take_summary(Run& run, workflow::RunSummary& summary) {
  if (!summary.workflow.empty()) run.workflow = summary.workflow;
  run.title = summary.title;
  run.provider = summary.provider;
  run.standing = summary.standing;
  run.outcome = summary.outcome;
  run.detail = summary.detail;
  run.now = summary.now;
  run.can_go_on = summary.can_go_on;
  run.merged_as = summary.merged_as;
  run.on_branch = summary.on_branch;
  run.evidence = summary.evidence;
  run.ground = summary.ground;
  for (const workflow::SelfRunningSummary& changed : summary.self_running)
    run.to_know.push_back((changed.task.empty() ? "" : changed.task + ": ") +
                          workflow::self_running_words(changed));
  run.contained = summary.contained;
  run.refused = summary.refused;
  run.refused_others = summary.refused_others;
  run.usage = summary.usage;
  run.remarks = remarks_of(summary);
  for (workflow::TreeSummary& tree : summary.trees)
    run.trees.push_back({tree.task, tree.folder, tree.branch});
}

}  // namespace

std::optional<workflow::AgentSummary> newest_of(const std::vector<workflow::AgentSummary>& agents,
                                                int number) {
  const auto found = std::find_if(agents.rbegin(), agents.rend(),
                                  [&](const auto& agent) { return agent.number == number; });
  if (found == agents.rend()) return std::nullopt;
  return *found;
}

Attempt RunFold::row_of(const workflow::AgentSummary& agent, bool ended) const {
  Attempt row = attempt_of(agent);
  row.running &= !ended;
  if (const auto found = seen_.agents.find(agent.number); found != seen_.agents.end()) {
    const Seen::Agent& noted = found->second;
    row.began = noted.began;
    // A clock that was put back makes nothing end before it began.
    row.ended = row.running || noted.ended.empty() ? "" : std::max(noted.began, noted.ended);
    row.why = noted.why;
    row.snapshot = noted.snapshot;
    row.idle = row.running ? noted.idle : "";
    row.checks = noted.checks;
  }
  if (const auto known = supply_.agents.find(agent.number); known != supply_.agents.end())
    row.held = row.running && known->second.hold != supply::Hold::none;
  if (const auto now = doing.find(agent.number); now != doing.end() && row.running)
    row.doing = now->second;
  if (const auto grown = printed.find(agent.number); grown != printed.end() && row.running)
    row.printed = grown->second;
  return row;
}

std::optional<Attempt> RunFold::attempt(int agent) const {
  if (!unreadable.empty()) return std::nullopt;
  std::optional<workflow::AgentSummary> found = own_agent(agent);
  if (!found) return std::nullopt;
  supply::complete(*found, supply_);
  return row_of(*found, over());
}

void RunFold::add_attempts(Run& run, const workflow::RunSummary& summary) const {
  std::map<int, std::size_t> places;
  for (const workflow::AgentSummary& agent : summary.agents) {
    Attempt row = row_of(agent, !summary.outcome.empty());
    if (row.running && !row.held && holder) ++run.at_work;
    places[agent.number] = run.attempts.size();
    run.attempts.push_back(std::move(row));
  }
  for (const workflow::ClaimSummary& claim : summary.claims) {
    const auto found = places.find(claim.agent);
    (found == places.end() ? run.claims : run.attempts[found->second].claims)
        .push_back(claim.claim);
  }
}

void RunFold::add_waits(Run& run, const workflow::RunSummary& summary) const {
  for (const workflow::Waiting& waiting : summary.waits) {
    Wait wait;
    wait.kind = waiting.what;
    wait.task = waiting.task;
    wait.what = waiting.on;
    wait.holder = waiting.by;
    wait.question = waiting.question;
    wait.until = waiting.until;
    wait.fault = waiting.fault;
    wait.since = waiting.since;
    wait.text = waiting.text;
    wait.context = waiting.context;
    wait.word = waiting.kind;
    wait.about = waiting.about;
    wait.options = waiting.options;
    if (const auto asked = seen_.questions.find(waiting.question); asked != seen_.questions.end())
      wait.agent = asked->second.agent;
    else if (wait.kind == workflow::Waiting::For::provider ||
             wait.kind == workflow::Waiting::For::budget ||
             (wait.kind == workflow::Waiting::For::disk && !wait.task.empty()))
      for (const Attempt& attempt : run.attempts)
        if (attempt.held && attempt.task == waiting.task) wait.agent = attempt.agent;
    // Nobody began some of them: the newest fact about the task did.
    if (const auto work = seen_.tasks.find(waiting.task);
        wait.since.empty() && work != seen_.tasks.end())
      wait.since = work->second.since;
    if (wait.since.empty()) wait.since = run.started;
    run.waits.push_back(std::move(wait));
  }
}

void RunFold::show(Run& run, std::vector<Item>& items) const {
  run = {};
  run.run = head.run;
  run.workflow = head.workflow;
  run.subject = head.subject;
  run.name = name_for(head);
  run.started = head.started_at.empty() ? seen_.started : head.started_at;
  run.unreadable = unreadable;
  run.superseded = superseded;
  run.facts = seen_.facts;
  run.newest = seen_.newest;
  run.bands = seen_.bands;
  for (Band& band : run.bands)
    if (!band.ended.empty()) band.ended = std::max(band.began, band.ended);
  run.marks = seen_.marks;
  run.days = seen_.days;
  run.baseline = seen_.baseline;
  run.baseline_checks = seen_.baseline_checks;
  run.unchecked = seen_.unchecked;
  run.archive = seen_.archive;
  if (holder) run.holder = Holder{holder->process.pid, holder->process.host, holder->since};
  workflow::RunSummary whole = summary();
  run.life = life_of(*this, whole);
  take_summary(run, whole);
  run.ended = run.outcome.empty() ? "" : seen_.ended.empty() ? head.ended_at : seen_.ended;
  for (const workflow::MessageSummary& message : whole.messages) {
    const auto at = seen_.messages.find(message.id);
    run.messages.push_back({message.id, message.task, message.text, message.by,
                            at == seen_.messages.end() ? "" : at->second, message.agent,
                            message.role, message.live, message.heard});
  }
  add_attempts(run, whole);
  add_waits(run, whole);
  if (unreadable.empty()) add(run, whole);
  const bool rests = run.life == Life::ended || run.life == Life::paused;
  run.since = rests && !run.ended.empty()          ? run.ended
              : rests || run.life == Life::cut_off ? run.newest.at
                                                   : run.started;
  if (run.life == Life::waiting && !run.waits.empty()) {
    run.since.clear();
    for (const Wait& wait : run.waits) run.since = std::max(run.since, wait.since);
  }
  run.actions = actions_of(run);
  if (!superseded) add_items(run, answered, items);
}

}  // namespace capsule::view
