// Random headless runs of auto mode.
#include "tests/simulation/auto.h"

#include <memory>

#include "tests/simulation/auto_audit.h"

namespace capsule::simulation {
namespace {

using auto_mode::Outcome;
using auto_mode::Phase;
using auto_mode::Run;
using auto_mode::Step;
using event::Fault;
namespace fact = event::auto_run;

AutoBug planted = AutoBug::none;  // apply is a plain function

void apply(Run& run, const fact::Fact& one) {
  const Phase phase = run.phase;
  const Step after = run.after;
  auto_mode::apply(run, one);
  switch (planted) {
    case AutoBug::none:
      break;
    case AutoBug::limit_never_holds:
      run.file.iteration = 0;
      break;
    case AutoBug::fix_goes_to_planning:
      if (phase == Phase::fix && run.phase == Phase::review)
        run.phase = Phase::planning, run.step = Step::turn;
      break;
    case AutoBug::endless_review:
      run.round = 0;
      break;
    case AutoBug::endless_qa:
      run.qa_cycle = 0;
      break;
    case AutoBug::merges_without_checks:
      if (run.phase == Phase::complete && run.step == Step::checks) run.step = Step::merge;
      break;
    case AutoBug::rejected_is_approved:
      if (std::holds_alternative<fact::Reviewed>(one) && run.phase == Phase::fix)
        run.phase = Phase::check;
      break;
    case AutoBug::retries_for_ever:
      run.retried = false;
      break;
    case AutoBug::trusts_a_person:
      if (std::holds_alternative<fact::Resumed>(one) && run.phase == Phase::complete)
        run.step = after;
      break;
    case AutoBug::cut_off_turn_forgotten:
      if (run.open == Step::turn) run.open.reset();
      break;
    case AutoBug::merges_without_approval:
      if (std::holds_alternative<fact::MergeTried>(one))
        run.step = Step::merge, run.approved = true;
      break;
    case AutoBug::fault_costs_an_attempt:
      if (std::holds_alternative<fact::TurnFinished>(one) && run.why == fact::Why::restart)
        ++run.attempt;
      break;
  }
}

struct Planted : auto_mode::Rules {
  static void apply(State& state, const Fact& fact) { simulation::apply(state, fact); }
  static Turn advance(State& state, std::vector<Fact> given,
                      const std::vector<workflow::Observation>& observations,
                      const std::string& at) {
    return auto_mode::Rules::advance(state, std::move(given), observations, at, simulation::apply);
  }
};
using Rules = Tap<Planted>;

class AutoRun : public Simulation {
 public:
  AutoRun(std::uint64_t seed, const Weather& weather) : Simulation(seed, weather, WorldBug::none) {
    Rules::begin(seed % kByWire == 0);
    fact::Started& s = started_;
    s.task = "t";
    s.in_place = random().once_in(5);
    s.has_checks = random().once_in(2);
    s.skip_expansion = random().once_in(2);
    s.skip_qa = random().once_in(2);
    s.skip_review = random().once_in(2);
    s.skip_reflect = random().once_in(2);
    // Else it would take thousands of runs.
    if (planted == AutoBug::endless_qa) s.has_checks = true, s.skip_qa = false;
    s.parallel = random().once_in(2);
    s.sessions = random().once_in(2);
    s.max_iterations = 1 + random().below(4);
    const int how = random().below(10);
    if (!s.in_place && how < 4)
      s.integrate = how < 3 ? event::Integrate::ask : event::Integrate::branch;
    persons_ = random().below(3);
    name_ = s.in_place ? auto_mode::kCheckout : auto_mode::kTree;
  }
  void never_give_up() { persons_ = 100; }

 private:
  engine::Workflow& boot() override {
    Run run;
    run.id = kRun;
    newest_agent_ = 0;
    workflow_ = std::make_unique<engine::WorkflowOf<Rules, SupplyTap>>(std::move(run), policy());
    return *workflow_;
  }
  const Run& state() const { return workflow_->state(); }

  Result<bool> set_going(engine::Runner& runner, bool known) override {
    if (!known) {
      TRY_VOID(runner.take(workflow_->given({started_}, utc_now(), standing())));
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
    if (!summary.can_go_on || (scripted() && !stopped) || persons_ <= 0) return false;
    --persons_;
    // Changes something by hand first.
    if (!scripted() && tree(name_).exists) {
      tree(name_).now = new_version();
      ++by_hand_;
    }
    TRY_VOID(runner.take(workflow_->given({fact::Resumed{}}, utc_now(), standing())));
    return true;
  }

  void speak(const Job& job, workflow::AgentFinished& finished, Random& random) override {
    if (job.dialect == workflow::Dialect::verdict) {
      fact::Verdict verdict = random.chance(12)  ? fact::Verdict::rejected
                              : random.chance(8) ? fact::Verdict::needs_fix
                                                 : fact::Verdict::approved;
      finished.words =
          workflow::VerdictWords{"- an issue\nVERDICT: " + std::string(fact::name_of(verdict))};
      // Whoever failed has said nothing, and nothing may be recorded of it.
      audit_.verdicts.erase(job.number);
      if (finished.fault == Fault::none || finished.fault == Fault::no_signal)
        audit_.verdicts[job.number] = verdict;
      return;
    }
    workflow::BlockWords words;
    const auto say = [&](signal::Signal signal) {
      words.signals.emplace_back(signal::row(signal).wire);
    };
    const bool silent = finished.fault == Fault::no_signal;
    for (int count = silent ? 0 : random.below(3); count > 0; --count) {
      const int choice = random.below(8);
      if (choice < 5) say(signal::expected_signal(state().phase));
      if (choice == 5 && random.chance(50))
        say(static_cast<signal::Signal>(static_cast<int>(signal::Signal::expansion_complete) +
                                        random.below(9)));
      if (choice == 6 && random.chance(40)) {
        say(signal::Signal::phase_error);
        words.error = "e";
        words.recoverable = random.once_in(2);
      }
      if (choice == 7 && random.once_in(30)) say(signal::Signal::auto_complete);
    }
    audit_.said[job.number] = words.signals;
    finished.words = std::move(words);
  }
  void examine(const Job& job, workflow::Checked& checked, Random& random) override {
    if (job.options == std::vector<std::string>{"baseline"}) {
      checked.baseline = event::Baseline::green;
      return;
    }
    const Tree& place = tree(name_);
    claim(started_.in_place || place.now == place.kept, "what is checked is the state that counts");
    audit_.check_passed = !random.once_in(4);
    if (audit_.check_passed)
      checked_ = place.kept;
    else
      checked.feedback = "a test fails";
  }
  std::string answer(const Job&, Random& random) override {
    const bool yes = random.chance(60);
    audit_.said_yes = yes;
    if (yes && !scripted() && random.chance(20)) {
      tree(name_).now = new_version();  // a person mends something before they approve
      ++by_hand_;
    }
    return yes ? "approve" : random.chance(20) ? "reject" : "reject: ok";
  }

  bool intended(const workflow::Command& command) override {
    if (const auto* start = std::get_if<workflow::StartAgent>(&command))
      return start->dialect == workflow::Dialect::verdict
                 ? audit_.reviewing
                 : audit_.turn_open && start->agent == audit_.last_number;
    if (const auto* merge = std::get_if<workflow::Merge>(&command))
      return merge->into == workflow::Merge::Into::nowhere || audit_.merging;
    if (std::holds_alternative<workflow::OpenTree>(command))
      return audit_.planned || started_.in_place;
    if (const auto* ask = std::get_if<workflow::Ask>(&command))
      return ask->question == audit_.question;
    if (const auto* check = std::get_if<workflow::Check>(&command))
      return audit_.checking || check->names == std::vector<std::string>{"baseline"};
    return true;
  }
  void before(const workflow::Command& command) override {
    const Tree& place = tree(name_);
    if (const auto* start = std::get_if<workflow::StartAgent>(&command); start != nullptr) {
      ++audit_.called;
      // What another reviewer changed meanwhile is taken back when all have ended.
      if (start->agent == audit_.first_reviewer && start->agent > newest_agent_ &&
          !started_.in_place && !start->again)
        claim(place.now == place.kept, "what is reviewed is the state that counts");
      newest_agent_ = std::max(newest_agent_, start->agent);
    }
    if (const auto* merge = std::get_if<workflow::Merge>(&command)) {
      claim(!started_.in_place, "the user's own checkout is never merged");
      // What a person has changed is kept and tested by the merge itself.
      claim(!started_.has_checks || checked_ == place.kept || merge->edited,
            "only what was checked is merged");
      claim(place.now == place.kept || merge->edited, "what is merged is the state that is there");
      claim(!audit_.merged, "nothing is merged twice");
    }
    if (std::holds_alternative<workflow::RemoveTree>(command))
      claim(audit_.merged && !started_.in_place, "a tree is removed once its work is merged");
  }
  void on_recorded() override {
    for (const fact::Fact& one : Rules::newest) {
      audit_.read(one);
      if (std::holds_alternative<fact::AnswerTakenBack>(one)) ++finding().taken_back;
      if (std::holds_alternative<fact::MergeDone>(one))
        claim(is_on_main(name_) || audit_.nothing || on_branch(), "a recorded merge is on main");
    }
    if (!audit_.broken.empty()) claim(false, audit_.broken.c_str());
  }
  void on_turn() override {
    const Run& run = state();
    claim(run.file.active == (run.step != Step::ended),
          "the state file says what the journal says");
    claim(run.file.iteration <= run.file.max_iterations || run.step == Step::end ||
              run.step == Step::ended,
          "the limit of iterations holds");
  }

  std::string fingerprint() const override {
    const Run& r = state();
    std::string out = simulation::text_of(Rules::summary(r));
    const auto add = [&](std::string_view text) { (out += text) += ';'; };
    const auto count = [&](std::int64_t number) { (out += std::to_string(number)) += ';'; };
    count(static_cast<int>(r.step)), count(static_cast<int>(r.after));
    count(r.open ? static_cast<int>(*r.open) : -1), count(static_cast<int>(r.phase));
    count(static_cast<int>(r.why)), add(r.feedback), count(r.number), count(r.turns);
    count(r.attempt), count(r.retried ? 1 : 0), count(r.unchecked ? 1 : 0), count(r.qa_cycle);
    count(static_cast<int>(r.integrate)), count(r.approved ? 1 : 0), count(r.asked.question);
    add(r.session), count(r.session_alive ? 1 : 0), count(r.resumes ? 1 : 0), count(r.round);
    count(static_cast<std::int64_t>(r.rounds.size())), add(r.learnings), add(r.folder);
    add(r.file.phase), count(r.file.iteration), count(r.file.active ? 1 : 0);
    count(static_cast<int>(r.file.exit_reason)), add(r.file.last_error);
    count(static_cast<std::int64_t>(r.file.detected.size()));
    for (const auto_mode::PhaseRecord& phase : r.file.phases)
      count((phase.signal_detected ? 1 : 0) + (phase.skipped ? 2 : 0)), add(phase.started_at);
    return out;
  }

  void at_end() override {
    const Outcome outcome = state().outcome;
    claim(workflow_->ended(), "every run ends");
    // What a person added to what had landed unseen is merged on top of it.
    claim(merges_of(name_) <= 1 + by_hand_, "nothing is merged twice");
    claim(!audit_.merged || outcome == Outcome::complete || outcome == Outcome::error,
          "what is merged is complete");
    claim(outcome != Outcome::complete || started_.in_place ||
              (audit_.merged && (audit_.nothing || on_branch() || is_on_main(name_)) &&
               !tree(name_).exists),
          "what is complete is merged, and its tree removed");
  }
  std::string path() const override {
    return std::string(fact::name_of(state().outcome)) + "\n" + audit_.path;
  }
  std::string text_of(const event::Fact& fact) const override { return Rules::text_of(fact); }
  bool may_fail(const Job& job) override {
    return job.dialect != workflow::Dialect::verdict &&
           ++failed_[job.role] <= started_.max_iterations;
  }
  std::string key_of(const Job& job) const override {
    if (job.what == Job::What::check || job.what == Job::What::question)
      return std::to_string(audit_.turns);
    if (job.dialect == workflow::Dialect::verdict) return job.role + std::to_string(audit_.rounds);
    const auto found = audit_.finished.find(job.role);
    return job.role + std::to_string(found == audit_.finished.end() ? 0 : found->second);
  }

  bool on_branch() const { return started_.integrate == event::Integrate::branch; }

  fact::Started started_;
  std::map<std::string, int> failed_;  // turns that failed by themselves, by phase
  std::string name_;
  std::unique_ptr<engine::WorkflowOf<Rules, SupplyTap>> workflow_;
  AutoAudit audit_;
  int persons_ = 0, by_hand_ = 0, checked_ = -1;
  int newest_agent_ = 0;  // of this process
};

}  // namespace

Finding simulate_auto(std::uint64_t seed, AutoBug bug, bool all, bool supplied) {
  planted = bug;
  Random choose(seed ^ 0x5EEDULL);
  Weather weather;
  weather.crashes = choose.below(4);
  weather.crash_one_in = 8 + choose.below(40);
  weather.stops = choose.below(3);
  weather.stop_one_in = 10 + choose.below(60);
  weather.command_faults = choose.below(3) * 10;
  weather.agent_faults = choose.below(3) * 3;
  weather.journal_faults = choose.below(3) * 6;
  weather.main_moves = 15;
  weather.ground_moves = 3;
  weather.refusals = 10;
  if (supplied) add_supply(weather, seed);
  weather.regrets *= 8;  // only a rejection can be taken back here: seldom is somebody held then
  return AutoRun(seed, weather).run(all);
}

Finding simulate_auto_script(std::uint64_t seed, int crashes, int stops, bool supplied) {
  planted = AutoBug::none;
  Weather weather;
  weather.scripted = true;
  weather.crashes = crashes;
  weather.stops = stops;
  weather.crash_one_in = weather.stop_one_in = 10;
  weather.agent_faults = 4;
  if (supplied) add_supply(weather, seed);
  AutoRun run(seed, weather);
  run.never_give_up();
  return run.run();
}

}  // namespace capsule::simulation
