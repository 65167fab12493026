#include "serve/transcripts.h"

#include <algorithm>

#include "base/text.h"
#include "dialect/output.h"
#include "json/text.h"

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

}  // namespace

void Transcripts::forget() {
  key_.clear();
  logs_ = std::make_unique<world::LogFollower>();
  parts_.clear();
  text_ = {};
  read_ = 0;
}

std::size_t Transcripts::tellable() const {
  // The beginning of an event looks like a text.
  const bool open = !parts_.empty() && !parts_.back().plain && !parts_.back().transcript;
  if (!open) return whole_characters(text_);
  const std::size_t line = text_.rfind('\n');
  return line == text_.npos ? 0 : line + 1;
}

void Transcripts::take(const std::string& name, std::string_view bytes) {
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

void Transcripts::finish(Part& part) {
  if (part.transcript) text_ += part.transcript->flush();
}

Result<std::string> Transcripts::piece(const Stream& stream, std::uint64_t from) {
  if (key_ != stream.key) forget();
  key_ = stream.key;
  (void)logs_->read(stream.files,
                    [this](const std::string& name, std::string_view bytes) -> Result<void> {
                      if (read_ > kMaxStreamBytes) return fail(Reason::refused, "too long");
                      read_ += bytes.size();
                      take(name, bytes);
                      return {};
                    });
  if (!logs_->found_any())
    return fail(Reason::not_found, "nothing was printed, or it was cleared away");
  if (!stream.at_work && !parts_.empty()) finish(parts_.back());
  const std::size_t size = stream.at_work ? tellable() : text_.size();
  const std::size_t begin = std::min<std::uint64_t>(from, size);
  const std::string_view piece =
      cut(std::string_view(text_).substr(begin, size - begin), kMaxPieceBytes);
  const std::size_t next = begin + piece.size();
  std::string json = "{\"from\":" + std::to_string(begin) + ",\"next\":" + std::to_string(next) +
                     ",\"size\":" + std::to_string(size) + ",\"text\":" + json::quoted(piece) + "}";
  if (!stream.at_work && next == size) forget();
  return json;
}

}  // namespace capsule::serve
