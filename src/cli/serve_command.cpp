// capsule serve: the web face, in the foreground.
#include <cstdlib>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "serve/foreground.h"
#include "world/assets.h"

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
  const world::Project project = TRY(open_project(args));
  TRY_VOID(serve::in_foreground(project, std::move(options), args.flag("open")));
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
