#include "tests/simulation/phases.h"

#include <memory>

#include "tests/simulation/phases_audit.h"

namespace capsule::simulation {
namespace {

using namespace event;
using phases::State;
using phases::Step;
using signal::Status;

constexpr const char* kBead = "bead-1";
constexpr int kSamples = 400;

PhasesBug planted = PhasesBug::none;  // apply is a plain function

void run_phase(State& s, const char* phase) {
  s.step = Step::run_phase;
  s.phase = phase;
  s.outcome = Outcome::none;
  s.results.clear();
}

void apply(State& s, const PipelineFact& fact) {
  const std::string phase = s.phase;
  const int faults = s.faults;
  const bool judged = std::holds_alternative<PhaseChecked>(fact);
  switch (planted) {
    case PhasesBug::failed_check_ignored:
      if (judged) {
        PhaseChecked passed = std::get<PhaseChecked>(fact);
        passed.passed = true;
        return phases::apply(s, passed);
      }
      break;
    case PhasesBug::approval_ignored:
      if (const auto* given = std::get_if<ApprovalGiven>(&fact))
        return phases::apply(s, ApprovalGiven{given->question, true, "", ""});
      break;
    default:
      break;
  }
  phases::apply(s, fact);
  switch (planted) {
    case PhasesBug::merge_without_sign_off:
      if (judged && phase == "sign-off" && !s.signed_off) {
        run_phase(s, "merge");
        s.signed_off = true;
      }
      break;
    case PhasesBug::attempts_without_end:
      if (s.step == Step::run_phase) s.attempt = 1, s.sent_back.clear();
      break;
    case PhasesBug::writers_needs_work_ignored:
      if (s.step == Step::end && s.outcome == Outcome::writer_needs_work)
        run_phase(s, phase == "test-writer" ? "test-review" : "execute-review");
      break;
    case PhasesBug::error_ignored:
      if (std::holds_alternative<SnapshotTaken>(fact) && s.outcome == Outcome::phase_error)
        run_phase(s, "execute");
      break;
    case PhasesBug::worktree_removed_before_the_merge:
      if (s.step == Step::integrate) s.step = Step::remove_worktree;
      break;
    case PhasesBug::bead_closed_without_a_merge:
      if (std::holds_alternative<MergeRefused>(fact)) s.step = Step::close_bead;
      break;
    case PhasesBug::cut_off_phase_forgotten:
      s.open.clear();
      break;
    case PhasesBug::merge_without_approval:
      if (std::holds_alternative<MergeTried>(fact)) s.step = Step::integrate, s.approved = true;
      break;
    case PhasesBug::fault_costs_an_attempt:
      if (std::holds_alternative<SnapshotTaken>(fact) && s.faults > faults) ++s.attempt;
      break;
    default:
      break;
  }
}

struct Planted : phases::Rules {
  static void apply(State& state, const Fact& fact) { simulation::apply(state, fact); }
  static Turn advance(State& state, std::vector<Fact> given,
                      const std::vector<workflow::Observation>& observations,
                      const std::string& at) {
    return phases::advance(state, std::move(given), observations, at,
                           planted == PhasesBug::none ? phases::apply : simulation::apply);
  }
};
using Rules = Tap<Planted>;

class PhasesRun : public Simulation {
 public:
  PhasesRun(std::uint64_t seed, const Weather& weather, WorldBug bug, int definition)
      : Simulation(seed, weather, bug), sample_(sample(definition)) {
    Rules::begin(seed % kByWire == 0);
    journal().twice_kind = "phase_finished";
    attempts_ = 1 + random().below(kSampleAttempts);
    pass_ = scripted() ? 75 : 40 + random().below(55);
    resumes_ = random().below(4);
    const int how = random().below(10);
    integrate_ = how < 3    ? Integrate::ask
                 : how == 3 ? Integrate::branch
                 : how == 4 ? Integrate::merge
                            : Integrate::unsaid;
    person_ = random().chance(30);
    audit_.most_runs = sample_.most_runs[static_cast<std::size_t>(attempts_ - 1)];
    convergence_ = random().chance(50) ? event::Convergence::stop : event::Convergence::off;
    // Else it would take thousands of runs.
    if (planted == PhasesBug::attempts_without_end)
      pass_ = 45, convergence_ = event::Convergence::off;
  }
  void never_give_up() { resumes_ = 100; }
  // The pipeline as a user's file says it, under a name of its own.
  void follow_a_file() { by_file_ = true; }

 private:
  static Definition shipped() {
    Definition definition = phases::pipeline();
    definition.name = "mine";
    return definition;
  }
  engine::Workflow& boot() override {
    State fresh;
    fresh.run = kRun;
    fresh.present.attended = person_;
    fresh.present.bring_back = gone_ && !tree(kBead).exists;
    workflow_ = std::make_unique<engine::WorkflowOf<Rules, SupplyTap>>(std::move(fresh), policy());
    return *workflow_;
  }
  const State& state() const { return workflow_->state(); }

  Result<bool> set_going(engine::Runner& runner, bool known) override {
    if (!known) {
      RunStarted started{kBead, "title", "simulated", attempts_, convergence_, {}, ""};
      if (&sample_ != &sample(0)) started.definition = sample_.definition;
      if (by_file_) started.definition = shipped();
      started.integrate = integrate_;
      TRY_VOID(runner.take(workflow_->given({started}, utc_now(), standing())));
      return true;
    }
    if (!workflow_->ended()) {
      TRY_VOID(runner.take_up());
      return true;
    }
    const workflow::RunSummary summary = workflow_->summary();
    finding().outcome = summary.outcome;
    finding().succeeded = summary.standing == workflow::Standing::succeeded;
    const bool stopped = summary.standing == workflow::Standing::stopped;
    if (!summary.can_go_on || (scripted() && !stopped) || resumes_ <= 0) return false;
    if (may_lose_its_tree() && random().chance(4)) {
      tree(kBead).exists = false;
      gone_ = true;
      return fail(Reason::not_found, "the worktree is gone");
    }
    --resumes_;
    const bool at_merge = !scripted() && &sample_ == &sample(0) && random().chance(10) &&
                          state().worktree == "folder";
    std::vector<PipelineFact> facts{RunResumed{attempts_, at_merge}};
    if (!scripted() && random().chance(10) && state().merge_commit.empty())
      facts.emplace_back(
          IntegrationChosen{random().chance(50) ? Integrate::ask : Integrate::merge});
    TRY_VOID(runner.take(workflow_->given(std::move(facts), utc_now(), standing())));
    return true;
  }

  // Somebody may remove the worktree of a run that has ended: the newest snapshot has the work.
  bool may_lose_its_tree() {
    return !scripted() && state().after == Step::run_phase && state().merge_commit.empty() &&
           !state().snapshot.commit.empty() && tree(kBead).exists;
  }

  void speak(const Job& job, workflow::AgentFinished& finished, Random& random) override {
    // A writer that does not pass ends the run: it would hide what comes later.
    const PhaseRule* rule = phases::find_phase(sample_.definition, job.role);
    const int passes = rule != nullptr && phases::judges(*rule) ? pass_ : (100 + pass_) / 2;
    workflow::ContractWords words;
    words.signal.status = random.chance(passes) ? Status::pass
                          : random.chance(85)   ? Status::needs_work
                                                : Status::error;
    words.signal.feedback = "feedback " + std::to_string(random.below(3));
    audit_.said[job.number] = finished.fault == Fault::none ? words.signal.status : Status::error;
    finished.words = std::move(words);
  }
  void examine(const Job& job, workflow::Checked& checked, Random& random) override {
    if (job.options == std::vector<std::string>{"baseline"}) {
      checked.baseline = random.chance(97) ? Baseline::green : Baseline::red;
      return;
    }
    const bool gate = state().step == Step::run_phase;
    // Only a PASS claims that the work is as it should be.
    const bool claims = std::get<workflow::Check>(*job.command).passed_claim;
    bool passed = random.chance(90) || job.options.empty() || !claims;
    const auto& check = std::get<workflow::Check>(*job.command);
    if (!passed && !gate && random.chance(25)) {
      // What a person let pass is asked for.
      passed = !check.allowed.empty();
      if (!passed) checked.guarded = {"Makefile"};
    }
    if (gate)
      passed = (audit_.worklog_says_so() || planted == PhasesBug::merge_without_sign_off) &&
               (scripted() || random.chance(97));
    else
      audit_.checked[job.number] = passed;
    if (!passed) checked.feedback = "checked";
    checked.claims.push_back({"tests pass", passed ? Verdict::held : Verdict::broken, ""});
  }
  std::string answer(const Job& job, Random& random) override {
    const std::string text = random.chance(65)   ? "approve"
                             : random.chance(30) ? "reject"
                                                 : "do it otherwise";
    audit_.answered[job.number] = text;
    return text;
  }

  bool intended(const workflow::Command& command) override {
    if (const auto* start = std::get_if<workflow::StartAgent>(&command))
      return audit_.is_open(start->agent);
    if (const auto* merge = std::get_if<workflow::Merge>(&command))
      return merge->into == workflow::Merge::Into::nowhere || audit_.merging();
    if (std::holds_alternative<workflow::OpenTree>(command)) return audit_.planned();
    if (const auto* ask = std::get_if<workflow::Ask>(&command)) return audit_.asked(ask->question);
    return true;
  }
  void before(const workflow::Command& command) override {
    const bool merges = audit_.to_main();
    const Tree& place = tree(kBead);
    if (std::holds_alternative<workflow::StartAgent>(command)) {
      ++audit_.called;
      claim(place.exists, "an agent works only in a worktree that is there");
    }
    if (std::holds_alternative<workflow::Keep>(command))
      claim(place.exists, "a snapshot is taken of a worktree that is there");
    if (std::holds_alternative<workflow::Merge>(command))
      claim(!audit_.merged(), "nothing is merged twice");
    if (std::holds_alternative<workflow::RemoveTree>(command))
      claim(place.archived && (!merges || is_on_main(kBead)),
            "a worktree is removed only when its work is archived and on main");
    if (std::holds_alternative<workflow::CloseTask>(command))
      claim(is_on_main(kBead), "a bead is closed only when its work is on main");
  }
  void on_recorded() override {
    for (const PipelineFact& fact : Rules::newest) {
      audit_.read(fact, merges_of(kBead));
      if (std::holds_alternative<AnswerTakenBack>(fact)) ++finding().taken_back;
      if (journal().bug == MemoryJournal::Bug::fact_twice &&
          std::holds_alternative<PhaseFinished>(fact))
        audit_.read(fact, merges_of(kBead));
    }
    if (!audit_.broken.empty()) claim(false, audit_.broken.c_str());
  }

  std::string fingerprint() const override {
    const State& s = state();
    std::string out = simulation::text_of(phases::summary(s));
    const auto add = [&](std::string_view text) { (out += text) += ';'; };
    const auto count = [&](int number) { (out += std::to_string(number)) += ';'; };
    count(static_cast<int>(s.step)), count(static_cast<int>(s.after)), add(s.phase);
    count(s.attempt), count(s.max_retries), count(s.number), add(s.then), add(s.feedback);
    count(s.signed_off ? 1 : 0), count(s.asked_sign_off ? 1 : 0), count(s.merge_open ? 1 : 0);
    count(s.merge_again ? 1 : 0);
    add(s.tests_commit), add(s.signed_commit), add(s.previous_commit), add(s.snapshot.commit);
    count(s.questions), count(s.question), add(s.reviewed_by), add(s.reviewed_feedback);
    add(s.reviewed_tree), count(s.repeated ? 1 : 0), count(s.before_merge ? 1 : 0);
    count(static_cast<int>(s.integrate)), count(s.approved ? 1 : 0), add(s.guard_words);
    count(static_cast<int>(s.about)), count(static_cast<int>(s.allowed.size()));
    for (const auto& [phase, number] : s.open) add(phase), count(number);
    for (const auto& [phase, result] : s.results)
      add(phase), count(static_cast<int>(result.status));
    for (const auto& [phase, times] : s.sent_back) add(phase), count(times);
    return out;
  }

  void at_end() override {
    const Outcome outcome = state().outcome;
    const int merges = merges_of(kBead);
    claim(workflow_->ended(), "every run ends or waits for a person");
    claim(merges <= 1, "at most one merge of a run");
    claim(outcome != Outcome::merged || (merges == 1 && is_closed(kBead)),
          "a merged run is on main, once, and its bead is closed");
    claim(!is_closed(kBead) || merges == 1, "a closed bead is on main");
    if (finding().succeeded) claim(!tree(kBead).exists, "a run that is done leaves no tree");
  }
  std::string path() const override { return finding_outcome() + "\n" + audit_.path(); }
  std::string finding_outcome() const { return std::string(event::name_of(state().outcome)); }
  std::string text_of(const event::Fact& fact) const override { return Rules::text_of(fact); }
  std::string key_of(const Job& job) const override {
    if (job.what == Job::What::question) return std::to_string(audit_.finished());
    return job.role + std::to_string(audit_.finished(job.role));
  }

  const Sample& sample_;
  std::unique_ptr<engine::WorkflowOf<Rules, SupplyTap>> workflow_;
  PhasesAudit audit_;
  int attempts_ = 1, pass_ = 50, resumes_ = 0;
  event::Convergence convergence_{};
  bool gone_ = false, person_ = false, by_file_ = false;
  Integrate integrate_{};
};

}  // namespace

std::string_view name_of(PhasesBug bug) {
  constexpr std::string_view kNames[] = {"None",
                                         "MergeWithoutSignOff",
                                         "AttemptsWithoutEnd",
                                         "WritersNeedsWorkIgnored",
                                         "ErrorIgnored",
                                         "FailedCheckIgnored",
                                         "WorktreeRemovedBeforeTheMerge",
                                         "BeadClosedWithoutAMerge",
                                         "ApprovalIgnored",
                                         "CutOffPhaseForgotten",
                                         "MergeWithoutApproval",
                                         "FaultCostsAnAttempt"};
  static_assert(std::size(kNames) == kPhasesBugs);
  return kNames[static_cast<std::size_t>(bug)];
}

namespace {

Weather rough(Random& choose) {
  Weather weather;
  weather.crashes = choose.below(4);
  weather.crash_one_in = 8 + choose.below(30);
  weather.stops = choose.below(3);
  weather.stop_one_in = 10 + choose.below(60);
  weather.command_faults = choose.below(3) * 10;
  weather.agent_faults = choose.below(3) * 3;
  weather.journal_faults = choose.below(3) * 8;
  weather.main_moves = 15;
  weather.ground_moves = 3;
  weather.refusals = 6;
  weather.diligence = choose.chance(20) ? 20 : 80;
  return weather;
}

}  // namespace

Finding simulate_phases(std::uint64_t seed, PhasesBug bug, WorldBug world, bool all,
                        bool supplied) {
  planted = bug;
  Random choose(seed ^ 0x5EEDULL);
  Weather weather = rough(choose);
  if (supplied) add_supply(weather, seed);
  // The pipeline asks nobody, and has no route for ERROR.
  const bool by_file =
      bug == PhasesBug::approval_ignored || bug == PhasesBug::fault_costs_an_attempt;
  const bool pipeline = bug == PhasesBug::none ? choose.chance(60) : !by_file;
  return PhasesRun(seed, weather, world, pipeline ? 0 : 1 + choose.below(kSamples)).run(all);
}

Finding simulate_pipeline(std::uint64_t seed, bool by_file) {
  planted = PhasesBug::none;
  Random choose(seed ^ 0x5EEDULL);
  PhasesRun run(seed, rough(choose), WorldBug::none, 0);
  if (by_file) run.follow_a_file();
  return run.run(true);
}

Finding simulate_script(std::uint64_t seed, int crashes, int stops, bool supplied) {
  planted = PhasesBug::none;
  Random choose(seed ^ 0x5EEDULL);
  Weather weather;
  weather.scripted = true;
  weather.crashes = crashes;
  weather.stops = stops;
  weather.crash_one_in = weather.stop_one_in = 10;
  if (supplied) add_supply(weather, seed);
  PhasesRun run(seed, weather, WorldBug::none, choose.chance(50) ? 0 : 1 + choose.below(kSamples));
  run.never_give_up();
  return run.run();
}

}  // namespace capsule::simulation
