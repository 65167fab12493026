// The rehearsal agent: a program that plays a cassette in the current folder, as a coding agent
// works in its worktree. Capsule starts it as a child process like any other agent, so a run with
// it goes the same way as a run with a model, without an account or a network.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace capsule::agent::rehearsal {

// The cassette that fits every project: it passes all phases and adds one small file.
inline constexpr std::string_view kAnyProject = "templates/cassettes/any-project.yaml";

// The word for a cassette that the program brings along, by its name in assets/embedded.h.
std::string built_in(std::string_view name);

// Plays the take for CAPSULE_PHASE and CAPSULE_ATTEMPT of the environment. `cassette` is a path or
// what built_in() says. The prompt is read from stdin when it is not given. Returns the exit code:
// that of the take; 1 when a step could not be done; 2 when there is nothing to play. In the last
// two cases a signal ERROR on stdout says why, and the same stands on stderr.
int rehearsal_main(const std::string& cassette, std::optional<std::string_view> prompt);

}  // namespace capsule::agent::rehearsal
