#include "ui/transcript.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "ui/activity_text.h"
#include "ui/attempt_text.h"
#include "ui/usage_text.h"

namespace capsule::ui {
namespace {

using dialect::Event;
using Kind = dialect::Event::Kind;

constexpr std::size_t kResultColumns = 100;
constexpr std::size_t kThoughtColumns = 300;

std::size_t lines_of(std::string_view text) {
  text = trimmed(text);
  return text.empty() ? 0
                      : static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
}

// "14 turns, 18.2k tokens in, 3.1k out, 120k from a cache, cost 0.42"
std::string use_words(const event::TokenUse& use) {
  std::vector<std::string> parts;
  if (use.turns > 0) parts.push_back(counted(use.turns, "turn"));
  if (use.tokens_known) {
    parts.push_back(short_count(use.input) + " tokens in");
    parts.push_back(short_count(use.output) + " out");
    if (use.cache_read > 0) parts.push_back(short_count(use.cache_read) + " from a cache");
    if (use.cache_written > 0) parts.push_back(short_count(use.cache_written) + " into it");
  }
  if (use.cost_known && use.cost_micros > 0) parts.push_back("cost " + money_text(use.cost_micros));
  return joined(parts);
}

}  // namespace

std::string harmless_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return printable(replace_all(line, "\t", "    "));
}

class Transcript::Teller {
 public:
  explicit Teller(const Style& style) : style_(style) {}

  void take(const Event& event);
  void plain(std::string_view line) {
    settle();
    if (!trimmed(line).empty()) begin(Block::text), out_ += harmless_line(line) + "\n";
  }
  // Ends what waits for more of its kind.
  void settle() {
    if (!words_.empty()) out_ += harmless_line(std::exchange(words_, {})) + "\n";
    if (!thought_.empty()) {
      begin(Block::work);
      quiet(dot() +
            "thinking: " + fitted(replace_all(trimmed(thought_), "\n", " "), kThoughtColumns));
      thought_.clear();
    }
  }
  std::string take_out() { return std::exchange(out_, {}); }

 private:
  enum class Block { none, text, work };

  // Text and work stand apart.
  void begin(Block block) {
    if (block_ != Block::none && block_ != block) out_ += "\n";
    block_ = block;
  }
  std::string dot() const { return style_.unicode ? "· " : "- "; }
  void row(Tone tone, const std::string& text) { out_ += toned(style_, tone, text) + "\n"; }
  void quiet(const std::string& text) { row(Tone::quiet, text); }
  void work(Tone tone, const std::string& text) {
    settle();
    begin(Block::work);
    row(tone, text);
  }

  void says(const Event& event);
  void tool_started(const Event& event);
  void tool_ended(const Event& event);
  void ended(const Event& event);

  const Style style_;
  std::string out_;
  Block block_ = Block::none;
  std::string words_;    // of a line of text that is not complete
  std::string message_;  // the newest one
  std::string thought_;
  std::string newest_;  // the tool that was started last
  std::string version_;
  std::string failure_;  // the newest one
  bool failed_ = false, closed_ = false;
  event::TokenUse use_;
  bool of_session_ = false;  // use_: with what earlier calls in its session used
};

void Transcript::Teller::take(const Event& event) {
  const bool works = event.kind == Kind::text || event.kind == Kind::tool_started ||
                     event.kind == Kind::thinking || event.kind == Kind::waiting;
  if (works) closed_ = false, failure_.clear();
  switch (event.kind) {
    case Kind::session:
    case Kind::heard:
      break;
    case Kind::version:
      version_ = event.text;
      break;
    case Kind::model:
      work(Tone::quiet,
           dot() + "model " + event.text + (version_.empty() ? "" : ", client " + version_));
      version_.clear();
      break;
    case Kind::text:
      says(event);
      break;
    case Kind::thinking:
      if (thought_.empty() && !words_.empty()) settle();
      if (thought_.size() < 4 * kThoughtColumns) thought_ += event.text + " ";
      break;
    case Kind::tool_started:
      tool_started(event);
      break;
    case Kind::tool_ended:
      tool_ended(event);
      break;
    case Kind::waiting: {
      dialect::Activity waits;
      dialect::fold(waits, event, 0);
      work(Tone::warn, std::string(mark(style_, signal::Status::needs_work)) + " " +
                           activity_words(waits) + ", tries again" +
                           (event.delay_ms > 0 ? " in " + duration(event.delay_ms) : ""));
      break;
    }
    case Kind::compacted:
      work(Tone::quiet, dot() + "the conversation was shortened");
      break;
    case Kind::tokens:
      use_ = event.use;
      of_session_ = event.of_session;
      break;
    case Kind::failed:
      // Some clients tell it twice.
      if (failure_ == event.text && !event.text.empty()) break;
      failure_ = event.text;
      failed_ = true;
      work(Tone::bad, std::string(mark(style_, signal::Status::error)) + " failed" +
                          (event.status > 0 ? " (" + std::to_string(event.status) + ")" : "") +
                          (event.text.empty() ? "" : ": " + event.text));
      break;
    case Kind::ended:
      ended(event);
      break;
  }
}

// Lines as they are complete; the last one may go on with the next piece.
void Transcript::Teller::says(const Event& event) {
  if (!event.more || !thought_.empty()) settle();
  if (!event.more) message_.clear();
  message_ += event.whole;
  std::string_view rest = event.whole;
  if (!event.more)
    while (rest.starts_with('\n') || rest.starts_with('\r')) rest.remove_prefix(1);
  if (trimmed(rest).empty() && !event.more) return;
  if (!event.more && block_ == Block::text) out_ += "\n";
  begin(Block::text);
  for (std::size_t end; (end = rest.find('\n')) != rest.npos; rest.remove_prefix(end + 1)) {
    words_ += rest.substr(0, end);
    out_ += harmless_line(std::exchange(words_, {})) + "\n";
  }
  words_ += rest;
}

void Transcript::Teller::tool_started(const Event& event) {
  settle();
  begin(Block::work);
  newest_ = event.tool + " " + event.text;
  out_ += toned(style_, Tone::plain, style_.unicode ? "▸ " : "> ") +
          toned(style_, Tone::strong, event.tool) + (event.text.empty() ? "" : " " + event.text) +
          "\n";
}

void Transcript::Teller::tool_ended(const Event& event) {
  settle();
  begin(Block::work);
  // Not every client says whether a command went well: nothing is ticked. Of several at once it is
  // said which.
  const std::string_view sign = !event.ok        ? mark(style_, signal::Status::error)
                                : style_.unicode ? "└"
                                                 : "|";
  const std::string who = event.tool + " " + event.text;
  const std::string head =
      "  " + std::string(sign) + " " + (who == newest_ || event.tool.empty() ? "" : who + ": ");
  newest_.clear();
  const std::size_t lines = lines_of(event.whole);
  if (!event.ok && lines > 1) {
    row(Tone::bad, head + "failed");
    out_ += excerpt(event.whole, "    ");
    return;
  }
  const std::string_view text = trimmed(event.whole);
  const std::string first =
      fitted(replace_all(text.substr(0, std::min(text.find('\n'), 8 * kResultColumns)), "\t", "  "),
             kResultColumns);
  row(event.ok ? Tone::quiet : Tone::bad,
      head + first + (lines > 1 ? " (and " + counted(lines - 1, "more line") + ")" : ""));
}

void Transcript::Teller::ended(const Event& event) {
  settle();
  if (std::exchange(closed_, true)) return;
  if (!failed_ && !trimmed(event.whole).empty() && trimmed(event.whole) != trimmed(message_)) {
    says({.kind = Kind::text, .whole = event.whole});
    settle();
  }
  failed_ = false;
  std::string use = use_words(use_);
  if (of_session_ && use_.tokens_known) use += ", in all of its session";
  work(Tone::quiet, dot() + "ended" + (use.empty() ? "" : ": " + use));
}

Transcript::Transcript(dialect::Output output, const Style& style)
    : teller_(std::make_unique<Teller>(style)),
      reader_(output, {}, [teller = teller_.get()](const Event& event) { teller->take(event); }) {}
Transcript::~Transcript() = default;
Transcript::Transcript(Transcript&&) noexcept = default;
Transcript& Transcript::operator=(Transcript&&) noexcept = default;

// What is no event is the client's own word, such as a warning; objects that are none are events
// that nobody knows, or one that was cut off.
void Transcript::line(std::string_view text) {
  const std::string_view inside = trimmed(text);
  if (!inside.starts_with('{')) return teller_->plain(text);
  reader_.feed(std::string(text) + "\n");
}

std::string Transcript::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (partial_.size() + part.size() > dialect::kMaxLineBytes) too_long_ = true, partial_.clear();
    if (!too_long_) partial_ += part;
    if (end == bytes.npos) break;
    if (!std::exchange(too_long_, false)) line(partial_);
    partial_.clear();
    bytes.remove_prefix(end + 1);
  }
  return teller_->take_out();
}

std::string Transcript::flush() {
  if (!too_long_ && !partial_.empty()) line(std::exchange(partial_, {}));
  teller_->settle();
  return teller_->take_out();
}

}  // namespace capsule::ui
