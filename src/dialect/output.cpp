#include "dialect/output.h"

#include <algorithm>
#include <array>

namespace capsule::dialect {
namespace {

constexpr std::array<std::string_view, kOutputs> kNames{
    "text",         "claude-stream", "codex-events",   "gemini-stream", "opencode-events",
    "goose-stream", "qwen-stream",   "copilot-events", "kimi-stream",   "grok-stream"};

}  // namespace

std::string_view name_of(Output output) { return kNames[static_cast<std::size_t>(output)]; }

std::optional<Output> output_named(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Output>(found - kNames.begin());
}

}  // namespace capsule::dialect
