#include "client/hook_event.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "auto_state/state_file.h"
#include "base/files.h"
#include "client/lenient_json.h"

namespace capsule::client {
namespace {

constexpr std::size_t kMaxEventBytes = std::size_t{64} << 20;

constexpr int kPatienceMs = 10'000;  // for the next bytes of an event that has begun, or not

// Finds where one object ends, piece by piece. Only brackets and strings are looked at: whether it
// is JSON is for others to say.
class ObjectEnd {
 public:
  enum class Found { more, end, nothing };  // nothing: what stands there begins no object

  // How many bytes of `piece` belong to it, once it has ended.
  std::size_t used() const { return used_; }

  Found read(std::string_view piece) {
    for (used_ = 0; used_ < piece.size();) {
      const char c = piece[used_++];
      if (depth_ == 0 && c != '{') {
        // Blanks, or the mark of a text's byte order.
        if (std::string_view(" \t\r\n\xEF\xBB\xBF").find(c) == std::string_view::npos)
          return Found::nothing;
      } else if (in_string_) {
        if (escaped_)
          escaped_ = false;
        else if (c == '\\')
          escaped_ = true;
        else if (c == '"')
          in_string_ = false;
      } else if (c == '"') {
        in_string_ = true;
      } else if (c == '{' || c == '[') {
        ++depth_;
      } else if ((c == '}' || c == ']') && --depth_ == 0) {
        return Found::end;
      }
    }
    return Found::more;
  }

 private:
  std::size_t depth_ = 0;
  std::size_t used_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
};

// Nothing, or a complaint: the next read would wait for ever.
Result<void> await_bytes(int fd) {
  pollfd wanted{fd, POLLIN, 0};
  for (;;) {
    const int ready = ::poll(&wanted, 1, kPatienceMs);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return {};  // read() says what is wrong
    if (ready == 0)
      return fail(Reason::timed_out, "the event on stdin is not complete, and no more of it comes");
  }
}

Result<std::string> read_event_text(int fd) {
  std::string text(std::size_t{64} << 10, '\0');
  std::size_t used = 0;
  ObjectEnd end;
  for (;;) {
    if (used == text.size()) text.resize(text.size() * 2);
    TRY_VOID(await_bytes(fd));
    const ssize_t n = ::read(fd, text.data() + used, text.size() - used);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return tl::unexpected(io_error("read", "stdin", errno));
    if (n == 0) break;
    const auto found = end.read(std::string_view(text).substr(used, static_cast<std::size_t>(n)));
    used += found == ObjectEnd::Found::more ? static_cast<std::size_t>(n) : end.used();
    if (found != ObjectEnd::Found::more) break;
    if (used > kMaxEventBytes) return fail(Reason::refused, "the event on stdin is too large");
  }
  text.resize(used);
  return text;
}

// The client lists what is in flight: helpers, shells and the like that will wake the session.
std::size_t running_tasks(const json::Object& event) {
  std::size_t count = 0;
  for (const std::string& element : event.elements("background_tasks")) {
    const json::Object task = json::Object::parse(element).value_or(json::Object());
    const std::string status = task.text("status").value_or("");
    count += status == "running" || status == "pending" ? 1U : 0U;
  }
  return count;
}

// Of another user's making, in a folder that many can write to, it is not to be trusted.
bool is_own(const std::string& path) {
  struct stat info {};
  const uid_t self = ::geteuid();
  return ::lstat(path.c_str(), &info) == 0 &&
         (self == 0 || info.st_uid == self || info.st_uid == 0);
}

bool has_own_state(const std::string& folder) {
  return auto_state::has_state(folder) && is_own(folder + "/" + auto_state::kFile);
}

}  // namespace

Result<HookEvent> read_event(int fd) {
  const std::string text = TRY(read_event_text(fd));
  const auto json = lenient_object(text);
  if (!json) return fail(Reason::damaged, "the event on stdin is not a JSON object");
  HookEvent event;
  event.is_stop = json->text("hook_event_name").value_or("Stop") == "Stop";
  event.session = json->text("session_id").value_or("");
  event.transcript = json->text("transcript_path").value_or("");
  event.cwd = json->text("cwd").value_or("");
  event.last_message = json->text("last_assistant_message").value_or("");
  event.background = running_tasks(*json);
  return event;
}

std::optional<std::string> find_auto_project(const std::string& cwd) {
  const char* home = std::getenv("HOME");
  std::string folder = cwd;
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  while (!folder.empty() && folder.front() == '/') {
    if (has_own_state(folder)) return folder;
    if (folder == "/" || exists(folder + "/.git") || (home != nullptr && folder == home)) break;
    const std::size_t slash = folder.rfind('/');
    folder.resize(slash == 0 ? 1 : slash);
  }
  const char* named = std::getenv("CLAUDE_PROJECT_DIR");
  if (named != nullptr && *named == '/' && has_own_state(named)) return named;
  if (cwd.empty() && named == nullptr && has_own_state(".")) return ".";
  return std::nullopt;
}

}  // namespace capsule::client
