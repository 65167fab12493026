// capsule contain: any command inside the walls that agents and gates get.
#include "base/files.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "contain/plan.h"
#include "contain/start.h"
#include "contain/without.h"
#include "ui/contain_text.h"
#include "world/project.h"
#include "world/walls.h"

namespace capsule::cli {
namespace {

constexpr int kNotContained = 125;  // nothing ran
constexpr int kNotExecutable = 126;
constexpr int kNotThere = 127;

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

std::vector<contain::Mount> mounts_of(const Args& args) {
  std::vector<contain::Mount> mounts;
  for (const std::string_view given : args.every("mount")) {
    const std::size_t at = given.find('=');
    mounts.push_back({std::string(given.substr(0, at)),
                      at == given.npos ? "" : std::string(given.substr(at + 1))});
  }
  return mounts;
}

contain::Role role_of(const Args& args) {
  if (args.option("role") == "reviewer") return contain::Role::reviewer;
  return args.option("role") == "gate" ? contain::Role::gate : contain::Role::writer;
}

void append(std::vector<std::string>& to, const std::vector<std::string_view>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

Result<void> append_ports(std::vector<int>& to, const Args& args) {
  for (const std::string_view given : args.every("forward")) {
    const auto port = command_line::number_in(given, std::numeric_limits<int>::min());
    if (!port)
      return fail(Reason::usage, "--forward wants the number of a port, not " + printable(given));
    to.push_back(static_cast<int>(*port));
  }
  return {};
}

// What the configuration says here, and then what the options do.
Result<contain::Wish> wish_of(const Args& args, const config::Config& config) {
  contain::Wish wish = world::walls_of_command(config, role_of(args), absolute_path("."));
  if (const auto preset = args.option("preset"))
    wish.preset = *preset == "strict" ? contain::Preset::strict : contain::Preset::worktree;
  // Who allows a host wants a proxy to it.
  if (!args.every("allow").empty()) wish.net = contain::Net::proxy;
  for (const contain::Net net : {contain::Net::open, contain::Net::proxy, contain::Net::off})
    if (args.option("net") == name_of(net)) wish.net = net;
  append(wish.allow, args.every("allow"));
  TRY_VOID(append_ports(wish.forward, args));
  if (const auto missing = args.option("missing"))
    wish.missing = *missing == "weaker" ? contain::Missing::weaker : contain::Missing::refuse;
  append(wish.read, args.every("read"));
  append(wish.write, args.every("write"));
  append(wish.scratch, args.every("scratch"));
  append(wish.env, args.every("env"));
  wish.mounts = mounts_of(args);
  wish.private_home = args.option("home").value_or("");
  wish.layer = args.option("layer").value_or("");
  return wish;
}

int code_of(const Error& error) {
  report(error);
  if (error.reason == Reason::missing_program) return kNotThere;
  return error.reason == Reason::failed ? kNotExecutable : kNotContained;
}

int explain(const contain::Policy& policy, const config::Config& config) {
  const auto planned = contain::plan(policy, contain::this_kernel());
  print(ui::contain_text(policy, planned ? &*planned : nullptr) +
        ui::contain_origins(config, policy.role));
  return planned ? 0 : code_of(planned.error());
}

Result<int> run_contained(const Args& args) {
  contain::fill_streams();
  const auto config = config::load(world::config_sources(world::project_folder(".")));
  if (!config) return code_of(config.error());
  auto policy = contain::make_policy(TRY(wish_of(args, *config)));
  if (!policy) return code_of(policy.error());
  contain::leave_out(*policy);
  if (args.flag("explain")) return explain(*policy, *config);
  if (args.rest(0).empty())
    return fail(Reason::usage, "missing argument COMMAND",
                "usage: capsule contain [options] -- COMMAND...");
  auto inside = contain::start(*policy, strings(args.rest(0)));
  if (!inside) return code_of(inside.error());
  print_error(ui::gaps_text(*policy, inside->report));
  const auto ending = contain::follow(*inside);
  if (inside->gateway) print_error(ui::refusals_text(*inside->gateway));
  if (!ending) return code_of(ending.error());
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
    .examples =
        "  capsule contain --preset=strict -- npm test\n"
        "  capsule contain --role=reviewer --read=~/.rustup -- cargo test\n"
        "  capsule contain --preset=strict --allow=registry.example.com:443 -- npm ci\n"
        "  capsule contain --preset=strict --explain",
};

}  // namespace capsule::cli
