// The experts of a plan as files: .claude/agents/experts/<name>.md in the project, kept out of git.
// What a plan analyst said about them is hostile text; names that are no ids are passed over.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "git/repository.h"
#include "signal/line.h"

namespace capsule::world {

// Writes a file for each expert that the signal names; a file that is there already stays as it is.
// Names that are no ids are taken out of the signal; false: none was left.
Result<bool> write_experts(const git::Repository& repository, signal::LineResult& created);

// The names of the files that are there.
std::vector<std::string> known_experts(const std::string& project);

// What an expert's file says; empty when there is none.
std::string read_expert(const std::string& project, const std::string& name);

}  // namespace capsule::world
