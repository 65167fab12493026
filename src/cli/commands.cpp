// The table itself. A command's rows live beside its code, in <name>_command.cpp.
#include <array>

#include "cli/command.h"

namespace capsule::cli {

std::span<const Command> commands() { return {}; }

}  // namespace capsule::cli
