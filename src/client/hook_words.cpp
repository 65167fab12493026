#include "client/hook_words.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"
#include "client/lenient_json.h"
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

// Where words come from that a person gave; others are the client's own, such as a task's
// notification, or another agent's. A kind that nobody knows is no person.
constexpr std::string_view kPersonsKinds[] = {"human",      "person",     "composer",
                                              "suggestion", "voice-call", "remote"};

// What the client notes beside a message.
struct Notes {
  bool helpers = false;       // a helper's own conversation
  bool notification = false;  // of a task that has ended; it may quote anything
  bool clients = false;       // in the user's name, but by the client itself
};

Notes notes_of(std::string_view line) {
  const auto json = lenient_object(line);
  if (!json) return {true, true, true};
  const std::string kind = json->object("origin").text("kind").value_or("");
  const auto* const end = std::end(kPersonsKinds);
  Notes notes;
  notes.helpers = json->boolean("isSidechain") == true;
  notes.notification = kind == "task-notification";
  notes.clients = json->boolean("isMeta") == true || json->boolean("isCompactSummary") == true ||
                  json->text("promptSource") == "system" ||
                  (!kind.empty() && std::find(std::begin(kPersonsKinds), end, kind) == end);
  return notes;
}

// A user's record without what tools found. In a text the quotes are escaped.
bool is_words(const signal::Record& record, std::string_view line) {
  return record.speaker == signal::Speaker::user && !record.texts.empty() &&
         !contains(line, "\"tool_result\"");
}

// The record by which one stop is told from the next: the newest words that the session was given,
// for every turn begins with some; in a turn that is longer than `tail`, its newest record.
std::string newest_record(std::string_view tail) {
  std::string newest;
  while (!tail.empty()) {
    const void* feed = ::memrchr(tail.data(), '\n', tail.size());
    const std::size_t start =
        feed == nullptr
            ? 0
            : static_cast<std::size_t>(static_cast<const char*>(feed) - tail.data()) + 1;
    const std::string_view line = tail.substr(start);
    tail = tail.substr(0, start == 0 ? 0 : start - 1);
    const bool may_be_words = contains(line, "\"user\"") && !contains(line, "\"tool_result\"");
    if (!may_be_words && !newest.empty()) continue;
    const auto record = signal::read_record(line);
    if (!record || record->speaker == signal::Speaker::other) continue;
    const bool words = is_words(*record, line);
    if (!words && !newest.empty()) continue;
    const auto json = lenient_object(line);
    if (!json || json->boolean("isSidechain") == true) continue;
    const std::string id = json->text("uuid").value_or("");
    if (words) return id;
    newest = id;
  }
  return newest;
}

std::string hex(std::uint64_t number) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
  return text;
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
    if (!record || record->speaker == signal::Speaker::other) continue;
    const Notes notes = notes_of(line);
    if (notes.helpers || notes.notification) continue;
    if (signal::is_continuation(*record) || starts_auto(*record)) words = {};
    if (may_answer && !notes.clients && is_words(*record, line))
      words.answered = words.texts.size();
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

Result<LastWords> read_words(const std::string& path, std::string_view last_message,
                             bool which_stop, std::size_t tail_bytes) {
  Words words;
  LastWords last;
  if (!path.empty()) {
    const auto tail = Tail::open(path, tail_bytes);
    if (!tail && last_message.empty()) return tl::unexpected(tail.error());
    if (!tail) {
      last.complaint = tail.error().message;
    } else if (path.ends_with(".jsonl") || signal::is_transcript(tail->text())) {
      words = words_in(tail->text());
      const std::string record = which_stop ? newest_record(tail->text()) : "";
      if (!record.empty()) last.stop = record + "-" + hex(hash_of(last_message));
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
  last.signals = reader.result();
  return last;
}

}  // namespace capsule::client
