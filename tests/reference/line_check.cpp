#include "tests/reference/line_check.h"

#include <array>

#include "signal/line.h"
#include "tests/reference/line_reference.h"

namespace capsule::reference {
namespace {

constexpr std::array<std::string_view, 9> kRoles{"",
                                                 "developer",
                                                 "critic",
                                                 "auditor",
                                                 "business-analyst",
                                                 "remediation",
                                                 "health-auditor",
                                                 "expert",
                                                 "plan-analyst"};
constexpr std::array<std::string_view, 4> kTasks{"", "t1", "t2", "a"};

std::string text_of(const LineAnswer& answer) {
  std::string text = answer.signal + " " + (answer.task_id ? "<" + *answer.task_id + ">" : "null");
  for (const std::string& more : answer.more) text += " +<" + more + ">";
  for (const auto& [label, field] : answer.fields) text += "\n  " + label + "=<" + field + ">";
  return text;
}

LineAnswer as_answer(const signal::LineResult& result) {
  LineAnswer answer{std::string(signal::row(result.signal).name), result.task_id, {}, {}};
  for (const signal::Extra& extra : result.more) answer.more.push_back(extra.id);
  for (const signal::Field& field : result.fields)
    answer.fields.emplace_back(field.label, field.text);
  return answer;
}

std::string explanation_fault(const std::string& input, const signal::LineOptions& options,
                              const signal::LineResult& result) {
  bool taken = false;
  bool first_is_result = false;
  signal::explain_line(input, options, [&](const signal::LineCandidate& candidate) {
    if (candidate.taken && !taken) first_is_result = candidate.offset == result.offset;
    taken |= candidate.taken;
  });
  if (taken != (result.signal != signal::Signal::unknown)) return "the explanation takes another";
  if (taken && !first_is_result) return "the explanation has another offset";
  return "";
}

constexpr std::array<std::string_view, 32> kSignals{"READY_FOR_REVIEW: ",
                                                    "TASK_INCOMPLETE: ",
                                                    "INFRA_BLOCKED: ",
                                                    "REVIEW_PASSED: ",
                                                    "REVIEW_FAILED: ",
                                                    "AUDIT_PASSED: ",
                                                    "AUDIT_PASSED:",
                                                    "AUDIT_FAILED:\t",
                                                    "AUDIT_BLOCKED: ",
                                                    "EXPERT_ADVICE: ",
                                                    "EXPERT_UNSUCCESSFUL: ",
                                                    "EXPERT_CREATED: ",
                                                    "FILE CONFLICT: ",
                                                    "FILE CONFLICT:",
                                                    "FILE CONFLICT: ",
                                                    "CHECKPOINT: ",
                                                    "CHECKPOINT: ",
                                                    "EXPANDED_TASK_SPECIFICATION: ",
                                                    "EXPERT_REQUEST",
                                                    "REMEDIATION_COMPLETE",
                                                    "HEALTH_AUDIT: HEALTHY",
                                                    "HEALTH_AUDIT: UNHEALTHY",
                                                    "SEEKING_DIVINE_CLARIFICATION",
                                                    "HEALTH_AUDIT: ",
                                                    "AUDIT_PASSED",
                                                    "audit_passed: ",
                                                    " AUDIT_FAILED: ",
                                                    "CHECKPOINT REQUEST: ",
                                                    "---DELEGATION PROMPT START---",
                                                    "---DELEGATION PROMPT END---",
                                                    "---DELEGATION PROMPT ",
                                                    "EXPERT_REQUEST: "};
constexpr std::array<std::string_view, 20> kWords{
    "",     "t1",  "t1",  "t2", "a",  "a b", " t1 ", "\t", "x\ry", "\xC3\xA4",
    "\xFF", "t1.", "[t]", "-",  "--", "---", "\v",   "\f", "AB",   "t1 (done)"};
constexpr std::array<std::string_view, 24> kLabels{"Summary:",
                                                   "Summary: ",
                                                   "Files Modified:",
                                                   "Issue: ",
                                                   "Task: ",
                                                   "Question: ",
                                                   "Can Wait: ",
                                                   "Reason: ",
                                                   "Priority: ",
                                                   "Developer: ",
                                                   "Target Agent: ",
                                                   "Context Snapshot:",
                                                   "Verification Results: ",
                                                   "Tests Written:",
                                                   "Verification Results (self-verified):",
                                                   " Summary: ",
                                                   "Summary : ",
                                                   "Progress: ",
                                                   "Gap Filled: ",
                                                   "Recommendation:",
                                                   "Confidence: ",
                                                   "Issues Found:",
                                                   "Blocker: ",
                                                   "Command: "};
constexpr std::array<std::string_view, 8> kEnds{"\n",   "\n",  "\n",     "\r\n",
                                                "\n\n", " \n", "\t\r\n", ""};

}  // namespace

std::string line_disagreement(const std::string& input, std::uint64_t seed) {
  Random random(seed);
  const std::string_view role = random.once_in(2) ? "" : random.one_of(kRoles);
  const std::string_view task = random.once_in(2) ? "" : random.one_of(kTasks);
  signal::LineOptions options;
  if (!role.empty()) options.role = signal::role_named(role);
  if (!task.empty()) options.task = task;
  const signal::LineResult result = signal::parse_line(input, options);
  const std::string parsed = text_of(as_answer(result));
  const std::string wanted = text_of(line(input, std::string(role), std::string(task)));
  const std::string with = " (role '" + std::string(role) + "', task '" + std::string(task) + "')";
  if (parsed != wanted) return "parser:    " + parsed + "\nreference: " + wanted + with;
  return explanation_fault(input, options, result);
}

std::string random_line_text(Random& random) {
  std::string text = random.once_in(10) ? "\xEF\xBB\xBF" : "";
  const std::uint64_t parts = random.below(12);
  for (std::uint64_t i = 0; i < parts; ++i) {
    switch (random.below(4)) {
      case 0:
      case 1:
        text += random.one_of(kSignals);
        break;
      case 2:
        text += random.one_of(kLabels);
        break;
      default:
        // Far apart, too, so that the search goes beyond one vector.
        text += std::string(random.once_in(4) ? random.below(200) : 0, 'x');
    }
    text += random.one_of(kWords);
    text += random.one_of(kEnds);
  }
  return text;
}

}  // namespace capsule::reference
