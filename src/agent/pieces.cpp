#include "agent/pieces.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "dialect/pieces.h"
#include "json/text.h"
#include "json/view.h"

namespace capsule::agent {
namespace {

constexpr std::size_t kMaxPieceLine = 1 << 20, kMaxHeldBytes = 1 << 20;
constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

// What an array of bytes says; none: it is something else.
std::optional<std::string> bytes_of(std::string_view array) {
  const std::string text = "{\"a\":" + std::string(array) + "}";
  std::string bytes;
  const auto object = json::View::of_object(text);
  if (!object) return std::nullopt;
  for (const json::View element : (*object)["a"]) {
    const std::optional<double> number = element.number();
    if (!number || *number < 0 || *number > 255) return std::nullopt;
    bytes += static_cast<char>(static_cast<unsigned char>(*number));
  }
  return bytes;
}

}  // namespace

PieceRedaction::PieceRedaction(dialect::Output output, const std::vector<std::string>& secrets)
    : output_(output), looks_(dialect::tells_pieces(output)), secrets_(secrets), text_(secrets) {}

std::string_view PieceRedaction::feed(std::string_view bytes) {
  if (!looks_) return bytes;
  out_.clear();
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end == bytes.npos ? end : end + 1);
    add(part);
    bytes.remove_prefix(part.size());
  }
  return out_;
}

std::string_view PieceRedaction::finish() {
  if (!looks_) return {};
  out_.clear();
  if (!partial_.empty()) line();
  text_ends();
  pass_decided();
  return out_;
}

void PieceRedaction::add(std::string_view part) {
  const bool ends = part.ends_with('\n');
  partial_ += passing_ ? std::string_view() : part;
  // Only an event begins like this, and none that has a piece is that long.
  if (passing_ || !partial_.starts_with('{') || partial_.size() > kMaxPieceLine) {
    text_ends();
    pass_decided();
    out_ += passing_ ? part : std::string_view(partial_);
    partial_.clear();
    passing_ = !ends;
  } else if (ends) {
    line();
  }
}

// Reads `partial_`, a whole line.
void PieceRedaction::line() {
  std::string line = std::move(partial_);
  partial_.clear();
  std::vector<dialect::Piece> pieces = dialect::pieces_of(output_, line);
  const auto is_bytes = [](const dialect::Piece& piece) { return piece.value.starts_with('['); };
  if (std::any_of(pieces.begin(), pieces.end(), is_bytes)) {
    // Where they stand, as the line may move; from the end, as what is replaced moves what follows.
    std::vector<std::pair<std::size_t, std::size_t>> arrays;
    for (const dialect::Piece& piece : pieces)
      if (is_bytes(piece))
        arrays.emplace_back(static_cast<std::size_t>(piece.value.data() - line.data()),
                            piece.value.size());
    std::sort(arrays.rbegin(), arrays.rend());
    for (const auto& [at, size] : arrays) replace_bytes(line, at, size);
    pieces = dialect::pieces_of(output_, line);
    std::erase_if(pieces, is_bytes);
  }
  if (pieces.empty() || held_bytes_ > kMaxHeldBytes) text_ends();
  held_bytes_ += line.size();
  Held& held = held_.emplace_back(line);
  for (const dialect::Piece& piece : pieces) {
    if (piece.of != of_) text_ends();
    of_ = piece.of;
    held.spots.push_back({static_cast<std::size_t>(piece.value.data() - line.data()),
                          piece.value.size(), json::unquoted(piece.value), told_});
    told_ += held.spots.back().text.size();
    text_.feed(held.spots.back().text);
    decide(text_.decided());
  }
  pass_decided();
}

void PieceRedaction::replace_bytes(std::string& line, std::size_t at, std::size_t size) {
  const std::optional<std::string> bytes = bytes_of(std::string_view(line).substr(at, size));
  if (!bytes) return;
  Redaction redaction(secrets_);
  std::string text(redaction.feed(*bytes));
  text += redaction.finish();
  if (redaction.count() == 0) return;
  bytes_ += redaction.count();
  std::string numbers;
  for (const char byte : text)
    numbers += (numbers.empty() ? "" : ",") + std::to_string(static_cast<unsigned char>(byte));
  line.replace(at, size, "[" + numbers + "]");
}

// The text is decided up to there, by what text_ was just asked.
void PieceRedaction::decide(std::uint64_t until) {
  const bool news = until != decided_ || !text_.replaced().empty();
  decided_ = until;
  // Of what is still open as it was, only the newest piece is worth a look.
  for (auto held = news ? held_.begin() : held_.end() - (held_.empty() ? 0 : 1);
       held != held_.end(); ++held)
    for (Spot& spot : held->spots) {
      if (spot.decided) continue;
      const std::uint64_t end = spot.begin + spot.text.size();
      for (const Redaction::Span& span : text_.replaced())
        if (span.begin < end && span.end > spot.begin) spot.replaced.push_back(span);
      spot.decided = end <= until;
    }
}

void PieceRedaction::text_ends() {
  text_.finish();
  decide(kAll);
  told_ = decided_ = 0;
  of_.clear();
}

void PieceRedaction::pass_decided() {
  const auto decided = [](const Held& held) {
    return std::all_of(held.spots.begin(), held.spots.end(),
                       [](const Spot& spot) { return spot.decided; });
  };
  for (; !held_.empty() && decided(held_.front()); held_.pop_front()) {
    Held& held = held_.front();
    held_bytes_ -= held.line.size();
    for (auto spot = held.spots.rbegin(); spot != held.spots.rend(); ++spot)
      if (!spot->replaced.empty())
        held.line.replace(spot->at, spot->length, json::quoted(without_secrets(*spot)));
    out_ += held.line;
  }
}

// Where a secret begins stands that it was there.
std::string PieceRedaction::without_secrets(const Spot& spot) {
  std::string text;
  std::uint64_t at = spot.begin;
  const std::uint64_t end = spot.begin + spot.text.size();
  for (const Redaction::Span& span : spot.replaced) {
    if (span.begin >= spot.begin) {
      text += spot.text.substr(at - spot.begin, span.begin - at);
      text += kRedacted;
    }
    at = std::min(span.end, end);
  }
  return text + spot.text.substr(at - spot.begin);
}

}  // namespace capsule::agent
