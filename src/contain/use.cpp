#include "contain/use.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <set>

#include "base/text.h"

namespace capsule::contain {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMaxText = 8192;
constexpr milliseconds kSoonest{20}, kLatest{500};
// Faster than memory is taken in practice: pages have to be filled with zeroes.
constexpr std::uint64_t kBytesPerMs = std::uint64_t{2} << 20;

std::string text_of_process(pid_t pid, const char* name) {
  const std::string path = "/proc/" + std::to_string(pid) + "/" + name;
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text(kMaxText, '\0');
  const ssize_t count = file ? ::read(file.fd(), text.data(), text.size()) : 0;
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text;
}

// "RssAnon:     1234 kB" in bytes; 0: it is not there.
std::uint64_t line_in(std::string_view text, std::string_view label) {
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with(label) || line.size() <= label.size() || line[label.size()] != ':')
      continue;
    const std::string_view value = trimmed(line.substr(label.size() + 1));
    std::uint64_t number = 0;
    std::from_chars(value.data(), value.data() + value.size(), number);
    return number * 1024;
  }
  return 0;
}

Memory whole_of(pid_t pid) { return memory_in_status(text_of_process(pid, "status")); }

Memory part_of(pid_t pid) {
  const std::string text = text_of_process(pid, "smaps_rollup");
  // Of a process that is closed to us only the sum of whole pages is known.
  return text.find("Pss_Anon:") == text.npos ? whole_of(pid) : memory_in_rollup(text);
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

// Its threads are counted, and their children added.
unsigned long look_at(pid_t pid, std::vector<pid_t>& children) {
  const std::string folder = "/proc/" + std::to_string(pid) + "/task";
  const std::unique_ptr<DIR, CloseFolder> tasks(::opendir(folder.c_str()));
  unsigned long threads = 0;
  while (const dirent* entry = tasks ? ::readdir(tasks.get()) : nullptr) {
    if (entry->d_name[0] == '.') continue;
    ++threads;
    const auto list = read_file(folder + "/" + entry->d_name + "/children", std::size_t{1} << 20);
    if (!list) continue;
    for (const std::string_view word : split(*list, ' ')) {
      pid_t child = 0;
      std::from_chars(word.data(), word.data() + word.size(), child);
      if (child > 0) children.push_back(child);
    }
  }
  return threads;
}

std::uint64_t bytes_in(const std::vector<File>& file_systems) {
  std::uint64_t sum = 0;
  for (const File& one : file_systems) {
    struct statfs info {};
    if (::fstatfs(one.fd(), &info) == 0 && info.f_blocks > info.f_bfree)
      sum += (info.f_blocks - info.f_bfree) * static_cast<std::uint64_t>(info.f_bsize);
  }
  return sum;
}

}  // namespace

Memory memory_in_status(std::string_view text) {
  return {line_in(text, "RssAnon") + line_in(text, "VmSwap"), line_in(text, "RssShmem")};
}

Memory memory_in_rollup(std::string_view text) {
  return {line_in(text, "Pss_Anon") + line_in(text, "SwapPss"), line_in(text, "Pss_Shmem")};
}

std::optional<Excess> excess_in(const Use& use, const Limits& limits) {
  if (limits.together > 0 && use.memory > limits.together)
    return Excess{Excess::Of::memory, limits.together};
  if (limits.processes > 0 && use.processes > limits.processes)
    return Excess{Excess::Of::processes, limits.processes};
  return std::nullopt;
}

milliseconds next_look(const Use& use, const Limits& limits) {
  if (limits.together == 0) return kLatest;
  const std::uint64_t left = limits.together > use.memory ? limits.together - use.memory : 0;
  return std::clamp(milliseconds(left / kBytesPerMs), kSoonest, kLatest);
}

struct UseWatch::Sum {
  Memory memory;
  unsigned long processes = 0;
};

UseWatch::UseWatch(const Limits& limits, pid_t first, std::vector<File> in_memory)
    : limits_(limits),
      first_(first),
      in_memory_(std::move(in_memory)),
      next_(Clock::now() + next_look({}, limits)) {}

int UseWatch::timeout_ms() const {
  const auto left = std::chrono::ceil<milliseconds>(next_ - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

UseWatch::Sum UseWatch::sum_of_all(Memory (*memory_of)(pid_t)) const {
  Sum sum;
  // Whoever moves to another parent meanwhile may be met twice.
  std::set<pid_t> seen;
  std::vector<pid_t> open;
  look_at(first_, open);
  while (!open.empty()) {
    const pid_t pid = open.back();
    open.pop_back();
    if (!seen.insert(pid).second) continue;
    sum.processes += look_at(pid, open);
    if (limits_.together == 0) continue;
    const Memory memory = memory_of(pid);
    sum.memory.own += memory.own;
    sum.memory.shared += memory.shared;
  }
  return sum;
}

// To look at parts takes a walk through all pages: only where it may matter.
Use UseWatch::use_now() const {
  const std::uint64_t files = bytes_in(in_memory_);
  // What is mapped of the files is a part of both.
  const auto use_of = [&](const Sum& sum) {
    return Use{sum.memory.own + std::max(sum.memory.shared, files), sum.processes};
  };
  const Use most = use_of(sum_of_all(&whole_of));
  return limits_.together == 0 || most.memory <= limits_.together ? most
                                                                  : use_of(sum_of_all(&part_of));
}

std::optional<Excess> UseWatch::look() {
  if (Clock::now() < next_) return std::nullopt;
  const Use use = use_now();
  next_ = Clock::now() + next_look(use, limits_);
  return excess_in(use, limits_);
}

bool can_count_processes() {
  return ::access(("/proc/self/task/" + std::to_string(::getpid()) + "/children").c_str(), R_OK) ==
         0;
}

}  // namespace capsule::contain
