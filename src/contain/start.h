// Starts a command inside the walls of a policy, and follows it to its end. To be called by a
// process with one thread: what runs between clone and exec uses memory as any code does.
//
// The process between is the first one of a pid namespace: it reaps what is left to it, and when it
// ends, or whoever started it, everything inside ends with it. Mounts go with the last process.
// Where namespaces are lacking and the policy goes without, the report says so.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "contain/cgroup.h"
#include "contain/net/gateway.h"
#include "contain/policy.h"
#include "contain/report.h"
#include "contain/use.h"

namespace capsule::contain {

// How the command ended.
struct Ending {
  int exit_code = -1;                 // -1: by a signal
  int term_signal = 0;                // 0: it exited
  std::optional<Excess> excess = {};  // what it was ended for
};

// A command that runs.
struct Inside {
  pid_t first = -1;    // the process between, by its number outside: whoever started it reaps it
  pid_t command = -1;  // the command itself, by its number outside
  File channel;        // to the process between
  Report report;
  // Where it has a network with doors: to be worked by whoever waits for the command (follow does).
  std::unique_ptr<Gateway> gateway = {};
  // Where one could be made: it holds limits for all processes together.
  std::unique_ptr<Cgroup> cgroup = {};
  Controllers holds = {};
  // Where a limit is set that the kernel does not hold for all processes together: to be asked by
  // whoever waits for the command (follow does).
  std::unique_ptr<UseWatch> use = {};
  std::string private_folder = {};  // without namespaces; gone with clear()
};

// The command's signal mask.
enum class Signals { as_here, none_blocked };

// Returns when the command runs. Errors, and nothing of the command ran: refused (what the kernel
// lacks or forbids, with the remedy), missing_program (it is not there inside), failed (it cannot
// be executed), usage, io. Afterwards signals are blocked here that are to be passed on.
Result<Inside> start(const Policy& policy, const std::vector<std::string>& argv,
                     Signals signals = Signals::as_here);

// Waits for its end. Signals that are sent to this process meanwhile are passed on; those of the
// terminal reach the command without us.
Result<Ending> follow(Inside& inside);

// Until gateway or watch want to be looked after, for poll(2); -1: neither does.
int timeout_of(const Inside& inside);

// For who has more to wait for than this command, and reaps `first` himself. A signal for
// everything inside; nobody waits until it has arrived.
void signal_all(const Inside& inside, int number);
// How the command ended, once `first` has; none: that was killed, and all inside with it.
std::optional<Ending> ending_of(const Inside& inside);
// What the kernel ended it for, by its cgroup; asked once `first` has ended.
std::optional<Excess> excess_of(const Inside& inside);
// What its gateway refused so far.
Refusals refusals_of(const Inside& inside);
// Removes what was made for the command, and ends whatever is left in its cgroup.
void clear(Inside& inside);

// For a program that stands in the command's place, so that who called it sees no difference. A
// stream that was closed would be given to the next file that is opened: those are /dev/null now.
void fill_streams();
// Ends by the same signal as the command, or returns its exit code.
int end_like(const Ending& ending);

}  // namespace capsule::contain
