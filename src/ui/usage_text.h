// What agents used, in words and for programs: one wording for all faces. What no client told is
// said to be unknown, and never shown as 0. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "event/common.h"
#include "json/value.h"
#include "workflow/summary.h"

namespace capsule::ui {

// "5.02", "0.0042": an amount in millionths, in the currency that clients and prices are in.
std::string money_text(std::int64_t micros);
// "812", "38.4k", "1.2M": for a line; tables have all digits.
std::string short_count(std::int64_t count);

// "1.27", "1.27+" when some calls told none, "unknown" when none did. For cells of tables.
std::string cost_cell(const workflow::Usage& usage);
// The same of one of the counts of tokens.
std::string token_cell(const workflow::Usage& usage, std::int64_t count);

// How many requests there were to the model; some clients that tell tokens do not tell that.
std::string turns_cell(const workflow::Usage& usage);
// How often conversations were shortened.
std::string compactions_cell(const workflow::Usage& usage);
// The same of what was read from a cache and what was put there; some clients tell nothing of
// either, and some not of the latter.
std::string cache_read_cell(const workflow::Usage& usage);
std::string cache_written_cell(const workflow::Usage& usage);
// A number that clients may tell nothing of: null, when it is 0 because none did.
json::Value told_json(std::int64_t count, bool untold);

// "cost 1.27; 1.2M tokens in, 38.4k out, 980k from a cache, 44k into it; 12 turns; the cost of 3
// calls is unknown". Empty: no agent was called, or none of its calls is recorded.
std::string usage_words(const workflow::Usage& usage);
// "cost 1.27", "cost at least 1.27", "38.4k tokens, cost unknown"; empty as above, and when neither
// is known.
std::string short_usage(const workflow::Usage& usage);
// Of one agent: "0.12, 38.4k tokens"; empty when it told neither.
std::string agent_use_words(const event::TokenUse& use);
// "3 calls told no cost, 2 no tokens"; empty: all is known.
std::string unknown_words(const workflow::Usage& usage);

// {"agent_runs":…,"calls":…,"tokens":{…}|null,"cost_micros":…|null,…}: null where nobody told it;
// calls_without_… say how many calls a sum leaves out.
json::Value usage_json(const workflow::Usage& usage);
// {"input":…,…}, or null when the tokens are not known.
json::Value tokens_json(const event::TokenUse& use, bool known);

}  // namespace capsule::ui
