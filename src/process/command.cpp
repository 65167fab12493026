#include "process/command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "process/fd.h"
#include "process/spawn.h"

namespace capsule::process {
namespace {

using std::chrono::milliseconds;

constexpr int kLastPieces = 256;  // after the exit; somebody in the background may never stop

void append(std::string& text, bool& truncated, std::size_t limit, std::string_view bytes) {
  const std::size_t room = limit - std::min(limit, text.size());
  truncated |= bytes.size() > room;
  text.append(bytes.substr(0, room));
}

void take_out(const Spec& spec, Output& output, std::string_view bytes) {
  if (spec.on_out)
    spec.on_out(bytes);
  else
    append(output.out, output.out_truncated, spec.max_out_bytes, bytes);
}

void take_err(const Spec& spec, Output& output, std::string_view bytes) {
  append(output.err, output.err_truncated, spec.max_err_bytes, bytes);
}

void set_status(Output& output, int status) {
  if (WIFEXITED(status))
    output.exit_code = WEXITSTATUS(status);
  else
    output.term_signal = WTERMSIG(status);
}

int poll_timeout(Clock::time_point deadline) {
  if (deadline == Clock::time_point::max()) return -1;
  const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000));
}

// Reads both streams until the program has ended, and keeps its deadline.
class Pump {
 public:
  Pump(const Spec& spec, pid_t pid, File ended, File out, File err, Output& output)
      : spec_(spec),
        pid_(pid),
        ended_(std::move(ended)),
        out_(std::move(out)),
        err_(std::move(err)),
        output_(output),
        buffer_(new char[kReadBytes]) {}

  void run() {
    auto deadline = spec_.deadline;
    for (;;) {
      std::array<pollfd, 3> fds{
          {{ended_.fd(), POLLIN, 0}, {out_.fd(), POLLIN, 0}, {err_.fd(), POLLIN, 0}}};
      const int ready = ::poll(fds.data(), fds.size(), poll_timeout(deadline));
      if (ready > 0 && fds[1].revents != 0) read_out();
      if (ready > 0 && fds[2].revents != 0) read_err();
      if (ready > 0 && fds[0].revents != 0) break;
      if (Clock::now() < deadline) continue;
      // Its own session, so the group is its own too; it is not reaped yet, so the number holds.
      ::kill(-pid_, output_.timed_out ? SIGKILL : SIGTERM);
      deadline = output_.timed_out ? Clock::time_point::max() : Clock::now() + spec_.grace;
      output_.timed_out = true;
    }
    // What it wrote before it ended. Not until the end of the stream: a program in the background
    // may hold it open.
    for (int i = 0; i < kLastPieces && read_out(); ++i) continue;
    for (int i = 0; i < kLastPieces && read_err(); ++i) continue;
  }

 private:
  bool read_out() {
    return read(out_, [this](std::string_view bytes) { take_out(spec_, output_, bytes); });
  }
  bool read_err() {
    return read(err_, [this](std::string_view bytes) { take_err(spec_, output_, bytes); });
  }
  template <class Take>
  bool read(File& fd, Take take) {
    if (!fd) return false;
    const ssize_t count = ::read(fd.fd(), buffer_.get(), kReadBytes);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return errno == EINTR;
    if (count <= 0) {
      fd = File();
      return false;
    }
    take(std::string_view(buffer_.get(), static_cast<std::size_t>(count)));
    return true;
  }

  const Spec& spec_;
  const pid_t pid_;
  const File ended_;
  File out_;
  File err_;
  Output& output_;
  const std::unique_ptr<char[]> buffer_;
};

class Collector : public ChildEvents {
 public:
  explicit Collector(const Spec& spec) : spec_(spec) {}
  void on_stdout(std::string_view bytes) override { take_out(spec_, output, bytes); }
  void on_stderr(std::string_view bytes) override { take_err(spec_, output, bytes); }
  void on_exit(const Exit& how) override { exit = how; }

  Output output;
  std::optional<Exit> exit;

 private:
  const Spec& spec_;
};

}  // namespace

Result<Output> run(const Spec& spec) {
  TRY_VOID(check_words(spec.argv));
  File folder;
  if (!spec.cwd.empty()) folder = TRY(open_folder(spec.cwd));
  Start start;
  start.argv = spec.argv;
  start.env = TRY(environment(spec.env));
  start.folder_fd = folder.fd();
  start.file = TRY(
      find_program(spec.argv[0], env_value(start.env, "PATH"), folder ? folder.fd() : AT_FDCWD));
  const File input = spec.input ? TRY(memory_file(*spec.input)) : TRY(null_device());
  Ends out = TRY(make_pipe());
  Ends err = TRY(make_pipe());
  start.fds = {{input.fd(), 0}, {out.write.fd(), 1}, {err.write.fd(), 2}};
  if (spec.keep_fd >= 0) start.fds.emplace_back(spec.keep_fd, 3);

  pid_t pid = 0;
  if (const int error = start_process(start, pid); error != 0)
    return tl::unexpected(start_error(spec.argv[0], error));
  out.write = File();
  err.write = File();
  int status = 0;
  // By number: glibc 2.36 declares pidfd_open without extern "C".
  File ended(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!ended) {
    const int error = errno;
    ::kill(-pid, SIGKILL);
    reap(pid, 0, status);
    return fail(Reason::io, std::string("cannot watch a process: ") + std::strerror(error));
  }
  Output output;
  Pump(spec, pid, std::move(ended), std::move(out.read), std::move(err.read), output).run();
  reap(pid, 0, status);
  reap_strangers();
  set_status(output, status);
  return output;
}

Result<Output> run_tree(Loop& loop, const Spec& spec) {
  Collector collector(spec);
  const ChildId child =
      TRY(loop.start({spec.argv, spec.cwd, spec.env, spec.input, false, spec.walls}, collector));
  TimerId timer;
  if (spec.deadline != Clock::time_point::max())
    timer = loop.at(spec.deadline, [&] {
      collector.output.timed_out = true;
      loop.end(child, spec.grace);
    });
  loop.run_while([&] { return !collector.exit; });
  loop.cancel(timer);
  switch (collector.exit->how) {
    case Exit::How::exited:
      collector.output.exit_code = collector.exit->value;
      break;
    case Exit::How::signalled:
      collector.output.term_signal = collector.exit->value;
      break;
    case Exit::How::lost:
      collector.output.term_signal = SIGKILL;
      break;
    case Exit::How::not_started:
      return tl::unexpected(start_error(spec.argv[0], collector.exit->value));
    case Exit::How::not_contained:
      return tl::unexpected(*std::move(collector.exit->why));
  }
  return std::move(collector.output);
}

}  // namespace capsule::process
