#include "workflow/summary.h"

#include <algorithm>
#include <iterator>

#include "base/enum_count.h"
#include "signal/vocabulary.h"

namespace capsule::workflow {

std::string_view name_of(Standing standing) {
  constexpr std::string_view kNames[] = {"open", "waiting", "succeeded", "failed", "stopped"};
  static_assert(std::size(kNames) == enum_count<Standing>());
  return kNames[static_cast<std::size_t>(standing)];
}

std::string_view name_of(Waiting::For what) {
  constexpr std::string_view kNames[] = {"answer", "approval",    "file", "dependency",
                                         "expert", "remediation", "slot", "provider",
                                         "budget", "disk"};
  static_assert(std::size(kNames) == enum_count<Waiting::For>());
  return kNames[static_cast<std::size_t>(what)];
}

bool accepts(const Waiting& waiting, std::string_view text) {
  return waiting.options.empty() ||
         std::any_of(waiting.options.begin(), waiting.options.end(),
                     [&](const std::string& option) { return signal::same_letters(option, text); });
}

std::vector<AgentSummary> never_begun_since(const std::vector<AgentSummary>& before,
                                            std::vector<AgentSummary> now) {
  for (AgentSummary& agent : now) {
    const bool known = std::any_of(before.begin(), before.end(), [&](const AgentSummary& one) {
      return one.number == agent.number && one.running;
    });
    if (known || !agent.running) continue;
    agent.running = false;
    agent.fault = event::Fault::interrupted;
  }
  return now;
}

}  // namespace capsule::workflow
