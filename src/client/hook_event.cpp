#include "client/hook_event.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include "auto_state/state_file.h"
#include "base/files.h"
#include "base/text.h"
#include "json/object.h"

namespace capsule::client {
namespace {

constexpr std::size_t kMaxEventBytes = std::size_t{64} << 20;

Result<std::string> read_to_end(int fd) {
  std::string text(std::size_t{64} << 10, '\0');
  std::size_t used = 0;
  for (;;) {
    if (used == text.size()) text.resize(text.size() * 2);
    const ssize_t n = ::read(fd, text.data() + used, text.size() - used);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return tl::unexpected(io_error("read", "stdin", errno));
    if (n == 0) break;
    used += static_cast<std::size_t>(n);
    if (used > kMaxEventBytes) return fail(Reason::refused, "the event on stdin is too large");
  }
  text.resize(used);
  return text;
}

// The code unit of an escape `\uXXXX` at the start of `text`.
std::optional<unsigned> unit_of(std::string_view text) {
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return std::nullopt;
  unsigned value = 0;
  for (const char c : text.substr(2, 4)) {
    const char low = static_cast<char>(c | 0x20);
    if (c >= '0' && c <= '9')
      value = value * 16 + static_cast<unsigned>(c - '0');
    else if (low >= 'a' && low <= 'f')
      value = value * 16 + static_cast<unsigned>(low - 'a' + 10);
    else
      return std::nullopt;
  }
  return value;
}

// A message that was cut off within a character: halves of pairs and bytes that are not UTF-8 are
// replaced, so that the rest can be read.
std::string mended(std::string_view text) {
  constexpr std::string_view kReplacement = "\\ufffd";
  std::string out;
  while (!text.empty()) {
    std::size_t length = 1;
    if (text.front() == '\\') {
      length = std::min<std::size_t>(2, text.size());
      if (const auto unit = unit_of(text)) {
        length = 6;
        const auto second = unit_of(text.substr(6));
        const bool paired = second && *second >= 0xDC00 && *second <= 0xDFFF;
        if (*unit >= 0xD800 && *unit <= 0xDBFF && paired) length = 12;
        if (length == 6 && *unit >= 0xD800 && *unit <= 0xDFFF) {
          out += kReplacement;
          text.remove_prefix(length);
          continue;
        }
      }
    } else {
      length = utf8_length(text);
      if (length == 0) {
        out += kReplacement;
        text.remove_prefix(1);
        continue;
      }
    }
    out += text.substr(0, length);
    text.remove_prefix(length);
  }
  return out;
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
  const std::string text = TRY(read_to_end(fd));
  auto json = json::Object::parse(text);
  if (!json) json = json::Object::parse(mended(text));
  if (!json) return fail(Reason::damaged, "the event on stdin is not a JSON object");
  HookEvent event;
  event.is_stop = json->text("hook_event_name").value_or("Stop") == "Stop";
  event.session = json->text("session_id").value_or("");
  event.transcript = json->text("transcript_path").value_or("");
  event.cwd = json->text("cwd").value_or("");
  event.last_message = json->text("last_assistant_message").value_or("");
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
