#include "process/tree.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "contain/wish_wire.h"
#include "process/children.h"
#include "process/contained.h"
#include "process/fd.h"
#include "process/guardian.h"
#include "process/guardian_wire.h"
#include "process/spawn.h"

namespace capsule::process {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kDrainLimitBytes = 16UL * 1024 * 1024;
// So many children get a wide pipe for their stdout: a quarter of what one user may have in pipes.
constexpr std::size_t kWideOutputs = 16;

// What a readable descriptor means: the low bits of its key; the others are the id.
enum Source : std::uint64_t { kChannel, kStdout, kStderr, kWatch, kStdin };
constexpr unsigned kSourceBits = 3;

std::uint64_t key_of(ChildId id, std::uint64_t source) {
  return (static_cast<std::uint64_t>(id) << kSourceBits) | source;
}

// Without the signal that this process would get when nobody is left to read.
ssize_t write_quietly(int fd, std::string_view bytes) {
  sigset_t broken, before, pending;
  ::sigemptyset(&broken);
  ::sigaddset(&broken, SIGPIPE);
  ::sigemptyset(&pending);
  ::sigpending(&pending);
  ::pthread_sigmask(SIG_BLOCK, &broken, &before);
  const ssize_t count = ::write(fd, bytes.data(), bytes.size());
  const int error = errno;
  const timespec at_once{};
  if (count < 0 && error == EPIPE && ::sigismember(&pending, SIGPIPE) == 0)
    while (::sigtimedwait(&broken, nullptr, &at_once) < 0 && errno == EINTR) continue;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return count;
}

Error read_failure(std::string_view bytes) {
  auto error = contain::read_error(bytes);
  return error ? *std::move(error) : std::move(error).error();
}

}  // namespace

struct Loop::Child {
  ChildEvents* events = nullptr;
  pid_t guardian = 0;
  File channel;
  std::array<File, 2> outputs;
  File input;               // of a child that gets more of it; closed: it has ended
  std::string unread;       // what is to be written there
  bool input_ends = false;  // after that
  bool waits_for_room = false;
  bool started = false;
  Exit exit{Exit::How::lost};
  std::optional<TimerId> patience;
};

Result<std::unique_ptr<Loop>> Loop::create(Options options) {
  // A program that does not hand the call over to guardian_main, as a test might, would start
  // itself over and over.
  if (kGuardianName == program_invocation_name)
    return fail(Reason::usage, "this program was started as a guardian, but it is not one");
  File poll(::epoll_create1(EPOLL_CLOEXEC));
  if (!poll) return fail(Reason::io, std::string("cannot poll: ") + std::strerror(errno));
  File null = TRY(null_device());
  adopt_orphans();
  return std::unique_ptr<Loop>(new Loop(std::move(options), std::move(poll), std::move(null)));
}

Loop::Loop(Options options, File poll, File null)
    : options_(std::move(options)),
      poll_(std::move(poll)),
      null_(std::move(null)),
      buffer_(new char[kReadBytes]) {}

Loop::~Loop() {
  watches_.clear();
  timers_.clear();
  for (auto& [id, child] : children_) {
    child->events = nullptr;
    child->patience.reset();
  }
  end_all(milliseconds(0));
  run();
}

Loop::Child* Loop::find(ChildId id) {
  const auto found = children_.find(id);
  return found == children_.end() ? nullptr : found->second.get();
}

Result<void> Loop::poll_for(int fd, std::uint64_t key) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = key;
  if (::epoll_ctl(poll_.fd(), EPOLL_CTL_ADD, fd, &event) != 0)
    return fail(Reason::io, std::string("cannot poll: ") + std::strerror(errno));
  return {};
}

Result<ChildId> Loop::start(const TreeSpec& spec, ChildEvents& events) {
  TRY_VOID(check_words(spec.argv));
  File folder;
  if (!spec.cwd.empty()) folder = TRY(open_folder(spec.cwd));
  Start start;
  start.env = TRY(environment_elsewhere(spec.env));
  start.folder_fd = folder.fd();
  std::string program;
  File walls;
  if (spec.walls)
    walls = TRY(wish_file(*spec.walls, {spec.cwd, spec.env, start.env, guarded_.now()}));
  else
    program = TRY(
        find_program(spec.argv[0], env_value(start.env, "PATH"), folder ? folder.fd() : AT_FDCWD));
  start.file = options_.guardian;
  start.argv = {std::string(kGuardianName), std::string(kGuardianCommand), program};
  start.argv.insert(start.argv.end(), spec.argv.begin(), spec.argv.end());

  File input;
  File more;
  if (spec.more_input) {
    Ends ends = TRY(make_input_pipe());
    input = std::move(ends.read);
    more = std::move(ends.write);
  } else if (spec.input) {
    input = TRY(memory_file(*spec.input));
  }
  Ends out = TRY(make_pipe());
  Ends err = TRY(make_pipe());
  if (children_.size() < kWideOutputs) widen(out.write);
  auto [ours, theirs] = TRY(make_channel());
  start.fds = {{input ? input.fd() : null_.fd(), 0},
               {out.write.fd(), 1},
               {err.write.fd(), 2},
               {theirs.fd(), kChannelFd}};
  if (walls) start.fds.emplace_back(walls.fd(), kWishFd);

  const ChildId id{next_++};
  TRY_VOID(poll_for(ours.fd(), key_of(id, kChannel)));
  auto child = std::make_unique<Child>();
  const int error = start_process(start, child->guardian);
  if (error == E2BIG) return tl::unexpected(start_error(spec.argv[0], error));
  if (error != 0) return tl::unexpected(start_error(options_.guardian, error));
  child->events = &events;
  child->channel = std::move(ours);
  child->outputs = {std::move(out.read), std::move(err.read)};
  child->input = std::move(more);
  if (child->input) child->unread = spec.input.value_or("");
  children_.emplace(id, std::move(child));
  feed(id);
  return id;
}

bool Loop::write(ChildId id, std::string_view bytes) {
  Child* const child = find(id);
  if (child == nullptr || !child->input || child->input_ends) return false;
  if (child->unread.size() > kMaxUnreadBytes) return false;
  child->unread += bytes;
  feed(id);
  return true;
}

void Loop::close_input(ChildId id) {
  Child* const child = find(id);
  if (child == nullptr || !child->input) return;
  child->input_ends = true;
  feed(id);
}

// As much as there is room for; the rest when there is more.
void Loop::feed(ChildId id) {
  Child* const child = find(id);
  if (child == nullptr || !child->input) return;
  while (!child->unread.empty()) {
    const ssize_t count =
        write_quietly(child->input.fd(), std::string_view(child->unread).substr(0, kReadBytes));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) break;
    if (count <= 0) {  // nobody reads it any more
      child->unread.clear();
      child->input_ends = true;
      break;
    }
    child->unread.erase(0, static_cast<std::size_t>(count));
  }
  if (child->unread.empty() && child->input_ends) {
    child->input = File();  // it leaves the poll with that
    return;
  }
  if (child->unread.empty() != child->waits_for_room) return;
  epoll_event event{};
  event.events = EPOLLOUT;
  event.data.u64 = key_of(id, kStdin);
  child->waits_for_room = !child->waits_for_room;
  const int change = child->waits_for_room ? EPOLL_CTL_ADD : EPOLL_CTL_DEL;
  if (::epoll_ctl(poll_.fd(), change, child->input.fd(), &event) != 0 && child->waits_for_room)
    end(id, milliseconds(0));  // it would wait for ever
}

void Loop::end(ChildId id, milliseconds grace) {
  Child* const child = find(id);
  if (child == nullptr) return;
  const EndRequest request{std::max<std::int64_t>(grace.count(), 0)};
  // Cannot fill the connection unless the guardian is stopped; then the timer below decides.
  (void)!::send(child->channel.fd(), &request, sizeof request, MSG_NOSIGNAL | MSG_DONTWAIT);
  const auto late = Clock::now() + grace + options_.patience;
  if (child->patience && child->patience->at <= late) return;
  if (child->patience) cancel(*child->patience);
  child->patience = at(late, [this, id] {
    if (const Child* stuck = find(id)) ::kill(stuck->guardian, SIGKILL);
  });
}

void Loop::end_all(milliseconds grace) {
  for (const auto& [id, child] : children_) end(id, grace);
}

void Loop::forget(ChildId id) {
  if (Child* const child = find(id)) {
    child->events = nullptr;
    end(id, milliseconds(0));
  }
}

TimerId Loop::at(Clock::time_point time, std::function<void()> callback) {
  const TimerId timer{time, next_++};
  timers_.emplace(timer, std::move(callback));
  return timer;
}

TimerId Loop::after(milliseconds delay, std::function<void()> callback) {
  return at(Clock::now() + delay, std::move(callback));
}

void Loop::cancel(TimerId timer) { timers_.erase(timer); }

Result<WatchId> Loop::watch(int fd, std::function<void()> callback) {
  const WatchId id{next_++};
  TRY_VOID(poll_for(fd, key_of(ChildId{static_cast<std::uint64_t>(id)}, kWatch)));
  watches_.emplace(id, Watch{fd, std::move(callback)});
  return id;
}

void Loop::watch_for(WatchId id, Wanted wanted) {
  const auto found = watches_.find(id);
  if (found == watches_.end()) return;
  epoll_event event{};
  if (wanted.readable) event.events |= EPOLLIN;
  if (wanted.writable) event.events |= EPOLLOUT;
  event.data.u64 = key_of(ChildId{static_cast<std::uint64_t>(id)}, kWatch);
  ::epoll_ctl(poll_.fd(), EPOLL_CTL_MOD, found->second.fd, &event);
}

void Loop::unwatch(WatchId id) {
  const auto found = watches_.find(id);
  if (found == watches_.end()) return;
  ::epoll_ctl(poll_.fd(), EPOLL_CTL_DEL, found->second.fd, nullptr);
  watches_.erase(found);
}

void Loop::turn(Clock::time_point deadline) {
  if (!timers_.empty()) deadline = std::min(deadline, timers_.begin()->first.at);
  int timeout = -1;
  if (deadline != Clock::time_point::max()) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
    timeout = static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000));
  }
  std::array<epoll_event, 64> ready;
  const int count = ::epoll_wait(poll_.fd(), ready.data(), ready.size(), timeout);
  for (int i = 0; i < count; ++i) dispatch(ready[static_cast<std::size_t>(i)].data.u64);
  run_timers();
}

void Loop::run_while(const std::function<bool()>& condition) {
  while (condition()) turn();
}

void Loop::run() {
  run_while([this] { return !children_.empty(); });
}

void Loop::run_timers() {
  const auto now = Clock::now();
  while (!timers_.empty() && timers_.begin()->first.at <= now) {
    const auto timer = timers_.extract(timers_.begin());
    timer.mapped()();
  }
}

void Loop::dispatch(std::uint64_t key) {
  // An earlier callback of this turn may have ended whom this is about; ids are never used again.
  const std::uint64_t id = key >> kSourceBits;
  const std::uint64_t source = key & ((1U << kSourceBits) - 1);
  if (source == kWatch) {
    const auto found = watches_.find(WatchId{id});
    if (found == watches_.end()) return;
    const auto callback = found->second.callback;  // it may unwatch itself
    callback();
  } else if (source == kStdin) {
    feed(ChildId{id});
  } else if (source == kChannel) {
    hear_guardian(ChildId{id});
  } else {
    read_output(ChildId{id}, source == kStdout ? 0 : 1);
  }
}

void Loop::hear_guardian(ChildId id) {
  Child* const child = find(id);
  if (child == nullptr) return;
  Report report{};
  const ssize_t count = ::recv(child->channel.fd(), buffer_.get(), kReadBytes, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count < static_cast<ssize_t>(sizeof report)) return finish(id);
  std::memcpy(&report, buffer_.get(), sizeof report);
  const std::string_view bytes(buffer_.get() + sizeof report,
                               static_cast<std::size_t>(count) - sizeof report);
  const auto ended = [&](Exit::How how, int left_behind = 0) {
    child->exit.how = how;
    child->exit.value = report.value;
    child->exit.left_behind = left_behind;
  };
  switch (report.kind) {
    case Report::Kind::contained:
      if (const auto in_force = contain::read_report(bytes); in_force && child->events != nullptr)
        child->events->on_contained(*in_force);
      return;
    case Report::Kind::refused:
      if (const auto refused = contain::read_refusals(bytes); refused && child->events != nullptr)
        child->events->on_refused(*refused);
      return;
    case Report::Kind::excess:
      if (const auto excess = contain::read_excess(bytes)) child->exit.excess = *excess;
      return;
    case Report::Kind::not_contained:
      child->exit.how = Exit::How::not_contained;
      child->exit.why = read_failure(bytes);
      return;
    case Report::Kind::started:
      child->started = true;
      // Only now, so that nobody hears output of a child whose number he does not know yet.
      for (std::size_t stream = 0; stream < 2; ++stream)
        if (!poll_for(child->outputs[stream].fd(), key_of(id, stream == 0 ? kStdout : kStderr)))
          end(id, milliseconds(0));
      if (child->events != nullptr) child->events->on_started(report.value);
      return;
    case Report::Kind::not_started:
      return ended(Exit::How::not_started);
    case Report::Kind::exited:
      return ended(Exit::How::exited, report.left_behind);
    case Report::Kind::signalled:
      return ended(Exit::How::signalled, report.left_behind);
  }
}

// One piece of output. False when there is none at present or the stream has ended.
bool Loop::read_output(ChildId id, std::size_t stream) {
  Child* const child = find(id);
  if (child == nullptr || !child->outputs[stream]) return false;
  File& fd = child->outputs[stream];
  const ssize_t count = ::read(fd.fd(), buffer_.get(), kReadBytes);
  if (count < 0 && errno == EINTR) return true;
  if (count < 0 && errno == EAGAIN) return false;
  if (count <= 0) {
    fd = File();
    return false;
  }
  if (child->events == nullptr) return true;
  const std::string_view bytes(buffer_.get(), static_cast<std::size_t>(count));
  if (stream == 0)
    child->events->on_stdout(bytes);
  else
    child->events->on_stderr(bytes);
  return true;
}

// The guardian has closed the channel, which it does by ending only.
void Loop::finish(ChildId id) {
  Child* const child = find(id);
  int status = 0;
  reap(child->guardian, 0, status);
  if (child->exit.how == Exit::How::lost) child->exit.left_behind = kill_strangers();
  // Nobody is left to write, so this ends; somebody who could not be killed may not go on for ever.
  for (std::size_t stream = 0; stream < 2 && child->started; ++stream)
    for (std::size_t bytes = 0; bytes < kDrainLimitBytes && read_output(id, stream);)
      bytes += kReadBytes;
  if (child->patience) cancel(*child->patience);
  const auto ended = children_.extract(id);
  reap_strangers();
  if (child->events != nullptr) child->events->on_exit(child->exit);
}

}  // namespace capsule::process
