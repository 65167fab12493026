// capsule contain: any command inside the walls that agents and gates get.
#include "base/files.h"
#include "base/print.h"
#include "cli/commands.h"
#include "contain/plan.h"
#include "contain/start.h"
#include "contain/without.h"
#include "ui/contain_text.h"
#include "world/project.h"
#include "world/wall_words.h"

namespace capsule::cli {
namespace {

constexpr Positional kContainPositionals[] = {{.name = "COMMAND",
                                               .help = "What to run, with its arguments",
                                               .required = false,
                                               .rest = true}};

constexpr Option kContainOptions[] = {
    {"preset", "NAME", "Which walls (not given: the configuration's)", "worktree|strict"},
    {"role", "NAME", "For whom", "writer|reviewer|gate", "writer"},
    {"net", "NAME", "The network: the machine's, a proxy to allowed hosts, or a loopback alone",
     "open|proxy|off"},
    {"allow", "HOST:PORT", "A host behind the proxy, *.DOMAIN:PORT all below it; may be repeated"},
    {"forward", "PORT", "A port of this machine's loopback that is there too; may be repeated"},
    {"read", "PATH", "One more file or folder to read; may be repeated"},
    {"write", "PATH", "One more file or folder to change; may be repeated"},
    {"scratch", "DIR", "A folder whose changes vanish, such as a cache; may be repeated"},
    {"mount", "PATH=SOURCE", "A file or folder to read that appears elsewhere; may be repeated"},
    {"home", "DIR", "A folder that is its home and stays; else the home is empty and vanishes"},
    {"layer", "DIR", "An empty folder that keeps what a reviewer or gate writes"},
    {"env", "NAME", "A variable that is handed over; may be repeated"},
    {"missing", "NAME", "Where the kernel lacks a protection: run nothing, or say what is open",
     "refuse|weaker"},
    {"explain", "", "Run nothing; say what the command could see and do, and what is open"},
};

std::vector<std::string> strings(const std::vector<std::string_view>& views) {
  return {views.begin(), views.end()};
}

world::WallWords wall_words_of(const Args& args) {
  const auto one = [&](std::string_view name) {
    return std::string(args.option(name).value_or(""));
  };
  const auto all = [&](std::string_view name) { return strings(args.every(name)); };
  return {.preset = one("preset"),
          .role = one("role"),
          .net = one("net"),
          .missing = one("missing"),
          .allow = all("allow"),
          .forward = all("forward"),
          .read = all("read"),
          .write = all("write"),
          .scratch = all("scratch"),
          .mount = all("mount"),
          .env = all("env"),
          .home = one("home"),
          .layer = one("layer")};
}

Result<int> explain(const contain::Policy& policy, const config::Config& config) {
  const auto planned = contain::plan(policy, contain::this_kernel());
  print(ui::contain_text(policy, planned ? &*planned : nullptr) +
        ui::contain_origins(config, policy.role));
  if (!planned) return tl::unexpected(planned.error());
  return 0;
}

Result<int> run_contained(const Args& args) {
  contain::fill_streams();
  const config::Config config =
      TRY(config::load(world::config_sources(world::project_folder("."))));
  contain::Policy policy = TRY(
      contain::make_policy(TRY(world::wish_of(config, wall_words_of(args), absolute_path(".")))));
  contain::leave_out(policy);
  if (args.flag("explain")) return explain(policy, config);
  if (args.rest(0).empty())
    return fail(Reason::usage, "missing argument COMMAND",
                "usage: capsule contain [options] -- COMMAND...");
  contain::Inside inside = TRY(contain::start(policy, strings(args.rest(0))));
  print_error(ui::gaps_text(policy, inside.report));
  const auto ending = contain::follow(inside);
  if (inside.gateway) print_error(ui::refusals_text(*inside.gateway));
  if (!ending) return tl::unexpected(ending.error());
  if (ending->excess)
    print_error("capsule: the command was ended: it " + contain::sentence_of(*ending->excess) +
                "\n");
  return contain::end_like(*ending);
}

}  // namespace

constexpr Command kContainCommand{
    .path = "contain",
    .summary = "Run any command inside the walls of a preset",
    .details =
        "The command sees the programs of the system, folders on PATH and the current "
        "folder, and nothing else of this machine: no home, no other process, no variable "
        "that is not named. It may change the current folder (as a writer) or a layer over "
        "it that vanishes (as a reviewer or gate). With --preset=strict, and for gates, it "
        "has no network but a loopback of its own; --allow puts a proxy on it that leads "
        "to single hosts, and --forward single ports of this machine. Hosts that were asked "
        "for in vain are listed at the end, with the line that would allow them. What "
        "'contain' in the configuration says holds here, too; options go before it.\n\n"
        "Exit code, signals and terminal are the command's own, and whatever it leaves "
        "running ends with it. What the kernel cannot enforce is refused before anything "
        "ran, unless --missing=weaker says that it may go without.\n\n"
        "Exit codes: those of the command; 125 nothing was run, 126 the command cannot be "
        "executed, 127 it is not there inside.",
    .positionals = kContainPositionals,
    .options = kContainOptions,
    .run = run_contained,
    .errors = Errors::beside,
    .examples =
        "  capsule contain --preset=strict -- npm test\n"
        "  capsule contain --role=reviewer --read=~/.rustup -- cargo test\n"
        "  capsule contain --preset=strict --allow=registry.example.com:443 -- npm ci\n"
        "  capsule contain --preset=strict --explain",
};

}  // namespace capsule::cli
