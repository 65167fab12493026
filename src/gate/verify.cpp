#include "gate/verify.h"

#include "base/text.h"
#include "gate/check_parts.h"

namespace capsule::gate {
namespace {

constexpr std::size_t kTailBytes = 6000;
constexpr std::size_t kKeptBytes = std::size_t{16} * 1024 * 1024;

Ending ending_of(const process::Output& output) {
  if (output.timed_out) return Ending::timed_out;
  if (output.term_signal != 0) return Ending::ended_badly;
  if (output.exit_code == 0) return Ending::passed;
  // A shell says 126 and 127 for what it cannot run, and 128 + n for what a signal ended.
  if (output.exit_code == 126 || output.exit_code == 127) return Ending::not_run;
  if (output.exit_code > 128 && output.exit_code <= 128 + 64) return Ending::ended_badly;
  return Ending::failed;
}

}  // namespace

std::string spelled(const Command& command) {
  if (!command.shell.empty()) return command.shell;
  std::string text;
  for (const std::string& word : command.argv) text += (text.empty() ? "" : " ") + word;
  return text;
}

process::Spec spec_of(const Command& command, const Verify& verify, const std::string& folder) {
  process::Spec spec;
  spec.argv = command.shell.empty() ? command.argv
                                    : std::vector<std::string>{"/bin/sh", "-c", command.shell};
  spec.cwd = verify.dir.empty() ? folder : folder + "/" + verify.dir;
  spec.max_out_bytes = spec.max_err_bytes = kKeptBytes;
  spec.deadline = process::Clock::now() + verify.timeout;
  return spec;
}

void complete(Verdict& verdict, const process::Output& output) {
  verdict.ending = ending_of(output);
  verdict.exit_code = output.exit_code;
  // What matters stands at the end, and what stands on stderr matters more.
  const std::string err = useful_end(output.err, kTailBytes / 2);
  verdict.tail = useful_end(output.out, kTailBytes - err.size());
  if (!err.empty()) verdict.tail += (verdict.tail.empty() ? "" : "\n") + err;
}

std::string useful_end(std::string_view text, std::size_t bytes) {
  text = trimmed(text);
  if (text.size() <= bytes) return std::string(text);
  text.remove_prefix(text.size() - bytes);
  const std::size_t line = text.find('\n');
  if (line != text.npos && line < bytes / 2) text.remove_prefix(line + 1);
  return "[…]\n" + std::string(text);
}

std::string describe(const Verdict& verdict) {
  switch (verdict.ending) {
    case Ending::passed:
      return "passed";
    case Ending::failed:
      return "exit status " + std::to_string(verdict.exit_code);
    case Ending::not_run:
      return "could not run (exit status " + std::to_string(verdict.exit_code) + ")";
    case Ending::ended_badly:
      return "was ended by a signal";
    case Ending::timed_out:
      break;
  }
  return "timed out";
}

Result<Verdict> run_check(process::Loop& loop, const Command& command, const Verify& verify,
                          const std::string& folder) {
  const process::Spec spec = spec_of(command, verify, folder);
  Verdict verdict;
  verdict.command = spelled(command);
  const auto output = process::run_tree(loop, spec);
  if (!output) {
    const Reason reason = output.error().reason;
    if (reason != Reason::missing_program && reason != Reason::refused)
      return tl::unexpected(output.error());
    verdict.ending = Ending::not_run;
    verdict.exit_code = reason == Reason::missing_program ? 127 : 126;
    verdict.tail = output.error().message;
    return verdict;
  }
  complete(verdict, *output);
  return verdict;
}

std::string_view name_of(Kind kind) {
  constexpr std::string_view kNames[] = {"build", "lint", "test"};
  return kNames[static_cast<int>(kind)];
}

Result<std::vector<Verdict>> run_each_check(process::Loop& loop, const Verify& verify,
                                            const std::string& folder) {
  std::vector<Verdict> verdicts;
  for (const auto& [kind, command] : {std::pair(Kind::build, &verify.build),
                                      {Kind::lint, &verify.lint},
                                      {Kind::test, &verify.test}}) {
    if (command->empty()) continue;
    verdicts.push_back(TRY(run_check(loop, *command, verify, folder)));
    verdicts.back().kind = kind;
    if (kind == Kind::build && verdicts.back().ending != Ending::passed) break;
  }
  return verdicts;
}

Result<Verdict> run_all_checks(process::Loop& loop, const Verify& verify,
                               const std::string& folder) {
  Verdict last;
  for (const Command* command : {&verify.build, &verify.lint, &verify.test}) {
    if (command->empty()) continue;
    last = TRY(run_check(loop, *command, verify, folder));
    if (last.ending != Ending::passed) break;
  }
  return last;
}

}  // namespace capsule::gate
