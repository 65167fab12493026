#include "serve/transcripts.h"

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "dialect/output.h"
#include "json/text.h"
#include "ui/transcript.h"

namespace capsule::serve {
namespace {

// See dialect::output_of: what has no event in its first lines has none.
constexpr std::ptrdiff_t kFirstLines = 50;
constexpr std::size_t kFirstBytes = std::size_t{1} << 20;

// A log of ours is shorter; one in a worktree may be whatever an agent made of it.
constexpr std::size_t kMaxStreamBytes = std::size_t{64} << 20;

// Of an agent at work not the half of a character is told.
std::size_t whole_characters(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0U) == 0x80U) continue;
    const std::size_t length = byte >= 0xF0U ? 4 : byte >= 0xE0U ? 3 : byte >= 0xC0U ? 2 : 1;
    return length > back ? text.size() - back : text.size();
  }
  return text.size();
}

// Two streams each of two agents.
constexpr std::size_t kMostReadings = 4;

}  // namespace

// One stream, as far as it was read.
class Transcripts::Reading {
 public:
  explicit Reading(std::string key) : key_(std::move(key)) {}
  const std::string& key() const { return key_; }
  // Everything has been handed out, and no more will come: `over`.
  Result<std::string> piece(const Stream& stream, std::uint64_t from, bool& over);

 private:
  // One log, as far as it was read.
  struct Part {
    std::string name;
    std::size_t begin = 0;                       // of its words in text_
    std::string first;                           // of its bytes, while it may turn out to be events
    bool plain = false;                          // it has not
    std::unique_ptr<ui::Transcript> transcript;  // it has
  };
  void take(const std::string& name, std::string_view bytes);
  void finish(Part& part);
  std::size_t tellable() const;  // while more may come

  const std::string key_;
  world::LogFollower logs_;
  std::vector<Part> parts_;
  std::string text_;
  std::size_t read_ = 0;
};

Transcripts::Transcripts() = default;
Transcripts::~Transcripts() = default;

std::size_t Transcripts::Reading::tellable() const {
  // The beginning of an event looks like a text.
  const bool open = !parts_.empty() && !parts_.back().plain && !parts_.back().transcript;
  if (!open) return whole_characters(text_);
  const std::size_t line = text_.rfind('\n');
  return line == text_.npos ? 0 : line + 1;
}

void Transcripts::Reading::take(const std::string& name, std::string_view bytes) {
  if (parts_.empty() || parts_.back().name != name) {
    if (!parts_.empty()) finish(parts_.back());
    parts_.emplace_back();
    parts_.back().name = name;
    parts_.back().begin = text_.size();
  }
  Part& part = parts_.back();
  if (part.transcript) {
    text_ += part.transcript->feed(bytes);
    return;
  }
  text_ += bytes;
  if (part.plain) return;
  part.first += bytes;
  const dialect::Output output = dialect::output_of(part.first);
  if (output != dialect::Output::text) {
    text_.resize(part.begin);
    part.transcript = std::make_unique<ui::Transcript>(output, ui::Style{});
    text_ += part.transcript->feed(part.first);
    part.first = {};
  } else if (part.first.size() > kFirstBytes ||
             std::count(part.first.begin(), part.first.end(), '\n') >= kFirstLines) {
    part.plain = true;
    part.first = {};
  }
}

void Transcripts::Reading::finish(Part& part) {
  if (part.transcript) text_ += part.transcript->flush();
}

Result<std::string> Transcripts::Reading::piece(const Stream& stream, std::uint64_t from,
                                                bool& over) {
  (void)logs_.read(stream.files,
                   [this](const std::string& name, std::string_view bytes) -> Result<void> {
                     if (read_ > kMaxStreamBytes) return fail(Reason::refused, "too long");
                     read_ += bytes.size();
                     take(name, bytes);
                     return {};
                   });
  if (!logs_.found_any())
    return fail(Reason::not_found, "nothing was printed, or it was cleared away");
  if (!stream.at_work && !parts_.empty()) finish(parts_.back());
  const std::size_t size = stream.at_work ? tellable() : text_.size();
  const std::size_t begin = std::min<std::uint64_t>(from, size);
  const std::string_view piece =
      cut(std::string_view(text_).substr(begin, size - begin), kMaxPieceBytes);
  const std::size_t next = begin + piece.size();
  std::string json = "{\"from\":" + std::to_string(begin) + ",\"next\":" + std::to_string(next) +
                     ",\"size\":" + std::to_string(size) + ",\"text\":" + json::quoted(piece) + "}";
  over = !stream.at_work && next == size;
  return json;
}

Result<std::string> Transcripts::piece(const Stream& stream, std::uint64_t from) {
  const auto found = std::find_if(readings_.begin(), readings_.end(), [&](const Reading& reading) {
    return reading.key() == stream.key;
  });
  if (found == readings_.end())
    readings_.emplace_front(stream.key);
  else
    readings_.splice(readings_.begin(), readings_, found);
  if (readings_.size() > kMostReadings) readings_.pop_back();
  bool over = false;
  auto piece = readings_.front().piece(stream, from, over);
  if (over || !piece) readings_.pop_front();
  return piece;
}

}  // namespace capsule::serve
