// capsule contain: any command inside the walls that agents and gates get.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/files.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "contain/abilities.h"
#include "contain/plan.h"
#include "contain/start.h"
#include "ui/contain_text.h"

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
    {"preset", "NAME", "Which walls", "worktree|strict", "worktree"},
    {"role", "NAME", "For whom", "writer|reviewer|gate", "writer"},
    {"net", "NAME", "The network: the machine's, or a loopback of its own", "open|off"},
    {"read", "PATH", "One more file or folder to read; may be repeated"},
    {"write", "PATH", "One more file or folder to change; may be repeated"},
    {"scratch", "DIR", "A folder whose changes vanish, such as a cache; may be repeated"},
    {"mount", "PATH=SOURCE", "A file or folder to read that appears elsewhere; may be repeated"},
    {"home", "DIR", "A folder that is its home and stays; else the home is empty and vanishes"},
    {"layer", "DIR", "An empty folder that keeps what a reviewer or gate writes"},
    {"env", "NAME", "A variable that is handed over; may be repeated"},
    {"missing", "NAME", "Where the kernel lacks a protection: run nothing, or say what is open",
     "refuse|weaker", "refuse"},
    {"explain", "", "Run nothing; say what the command could see and do, and what is open"},
};

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

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

contain::Wish wish_of(const Args& args) {
  contain::Wish wish;
  if (args.option("preset") == "strict") wish.preset = contain::Preset::strict;
  if (args.option("role") == "reviewer") wish.role = contain::Role::reviewer;
  if (args.option("role") == "gate") wish.role = contain::Role::gate;
  if (const auto net = args.option("net"))
    wish.net = *net == "open" ? contain::Net::open : contain::Net::off;
  if (args.option("missing") == "weaker") wish.missing = contain::Missing::weaker;
  wish.folder = absolute_path(".");
  wish.home = from_environment("HOME");
  wish.search = from_environment("PATH");
  wish.read = strings(args.every("read"));
  wish.write = strings(args.every("write"));
  wish.scratch = strings(args.every("scratch"));
  wish.mounts = mounts_of(args);
  wish.private_home = args.option("home").value_or("");
  wish.layer = args.option("layer").value_or("");
  wish.env = strings(args.every("env"));
  return wish;
}

// Tests leave out one protection after the other, and see that something then gets out.
contain::Without left_out() {
  contain::Without without;
#ifdef CAPSULE_TEST_HOOKS
  const std::string names = from_environment("CAPSULE_TEST_WITHOUT");
  const auto named = [&](std::string_view name) {
    const auto parts = split(names, ',');
    return std::find(parts.begin(), parts.end(), name) != parts.end();
  };
  without.landlock = named("landlock");
  without.seccomp = named("seccomp");
  without.undumpable = named("undumpable");
  without.proc_read_only = named("proc-read-only");
  without.made_up_environment = named("environment");
  without.closed_descriptors = named("descriptors");
#endif
  return without;
}

// As the command ended, so do we: who called us sees no difference.
int end_like(const contain::Ending& ending) {
  if (ending.term_signal == 0) return ending.exit_code;
  ::signal(ending.term_signal, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, ending.term_signal);
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
  ::raise(ending.term_signal);
  return 128 + ending.term_signal;
}

int code_of(const Error& error) {
  report(error);
  if (error.reason == Reason::missing_program) return kNotThere;
  return error.reason == Reason::failed ? kNotExecutable : kNotContained;
}

// A stream that the caller closed would be given to the next file that is opened.
void fill_streams() {
  int fd = 0;
  do fd = ::open("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) ::close(fd);
}

int explain(const contain::Policy& policy) {
  contain::Kernel kernel = contain::look_at_kernel(policy);
  if (!kernel.no_namespaces) kernel.no_namespaces = contain::try_namespaces();
  const auto planned = contain::plan(policy, kernel);
  print(ui::contain_text(policy, planned ? &*planned : nullptr));
  return planned ? 0 : code_of(planned.error());
}

// Who goes without something is told of it each time.
void tell_gaps(const contain::Policy& policy, const contain::Report& in_force) {
  if (policy.missing != contain::Missing::weaker) return;
  for (const contain::Gap gap : in_force.gaps)
    print_error("capsule: weaker: " + std::string(sentence_of(gap)) + "\n");
}

Result<int> run_contained(const Args& args) {
  fill_streams();
  auto policy = contain::make_policy(wish_of(args));
  if (!policy) return code_of(policy.error());
  policy->without = left_out();
  if (args.flag("explain")) return explain(*policy);
  if (args.rest(0).empty())
    return fail(Reason::usage, "missing argument COMMAND",
                "usage: capsule contain [options] -- COMMAND...");
  auto inside = contain::start(*policy, strings(args.rest(0)));
  if (!inside) return code_of(inside.error());
  tell_gaps(*policy, inside->report);
  const auto ending = contain::follow(*inside);
  if (!ending) return code_of(ending.error());
  return end_like(*ending);
}

}  // namespace

Command contain_command() {
  return {.path = "contain",
          .summary = "Run any command inside the walls of a preset",
          .details =
              "The command sees the programs of the system, folders on PATH and the current "
              "folder, and nothing else of this machine: no home, no other process, no variable "
              "that is not named. It may change the current folder (as a writer) or a layer over "
              "it that vanishes (as a reviewer or gate). With --preset=strict, and for gates, it "
              "has no network but a loopback of its own.\n\n"
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
              "  capsule contain --preset=strict --explain"};
}

}  // namespace capsule::cli
