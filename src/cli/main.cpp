#include <cstdlib>
#include <string_view>

#include "cli/commands.h"
#include "cli/parse_signal_command.h"
#include "client/hook_stop.h"
#include "process/guardian.h"
#include "terminal/keeper.h"

int main(int argc, char** argv) {
  // The commands that scripts and clients call most must not pay for the others.
  if (argc == 2 && std::string_view(argv[1]) == "parse-signal") return capsule::cli::parse_signal();
  if (argc == 3 && std::string_view(argv[1]) == "hook" && std::string_view(argv[2]) == "stop")
    return capsule::client::hook_stop(argv[0]);
  // Not for people: what stands between Capsule and an agent.
  if (argc > 1 && argv[1] == capsule::process::kGuardianCommand)
    std::_Exit(capsule::process::guardian_main(argc, argv));  // at once: there is nothing to flush
  // Nor this: what gives a terminal back when a dashboard was killed.
  if (argc == 2 && argv[1] == capsule::terminal::kKeeperCommand)
    std::_Exit(capsule::terminal::keeper_main());
  if (argc == 1)
    if (const auto code = capsule::cli::dashboard_alone()) return *code;
  return capsule::command_line::run_program(
      capsule::cli::commands(), {argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
}
