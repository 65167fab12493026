// codex exec --json.
#include <algorithm>

#include "dialect/ledger.h"

namespace capsule::dialect {
namespace {

std::string_view codex_tool(json::View item) {
  const json::View type = item["type"];
  if (type.is("command_execution")) return "shell";
  if (type.is("file_change")) return "edit";
  if (type.is("mcp_tool_call")) return "mcp";
  if (type.is("web_search")) return "search";
  return {};
}

// Its arguments stand in the item itself; of changed files the first is named.
json::View codex_input(json::View item) {
  if (item["type"].is("file_change"))
    for (const json::View change : item["changes"]) return change;
  if (item["type"].is("mcp_tool_call")) return item["arguments"];
  return item;
}

// What it used is told only when all has gone well. That the model has answered is known before.
void note_answer(Ledger& ledger) {
  if (ledger.reading().use.turns == 0) ledger.one_turn();
}

void read_item(json::View line, json::View item, Ledger& ledger) {
  const bool completed = line["type"].is("item.completed");
  if (const std::string_view tool = codex_tool(item); !tool.empty()) {
    const std::string id = item["id"].text();
    note_answer(ledger);
    // Some are told only when they are over.
    if (!completed || item["type"].is("file_change")) {
      if (line["type"].is("item.updated")) return;
      ledger.tool_started(id, tool, codex_input(item));
    }
    if (completed)
      ledger.tool_ended(id, !item["status"].is("failed"), item["aggregated_output"].text());
    return;
  }
  if (!completed) return;
  if (item["type"].is("agent_message") || item["type"].is("reasoning")) note_answer(ledger);
  if (item["type"].is("agent_message")) ledger.says(item["text"].text());
  if (item["type"].is("reasoning")) ledger.thinks(item["text"].text());
}

// Of the whole thread so far; what was read from the cache is among the input.
event::TokenUse codex_usage(json::View usage) {
  event::TokenUse use;
  use.tokens_known = usage.is_object();
  use.cache_read = token_count(usage["cached_input_tokens"]);
  use.cache_written = token_count(usage["cache_write_input_tokens"]);
  use.input = std::max<std::int64_t>(0, token_count(usage["input_tokens"]) - use.cache_read);
  use.output = token_count(usage["output_tokens"]);
  return use;
}

bool is_notice(const std::string& words) {
  return words.starts_with("Reconnecting") || words.find("waiting for network") != words.npos;
}

}  // namespace

bool read_codex(json::View line, Ledger& ledger) {
  const json::View type = line["type"];
  if (type.is("thread.started")) {
    ledger.session(line["thread_id"].text());
  } else if (type.is("turn.started")) {
    ledger.new_message();
  } else if (type.is("turn.completed")) {
    ledger.reading().use.turns = 0;  // how many there were it does not tell
    ledger.used_in_all(codex_usage(line["usage"]), true);
    ledger.recovered();
    ledger.closed();
  } else if (type.is("turn.failed")) {
    ledger.failed(line["error"]["message"].text());
    ledger.closed();
  } else if (type.is("error") && line["message"].is_string()) {
    const std::string words = line["message"].text();
    if (is_notice(words)) {
      ledger.waits(0, 0, words);
    } else {
      ledger.failed(words);
    }
  } else if ((type.is("item.started") || type.is("item.updated") || type.is("item.completed")) &&
             line["item"].is_object()) {
    read_item(line, line["item"], ledger);
  } else {
    return false;
  }
  return true;
}

}  // namespace capsule::dialect
