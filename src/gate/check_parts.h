// What both ways to run a check share. Internal to gate.
#pragma once

#include <string>

#include "gate/verify.h"
#include "process/command.h"

namespace capsule::gate {

inline constexpr std::size_t kKeptTailBytes = std::size_t{64} * 1024;

// The command as a person wrote it.
std::string spelled(const Command& command);
// How it is run; the time limit counts from now.
process::Spec spec_of(const Command& command, const Verify& verify, const std::string& folder);
// Fills in how it ended and what it printed.
void complete(Verdict& verdict, const process::Output& output);

}  // namespace capsule::gate
