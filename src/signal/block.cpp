#include "signal/block.h"

#include <algorithm>

#include "base/text.h"
#include "signal/find.h"
#include "signal/transcript.h"

namespace capsule::signal {
namespace {

constexpr std::string_view kKey = "signal:";

std::size_t index_of(Signal signal) { return static_cast<std::size_t>(signal); }

// The row that a `SIGNAL: NAME` line names. `line` has no blanks at its ends.
const Row* row_of(std::string_view line) {
  std::string_view name = line.substr(kKey.size());
  while (!name.empty() && is_blank(name.front())) name.remove_prefix(1);
  if (name.empty()) return nullptr;
  for (const Row& row : vocabulary(Dialect::block))
    if (same_letters(row.wire, name)) return &row;
  return nullptr;
}

bool is_signal_line(std::string_view line) {
  return line.size() >= kKey.size() && same_letters(line.substr(0, kKey.size()), kKey);
}

// The length of the key that a `KEY: value` line begins with; 0 when it does not.
std::size_t key_length(std::string_view line) {
  const auto is_letter = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  };
  std::size_t length = 0;
  while (length < line.size() && length <= kMaxKeyBytes &&
         (is_letter(line[length]) || (length > 0 && line[length] >= '0' && line[length] <= '9')))
    ++length;
  const bool ends_well = length < line.size() && length <= kMaxKeyBytes && line[length] == ':';
  return ends_well ? length : 0;
}

// The keys that the format of a block names.
bool is_known(std::string_view key) {
  constexpr std::array<std::string_view, 6> kKeys{"PHASE", "STATUS", "TIMESTAMP",
                                                  "NEXT",  "ERROR",  "RECOVERABLE"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

std::string in_capitals(std::string_view key) {
  std::string result(key);
  for (char& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c & ~0x20);
  return result;
}

const std::string* find_field(const BlockFields& fields, std::string_view key) {
  for (const auto& [name, value] : fields)
    if (name == key) return &value;
  return nullptr;
}

BlockVerdict judge(const Row& row, const BlockFields& fields) {
  const std::string* timestamp = find_field(fields, "TIMESTAMP");
  if (timestamp != nullptr && timestamp->size() > 1 && timestamp->front() == '[' &&
      timestamp->back() == ']')
    return BlockVerdict::quoted_template;
  const bool completes = row.kind == BlockKind::completion || row.kind == BlockKind::finish;
  const std::string* status = find_field(fields, "STATUS");
  if (completes && status != nullptr && !same_letters(*status, "complete"))
    return BlockVerdict::not_complete;
  return BlockVerdict::valid;
}

}  // namespace

const std::string* BlockResult::field(std::string_view key) const {
  return find_field(fields, key);
}

void BlockReader::read_plain(std::string_view text) {
  const std::size_t begin = text_start(text);
  if (observer_ != nullptr) {
    for (std::size_t start = begin; start < text.size(); start = line_end(text, start) + 1)
      read_line(text.substr(start, line_end(text, start) - start), start);
    return close();
  }
  for (std::size_t from = begin;;) {
    const std::size_t key = find_signal_key(text, from);
    if (key == text.size()) break;
    std::size_t start = key;
    while (start > begin && is_blank(text[start - 1])) --start;
    if (start > begin && text[start - 1] != '\n') {
      from = key + kKey.size();
      continue;
    }
    do {
      const std::size_t end = line_end(text, start);
      read_line(text.substr(start, end - start), start);
      start = end + 1;
    } while (open_.row != nullptr && start < text.size());
    from = std::min(start, text.size());
  }
  close();
}

void BlockReader::read_transcript(std::string_view text) {
  for (std::size_t start = text_start(text); start < text.size();
       start = line_end(text, start) + 1) {
    const std::string_view line = text.substr(start, line_end(text, start) - start);
    const auto record = read_record(line);
    if (!record) continue;
    if (is_continuation(*record)) forget();
    if (record->speaker != Speaker::assistant) continue;
    for (RawText raw : record->texts) {
      // Without the key as it is, or an escape that could hide it, there is nothing to decode.
      if (observer_ == nullptr && find_signal_key(raw, 0) == raw.size() &&
          raw.find("\\u00") == raw.npos)
        continue;
      for_each_line(raw, [&](std::string_view decoded) { read_line(decoded, start); });
      close();
    }
  }
}

void BlockReader::read(std::string_view text) {
  if (is_transcript(text)) {
    read_transcript(text);
  } else {
    read_plain(text);
  }
}

void BlockReader::forget() {
  close();
  forgotten_ = ordinal_;
  sequence_.clear();
}

void BlockReader::forget(Signal signal) {
  close();
  taken_back_[index_of(signal)] = ordinal_;
}

void BlockReader::read_line(std::string_view line, std::size_t offset) {
  const std::string_view bare = without_blanks(line);
  if (is_signal_line(bare)) {
    close();
    open_.row = row_of(bare);
    open_.offset = offset;
    if (open_.row != nullptr) return;
  } else if (open_.row != nullptr) {
    if (add_field(bare)) return;
    close();
  }
  if (observer_ != nullptr) observer_->line(line, offset);
}

bool BlockReader::add_field(std::string_view line) {
  const std::size_t length = key_length(line);
  if (length == 0) return false;
  const std::string key = in_capitals(line.substr(0, length));
  // However many fields there are, those that decide are read.
  if (open_.fields.size() >= kMaxBlockFields && !is_known(key)) {
    open_.cut = true;
    return true;
  }
  std::string_view value = without_blanks(line.substr(length + 1));
  if (value.size() > kMaxValueBytes) {
    value = value.substr(0, kMaxValueBytes);
    open_.cut = true;
  }
  for (auto& [name, earlier] : open_.fields) {
    if (name != key) continue;
    open_.twice = true;
    earlier = value;
    return true;
  }
  open_.fields.emplace_back(key, value);
  return true;
}

void BlockReader::close() {
  if (open_.row == nullptr) return;
  const Row& row = *open_.row;
  open_.ordinal = ++ordinal_;
  const BlockVerdict verdict = judge(row, open_.fields);
  if (observer_ != nullptr) observer_->block(row, open_.ordinal, open_.offset, verdict);
  if (verdict == BlockVerdict::not_complete) {
    taken_back_[index_of(row.signal)] = open_.ordinal;
  } else if (verdict == BlockVerdict::valid) {
    if (row.kind != BlockKind::transition) {
      if (sequence_.size() == kMaxSequence) compact();
      sequence_.push_back({row.signal, open_.offset, open_.ordinal});
    }
    std::swap(latest_[index_of(row.signal)], open_);
  }
  open_.row = nullptr;
  open_.fields.clear();
  open_.cut = open_.twice = false;
}

bool BlockReader::stands(Signal signal, std::size_t ordinal) const {
#ifdef CAPSULE_PLANTED_BUG
  // Tests build the parser with this bug as well and must find it: nothing is ever taken back.
  return ordinal > forgotten_ && signal != Signal::unknown;
#else
  return ordinal > forgotten_ && ordinal > taken_back_[index_of(signal)];
#endif
}

void BlockReader::compact() {
  std::erase_if(sequence_,
                [this](const Entry& entry) { return !stands(entry.signal, entry.ordinal); });
  if (sequence_.size() > kMaxSequence / 2)
    sequence_.erase(sequence_.begin(), sequence_.end() - kMaxSequence / 2);
}

const BlockReader::Block* BlockReader::chosen() const {
  // A transition is the result only when nothing else is.
  const auto rank = [](const Block& block) {
    return std::pair(block.row->kind != BlockKind::transition, block.ordinal);
  };
  const Block* best = nullptr;
  for (const Block& block : latest_) {
    if (block.row == nullptr || !stands(block.row->signal, block.ordinal)) continue;
    if (best == nullptr || rank(block) > rank(*best)) best = &block;
  }
  return best;
}

std::string BlockReader::why_not(const Row& row, std::size_t ordinal) const {
  if (ordinal <= forgotten_) return "before the last continuation prompt";
  if (!stands(row.signal, ordinal)) return "a later block withdraws it with another STATUS";
  const Block* result = chosen();
  if (result->ordinal == ordinal) return {};
  if (row.kind == BlockKind::transition && result->row->kind != BlockKind::transition)
    return "a transition counts only on its own";
  return "a later valid signal follows";
}

BlockResult BlockReader::result(const BlockOptions& options) const {
  BlockResult result;
  for (const Entry& entry : sequence_)
    if (stands(entry.signal, entry.ordinal))
      result.sequence.push_back({entry.signal, entry.offset});
  const Block* block = chosen();
  if (block == nullptr) return result;
  result.signal = block->row->signal;
  result.fields = block->fields;
  result.offset = block->offset;
  warn(result, *block, options);
  return result;
}

BlockResult parse_block(std::string_view text, const BlockOptions& options) {
  BlockReader reader;
  reader.read(text);
  return reader.result(options);
}

}  // namespace capsule::signal
