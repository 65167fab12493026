// What this machine offers for containment, asked of the kernel by trying.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace capsule::contain {

// Why new namespaces cannot be had, or nothing. A process is started in them, and ends at once.
std::optional<Error> try_namespaces();
// The same, found out once in this process: trying takes as long as putting walls up.
const std::optional<Error>& namespaces_missing();
// The same for a scratch layer; only where namespaces can be had.
std::optional<Error> try_overlay();
const std::optional<Error>& overlay_missing();  // once

// The kernel refused new namespaces with this error: why that may be, and what to do.
Error without_namespaces(int error_number);

// One a protection, for people who want to know before they rely on it.
struct Ability {
  std::string what;  // "user namespaces", …
  bool there = false;
  std::string text;
  std::string remedy = {};
};
std::vector<Ability> abilities();

}  // namespace capsule::contain
