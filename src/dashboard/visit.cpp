#include "dashboard/visit.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "command_line/complete.h"
#include "process/fd.h"
#include "process/program.h"

namespace capsule::dashboard {
namespace {

// Editors that want a file and cannot be given a folder: they begin there with nothing.
constexpr std::string_view kWithoutFolder[] = {"nano", "pico", "ed", "joe", "jed", "mcedit"};

// As people write it in $EDITOR: a program, and perhaps options.
Result<std::vector<std::string>> editor_words(const std::vector<std::string>& env) {
  for (const char* name : {"VISUAL", "EDITOR"})
    if (const std::string_view value = trimmed(process::env_value(env, name)); !value.empty())
      return command_line::words_of_line(value);
  for (const char* program : {"vi", "nano"})
    if (process::find_program(program, process::env_value(env, "PATH"), AT_FDCWD))
      return std::vector<std::string>{program};
  return fail(Reason::missing_program, "there is no editor: set EDITOR to the one that you use");
}

}  // namespace

Result<Visiting> prepared(Visit visit, const std::string& folder) {
  Visiting visiting;
  auto at = process::open_folder(folder);
  if (!at) return fail(Reason::not_found, "its worktree is gone: " + printable(folder));
  visiting.folder = std::move(*at);
  process::Start& start = visiting.start;
  start.env = TRY(process::environment_elsewhere({{"PWD", folder}}));
  if (visit == Visit::shell) {
    const std::string_view shell = process::env_value(start.env, "SHELL");
    start.argv = {shell.empty() ? "sh" : std::string(shell)};
  } else {
    start.argv = TRY(editor_words(start.env));
    const std::string_view program = start.argv.front();
    const std::string_view name = program.substr(program.rfind('/') + 1);
    if (std::find(std::begin(kWithoutFolder), std::end(kWithoutFolder), name) ==
        std::end(kWithoutFolder))
      start.argv.emplace_back(".");
  }
  TRY_VOID(process::check_words(start.argv));
  start.file =
      TRY(process::find_program(start.argv[0], process::env_value(start.env, "PATH"), AT_FDCWD));
  return visiting;
}

std::string visited(const Visiting& visiting, Visit visit, const std::string& folder) {
  process::Start start = visiting.start;
  start.folder_fd = visiting.folder.fd();
  start.fds = {
      {STDIN_FILENO, STDIN_FILENO}, {STDOUT_FILENO, STDOUT_FILENO}, {STDERR_FILENO, STDERR_FILENO}};
  start.terminal = STDIN_FILENO;
  if (visit == Visit::shell)
    (void)write_all(STDOUT_FILENO,
                    "The worktree " + printable(folder) + ": exit brings the dashboard back.\n",
                    "the terminal");
  pid_t pid = 0;
  if (const int error = process::start_process(start, pid))
    return process::start_error(start.argv[0], error).message;
  int status = 0;
  process::wait_with_terminal(pid, STDIN_FILENO, status);
  if (visit == Visit::editor && WIFEXITED(status) && WEXITSTATUS(status) != 0)
    return printable(start.argv[0]) + " ended with code " + std::to_string(WEXITSTATUS(status));
  return {};
}

}  // namespace capsule::dashboard
