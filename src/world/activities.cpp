#include "world/activities.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "agent/stream_log.h"
#include "base/files.h"
#include "base/text.h"
#include "dialect/reader.h"
#include "world/logs.h"

namespace capsule::world {
namespace {

std::string read_whole(int fd) {
  std::string text, buffer(1 << 16, '\0');
  while (text.size() < agent::kMaxLogBytes) {
    const ssize_t n = ::pread(fd, buffer.data(), buffer.size(), static_cast<off_t>(text.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.append(buffer, 0, static_cast<std::size_t>(n));
  }
  return text;
}

std::string newest_line(std::string_view text) {
  text = trimmed(text);
  const std::size_t begin = text.rfind('\n');
  return printable(cut(begin == text.npos ? text : text.substr(begin + 1), dialect::kWordsBytes));
}

// Whoever printed last did so when the file was changed last: nothing tells when the events came.
dialect::Activity activity_in(const LogFile& log) {
  dialect::Activity activity;
  const auto file = open_beneath(log.root, log.name, O_RDONLY);
  struct stat status {};
  if (!file || ::fstat(file->fd(), &status) != 0) return activity;
  const std::int64_t at =
      std::int64_t{status.st_mtim.tv_sec} * 1000 + status.st_mtim.tv_nsec / 1'000'000;
  const std::string text = read_whole(file->fd());
  const dialect::Output output = dialect::output_of(text);
  if (output == dialect::Output::text) {
    activity.said = newest_line(text);
    if (activity.said.empty()) return activity;
    activity.what = dialect::Activity::What::text;
    activity.since_ms = at;
    return activity;
  }
  dialect::Reader reader(output, {},
                         [&](const dialect::Event& event) { dialect::fold(activity, event, at); });
  reader.feed(text);
  return activity;
}

}  // namespace

Activities activities_of(const Project& project, const Run& run) {
  using namespace std::chrono;
  Activities now;
  now.now_ms = duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
  if (!run.live()) return now;
  for (const workflow::AgentSummary& agent : run.summary.agents) {
    if (!agent.running) continue;
    // The newest that is not known to be somebody else's.
    const LogFile* newest = nullptr;
    const std::vector<LogFile> logs = logs_of(project, run, {agent.role, agent.task});
    for (const LogFile& log : logs)
      if (!log.name.ends_with(".stderr") && (log.agent == 0 || log.agent == agent.number))
        newest = &log;
    if (newest == nullptr) continue;
    dialect::Activity activity = activity_in(*newest);
    if (activity.what != dialect::Activity::What::starting)
      now.of.emplace(agent.number, std::move(activity));
  }
  return now;
}

}  // namespace capsule::world
