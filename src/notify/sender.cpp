#include "notify/sender.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>

#include "base/files.h"
#include "base/text.h"

namespace capsule::notify {
namespace {

constexpr std::int64_t kLooksFor = 60;   // seconds after the last touch
constexpr std::size_t kMostWords = 400;  // of a command's complaint

std::string presence_file(const std::string& root) { return root + "/.capsule/presence"; }

std::string time_of(std::chrono::milliseconds time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return seconds == time ? std::to_string(seconds.count()) + " s"
                         : std::to_string(time.count()) + " ms";
}

std::string failure_of(const process::Exit& exit, const std::string& err) {
  std::string text;
  switch (exit.how) {
    case process::Exit::How::exited:
      text = "it exited with " + std::to_string(exit.value);
      break;
    case process::Exit::How::signalled:
      text = "it was ended by signal " + std::to_string(exit.value);
      break;
    case process::Exit::How::not_started:
      return std::string("it cannot be started: ") + std::strerror(exit.value);
    case process::Exit::How::lost:
      return "it was killed";
    case process::Exit::How::not_contained:
      return "it cannot be started: " + exit.why->message;
  }
  const std::string_view said = trimmed(err);
  return said.empty() ? text : text + ": " + printable(said.substr(0, kMostWords));
}

}  // namespace

void note_presence(const std::string& root) {
  const File file(::open(presence_file(root).c_str(),
                         O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (file) (void)::futimens(file.fd(), nullptr);
}

bool somebody_looks(const std::string& root) {
  struct stat found {};
  if (::lstat(presence_file(root).c_str(), &found) != 0) return false;
  const std::int64_t age = std::time(nullptr) - found.st_mtime;
  return age >= 0 && age < kLooksFor;
}

// One command under way.
struct Sender::Call : process::ChildEvents {
  Call(Sender& owner, std::string name) : sender(owner), way(std::move(name)) {}
  void on_stderr(std::string_view bytes) override {
    if (err.size() < kMostWords) err.append(bytes.substr(0, kMostWords));
  }
  void on_exit(const process::Exit& exit) override {
    sender.loop_.cancel(timer);
    const bool ok = exit.how == process::Exit::How::exited && exit.value == 0;
    Result<void> result;
    if (late)
      result =
          fail(Reason::failed, "it took longer than " + time_of(sender.surroundings_.patience));
    else if (!ok)
      result = fail(Reason::failed, failure_of(exit, err));
    Sender& owner = sender;
    const std::string name = way;
    std::erase_if(owner.calls_, [this](const auto& call) { return call.get() == this; });
    owner.report(name, result);  // this is gone
  }
  Sender& sender;
  std::string way, err;
  process::ChildId child{};
  process::TimerId timer{};
  bool late = false;
};

Sender::Sender(process::Loop& loop, std::map<std::string, config::Notify, std::less<>> ways,
               Surroundings surroundings)
    : loop_(loop), ways_(std::move(ways)), surroundings_(std::move(surroundings)) {}

Sender::~Sender() {
  for (const auto& call : calls_) {
    loop_.cancel(call->timer);
    loop_.forget(call->child);
  }
}

void Sender::send(const Notice& notice) {
  if (ways_.empty() || somebody_looks(surroundings_.root)) return;
  const int minute = surroundings_.minute_of_day();
  for (const auto& [name, way] : ways_)
    if (is_for(way, notice.kind) && !(way.quiet && within(*way.quiet, minute)))
      send_by(name, notice);
}

void Sender::send_by(const std::string& name, const Notice& notice) {
  const config::Notify& way = ways_.find(name)->second;
  if (way.desktop) show_on_desktop(name, notice, way.text);
  if (way.terminal) ring(name, notice, way.text);
  if (!way.command.empty()) {
    std::vector<std::string> argv = way.command;
    // No shell reads the words, and a home folder is not known to a file that many people use.
    const char* const home = surroundings_.variable("HOME");
    if (home != nullptr && *home == '/')
      for (std::string& word : argv)
        if (word.starts_with("~/")) word.replace(0, 1, home);
    start(name, std::move(argv), body_of(notice, way.body, way.text));
  }
  if (!way.desktop && !way.terminal && way.command.empty())
    report(name,
           fail(Reason::usage, "it names neither the desktop, nor the terminal, nor a command"));
}

void Sender::show_on_desktop(const std::string& way, const Notice& notice, bool words) {
  const auto is_set = [&](const char* name) {
    const char* const value = surroundings_.variable(name);
    return value != nullptr && *value != '\0';
  };
  const char* const path = surroundings_.variable("PATH");
  const bool desktop =
      is_set("DISPLAY") || is_set("WAYLAND_DISPLAY") || is_set("DBUS_SESSION_BUS_ADDRESS");
  if (!desktop || path == nullptr || !process::find_program("notify-send", path, -1))
    return ring(way, notice, words);
  start(way,
        {"notify-send", "--app-name=Capsule", "--", headline(notice, words),
         printable(notice.command)},
        "");
}

void Sender::ring(const std::string& way, const Notice& notice, bool words) {
  if (!surroundings_.ring)
    return report(way, fail(Reason::not_found, "there is no desktop and no terminal to show it"));
  // printable() leaves no control character, so nothing ends the sequence early.
  surroundings_.ring("\x1b]9;" + headline(notice, words) + "\x07\x07");
  report(way, {});
}

void Sender::start(const std::string& way, std::vector<std::string> argv, std::string input) {
  if (calls_.size() >= kMostAtOnce)
    return report(way, fail(Reason::blocked, "too many notices are under way"));
  calls_.push_back(std::make_unique<Call>(*this, way));
  Call* const call = calls_.back().get();
  const auto started = loop_.start(
      {.argv = std::move(argv), .cwd = surroundings_.root, .input = std::move(input)}, *call);
  if (!started) {
    calls_.pop_back();
    return report(way, tl::unexpected(started.error()));
  }
  call->child = *started;
  call->timer = loop_.after(surroundings_.patience, [this, call] {
    call->late = true;
    loop_.end(call->child, std::chrono::milliseconds(200));
  });
}

void Sender::report(const std::string& way, const Result<void>& result) {
  if (!surroundings_.became) return;
  if (surroundings_.tell_all || (!result && failed_.insert(way).second))
    surroundings_.became(way, result);
}

void Sender::finish() {
  loop_.run_while([this] { return busy(); });
}

}  // namespace capsule::notify
