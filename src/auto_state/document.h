// .caw/auto-state.json as text: schema version 2.0. A state that another tool wrote is read, and
// what we do not know in it is kept. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "json/object.h"
#include "workflow/auto/state.h"

namespace capsule::auto_state {

inline constexpr std::string_view kSchemaVersion = "2.0";

struct Document {
  json::Object json;
  auto_mode::State state;
};

// Members that are missing have their usual values. Error damaged: no JSON object, or a member
// that we need is of another kind. Error refused: another schema.
Result<Document> read_document(std::string_view text);

// The text of `state` over what `before` holds.
std::string write_document(const json::Object& before, const auto_mode::State& state);

}  // namespace capsule::auto_state
