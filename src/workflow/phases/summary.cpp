#include "base/listed.h"
#include "workflow/approval.h"
#include "workflow/phases/phases.h"

namespace capsule::phases {
namespace {

using workflow::Standing;

Standing standing_of(const State& s) {
  if (Rules::waits_for_person(s)) return Standing::waiting;
  if (s.step != Step::ended) return Standing::open;
  switch (s.outcome) {
    case Outcome::merged:
    case Outcome::on_branch:
    case Outcome::finished:
    case Outcome::prepared:
      return Standing::succeeded;
    case Outcome::interrupted:
    case Outcome::paused:
    case Outcome::aborted:
      return Standing::stopped;
    default:
      return Standing::failed;
  }
}

std::string now_of(const State& s) {
  if (s.step == Step::ended) return {};
  if (s.step == Step::approve)
    return (s.about == event::Approval::merge ? "the merge" : s.phase) + " waits for approval";
  if (s.step != Step::run_phase && s.open.empty())
    return "stage " + std::to_string(stage_of(s)) + " of " + std::to_string(stages(s.definition));
  const std::string names = listed(s.open, [](const auto& one) { return one.first; });
  return (names.empty() ? s.phase : names) + " (attempt " + std::to_string(s.attempt) + "/" +
         std::to_string(attempts_of(s.definition, s.phase, s.max_retries)) + ")";
}

}  // namespace

workflow::Waiting waiting_of(const State& s) {
  workflow::Waiting wait;
  wait.what = workflow::Waiting::For::approval;
  wait.task = s.bead;
  wait.question = s.question;
  wait.since = s.asked_at;
  wait.about = s.about;
  switch (s.about) {
    case event::Approval::phase:
      wait.text = "Do you approve what " + s.phase +
                  " left? Answer 'approve', 'reject', or say what should be different.";
      wait.kind = "approval";
      wait.context = s.last.summary;
      break;
    case event::Approval::merge:
      wait.text = workflow::merge_question(s.worktree);
      wait.kind = "merge";
      wait.context =
          workflow::merge_evidence(s.tried.onto, s.tried.files, s.tried.changed, s.tried.runs);
      break;
    case event::Approval::guard:
      wait.text = workflow::guard_question(s.phase, s.guard.files);
      wait.kind = "guard";
      wait.context = s.guard.detail;
      break;
  }
  return wait;
}

workflow::RunSummary summary(const State& s) {
  workflow::RunSummary summary;
  summary.workflow = s.definition.name.empty() ? std::string(kPipeline) : s.definition.name;
  summary.subject = s.bead;
  summary.title = s.title;
  summary.provider = s.provider;
  summary.standing = standing_of(s);
  const bool ended = s.step == Step::ended;
  if (ended) summary.outcome = name_of(s.outcome);
  summary.detail = s.detail;
  summary.now = now_of(s);
  summary.can_go_on = !ended || (s.outcome != Outcome::merged && s.outcome != Outcome::on_branch &&
                                 s.outcome != Outcome::finished);
  const bool on_branch = s.integrate == event::Integrate::branch;
  if (s.definition.finish != event::Finish::nothing && !on_branch)
    summary.merged_as = s.merge_commit;
  if (on_branch && !s.merge_commit.empty()) summary.on_branch = s.branch;
  if (summary.standing == Standing::waiting) summary.waits.push_back(waiting_of(s));
  if (!s.worktree.empty() && summary.can_go_on) summary.trees.push_back({"", s.worktree, s.branch});
  summary.agents = s.agents;
  summary.claims = s.claims;
  summary.ground = s.ground.lines;
  summary.evidence = s.evidence;
  summary.usage.checks_ms = s.checks_ms;
  summary.usage.agent_runs = static_cast<int>(s.agents.size());
  for (const workflow::AgentSummary& agent : s.agents)
    summary.usage.duration_ms += agent.duration_ms;
  return summary;
}

}  // namespace capsule::phases
