// claude --output-format stream-json --verbose. qwen speaks nearly the same.
#include <algorithm>
#include <utility>

#include "dialect/ledger.h"

namespace capsule::dialect {
namespace {

event::TokenUse claude_usage(json::View usage) {
  event::TokenUse use;
  use.tokens_known = usage.is_object();
  use.input = token_count(usage["input_tokens"]);
  use.output = token_count(usage["output_tokens"]);
  use.cache_read = token_count(usage["cache_read_input_tokens"]);
  use.cache_written = token_count(usage["cache_creation_input_tokens"]);
  return use;
}

// Those of the cache are among the input.
event::TokenUse qwen_usage(json::View usage) {
  event::TokenUse use = claude_usage(usage);
  use.input = std::max<std::int64_t>(0, use.input - use.cache_read);
  return use;
}

// How the two count what was used.
struct Counting {
  event::TokenUse (*usage)(json::View usage);
  bool session_in_all;  // the closing event counts earlier runs of the session, too
};
constexpr Counting kClaude{claude_usage, false};
constexpr Counting kQwen{qwen_usage, true};

// Of all models together: helpers and sub-agents too.
event::TokenUse by_model(json::View models) {
  event::TokenUse use;
  bool all = true;  // have a cost
  for (const json::View model : models) {
    use.tokens_known = true;
    use.input += token_count(model["inputTokens"]);
    use.output += token_count(model["outputTokens"]);
    use.cache_read += token_count(model["cacheReadInputTokens"]);
    use.cache_written += token_count(model["cacheCreationInputTokens"]);
    const auto cost = money(model["costUSD"]);
    all &= cost.has_value();
    use.cost_micros += cost.value_or(0);
  }
  use.cost_known = use.tokens_known && all;
  return use;
}

std::string result_text(json::View content) {
  if (content.is_string()) return content.text();
  std::string text;
  for (const json::View block : content)
    if (block["type"].is("text")) text += block["text"].text();
  return text;
}

void read_blocks(json::View content, Ledger& ledger) {
  if (content.is_string()) return ledger.says(content.text());
  std::string text;
  for (const json::View block : content) {
    if (block["type"].is("text")) text += block["text"].text();
    if (block["type"].is("thinking")) ledger.thinks(block["thinking"].text());
    if (block["type"].is("tool_use")) {
      ledger.says(std::exchange(text, {}));
      ledger.tool_started(block["id"].text(), block["name"].text(), block["input"]);
    }
  }
  ledger.says(std::move(text));
}

void read_tool_results(json::View content, Ledger& ledger) {
  if (!content.is_array()) return;
  for (const json::View block : content)
    if (block["type"].is("tool_result"))
      ledger.tool_ended(block["tool_use_id"].text(), !block["is_error"].is_true(),
                        result_text(block["content"]));
}

// What a sub-agent says is none of the agent's own words.
bool of_sub_agent(json::View line) { return !line["parent_tool_use_id"].is_nothing(); }

void read_assistant(json::View line, const Counting& counting, Ledger& ledger) {
  const json::View message = line["message"];
  if (of_sub_agent(line)) {
    for (const json::View block : message["content"])
      if (block["type"].is("tool_use"))
        ledger.tool_started(block["id"].text(), block["name"].text(), block["input"]);
    return;
  }
  // The client's own words about a failure are no model's; `result` tells them again.
  if (message["model"].is("<synthetic>")) return;
  ledger.model(message["model"].text());
  ledger.answer(message["id"].text(), counting.usage(message["usage"]));
  read_blocks(message["content"], ledger);
}

void read_system(json::View line, Ledger& ledger) {
  const json::View subtype = line["subtype"];
  if (subtype.is("init")) {
    ledger.version(line["claude_code_version"].text());
    ledger.version(line["qwen_code_version"].text());
  } else if (subtype.is("api_retry") || subtype.is("retry")) {
    ledger.waits(small_count(line["error_status"]), line["retry_delay_ms"].integer(),
                 line["error"].text());
  } else if (subtype.is("compact_boundary")) {
    ledger.compacted();
  }
}

void read_failure(json::View line, Ledger& ledger) {
  std::string words = line["result"].text();
  if (words.empty()) words = line["error"]["message"].text();
  for (const json::View one : line["errors"])
    if (words.empty()) words = one.text();
  if (words.empty()) words = line["subtype"].text();
  ledger.failed(words, small_count(line["api_error_status"]),
                line["stop_reason"].is("refusal") ? "refusal" : line["terminal_reason"].text());
}

void count_result(json::View line, const Counting& counting, Ledger& ledger) {
  // Newer clients count a whole session, and tell apart what was used since the last result.
  const json::View since = line["model_usage_since_last_result"];
  event::TokenUse use = by_model(since.is_object() ? since : line["modelUsage"]);
  if (!use.tokens_known) use = counting.usage(line["usage"]);
  if (since.is_object()) {
    use.cost_known |= !by_model(since).tokens_known;  // nothing was used since
  } else if (line["total_cost_usd"].number()) {
    const auto cost = money(line["total_cost_usd"]);
    use.cost_known = cost.has_value();
    use.cost_micros = cost.value_or(0);
  }
  use.turns = small_count(line["num_turns"]);
  if (since.is_object())
    ledger.used_since(use);
  else
    ledger.used_in_all(use, counting.session_in_all);
}

// One of several, when the client was woken by what went on in the background: the last counts.
void read_result(json::View line, const Counting& counting, Ledger& ledger) {
  count_result(line, counting, ledger);
  if (line["is_error"].is_true() || line["stop_reason"].is("refusal")) {
    ledger.final_text({});
    read_failure(line, ledger);
  } else {
    ledger.recovered();
    ledger.final_text(line["result"].text());
  }
  ledger.closed();
}

// The service tells of its limits beside its answers; only one that refuses is told on.
void read_limit(json::View info, Ledger& ledger) {
  if (info["status"].is("rejected")) ledger.limit_resets(info["resetsAt"].integer());
}

bool read_event(json::View line, const Counting& counting, Ledger& ledger) {
  const json::View type = line["type"];
  if (type.is("system") && line["subtype"].is_string()) {
    read_system(line, ledger);
  } else if (type.is("assistant") && line["message"].is_object()) {
    read_assistant(line, counting, ledger);
  } else if (type.is("user") && line["message"].is_object()) {
    if (line["isReplay"].is_true()) ledger.delivered(line["uuid"].text());
    read_tool_results(line["message"]["content"], ledger);
  } else if (type.is("result") && line["subtype"].is_string()) {
    read_result(line, counting, ledger);
  } else if (type.is("rate_limit_event")) {
    read_limit(line["rate_limit_info"], ledger);
  } else {
    return false;
  }
  ledger.session(line["session_id"].text());
  return true;
}

}  // namespace

bool read_claude(json::View line, Ledger& ledger) { return read_event(line, kClaude, ledger); }
bool read_qwen(json::View line, Ledger& ledger) { return read_event(line, kQwen, ledger); }

}  // namespace capsule::dialect
