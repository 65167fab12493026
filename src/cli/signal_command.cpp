// capsule signal parse
#include <array>
#include <cstdio>

#include "base/text.h"
#include "cli/commands.h"
#include "command_line/input.h"
#include "json/text.h"
#include "signal/block.h"
#include "signal/contract.h"
#include "signal/line.h"

namespace capsule::cli {
namespace {

void put(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

// The items of a JSON list or object, with commas between them.
class Listed {
 public:
  explicit Listed(std::string_view open) { put(open); }
  void item(const std::string& text) {
    if (!first_) put(",");
    first_ = false;
    put(text);
  }

 private:
  bool first_ = true;
};

std::string member(std::string_view key, std::string_view text) {
  return json::quoted(key) + ":" + json::quoted(text);
}

// The beginning of a candidate, whole letters only.
constexpr std::size_t kMaxShownBytes = 200;

void print_candidate(Listed& list, std::size_t offset, std::string_view text, bool taken,
                     std::string_view reason) {
  list.item("{\"offset\":" + std::to_string(offset) + "," +
            member("text", cut(text, kMaxShownBytes)) + "," +
            member("verdict", taken ? "taken" : "not taken") + "," + member("reason", reason) +
            "}");
}

void print_warnings(const std::vector<std::string>& warnings) {
  Listed list(",\"warnings\":[");
  for (const std::string& warning : warnings) list.item(json::quoted(warning));
  put("]");
}

int parse_contract(std::string_view text, bool explain) {
  const signal::ContractResult result = signal::parse_contract(text);
  std::string_view json = result.signal.json;
  if (explain) {
    json.remove_suffix(1);
    put(json);
    Listed list(",\"explain\":[");
    signal::explain_contract(text, [&](const signal::ContractNote& note) {
      print_candidate(list, note.begin, text.substr(note.begin, note.end - note.begin), note.taken,
                      note.why);
    });
    put("]}\n");
  } else {
    put(json);
    put("\n");
  }
  return result.fault == signal::ContractFault::none ? 0 : 1;
}

int parse_line(std::string_view text, const signal::LineOptions& options, bool explain) {
  const signal::LineResult result = signal::parse_line(text, options);
  put("{" + member("signal", signal::row(result.signal).name) +
      ",\"task_id\":" + (result.task_id ? json::quoted(*result.task_id) : "null") + ",");
  if (!result.more.empty()) {
    Listed more("\"more\":[");
    for (const signal::Extra& extra : result.more) more.item(json::quoted(extra.id));
    put("],");
  }
  put(member("handler", result.handler()));
  Listed fields(",\"fields\":{");
  for (const signal::Field& field : result.fields) fields.item(member(field.label, field.text));
  put("}");
  print_warnings(result.warnings);
  if (explain) {
    Listed list(",\"explain\":[");
    signal::explain_line(text, options, [&](const signal::LineCandidate& candidate) {
      print_candidate(list, candidate.offset, candidate.text, candidate.taken, candidate.reason);
    });
    put("]");
  }
  put("}\n");
  return result.why_unknown == signal::WhyUnknown::recognised ? 0 : 1;
}

int parse_block(std::string_view text, const signal::BlockOptions& options, bool explain) {
  const signal::BlockResult result = signal::parse_block(text, options);
  put("{\"signal\":" + (result.signal ? json::quoted(signal::row(*result.signal).name) : "null"));
  Listed fields(",\"fields\":{");
  for (const auto& [key, value] : result.fields) fields.item(member(key, value));
  put("}");
  print_warnings(result.warnings);
  if (explain) {
    Listed list(",\"explain\":[");
    signal::explain_block(text, [&](const signal::BlockCandidate& candidate) {
      print_candidate(list, candidate.offset, candidate.text, candidate.taken, candidate.reason);
    });
    put("]");
  }
  put("}\n");
  return result.signal ? 0 : 1;
}

Result<int> run_parse(const Args& args) {
  const auto name = args.option("dialect");
  if (!name) return fail(Reason::usage, "--dialect is missing", "valid: contract, line, block");
  const auto task = args.option("task");
  if (task && !signal::is_task_id(*task))
    return fail(Reason::usage, "'" + std::string(*task) + "' is not a task id",
                "valid: up to 100 letters, digits, '.', '_' and '-', the first a letter or a "
                "digit, without '..'");
  auto input = TRY(command_line::Input::open(args.positional(0).value_or("-")));
  const std::string_view text = TRY(input.whole());
  const bool explain = args.flag("explain");
  switch (*signal::dialect_named(*name)) {
    case signal::Dialect::contract:
      return parse_contract(text, explain);
    case signal::Dialect::line: {
      signal::LineOptions options{.task = task};
      if (const auto role = args.option("role")) options.role = signal::role_named(*role);
      return parse_line(text, options, explain);
    }
    case signal::Dialect::block: {
      signal::BlockOptions options;
      if (const auto phase = args.option("phase")) options.phase = signal::phase_named(*phase);
      return parse_block(text, options, explain);
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

}  // namespace

Command signal_parse_command() {
  return {
      .path = "signal parse",
      .summary = "Find the signal in an agent's output",
      .details =
          "Prints one line of JSON. Exit code 0: a signal was recognised. 1: none was. 2: the call "
          "itself was wrong.\n\n"
          "Transcripts of agent clients (JSON lines) are decoded for the block dialect.",
      .positionals = kSignalPositionals,
      .options = kSignalOptions,
      .run = run_parse,
      .errors = Errors::two,
      .examples =
          "capsule signal parse --dialect=line --role=critic --task=task-1 output.txt\n"
          "claude -p 'plan it' | capsule signal parse --dialect=block --explain",
  };
}

}  // namespace capsule::cli
