#include "store/identity.h"

#include <unistd.h>

#include <charconv>
#include <climits>

#include "base/files.h"
#include "base/text.h"

namespace capsule::store {
namespace {

constexpr std::size_t kMaxProcBytes = 4096;

struct Stat {
  char state = 'X';
  std::uint64_t start_time = 0;
};

// The name in the second field may hold blanks and parentheses: the fields are counted from its
// end.
Stat read_stat(const std::string& pid) {
  const auto text = read_file("/proc/" + pid + "/stat", kMaxProcBytes);
  if (!text) return {};
  const std::size_t name_end = text->rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= text->size()) return {};
  const auto fields = split(std::string_view(*text).substr(name_end + 2), ' ');
  constexpr std::size_t kStartTime = 19;  // the 22nd field of the whole line
  if (fields.size() <= kStartTime || fields[0].empty()) return {};
  Stat stat;
  stat.state = fields[0].front();
  const std::string_view number = fields[kStartTime];
  std::from_chars(number.data(), number.data() + number.size(), stat.start_time);
  return stat;
}

std::string word_in(const char* path) {
  const auto text = read_file(path, kMaxProcBytes);
  return text ? std::string(trimmed(*text)) : std::string();
}
std::string boot_id() { return word_in("/proc/sys/kernel/random/boot_id"); }
std::string machine_id() { return word_in("/etc/machine-id"); }

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = {};
  return ::gethostname(name, HOST_NAME_MAX) == 0 ? name : "localhost";
}

}  // namespace

engine::ProcessIdentity this_process() {
  return {::getpid(), read_stat("self").start_time, boot_id(), machine_id(), host_name()};
}

Life life_of(const engine::ProcessIdentity& process) {
  const bool same_host = process.host == host_name();
  if (process.boot_id != boot_id()) {
    // A machine may have got another name since, so its number is asked first.
    const std::string machine = machine_id();
    const bool numbered = !machine.empty() && !process.machine.empty();
    return (numbered ? process.machine == machine : same_host) ? Life::dead : Life::unknown;
  }
  if (!same_host) return Life::unknown;  // a container of this machine: its pids are not ours
  const Stat stat = read_stat(std::to_string(process.pid));
  if (stat.state == 'X' || stat.state == 'Z') return Life::dead;
  return stat.start_time == process.start_time ? Life::alive : Life::dead;
}

}  // namespace capsule::store
