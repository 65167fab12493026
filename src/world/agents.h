// The one way to run an agent, for every workflow: StartAgent in, a complete AgentFinished out.
// What it needs of the project are small functions, so that it can be tried without one.
//
// Single-threaded, on the thread of the Loop, which must outlive it. Nothing here waits. The
// destructor ends who is still working; nobody is told of that.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/crew.h"
#include "agent/provider.h"
#include "agent/scratch.h"
#include "agent/silence.h"
#include "agent/stillness.h"
#include "base/result.h"
#include "dialect/activity.h"
#include "dialect/reader.h"
#include "process/tree.h"
#include "signal/contract.h"
#include "workflow/step.h"
#include "world/agent_words.h"
#include "world/client_versions.h"

namespace capsule::world {

struct AgentPlace;

// Everything may be left out but the first three.
struct AgentParts {
  std::string run;
  // The provider and the time limit that the configuration has for it.
  std::function<Result<agent::PhaseSettings>(const workflow::StartAgent&)> settings;
  // The text of a prompt file, "prompts/execute.md".
  std::function<Result<std::string>(const std::string& file)> prompt_file;
  std::function<std::string(const std::string& expert)> expertise = {};  // of the expert's file
  std::function<std::string()> verify = {};  // the project's commands, for people
  ExpertsCreated experts_created = {};
  std::function<bool()> interrupted = {};  // a person asked to stop
  // The walls around an agent that is about to start, with all that is of this agent alone but its
  // variables and its /tmp; none: no walls. Its on_finished or on_failed is the place to give back
  // what was made for it, unless its start fails: then nothing more is heard of it.
  std::function<Result<std::optional<contain::Wish>>(const workflow::StartAgent&, const AgentPlace&,
                                                     const agent::Provider&)>
      enclose = {};
  std::chrono::milliseconds idle_after = std::chrono::minutes(15);
  // What an agent at work has used is told at most so often; 0: never.
  std::chrono::milliseconds spending_every{0};
};

// Where an agent works, and what is known of that place.
struct AgentPlace {
  std::string folder;
  // A folder of ours: its log there is <n>-<role>.log. Empty: <role>-<time>-<pid>.log in
  // .capsule/output beneath `folder`.
  std::string log_folder = {};
  std::string base = {};                    // the commit that the work is compared with
  std::vector<std::string> conflicts = {};  // files that hold conflict markers
};

// Called from turns of the loop. May start and end agents; must not destroy the Agents.
class AgentEvents {
 public:
  virtual ~AgentEvents() = default;
  // Exactly one of these for each agent that was started. What is still to be said of its tree
  // (snapshot, took_back) is empty.
  virtual void on_finished(const workflow::StartAgent& start, workflow::AgentFinished finished) = 0;
  // A failure of ours: what it printed could not be kept, and it was ended at once; or its walls
  // could not be put up (refused, usage), and nothing of it ran.
  virtual void on_failed(const workflow::StartAgent& start, const Error& error) = 0;
  // Of one that is watched: it printed nothing (of a client that prints events: none came), used no
  // processor and changed no file for `idle_after`, and does not wait for its service; again after
  // each.
  virtual void on_idle(int agent) = 0;
  // The same of every agent, watched or not, when it begins to be so, and when it no longer is.
  virtual void on_still(int /*agent*/, bool /*still*/) {}
  // What it has used so far, by the model that answers: when that has grown.
  virtual void on_spending(int /*agent*/, const event::TokenUse& /*use*/,
                           const std::string& /*model*/) {}
  // Once for each message that it was sent; delivered: its client says that it has heard it.
  virtual void on_steered(int /*agent*/, const std::string& /*message*/, bool /*delivered*/) {}
  // What is really in force around one that has walls, before it starts.
  virtual void on_contained(const workflow::StartAgent& /*start*/,
                            const contain::Report& /*report*/) {}
  // The hosts that such a one asked for in vain, before its on_finished.
  virtual void on_refused(const workflow::StartAgent& /*start*/,
                          const contain::Refusals& /*refused*/) {}
  // For live views. What it does now, by the events of its client; without any when it begins.
  virtual void on_activity(const workflow::StartAgent& /*start*/,
                           const dialect::Activity& /*activity*/) {}
  virtual void on_log(int /*agent*/, const std::string& /*path*/) {}
  virtual void on_output(int /*agent*/, std::string_view /*bytes*/) {}
};

class Agents {
 public:
  // `events` must outlive it.
  Agents(process::Loop& loop, AgentParts parts, AgentEvents& events);
  ~Agents();
  Agents(const Agents&) = delete;
  Agents& operator=(const Agents&) = delete;

  // Errors: those of the parts; missing_program and refused (the agent program), usage (the prompt,
  // an agent of that number runs), damaged (the prompt file), io. Then nothing runs, and no event
  // follows.
  Result<void> start(const workflow::StartAgent& start, const AgentPlace& place);
  // All that such an agent is to be told by a machine that knows nothing of its session.
  Result<std::string> prompt_elsewhere(const workflow::StartAgent& start, const AgentPlace& place) {
    return prompt_for(start, place, false);
  }
  // on_finished follows, with fault idle. Does nothing when it has ended.
  void end(int agent);
  // The same for all, with fault interrupted.
  void end_all();
  // Words for an agent at work; on_steered follows: at once, where it cannot be steered; when its
  // client has heard them; at the latest before on_finished.
  void steer(int agent, const std::string& message, const std::string& text);
  std::size_t running() const { return running_.size(); }
  // The trees of those who are working.
  std::vector<std::string> trees() const;
  std::vector<int> numbers() const;  // of those who work, in order

  // What an earlier process recorded: who spoke in a session, in the order of their numbers, where
  // what they printed is, by which id the client knows the session, which provider it was, and what
  // that run used. A log that is told again counts once.
  void recall(const std::string& session, int agent, const std::string& log,
              const std::string& client_session = {}, const std::string& provider = {},
              const event::TokenUse& used = {});

  // The log of an agent; empty when it does not run or has none yet.
  std::string log_of(int agent) const;

 private:
  struct Running {
    workflow::StartAgent start;
    AgentPlace place;
    agent::MemberId member{};
    std::string began_at;
    std::int64_t began_ms = 0;
    std::string log;
    std::string beginning;            // of what it printed, for the preview
    signal::ContractScanner scanner;  // of all that it printed
    std::unique_ptr<dialect::Reader> reader;
    dialect::Moment moment;
    workflow::AgentFacts facts;
    dialect::Activity activity;
    std::vector<std::string> secrets;
    std::string said, shown;         // the newest words of it; the same as they are told
    event::TokenUse before;          // of the client's session that it goes on with
    event::TokenUse spent, told_of;  // so far; what was told of that
    process::TimerId spending{};     // until it is over nothing more is told
    bool told_just_now = false;
    bool can_be_steered = false;
    std::map<std::string, std::string> unheard;  // messages that it was sent, by their UUIDs
    std::unique_ptr<agent::Scratch> scratch;
    agent::Signs signs;
    bool still = false;  // was told so
    process::TimerId look{};
    // Of a client that prints events: how long its service has owed it an answer.
    std::optional<agent::Silence> silence;
    std::int64_t first_event_ms = 0;
    std::chrono::milliseconds limit{}, answer_limit{}, silent{};
    bool silent_at_first = false;  // it tells nothing before its first answer
    std::string last_told;         // when it was ended for that: why its client waited
    process::TimerId watch{};
  };
  struct Earlier {
    int agent = 0;
    std::string log;
  };
  // What is known of a conversation that goes on.
  struct Session {
    std::vector<Earlier> earlier;
    std::string provider;  // that began it; empty: not known
    std::string theirs;    // the client's id for it; empty: not known
    // By all its runs, for each provider and each session of its client: who falls back to another,
    // or begins anew, counts from the beginning.
    std::map<std::pair<std::string, std::string>, event::TokenUse> used;
  };
  event::TokenUse used_before(const std::string& conversation, const std::string& provider,
                              const std::string& client_session) const;

  // Walls, with its own folder as /tmp, and nothing else of the machine's.
  Result<void> enclose(const workflow::StartAgent& start, const AgentPlace& place,
                       const Running& running, agent::Task& task) const;
  Result<agent::Task> task_for(const workflow::StartAgent& start, const AgentPlace& place,
                               Running& running);
  // An agent that was cut off has told the client's id in its log alone.
  void find_their_session(const workflow::StartAgent& start, const AgentPlace& place,
                          const agent::Provider& provider);
  // Whether the client can go on with that session; else it is told the history.
  bool goes_on(const workflow::StartAgent& start, const agent::Provider& provider) const;
  Result<std::string> prompt_for(const workflow::StartAgent& start, const AgentPlace& place,
                                 bool goes_on);
  std::string history_of(const std::string& session, const AgentPlace& place) const;
  workflow::Words words_of(const Running& running, const std::string& said,
                           signal::Missed& missed) const;
  void note_facts(Running& running, const dialect::Reading& reading);
  void note_event(int agent, const dialect::Event& event);
  void tell_activity(Running& running);
  void spends(int agent, Running& running, const dialect::Event& event);
  void tell_spending(int agent, Running& running);
  void printed(int agent, std::string_view bytes);
  void logged(int agent, const std::string& path);
  void finished(int agent, agent::Ending ending);
  void look_at(int agent);
  void moves(int agent, Running& running);
  void look_later(int agent, Running& running);
  void watch(int agent);
  void watch_later(int agent, Running& running);
  std::chrono::milliseconds silence_of(Running& running);
  void at_limit(int agent);
  void end_unanswered(Running& running);

  process::Loop& loop_;
  const AgentParts parts_;
  AgentEvents& events_;
  std::map<int, Running> running_;           // by agent number
  std::map<std::string, Session> sessions_;  // by our id
  ClientVersions versions_;
  agent::Crew crew_;  // last: gone before what its callbacks touch
};

// What a workflow is told of a start that failed, where that is an agent's fault to it and no
// failure of ours: fault not_started, with the words of an agent that said nothing.
workflow::AgentFinished not_started(const workflow::StartAgent& start, const Error& error);

}  // namespace capsule::world
