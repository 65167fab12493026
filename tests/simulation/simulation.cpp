#include "tests/simulation/simulation.h"

#include <algorithm>
#include <array>
#include <set>

#include "tests/simulation/random.h"

namespace capsule::engine::simulation {
namespace {

using namespace event;
using pipeline::Step;
using signal::Status;
using test::Random;

constexpr int kMostSteps = 3000;
constexpr const char* kRun = "run-1";

// What outlives a crash.
struct World {
  std::vector<std::pair<std::string, std::string>> journal;
  bool worktree = false;
  bool archived = false;
  bool bead_closed = false;
  int tree = 0;
  int snapshots = 0;
  std::vector<std::string> main = {"base"};  // what was merged, in order
  int others = 0;                            // how much of that is somebody else's
};

struct Simulated : Clock,
                   FactLog,
                   PhaseRunner,
                   Workspace,
                   Checks,
                   BeadCloser,
                   Listener,
                   StopRequests {
  World& world;
  Random& random;
  Bug bug;
  int crash_rate, fault_rate, pass_rate;
  std::string broken;

  Simulated(World& w, Random& r, Bug b) : world(w), random(r), bug(b) {
    crash_rate = random.below(3) * 2;
    fault_rate = random.below(3);
    pass_rate = 40 + random.below(55);
  }

  void claim(bool holds, const char* what) {
    if (!holds && broken.empty()) broken = what;
  }
  void may_crash() {
    if (random.chance(crash_rate)) throw Crash{};
  }
  bool fault() { return random.chance(fault_rate); }
  bool on_main(const std::string& run) const {
    return std::find(world.main.begin(), world.main.end(), run) != world.main.end();
  }
  // An effect: it may not happen, happen and be forgotten by a crash, or happen and be reported as
  // failed.
  template <class Effect>
  Result<void> effect(Effect&& does) {
    may_crash();
    if (fault()) return fail(Reason::io, "simulated: not done");
    does();
    may_crash();
    if (fault()) return fail(Reason::io, "simulated: done, but the reply was lost");
    return {};
  }

  std::string utc_now() override { return "2026-01-01T00:00:00.000Z"; }
  std::int64_t monotonic_ms() override { return 0; }

  Result<void> append(const std::vector<PipelineFact>& facts) override {
    may_crash();
    if (fault()) return fail(Reason::io, "simulated: the journal cannot be written");
    for (const PipelineFact& fact : facts) {
      const bool lose = bug == Bug::lost_append && random.chance(10);
      const bool twice =
          bug == Bug::phase_recorded_twice && std::holds_alternative<PhaseFinished>(fact);
      for (int i = lose ? 1 : 0; i < (twice ? 2 : 1); ++i)
        world.journal.emplace_back(kind_of(fact), body_of(fact));
    }
    may_crash();
    return {};
  }
  Result<std::vector<PipelineFact>> read() override {
    std::vector<PipelineFact> facts;
    for (const auto& [kind, body] : world.journal) facts.push_back(TRY(read_fact(kind, body)));
    return facts;
  }

  Result<void> preflight() override { return {}; }
  std::string provider_of(Phase) override { return "simulated"; }
  std::string model_of(Phase) override { return ""; }
  Result<PhaseReport> run(const PhaseRequest& request) override {
    claim(world.worktree, "an agent works only in a worktree that is there");
    may_crash();
    PhaseReport report;
    if (!pipeline::is_review(request.phase) && !random.chance(20))
      world.tree += 1 + random.below(3);
    may_crash();
    const int roll = random.below(100);
    if (roll < 2) return fail(Reason::missing_program, "simulated: the agent program is gone");
    report.signal = signal::synthetic_error("No signal JSON found in phase output");
    if (roll < 4) {
      report.fault = PhaseFault::no_signal;
    } else if (roll < 6) {
      report.fault = PhaseFault::timed_out;
    } else if (roll < 7) {
      report.fault = PhaseFault::interrupted;
    } else {
      report.signal.status = random.chance(pass_rate) ? Status::pass
                             : random.chance(85)      ? Status::needs_work
                                                      : Status::error;
      report.signal.feedback = "feedback " + std::to_string(random.below(3));
      if (random.chance(3)) report.fault = PhaseFault::exit_status, report.exit_code = 1;
    }
    return report;
  }

  Result<WorktreeIntended> plan_worktree(const State&) override {
    if (fault()) return fail(Reason::io, "simulated: no plan");
    return WorktreeIntended{"wt", "br", "base"};
  }
  Result<void> make_worktree(const WorktreeIntended&) override {
    return effect([&] { world.worktree = true; });
  }
  Result<void> before_phase(const State&) override { return {}; }
  Result<void> note_in_worklog(const State&) override {
    return effect([] {});
  }
  Result<SnapshotTaken> snapshot(const std::string&, const State& state) override {
    claim(world.worktree, "a snapshot is taken of a worktree that is there");
    TRY_VOID(effect([&] { ++world.snapshots; }));
    return SnapshotTaken{state.phase, state.number, "ref", "c", std::to_string(world.tree), "h"};
  }
  Result<void> keep_unfinished(const std::string&, const State&) override {
    return effect([&] { ++world.snapshots; });
  }
  Result<void> rewind(const std::string&, const State& state) override {
    return effect(
        [&] { world.tree = state.snapshot.tree.empty() ? 0 : std::stoi(state.snapshot.tree); });
  }
  Result<std::optional<MergeRefused>> sign_off_gate(const State& state) override {
    if (state.signed_off || bug == Bug::merge_without_sign_off) return std::nullopt;
    return MergeRefused{MergeRefusal::no_sign_off, "simulated"};
  }
  Result<MergeAnswer> plan_merge(const std::string& run, const State&) override {
    may_crash();
    if (fault()) return fail(Reason::io, "simulated: no merge plan");
    if (on_main(run) && bug != Bug::second_merge_of_one_run) return MergeDone{"merge", true};
    if (bug == Bug::adopted_merge_never_happened && random.chance(50))
      return MergeDone{"merge", true};
    if (random.chance(5)) return MergeRefused{MergeRefusal::conflict, "simulated"};
    return MergePlan{"main", std::to_string(world.main.size()), "merge"};
  }
  Result<PublishAnswer> publish_merge(const MergePlan& plan) override {
    // Somebody else may be faster.
    if (random.chance(20)) {
      world.main.push_back("other-" + std::to_string(world.main.size()));
      ++world.others;
    }
    bool moved = false;
    TRY_VOID(effect([&] {
      moved = plan.main_before == std::to_string(world.main.size());
      if (!moved && bug == Bug::main_moved_without_compare) {
        world.main.resize(static_cast<std::size_t>(std::stoi(plan.main_before)));
        moved = true;
      }
      if (moved) world.main.emplace_back(kRun);
    }));
    if (!moved) return MainMoved{};
    return MergeDone{"merge", false};
  }
  Result<std::string> archive(const std::string&, const State&) override {
    TRY_VOID(effect([&] { world.archived = true; }));
    return std::string("logs");
  }
  Result<void> remove_worktree(const State&) override {
    return effect([&] {
      claim(world.archived && on_main(kRun),
            "a worktree is removed only when its work is archived and on main");
      world.worktree = false;
    });
  }
  Result<PhaseChecked> check(const std::string&, const State& state) override {
    TRY_VOID(effect([] {}));
    return PhaseChecked{state.phase, state.number, random.chance(90), "checked", {}};
  }
  Result<void> close(const std::string&) override {
    return effect([&] {
      claim(on_main(kRun), "a bead is closed only when its work is on main");
      world.bead_closed = true;
    });
  }
  void on_fact(const PipelineFact&, const State&, const std::string&) override {}
  std::optional<Outcome> requested() override {
    if (random.chance(1)) return random.chance(50) ? Outcome::paused : Outcome::interrupted;
    return std::nullopt;
  }
};

// The real workflow with one rule broken.
template <Bug bug>
State broken_apply(State state, const PipelineFact& fact) {
  const State before = state;
  State after = pipeline::apply(std::move(state), fact);
  const auto run = [&](Phase phase) {
    after.step = Step::run_phase;
    after.phase = phase;
    after.outcome = Outcome::none;
  };
  const bool judged = std::holds_alternative<PhaseChecked>(fact);
  if constexpr (bug == Bug::merge_without_sign_off) {
    if (judged && before.phase == Phase::sign_off && !after.signed_off) run(Phase::merge);
  } else if constexpr (bug == Bug::attempts_without_end) {
    if (after.step == Step::run_phase) after.attempt = 1;
  } else if constexpr (bug == Bug::writers_needs_work_ignored) {
    if (after.step == Step::end && after.outcome == Outcome::writer_needs_work)
      run(before.phase == Phase::test_writer ? Phase::test_review : Phase::execute_review);
  } else if constexpr (bug == Bug::error_ignored) {
    if (std::holds_alternative<SnapshotTaken>(fact) && after.outcome == Outcome::phase_error)
      run(before.phase == Phase::merge ? Phase::merge : Phase::sign_off);
  } else if constexpr (bug == Bug::failed_check_ignored) {
    if (const auto* checked = std::get_if<PhaseChecked>(&fact);
        checked != nullptr && !checked->passed) {
      PhaseChecked passed = *checked;
      passed.passed = true;
      after = pipeline::apply(before, passed);
    }
  } else if constexpr (bug == Bug::worktree_removed_before_the_merge) {
    if (after.step == Step::integrate) after.step = Step::remove_worktree;
  } else if constexpr (bug == Bug::bead_closed_without_a_merge) {
    if (std::holds_alternative<MergeRefused>(fact)) after.step = Step::close_bead;
  }
  return after;
}

PipelineRunner::Apply apply_with(Bug bug) {
  switch (bug) {
    case Bug::merge_without_sign_off:
      return broken_apply<Bug::merge_without_sign_off>;
    case Bug::attempts_without_end:
      return broken_apply<Bug::attempts_without_end>;
    case Bug::writers_needs_work_ignored:
      return broken_apply<Bug::writers_needs_work_ignored>;
    case Bug::error_ignored:
      return broken_apply<Bug::error_ignored>;
    case Bug::failed_check_ignored:
      return broken_apply<Bug::failed_check_ignored>;
    case Bug::worktree_removed_before_the_merge:
      return broken_apply<Bug::worktree_removed_before_the_merge>;
    case Bug::bead_closed_without_a_merge:
      return broken_apply<Bug::bead_closed_without_a_merge>;
    default:
      return pipeline::apply;
  }
}

// What must hold of the whole journal and the world, however the run went. Written from the facts
// alone, without the workflow's own state.
struct Audit {
  const World& world;
  std::string broken;

  void claim(bool holds, const char* what) {
    if (!holds && broken.empty()) broken = what;
  }

  void read(const std::vector<PipelineFact>& facts) {
    std::set<int> finished;
    std::optional<PhaseFinished> open_verdict;
    bool signed_off = false, ended = false, started = false;
    int runs_of_phase[kPhaseCount] = {};
    int limit = 1, last_number = 0;
    for (const PipelineFact& fact : facts) {
      if (const auto* f = std::get_if<RunStarted>(&fact)) limit = f->max_retries, started = true;
      claim(started, "nothing is recorded before the start of the run");
      if (const auto* f = std::get_if<RunResumed>(&fact)) {
        limit = f->max_retries;
        ended = false;
        std::fill(std::begin(runs_of_phase), std::end(runs_of_phase), 0);
        open_verdict.reset();
        continue;
      }
      claim(!ended, "nothing happens after the end of a run");
      if (std::holds_alternative<RunEnded>(fact)) ended = true;
      if (const auto* f = std::get_if<PhaseStarted>(&fact)) {
        claim(f->number == last_number || f->number == last_number + 1,
              "phases are numbered without gaps");
        claim(!finished.contains(f->number), "a finished phase is not started again");
        claim(f->attempt <= limit, "attempts never exceed the limit");
        if (f->number != last_number) {
          const bool mends =
              f->phase == Phase::execute && runs_of_phase[static_cast<int>(Phase::sign_off)] > 0;
          const int runs = ++runs_of_phase[static_cast<int>(f->phase)];
          claim(runs <= limit * (f->phase == Phase::execute ? 2 : 1) || mends,
                "every loop has its limit");
          claim(runs <= 2 * limit + 1, "every loop has its limit");
        }
        last_number = f->number;
        if (open_verdict)
          claim(follows(*open_verdict, f->phase),
                "the next phase is the one that the verdict asks for");
        if (f->phase == Phase::merge) claim(signed_off, "no merge without sign-off");
        open_verdict.reset();
      }
      if (const auto* f = std::get_if<PhaseFinished>(&fact)) {
        claim(finished.insert(f->number).second, "no phase is recorded twice");
        claim(f->number == last_number, "a phase ends only after it was started");
        open_verdict = *f;
        if (f->phase == Phase::sign_off) signed_off = f->status == Status::pass;
        if (f->phase == Phase::execute) signed_off = false;
      }
      if (const auto* f = std::get_if<PhaseChecked>(&fact)) {
        if (f->phase == Phase::sign_off && !f->passed) signed_off = false;
        if (open_verdict && open_verdict->status == Status::pass && !f->passed) {
          open_verdict->status = Status::needs_work;
          open_verdict->summary = "checked";
        }
      }
      if (std::holds_alternative<MergeIntended>(fact) || std::holds_alternative<MergeDone>(fact))
        claim(signed_off, "no merge without sign-off");
      if (std::holds_alternative<MergeDone>(fact))
        claim(std::count(world.main.begin(), world.main.end(), kRun) == 1,
              "a recorded merge is on main, once");
    }
    claim(ended, "every run ends or waits for a person");
  }

  // Which phase may come after a verdict, by the spec's retry rules.
  static bool follows(const PhaseFinished& verdict, Phase next) {
    const bool checked = verdict.summary == "checked";
    switch (verdict.phase) {
      case Phase::test_writer:
        return verdict.status == Status::pass ? next == Phase::test_review
                                              : checked && next == Phase::test_writer;
      case Phase::test_review:
        return next == (verdict.status == Status::pass ? Phase::execute : Phase::test_writer) &&
               verdict.status != Status::error;
      case Phase::execute:
        if (verdict.status == Status::pass)
          return next == Phase::execute_review || next == Phase::sign_off;
        return checked && next == Phase::execute;
      case Phase::execute_review:
        return next == (verdict.status == Status::pass ? Phase::sign_off : Phase::execute) &&
               verdict.status != Status::error;
      case Phase::sign_off:
        return next == (verdict.status == Status::pass ? Phase::merge : Phase::execute) &&
               verdict.status != Status::error;
      case Phase::merge:
        return false;
    }
    return false;
  }
};

}  // namespace

std::string_view name_of(Bug bug) {
  static constexpr std::array<std::string_view, kBugCount> kNames = {
      "None",
      "MergeWithoutSignOff",
      "PhaseRecordedTwice",
      "LostAppend",
      "AdoptedMergeNeverHappened",
      "SecondMergeOfOneRun",
      "MainMovedWithoutCompare",
      "AttemptsWithoutEnd",
      "WritersNeedsWorkIgnored",
      "ErrorIgnored",
      "FailedCheckIgnored",
      "WorktreeRemovedBeforeTheMerge",
      "BeadClosedWithoutAMerge"};
  return kNames[static_cast<std::size_t>(bug)];
}

Finding simulate(std::uint64_t seed, Bug bug) {
  Random random(seed);
  World world;
  Simulated parts(world, random, bug);
  const Ports ports{parts, parts, parts, parts, parts, parts, parts, parts};
  Finding finding;
  const int limit = 1 + random.below(4);
  int resumes = random.below(4);
  // Every turn of this loop is one start of Capsule.
  for (int start = 0;; ++start) {
    if (start > kMostSteps) {
      finding.broken = "every run ends or waits for a person";
      break;
    }
    PipelineRunner runner(kRun, ports, apply_with(bug));
    try {
      const auto replayed = runner.replay();
      if (!replayed) continue;
      if (runner.state().step == Step::start) {
        if (!runner.start({"bead-1", "title", "simulated", limit, "stop"})) continue;
      } else if (runner.state().step == Step::ended) {
        if (runner.state().outcome == Outcome::merged || resumes-- <= 0) break;
        if (!runner.resume({limit, false})) continue;
      }
      // The runner stops when it cannot record; a person starts it again.
      int facts_before = static_cast<int>(world.journal.size());
      const auto state = runner.carry_on();
      if (world.journal.size() > 2000) {
        finding.broken = "every run ends or waits for a person";
        break;
      }
      if (!state && static_cast<int>(world.journal.size()) == facts_before) continue;
    } catch (const Crash&) {
      ++finding.crashes;
    }
  }
  for (const auto& [kind, body] : world.journal) finding.journal.push_back(kind + " " + body);
  if (finding.broken.empty()) finding.broken = parts.broken;
  const auto facts = parts.read();
  Audit audit{world, {}};
  if (facts) audit.read(*facts);
  if (finding.broken.empty()) finding.broken = facts ? audit.broken : "the journal can be read";
  const auto others =
      std::count_if(world.main.begin(), world.main.end(),
                    [](const std::string& entry) { return entry.starts_with("other"); });
  if (finding.broken.empty() && others != world.others)
    finding.broken = "what others brought to main stays there";
  const auto merges = std::count(world.main.begin(), world.main.end(), kRun);
  if (finding.broken.empty() && merges > 1) finding.broken = "at most one merge of a run";
  if (finding.broken.empty() && world.bead_closed && merges != 1)
    finding.broken = "a closed bead is on main";
  PipelineRunner last(kRun, ports);
  const auto once = last.replay();
  if (once) finding.outcome = once->outcome;
  if (finding.broken.empty() && once && once->outcome == Outcome::merged && merges != 1)
    finding.broken = "a merged run is on main, once";
  return finding;
}

}  // namespace capsule::engine::simulation
