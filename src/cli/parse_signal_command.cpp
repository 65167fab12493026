#include "cli/parse_signal_command.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/commands.h"
#include "command_line/input.h"
#include "signal/contract.h"

namespace capsule::cli {
namespace {

Result<void> print_line(std::string line) {
  line += '\n';
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t wrote = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0)
      return fail(Reason::io, std::string("cannot write to stdout: ") + std::strerror(errno));
    rest.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return {};
}

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
  TRY_VOID(print_line(std::move(result.signal.json)));
  return result.fault == signal::ContractFault::none ? 0 : 1;
}

}  // namespace

int parse_signal() {
  const Result<int> code = read_and_print();
  return code ? *code : report(code.error(), 2);
}

Command parse_signal_command() {
  return {.path = "parse-signal",
          .summary = "Print the signal of a phase's output",
          .details =
              "Reads the output of a phase from stdin and prints the last JSON object in it as one "
              "compact line, if it is a valid signal (exit 0). Otherwise prints an ERROR signal "
              "that says what is wrong (exit 1).",
          .positionals = {},
          .options = {},
          .run = [](const Args&) { return parse_signal(); },
          .examples = "claude -p \"$PROMPT\" | capsule parse-signal"};
}

}  // namespace capsule::cli
