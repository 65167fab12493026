#include <cstdlib>
#include <string_view>

#include "cli/commands.h"
#include "cli/parse_signal_command.h"
#include "client/hook_stop.h"
#include "process/guardian.h"

int main(int argc, char** argv) {
  // The commands that scripts and clients call most must not pay for the others.
  if (argc == 2 && std::string_view(argv[1]) == "parse-signal") return capsule::cli::parse_signal();
  if (argc == 3 && std::string_view(argv[1]) == "hook" && std::string_view(argv[2]) == "stop")
    return capsule::client::hook_stop(argv[0]);
  // Not for people: what stands between Capsule and an agent.
  if (argc > 1 && argv[1] == capsule::process::kGuardianCommand)
    std::_Exit(capsule::process::guardian_main(argc, argv));  // at once: there is nothing to flush
  return capsule::command_line::run_program(
      capsule::cli::commands(), {argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
}
