#include "dialect/pieces.h"

#include <algorithm>
#include <array>

#include "json/view.h"

namespace capsule::dialect {
namespace {

// The members that lead to a value; "*" stands for every element of an array.
using Path = std::array<std::string_view, 4>;

struct PieceRow {
  Output output;
  std::string_view type;  // of the event
  Path text, id;
};
constexpr PieceRow kPieceRows[] = {
    // With --include-partial-messages, which is the user's to add.
    {Output::claude_stream, "stream_event", {"event", "delta", "text"}, {"event", "index"}},
    {Output::claude_stream, "stream_event", {"event", "delta", "thinking"}, {"event", "index"}},
    {Output::claude_stream, "stream_event", {"event", "delta", "partial_json"}, {"event", "index"}},
    {Output::qwen_stream, "stream_event", {"event", "delta", "text"}, {"event", "index"}},
    {Output::qwen_stream, "stream_event", {"event", "delta", "thinking"}, {"event", "index"}},
    {Output::qwen_stream, "stream_event", {"event", "delta", "partial_json"}, {"event", "index"}},
    {Output::gemini_stream, "message", {"content"}, {"role"}},
    {Output::opencode_events, "text", {"part", "text"}, {"part", "messageID"}},
    {Output::goose_stream, "message", {"message", "content", "*", "text"}, {"message", "id"}},
    {Output::goose_stream, "message", {"message", "content", "*", "thinking"}, {"message", "id"}},
    {Output::copilot_events,
     "assistant.message_delta",
     {"data", "deltaContent"},
     {"data", "messageId"}},
    {Output::copilot_events,
     "assistant.reasoning_delta",
     {"data", "deltaContent"},
     {"data", "reasoningId"}},
    {Output::copilot_events,
     "assistant.tool_call_delta",
     {"data", "inputDelta"},
     {"data", "toolCallId"}},
    {Output::copilot_events, "tool.shell_output", {"data", "text"}, {"data", "toolCallId"}},
    {Output::grok_stream, "text", {"data"}, {}},
    {Output::grok_stream, "thought", {"data"}, {}},
    {Output::grok_stream, "tool_call_update", {"rawOutput", "output"}, {"toolCallId"}},
};

void follow(json::View from, const Path& path, std::size_t step, std::vector<json::View>& found) {
  if (step == path.size() || path[step].empty()) {
    if (from.is_string() || from.is_array()) found.push_back(from);
  } else if (path[step] == "*") {
    if (from.is_array())
      for (const json::View element : from) follow(element, path, step + 1, found);
  } else {
    follow(from[path[step]], path, step + 1, found);
  }
}

// An id may be a number.
std::string_view id_at(json::View from, const Path& path) {
  for (const std::string_view key : path)
    if (!key.empty()) from = from[key];
  return from.is_object() ? std::string_view() : from.raw();
}

}  // namespace

bool tells_pieces(Output output) {
  return std::any_of(std::begin(kPieceRows), std::end(kPieceRows),
                     [&](const PieceRow& row) { return row.output == output; });
}

std::vector<Piece> pieces_of(Output output, std::string_view line) {
  std::vector<Piece> pieces;
  std::optional<json::View> event;
  for (const PieceRow& row : kPieceRows) {
    // Most lines are told apart without being read.
    if (row.output != output || line.find(row.type) == line.npos) continue;
    if (!event) event = json::View::of_object(line);
    if (!event) return {};
    if (!(*event)["type"].is(row.type)) continue;
    std::vector<json::View> found;
    follow(*event, row.text, 0, found);
    for (const json::View value : found)
      pieces.push_back(
          {std::to_string(&row - kPieceRows) + " " + std::string(id_at(*event, row.id)),
           value.raw()});
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.value.data() < b.value.data(); });
  return pieces;
}

}  // namespace capsule::dialect
