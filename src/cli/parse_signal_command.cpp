#include "cli/parse_signal_command.h"

#include <unistd.h>

#include "base/files.h"
#include "cli/commands.h"
#include "command_line/input.h"
#include "signal/contract.h"

namespace capsule::cli {
namespace {

// Reads in pieces even where stdin could be mapped: a file may still be growing, or be cut short,
// while we read it, and copying is not what takes the time.
Result<int> read_and_print() {
  command_line::Input input = command_line::Input::standard_input();
  signal::ContractScanner scanner;
  for (;;) {
    const std::string_view chunk = TRY(input.next_chunk());
    if (chunk.empty()) break;
    scanner.feed(chunk);
  }
  signal::ContractResult result = scanner.finish();
  TRY_VOID(write_all(STDOUT_FILENO, result.signal.json + "\n", "stdout"));
  return result.fault == signal::ContractFault::none ? 0 : 1;
}

}  // namespace

int parse_signal() {
  const Result<int> code = read_and_print();
  if (code) return *code;
  report(code.error());
  return command_line::exit_code(code.error().reason, Errors::two);
}

constexpr Command kParseSignalCommand{
    .path = "parse-signal",
    .summary = "Print the signal of a phase's output",
    .details =
        "Reads the output of a phase from stdin and prints the last JSON object in it as "
        "one compact line, if it is a valid signal (exit 0). Otherwise prints an ERROR "
        "signal that says what is wrong (exit 1).",
    .run = [](const Args&) { return read_and_print(); },
    .errors = Errors::two,
    .examples = "claude -p \"$PROMPT\" | capsule parse-signal",
};

}  // namespace capsule::cli
