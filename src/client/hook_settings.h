// The Stop hook in the settings of an agent's client, as text: added and taken away with every
// other byte kept. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace capsule::client {

// The commands that are ours in `settings`. Error damaged: these are no settings.
Result<std::vector<std::string>> installed_hooks(std::string_view settings);

// `settings` with the hook `command`, and with no other one of ours; unchanged when it is there.
Result<std::string> with_hook(std::string_view settings, const std::string& command);

// `settings` without our hook: as they were before with_hook(), where that can be told. nullopt:
// nothing but what fresh_settings() made is left.
Result<std::optional<std::string>> without_hook(std::string_view settings);

// For a client that has no settings yet.
std::string fresh_settings(const std::string& command);

// The program that a hook's command calls as `capsule hook stop`, from whatever folder; nullopt: it
// is not ours.
std::optional<std::string> own_program(std::string_view command);
bool is_own_hook(std::string_view command);

}  // namespace capsule::client
