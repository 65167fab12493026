#include "dashboard/jobs.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "base/clock.h"
#include "process/fd.h"
#include "process/program.h"

namespace capsule::dashboard {

Jobs::~Jobs() {
  for (Job& job : jobs_) loop_.unwatch(job.watch);
}

Result<void> Jobs::start_own(const std::vector<std::string>& words, const std::string& folder,
                             std::size_t max_bytes, std::function<void(const JobEnd&)> done) {
  process::Start own;
  own.file = "/proc/self/exe";
  own.argv = {"capsule"};
  own.argv.insert(own.argv.end(), words.begin(), words.end());
  own.env = TRY(process::environment({}));
  Job job;
  job.max_bytes = max_bytes;
  job.keeps_end = true;
  job.done = std::move(done);
  return start(std::move(own), folder, std::move(job));
}

Result<void> Jobs::start_git(const std::vector<std::string>& words, const std::string& folder,
                             std::size_t max_bytes, std::function<void(const JobEnd&)> done) {
  process::Start git;
  git.env = TRY(process::environment_elsewhere(
      {{"GIT_OPTIONAL_LOCKS", "0"}, {"GIT_TERMINAL_PROMPT", "0"}, {"GIT_PAGER", "cat"}}));
  git.file = TRY(process::find_program("git", process::env_value(git.env, "PATH"), AT_FDCWD));
  git.argv = {"git"};
  git.argv.insert(git.argv.end(), words.begin(), words.end());
  Job job;
  job.max_bytes = max_bytes;
  job.done = std::move(done);
  return start(std::move(git), folder, std::move(job));
}

Result<void> Jobs::start(process::Start start, const std::string& folder, Job job) {
  TRY_VOID(process::check_words(start.argv));
  process::Ends ends = TRY(process::make_pipe());
  const File null = TRY(process::null_device());
  const File at = TRY(process::open_folder(folder));
  start.folder_fd = at.fd();
  start.fds = {{null.fd(), 0}, {ends.write.fd(), 1}, {ends.write.fd(), 2}};
  if (const int error = process::start_process(start, job.pid))
    return tl::unexpected(process::start_error(start.argv[0], error));
  job.pipe = std::move(ends.read);
  job.began_ms = monotonic_ms();
  jobs_.push_back(std::move(job));
  const auto place = std::prev(jobs_.end());
  place->watch = TRY(loop_.watch(place->pipe.fd(), [this, place] { read(place); }));
  return {};
}

void Jobs::read(std::list<Job>::iterator job) {
  char buffer[65536];
  const ssize_t got = ::read(job->pipe.fd(), buffer, sizeof buffer);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got > 0) {
    std::string& text = job->end.text;
    if (job->keeps_end) {
      text.append(buffer, static_cast<std::size_t>(got));
      if (text.size() <= 2 * job->max_bytes) return;
      text.erase(0, text.size() - job->max_bytes);
      job->end.cut = true;
      return;
    }
    const std::size_t room = job->max_bytes - text.size();
    job->end.cut |= static_cast<std::size_t>(got) > room;
    text.append(buffer, std::min(room, static_cast<std::size_t>(got)));
    return;
  }
  int status = 0;
  process::reap(job->pid, 0, status);
  loop_.unwatch(job->watch);
  Job ended = std::move(*job);
  jobs_.erase(job);
  if (WIFEXITED(status)) ended.end.code = WEXITSTATUS(status);
  ended.end.good = ended.end.code == 0;
  ended.end.took_ms = monotonic_ms() - ended.began_ms;
  ended.done(ended.end);
}

}  // namespace capsule::dashboard
