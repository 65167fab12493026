#include "client/hook_words.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/files.h"
#include "base/text.h"
#include "json/object.h"
#include "signal/find.h"
#include "signal/transcript.h"

namespace capsule::client {
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

// A person wrote it: no tool, no agent to its helper, and not the client by itself.
bool is_persons(const signal::Record& record, std::string_view line) {
  if (record.speaker != signal::Speaker::user || record.texts.empty()) return false;
  const auto json = json::Object::parse(line);
  if (!json || json->boolean("isSidechain") == true || json->boolean("isMeta") == true)
    return false;
  // In a text the quotes are escaped.
  return !contains(line, "\"tool_result\"");
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

// The end of a file, from the start of a line on. Mapped rather than copied: the pages are there
// already, since the client has just written them. Clients only ever add to a transcript.
class Tail {
 public:
  static Result<Tail> open(const std::string& path, std::size_t most) {
    const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    struct stat info {};
    if (!file || ::fstat(file.fd(), &info) != 0)
      return tl::unexpected(io_error("read the transcript", path, errno));
    if (!S_ISREG(info.st_mode))
      return fail(Reason::refused, "the transcript is no regular file: " + printable(path));
    Tail tail;
    const auto size = static_cast<std::size_t>(info.st_size);
    if (size == 0) return tail;
    constexpr std::size_t kPage = 4096;
    const std::size_t start = size > most ? (size - most) / kPage * kPage : 0;
    void* mapping = ::mmap(nullptr, size - start, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file.fd(),
                           static_cast<off_t>(start));
    if (mapping == MAP_FAILED) return tl::unexpected(io_error("read the transcript", path, errno));
    tail.mapping_ = static_cast<char*>(mapping);
    tail.size_ = size - start;
    if (start > 0) tail.skip_ = std::min(signal::line_end(tail.text(), 0) + 1, tail.size_);
    return tail;
  }
  Tail(Tail&& other) noexcept
      : mapping_(std::exchange(other.mapping_, nullptr)), size_(other.size_), skip_(other.skip_) {}
  Tail& operator=(Tail&&) = delete;
  ~Tail() {
    if (mapping_ != nullptr) ::munmap(mapping_, size_);
  }
  std::string_view text() const {
    return mapping_ == nullptr ? std::string_view()
                               : std::string_view(mapping_ + skip_, size_ - skip_);
  }

 private:
  Tail() = default;
  char* mapping_ = nullptr;
  std::size_t size_ = 0;
  std::size_t skip_ = 0;
};

}  // namespace

Words words_in(std::string_view tail) {
  Words words;
  for (std::size_t start = text_start(tail); start < tail.size();
       start = signal::line_end(tail, start) + 1) {
    const std::string_view line = tail.substr(start, signal::line_end(tail, start) - start);
    // Who speaks is said somewhere in the line; most lines are results of tools.
    const bool may_count =
        may_hold_signal(line) && (contains(line, "assistant") || contains(line, "\"result\""));
    const bool may_answer = words.answered < words.texts.size() && contains(line, "\"user\"");
    if (!may_count && !may_be_border(line) && !may_answer) continue;
    const auto record = signal::read_record(line);
    if (!record) continue;
    if (signal::is_continuation(*record) || starts_auto(*record)) words = {};
    if (may_answer && is_persons(*record, line)) words.answered = words.texts.size();
    if (record->speaker != signal::Speaker::assistant) continue;
    for (const signal::RawText raw : record->texts)
      if (may_hold_signal(raw)) words.texts.push_back(decoded(raw));
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
                                       std::string& complaint, std::size_t tail_bytes) {
  Words words;
  if (!path.empty()) {
    const auto tail = Tail::open(path, tail_bytes);
    if (!tail && last_message.empty()) return tl::unexpected(tail.error());
    if (!tail) {
      complaint = tail.error().message;
    } else if (path.ends_with(".jsonl") || signal::is_transcript(tail->text())) {
      words = words_in(tail->text());
    } else {
      words.texts.emplace_back(plain_words_in(tail->text()));
    }
  }
  // The client may have written its last message into the transcript already, whole or in parts.
  std::vector<std::string>& texts = words.texts;
  while (!texts.empty() && contains(last_message, trimmed(texts.back()))) texts.pop_back();
  signal::BlockReader reader;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    reader.read_plain(texts[i]);
    if (i + 1 == words.answered) reader.forget(signal::Signal::phase_error);
  }
  reader.read_plain(last_message);
  return reader.result();
}

}  // namespace capsule::client
