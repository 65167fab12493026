#include "dialect/reader.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/text.h"
#include "dialect/ledger.h"

namespace capsule::dialect {
namespace {

using Read = bool (*)(json::View, Ledger&);

constexpr Read kReads[] = {nullptr,    read_claude, read_codex,   read_gemini, read_opencode,
                           read_goose, read_qwen,   read_copilot, read_kimi,   read_grok};
static_assert(std::size(kReads) == kOutputs);

// What a client tells nothing of, however often it happens.
struct Untold {
  bool cache, written, compactions, rewrites;
};
constexpr Untold kUntold[] = {
    {true, true, true, true},      // text
    {false, false, false, false},  // claude
    {false, false, true, true},    // codex
    {false, true, true, true},     // gemini
    {false, false, true, false},   // opencode
    {true, true, false, true},     // goose
    // Who does not tell what it put into a cache cannot show that it had to be put there again.
    {false, true, false, true},  // qwen
    {true, true, false, true},   // copilot
    {true, true, true, true},    // kimi
    {false, false, true, true},  // grok
};
static_assert(std::size(kUntold) == kOutputs);

// What is not UTF-8 becomes U+FFFD; a client may pass on what a tool printed.
std::string mended(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0)
      out += "\xEF\xBF\xBD";
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return out;
}

bool maybe_object(std::string_view line) {
  line = trimmed(line);
  return line.starts_with('{') && line.ends_with('}');
}

bool read_with(Read read, std::string_view line, Ledger& ledger) {
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  if (!maybe_object(line)) return false;
  if (const auto object = json::View::of_object(line)) return read(*object, ledger);
  const std::string valid = mended(line);
  const auto object = json::View::of_object(valid);
  return object && read(*object, ledger);
}

// qwen speaks nearly as claude does, and says who it is in its first event.
Output named_in(std::string_view line, Output output) {
  const auto object = json::View::of_object(line);
  const bool qwen = object && (*object)["qwen_code_version"].is_string();
  return output == Output::claude_stream && qwen ? Output::qwen_stream : output;
}

}  // namespace

Reader::Reader(Output output, Moment moment, Tell tell)
    : output_(output), ledger_(std::make_unique<Ledger>(moment, std::move(tell))) {}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

void Reader::goes_on() { ledger_->goes_on(); }

void Reader::feed(std::string_view bytes) {
  if (output_ == Output::text) return;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (end != bytes.npos && partial_.empty() && !too_long_) {
      line(part);
    } else {
      if (partial_.size() + part.size() > kMaxLineBytes) too_long_ = true, partial_.clear();
      if (!too_long_) partial_ += part;
      if (end != bytes.npos) {
        if (!too_long_) line(partial_);
        partial_.clear();
        too_long_ = false;
      }
    }
    if (end == bytes.npos) break;
    bytes.remove_prefix(end + 1);
  }
}

bool Reader::streamed() const { return ledger_->reading().streamed; }

void Reader::line(std::string_view text) {
  if (text.size() > kMaxLineBytes) return;
  if (read_with(kReads[static_cast<std::size_t>(output_)], text, *ledger_))
    ledger_->reading().streamed = true;
}

Reading Reader::finish() {
  if (output_ != Output::text && !too_long_ && !partial_.empty()) line(partial_);
  Reading reading = std::move(ledger_->reading());
  if (reading.text.size() > kMaxFinalBytes)
    reading.text.erase(0, reading.text.size() - kMaxFinalBytes);
  const Untold& untold = kUntold[static_cast<std::size_t>(reading.streamed ? output_ : Output())];
  reading.use.cache_untold = untold.cache;
  reading.use.written_untold = untold.written;
  reading.use.compactions_untold = untold.compactions;
  reading.use.rewrites_untold = untold.rewrites;
  return reading;
}

Output output_of(std::string_view printed) {
  constexpr std::size_t kBeginning = 64 << 10;
  constexpr int kLines = 50;
  for (int i = 0; i < kLines && !printed.empty(); ++i) {
    const std::size_t end = std::min(printed.find('\n'), printed.size());
    const std::string_view line = printed.substr(0, end);
    if (line.size() <= kBeginning)
      for (int output = 1; output < kOutputs; ++output) {
        Ledger scratch({}, {});
        if (read_with(kReads[output], line, scratch))
          return named_in(line, static_cast<Output>(output));
      }
    printed.remove_prefix(std::min(end + 1, printed.size()));
  }
  return Output::text;
}

}  // namespace capsule::dialect
