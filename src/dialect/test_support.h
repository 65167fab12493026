// What the tests of dialects share: a stream as its lines, read whole or in pieces.
#pragma once

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "dialect/reader.h"

namespace capsule::dialect::testing {

// 2026-11-17 12:00:00 UTC, two hours ahead of it.
inline constexpr Moment kNow{1'794'916'800, 7200};

inline Reading read(Output output, const std::vector<std::string>& lines,
                    std::vector<Event>* events = nullptr) {
  Reader reader(output, kNow, [&](const Event& event) {
    if (events != nullptr) events->push_back(event);
  });
  for (const std::string& line : lines) reader.feed(line + "\n");
  return reader.finish();
}

// "tool_started Bash go test ./…", for what a live view would show.
inline std::vector<std::string> shown(const std::vector<Event>& events) {
  constexpr const char* kNames[] = {"session",   "model",        "version",    "text",
                                    "thinking",  "tool_started", "tool_ended", "waiting",
                                    "compacted", "tokens",       "failed",     "ended"};
  std::vector<std::string> lines;
  for (const Event& event : events) {
    if (event.kind == Event::Kind::tokens) continue;
    std::string line = kNames[static_cast<int>(event.kind)];
    for (const std::string& part : {event.tool, event.text})
      if (!part.empty()) line += " " + part;
    if (event.status != 0) line += " (" + std::to_string(event.status) + ")";
    if (!event.ok) line += " FAILED";
    lines.push_back(line);
  }
  return lines;
}

inline const std::string kSignal =
    R"({\"status\":\"PASS\",\"feedback\":\"\",\"files_changed\":[],\"summary\":\"s\"})";
inline const std::string kSaid =
    "Done.\n\n{\"status\":\"PASS\",\"feedback\":\"\",\"files_changed\":[],\"summary\":\"s\"}";

}  // namespace capsule::dialect::testing
