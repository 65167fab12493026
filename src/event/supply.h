// The facts about who the agents of a run are, what they used, and what their service, a budget or
// a person had to say about that: the same for every workflow, and told apart from a workflow's own
// facts by their kind, which begins with "supply_". Pure values; the wire form is a JSON object a
// fact, and readers ignore members they do not know.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/one_of.h"
#include "base/result.h"
#include "event/common.h"

namespace capsule::event::supply {

// What one call of an agent's program used, recorded when it has ended, however it ended.
struct AgentUsed {
  int agent = 0;  // its number in the run; an agent that met a fault is called again under it
  std::string task, role;
  int attempt = 1;
  std::string provider;
  std::string client;        // name and version of the program, "claude 2.1.197"; empty: not known
  std::string asked_model;   // empty: the client's own choice
  std::string model;         // that answered; empty: not known
  std::string session;       // by which the client knows the conversation; empty: none
  std::string conversation;  // by which the workflow knows it; empty: none
  std::string tree;          // that it may change; empty: it only looks
  Fault fault{};
  std::string words;  // the client's own last line about a fault
  std::string log;
  std::int64_t duration_ms = 0;
  TokenUse use;
  int redacted = 0;  // secrets that were replaced in what is kept
  std::string at;    // when it ended
  std::string day;   // the same as a day of the machine's time zone: 2026-01-31
  bool operator==(const AgentUsed&) const = default;
};

// The service failed it: the same agent is tried again, at `until` (seconds since 1970; 0: when a
// person, or a provider that is free again, allows it).
struct AgentFaulted {
  int agent = 0;
  std::string task, role, provider;
  Fault fault{};
  std::string words;
  int tries = 0;  // in a row, this one included
  std::int64_t until = 0;
  bool operator==(const AgentFaulted&) const = default;
};

// What an agent that is to start waits for.
enum class Hold {
  none,
  pause,   // after a fault, for a while
  parked,  // its provider is
  budget,
  person,  // an answer
  trial,   // its provider was parked: another agent tries first whether it is really free
  slot,    // while it waited for something else, others began in its place
  disk,    // there is too little room on it
};
inline constexpr int kHolds = 8;
std::string_view name_of(Hold hold);
struct AgentHeld {
  int agent = 0;
  std::string task, role, provider;
  Hold why{};
  std::int64_t until = 0;  // seconds since 1970; 0: not known
  std::string unbegun;     // its conversation, when no client has heard of that yet
  bool operator==(const AgentHeld&) const = default;
};
// It starts after all; with another provider when `provider` is not the one that held it.
struct AgentReleased {
  int agent = 0;
  std::string provider, model;
  bool fallback = false;  // not the first choice
  std::string begins;     // the conversation that was unbegun
  bool operator==(const AgentReleased&) const = default;
};

// Nobody starts an agent of this provider until then; 0: until a person lifts it.
struct ProviderParked {
  std::string provider;
  std::int64_t until = 0;
  bool guessed = false;  // the service said no time
  Fault fault{};
  std::string words;
  bool elsewhere = false;  // another run of this machine met it
  bool operator==(const ProviderParked&) const = default;
};
struct ProviderFree {
  std::string provider;
  std::string by;          // a person's name; empty: its time has come
  std::int64_t after = 0;  // nobody begins before then: lifting it has not helped before
  bool operator==(const ProviderFree&) const = default;
};

enum class Scope { run, task, day, tokens };
inline constexpr int kScopes = 4;
std::string_view name_of(Scope scope);
// Spending came near the limit (at 80 %), or reached it.
struct BudgetReached {
  Scope scope{};
  std::string task;                   // of Scope::task; of Scope::day: the day
  std::int64_t spent = 0, limit = 0;  // micros, or tokens
  bool all = false;                   // nothing new starts
  bool operator==(const BudgetReached&) const = default;
};
struct BudgetRaised {
  Scope scope{};
  std::string task;
  std::int64_t limit = 0;
  std::string by;
  bool operator==(const BudgetRaised&) const = default;
};

// A person is asked what to do about a provider or a budget. Numbers begin at kFirstQuestion.
struct PersonAsked {
  int question = 0;
  std::string provider;  // or, empty, a budget
  Scope scope{};
  std::string task;
  std::string text;
  std::vector<std::string> options;
  bool operator==(const PersonAsked&) const = default;
};
struct PersonAnswered {
  int question = 0;
  std::string text, by;
  bool operator==(const PersonAnswered&) const = default;
};
inline constexpr int kFirstQuestion = 1001;

// A person's words for an agent at work, or for the next one.
struct MessageGiven {
  std::string id, task, text, by;  // an empty task: whoever works, or starts next
  bool for_next = false;           // for the next prompt alone: nobody at work is told
  bool operator==(const MessageGiven&) const = default;
};
struct MessageDelivered {
  std::string id;
  int agent = 0;
  bool live = false;  // it was at work; otherwise it stands in its prompt
  bool operator==(const MessageDelivered&) const = default;
};

// An agent at work prints nothing, uses no processor and changes no file, and does not wait for its
// service; or it goes on after that.
struct AgentStill {
  int agent = 0;
  std::string task, role;
  bool still = false;
  bool operator==(const AgentStill&) const = default;
};

// What agents did to files that run by themselves at the user's, once the work of this tree is
// merged: before that is asked for (a merge that was tried), or when it is done.
struct SelfRunningChanged {
  std::string tree;
  std::vector<SelfRunning> files;  // bounded
  int count = 0;                   // of all
  bool operator==(const SelfRunningChanged&) const = default;
};

// How much room a file system that agents write to has left, when that has become too little, so
// little that nobody goes on, or enough again.
enum class Room { enough, low, none };
inline constexpr int kRooms = 3;
std::string_view name_of(Room room);
struct DiskStood {
  Room room{};
  std::string folder;                  // that lies there
  std::int64_t free = 0, reserve = 0;  // bytes
  bool operator==(const DiskStood&) const = default;
};

// Recorded once for each that differs from all before it in the run.
using event::Contained;
using event::HostsRefused;

// What the caller of a command said about the run, as options without their dashes:
// "provider=codex". It holds until the run is taken up with other words.
struct WordsGiven {
  std::vector<std::string> words;
  bool operator==(const WordsGiven&) const = default;
};

struct Fact : std::variant<AgentUsed, AgentFaulted, AgentHeld, AgentReleased, ProviderParked,
                           ProviderFree, BudgetReached, BudgetRaised, PersonAsked, PersonAnswered,
                           MessageGiven, MessageDelivered, AgentStill, SelfRunningChanged,
                           Contained, HostsRefused, WordsGiven, DiskStood> {
  CAPSULE_COMPILED_ONCE(Fact);
};

inline constexpr std::string_view kPrefix = "supply_";
inline bool is_supply(std::string_view kind) { return kind.starts_with(kPrefix); }
std::string_view kind_of(const Fact& fact);                            // "supply_agent_used", …
std::string body_of(const Fact& fact);                                 // compact JSON
Result<Fact> read_fact(std::string_view kind, std::string_view body);  // damaged when it is not one

}  // namespace capsule::event::supply
