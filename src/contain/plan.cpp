#include "contain/plan.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "base/files.h"
#include "base/size.h"
#include "contain/abilities.h"
#include "contain/cgroup.h"
#include "contain/landlock.h"
#include "contain/network.h"
#include "contain/seccomp.h"
#include "contain/use.h"

namespace capsule::contain {
namespace {

Report report_on(const Policy& policy) {
  Report report;
  report.preset = policy.preset;
  report.role = policy.role;
  report.net = policy.net;
  report.broker = policy.broker.has_value();
  return report;
}

void add_limits(Report& report, const Policy& policy, const Kernel& kernel) {
  if (!kernel.counts) report.gaps.push_back(Gap::uncounted);
  if (policy.limits.cpu > 0 && !kernel.shares_processors) report.gaps.push_back(Gap::processors);
}

// Landlock and the filter alone: enough to keep an honest program in, and named for what it is not.
Result<Report> plan_without_namespaces(const Policy& policy, const Kernel& kernel) {
  Error error = *kernel.no_namespaces;
  if (policy.missing == Missing::refuse) return tl::unexpected(error);
  if (policy.preset == Preset::strict || kernel.landlock == 0) {
    error.message += policy.preset == Preset::strict ? "; strict does not go without"
                                                     : "; and there is no Landlock either";
    return tl::unexpected(error);
  }
  if (policy.net != Net::open && !doors_of(policy).empty()) {
    error.message += "; without them there is neither a proxy nor a forwarded port";
    return tl::unexpected(error);
  }
  Report report = report_on(policy);
  report.namespaces = false;
  report.own_group = !kernel.terminal;
  report.landlock = kernel.landlock;
  report.gaps = {Gap::no_namespaces, Gap::no_own_processes, Gap::git_settings};
  if (kernel.landlock < kLandlockScopes) report.gaps.push_back(Gap::no_signal_scope);
  add_limits(report, policy, kernel);
  if (policy.net != Net::open) report.gaps.push_back(Gap::no_loopback);
  const auto is_scratch = [](const Place& place) { return place.access == Access::scratch; };
  if (std::any_of(policy.places.begin(), policy.places.end(), is_scratch))
    report.gaps.push_back(Gap::no_scratch);
  const auto is_elsewhere = [&](const Place& place) {
    return !place.source.empty() && place.path != policy.home;
  };
  if (std::any_of(policy.places.begin(), policy.places.end(), is_elsewhere))
    report.gaps.push_back(Gap::no_elsewhere);
  return report;
}

}  // namespace

std::string_view sentence_of(Gap gap) {
  switch (gap) {
    case Gap::uncounted:
      return "what its processes use together is not limited: this kernel does not list the "
             "children of a process (CONFIG_PROC_CHILDREN)";
    case Gap::processors:
      return "its share of the processors (contain.cpu) is not held: no cgroup with the controller "
             "cpu is delegated; it only goes behind others (nice)";
    case Gap::abstract_sockets:
      return "abstract sockets of this machine can be reached: --net=off, or Landlock version 6, "
             "would part them";
    case Gap::process_group:
      return "processes that this terminal runs together with capsule can be sent signals: "
             "Landlock "
             "version 6 would part them";
    case Gap::no_landlock:
      return "there is no Landlock: one lock less behind the namespaces";
    case Gap::no_namespaces:
      return "there are no namespaces: other processes and the existence of files can be seen, and "
             "rights and times of the user's files be changed";
    case Gap::no_own_processes:
      return "what it leaves running can outlive a kill -9 of capsule";
    case Gap::no_signal_scope:
      return "processes of the user can be sent signals: Landlock version 6 would part them";
    case Gap::no_loopback:
      return "it has no loopback: tests with a server of their own fail";
    case Gap::no_scratch:
      return "what should be scratch can only be read";
    case Gap::no_elsewhere:
      return "what should appear elsewhere than it lies is missing: git in a linked worktree "
             "cannot "
             "commit";
    case Gap::git_settings:
      return "the folder's own .git can be changed: let nobody run git there afterwards";
  }
  return "";
}

std::string sentence_of(const Excess& excess) {
  if (excess.of == Excess::Of::processes)
    return "had more processes and threads at once than contain.processes allows: " +
           std::to_string(excess.limit);
  return "used more memory than contain.memory allows all of its processes together: " +
         size_words(excess.limit);
}

Result<Report> plan(const Policy& policy, const Kernel& kernel) {
  if (!kernel.seccomp)
    return fail(Reason::refused, "this kernel has no filter of system calls (seccomp)",
                "use a kernel with CONFIG_SECCOMP_FILTER; without it nothing is contained");
  if (kernel.no_namespaces) return plan_without_namespaces(policy, kernel);
  if (kernel.landlock == 0 && policy.missing == Missing::refuse)
    return fail(Reason::refused, "this kernel has no Landlock",
                "add landlock to lsm= on the kernel's command line (Linux 5.13), or go "
                "without it: --missing=weaker");
  Report report = report_on(policy);
  report.own_network = policy.net != Net::open && !policy.without.own_network;
  report.landlock = policy.without.landlock ? 0 : kernel.landlock;
  report.seccomp = !policy.without.seccomp;
  if (report.landlock == 0) report.gaps.push_back(Gap::no_landlock);
  if (!report.own_network && report.landlock < kLandlockScopes)
    report.gaps.push_back(Gap::abstract_sockets);
  report.own_group = !kernel.terminal;
  if (!report.own_group && report.landlock < kLandlockScopes)
    report.gaps.push_back(Gap::process_group);
  add_limits(report, policy, kernel);
  return report;
}

Kernel look_at_kernel(const Policy& policy) {
  const File terminal(::open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC));
  Kernel kernel{landlock_abi(), seccomp_available(), {}, can_count_processes(),
                false,          bool(terminal)};
  if (const auto given = policy.limits.cpu > 0 ? find_delegated() : std::nullopt)
    kernel.shares_processors = given->controllers.cpu;
  // Who does not go without, and who has found them, learns of it when he starts.
  if (policy.missing == Missing::weaker && !policy.namespaces_found)
    kernel.no_namespaces = try_namespaces();
  if (!kernel.no_namespaces) kernel.no_overlay = try_overlay();
  return kernel;
}

Kernel this_kernel() {
  Kernel kernel = look_at_kernel({});
  kernel.no_namespaces = try_namespaces();
  return kernel;
}

}  // namespace capsule::contain
