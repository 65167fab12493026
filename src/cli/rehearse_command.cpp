// capsule rehearse: the rehearsal agent, started by Capsule as any other agent is.
#include "agent/rehearsal/rehearsal.h"
#include "cli/commands.h"

namespace capsule::cli {
namespace {

constexpr Positional kRehearsePositionals[] = {
    {"CASSETTE", "The file to play, or builtin:NAME"},
    {"PROMPT", "The prompt; read from stdin when it is left out", false}};

Result<int> rehearse(const Args& args) {
  return agent::rehearsal::rehearsal_main(std::string(*args.positional(0)), args.positional(1));
}

}  // namespace

constexpr Command kRehearseCommand{
    .path = "rehearse",
    .summary = "Play a cassette as an agent would",
    .positionals = kRehearsePositionals,
    .run = rehearse,
    .hidden = true,
};

}  // namespace capsule::cli
