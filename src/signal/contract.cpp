#include "signal/contract.h"

#include <array>
#include <cstring>

#include "base/check.h"
#include "base/enum_count.h"
#include "json/byte_search.h"
#include "json/text.h"

namespace capsule::signal {
namespace {

constexpr std::string_view kBrokenSignal = "The last signal in the phase output is not valid JSON";
constexpr std::string_view kNoSignal = "No signal JSON found in phase output";

// In the order in which they are checked.
constexpr std::array<std::string_view, 4> kFields{"status", "feedback", "files_changed", "summary"};
static_assert(kFields[2].size() <= json::Scan::kKeyBytes);

constexpr std::string_view kStatusNames[] = {"PASS", "NEEDS_WORK", "ERROR"};
static_assert(std::size(kStatusNames) == enum_count<Status>());

// Most brackets stand in code and prose, where the next byte settles that no JSON begins: a glance
// at it saves setting up the machine, which is what a flood of brackets would otherwise cost.
struct Glance {
  bool settled;
  bool complete;   // an empty object or array; otherwise it fails
  const char* at;  // after the value, or the byte that fails
};

Glance glance(const char* bracket, const char* end) {
  constexpr std::ptrdiff_t kReach = 64;
  const bool object = *bracket == '{';
  const char* at = bracket + 1;
  const char* const stop = end - at > kReach ? at + kReach : end;
  while (at != stop && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')) ++at;
  if (at == stop) return {false, false, at};
  const char byte = *at;
  if (byte == (object ? '}' : ']')) return {true, true, at + 1};
  if (object) return {byte != '"', false, at};
  const bool begins_value = byte == '"' || byte == '{' || byte == '[' || byte == '-' ||
                            (byte >= '0' && byte <= '9') || byte == 't' || byte == 'f' ||
                            byte == 'n';
  return {!begins_value, false, at};
}

bool is_string(std::string_view json) { return json.front() == '"'; }

ContractResult faulty(ContractFault fault, std::string_view feedback) {
  return {fault, synthetic_error(feedback)};
}

// The checks on the last object, in their order.
ContractResult check_object(std::string_view text) {
  std::optional<std::string> json = json::canonical(text);
  CHECK(json, "it was complete when it was read");
  std::array<std::string_view, kFields.size()> fields;
  for (const json::Member& member : json::members_of(*json))
    for (std::size_t i = 0; i < kFields.size(); ++i)
      if (member.key.substr(1, member.key.size() - 2) == kFields[i]) fields[i] = member.value;
  for (std::size_t i = 0; i < kFields.size(); ++i)
    if (fields[i].empty())
      return faulty(ContractFault::missing_field,
                    "Missing required field: " + std::string(kFields[i]));
  const auto [status, feedback, files, summary] = fields;

  const std::string status_name = is_string(status) ? json::unquoted(status) : std::string(status);
  const std::optional<Status> known =
      is_string(status) ? status_of(status_name) : std::optional<Status>();
  if (!known)
    return faulty(ContractFault::invalid_status,
                  "Invalid status value: " + status_name + " (must be PASS, NEEDS_WORK, or ERROR)");
  if (files.front() != '[')
    return faulty(ContractFault::files_not_array, "files_changed must be an array");
  ContractSignal signal;
  for (std::string_view file : json::elements_of(files)) {
    if (!is_string(file))
      return faulty(ContractFault::files_not_strings, "files_changed must be an array of strings");
    signal.files_changed.push_back(json::unquoted(file));
  }
  if (!is_string(feedback))
    return faulty(ContractFault::feedback_not_string, "feedback must be a string");
  if (!is_string(summary))
    return faulty(ContractFault::summary_not_string, "summary must be a string");
  signal.status = *known;
  signal.feedback = json::unquoted(feedback);
  signal.summary = json::unquoted(summary);
  signal.json = std::move(*json);
  return {ContractFault::none, std::move(signal)};
}

}  // namespace

std::string_view name_of(Status status) { return kStatusNames[static_cast<std::size_t>(status)]; }

std::optional<Status> status_of(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kStatusNames); ++i)
    if (kStatusNames[i] == name) return static_cast<Status>(i);
  return std::nullopt;
}

Miss miss_of(ContractFault fault) {
  switch (fault) {
    case ContractFault::none:
      return Miss::none;
    case ContractFault::no_signal:
      return Miss::no_signal;
    case ContractFault::broken_signal:
      return Miss::broken_json;
    case ContractFault::missing_field:
      return Miss::missing_field;
    case ContractFault::invalid_status:
      return Miss::unknown_status;
    case ContractFault::files_not_array:
    case ContractFault::files_not_strings:
    case ContractFault::feedback_not_string:
    case ContractFault::summary_not_string:
      break;
  }
  return Miss::wrong_type;
}

ContractSignal synthetic_error(std::string_view feedback) {
  constexpr std::string_view kSummary = "Phase did not produce a signal";
  // What the fields hold is what the JSON says, also when the reason is not UTF-8.
  const std::string quoted = json::quoted(feedback);
  return {Status::error,
          json::unquoted(quoted),
          {},
          std::string(kSummary),
          R"({"status":"ERROR","feedback":)" + quoted + R"(,"files_changed":[],"summary":")" +
              std::string(kSummary) + "\"}"};
}

// A failed object is a broken signal when its first key is one of the four. A key that the end of
// the input cuts off may still become one of them.
bool ContractWalk::is_broken_signal(bool cut_off) const {
  if (!scan_.is_object()) return false;
  const json::Scan::Key state = scan_.first_key_state();
  const std::string_view key = scan_.first_key();
  for (std::string_view field : kFields) {
    if (state == json::Scan::Key::closed && key == field) return true;
    if (state == json::Scan::Key::open && cut_off && field.starts_with(key)) return true;
  }
  return false;
}

bool ContractWalk::only_blanks_before(const char* first, const char* at) const {
  for (; at != first; --at) {
    if (at[-1] == '\n') return true;
    if (at[-1] != ' ' && at[-1] != '\t' && at[-1] != '\r') return false;
  }
  return line_is_blank_;
}

template <class Found>
void ContractWalk::feed(std::string_view chunk, Found&& found) {
  using Kind = ContractNote::Kind;
  const char* const first = chunk.data();
  const char* const end = first + chunk.size();
  const char* at = first;
  const auto offset = [&] { return base_ + static_cast<std::uint64_t>(at - first); };
  while (at != end) {
    if (mode_ == Mode::rest_of_line) {
      const void* line_feed = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
      if (line_feed == nullptr) break;
      at = static_cast<const char*>(line_feed) + 1;
      mode_ = Mode::text;
      continue;
    }
    if (mode_ == Mode::text) {
      if (*at != '{' && *at != '[') at = json::find_bracket(at, end);
      if (at == end) break;
      begin_ = offset();
      if (const Glance seen = glance(at, end); seen.settled) {
        const bool object = *at == '{';
        at = seen.at;
        if (seen.complete)
          found(Value{object ? Kind::object : Kind::array, begin_, offset(), json::Fault::none});
        else
          found(Value{object ? Kind::failed_object : Kind::failed_array, begin_, offset(),
                      json::Fault::unexpected_byte});
        continue;
      }
      scan_.begin();
      mode_ = Mode::value;
    }
    const json::Scan::Step step = scan_.read({at, end});
    at += step.used;
    if (step.verdict == json::Scan::Verdict::more) break;
    mode_ = Mode::text;
    if (step.verdict == json::Scan::Verdict::complete) {
      found(Value{scan_.is_object() ? Kind::object : Kind::array, begin_, offset(),
                  json::Fault::none});
      continue;
    }
    // Going on at the byte that failed keeps the whole linear: only that byte is read again.
    if (is_broken_signal(false)) {
      found(Value{Kind::broken_signal, begin_, offset(), scan_.fault()});
      if (!only_blanks_before(first, at)) mode_ = Mode::rest_of_line;
    } else {
      found(Value{scan_.is_object() ? Kind::failed_object : Kind::failed_array, begin_, offset(),
                  scan_.fault()});
#ifdef CAPSULE_PLANTED_BUG
      if (scan_.first_key_state() != json::Scan::Key::none) ++at;  // for the test of the fuzzer
#endif
    }
  }
  line_is_blank_ = only_blanks_before(first, end);
  base_ += chunk.size();
}

template <class Found>
void ContractWalk::finish(Found&& found) {
  using Kind = ContractNote::Kind;
  if (mode_ != Mode::value) return;
  Kind kind = scan_.is_object() ? Kind::failed_object : Kind::failed_array;
  if (is_broken_signal(true)) kind = Kind::broken_signal;
  found(Value{kind, begin_, base_, json::Fault::cut_off});
}

namespace {

struct Verdict {
  std::optional<ContractWalk::Value> candidate;
  std::optional<ContractWalk::Value> broken;  // after the candidate
};

Verdict last_of(std::string_view output) {
  Verdict verdict;
  ContractWalk walk;
  const auto note = [&](const ContractWalk::Value& value) {
    if (value.kind == ContractNote::Kind::object) {
      verdict.candidate = value;
      verdict.broken.reset();
    } else if (value.kind == ContractNote::Kind::broken_signal) {
      verdict.broken = value;
    }
  };
  walk.feed(output, note);
  walk.finish(note);
  return verdict;
}

ContractResult judge(const Verdict& verdict, std::string_view output) {
  if (verdict.broken) return faulty(ContractFault::broken_signal, kBrokenSignal);
  if (!verdict.candidate) return faulty(ContractFault::no_signal, kNoSignal);
  return check_object(
      output.substr(verdict.candidate->begin, verdict.candidate->end - verdict.candidate->begin));
}

std::string why(const ContractWalk::Value& value, bool taken, const ContractResult& result) {
  const std::string broken(sentence_of(value.fault));
  switch (value.kind) {
    case ContractNote::Kind::object:
      if (!taken) return "a later object or broken signal decides";
      return result.fault == ContractFault::none
                 ? "the last JSON object: the signal"
                 : "the last JSON object: " + result.signal.feedback;
    case ContractNote::Kind::array:
      return "an array is not a signal, and neither is anything in it";
    case ContractNote::Kind::failed_object:
    case ContractNote::Kind::failed_array:
      return "not JSON: " + broken;
    case ContractNote::Kind::broken_signal:
      return (taken ? "the last signal, and it is broken: " : "a broken signal: ") + broken;
  }
  return {};
}

}  // namespace

ContractResult parse_contract(std::string_view output) { return judge(last_of(output), output); }

void explain_contract(std::string_view output,
                      const std::function<void(const ContractNote&)>& tell) {
  const Verdict verdict = last_of(output);
  const ContractResult result = judge(verdict, output);
  const auto& taken = verdict.broken ? verdict.broken : verdict.candidate;
  const auto note = [&](const ContractWalk::Value& value) {
    const bool is_taken = taken && taken->begin == value.begin;
    tell({value.kind, value.begin, value.end, value.fault, is_taken, why(value, is_taken, result)});
  };
  ContractWalk walk;
  walk.feed(output, note);
  walk.finish(note);
}

std::vector<ContractNote> explain_contract(std::string_view output) {
  std::vector<ContractNote> notes;
  explain_contract(output, [&](const ContractNote& note) { notes.push_back(note); });
  return notes;
}

void ContractScanner::feed(std::string_view chunk) {
  const bool was_open = walk_.in_object();
  std::optional<ContractWalk::Value> last;
  walk_.feed(chunk, [&](const ContractWalk::Value& value) {
    if (value.kind == ContractNote::Kind::object) {
      last = value;
      broken_since_ = false;
    } else if (value.kind == ContractNote::Kind::broken_signal) {
      broken_since_ = true;
    }
  });
  // Text is copied once a piece, however many objects were complete in it.
  if (last) {
    has_candidate_ = true;
    const std::size_t end = static_cast<std::size_t>(last->end - base_);
    if (last->begin < base_) {
      partial_ += chunk.substr(0, end);
      candidate_.swap(partial_);
    } else {
      const auto begin = static_cast<std::size_t>(last->begin - base_);
      candidate_ = chunk.substr(begin, end - begin);
    }
  }
  if (!walk_.in_object()) {
    partial_.clear();
  } else if (was_open && walk_.value_begin() < base_) {
    partial_ += chunk;
  } else {
    partial_ = chunk.substr(static_cast<std::size_t>(walk_.value_begin() - base_));
  }
  base_ += chunk.size();
}

ContractResult ContractScanner::finish() {
  walk_.finish([&](const ContractWalk::Value& value) {
    if (value.kind == ContractNote::Kind::broken_signal) broken_since_ = true;
  });
  if (broken_since_) return faulty(ContractFault::broken_signal, kBrokenSignal);
  if (!has_candidate_) return faulty(ContractFault::no_signal, kNoSignal);
  return check_object(candidate_);
}

}  // namespace capsule::signal
