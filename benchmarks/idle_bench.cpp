// What a face costs while nothing happens: nothing. Wake-ups are counted by the kernel, which notes
// each time that a process gave the processor up by itself.
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/face.h"
#include "benchmarks/folder.h"
#include "benchmarks/rows.h"
#include "process/command.h"

namespace capsule::bench {
namespace {

constexpr unsigned kSettles = 2, kWatched = 5;  // seconds

// A project with a run that has ended.
std::string project() {
  static const Folder folder;
  static const std::string at = [] {
    const std::string made = folder.path() + "/demo";
    process::Spec spec;
    spec.argv = {CAPSULE_BINARY, "demo", made};
    const auto output = process::run(spec);
    if (!output || !output->ok()) std::abort();
    return made;
  }();
  return at;
}

// One with a delivery that a question keeps from going on.
std::string waiting_project() {
  static const Folder folder;
  static const std::string at = [] {
    const std::string made = folder.path() + "/demo";
    process::Spec spec;
    spec.argv = {CAPSULE_BINARY, "setup-template", made};
    const auto set_up = process::run(spec);
    if (!set_up || !set_up->ok()) std::abort();
    std::ofstream(made + "/PLAN.md") << R"(# One

## Phases

### Phase 1: All

#### Task T-1: One

**Work**: Write `one.txt` at the top.

**Acceptance Criteria**:
- [ ] one.txt holds one

**Blocked By**: none

**Files**: one.txt
)";
    std::ofstream(made + "/.capsule/config.yaml") << R"(provider: asks
providers:
  asks:
    command: [printf, 'TASK_INCOMPLETE: T-1\n\nBlocker: which colour\nNeeded: a colour\n']
)";
    spec.argv = {CAPSULE_BINARY, "deliver", made + "/PLAN.md", "--project-dir=" + made};
    const auto asked = process::run(spec);
    if (!asked || asked->exit_code != 1) std::abort();
    return made;
  }();
  return at;
}

long wake_ups(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  std::string line;
  constexpr std::string_view kLabel = "voluntary_ctxt_switches:";
  while (std::getline(status, line)) {
    if (line.starts_with("State:") && line.find('Z') != line.npos) break;
    if (line.starts_with(kLabel)) return std::atol(line.c_str() + kLabel.size());
  }
  std::abort();  // it has ended, and does nothing for that reason
}

double idle(std::vector<std::string> words, const std::string& project) {
  words.push_back("--project-dir=" + project);
  Face face(std::move(words));
  face.read_on();
  ::sleep(kSettles);
  const long before = wake_ups(face.pid());
  ::sleep(kWatched);
  return static_cast<double>(wake_ups(face.pid()) - before) / kWatched;
}

const Rows kRows([] {
  add_figure({"idle: wake-ups of capsule ui while nothing happens", "a second", 0, false,
              [] { return idle({"ui"}, project()); }});
  add_figure({"idle: wake-ups of capsule ui where a person is waited for", "a second", 0, false,
              [] { return idle({"ui"}, waiting_project()); }});
  add_figure({"idle: wake-ups of capsule serve while nothing happens", "a second", 0, false,
              [] { return idle({"serve"}, project()); }});
  add_figure({"idle: wake-ups of capsule serve where a person is waited for", "a second", 0, false,
              [] { return idle({"serve"}, waiting_project()); }});
  add_figure({"idle: wake-ups of capsule deliver --wait where a person is waited for", "a second",
              0, false, [] {
                const std::string project = waiting_project();
                return idle({"deliver", project + "/PLAN.md", "--wait"}, project);
              }});
});

}  // namespace
}  // namespace capsule::bench
