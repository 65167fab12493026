// A simulated world for any workflow, and a person who starts Capsule again: the real
// engine::Runner and engine::Log over a journal in memory. Agents, checks, merges, answers, timers,
// stops, failing commands, a failing disk and the death of the process at any point between two
// effects are chosen by a seed, which repeats its run exactly. What outlives a process is the
// journal and what is on main, in the trees and in the tracker.
//
// A workflow adds what its agents say, what its facts must say, and how a run begins and goes on.
// Tests only; single-threaded.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/runner.h"
#include "tests/simulation/journal.h"
#include "tests/simulation/supply.h"

namespace capsule::simulation {

using test::Random;

// How rough the world is. All zero: nothing fails but what agents say.
struct Weather {
  int crashes = 0;         // of the process, at most
  int crash_one_in = 20;   // points between two effects
  int stops = 0;           // that people ask for, at most
  int stop_one_in = 40;    // waits
  int command_faults = 0;  // of a thousand commands
  int agent_faults = 0;    // of a hundred agents
  int journal_faults = 0;  // of a thousand appends
  int main_moves = 0;      // of a hundred merges
  int refusals = 0;        // of a hundred merges
  int ground_moves = 0;    // of a hundred agents: something around the run changes meanwhile
  int diligence = 80;      // of a hundred agents that write: how many change anything
  // What an agent says and a check finds follows from who it is, and not from what came before: two
  // runs of one seed can be compared.
  bool scripted = false;
  bool one_process = false;  // which nothing ends early, and nobody starts again

  // Of the services that agents depend on.
  int service_faults = 0;  // of a hundred agents
  int service_most = 0;    // in all
  int others = 0;          // of a thousand waits: another run parks a provider, or frees one
  int walls = 0;           // of a thousand waits: an agent's walls are told, or what they refused
  int tells = 0;           // of a thousand waits: a person has words for an agent
  bool fallback = false;   // another provider may take over
  bool budgets = false;
  int disk = 0;     // of a thousand waits: it has less room, or more
  int regrets = 0;  // of a thousand waits: a person wants an answer back
};
// With some of that, by the seed.
void add_supply(Weather& weather, std::uint64_t seed);

// Planted in the world or in the journal; each must be noticed.
enum class WorldBug {
  none,
  lost_fact,
  fact_twice,
  adopted_merge_never_happened,
  merged_again,
  main_overwritten,
};

inline constexpr int kWorldBugs = 6;  // with none

struct Finding {
  std::string broken;                // the invariant that does not hold; empty: all hold
  std::vector<std::string> journal;  // its last facts when something is broken; all when asked for
  std::vector<event::Fact> facts = {};  // when asked for
  std::string outcome;                  // empty: it waits for a person
  bool succeeded = false;
  // What the run came to, as far as crashes and stops must not change it.
  std::string path;
  int crashes = 0, stops = 0, processes = 0, agents = 0, answers = 0;
  int faults = 0, alarms = 0, parkings = 0, raises = 0, messages = 0;  // of the service, and after
  int taken_back = 0;                                                  // answers
  int squeezes = 0;                                                    // of the disk
};
std::string text_of(const Finding& finding, std::uint64_t seed);  // for a failing test

// One run in so many has its facts in their wire form.
inline constexpr std::uint64_t kByWire = 8;

class Simulation : public engine::World,
                   private engine::Clock,
                   private engine::Listener,
                   private engine::Probe {
 public:
  Simulation(std::uint64_t seed, const Weather& weather, WorldBug bug);

  // `all`: the finding has the whole journal, whatever came of it.
  Finding run(bool all = false);

 protected:
  static constexpr const char* kRun = "run-1";

  struct Tree {
    bool exists = false, archived = false;
    int now = 0, kept = 0;  // versions of its files; 0: as main is
    int merged = 0;         // the version that is on main
  };
  // What is under way, and answered later.
  struct Job {
    enum class What { agent, check, merge, question, timer } what{};
    int number = 0;  // of the agent, check, question or wait
    std::string tree, role, task;
    int attempt = 1;
    workflow::Settle settle{};
    workflow::Dialect dialect{};
    bool writes = false, watched = false, clean = false;
    workflow::Merge::Into into{};
    bool idle = false, ending = false, stopping = false;
    std::string provider;  // of an agent
    bool has_session = false;
    std::string text;  // of a question
    std::vector<std::string> options;
    std::optional<workflow::Command> command;  // of an agent, check or merge, in case it fails
  };

  // ---- What a workflow adds

  // A new process, which knows nothing yet.
  virtual engine::Workflow& boot() = 0;
  // Begins, takes up or resumes. False: it stays as it is, for good.
  virtual Result<bool> set_going(engine::Runner& runner, bool known) = 0;
  virtual void speak(const Job& agent, workflow::AgentFinished& finished, Random& random) = 0;
  virtual void examine(const Job& check, workflow::Checked& checked, Random& random) = 0;
  virtual std::string answer(const Job& question, Random& random) = 0;
  // Whether the journal says that this is about to be done.
  virtual bool intended(const workflow::Command& command) = 0;
  virtual void before(const workflow::Command& command) = 0;  // more that must hold
  virtual void on_recorded() = 0;                             // of the newest turn
  virtual void on_turn() {}                                   // its facts are recorded
  virtual void on_merged(const Job&, int version) { (void)version; }
  virtual std::string fingerprint() const = 0;  // of all that follows from facts
  virtual void at_end() = 0;
  virtual std::string path() const = 0;
  virtual std::string text_of(const event::Fact& fact) const = 0;
  // What tells an agent or a check from all others of its sort, in a scripted run.
  virtual std::string key_of(const Job& job) const = 0;
  // Scripted: whether this agent may fail by itself, and the run ends as if it had not.
  virtual bool may_fail(const Job&) { return false; }
  virtual bool notes_pauses() const { return false; }  // also of a run that has not ended

  // ---- For it

  void claim(bool holds, const char* what) {
    if (!holds && broken_.empty()) broken_ = what;
  }
  // Nothing after this makes sense.
  [[noreturn]] void give_up(const char* what);
  Random& random() { return random_; }
  bool scripted() const { return weather_.scripted; }
  Tree& tree(const std::string& name) { return trees_[name]; }
  int new_version() { return ++versions_; }
  bool is_on_main(const std::string& tree) const;
  int merges_of(const std::string& tree) const;
  bool is_closed(const std::string& task) const { return closed_.contains(task); }
  const std::map<std::string, Tree>& trees() const { return trees_; }
  engine::Workflow& workflow() { return *workflow_; }
  MemoryJournal& journal() { return journal_; }
  Finding& finding() { return finding_; }
  bool is_running(int agent) const;
  std::string utc_now() override;
  const supply::Policy& policy() const { return supply_.policy; }
  std::vector<workflow::Observation> standing() override;

 private:
  struct Crash {};   // the process dies
  struct Broken {};  // give_up()

  void carry_out(const workflow::Command& command) override;
  Result<std::vector<workflow::Observation>> wait() override;
  bool attended() override { return attended_; }
  void on_facts(std::span<const event::NewFact>) override { on_turn(); }
  void reached(std::string_view point) override;

  void process();  // one, from its start to its end
  void start(const workflow::StartAgent& command);
  void add(Job job);
  std::optional<workflow::Observation> at_once(const workflow::Command& command);
  void nobody_works_in(const std::string& tree);
  void happen();
  void ask_to_stop();
  void finish(Job job);
  void finish_agent(Job job);
  void settle(const Job& job, workflow::AgentFinished& finished);
  void finish_merge(const Job& job);
  bool meets_a_fault(const Job& job, workflow::AgentFinished& finished);
  void carry_out(const workflow::SupplyOrder& order);
  void supply_happens();
  workflow::Observation spent() const;
  workflow::Observation disk() const;
  void room_becomes(event::supply::Room room);
  void wake();
  void make_policy();
  bool has_supply() const { return supplied_; }
  std::string whole_fingerprint() const;
  std::string answer_supply(const Job& job);
  std::string day() const { return time_text().substr(0, 10); }
  std::string time_text() const;
  event::TokenUse some_use();
  workflow::Merged land(const Job& job);
  void die();
  Random roll(const Job& job);
  bool command_fails() { return random_.below(1000) < weather_.command_faults; }

  const std::uint64_t seed_;
  Random random_;
  Weather weather_;
  const bool supplied_;
  WorldBug bug_;
  MemoryJournal journal_;
  Finding finding_;
  std::string broken_;

  // What outlives a process.
  struct Landed {
    std::string tree;  // empty: somebody else's
    int version = 0;
  };
  std::map<std::string, Tree> trees_;
  std::vector<Landed> main_;
  int others_ = 0;
  std::set<std::string> closed_;
  int versions_ = 0;
  std::int64_t ms_;                              // the wall clock
  std::map<std::string, std::int64_t> machine_;  // parkings that all runs know: until
  std::int64_t elsewhere_ = 0;                   // spent by other runs
  event::supply::Room room_{};                   // on the disk
  int messages_ = 0;
  SupplyAudit supply_;
  std::map<int, std::string> providers_;  // of agents that were started
  std::set<int> too_long_;                // agents whose conversation was too long once

  // What does not.
  engine::Workflow* workflow_ = nullptr;
  std::vector<Job> jobs_;
  std::vector<workflow::Observation> inbox_;
  std::map<int, std::int64_t> alarms_;
  int answered_ = 0;  // the newest question of the workflow that was; 0: none
  std::optional<workflow::Stop> stop_;
  bool doubted_ = false;  // main was moved by an agent, and nobody has looked since
  bool attended_ = true, over_ = false;
  int waits_ = 0;
  std::optional<std::string> before_crash_;
};

// Rules that show their newest facts, typed, to the simulation. Most runs keep facts as they are
// and not in their wire form, which takes longer than all the rest.
template <class Real>
struct Tap : Real {
  using Fact = typename Real::Fact;
  static inline std::vector<Fact> newest, kept;
  static inline bool wire = true;
  static inline int turn_number = 0;

  static void begin(bool by_wire) {
    wire = by_wire;
    kept.clear();
    newest.clear();
    SupplyTap::begin(by_wire);
  }
  static typename Real::Turn advance(typename Real::State& state, std::vector<Fact> given,
                                     const std::vector<workflow::Observation>& observations,
                                     const std::string& at) {
    auto turn = Real::advance(state, std::move(given), observations, at);
    // What it has to hear at once is part of the same turn.
    if (std::exchange(turn_number, SupplyTap::turns) != SupplyTap::turns) newest.clear();
    newest.insert(newest.end(), turn.facts.begin(), turn.facts.end());
    return turn;
  }
  static std::string body_of(const Fact& fact) {
    if (wire) return Real::body_of(fact);
    kept.push_back(fact);
    return std::to_string(kept.size() - 1);
  }
  static Result<Fact> read_fact(std::string_view kind, std::string_view body) {
    if (wire) return Real::read_fact(kind, body);
    return kept.at(std::stoul(std::string(body)));
  }
  // For people.
  static std::string text_of(const event::Fact& fact) {
    return fact.kind + " " + (wire ? fact.body : Real::body_of(kept.at(std::stoul(fact.body))));
  }
};

// The parts of a summary that follow from facts alone, whatever this process is about.
std::string text_of(const workflow::RunSummary& summary);

// The seeds of a test: from CAPSULE_TEST_SEED, which reproduces one run; otherwise others in every
// full run, and the same in all short ones.
std::uint64_t first_seed();
// How many runs: `full` with CAPSULE_TEST_FULL=1, else `reduced`, and far fewer under a sanitizer.
int rounds(int reduced, int full);

}  // namespace capsule::simulation
