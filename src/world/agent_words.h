// From what an agent printed to its words, by dialect. Whatever it printed is hostile text, and
// what is kept of it is bounded.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "dialect/event.h"
#include "signal/line.h"
#include "workflow/step.h"

namespace capsule::world {

inline constexpr std::size_t kMaxWordsBytes = std::size_t{16} << 20;
inline constexpr std::size_t kPreviewCharacters = 200;
inline constexpr std::size_t kPreviewBytes = 4 * kPreviewCharacters;

// The first 200 characters, whole ones.
std::string preview_of(std::string_view printed);

// Writes the files of the experts that a signal names, and takes out of it who cannot be one.
// False: nobody is left, and the signal does not count.
using ExpertsCreated = std::function<bool(signal::LineResult&)>;

// A signal that the role may not send, or that is about another task, does not count.
// `missed` says then why; null: nobody asks.
workflow::LineWords line_words(std::string_view printed, std::string_view role,
                               std::string_view task, const ExpertsCreated& created,
                               signal::Missed* missed = nullptr);

workflow::BlockWords block_words(std::string_view printed, signal::Missed* missed = nullptr);

workflow::VerdictWords verdict_words(std::string_view printed);

// Which of the models that answered is told, printable; empty: none is known. Of several it is one
// that shows that the client did not keep to what it was asked for (empty: nothing), where those
// that it asks on the side are not among them.
std::string model_of(const dialect::Reading& reading, std::string_view asked);

// What the assistant said: of a transcript its decoded texts, else the text as it is. Of more than
// kMaxWordsBytes the end, from the beginning of a line.
std::string said_in(std::string_view printed);

}  // namespace capsule::world
