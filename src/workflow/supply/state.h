// What a run knows of its agents' service, of what was spent and of what people said about both:
// `apply` folds one fact into it. The same facts always give the same state. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "event/supply.h"
#include "workflow/step.h"
#include "workflow/summary.h"

namespace capsule::supply {

namespace fact = event::supply;
using event::Fault;
using event::TokenUse;
using fact::Hold;
using fact::Scope;

// Calls of one agent by one provider that its service failed.
struct Failures {
  int tries = 0;           // in a row
  std::int64_t pause = 0;  // no call before then
};

// What became of the calls of one agent.
struct AgentRecord {
  std::string provider, client, asked_model, model;  // of the newest call
  std::string mistaken;  // the first model that answered in place of the one asked for
  std::string mistaken_for;
  std::string task, role;
  TokenUse use;  // of all calls, as far as it is known
  int calls = 0, without_tokens = 0, without_cost = 0;
  std::int64_t calls_ms = 0;  // that they took
  Fault fault{};              // of the newest call
  int faults = 0;             // of its service
  int redacted = 0;           // secrets in what it printed
  // By provider: one that takes over, and back again, forgets nothing.
  std::map<std::string, Failures> failures;
  bool began_anew = false;  // its conversation had become too long
  Hold hold{};              // what it waits for; none: it does not
  std::int64_t until = 0;   // of the hold
  std::string held_by;      // its provider
  std::string held_since;   // UTC
};

struct Parking {
  std::int64_t until = 0;  // seconds since 1970; 0: until a person lifts it
  bool guessed = false;
  Fault fault{};
  std::string words;
  bool elsewhere = false;
};

// A conversation, as the client knows it.
struct SessionRecord {
  std::string provider, session;
  int faults = 0;         // calls in a row that ended by one, and say something about the session
  bool answered = false;  // the client has it, by all that is known
};

struct Question {
  std::string provider;  // or, empty, a budget
  Scope scope{};
  std::string task, text;
  std::vector<std::string> options;
  bool open = true;
  std::string answer = {};
  std::string since = {};  // UTC
};

struct Message {
  std::string id, task, text, by;
  int agent = 0;          // that it was given to; 0: nobody yet
  bool heard = false;     // that agent has worked with it to its end
  bool live = false;      // it was at work when it was told
  bool for_next = false;  // nobody at work is told
};

struct Spent {
  std::int64_t micros = 0, tokens = 0;
};

// By scope, and by task or day where there is one for each.
using BudgetKey = std::pair<Scope, std::string>;
struct BudgetRecord {
  std::int64_t noticed = 0, reached = 0;  // the limit that was told of last
  std::int64_t raised = 0;                // by a person, to this
};

// Who worked on a tree, in the order in which they came.
struct Authors {
  std::vector<std::string> models, clients;
};

// Of this process: no fact tells of it.
struct Wanted {
  workflow::StartAgent start;  // as the workflow wants it, with what people said to it
  workflow::StartAgent given;  // as it was started
  std::string provider, asked_model;
  bool working = false;
  bool told_waiting = false, told_alone = false;  // the workflow: AgentWaits
  bool ending = false;                            // the workflow, or `by`, has it ended
  Fault by{};  // over_budget, no_space: what is short has it ended, and it comes again; else none
  bool after_fault = false;  // it goes on in a session that a fault ended
  TokenUse use;              // of the call that goes on
  std::int64_t began = 0;    // that call, in seconds since 1970
  bool on_trial = false;     // its provider was parked until then, and nobody had heard of it since
  enum class Again {
    no,     // its first call
    same,   // as before
    go_on,  // in the session that a fault ended
    anew,   // in a new session, with the history as text
  } again{};
};
struct Present {
  std::map<int, Wanted> wanted;  // asked for by the workflow, and not ended
  std::optional<workflow::Stop> stop;
  std::map<int, std::int64_t> alarms;  // not fired yet, by id: milliseconds since 1970
  int next_alarm = 1;
  std::set<int> asked;                            // questions that were put
  std::set<std::pair<std::string, int>> steered;  // messages that agents were offered
  std::set<std::string> steering, given_here;     // messages: offered now; given since the start
  int outstanding = 0;  // commands that the world has not answered, but for questions and alarms
  std::string day;
  std::int64_t spent_elsewhere = 0, day_ends = 0;
};

// Of the file system that has the least room.
struct Disk {
  fact::Room room{};
  std::string folder;
  std::int64_t free = 0, reserve = 0;
  std::string since;  // UTC
};

struct State {
  std::string run;  // its id, from whoever makes the state: no fact holds it
  std::string at;   // of the facts that are folded now

  std::map<int, AgentRecord> agents;
  std::map<std::string, Parking> parked;           // by provider
  std::map<std::string, int> guesses;              // in a row, by provider
  std::map<std::string, int> lifts;                // by people, that did not help
  std::map<std::string, std::int64_t> not_before;  // by provider: nobody begins before then
  std::set<std::string> on_trial;  // providers that are free again, and have answered nobody since
  std::unordered_map<std::string, SessionRecord> sessions;  // by conversation
  std::set<std::string> unbegun;      // conversations that no client has heard of
  std::map<int, Question> questions;  // by number
  std::map<BudgetKey, BudgetRecord> budgets;
  std::map<std::string, Spent> by_task, by_day;
  std::vector<Message> messages;
  std::map<std::string, Authors> authors;                        // by tree
  std::map<std::string, fact::SelfRunningChanged> self_running;  // by tree, the newest
  std::vector<event::Contained> contained;                       // all that differ, in their order
  Disk disk;
  std::vector<event::HostsRefused> refused;  // one of each agent or command
  std::vector<std::string> given;            // what the caller said of the run
  Spent spent;
  TokenUse use;  // of all calls, as far as it is known
  int calls = 0, without_tokens = 0, without_cost = 0;

  Present now;
};

void apply(State& state, const fact::Fact& fact);
// What is known of an agent; nothing, of one that nobody has heard of.
const AgentRecord& record_of(const State& state, int agent);
Failures failures_of(const State& state, int agent, const std::string& provider);

// Whether it may have begun a conversation that can be gone on with.
enum class Replied { no, perhaps, yes };
Replied replied(const TokenUse& use);

// What is told of a disk with too little room: which, how much there is, and what to do.
std::string words_of(const Disk& disk);

// Adds what every face wants to know to the summary that the workflow has made, or to that of one
// agent.
void complete(workflow::RunSummary& summary, const State& state);
void complete(workflow::AgentSummary& agent, const State& state);

}  // namespace capsule::supply
