#include "signal/block.h"
#include "signal/find.h"

namespace capsule::signal {
namespace {

constexpr std::string_view kKeyword = "signal";

// Where `line` says "signal" in any case, with a colon soon after it; npos when it does not.
std::size_t find_keyword(std::string_view line) {
  for (std::size_t at = 0; at + kKeyword.size() < line.size(); ++at) {
    if (!same_letters(line.substr(at, kKeyword.size()), kKeyword)) continue;
    std::size_t after = at + kKeyword.size();
    while (after < line.size() && (is_blank(line[after]) || line[after] == '*')) ++after;
    if (after < line.size() && line[after] == ':') return at;
    at = after - 1;
  }
  return line.npos;
}

struct BlockWhyNot {
  Miss miss;
  const char* reason;
};

BlockWhyNot why_not_signal(std::string_view line, std::size_t keyword) {
  if (keyword > 0) return {Miss::not_at_column_0, "SIGNAL is not at the start of its line"};
  if (line[kKeyword.size()] != ':') return {Miss::no_colon, "no colon right after SIGNAL"};
  if (without_blanks(line.substr(kKeyword.size() + 1)).empty())
    return {Miss::no_id, "no name on its line"};
  return {Miss::not_exact, "not exactly the name of a signal"};
}

}  // namespace

void explain_block(std::string_view text, const std::function<void(const BlockCandidate&)>& tell) {
  BlockReader outcome;
  outcome.read(text);
  const BlockResult result = outcome.result();
  const bool none_counts = !result.signal && result.sequence.empty();
  constexpr std::size_t kMaxLineBytes = 1024;  // of a line, for the reader
  BlockObserver observer;
  observer.block = [&](const Row& row, std::size_t ordinal, std::size_t offset,
                       BlockVerdict verdict) {
    std::string reason;
    Miss miss = Miss::none;
    bool taken = false;
    switch (verdict) {
      case BlockVerdict::quoted_template:
        miss = Miss::quoted;
        reason = "its TIMESTAMP is a placeholder: the prompt is quoted";
        break;
      case BlockVerdict::not_complete:
        miss = Miss::not_complete;
        reason = "its STATUS is not complete";
        break;
      case BlockVerdict::valid:
        reason = outcome.why_not(row, ordinal);
        taken = reason.empty();
        if (taken) reason = "the result";
        if (!taken && none_counts) miss = Miss::taken_back;
        break;
    }
    tell({offset, "SIGNAL: " + std::string(row.wire), taken, std::move(reason), miss});
  };
  observer.line = [&](std::string_view line, std::size_t offset) {
    const std::string_view bare = without_blanks(line);
    const std::size_t keyword = find_keyword(bare);
    if (keyword == bare.npos) return;
    const BlockWhyNot why = why_not_signal(bare, keyword);
    tell({offset, std::string(bare.substr(0, kMaxLineBytes)), false, why.reason, why.miss});
  };
  BlockReader reader(&observer);
  reader.read(text);
}

Missed missed_block(std::string_view text) {
  Missed found = nothing_in(text);
  explain_block(text, [&](const BlockCandidate& candidate) {
    if (candidate.miss != Miss::none) found = missed(candidate.miss, candidate.text);
  });
  return found;
}

}  // namespace capsule::signal
