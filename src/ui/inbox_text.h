// What needs a person, for people and for programs. Pure. Texts of agents are made harmless.
#pragma once

#include <cstdint>
#include <string>

#include "json/value.h"
#include "ui/style.h"
#include "ui/view/view.h"

namespace capsule::ui {

// When somebody looked.
struct Looked {
  std::int64_t epoch_ms = 0;
  std::string utc;      // the same as the journal has it
  std::string clock;    // the same on the wall: "12:04:41"
  std::string options;  // " --project-dir=…" for commands to paste, or empty
};

// `capsule inbox`: the most urgent first, each with its reason, since when, and the commands that
// settle it. Nothing is said with the time.
std::string inbox_lines(const view::Project& project, const Looked& looked, const Style& style);
// {"looked_at":…,"runs":3,"items":[…]}
std::string inbox_json(const view::Project& project, const Looked& looked);
json::Value item_json(const view::Item& item, const std::string& options = {});

// "failed", "waits for approval": of a kind, for people.
std::string_view words_of(view::Attention kind);

}  // namespace capsule::ui
