// capsule serve: the web face, in the foreground.
#include <unistd.h>

#include <cstdlib>

#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "process/spawn.h"
#include "serve/browser.h"
#include "serve/site.h"
#include "world/interrupt.h"

namespace capsule::cli {
namespace {

constexpr Option kServeOptions[] = {
    kProjectDir,
    {"port", "N", "The port on 127.0.0.1; 0: any that is free", "", "0"},
    {"socket", "PATH", "Listen on a unix socket that only you can open, instead of a port"},
    {"open", "", "Open the page in your browser"},
    {"read-only", "", "Show everything, and take no answer and no other action"}};

Result<int> port_argument(const Args& args) {
  const std::string_view text = args.option("port").value_or("0");
  if (const auto port = command_line::number_in(text, 0, 65535)) return static_cast<int>(*port);
  return fail(Reason::usage, "--port: '" + printable(text) + "' is no port",
              "a number from 0 to 65535; 0 takes any that is free");
}

// The token stands in it, so it goes to the terminal, and to no file of ours.
void tell_address(const std::string& address, const std::string& socket) {
  if (socket.empty()) return print(address + "\n");
  print("http://localhost" + address + "\n(the page is on the socket " + printable(socket) +
        "; reach it with: curl --unix-socket, or ssh -L 8080:" + shell_word(socket) + ")\n");
}

Result<int> serve(const Args& args) {
  serve::SiteOptions options;
  options.address.port = TRY(port_argument(args));
  options.address.socket = args.option("socket").value_or("");
  options.read_only = args.flag("read-only");
  if (const char* folder = std::getenv("CAPSULE_WEB")) options.folder = folder;
  options.program = world::own_program();
  if (args.option("port") && !options.address.socket.empty())
    return fail(Reason::usage, "--port and --socket exclude each other");
  if (args.flag("open") && !options.address.socket.empty())
    return fail(Reason::usage, "--open needs a port: browsers open no sockets");
  const std::string socket = options.address.socket;
  const world::Project project = TRY(open_project(args));
  const auto loop = TRY(process::Loop::create());
  // What a person starts from the page goes on when it is ended.
  process::leave_orphans();
  const auto interrupt = TRY(world::Interrupt::create(*loop));
  const auto site = TRY(serve::Site::open(*loop, project, std::move(options)));
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
  if (args.flag("open")) serve::open_browser(*loop, address);
  loop->run_while([&] { return !interrupt->requested(); });
  if (typed) loop->unwatch(*typed);
  return 0;
}

}  // namespace

constexpr Command kServeCommand{
    .path = "serve",
    .summary = "Show runs in a web page, and answer there",
    .details =
        "Prints one address, which is good for one browser: inbox, boards, evidence, "
        "diffs, transcripts, timelines and costs, live. Listens on 127.0.0.1 only; for a "
        "phone or another machine use ssh -L. The page is a face: runs go on when it ends, "
        "and it shows those that other terminals started.\n\n"
        "Agents cannot use it: an action is refused when the program that asks runs below "
        "one of Capsule's agents. Ctrl-C ends it. Exit codes: 0 ended; 1 there is no "
        "project, or the port or socket is in use; 2 an error.",
    .options = kServeOptions,
    .run = serve,
    .examples = "  capsule serve\n  capsule serve --open\n  capsule serve --read-only --port=8080",
    .people_only = true,
};

}  // namespace capsule::cli
