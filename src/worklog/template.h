// Templates with {{VAR}}, {{.Var}} and {{if .Var}}…{{else}}…{{end}}, rendered in one pass.
// Pure; the result owns its bytes. Threads: any.
//
//   {{TASK_ID}}              the value of the variable TASK_ID
//   {{.TaskId}} {{.TaskID}}  the same: after a dot neither case nor underscores count
//   {{if .Var}}…{{end}}      kept when the value is not empty; nests, and may hold one {{else}}
//   {{- … -}}                a hyphen takes the blanks and line ends beside the action away
//
// An unknown variable is empty. Values are copied as they are and never read as a template, so no
// value can reach another one. Braces that hold none of these forms are ordinary text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace capsule::worklog {

struct Variable {
  std::string_view name;  // as {{NAME}} writes it: capitals, digits and underscores
  std::string_view value;
};

// Error: damaged, when an {{if}} has no {{end}}, an {{else}} or {{end}} has no {{if}}, or an {{if}}
// names no variable; the message begins with "line N: ".
Result<std::string> render(std::string_view text, std::span<const Variable> variables);

// What a worklog is made from. Empty where there is none.
struct Briefing {
  std::string_view epic_id;
  std::string_view epic_title;
  std::string_view epic_goal;
  std::string_view feature_id;
  std::string_view feature_title;
  std::string_view feature_goal;
  std::string_view task_id;
  std::string_view task_title;
  std::string_view task_description;
  std::string_view acceptance_criteria;
  std::string_view timestamp;  // UTC, ISO 8601
};

// The worklog of a task: `text` with the eleven variables EPIC_ID … TIMESTAMP.
Result<std::string> render_worklog(std::string_view text, const Briefing& briefing);

}  // namespace capsule::worklog
