#include "event/supply.h"

#include "base/enum_count.h"
#include "event/common_codec.h"

namespace capsule::event::supply {

CAPSULE_COMPILE(Fact)

static Names names(Hold) {
  static constexpr std::string_view kNames[] = {"none",   "pause", "parked", "budget",
                                                "person", "trial", "slot",   "disk"};
  static_assert(std::size(kNames) == kHolds);
  static_assert(kHolds == enum_count<Hold>());
  return kNames;
}
static Names names(Scope) {
  static constexpr std::string_view kNames[] = {"run", "task", "day", "tokens"};
  static_assert(std::size(kNames) == kScopes);
  static_assert(kScopes == enum_count<Scope>());
  return kNames;
}
static Names names(Room) {
  static constexpr std::string_view kNames[] = {"enough", "low", "none"};
  static_assert(std::size(kNames) == kRooms);
  static_assert(kRooms == enum_count<Room>());
  return kNames;
}
std::string_view name_of(Hold hold) { return text_of(hold); }
std::string_view name_of(Scope scope) { return text_of(scope); }
std::string_view name_of(Room room) { return text_of(room); }

template <class V>
void members(V& v, AgentUsed& f) {
  v("agent", f.agent), v("task", f.task), v("role", f.role), v("attempt", f.attempt),
      v("provider", f.provider), v("client", f.client), v("asked_model", f.asked_model),
      v("model", f.model), v("session", f.session), v("conversation", f.conversation),
      v("tree", f.tree), v("fault", f.fault), v("words", f.words), v("log", f.log),
      v("duration_ms", f.duration_ms), v("use", f.use), v("redacted", f.redacted), v("at", f.at),
      v("day", f.day);
}
template <class V>
void members(V& v, AgentFaulted& f) {
  v("agent", f.agent), v("task", f.task), v("role", f.role), v("provider", f.provider),
      v("fault", f.fault), v("words", f.words), v("tries", f.tries), v("until", f.until);
}
template <class V>
void members(V& v, AgentHeld& f) {
  v("agent", f.agent), v("task", f.task), v("role", f.role), v("provider", f.provider),
      v("why", f.why), v("until", f.until), v("unbegun", f.unbegun);
}
template <class V>
void members(V& v, AgentReleased& f) {
  v("agent", f.agent), v("provider", f.provider), v("model", f.model), v("fallback", f.fallback),
      v("begins", f.begins);
}
template <class V>
void members(V& v, ProviderParked& f) {
  v("provider", f.provider), v("until", f.until), v("guessed", f.guessed), v("fault", f.fault),
      v("words", f.words), v("elsewhere", f.elsewhere);
}
template <class V>
void members(V& v, ProviderFree& f) {
  v("provider", f.provider), v("by", f.by), v("after", f.after);
}
template <class V>
void members(V& v, BudgetReached& f) {
  v("scope", f.scope), v("task", f.task), v("spent", f.spent), v("limit", f.limit), v("all", f.all);
}
template <class V>
void members(V& v, BudgetRaised& f) {
  v("scope", f.scope), v("task", f.task), v("limit", f.limit), v("by", f.by);
}
template <class V>
void members(V& v, PersonAsked& f) {
  v("question", f.question), v("provider", f.provider), v("scope", f.scope), v("task", f.task),
      v("text", f.text), v("options", f.options);
}
template <class V>
void members(V& v, PersonAnswered& f) {
  v("question", f.question), v("text", f.text), v("by", f.by);
}
template <class V>
void members(V& v, MessageGiven& f) {
  v("id", f.id), v("task", f.task), v("text", f.text), v("by", f.by), v("for_next", f.for_next);
}
template <class V>
void members(V& v, MessageDelivered& f) {
  v("id", f.id), v("agent", f.agent), v("live", f.live);
}

template <class V>
void members(V& v, AgentStill& f) {
  v("agent", f.agent), v("task", f.task), v("role", f.role), v("still", f.still);
}

template <class V>
void members(V& v, SelfRunningChanged& f) {
  v("tree", f.tree), v("files", f.files), v("count", f.count);
}

template <class V>
void members(V& v, WordsGiven& f) {
  v("words", f.words);
}

template <class V>
void members(V& v, DiskStood& f) {
  v("room", f.room), v("folder", f.folder), v("free", f.free), v("reserve", f.reserve);
}

static constexpr std::string_view kKinds[] = {
    "supply_agent_used",      "supply_agent_faulted",   "supply_agent_held",
    "supply_agent_released",  "supply_provider_parked", "supply_provider_free",
    "supply_budget_reached",  "supply_budget_raised",   "supply_person_asked",
    "supply_person_answered", "supply_message_given",   "supply_message_delivered",
    "supply_agent_still",     "supply_self_running",    "supply_contained",
    "supply_hosts_refused",   "supply_words_given",     "supply_disk_stood",
};

std::string_view kind_of(const Fact& fact) { return kKinds[fact.index()]; }
std::string body_of(const Fact& fact) { return written(fact); }
Result<Fact> read_fact(std::string_view kind, std::string_view body) {
  return read_written<Fact>(kKinds, kind, body);
}

}  // namespace capsule::event::supply
