// What an agent's client prints: text, or one of the streams of JSON events that clients know.
// Values.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace capsule::dialect {

enum class Output {
  text,
  claude_stream,
  codex_events,
  gemini_stream,
  opencode_events,
  goose_stream,
  qwen_stream,
  copilot_events,
  kimi_stream,
  grok_stream,
};
inline constexpr int kOutputs = 10;

std::string_view name_of(Output output);  // "claude-stream": its name in the configuration
std::optional<Output> output_named(std::string_view name);

}  // namespace capsule::dialect
