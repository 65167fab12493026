#include "serve/foreground.h"

#include <unistd.h>

#include <optional>
#include <utility>

#include "base/print.h"
#include "base/text.h"
#include "process/spawn.h"
#include "serve/browser.h"
#include "world/interrupt.h"

namespace capsule::serve {
namespace {

// The token stands in it, so it goes to the terminal, and to no file of ours.
void tell_address(const std::string& address, const std::string& socket) {
  if (socket.empty()) return print(address + "\n");
  print("http://localhost" + address + "\n(the page is on the socket " + printable(socket) +
        "; reach it with: curl --unix-socket, or ssh -L 8080:" + shell_word(socket) + ")\n");
}

}  // namespace

Result<void> in_foreground(const world::Project& project, SiteOptions options, bool open) {
  const std::string socket = options.address.socket;
  const auto loop = TRY(process::Loop::create());
  // What a person starts from the page goes on when it is ended.
  process::leave_orphans();
  const auto interrupt = TRY(world::Interrupt::create(*loop));
  const auto site = TRY(Site::open(*loop, project, std::move(options)));
  const std::string address = site->new_address();
  tell_address(address, socket);
  std::optional<process::WatchId> typed;
  if (::isatty(STDIN_FILENO) == 1) {
    print(
        "Good for one browser; press Enter for another address. Ctrl-C ends the page, and no "
        "run.\n");
    typed = TRY(loop->watch(STDIN_FILENO, [&] {
      char bytes[256];
      if (::read(STDIN_FILENO, bytes, sizeof bytes) > 0)
        tell_address(site->new_address(), socket);
      else if (typed)
        loop->unwatch(*std::exchange(typed, std::nullopt));
    }));
  }
  if (open) open_browser(*loop, address);
  loop->run_while([&] { return !interrupt->requested(); });
  if (typed) loop->unwatch(*typed);
  return {};
}

}  // namespace capsule::serve
