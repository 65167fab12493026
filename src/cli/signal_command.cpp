// capsule signal parse, capsule signal list, capsule signal format
#include <array>
#include <cstdio>

#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "command_line/input.h"
#include "ui/signal_text.h"

namespace capsule::cli {
namespace {

using signal::Row;

void put(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

Result<std::optional<std::string_view>> task_option(const Args& args) {
  const auto task = args.option("task");
  if (task && !signal::is_task_id(*task))
    return fail(Reason::usage, "'" + std::string(*task) + "' is not a task id",
                "valid: up to 100 letters, digits, '.', '_' and '-', the first a letter or a "
                "digit, without '..'");
  return task;
}

Result<int> run_parse(const Args& args) {
  const auto name = args.option("dialect");
  if (!name) return fail(Reason::usage, "--dialect is missing", "valid: contract, line, block");
  const auto task = TRY(task_option(args));
  auto input = TRY(command_line::Input::open(args.positional(0).value_or("-")));
  const std::string_view text = TRY(input.whole());
  const bool explain = args.flag("explain");
  switch (*signal::dialect_named(*name)) {
    case signal::Dialect::contract:
      return ui::contract_json(text, explain, put) ? 0 : 1;
    case signal::Dialect::line: {
      signal::LineOptions options{.task = task};
      if (const auto role = args.option("role")) options.role = signal::role_named(*role);
      return ui::line_json(text, options, explain, put) ? 0 : 1;
    }
    case signal::Dialect::block: {
      signal::BlockOptions options;
      if (const auto phase = args.option("phase")) options.phase = signal::phase_named(*phase);
      return ui::block_json(text, options, explain, put) ? 0 : 1;
    }
  }
  return 2;
}

constexpr std::array kSignalPositionals{
    Positional{"FILE", "The text to read; standard input if it is left out or '-'", false}};

constexpr std::array kSignalOptions{
    Option{"dialect", "DIALECT", "Which dialect to read", "contract|line|block"},
    Option{"role", "ROLE", "Who printed the text (line): another role's signal is unknown",
           "developer|critic|auditor|business-analyst|remediation|health-auditor|expert|"
           "plan-analyst"},
    Option{"task", "ID", "Which task it is about (line): another task's signal is unknown"},
    Option{"phase", "PHASE",
           "The phase it was printed in (block): a signal that it does not wait for is warned of",
           "expansion|init|planning|execution|qa|review|fix|check|reflect"},
    Option{"explain", "", "Also list every candidate, with its offset and why it was taken or not"},
};

Result<int> list_signals(const Args& args) {
  std::span<const Row> rows = signal::vocabulary();
  if (const auto name = args.option("dialect"))
    rows = signal::vocabulary(*signal::dialect_named(*name));
  print(args.flag("json") ? ui::signals_json(rows) : ui::signal_table(rows));
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
  const std::string_view task = TRY(task_option(args)).value_or("");
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

constexpr Command kSignalParseCommand{
    .path = "signal parse",
    .summary = "Find the signal in an agent's output",
    .details =
        "Prints one line of JSON. Exit code 0: a signal was recognised. 1: none was. 2: "
        "the call itself was wrong.\n\n"
        "Transcripts of agent clients (JSON lines) are decoded for the block dialect.",
    .positionals = kSignalPositionals,
    .options = kSignalOptions,
    .run = run_parse,
    .errors = Errors::two,
    .examples =
        "capsule signal parse --dialect=line --role=critic --task=task-1 output.txt\n"
        "claude -p 'plan it' | capsule signal parse --dialect=block --explain",
};

constexpr Command kSignalListCommand{
    .path = "signal list",
    .summary = "List every signal, who may send it and what follows",
    .details =
        "The priority decides in the line dialect when a text holds several signals: 1 "
        "comes first.",
    .options = kSignalListOptions,
    .run = list_signals,
    .examples = "capsule signal list --dialect=line\ncapsule signal list --json",
};

constexpr Command kSignalFormatCommand{
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

}  // namespace capsule::cli
