#include "cli/program.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/files.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/parse_signal_command.h"
#include "client/hook_stop.h"
#include "command_line/command.h"
#include "process/guardian.h"
#include "terminal/keeper.h"
#include "world/assets.h"
#include "world/journal.h"

namespace capsule::cli {
namespace {

// Texts about the program itself need no database.
bool only_asks(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    for (const std::string_view word : {"--help", "--version", "help", "version"})
      if (argv[i] == word && (i == 1 || word.starts_with("--"))) return true;
  return argc > 1 && std::string_view(argv[1]) == "generate";
}

}  // namespace

void begin(int argc, char** argv) {
  // The commands that scripts and clients call most must not pay for the others.
  if (argc == 2 && std::string_view(argv[1]) == "parse-signal") std::exit(parse_signal());
  if (argc == 3 && std::string_view(argv[1]) == "hook" && std::string_view(argv[2]) == "stop")
    std::exit(client::hook_stop(argv[0]));
  // Not for people: what stands between Capsule and an agent.
  if (argc > 1 && argv[1] == process::kGuardianCommand)
    std::_Exit(process::guardian_main(argc, argv));  // at once: there is nothing to flush
  // Nor this: what gives a terminal back when a dashboard was killed.
  if (argc == 2 && argv[1] == terminal::kKeeperCommand) std::_Exit(terminal::keeper_main());
}

int hand_over(int argc, char** argv) {
  const char* address = std::getenv(world::kJournalVariable);
  const bool named = address != nullptr && *address != '\0';
  const bool cluster = argc > 1 && std::string_view(argv[1]) == "cluster";
  if ((!named && !cluster) || only_asks(argc, argv)) return 0;
  std::error_code none;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", none);
  const std::string other = (self.parent_path() / world::kDatabaseProgram).string();
  ::execv(other.c_str(), argv);
  const Error error = errno == ENOENT
                          ? Error{Reason::missing_program,
                                  std::string(cluster ? "this command" : "the journal") +
                                      " needs a database, and the program that can use one, " +
                                      printable(other) + ", is not there",
                                  std::string("install capsule-cluster beside capsule") +
                                      (named ? ", or unset CAPSULE_JOURNAL: journals are then in "
                                               "the folders of their projects"
                                             : "")}
                          : io_error("start", other, errno);
  command_line::report(error);
  return 2;
}

int run_words(int argc, char** argv) {
  return command_line::run_program(commands(),
                                   {argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
}

}  // namespace capsule::cli
