// What reviewers and the reflecting agent say in their own words.
#include <algorithm>

#include "base/text.h"
#include "signal/find.h"
#include "workflow/auto/run.h"

namespace capsule::auto_mode {
namespace {

constexpr std::size_t kMaxIssues = 200;
constexpr std::size_t kMaxIssueBytes = 2000;
constexpr std::size_t kMaxLearningBytes = std::size_t{16} << 10;

std::optional<fact::Verdict> verdict_of(std::string_view line) {
  constexpr std::string_view kKey = "VERDICT:";
  if (!line.starts_with(kKey)) return std::nullopt;
  const std::string_view word = signal::without_blanks(line.substr(kKey.size()));
  for (const auto verdict :
       {fact::Verdict::approved, fact::Verdict::needs_fix, fact::Verdict::rejected})
    if (word == fact::name_of(verdict)) return verdict;
  return std::nullopt;
}

// The text of a list item: after "- ", "* " or "1. ".
std::optional<std::string_view> item_of(std::string_view line) {
  line = signal::without_blanks(line);
  if (line.starts_with("- ") || line.starts_with("* "))
    return signal::without_blanks(line.substr(2));
  std::size_t digits = 0;
  while (digits < line.size() && line[digits] >= '0' && line[digits] <= '9') ++digits;
  if (digits > 0 && digits < 4 && line.substr(digits).starts_with(". "))
    return signal::without_blanks(line.substr(digits + 2));
  return std::nullopt;
}

}  // namespace

Judgement judgement_in(std::string_view text) {
  Judgement result;
  std::optional<fact::Verdict> found;
  bool contradiction = false;
  for (const std::string_view line : split(text.substr(text_start(text)), '\n')) {
    if (const auto verdict = verdict_of(line)) {
      contradiction |= found && found != verdict;
      found = verdict;
    } else if (const auto item = item_of(line); item && !item->empty()) {
      if (result.issues.size() < kMaxIssues) result.issues.emplace_back(cut(*item, kMaxIssueBytes));
    }
  }
  if (found && !contradiction)
    result.verdict = *found;
  else
    result.miss = found ? signal::Miss::two_verdicts : signal::Miss::no_verdict;
  if (result.verdict == fact::Verdict::approved) result.issues.clear();
  return result;
}

std::string learnings_in(std::string_view text) {
  std::string result;
  bool inside = false;
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view bare = signal::without_blanks(line);
    if (bare.starts_with("#")) {
      inside = signal::same_letters(bare, "## Learnings");
      if (inside) result.clear();
    } else if (const auto item = item_of(line); inside && item && !item->empty()) {
      if (result.size() < kMaxLearningBytes)
        result += "- " + std::string(cut(*item, kMaxIssueBytes)) + "\n";
    }
  }
  return result;
}

bool all_approved(const fact::Reviewed& round) {
  return round.verdicts.size() == std::size(fact::kReviewers) &&
         std::all_of(round.verdicts.begin(), round.verdicts.end(), [](const auto& verdict) {
           return verdict.verdict == fact::Verdict::approved;
         });
}

std::string issues_text(const fact::Reviewed& round) {
  std::string text;
  for (const fact::ReviewVerdict& verdict : round.verdicts) {
    if (verdict.verdict == fact::Verdict::approved) continue;
    text +=
        "The " + verdict.type + " reviewer: " + std::string(fact::name_of(verdict.verdict)) + "\n";
    for (const std::string& issue : verdict.issues) text += "- " + issue + "\n";
  }
  return text;
}

}  // namespace capsule::auto_mode
