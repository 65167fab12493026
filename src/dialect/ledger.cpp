#include "dialect/ledger.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"

namespace capsule::dialect {
namespace {

constexpr std::size_t kMaxModels = 8;
constexpr std::size_t kMaxTools = 256;
constexpr std::size_t kMaxNameBytes = 200;

std::string short_text(std::string_view text, std::size_t bytes) {
  // Only what can be shown is made printable.
  text = cut(trimmed(text.substr(0, std::min(text.size(), 4 * bytes))), bytes);
  return printable(text);
}

std::string first_line(std::string_view text) {
  text = trimmed(text);
  const std::size_t end = text.find('\n');
  return short_text(text.substr(0, end), kDetailBytes) + (end == text.npos ? "" : " …");
}

std::size_t lines_in(std::string_view text) {
  if (text.empty()) return 0;
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) +
         (text.back() == '\n' ? 0 : 1);
}

// The words of a shell before its command tell nothing: /bin/bash -lc 'go test'.
std::string_view without_shell(std::string_view command) {
  const std::size_t program = command.find(' ');
  if (program == command.npos || !command.substr(0, program).ends_with("sh")) return command;
  std::string_view rest = command.substr(program + 1);
  if (!rest.starts_with("-lc ") && !rest.starts_with("-c ")) return command;
  rest.remove_prefix(rest.find(' ') + 1);
  if (rest.size() >= 2 && rest.front() == rest.back() &&
      (rest.front() == '\'' || rest.front() == '"'))
    rest = rest.substr(1, rest.size() - 2);
  return rest;
}

// The first of these members that there is says what a call is about.
constexpr std::string_view kSubjects[] = {
    "file_path", "filePath", "absolute_path", "notebook_path", "path",  "pattern",    "query",
    "url",       "skill",    "description",   "prompt",        "title", "target_file"};

std::string changed_lines(json::View input) {
  const auto of = [&](std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (const json::View text = input[name]; text.is_string()) return lines_in(text.text());
    return std::size_t{0};
  };
  const std::size_t more = of({"new_string", "newString", "new_str", "content", "file_text"});
  const std::size_t less = of({"old_string", "oldString", "old_str"});
  if (more == 0 && less == 0) return {};
  return " +" + std::to_string(more) + (less == 0 ? "" : " −" + std::to_string(less));
}

// No client has used so much: whoever says so would spoil every sum.
constexpr std::int64_t kMost = 1'000'000'000'000;
constexpr int kMostTurns = 1'000'000;

event::TokenUse believable(event::TokenUse use) {
  for (const auto field :
       {&event::TokenUse::input, &event::TokenUse::output, &event::TokenUse::cache_read,
        &event::TokenUse::cache_written, &event::TokenUse::cost_micros})
    use.*field = std::clamp<std::int64_t>(use.*field, 0, kMost);
  use.turns = std::clamp(use.turns, 0, kMostTurns);
  return use;
}

}  // namespace

std::int64_t token_count(json::View number) {
  return std::clamp<std::int64_t>(number.integer(), 0, kMost);
}

int small_count(json::View number) {
  return static_cast<int>(std::clamp<std::int64_t>(number.integer(), 0, kMostTurns));
}

std::optional<std::int64_t> money(json::View amount) {
  const std::optional<double> value = amount.number();
  constexpr double kMicros = 1e6;
  if (!value || !(*value >= 0) || *value * kMicros > static_cast<double>(kMost))
    return std::nullopt;
  return static_cast<std::int64_t>(std::llround(*value * kMicros));
}

std::string tool_detail(std::string_view /*name*/, json::View input) {
  if (input.is_string()) return first_line(input.text());
  for (const char* key : {"command", "cmd", "script"}) {
    const json::View command = input[key];
    if (command.is_string()) return first_line(without_shell(command.text()));
    if (!command.is_array()) continue;
    std::vector<std::string> words;
    for (const json::View word : command) words.push_back(word.text());
    if (words.size() == 3 && words[1].starts_with("-")) return first_line(words[2]);
    return first_line(joined(words, " "));
  }
  for (const std::string_view key : kSubjects)
    if (const json::View subject = input[key]; subject.is_string())
      return first_line(subject.text()) + changed_lines(input);
  return {};
}

void Ledger::tell(Event event) {
  if (tell_) tell_(event);
}

// It becomes an argument of the client when the session goes on: never an option of its.
void Ledger::session(std::string id) {
  if (id.empty() || id.size() > kMaxNameBytes || id == reading_.session) return;
  const bool plain = std::all_of(id.begin(), id.end(), [](char byte) {
    return is_letter(byte) || is_digit(byte) || byte == '-' || byte == '_' || byte == '.' ||
           byte == ':';
  });
  if (!plain || id.front() == '-') return;
  reading_.session = std::move(id);
  tell({.kind = Event::Kind::session, .text = printable(reading_.session)});
}

void Ledger::version(std::string version) {
  if (version.empty() || version.size() > kMaxNameBytes || version == reading_.version) return;
  reading_.version = std::move(version);
  tell({.kind = Event::Kind::version, .text = printable(reading_.version)});
}

void Ledger::model(std::string name) {
  auto& models = reading_.models;
  if (name.empty() || name.size() > kMaxNameBytes || models.size() == kMaxModels) return;
  if (std::find(models.begin(), models.end(), name) != models.end()) return;
  models.push_back(std::move(name));
  tell({.kind = Event::Kind::model, .text = printable(models.back())});
}

void Ledger::says(std::string text) {
  fresh_ = true;
  if (text.empty()) return;
  says_more(text);
  fresh_ = true;
}

void Ledger::says_more(std::string_view piece) {
  if (piece.empty()) return;
  const bool begins = std::exchange(fresh_, false);
  if (begins) reading_.text.clear();
  reading_.text += piece;
  // Of more than that the end counts: signals stand there.
  if (reading_.text.size() > 2 * kMaxFinalBytes)
    reading_.text.erase(0, reading_.text.size() - kMaxFinalBytes);
  if (!tell_) return;
  tell({.kind = Event::Kind::text,
        .text = short_text(piece, kWordsBytes),
        .whole = std::string(piece),
        .more = !begins});
}

void Ledger::says_part(const std::string& id, std::string_view piece) {
  if (id.empty() || id != message_) fresh_ = true;
  message_ = id;
  says_more(piece);
}

void Ledger::thinks(std::string_view text) {
  tell({.kind = Event::Kind::thinking, .text = short_text(text, kWordsBytes)});
}

void Ledger::tool_started(const std::string& id, std::string_view name, json::View input) {
  fresh_ = true;
  Tool tool{short_text(name, 60), tool_detail(name, input)};
  tell({.kind = Event::Kind::tool_started, .tool = tool.name, .text = tool.detail});
  if (tools_.size() < kMaxTools) tools_.insert_or_assign(id, std::move(tool));
}

void Ledger::tool_ended(const std::string& id, bool ok, std::string_view result) {
  fresh_ = true;
  Event event{.kind = Event::Kind::tool_ended};
  if (auto tool = tools_.extract(id)) {
    event.tool = std::move(tool.mapped().name);
    event.text = std::move(tool.mapped().detail);
  }
  event.ok = ok;
  event.result = short_text(result, kWordsBytes);
  event.whole = result;
  tell(std::move(event));
}

void Ledger::waits(int status, std::int64_t delay_ms, std::string_view words) {
  tell({.kind = Event::Kind::waiting,
        .text = one_line(words),
        .status = status,
        .delay_ms = std::clamp<std::int64_t>(delay_ms, 0, kMost)});
}

void Ledger::compacted() {
  ++reading_.use.compactions;
  cached_ = 0;  // the conversation is another now
  tell({.kind = Event::Kind::compacted});
}

void Ledger::delivered(std::string_view message) {
  tell({.kind = Event::Kind::heard, .text = printable(cut(message, kMaxNameBytes))});
}

void Ledger::used(const event::TokenUse& use) {
  event::TokenUse sum = reading_.use;
  // Nothing was known before the first.
  if (sum.turns == 0) sum.tokens_known = sum.cost_known = true;
  const event::TokenUse believed = believable(use);
  sum = sum + believed;
  ++sum.turns;
  sum = believable(sum);
  // Less than half of what a cache had is read from it, and as much is put there: it was lost.
  const bool first = reading_.use.turns == 0;
  const std::int64_t had = cached_ > 0 ? cached_ : goes_on_ && first ? 1 : 0;
  if (believed.cache_read * 2 < had && believed.cache_written * 2 >= had) ++sum.cache_rewrites;
  cached_ = believed.cache_read + believed.cache_written;
  reading_.use = sum;
  tell({.kind = Event::Kind::tokens, .use = sum});
}

void Ledger::answer(const std::string& id, const event::TokenUse& use) {
  if (!use.tokens_known) return;
  if (id != answer_ || id.empty())
    before_answer_ = reading_.use, cached_before_ = cached_;
  else
    reading_.use = before_answer_, cached_ = cached_before_;
  answer_ = id;
  used(use);
}

void Ledger::used_since(const event::TokenUse& use) {
  event::TokenUse sum = settled_ ? believable(*settled_ + believable(use)) : believable(use);
  sum.compactions = reading_.use.compactions;
  sum.cache_rewrites = reading_.use.cache_rewrites;
  settled_ = reading_.use = sum;
  tell({.kind = Event::Kind::tokens, .use = sum});
}

void Ledger::used_in_all(const event::TokenUse& use, bool of_session) {
  const event::TokenUse before = reading_.use;
  reading_.use = believable(use);
  if (use.turns == 0) reading_.use.turns = before.turns;
  reading_.use.compactions = before.compactions;
  reading_.use.cache_rewrites = before.cache_rewrites;
  reading_.use_of_session = of_session;
  tell({.kind = Event::Kind::tokens, .use = reading_.use, .of_session = of_session});
}

void Ledger::failed(std::string_view words, int status, std::string_view code) {
  Failure failure = failure_of(words, status, code, moment_);
  if (failure.fault == event::Fault::usage_limit && failure.reset_at == 0)
    failure.reset_at = reset_at_;
  tell({.kind = Event::Kind::failed, .text = failure.words, .status = failure.status});
  // A later event that knows less about the same failure does not hide what it was.
  if (reading_.failure && failure.fault == event::Fault::exit_status) return;
  reading_.failure = std::move(failure);
}

void Ledger::recovered() {
  if (reading_.failure) reading_.setback = std::exchange(reading_.failure, std::nullopt);
}

void Ledger::closed() {
  reading_.closed = true;
  if (tell_) tell({.kind = Event::Kind::ended, .whole = reading_.text});
}

}  // namespace capsule::dialect
