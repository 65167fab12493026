#include "dialect/output.h"

#include <algorithm>
#include <array>

#include "base/enum_count.h"

namespace capsule::dialect {
namespace {

constexpr auto kNames = std::to_array<std::string_view>(
    {"text", "claude-stream", "codex-events", "gemini-stream", "opencode-events", "goose-stream",
     "qwen-stream", "copilot-events", "kimi-stream", "grok-stream"});
static_assert(kNames.size() == enum_count<Output>() && kOutputs == enum_count<Output>());

}  // namespace

std::string_view name_of(Output output) { return kNames[static_cast<std::size_t>(output)]; }

std::optional<Output> output_named(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Output>(found - kNames.begin());
}

}  // namespace capsule::dialect
