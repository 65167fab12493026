// What the walls around an agent cost when it starts, against a start without any.
#include <malloc.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "benchmarks/folder.h"
#include "benchmarks/rows.h"
#include "contain/places.h"
#include "contain/policy.h"
#include "contain/start.h"

extern char** environ;  // NOLINT: POSIX gives it no header

namespace capsule::bench {
namespace {

constexpr const char* kProgram = "/bin/true";
constexpr int kTurns = 400;

// A guardian is small, and what clone takes grows with the memory of its caller: what the rows
// before have left behind is given back.
void be_small() {
  static const int given_back = ::malloc_trim(0);
  (void)given_back;
}

void spawn() {
  be_small();
  std::string name = kProgram;
  char* words[] = {name.data(), nullptr};
  pid_t pid = -1;
  int status = -1;
  if (::posix_spawn(&pid, kProgram, nullptr, nullptr, words, environ) != 0 ||
      ::waitpid(pid, &status, 0) != pid || status != 0)
    std::abort();
}

// From what is wished to the end of the command and of its namespaces. What of /etc is hidden is
// looked for once, as for agents that start in the same moment.
void start_inside(contain::Net net, contain::Role role = contain::Role::writer) {
  be_small();
  static const Folder folder;
  static const std::vector<std::string> guarded = contain::guarded_settings();
  contain::Wish wish;
  wish.net = net;
  wish.role = role;
  if (net == contain::Net::proxy) wish.allow = {"api.example.com:443"};
  wish.folder = folder.path();
  wish.home = "/nonexistent";
  wish.search = "/usr/local/bin:/usr/bin:/bin";
  wish.guarded = guarded;
  const auto policy = contain::make_policy(wish);
  auto inside = policy ? contain::start(*policy, {kProgram}) : tl::unexpected(policy.error());
  const auto ending = inside ? contain::follow(*inside) : tl::unexpected(inside.error());
  if (ending && ending->exit_code == 0) return;
  std::fprintf(stderr, "no walls: %s\n", ending ? "it failed" : ending.error().message.c_str());
  std::abort();
}

const Rows kRows([] {
  add_comparison({"walls: start of a contained agent against posix_spawn", 5, kTurns,
                  [] { start_inside(contain::Net::open); }, spawn});
  // A network of its own alone takes the kernel as long as eight tenths of the yardstick.
  add_comparison({"walls: the same with a network of its own", 8, kTurns,
                  [] { start_inside(contain::Net::off); }, spawn});
  add_comparison({"walls: the same with a proxy on it", 8, kTurns,
                  [] { start_inside(contain::Net::proxy); }, spawn});
  add_comparison({"walls: the same in a layer that vanishes", 8, kTurns,
                  [] { start_inside(contain::Net::open, contain::Role::reviewer); }, spawn});
});

}  // namespace
}  // namespace capsule::bench
