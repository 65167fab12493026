// Who is below and above a process, as /proc tells. Every function may be called from any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string_view>

namespace capsule::process {

// Calls `visit` for every child of `parent`, zombies included, as soon as it is found. A child that
// appears or ends meanwhile may be missed or be gone. When the parent is the calling process, what
// is visited cannot be mistaken: only the caller reaps it, so its number is not given out again.
void for_each_child(pid_t parent, const std::function<void(pid_t)>& visit);

// Whether this process, which has one thread, has this child and no other, as far as one quick look
// can tell. False also where the kernel keeps no such list.
bool has_one_child(pid_t child);

// The parent of a process; 0 when there is no such process or none above it.
pid_t parent_of(pid_t pid);

// How a guardian calls itself: the first word of its command line.
inline constexpr std::string_view kGuardianName = "capsule-guardian";

// Whether the calling process runs below a guardian, so that an agent or a command of the project
// has started it, however often it was forked: orphans there become children of the guardian. It
// does not look at the environment, which an agent can change.
bool inside_agent_tree();
// The same of any process. False when it is gone.
bool inside_agent_tree(pid_t process);

// Whether the socket with this inode is held by a process below a guardian, or by nobody who can be
// seen to be outside. Requires: it is open now. A process of this user whose descriptors cannot be
// looked at counts as a holder, so that hiding them gains an agent nothing. One that is hidden
// behind walls does so only where nobody outside is seen to hold it; the process of ours between a
// guardian and what is inside of walls never does, though it is always hidden.
enum class SocketHolder { outside, agent, unknown };
SocketHolder holder_of_socket(std::uint64_t inode);

}  // namespace capsule::process
