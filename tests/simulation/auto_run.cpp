// Random headless runs: the real runner and workflow, with ports that do what chance says.
#include <map>
#include <set>

#include "engine/auto_runner.h"
#include "tests/reference/random.h"
#include "tests/simulation/auto.h"

namespace capsule::engine::auto_simulation {
namespace {

using auto_mode::Outcome;
using auto_mode::Phase;
using auto_mode::Run;
using auto_mode::Step;
using reference::Random;
namespace fact = event::auto_run;

RunBug planted = RunBug::none;  // apply is a plain function

Run apply(Run run, const fact::Fact& one) {
  const Run before = run;
  Run after = auto_mode::apply(std::move(run), one);
  switch (planted) {
    case RunBug::none:
      break;
    case RunBug::limit_never_holds:
      after.file.iteration = 0;
      break;
    case RunBug::fix_goes_to_planning:
      if (before.phase == Phase::fix && after.phase == Phase::review)
        after.phase = Phase::planning, after.step = Step::turn;
      break;
    case RunBug::endless_review:
      after.round = 0;
      break;
    case RunBug::endless_qa:
      after.qa_cycle = 0;
      break;
    case RunBug::merges_without_checks:
      if (after.phase == Phase::complete && after.step == Step::checks) after.step = Step::merge;
      break;
    case RunBug::rejected_is_approved:
      if (std::holds_alternative<fact::Reviewed>(one) && after.phase == Phase::fix)
        after.phase = Phase::check;
      break;
    case RunBug::retries_for_ever:
      after.retried = false;
      break;
    case RunBug::trusts_a_person:
      if (std::holds_alternative<fact::Resumed>(one) && after.phase == Phase::complete)
        after.step = before.after;
      break;
  }
  return after;
}

// The end of the process, at any point between two effects.
struct Crash {};

struct World : Clock,
               AutoLog,
               AutoAgents,
               AutoChecks,
               AutoPlace,
               AutoFiles,
               AutoListener,
               AutoStops,
               Probe {
  Random random;
  std::vector<fact::Fact> journal;
  std::vector<std::string> story;
  std::string broken;
  // What is there now, the state that counts, and what the checks passed on.
  int tree = 0, kept = 0, checked = -1;
  bool approved = false, merged = false, removed = false;
  int merges = 0, turns = 0, reviews = 0, crashes_left, crashes = 0, faults_left = 3;
  int errors_left = 4;
  std::int64_t time = 0;
  std::map<Phase, std::set<int>> retries;  // the numbers of the turns
  std::set<int> mended;                    // in qa
  std::set<int> told;                      // to go on, in this phase
  bool taken_up = false;                   // the turn that a person asked for is no retry
  bool has_checks;

  World(std::uint64_t seed, bool checks)
      : random(seed), crashes_left(static_cast<int>(random.below(4))), has_checks(checks) {}

  void complain(const std::string& what) {
    if (broken.empty()) broken = what;
  }
  std::string utc_now() override { return "2026-01-01T00:00:00.000Z"; }
  std::int64_t monotonic_ms() override { return ++time; }

  Result<void> append(const fact::Fact& one) override {
    if (faults_left > 0 && random.once_in(150)) {
      --faults_left;
      return fail(Reason::io, "the disk is full");
    }
    journal.push_back(one);
    story.emplace_back(fact::kind_of(one));
    return {};
  }
  Result<std::vector<fact::Fact>> read() override { return journal; }

  Result<void> preflight() override { return {}; }
  std::string new_session() override {
    return random.once_in(2) ? "" : "s" + std::to_string(turns);
  }
  Result<TurnReport> turn(const TurnRequest& request) override {
    ++turns;
    ++tree;
    const Phase now = request.turn.phase;
    TurnReport report;
    if (random.once_in(25)) {
      report.fault = random.once_in(2) ? fact::Fault::exit_status : fact::Fault::timed_out;
      return report;
    }
    const auto say = [&](signal::Signal signal) {
      report.signals.emplace_back(signal::row(signal).wire);
    };
    for (std::uint64_t count = random.below(3); count > 0; --count) {
      const std::uint64_t choice = random.below(8);
      if (choice < 4) say(signal::expected_signal(now));
      if (choice == 4)
        say(static_cast<signal::Signal>(static_cast<int>(signal::Signal::expansion_complete) +
                                        static_cast<int>(random.below(9))));
      if (choice == 5 && errors_left > 0) {
        --errors_left;
        say(signal::Signal::phase_error);
        report.error = "e";
        report.recoverable = random.once_in(2);
      }
      if (choice == 6 && random.once_in(30)) say(signal::Signal::auto_complete);
    }
    return report;
  }
  Result<Reviews> review(const TurnRequest&) override {
    ++reviews;
    Reviews result;
    approved = true;
    if (tree != kept) complain("reviewed another state than the one that counts");
    if (random.once_in(6)) ++tree;  // which no reviewer may
    for (const std::string_view type : fact::kReviewers) {
      fact::ReviewVerdict verdict;
      verdict.type = type;
      verdict.verdict = random.once_in(4)   ? fact::Verdict::needs_fix
                        : random.once_in(8) ? fact::Verdict::rejected
                                            : fact::Verdict::approved;
      approved &= verdict.verdict == fact::Verdict::approved;
      result.verdicts.push_back(verdict);
    }
    return result;
  }
  Result<std::string> run(const std::string&) override {
    const bool passes = !random.once_in(4);
    if (passes) checked = tree;
    if (tree % 3 == 0) ++tree;  // a report that nobody asked for
    return passes ? std::string() : "a test fails";
  }
  Result<std::string> prepare() override { return "folder"; }
  Result<void> keep(const std::string&) override {
    kept = tree;
    return {};
  }
  Result<std::vector<std::string>> take_back(const std::string&) override {
    tree = kept;
    return std::vector<std::string>{};
  }
  Result<AutoMergeAnswer> merge(const std::string&) override {
    if (has_checks && checked != kept) complain("merged what was not checked");
    if (tree != kept) complain("merged another state than the one that is there");
    if (merged) return fact::MergeDone{"commit", false, ""};  // found done
    if (random.once_in(10)) return AutoMergeRefused{"conflict"};
    merged = true;
    ++merges;
    return fact::MergeDone{"commit", false, ""};
  }
  Result<void> remove() override {
    if (!merged) complain("the worktree is removed before its work is merged");
    removed = true;
    return {};
  }
  Result<void> write_state(const Run& run) override {
    const bool ended = run.step == Step::ended;
    if (run.file.active == ended) complain("the state file says another thing than the journal");
    return {};
  }
  Result<void> write_rounds(const std::vector<fact::Reviewed>& rounds) override {
    if (rounds.empty()) complain("a review left no round");
    return {};
  }
  Result<void> add_learnings(const Run&, const std::string&) override { return {}; }
  void on_fact(const fact::Fact& one, const Run& before, const Run& after) override {
    if (std::holds_alternative<fact::Resumed>(one) || std::holds_alternative<fact::Started>(one))
      return;
    if (std::holds_alternative<fact::TurnFinished>(one)) taken_up = false;
    if (after.phase < before.phase && !(before.phase == Phase::fix && after.phase == Phase::review))
      complain("a phase went backwards");
    if (before.phase == Phase::review && after.phase > Phase::fix &&
        !(approved && std::holds_alternative<fact::Reviewed>(one)))
      complain("went on without three approvals");
    if (const auto* turn = std::get_if<fact::TurnStarted>(&one)) {
      if (turn->why == fact::Why::retry && !taken_up) retries[turn->phase].insert(turn->number);
      const bool goes_on = turn->why == fact::Why::go_on || turn->why == fact::Why::restart;
      if (turn->attempt == 1) told.clear();  // the phase begins
      if (goes_on && !taken_up) told.insert(turn->number);
      if (turn->why == fact::Why::mend && turn->phase == Phase::qa) mended.insert(turn->number);
    }
    // A fix begins anew with each round.
    for (const auto& [phase, numbers] : retries)
      if (numbers.size() > (phase == Phase::fix ? 2U : 1U)) complain("retried more than once");
    if (mended.size() > 2) complain("qa has more than two cycles");
    if (static_cast<std::int64_t>(told.size()) > after.file.max_iterations)
      complain("told to go on more often than the limit");
    if (after.file.iteration > after.file.max_iterations && after.step != Step::end &&
        after.step != Step::ended)
      complain("the limit does not hold");
  }
  bool requested() override { return false; }
  // Changes something by hand, before the run is taken up again; limits count from there.
  void mend() {
    ++tree;
    turns = reviews = 0;
    errors_left = 4;
    retries.clear();
    mended.clear();
    told.clear();
    taken_up = true;
  }
  void reached(std::string_view) override {
    if (crashes_left > 0 && random.once_in(12)) {
      --crashes_left;
      ++crashes;
      throw Crash{};
    }
  }
};

}  // namespace

Finding simulate_run(std::uint64_t seed, signal::Skips skips, RunBug bug) {
  planted = bug;
  Random choose(seed ^ 0x5EEDULL);
  const bool has_checks = choose.once_in(2);
  World world(seed, has_checks);
  fact::Started started;
  started.task = "t";
  started.in_place = choose.once_in(5);
  started.has_checks = has_checks;
  started.skip_expansion = skips.expansion;
  started.skip_qa = skips.qa;
  started.skip_review = skips.review;
  started.skip_reflect = skips.reflect;
  started.max_iterations = static_cast<std::int64_t>(1 + choose.below(4));
  // Nine phases, two more fixes and their reviews, two cycles of qa, one retry each; and what
  // crashes repeat.
  const int limit = static_cast<int>(started.max_iterations);
  const int most_turns = (9 + 2 + 2) * (limit + 1) + 4 + 4;
  Finding finding;
  const AutoPorts ports{world, world, world, world, world, world, world, world, &world};
  int persons = choose.once_in(3) ? 2 : 0;
  bool goes_on = false;
  Outcome outcome = Outcome::none;
  for (int life = 0; life < 40 && outcome == Outcome::none && world.broken.empty(); ++life) {
    AutoRunner runner("run", ports, apply);
    try {
      if (const auto replayed = runner.replay(); !replayed) break;
      if (runner.state().step == Step::start) {
        if (!runner.start(started)) continue;
      }
      if (runner.state().step == Step::ended && goes_on) {
        if (!runner.resume()) continue;
      }
      goes_on = false;
      // A workflow that does not end would turn here for ever.
      struct Guard : AutoStops {
        World& world;
        int most;
        Guard(World& w, int m) : world(w), most(m) {}
        bool requested() override {
          if (world.turns <= most && world.reviews <= 3 + 3) return false;
          world.complain("it does not end");
          return true;
        }
      } guard(world, most_turns);
      AutoPorts guarded = ports;
      AutoRunner guarded_runner(
          "run",
          AutoPorts{guarded.clock, guarded.log, guarded.agents, guarded.checks, guarded.place,
                    guarded.files, guarded.listener, guard, guarded.probe},
          apply);
      if (const auto replayed = guarded_runner.replay(); !replayed) break;
      const auto ended = guarded_runner.carry_on();
      if (ended) outcome = ended->outcome;
    } catch (const Crash&) {
    }
    if (outcome != Outcome::none && outcome != Outcome::complete && persons > 0 &&
        world.broken.empty() && !world.merged) {
      --persons;
      goes_on = true;
      outcome = Outcome::none;
      world.mend();
    }
  }
  finding.broken = world.broken;
  if (finding.broken.empty() && outcome == Outcome::none) finding.broken = "it never ended";
  if (finding.broken.empty() && world.merges > 1) finding.broken = "merged twice";
  if (finding.broken.empty() && world.merged && outcome != Outcome::complete &&
      outcome != Outcome::error)
    finding.broken = "merged, but not complete";
  if (finding.broken.empty() && outcome == Outcome::complete && !started.in_place && !world.merged)
    finding.broken = "complete, but not merged";
  finding.story = world.story;
  finding.end = fact::name_of(outcome);
  finding.crashes = world.crashes;
  return finding;
}

}  // namespace capsule::engine::auto_simulation
