#include "tests/simulation/delivery_audit.h"

#include <utility>

#include "workflow/approval.h"

namespace capsule::simulation {
namespace {

bool works_on_task(Role role) {
  return role == Role::developer || role == Role::critic || role == Role::auditor ||
         role == Role::business_analyst;
}

}  // namespace

void DeliveryAudit::learn(const std::vector<Task>& tasks) {
  for (const Task& task : tasks) {
    Of& of = tasks_[task.id];
    of.blocked_by = {task.blocked_by.begin(), task.blocked_by.end()};
  }
}

void DeliveryAudit::count() {
  if (runs_ > most_runs) most_runs = runs_;
  claim(bound == 0 || runs_ <= bound, "the bound is never exceeded between two answers");
}

void DeliveryAudit::dispatched(const AgentDispatched& f) {
  claim(!open_.contains(f.agent), "every agent has a number of its own");
  open_[f.agent] = f;
  interval_of_[f.agent] = interval_;
  ++runs_;
  count();
  claim(f.task.empty() || !tasks_[f.task].doubted, "nobody works on what a person may remove");
  if (f.role == Role::expert) {
    claim(++experts_[f.expert] <= 2, "two at a time for one expert");
    claim(!remedying_ || f.task.empty(), "no dispatch in remediation");
  }
  if (!works_on_task(f.role)) return;
  claim(!remedying_, "no dispatch in remediation");
  claim(tasks_.contains(f.task), "agents work on tasks of the plan");
  Of& of = tasks_[f.task];
  claim(++of.agents == 1, "one agent at a time works on a task");
  of.worked = true;
  of.again = false;
  claim(!of.over, "a finished task stays finished");
  for (const std::string& id : of.blocked_by)
    if (const auto blocker = tasks_.find(id); blocker != tasks_.end())
      claim(blocker->second.merged || blocker->second.removed || of.ready,
            "no dispatch while blocked");
  if (const int before = std::exchange(of.attempt, 0); before > 0 && of.failed == f.role)
    claim(f.attempt == before, "a fault costs no attempt");
  if (f.role == Role::critic) claim(of.ready, "a critic only after READY_FOR_REVIEW");
  if (f.role == Role::auditor) claim(of.reviewed, "an auditor only after the review");
  if (f.role == Role::developer) of.audited = of.reviewed = of.ready = of.approved = false;
}

void DeliveryAudit::turn_recorded(const std::vector<event::supply::Fact>& supplied) {
  for (const event::supply::Fact& fact : supplied) {
    if (const auto* held = std::get_if<event::supply::AgentHeld>(&fact)) held_.insert(held->agent);
    if (const auto* released = std::get_if<event::supply::AgentReleased>(&fact))
      held_.erase(released->agent);
  }
  int of_class[3] = {0, 0, 0};
  for (const auto& [number, open] : open_) {
    if (held_.contains(number)) continue;
    if (open.role == Role::developer || open.role == Role::business_analyst) ++of_class[0];
    if (open.role == Role::critic) ++of_class[1];
    if (open.role == Role::auditor) ++of_class[2];
  }
  claim(of_class[0] <= slots_.developers && of_class[1] <= slots_.critics &&
            of_class[2] <= slots_.auditors,
        "never more agents at work than slots");
}

void DeliveryAudit::finished(const AgentFinished& f) {
  const auto found = open_.find(f.agent);
  if (found == open_.end()) return;
  claim(finished_.insert(f.agent).second, "no agent is recorded twice");
  const AgentDispatched by = found->second;
  open_.erase(found);
  if (f.fault == Fault::interrupted && interval_of_[f.agent] == interval_) --runs_;
  if (by.role == Role::expert) --experts_[by.expert];
  if (!works_on_task(by.role)) return;
  Of& of = tasks_[by.task];
  --of.agents;
  const bool silent = f.fault == Fault::none && f.signal == Signal::unknown;
  if (silent || (f.fault != Fault::none && f.fault != Fault::refuted)) {
    of.failed = by.role;
    of.attempt = by.attempt;
  }
  if (f.fault != Fault::none) return;
  if (by.role == Role::developer && f.signal == Signal::ready_for_review) of.ready = true;
  if (by.role == Role::critic && f.signal == Signal::review_passed) of.reviewed = true;
  if (by.role == Role::critic && f.signal == Signal::review_failed) ++of.failed_reviews;
  if (by.role == Role::auditor && f.signal == Signal::audit_failed) ++of.failed_audits;
  claim(of.failed_reviews <= limits_.task_failures && of.failed_audits <= limits_.task_failures,
        "no task fails more often than its limit");
  if (by.role == Role::auditor) of.audited = f.signal == Signal::audit_passed;
}

void DeliveryAudit::read(const DeliveryFact& fact) {
  claim(!ended_ || std::holds_alternative<DeliveryResumed>(fact), "nothing happens after the end");
  if (const auto* f = std::get_if<DeliveryStarted>(&fact)) {
    claim(!started_, "a delivery begins once");
    started_ = true;
    slots_ = f->slots;
    limits_ = f->limits;
    integrate_ = f->integrate;
    learn(f->tasks);
  }
  if (const auto* f = std::get_if<DeliveryResumed>(&fact)) {
    red_main_ = false;
    ended_ = false;
    for (const auto& [number, open] : open_)
      if (interval_of_[number] == interval_) --runs_;
    open_.clear();
    experts_.clear();
    merging_.clear();
    verifying_.clear();
    closing_.clear();
    asking_.clear();
    repairing_ = false;
    for (auto& [id, of] : tasks_) {
      of.agents = 0;
      if (f->retry_failed && !of.merged && !of.removed) {
        of.again = of.over && of.worked;
        of.over = false;
        of.failed_reviews = of.failed_audits = 0;
      }
    }
    if (f->retry_failed) runs_ = 0, ++interval_;
    slots_ = f->slots;
  }
  if (const auto* f = std::get_if<PlanChanged>(&fact)) {
    // One that had failed, and left the plan before anybody began with it again.
    for (const std::string& id : f->removed)
      if (Of& of = tasks_[id]; of.again) of.removed = of.over = true;
    learn(f->added);
    for (const Task& task : f->changed)
      if (!tasks_[task.id].ready) learn({task});
    runs_ = 0;
    ++interval_;
  }
  if (const auto* f = std::get_if<AgentDispatched>(&fact)) {
    dispatched(*f);
  }
  if (const auto* f = std::get_if<AgentFinished>(&fact)) {
    finished(*f);
  }
  if (const auto* f = std::get_if<ReviewSkipped>(&fact)) {
    tasks_[f->task].reviewed = true;
  }
  if (const auto* f = std::get_if<MergeIntended>(&fact)) {
    claim(merging_.empty(), "one merge at a time");
    claim(tasks_[f->task].audited, "only AUDIT_PASSED leads to a merge");
    claim(!remedying_, "no merge begins in remediation");
    claim(!red_main_, "nothing is merged into a red main before somebody has looked");
    claim(!tasks_[f->task].doubted, "nothing is merged that a person may remove");
    merging_ = f->task;
  }
  if (const auto* f = std::get_if<MergeDone>(&fact)) {
    if (f->task == merging_) merging_.clear(), tasks_[f->task].merged = true;
    claim(may_land(f->task) || f->nothing || f->adopted,
          "nothing is merged that a person has not approved");
  }
  if (const auto* f = std::get_if<MergeTried>(&fact)) {
    claim(f->task == merging_, "only what is to be merged is tried");
    merging_.clear();
  }
  if (const auto* f = std::get_if<MergeRefused>(&fact)) {
    if (f->task == merging_) merging_.clear();
    red_main_ |= f->why == event::MergeRefusal::main_red && !remedying_;
    if (workflow::voids_approval(f->why)) tasks_[f->task].approved = false;
  }
  if (const auto* f = std::get_if<MainMoved>(&fact)) {
    if (f->tree == merging_) merging_.clear();
  }
  if (const auto* f = std::get_if<AgentEnded>(&fact)) ending_.insert(f->agent);
  if (const auto* f = std::get_if<FileWaitStarted>(&fact)) waits_.insert({f->task, f->wait});
  if (const auto* f = std::get_if<VerifyStarted>(&fact))
    claim(verifying_.insert(f->purpose).second, "one check of a sort at a time");
  if (const auto* f = std::get_if<VerifyFinished>(&fact)) {
    verifying_.erase(f->purpose);
    if (f->purpose == VerifyPurpose::health) repairing_ = false;
  }
  if (std::holds_alternative<RepairIntended>(fact)) repairing_ = true;
  if (std::holds_alternative<RepairDone>(fact)) repairing_ = false;
  if (const auto* f = std::get_if<TaskClosing>(&fact)) {
    claim(tasks_[f->task].merged, "a task is closed only when its work is on main");
    claim(closing_.insert(f->task).second, "a task is closed once");
  }
  if (const auto* f = std::get_if<TaskCloseFailed>(&fact)) closing_.erase(f->task);
  if (const auto* f = std::get_if<TaskCompleted>(&fact)) {
    Of& of = tasks_[f->task];
    claim(of.audited && of.merged, "only AUDIT_PASSED and a merge complete a task");
    claim(!of.over, "a task ends once");
    of.over = true;
  }
  if (const auto* f = std::get_if<TaskReworked>(&fact))
    claim(f->kind != FailureKind::restart && f->kind != FailureKind::unknown,
          "a fault is no failure of its task");
  if (const auto* f = std::get_if<TaskFailed>(&fact)) {
    claim(!tasks_[f->task].over, "a task ends once");
    tasks_[f->task].attempt = 0;  // with limits of its own, when it begins again
    tasks_[f->task].over = true;
    tasks_[f->task].doubted = false;  // the question ends with the task
  }
  if (std::holds_alternative<RemediationEntered>(fact)) {
    claim(!remedying_, "remediation is entered once at a time");
    remedying_ = true;
    red_main_ = false;
  }
  if (std::holds_alternative<RemediationLeft>(fact)) {
    remedying_ = false;
  }
  if (const auto* f = std::get_if<QuestionAsked>(&fact)) {
    claim(asking_.insert(f->question).second, "a question is asked once in a process");
    questions_.insert(f->question);
    about_[f->question] = f->task;
    if (f->kind == QuestionKind::approval) approvals_[f->question] = f->task;
    if (f->kind == QuestionKind::removed_task) {
      removals_[f->question] = f->task;
      tasks_[f->task].doubted = true;
    }
  }
  if (const auto* f = std::get_if<QuestionAnswered>(&fact)) {
    if (signal::same_letters(f->text, "retry") || signal::same_letters(f->text, "remedy"))
      red_main_ = false;
    claim(questions_.contains(f->question), "only what was asked is answered");
    answered_.insert(f->question);
    begun_before_[f->question] = begun_[about_[f->question]];
    if (const auto about = approvals_.find(f->question); about != approvals_.end())
      tasks_[about->second].approved = f->text == "approve";
    // One that came too late, after the end of the task, says nothing.
    if (const auto removal = removals_.find(f->question); removal != removals_.end()) {
      Of& of = tasks_[removal->second];
      if (std::exchange(of.doubted, false) && f->text == "remove") of.removed = of.over = true;
    }
    runs_ = 0;
    ++interval_;
  }
  if (const auto* f = std::get_if<AnswerTakenBack>(&fact)) {
    claim(answered_.erase(f->question) == 1, "only what was answered is taken back");
    claim(begun_before_[f->question] == begun_[about_[f->question]],
          "an answer that an agent was told is not taken back");
    asking_.erase(f->question);
  }
  if (std::holds_alternative<DeliveryPaused>(fact))
    claim(open_.empty() && merging_.empty(), "nothing runs when a delivery pauses");
  if (const auto* f = std::get_if<DeliveryEnded>(&fact)) {
    // A person who ends it does not wait for a merge: that is looked for when it goes on.
    claim(open_.empty() && (merging_.empty() || f->outcome == Outcome::halted),
          "nothing runs when a delivery ends");
    ended_ = true;
  }
}

void DeliveryAudit::between(const delivery::State& state) {
  std::set<int> held;
  for (const TaskState& t : state.tasks)
    for (const int file : t.held) claim(held.insert(file).second, "no two holders of one file");
  for (const Question& question : state.questions)
    claim(question.closed || !answered_.contains(question.number),
          "an answered question is not open any more");
}

bool DeliveryAudit::intends(const workflow::Command& command) const {
  if (const auto* c = std::get_if<workflow::StartAgent>(&command)) return open_.contains(c->agent);
  if (const auto* c = std::get_if<workflow::EndAgent>(&command)) return ending_.contains(c->agent);
  if (const auto* c = std::get_if<workflow::Merge>(&command))
    return c->tree == merging_ || (repairing_ && c->tree.starts_with("+remediation"));
  if (const auto* c = std::get_if<workflow::Check>(&command))
    return verifying_.contains(c->number == kBaselineCheck ? VerifyPurpose::baseline
                                                           : VerifyPurpose::health);
  if (const auto* c = std::get_if<workflow::Ask>(&command)) return questions_.contains(c->question);
  if (const auto* c = std::get_if<workflow::SetTimer>(&command))
    return waits_.contains({c->task, c->wait});
  if (const auto* c = std::get_if<workflow::CloseTask>(&command)) return closing_.contains(c->task);
  return true;
}

}  // namespace capsule::simulation
