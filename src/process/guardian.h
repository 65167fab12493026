// The process between Capsule and an agent. It is this same binary, started anew by Loop::start as
//   capsule-guardian guardian FILE ARGV...
// with the agent's stdin, stdout, stderr as 0, 1, 2 and one end of a channel as 3. It starts FILE
// with ARGV in a session of its own, becomes the parent of every orphan below it, and is gone only
// when the whole tree is: after the agent's exit, after a request to end it, or when the channel
// closes because Capsule died. It is single-threaded, keeps no output of the agent open, and does
// not react to signals that a terminal or the agent might send, SIGKILL and SIGSTOP excepted.
//
// An empty FILE: the agent gets walls, which are described by what can be read from 4. Its program
// is looked up inside of them. Between it and the guardian is the first process of its pid
// namespace: with that, or with the guardian, everything inside ends.
#pragma once

#include <string_view>

namespace capsule::process {

// The second word of the command line, by which main() recognises the call.
inline constexpr std::string_view kGuardianCommand = "guardian";

// Returns the exit code of the guardian, which nobody looks at. To be called first thing in main.
int guardian_main(int argc, char** argv);

}  // namespace capsule::process
