// Limits that the kernel holds for all processes of a command together: a cgroup of version 2 for
// each, below one that was delegated to this user (systemd-run --user --scope -p Delegate=yes, or
// Delegate= of a service). Nothing is done elsewhere: a cgroup that is not delegated is its
// manager's alone. Where there is none, use.h looks.
//
// In a delegated cgroup processes may only be in leaves where its children are to have limits. So
// whoever is there, this process and its callers, is moved into one first.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "contain/policy.h"
#include "contain/report.h"

namespace capsule::contain {

// ---- Pure

// What /proc/self/cgroup says of version 2: "/user.slice/x.scope"; empty: nothing.
std::string own_cgroup_in(std::string_view self_cgroup);
// Where /proc/self/mountinfo has the whole of it; empty: nowhere.
std::string cgroup_mount_in(std::string_view mountinfo);

struct Controllers {
  bool memory = false, pids = false, cpu = false;
  bool operator==(const Controllers&) const = default;
};
Controllers controllers_in(std::string_view names);  // "cpuset cpu io memory pids"

struct Setting {
  enum class Needed { yes, no };  // no: a kernel without it has nothing that it would limit
  std::string file, value;
  Needed needed = Needed::yes;
  bool operator==(const Setting&) const = default;
};
// Of a new cgroup, in this order, before anybody is in it.
std::vector<Setting> settings_for(const Limits& limits, const Controllers& controllers);

// ---- Not pure

// A cgroup that may have children with limits.
struct Delegated {
  std::string folder;
  Controllers controllers;
};
// The one that this process is in; nullopt: it is not delegated. `is_delegated` says of a folder
// whether its manager gave it away.
using IsDelegated = std::function<bool(const std::string& folder)>;
std::optional<Delegated> find_delegated(const std::string& mount, const std::string& own,
                                        const IsDelegated& is_delegated);
// Of this machine.
std::optional<Delegated> find_delegated();
// So that its children can have limits.
Result<void> make_ready(const Delegated& delegated);

// One for a command. Whatever is in it ends with it.
class Cgroup {
 public:
  // Requires: make_ready(). Removes what an earlier process that was killed has left there, too.
  static Result<Cgroup> make(const Delegated& below, const Limits& limits);
  Cgroup(Cgroup&& other) noexcept;
  Cgroup& operator=(Cgroup&&) = delete;
  ~Cgroup();

  // To clone into.
  int fd() const { return file_.fd(); }
  const std::string& folder() const { return folder_; }
  // Why the kernel ended it; nullopt: it did not.
  std::optional<Excess> excess() const;

 private:
  Cgroup(std::string folder, File file, const Limits& limits)
      : folder_(std::move(folder)), file_(std::move(file)), limits_(limits) {}
  std::string folder_;
  File file_;
  Limits limits_;
};

}  // namespace capsule::contain
