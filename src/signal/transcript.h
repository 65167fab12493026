// Transcripts of agent clients: one JSON object a line. A line is read where it stands, in one
// pass and without building anything of its size; only its speaker and the places of its texts
// are kept. Pure; linear. Views point into the line.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace capsule::signal {

enum class Speaker {
  other,      // the system, a tool, a summary: nobody whose words count
  assistant,  // the agent
  user,       // a person or the client; tool results are not among its texts
};

// The inside of a JSON string, escapes and all. Decode it with for_each_line.
using RawText = std::string_view;

struct Record {
  Speaker speaker = Speaker::other;
  bool has_kind = false;  // it says what it is: a `type`, or a `role` of its own or its message's
  std::vector<RawText> texts{};  // in their order
};

// nullopt: the line is not one whole JSON object (RFC 8259, up to 128 levels), for example because
// it is still being written. Bytes that are not UTF-8 are let pass.
std::optional<Record> read_record(std::string_view line);

// Whether a text is a transcript: its first line that is not blank is an object that says what it
// is, and the next one, if there is one, begins like an object.
bool is_transcript(std::string_view text);

// The lines of a decoded text, one after the other, without their line feeds. Of a line that is
// longer than kMaxDecodedLineBytes only the beginning is told. A surrogate without its partner is
// decoded as U+FFFD. The view is valid during the call.
inline constexpr std::size_t kMaxDecodedLineBytes = std::size_t{64} << 10;
void for_each_line(RawText text, const std::function<void(std::string_view line)>& tell);

// Whether a user's record is what a Stop hook answered, so that the agent goes on: the client's
// words for it at the start of a text, or the heading of the continuation prompt on a line.
bool is_continuation(const Record& record);

}  // namespace capsule::signal
