// The table itself. A command's rows live beside its code, in <name>_command.cpp.
#include "cli/commands.h"

#include <array>

namespace capsule::cli {

std::span<const Command> commands() {
  static const std::array table{
      parse_signal_command(),
      config_show_command(),
      config_keys_command(),
      generate_command(),
  };
  return table;
}

}  // namespace capsule::cli
