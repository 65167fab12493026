// The block dialect: a line `SIGNAL: NAME` with `KEY: value` lines after it. Pure; linear for every
// input; results own their bytes; memory is bounded whatever the size of the text. Rules:
// docs/contracts/signals.md.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "signal/miss.h"
#include "signal/vocabulary.h"

namespace capsule::signal {

struct BlockOptions {
  // The phase that the text was written in. A completion that this phase, and those that the text
  // itself completes after it, do not wait for, is still recognised, with a warning.
  std::optional<Phase> phase = std::nullopt;
  Skips skips = {};  // which phases NEXT may pass over
};

using BlockFields = std::vector<std::pair<std::string, std::string>>;  // keys in capitals

// A valid signal and where it stands: in a transcript, where its record begins.
struct BlockSighting {
  Signal signal;
  std::size_t offset;
};

struct BlockResult {
  std::optional<Signal> signal;
  BlockFields fields;
  std::vector<std::string> warnings;
  std::size_t offset = 0;
  // Every valid completion, AUTO_COMPLETE and PHASE_ERROR in the order of the text, without those
  // that were taken back: one turn may end several phases.
  std::vector<BlockSighting> sequence;

  const std::string* field(std::string_view key) const;
};

enum class BlockVerdict { valid, quoted_template, not_complete };

// Sees all that a reader reads, for explanations. `ordinal` counts the blocks from 1.
struct BlockObserver {
  std::function<void(const Row&, std::size_t ordinal, std::size_t offset, BlockVerdict)> block;
  // A line that is no part of any block.
  std::function<void(std::string_view line, std::size_t offset)> line;
};

// Reads texts one after the other, as if they were one, but no block goes from one into the next.
class BlockReader {
 public:
  // The observer is borrowed.
  explicit BlockReader(const BlockObserver* observer = nullptr) : observer_(observer) {}

  void read_plain(std::string_view text);
  // The assistant's texts of a transcript. What stands before a continuation is forgotten.
  void read_transcript(std::string_view text);
  // Either, by what it is.
  void read(std::string_view text);
  // Leaves out all that was read so far; of one signal, or all.
  void forget();
  void forget(Signal signal);

  BlockResult result(const BlockOptions& options = {}) const;

  // Why a valid block is not the result; empty when it is.
  std::string why_not(const Row& row, std::size_t ordinal) const;

 private:
  struct Block {
    const Row* row = nullptr;
    BlockFields fields;
    std::size_t offset = 0;
    std::size_t ordinal = 0;
    bool cut = false;
    bool twice = false;
  };
  struct Entry {
    Signal signal;
    std::size_t offset;
    std::size_t ordinal;
  };

  void read_line(std::string_view line, std::size_t offset);
  bool add_field(std::string_view line);
  void close();
  bool stands(Signal signal, std::size_t ordinal) const;
  const Block* chosen() const;
  void warn(BlockResult& result, const Block& block, const BlockOptions& options) const;
  void compact();

  const BlockObserver* observer_;
  Block open_;                                          // row is null: none
  std::array<Block, kSignalCount> latest_;              // the latest valid block of each signal
  std::array<std::size_t, kSignalCount> taken_back_{};  // up to this ordinal, none stands
  std::size_t forgotten_ = 0;                           // nor up to this one, of any signal
  std::size_t ordinal_ = 0;
  std::vector<Entry> sequence_;
};

// Plain text or a transcript.
BlockResult parse_block(std::string_view text, const BlockOptions& options = {});

struct BlockCandidate {
  std::size_t offset;
  std::string text;  // of the line
  bool taken;
  std::string reason;
  Miss miss{};  // none: taken, or another signal counts in its place
};

// Tells every candidate in the order of the text.
void explain_block(std::string_view text, const std::function<void(const BlockCandidate&)>& tell);

// Why a text has no signal that counts; of several candidates the one nearest to the end says it.
// Requires: parse_block() finds none.
Missed missed_block(std::string_view text);

// Whether `text` is a date, or a date and a time, of ISO 8601 in its basic or extended form.
bool is_iso8601(std::string_view text);

inline constexpr std::size_t kMaxBlockFields = 64;  // and then those that a format names
inline constexpr std::size_t kMaxKeyBytes = 64;
inline constexpr std::size_t kMaxValueBytes = std::size_t{16} << 10;
inline constexpr std::size_t kMaxSequence = 4096;  // then the oldest half is left out

}  // namespace capsule::signal
