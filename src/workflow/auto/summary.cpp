#include "workflow/approval.h"
#include "workflow/auto/workflow.h"

namespace capsule::auto_mode {
namespace {

using workflow::Standing;

Standing standing_of(const Run& run) {
  if (Rules::waits_for_person(run)) return Standing::waiting;
  if (run.step != Step::ended) return Standing::open;
  switch (run.outcome) {
    case Outcome::complete:
      return Standing::succeeded;
    case Outcome::needs_person:
      return Standing::waiting;
    case Outcome::interrupted:
    case Outcome::cancelled:
    case Outcome::paused:
    case Outcome::aborted:
      return Standing::stopped;
    default:
      return Standing::failed;
  }
}

std::string now_of(const Run& run) {
  const std::string phase(signal::name_of(run.phase));
  switch (run.step) {
    case Step::start:
    case Step::ended:
      return {};
    case Step::prepare:
      return "the worktree is being made";
    case Step::turn:
      // One that is about to start is the next.
      return phase + " (attempt " +
             std::to_string(run.open == Step::turn ? run.attempt : run.attempt + 1) + ")";
    case Step::checks:
      return (run.phase == Phase::complete ? "the work" : phase) + " (checks)";
    case Step::review:
      return phase + " (round " + std::to_string(run.round + 1) + "/" +
             std::to_string(kReviewRounds) + ")";
    case Step::merge:
      return "merge";
    case Step::approve:
      return "the merge waits for approval";
    case Step::remove_place:
    case Step::end:
      break;
  }
  return "the end";
}

bool has_tree(const Run& run) {
  if (run.begun.in_place || run.folder.empty()) return false;
  const Step step = run.step == Step::ended ? run.after : run.step;
  return step != Step::start && step != Step::end &&
         !(run.step == Step::ended && run.outcome == Outcome::complete);
}

}  // namespace

workflow::Waiting waiting_of(const Run& run) {
  workflow::Waiting wait;
  wait.what = workflow::Waiting::For::approval;
  wait.question = run.asked.question;
  wait.since = run.asked.at;
  if (run.asked.about == event::Approval::guard) {
    wait.kind = "guard";
    wait.about = event::Approval::guard;
    wait.text = workflow::guard_question("The run", run.asked.files);
    wait.context = run.asked.detail;
    return wait;
  }
  wait.kind = "merge";
  wait.about = event::Approval::merge;
  wait.text = workflow::merge_question(run.folder);
  wait.context =
      workflow::merge_evidence(run.tried.onto, run.tried.files, run.tried.changed, run.tried.runs);
  return wait;
}

std::string Rules::outcome(const Run& run) {
  return run.step == Step::ended ? std::string(fact::name_of(run.outcome)) : std::string();
}

workflow::RunSummary Rules::summary(const Run& run) {
  workflow::RunSummary summary;
  summary.workflow = "auto";
  summary.subject = run.begun.task.substr(0, run.begun.task.find('\n'));
  summary.title = summary.subject;
  summary.provider = run.begun.provider;
  summary.standing = standing_of(run);
  summary.outcome = outcome(run);
  if (run.step == Step::ended) summary.detail = run.detail;
  summary.now = now_of(run);
  summary.can_go_on = run.step != Step::ended || run.outcome != Outcome::complete;
  const bool on_branch = run.integrate == event::Integrate::branch;
  if (!on_branch) summary.merged_as = run.merged_as;
  if (on_branch && !run.merged_as.empty()) summary.on_branch = run.branch;
  if (Rules::waits_for_person(run)) summary.waits.push_back(waiting_of(run));
  if (run.step == Step::ended && run.outcome == Outcome::needs_person) {
    workflow::Waiting waiting;
    waiting.what = workflow::Waiting::For::answer;
    waiting.text = run.detail;
    summary.waits.push_back(std::move(waiting));
  }
  // The checkout is the user's own, not the run's.
  if (has_tree(run)) summary.trees.push_back({"", run.folder, run.branch});
  summary.agents = run.agents;
  summary.claims = run.claims;
  summary.evidence = run.evidence;
  summary.ground = run.ground.lines;
  summary.usage = run.usage;
  return summary;
}

}  // namespace capsule::auto_mode
