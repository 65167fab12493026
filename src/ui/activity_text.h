// What an agent does now, in words and as JSON. Pure. The texts of agents are harmless already.
#pragma once

#include <cstdint>
#include <string>

#include "dialect/activity.h"
#include "json/value.h"
#include "ui/style.h"

namespace capsule::ui {

// "Bash go test ./…", "thinking: …", "waits for the API (529 overloaded)", "waits for the model".
std::string activity_words(const dialect::Activity& activity);
// The same with the time that it takes already: "Bash go test ./…  12s". Fitted; the time is not
// cut off. In its place the agent's words, where it said them just now and they are not shown
// elsewhere.
enum class Said { here, elsewhere };
std::string activity_line(const dialect::Activity& activity, std::int64_t now_ms,
                          std::size_t columns, Said said = Said::here);

// "21.4k tokens", without what came from a cache; empty: not known.
std::string tokens_words(const event::TokenUse& use);
// "12s", "3m 05s"; empty: less than a second.
std::string elapsed(std::int64_t milliseconds);

struct WhichAgent {
  int number = 0;
  std::string task = {}, role = {};
  int attempt = 1;
};

// what, tool, detail, status, retry_ms, said, model, tokens, turns; what does not apply is null.
json::Value activity_json(const dialect::Activity& activity);

}  // namespace capsule::ui
