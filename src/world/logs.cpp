#include "world/logs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <compare>
#include <filesystem>
#include <map>
#include <ranges>

#include "agent/stream_log.h"
#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"
#include "dialect/reader.h"
#include "workspace/places.h"

namespace capsule::world {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kErr = ".stderr", kLog = ".log";

bool digits(std::string_view text, std::size_t count = 0) {
  return !text.empty() && (count == 0 || text.size() == count) &&
         text.find_first_not_of("0123456789") == text.npos;
}

// A folder that holds logs: opened beneath `root`, for an agent may have written there.
struct LogFolder {
  std::string root, below;  // below: empty, or with a slash at its end
};

std::vector<LogFolder> places_of_bead(const Project& project, const std::string& bead) {
  const std::string worktree = workspace::worktree_path(project.repository, bead);
  if (is_folder(worktree + "/.capsule/output")) return {{worktree, ".capsule/output/"}};
  return {{workspace::archive_path(project.repository, bead), ""}};
}

std::vector<LogFolder> places_of(const Project& project, const Run& run) {
  if (!engine::is_phases(run.head)) {
    std::vector<LogFolder> places;
    for (const std::string& folder : log_folders(project, run.head)) places.push_back({folder, ""});
    return places;
  }
  // An earlier run of the bead: its archive is a folder of its own.
  const std::string earlier =
      workspace::archive_path(project.repository, run.head.subject) + "/" + run.head.run;
  if (is_folder(earlier)) return {{earlier, ""}};
  return places_of_bead(project, run.head.subject);
}

// Without ".stderr": both streams of an agent have the same.
std::string stem(const std::string& name) {
  return name.ends_with(kErr) ? name.substr(0, name.size() - kErr.size()) : name;
}

// By when the name says that they began; in the same second by their agents' numbers. Calls of
// which no record is left, as an agent had a newer one, come first there, by their pids, which
// grow.
struct StartOrder {
  std::string time;  // of names that begin with a number: none
  int agent = 0;
  long serial = 0;  // the pid; of names that begin with a number, which of several logs it is
  bool err = false;
  auto operator<=>(const StartOrder&) const = default;
};

StartOrder order_of(const std::string& name, const LogFile& file) {
  constexpr std::size_t kTime = std::string_view("YYYYMMDD-HHMMSS").size();
  StartOrder order{{}, file.agent, 0, name.ends_with(kErr)};
  std::string rest = stem(name);
  rest.resize(rest.size() - kLog.size());
  const bool numbered = digits(rest.substr(0, rest.find('-')));
  rest.erase(0, numbered ? std::min(rest.rfind('.'), rest.size()) : file.role.size() + 1);
  if (!numbered) {
    order.time = rest.substr(0, kTime);
    rest.erase(0, kTime);
  }
  if (!rest.empty()) std::from_chars(rest.data() + 1, rest.data() + rest.size(), order.serial);
  return order;
}

std::vector<LogFile> collected(const std::vector<LogFolder>& places, const Run& run,
                               const LogFilter& filter) {
  std::map<std::string, const workflow::AgentSummary*> by_log;
  std::map<int, const workflow::AgentSummary*> by_number;
  for (const workflow::AgentSummary& agent : run.summary.agents) {
    if (!agent.log.empty()) by_log.emplace(base_name(agent.log), &agent);
    by_number.emplace(agent.number, &agent);
  }
  std::vector<std::pair<StartOrder, LogFile>> found;
  for (const LogFolder& place : places) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(place.root + "/" + place.below, error)) {
      const std::string name = entry.path().filename().string();
      auto file = read_log_name(name);
      if (!file) continue;
      const workflow::AgentSummary* agent = nullptr;
      if (const auto known = by_log.find(stem(name)); known != by_log.end())
        agent = known->second;
      else if (const auto numbered = by_number.find(file->agent); numbered != by_number.end())
        agent = numbered->second;
      if (agent != nullptr) file->agent = agent->number;
      if (!filter.role.empty() && file->role != filter.role) continue;
      if (!filter.task.empty() && (agent == nullptr || agent->task != filter.task)) continue;
      file->root = place.root;
      file->name = place.below + name;
      found.emplace_back(order_of(name, *file), *std::move(file));
    }
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<LogFile> files;
  for (auto& [key, file] : found) files.push_back(std::move(file));
  return files;
}

// The last line of a file that is not blank; at most its last 4 KiB are read.
std::string last_line(const std::string& root, const std::string& name) {
  constexpr off_t kBytes = 4096;
  const auto file = open_beneath(root, name, O_RDONLY);
  struct stat status {};
  if (!file || ::fstat(file->fd(), &status) != 0) return {};
  std::string end(kBytes, '\0');
  const ssize_t got =
      ::pread(file->fd(), end.data(), end.size(), std::max<off_t>(0, status.st_size - kBytes));
  end.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  for (const std::string_view line : split(end, '\n') | std::views::reverse)
    if (!trimmed(line).empty()) return std::string(trimmed(line));
  return {};
}

// The same of what an agent printed: of a client's events the failure, or the end of its last
// words.
std::string last_said(const std::string& root, const std::string& name) {
  const auto text = read_file_beneath(root, name, agent::kMaxLogBytes);
  const dialect::Output output = text ? dialect::output_of(*text) : dialect::Output::text;
  if (output == dialect::Output::text) return last_line(root, name);
  dialect::Reader reader(output, {});
  reader.feed(*text);
  const dialect::Reading reading = reader.finish();
  if (reading.failure && !reading.failure->words.empty()) return reading.failure->words;
  const std::string_view said = trimmed(reading.text);
  return std::string(said.substr(said.rfind('\n') + 1));
}

// Logs of one name are numbered: "4-developer.2".
std::string without_number(const std::string& role) {
  const std::size_t dot = role.rfind('.');
  return dot != role.npos && dot > 0 && digits(role.substr(dot + 1)) ? role.substr(0, dot) : role;
}

}  // namespace

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::vector<std::string> log_folders(const Project& project, const engine::RunHead& run) {
  if (engine::is_phases(run))
    return {workspace::worktree_path(project.repository, run.subject) + "/.capsule/output"};
  const std::string logs = project.root() + "/.capsule/logs/";
  return {logs + run.run, logs + "auto/" + run.run};
}

std::optional<LogFile> read_log_name(std::string_view given) {
  std::string name = stem(std::string(given));
  if (!name.ends_with(kLog)) return std::nullopt;
  name.resize(name.size() - kLog.size());
  LogFile file;
  if (const std::size_t dash = name.find('-'); digits(name.substr(0, dash)) && dash != name.npos) {
    std::from_chars(name.data(), name.data() + dash, file.agent);
    file.role = without_number(name.substr(dash + 1));
    return valid_id(file.role) ? std::optional(file) : std::nullopt;
  }
  std::vector<std::string_view> parts = split(name, '-');
  if (parts.size() > 3 && digits(parts.back()) && digits(parts[parts.size() - 3], 8))
    parts.pop_back();  // the pid
  if (parts.size() < 3 || !digits(parts.back(), 6) || !digits(parts[parts.size() - 2], 8))
    return std::nullopt;
  const auto day = static_cast<std::size_t>(parts[parts.size() - 2].data() - name.data());
  file.role = name.substr(0, day - 1);
  return valid_id(file.role) ? std::optional(file) : std::nullopt;
}

std::vector<LogFile> logs_of(const Project& project, const Run& run, const LogFilter& filter) {
  LogFilter wanted = filter;
  // A run of phases has one task: its bead.
  if (engine::is_phases(run.head)) wanted.task.clear();
  return collected(places_of(project, run), run, wanted);
}

std::vector<LogFile> logs_of_bead(const Project& project, const std::string& bead,
                                  const std::string& role) {
  return collected(places_of_bead(project, bead), {}, {role, ""});
}

Result<void> LogFollower::read(const std::vector<LogFile>& files, const Sink& sink) {
  std::string buffer(1 << 16, '\0');
  for (const LogFile& log : files) {
    const auto file = open_beneath(log.root, log.name, O_RDONLY);
    if (!file) continue;  // gone, or no file
    const std::string name = log.name.substr(log.name.rfind('/') + 1);
    long& offset = offsets_.try_emplace(name, 0).first->second;
    for (;;) {
      const ssize_t n = ::pread(file->fd(), buffer.data(), buffer.size(), offset);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      TRY_VOID(sink(name, {buffer.data(), static_cast<std::size_t>(n)}));
      offset += n;
    }
  }
  return {};
}

std::string last_words(const std::string& worktree, event::Fault fault, const std::string& log) {
  const bool failed = fault == event::Fault::exit_status;
  if (fault != event::Fault::no_signal && !failed) return {};
  const std::string path = ".capsule/output/" + base_name(log);
  const std::string out = last_said(worktree, path), err = last_line(worktree, path + ".stderr");
  return (failed ? !err.empty() : out.empty()) ? err : out;
}

}  // namespace capsule::world
