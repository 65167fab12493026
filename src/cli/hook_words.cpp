#include "cli/hook_words.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/files.h"
#include "base/text.h"
#include "signal/find.h"
#include "signal/transcript.h"

namespace capsule::cli {
namespace {

constexpr std::string_view kHeading = "## Auto Mode Continuation";

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

bool may_hold_signal(std::string_view raw) {
  // An escape could hide the key.
  return signal::find_signal_key(raw, 0) != raw.size() || contains(raw, "\\u00");
}

bool may_be_border(std::string_view line) {
  return contains(line, "Stop hook feedback:") || contains(line, "Auto Mode Continuation") ||
         contains(line, "capsule-auto");
}

// A person started auto mode here: what was said before belongs to something else.
bool starts_auto(const signal::Record& record) {
  if (record.speaker != signal::Speaker::user) return false;
  for (const signal::RawText raw : record.texts)
    if (contains(raw, "<command-name>/capsule-auto<") ||
        contains(raw, "<command-name>capsule-auto<"))
      return true;
  return false;
}

std::string decoded(signal::RawText raw) {
  std::string text;
  signal::for_each_line(raw, [&text](std::string_view line) {
    text += line;
    text += '\n';
  });
  if (!text.empty()) text.pop_back();
  return text;
}

// The last kTailBytes of a file, from the start of a line on.
Result<std::string> read_tail(const std::string& path) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file) return tl::unexpected(io_error("read the transcript", path, errno));
  struct stat info {};
  if (::fstat(file.fd(), &info) != 0)
    return tl::unexpected(io_error("read the transcript", path, errno));
  if (!S_ISREG(info.st_mode))
    return fail(Reason::refused, "the transcript is no regular file: " + printable(path));
  const auto size = static_cast<std::size_t>(info.st_size);
  const std::size_t start = size > kTailBytes ? size - kTailBytes : 0;
  std::string tail(size - start, '\0');
  std::size_t used = 0;
  while (used < tail.size()) {
    const ssize_t n = ::pread(file.fd(), tail.data() + used, tail.size() - used,
                              static_cast<off_t>(start + used));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return tl::unexpected(io_error("read the transcript", path, errno));
    if (n == 0) break;  // shortened meanwhile
    used += static_cast<std::size_t>(n);
  }
  tail.resize(used);
  if (start > 0) tail.erase(0, std::min(signal::line_end(tail, 0) + 1, tail.size()));
  return tail;
}

}  // namespace

std::vector<std::string> words_in(std::string_view tail) {
  std::vector<std::string> words;
  for (std::size_t start = signal::text_start(tail); start < tail.size();
       start = signal::line_end(tail, start) + 1) {
    const std::string_view line = tail.substr(start, signal::line_end(tail, start) - start);
    if (!may_hold_signal(line) && !may_be_border(line)) continue;
    const auto record = signal::read_record(line);
    if (!record) continue;
    if (signal::is_continuation(*record) || starts_auto(*record)) words.clear();
    if (record->speaker != signal::Speaker::assistant) continue;
    for (const signal::RawText raw : record->texts)
      if (may_hold_signal(raw)) words.push_back(decoded(raw));
  }
  return words;
}

std::string_view plain_words_in(std::string_view text) {
  std::size_t from = 0;
  for (std::size_t at = text.find(kHeading); at != text.npos; at = text.find(kHeading, at + 1)) {
    const std::size_t end = signal::line_end(text, at);
    const std::size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    if (signal::without_blanks(text.substr(line, end - line)) == kHeading) from = end;
  }
  return text.substr(from);
}

Result<signal::BlockResult> read_words(const std::string& path, std::string_view last_message,
                                       std::string& complaint) {
  std::vector<std::string> words;
  if (!path.empty()) {
    const auto tail = read_tail(path);
    if (!tail && last_message.empty()) return tl::unexpected(tail.error());
    if (!tail) {
      complaint = tail.error().message;
    } else if (path.ends_with(".jsonl") || signal::is_transcript(*tail)) {
      words = words_in(*tail);
    } else {
      words.emplace_back(plain_words_in(*tail));
    }
  }
  // The client may have written its last message into the transcript already, whole or in parts.
  while (!words.empty() && contains(last_message, trimmed(words.back()))) words.pop_back();
  signal::BlockReader reader;
  for (const std::string& text : words) reader.read_plain(text);
  reader.read_plain(last_message);
  return reader.result();
}

}  // namespace capsule::cli
