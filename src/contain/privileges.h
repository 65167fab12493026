// What a process gives up before it runs somebody else's command. For the calling thread and its
// children, for ever.
#pragma once

#include "base/result.h"
#include "contain/policy.h"

namespace capsule::contain {

// This user, and nobody else, in a new user namespace.
Result<void> map_own_user(unsigned uid, unsigned gid);

// Brings the loopback of a new network namespace up.
Result<void> raise_loopback();

// All capabilities, also those that a program could bring back; and no_new_privs.
Result<void> drop_privileges();
// That alone. For drop_privileges, and for tests that leave the rest out.
Result<void> forbid_new_privileges();

// No core files, and at most so many processes.
Result<void> apply_limits(const Policy& policy);

// Who else wants a processor has it first.
Result<void> go_behind_others();

// What is left behind by children becomes a child of this process.
Result<void> adopt_orphans();

// Nobody may look into this process, not even one of the same user.
Result<void> become_undumpable();

// SIGKILL when the process that started this one is gone. Where that may have happened already, the
// caller has to look by himself.
Result<void> die_with_parent();

}  // namespace capsule::contain
