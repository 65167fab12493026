#include "serve/browser.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/print.h"
#include "process/program.h"
#include "process/spawn.h"

namespace capsule::serve {
namespace {

// What a browser needs to open it would be visible to every process of the user as an argument, the
// token with it: but it is used up as soon as the browser is there.
Result<pid_t> start_browser(const std::string& address) {
  process::Start start;
  start.argv = {"xdg-open", address};
  start.env = TRY(process::environment({}));
  start.file =
      TRY(process::find_program(start.argv[0], process::env_value(start.env, "PATH"), AT_FDCWD));
  const File nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    start.fds.emplace_back(nothing.fd(), fd);
  pid_t pid = 0;
  if (const int error = process::start_process(start, pid))
    return tl::unexpected(process::start_error(start.argv[0], error));
  return pid;
}

}  // namespace

void open_browser(process::Loop& loop, const std::string& address) {
  constexpr auto kFailsWithin = std::chrono::seconds(3);
  static constexpr const char* kWords = "No browser could be opened; open the address yourself.\n";
  const auto pid = start_browser(address);
  if (!pid) {
    print(kWords);
    return;
  }
  loop.after(kFailsWithin, [pid = *pid] {
    int status = 0;
    if (process::reap(pid, WNOHANG, status) && status != 0) print(kWords);
  });
}

}  // namespace capsule::serve
