// What the workflow asks for, before it is done.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "workflow/supply/supply.h"

namespace capsule::supply {
namespace {

using namespace workflow;  // NOLINT: the vocabulary of commands
using Again = Wanted::Again;

constexpr const char* kGoOn =
    "You were interrupted, and not by anything you did. Look at what you have done so far, go on "
    "where you were, and end as you were told to, with your signal.";

std::string in_prompt(const std::string& text) {
  return "\n\n---\n\n## From the person who runs this\n\nIt goes before what stands above, where "
         "the "
         "two differ:\n\n" +
         text + "\n";
}

// What it says last must still hold its signal.
std::string while_it_works(const std::string& text) {
  return "From the person who runs this; it goes before what you were told earlier, where the two "
         "differ:\n\n" +
         text +
         "\n\nGo on with your work, and end as you were told to: your last words hold your signal.";
}

Words nothing_said(Dialect dialect) {
  switch (dialect) {
    case Dialect::line:
      return LineWords{};
    case Dialect::block:
      return BlockWords{};
    case Dialect::verdict:
      return VerdictWords{};
    case Dialect::contract:
      break;
  }
  return ContractWords{};
}

bool is_answered(const Command& command) {
  return !(std::holds_alternative<EndAgent>(command) || std::holds_alternative<Ask>(command) ||
           std::holds_alternative<SupplyOrder>(command));
}

// One that ended by a fault is gone on with once, where it had really begun.
bool may_go_on(const SessionRecord& session) {
  return session.faults == 0 || (session.faults == 1 && session.answered);
}

std::string provider_question(const std::string& provider, const Parking& parking) {
  const std::string name = printable(provider);
  std::string text;
  switch (parking.fault) {
    case Fault::unauthorised:
      text = name + " is not authorised at its service: log in, or set its key.";
      break;
    case Fault::no_credit:
      text = name + " has no credit left at its service.";
      break;
    default:
      text = "The service of " + name + " has failed too often in a row (" +
             std::string(event::name_of(parking.fault)) + ").";
  }
  return text + " No agent of " + name +
         " starts until then: answer 'go on' once it is mended; 'stop' ends the run at its next "
         "border.";
}

}  // namespace

std::vector<Observation> Turn::settle(std::vector<Command> asked) {
  commands.reserve(commands.size() + asked.size());
  for (Command& command : asked) ask_for(std::move(command));
  std::vector<int> waiting;
  for (const auto& [agent, wanted] : now_.wanted)
    if (!wanted.working) waiting.push_back(agent);
  for (const int agent : waiting)
    if (const auto found = now_.wanted.find(agent); found != now_.wanted.end())
      decide(agent, found->second);
  watch_budgets();
  watch_disk();
  ask_about_providers();
  steer();
  set_alarm();
  return std::exchange(heard_, {});
}

void Turn::ask_for(Command&& command) {
  if (auto* start = std::get_if<StartAgent>(&command)) {
    Wanted& wanted = now_.wanted[start->agent];
    wanted = {};
    wanted.start = std::move(*start);
    return;
  }
  if (const auto* end = std::get_if<EndAgent>(&command)) {
    const auto found = now_.wanted.find(end->agent);
    if (found != now_.wanted.end() && !found->second.working)
      return give_up(end->agent, Fault::idle, "was ended before it began");
    if (found != now_.wanted.end()) {
      found->second.ending = true;
      found->second.by = Fault::none;
    }
  }
  if (auto* merge = std::get_if<Merge>(&command); merge != nullptr && policy_.trailers)
    if (const auto found = s_.authors.find(merge->tree); found != s_.authors.end()) {
      for (const std::string& model : found->second.models)
        merge->trailers.push_back("Capsule-Model: " + printable(model));
      for (const std::string& client : found->second.clients)
        merge->trailers.push_back("Capsule-Client: " + printable(client));
    }
  if (is_answered(command)) ++now_.outstanding;
  commands.push_back(std::move(command));
}

bool Turn::is_parked(const std::string& provider) const {
  const auto found = s_.parked.find(provider);
  return found != s_.parked.end() && (found->second.until == 0 || found->second.until > seconds_);
}

// One agent goes first, and the others follow once it was answered or has worked for a while: when
// the provider is not really free, that costs one request and not one for each of them.
std::int64_t Turn::tried_until(const std::string& provider) const {
  if (!s_.on_trial.contains(provider)) return 0;
  std::int64_t until = 0;
  for (const auto& [agent, wanted] : now_.wanted) {
    if (!wanted.working || !wanted.on_trial || wanted.provider != provider) continue;
    const std::int64_t enough = wanted.began + policy_.trial_s;
    if (replied(wanted.use) == Replied::yes || enough <= seconds_) return 0;
    until = until == 0 ? enough : std::min(until, enough);
  }
  return until;
}

void Turn::decide(int agent, Wanted& wanted) {
  const std::vector<Choice> choices = choices_for(policy_, wanted.start);
  if (s_.disk.room != fact::Room::enough)
    return hold(agent, wanted, Hold::disk, 0, choices.front().provider);
  if (const auto key = blocked_by(wanted.start.task)) {
    hold(agent, wanted, Hold::budget, key->first == Scope::day ? day_ends() : 0,
         choices.front().provider, key->first == Scope::task);
    if (now_.wanted.contains(agent)) ask_about_budget(*key);
    return;
  }
  std::int64_t earliest = 0;
  std::string first_free;
  const AgentRecord& known = record_of(s_, agent);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    Choice choice = choices[i];
    // Where nothing is configured, it is who it was.
    if (choice.provider.empty()) choice.provider = known.provider;
    if (is_parked(choice.provider)) {
      const std::int64_t until = s_.parked.at(choice.provider).until;
      if (until != 0 && (earliest == 0 || until < earliest)) {
        earliest = until;
        first_free = choice.provider;
      }
      continue;
    }
    std::int64_t pause = failures_of(s_, agent, choice.provider).pause;
    if (const auto after = s_.not_before.find(choice.provider); after != s_.not_before.end())
      pause = std::max(pause, after->second);
    if (pause > seconds_) return hold(agent, wanted, Hold::pause, pause, choice.provider);
    if (const std::int64_t until = tried_until(choice.provider); until > 0)
      return hold(agent, wanted, Hold::trial, until, choice.provider);
    if (lane_is_full(wanted.start)) return hold(agent, wanted, Hold::slot, 0, choice.provider);
    return start(agent, wanted, i, choice);
  }
  if (earliest != 0) return hold(agent, wanted, Hold::parked, earliest, first_free);
  hold(agent, wanted, Hold::person, 0,
       choices.front().provider.empty() ? known.provider : choices.front().provider);
}

// Others may have begun in its place while it waited.
bool Turn::lane_is_full(const StartAgent& start) const {
  return !start.lane.empty() &&
         std::count_if(now_.wanted.begin(), now_.wanted.end(), [&](const auto& one) {
           return one.second.working && one.second.start.lane == start.lane;
         }) >= start.at_once;
}

// Whoever fills the disk up to its end takes the journal with it, and the work of all others.
void Turn::watch_disk() {
  if (s_.disk.room != fact::Room::none) return;
  for (auto& [agent, wanted] : now_.wanted) {
    if (!wanted.working || wanted.ending) continue;
    wanted.ending = true;
    wanted.by = Fault::no_space;
    commands.emplace_back(EndAgent{agent});
  }
}

void Turn::tell_waits(int agent, Wanted& wanted, bool waits, bool alone) {
  if (wanted.start.lane.empty()) return;
  if (wanted.told_waiting == waits && wanted.told_alone == alone) return;
  wanted.told_waiting = waits;
  wanted.told_alone = alone;
  heard_.emplace_back(AgentWaits{agent, waits, alone});
}

void Turn::hold(int agent, Wanted& wanted, Hold why, std::int64_t until,
                const std::string& provider, bool alone) {
  if (now_.stop) return give_up(agent, Fault::interrupted, "would have to wait, and the run stops");
  // One that only others keep from its place has it again as soon as one of them ends.
  tell_waits(agent, wanted, why != Hold::slot, alone);
  wanted.provider = provider;
  const AgentRecord& known = record_of(s_, agent);
  if (known.hold == why && known.until == until && known.held_by == provider) return;
  // Where its first call is not even tried, the client will not know its session.
  const bool unbegun = wanted.again == Again::no && !wanted.start.resume &&
                       !s_.sessions.contains(wanted.start.session);
  record(fact::AgentHeld{agent, wanted.start.task, wanted.start.role, provider, why, until,
                         unbegun ? wanted.start.session : ""});
}

StartAgent Turn::call_for(int agent, const Wanted& wanted, std::size_t index,
                          const Choice& choice) const {
  StartAgent call = wanted.start;
  if (index > 0) {
    call.provider = choice.provider;
    call.model = choice.model;
  }
  call.again = wanted.again != Again::no;
  // The newest main was brought in when it was first called.
  if (call.again) call.bring_main = BringMain::no;
  if (call.session.empty()) return call;
  const auto new_id = [&] {
    return session_id(s_.run + "#" + std::to_string(record_of(s_, agent).calls + 1), agent);
  };
  const auto known = s_.sessions.find(call.session);
  const bool has_it = known != s_.sessions.end() && known->second.provider == choice.provider;
  const auto begin_anew = [&] {
    call.resume = call.anew = true;
    call.client_session = new_id();
  };
  const auto resume = [&] {
    call.resume = true;
    if (known->second.session != call.session) call.client_session = known->second.session;
  };
  switch (wanted.again) {
    case Again::anew:
      begin_anew();
      break;
    case Again::go_on:
      has_it ? resume() : begin_anew();
      break;
    case Again::no:
    case Again::same:
      if (!call.resume) {
        // The client may have that one already.
        if (known != s_.sessions.end()) call.client_session = new_id();
      } else if (s_.unbegun.contains(call.session)) {
        call.resume = false;
      } else if (known != s_.sessions.end()) {
        has_it&& may_go_on(known->second) ? resume() : begin_anew();
      } else if (index > 0) {
        begin_anew();
      }
  }
  return call;
}

void Turn::start(int agent, Wanted& wanted, std::size_t index, const Choice& choice) {
  const std::size_t told = wanted.start.prompt.appended.size();
  const bool was_held = record_of(s_, agent).hold != Hold::none;
  add_messages(agent, wanted);
  const std::string words = wanted.start.prompt.appended.substr(told);
  if (!wanted.start.prompt.follow_up.empty()) wanted.start.prompt.follow_up += words;
  StartAgent call = call_for(agent, wanted, index, choice);
  if (wanted.again == Again::go_on && call.resume && !call.anew) {
    call.prompt.follow_up = kGoOn + words;
    call.prompt.feedback.clear();  // it was told
  }
  const auto known = s_.sessions.find(call.session);
  wanted.after_fault =
      known != s_.sessions.end() && call.resume && !call.anew && known->second.faults > 0;
  const bool begins = s_.unbegun.contains(call.session);
  wanted.provider = choice.provider;
  wanted.asked_model = choice.model;
  if (was_held || index > 0 || begins)
    record(fact::AgentReleased{agent, choice.provider, choice.model, index > 0,
                               begins ? call.session : ""});
  tell_waits(agent, wanted, false, false);
  wanted.working = true;
  wanted.ending = false;
  wanted.by = Fault::none;
  wanted.use = {};
  wanted.began = seconds_;
  wanted.on_trial = s_.on_trial.contains(choice.provider);
  ++now_.outstanding;
  // Its prompt is the largest part of an agent, and nobody asks again what it was.
  workflow::Prompt prompt = std::exchange(call.prompt, {});
  wanted.given = call;
  call.prompt = std::move(prompt);
  commands.emplace_back(std::move(call));
}

// What an agent that was cut off was told, it has not heard.
void Turn::add_messages(int agent, Wanted& wanted) {
  for (const Message& message : std::vector<Message>(s_.messages)) {
    if (!message.task.empty() && message.task != wanted.start.task) continue;
    if (message.heard || now_.steering.contains(message.id) || now_.given_here.contains(message.id))
      continue;
    wanted.start.prompt.appended += in_prompt(message.text);
    now_.given_here.insert(message.id);
    if (message.agent != agent) record(fact::MessageDelivered{message.id, agent, false});
  }
}

void Turn::steer() {
  for (const Message& message : s_.messages) {
    if (message.agent != 0 || message.for_next || now_.steering.contains(message.id)) continue;
    for (const auto& [agent, wanted] : now_.wanted) {
      if (!wanted.working || wanted.ending) continue;
      if (!message.task.empty() && message.task != wanted.start.task) continue;
      if (!now_.steered.emplace(message.id, agent).second) continue;
      now_.steering.insert(message.id);
      order({Steer{agent, message.id, while_it_works(message.text)}});
      break;
    }
  }
}

void Turn::on(const Steered& steered) {
  if (now_.steering.erase(steered.message) == 0 || !steered.delivered) return;
  now_.given_here.insert(steered.message);
  record(fact::MessageDelivered{steered.message, steered.agent, true});
  // A call that begins anew, after a fault, has not heard it.
  const auto wanted = now_.wanted.find(steered.agent);
  for (const Message& message : s_.messages)
    if (message.id == steered.message && wanted != now_.wanted.end())
      wanted->second.start.prompt.appended += in_prompt(message.text);
}

// Only people want to know.
void Turn::on(const AgentStands& stands) {
  const auto wanted = now_.wanted.find(stands.agent);
  if (wanted == now_.wanted.end() || !wanted->second.working) return;
  const workflow::StartAgent& start = wanted->second.start;
  record(fact::AgentStill{stands.agent, start.task, start.role, stands.still});
}

void Turn::give_up(int agent, Fault fault, const std::string& why) {
  const auto found = now_.wanted.find(agent);
  if (found == now_.wanted.end()) return;
  AgentFinished finished;
  finished.agent = agent;
  finished.fault = fault;
  finished.detail = why;
  finished.words = nothing_said(found->second.start.dialect);
  finished.held = true;
  now_.wanted.erase(found);
  heard_.emplace_back(std::move(finished));
}

int Turn::new_question() const {
  return s_.questions.empty() ? fact::kFirstQuestion : s_.questions.rbegin()->first + 1;
}

void Turn::put(int number) {
  if (!now_.asked.insert(number).second) return;
  const Question& question = s_.questions.at(number);
  Ask ask;
  ask.question = number;
  ask.task = question.scope == Scope::task ? question.task : "";
  ask.text = question.text;
  if (!question.provider.empty())
    if (const auto parked = s_.parked.find(question.provider); parked != s_.parked.end())
      ask.context = parked->second.words;
  ask.options = question.options;
  commands.emplace_back(std::move(ask));
}

// Of each that somebody needs, and that only a person can free.
void Turn::ask_about_providers() {
  if (s_.parked.empty()) return;
  std::set<std::string> needed;
  for (const auto& [agent, wanted] : now_.wanted) {
    for (const Choice& choice : choices_for(policy_, wanted.start)) needed.insert(choice.provider);
    needed.insert(wanted.provider);
  }
  for (const std::string& provider : needed) {
    const auto parked = s_.parked.find(provider);
    if (parked == s_.parked.end() || parked->second.until != 0) continue;
    int number = 0;
    for (const auto& [open, question] : s_.questions)
      if (question.open && question.provider == provider && !provider.empty()) number = open;
    if (number == 0) {
      number = new_question();
      record(fact::PersonAsked{number,
                               provider,
                               {},
                               "",
                               provider_question(provider, parked->second),
                               {"go on", "stop"}});
    }
    put(number);
  }
}

void Turn::set_alarm() {
  std::int64_t earliest = 0;
  for (const auto& [agent, wanted] : now_.wanted) {
    if (wanted.working) continue;
    const AgentRecord& known = record_of(s_, agent);
    const std::int64_t until = known.hold == Hold::none ? 0 : known.until;
    if (until > 0 && (earliest == 0 || until < earliest)) earliest = until;
  }
  if (earliest == 0) return;
  const bool set = std::any_of(now_.alarms.begin(), now_.alarms.end(),
                               [&](const auto& one) { return one.second <= earliest * 1000; });
  if (set) return;
  const int id = now_.next_alarm++;
  now_.alarms[id] = earliest * 1000;
  order({WakeAt{id, earliest * 1000}});
}

bool waits_for_person(const State& state) {
  const Present& now = state.now;
  if (now.outstanding > 0 || now.wanted.empty()) return false;
  return std::all_of(now.wanted.begin(), now.wanted.end(), [&](const auto& one) {
    const auto agent = state.agents.find(one.first);
    return !one.second.working && agent != state.agents.end() && agent->second.hold != Hold::none &&
           agent->second.until == 0 && agent->second.hold != Hold::disk;
  });
}

}  // namespace capsule::supply
