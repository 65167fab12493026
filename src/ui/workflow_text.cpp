#include "ui/workflow_text.h"

#include "base/text.h"
#include "workflow/phases/check.h"

namespace capsule::ui {

std::string workflow_page(const event::Definition& definition, int max_retries) {
  const int most = phases::most_runs(definition, max_retries);
  return (definition.summary.empty() ? "" : printable(definition.summary) + "\n\n") +
         phases::picture(definition, max_retries) +
         (most > 0 ? "\nAt most " + counted(most, "agent run") +
                         " with max_retries: " + std::to_string(max_retries) + ".\n"
                   : std::string("\nIt can go in more ways than can be counted.\n"));
}

}  // namespace capsule::ui
