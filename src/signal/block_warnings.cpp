// What is odd about a block that is a signal all the same.
#include <array>

#include "base/text.h"
#include "signal/block.h"

namespace capsule::signal {
namespace {

// A moment of ISO 8601, read from left to right.
class Iso8601 {
 public:
  explicit Iso8601(std::string_view text) : text_(text) {}

  bool valid() {
    if (!date()) return false;
    if (text_.empty()) return true;
    return take('T') && time() && zone() && text_.empty();
  }

 private:
  bool take(char wanted) {
    if (text_.empty() || text_.front() != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }

  bool number(std::size_t digits, int low, int high, int& value) {
    if (text_.size() < digits) return false;
    value = 0;
    for (char c : text_.substr(0, digits)) {
      if (c < '0' || c > '9') return false;
      value = value * 10 + (c - '0');
    }
    text_.remove_prefix(digits);
    return value >= low && value <= high;
  }

  bool date() {
    constexpr std::array<int, 13> kDays{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year = 0, month = 0, day = 0;
    if (!number(4, 0, 9999, year)) return false;
    extended_ = take('-');
    if (!number(2, 1, 12, month) || (extended_ && !take('-')) || !number(2, 1, 31, day))
      return false;
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return day <= kDays[static_cast<std::size_t>(month)] + (month == 2 && leap ? 1 : 0);
  }

  bool starts_number() const {
    return !text_.empty() && text_.front() >= '0' && text_.front() <= '9';
  }

  // Whether one more number of the time follows.
  bool more() { return extended_ ? take(':') : starts_number(); }

  bool time() {
    int hour = 0, minute = 0, second = 0;
    if (!number(2, 0, 24, hour)) return false;
    if (more()) {
      if (!number(2, 0, 59, minute)) return false;
      if (more() && !number(2, 0, 60, second)) return false;
    }
    if (take('.') || take(',')) {
      if (!starts_number()) return false;
      while (starts_number()) text_.remove_prefix(1);
    }
    return hour < 24 || (minute == 0 && second == 0);
  }

  bool zone() {
    if (text_.empty() || take('Z')) return true;
    int hours = 0, minutes = 0;
    if (!take('+') && !take('-')) return false;
    if (!number(2, 0, 23, hours)) return false;
    return (!take(':') && text_.empty()) || number(2, 0, 59, minutes);
  }

  std::string_view text_;
  bool extended_ = true;
};

bool names(std::string_view value, std::string_view wanted) { return same_letters(value, wanted); }

bool fits_phase(const Row& row, std::string_view value) {
  switch (row.kind) {
    case BlockKind::error:
      return phase_named(value).has_value();
    case BlockKind::finish:
      return names(value, "complete") || names(value, "final");
    default:
      return names(value, name_of(row.phase));
  }
}

bool fits_next(const Row& row, std::string_view value, Skips skips) {
  if (row.kind == BlockKind::error) return true;
  const Phase next = next_phase(row.phase, skips);
  if (names(value, name_of(next))) return true;
  if (row.signal == Signal::transition_to_validation) return names(value, "validation");
  return next == Phase::complete && names(value, "none");
}

std::string expected_next(const Row& row, Skips skips) {
  const Phase next = next_phase(row.phase, skips);
  return std::string(next == Phase::complete ? "none" : name_of(next));
}

std::string quoted_value(const std::string& value) {
  const std::string_view part = cut(value, 100);
  return "'" + std::string(part) + (part.size() < value.size() ? "…'" : "'");
}

// Whether the phases, beginning with `phase`, come to wait for the last signal of the sequence.
bool is_awaited(const std::vector<BlockSighting>& sequence, Phase phase, Skips skips) {
  bool awaited = false;
  for (const BlockSighting& seen : sequence) {
    const bool advances = seen.signal == expected_signal(phase);
    awaited = advances || row(seen.signal).kind != BlockKind::completion;
    if (advances) phase = next_phase(phase, skips);
  }
  return awaited;
}

}  // namespace

bool is_iso8601(std::string_view text) { return Iso8601(text).valid(); }

void BlockReader::warn(BlockResult& result, const Block& block, const BlockOptions& options) const {
  const Row& row = *block.row;
  auto& warnings = result.warnings;
  const std::string name(row.name);
  if (const std::string* phase = result.field("PHASE"); phase != nullptr) {
    const bool error = row.kind == BlockKind::error;
    if (!fits_phase(row, *phase))
      warnings.push_back("PHASE is " + quoted_value(*phase) + ", " +
                         (error ? "which is not a phase"
                                : name + " belongs to " + std::string(name_of(row.phase))));
    else if (error && options.phase && phase_named(*phase) != options.phase)
      warnings.push_back("PHASE is " + quoted_value(*phase) + ", the phase is " +
                         std::string(name_of(*options.phase)));
  }
  if (const std::string* next = result.field("NEXT");
      next != nullptr && !fits_next(row, *next, options.skips))
    warnings.push_back("NEXT is " + quoted_value(*next) + ", after " + name + " comes " +
                       expected_next(row, options.skips));
  if (const std::string* timestamp = result.field("TIMESTAMP");
      timestamp != nullptr && !is_iso8601(*timestamp))
    warnings.push_back("TIMESTAMP is " + quoted_value(*timestamp) + ", which is not ISO 8601");
  if (row.kind == BlockKind::error) {
    const std::string* status = result.field("STATUS");
    if (status != nullptr && !names(*status, "error"))
      warnings.push_back("STATUS is " + quoted_value(*status) +
                         ", but for PHASE_ERROR it must be error");
    const std::string* recoverable = result.field("RECOVERABLE");
    if (recoverable != nullptr && !names(*recoverable, "true") && !names(*recoverable, "false"))
      warnings.push_back("RECOVERABLE is " + quoted_value(*recoverable) + ", not true or false");
  }
  if (options.phase && row.kind == BlockKind::completion &&
      !is_awaited(result.sequence, *options.phase, options.skips))
    warnings.push_back(name + " is not what the phase " + std::string(name_of(*options.phase)) +
                       " waits for, which is " +
                       std::string(signal::row(expected_signal(*options.phase)).name));
  if (block.twice) warnings.emplace_back("a key appears twice: the last value counts");
  if (block.cut) warnings.emplace_back("the block was cut: it is too long");
}

}  // namespace capsule::signal
