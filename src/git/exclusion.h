// Which paths never reach main. Pure. Patterns are those of .gitignore without negation: a pattern
// without a slash matches a name at any depth, one with a slash matches from the top; * and ? stay
// within a name, ** does not; a slash at the end means folders only. What lies in a folder that
// matches, matches.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace capsule::git {

// Always left out: the worklog at the top, and everything of Capsule's own.
inline constexpr std::string_view kAlwaysExcluded[] = {"/worklog.md", ".capsule"};
inline constexpr std::string_view kExcludedByDefault[] = {"*.tmp", "*.bak",  "*.swp",
                                                          "*~",    "*.orig", "*.rej"};

bool matches_pattern(std::string_view pattern, std::string_view path);

// By kAlwaysExcluded or one of the patterns.
bool is_excluded(std::string_view path, const std::vector<std::string>& patterns);

}  // namespace capsule::git
