#include "tests/simulation/delivery.h"

#include <algorithm>
#include <iterator>

#include "plan/plan.h"
#include "tests/simulation/delivery_audit.h"
#include "tests/simulation/random.h"
#include "workflow/delivery/parts.h"

namespace capsule::delivery::simulation {
namespace {

using test::Random;

constexpr Signal kLineSignals[] = {
    Signal::ready_for_review,     Signal::task_incomplete, Signal::infra_blocked,
    Signal::review_passed,        Signal::review_failed,   Signal::audit_passed,
    Signal::audit_failed,         Signal::audit_blocked,   Signal::expanded_spec,
    Signal::remediation_complete, Signal::health_healthy,  Signal::health_unhealthy,
    Signal::divine_clarification, Signal::expert_request,  Signal::expert_advice,
    Signal::expert_unsuccessful,  Signal::expert_created,  Signal::file_conflict,
    Signal::checkpoint,           Signal::unknown,
};

Signal good_signal(Role role) {
  switch (role) {
    case Role::developer:
      return Signal::ready_for_review;
    case Role::critic:
      return Signal::review_passed;
    case Role::auditor:
      return Signal::audit_passed;
    case Role::business_analyst:
      return Signal::expanded_spec;
    case Role::remediation:
      return Signal::remediation_complete;
    case Role::health_auditor:
      return Signal::health_healthy;
    case Role::expert:
      return Signal::expert_advice;
    case Role::plan_analyst:
      return Signal::expert_created;
  }
  return Signal::unknown;
}

// What the state shows of itself; the same before a crash and after the replay.
std::string digest(const State& s) {
  std::string out;
  const auto add = [&](long long value) { out += std::to_string(value) + ","; };
  add(static_cast<int>(s.outcome)), add(s.dispatched), add(s.finished), add(s.merging);
  add(s.remediation.round), add(static_cast<int>(s.remediation.step)), add(s.remediation.attempt);
  for (const auto& [number, agent] : s.agents) add(number), add(agent.session);
  for (const TaskState& t : s.tasks) {
    add(static_cast<int>(t.stage)), add(static_cast<int>(t.hold)), add(t.agent), add(t.questions);
    add(static_cast<int>(t.why)), add(t.talk.requests), add(t.talk.unknowns), add(t.open_blockers);
    for (const int failures : t.failures) add(failures);
    for (const int file : t.held) add(file);
  }
  for (const Question& q : s.questions) add(q.closed ? 1 : 0);
  for (const int busy : s.busy) add(busy);
  return out;
}

class World {
 public:
  World(std::uint64_t seed, Bug bug, bool tell) : random_(seed), bug_(bug), tell_(tell) {}

  Finding run() {
    begin();
    const int most_steps = 400'000;
    for (int step = 0; step < most_steps && audit_.broken.empty(); ++step) {
      if (state_.outcome != Outcome::none) {
        // A person may let failed tasks begin again, once, or go on after a halt.
        if (taken_up_ >= 2 || !random_.chance(30)) break;
        ++taken_up_;
        resume(random_.chance(50));
        continue;
      }
      if (random_.chance(crash_percent_) && random_.chance(20)) {
        crash();
      } else if (!something_happens()) {
        break;
      }
    }
    finding_.outcome = state_.outcome;
    audit_.claim(state_.outcome != Outcome::none || !audit_.broken.empty(), "every plan ends");
    finding_.broken = audit_.broken;
    finding_.most_runs = audit_.most_runs;
    finding_.bound = audit_.bound;
    finding_.rounds = state_.remediation.round;
    finding_.delegations = static_cast<int>(state_.delegations.size());
    for (const DeliveryFact& fact : journal_) {
      if (std::holds_alternative<FileWaitStarted>(fact)) ++finding_.file_waits;
      if (tell_ || !finding_.broken.empty())
        finding_.journal.push_back(std::string(kind_of(fact)) + " " + body_of(fact).substr(0, 300));
    }
    return finding_;
  }

 private:
  Task make_task(int number, int first_blocker_from) {
    Task task;
    task.id = "T" + std::to_string(number);
    task.title = "t";
    task.unclear = random_.chance(10);
    for (int tries = random_.below(4); tries > 0 && number > first_blocker_from; --tries)
      task.blocked_by.push_back("T" + std::to_string(random_.below(number)));
    for (int i = random_.below(4); i > 0; --i)
      task.predicted.push_back("f" + std::to_string(random_.below(file_count_)));
    return task;
  }

  void begin() {
    pass_percent_ = 10 + random_.below(90);
    crash_percent_ = random_.below(3) * 10;
    if (bug_ != Bug::none && bug_ != Bug::fact_lost_at_a_crash) crash_percent_ = 0;
    favourite_ = random_.one_of(kLineSignals);
    file_count_ = 1 + random_.below(40);
    DeliveryStarted start;
    const int count = random_.chance(4) ? 100 + random_.below(101) : 1 + random_.below(25);
    for (int i = 0; i < count; ++i) start.tasks.push_back(make_task(i, 0));
    start.slots = {1 + random_.below(5), 1 + random_.below(3), 1 + random_.below(3)};
    start.limits.task_failures = 1 + random_.below(3);
    start.limits.signal_requests = random_.below(4);
    start.limits.expert_requests = random_.below(4);
    start.limits.remediation_attempts = 1 + random_.below(4);
    start.limits.questions = random_.below(6);
    start.limits.file_waits = 1 + random_.below(3);
    start.experts = random_.chance(50);
    if (random_.chance(30)) start.known_experts = {"e1", "e2"};
    limits_ = start.limits;
    slots_ = start.slots;
    experts_ = start.experts || !start.known_experts.empty();
    plan_ = start.tasks;
    finding_.tasks = count;
    set_bound();
    give({start});
    if (bug_ == Bug::one_developer_too_many) ++state_.slots.developers;
  }

  void set_bound() {
    plan::Plan plan;
    plan.tasks = plan_;
    audit_.bound = plan::bound_of(plan, limits_, experts_).runs;
  }

  // What the workflow is told, which a bug may falsify; the journal always has the truth.
  DeliveryFact told(DeliveryFact fact) {
    if (auto* f = std::get_if<AgentFinished>(&fact)) {
      if (bug_ == Bug::failed_audit_passes && f->signal == Signal::audit_failed)
        f->signal = Signal::audit_passed;
      if (bug_ == Bug::failed_review_passes && f->signal == Signal::review_failed)
        f->signal = Signal::review_passed;
      if (bug_ == Bug::finished_agent_forgotten && random_.chance(5)) f->agent = -1;
    }
    if (auto* f = std::get_if<MergeRefused>(&fact);
        f != nullptr && bug_ == Bug::refused_merge_counts_as_merged)
      return MergeDone{f->task, "c", {}, false};
    if (auto* f = std::get_if<QuestionAnswered>(&fact); f != nullptr && bug_ == Bug::answer_lost)
      f->question = -1;
    return fact;
  }

  void break_state(const std::vector<DeliveryFact>& facts) {
    switch (bug_) {
      case Bug::audit_alone_completes:
        if (!state_.merges.empty()) {
          const int task = state_.merges.begin()->second;
          complete(state_, task);
        }
        break;
      case Bug::begins_while_blocked:
        for (std::size_t i = 0; i < state_.tasks.size(); ++i)
          if (state_.tasks[i].stage == Stage::blocked && state_.tasks[i].open_blockers == 1 &&
              random_.chance(20))
            make_ready(state_, static_cast<int>(i));
        break;
      case Bug::dispatches_in_remediation:
        if (state_.remediation.step == Remediation::Step::mending)
          state_.remediation.step = Remediation::Step::none;
        break;
      case Bug::failures_never_end:
        for (TaskState& t : state_.tasks) t.failures = {};
        break;
      case Bug::second_holder_of_a_file:
        for (TaskState& t : state_.tasks)
          if (!t.held.empty() && random_.chance(5))
            state_.tasks.front().held.push_back(t.held.front());
        break;
      case Bug::two_merges_at_once:
        state_.merging = -1;
        break;
      case Bug::expert_without_limit:
        for (auto& [name, expert] : state_.experts) expert.running = 0;
        break;
      case Bug::waits_for_nobody:
        for (TaskState& t : state_.tasks)
          if (t.hold == Hold::expert && random_.chance(20)) t.hold = Hold::dependency;
        break;
      default:
        break;
    }
    (void)facts;
  }

  void give(const std::vector<DeliveryFact>& observations) {
    std::vector<DeliveryFact> as_told;
    for (const DeliveryFact& fact : observations) as_told.push_back(told(fact));
    Turn turn = advance(state_, as_told);
    if (bug_ != Bug::none) {
      break_state(turn.facts);
      Turn more = advance(state_, {});
      std::move(more.facts.begin(), more.facts.end(), std::back_inserter(turn.facts));
      std::move(more.commands.begin(), more.commands.end(), std::back_inserter(turn.commands));
    }
    // The journal has what really happened.
    std::size_t truth = 0;
    for (DeliveryFact& fact : turn.facts) {
      if (bug_ != Bug::none && truth < observations.size() &&
          fact.index() == as_told[truth].index() && body_of(fact) == body_of(as_told[truth]))
        fact = observations[truth++];
      audit_.read(fact);
      journal_.push_back(std::move(fact));
    }
    for (const Command& command : turn.commands) carry_out(command);
    audit_.between(state_, running_.empty() && merging_.empty() && verifying_.empty());
  }

  void carry_out(const Command& command) {
    if (const auto* c = std::get_if<StartAgent>(&command)) {
      running_[c->agent] = {c->role, c->task};
      audit_.claim(state_.agents.contains(c->agent), "who is started is known");
    }
    if (const auto* c = std::get_if<Merge>(&command)) {
      merging_.push_back(c->task);
    }
    if (const auto* c = std::get_if<RunVerify>(&command)) {
      verifying_.push_back(c->purpose);
    }
    if (const auto* c = std::get_if<AskPerson>(&command)) {
      questions_.insert(c->question);
    }
    if (const auto* c = std::get_if<SetTimer>(&command)) {
      timers_.push_back(*c);
    }
    if (const auto* c = std::get_if<EndAgent>(&command)) {
      ending_.insert(c->agent);
    }
  }

  AgentFinished output(int number, Role role) {
    AgentFinished f;
    f.agent = number;
    f.preview = "p";
    if (ending_.contains(number)) {
      f.fault = Fault::idle;
      return f;
    }
    if (random_.chance(4)) {
      constexpr Fault kFaults[] = {Fault::timed_out,   Fault::exit_status, Fault::lost,
                                   Fault::not_started, Fault::refuted,     Fault::interrupted};
      f.fault = random_.one_of(kFaults);
    }
    f.signal = random_.chance(pass_percent_) ? good_signal(role)
               : random_.chance(40)          ? favourite_
                                             : random_.one_of(kLineSignals);
    constexpr const char* kConfidence[] = {"HIGH", "MEDIUM", "LOW", ""};
    constexpr const char* kExperts[] = {"e1", "e2", "e3"};
    const std::string other = "T" + std::to_string(random_.below(static_cast<int>(plan_.size())));
    switch (f.signal) {
      case Signal::expanded_spec:
        f.fields = {{"Confidence", random_.one_of(kConfidence)},
                    {"Target Files", "- f" + std::to_string(random_.below(file_count_))}};
        break;
      case Signal::expert_request:
        f.fields = {{"Target Agent", random_.one_of(kExperts)}};
        break;
      case Signal::expert_created:
        f.argument = "e1";
        f.more = {"e2"};
        break;
      case Signal::file_conflict:
        f.argument = "f" + std::to_string(random_.below(file_count_));
        if (random_.chance(30)) f.more = {"f" + std::to_string(random_.below(file_count_))};
        f.fields = {{"Can Wait", random_.chance(70) ? "YES" : "NO"}};
        break;
      case Signal::task_incomplete:
        f.fields = {{"Blocker", random_.chance(50)   ? "task " + other + " is missing"
                                : random_.chance(50) ? "the network is down"
                                                     : "what is wanted"}};
        break;
      default:
        break;
    }
    return f;
  }

  bool something_happens() {
    const bool busy = !running_.empty() || !merging_.empty() || !verifying_.empty();
    // The person is slow: answers come mostly when nothing else can happen.
    if (!questions_.empty() && (!busy || random_.chance(2))) return answer(), true;
    if (!timers_.empty() && (!busy || random_.chance(3))) return timer(), true;
    if (!busy) return false;
    const int roll =
        random_.below(static_cast<int>(running_.size() + merging_.size() + verifying_.size()));
    if (roll < static_cast<int>(running_.size())) {
      const auto [number, who] = *std::next(running_.begin(), roll);
      if (random_.chance(3) && !ending_.contains(number)) return give({AgentIdle{number}}), true;
      running_.erase(number);
      give({output(number, who.first)});
    } else if (!merging_.empty()) {
      const std::string task = merging_.front();
      merging_.erase(merging_.begin());
      if (random_.chance(85)) {
        give({MergeDone{task, "c", {}, false}});
      } else {
        constexpr MergeRefusal kWhy[] = {MergeRefusal::conflict, MergeRefusal::verify_failed,
                                         MergeRefusal::refused};
        give({MergeRefused{task, kWhy[random_.below(3)], ""}});
      }
    } else {
      const VerifyPurpose purpose = verifying_.front();
      verifying_.erase(verifying_.begin());
      VerifyFinished f{purpose, {}, ""};
      if (random_.chance(30)) f.failures.push_back("old");
      if (purpose == VerifyPurpose::health && random_.chance(20)) f.failures.push_back("new");
      give({f});
    }
    return true;
  }

  void answer() {
    const int number = random_.one_of(questions_);
    const Question& q = state_.questions[number - 1];
    std::string text = "because";
    if (!q.options.empty()) text = random_.one_of(q.options);
    if (text == "halt" && random_.chance(80)) text = "retry";
    questions_.erase(number);
    if (q.closed) return;
    ++finding_.answers;
    give({QuestionAnswered{number, text, ""}});
  }

  void timer() {
    const SetTimer timer = timers_.front();
    timers_.erase(timers_.begin());
    give({FileWaitExpired{timer.task, timer.wait}});
  }

  // Only the journal is left; all that ran is gone.
  void crash() {
    ++finding_.crashes;
    const std::string before = digest(state_);
    State again;
    const bool by_wire = finding_.crashes == 1;  // the wire form has tests of its own
    for (const DeliveryFact& fact : journal_) {
      if (bug_ == Bug::fact_lost_at_a_crash && std::holds_alternative<AgentFinished>(fact) &&
          random_.chance(5))
        continue;
      if (!by_wire) {
        delivery::apply(again, fact);
        continue;
      }
      const auto read = read_fact(kind_of(fact), body_of(fact));
      audit_.claim(read.has_value(), "every fact can be read");
      if (read) delivery::apply(again, *read);
    }
    audit_.claim(digest(again) == before, "a replay gives the same state");
    state_ = std::move(again);
    resume(false);
  }

  void resume(bool retry_failed) {
    running_.clear();
    merging_.clear();
    verifying_.clear();
    timers_.clear();
    ending_.clear();
    if (retry_failed) {
      // What failed begins again with limits of its own: a person's decision, and a new count.
      give({DeliveryResumed{slots_, limits_, true}});
      return;
    }
    std::vector<DeliveryFact> facts{DeliveryResumed{slots_, limits_, false}};
    if (random_.chance(20)) facts.emplace_back(changed_plan());
    give(facts);
  }

  PlanChanged changed_plan() {
    PlanChanged change;
    if (random_.chance(50)) change.removed.push_back(random_.one_of(plan_).id);
    if (random_.chance(50)) {
      change.added.push_back(make_task(static_cast<int>(plan_.size()), 0));
      plan_.push_back(change.added.back());
    }
    set_bound();
    return change;
  }

  Random random_;
  Bug bug_;
  bool tell_;
  State state_;
  Audit audit_;
  Finding finding_;
  Signal favourite_ = Signal::unknown;  // what these agents print too often
  Limits limits_;
  Slots slots_;
  bool experts_ = false;
  std::vector<Task> plan_;
  std::vector<DeliveryFact> journal_;
  std::map<int, std::pair<Role, std::string>> running_;
  std::vector<std::string> merging_;
  std::vector<VerifyPurpose> verifying_;
  std::set<int> questions_, ending_;
  std::vector<SetTimer> timers_;
  int pass_percent_ = 0, crash_percent_ = 0, file_count_ = 1, taken_up_ = 0;
};

}  // namespace

std::string_view name_of(Bug bug) {
  constexpr std::string_view kNames[] = {
      "none",
      "failed_audit_passes",
      "failed_review_passes",
      "refused_merge_counts_as_merged",
      "audit_alone_completes",
      "one_developer_too_many",
      "begins_while_blocked",
      "dispatches_in_remediation",
      "failures_never_end",
      "second_holder_of_a_file",
      "finished_agent_forgotten",
      "answer_lost",
      "fact_lost_at_a_crash",
      "two_merges_at_once",
      "expert_without_limit",
      "waits_for_nobody",
  };
  static_assert(std::size(kNames) == kBugCount);
  return kNames[static_cast<int>(bug)];
}

Finding simulate(std::uint64_t seed, Bug bug, bool tell) { return World(seed, bug, tell).run(); }

}  // namespace capsule::delivery::simulation
