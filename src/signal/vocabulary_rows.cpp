// The rows of the table. A format is written as the agent has to print it, with what it must fill
// in between brackets.
#include <array>

#include "signal/vocabulary.h"

namespace capsule::signal {
namespace {

constexpr Roles kEveryRole{Role::developer,        Role::critic,      Role::auditor,
                           Role::business_analyst, Role::remediation, Role::health_auditor,
                           Role::expert,           Role::plan_analyst};
// Who may ask experts and people. The critic needs it as much as the others.
constexpr Roles kBaseline{Role::developer,        Role::critic,      Role::auditor,
                          Role::business_analyst, Role::remediation, Role::health_auditor};

constexpr std::string_view kContractFormat =
    "{\n"
    "  \"status\": \"[STATUS]\",\n"
    "  \"feedback\": \"Human-readable explanation of the result\",\n"
    "  \"files_changed\": [\"path/to/file1.go\", \"path/to/file2_test.go\"],\n"
    "  \"summary\": \"One-line description of what happened\"\n"
    "}\n";

constexpr std::string_view kBlockFormat =
    "---\n"
    "SIGNAL: [SIGNAL_NAME]\n"
    "PHASE: [current_phase]\n"
    "STATUS: complete\n"
    "TIMESTAMP: [ISO8601]\n"
    "NEXT: [next_phase or 'none']\n"
    "---\n";

constexpr std::string_view kErrorFormat =
    "---\n"
    "SIGNAL: PHASE_ERROR\n"
    "PHASE: [current_phase]\n"
    "STATUS: error\n"
    "TIMESTAMP: [ISO8601]\n"
    "ERROR: [brief error description]\n"
    "RECOVERABLE: [true/false]\n"
    "---\n";

constexpr Row contract(Signal signal, std::string_view name, std::string_view handler,
                       std::string_view meaning) {
  return {signal, Dialect::contract, name, name, handler, meaning, kContractFormat};
}

constexpr Row block(Signal signal, BlockKind kind, Phase phase, std::string_view name,
                    std::string_view handler, std::string_view meaning) {
  Row row{signal,
          Dialect::block,
          name,
          name,
          handler,
          meaning,
          kind == BlockKind::error ? kErrorFormat : kBlockFormat};
  row.kind = kind;
  row.phase = phase;
  return row;
}

// A signal whose argument is a task id.
constexpr Row about_task(Signal signal, std::string_view name, std::string_view wire, Roles senders,
                         Priority priority, std::string_view handler, std::string_view meaning,
                         std::string_view format) {
  Row row{signal, Dialect::line, name, wire, handler, meaning, format};
  row.senders = senders;
  row.priority = priority;
  row.capture = Capture::word;
  row.names_task = true;
  return row;
}

// A signal whose line is the wire text and nothing else.
constexpr Row bare(Signal signal, std::string_view name, std::string_view wire, Roles senders,
                   Priority priority, std::string_view handler, std::string_view meaning,
                   std::string_view format) {
  Row row{signal, Dialect::line, name, wire, handler, meaning, format};
  row.senders = senders;
  row.priority = priority;
  return row;
}

enum class Often : bool { once, repeatedly };

// A signal whose argument is the rest of its line.
constexpr Row about_line(Signal signal, std::string_view name, std::string_view wire, Roles senders,
                         Priority priority, Often often, std::string_view handler,
                         std::string_view meaning, std::string_view format) {
  Row row = bare(signal, name, wire, senders, priority, handler, meaning, format);
  row.capture = Capture::rest;
  row.repeats = often == Often::repeatedly;
  return row;
}

constexpr Row checkpoint(Row row) {
  row.names_task = true;
  return row;
}

constexpr std::array<Row, kSignalCount> kRows{{
    contract(Signal::pass, "PASS", "ADVANCE", "The phase did its work"),
    contract(Signal::needs_work, "NEEDS_WORK", "RETRY_WITH_FEEDBACK",
             "The phase found something to fix"),
    contract(Signal::error, "ERROR", "ABORT", "The phase could not do its work"),

    about_task(Signal::ready_for_review, "ready_for_review", "READY_FOR_REVIEW", {Role::developer},
               Priority::primary, "DISPATCH_CRITIC",
               "The implementation is finished and waits for the critic",
               "READY_FOR_REVIEW: [task_id]\n"
               "\n"
               "Files Modified:\n"
               "- [file1]: [change description]\n"
               "- [file2]: [change description]\n"
               "\n"
               "Tests Written:\n"
               "- [test_file]: [what it tests]\n"
               "\n"
               "Verification Results (self-verified):\n"
               "- [check]: PASS ([environment])\n"
               "\n"
               "Summary: [brief description of implementation]\n"),
    about_task(Signal::task_incomplete, "task_incomplete", "TASK_INCOMPLETE", {Role::developer},
               Priority::primary, "LOG_AND_FILL_SLOTS",
               "The task cannot be finished with what is known",
               "TASK_INCOMPLETE: [task_id]\n"
               "\n"
               "Blocker: [description of what's missing]\n"
               "Attempted: [what was tried]\n"
               "Needed: [what would unblock]\n"),
    about_task(Signal::infra_blocked, "infra_blocked", "INFRA_BLOCKED", {Role::developer},
               Priority::blocked, "ENTER_REMEDIATION",
               "The infrastructure keeps the task from being finished",
               "INFRA_BLOCKED: [task_id]\n"
               "\n"
               "Issue: [specific infrastructure problem]\n"
               "Command: [command that failed]\n"
               "Output: [error output]\n"
               "Environment: [which environment]\n"),
    about_task(Signal::review_passed, "review_passed", "REVIEW_PASSED", {Role::critic},
               Priority::primary, "DISPATCH_AUDITOR",
               "The code is good enough for the formal audit",
               "REVIEW_PASSED: [task_id]\n"
               "\n"
               "Files Reviewed:\n"
               "- [file1]\n"
               "- [file2]\n"
               "\n"
               "Quality Assessment:\n"
               "- Code style: COMPLIANT\n"
               "- Error handling: ADEQUATE\n"
               "- Naming: CONSISTENT\n"
               "- Architecture: ALIGNED\n"
               "\n"
               "Summary: [brief assessment - what was done well]\n"),
    about_task(Signal::review_failed, "review_failed", "REVIEW_FAILED", {Role::critic},
               Priority::primary, "DISPATCH_DEVELOPER_REWORK",
               "The code has problems that the developer must fix before the audit",
               "REVIEW_FAILED: [task_id]\n"
               "\n"
               "Files Reviewed:\n"
               "- [file1]\n"
               "- [file2]\n"
               "\n"
               "Issues Found:\n"
               "- [file]:[line]: [issue description]\n"
               "- [file]:[line]: [issue description]\n"
               "\n"
               "Required Fixes:\n"
               "- [concrete action]\n"
               "- [concrete action]\n"
               "\n"
               "Priority: [HIGH | MEDIUM | LOW]\n"
               "\n"
               "Developer: Please address all issues above and signal READY_FOR_REVIEW when "
               "complete.\n"),
    about_task(Signal::audit_passed, "audit_passed", "AUDIT_PASSED", {Role::auditor},
               Priority::primary, "MARK_COMPLETE",
               "Every acceptance criterion was verified: the task is complete",
               "AUDIT_PASSED: [task_id]\n"
               "\n"
               "Verification Results:\n"
               "- [criterion_1]: VERIFIED - [evidence]\n"
               "- [criterion_2]: VERIFIED - [evidence]\n"
               "\n"
               "Commands Executed:\n"
               "- [check] ([env]): PASS\n"
               "- [check] ([env]): PASS\n"
               "\n"
               "Summary: [brief conclusion]\n"),
    about_task(Signal::audit_failed, "audit_failed", "AUDIT_FAILED", {Role::auditor},
               Priority::primary, "DISPATCH_DEVELOPER_REWORK",
               "An acceptance criterion is not met: the developer must rework it",
               "AUDIT_FAILED: [task_id]\n"
               "\n"
               "Failed Criteria:\n"
               "- [criterion]: FAILED - [reason]\n"
               "\n"
               "Issues Found:\n"
               "- [file]:[line]: [issue description]\n"
               "\n"
               "Required Fixes:\n"
               "- [concrete action]\n"
               "\n"
               "Passing Criteria:\n"
               "- [what passed]\n"),
    about_task(Signal::audit_blocked, "audit_blocked", "AUDIT_BLOCKED", {Role::auditor},
               Priority::blocked, "ENTER_REMEDIATION",
               "Failures from before this task keep the audit from being finished",
               "AUDIT_BLOCKED: [task_id]\n"
               "\n"
               "Pre-existing Failures:\n"
               "- [failure not caused by this task]\n"
               "\n"
               "Cannot proceed with audit until infrastructure is fixed.\n"),
    about_task(Signal::expanded_spec, "expanded_spec", "EXPANDED_TASK_SPECIFICATION",
               {Role::business_analyst}, Priority::primary, "PROCESS_EXPANSION",
               "A vague task now has a full specification",
               "EXPANDED_TASK_SPECIFICATION: [task_id]\n"
               "Confidence: [HIGH | MEDIUM | LOW]\n"
               "\n"
               "Original: [original description]\n"
               "\n"
               "Expanded Specification:\n"
               "[detailed specification]\n"
               "\n"
               "Acceptance Criteria:\n"
               "- [ ] [criterion 1]\n"
               "- [ ] [criterion 2]\n"
               "\n"
               "Technical Approach:\n"
               "[recommended approach]\n"
               "\n"
               "Target Files:\n"
               "- [file paths]\n"),
    bare(Signal::remediation_complete, "remediation_complete", "REMEDIATION_COMPLETE",
         {Role::remediation}, Priority::primary, "DISPATCH_HEALTH_AUDITOR",
         "The infrastructure has been repaired",
         "REMEDIATION_COMPLETE\n"
         "\n"
         "Issues Fixed:\n"
         "- [issue]: [fix applied]\n"
         "\n"
         "Verification Results:\n"
         "- [check]: PASS\n"
         "\n"
         "All infrastructure issues resolved.\n"),
    bare(Signal::health_healthy, "health_healthy", "HEALTH_AUDIT: HEALTHY", {Role::health_auditor},
         Priority::primary, "EXIT_REMEDIATION",
         "Every verification command passes in every environment",
         "HEALTH_AUDIT: HEALTHY\n"
         "\n"
         "Verification Results:\n"
         "- [check] ([env]): PASS\n"
         "\n"
         "All checks pass in all environments.\n"),
    bare(Signal::health_unhealthy, "health_unhealthy", "HEALTH_AUDIT: UNHEALTHY",
         {Role::health_auditor}, Priority::primary, "RETRY_REMEDIATION",
         "A verification command fails",
         "HEALTH_AUDIT: UNHEALTHY\n"
         "\n"
         "Failed Checks:\n"
         "- [check] ([env]): FAIL\n"
         "  Exit: [code]\n"
         "  Output: [error]\n"
         "\n"
         "Passing Checks:\n"
         "- [check] ([env]): PASS\n"),
    bare(Signal::divine_clarification, "divine_clarification", "SEEKING_DIVINE_CLARIFICATION",
         kBaseline, Priority::divine, "AWAIT_DIVINE_RESPONSE",
         "A person has to answer: the agent and its experts could not",
         "SEEKING_DIVINE_CLARIFICATION\n"
         "\n"
         "Task: [task_id]\n"
         "Agent: [agent_type]\n"
         "\n"
         "Question: [specific question for human]\n"
         "\n"
         "Context:\n"
         "[relevant background]\n"
         "\n"
         "Options Considered:\n"
         "1. [option]: [why insufficient]\n"
         "2. [option]: [why insufficient]\n"
         "\n"
         "Attempts Made:\n"
         "- Self-solve: [N] attempts\n"
         "- Delegation: [N] attempts (if applicable)\n"
         "\n"
         "What Would Help:\n"
         "[specific guidance needed]\n"),
    bare(Signal::expert_request, "expert_request", "EXPERT_REQUEST", kBaseline,
         Priority::expert_request, "DISPATCH_EXPERT", "The agent asks an expert for help",
         "EXPERT_REQUEST\n"
         "Target Agent: [agent name]\n"
         "Request Type: [decision | interpretation | ambiguity | options | validation]\n"
         "Context Snapshot: [path to snapshot file]\n"
         "\n"
         "---DELEGATION PROMPT START---\n"
         "[Agent-generated prompt for expert]\n"
         "---DELEGATION PROMPT END---\n"),
    about_line(Signal::expert_advice, "expert_advice", "EXPERT_ADVICE", {Role::expert},
               Priority::primary, Often::once, "DELIVER_TO_REQUESTING_AGENT",
               "The expert's answer to a request",
               "EXPERT_ADVICE: [request_id]\n"
               "\n"
               "Requesting Agent: [who asked]\n"
               "Task: [which task]\n"
               "Question: [what was asked]\n"
               "\n"
               "Recommendation:\n"
               "[Clear guidance]\n"
               "\n"
               "Rationale:\n"
               "- [Why this is correct for this plan]\n"
               "\n"
               "Pitfalls Avoided:\n"
               "- [What this recommendation avoids]\n"
               "\n"
               "Next Steps:\n"
               "[What the default agent should do]\n"),
    about_line(Signal::expert_unsuccessful, "expert_unsuccessful", "EXPERT_UNSUCCESSFUL",
               {Role::expert}, Priority::primary, Often::once, "ESCALATE_TO_DIVINE",
               "The expert has no answer after three attempts",
               "EXPERT_UNSUCCESSFUL: [request_id]\n"
               "\n"
               "Requesting Agent: [who asked]\n"
               "Question: [what was asked]\n"
               "\n"
               "Attempts:\n"
               "1. [approach]: [outcome]\n"
               "2. [approach]: [outcome]\n"
               "3. [approach]: [outcome]\n"
               "\n"
               "Reason: [why unable to help]\n"
               "Recommendation: [escalate to divine intervention]\n"),
    about_line(Signal::expert_created, "expert_created", "EXPERT_CREATED", {Role::plan_analyst},
               Priority::primary, Often::repeatedly, "REGISTER_EXPERT",
               "An expert for this plan was made during its analysis",
               "EXPERT_CREATED: [expert_name]\n"
               "\n"
               "Gap Filled: [description]\n"
               "Supports: [which default agents]\n"
               "Tasks: [task IDs]\n"
               "File: .claude/agents/experts/[expert_name].md\n"
               "\n"
               "Expertise Encoded:\n"
               "- [specific to this plan]\n"
               "\n"
               "Delegation Triggers:\n"
               "- Developer should ask when: [trigger]\n"
               "- Auditor should ask when: [trigger]\n"),
    about_line(Signal::file_conflict, "file_conflict", "FILE CONFLICT", kEveryRole,
               Priority::file_conflict, Often::repeatedly, "QUEUE_OR_COORDINATE",
               "The agent must change a file that another agent holds",
               "FILE CONFLICT: [file_path]\n"
               "\n"
               "Assigned To: [other_agent_id or UNKNOWN]\n"
               "I Need To: [description of needed change]\n"
               "Reason: [why this file must be modified]\n"
               "Can Wait: [YES | NO]\n"),
    checkpoint(about_line(Signal::checkpoint, "checkpoint", "CHECKPOINT", {Role::developer},
                          Priority::checkpoint, Often::once, "PROCESS_CHECKPOINT",
                          "The answer to a request for the state of the work",
                          "CHECKPOINT: [task_id]\n"
                          "\n"
                          "Progress: [percentage or phase]\n"
                          "Current Activity: [what agent is doing]\n"
                          "Files Modified: [count]\n"
                          "Blockers: [NONE | description]\n"
                          "Estimated Remaining: [description, not time]\n")),
    {Signal::unknown, Dialect::line, "unknown", "", "REQUEST_CLARIFICATION",
     "Nothing that can be acted on: the agent is asked again", ""},

    block(Signal::expansion_complete, BlockKind::completion, Phase::expansion, "EXPANSION_COMPLETE",
          "ADVANCE_PHASE", "The requirements are analysed"),
    block(Signal::init_complete, BlockKind::completion, Phase::init, "INIT_COMPLETE",
          "ADVANCE_PHASE", "The .caw/ environment is set up"),
    block(Signal::planning_complete, BlockKind::completion, Phase::planning, "PLANNING_COMPLETE",
          "ADVANCE_PHASE", "task_plan.md is written"),
    block(Signal::execution_complete, BlockKind::completion, Phase::execution, "EXECUTION_COMPLETE",
          "ADVANCE_PHASE", "Every step of the plan is carried out"),
    block(Signal::qa_complete, BlockKind::completion, Phase::qa, "QA_COMPLETE", "ADVANCE_PHASE",
          "The quality loop passed"),
    block(Signal::review_complete, BlockKind::completion, Phase::review, "REVIEW_COMPLETE",
          "ADVANCE_PHASE", "The code is reviewed"),
    block(Signal::fix_complete, BlockKind::completion, Phase::fix, "FIX_COMPLETE", "ADVANCE_PHASE",
          "What the review found is fixed"),
    block(Signal::check_complete, BlockKind::completion, Phase::check, "CHECK_COMPLETE",
          "ADVANCE_PHASE", "The work complies with the rules of the project"),
    block(Signal::reflect_complete, BlockKind::completion, Phase::reflect, "REFLECT_COMPLETE",
          "ADVANCE_PHASE", "The closing reflection is finished"),
    block(Signal::auto_complete, BlockKind::finish, Phase::complete, "AUTO_COMPLETE",
          "COMPLETE_WORKFLOW", "The whole workflow is finished"),
    block(Signal::transition_to_qa, BlockKind::transition, Phase::execution, "TRANSITION_TO_QA",
          "RECORD", "Execution is over, quality assurance begins"),
    block(Signal::transition_to_validation, BlockKind::transition, Phase::qa,
          "TRANSITION_TO_VALIDATION", "RECORD",
          "Quality assurance is over, the parallel validation begins"),
    block(Signal::transition_to_fix, BlockKind::transition, Phase::review, "TRANSITION_TO_FIX",
          "RECORD", "The review is over; fixing begins"),
    block(Signal::phase_error, BlockKind::error, Phase::complete, "PHASE_ERROR", "ALLOW_STOP",
          "The phase cannot be completed; a person has to act"),
}};

constexpr bool rows_stand_at_their_place() {
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if (static_cast<std::size_t>(kRows[i].signal) != i) return false;
  return true;
}
static_assert(rows_stand_at_their_place());

}  // namespace

std::span<const Row> vocabulary() { return kRows; }

const Row& row(Signal signal) { return kRows[static_cast<std::size_t>(signal)]; }

}  // namespace capsule::signal
