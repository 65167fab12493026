// capsule signal list, capsule signal format
#include <algorithm>
#include <array>
#include <cstdio>

#include "base/text.h"
#include "cli/commands.h"
#include "json/text.h"
#include "signal/vocabulary.h"

namespace capsule::cli {
namespace {

using signal::Dialect;
using signal::Row;

std::string as_json(const Row& row) {
  std::vector<std::string> senders = signal::senders_of(row);
  for (std::string& sender : senders) sender = json::quoted(sender);
  const bool ranked = row.priority != signal::Priority::none;
  return "{\"dialect\":" + json::quoted(signal::name_of(row.dialect)) +
         ",\"name\":" + json::quoted(row.name) + ",\"wire\":" + json::quoted(row.wire) +
         ",\"meaning\":" + json::quoted(row.meaning) + ",\"senders\":[" + joined(senders, ",") +
         "],\"handler\":" + json::quoted(row.handler) +
         ",\"priority\":" + (ranked ? std::to_string(static_cast<int>(row.priority) + 1) : "null") +
         ",\"class\":" + (ranked ? json::quoted(signal::name_of(row.priority)) : "null") + "}";
}

// One row of the table for people: the last column is as long as it likes.
using Columns = std::array<std::string, 6>;

Columns as_columns(const Row& row) {
  const std::vector<std::string> senders = signal::senders_of(row);
  std::string who = joined(senders);
  if (row.dialect == Dialect::line && senders.size() == signal::kRoleCount) who = "every role";
  if (row.dialect == Dialect::contract) who = "every phase of the pipeline";
  if (row.dialect == Dialect::block && senders.size() > 1) who = "every phase";
  if (senders.empty()) who = "-";
  std::string priority = "-";
  if (row.priority != signal::Priority::none)
    priority = std::to_string(static_cast<int>(row.priority) + 1) + " " +
               std::string(signal::name_of(row.priority));
  return {std::string(signal::name_of(row.dialect)),
          std::string(row.name),
          priority,
          std::string(row.handler),
          std::string(row.meaning),
          who};
}

void print_signals(std::span<const Row> rows) {
  std::vector<Columns> lines{{"DIALECT", "NAME", "PRIORITY", "HANDLER", "MEANING", "SENDERS"}};
  for (const Row& row : rows) lines.push_back(as_columns(row));
  std::array<std::size_t, std::tuple_size_v<Columns>> widths{};
  for (const Columns& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  std::string text;
  for (const Columns& line : lines) {
    for (std::size_t i = 0; i + 1 < line.size(); ++i) text += padded(line[i], widths[i] + 2);
    text += line.back() + "\n";
  }
  std::fputs(text.c_str(), stdout);
}

Result<int> list_signals(const Args& args) {
  std::span<const Row> rows = signal::vocabulary();
  if (const auto name = args.option("dialect"))
    rows = signal::vocabulary(*signal::dialect_named(*name));
  if (!args.flag("json")) {
    print_signals(rows);
    return 0;
  }
  std::string text = "[";
  for (const Row& row : rows) text += (text.size() > 1 ? ",\n " : "") + as_json(row);
  std::puts((text + "]").c_str());
  return 0;
}

Result<int> unknown_name(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Row& row : signal::vocabulary())
    if (!row.format.empty()) names.push_back(row.name);
  const std::string_view near = command_line::nearest(name, names);
  std::string hint = "valid:";
  if (near.empty())
    for (std::string_view known : names) hint += " " + std::string(known);
  else
    hint = "did you mean " + std::string(near) + "? 'capsule signal list' shows them all";
  return fail(Reason::usage, "unknown signal '" + std::string(name) + "'", hint);
}

Result<int> run_format(const Args& args) {
  const std::string_view name = *args.positional(0);
  const Row* row = signal::find_signal(name);
  if (row == nullptr || row->format.empty()) return unknown_name(name);
  const std::string_view task = args.option("task").value_or("");
  if (args.option("task") && !signal::is_task_id(task))
    return fail(Reason::usage, "'" + std::string(task) + "' is not a task id",
                "valid: up to 100 letters, digits, '.', '_' and '-', the first a letter or a "
                "digit, without '..'");
  std::optional<signal::Phase> phase;
  if (const auto wanted = args.option("phase")) phase = signal::phase_named(*wanted);
  const bool is_bound =
      row->kind == signal::BlockKind::completion || row->kind == signal::BlockKind::transition;
  if (phase && is_bound && *phase != row->phase)
    return fail(Reason::usage,
                std::string(row->name) + " does not belong to the phase " +
                    std::string(signal::name_of(*phase)),
                "valid: --phase=" + std::string(signal::name_of(row->phase)));
  std::fputs(signal::format_text(*row, task, phase).c_str(), stdout);
  return 0;
}

constexpr std::array kSignalListOptions{
    Option{"dialect", "DIALECT", "Only the signals of one dialect", "contract|line|block"},
    Option{"json", "", "Print a JSON list"},
};

constexpr std::array kFormatPositionals{
    Positional{"NAME", "The signal, as results or agents name it, in any case"}};

constexpr std::array kFormatOptions{
    Option{"task", "ID", "The task, where the format names one"},
    Option{"phase", "PHASE", "The phase, where the signal leaves it open",
           "expansion|init|planning|execution|qa|review|fix|check|reflect"},
};

}  // namespace

Command signal_list_command() {
  return {
      .path = "signal list",
      .summary = "List every signal, who may send it and what follows",
      .details =
          "The priority decides in the line dialect when a text holds several signals: 1 "
          "comes first.",
      .positionals = {},
      .options = kSignalListOptions,
      .run = list_signals,
      .examples = "capsule signal list --dialect=line\ncapsule signal list --json",
  };
}

Command signal_format_command() {
  return {
      .path = "signal format",
      .summary = "Print the exact text that an agent has to print",
      .details =
          "What the agent has to fill in stands between brackets. Prompts are made from "
          "these texts.",
      .positionals = kFormatPositionals,
      .options = kFormatOptions,
      .run = run_format,
      .examples =
          "capsule signal format ready_for_review --task=task-1\n"
          "capsule signal format 'FILE CONFLICT'\n"
          "capsule signal format PHASE_ERROR --phase=qa",
  };
}

}  // namespace capsule::cli
