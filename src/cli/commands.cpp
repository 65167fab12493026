// The table itself. A command's rows live beside its code, in <name>_command.cpp.
#include "cli/commands.h"

#include <vector>

namespace capsule::cli {

std::span<const Command> commands() {
  static const std::vector<Command> table = [] {
    std::vector<Command> rows{
        parse_signal_command(),
        signal_parse_command(),
        signal_list_command(),
        signal_format_command(),
        config_show_command(),
        config_keys_command(),
        generate_command(),
    };
    const auto beads = bead_commands();
    rows.insert(rows.begin() + 4, beads.begin(), beads.end());
    return rows;
  }();
  return table;
}

}  // namespace capsule::cli
