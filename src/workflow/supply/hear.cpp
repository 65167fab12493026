// What happened, before a workflow hears of it.
#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "base/moment.h"
#include "base/text.h"
#include "signal/vocabulary.h"
#include "workflow/approval.h"
#include "workflow/supply/supply.h"

namespace capsule::supply {
namespace {

using namespace workflow;  // NOLINT: the vocabulary of observations

constexpr std::size_t kWordsBytes = 300;
// A service that names a time further away than this has said something else.
constexpr std::int64_t kFarthestReset = std::int64_t{32} * 24 * 3600;
constexpr std::int64_t kFarthestPause = 3600;
constexpr std::size_t kMessageBytes = std::size_t{64} << 10;

std::string one_line(std::string_view text) {
  text = trimmed(text);
  return printable(cut(text.substr(0, text.find('\n')), kWordsBytes));
}

bool writes(const StartAgent& start) {
  return start.settle == Settle::keep ||
         (start.settle == Settle::leave && start.dialect != Dialect::verdict);
}

bool answers_a_command(const Observation& observation) {
  if (const auto* failed = std::get_if<CommandFailed>(&observation))
    return !std::holds_alternative<Ask>(failed->command);
  return !(std::holds_alternative<AgentFinished>(observation) ||
           std::holds_alternative<AgentIdle>(observation) ||
           std::holds_alternative<Answered>(observation) ||
           std::holds_alternative<StopAsked>(observation) ||
           std::holds_alternative<TakenUp>(observation) ||
           std::holds_alternative<GroundMoved>(observation) ||
           std::holds_alternative<TakeBackAsked>(observation) ||
           std::holds_alternative<SupplyNews>(observation));
}

}  // namespace

Turn::Turn(State& state, const Policy& policy, const std::string& at, Apply apply)
    : s_(state), now_(state.now), policy_(policy), at_(at), apply_(apply) {
  ms_ = milliseconds_of(at).value_or(0);
  seconds_ = ms_ / 1000;
}

void Turn::record(fact::Fact fact) {
  apply_(s_, fact);
  facts_.push_back(std::move(fact));
}

void Turn::order(SupplyOrder order) { commands.emplace_back(std::move(order)); }

std::vector<fact::Fact> Turn::take_facts() { return std::exchange(facts_, {}); }

std::vector<Observation> Turn::hear(std::vector<Observation> observations) {
  if (policy_.given != s_.given) record(fact::WordsGiven{policy_.given});
  std::vector<std::string> over;
  for (const auto& [provider, parking] : s_.parked)
    if (parking.until > 0 && parking.until <= seconds_) over.push_back(provider);
  for (const std::string& provider : over) free(provider, "", false);
  heard_.reserve(observations.size());
  for (Observation& observation : observations) hear_one(std::move(observation));
  return std::exchange(heard_, {});
}

void Turn::hear_one(Observation&& observation) {
  if (answers_a_command(observation)) now_.outstanding = std::max(0, now_.outstanding - 1);
  if (auto* finished = std::get_if<AgentFinished>(&observation)) return on(std::move(*finished));
  if (const auto* news = std::get_if<SupplyNews>(&observation))
    return std::visit([this](const auto& one) { on(one); }, news->what);
  if (const auto* answered = std::get_if<workflow::Answered>(&observation)) {
    if (s_.questions.contains(answered->question)) return answer(answered->question, *answered);
  } else if (const auto* asked = std::get_if<StopAsked>(&observation)) {
    stop(asked->how);
  } else if (const auto* merged = std::get_if<Merged>(&observation)) {
    note(merged->tree, merged->self_running);
  } else if (const auto* tried = std::get_if<MergeTried>(&observation)) {
    note(tried->tree, tried->self_running);
  } else if (const auto* idle = std::get_if<AgentIdle>(&observation)) {
    // It is being ended.
    if (const auto found = now_.wanted.find(idle->agent);
        found != now_.wanted.end() && found->second.by != Fault::none)
      return;
  } else if (auto* regretted = std::get_if<TakeBackAsked>(&observation)) {
    for (const auto& [agent, wanted] : now_.wanted) {
      // One that the world was to start, and did not, may have been told.
      const bool given = wanted.given.agent != 0;
      if (!wanted.working && !given && wanted.again == Wanted::Again::no &&
          record_of(s_, agent).calls == 0)
        regretted->unbegun.insert(agent);
    }
  } else if (auto* taken_up = std::get_if<TakenUp>(&observation)) {
    // One that was called and never answered has begun nothing either.
    for (const auto& [agent, known] : s_.agents)
      if (known.hold != Hold::none)
        (replied(known.use) == Replied::yes ? taken_up->held : taken_up->unbegun).insert(agent);
  } else if (const auto* failed = std::get_if<CommandFailed>(&observation)) {
    if (const auto* start = std::get_if<StartAgent>(&failed->command)) {
      if (is_put_off(start->agent, *failed)) return;
      now_.wanted.erase(start->agent);
    }
    if (const auto* ask = std::get_if<Ask>(&failed->command);
        ask != nullptr && s_.questions.contains(ask->question))
      return;  // it is open all the same, and can be answered
  }
  heard_.push_back(std::move(observation));
}

// What a person was asked about and what was merged in the end are the same mostly.
void Turn::note(const std::string& tree, const std::vector<event::SelfRunning>& files) {
  fact::SelfRunningChanged changed{tree, files, static_cast<int>(files.size())};
  if (changed.files.size() > kFilesNamed) changed.files.resize(kFilesNamed);
  const auto before = s_.self_running.find(tree);
  const bool known = before == s_.self_running.end() ? files.empty() : before->second == changed;
  if (!known) record(std::move(changed));
}

// Whoever waits ends before the workflow hears of the stop: there is nobody else to end them.
void Turn::stop(Stop how) {
  now_.stop = how;
  std::vector<int> waiting;
  for (const auto& [agent, wanted] : now_.wanted)
    if (!wanted.working) waiting.push_back(agent);
  for (const int agent : waiting) give_up(agent, Fault::interrupted, "waited when the run stopped");
}

fact::AgentUsed Turn::used(const Wanted& wanted, const AgentFinished& finished) const {
  const StartAgent& start = wanted.given;
  const AgentFacts& facts = finished.facts;
  fact::AgentUsed used;
  used.agent = finished.agent;
  used.task = start.task;
  used.role = start.role;
  used.attempt = start.attempt;
  used.provider = wanted.provider.empty() ? facts.provider : wanted.provider;
  used.client = facts.client;
  used.asked_model = facts.asked_model.empty() ? wanted.asked_model : facts.asked_model;
  used.model = facts.model;
  used.session = !facts.session.empty()          ? facts.session
                 : !start.client_session.empty() ? start.client_session
                                                 : start.session;
  used.conversation = start.session;
  if (writes(start)) used.tree = start.tree;
  used.fault = finished.fault;
  used.words = one_line(facts.words);
  used.log = finished.log;
  used.duration_ms = finished.duration_ms;
  used.use = priced(policy_, facts.use, facts.model.empty() ? used.asked_model : facts.model,
                    used.provider);
  used.redacted = facts.redacted;
  used.at = finished.ended_at.empty() ? at_ : finished.ended_at;
  used.day = day();
  return used;
}

void Turn::on(AgentFinished&& finished) {
  const auto found = now_.wanted.find(finished.agent);
  if (found == now_.wanted.end() || !found->second.working) {
    heard_.emplace_back(std::move(finished));
    return;
  }
  Wanted& wanted = found->second;
  touched_.insert(wanted.start.task);
  now_.outstanding = std::max(0, now_.outstanding - 1);
  wanted.working = false;
  fact::AgentUsed call = used(wanted, finished);
  const TokenUse use = call.use;
  if (wanted.provider.empty()) wanted.provider = call.provider;
  // One that never began has used nothing.
  if (finished.fault != Fault::not_started) record(std::move(call));
  const bool ended = wanted.ending && wanted.by == Fault::none;
  if (!ended && swallow(wanted, finished, use)) return;
  // Whoever wanted it ended has no use for what its service said.
  if (of_service(finished.fault) || ended_for_want(finished.fault)) finished.fault = Fault::idle;
  if (use.cost_known) finished.cost_micros = use.cost_micros;
  now_.wanted.erase(found);
  heard_.emplace_back(std::move(finished));
}

// One that was to be ended before it had begun, because money or room is short: its worktree was
// being set up. It comes again, and was never called.
bool Turn::is_put_off(int agent, const CommandFailed& failed) {
  const auto found = now_.wanted.find(agent);
  if (found == now_.wanted.end() || failed.reason == Reason::interrupted) return false;
  Wanted& wanted = found->second;
  if (!wanted.working || wanted.by == Fault::none) return false;
  // Nothing was learnt of the service: its failures in a row are as many as before.
  record(fact::AgentFaulted{agent, wanted.start.task, wanted.start.role, wanted.provider, wanted.by,
                            one_line(failed.detail), failures_of(s_, agent, wanted.provider).tries,
                            0});
  wanted.working = wanted.ending = false;
  wanted.by = Fault::none;
  return true;
}

// Whether the workflow hears nothing of it, because the same agent is tried again.
bool Turn::swallow(Wanted& wanted, const AgentFinished& finished, const TokenUse& use) {
  using Again = Wanted::Again;
  const Fault why = finished.fault;
  const bool has_session = !wanted.start.session.empty();
  const Replied began = replied(use);
  // Whoever was about to be ended, and whose service was quicker, has met a fault of that.
  const bool stopped = why != Fault::none && why != Fault::interrupted && !of_service(why);
  if (wanted.by != Fault::none ? stopped : ended_for_want(why)) {
    AgentFinished over = finished;
    if (wanted.by != Fault::none) over.fault = wanted.by;
    wanted.ending = false;
    wanted.by = Fault::none;
    wanted.again = began == Replied::no ? Again::same : Again::go_on;
    fault(wanted, over, 0, 0);
    return true;
  }
  wanted.ending = false;
  wanted.by = Fault::none;
  const bool went_on = wanted.again == Again::go_on;
  if (of_service(why)) {
    // A session that ended by a fault is gone on with once. Where the service said nothing at all,
    // that says nothing about the session.
    if (began == Replied::no)
      wanted.again = went_on                       ? Again::go_on
                     : wanted.again == Again::anew ? Again::anew
                                                   : Again::same;
    else if (began == Replied::perhaps)
      wanted.again = went_on || !wanted.start.resume ? Again::anew : Again::same;
    else
      wanted.again = went_on ? Again::anew : Again::go_on;
    service_fault(wanted, finished);
    return true;
  }
  if (why == Fault::context_full && has_session && !record_of(s_, finished.agent).began_anew) {
    wanted.again = Again::anew;
    fault(wanted, finished, 0, seconds_);
    return true;
  }
  // The client may not have the session that a fault ended.
  const bool session_lost = went_on || (wanted.after_fault && began != Replied::yes);
  if (session_lost && (why == Fault::exit_status || why == Fault::no_words)) {
    wanted.again = Again::anew;
    fault(wanted, finished, 0, seconds_);
    return true;
  }
  return false;
}

void Turn::fault(const Wanted& wanted, const AgentFinished& finished, int tries,
                 std::int64_t until) {
  record(fact::AgentFaulted{finished.agent, wanted.start.task, wanted.start.role, wanted.provider,
                            finished.fault, one_line(finished.facts.words), tries, until});
}

void Turn::service_fault(Wanted& wanted, const AgentFinished& finished) {
  const std::string& provider = wanted.provider;
  const std::string words = one_line(finished.facts.words);
  const std::int64_t reset = finished.facts.reset_at;
  const int tries = failures_of(s_, finished.agent, provider).tries + 1;
  switch (finished.fault) {
    case Fault::usage_limit: {
      const bool told = reset > seconds_ && reset < seconds_ + kFarthestReset;
      const int guesses = s_.guesses.contains(provider) ? s_.guesses.at(provider) : 0;
      // A little later for each: not all of a machine's agents at the same second.
      const std::int64_t spread =
          1 + static_cast<std::int64_t>(
                  (hash_of(s_.run + "/" + std::to_string(finished.agent)) >> 16) % 5);
      const std::int64_t until = told ? reset + spread : seconds_ + guess_seconds(policy_, guesses);
      const auto parked = s_.parked.find(provider);
      const bool known = parked != s_.parked.end() &&
                         (parked->second.until == 0 || !told || parked->second.until >= reset);
      if (!known) park(provider, until, !told, finished.fault, words, true);
      return fault(wanted, finished, tries, known ? parked->second.until : until);
    }
    case Fault::no_credit:
    case Fault::unauthorised:
      if (const auto parked = s_.parked.find(provider);
          parked == s_.parked.end() || parked->second.until != 0)
        park(provider, 0, false, finished.fault, words, true);
      return fault(wanted, finished, tries, 0);
    default:
      break;
  }
  const bool silent = finished.fault == Fault::no_answer;
  if (tries < (silent ? std::min(policy_.unanswered, policy_.tries) : policy_.tries)) {
    const std::int64_t after = ms_ + pause_ms(policy_, s_.run, finished.agent, tries);
    std::int64_t until = (after + 999) / 1000;
    if (reset > until) until = std::min(reset, seconds_ + kFarthestPause);
    return fault(wanted, finished, tries, until);
  }
  // Too often. Where somebody else can take over, it may well work again later.
  bool others = false;
  for (const Choice& choice : choices_for(policy_, wanted.start))
    others |= choice.provider != provider;
  std::int64_t until = 0;
  if (const auto parked = s_.parked.find(provider); parked != s_.parked.end()) {
    until = parked->second.until;
  } else {
    const int guesses = s_.guesses.contains(provider) ? s_.guesses.at(provider) : 0;
    // Silence may be a wait that its client was told of, and tells nobody.
    const bool later = others || (silent && guesses < policy_.silent_guesses);
    if (later) until = seconds_ + guess_seconds(policy_, guesses);
    park(provider, until, later, finished.fault, words, false);
  }
  fault(wanted, finished, tries, until);
}

void Turn::park(const std::string& provider, std::int64_t until, bool guessed, Fault fault,
                const std::string& words, bool tell) {
  record(fact::ProviderParked{provider, until, guessed, fault, words, false});
  if (tell) order({Park{provider, until, guessed, fault, words}});
}

// Somebody waits for a while after a fault of this provider's service.
bool Turn::is_paused_for(const std::string& provider) const {
  return std::any_of(now_.wanted.begin(), now_.wanted.end(), [&](const auto& one) {
    const AgentRecord& known = record_of(s_, one.first);
    return !one.second.working && known.hold == Hold::pause && known.held_by == provider;
  });
}

void Turn::free(const std::string& provider, const std::string& by, bool tell) {
  if (!s_.parked.contains(provider) && (by.empty() || !is_paused_for(provider))) return;
  const auto lifts = s_.lifts.find(provider);
  std::int64_t after = 0;
  if (!by.empty() && lifts != s_.lifts.end())
    after = (ms_ + pause_ms(policy_, s_.run, 0, lifts->second) + 999) / 1000;
  record(fact::ProviderFree{provider, by, after});
  if (tell) order({Unpark{provider}});
  std::vector<int> open;
  for (const auto& [number, question] : s_.questions)
    if (question.open && question.provider == provider && !provider.empty()) open.push_back(number);
  for (const int number : open) record(fact::PersonAnswered{number, "go on", by});
}

void Turn::on(const workflow::Contained& contained) {
  if (std::find(s_.contained.begin(), s_.contained.end(), contained) == s_.contained.end())
    record(contained);
}

void Turn::on(const workflow::HostsRefused& refused) { record(refused); }

void Turn::on(const workflow::DiskStands& stands) {
  if (stands.room != s_.disk.room) record(stands);
}

void Turn::on(const Woken& woken) { now_.alarms.erase(woken.id); }

void Turn::on(const ParkedElsewhere& parked) {
  if (parked.provider.empty() || !knows(policy_, parked.provider)) return;
  if (parked.until != 0 && parked.until <= seconds_) return;
  const auto known = s_.parked.find(parked.provider);
  // What lasts longer counts.
  if (known != s_.parked.end() &&
      (known->second.until == 0 || (parked.until != 0 && parked.until <= known->second.until)))
    return;
  record(fact::ProviderParked{parked.provider, parked.until, parked.guessed, parked.fault,
                              one_line(parked.words), true});
}

void Turn::on(const FreedElsewhere& freed) {
  free(freed.provider, freed.by.empty() ? "another run" : one_line(freed.by), false);
}

void Turn::on(const AgentSpends& spends) {
  const auto found = now_.wanted.find(spends.agent);
  if (found == now_.wanted.end() || !found->second.working) return;
  Wanted& wanted = found->second;
  wanted.use = priced(policy_, spends.use, spends.model.empty() ? wanted.asked_model : spends.model,
                      wanted.provider);
}

void Turn::on(const SpentElsewhere& spent) {
  now_.spent_elsewhere = spent.cost_micros;
  now_.day = spent.day;
  now_.day_ends = spent.day_ends;
}

// Its session is not told: the workflow decides whether what was cut off goes on.
void Turn::on(const CutOff& cut_off) {
  const AgentFacts& facts = cut_off.facts;
  fact::AgentUsed used;
  used.agent = cut_off.agent;
  used.task = cut_off.task;
  used.role = cut_off.role;
  used.attempt = cut_off.attempt;
  used.provider = facts.provider;
  used.client = facts.client;
  used.asked_model = facts.asked_model;
  used.model = facts.model;
  used.session = facts.session;
  used.fault = Fault::lost;
  used.words = one_line(facts.words);
  used.log = cut_off.log;
  used.use = priced(policy_, facts.use, facts.model.empty() ? facts.asked_model : facts.model,
                    facts.provider);
  used.at = cut_off.ended_at.empty() ? at_ : cut_off.ended_at;
  used.day = cut_off.day.empty() ? day() : cut_off.day;
  touched_.insert(used.task);
  // It is called again, and what it was told it has not heard: that is still given to it.
  std::vector<fact::MessageDelivered> still;
  for (const Message& message : s_.messages)
    if (message.agent == used.agent && !message.heard)
      still.push_back({message.id, message.agent, message.live});
  record(std::move(used));
  for (fact::MessageDelivered& one : still) record(std::move(one));
}

void Turn::on(const MessageLeft& told) {
  const bool known = std::any_of(s_.messages.begin(), s_.messages.end(),
                                 [&](const Message& one) { return one.id == told.message; });
  if (known || trimmed(told.text).empty()) return;
  record(fact::MessageGiven{told.message, told.task, std::string(cut(told.text, kMessageBytes)),
                            one_line(told.by), told.for_next});
}

void Turn::answer(int number, const workflow::Answered& answered) {
  const Question question = s_.questions.at(number);
  if (!question.open) return;
  if (question.provider.empty()) {
    record(fact::PersonAnswered{number, answered.text, answered.by});
    return answer_budget(question, answered);
  }
  const bool go_on = signal::same_letters(trimmed(answered.text), "go on");
  if (!go_on && !signal::same_letters(trimmed(answered.text), "stop")) {
    now_.asked.erase(number);  // it is put again
    return;
  }
  record(fact::PersonAnswered{number, answered.text, answered.by});
  if (go_on) return free(question.provider, answered.by.empty() ? "a person" : answered.by, true);
  stop(Stop::paused);
  heard_.emplace_back(StopAsked{Stop::paused});
}

}  // namespace capsule::supply
