// What an agent said since its session was last told to go on: from the transcript's end and the
// client's event. Threads: any.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "signal/block.h"

namespace capsule::client {

// How much of a transcript's end is looked at: a signal stands at the end of a turn. When only
// signals of other phases stand there, the one that is wanted may be further back: one turn can end
// several phases.
inline constexpr std::size_t kTailBytes = std::size_t{1} << 20;
inline constexpr std::size_t kLongTailBytes = std::size_t{64} << 20;

struct Words {
  std::vector<std::string> texts;
  std::size_t answered = 0;  // so many of them stand before a person's last message
};

// The assistant's texts after the last continuation, in order; only those that may hold a signal.
// `tail` is the end of a transcript, from the start of a line on.
Words words_in(std::string_view tail);

// The same of plain text.
std::string_view plain_words_in(std::string_view text);

struct LastWords {
  signal::BlockResult signals;
  std::string stop = {};       // SessionStop::id: which stop this is
  std::string complaint = {};  // why the transcript could not be read
};

// PHASE_ERROR asks for a person: what a person wrote after it settles it. Helpers of the session
// and what the client says by itself, such as that a task has ended, neither settle nor signal.
//
// Reads the end of the transcript at `path` (empty: there is none) and then `last_message`, unless
// the transcript holds it already. A transcript that cannot be read is an error only when there is
// no last message; otherwise `complaint` says so. Which stop it is is told only when asked for.
Result<LastWords> read_words(const std::string& path, std::string_view last_message,
                             bool which_stop = false, std::size_t tail_bytes = kTailBytes);

}  // namespace capsule::client
