#include "tests/reference/line_reference.h"

#include <algorithm>
#include <map>
#include <set>

namespace capsule::reference {
namespace {

struct Known {
  std::string name, wire;
  char argument;  // 't': a task id, 'r': the rest of the line, 'c': a task in the rest, '-': none
  int priority;
  std::string roles;
  std::vector<std::string> labels;
};

const std::string kBaseline =
    "developer critic auditor business-analyst remediation health-auditor";

const std::vector<Known>& table() {
  static const std::vector<Known> kTable{
      {"ready_for_review",
       "READY_FOR_REVIEW",
       't',
       5,
       "developer",
       {"Files Modified", "Tests Written", "Verification Results (self-verified)", "Summary"}},
      {"task_incomplete",
       "TASK_INCOMPLETE",
       't',
       5,
       "developer",
       {"Blocker", "Attempted", "Needed"}},
      {"infra_blocked",
       "INFRA_BLOCKED",
       't',
       1,
       "developer",
       {"Issue", "Command", "Output", "Environment"}},
      {"audit_passed",
       "AUDIT_PASSED",
       't',
       5,
       "auditor",
       {"Verification Results", "Commands Executed", "Summary"}},
      {"audit_failed",
       "AUDIT_FAILED",
       't',
       5,
       "auditor",
       {"Failed Criteria", "Issues Found", "Required Fixes", "Passing Criteria"}},
      {"audit_blocked", "AUDIT_BLOCKED", 't', 1, "auditor", {"Pre-existing Failures"}},
      {"review_passed",
       "REVIEW_PASSED",
       't',
       5,
       "critic",
       {"Files Reviewed", "Quality Assessment", "Summary"}},
      {"review_failed",
       "REVIEW_FAILED",
       't',
       5,
       "critic",
       {"Files Reviewed", "Issues Found", "Required Fixes", "Priority", "Developer"}},
      {"expanded_spec",
       "EXPANDED_TASK_SPECIFICATION",
       't',
       5,
       "business-analyst",
       {"Confidence", "Original", "Expanded Specification", "Acceptance Criteria",
        "Technical Approach", "Target Files"}},
      {"remediation_complete",
       "REMEDIATION_COMPLETE",
       '-',
       5,
       "remediation",
       {"Issues Fixed", "Verification Results"}},
      {"health_healthy",
       "HEALTH_AUDIT: HEALTHY",
       '-',
       5,
       "health-auditor",
       {"Verification Results"}},
      {"health_unhealthy",
       "HEALTH_AUDIT: UNHEALTHY",
       '-',
       5,
       "health-auditor",
       {"Failed Checks", "Passing Checks"}},
      {"divine_clarification",
       "SEEKING_DIVINE_CLARIFICATION",
       '-',
       2,
       kBaseline,
       {"Task", "Agent", "Question", "Context", "Options Considered", "Attempts Made",
        "What Would Help"}},
      {"expert_request",
       "EXPERT_REQUEST",
       '-',
       3,
       kBaseline,
       {"Target Agent", "Request Type", "Context Snapshot"}},
      {"expert_advice",
       "EXPERT_ADVICE",
       'r',
       5,
       "expert",
       {"Requesting Agent", "Task", "Question", "Recommendation", "Rationale", "Pitfalls Avoided",
        "Next Steps"}},
      {"expert_unsuccessful",
       "EXPERT_UNSUCCESSFUL",
       'r',
       5,
       "expert",
       {"Requesting Agent", "Question", "Attempts", "Reason", "Recommendation"}},
      {"expert_created",
       "EXPERT_CREATED",
       'r',
       5,
       "plan-analyst",
       {"Gap Filled", "Supports", "Tasks", "File", "Expertise Encoded", "Delegation Triggers"}},
      {"file_conflict",
       "FILE CONFLICT",
       'r',
       4,
       kBaseline + " expert plan-analyst",
       {"Assigned To", "I Need To", "Reason", "Can Wait"}},
      {"checkpoint",
       "CHECKPOINT",
       'c',
       6,
       "developer",
       {"Progress", "Current Activity", "Files Modified", "Blockers", "Estimated Remaining"}},
  };
  return kTable;
}

const std::string kBlanks = " \t\r\v\f";

std::string trim(const std::string& text, const std::string& blanks) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool begins(const std::string& text, const std::string& with) {
  return text.compare(0, with.size(), with) == 0;
}

struct Found {
  const Known* known = nullptr;
  std::string argument;
  std::size_t line = 0;
};

// What a line is by itself, wherever it stands.
std::optional<Found> signal_on(const std::string& line) {
  for (const Known& known : table()) {
    if (known.argument == '-') {
      if (!line.empty() && kBlanks.find(line[0]) == std::string::npos &&
          trim(line, kBlanks) == known.wire)
        return Found{&known, "", 0};
      continue;
    }
    if (!begins(line, known.wire + ":")) continue;
    std::string argument = trim(line.substr(known.wire.size() + 1), kBlanks);
    if (known.argument == 't') argument = argument.substr(0, argument.find_first_of(kBlanks));
    if (argument.empty()) continue;
    return Found{&known, argument, 0};
  }
  return std::nullopt;
}

// The text as lines, each with what it is.
struct Page {
  std::vector<std::string> lines;
  std::vector<bool> hidden;  // inside a delegation prompt, its marks included
  std::vector<std::optional<Found>> found;
};

Page page_of(std::string text) {
  if (begins(text, "\xEF\xBB\xBF")) text.erase(0, 3);
  Page page;
  for (std::size_t from = 0;;) {
    const std::size_t end = text.find('\n', from);
    page.lines.push_back(text.substr(from, end == std::string::npos ? end : end - from));
    if (end == std::string::npos) break;
    from = end + 1;
  }
  bool inside = false;
  for (std::size_t i = 0; i < page.lines.size(); ++i) {
    const bool start = begins(page.lines[i], "---DELEGATION PROMPT START---");
    const bool end = begins(page.lines[i], "---DELEGATION PROMPT END---");
    page.hidden.push_back(inside || start);
    if (start) inside = true;
    if (end) inside = false;
    page.found.push_back(page.hidden[i] ? std::nullopt : signal_on(page.lines[i]));
    if (page.found[i]) page.found[i]->line = i;
  }
  return page;
}

using Fields = std::vector<std::pair<std::string, std::string>>;

void put(Fields& fields, const std::string& label, const std::string& lines) {
  const std::string trimmed = trim(lines, kBlanks + "\n");
  std::string text;
  for (std::size_t i = 0; i < trimmed.size(); ++i)
    if (trimmed.substr(i, 2) != "\r\n") text += trimmed[i];
  for (auto& [known, earlier] : fields)
    if (known == label) {
      earlier = text;
      return;
    }
  fields.emplace_back(label, text);
}

Fields body_of(const Page& page, const Found& found) {
  Fields fields;
  std::string label, text;
  const auto finish = [&] {
    if (!label.empty()) put(fields, label, text);
    label = text = "";
  };
  const bool asks = found.known->name == "expert_request";
  for (std::size_t i = found.line + 1; i < page.lines.size(); ++i) {
    const std::string& line = page.lines[i];
    if (page.hidden[i]) {
      const bool first =
          !page.hidden[i - 1] || begins(page.lines[i - 1], "---DELEGATION PROMPT END---");
      if (asks && first) {
        finish();
        label = "DELEGATION PROMPT";
      } else if (asks && begins(line, "---DELEGATION PROMPT END---")) {
        finish();
      } else {
        text += line + "\n";
      }
      continue;
    }
    if (page.found[i]) {
      if (page.found[i]->known != found.known || page.found[i]->argument != found.argument) break;
      finish();
      continue;
    }
    const std::string* starts = nullptr;
    for (const std::string& known : found.known->labels)
      if (begins(line, known + ":")) starts = &known;
    if (starts != nullptr) {
      finish();
      label = *starts;
      text = line.substr(starts->size() + 1) + "\n";
    } else {
      text += line + "\n";
    }
  }
  finish();
  return fields;
}

}  // namespace

LineAnswer line(const std::string& text, const std::string& role, const std::string& task) {
  const Page page = page_of(text);
  std::vector<Found> all;
  for (const auto& found : page.found)
    if (found) all.push_back(*found);
  if (all.empty()) return {};

  int highest = 99;
  for (const Found& found : all) highest = std::min(highest, found.known->priority);
  std::vector<Found> deciding;
  for (const Found& found : all)
    if (found.known->priority == highest) deciding.push_back(found);

  const Found& first = deciding.front();
  const bool repeats =
      first.known->name == "expert_created" || first.known->name == "file_conflict";
  LineAnswer answer;
  std::set<std::string> seen{first.argument};
  for (const Found& found : deciding) {
    if (found.known != first.known) return {};
    if (found.argument != first.argument && !repeats) return {};
    if (seen.insert(found.argument).second) answer.more.push_back(found.argument);
  }
  if (!role.empty() && (" " + first.known->roles + " ").find(" " + role + " ") == std::string::npos)
    return {};
  const bool names_task = first.known->argument == 't' || first.known->argument == 'c';
  if (!task.empty() && names_task && first.argument != task) return {};

  answer.signal = first.known->name;
  if (first.known->argument != '-') answer.task_id = first.argument;
  answer.fields = body_of(page, first);
  return answer;
}

}  // namespace capsule::reference
