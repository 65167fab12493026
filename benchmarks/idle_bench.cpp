// What a face costs while nothing happens: nothing. Wake-ups are counted by the kernel, which notes
// each time that a process gave the processor up by itself.
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

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

long wake_ups(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  std::string line;
  constexpr std::string_view kLabel = "voluntary_ctxt_switches:";
  while (std::getline(status, line))
    if (line.starts_with(kLabel)) return std::atol(line.c_str() + kLabel.size());
  std::abort();  // it has ended
}

double idle(const char* command) {
  Face face({command, "--project-dir=" + project()});
  face.read_on();
  ::sleep(kSettles);
  const long before = wake_ups(face.pid());
  ::sleep(kWatched);
  return static_cast<double>(wake_ups(face.pid()) - before) / kWatched;
}

const Rows kRows([] {
  add_figure({"idle: wake-ups of capsule ui while nothing happens", "a second", 0, false,
              [] { return idle("ui"); }});
  add_figure({"idle: wake-ups of capsule serve while nothing happens", "a second", 0, false,
              [] { return idle("serve"); }});
});

}  // namespace
}  // namespace capsule::bench
