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

std::string why_not_signal(std::string_view line, std::size_t keyword) {
  if (keyword > 0) return "SIGNAL is not at the start of its line";
  if (line[kKeyword.size()] != ':') return "no colon right after SIGNAL";
  return without_blanks(line.substr(kKeyword.size() + 1)).empty()
             ? "no name on its line"
             : "not exactly the name of a signal";
}

}  // namespace

void explain_block(std::string_view text, const std::function<void(const BlockCandidate&)>& tell) {
  BlockReader outcome;
  outcome.read(text);
  constexpr std::size_t kMaxLineBytes = 1024;  // of a line, for the reader
  BlockObserver observer;
  observer.block = [&](const Row& row, std::size_t ordinal, std::size_t offset,
                       BlockVerdict verdict) {
    std::string reason;
    bool taken = false;
    switch (verdict) {
      case BlockVerdict::quoted_template:
        reason = "its TIMESTAMP is a placeholder: the prompt is quoted";
        break;
      case BlockVerdict::not_complete:
        reason = "its STATUS is not complete";
        break;
      case BlockVerdict::valid:
        reason = outcome.why_not(row, ordinal);
        taken = reason.empty();
        if (taken) reason = "the result";
        break;
    }
    tell({offset, "SIGNAL: " + std::string(row.wire), taken, std::move(reason)});
  };
  observer.line = [&](std::string_view line, std::size_t offset) {
    const std::string_view bare = without_blanks(line);
    const std::size_t keyword = find_keyword(bare);
    if (keyword == bare.npos) return;
    tell(
        {offset, std::string(bare.substr(0, kMaxLineBytes)), false, why_not_signal(bare, keyword)});
  };
  BlockReader reader(&observer);
  reader.read(text);
}

}  // namespace capsule::signal
