// Signals: what a parser found, for programs, and the vocabulary, for both. Pure. Texts of agents
// are escaped as JSON.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "signal/block.h"
#include "signal/line.h"
#include "signal/vocabulary.h"

namespace capsule::ui {

// Takes the pieces of a text, one after the other: explaining a large one makes a larger one.
using Put = std::function<void(std::string_view)>;

// One line of JSON with the signal of a text, and with every candidate when it is to be explained.
// Return whether there is one.
bool contract_json(std::string_view text, bool explain, const Put& put);
bool line_json(std::string_view text, const signal::LineOptions& options, bool explain,
               const Put& put);
bool block_json(std::string_view text, const signal::BlockOptions& options, bool explain,
                const Put& put);

// The vocabulary, a signal a line.
std::string signal_table(std::span<const signal::Row> rows);
std::string signals_json(std::span<const signal::Row> rows);

}  // namespace capsule::ui
